// An engine that can go back: it keeps states of some earlier steps, and runs again from the nearest one.
// Whatever the number of steps, what is kept takes no more than a fixed number of bytes.

const BUDGET = 24 * 2 ** 20;

export class History {
  constructor(engine) {
    this.engine = engine;
    this.stride = 1;
    this.frames = [];
    this.still = null; // The step from which on nothing moves, where that is known.
    this._keep();
  }

  get first() {
    return this.frames[0].time;
  }

  step() {
    const moved = this.engine.step();
    if (moved) this.still = null;
    else this.still ??= this.engine.time - 1;
    if ((this.engine.time - this.first) % this.stride === 0) this._keep();
    return moved;
  }

  // Whether nothing moves from this step on.
  atRest() {
    if (this.still === null && this.engine.atRest()) this.still = this.engine.time;
    return this.still !== null;
  }

  _keep() {
    this.frames.push({ time: this.engine.time, states: this.engine.states.slice(), own: false });
    if (this.frames.length > 4 && this.frames.length * (this.engine.states.length + 64) > BUDGET) {
      this.stride *= 2;
      this.frames = this.frames.filter(({ time, own }) => own || (time - this.first) % this.stride === 0);
    }
  }

  // To an earlier or later step. `stop` may say that this takes too long; `passed` hears of each step that is made.
  goTo(time, stop = () => false, passed = () => {}) {
    if (time < this.engine.time) {
      const target = Math.max(time, this.first);
      while (this.frames[this.frames.length - 1].time > target) this.frames.pop();
      const frame = this.frames[this.frames.length - 1];
      this.engine.states.set(frame.states);
      this.engine.time = frame.time;
      this.engine.touch();
      if (this.still > frame.time) this.still = null;
      time = target;
    }
    while (this.engine.time < time && !stop()) {
      this.step();
      passed();
    }
  }

  // After states were changed from outside: what was later is forgotten, and here is a frame that stays.
  edited() {
    this.engine.touch();
    this.still = null;
    while (this.frames.length && this.frames[this.frames.length - 1].time >= this.engine.time) this.frames.pop();
    this.frames.push({ time: this.engine.time, states: this.engine.states.slice(), own: true });
  }
}
