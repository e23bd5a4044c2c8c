// Learn: from a task or from examples to an automaton on the canvas, and the question whether the examples settle it.

import { download, el, fill } from "./dom.js";
import { Drawing } from "./drawing.js";
import { Examples, inOrder, lineOfRun, picture, readLines } from "./examples.js";
import { need } from "./problem.js";
import { Watching } from "./watching.js";
import { work } from "./working.js";

const VERDICTS = {
  proved: ["Proved", "It is right on graphs of every size."], exact: ["Exact", "It gives every example its labels."],
  "best-effort": ["Best effort", "It gives most labels; no automaton that was tried gives all."], undecided: ["Undecided", "The search ended before it found one that gives all labels."],
  impossible: ["Impossible", "No automaton of the sizes that were tried gives these labels."],
};

const ENDED = {
  exact: "It gives every example its labels. Whether it is right on other graphs was not found out.", impossible: "No automaton of the sizes that were tried gives these labels; it was not found out which graphs alone show it.",
  undecided: "This is the best so far. Whether an automaton gives all labels was not found out.",
};

// The automaton on the page, as requests have it.
export function modelOf({ rules, automaton }) {
  return rules ? { rules } : { automaton };
}

function groupOf({ kind, graphs }) {
  return kind === "evolution" ? "steps" : ["path", "tree"].includes(graphs) ? "trees" : "graphs";
}

export class Teaching {
  constructor(app, server, panel) {
    Object.assign(this, { app, server, panel, tasks: {}, source: "task", found: null });
    this.examples = new Examples();
    this.parts = Object.fromEntries(["source", "status", "live", "result"].map((name) => [name, el("div", { id: `teach-${name}` })]));
    this.drawing = new Drawing(app, el("div", { id: "drawn" }));
    this.watching = new Watching(app, this.parts.live);
    this.learner = el("select", { id: "learner", "aria-label": "Learner" }, el("option", { value: "exact" }, "exact search"), el("option", { value: "diff-fsa" }, "Diff-FSA (gradients)"));
    this.seed = el("input", { type: "number", id: "teach-seed", value: 0, min: 0, max: 1e9 });
    this.button = el("button", { type: "button", id: "begin", class: "strong", onclick: () => this.learn() }, "Learn");
    this.task = el("select", { id: "task", "aria-label": "Task", onchange: () => this.show() });
    const choose = (name, words) => el("button", { type: "button", "data-source": name, onclick: () => this.choose(name) }, words);
    fill(panel, el("h2", {}, "Learn"), el("p", { class: "lead" }, "Python looks for an automaton that gives every node its label."),
      el("div", { class: "row pair" }, choose("task", "A task"), choose("examples", "Examples")), this.parts.source,
      el("div", { class: "row" }, this.learner, el("label", {}, "seed", this.seed)), el("div", { class: "row" }, this.button),
      this.parts.status, this.parts.live, this.parts.result);
    app.opening.readers.jsonl = async (file) => this.read(file.name, await file.text());
  }

  choose(source) {
    this.source = source;
    this.show();
  }

  // Anew whenever the panel is shown; what is at work goes on.
  show() {
    for (const button of this.panel.querySelectorAll("[data-source]")) button.setAttribute("aria-pressed", String(button.dataset.source === this.source));
    fill(this.parts.source, this.source === "task" ? this._task() : this._examples());
    this.button.disabled = Boolean(this.busy) || (this.source === "examples" && !this.examples.list.length);
    this.watching.show();
  }

  _task() {
    if (!this.task.options.length) {
      const group = (title, belongs) => el("optgroup", { label: title }, Object.keys(this.tasks).filter((name) => groupOf(this.tasks[name]) === belongs).map((name) => el("option", { value: name }, name)));
      fill(this.task, group("Labels on paths and trees", "trees"), group("Labels on other graphs", "graphs"), group("Steps of a rule, on boards, rows and graphs", "steps"));
      if (this.tasks["path-finding"]) this.task.value = "path-finding";
    }
    const facts = this.tasks[this.task.value];
    if (!facts) return null;
    const [names, words] = facts.kind === "evolution" ? ["states", facts.classes] : ["labels", facts.classes];
    const graphs = facts.graphs === null ? "boards" : `${facts.graphs}s`.replace("connecteds", "connected graphs");
    return [el("div", { class: "row" }, this.task), el("p", { id: "task-about" }, facts.about), facts.needs ? el("p", { class: "hint" }, facts.needs) : null,
      el("dl", { class: "facts" }, el("dt", {}, "graphs"), el("dd", {}, graphs),
      facts.kind === "evolution" ? null : [el("dt", {}, "inputs"), el("dd", {}, facts.inputs.join(", "))], el("dt", {}, names), el("dd", {}, words.join(", ")))];
  }

  // ---- examples

  _examples() {
    const { examples, app } = this, { inputs, classes, list } = examples;
    const names = (key, words) => el("label", { class: "names" }, words, el("input", { type: "text", id: `names-${key}`, value: examples[key].join(", "), disabled: list.length > 0, onchange: (event) => app.attempt(() => this._rename(key, event.target.value)) }));
    return [names("inputs", "inputs"), names("classes", "labels"),
      el("div", { class: "row" }, el("button", { type: "button", id: "draw-example", onclick: () => this.draw() }, "Draw one"),
        el("button", { type: "button", id: "take-run", title: "Inputs: the states at step 0. Labels: the states now.", onclick: () => app.attempt(() => this._add(lineOfRun(app.session), app.session.points && Float32Array.from(app.session.points))) }, "Take this run"),
        el("button", { type: "button", onclick: () => this._pick() }, "Open a .jsonl file")),
      this.drawing.box,
      list.length ? el("ul", { class: "examples" }, list.slice(-60).map((entry) => el("li", {}, picture(app, entry, inputs, classes),
        el("button", { type: "button", "aria-label": "Remove this example", onclick: () => {
          examples.remove(entry);
          this.show();
        } }, "×")))) : el("p", { class: "hint" }, "No examples yet. A file can also be dropped on the page."),
      list.length ? el("div", { class: "row" }, el("span", { class: "hint grow" }, `${list.length} example${list.length === 1 ? "" : "s"}`),
        el("button", { type: "button", id: "save-examples", onclick: () => download("examples.jsonl", new Blob([`${examples.lines.map((line) => JSON.stringify(line)).join("\n")}\n`])) }, "Save them"),
        el("button", { type: "button", id: "clear-examples", onclick: () => {
          examples.list = [];
          this.show();
        } }, "Remove all")) : null];
  }

  _rename(key, text) {
    const names = text.split(",").map((name) => name.trim()).filter(Boolean);
    need(names.length > 0 && names.length < 20 && new Set(names).size === names.length, "there must be 1 to 20 different names, with commas between them");
    this.examples[key] = names.sort(inOrder);
    this.show();
  }

  _pick() {
    const input = el("input", { type: "file", accept: ".jsonl", onchange: () => this.app.opening.take(input.files[0]) });
    input.click();
  }

  _add(line, points = null) {
    this.examples.add(line, points);
    this.choose("examples");
  }

  read(name, text) {
    for (const line of readLines(name, text)) this.examples.add(line);
    this.app.showTab("teach");
    this.choose("examples");
  }

  draw() {
    const { inputs, classes } = this.examples;
    this.drawing.begin(inputs, classes, { done: (line, points) => this._add(line, points) });
  }

  // ---- learning

  async learn() {
    if (this.busy) return null;
    this.busy = true;
    const given = this.source === "task" ? { task: this.task.value } : { examples: this.examples.lines };
    fill(this.parts.result);
    this.watching.begin();
    this.show();
    const result = await work(this.server, this.parts.status, { do: "learn", learner: this.learner.value, seed: Math.max(0, Math.floor(Number(this.seed.value)) || 0), ...given }, (records) => this.watching.add(records));
    this.busy = false;
    if (result === null) {
      this.show();
      return null;
    }
    this.found = { ...result, ...given };
    if (result.scene) {
      this.app.session.load(result.scene, { play: !matchMedia("(prefers-reduced-motion: reduce)").matches });
      this.app.showTab("teach");
    }
    this._result();
    this.show();
    this.parts.result.scrollIntoView({ block: "nearest" });
    return this.found;
  }

  _result() {
    const { found } = this, ended = found.interrupted && found.verdict !== "proved";
    const [title, words] = ended ? ["Interrupted", ENDED[found.verdict] ?? ENDED.undecided] : VERDICTS[found.verdict] ?? [found.verdict, ""], good = !ended && ["proved", "exact"].includes(found.verdict);
    fill(this.parts.result, el("div", { class: `card verdict ${good ? "good" : "bad"}` }, el("b", { id: "verdict" }, title), el("p", {}, found.claim ? capital(found.claim.replace(/^[a-z]+: /, "")) : words),
      el("dl", { class: "facts" }, found.graphs === null ? null : [el("dt", {}, "graphs"), el("dd", {}, found.graphs.toLocaleString("en"))],
        found.accuracy === null ? null : [el("dt", {}, "right"), el("dd", {}, `${(100 * found.accuracy).toFixed(2)} % of the labels`)], el("dt", {}, "seconds"), el("dd", {}, found.seconds?.toFixed(1))),
      found.conflict ? [el("p", { class: "hint" }, "These can't all be right:"), this._conflict()] : null,
      found.scene ? el("div", { class: "row" }, found.examples && found.accuracy === 1 ? el("button", { type: "button", id: "settled", class: "strong", onclick: () => this.ask() }, "Do the examples settle it?") : null,
        found.examples ? null : el("button", { type: "button", id: "to-check", onclick: () => this.app.showTab("check") }, "Check it"),
        el("button", { type: "button", id: "save-model", onclick: () => download("model.json", new Blob([found.model], { type: "application/json" })) }, "Save the model")) : null,
      el("div", { id: "settling" }),
      found.attempts.length ? el("details", {}, el("summary", {}, "Sizes that were tried"), el("ul", { class: "attempts" }, found.attempts.map(([size, outcome, seconds]) => el("li", {}, `${size}: ${outcome}, ${seconds} s`)))) : null));
  }

  _conflict() {
    const { inputs, classes } = this.found;
    return el("ul", { class: "examples" }, this.found.conflict.map(({ world, inputs: own, labels }) => {
      const edges = [];
      for (let k = 0; k < world.pairs.length; k += 2) edges.push([world.pairs[k], world.pairs[k + 1]]);
      const line = { num_nodes: world.n, edges, inputs: own, labels: labels.map((label) => label ?? classes[0]), mask: labels.map((label) => label !== null) };
      return el("li", {}, picture(this.app, { line, points: null }, inputs, classes));
    }));
  }

  // ---- do the examples settle it?

  async ask() {
    if (this.busy || !this.found?.scene) return;
    this.busy = true;
    this.show();
    const box = document.getElementById("settling"), found = this.found;
    const result = await work(this.server, box, { do: "suggest", model: modelOf(found.scene), examples: found.examples });
    this.busy = false;
    this.show();
    if (result === null) return;
    const { determined, max_nodes: most, question } = result;
    if (question) this._question(result);
    else fill(box, el("p", { id: "is-settled", role: "status" }, determined ? `Settled: every automaton of this size that fits the examples gives the same answers on all graphs of up to ${most} nodes.` : "Not found out within the time for it."));
  }

  // Shows the graph that settles it; with its labels learning goes on.
  _question({ question, inputs, classes }) {
    this.app.showTab("teach");
    this.choose("examples");
    this.drawing.begin(inputs, classes, {
      world: question.world, given: question.inputs.map((name) => inputs.indexOf(name)),
      asked: { steps: question.steps, words: "Another automaton fits all examples, and gives this graph other labels." },
      done: async (line, points) => {
        this._add(line, points);
        if (await this.learn()) this.ask();
      },
    });
    this.parts.source.querySelector("#to-examples")?.scrollIntoView({ block: "nearest" });
  }
}

function capital(words) {
  return words[0].toUpperCase() + words.slice(1);
}
