// How a node sees its neighbours: what graphfsa/aggregations says, for the page.
//
// An aggregation here is an object with the number of its values, the value of a multiset of states (`ofCounts`, or of
// slots for positional), its digits, words for people, and `features`: what rules in words can ask about a value.

import { isCount, need, shown } from "./problem.js";

const MAX_ENTRIES = 2 ** 22;
const KINDS = ["count", "modulo", "highest"];

export function makeAggregation(config, names) {
  need(config !== null && typeof config === "object", "an aggregation must be an object");
  const { name, ...options } = config;
  const make = { counting, positional, "average-threshold": average, letters }[name];
  need(make !== undefined, `an aggregation must be counting, positional, average-threshold or letters; got ${shown(name)}`);
  const found = make(options, names);
  found.config = { name, ...found.options };
  found.name = name;
  need(found.numValues * names.length <= MAX_ENTRIES, tooLarge(found.numValues * names.length));
  return found;
}

function tooLarge(entries) {
  const size = entries < 1e15 ? entries.toLocaleString("en") : entries.toExponential(1);
  return `the table would have ${size} entries; here at most ${MAX_ENTRIES.toLocaleString("en")} are possible: `
    + "choose fewer states or a smaller bound";
}

function only(options, ...known) {
  for (const key of Object.keys(options)) need(known.includes(key), `there is no option ${shown(key)} here`);
}

export function digitsOf(value, bases) {
  return bases.map((base) => {
    const digit = value % base;
    value = Math.floor(value / base);
    return digit;
  });
}

function counting(options, names) {
  only(options, "bound");
  const bound = options.bound ?? 1, base = bound + 1;
  need(isCount(bound, 1, 2 ** 31), `bound must be an integer of at least 1; got ${shown(options.bound)}`);
  const bases = names.map(() => base), places = names.map((_, state) => base ** state);
  return {
    options: { bound },
    bases,
    numValues: base ** names.length,
    ofCounts: (counts) => {
      let value = 0;
      for (let state = 0; state < places.length; state++) value += Math.min(bound, counts[state]) * places[state];
      return value;
    },
    words: (value) => digitsOf(value, bases).map((count, state) => [count, state]).filter(([count]) => count)
      .map(([count, state]) => `${count}${count === bound ? "+" : ""} ${names[state]}`).join(", ") || "nobody",
    features: { bound, slotted: false, counts: (digits) => digits, parts: [], shares: [], sums: [] },
  };
}

function positional(options, names) {
  only(options, "num_slots");
  const slots = options.num_slots ?? 2, base = names.length + 1;
  need(isCount(slots, 1, 256), `num_slots must be an integer of at least 1; got ${shown(options.num_slots)}`);
  const bases = Array.from({ length: slots }, () => base);
  const titles = slots === 2 ? ["left", "right"] : bases.map((_, slot) => `slot ${slot}`);
  const counts = (digits) => names.map((_, state) => digits.filter((digit) => digit === state + 1).length);
  return {
    options: { num_slots: slots },
    bases,
    numSlots: slots,
    numValues: base ** slots,
    words: (value) => digitsOf(value, bases)
      .map((digit, slot) => `${titles[slot]} ${digit ? names[digit - 1] : "missing"}`).join(", "),
    features: {
      bound: slots, slotted: true, counts, shares: [], sums: [],
      parts: titles.map((title, slot) => ({ name: title, labels: [null, ...names], digit: slot })),
    },
  };
}

function average(options, names) {
  only(options, "thresholds");
  const given = options.thresholds ?? [0.5];
  const levels = (list) => {
    const found = Array.isArray(list) ? list : [list];
    need(found.length > 0 && found.every((level) => typeof level === "number" && level > 0 && level <= 1),
      `thresholds must be numbers in (0, 1]; got ${shown(JSON.stringify(list))}`);
    need(found.every((level, k) => k === 0 || found[k - 1] < level),
      `thresholds of a state must be sorted and distinct; got ${shown(JSON.stringify(list))}`);
    return found;
  };
  let watched;
  if (given !== null && typeof given === "object" && !Array.isArray(given)) {
    watched = Object.entries(given).map(([state, list]) => {
      need(/^(0|[1-9][0-9]{0,8})$/.test(state), `a watched state must be an integer >= 0; got ${shown(state)}`);
      return [Number(state), levels(list)];
    }).sort((a, b) => a[0] - b[0]);
    need(watched.length > 0, "thresholds must watch at least one state");
    need(watched[watched.length - 1][0] < names.length, `a watched state must be one of 0 to ${names.length - 1}`);
  } else {
    const all = levels(given);
    watched = names.map((_, state) => [state, all]);
  }
  const bases = watched.map(([, list]) => list.length + 1);
  return {
    options: { thresholds: given !== null && typeof given === "object" ? given : [given] },
    bases,
    numValues: bases.reduce((a, b) => a * b, 1),
    ofCounts: (counts, degree) => {
      let value = 0, weight = 1;
      for (const [state, list] of watched) {
        const fraction = degree ? counts[state] / degree : 0;
        for (const level of list) if (fraction >= level) value += weight;
        weight *= list.length + 1;
      }
      return value;
    },
    words: (value) => digitsOf(value, bases).map((digit, k) => {
      const [state, list] = watched[k];
      const sign = digit ? `≥ ${rounded(list[digit - 1])}` : `< ${rounded(list[0])}`;
      return `${sign}${digit && digit < list.length ? ` and < ${rounded(list[digit])}` : ""} ${names[state]}`;
    }).join(", "),
    features: {
      bound: 0, slotted: false, counts: null, parts: [], sums: [],
      shares: watched.map(([state, list], digit) => ({ state, levels: list, digit })),
    },
  };
}

function rounded(level) {
  return String(Math.round(level * 1e6) / 1e6);
}

// ---- letters

export function makeSum(kind, limit, weights) {
  need(KINDS.includes(kind), `the kind of a sum must be one of ${KINDS.join(", ")}; got ${shown(kind)}`);
  const modulo = kind === "modulo" ? 1 : 0;
  need(isCount(limit, 1 + modulo, 255), `the ${modulo ? "modulus" : "limit"} of a sum must be ${1 + modulo} to 255; got ${limit}`);
  const own = Array.from(weights ?? []);
  own.forEach((weight, state) => need(isCount(weight, 0, limit - modulo),
    `the weight of state ${state} must be 0 to ${limit - modulo}; got ${shown(weight)}`));
  while (own.length && !own[own.length - 1]) own.pop();
  return { kind, limit, weights: own, size: modulo ? limit : limit + 1 };
}

export const weightIn = (sum, state) => sum.weights[state] ?? 0;

export function statesOf(sum, weight = null) {
  return sum.weights.flatMap((own, state) => (own && (weight === null || own === weight) ? [state] : []));
}

export const isPlain = (sum) => sum.kind !== "highest" && Math.max(1, ...sum.weights) === 1;

const sameSum = (a, b) => a.kind === b.kind && a.limit === b.limit && String(a.weights) === String(b.weights);

function letters(options, names) {
  only(options, "sums");
  const given = options.sums ?? [{ kind: "count", limit: 2, weights: [1] }];
  need(Array.isArray(given) && given.length <= 64, "sums must be a list of at most 64 sums");
  const sums = given.map((part) => {
    need(part !== null && typeof part === "object", "a sum must be an object");
    return makeSum(part.kind, part.limit, part.weights);
  });
  for (const sum of sums) {
    need(sum.weights.length <= names.length, `only states 0 to ${names.length - 1} can show a letter; state ${sum.weights.length - 1} has one`);
  }
  const bases = sums.map((sum) => sum.size);
  return {
    options: { sums: sums.map(({ kind, limit, weights }) => ({ kind, limit, weights })) },
    bases,
    sums,
    numValues: bases.reduce((a, b) => a * b, 1),
    ofCounts: (counts) => {
      let value = 0, place = 1;
      for (const sum of sums) {
        let total = 0;
        for (let state = 0; state < sum.weights.length; state++) {
          const weight = sum.weights[state], count = counts[state];
          if (!weight || !count) continue;
          total = sum.kind === "highest" ? Math.max(total, weight) : total + weight * count;
        }
        if (sum.kind !== "highest") total = sum.kind === "modulo" ? total % sum.limit : Math.min(sum.limit, total);
        value += total * place;
        place *= sum.size;
      }
      return value;
    },
    words: (value) => digitsOf(value, bases).map((total, k) => sumWords(sums[k], total, names)).join(", ") || "nothing",
    features: { bound: 0, slotted: false, counts: null, parts: [], shares: [], sums: tallies(sums) },
  };
}

function sumWords(sum, total, names) {
  const group = (states) => (states.length === 1 ? names[states[0]] : `{${states.map((s) => names[s]).join(", ")}}`);
  if (sum.kind === "highest") return total ? `highest ${group(statesOf(sum, total))}` : `no ${group(statesOf(sum))}`;
  const among = isPlain(sum) ? group(statesOf(sum))
    : statesOf(sum).map((state) => `${sum.weights[state]} × ${names[state]}`).join(" + ");
  return sum.kind === "modulo" ? `${total} ${among} (modulo ${sum.limit})` : `${total}${total === sum.limit ? "+" : ""} ${among}`;
}

// The sums that rules can ask for: those that show a letter, without those that follow from another.
function tallies(sums) {
  const found = sums.flatMap((sum, digit) => (sum.weights.length ? [tally(sum, digit)] : []));
  return found.filter((one, place) => !found.some((other, there) =>
    there !== place && follows(one, other) && (there < place || !follows(other, one))));
}

function tally(sum, digit) {
  if (sum.kind !== "highest") return { sum, digit, level: (result) => result };
  const results = [...new Set([0, ...sum.weights])].sort((a, b) => a - b);
  const ranked = makeSum("highest", results.length - 1, sum.weights.map((weight) => results.indexOf(weight)));
  return { sum: ranked, digit, level: (result) => results.filter((known) => known <= result).length - 1 };
}

function follows(one, other) {
  const mine = one.sum, its = other.sum;
  if (String(mine.weights) !== String(its.weights) || mine.kind === "modulo" || its.kind === "modulo") return sameSum(mine, its);
  if (mine.kind === "count" && its.kind === "count") return mine.limit <= its.limit;
  return sameSum(mine, its) || mine.limit === 1;
}

// The value of a neighbourhood, state by state: the plain way, for one node at a time.
export function valueOf(aggregation, states, slots, numStates) {
  if (aggregation.name === "positional") {
    return states.reduce((value, state, k) => value + (state + 1) * (numStates + 1) ** slots[k], 0);
  }
  const counts = new Array(numStates).fill(0);
  for (const state of states) counts[state]++;
  return aggregation.ofCounts(counts, states.length);
}

