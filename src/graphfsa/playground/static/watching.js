// A training while it goes on: the loss and the accuracy against updates, and the soft table.

import { palette } from "./colours.js";
import { el, fill } from "./dom.js";

const LABEL = 74, MOST = 1500;

export class Watching {
  constructor(app, box) {
    Object.assign(this, { app, box });
    this.points = [];
    this.lines = [];
    this.soft = null;
  }

  begin() {
    Object.assign(this, { points: [], lines: [], soft: null });
    fill(this.box);
  }

  add(records) {
    for (const record of records) {
      if (record.loss !== undefined) this.points.push(record);
      if (record.soft) this.soft = record.soft;
      if (record.doing && record.doing !== this.lines.at(-1)) this.lines.push(record.doing);
    }
    this.points = this.points.slice(-MOST);
    this.lines = this.lines.slice(-8);
    if (records.length) this.show();
  }

  // Once more, when light or dark or the width has changed.
  show() {
    if (!this.points.length) {
      fill(this.box, this.lines.length ? el("ol", { class: "steps" }, this.lines.map((line) => el("li", {}, line))) : null);
      return;
    }
    if (!this.curves?.isConnected) {
      this.curves = el("canvas", { id: "curves", role: "img" });
      this.table = el("canvas", { id: "soft", role: "img" });
      this.legend = el("p", { class: "hint" });
      this.caption = el("p", { class: "hint" });
      fill(this.box, el("h3", {}, "Loss and accuracy"), this.curves, this.legend, el("h3", {}, "Soft table"), this.table, this.caption);
    }
    this._curves();
    if (this.soft) this._table();
  }

  _curves() {
    const { points } = this, theme = this.app.themed(), last = points.at(-1), [context, width, height, ratio] = sized(this.curves, 104);
    const first = points[0].updates, span = Math.max(1, last.updates - first), most = points.reduce((top, { loss }) => Math.max(top, loss), 1e-9);
    const line = (colour, share, dashes) => {
      context.beginPath();
      points.forEach((point, k) => context[k ? "lineTo" : "moveTo"](2 * ratio + ((point.updates - first) / span) * (width - 4 * ratio), height - 3 * ratio - share(point) * (height - 6 * ratio)));
      context.setLineDash(dashes.map((dash) => dash * ratio));
      context.strokeStyle = colour;
      context.lineWidth = 2 * ratio;
      context.stroke();
      context.setLineDash([]);
      const end = points.at(-1);
      context.fillStyle = colour;
      context.fillRect(points.length > 1 ? width - 5 * ratio : 0, height - 5.5 * ratio - share(end) * (height - 6 * ratio), 5 * ratio, 5 * ratio);
    };
    context.strokeStyle = theme.line;
    context.lineWidth = ratio;
    context.strokeRect(0.5, 0.5, width - 1, height - 1);
    line(theme.accent, ({ loss }) => loss / most, []);
    line(theme.ink, ({ accuracy }) => accuracy, [5, 3]);
    const words = `loss ${last.loss.toPrecision(3)}, ${(100 * last.accuracy).toFixed(1)} % right, update ${last.updates.toLocaleString("en")}`;
    fill(this.legend, el("i", { class: "key", style: { "--own": theme.accent } }), `loss ${last.loss.toPrecision(3)} of ${most.toPrecision(3)} `, el("i", { class: "key dashed", style: { "--own": theme.ink } }),
      `${(100 * last.accuracy).toFixed(1)} % right, update ${last.updates.toLocaleString("en")}, ${last.states} states, ${last.solved} without an error`);
    this.curves.setAttribute("aria-label", words);
  }

  // A row for each state, a column for each value; a cell is parted by the probabilities of what comes next.
  _table() {
    const { names, values, probabilities, columns } = this.soft, theme = this.app.themed(), colours = palette(names, {}, this.app.dark);
    const row = 22, [context, width, , ratio] = sized(this.table, row * names.length), label = LABEL * ratio, wide = (width - label) / values.length;
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    names.forEach((name, state) => {
      const top = state * row * ratio, high = (row - 4) * ratio;
      context.fillStyle = colours[state];
      context.fillRect(0, top + 4 * ratio, 10 * ratio, 10 * ratio);
      context.strokeStyle = theme.soft;
      context.lineWidth = ratio;
      context.strokeRect(0.5, top + 4 * ratio, 10 * ratio, 10 * ratio);
      context.fillStyle = theme.ink;
      context.fillText(shortened(context, name, label - 20 * ratio), 15 * ratio, top + high / 2);
      values.forEach((_, place) => {
        let from = top;
        probabilities[state][place].forEach((share, next) => {
          context.fillStyle = colours[next];
          context.fillRect(label + place * wide, from, Math.max(1, wide - ratio), share * high);
          from += share * high;
        });
      });
      context.strokeStyle = theme.line;
      context.strokeRect(label - 0.5, top, width - label, high);
    });
    const left = columns > values.length ? `the first ${values.length} of ${columns}` : columns;
    this.caption.textContent = `A row for each state of a node, a column for each thing that it may see (${left}). A cell of one colour is decided: that state comes next.`;
    this.table.setAttribute("aria-label", `Soft table of ${names.length} states and ${columns} values`);
  }
}

function sized(canvas, tall) {
  const ratio = Math.min(2, window.devicePixelRatio || 1), width = Math.max(60, Math.round(canvas.clientWidth * ratio)), height = Math.round(tall * ratio);
  canvas.style.setProperty("height", `${tall}px`);
  canvas.width = width;
  canvas.height = height;
  return [canvas.getContext("2d"), width, height, ratio];
}

function shortened(context, name, room) {
  let text = name;
  while (text.length > 1 && context.measureText(text).width > room) text = `${text.slice(0, -2)}…`;
  return text;
}
