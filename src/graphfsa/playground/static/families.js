// Worlds by name: the families of graphfsa.families. Those without a choice are the same graphs as there; those drawn
// at random come from Philox here, so that a link gives the same graph on every machine.

import { need, isCount, shown } from "./problem.js";
import { Draws } from "./philox.js";

// What a person may choose: sizes, and numbers with their names, defaults and limits.
export const FAMILIES = {
  moore: { title: "Square lattice, 8 neighbours", lattice: "moore", sides: [64, 64] },
  "von-neumann": { title: "Square lattice, 4 neighbours", lattice: "von-neumann", sides: [64, 64] },
  hex: { title: "Hexagonal lattice", lattice: "hex", sides: [48, 48] },
  row: { title: "Row of cells (space-time)", lattice: "line", sides: [1, 200] },
  path: { title: "Path", build: path, n: 24 },
  cycle: { title: "Cycle", build: cycle, n: 24 },
  star: { title: "Star", build: star, n: 24 },
  complete: { title: "Complete graph", build: complete, n: 12, most: 1000 },
  "binary-tree": { title: "Binary tree", build: binaryTree, n: 31 },
  tree: { title: "Random tree", build: randomTree, n: 60 },
  "recursive-tree": { title: "Recursive tree", build: recursiveTree, n: 60 },
  caterpillar: { title: "Caterpillar", build: caterpillar, n: 40 },
  regular: { title: "Random regular graph", build: regular, n: 60, extras: { degree: [3, 1, 20] } },
  "erdos-renyi": { title: "Random graph (Erdős–Rényi)", build: erdosRenyi, n: 80, extras: { "mean degree": [3, 0, 50] } },
  "barabasi-albert": { title: "Hubs (Barabási–Albert)", build: barabasiAlbert, n: 120, extras: { m: [2, 1, 20] } },
  "watts-strogatz": { title: "Small world (Watts–Strogatz)", build: wattsStrogatz, n: 80, extras: { k: [4, 2, 40], p: [0.1, 0, 1] } },
  delaunay: { title: "Points in the plane (Delaunay)", build: delaunay, n: 150, most: 5000 },
};
const MAX_SIZE = 2 ** 18;

// A world is { lattice }, { family, n, extras, seed } or { n, pairs, directed, slots, points }; this makes it a graph's
// spec: { lattice } or { n, pairs, directed, slots, points }.
export function specOf(world) {
  if (world.lattice || world.pairs) return world;
  const family = FAMILIES[world.family];
  need(family?.build !== undefined, `there is no family of graphs ${shown(world.family)}`);
  const most = family.most ?? MAX_SIZE;
  need(isCount(world.n, 1, most), `the number of nodes must be 1 to ${most.toLocaleString("en")}; got ${shown(world.n)}`);
  const extras = Object.entries(family.extras ?? {}).map(([name, [usual, least, largest]]) => {
    const value = world.extras?.[name] ?? usual;
    need(typeof value === "number" && value >= least && value <= largest, `${name} must be ${least} to ${largest}; got ${shown(value)}`);
    return value;
  });
  const found = family.build(world.n, new Draws(world.seed ?? 0), ...extras);
  return Array.isArray(found) ? { n: world.n, pairs: found } : { n: world.n, ...found };
}

function path(n) {
  return Array.from({ length: Math.max(0, n - 1) }, (_, k) => [k, k + 1]).flat();
}

function cycle(n) {
  return n < 3 ? path(n) : [...path(n), n - 1, 0];
}

function star(n) {
  return Array.from({ length: n - 1 }, (_, k) => [0, k + 1]).flat();
}

function complete(n) {
  const pairs = [];
  for (let u = 0; u < n; u++) for (let v = u + 1; v < n; v++) pairs.push(u, v);
  return pairs;
}

function binaryTree(n) {
  return Array.from({ length: n - 1 }, (_, k) => [k + 1, k >> 1]).flat();
}

// Every labelled tree equally likely: from a Prüfer sequence.
function randomTree(n, draws) {
  if (n < 3) return path(n);
  const code = Array.from({ length: n - 2 }, () => draws.below(n)), degree = new Int32Array(n).fill(1), pairs = [];
  for (const node of code) degree[node]++;
  let pointer = degree.indexOf(1), leaf = pointer;
  for (const node of code) {
    pairs.push(leaf, node);
    if (--degree[node] === 1 && node < pointer) leaf = node;
    else {
      do pointer++; while (degree[pointer] !== 1);
      leaf = pointer;
    }
  }
  pairs.push(leaf, n - 1);
  return pairs;
}

function recursiveTree(n, draws) {
  return Array.from({ length: n - 1 }, (_, k) => [k + 1, draws.below(k + 1)]).flat();
}

function caterpillar(n, draws) {
  const spine = Math.max(1, Math.ceil(n / 2)), pairs = path(spine);
  for (let node = spine; node < n; node++) pairs.push(node, draws.below(spine));
  return pairs;
}

function regular(n, draws, degree) {
  need(Number.isInteger(degree) && degree < n && (n * degree) % 2 === 0, `a regular graph needs an even number of ends; got ${n} nodes of degree ${degree}`);
  for (let attempt = 0; attempt < 200; attempt++) {
    // Ends are matched at random; pairs that would be loops or repeated are swapped with others until none is left.
    const ends = draws.shuffle(Array.from({ length: n * degree }, (_, k) => k % n)), count = ends.length / 2;
    const key = (k) => Math.min(ends[2 * k], ends[2 * k + 1]) * n + Math.max(ends[2 * k], ends[2 * k + 1]);
    for (let round = 0; round < 400; round++) {
      const seen = new Set(), bad = [];
      for (let k = 0; k < count; k++) {
        if (ends[2 * k] === ends[2 * k + 1] || seen.has(key(k))) bad.push(k);
        seen.add(key(k));
      }
      if (!bad.length) return ends;
      for (const k of bad) {
        const other = draws.below(count);
        [ends[2 * k], ends[2 * other]] = [ends[2 * other], ends[2 * k]];
      }
    }
  }
  need(false, `no ${degree}-regular graph of ${n} nodes was found; try another size`);
  return [];
}

function erdosRenyi(n, draws, mean) {
  const p = Math.min(1, n > 1 ? mean / (n - 1) : 0), pairs = [];
  need(p * n * n < 2 ** 23, "this graph would have too many edges");
  if (p >= 1) return complete(n);
  if (p <= 0) return pairs;
  // Jumps over the pairs that are left out (Batagelj and Brandes, 2005).
  const scale = Math.log(1 - p);
  for (let v = 1, u = -1; v < n;) {
    u += 1 + Math.floor(Math.log(1 - draws.uniform()) / scale);
    while (u >= v && v < n) u -= v++;
    if (v < n) pairs.push(u, v);
  }
  return pairs;
}

function barabasiAlbert(n, draws, m) {
  need(Number.isInteger(m) && m < n, `m must be less than the number of nodes; got ${m} of ${n}`);
  const pairs = [];
  for (let leaf = 1; leaf <= m; leaf++) pairs.push(leaf, 0);
  for (let node = m + 1; node < n; node++) {
    const chosen = new Set(), known = pairs.length;
    while (chosen.size < m) chosen.add(pairs[draws.below(known)]);
    for (const target of chosen) pairs.push(node, target);
  }
  return pairs;
}

function wattsStrogatz(n, draws, k, p) {
  need(Number.isInteger(k) && k % 2 === 0 && k < n, `k must be even and less than the number of nodes; got ${k} of ${n}`);
  const joined = new Set(), key = (u, v) => Math.min(u, v) * n + Math.max(u, v), edges = [];
  for (let step = 1; step <= k / 2; step++) {
    for (let u = 0; u < n; u++) {
      const v = (u + step) % n;
      if (!joined.has(key(u, v))) edges.push([u, v]);
      joined.add(key(u, v));
    }
  }
  for (const edge of edges) {
    if (draws.uniform() >= p) continue;
    const other = draws.below(n);
    if (other === edge[0] || joined.has(key(edge[0], other))) continue;
    joined.delete(key(...edge));
    edge[1] = other;
    joined.add(key(...edge));
  }
  return edges.flat();
}

// Points at random, joined to those that are near on every side: Bowyer and Watson's triangulation.
function delaunay(n, draws) {
  const points = Array.from({ length: n }, () => [draws.uniform(), draws.uniform()]);
  const all = [...points, [-20, -20], [20, -20], [0.5, 40]];
  let triangles = [circled(all, n, n + 1, n + 2)];
  const order = points.map((_, k) => k).sort((a, b) => points[a][0] - points[b][0]);
  for (const k of order) {
    const [x, y] = points[k], border = new Map(), kept = [];
    for (const triangle of triangles) {
      if ((x - triangle.x) ** 2 + (y - triangle.y) ** 2 >= triangle.r2) {
        kept.push(triangle);
        continue;
      }
      for (const [a, b] of [[triangle.a, triangle.b], [triangle.b, triangle.c], [triangle.c, triangle.a]]) {
        const edge = Math.min(a, b) * all.length + Math.max(a, b);
        border.set(edge, (border.get(edge) ?? 0) + 1);
      }
    }
    for (const [edge, count] of border) {
      if (count === 1) kept.push(circled(all, Math.floor(edge / all.length), edge % all.length, k));
    }
    triangles = kept;
  }
  const edges = new Set();
  for (const { a, b, c } of triangles) {
    for (const [u, v] of [[a, b], [b, c], [c, a]]) if (u < n && v < n) edges.add(Math.min(u, v) * n + Math.max(u, v));
  }
  return { pairs: [...edges].sort((a, b) => a - b).flatMap((edge) => [Math.floor(edge / n), edge % n]), points: points.flat() };
}

function circled(all, a, b, c) {
  const [ax, ay] = all[a], [bx, by] = all[b], [cx, cy] = all[c];
  const d = 2 * (ax * (by - cy) + bx * (cy - ay) + cx * (ay - by));
  if (Math.abs(d) < 1e-14) return { a, b, c, x: 0, y: 0, r2: Infinity };
  const x = ((ax * ax + ay * ay) * (by - cy) + (bx * bx + by * by) * (cy - ay) + (cx * cx + cy * cy) * (ay - by)) / d;
  const y = ((ax * ax + ay * ay) * (cx - bx) + (bx * bx + by * by) * (ax - cx) + (cx * cx + cy * cy) * (bx - ax)) / d;
  return { a, b, c, x, y, r2: (ax - x) ** 2 + (ay - y) ** 2 };
}
