// Mouse, finger and keys on the world: painting, asking, moving, drawing nodes and edges.

import { parseRle } from "./patterns.js";

export class Pointer {
  constructor(stage, session, app) {
    Object.assign(this, { stage, session, app });
    this.tool = "paint";
    this.state = 1;
    this.brush = 1;
    this.stamp = null;
    this.down = new Map();
    this.stroke = null;
    // What a click does instead of painting, if something else asks for nodes.
    this.mark = null;
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.lift(event));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      stage.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), ...this.at(event));
      app.redraw();
    }, { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => {
      stage.cursor = null;
      app.redraw();
    });
  }

  at(event) {
    const { canvas } = this.stage, box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) * canvas.width) / box.width, ((event.clientY - box.top) * canvas.height) / box.height];
  }

  press(event) {
    const place = this.at(event);
    this.stage.canvas.setPointerCapture?.(event.pointerId);
    this.down.set(event.pointerId, place);
    if (this.down.size === 2) {
      this.end();
      this.stroke = { kind: "pinch" };
      return;
    }
    const node = this.stage.nodeAt(...place), pan = event.button === 1 || event.button === 2 || this.app.spaceHeld;
    const tool = pan ? "move" : this.tool;
    if (tool === "look") this.app.select(node);
    else if (tool === "paint") this.startPaint(node, event);
    else if (tool === "move") this.stroke = { kind: node !== null && this.stage.kind === "graph" && !pan ? "node" : "pan", node, last: place };
    else if (tool === "build") this.startBuild(node, place);
    else if (tool === "erase" && node !== null) this.erase(node);
  }

  startPaint(node, event) {
    if (node === null) return;
    if (this.mark) {
      this.mark(node);
      return;
    }
    if (this.stamp && this.stage.kind === "cells") {
      this.putStamp(node);
      return;
    }
    this.session.remember();
    const names = this.session.fsa.names;
    // With two states a stroke that begins on this state takes it away, as one expects of cells.
    const state = event.shiftKey || (names.length === 2 && this.session.states[node] === this.state) ? (this.state === 0 ? 1 : 0) : this.state;
    this.stroke = { kind: "paint", state, last: node };
    this.paintAt(node);
  }

  paintAt(node) {
    const nodes = this.around(node).filter((each) => this.session.states[each] !== this.stroke.state);
    if (nodes.length) this.session.paint(nodes, this.stroke.state);
  }

  around(node) {
    const { lattice } = this.session.graph, size = this.brush;
    if (!lattice || size === 1) return [node];
    const row = Math.floor(node / lattice.width), column = node % lattice.width, found = [], reach = size - 1;
    for (let r = row - reach; r <= row + reach; r++) {
      for (let c = column - reach; c <= column + reach; c++) {
        const inside = r >= 0 && c >= 0 && r < lattice.height && c < lattice.width;
        if (inside && (r - row) ** 2 + (c - column) ** 2 <= reach * reach + 0.5) found.push(r * lattice.width + c);
      }
    }
    return found;
  }

  putStamp(node) {
    const { cells, rows, columns } = parseRle(this.stamp), { width, height, torus } = this.session.graph.lattice;
    const top = Math.floor(node / width) - (rows >> 1), left = (node % width) - (columns >> 1), states = this.session.states.slice();
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++) {
        let [y, x] = [top + r, left + c];
        if (torus) [y, x] = [(y + height) % height, (x + width) % width];
        if (y >= 0 && x >= 0 && y < height && x < width) states[y * width + x] = cells[r * columns + c];
      }
    }
    this.session.setStates(states);
  }

  drag(event) {
    const place = this.at(event);
    if (!this.down.has(event.pointerId)) return;
    const before = this.down.get(event.pointerId), { stroke } = this;
    this.down.set(event.pointerId, place);
    if (stroke?.kind === "pinch" && this.down.size === 2) {
      const [a, b] = [...this.down.entries()].map(([id, at]) => [at, id === event.pointerId ? before : at]);
      const now = Math.hypot(a[0][0] - b[0][0], a[0][1] - b[0][1]), was = Math.hypot(a[1][0] - b[1][0], a[1][1] - b[1][1]);
      this.stage.pan((place[0] - before[0]) / 2, (place[1] - before[1]) / 2);
      this.stage.zoom(now / (was || 1), (a[0][0] + b[0][0]) / 2, (a[0][1] + b[0][1]) / 2);
    } else if (stroke?.kind === "paint") this.dragPaint(before, place);
    else if (stroke?.kind === "pan") this.stage.pan(place[0] - before[0], place[1] - before[1]);
    else if (stroke?.kind === "node") this.moveNode(stroke.node, place);
    else if (stroke?.kind === "edge") stroke.to = place;
    this.app.redraw();
  }

  // Every node on the way, though the mouse was faster.
  dragPaint(before, place) {
    const far = Math.hypot(place[0] - before[0], place[1] - before[1]), steps = Math.max(1, Math.ceil(far / Math.max(2, this.stage.view.scale / 2)));
    for (let k = 1; k <= steps; k++) {
      const node = this.stage.nodeAt(before[0] + ((place[0] - before[0]) * k) / steps, before[1] + ((place[1] - before[1]) * k) / steps);
      if (node === null || node === this.stroke.last) continue;
      this.stroke.last = node;
      this.paintAt(node);
    }
  }

  moveNode(node, place) {
    const [x, y] = this.stage.toWorld(...place), { points } = this.session;
    points[2 * node] = x;
    points[2 * node + 1] = y;
    this.stage.movePoints(points);
    this.stroke.moved = true;
  }

  lift(event) {
    const place = this.down.get(event.pointerId);
    this.down.delete(event.pointerId);
    if (place && this.stroke?.kind === "edge") this.endBuild(place);
    if (this.down.size === 0) this.end();
  }

  end() {
    if (this.stroke?.kind === "node" && this.stroke.moved) this.app.moved();
    this.stroke = null;
  }

  // ---- graphs by hand

  graphSpec() {
    const { session } = this, spec = session.spec;
    return { n: session.graph.n, pairs: Array.from(spec.pairs), points: Array.from(session.points), ...(spec.directed ? { directed: true } : {}) };
  }

  startBuild(node, place) {
    if (this.session.graph.lattice || this.session.spec.slots) {
      this.app.toast("Nodes and edges are drawn in worlds that are graphs; choose one under World.");
      return;
    }
    this.stroke = { kind: "edge", node, from: place, to: place };
    if (node !== null) return;
    const spec = this.graphSpec(), [x, y] = this.stage.toWorld(...place);
    spec.points.push(x, y);
    spec.n++;
    this.stroke.node = spec.n - 1;
    this.session.setGraph(spec, Uint8Array.from([...this.session.states, this.state]));
  }

  endBuild(place) {
    const from = this.stroke.node, to = this.stage.nodeAt(...place);
    if (to === null || to === from) return;
    const spec = this.graphSpec(), { pairs } = spec;
    for (let k = 0; k < pairs.length; k += 2) {
      const same = (pairs[k] === from && pairs[k + 1] === to) || (!spec.directed && pairs[k] === to && pairs[k + 1] === from);
      if (!same) continue;
      pairs.splice(k, 2);
      this.session.setGraph(spec, this.session.states);
      return;
    }
    pairs.push(from, to);
    this.session.setGraph(spec, this.session.states);
  }

  erase(node) {
    if (this.session.graph.lattice || this.session.spec.slots) {
      this.app.toast("Cells of a lattice stay; paint them instead.");
      return;
    }
    if (this.session.graph.n === 1) return;
    const spec = this.graphSpec(), pairs = [];
    for (let k = 0; k < spec.pairs.length; k += 2) {
      const ends = [spec.pairs[k], spec.pairs[k + 1]];
      if (!ends.includes(node)) pairs.push(...ends.map((end) => (end > node ? end - 1 : end)));
    }
    spec.points.splice(2 * node, 2);
    this.app.select(null);
    this.session.setGraph({ ...spec, n: spec.n - 1, pairs }, this.session.states.filter((_, each) => each !== node));
  }

  // ---- keys

  key(event) {
    const { stage, session } = this, step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step && !event.ctrlKey && !event.altKey) stage.cursor = this.next(stage.cursor, step);
    else if (event.key === "w" && stage.cursor !== null) this.app.select(stage.cursor);
    else if (event.key === "Enter" && stage.cursor !== null) {
      if (this.tool === "look") this.app.select(stage.cursor);
      else if (this.mark) this.mark(stage.cursor);
      else {
        session.remember();
        session.paint(this.around(stage.cursor), this.state);
      }
    } else return;
    event.preventDefault();
    event.stopPropagation();
    this.app.toast(`${this.app.nameOf(stage.cursor)}: ${session.fsa.names[session.states[stage.cursor]]}`);
    this.app.redraw();
  }

  next(cursor, [down, right]) {
    const { graph } = this.session;
    if (cursor === null || cursor >= graph.n) return this.stage.nodeAt(this.stage.canvas.width / 2, this.stage.canvas.height / 2) ?? 0;
    if (graph.lattice) {
      const { width, height } = graph.lattice, row = Math.floor(cursor / width), column = cursor % width;
      const r = Math.min(height - 1, Math.max(0, row + down)), c = Math.min(width - 1, Math.max(0, column + right));
      return r * width + c;
    }
    // The nearest node within a quarter turn of the direction.
    const [x, y] = this.stage.place(cursor);
    let found = cursor, best = Infinity;
    for (let node = 0; node < graph.n; node++) {
      const [ox, oy] = this.stage.place(node), along = (ox - x) * right + (oy - y) * down, across = Math.abs((ox - x) * down + (oy - y) * right);
      if (along > 0 && across <= along && along + across < best) [found, best] = [node, along + across];
    }
    return found;
  }
}
