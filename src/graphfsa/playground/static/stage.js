// The world as a picture: lattices as pixels, rows of cells as space and time, other graphs as nodes and lines; and
// which node lies under a finger.

import { inkOn, pixels } from "./colours.js";

const ROW = Math.sqrt(3) / 2;
const HEX = [[0, -0.5774], [0.5, -0.2887], [0.5, 0.2887], [0, 0.5774], [-0.5, 0.2887], [-0.5, -0.2887]];
const CIRCLES = 4000;
const LINES = 400_000;

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.graph = null;
    this.points = null;
    this.rows = [];
    this.view = { scale: 1, x: 0, y: 0 };
    this.selected = null;
    this.cursor = null;
    this.marks = [];
    this.given = null; // While labels are given: the state of each node that stands for its input.
    this.fitted = true;
    this.theme = { ground: "#fff", line: "#ccc", ink: "#000", accent: "#000" };
    this._small = document.createElement("canvas");
    this._lines = document.createElement("canvas");
    this._over = document.createElement("canvas");
    this._linesFor = null;
  }

  get kind() {
    if (!this.graph?.lattice) return "graph";
    return this.graph.lattice.kind === "line" ? "rows" : this.graph.lattice.kind === "hex" ? "hex" : "cells";
  }

  setWorld(graph, points) {
    this.graph = graph;
    this.points = points;
    this._linesFor = null;
    this.fit();
  }

  movePoints(points) {
    this.points = points;
    this._linesFor = null;
  }

  setColours(colours, theme) {
    this.colours = colours;
    this.theme = theme;
    this.pixels = pixels(colours);
    this._linesFor = null;
  }

  // The size of the world in its own units.
  extent() {
    const { lattice } = this.graph;
    if (this.kind === "rows") return [0, 0, lattice.width, this.rowsShown()];
    if (this.kind === "cells") return [0, 0, lattice.width, lattice.height];
    if (this.kind === "hex") return [0, 0, lattice.width + 0.5, (lattice.height - 1) * ROW + 1.1547];
    let [left, top, right, bottom] = [0, 0, 0, 0];
    for (let k = 0; k < this.points.length; k += 2) {
      const x = this.points[k], y = this.points[k + 1];
      if (k === 0) [left, top, right, bottom] = [x, y, x, y];
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
    return [left - 0.7, top - 0.7, right + 0.7, bottom + 0.7];
  }

  rowsShown() {
    const { width, height } = this.canvas;
    return Math.max(8, Math.floor((height / width) * this.graph.lattice.width));
  }

  fit() {
    if (!this.graph || !this.canvas.width) return;
    const [left, top, right, bottom] = this.extent(), { width, height } = this.canvas;
    const w = Math.max(right - left, 1), h = Math.max(bottom - top, 1), margin = this.kind === "rows" ? 1 : 0.965;
    const scale = Math.min(Math.min(width / w, height / h) * margin, 64 * (window.devicePixelRatio || 1));
    this.view = { scale, x: width / 2 - ((left + right) / 2) * scale, y: height / 2 - ((top + bottom) / 2) * scale };
    this.fitted = true;
  }

  zoom(factor, x = this.canvas.width / 2, y = this.canvas.height / 2) {
    const { view } = this, scale = Math.min(400, Math.max(0.02, view.scale * factor)), by = scale / view.scale;
    this.view = { scale, x: x - (x - view.x) * by, y: y - (y - view.y) * by };
    this.fitted = false;
  }

  pan(x, y) {
    this.view.x += x;
    this.view.y += y;
    this.fitted = false;
  }

  toWorld(x, y) {
    return [(x - this.view.x) / this.view.scale, (y - this.view.y) / this.view.scale];
  }

  // Where a node is in the world.
  place(node) {
    const { lattice } = this.graph;
    if (!lattice) return [this.points[2 * node], this.points[2 * node + 1]];
    const row = Math.floor(node / lattice.width), column = node % lattice.width;
    if (this.kind === "rows") return [column + 0.5, this._rowsBelow() - 0.5];
    if (this.kind === "hex") return [column + 0.5 + (row & 1) / 2, row * ROW + 0.5774];
    return [column + 0.5, row + 0.5];
  }

  _rowsBelow() {
    return Math.min(this.rows.length, this.rowsShown());
  }

  nodeAt(x, y) {
    if (!this.graph) return null;
    const [wx, wy] = this.toWorld(x, y), { lattice } = this.graph;
    if (!lattice) return this._nearest(wx, wy);
    let row = this.kind === "rows" ? 0 : Math.floor(wy), column = Math.floor(wx);
    if (this.kind === "hex") {
      let best = Infinity;
      for (let r = Math.floor(wy / ROW) - 1; r <= wy / ROW + 1; r++) {
        const c = Math.floor(wx - (r & 1) / 2), d = (c + 0.5 + (r & 1) / 2 - wx) ** 2 + (r * ROW + 0.5774 - wy) ** 2;
        if (d < best) [best, row, column] = [d, r, c];
      }
    }
    const inside = row >= 0 && column >= 0 && row < lattice.height && column < lattice.width;
    return inside ? row * lattice.width + column : null;
  }

  _nearest(x, y) {
    const reach = Math.max(this.radius() * 1.4, 14 * (window.devicePixelRatio || 1)) / this.view.scale;
    let found = null, best = reach * reach;
    for (let node = 0; node < this.graph.n; node++) {
      const d = (this.points[2 * node] - x) ** 2 + (this.points[2 * node + 1] - y) ** 2;
      if (d < best) [found, best] = [node, d];
    }
    return found;
  }

  radius() {
    const small = this.graph.n > CIRCLES ? 0.3 : 0.34;
    return Math.max(this.graph.n > CIRCLES ? 1 : 2.5, Math.min(this.view.scale * small, 26 * (window.devicePixelRatio || 1)));
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas, ratio = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.max(1, Math.round(clientWidth * ratio)), height = Math.max(1, Math.round(clientHeight * ratio));
    if (this.canvas.width === width && this.canvas.height === height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this._linesFor = null;
    if (this.fitted) this.fit();
  }

  draw(states) {
    const { context, canvas, theme } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = theme.ground;
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (!this.graph || !states) return;
    this[`_${this.kind}`](states);
    if (this.given && states.length <= CIRCLES && this.kind !== "rows") this._inputs(states);
    for (const node of this.marks.slice(0, CIRCLES)) this._mark(node);
    if (this.cursor !== null) this._outline(this.cursor, theme.accent, [4, 3]);
    if (this.selected !== null && this.selected < this.graph.n) this._outline(this.selected, theme.accent, []);
  }

  // ---- lattices

  _image(width, height, paint) {
    const small = this._small;
    if (small.width !== width || small.height !== height || !this._pixels) {
      small.width = width;
      small.height = height;
      this._pixels = small.getContext("2d").createImageData(width, height);
    }
    paint(new Uint32Array(this._pixels.data.buffer));
    small.getContext("2d").putImageData(this._pixels, 0, 0);
    const { scale, x, y } = this.view;
    this.context.imageSmoothingEnabled = scale < 1;
    this.context.drawImage(small, x, y, width * scale, height * scale);
  }

  _cells(states) {
    const { width, height } = this.graph.lattice, own = this.pixels;
    this._image(width, height, (image) => {
      for (let node = 0; node < image.length; node++) image[node] = own[states[node]];
    });
    this._grid(width, height);
  }

  _grid(width, height) {
    const { scale, x, y } = this.view, { context, theme } = this;
    context.strokeStyle = theme.line;
    context.lineWidth = 1;
    context.strokeRect(Math.round(x) - 0.5, Math.round(y) - 0.5, Math.round(width * scale) + 1, Math.round(height * scale) + 1);
    if (scale < 7) return;
    context.globalAlpha = Math.min(1, (scale - 5) / 14);
    context.beginPath();
    const [left, top] = this.toWorld(0, 0), [right, bottom] = this.toWorld(this.canvas.width, this.canvas.height);
    for (let c = Math.max(1, Math.floor(left)); c < Math.min(width, right); c++) {
      context.moveTo(Math.round(x + c * scale) + 0.5, Math.max(0, y));
      context.lineTo(Math.round(x + c * scale) + 0.5, Math.min(this.canvas.height, y + height * scale));
    }
    for (let r = Math.max(1, Math.floor(top)); r < Math.min(height, bottom); r++) {
      context.moveTo(Math.max(0, x), Math.round(y + r * scale) + 0.5);
      context.lineTo(Math.min(this.canvas.width, x + width * scale), Math.round(y + r * scale) + 0.5);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  _rows() {
    const { width } = this.graph.lattice, shown = this.rows.slice(-this.rowsShown()), own = this.pixels;
    if (!shown.length) return;
    this._image(width, shown.length, (image) => {
      shown.forEach((row, k) => { for (let node = 0; node < width; node++) image[k * width + node] = own[row[node]]; });
    });
    const { scale, x, y } = this.view, { context, theme } = this;
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    context.strokeRect(x, y + (shown.length - 1) * scale, width * scale, scale);
  }

  _hex(states) {
    const { width, height } = this.graph.lattice, { scale, x, y } = this.view, { context } = this;
    const [left, top] = this.toWorld(0, 0), [right, bottom] = this.toWorld(this.canvas.width, this.canvas.height);
    const r0 = Math.max(0, Math.floor(top / ROW) - 1), r1 = Math.min(height, Math.ceil(bottom / ROW) + 1);
    const c0 = Math.max(0, Math.floor(left) - 1), c1 = Math.min(width, Math.ceil(right) + 1);
    const paths = this.colours.map(() => new Path2D()), grow = scale < 8 ? 1.02 : 0.97;
    for (let row = r0; row < r1; row++) {
      for (let column = c0; column < c1; column++) {
        const path = paths[states[row * width + column]];
        const cx = x + (column + 0.5 + (row & 1) / 2) * scale, cy = y + (row * ROW + 0.5774) * scale;
        if (scale < 3) {
          path.rect(cx - scale / 2, cy - scale / 2, scale, scale);
          continue;
        }
        HEX.forEach(([hx, hy], k) => (k ? path.lineTo(cx + hx * scale * grow, cy + hy * scale * grow) : path.moveTo(cx + hx * scale * grow, cy + hy * scale * grow)));
        path.closePath();
      }
    }
    paths.forEach((path, state) => {
      context.fillStyle = this.colours[state];
      context.fill(path);
    });
  }

  // ---- other graphs

  _graph(states) {
    this._drawLines();
    this.context.drawImage(this._lines, 0, 0);
    if (this.graph.n > CIRCLES) this._dots(states);
    else this._circles(states);
  }

  // Lines change only with the view: they are drawn once.
  _drawLines() {
    const { scale, x, y } = this.view, key = `${scale} ${x} ${y} ${this.canvas.width} ${this.canvas.height}`;
    if (this._linesFor === key) return;
    this._linesFor = key;
    const canvas = this._lines, { graph, points, theme } = this;
    canvas.width = this.canvas.width;
    canvas.height = this.canvas.height;
    const context = canvas.getContext("2d"), { indptr, indices } = graph.arcs;
    const many = graph.numArcs > 20_000, head = graph.directed && graph.n <= 400;
    context.strokeStyle = theme.line;
    context.globalAlpha = many ? Math.max(0.03, Math.min(0.3, 3000 / Math.sqrt(graph.numArcs) / 40)) : 1;
    context.lineWidth = many ? 0.6 : Math.max(1, Math.min(2.5, scale * 0.05));
    context.beginPath();
    const every = Math.max(1, Math.ceil(graph.numArcs / LINES)), r = this.radius();
    for (let node = 0, count = 0; node < graph.n; node++) {
      for (let arc = indptr[node]; arc < indptr[node + 1]; arc++) {
        const other = indices[arc];
        if ((graph.symmetric && other > node) || count++ % every) continue;
        const ax = x + points[2 * other] * scale, ay = y + points[2 * other + 1] * scale;
        const bx = x + points[2 * node] * scale, by = y + points[2 * node + 1] * scale;
        if (other === node) {
          context.moveTo(bx + r * 2, by - r);
          context.arc(bx + r, by - r, r, 0, 2 * Math.PI);
          continue;
        }
        context.moveTo(ax, ay);
        context.lineTo(bx, by);
        // Lines of one path don't darken each other; of several paths they do, which shows where they are many.
        if (many && count % 400 === 0) {
          context.stroke();
          context.beginPath();
        }
        if (head) arrow(context, ax, ay, bx, by, r);
      }
    }
    context.stroke();
  }

  _circles(states) {
    const { scale, x, y } = this.view, { context, points, theme } = this, r = this.radius();
    const paths = this.colours.map(() => new Path2D());
    for (let node = 0; node < states.length; node++) {
      const cx = x + points[2 * node] * scale, cy = y + points[2 * node + 1] * scale;
      if (cx < -r || cy < -r || cx > this.canvas.width + r || cy > this.canvas.height + r) continue;
      const path = paths[states[node]];
      path.moveTo(cx + r, cy);
      path.arc(cx, cy, r, 0, 2 * Math.PI);
    }
    context.strokeStyle = theme.ink;
    context.lineWidth = Math.max(1, Math.min(2, r * 0.12));
    paths.forEach((path, state) => {
      context.fillStyle = this.colours[state];
      context.fill(path);
      context.globalAlpha = 0.55;
      context.stroke(path);
      context.globalAlpha = 1;
    });
    if (r > 13 && states.length <= 300) this._numbers(states, r);
  }

  _numbers(states, r) {
    const { scale, x, y } = this.view, { context, points } = this;
    context.font = `${Math.round(r * 0.8)}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    states.forEach((state, node) => {
      context.fillStyle = inkOn(this.colours[state]);
      context.fillText(String(node), x + points[2 * node] * scale, y + points[2 * node + 1] * scale + 1);
    });
  }

  // Many nodes are squares of a few pixels, written one by one.
  _dots(states) {
    const { scale, x, y } = this.view, { width, height } = this.canvas, { points, context } = this;
    const over = this._over;
    if (over.width !== width || over.height !== height || !this._overPixels) {
      over.width = width;
      over.height = height;
      this._overPixels = over.getContext("2d").createImageData(width, height);
    }
    const target = new Uint32Array(this._overPixels.data.buffer).fill(0);
    const size = Math.max(1, Math.min(8, Math.round(this.radius() * 1.6))), half = size >> 1, own = this.pixels;
    for (let node = 0; node < states.length; node++) {
      const left = Math.round(x + points[2 * node] * scale) - half, top = Math.round(y + points[2 * node + 1] * scale) - half;
      if (left < 0 || top < 0 || left + size > width || top + size > height) continue;
      const colour = own[states[node]];
      for (let row = 0, start = top * width + left; row < size; row++, start += width) {
        for (let k = start; k < start + size; k++) target[k] = colour;
      }
    }
    over.getContext("2d").putImageData(this._overPixels, 0, 0);
    context.drawImage(over, 0, 0);
  }

  // Around each node that has a label its input, as a ring; in cells as a small mark.
  _inputs(states) {
    const { scale, x, y } = this.view, { context, theme, given } = this, round = this.kind === "graph", r = round ? this.radius() : scale * 0.17;
    context.strokeStyle = theme.ink;
    states.forEach((state, node) => {
      if (state === given[node]) return;
      const [wx, wy] = this.place(node), cx = x + wx * scale, cy = y + wy * scale;
      context.beginPath();
      context.arc(cx, cy, r, 0, 2 * Math.PI);
      if (round) context.arc(cx, cy, r * 0.64, 0, 2 * Math.PI, true);
      context.fillStyle = this.colours[given[node]];
      context.fill();
      context.lineWidth = Math.max(1, Math.min(2, r * 0.12));
      context.globalAlpha = 0.55;
      context.stroke();
      context.globalAlpha = 1;
    });
  }

  // Cells lie close together, so theirs are marked inside.
  _mark(node) {
    const [wx, wy] = this.place(node), { scale, x, y } = this.view, { context, theme } = this, wide = Math.max(1, scale * 0.16);
    if (this.kind === "graph" || this.kind === "hex") {
      this._outline(node, theme.bad, [5, 3]);
      return;
    }
    context.strokeStyle = theme.bad;
    context.lineWidth = wide;
    context.strokeRect(x + (wx - 0.5) * scale + wide / 2, y + (wy - 0.5) * scale + wide / 2, scale - wide, scale - wide);
  }

  _outline(node, colour, dashes) {
    const [wx, wy] = this.place(node), { scale, x, y } = this.view, { context } = this;
    const ratio = window.devicePixelRatio || 1;
    const r = this.kind === "graph" ? this.radius() + 4 * ratio : Math.max(scale / 2 + 2 * ratio, 5 * ratio);
    context.setLineDash(dashes.map((dash) => dash * ratio));
    for (const [stroke, width] of [[this.theme.ground, 5], [colour, 2.5]]) {
      context.strokeStyle = stroke;
      context.lineWidth = width * ratio;
      context.beginPath();
      if (this.kind === "graph" || this.kind === "hex") context.arc(x + wx * scale, y + wy * scale, r, 0, 2 * Math.PI);
      else context.rect(x + wx * scale - r, y + wy * scale - r, 2 * r, 2 * r);
      context.stroke();
    }
    context.setLineDash([]);
  }
}

function arrow(context, ax, ay, bx, by, r) {
  const d = Math.hypot(bx - ax, by - ay) || 1, ux = (bx - ax) / d, uy = (by - ay) / d, size = Math.min(9, r);
  const tx = bx - ux * (r + 1), ty = by - uy * (r + 1);
  context.moveTo(tx - ux * size - uy * size * 0.5, ty - uy * size + ux * size * 0.5);
  context.lineTo(tx, ty);
  context.lineTo(tx - ux * size + uy * size * 0.5, ty - uy * size - ux * size * 0.5);
}
