// Animated GIF of the next steps, at rest or not.

import { rgb } from "./colours.js";
import { Engine } from "./engine.js";
import { Stage } from "./stage.js";
import { el } from "./dom.js";

const SIDE = 480;

export async function gif(session, stage, toast, steps = 60) {
  toast("Drawing …");
  await new Promise((resolve) => setTimeout(resolve, 30));
  const { fsa, graph, states, time, seed } = session, ratio = stage.canvas.height / stage.canvas.width;
  const canvas = el("canvas", { width: SIDE, height: Math.max(120, Math.round(SIDE * ratio)) });
  canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  const copy = new Stage(canvas);
  copy.setColours(stage.colours, stage.theme);
  copy.setWorld(graph, session.points);
  copy.rows = session.rows.slice();
  const engine = new Engine(fsa, graph, states, { time, seed });
  const table = [...new Set([stage.theme.ground, stage.theme.line, stage.theme.ink, ...stage.colours].map((each) => each.trim()))].slice(0, 256);
  const colours = table.map((colour) => rgb(colour.length === 4 ? `#${[...colour.slice(1)].map((digit) => digit + digit).join("")}` : colour)), nearest = nearestOf(colours);
  const frames = [];
  for (let k = 0; k <= steps; k++) {
    copy.draw(engine.states);
    frames.push(nearest(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data));
    if (k === steps || engine.step() === 0) break;
    if (copy.rows.length) copy.rows.push(engine.states.slice());
  }
  return gifBytes(frames, canvas.width, canvas.height, colours, Math.max(3, Math.round(100 / Math.min(20, session.speed))));
}

function nearestOf(colours) {
  const known = new Map();
  return (data) => {
    const found = new Uint8Array(data.length / 4);
    for (let k = 0; k < found.length; k++) {
      const key = (data[4 * k] << 16) | (data[4 * k + 1] << 8) | data[4 * k + 2];
      let place = known.get(key);
      if (place === undefined) {
        let best = Infinity;
        colours.forEach(([r, g, b], each) => {
          const d = (r - (key >> 16)) ** 2 + (g - ((key >> 8) & 255)) ** 2 + (b - (key & 255)) ** 2;
          if (d < best) [best, place] = [d, each];
        });
        known.set(key, place);
      }
      found[k] = place;
    }
    return found;
  };
}

function gifBytes(frames, width, height, colours, delay) {
  const bits = Math.max(2, Math.ceil(Math.log2(Math.max(2, colours.length)))), out = [];
  const word = (number) => [number & 255, number >> 8];
  out.push(...new TextEncoder().encode("GIF89a"), ...word(width), ...word(height), 0xf0 | (bits - 1), 0, 0);
  for (let k = 0; k < 2 ** bits; k++) out.push(...(colours[k] ?? [0, 0, 0]));
  out.push(0x21, 0xff, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0);
  frames.forEach((frame, k) => {
    out.push(0x21, 0xf9, 4, 4, ...word(k === frames.length - 1 ? 100 : delay), 0, 0, 0x2c, ...word(0), ...word(0), ...word(width), ...word(height), 0, bits);
    const packed = lzw(frame, bits);
    for (let at = 0; at < packed.length; at += 255) {
      const part = packed.slice(at, at + 255);
      out.push(part.length);
      for (const byte of part) out.push(byte);
    }
    out.push(0);
  });
  out.push(0x3b);
  return Uint8Array.from(out);
}

function lzw(frame, bits) {
  const clear = 2 ** bits, out = [];
  let known = new Map(), next = clear + 2, size = bits + 1, buffer = 0, filled = 0;
  const emit = (code) => {
    buffer |= code << filled;
    filled += size;
    while (filled >= 8) {
      out.push(buffer & 255);
      buffer >>>= 8;
      filled -= 8;
    }
  };
  emit(clear);
  let prefix = frame[0];
  for (let k = 1; k < frame.length; k++) {
    const key = prefix * 256 + frame[k];
    if (known.has(key)) {
      prefix = known.get(key);
      continue;
    }
    emit(prefix);
    if (next < 4096) {
      known.set(key, next++);
      if (next > 2 ** size && size < 12) size++;
    } else {
      emit(clear);
      known = new Map();
      next = clear + 2;
      size = bits + 1;
    }
    prefix = frame[k];
  }
  emit(prefix);
  emit(clear + 1);
  if (filled) out.push(buffer & 255);
  return out;
}
