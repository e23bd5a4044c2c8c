// The panels beside the world: what it is about and why a node moved, the choice of another world, when to pause, the
// gallery of examples, and the page of keys.

import { palette } from "./colours.js";
import { $, chip, el, fill } from "./dom.js";
import { FAMILIES } from "./families.js";
import { readEdges } from "./formats.js";
import { layout } from "./layout.js";
import { PRESETS } from "./presets.js";
import { open } from "./scene.js";
import { Stage } from "./stage.js";

const MANY = 40;

export function showStory(session) {
  const { fsa } = session, fact = (name, words) => [el("dt", {}, name), el("dd", {}, words)];
  fill($("story"),
    el("h2", {}, session.title || "A world of your own"),
    el("p", { class: "lead" }, session.about || "Every node runs the same automaton: it looks at its neighbours, and moves to its next state."),
    el("dl", { class: "facts" },
      fact("world", extentWords(session)), fact("states", fsa.names.slice(0, MANY).join(", ")), fact("sees", sightWords(fsa)),
      fsa.outcomes ? fact("coins", `seed ${session.seed}; the same link gives the same run`) : null));
}

// The world in words, for those who can't see it.
export function described(session) {
  const { names } = session.fsa, counts = Array.from(session.counts, (count, state) => `${count.toLocaleString("en")} ${names[state]}`);
  return `${session.title || "A world of your own"}: ${extentWords(session)}. Step ${session.time.toLocaleString("en")}: ${counts.filter((words) => !words.startsWith("0 ")).join(", ") || "no nodes"}.`;
}

function extentWords({ graph, spec }) {
  const { lattice } = graph, several = (value, noun) => `${value.toLocaleString("en")} ${noun}${value === 1 ? "" : "s"}`;
  if (lattice?.kind === "line") return `${lattice.width} cells in a ${lattice.torus ? "ring" : "row"}`;
  if (lattice) return `${lattice.height} × ${lattice.width} cells${lattice.torus ? ", edges joined" : ""}`;
  const joined = graph.directed ? several(graph.numArcs, "arc") : several(spec.pairs.length / 2, "edge");
  return `${several(graph.n, "node")}, ${joined}`;
}

function slotName(aggregation, slot) {
  return aggregation.config.num_slots === 2 ? ["left", "right"][slot] : `slot ${slot}`;
}

function sightWords({ aggregation }) {
  const { bound, num_slots: slots } = aggregation.config, cases = `(${aggregation.numValues.toLocaleString("en")} cases)`;
  if (aggregation.name === "counting") return `how many neighbours are in each state, up to ${bound} ${cases}`;
  if (aggregation.name === "positional") return `who is ${slots === 2 ? "left and right" : `in each of ${slots} slots`} ${cases}`;
  if (aggregation.name === "letters") return `sums of what neighbours show ${cases}`;
  return `whether enough of the neighbours are in a state ${cases}`;
}

// Why a node is as it is, from what the worker says it saw.
export function showWhy(session, colours, found, actions) {
  if (found === null) {
    fill($("why"), el("p", { class: "hint" }, "Why did a node move? Choose the magnifying glass, or press ", el("kbd", {}, "w"), ", and click it."));
    return;
  }
  const { node, time, now, before } = found;
  const block = (title, seen, next) => [el("h3", {}, title), facts(session, colours, seen, next, actions)];
  fill($("why"), el("div", { class: "row" }, el("h2", { class: "grow" }, actions.nameOf(node)), chip(session.fsa.names[now.state], colours[now.state]),
    el("button", { type: "button", "aria-label": "Forget this node", onclick: () => actions.select(null) }, "×")),
    before ? block(`Why did it ${before.state === now.state ? "stay" : "move"}, from step ${time - 1} to ${time}?`, before, now.state)
      : el("p", { class: "hint" }, time === 0 ? "The world has just begun." : "It was painted, or the world began here."),
    block("And now?", now, null));
}

function facts(session, colours, seen, became, actions) {
  const { fsa } = session, { names, aggregation } = fsa, entry = seen.state * aggregation.numValues + seen.value;
  const counts = names.map((_, state) => [state, seen.states.filter((own) => own === state).length]).filter(([, count]) => count);
  const sees = aggregation.name === "positional"
    ? seen.states.map((state, k) => el("span", {}, `${slotName(aggregation, seen.slots[k])} `, chip(names[state], colours[state])))
    : counts.map(([state, count]) => el("span", {}, `${count} `, chip(names[state], colours[state])));
  const next = became ?? (fsa.outcomes ? null : fsa.table[entry]), line = fsa.lines?.[entry];
  return [el("dl", {},
    el("dt", {}, became === null ? "is" : "was"), el("dd", {}, chip(names[seen.state], colours[seen.state])),
    el("dt", {}, became === null ? "sees" : "saw"), el("dd", {}, sees.length ? sees : "no neighbours"),
    el("dt", {}, "so"), el("dd", {}, aggregation.words(seen.value)),
    el("dt", {}, became === null ? "will be" : "became"), el("dd", {}, next === null ? chances(fsa, colours, entry) : chip(names[next], colours[next]))),
  line ? el("button", { type: "button", class: "rule", title: "Show this rule", onclick: () => actions.goToLine(line) }, session.rules.split("\n")[line - 1].trim()) : null];
}

function chances(fsa, colours, entry) {
  const sums = fsa.outcomes[fsa.table[entry]];
  return Array.from(sums, (sum, state) => [state, (sum - (sums[state - 1] ?? 0)) / 2 ** 53]).filter(([, share]) => share > 0)
    .map(([state, share]) => el("span", {}, chip(fsa.names[state], colours[state]), ` ${Math.round(share * 1e4) / 100} %`));
}

// ---- another world

export function showWorld(session, colours, actions) {
  const world = session.world, kind = world.lattice ? { line: "row" }[world.lattice.kind] ?? world.lattice.kind : world.family ?? "own";
  const known = kind === "own" ? [el("option", { value: "own", selected: true }, "This graph")] : [];
  const choice = el("select", { id: "family", "aria-label": "Kind of world" }, known,
    Object.entries(FAMILIES).map(([name, family]) => el("option", { value: name, selected: name === kind }, family.title)));
  const fields = el("div", { class: "row" });
  const show = () => fill(fields, inputsOf(choice.value, world));
  choice.addEventListener("change", show);
  show();
  const make = (event) => {
    event.preventDefault();
    actions.attempt(() => session.setWorld(chosenWorld(choice.value, fields, session), null));
  };
  const names = session.fsa.names;
  const shares = names.slice(0, MANY).map((name, state) => el("label", { class: "row" }, el("input", {
    type: "range", min: 0, max: 100, value: state === 0 ? 70 : Math.round(30 / Math.max(1, names.length - 1)), "data-share": state, "aria-label": `Share of ${name}`,
  }), chip(name, colours[state])));
  const all = el("select", { "aria-label": "State for every node" }, names.map((name, state) => el("option", { value: state }, name)));
  const paste = el("textarea", { class: "code", placeholder: "0 1\n1 2\n2 0", "aria-label": "Edges, one pair of nodes in a line", spellcheck: "false" });
  fill($("place"),
    el("form", { onsubmit: make }, el("h3", {}, "What nodes are joined to"), el("div", { class: "row" }, choice), fields,
      el("div", { class: "row" }, el("button", { type: "submit", class: "strong" }, "Make this world"))),
    el("h3", {}, "States"),
    el("div", { class: "row" }, el("span", { class: "hint" }, "Every node:"), all, el("button", { type: "button", onclick: () => session.restart(new Uint8Array(session.graph.n).fill(Number(all.value))) }, "Set")),
    el("details", { class: "card" }, el("summary", {}, "At random, by density"), shares,
      el("button", { type: "button", id: "random", onclick: () => actions.random([...$("place").querySelectorAll("[data-share]")].map((input) => Number(input.value))) }, "Draw states")),
    el("h3", {}, "A graph of your own"),
    el("details", { class: "card" }, el("summary", {}, "Draw it"), el("p", { class: "hint" }, "Begin with one node. With the tool for nodes and edges, click to add a node, drag from node to node to join them, or to part them again."),
      el("button", { type: "button", id: "blank", onclick: () => actions.attempt(() => {
        session.setWorld({ n: 1, pairs: [], points: [0, 0] }, new Uint8Array(1));
        actions.setTool("build");
      }) }, "Start with one node")),
    el("details", { class: "card" }, el("summary", {}, "Paste a list of edges"), paste,
      el("button", { type: "button", id: "paste", onclick: () => actions.attempt(() => session.setWorld(readEdges(paste.value))) }, "Use these edges")),
    el("details", { class: "card" }, el("summary", {}, "Open a file"), el("p", { class: "hint" }, "GraphML, JSON or an edge list, an RLE pattern, an automaton, a lesson, or a world. You can also drop it on the page."),
      el("button", { type: "button", onclick: () => $("file").click() }, "Choose a file")));
}

function inputsOf(name, world) {
  const family = FAMILIES[name];
  if (!family) return [];
  const number = (title, key, value, most = 100_000, least = 1, step = 1) => el("label", {}, title,
    el("input", { type: "number", "data-key": key, value, min: least, max: most, step }));
  if (family.lattice) {
    const own = world.lattice?.kind === family.lattice ? world.lattice : null, [height, width] = own ? [own.height, own.width] : family.sides;
    const flag = (title, key, checked) => el("label", {}, el("input", { type: "checkbox", "data-key": key, checked }), title);
    return [family.lattice === "line" ? null : number("rows", "height", height, 2048), number(family.lattice === "line" ? "cells" : "columns", "width", width, 8192),
      flag("edges joined", "torus", own?.torus ?? true)];
  }
  const own = world.family === name ? world : null;
  return [number("nodes", "n", own?.n ?? family.n), ...Object.entries(family.extras ?? {}).map(([key, [usual, least, most]]) =>
    number(key, key, own?.extras?.[key] ?? usual, most, least, Number.isInteger(usual) && key !== "mean degree" ? 1 : "any"))];
}

function chosenWorld(name, fields, session) {
  if (name === "own") return session.world;
  const value = (key) => {
    const input = fields.querySelector(`[data-key="${key}"]`);
    return input === null ? undefined : input.type === "checkbox" ? input.checked : Number(input.value);
  };
  const family = FAMILIES[name];
  if (family.lattice) {
    const slotted = family.lattice === "line" || session.fsa.aggregation.name === "positional";
    return { lattice: { kind: family.lattice, height: value("height") ?? 1, width: value("width"), torus: value("torus"), slotted } };
  }
  const extras = Object.fromEntries(Object.keys(family.extras ?? {}).map((key) => [key, value(key)]));
  const random = /tree|caterpillar|regular|erdos|albert|watts|delaunay/.test(name) && name !== "binary-tree";
  return { family: name, n: value("n"), ...(family.extras ? { extras } : {}), ...(random ? { seed: Math.floor(Math.random() * 1e6) } : {}) };
}

// ---- when to pause

export function showBreaks(session) {
  const { names } = session.fsa;
  session.breaks = session.breaks.filter(({ state }) => state === undefined || state < names.length);
  const words = ({ state, sign, count, time }) => {
    if (time !== undefined) return `at step ${time}`;
    const few = sign === "<=";
    if (count === (few ? 0 : 1)) return `${few ? "no" : "some"} node is ${names[state]}`;
    return `at ${few ? "most" : "least"} ${count} are ${names[state]}`;
  };
  const kinds = [["some", "some node is"], ["none", "no node is"], ["all", "every node is"]];
  const which = el("select", { "aria-label": "Condition" }, kinds.map(([value, text]) => el("option", { value }, text)));
  const state = el("select", { "aria-label": "State" }, names.map((name, k) => el("option", { value: k }, name)));
  const add = () => {
    const own = Number(state.value), n = session.graph.n;
    session.breaks.push(which.value === "none" ? { state: own, sign: "<=", count: 0 } : { state: own, sign: ">=", count: which.value === "all" ? n : 1 });
    showBreaks(session);
  };
  fill($("breaks"), session.breaks.map((each, k) => el("div", { class: "row" }, el("span", { class: "grow" }, words(each)),
    el("button", { type: "button", "aria-label": `Remove: ${words(each)}`, onclick: () => {
      session.breaks.splice(k, 1);
      showBreaks(session);
    } }, "×"))),
  el("div", { class: "row" }, which, state, el("button", { type: "button", id: "add-break", onclick: add }, "Add")));
}

// ---- the gallery

export function showGallery(dialog, choose, dark) {
  const cards = PRESETS.map((preset) => {
    const canvas = el("canvas", { width: 320, height: 180, "aria-hidden": "true" });
    return [el("button", { type: "button", "data-preset": preset.id, onclick: () => {
      dialog.close();
      choose(preset);
    } }, canvas, el("b", {}, preset.title), el("small", {}, preset.subtitle)), preset, canvas];
  });
  fill(dialog, heading("gallery-title", "Examples", dialog), el("div", { class: "cards" }, cards.map(([card]) => card)));
  dialog.showModal();
  // One after the other, so that the dialog is there at once.
  const paint = () => {
    const next = cards.shift();
    if (!next || !dialog.open) return;
    thumbnail(next[1].scene, next[2], dark);
    setTimeout(paint, 0);
  };
  setTimeout(paint, 0);
}

function thumbnail(scene, canvas, dark) {
  const { fsa, graph, states } = open(scene), stage = new Stage(canvas), css = getComputedStyle(document.documentElement);
  const theme = Object.fromEntries([["ground", "stage"], ["line", "edge"], ["ink", "ink"], ["accent", "stage"]].map(([key, name]) => [key, css.getPropertyValue(`--${name}`)]));
  stage.setColours(palette(fsa.names, scene.colours ?? {}, dark), theme);
  stage.setWorld(graph, graph.lattice ? null : layout(graph));
  if (stage.kind === "rows") stage.rows = ahead(fsa, graph, states, stage.rowsShown());
  stage.draw(states);
}

function ahead(fsa, graph, states, count) {
  const rows = [states], n = states.length, values = fsa.names.length + 1;
  while (rows.length < count) {
    const now = rows[rows.length - 1], next = new Uint8Array(n);
    for (let node = 0; node < n; node++) {
      const left = now[(node + n - 1) % n], right = now[(node + 1) % n];
      next[node] = fsa.table[now[node] * fsa.aggregation.numValues + left + 1 + (right + 1) * values];
    }
    rows.push(next);
  }
  return rows;
}

export function heading(id, title, dialog) {
  return el("div", { class: "head" }, el("h2", { id }, title), el("button", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "×"));
}

const KEYS = [["space", "play, pause"], [". and ,", "step on, step back"], ["→ and ←", "the same, outside the world"], ["Home, End", "to the start, to rest"], ["+ and −", "zoom"],
  ["f", "show everything"], ["b", "paint"], ["w", "why did it move?"], ["v", "move view or nodes"], ["n, x", "draw, erase nodes"], ["1 … 9", "state to paint"], ["[ and ]", "smaller, larger brush"],
  ["e", "examples"], ["s", "share"], ["Ctrl+Z", "undo; with Shift: redo"], ["arrows, Enter", "in the world: move a cursor, paint"]];

export function showManual(dialog) {
  fill(dialog, heading("manual-title", "How this works", dialog),
    el("p", {}, "Every node of a world runs the same small automaton. In each step all nodes look at their neighbours and move to a next state, by the rules under Rules. Paint states, change rules while it runs, go back, and share what you have found: the address keeps everything."),
    el("p", { class: "hint" }, "Nothing is sent anywhere: the page works without a network, and a policy inside it forbids the browser to load anything."),
    el("div", { class: "keys" }, KEYS.flatMap(([key, words]) => [el("span", {}, el("kbd", {}, key)), el("span", {}, words)])));
  dialog.showModal();
}
