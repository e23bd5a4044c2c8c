// The number of nodes in each state over time: one line for each state, and what it is now beside it.

import { el, fill } from "./dom.js";

export class Plot {
  constructor(canvas, list, goTo) {
    this.canvas = canvas;
    this.list = list;
    canvas.addEventListener("click", (event) => {
      if (!this.times) return;
      const share = event.offsetX / canvas.clientWidth, [first, last] = this.times;
      goTo(Math.round(first + share * (last - first)));
    });
    this.keys = null;
  }

  draw(session, colours, theme) {
    const { canvas } = this, ratio = Math.min(2, window.devicePixelRatio || 1), { series } = session;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, width, height);
    const first = series.length ? series.times[0] : 0, last = Math.max(first + 20, session.time), n = Math.max(1, session.graph.n);
    this.times = [first, last];
    context.strokeStyle = theme.line;
    context.lineWidth = ratio;
    for (const share of [0, 0.5, 1]) {
      const y = 3 * ratio + (1 - share) * (height - 6 * ratio);
      context.globalAlpha = share === 0.5 ? 0.5 : 1;
      context.beginPath();
      context.moveTo(0, y);
      context.lineTo(width, y);
      context.stroke();
    }
    context.globalAlpha = 1;
    const every = Math.max(1, Math.floor(series.length / width));
    colours.forEach((colour, state) => {
      context.beginPath();
      for (let k = 0; k < series.length; k++) {
        if (k % every && k < series.length - 1) continue;
        const x = ((series.times[k] - first) / (last - first)) * width, y = 3 * ratio + (1 - series.at(k, state) / n) * (height - 6 * ratio);
        if (k === 0) context.moveTo(x, y);
        else context.lineTo(x, y);
      }
      // A pale line needs an edge to be seen on a pale ground.
      context.lineJoin = "round";
      context.strokeStyle = theme.soft;
      context.globalAlpha = 0.5;
      context.lineWidth = 3.4 * ratio;
      context.stroke();
      context.globalAlpha = 1;
      context.strokeStyle = colour;
      context.lineWidth = 2.2 * ratio;
      context.stroke();
    });
    this._counts(session, colours);
  }

  _counts(session, colours) {
    const { names } = session.fsa, counts = session.counts, key = `${names} ${colours}`;
    if (this.keys !== key) {
      this.keys = key;
      fill(this.list, names.map((name, state) => el("li", {},
        el("span", { class: "chip" }, el("i", { class: "swatch", style: { "--own": colours[state] } }), el("bdi", {}, name)), el("span"))));
    }
    names.forEach((_, state) => { this.list.children[state].lastChild.textContent = counts[state].toLocaleString("en"); });
  }
}
