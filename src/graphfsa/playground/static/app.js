// The page: its parts, and what happens when.

import { palette } from "./colours.js";
import { Diagram } from "./diagram.js";
import { $, calm, el, fill, later } from "./dom.js";
import { edited, rules, run, runMany } from "./door.js";
import { Editor } from "./editor.js";
import { LESSONS, Lessons } from "./lessons.js";
import { described, showBreaks, showGallery, showManual, showStory, showWhy, showWorld } from "./panels.js";
import { parseRle, stampsFor } from "./patterns.js";
import { Opening } from "./opening.js";
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

const session = new Session($("worker").textContent), stage = new Stage($("world"));
const plot = new Plot($("plot"), $("counts"), (time) => session.goTo(time));
const editor = new Editor({ text: $("text"), tint: $("tint"), gutter: $("gutter"), paper: $("paper"), choices: $("choices"), wrong: $("wrong"), status: $("rules-state") }, session);
const diagram = new Diagram({ drawing: $("drawing"), table: $("table"), hint: $("map-hint") }, session, toast);
const actions = {
  redraw: () => { dirty = true; }, select, nameOf, toast, setTool, goToLine, attempt, random,
  moved: () => { session.world = { ...session.spec, points: Array.from(session.points) }; opening.keep(); },
  spaceHeld: false,
};
const pointer = new Pointer(stage, session, actions);
const lessons = new Lessons(session, (scene) => session.load(scene));
const opening = new Opening(session, lessons, { toast, showTab });
const drawn = [], shown = { place: () => showWorld(session, colours, actions) };
let dirty = true, colours = [], tab = "about", found = null;

// ---- light and dark

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function themed() {
  const css = getComputedStyle(document.documentElement), of = (name) => css.getPropertyValue(`--${name}`).trim();
  return { ground: of("stage"), line: of("edge"), ink: of("ink"), accent: of("accent"), soft: of("soft"), bad: of("bad") };
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
  shown[tab]?.();
  slowly();
  dirty = true;
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
    for (const draw of drawn) draw();
  }
  requestAnimationFrame(frame);
}

// What costs more than a frame, or that nobody reads faster.
const slowly = calm(() => {
  if (!session.fsa) return;
  plot.draw(session, colours, themed());
  if (document.activeElement !== $("time")) $("time").value = session.time.toLocaleString("en");
  if (session.graph.n <= 2 ** 19) $("hash").textContent = sha256(session.states).slice(0, 10);
  if (!session.playing) $("described").textContent = described(session);
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
  if (!session.playing) opening.keep();
  if (stage.selected !== null) ask();
});
session.on("world", () => {
  stage.selected = stage.cursor = stage.given = found = null;
  stage.marks = [];
  stage.setWorld(session.graph, session.points);
  $("title").textContent = session.title;
  document.title = `${session.title ? `${session.title} · ` : ""}GraphFSA Playground`;
  showSpeed();
  for (const name of ["build", "erase"]) document.querySelector(`[data-tool=${name}]`).hidden = Boolean(session.graph.lattice);
  if (session.graph.lattice && ["build", "erase"].includes(pointer.tool)) setTool("paint");
  shown[tab]?.();
});
session.on("graph", () => {
  const { view } = stage;
  stage.marks = [];
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
  if (!session.playing) opening.keep();
});
session.on("stopped", (stopped) => {
  const words = { rest: `At rest from step ${stopped.since} on`, cycle: `From step ${stopped.since} on it repeats every ${stopped.period} steps`,
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
  const pace = session.speed >= 10 ? Math.round(session.speed) : session.speed, fastest = session.speed >= 1000;
  $("pace").textContent = fastest ? "fastest" : `${pace} / s`;
  $("speed").setAttribute("aria-valuetext", fastest ? "as fast as it can" : `${pace} step${pace === 1 ? "" : "s"} a second`);
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
    if (chosen) $("tabs").scrollLeft = button.offsetLeft - $("tabs").offsetLeft - $("tabs").clientWidth / 2;
    if (chosen && focus) button.focus();
  }
  session.wantUsed = name === "rules" || name === "map";
  if (session.wantUsed && !session.playing && !session.busy) session.askUsed();
  shown[name]?.();
  slowly();
}

for (const name of TABS) $(`tab-${name}`).addEventListener("click", () => showTab(name));

// Another panel, which is told when it is shown.
function addTab(name, title, show) {
  const panel = el("section", { id: name, role: "tabpanel", "aria-labelledby": `tab-${name}`, hidden: true });
  $("tabs").append(el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": name, "aria-selected": "false", tabindex: "-1", onclick: () => showTab(name) }, title));
  document.querySelector("aside").append(panel);
  TABS.push(name);
  shown[name] = show;
  return panel;
}

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
const sharing = () => showSharing($("sharing"), session, stage, opening.lesson(), toast);
$("examples").addEventListener("click", gallery);
$("share").addEventListener("click", sharing);
$("help").addEventListener("click", () => showManual($("manual")));
for (const dialog of document.querySelectorAll("dialog")) dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());

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

// ---- a page around this one: it hears of changes, and may ask for another world

const MAX_TOLD = 2 ** 16;
const tellParent = later(() => {
  if (window.parent === window || session.playing || !session.fsa || session.graph.n > MAX_TOLD) return;
  window.parent.postMessage({ playground: "changed", scene: session.scene({ full: true }) }, "*");
}, 250);

for (const event of ["frame", "automaton", "world", "playing"]) session.on(event, tellParent);
window.addEventListener("message", ({ source, data }) => {
  if (window.parent !== window && source === window.parent && data?.playground === "show") attempt(() => opening.show(data.scene));
});

// What a page with more panels builds on.
export const app = {
  session, stage, pointer, opening, actions, drawn, addTab, showTab, setTool, toast, attempt, nameOf, themed, palette: showPalette,
  get colours() { return colours; }, get dark() { return isDark(); },
};

// For scripts around the page, and for tests.
globalThis.playground = {
  session, stage, pointer, lessons, presets: PRESETS, allLessons: LESSONS, run, runMany, rules, edited, qr: (text) => qrModules(new TextEncoder().encode(text)),
  pack, unpack, startOf, parseRle, show: (scene, options) => opening.show(scene, options), hash: () => sha256(session.states),
};

showTab("about");
showWhy({ fsa: { names: [] } }, [], null, actions);
opening.openAddress();
requestAnimationFrame(frame);
