// Conditions of rules: what may come after "if", as graphfsa/automaton/rules reads it.
//
// A guard is a list of atoms; an atom says of the digits of a value whether it holds there.

import { isPlain, makeSum, statesOf, weightIn } from "./aggregation.js";
import { NO, Reader, SOME, listed, sorted } from "./line.js";
import { Problem, shown } from "./problem.js";

const everyone = (names) => names.map((_, state) => state);
const TIMES = (weight) => (weight === 1 ? ["once"] : weight === 2 ? ["twice"] : [String(weight), "times"]);

export class SumReader extends Reader {
  // Which states are counted, and how often: the weight of each state.
  terms() {
    if (this.line.skip("neighbours")) return this.names.map(() => 1);
    if (this.line.skip("no", "neighbours")) return [];
    const states = this.states(), weight = this._times();
    if (weight === null) return this.weights([[1, states]]);
    const found = [[weight, states]];
    const { line } = this;
    while (line.isNext(",") && !line.isNext(",", "up", "to") && !line.isNext(",", "modulo")) {
      line.skip(",");
      const more = this.states(), times = this._times();
      if (times === null) throw line.expected("'once', 'twice' or a number and 'times'");
      if (found.some(([known]) => known === times)) {
        throw line.error(`all states that count ${TIMES(times).join(" ")} must be listed together`);
      }
      found.push([times, more]);
    }
    return this.weights(found);
  }

  _times() {
    for (const weight of [1, 2]) if (this.line.skip(...TIMES(weight))) return weight;
    const follows = this.line.peek(1);
    if (follows === null || follows.quoted || follows.text !== "times") return null;
    const weight = this.number();
    this.line.need("times");
    return weight;
  }

  ladder() {
    const sets = [this._level()];
    while (this.line.skip("<")) sets.push(this._level());
    return sets;
  }

  _level() {
    return this.line.skip("no", "neighbours") ? [] : this.states();
  }

  weights(byWeight) {
    const weights = this.names.map(() => 0);
    for (const [weight, states] of byWeight) {
      for (const state of states) {
        if (weights[state]) throw this.line.error(`a state must have one letter; ${shown(this.names[state])} has two`);
        weights[state] = weight;
      }
    }
    return weights;
  }

  // One sum of the header.
  sum() {
    const { line } = this;
    let found;
    try {
      if (line.skip("highest")) {
        line.need("of");
        const ladder = this.ladder();
        found = makeSum("highest", ladder.length, this.weights(ladder.map((states, level) => [level + 1, states])));
      } else {
        line.need("count", "highest");
        const weights = this.terms();
        line.skip(",");
        const kind = line.need("up", "modulo") === "modulo" ? "modulo" : "count";
        if (kind === "count") line.need("to");
        found = makeSum(kind, this.number(), weights);
      }
    } catch (problem) {
      throw problem instanceof Problem && problem.line === null ? line.error(problem.message) : problem;
    }
    if (!line.ended) throw line.expected("';' or the end of the line");
    return found;
  }
}

export class GuardReader extends SumReader {
  constructor(line, names, features) {
    super(line, names);
    this.features = features;
  }

  guard() {
    const atoms = [this._atom()];
    while (this.line.skip("and")) atoms.push(this._atom());
    return atoms;
  }

  _sensible(asks, atom) {
    if (!asks) throw this.line.error("a condition must not hold always or never; this one does");
    return atom;
  }

  _atom() {
    const { line, features } = this;
    for (const part of features.parts) {
      if (!line.skip(...part.name.split(" "), "is")) continue;
      const labels = this.among(part.labels.length, () => this._label(part));
      return this._sensible(labels.length > 0 && labels.length < part.labels.length, (digits) => labels.includes(digits[part.digit]));
    }
    if (features.sums.length && line.skip("the")) return this._aboutSum();
    if (features.shares.length && this._speaksOfShares()) return this._share();
    if (features.counts === null && !features.sums.length) {
      const kinds = features.shares.length ? ["'at least ... of the neighbours are ...'"] : [];
      throw line.expected(kinds.join(" or ") || "no condition, as nothing is seen");
    }
    return this._count();
  }

  _speaksOfShares() {
    for (let ahead = 0; this.line.peek(ahead) !== null; ahead++) {
      const token = this.line.peek(ahead);
      if (token.quoted) continue;
      if (token.text === "and") return false;
      if (token.text === "of") return true;
    }
    return false;
  }

  _label(part) {
    if (this.line.skip("missing")) return 0;
    const before = this.line.place;
    const state = this.names.indexOf(this.line.take("a name").text);
    this.line.place = before;
    if (state < 0) {
      const known = part.labels.slice(0, 8).map((label) => (label === null ? "missing" : shown(label))).join(", ");
      throw this.line.error(`expected one of ${known}; got ${shown(this.line.peek().text)}`);
    }
    return this.state() + 1;
  }

  // ---- numbers of neighbours

  _count() {
    const { line } = this, everything = everyone(this.names);
    if (line.skip("every", "neighbour", "is")) {
      const among = this.states();
      return this._counted(everything.filter((state) => !among.includes(state)), NO);
    }
    if (line.skip("it", "has")) {
      const numbers = this.amount();
      line.need("neighbour", "neighbours");
      return this._counted(everything, numbers);
    }
    const numbers = this.amount();
    line.need("neighbour", "neighbours");
    line.need("is", "are");
    return this._counted(this.states(), numbers);
  }

  _counted(states, ranges) {
    const { features } = this;
    if (features.counts !== null) {
      const { bound, slotted } = features;
      const why = slotted ? `there are ${bound} slots` : `a count of ${bound} means ${bound} or more`;
      const numbers = this.numbers(ranges, bound, slotted ? bound : bound - 1, why);
      return this._sensible(states.length > 0 && numbers.length > 0 && numbers.length <= bound, (digits) => {
        const counts = features.counts(digits);
        let count = 0;
        for (const state of states) count += counts[state];
        return numbers.includes(Math.min(bound, count));
      });
    }
    for (const tally of features.sums) {
      const { sum } = tally;
      if (sum.kind === "count" && isPlain(sum) && String(statesOf(sum)) === String(states)) {
        return this._sumIs(tally, this.results(ranges, sum.limit));
      }
    }
    const asked = ranges === NO || ranges === SOME ? sumAmong(features, states, ranges === SOME) : null;
    if (asked === null) {
      const words = listed(states.length ? states.map((state) => this.names[state]) : ["nothing"]);
      throw this.line.error(`the aggregation must have a sum that counts ${shown(words)}; it has none`);
    }
    return this._sumIs(...asked);
  }

  _sumIs(tally, levels) {
    return this._sensible(levels.length > 0 && levels.length < tally.sum.size,
      (digits) => levels.includes(tally.level(digits[tally.digit])));
  }

  // ---- sums of letters: what comes after "the"

  _aboutSum() {
    const { line } = this;
    if (line.skip("highest", "neighbour")) return this._highest();
    let weights;
    if (line.skip("number", "of", "neighbours")) {
      weights = line.skip("that", "are") ? this.weights([[1, this.states()]]) : this.names.map(() => 1);
    } else {
      if (!line.skip("sum", "of")) throw line.expected("'highest neighbour', 'number of neighbours' or 'sum of'");
      weights = this.terms();
    }
    line.need("is");
    return this._rest(weights);
  }

  _rest(weights) {
    const { line } = this;
    for (const [rest, word] of ["even", "odd"].entries()) {
      if (line.skip(word)) return this._sumIs(this._sum("modulo", weights, 2), [rest]);
    }
    let others = null, ranges = [];
    if (line.skip("not")) others = [this.number()];
    else if (line.skip("neither")) others = this.listed(() => this.number(), "nor");
    else ranges = this.rangeWords() ?? this.listed(() => this.item(), "or");
    if (others === null && !line.isNext("modulo")) {
      const tally = this._sum("count", weights);
      return this._sumIs(tally, this.results(ranges, tally.sum.limit));
    }
    line.need("modulo");
    const modulus = this.number(), tally = this._sum("modulo", weights, modulus);
    ranges = ranges.concat((others ?? []).map((number) => [number, number]));
    const rests = this.numbers(ranges, modulus - 1, modulus - 1, `it is a rest modulo ${modulus}`);
    const all = Array.from({ length: modulus }, (_, rest) => rest);
    return this._sumIs(tally, others === null ? rests : all.filter((rest) => !rests.includes(rest)));
  }

  _sum(kind, weights, modulus = null) {
    const found = this.features.sums.find(({ sum }) => sum.kind === kind && (modulus === null || sum.limit === modulus)
      && weights.every((weight, state) => weightIn(sum, state) === weight));
    if (found) return found;
    throw this.line.error(`the aggregation must have this sum${modulus === null ? "" : ` modulo ${modulus}`} to compare it; it has none`);
  }

  _highest() {
    const { line } = this;
    let tallies = this.features.sums.filter(({ sum }) => sum.kind === "highest");
    if (line.skip("of")) tallies = [this._sum("highest", this.weights(this.ladder().map((states, level) => [level + 1, states])))];
    if (tallies.length !== 1) {
      const what = tallies.length ? "it has several: say which by 'of ... < ...'" : "it has none";
      throw line.error(`the aggregation must have one sum of the kind highest; ${what}`);
    }
    line.need("is");
    return this._sumIs(tallies[0], this._levels(tallies[0].sum));
  }

  _levels(sum) {
    const nobody = this.names.length;
    const chosen = this.among(nobody + 1, () => {
      if (this.line.skip("missing")) return nobody;
      const state = this.state();
      if (!weightIn(sum, state)) {
        throw this.line.error(`the highest neighbour must show a letter; ${shown(this.names[state])} has none`);
      }
      return state;
    }).filter((place) => place === nobody || weightIn(sum, place));
    const levels = sorted(chosen.map((place) => (place === nobody ? 0 : weightIn(sum, place))));
    for (const state of statesOf(sum)) {
      if (levels.includes(weightIn(sum, state)) && !chosen.includes(state)) {
        throw this.line.error(`states that show the same letter must be named together; ${shown(this.names[state])} is left out`);
      }
    }
    return levels;
  }

  // ---- fractions of neighbours

  _share() {
    const { line } = this, bounds = [this._bound()];
    if (!bounds[0].below && line.skip("but")) {
      bounds.push(this._bound());
      if (!bounds[1].below) throw line.error("what follows 'but' must be 'less than ...' or 'not all'");
    }
    for (const word of ["of", "the", "neighbours", "are"]) line.need(word);
    const state = this.state(), share = this.features.shares.find((each) => each.state === state);
    if (!share) throw line.error(`the aggregation must watch ${shown(this.names[state])} to compare its fraction`);
    let lowest = 0, highest = share.levels.length;
    for (const { below, level } of bounds) {
      const place = share.levels.indexOf(level);
      if (place < 0) throw line.error(`the fraction must be a threshold of the state (${share.levels.join(", ")}); got ${level}`);
      if (below) highest = place;
      else lowest = place + 1;
    }
    return this._sensible(lowest <= highest, (digits) => digits[share.digit] >= lowest && digits[share.digit] <= highest);
  }

  _bound() {
    const { line } = this;
    if (line.skip("all")) return { below: false, level: 1 };
    if (line.skip("not", "all")) return { below: true, level: 1 };
    const below = line.skip("less", "than");
    if (!below && !line.skip("at", "least")) throw line.expected("'at least', 'less than', 'all' or 'not all'");
    if (line.skip("half")) return { below, level: 0.5 };
    const token = line.take("a fraction"), match = /^([0-9]{1,9})\/([1-9][0-9]{0,8})$/.exec(token.text);
    if (match) return { below, level: Number(match[1]) / Number(match[2]) };
    if (/^[0-9]*\.?[0-9]+(e-?[0-9]{1,3})?$/.test(token.text)) return { below, level: Number(token.text) };
    throw line.error(`expected a fraction such as half, 1/3 or 0.3; got ${shown(token.text)}`);
  }
}

// The sum that tells whether some neighbour is among certain states, with its levels; counts come before others.
function sumAmong(features, states, some) {
  for (const tally of features.sums) {
    const { sum } = tally;
    if (sum.kind === "count" && isPlain(sum) && String(statesOf(sum)) === String(states)) {
      return [tally, some ? upTo(1, sum.size) : [0]];
    }
  }
  for (const tally of features.sums) {
    const { sum } = tally;
    for (let least = 1; sum.kind === "highest" && least < sum.size; least++) {
      const above = statesOf(sum).filter((state) => weightIn(sum, state) >= least);
      if (String(above) === String(states)) return [tally, some ? upTo(least, sum.size) : upTo(0, least)];
    }
  }
  return null;
}

function upTo(first, end) {
  return Array.from({ length: end - first }, (_, k) => first + k);
}


