// The numbers of nodes in each state at some steps: as many steps as fit into arrays that never grow. When they are
// full, every other step is forgotten, and from then on only every other one is kept.

const POINTS = 4096;

export class Series {
  constructor(numStates) {
    this.numStates = numStates;
    this.times = new Float64Array(POINTS);
    this.counts = new Int32Array(POINTS * numStates);
    this.length = 0;
    this.stride = 1;
  }

  push(time, counts) {
    if (time % this.stride && this.length) return;
    if (this.length === POINTS) this._thin();
    this.times[this.length] = time;
    this.counts.set(counts, this.length * this.numStates);
    this.length++;
  }

  _thin() {
    this.stride *= 2;
    let kept = 0;
    for (let k = 0; k < this.length; k++) {
      if (this.times[k] % this.stride && k) continue;
      this.times[kept] = this.times[k];
      this.counts.copyWithin(kept * this.numStates, k * this.numStates, (k + 1) * this.numStates);
      kept++;
    }
    this.length = kept;
  }

  // Without this step and later ones.
  cut(time) {
    while (this.length && this.times[this.length - 1] >= time) this.length--;
  }

  at(point, state) {
    return this.counts[point * this.numStates + state];
  }
}
