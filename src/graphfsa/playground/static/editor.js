// The rules as text: coloured, completed, with what is wrong at its line, and with the lines that nodes use now.

import { el, fill, later } from "./dom.js";
import { KEYWORDS, plainName } from "./line.js";

const LINE = 20, LETTER = 13 * 0.6;
const PIECES = /("(?:[^"\\]|\\.)*")|(->|[,:;<])|((?:(?!->)[^\s,:";<])+)|(\s+)|(.)/gu;
const WORDS = new Set(["if", "otherwise", "stays", "and", "or", "->", "states", "aggregation", "final", "starting", "with", "probability"]);
const AMOUNTS = ["some neighbour is", "no neighbour is", "every neighbour is", "exactly one neighbour is", "exactly 2 neighbours are",
  "at least 2 neighbours are", "at most one neighbour is", "2 or 3 neighbours are"];
const SHARES = ["at least half of the neighbours are", "less than half of the neighbours are", "all of the neighbours are", "not all of the neighbours are"];
const KINDS = ["counting bound=1", "counting bound=2", "positional num_slots=2", "average-threshold thresholds=[0.5]", "letters count"];

export class Editor {
  constructor(parts, session) {
    Object.assign(this, parts);
    this.session = session;
    this.bad = null;
    this.usedLines = new Set();
    this.colours = [];
    const check = later(() => this.check(), 140);
    this.text.addEventListener("input", () => {
      this.tintLines();
      check();
      this.complete();
    });
    this.text.addEventListener("scroll", () => this.scrolled());
    this.text.addEventListener("keydown", (event) => this.key(event));
    this.text.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    this.text.addEventListener("click", () => this.close());
  }

  // What was changed elsewhere.
  refresh() {
    const { rules } = this.session;
    this.text.readOnly = rules === null;
    if (rules === null) {
      this.text.value = "# This table is too large for words.\n# Change its entries beside the diagram.";
    } else if (this.text.value !== rules) this.text.value = rules;
    this.bad = null;
    this.wrong.textContent = "";
    this.tintLines();
  }

  check() {
    if (this.text.readOnly || this.text.value === this.session.rules) {
      if (!this.text.readOnly) this.show(null);
      return;
    }
    try {
      this.session.setRules(this.text.value);
      this.show(null);
      this.status.textContent = "Changed: the world runs by it now.";
      setTimeout(() => { this.status.textContent = ""; }, 2500);
    } catch (problem) {
      this.show(problem);
    }
  }

  show(problem) {
    this.bad = problem?.line ?? null;
    this.wrong.textContent = problem ? `${problem.line ? `Line ${problem.line}: ` : ""}${problem.message}. Until then the old rules hold.` : "";
    this.text.setAttribute("aria-invalid", problem ? "true" : "false");
    this.tintLines();
  }

  setUsed(lines) {
    if (lines.size === this.usedLines.size && [...lines].every((line) => this.usedLines.has(line))) return;
    this.usedLines = lines;
    this.tintLines();
  }

  tintLines() {
    const names = this.session.fsa.names, lines = this.text.value.split("\n");
    const fresh = this.text.value !== this.session.rules;
    fill(this.tint, lines.map((line, index) => {
      const used = !fresh && this.usedLines.has(index + 1), bad = this.bad === index + 1;
      return el("span", { class: `line${used ? " used" : ""}${bad ? " bad" : ""}` }, this.pieces(line, names));
    }));
    fill(this.gutter, lines.map((_, index) => {
      const bad = this.bad === index + 1, used = !fresh && this.usedLines.has(index + 1);
      return el("span", { class: bad ? "bad" : used ? "used" : null }, String(index + 1));
    }));
    this.scrolled();
  }

  pieces(line, names) {
    if (line.trimStart().startsWith("#")) return [el("span", { class: "remark" }, line)];
    return [...line.matchAll(PIECES)].map(([piece, quoted, , word]) => {
      let name = word ?? null;
      if (quoted) {
        try {
          name = JSON.parse(quoted);
        } catch {
          name = null;
        }
      }
      const state = name === null || (word && KEYWORDS.has(word)) ? -1 : names.indexOf(name);
      if (state >= 0) return el("span", { class: "name dot", style: { "--own": this.colours[state] } }, piece);
      return WORDS.has(piece) ? el("span", { class: "word" }, piece) : piece;
    });
  }

  scrolled() {
    this.tint.scrollTop = this.gutter.scrollTop = this.text.scrollTop;
    this.tint.scrollLeft = this.text.scrollLeft;
  }

  goTo(line) {
    const lines = this.text.value.split("\n"), from = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    this.text.focus();
    this.text.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
    this.text.scrollTop = Math.max(0, (line - 5) * LINE);
  }

  // ---- completion

  complete() {
    const { value, selectionStart } = this.text, before = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
    const word = /("?[^\s,:"]*)$/.exec(before)[1], head = before.slice(0, before.length - word.length);
    if (value[selectionStart] && /[^\s,]/.test(value[selectionStart])) return this.close();
    const found = this.candidates(head.trim()).filter((each) => each.startsWith(word) && each !== word).slice(0, 9);
    if (!found.length || (!word && !/(->|if|and|aggregation:|is|are|stays)\s$/.test(before))) return this.close();
    this.word = word;
    this.chosen = 0;
    fill(this.choices, found.map((each, k) => el("li", { role: "option", id: `choice-${k}`, onmousedown: (event) => {
      event.preventDefault();
      this.accept(each);
    } }, each)));
    const row = value.slice(0, selectionStart).split("\n").length, { paper, choices } = this;
    choices.hidden = false;
    choices.style.left = `${Math.max(4, Math.min(10 + before.length * LETTER - this.text.scrollLeft, paper.clientWidth - choices.offsetWidth - 8))}px`;
    const top = 12 + row * LINE - this.text.scrollTop;
    choices.style.top = `${top + choices.offsetHeight > paper.clientHeight ? Math.max(2, top - LINE - choices.offsetHeight - 4) : top}px`;
    this.mark();
  }

  candidates(head) {
    const { fsa } = this.session, names = fsa.names.map(plainName), last = head.split(/\s+/).pop();
    if (head === "") return [...names, "states:", "starting states:", "final states:", "aggregation:"];
    if (head === "aggregation:") return KINDS;
    if (/:$/.test(head.split(/\s+/)[0]) || /^(starting|final) states:/.test(head)) return names;
    const words = head.split(/\s+/);
    if (words.length === 1) return ["->", "stays"];
    if (["->", "is", "are", "or", "not", "nor", "neither"].includes(last) || last.endsWith(",")) return [...names, "not", "neither", "missing"];
    if (last === "if" || last === "and") {
      const { features } = fsa.aggregation;
      const parts = features.parts.flatMap(({ name }) => [`${name} is`]);
      const counts = features.counts || features.sums.length ? AMOUNTS : [];
      const highest = features.sums.some(({ sum }) => sum.kind === "highest") ? ["the highest neighbour is"] : [];
      return [...parts, ...(features.shares.length ? SHARES : []), ...highest, ...counts];
    }
    if (last === "stays" || words[words.length - 2] === "->") return ["if", "otherwise", "with probability"];
    return ["and", "or", "neighbour is", "neighbours are", ...names];
  }

  mark() {
    [...this.choices.children].forEach((item, k) => item.setAttribute("aria-selected", String(k === this.chosen)));
    this.text.setAttribute("aria-expanded", "true");
    this.text.setAttribute("aria-activedescendant", `choice-${this.chosen}`);
  }

  close() {
    this.choices.hidden = true;
    this.text.setAttribute("aria-expanded", "false");
    this.text.removeAttribute("aria-activedescendant");
  }

  accept(words) {
    const { selectionStart } = this.text, from = selectionStart - this.word.length;
    this.text.setRangeText(`${words} `, from, selectionStart, "end");
    this.close();
    this.text.dispatchEvent(new Event("input"));
  }

  key(event) {
    const { key } = event, open = !this.choices.hidden;
    if (!open) {
      if (key === " " && event.ctrlKey) {
        event.preventDefault();
        this.complete();
      }
      return;
    }
    if (key === "Escape") this.close();
    else if (key === "ArrowDown" || key === "ArrowUp") {
      const count = this.choices.children.length;
      this.chosen = (this.chosen + (key === "ArrowDown" ? 1 : count - 1)) % count;
      this.mark();
    } else if (key === "Tab" || (key === "Enter" && this.word)) this.accept(this.choices.children[this.chosen].textContent);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
