// Files that may be dropped on the page: graphs (JSON, edge lists, GraphML), patterns (RLE), automata (JSON, rules),
// scenes and lessons. Each reader gives { kind, ... } or a Problem.

import { need, shown } from "./problem.js";
import { parseRle } from "./patterns.js";
import { fromJson, parseRules } from "./rules.js";

const MAX_FILE = 2 ** 25;

export async function readFile(file) {
  need(file.size <= MAX_FILE, `${file.name}: a file must have at most 32 MB`);
  return readText(file.name, await file.text());
}

function readText(name, text) {
  const suffix = name.toLowerCase().split(".").pop();
  if (suffix === "json") return readJson(name, text);
  if (suffix === "rle") return { kind: "pattern", ...parseRle(text) };
  if (suffix === "rules") {
    parseRules(text);
    return { kind: "rules", rules: text };
  }
  if (suffix === "graphml" || suffix === "xml") return { kind: "graph", world: readGraphml(text) };
  need(["edges", "txt", "csv", "tsv"].includes(suffix), `${name}: the file must end in .json, .rules, .edges, .txt, .graphml or .rle`);
  return { kind: "graph", world: readEdges(text) };
}

function readJson(name, text) {
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    need(false, `${name}: this is no JSON`);
  }
  need(data !== null && typeof data === "object", `${name}: this must be a JSON object`);
  if (data.v !== undefined && (data.rules !== undefined || data.automaton !== undefined)) return { kind: "scene", scene: data };
  if (Array.isArray(data.steps)) return { kind: "lesson", lesson: data };
  if (data.schema === "graphfsa.automaton/1" || data.schema === "graphfsa.model/1") {
    fromJson(data);
    return { kind: "automaton", automaton: data.schema === "graphfsa.model/1" ? data.automaton : data };
  }
  need(data.schema === "graphfsa.graph/1", `${name}: this must be a graph, an automaton, a lesson or a world`);
  if (data.lattice) return { kind: "graph", world: { lattice: data.lattice } };
  need(Array.isArray(data.edges) && data.edges.every((edge) => Array.isArray(edge) && edge.length === 2), `${name}: edges must be pairs of nodes`);
  const world = { n: data.num_nodes, pairs: data.edges.flat() };
  if (data.directed) world.directed = true;
  if (data.slots) world.slots = data.slots;
  return { kind: "graph", world };
}

// One edge in a line, "u v" or "u,v", and a slot in a directed graph; before the first, "nodes N" and "directed".
export function readEdges(text) {
  const names = new Map(), pairs = [], slots = [];
  let directed = false, count = null, numbers = true;
  text.split(/\r?\n/).forEach((line, index) => {
    const words = line.replace(/#.*/, "").trim().split(/[\s,;]+/).filter(Boolean);
    if (!words.length) return;
    if (words[0] === "nodes" && words.length === 2 && !pairs.length) {
      count = Number(words[1]);
      need(Number.isInteger(count) && count >= 0, `line ${index + 1}: the number of nodes must be an integer; got ${shown(words[1])}`);
      return;
    }
    if (words[0] === "directed" && words.length === 1 && !pairs.length) {
      directed = true;
      return;
    }
    need(words.length === 2 || words.length === 3, `line ${index + 1}: an edge must be two nodes; got ${shown(line.trim())}`);
    if (words.length === 3 && directed) slots.push(Number(words[2]));
    numbers &&= /^[0-9]{1,9}$/.test(words[0]) && /^[0-9]{1,9}$/.test(words[1]);
    pairs.push(words[0], words[1]);
  });
  need(pairs.length || count !== null, "there must be at least one line with two nodes");
  need(!slots.length || slots.length * 2 === pairs.length, "every arc must have a slot, or none");
  const found = numbers ? pairs.map(Number) : pairs.map((name) => {
    if (!names.has(name)) names.set(name, names.size);
    return names.get(name);
  });
  const n = count ?? (numbers ? found.reduce((most, node) => Math.max(most, node + 1), 0) : names.size);
  const world = { n, pairs: found };
  if (directed) world.directed = true;
  if (slots.length) world.slots = slots;
  return world;
}

function readGraphml(text) {
  const tree = new DOMParser().parseFromString(text, "application/xml");
  need(!tree.querySelector("parsererror"), "this is no XML");
  const graph = tree.getElementsByTagNameNS("*", "graph")[0];
  need(graph !== undefined, "a GraphML file must have a graph");
  const places = new Map();
  for (const node of graph.getElementsByTagNameNS("*", "node")) places.set(node.getAttribute("id"), places.size);
  const pairs = [];
  for (const edge of graph.getElementsByTagNameNS("*", "edge")) {
    for (const end of ["source", "target"]) {
      const name = edge.getAttribute(end);
      need(places.has(name), `an edge must join nodes of the graph; got ${shown(name)}`);
      pairs.push(places.get(name));
    }
  }
  const world = { n: places.size, pairs };
  if (graph.getAttribute("edgedefault") === "directed") world.directed = true;
  return world;
}
