// The page: its parts, and what happens when.

import { palette } from "./colours.js";
import { Diagram } from "./diagram.js";
import { $, calm, el, fill, later } from "./dom.js";
import { edited, rules, run, runMany } from "./door.js";
import { Editor } from "./editor.js";
import { readFile } from "./formats.js";
import { LESSONS, Lessons } from "./lessons.js";
import { showBreaks, showGallery, showManual, showStory, showWhy, showWorld } from "./panels.js";
import { stampsFor } from "./patterns.js";
import { Plot } from "./plot.js";
import { Pointer } from "./pointer.js";
import { PRESETS, presetScene } from "./presets.js";
import { Problem } from "./problem.js";
import { qrModules } from "./qr.js";
import { startOf, unpack, pack, statesOf } from "./scene.js";
import { Session } from "./session.js";
import { sha256 } from "./sha256.js";
import { showSharing } from "./sharing.js";
import { Stage } from "./stage.js";
import { parseRle } from "./patterns.js";

const session = new Session($("worker").textContent), stage = new Stage($("world"));
const plot = new Plot($("plot"), $("counts"), (time) => session.goTo(time));
const editor = new Editor({ text: $("text"), tint: $("tint"), gutter: $("gutter"), paper: $("paper"), choices: $("choices"), wrong: $("wrong"), status: $("rules-state") }, session);
const diagram = new Diagram({ drawing: $("drawing"), table: $("table"), hint: $("map-hint") }, session, toast);
const actions = {
  redraw: () => { dirty = true; }, select, nameOf, toast, tell, setTool, goToLine, attempt, random,
  moved: () => { session.world = { ...session.spec, points: Array.from(session.points) }; remember(); },
  spaceHeld: false,
};
const pointer = new Pointer(stage, session, actions);
const lessons = new Lessons(session, (scene) => session.load(scene));
let dirty = true, slow = true, colours = [], tab = "about", found = null;

// ---- light and dark

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function themed() {
  const css = getComputedStyle(document.documentElement), of = (name) => css.getPropertyValue(`--${name}`).trim();
  return { ground: of("stage"), line: of("edge"), ink: of("ink"), accent: of("accent"), soft: of("soft") };
}

function recolour() {
  if (!session.fsa) return;
  colours = palette(session.fsa.names, session.colours, isDark());
  stage.setColours(colours, themed());
  editor.colours = diagram.colours = colours;
  plot.keys = null;
  showPalette();
  editor.tintLines();
  diagram.refresh();
  if (tab === "place") showWorld(session, colours, actions);
  dirty = slow = true;
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
$("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  recolour();
});

// ---- drawing

function frame() {
  stage.resize();
  if (dirty) {
    dirty = false;
    stage.rows = session.rows ?? [];
    stage.draw(session.states);
  }
  requestAnimationFrame(frame);
}

// What costs more than a frame, or that nobody reads faster.
const slowly = calm(() => {
  if (!session.fsa) return;
  plot.draw(session, colours, themed());
  if (document.activeElement !== $("time")) $("time").value = session.time.toLocaleString("en");
  if (session.graph.n <= 2 ** 19) $("hash").textContent = sha256(session.states).slice(0, 10);
  if (tab === "rules") editor.setUsed(usedLines());
  if (tab === "map") diagram.draw();
}, 90);

function usedLines() {
  const lines = new Set();
  if (session.used && session.fsa.lines) session.used.forEach((used, entry) => { if (used) lines.add(session.fsa.lines[entry]); });
  return lines;
}

new ResizeObserver(() => {
  dirty = true;
  slowly();
}).observe(stage.canvas);

session.on("frame", () => {
  dirty = true;
  slowly();
  lessons.moved();
  if (!session.playing) remember();
  if (stage.selected !== null) ask();
});
session.on("world", () => {
  stage.selected = stage.cursor = found = null;
  stage.setWorld(session.graph, session.points);
  $("title").textContent = session.title || "Examples";
  document.title = `${session.title ? `${session.title} · ` : ""}GraphFSA Playground`;
  showSpeed();
  for (const name of ["build", "erase"]) document.querySelector(`[data-tool=${name}]`).hidden = Boolean(session.graph.lattice);
  if (session.graph.lattice && ["build", "erase"].includes(pointer.tool)) setTool("paint");
  if (tab === "place") showWorld(session, colours, actions);
});
session.on("graph", () => {
  const { view } = stage;
  stage.setWorld(session.graph, session.points);
  Object.assign(stage, { view, fitted: false });
  showStory(session);
});
session.on("automaton", () => {
  const { names } = session.fsa;
  if (pointer.state >= names.length) pointer.state = names.length - 1;
  recolour();
  editor.refresh();
  showStory(session);
  showBreaks(session);
  showWhy(session, colours, found, actions);
});
session.on("playing", () => {
  $("play").toggleAttribute("data-playing", session.playing);
  $("play").setAttribute("aria-label", session.playing ? "Pause" : "Play");
  if (!session.playing) remember();
});
session.on("stopped", (stopped) => {
  const words = { rest: `At rest after step ${stopped.since ?? session.time - 1}`, cycle: `From step ${stopped.since} on it repeats every ${stopped.period} steps`,
    limit: "No rest was found yet: it goes on", break: "Paused: the condition holds", late: "This takes long; here is how far it came" };
  toast(words[stopped.kind]);
  lessons.stopped(stopped);
});
session.on("problem", toast);
session.on("undo", () => {
  $("undo").disabled = !session.done.length;
  $("redo").disabled = !session.undone.length;
});

// ---- words that pass

const hide = later(() => $("toast").classList.remove("shown"), 3200);

function toast(words) {
  $("toast").textContent = words;
  $("toast").classList.add("shown");
  hide();
}

// For those who can't see: what a key did.
function tell(words) {
  $("world").setAttribute("aria-label", words);
  toast(words);
}

function attempt(action) {
  try {
    action();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    toast(problem.message);
  }
}

function nameOf(node) {
  const { lattice } = session.graph;
  if (node === null) return "nowhere";
  if (!lattice) return `Node ${node}`;
  return lattice.kind === "line" ? `Cell ${node}` : `Row ${Math.floor(node / lattice.width)}, column ${node % lattice.width}`;
}

// ---- tools

function setTool(name) {
  pointer.tool = name;
  $("world").dataset.tool = name;
  for (const button of document.querySelectorAll("[data-tool][aria-pressed]")) button.setAttribute("aria-pressed", String(button.dataset.tool === name));
}

function showPalette() {
  const { names } = session.fsa, stamps = session.graph.lattice && stage.kind === "cells" ? stampsFor(names) : [];
  const choose = (state) => {
    pointer.state = state;
    pointer.stamp = null;
    if (!["paint", "build"].includes(pointer.tool)) setTool("paint");
    showPalette();
  };
  const radios = names.slice(0, 40).map((name, state) => el("button", {
    type: "button", role: "radio", "aria-checked": String(state === pointer.state && !pointer.stamp), tabindex: state === pointer.state ? "0" : "-1", "data-state": state, onclick: () => choose(state),
    onkeydown: (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      choose((pointer.state + by + names.length) % names.length);
      document.querySelector(`[data-state="${pointer.state}"]`).focus();
    },
  }, el("i", { class: "swatch", style: { "--own": colours[state] } }), el("bdi", {}, name)));
  const brush = session.graph.lattice && stage.kind !== "rows" ? el("select", { "aria-label": "Brush", onchange: (event) => { pointer.brush = Number(event.target.value); } },
    [1, 2, 3, 5, 8, 13].map((size) => el("option", { value: size, selected: size === pointer.brush }, size === 1 ? "1 cell" : `⌀ ${2 * size - 1}`))) : null;
  const stamp = stamps.length ? el("select", { id: "stamp", "aria-label": "Stamp", onchange: (event) => {
    pointer.stamp = event.target.value || null;
    setTool("paint");
  } }, el("option", { value: "" }, "Stamp …"), stamps.map(({ name, text }) => el("option", { value: text, selected: text === pointer.stamp }, name))) : null;
  fill($("palette"), radios, brush, stamp);
}

for (const button of document.querySelectorAll("#tools button")) button.addEventListener("click", () => setTool(button.dataset.tool));

function select(node) {
  stage.selected = node;
  dirty = true;
  if (node === null) {
    found = null;
    showWhy(session, colours, null, actions);
    return;
  }
  if (tab !== "about") showTab("about");
  ask();
}

const ask = calm(async () => {
  const node = stage.selected;
  if (node === null || session.playing) return;
  const answer = await session.peek(node);
  if (stage.selected !== node) return;
  found = answer;
  showWhy(session, colours, found, actions);
}, 120);

function goToLine(line) {
  showTab("rules");
  editor.goTo(line);
}

function random(shares) {
  attempt(() => session.restart(statesOf({ shares: shares.slice(0, session.fsa.names.length), seed: Math.floor(Math.random() * 1e6) }, session.graph.n, session.fsa.names.length)));
}

// ---- time

const SPEEDS = (value) => (value >= 100 ? 1000 : Math.round(0.5 * 240 ** (value / 100) * 10) / 10);

function showSpeed() {
  $("speed").value = session.speed >= 1000 ? 100 : Math.round((100 * Math.log(session.speed / 0.5)) / Math.log(240));
  $("pace").textContent = session.speed >= 1000 ? "fastest" : `${session.speed >= 10 ? Math.round(session.speed) : session.speed} / s`;
}

$("speed").addEventListener("input", () => {
  session.speed = SPEEDS(Number($("speed").value));
  showSpeed();
});
const toggle = () => (session.playing ? session.pause() : session.play());
const toStart = () => session.goTo(0);
$("play").addEventListener("click", toggle);
$("step").addEventListener("click", () => session.step());
$("back").addEventListener("click", () => session.back());
$("first").addEventListener("click", toStart);
$("settle").addEventListener("click", () => session.settle());
$("time").addEventListener("change", () => {
  const time = Number($("time").value.replaceAll(",", ""));
  if (Number.isInteger(time) && time >= 0) session.goTo(time);
  $("time").blur();
});
$("undo").addEventListener("click", () => session.undo());
$("redo").addEventListener("click", () => session.redo());
$("closer").addEventListener("click", () => { stage.zoom(1.35); dirty = true; });
$("farther").addEventListener("click", () => { stage.zoom(1 / 1.35); dirty = true; });
$("fit").addEventListener("click", fitted);

function fitted() {
  stage.fit();
  dirty = true;
}

// ---- panels

const TABS = ["about", "rules", "map", "place", "learn"];

function showTab(name, focus = false) {
  tab = name;
  for (const each of TABS) {
    const button = $(`tab-${each}`), chosen = each === name;
    $(each).hidden = !chosen;
    button.setAttribute("aria-selected", String(chosen));
    button.tabIndex = chosen ? 0 : -1;
    if (chosen && focus) button.focus();
  }
  session.wantUsed = name === "rules" || name === "map";
  if (session.wantUsed && !session.playing && !session.busy) session._send({ type: "used" });
  if (name === "place") showWorld(session, colours, actions);
  slowly();
}

for (const name of TABS) $(`tab-${name}`).addEventListener("click", () => showTab(name));
$("tabs").addEventListener("keydown", (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  showTab(TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length], true);
});

const begin = (preset) => {
  lessons.current = null;
  lessons.show();
  session.load(presetScene(preset.id), { play: true });
  showTab("about");
};
const gallery = () => showGallery($("gallery"), begin, isDark());
const sharing = () => showSharing($("sharing"), session, stage, lessons.current ? { lesson: lessonRef() } : {}, toast);
$("examples").addEventListener("click", gallery);
$("share").addEventListener("click", sharing);
$("help").addEventListener("click", () => showManual($("manual")));
for (const dialog of document.querySelectorAll("dialog")) dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

function lessonRef() {
  return LESSONS.includes(lessons.current) ? { id: lessons.current.id, at: lessons.at } : { ...lessons.current, at: lessons.at };
}

// ---- keys

const KEYS = {
  " ": toggle, ".": () => session.step(), ",": () => session.back(), ArrowRight: () => session.step(), ArrowLeft: () => session.back(), Home: toStart, End: () => session.settle(),
  "+": () => $("closer").click(), "=": () => $("closer").click(), "-": () => $("farther").click(), f: fitted, b: () => setTool("paint"), w: () => setTool("look"), v: () => setTool("move"),
  n: () => setTool("build"), x: () => setTool("erase"), e: gallery, s: sharing, "?": () => showManual($("manual")), Escape: () => select(null),
  "[": () => sized(-1), "]": () => sized(1),
};

function sized(by) {
  const sizes = [1, 2, 3, 5, 8, 13];
  pointer.brush = sizes[Math.min(sizes.length - 1, Math.max(0, sizes.indexOf(pointer.brush) + by))];
  showPalette();
}

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  const writing = event.target.matches("input:not([type=range]):not([type=checkbox]), textarea, select"), { key } = event;
  if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "z" && !writing) {
    event.preventDefault();
    if (event.shiftKey) session.redo();
    else session.undo();
  }
  if (writing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("button, input, summary, [role=button]") && [" ", "Enter", "ArrowLeft", "ArrowRight"].includes(key)) return;
  if (/^[1-9]$/.test(key) && Number(key) <= session.fsa.names.length) {
    pointer.state = Number(key) - 1;
    pointer.stamp = null;
    showPalette();
  } else if (KEYS[key]) KEYS[key]();
  else return;
  event.preventDefault();
});

// ---- files

async function take(file) {
  if (!file) return;
  try {
    const read = await readFile(file);
    if (read.kind === "graph") session.setWorld(read.world);
    else if (read.kind === "pattern") putPattern(read);
    else if (read.kind === "rules") session.setRules(read.rules);
    else if (read.kind === "automaton") session.setAutomaton(read.automaton);
    else if (read.kind === "lesson") {
      lessons.start(read.lesson);
      showTab("learn");
    } else show(read.scene);
    toast(`${file.name}: opened`);
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    toast(problem.message);
  }
}

function putPattern({ cells, rows, columns }) {
  const { lattice } = session.graph, most = cells.reduce((a, b) => Math.max(a, b), 0);
  if (most >= session.fsa.names.length) throw new Problem(`the pattern has a state ${most}; this automaton has ${session.fsa.names.length} states`);
  const fits = lattice && lattice.kind !== "line" && rows <= lattice.height && columns <= lattice.width;
  const world = fits ? session.world : { lattice: { kind: "moore", height: Math.max(64, rows + 32), width: Math.max(64, columns + 32), torus: true, slotted: session.fsa.aggregation.name === "positional" } };
  const { height, width } = world.lattice, states = new Uint8Array(height * width), top = (height - rows) >> 1, left = (width - columns) >> 1;
  for (let r = 0; r < rows; r++) states.set(cells.subarray(r * columns, (r + 1) * columns), (top + r) * width + left);
  session.setWorld(world, states);
}

$("file").addEventListener("change", () => take($("file").files[0]));
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("drop");
});
for (const name of ["dragleave", "drop"]) document.addEventListener(name, () => document.body.classList.remove("drop"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  take(event.dataTransfer.files[0]);
});

// ---- the address

let written = null;

// What is on the page goes into its address, unless it is too much.
const remember = later(async () => {
  if (session.playing || !session.fsa) return;
  const fragment = await pack({ ...session.scene(), ...(lessons.current ? { lesson: lessonRef() } : {}) });
  if (session.playing || fragment === written || fragment.length > 16_000) return;
  written = fragment;
  try {
    history.replaceState(null, "", `#${fragment}`);
  } catch {
    // A frame that has no address of its own.
  }
}, 500);

function show(scene, options = {}) {
  const { lesson, ...rest } = scene;
  session.load(rest, options);
  if (!lesson) return;
  const own = lesson.id ? LESSONS.find(({ id }) => id === lesson.id) : lesson;
  if (!own) throw new Problem(`there is no lesson ${lesson.id}`);
  lessons.start(own, 0);
  lessons.at = Math.min(own.steps.length - 1, Math.max(0, Math.floor(Number(lesson.at) || 0)));
  lessons.show();
  session.load(rest, options);
  showTab("learn");
}

async function openAddress() {
  const fragment = decodeURIComponent(window.location.hash.slice(1)), given = fragment || $("scene").textContent.trim();
  if (fragment === written && written !== null) return;
  try {
    const preset = PRESETS.find(({ id }) => id === given);
    const named = /^lesson=([a-z]+)$/.exec(given);
    if (named) {
      const own = LESSONS.find(({ id }) => id === named[1]);
      if (!own) throw new Problem(`there is no lesson ${named[1]}`);
      session.load(presetScene("life"));
      lessons.start(own);
      showTab("learn");
    } else if (given && !preset) show(await unpack(given), { play: fragment === "" });
    else session.load(presetScene(preset?.id ?? "life"), { play: !matchMedia("(prefers-reduced-motion: reduce)").matches });
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (!session.fsa) session.load(presetScene("life"));
    toast(problem.message);
  }
}

window.addEventListener("hashchange", openAddress);

// ---- a page around this one: it hears of changes, and may ask for another world

const MAX_TOLD = 2 ** 16;
const tellParent = later(() => {
  if (window.parent === window || session.playing || !session.fsa || session.graph.n > MAX_TOLD) return;
  window.parent.postMessage({ playground: "changed", scene: session.scene({ full: true }) }, "*");
}, 250);

for (const event of ["frame", "automaton", "world", "playing"]) session.on(event, tellParent);
window.addEventListener("message", ({ source, data }) => {
  if (window.parent !== window && source === window.parent && data?.playground === "show") attempt(() => show(data.scene));
});

// For scripts around the page, and for tests.
globalThis.playground = {
  session, stage, pointer, lessons, presets: PRESETS, allLessons: LESSONS, run, runMany, rules, edited, qr: (text) => qrModules(new TextEncoder().encode(text)),
  pack, unpack, startOf, parseRle, show, hash: () => sha256(session.states),
};

showTab("about");
showWhy({ fsa: { names: [] } }, [], null, actions);
openAddress();
requestAnimationFrame(frame);
