// Coins that depend on nothing but a seed, a purpose, a node and a step: Philox 4x32 with ten rounds.
// The same numbers as graphfsa/engine/coins.py.

const LEFT = 0xd2511f53, RIGHT = 0xcd9e8d57;
const FIRST = 0x9e3779b9, SECOND = 0xbb67ae85;
export const MOVES = 0, START = 3, SHAPE = 4;

// The upper half of the product of two unsigned 32-bit numbers, from products of their halves.
function high(a, b) {
  const a0 = a & 0xffff, a1 = a >>> 16, b0 = b & 0xffff, b1 = b >>> 16;
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  return (a1 * b1 + Math.floor(middle / 65536) + (((middle & 0xffff) + a0 * b1) / 65536)) >>> 0;
}

function philox(c0, c1, c2, c3, k0, k1) {
  for (let round = 0; round < 10; round++) {
    const up = high(c2, RIGHT), down = Math.imul(c2, RIGHT), over = high(c0, LEFT), under = Math.imul(c0, LEFT);
    c0 = up ^ c1 ^ k0;
    c1 = down;
    c2 = over ^ c3 ^ k1;
    c3 = under;
    k0 = (k0 + FIRST) | 0;
    k1 = (k1 + SECOND) | 0;
  }
  return [c0 >>> 0, c1 >>> 0, c2 >>> 0, c3 >>> 0];
}

// The key of a seed, which is an integer from 0 to 2^53 - 1.
export function keyOf(seed) {
  return [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0];
}

// A number from 0 to 2^53 - 1, each equally likely.
export function coin(purpose, node, step, key) {
  const upper = (Math.floor(step / 2 ** 32) | (purpose << 16)) >>> 0;
  const [first, second] = philox(node >>> 0, step >>> 0, upper, 0, key[0], key[1]);
  return (first >>> 5) * 2 ** 26 + (second >>> 6);
}

// A source of numbers one after the other, for graphs and starts that are drawn at random.
export class Draws {
  constructor(seed, purpose = SHAPE) {
    this.key = keyOf(seed);
    this.purpose = purpose;
    this.count = 0;
  }

  uniform() {
    return coin(this.purpose, this.count++, 0, this.key) / 2 ** 53;
  }

  below(limit) {
    return Math.min(limit - 1, Math.floor(this.uniform() * limit));
  }

  shuffle(list) {
    for (let place = list.length - 1; place > 0; place--) {
      const other = this.below(place + 1);
      [list[place], list[other]] = [list[other], list[place]];
    }
    return list;
  }
}
