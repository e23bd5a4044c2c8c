// Check: is the automaton on the page right for a task? On all small graphs, on graphs of every size, in a report; and
// where it is wrong, the graph that shows it appears on the canvas.

import { el, fill } from "./dom.js";
import { modelOf } from "./teaching.js";
import { work } from "./working.js";

const OWN = "(examples)";

export class Checking {
  constructor(app, server, panel, teaching, comparing) {
    Object.assign(this, { app, server, teaching });
    this.task = el("select", { id: "check-task", "aria-label": "Task", onchange: () => this._shown() });
    this.most = el("input", { type: "number", id: "check-most", value: 5, min: 1, max: 12 });
    this.parts = Object.fromEntries(["status", "result"].map((name) => [name, el("div", { id: `check-${name}` })]));
    const button = (name, words, act) => el("button", { type: "button", id: name, onclick: act }, words);
    this.buttons = [button("verify", "Verify", () => this.verify()), button("prove", "Prove", () => this.prove()), button("report", "Report", () => this.report())];
    this.hint = el("p", { class: "hint" });
    fill(panel, el("h2", {}, "Check"), el("p", { class: "lead" }, "Is the automaton on the page right?"),
      el("div", { class: "row" }, this.task, el("label", {}, "up to", this.most, "nodes")), el("div", { class: "row" }, this.buttons), this.hint,
      this.parts.status, this.parts.result, comparing.box);
    this.comparing = comparing;
    comparing.task = () => (teaching.tasks[this.task.value] ? this.task.value : null);
    for (const event of ["automaton", "world"]) app.session.on(event, () => !panel.hidden && this.show());
    app.session.on("automaton", () => app.session.rules !== this.about && fill(this.parts.result));
    app.session.on("world", () => !this.putting && this.where && (this.where.textContent = "The canvas shows another world now."));
  }

  // Tasks whose names the automaton knows come first.
  show() {
    const { fsa } = this.app.session, { tasks, examples, found } = this.teaching, before = this.task.value;
    const known = (names, states) => names.every((name) => states.includes(name) || states.includes(`${name} (start)`));
    const of = (states) => states.map((state) => fsa.names[state]);
    const fits = ({ inputs, classes, kind }) => (kind === "evolution" ? fsa.names.length === classes.length && known(classes, fsa.names) : known(inputs, of(fsa.starting)) && known(classes, of(fsa.final)));
    const names = Object.keys(tasks).filter((name) => fits(tasks[name]));
    const { preset } = this.app.session;
    if (names.includes(preset)) names.unshift(...names.splice(names.indexOf(preset), 1));
    if (found?.task && names.includes(found.task)) names.unshift(...names.splice(names.indexOf(found.task), 1));
    const own = examples.list.length > 0 && known(examples.inputs, of(fsa.starting)) && known(examples.classes, of(fsa.final));
    this.names = [...names, ...(own ? [OWN] : [])];
    fill(this.task, this.names.map((name) => el("option", { value: name }, name === OWN ? `my ${examples.list.length} examples` : name)), this.names.length ? null : el("option", { value: "" }, "no task of these states"));
    if (this.names.includes(before)) this.task.value = before;
    this.comparing.show();
    this._shown();
  }

  _shown() {
    const [verify, prove, report] = this.buttons, { value } = this.task, idle = !this.busy;
    verify.disabled = report.disabled = !value || !idle;
    prove.disabled = !this.teaching.tasks[value]?.provable || !idle;
    this.most.disabled = value === OWN;
    this.hint.textContent = !value ? "No task has inputs and labels that are called like the starting and final states of this automaton."
      : value === OWN ? "Verify runs all of them. A proof needs a task, which says what is right on every graph."
        : "Verify looks at all graphs up to this size and at all inputs; Prove is about graphs of every size.";
  }

  async _ask(request) {
    this.busy = true;
    this.about = this.app.session.rules;
    this._shown();
    const { value } = this.task, about = value === OWN ? { examples: this.teaching.examples.lines } : { task: value };
    fill(this.parts.result);
    const result = await work(this.server, this.parts.status, { model: modelOf(this.app.session.scene()), ...about, ...request });
    this.busy = false;
    this._shown();
    return result;
  }

  async verify() {
    const found = await this._ask({ do: "verify", max_nodes: Math.min(12, Math.max(1, Math.floor(Number(this.most.value)) || 5)) });
    if (!found) return;
    const amount = `${found.instances.toLocaleString("en")} instances on ${found.graphs.toLocaleString("en")} graphs`;
    this._tell(found.verified, found.verified ? "Right" : "Wrong", found.verified ? `On all ${amount}${this.task.value === OWN ? "" : ` of up to ${found.max_nodes} nodes`}.` : `Found after ${amount}.`, found.wrong);
  }

  async prove() {
    const found = await this._ask({ do: "prove" });
    if (!found) return;
    const title = { proved: "Proved", refuted: "Refuted", undecided: "Undecided" }[found.verdict];
    const words = found.verdict === "proved" ? `${found.claim[0].toUpperCase()}${found.claim.slice(1)}, ${found.steps}.` : found.verdict === "undecided" ? found.reason : `This is false: ${found.claim}.`;
    this._tell(found.verdict === "proved", title, words, found.wrong, found.words);
  }

  async report() {
    const { title } = this.app.session, found = await this._ask({ do: "report", title: title ? title.slice(0, 200) : null });
    if (!found) return;
    fill(this.parts.result, el("div", { class: "card verdict good" }, el("b", {}, "The report is written"), el("p", {}, "Rules, diagram, accuracy, verification, proof and a run to play, on one page. It lives as long as the server; save it from its own window."),
      el("a", { class: "button strong", id: "open-report", href: found.address, target: "_blank", rel: "noopener" }, "Open the report")));
  }

  _tell(good, title, words, wrong, lines = []) {
    if (wrong) this._put(wrong);
    fill(this.parts.result, el("div", { class: `card verdict ${good ? "good" : "bad"}` }, el("b", { id: "check-verdict" }, title), el("p", {}, words),
      wrong ? this._table(wrong) : null,
      lines.length ? el("details", {}, el("summary", {}, "Why, in sentences"), lines.map((line) => el("p", { class: "hint" }, line.replace(/^- /, "• ").replaceAll("`", "")))) : null));
  }

  // The graph on which it is wrong, at the step at which it is, with its wrong nodes marked.
  _put({ scene, steps, labels, predictions }) {
    const { session, stage } = this.app, { rules, automaton } = session.scene();
    this.putting = true;
    session.load({ ...scene, ...modelOf({ rules, automaton }), title: session.title || scene.title, colours: session.colours });
    this.putting = false;
    session.goTo(steps);
    stage.marks = labels.flatMap((label, node) => (label !== null && label !== predictions[node] ? [node] : []));
    this.app.actions.redraw();
  }

  _table({ inputs, labels, predictions, steps }) {
    const cell = (name, words) => el(name, {}, words);
    this.where = el("p", { class: "hint" }, `It is on the canvas, after ${steps} step${steps === 1 ? "" : "s"}. Wrong nodes are marked; go back to see how it came about.`);
    return [this.where,
      el("div", { class: "scrolls" }, el("table", { class: "wrongs" }, el("thead", {}, el("tr", {}, ["node", "input", "right", "answer"].map((words) => cell("th", words)))),
        el("tbody", {}, inputs.map((input, node) => {
          const bad = labels[node] !== null && labels[node] !== predictions[node];
          return el("tr", { class: bad ? "bad" : null }, cell("td", node), cell("td", input), cell("td", labels[node] ?? "any"), cell("td", `${predictions[node] ?? "none"}${bad ? " ✗" : ""}`));
        }))))];
  }
}
