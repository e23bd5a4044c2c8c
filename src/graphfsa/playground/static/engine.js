// One step of all nodes at once, as graphfsa.run makes it, in typed arrays.
//
// What a node sees is mostly a function of a sum of numbers, one for each neighbour: with counting, letters and average
// thresholds (D + 1)^state, where D is the largest degree, with positional aggregation (state + 1) (|M| + 1)^slot. Then
// `next[state * size + sum]` says where a node moves, and a step is additions and one look-up for each node. Where this
// table would be too large, values are computed as the aggregation defines them. If few nodes changed in a step, only
// these and those that see them are looked at in the next one.

import { valueOf } from "./aggregation.js";
import { offsetsOf } from "./graphs.js";
import { MOVES, coin, keyOf } from "./philox.js";
import { need } from "./problem.js";

const MAX_LOOKUP = 2 ** 20;
const FEW = 16;

// An automaton is { names, starting, final, aggregation, table, outcomes }: the table has one row for each state, one
// after the other; entries are states or, with coins, places of outcomes: lists of sums of weights, 2^53 at the end.
export class Engine {
  constructor(fsa, graph, states, { time = 0, seed = 0 } = {}) {
    checkGraph(fsa, graph);
    need(states.length === graph.n, `there must be one state for each of ${graph.n} nodes; got ${states.length}`);
    this.fsa = fsa;
    this.graph = graph;
    this.time = time;
    this.key = keyOf(seed);
    this.lookup = makeLookup(fsa, graph);
    this.states = Uint8Array.from(states);
    this.before = new Uint8Array(graph.n);
    this.sure = fsa.outcomes && sureOnes(fsa.outcomes);
    this.active = null;
    this.seen = new Uint32Array(graph.n);
    this.round = 0;
    this._padded = null;
  }

  // Returns how many nodes moved; with coins, how many could have.
  step() {
    const moved = this.fsa.outcomes ? this._random() : this.active ? this._sparse() : this._dense();
    this.time++;
    return moved;
  }

  // After states were changed from outside.
  touch() {
    this.active = null;
  }

  // Whether nothing moves any more; with coins, whether nothing could.
  atRest() {
    const { states, sure, active } = this, entry = this._entryOf(), moves = (node) => (sure ? sure[entry(node)] : entry(node)) !== states[node];
    if (!active) {
      for (let node = 0; node < states.length; node++) if (moves(node)) return false;
      return true;
    }
    const { indptr, indices } = this.graph.out;
    for (const node of active) {
      if (moves(node)) return false;
      for (let arc = indptr[node]; arc < indptr[node + 1]; arc++) if (moves(indices[arc])) return false;
    }
    return true;
  }

  counts() {
    const counts = new Int32Array(this.fsa.names.length), states = this.states;
    for (let node = 0; node < states.length; node++) counts[states[node]]++;
    return counts;
  }

  // The value of the aggregation at a node.
  value(node) {
    const { nodes, slots } = this.graph.neighbours(node);
    return valueOf(this.fsa.aggregation, Array.from(nodes, (other) => this.states[other]), slots, this.fsa.names.length);
  }

  // Which entries of the table nodes use now, as [state, value] in one number.
  usedEntries() {
    const used = new Uint8Array(this.fsa.table.length), values = this.fsa.aggregation.numValues;
    for (let node = 0; node < this.graph.n; node++) used[this.states[node] * values + this.value(node)] = 1;
    return used;
  }

  _places() {
    const places = this._entryOf();
    const found = new (this.fsa.outcomes ? Uint16Array : Uint8Array)(this.graph.n);
    for (let node = 0; node < found.length; node++) found[node] = places(node);
    return found;
  }

  // A function that gives the entry of the table that a node uses.
  _entryOf() {
    const { indptr, indices, slots } = this.graph.arcs, states = this.states, { fsa, lookup } = this;
    if (lookup) {
      const { next, size, weights, width } = lookup;
      return (node) => {
        let sum = 0;
        for (let arc = indptr[node], end = indptr[node + 1]; arc < end; arc++) {
          sum += weights[(slots ? slots[arc] * width : 0) + states[indices[arc]]];
        }
        return next[states[node] * size + sum];
      };
    }
    const table = fsa.table, numValues = fsa.aggregation.numValues, counts = new Int32Array(fsa.names.length);
    if (fsa.aggregation.name === "positional") {
      const base = fsa.names.length + 1, places = Array.from({ length: fsa.aggregation.numSlots }, (_, k) => base ** k);
      return (node) => {
        let value = 0;
        for (let arc = indptr[node]; arc < indptr[node + 1]; arc++) value += (states[indices[arc]] + 1) * places[slots[arc]];
        return table[states[node] * numValues + value];
      };
    }
    return (node) => {
      counts.fill(0);
      for (let arc = indptr[node]; arc < indptr[node + 1]; arc++) counts[states[indices[arc]]]++;
      return table[states[node] * numValues + fsa.aggregation.ofCounts(counts, indptr[node + 1] - indptr[node])];
    };
  }

  _dense() {
    const states = this.states, next = this.before, n = states.length;
    if (this.lookup && this.graph.lattice?.uniform) this._lattice(next);
    else {
      const entry = this._entryOf();
      for (let node = 0; node < n; node++) next[node] = entry(node);
    }
    let moved = 0;
    for (let node = 0; node < n; node++) if (next[node] !== states[node]) moved++;
    if (moved * FEW < n) {
      this.active = new Int32Array(moved);
      for (let node = 0, k = 0; k < moved; node++) if (next[node] !== states[node]) this.active[k++] = node;
    }
    this.before = states;
    this.states = next;
    return moved;
  }

  // Only nodes that changed, or that see one that did, can move now.
  _sparse() {
    const { indptr, indices } = this.graph.out, states = this.states, entry = this._entryOf(), seen = this.seen;
    const round = ++this.round, nodes = [], following = [];
    const look = (node) => {
      if (seen[node] === round) return;
      seen[node] = round;
      const next = entry(node);
      if (next !== states[node]) {
        nodes.push(node);
        following.push(next);
      }
    };
    for (const node of this.active) {
      look(node);
      for (let arc = indptr[node]; arc < indptr[node + 1]; arc++) look(indices[arc]);
    }
    for (let k = 0; k < nodes.length; k++) states[nodes[k]] = following[k];
    this.active = nodes.length * FEW < states.length ? nodes : null;
    return nodes.length;
  }

  _random() {
    const states = this.states, next = this.before, sure = this.sure, outcomes = this.fsa.outcomes;
    const places = this._places(), time = this.time;
    let restless = 0;
    for (let node = 0; node < states.length; node++) {
      const place = places[node];
      let following = sure[place];
      if (following < 0) {
        const sums = outcomes[place], number = coin(MOVES, node, time, this.key);
        following = 0;
        while (sums[following] <= number) following++;
        restless++;
      } else if (following !== states[node]) restless++;
      next[node] = following;
    }
    if (restless) {
      this.before = states;
      this.states = next;
    }
    return restless;
  }

  // Lattices: weights with a margin around them, and sums of shifted copies.
  _lattice(next) {
    const { height, width, torus, kind } = this.graph.lattice, { weights, size, width: numStates, next: moves } = this.lookup;
    const span = width + 2, states = this.states;
    this._padded ??= { weights: new Int32Array(span * (height + 2)), rows: new Int32Array(span * (height + 2)) };
    const { weights: grid, rows } = this._padded;
    const positional = this.fsa.aggregation.name === "positional";
    // Positional weights of slot 0 are state + 1; others are multiples of them.
    for (let row = 0, node = 0; row < height; row++) {
      for (let column = 0, place = (row + 1) * span + 1; column < width; column++, place++, node++) grid[place] = weights[states[node]];
    }
    if (torus) wrap(grid, height, width);
    if (kind === "moore" && !positional) {
      for (let place = 1; place < grid.length - 1; place++) rows[place] = grid[place - 1] + grid[place] + grid[place + 1];
      for (let row = 0, node = 0; row < height; row++) {
        for (let column = 0, place = (row + 1) * span + 1; column < width; column++, place++, node++) {
          const sum = rows[place - span] + rows[place] + rows[place + span] - grid[place];
          next[node] = moves[states[node] * size + sum];
        }
      }
      return;
    }
    for (let row = 0, node = 0; row < height; row++) {
      const offsets = offsetsOf(kind, row), count = offsets.length;
      const shifts = offsets.map(([r, c]) => r * span + c);
      // A slot that the automaton does not know is empty everywhere.
      const factors = offsets.map((_, slot) => (positional ? weights[slot * numStates] ?? 0 : 1));
      for (let column = 0, place = (row + 1) * span + 1; column < width; column++, place++, node++) {
        let sum = 0;
        for (let k = 0; k < count; k++) sum += grid[place + shifts[k]] * factors[k];
        next[node] = moves[states[node] * size + sum];
      }
    }
  }
}

function wrap(grid, height, width) {
  const span = width + 2;
  for (let row = 1; row <= height; row++) {
    grid[row * span] = grid[row * span + width];
    grid[row * span + width + 1] = grid[row * span + 1];
  }
  grid.copyWithin(0, height * span, (height + 1) * span);
  grid.copyWithin((height + 1) * span, span, 2 * span);
}

export function checkGraph(fsa, graph) {
  if (fsa.aggregation.name !== "positional") return;
  need(graph.slotted || graph.numArcs === 0,
    "this automaton tells neighbours apart (left, right, ...); the world must be a row, a ring or a lattice with slots");
  need(graph.numSlots <= fsa.aggregation.numSlots,
    `the automaton knows ${fsa.aggregation.numSlots} slots; this world has ${graph.numSlots}`);
}

// Where each outcome that leaves no choice leads; -1 for others.
function sureOnes(outcomes) {
  return outcomes.map((sums) => {
    const first = sums.findIndex((sum) => sum > 0);
    return sums[first] === 2 ** 53 ? first : -1;
  });
}

function makeLookup(fsa, graph) {
  const { aggregation, table, names } = fsa, numStates = names.length, numValues = aggregation.numValues;
  const Places = fsa.outcomes ? Uint16Array : Uint8Array;
  if (aggregation.name === "positional") {
    if (table.length > MAX_LOOKUP) return null;
    const weights = new Int32Array(aggregation.numSlots * numStates);
    for (let k = 0; k < weights.length; k++) {
      weights[k] = ((k % numStates) + 1) * (numStates + 1) ** Math.floor(k / numStates);
    }
    return { next: Places.from(table), size: numValues, weights, width: numStates };
  }
  const most = graph.maxDegree, size = (most + 1) ** numStates;
  if (size * numStates > MAX_LOOKUP) return null;
  const next = new Places(size * numStates), counts = new Int32Array(numStates);
  const fill = (state, sum, degree) => {
    if (state === numStates) {
      const value = aggregation.ofCounts(counts, degree);
      for (let own = 0; own < numStates; own++) next[own * size + sum] = table[own * numValues + value];
      return;
    }
    const place = (most + 1) ** state;
    for (let count = 0; count + degree <= most; count++) {
      counts[state] = count;
      fill(state + 1, sum + count * place, degree + count);
    }
    counts[state] = 0;
  };
  fill(0, 0, 0);
  const weights = Int32Array.from(names, (_, state) => (most + 1) ** state);
  return { next, size, weights, width: 0 };
}
