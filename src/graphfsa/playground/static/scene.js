// Everything that is on the page, as JSON and as a fragment of an address: automaton, world, states, time and view.
//
// A fragment is "1" and the JSON, compressed (raw deflate) and in base64url, or "0" and the JSON as it is. Whatever it
// holds, reading it gives a scene or a Problem that says what is wrong.

import { checkGraph } from "./engine.js";
import { specOf } from "./families.js";
import { makeGraph } from "./host.js";
import { Problem, isCount, need, shown } from "./problem.js";
import { START, coin, keyOf } from "./philox.js";
import { fromJson, parseRules } from "./rules.js";

const MAX_TEXT = 2 ** 24;
const MAX_TIME = 1e9;
const KEYS = ["v", "title", "about", "rules", "automaton", "world", "start", "from", "time", "seed", "colours", "speed", "view", "lesson", "preset"];

// ---- text

export async function pack(scene) {
  const bytes = new TextEncoder().encode(JSON.stringify(scene));
  if (typeof CompressionStream === "undefined") return `0${base64(bytes)}`;
  return `1${base64(await through(bytes, new CompressionStream("deflate-raw")))}`;
}

export async function unpack(text) {
  need(/^[01][A-Za-z0-9_-]*$/.test(text), "this link is damaged: it must have letters, digits, - and _ alone");
  let bytes;
  try {
    bytes = unbase64(text.slice(1));
    if (text[0] === "1") bytes = await through(bytes, new DecompressionStream("deflate-raw"));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (problem) {
    if (problem instanceof Problem) throw problem;
    throw new Problem("this link is damaged: a part of it is missing or was changed");
  }
}

async function through(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    need(size <= MAX_TEXT, "this world is too large for a link");
    parts.push(value);
  }
  const found = new Uint8Array(size);
  parts.reduce((place, part) => (found.set(part, place), place + part.length), 0);
  return found;
}

function base64(bytes) {
  let text = "";
  for (let k = 0; k < bytes.length; k += 8192) text += String.fromCharCode(...bytes.subarray(k, k + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function unbase64(text) {
  const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(raw, (letter) => letter.charCodeAt(0));
}

// ---- states

// The states that a start describes: random ones, runs, packed bits, or one state with exceptions.
export function statesOf(start, n, numStates) {
  const state = (value) => {
    if (!isCount(value, 0, numStates - 1)) need(false, `a state must be 0 to ${numStates - 1}; got ${shown(value)}`);
    return value;
  };
  const states = new Uint8Array(n);
  if (start.shares) {
    need(Array.isArray(start.shares) && start.shares.length <= numStates && start.shares.every((share) => share >= 0),
      "the shares of states must be numbers, one for each state");
    const total = start.shares.reduce((a, b) => a + b, 0), key = keyOf(start.seed ?? 0);
    need(total > 0, "some state must have a share");
    const ends = [];
    start.shares.reduce((sum, share) => (ends.push((sum + share) / total), sum + share), 0);
    const last = start.shares.findLastIndex((share) => share > 0);
    for (let node = 0; node < n; node++) {
      const number = coin(START, node, 0, key) / 2 ** 53, place = ends.findIndex((end) => number < end);
      states[node] = place < 0 ? last : place;
    }
  } else if (start.runs) {
    let place = 0;
    for (let k = 0; k + 1 < start.runs.length; k += 2) {
      const length = start.runs[k + 1];
      if (!isCount(length, 0, n - place)) need(false, `there must be ${n} states`);
      states.fill(state(start.runs[k]), place, place += length);
    }
    need(place === n, `there must be ${n} states; got ${place}`);
  } else if (start.bits) {
    need([1, 2, 4, 8].includes(start.bits), "states must be packed in 1, 2, 4 or 8 bits");
    const bytes = unbase64(String(start.data)), per = 8 / start.bits;
    need(bytes.length === Math.ceil(n / per), `there must be ${n} states`);
    for (let node = 0; node < n; node++) {
      states[node] = state((bytes[Math.floor(node / per)] >> (start.bits * (node % per))) & (2 ** start.bits - 1));
    }
  } else {
    states.fill(state(start.all ?? 0));
  }
  for (const [own, nodes] of Object.entries(start.some ?? {})) {
    for (const node of nodes) {
      if (!isCount(node, 0, n - 1)) need(false, `a node must be 0 to ${n - 1}; got ${shown(node)}`);
      states[node] = state(Number(own));
    }
  }
  return states;
}

export function startOf(states, numStates) {
  const runs = [];
  for (let node = 0; node < states.length;) {
    let end = node;
    while (end < states.length && states[end] === states[node]) end++;
    runs.push(states[node], end - node);
    node = end;
  }
  const bits = numStates <= 2 ? 1 : numStates <= 4 ? 2 : numStates <= 16 ? 4 : 8, per = 8 / bits;
  if (runs.length * 2 < (states.length * bits) / 6) return { runs };
  const bytes = new Uint8Array(Math.ceil(states.length / per));
  states.forEach((state, node) => { bytes[Math.floor(node / per)] |= state << (bits * (node % per)); });
  return { bits, data: base64(bytes) };
}

// ---- scenes

// What a scene describes, checked: { scene, fsa, spec, graph, states, from, time, seed }.
export function open(scene) {
  need(scene !== null && typeof scene === "object" && !Array.isArray(scene), "a world must be a JSON object");
  need(scene.v === 1, `this page reads worlds of version 1; got ${shown(scene.v)}`);
  for (const key of Object.keys(scene)) need(KEYS.includes(key), `a world has no field ${shown(key)}`);
  need(typeof scene.rules === "string" || scene.automaton, "a world must have rules or an automaton");
  need(scene.world !== null && typeof scene.world === "object", "a world must say what its nodes are joined to");
  const fsa = typeof scene.rules === "string" ? parseRules(scene.rules) : fromJson(scene.automaton);
  const spec = specOf(scene.world), graph = makeGraph(spec);
  checkGraph(fsa, graph);
  const states = statesOf(scene.start ?? {}, graph.n, fsa.names.length);
  const number = (key, usual, least, most) => {
    const value = scene[key] ?? usual;
    need(typeof value === "number" && value >= least && value <= most, `${key} must be ${least} to ${most}; got ${shown(value)}`);
    return value;
  };
  const from = Math.floor(number("from", 0, 0, MAX_TIME));
  return {
    scene, fsa, spec, graph, states, from,
    time: Math.floor(number("time", from, from, MAX_TIME)),
    seed: Math.floor(number("seed", 0, 0, Number.MAX_SAFE_INTEGER)),
    speed: number("speed", 10, 0.1, 1000),
  };
}
