// Graphs as lists of in-neighbours (CSR), and lattices, which are a few numbers until somebody needs their lists.
// Cells, slots and neighbours are those of graphfsa/graphs.

import { isCount, need, shown } from "./problem.js";

const MAX_NODES = 2 ** 21;
const MAX_ARCS = 2 ** 24;

const OFFSETS = {
  line: [[0, -1], [0, 1]],
  "von-neumann": [[-1, 0], [0, -1], [0, 1], [1, 0]],
  moore: [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]],
};
const HEX = [
  [[-1, -1], [-1, 0], [0, -1], [0, 1], [1, -1], [1, 0]],
  [[-1, 0], [-1, 1], [0, -1], [0, 1], [1, 0], [1, 1]],
];
const LATTICES = ["line", "von-neumann", "moore", "hex"];

export function offsetsOf(kind, row) {
  return kind === "hex" ? HEX[row & 1] : OFFSETS[kind];
}

export function latticeGraph({ kind, height, width, torus = false, slotted = false }) {
  need(LATTICES.includes(kind), `a lattice must be one of ${LATTICES.join(", ")}; got ${shown(kind)}`);
  need(isCount(height, 1, MAX_NODES) && isCount(width, 1, MAX_NODES) && height * width <= MAX_NODES,
    `a lattice must have 1 to ${MAX_NODES.toLocaleString("en")} cells; got ${height} x ${width}`);
  need(kind !== "line" || height === 1, `a line has height 1; got ${height}`);
  need(kind !== "hex" || !torus || height % 2 === 0, `a hexagonal torus must have an even height; got ${height}`);
  const lattice = { kind, height, width, torus: Boolean(torus), slotted: Boolean(slotted) };
  lattice.uniform = !torus || slotted || (width >= 3 && (height >= 3 || kind === "line"));
  return new Graph(height * width, { lattice, symmetric: true });
}

// Pairs are [u, v, u, v, ...]; directed: v sees u. An undirected pair is two arcs, a loop one.
export function edgeGraph(n, pairs, { directed = false, slots = null, points = null } = {}) {
  need(isCount(n, 0, MAX_NODES), `a graph must have at most ${MAX_NODES.toLocaleString("en")} nodes; got ${shown(n)}`);
  need(pairs.length <= MAX_ARCS, `a graph must have at most ${(MAX_ARCS / 2).toLocaleString("en")} edges`);
  need(slots === null || directed, "slots belong to the arcs of a directed graph");
  for (let k = 0; k < pairs.length; k++) {
    if (!isCount(pairs[k], 0, n - 1)) need(false, `a node must be 0 to ${n - 1}; got ${shown(pairs[k])}`);
  }
  const sources = [], targets = [], places = slots ? [] : null;
  for (let k = 0; k < pairs.length; k += 2) {
    const u = pairs[k], v = pairs[k + 1];
    sources.push(u);
    targets.push(v);
    if (places) places.push(slots[k / 2]);
    if (!directed && u !== v) {
      sources.push(v);
      targets.push(u);
    }
  }
  const found = new Graph(n, { arcs: toLists(n, sources, targets, places), symmetric: !directed, points });
  found.pairs = Int32Array.from(pairs);
  found.directed = directed;
  return found;
}

function toLists(n, sources, targets, slots) {
  const indptr = new Int32Array(n + 1), indices = new Int32Array(sources.length);
  for (const target of targets) indptr[target + 1]++;
  for (let node = 0; node < n; node++) indptr[node + 1] += indptr[node];
  const next = indptr.slice(0, n), order = slots ? new Uint8Array(sources.length) : null;
  for (let arc = 0; arc < sources.length; arc++) {
    const place = next[targets[arc]]++;
    indices[place] = sources[arc];
    if (order) order[place] = slots[arc];
  }
  return { indptr, indices, slots: order };
}

class Graph {
  constructor(n, { lattice = null, arcs = null, symmetric = false, points = null } = {}) {
    this.n = n;
    this.lattice = lattice;
    this.symmetric = symmetric;
    this.points = points;
    this.pairs = null;
    this.directed = !symmetric;
    this._arcs = arcs;
    this._out = null;
  }

  get arcs() {
    this._arcs ??= latticeLists(this.lattice);
    return this._arcs;
  }

  // For each node those that see it.
  get out() {
    if (this.symmetric) return this.arcs;
    if (!this._out) {
      const { indptr, indices } = this.arcs, sources = [], targets = [];
      for (let node = 0; node < this.n; node++) {
        for (let arc = indptr[node]; arc < indptr[node + 1]; arc++) {
          sources.push(node);
          targets.push(indices[arc]);
        }
      }
      this._out = toLists(this.n, sources, targets, null);
    }
    return this._out;
  }

  get slotted() {
    return this.lattice ? this.lattice.slotted : this.numArcs > 0 && this.arcs.slots !== null;
  }

  get numArcs() {
    return this.arcs.indices.length;
  }

  get numSlots() {
    if (!this.slotted) return 0;
    return this.arcs.slots.reduce((most, slot) => Math.max(most, slot + 1), 0);
  }

  get maxDegree() {
    if (this.lattice?.uniform) return offsetsOf(this.lattice.kind, 0).length;
    const { indptr } = this.arcs;
    let most = 0;
    for (let node = 0; node < this.n; node++) most = Math.max(most, indptr[node + 1] - indptr[node]);
    return most;
  }

  neighbours(node) {
    const { indptr, indices, slots } = this.arcs;
    const from = indptr[node], to = indptr[node + 1];
    return { nodes: indices.slice(from, to), slots: slots ? slots.slice(from, to) : null };
  }
}

function latticeLists({ kind, height, width, torus, slotted, uniform }) {
  const n = height * width, most = offsetsOf(kind, 0).length;
  const indptr = new Int32Array(n + 1), indices = new Int32Array(n * most);
  const slots = slotted ? new Uint8Array(n * most) : null;
  let arcs = 0;
  for (let row = 0; row < height; row++) {
    const offsets = offsetsOf(kind, row);
    for (let column = 0; column < width; column++) {
      const node = row * width + column, begin = arcs;
      for (let slot = 0; slot < offsets.length; slot++) {
        let r = row + offsets[slot][0], c = column + offsets[slot][1];
        if (torus) {
          r = (r + height) % height;
          c = (c + width) % width;
        } else if (r < 0 || r >= height || c < 0 || c >= width) continue;
        const source = r * width + c;
        // On a narrow torus without slots a cell sees a set: every other cell once, and never itself.
        if (!uniform && (source === node || indices.subarray(begin, arcs).includes(source))) continue;
        if (slots) slots[arcs] = slot;
        indices[arcs++] = source;
      }
      indptr[node + 1] = arcs;
    }
  }
  return { indptr, indices: indices.slice(0, arcs), slots: slots?.slice(0, arcs) ?? null };
}
