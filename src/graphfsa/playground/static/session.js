// What is on the page now, and everything that can be done to it. Others listen: `session.on("frame", f)`.
//
// Events: "frame" (states or time changed), "automaton", "world", "playing", "stopped" (with a reason), "problem".

import { checkGraph } from "./engine.js";
import { Host } from "./host.js";
import { layout } from "./layout.js";
import { Problem } from "./problem.js";
import { fromJson, parseRules, toJson, withEntry } from "./rules.js";
import { open, startOf } from "./scene.js";
import { Series } from "./series.js";

const MAX_ROWS = 2048;
const UNDO_BYTES = 48 * 2 ** 20;

export class Session {
  constructor(workerText) {
    this.listeners = new Map();
    this.epoch = 0;
    this.busy = false;
    this.playing = false;
    this.waiting = new Map();
    this.breaks = [];
    this.undone = [];
    this.done = [];
    this.used = null;
    this.seen = null;
    this.wantUsed = false;
    this._post = connect(workerText, (frame) => this._receive(frame));
  }

  on(event, listener) {
    if (!this.listeners.has(event)) this.listeners.set(event, []);
    this.listeners.get(event).push(listener);
  }

  say(event, detail) {
    for (const listener of this.listeners.get(event) ?? []) listener(detail);
  }

  // ---- scenes

  // Shows a scene; raises a Problem if it is none.
  load(scene, { play = false, keepUndo = false } = {}) {
    const found = open(scene);
    if (!keepUndo && this.fsa) this.remember();
    this.pause();
    Object.assign(this, {
      fsa: found.fsa, rules: scene.rules ?? null, world: scene.world, spec: found.spec, graph: found.graph,
      states: found.states, start: found.states, from: found.from, time: found.from, seed: found.seed, speed: found.speed,
      title: scene.title ?? "", about: scene.about ?? "", preset: scene.preset ?? null, colours: scene.colours ?? {},
    });
    this.points = found.graph.lattice ? null : layout(found.graph);
    this._begin(found.spec, found.time);
    this.say("world");
    this.say("automaton");
    this.say("frame");
    if (play) this.play();
  }

  // Everything that is on the page, so that a link can bring it back to the bit.
  scene({ full = false } = {}) {
    const scene = { v: 1 };
    for (const key of ["preset", "title", "about"]) if (this[key]) scene[key] = this[key];
    if (this.rules !== null) scene.rules = this.rules;
    else scene.automaton = toJson(this.fsa);
    scene.world = full && !this.world.lattice ? { ...this.spec, points: Array.from(this.points ?? [], (at) => Math.round(at * 1000) / 1000) } : this.world;
    // Early states and the number of steps are shorter than late states; but a run that takes long is not made again.
    const again = !full && (this.time - this.from) * (this.graph.n + this.graph.numArcs) < 4e8;
    scene.start = startOf(again ? this.start : this.states, this.fsa.names.length);
    const base = again ? this.from : this.time;
    if (base) scene.from = base;
    if (this.time > base) scene.time = this.time;
    if (this.seed) scene.seed = this.seed;
    if (Object.keys(this.colours).length) scene.colours = this.colours;
    scene.speed = this.speed;
    return scene;
  }

  _begin(spec, at) {
    this.resetSeries();
    this.breaksHit = null;
    this._load({ graph: this.graph.lattice || spec ? spec : null, at });
  }

  _load({ graph = null, at = this.time }) {
    this.used = null;
    this.seen = new Uint8Array(this.fsa.table.length);
    const { names, starting, final, table, outcomes, aggregation } = this.fsa;
    const fsa = { names, starting, final, table, outcomes, aggregation: aggregation.config };
    this._send({ type: "load", fsa, graph, states: this.states, time: this.time, seed: this.seed, at }, true);
  }

  resetSeries() {
    this.series = new Series(this.fsa.names.length);
    this.rows = this.graph.lattice?.kind === "line" ? [this.states] : [];
    this.series.push(this.time, countsOf(this.states, this.fsa.names.length));
  }

  // ---- messages

  _send(message, fresh = false) {
    if (fresh) this.epoch++;
    this.busy = true;
    this._post({ ...message, id: this.epoch });
  }

  _receive(frame) {
    if (frame.type === "peek") {
      this.waiting.get(frame.token)?.(frame);
      this.waiting.delete(frame.token);
      return;
    }
    if (frame.id !== this.epoch) return;
    this.busy = false;
    if (frame.type === "problem") {
      this.pause();
      this.say("problem", frame.message);
      return;
    }
    const before = this.time;
    this.states = frame.states;
    this.time = frame.time;
    if (frame.time < this.from) {
      this.from = frame.time;
      this.start = frame.states;
    }
    if (frame.used) {
      this.used = frame.used;
      frame.used.forEach((used, entry) => { if (used) this.seen[entry] = 1; });
    }
    this._record(frame, before);
    this.say("frame");
    if (frame.stopped) {
      if (frame.stopped.kind !== "late") this.pause();
      this.say("stopped", frame.stopped);
    }
  }

  _record(frame, before) {
    if (frame.time < before || frame.counts.length !== frame.time - before) {
      this.series.cut(frame.time);
      if (this.rows.length) this.rows = frame.time < before ? this.rows.slice(0, Math.max(0, this.rows.length - (before - frame.time))) : [];
      if (this.graph.lattice?.kind === "line" && this.rows.length === 0) this.rows.push(frame.states);
      else if (this.rows.length) this.rows[this.rows.length - 1] = frame.states;
      this.series.push(frame.time, frame.counts[frame.counts.length - 1]);
      return;
    }
    frame.counts.forEach((counts, k) => this.series.push(before + k + 1, counts));
    if (frame.rows.length < frame.counts.length) this.rows = [];
    this.rows.push(...frame.rows);
    if (this.rows.length > 2 * MAX_ROWS) this.rows = this.rows.slice(-MAX_ROWS);
  }

  get counts() {
    return countsOf(this.states, this.fsa.names.length);
  }

  // ---- time

  play() {
    if (this.playing || !this.fsa) return;
    this.playing = true;
    this._due = 1;
    this._last = performance.now();
    this.say("playing");
    const tick = (now) => {
      if (!this.playing) return;
      this._due = Math.min(this._due + ((now - this._last) * this.speed) / 1000, Math.max(1, this.speed / 8));
      this._last = now;
      if (!this.busy && this._due >= 1) {
        const steps = Math.floor(this._due);
        this._due -= steps;
        this._advance(steps);
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.say("playing");
  }

  _advance(steps, all = false) {
    const now = performance.now(), used = this.wantUsed && now - (this._usedAt ?? 0) > 150;
    if (used) this._usedAt = now;
    this._send({ type: "advance", steps, breaks: this.breaks, rows: this.graph.lattice?.kind === "line", used, all });
  }

  step(steps = 1) {
    this.pause();
    this._usedAt = 0;
    this._advance(steps, true);
  }

  back(steps = 1) {
    this.goTo(Math.max(0, this.time - steps));
  }

  goTo(time) {
    this.pause();
    this._send({ type: "goTo", time });
  }

  // To the step from which on states repeat.
  settle() {
    this.pause();
    this._send({ type: "settle", limit: 200_000 });
  }

  // Which entries of the table are used now.
  askUsed() {
    this._send({ type: "used" });
  }

  // What a node saw in the last step and sees now.
  peek(node) {
    return new Promise((resolve) => {
      const token = Math.random();
      this.waiting.set(token, resolve);
      this._post({ type: "peek", token, node });
    });
  }

  // ---- changes, which can be undone

  remember() {
    const { title, about, preset, rules, fsa, world, spec, graph, points, states, start, from, time, seed, speed, colours } = this;
    this.done.push({ title, about, preset, rules, fsa, world, spec, graph, points, states, start, from, time, seed, speed, colours });
    this.undone = [];
    let bytes = 0;
    for (let k = this.done.length - 1; k >= 0; k--) {
      bytes += 2 * this.done[k].states.length + 4096;
      if (bytes > UNDO_BYTES) this.done.splice(0, k + 1);
    }
    this.say("undo");
  }

  undo() {
    this._swap(this.done, this.undone);
  }

  redo() {
    this._swap(this.undone, this.done);
  }

  _swap(from, to) {
    if (!from.length) return;
    const kept = this.undone, other = this.done;
    const before = from.pop();
    this.done = [];
    this.remember();
    const now = this.done.pop();
    [this.undone, this.done] = [kept, other];
    to.push(now);
    this.pause();
    const world = before.graph !== this.graph, automaton = before.fsa !== this.fsa;
    Object.assign(this, before);
    if (world) {
      this._begin(this.spec, this.time);
      this.say("world");
    } else {
      this._load({});
      this._record({ time: this.time, counts: [this.counts], states: this.states }, this.time + 1);
    }
    if (automaton || world) this.say("automaton");
    this.say("frame");
    this.say("undo");
  }

  // States changed by hand at this step: from here on another run begins.
  _edited() {
    this.start = this.states;
    this.from = this.time;
    if (this.rows.length) this.rows[this.rows.length - 1] = this.states;
    this.series.cut(this.time);
    this.series.push(this.time, this.counts);
    this.say("frame");
  }

  paint(nodes, state) {
    this.states = this.states.slice();
    for (const node of nodes) this.states[node] = state;
    this._edited();
    this._send({ type: "set", nodes, state }, true);
  }

  setStates(states) {
    this.remember();
    this.states = states;
    this._edited();
    this._send({ type: "set", states }, true);
  }

  restart(states, time = 0) {
    this.remember();
    this.pause();
    this.states = this.start = states;
    this.from = this.time = time;
    this.resetSeries();
    this._load({});
    this.say("frame");
  }

  // Raises a Problem that names the line; then everything stays as it was.
  setRules(text) {
    const fsa = parseRules(text);
    if (text === this.rules) return;
    this._setAutomaton(fsa, text);
  }

  setAutomaton(data) {
    this._setAutomaton(fromJson(data), null);
  }

  _setAutomaton(fsa, rules) {
    checkGraph(fsa, this.graph);
    this.remember();
    const old = this.fsa.names, map = old.map((name, state) => {
      const same = fsa.names.indexOf(name);
      return same >= 0 ? same : old.length === fsa.names.length ? state : Math.min(state, fsa.names.length - 1);
    });
    this.fsa = fsa;
    this.rules = rules;
    this.states = this.states.map((state) => map[state]);
    this.start = this.states;
    this.from = this.time;
    if (String(old) !== String(fsa.names)) this.resetSeries();
    this._load({});
    this.say("automaton");
    this.say("frame");
  }

  // Another next state for one entry of the table.
  setEntry(state, value, successor) {
    if (this.rules !== null) {
      this.setRules(withEntry(this.rules, this.fsa, state, value, successor));
      return;
    }
    if (this.fsa.final.includes(state)) throw new Problem(`'${this.fsa.names[state]}' is a final state, so it must stay`);
    const table = this.fsa.table.slice();
    table[state * this.fsa.aggregation.numValues + value] = successor;
    this._setAutomaton({ ...this.fsa, table }, null);
  }

  // Another world; states are drawn anew, or carried over if `states` are given.
  setWorld(world, states = null) {
    const scene = { ...this.scene(), world, from: 0, time: 0 };
    delete scene.preset;
    scene.start = states ? startOf(states, this.fsa.names.length) : this.usualStart(world);
    this.load(scene);
  }

  // How worlds begin of which nothing else is known: the starting states at random, or a little of everything.
  usualStart() {
    const { names, starting, final } = this.fsa, chosen = starting.filter((state) => !final.includes(state));
    const among = chosen.length ? chosen : names.map((_, state) => state);
    const shares = names.map((_, state) => (among.includes(state) ? 1 : 0));
    // Where one state is the background, it stays in the majority.
    if (among.length === names.length) shares[0] = 2 * (names.length - 1);
    return { shares, seed: Math.floor(Math.random() * 1e6) };
  }

  // A graph that was changed by hand keeps its places.
  setGraph(spec, states) {
    this.remember();
    const playing = this.playing;
    this.pause();
    const automaton = this.rules === null ? { automaton: toJson(this.fsa) } : { rules: this.rules };
    const found = open({ v: 1, ...automaton, world: spec, start: startOf(states, this.fsa.names.length) });
    Object.assign(this, { world: spec, spec, graph: found.graph, points: Float32Array.from(spec.points), states, start: states, from: this.time, preset: null });
    this.resetSeries();
    this._load({ graph: spec });
    this.say("graph");
    this.say("frame");
    if (playing) this.play();
  }
}

function countsOf(states, numStates) {
  const counts = new Int32Array(numStates);
  for (let node = 0; node < states.length; node++) counts[states[node]]++;
  return counts;
}

// A worker that is made from text; where there are no workers, the same in the page itself.
function connect(text, receive) {
  let post, sent = [];
  const here = () => {
    const host = new Host((frame) => setTimeout(() => receive(frame), 0));
    post = (message) => setTimeout(() => host.handle(structuredClone(message)), 0);
    sent.splice(0).forEach((message) => post(message));
  };
  try {
    const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    worker.onmessage = ({ data }) => {
      sent = null;
      receive(data);
    };
    worker.onerror = () => sent && here();
    post = (message) => {
      sent?.push(message);
      worker.postMessage(message);
    };
  } catch {
    here();
  }
  return (message) => post(message);
}
