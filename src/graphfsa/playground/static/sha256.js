// SHA-256 of bytes: pages that were opened from a disk have no crypto.subtle in some browsers.

// The first 32 bits of the fractional parts of the roots of the first primes.
function constants(power, count) {
  const found = [];
  for (let number = 2; found.length < count; number++) {
    let prime = true;
    for (let factor = 2; factor * factor <= number && prime; factor++) prime = number % factor !== 0;
    if (prime) found.push(Math.floor((number ** power % 1) * 2 ** 32) >>> 0);
  }
  return new Uint32Array(found);
}

const ROUNDS = constants(1 / 3, 64);
const START = constants(1 / 2, 8);

export function sha256(bytes) {
  const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const hash = START.slice(), w = new Uint32Array(64);
  for (let begin = 0; begin < padded.length; begin += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(begin + 4 * i);
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15], y = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (turned(x, 7) ^ turned(x, 18) ^ (x >>> 3)) + (turned(y, 17) ^ turned(y, 19) ^ (y >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + w[i]) | 0;
      const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => { hash[i] += word; });
  }
  return [...hash].map((word) => word.toString(16).padStart(8, "0")).join("");
}

function turned(word, by) {
  return (word >>> by) | (word << (32 - by));
}
