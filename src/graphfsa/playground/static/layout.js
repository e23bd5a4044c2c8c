// Where nodes are drawn: places that are the same each time, from the graph alone.

import { Draws } from "./philox.js";

const FORCES = 1200;

// Points as [x, y, x, y, ...], about one unit apart.
export function layout(graph) {
  const { n } = graph;
  if (graph.points) return spread(scaled(Float32Array.from(graph.points), n), n);
  if (n === 0) return new Float32Array(0);
  const { indptr, indices } = undirected(graph);
  const degree = (node) => indptr[node + 1] - indptr[node];
  let most = 0;
  for (let node = 0; node < n; node++) most = Math.max(most, degree(node));
  const edges = indices.length / 2, order = most <= 2 ? chain(n, indptr, indices) : null;
  if (order) return order.closed ? ring(order.nodes) : snake(order.nodes);
  if (edges >= (n * (n - 1)) / 2 && n > 3) return ring(Array.from({ length: n }, (_, node) => node));
  if (n > FORCES) return disc(n, indptr, indices);
  const points = radial(n, indptr, indices);
  return n > 2 ? spread(relaxed(points, n, indptr, indices, edges === n - 1 ? 60 : 220), n) : points;
}

function undirected(graph) {
  if (graph.symmetric) return graph.arcs;
  const lists = Array.from({ length: graph.n }, () => new Set()), { indptr, indices } = graph.arcs;
  for (let node = 0; node < graph.n; node++) {
    for (let arc = indptr[node]; arc < indptr[node + 1]; arc++) {
      if (indices[arc] === node) continue;
      lists[node].add(indices[arc]);
      lists[indices[arc]].add(node);
    }
  }
  const starts = new Int32Array(graph.n + 1);
  lists.forEach((list, node) => { starts[node + 1] = starts[node] + list.size; });
  return { indptr: starts, indices: Int32Array.from(lists.flatMap((list) => [...list])) };
}

// The nodes of a single path or cycle in their order; null if the graph is something else.
function chain(n, indptr, indices) {
  if (n < 2) return null;
  let start = -1;
  for (let node = n - 1; node >= 0; node--) if (indptr[node + 1] - indptr[node] === 1) start = node;
  const closed = start < 0, nodes = [closed ? 0 : start];
  for (let last = -1, node = nodes[0]; nodes.length < n;) {
    const next = [...indices.subarray(indptr[node], indptr[node + 1])].find((other) => other !== last && other !== node);
    if (next === undefined || next === nodes[0]) return null;
    last = node;
    node = next;
    nodes.push(node);
  }
  return { nodes, closed };
}

function ring(nodes) {
  const points = new Float32Array(2 * nodes.length), radius = Math.max(1, nodes.length / (2 * Math.PI));
  nodes.forEach((node, k) => {
    const angle = (2 * Math.PI * k) / nodes.length - Math.PI / 2;
    points[2 * node] = radius * Math.cos(angle);
    points[2 * node + 1] = radius * Math.sin(angle);
  });
  return points;
}

function snake(nodes) {
  const points = new Float32Array(2 * nodes.length), width = Math.max(12, Math.ceil(Math.sqrt(nodes.length * 2)));
  nodes.forEach((node, k) => {
    const row = Math.floor(k / width), column = k % width;
    points[2 * node] = row % 2 ? width - 1 - column : column;
    points[2 * node + 1] = row * 1.6;
  });
  return points;
}

// A tree of shortest paths around the middle of each component: every branch has room for its leaves.
function radial(n, indptr, indices) {
  const points = new Float32Array(2 * n), placed = new Uint8Array(n);
  let shift = 0, height = 0, below = 0;
  const limit = 2 * Math.sqrt(n) + 4;
  for (let first = 0; first < n; first++) {
    if (placed[first]) continue;
    const tree = branches(middle(first, indptr, indices), indptr, indices);
    const own = wedges(tree);
    tree.nodes.forEach((node) => { placed[node] = 1; });
    let radius = 0.5;
    own.forEach(([, x, y]) => { radius = Math.max(radius, Math.hypot(x, y) + 0.5); });
    if (shift && shift + 2 * radius > limit) {
      shift = 0;
      below += 2 * height;
      height = 0;
    }
    height = Math.max(height, radius);
    for (const [node, x, y] of own) {
      points[2 * node] = shift + radius + x;
      points[2 * node + 1] = below + radius + y;
    }
    shift += 2 * radius + 0.5;
  }
  return points;
}

function farthest(from, indptr, indices) {
  const parent = new Map([[from, -1]]), queue = [from];
  for (let k = 0; k < queue.length; k++) {
    for (let arc = indptr[queue[k]]; arc < indptr[queue[k] + 1]; arc++) {
      if (parent.has(indices[arc])) continue;
      parent.set(indices[arc], queue[k]);
      queue.push(indices[arc]);
    }
  }
  return { node: queue[queue.length - 1], parent, queue };
}

function middle(first, indptr, indices) {
  const end = farthest(first, indptr, indices), { node, parent } = farthest(end.node, indptr, indices), way = [];
  for (let each = node; each !== -1; each = parent.get(each)) way.push(each);
  return way[Math.floor(way.length / 2)];
}

function branches(root, indptr, indices) {
  const { parent, queue } = farthest(root, indptr, indices), leaves = new Map(), children = new Map(), depth = new Map([[root, 0]]);
  for (const node of queue) {
    children.set(node, []);
    if (node === root) continue;
    children.get(parent.get(node)).push(node);
    depth.set(node, depth.get(parent.get(node)) + 1);
  }
  for (let k = queue.length - 1; k >= 0; k--) {
    const own = children.get(queue[k]);
    leaves.set(queue[k], own.length ? own.reduce((sum, child) => sum + leaves.get(child), 0) : 1);
  }
  return { root, nodes: queue, children, leaves, depth };
}

function wedges({ root, nodes, children, leaves, depth }) {
  const found = [], start = new Map([[root, 0]]), total = leaves.get(root), perLevel = [];
  for (const node of nodes) perLevel[depth.get(node)] = (perLevel[depth.get(node)] ?? 0) + 1;
  // A circle is as far out as its nodes need, and at least one unit from the last one.
  const radius = [0];
  for (let level = 1; level < perLevel.length; level++) radius[level] = Math.max(radius[level - 1] + 1, perLevel[level] / (2 * Math.PI) * 0.8);
  for (const node of nodes) {
    const from = start.get(node), angle = (2 * Math.PI * (from + leaves.get(node) / 2)) / total, r = radius[depth.get(node)];
    found.push([node, r * Math.cos(angle), r * Math.sin(angle)]);
    children.get(node).reduce((sum, child) => (start.set(child, sum), sum + leaves.get(child)), from);
  }
  return found;
}

// Many nodes fill a disc: the farther from the hub, the farther out, at the angle of their branch; components follow
// one after the other. One node for each unit of area.
function disc(n, indptr, indices) {
  const points = new Float32Array(2 * n), order = new Int32Array(n), parent = new Int32Array(n).fill(-2), leaves = new Int32Array(n);
  const level = new Int32Array(n), from = new Float64Array(n), draws = new Draws(2);
  const degree = (node) => indptr[node + 1] - indptr[node];
  const firsts = Int32Array.from({ length: n }, (_, node) => node).sort((a, b) => degree(b) - degree(a) || a - b);
  let filled = 0;
  for (const first of firsts) {
    if (parent[first] !== -2) continue;
    const begin = filled;
    parent[first] = -1;
    order[filled++] = first;
    for (let k = begin; k < filled; k++) {
      const node = order[k];
      for (let arc = indptr[node]; arc < indptr[node + 1]; arc++) {
        const other = indices[arc];
        if (parent[other] !== -2) continue;
        parent[other] = node;
        level[other] = level[node] + 1;
        order[filled++] = other;
      }
    }
    for (let k = filled - 1; k >= begin; k--) {
      const node = order[k];
      if (leaves[node] === 0) leaves[node] = 1;
      if (parent[node] >= 0) leaves[parent[node]] += leaves[node];
    }
    // Angles from the root outwards; `from` is where the next child of a node begins.
    const total = leaves[first], turn = 2 * Math.PI * draws.uniform();
    for (let k = begin; k < filled; k++) {
      const node = order[k], above = parent[node];
      if (above >= 0) {
        from[node] = from[above];
        from[above] += leaves[node];
      }
      points[2 * node] = turn + (2 * Math.PI * (from[node] + leaves[node] / 2)) / total;
    }
    // Nodes of one level are mixed over its ring, or they would form a spiral.
    for (let start = begin; start < filled;) {
      let end = start;
      while (end < filled && level[order[end]] === level[order[start]]) end++;
      const places = draws.shuffle(Array.from({ length: end - start }, (_, k) => start + k));
      for (let k = start; k < end; k++) {
        const node = order[k], r = Math.sqrt((places[k - start] + 0.5) / Math.PI), angle = points[2 * node];
        points[2 * node] = r * Math.cos(angle);
        points[2 * node + 1] = r * Math.sin(angle);
      }
      start = end;
    }
  }
  return points;
}

// Springs along edges, repulsion between all nodes (Fruchterman and Reingold, 1991).
function relaxed(points, n, indptr, indices, rounds) {
  const draws = new Draws(1), force = new Float32Array(2 * n);
  const most = n > 500 ? Math.min(rounds, 80) : rounds;
  for (let k = 0; k < 2 * n; k++) points[k] += (draws.uniform() - 0.5) * 0.05;
  for (let round = 0; round < most; round++) {
    const heat = 0.6 * (1 - round / most) + 0.01;
    force.fill(0);
    for (let a = 0; a < n; a++) {
      for (let b = a + 1; b < n; b++) {
        const x = points[2 * a] - points[2 * b], y = points[2 * a + 1] - points[2 * b + 1], d2 = x * x + y * y + 1e-4;
        if (d2 > 36) continue;
        const push = 1 / d2;
        force[2 * a] += x * push;
        force[2 * a + 1] += y * push;
        force[2 * b] -= x * push;
        force[2 * b + 1] -= y * push;
      }
      for (let arc = indptr[a]; arc < indptr[a + 1]; arc++) {
        const b = indices[arc], x = points[2 * b] - points[2 * a], y = points[2 * b + 1] - points[2 * a + 1], d = Math.hypot(x, y);
        force[2 * a] += x * d;
        force[2 * a + 1] += y * d;
      }
    }
    for (let node = 0; node < n; node++) {
      const x = force[2 * node], y = force[2 * node + 1], size = Math.hypot(x, y) || 1, move = Math.min(size * 0.1, heat) / size;
      points[2 * node] += x * move;
      points[2 * node + 1] += y * move;
    }
  }
  return points;
}

// Larger or smaller, so that few nodes are nearer to another one than a node is wide.
function spread(points, n) {
  const near = [];
  if (n < 2 || n > FORCES) return points;
  for (let a = 0; a < n; a++) {
    let best = Infinity;
    for (let b = 0; b < n; b++) {
      if (a !== b) best = Math.min(best, (points[2 * a] - points[2 * b]) ** 2 + (points[2 * a + 1] - points[2 * b + 1]) ** 2);
    }
    near.push(Math.sqrt(best));
  }
  near.sort((a, b) => a - b);
  const factor = 0.8 / Math.max(near[Math.floor(n / 8)], 0.05);
  return points.map((place) => place * factor);
}

function scaled(points, n) {
  let area = 0;
  const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
  points.forEach((place, k) => {
    low[k & 1] = Math.min(low[k & 1], place);
    high[k & 1] = Math.max(high[k & 1], place);
  });
  area = Math.max((high[0] - low[0]) * (high[1] - low[1]), ((high[0] - low[0]) ** 2 + (high[1] - low[1]) ** 2) / n, 1e-12);
  const factor = Math.sqrt(n / area) * 1.2;
  return points.map((place, k) => (place - low[k & 1]) * factor);
}
