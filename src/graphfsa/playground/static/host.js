// What the worker does: it holds the engine, and answers each message with a frame. It runs in the page itself where
// workers are not to be had.

import { makeAggregation } from "./aggregation.js";
import { Engine } from "./engine.js";
import { edgeGraph, latticeGraph } from "./graphs.js";
import { History } from "./history.js";

const SLICE = 24;
const SETTLE = 4000;
const MAX_USED = 2 ** 15;
const MAX_COUNTS = 2 ** 16;
const MAX_ROWS = 1024;

export function makeGraph(spec) {
  return spec.lattice ? latticeGraph(spec.lattice) : edgeGraph(spec.n, spec.pairs, spec);
}

export function makeFsa(plain) {
  return { ...plain, aggregation: makeAggregation(plain.aggregation, plain.names) };
}

export class Host {
  constructor(reply) {
    this.reply = reply;
    this.history = null;
    this.graph = null;
  }

  get engine() {
    return this.history.engine;
  }

  handle(message) {
    try {
      this[message.type](message);
    } catch (problem) {
      this.reply({ type: "problem", id: message.id, message: problem.message });
    }
  }

  load({ id, fsa, graph, states, time, seed, at = time }) {
    if (graph) this.graph = makeGraph(graph);
    this.history = new History(new Engine(makeFsa(fsa), this.graph, states, { time, seed }));
    this._travel(id, at);
  }

  // Steps, until one of the conditions holds, the world has come to rest, or, unless all are wanted, the time is up.
  advance({ id, steps, breaks = [], rows = false, used = false, all = false }) {
    const until = all ? Infinity : performance.now() + SLICE, counts = [], lines = [];
    let stopped = null, moved = -1, done = 0;
    while (done < steps && stopped === null && (done === 0 || performance.now() < until)) {
      const before = this.engine.counts();
      moved = this.history.step();
      done++;
      const now = this.engine.counts();
      counts.push(now);
      if (rows) lines.push(this.engine.states.slice());
      const hit = moved === 0 ? -1 : breaks.findIndex((each) => holds(each, now, this.engine) && !holds(each, before, null));
      if (hit >= 0) stopped = { kind: "break", hit };
      else if (this.history.atRest()) stopped = { kind: "rest", since: this.history.still };
    }
    this._frame(id, { counts, rows: lines, stopped, moved, used });
  }

  goTo({ id, time }) {
    this._travel(id, time);
  }

  set({ id, nodes, state, states }) {
    if (states) this.engine.states.set(states);
    else for (const node of nodes) this.engine.states[node] = state;
    this.history.edited();
    this._frame(id, { used: true });
  }

  used({ id }) {
    this._frame(id, { used: true });
  }

  // What a node sees now, and what it saw in the last step, if that is how it came to its state.
  peek({ token, node }) {
    const { engine } = this, now = this._seen(node), time = engine.time, states = engine.states.slice();
    let before = null;
    if (time > this.history.first) {
      this.history.goTo(time - 1);
      before = this._seen(node);
      this.history.step();
      if (!same(engine.states, states)) {
        engine.states.set(states);
        this.history.edited();
        before = null;
      }
    }
    this.reply({ type: "peek", token, node, time, now, before });
  }

  _seen(node) {
    const { engine } = this, { nodes, slots } = engine.graph.neighbours(node);
    return { state: engine.states[node], nodes, slots, states: Array.from(nodes, (other) => engine.states[other]), value: engine.value(node) };
  }

  // Runs until states repeat; stays at the first step from which on they do.
  settle({ id, limit }) {
    const until = performance.now() + SETTLE, known = new Map(), from = this.engine.time, way = new Way(this.engine);
    known.set(fingerprint(this.engine.states), from);
    let period = 0, since = 0;
    while (!period && this.engine.time - from < limit && performance.now() < until) {
      const moved = this.history.step(), mark = fingerprint(this.engine.states);
      way.note();
      if (moved === 0) {
        since = this.history.still;
        period = 1;
      } else if (!this.engine.fsa.outcomes && known.has(mark)) {
        const states = this.engine.states.slice(), end = this.engine.time, back = known.get(mark);
        this.history.goTo(back);
        if (same(this.engine.states, states)) {
          since = back;
          period = end - back;
        } else this.history.goTo(end);
      }
      known.set(mark, this.engine.time);
    }
    if (period) this.history.goTo(since);
    const stopped = period ? { kind: period === 1 ? "rest" : "cycle", since, period } : { kind: "limit" };
    this._frame(id, { ...way.before(this.engine.time - from), stopped, used: true });
  }

  _travel(id, time) {
    const until = performance.now() + SETTLE, from = this.engine.time, way = new Way(this.engine);
    this.history.goTo(time, () => performance.now() > until, () => way.note());
    const passed = this.engine.time > from ? way.before(this.engine.time - from) : {};
    this._frame(id, { ...passed, stopped: this.engine.time < time ? { kind: "late" } : null, used: true });
  }

  _frame(id, { counts = null, rows = [], stopped = null, moved = -1, used = false }) {
    const { engine } = this;
    const small = used && engine.fsa.table.length <= MAX_USED && engine.graph.n <= MAX_USED;
    this.reply({
      type: "frame", id, time: engine.time, states: engine.states.slice(), counts: counts ?? [engine.counts()], rows,
      stopped, moved, used: small ? engine.usedEntries() : null, first: this.history.first,
    });
  }
}

// What was passed on the way to a later step: how many nodes were in each state, and the rows of a space-time diagram.
class Way {
  constructor(engine) {
    this.engine = engine;
    this.counts = [];
    this.rows = [];
  }

  note() {
    if (this.counts.length <= MAX_COUNTS) this.counts.push(this.engine.counts());
    if (this.engine.graph.lattice?.kind !== "line") return;
    this.rows.push(this.engine.states.slice());
    if (this.rows.length > 2 * MAX_ROWS) this.rows = this.rows.slice(-MAX_ROWS);
  }

  // The first of these steps; of a very long way nothing.
  before(steps) {
    if (steps < 1 || this.counts.length > MAX_COUNTS) return {};
    const late = this.counts.length - steps;
    return { counts: this.counts.slice(0, steps), rows: late ? this.rows.slice(0, -late) : this.rows };
  }
}

function holds({ state, sign, count, time }, counts, engine) {
  if (time !== undefined) return engine !== null && engine.time === time;
  return sign === "<=" ? counts[state] <= count : counts[state] >= count;
}

// Equal states have equal fingerprints; whether it is so the other way round is checked.
function fingerprint(states) {
  let a = 0x811c9dc5, b = 0x1b873593;
  for (let node = 0; node < states.length; node++) {
    a = Math.imul(a ^ states[node], 0x01000193);
    b = Math.imul((b << 7 | b >>> 25) ^ states[node], 0x85ebca6b);
  }
  return (a >>> 0) * 2 ** 20 + (b >>> 12);
}

function same(a, b) {
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}
