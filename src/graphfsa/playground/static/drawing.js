// One labelled example, drawn on the canvas by hand: first the graph and its inputs, then the labels.

import { el, fill } from "./dom.js";
import { lineOf, teachingNames, teachingRules } from "./examples.js";
import { need } from "./problem.js";

export class Drawing {
  constructor(app, box) {
    Object.assign(this, { app, box, active: false });
    for (const event of ["world", "automaton"]) app.session.on(event, () => this._changed());
    app.session.on("graph", () => this.active && this._phase("inputs", this.tool));
    app.session.on("frame", () => this.active && this._count());
  }

  // Shows a graph with its inputs, or one node to begin with; `done` gets a line and where its nodes are.
  begin(inputs, classes, { world = { n: 1, pairs: [], points: [0, 0] }, given = [inputs.length - 1], asked = null, done }) {
    Object.assign(this, { inputs, classes, asked, done, active: false });
    this.rules = teachingRules(inputs, classes);
    this.before = this.app.session.scene();
    this.app.session.say("drawing");
    this.app.session.load({ v: 1, title: asked ? "A question" : "An example", rules: this.rules, world, start: { runs: given.flatMap((input) => [classes.length + input, 1]) } });
    this.active = true;
    this.app.pointer.state = classes.length + given[0];
    if (asked) this.label();
    else this._phase("inputs", "build");
  }

  // Something else is on the page now.
  _changed() {
    if (!this.active || this.app.session.rules === this.rules) return;
    this.end();
  }

  end() {
    this.active = false;
    this.app.pointer.mark = this.app.stage.given = null;
    this.app.setTool("paint");
    fill(this.box);
  }

  cancel() {
    this.end();
    this.app.session.load(this.before);
  }

  _phase(phase, tool) {
    const { app } = this, { session, pointer } = app;
    Object.assign(this, { phase, tool });
    if (phase === "inputs") {
      this.given = app.stage.given = null;
      // Labels of a graph that was changed are forgotten.
      const first = this.classes.length;
      if (session.states.some((state) => state < first)) session.setStates(session.states.map((state) => Math.max(state, first)));
      pointer.state = Math.max(pointer.state, first);
    } else pointer.state = 0;
    pointer.mark = tool === "build" ? null : (node) => this._mark(node);
    app.setTool(tool);
    app.palette();
    this._show();
  }

  label() {
    this.app.stage.given = this.app.session.states;
    this.given = Array.from(this.app.session.states, (state) => state - this.classes.length);
    this._phase("labels", "paint");
  }

  // The chosen state; if the node is in it already, the next one.
  _mark(node) {
    const { session, pointer } = this.app, [first, count] = this.phase === "inputs" ? [this.classes.length, this.inputs.length] : [0, this.classes.length];
    const inside = pointer.state >= first && pointer.state < first + count, now = session.states[node];
    let next = inside ? pointer.state : first;
    if (now === next) next = first + ((now - first + 1) % count);
    session.remember();
    session.paint([node], next);
  }

  get labels() {
    return Array.from(this.app.session.states, (state) => this.classes[state] ?? null);
  }

  _finish() {
    const { session } = this.app, { done } = this;
    this.app.attempt(() => {
      const line = lineOf(session.graph, this.given.map((input) => this.inputs[input]), this.labels, this.asked?.steps ? { steps: this.asked.steps } : {});
      const points = session.points && Float32Array.from(session.points);
      this.end();
      done(line, points);
    });
  }

  _next() {
    this.app.attempt(() => {
      need(this.app.session.states.every((state) => state >= this.classes.length), "every node must have an input before it gets a label");
      this.label();
    });
  }

  _count() {
    const count = this.box.querySelector(".count");
    if (count) count.textContent = `${this.labels.filter((label) => label !== null).length} of ${this.app.session.graph.n} nodes have a label`;
  }

  _show() {
    const names = teachingNames(this.inputs, this.classes), count = this.classes.length;
    const tool = (name, words) => el("button", { type: "button", "aria-pressed": String(this.tool === name), onclick: () => this._phase("inputs", name) }, words);
    const leave = el("button", { type: "button", onclick: () => this.cancel() }, this.asked ? "No answer" : "Give up");
    fill(this.box, el("div", { class: "card asking" }, this.phase === "inputs"
      ? [el("b", {}, "1. A graph and its inputs"),
        el("p", { class: "hint" }, this.tool === "build" ? "Click to add a node, drag from node to node to join them. The panel World makes whole graphs." : `Click a node until it has its input: ${names.slice(count).join(", ")}.`),
        el("div", { class: "row" }, tool("build", "Nodes and edges"), tool("paint", "Inputs")),
        el("div", { class: "row" }, el("button", { type: "button", class: "strong", id: "to-labels", onclick: () => this._next() }, "Next: its labels"), leave)]
      : [el("b", {}, this.asked ? "Which label has each node of this graph?" : "2. Its labels"),
        el("p", { class: "hint" }, this.asked?.words, ` Click a node until it has its label: ${names.slice(0, count).join(", ")}. Nodes without one don't count. The ring around it, or the spot in a cell, is the node's input.`),
        el("p", { class: "count", role: "status" }),
        el("div", { class: "row" }, el("button", { type: "button", class: "strong", id: "to-examples", onclick: () => this._finish() }, this.asked ? "These are the labels" : "Add this example"),
          this.asked ? null : el("button", { type: "button", onclick: () => this._phase("inputs", "paint") }, "Back"), leave)]));
    this._count();
  }
}
