// QR codes (ISO/IEC 18004) of links: bytes, the lowest level of error correction, the smallest version that fits.

import { el } from "./dom.js";

const ECC = [0, 7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30];
const BLOCKS = [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25];
const MASKS = [(x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3), (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2];

// A canvas with the code of a text, or a note if it is too long for one.
export function qrCode(text) {
  const modules = qrModules(new TextEncoder().encode(text));
  if (!modules) return el("p", { class: "hint" }, "This link is too long for a QR code.");
  const size = modules.length, scale = Math.max(2, Math.floor(424 / (size + 8))), side = (size + 8) * scale;
  const canvas = el("canvas", { id: "qr", width: side, height: side, role: "img", "aria-label": "QR code of the link" });
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = "#000";
  modules.forEach((row, y) => row.forEach((dark, x) => dark && context.fillRect((x + 4) * scale, (y + 4) * scale, scale, scale)));
  return canvas;
}

// Rows of 0 and 1; null if the bytes are too many.
export function qrModules(bytes) {
  let version = 1;
  while (version <= 40 && bytes.length > capacity(version)) version++;
  if (version > 40) return null;
  const size = version * 4 + 17, grid = Array.from({ length: size }, () => new Uint8Array(size)), fixed = Array.from({ length: size }, () => new Uint8Array(size));
  const set = (x, y, dark) => {
    grid[y][x] = dark ? 1 : 0;
    fixed[y][x] = 1;
  };
  drawPatterns(version, size, set);
  drawFormat(size, 0, set);
  drawData(size, interleaved(version, bytes), grid, fixed);
  let best = null;
  for (let mask = 0; mask < 8; mask++) {
    const tried = grid.map((row) => row.slice());
    for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) if (!fixed[y][x] && MASKS[mask](x, y) === 0) tried[y][x] ^= 1;
    drawFormat(size, mask, (x, y, dark) => { tried[y][x] = dark ? 1 : 0; });
    const cost = penalty(tried, size);
    if (best === null || cost < best.cost) best = { cost, tried };
  }
  return best.tried.map((row) => [...row]);
}

function rawBits(version) {
  let bits = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const count = Math.floor(version / 7) + 2;
    bits -= (25 * count - 10) * count - 55;
    if (version >= 7) bits -= 36;
  }
  return bits;
}

const dataWords = (version) => Math.floor(rawBits(version) / 8) - ECC[version] * BLOCKS[version];
const capacity = (version) => dataWords(version) - (version < 10 ? 2 : 3);

function interleaved(version, bytes) {
  const bits = [], push = (value, count) => {
    for (let k = count - 1; k >= 0; k--) bits.push((value >>> k) & 1);
  };
  push(4, 4);
  push(bytes.length, version < 10 ? 8 : 16);
  bytes.forEach((byte) => push(byte, 8));
  const total = dataWords(version);
  push(0, Math.min(4, total * 8 - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  const words = [];
  for (let k = 0; k < bits.length; k += 8) words.push(parseInt(bits.slice(k, k + 8).join(""), 2));
  for (let pad = 0xec; words.length < total; pad ^= 0xec ^ 0x11) words.push(pad);
  const count = BLOCKS[version], ecc = ECC[version], raw = Math.floor(rawBits(version) / 8);
  const short = Math.floor(raw / count) - ecc, long = raw % count, blocks = [], divisor = generator(ecc);
  for (let k = 0, at = 0; k < count; k++) {
    const length = short + (k >= count - long ? 1 : 0), data = words.slice(at, at + length);
    at += length;
    blocks.push({ data, check: remainder(data, divisor) });
  }
  const found = [];
  for (let k = 0; k <= short; k++) for (const { data } of blocks) if (k < data.length) found.push(data[k]);
  for (let k = 0; k < ecc; k++) for (const { check } of blocks) found.push(check[k]);
  return found;
}

// ---- arithmetic modulo x^8 + x^4 + x^3 + x^2 + 1

function times(a, b) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) product = ((product << 1) ^ ((product >>> 7) * 0x11d)) ^ (((b >>> bit) & 1) * a);
  return product;
}

function generator(degree) {
  const found = new Uint8Array(degree);
  found[degree - 1] = 1;
  for (let k = 0, root = 1; k < degree; k++, root = times(root, 2)) {
    for (let j = 0; j < degree; j++) found[j] = times(found[j], root) ^ (found[j + 1] ?? 0);
  }
  return found;
}

function remainder(data, divisor) {
  const found = new Array(divisor.length).fill(0);
  for (const byte of data) {
    const factor = byte ^ found.shift();
    found.push(0);
    divisor.forEach((each, k) => { found[k] ^= times(each, factor); });
  }
  return found;
}

// ---- drawing

function drawPatterns(version, size, set) {
  for (let k = 0; k < size; k++) {
    set(6, k, k % 2 === 0);
    set(k, 6, k % 2 === 0);
  }
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
    for (let dy = -4; dy <= 4; dy++) {
      for (let dx = -4; dx <= 4; dx++) {
        const x = cx + dx, y = cy + dy, ring = Math.max(Math.abs(dx), Math.abs(dy));
        if (x >= 0 && y >= 0 && x < size && y < size) set(x, y, ring !== 2 && ring !== 4);
      }
    }
  }
  const places = alignment(version, size), last = places.length - 1;
  places.forEach((cx, i) => places.forEach((cy, j) => {
    if ((i === 0 && (j === 0 || j === last)) || (i === last && j === 0)) return;
    for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
  }));
  if (version < 7) return;
  let rest = version;
  for (let k = 0; k < 12; k++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let k = 0; k < 18; k++) {
    const a = size - 11 + (k % 3), b = Math.floor(k / 3);
    set(a, b, (bits >>> k) & 1);
    set(b, a, (bits >>> k) & 1);
  }
}

function alignment(version, size) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2, step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2, found = [6];
  for (let place = size - 7; found.length < count; place -= step) found.splice(1, 0, place);
  return found;
}

function drawFormat(size, mask, set) {
  const data = (1 << 3) | mask;
  let rest = data;
  for (let k = 0; k < 10; k++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const bits = ((data << 10) | rest) ^ 0x5412, bit = (k) => (bits >>> k) & 1;
  for (let k = 0; k <= 5; k++) set(8, k, bit(k));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let k = 9; k < 15; k++) set(14 - k, 8, bit(k));
  for (let k = 0; k < 8; k++) set(size - 1 - k, 8, bit(k));
  for (let k = 8; k < 15; k++) set(8, size - 15 + k, bit(k));
  set(8, size - 8, 1);
}

function drawData(size, words, grid, fixed) {
  let k = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let vertical = 0; vertical < size; vertical++) {
      for (let j = 0; j < 2; j++) {
        const x = right - j, upward = ((right + 1) & 2) === 0, y = upward ? size - 1 - vertical : vertical;
        if (fixed[y][x] || k >= words.length * 8) continue;
        grid[y][x] = (words[k >>> 3] >>> (7 - (k & 7))) & 1;
        k++;
      }
    }
  }
}

function penalty(grid, size) {
  let found = 0, dark = 0;
  const column = (x) => Array.from({ length: size }, (_, y) => grid[y][x]);
  for (let k = 0; k < size; k++) {
    for (const line of [grid[k], column(k)]) {
      for (let from = 0; from < size;) {
        let end = from;
        while (end < size && line[end] === line[from]) end++;
        if (end - from >= 5) found += end - from - 2;
        from = end;
      }
      const text = Array.from(line).join("");
      for (const pattern of ["10111010000", "00001011101"]) {
        for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) found += 40;
      }
    }
  }
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      dark += grid[y][x];
      if (x + 1 < size && y + 1 < size && grid[y][x] === grid[y][x + 1] && grid[y][x] === grid[y + 1][x] && grid[y][x] === grid[y + 1][x + 1]) found += 3;
    }
  }
  return found + Math.floor(Math.abs((dark * 20) / (size * size) - 10)) * 10;
}
