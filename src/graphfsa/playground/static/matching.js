// Two automata as Python's compare puts them side by side: starting and final states by their names if these are the
// same, else in their order.

// The state of the other automaton that belongs to each state of this one; -1 where there is none.
export function matched(own, other) {
  const places = own.names.map((name) => other.names.indexOf(name)), every = own.names.map((_, state) => state);
  const kinds = own.final.length || other.final.length ? [[own.starting, other.starting], [own.final, other.final]] : [[every, other.names.map((_, state) => state)]];
  for (const [mine, theirs] of kinds) {
    if (mine.length === theirs.length && !sameNames(own, mine, other, theirs)) mine.forEach((state, k) => { places[state] = theirs[k]; });
  }
  return places;
}

function sameNames(own, mine, other, theirs) {
  return mine.every((state) => theirs.some((each) => other.names[each] === own.names[state]));
}

// Why Python can't look for a difference between them; null if it can.
export function incomparable(own, other) {
  const several = (count, what) => `${count} ${what}state${count === 1 ? "" : "s"}`;
  for (const [fsa, who] of [[own, "the automaton on the page"], [other, "the other automaton"]]) {
    if (fsa.outcomes) return `${who} moves at random`;
    if (!fsa.final.length && fsa.starting.length < fsa.names.length) return `${who} has no final states, and can't start in each of its states`;
  }
  for (const what of ["starting", "final"]) {
    if (own[what].length !== other[what].length) return `the other automaton has ${several(other[what].length, `${what} `)}, the one on the page ${own[what].length}`;
  }
  if (!own.final.length && own.names.length !== other.names.length) return `the other automaton has ${several(other.names.length, "")}, the one on the page ${own.names.length}`;
  if (other.aggregation.name === "positional" && own.aggregation.name !== "positional") return "the other automaton tells its neighbours apart, and the one on the page does not";
  return null;
}
