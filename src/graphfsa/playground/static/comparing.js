// Compare: a second automaton beside the one on the page, on the same world, step by step; nodes that differ are marked.

import { palette } from "./colours.js";
import { $, el, fill } from "./dom.js";
import { incomparable, matched } from "./matching.js";
import { PRESETS } from "./presets.js";
import { Problem, need } from "./problem.js";
import { fromJson, parseRules } from "./rules.js";
import { startOf } from "./scene.js";
import { Session } from "./session.js";
import { Stage } from "./stage.js";
import { modelOf } from "./teaching.js";
import { work } from "./working.js";

const MOST = 2 ** 17, CLASSES = ["tree", "path", "cycle", "connected", "row", "ring"];

// Whether a difference matters for a task.
function beginning(admitted, task) {
  if (admitted === null) return "Nodes may start in any of their starting states here, also as no run of a task would begin.";
  return admitted ? `A run of ${task} can begin like this.` : `No run of ${task} begins like this: here nodes may start in any of their starting states.`;
}

export class Comparing {
  // The function `task` names the task that the automaton on the page is checked for, if there is one.
  constructor(app, server) {
    Object.assign(this, { app, server, task: () => null, kept: [], on: false, second: null });
    this.opened = new Map();
    this.other = el("select", { id: "other", "aria-label": "The other automaton", onchange: () => this._choose() });
    this.reason = el("p", { id: "incomparable", class: "hint" });
    this.status = el("div", { id: "compare-status" });
    this.differ = el("p", { id: "differ", role: "status" });
    this.kind = el("select", { id: "compare-class", "aria-label": "Graphs" }, CLASSES.map((name) => el("option", { value: name }, { row: "rows", ring: "rings", connected: "connected graphs" }[name] ?? `${name}s`)));
    this.most = el("input", { type: "number", id: "compare-most", value: 5, min: 1, max: 12 });
    this.beside = el("button", { type: "button", id: "beside", "aria-pressed": "false", onclick: () => (this.on ? this.end() : this.begin()) }, "Side by side");
    this.keep = el("button", { type: "button", id: "keep", title: "Remember the automaton on the page, to compare others with it", onclick: () => this._keep() }, "Keep this one");
    this.find = el("button", { type: "button", id: "difference", onclick: () => this.difference() }, "Find a difference");
    this.box = el("div", { id: "compare" }, el("h3", {}, "Compare with another automaton"), el("div", { class: "row" }, this.other, this.keep), el("div", { class: "row" }, this.beside), this.differ,
      el("div", { class: "row" }, this.find, el("label", {}, "on"), this.kind, el("label", {}, "of up to", this.most, "nodes")), this.reason, this.status);
    const { session } = app;
    for (const event of ["world", "graph", "automaton"]) session.on(event, () => this.on && this._load());
    session.on("drawing", () => this.on && this.end());
    session.on("automaton", () => fill(this.status));
    session.on("frame", () => this.on && this._follow());
    app.drawn.push(() => this.on && this._draw());
  }

  show() {
    const slotted = this.app.session.fsa?.aggregation.name === "positional";
    for (const each of this.kind.options) each.hidden = each.disabled = ["row", "ring"].includes(each.value) !== slotted;
    if (this.kind.selectedOptions[0]?.disabled) this.kind.value = slotted ? "ring" : "tree";
    const { value } = this.other, { fsa } = this.app.session, option = ({ title }, name) => el("option", { value: name }, title);
    // What can be compared comes first, and among it what has states of the same names.
    const rank = (preset) => (incomparable(fsa, this._automaton(preset)) ? 2 : String(this._automaton(preset).names) === String(fsa.names) ? 0 : 1);
    const presets = fsa ? PRESETS.map((preset) => [rank(preset), preset]).sort(([a], [b]) => a - b).map(([, preset]) => preset) : PRESETS;
    fill(this.other, this.kept.map((each, k) => option(each, `kept:${k}`)), presets.map((preset) => option(preset, preset.id)));
    if (this.picked) this.other.value = value;
    else if (fsa) this.other.value = (presets.find((preset) => preset.scene.rules !== this.app.session.rules) ?? presets[0]).id;
    this._check();
  }

  _choose() {
    this.picked = true;
    fill(this.status);
    this._check();
    if (this.on) this.begin();
  }

  // Whether the two can be compared.
  _check() {
    const { fsa } = this.app.session, why = fsa && incomparable(fsa, this._automaton(this.chosen));
    this.find.disabled = Boolean(why || this.busy);
    this.reason.textContent = why ? `No difference can be looked for: ${why}.` : "";
  }

  _automaton(each) {
    const { rules, automaton } = each.scene;
    if (!this.opened.has(each)) this.opened.set(each, rules ? parseRules(rules) : fromJson(automaton));
    return this.opened.get(each);
  }

  _keep() {
    const { session, toast } = this.app, scene = session.scene();
    this.kept.unshift({ title: `kept: ${session.title || "an automaton"}${this.kept.length ? ` (${this.kept.length + 1})` : ""}`, scene: modelOf(scene) });
    this.kept = this.kept.slice(0, 12);
    this.picked = true;
    this.show();
    this.other.value = "kept:0";
    this._check();
    toast("Kept: change the rules now, or learn another one");
  }

  get chosen() {
    const { value } = this.other;
    return value.startsWith("kept:") ? this.kept[Number(value.slice(5))] : PRESETS.find(({ id }) => id === value);
  }

  // ---- side by side

  begin() {
    const { app } = this;
    this.second ??= this._second();
    this.on = true;
    this.beside.setAttribute("aria-pressed", "true");
    $("view").classList.add("two");
    $("view").append(this.canvas, this.names);
    this._load();
    app.showTab("check");
  }

  end() {
    this.on = false;
    this.beside.setAttribute("aria-pressed", "false");
    $("view").classList.remove("two");
    this.canvas.remove();
    this.names.remove();
    this.differ.textContent = "";
    this.app.stage.marks = [];
    this.app.actions.redraw();
  }

  _second() {
    const session = new Session($("worker").textContent);
    this.canvas = el("canvas", { id: "second", role: "img" });
    this.names = el("div", { id: "sides", "aria-hidden": "true" }, el("span"), el("span"));
    this.stage = new Stage(this.canvas);
    session.on("frame", () => this._follow());
    session.on("problem", (words) => this._fail(words));
    return session;
  }

  _fail(words) {
    this.end();
    this.differ.textContent = words;
  }

  // The same world and the same start, in the other automaton's states of the same names.
  _load() {
    const { session } = this.app, { second } = this;
    try {
      need(session.graph.n <= MOST, `worlds of at most ${MOST.toLocaleString("en")} nodes are shown side by side`);
      const { world } = session.scene({ full: true }), model = modelOf(this.chosen.scene);
      second.load({ v: 1, ...model, world, start: { all: 0 }, seed: session.seed, title: this.chosen.title });
      this.places = matched(session.fsa, second.fsa);
      this._restart();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this._fail(problem.message);
      return;
    }
    this.stage.setWorld(second.graph, session.points);
    this.names.children[0].textContent = session.title || "this one";
    this.names.children[1].textContent = this.chosen.title;
    this._colour();
    this.app.actions.redraw();
  }

  _restart() {
    const { session } = this.app, { second } = this;
    this.start = session.start;
    const states = session.start.map((state) => {
      need(this.places[state] >= 0, `the other automaton has no state called ${session.fsa.names[state]}, in which nodes start here`);
      return this.places[state];
    });
    second.load({ ...second.scene(), start: startOf(states, second.fsa.names.length), from: session.from, time: session.time }, { keepUndo: true });
  }

  _follow() {
    const { session } = this.app, { second } = this;
    if (!this.on || !second.fsa || second.busy || second.graph.n !== session.graph.n) return;
    if (this.start !== session.start) {
      try {
        this._restart();
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        this._fail(problem.message);
      }
      return;
    }
    if (second.time !== session.time) {
      if (second.time < session.time && session.time - second.time <= 64) second.step(session.time - second.time);
      else second.goTo(session.time);
      return;
    }
    const marks = [];
    session.states.forEach((state, node) => { if (this.places[state] !== second.states[node]) marks.push(node); });
    this.app.stage.marks = this.stage.marks = marks;
    this.differ.textContent = marks.length ? `${marks.length.toLocaleString("en")} of ${session.graph.n.toLocaleString("en")} nodes differ at step ${session.time}` : `No node differs at step ${session.time}`;
    this.canvas.setAttribute("aria-label", `${this.chosen.title}: ${this.differ.textContent}`);
    this.app.actions.redraw();
  }

  _colour() {
    this.stage.setColours(palette(this.second.fsa.names, { ...this.chosen.scene.colours, ...this._shared() }, this.app.dark), this.app.themed());
  }

  // States that belong together have one colour.
  _shared() {
    return Object.fromEntries(this.places.flatMap((place, state) => (place < 0 ? [] : [[this.second.fsa.names[place], this.app.colours[state]]])));
  }

  _draw() {
    this._colour();
    this.stage.resize();
    this.stage.movePoints(this.app.session.points);
    this.stage.view = { ...this.app.stage.view };
    this.stage.rows = this.second.rows ?? [];
    this.stage.draw(this.second.states);
  }

  // ---- the smallest graph on which they differ

  async difference() {
    const { app } = this, { session } = app, mine = modelOf(session.scene()), task = this.task();
    this.busy = this.find.disabled = true;
    const found = await work(this.server, this.status, { do: "compare", task, model: mine, other: modelOf(this.chosen.scene), graph_class: this.kind.value, max_nodes: Math.min(12, Math.max(1, Math.floor(Number(this.most.value)) || 5)) });
    this.busy = false;
    this._check();
    if (!found) return;
    if (found.difference) {
      session.load({ ...found.difference.scene, ...mine, colours: session.colours, title: session.title || "A difference" });
      session.goTo(found.difference.steps);
      this.begin();
    }
    fill(this.status, el("p", { id: "compared", role: "status" }, !found.equivalent ? `They differ: the smallest graph that shows it is on the canvas, side by side. ${beginning(found.admitted, task)}`
      : found.by === "renaming" ? "They do the same on every graph whatsoever, up to the names of their states."
        : `No difference on any of these graphs, from any inputs: ${found.checked.toLocaleString("en")} in all.`));
  }
}
