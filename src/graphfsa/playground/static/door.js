// For scripts around the page, and for tests: `playground.run(scene, steps)` and the like, without what is drawn.

import { Engine } from "./engine.js";
import { makeFsa, makeGraph } from "./host.js";
import { parseRules, toJson, withEntry } from "./rules.js";
import { open } from "./scene.js";
import { sha256 } from "./sha256.js";

function digest(states) {
  return sha256(states);
}

// The digest of the states after some steps, as graphfsa's Trajectory.digest.
export function run(scene, steps) {
  const { fsa, graph, states, from, seed } = open(scene);
  return runEngine(new Engine(fsa, graph, states, { time: from, seed }), steps);
}

// Many at once: [{ fsa, graph, states, steps, seed }], where an automaton is { names, aggregation, table, outcomes }.
export function runMany(cases) {
  return cases.map(({ fsa, graph, states, steps, seed = 0 }) => {
    const outcomes = fsa.outcomes?.map((sums) => Float64Array.from(sums)) ?? null;
    return runEngine(new Engine(makeFsa({ ...fsa, outcomes }), makeGraph(graph), states, { seed }), steps);
  });
}

function runEngine(engine, steps) {
  for (let step = 0; step < steps; step++) engine.step();
  return digest(engine.states);
}

// What rules say, or what is wrong with them and where.
export function rules(text) {
  try {
    const fsa = parseRules(text);
    if (fsa.outcomes) {
      return { names: fsa.names, starting: fsa.starting, final: fsa.final, sums: fsa.outcomes.map((sums) => [...sums]), table: [...fsa.table] };
    }
    return toJson(fsa);
  } catch (problem) {
    return { error: problem.message, line: problem.line ?? null };
  }
}

export function edited(text, state, value, successor) {
  return withEntry(text, parseRules(text), state, value, successor);
}

