// Labelled examples: graphs with an input and a label for each node, as lines of a .jsonl file have them.

import { palette } from "./colours.js";
import { el } from "./dom.js";
import { layout } from "./layout.js";
import { edgeGraph } from "./graphs.js";
import { plainName } from "./line.js";
import { need } from "./problem.js";
import { Stage } from "./stage.js";

const MAX_LINES = 2000, MAX_SHOWN = 400;

// A graph as the fields of a line; an arc [u, v] says that v sees u.
export function graphFields(graph) {
  const { indptr, indices, slots } = graph.arcs, directed = !graph.symmetric || graph.slotted, edges = [], places = [];
  for (let node = 0; node < graph.n; node++) {
    for (let arc = indptr[node]; arc < indptr[node + 1]; arc++) {
      if (!directed && indices[arc] > node) continue;
      edges.push([indices[arc], node]);
      if (slots) places.push(slots[arc]);
    }
  }
  return { num_nodes: graph.n, edges, ...(directed ? { directed } : {}), ...(slots ? { slots: places } : {}) };
}

// A line; a label that is null does not count.
export function lineOf(graph, inputs, labels, more = {}) {
  const some = labels.find((label) => label !== null);
  need(some !== undefined, "some node must have a label");
  const mask = labels.some((label) => label === null) ? { mask: labels.map((label) => label !== null) } : {};
  return { ...graphFields(graph), inputs, labels: labels.map((label) => label ?? some), ...mask, ...more };
}

// What the run on the page shows: from the states at its start to those now.
export function lineOfRun({ fsa, graph, start, states, time, from }) {
  const { names, starting, final } = fsa;
  need(final.length > 0, "this automaton has no final states; the labels of an example are final states");
  need(time > from, "the run must have made some steps: its first states are the inputs, its last ones the labels");
  need(start.every((state) => starting.includes(state)), "at the start of the run every node must be in a starting state");
  return lineOf(graph, Array.from(start, (state) => names[state]), Array.from(states, (state) => (final.includes(state) ? names[state] : null)));
}

export function readLines(name, text) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  need(lines.length > 0 && lines.length <= MAX_LINES, `${name}: there must be 1 to ${MAX_LINES} examples; got ${lines.length}`);
  return lines.map((line, k) => {
    let found = null;
    try {
      found = JSON.parse(line);
    } catch {
      need(false, `${name}: line ${k + 1} is no JSON`);
    }
    need(found !== null && typeof found === "object" && [found.edges, found.inputs, found.labels].every(Array.isArray) && Number.isInteger(found.num_nodes),
      `${name}: line ${k + 1} must have num_nodes, edges, inputs and labels`);
    need(found.inputs.length === found.num_nodes && found.labels.length === found.num_nodes, `${name}: line ${k + 1} must have an input and a label for each node`);
    return found;
  });
}

export class Examples {
  constructor() {
    this.list = [];
    this.inputs = ["marked", "node"];
    this.classes = ["off", "on"];
  }

  // Points are where the nodes were drawn.
  add(line, points = null) {
    need(this.list.length < MAX_LINES, `there may be at most ${MAX_LINES} examples`);
    const known = line.inputs.every((name) => this.inputs.includes(String(name))) && line.labels.every((name) => this.classes.includes(String(name)));
    if (!this.list.length && !known) Object.assign(this, { inputs: [], classes: [] });
    for (const [names, own] of [[this.inputs, line.inputs], [this.classes, line.labels]]) {
      for (const name of new Set(own.map(String))) if (!names.includes(name)) names.push(name);
      names.sort(inOrder);
    }
    this.list.push({ line, points });
  }

  remove(entry) {
    this.list = this.list.filter((each) => each !== entry);
  }

  get lines() {
    return this.list.map(({ line }) => line);
  }
}

// Numbers by size, then words: the order in which Python names what it learns.
export function inOrder(a, b) {
  const [x, y] = [a, b].map((name) => (/^-?[0-9.]+$/.test(name) ? Number(name) : Infinity));
  return x === y ? (a < b ? -1 : 1) : x - y;
}

// What the states of a page are called on which inputs and labels are painted: as those of what will be learned, so
// that they have the same colours.
export function teachingNames(inputs, classes) {
  return [...classes, ...inputs.map((name) => (classes.includes(name) ? `${name} (start)` : name))];
}

// The rules of such a page: nothing moves.
export function teachingRules(inputs, classes) {
  const names = teachingNames(inputs, classes).map(plainName);
  return `states: ${names.join(", ")}\nstarting states: ${names.slice(classes.length).join(", ")}\naggregation: counting bound=1\n\n${names.map((name) => `${name} stays\n`).join("\n")}`;
}

// A small picture of an example, in the colours of its labels, with rings in those of its inputs; nodes without a label
// have the colours of their inputs alone.
export function picture(app, { line, points }, inputs, classes) {
  if (line.num_nodes > MAX_SHOWN) return el("span", { class: "hint" }, `${line.num_nodes} nodes`);
  const canvas = el("canvas", { width: 168, height: 112, role: "img", "aria-label": `${line.num_nodes} nodes: ${line.inputs.map((input, node) => `${input}: ${line.mask && !line.mask[node] ? "no label" : line.labels[node]}`).join(", ")}`.slice(0, 200) }), stage = new Stage(canvas);
  const graph = edgeGraph(line.num_nodes, line.edges.flat(), { directed: Boolean(line.directed) });
  const given = line.inputs.map((name) => Math.max(0, classes.length + inputs.indexOf(String(name))));
  const state = (node) => (line.mask && !line.mask[node] ? given[node] : classes.indexOf(String(line.labels[node])));
  stage.setColours(palette(teachingNames(inputs, classes), {}, app.dark), app.themed());
  stage.setWorld(graph, points ?? layout(graph));
  stage.given = given;
  stage.draw(Uint8Array.from({ length: graph.n }, (_, node) => Math.max(0, state(node))));
  return canvas;
}
