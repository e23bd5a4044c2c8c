// Rules in words: the text is the automaton. The same notation as docs/rules.md, read by the same steps as
// graphfsa/automaton/rules/_parsing.py.

import { digitsOf, isPlain, makeAggregation, statesOf } from "./aggregation.js";
import { GuardReader, SumReader } from "./guards.js";
import { KEYWORDS, Line, listed, plainName } from "./line.js";
import { Problem, need, shown } from "./problem.js";

const ONE = 2 ** 53;
const MAX_STATES = 256;
const MAX_WORK = 2 ** 26;
const HEADER = /^\s*(states|starting\s+states|final\s+states|aggregation)\s*:/;
const PROBABILITY = /^[0-9]*\.?[0-9]+(e-?[0-9]{1,3})?$/;
const SUMS = /^((count|highest)\s|no sums$)/;
const PIECE = /(?:"(?:[^"\\]|\\.)*"|[^;"]|"(?=[^"]*$))+/gu;

// The automaton that rules describe: names, starting, final, aggregation, table (row by row) and, with coins, outcomes.
// Beside it are `lines`, the number of the line that each entry comes from.
export function parseRules(text) {
  const reader = new RuleReader();
  text.replace(/^\ufeff/, "").split("\n").forEach((line, index) => {
    if (line.trim() && !line.trimStart().startsWith("#")) reader.read(line, index + 1);
  });
  return reader.automaton();
}

class RuleReader {
  constructor() {
    this.header = {};
    this.lists = null;
    this.lasts = new Map();
    this.outcomes = new Map();
    this.random = false;
    this.latest = null;
  }

  read(text, number) {
    const head = HEADER.exec(text);
    this.latest = number;
    if (head === null) {
      this._rule(new Line(text, number));
      return;
    }
    const field = head[1].split(/\s+/).join(" "), rest = text.slice(head[0].length);
    need(!(field in this.header), `'${field}:' must be given once`, number);
    need(this.lists === null, `'${field}:' must come before the rules`, number);
    this.header[field] = field === "aggregation" ? { text: rest.trim(), number } : { names: readNames(new Line(rest, number)), number };
  }

  get names() {
    if (this._names) return this._names;
    need("states" in this.header, "a line 'states: NAME, NAME, ...' must come before the rules", this.lists ? null : this.latest);
    const { names, number } = this.header.states;
    checkNames(names, number);
    this._names = names;
    return names;
  }

  get aggregation() {
    if (this._aggregation) return this._aggregation;
    need("aggregation" in this.header, "a line such as 'aggregation: counting bound=1' must come before the rules", this.latest);
    const { text, number } = this.header.aggregation;
    try {
      this._aggregation = readAggregation(text, number, this.names);
    } catch (problem) {
      throw problem instanceof Problem && problem.line === null ? new Problem(problem.message, number) : problem;
    }
    return this._aggregation;
  }

  _rule(line) {
    const { names } = this, guards = new GuardReader(line, names, this.aggregation.features);
    const state = guards.state();
    this.lists ??= names.map(() => []);
    if (this.lasts.has(state)) {
      throw line.error(`${shown(names[state])} must have no rule after its last one, in line ${this.lasts.get(state)}`);
    }
    const successor = this._outcome(line, guards, state);
    const guard = line.skip("if") ? guards.guard() : [];
    if (!guard.length) {
      line.skip("otherwise");
      this.lasts.set(state, line.number);
    }
    if (!line.ended) throw line.expected(guard.length ? "'and' or the end of the line" : "'if', 'otherwise' or the end of the line");
    this.lists[state].push({ guard, successor, line: line.number });
  }

  _outcome(line, guards, state) {
    const weights = this.names.map(() => 0);
    if (line.need("->", "stays") === "stays") weights[state] = ONE;
    else {
      let successor = guards.state();
      if (line.isNext("with")) {
        this.random = true;
        let total = weights[successor] = this._weight(line);
        while (line.skip(",")) {
          successor = guards.state();
          if (weights[successor]) throw line.error(`${shown(this.names[successor])} must have one probability`);
          total += weights[successor] = this._weight(line);
        }
        if (total > ONE) throw line.error(`probabilities must sum to at most 1; got ${total / ONE}`);
        weights[state] += ONE - total;
      } else weights[successor] = ONE;
    }
    const key = String(weights);
    if (!this.outcomes.has(key)) this.outcomes.set(key, { place: this.outcomes.size, weights });
    return this.outcomes.get(key).place;
  }

  _weight(line) {
    line.need("with");
    line.need("probability");
    const token = line.take("a probability"), number = Number(token.text);
    if (token.quoted || !PROBABILITY.test(token.text) || !(number > 0 && number <= 1)) {
      throw line.error(`a probability must be a number above 0 and at most 1; got ${shown(token.text)}`);
    }
    return roundEven(number * ONE);
  }

  automaton() {
    const { names, aggregation } = this, end = this.latest;
    this.lists ??= names.map(() => []);
    names.forEach((name, state) => {
      const own = this.lists[state], line = own.length ? own[own.length - 1].line : end;
      need(this.lasts.has(state), `${shown(name)} must have a last rule without 'if'; it has none`, line);
    });
    const all = names.map((_, state) => state);
    const starting = this._indices("starting states") ?? all, final = this._indices("final states") ?? [];
    const outcomes = [...this.outcomes.values()].map(({ weights }) => weights);
    const sure = outcomes.map((weights) => weights.indexOf(ONE));
    const found = { names, starting, final, aggregation, ...this._fill(), outcomes: null };
    for (const state of final) this._checkFinal(found, state, sure);
    if (this.random) found.outcomes = outcomes.map(sumsOf);
    else found.table = Uint8Array.from(found.table, (place) => sure[place]);
    return found;
  }

  _fill() {
    const { names, aggregation } = this, numValues = aggregation.numValues;
    const rules = this.lists.reduce((count, list) => count + list.length, 0);
    need(rules * numValues <= MAX_WORK, `rules times values must be at most ${MAX_WORK.toLocaleString("en")} here`);
    const table = new Uint16Array(names.length * numValues), lines = new Int32Array(table.length);
    for (let value = 0; value < numValues; value++) {
      const digits = digitsOf(value, aggregation.bases);
      this.lists.forEach((list, state) => {
        const rule = list.find(({ guard }) => guard.every((holds) => holds(digits)));
        table[state * numValues + value] = rule.successor;
        lines[state * numValues + value] = rule.line;
      });
    }
    return { table, lines };
  }

  _checkFinal(found, state, sure) {
    const numValues = this.aggregation.numValues;
    for (let value = 0; value < numValues; value++) {
      const entry = state * numValues + value;
      need(sure[found.table[entry]] === state, `${shown(this.names[state])} is a final state, so it must stay`, found.lines[entry]);
    }
  }

  _indices(field) {
    if (!(field in this.header)) return null;
    const { names, number } = this.header[field];
    for (const name of names) need(this.names.includes(name), `${field} must be among the states; got ${shown(name)}`, number);
    need(new Set(names).size === names.length, `${field} must not repeat a state`, number);
    return names.map((name) => this.names.indexOf(name)).sort((a, b) => a - b);
  }
}

function sumsOf(weights) {
  let total = 0;
  return Float64Array.from(weights, (weight) => (total += weight));
}

function roundEven(number) {
  const low = Math.floor(number), rest = number - low;
  return rest > 0.5 || (rest === 0.5 && low % 2 === 1) ? low + 1 : low;
}

function readNames(line) {
  const names = [];
  while (!line.ended) {
    if (names.length) line.need(",");
    const token = line.take("the name of a state");
    if (!token.quoted && KEYWORDS.has(token.text)) throw line.error(`the word '${token.text}' is a name only in quotes`);
    names.push(token.text);
  }
  return names;
}

function checkNames(names, number = null) {
  need(Array.isArray(names) && names.every((name) => typeof name === "string"), "states must be a list of names", number);
  need(names.length >= 1 && names.length <= MAX_STATES, `an automaton must have 1 to ${MAX_STATES} states; got ${names.length}`, number);
  for (const name of names) {
    need(name !== "" && name === name.trim() && !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(name),
      `a state name must be printable, without blanks at its ends; got ${shown(name)}`, number);
  }
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  need(twice === undefined, `state names must be distinct; ${shown(twice)} occurs more than once`, number);
}

function readAggregation(text, number, names) {
  const wrong = () => new Problem(`an aggregation has a name and options as key=JSON, such as 'counting bound=2'; got ${shown(text)}`, number);
  const head = /^(\S*)\s*/.exec(text), options = { name: head[1] };
  let rest = text.slice(head[0].length);
  while (rest && !SUMS.test(rest)) {
    const key = /^(\w+)=/.exec(rest);
    if (key === null || key[1] in options) throw wrong();
    const [value, end] = readJson(rest.slice(key[0].length), wrong);
    options[key[1]] = value;
    rest = rest.slice(key[0].length + end).trimStart();
  }
  if (rest === "no sums") options.sums = [];
  else if (rest) options.sums = (rest.match(PIECE) ?? [rest]).map((piece) => new SumReader(new Line(piece, number), names).sum());
  if (options.sums) options.sums = options.sums.map(({ kind, limit, weights }) => ({ kind, limit, weights }));
  return makeAggregation(options, names);
}

// The JSON value at the beginning of a text, and where it ends.
function readJson(text, wrong) {
  let depth = 0, quoted = false;
  for (let k = 0; k < text.length; k++) {
    const letter = text[k];
    if (quoted) {
      if (letter === "\\") k++;
      else quoted = letter !== '"';
    } else if (letter === '"') quoted = true;
    else if ("[{".includes(letter)) depth++;
    else if ("]}".includes(letter)) depth--;
    const done = depth === 0 && !quoted && (k + 1 === text.length || /\s/.test(text[k + 1]) || "]}\"".includes(letter));
    if (!done) continue;
    try {
      return [JSON.parse(text.slice(0, k + 1)), k + 1];
    } catch {
      throw wrong();
    }
  }
  throw wrong();
}

// ---- one entry in words, so that a single entry can be changed in the text

function amount(count, bound, states, names) {
  const named = states.map((state) => plainName(names[state]));
  const plural = (words, many) => (states.length === names.length && names.length > 1
    ? `it has ${words} neighbour${many ? "s" : ""}` : `${words} neighbour${many ? "s are" : " is"} ${listed(named)}`);
  if (count === 0) return plural("no", false);
  if (count === bound) return bound === 1 ? plural("some", false) : plural(`at least ${count}`, true);
  return count === 1 ? plural("exactly one", false) : plural(`exactly ${count}`, true);
}

// The condition that holds at one value only, as far as rules can tell values apart.
function exactGuard(aggregation, value, names) {
  const { features } = aggregation, digits = digitsOf(value, aggregation.bases);
  if (features.parts.length) {
    return features.parts.map(({ name, digit }) => `${name} is ${digits[digit] ? plainName(names[digits[digit] - 1]) : "missing"}`).join(" and ");
  }
  if (features.counts) return digits.map((count, state) => amount(count, features.bound, [state], names)).join(" and ");
  const shares = features.shares.map(({ state, levels, digit }) => {
    const low = digits[digit] ? (levels[digits[digit] - 1] === 1 ? "all" : `at least ${levels[digits[digit] - 1]}`) : "";
    const next = levels[digits[digit]], high = next === undefined ? "" : next === 1 ? "not all" : `less than ${next}`;
    return `${[low, high].filter(Boolean).join(" but ")} of the neighbours are ${plainName(names[state])}`;
  });
  return [...shares, ...features.sums.map((tally) => sumGuard(tally, tally.level(digits[tally.digit]), names))].join(" and ");
}

function sumGuard({ sum }, level, names) {
  const set = (states) => (states.length ? listed(states.map((state) => plainName(names[state]))) : "no neighbours");
  if (sum.kind === "highest") {
    const ladder = Array.from({ length: sum.limit }, (_, k) => set(statesOf(sum, k + 1))).join(" < ");
    return `the highest neighbour of ${ladder} is ${level ? set(statesOf(sum, level)) : "missing"}`;
  }
  if (sum.kind === "count" && isPlain(sum)) return amount(level, sum.limit, statesOf(sum), names);
  const weights = [...new Set(sum.weights.filter(Boolean))].sort((a, b) => a - b);
  const times = (weight) => (weight === 1 ? "once" : weight === 2 ? "twice" : `${weight} times`);
  const everybody = isPlain(sum) && statesOf(sum).length === names.length;
  const terms = everybody ? "neighbours" : weights.map((weight) => `${set(statesOf(sum, weight))} ${times(weight)}`).join(", ");
  const what = everybody ? "the number of neighbours" : `the sum of ${terms}`;
  if (sum.kind === "modulo") return `${what} is ${sum.limit === 2 ? ["even", "odd"][level] : `${level} modulo ${sum.limit}`}`;
  return `${what} is ${level === sum.limit ? `at least ${level}` : `exactly ${level}`}`;
}

// The rules with another successor for one state and value: a line that goes before the others of this state.
export function withEntry(text, fsa, state, value, successor) {
  const { names, aggregation } = fsa, own = plainName(names[state]);
  need(!fsa.final.includes(state), `${shown(names[state])} is a final state, so it must stay`);
  const guard = exactGuard(aggregation, value, names);
  const move = (successor === state ? `${own} stays` : `${own} -> ${plainName(names[successor])}`) + (guard ? ` if ${guard}` : "");
  const lines = text.split("\n"), list = [];
  const isRule = (line) => line.trim() && !line.trimStart().startsWith("#") && !HEADER.test(line);
  lines.forEach((line, index) => {
    if (!isRule(line)) return;
    const token = new Line(line, index + 1).peek();
    if (token && token.text === names[state]) list.push(index);
  });
  if (!guard) {
    // Nothing is seen, so there is one rule for all there is.
    list.slice(1).reverse().forEach((index) => lines.splice(index, 1));
    lines[list[0]] = move;
    return lines.join("\n");
  }
  const again = list.findIndex((index) => lines[index].endsWith(` if ${guard}`));
  if (again >= 0) lines.splice(list[again], 1);
  lines.splice(list[0] ?? lines.length, 0, move);
  return lines.join("\n");
}

// ---- automata as JSON, as graphfsa keeps them

const SCHEMA = "graphfsa.automaton/1";

export function toJson(fsa) {
  need(fsa.outcomes === null, "an automaton with coins is kept as rules");
  const numValues = fsa.aggregation.numValues;
  return {
    schema: SCHEMA,
    state_names: fsa.names,
    starting_states: fsa.starting,
    final_states: fsa.final,
    aggregation: fsa.aggregation.config,
    transition_table: fsa.names.map((_, state) => Array.from(fsa.table.subarray(state * numValues, (state + 1) * numValues))),
  };
}

export function fromJson(data) {
  const found = data?.schema === "graphfsa.model/1" ? data.automaton : data;
  need(found !== null && typeof found === "object" && Array.isArray(found.transition_table), "the file must hold an automaton");
  checkNames(found.state_names);
  const names = found.state_names, aggregation = makeAggregation(found.aggregation, names), numValues = aggregation.numValues;
  const rows = found.transition_table;
  need(rows.length === names.length && rows.every((row) => Array.isArray(row) && row.length === numValues
    && row.every((state) => Number.isInteger(state) && state >= 0 && state < names.length)),
  `transition_table must have ${names.length} rows of ${numValues} states`);
  const states = (list) => Array.isArray(list) && list.every((state) => Number.isInteger(state) && state >= 0 && state < names.length);
  const starting = found.starting_states ?? names.map((_, state) => state), final = found.final_states ?? [];
  need(states(starting) && states(final), "starting and final states must be numbers of states");
  for (const state of final) need(rows[state].every((next) => next === state), `${shown(names[state])} is a final state, so it must stay`);
  return { names, starting, final, aggregation, table: Uint8Array.from(rows.flat()), lines: null, outcomes: null };
}


