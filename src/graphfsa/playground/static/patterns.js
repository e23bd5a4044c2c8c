// Patterns of cells in run-length files, as Golly and LifeWiki keep them, and stamps to put down with a click.

import { need, shown } from "./problem.js";

const HEADER = /^\s*x\s*=\s*([0-9]{1,6})\s*,\s*y\s*=\s*([0-9]{1,6})\s*(?:,\s*rule\s*=\s*(\S+))?.*$/i;
const RUN = /\s*(?:([0-9]{0,9})\s*([bo$!.A-X]|[p-y][A-X])|(\S))/y;

export function parseRle(text) {
  let head = null, row = 0, column = 0, cells = null, rows = 0, columns = 0, rule = null;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.startsWith("#") || !line.trim()) continue;
    if (head === null) {
      head = HEADER.exec(line);
      need(head !== null, "the first line that is no comment must say 'x = WIDTH, y = HEIGHT'", index + 1);
      [columns, rows, rule] = [Number(head[1]), Number(head[2]), head[3] ?? null];
      need(rows * columns <= 2 ** 21, `a pattern of ${columns} x ${rows} cells is too large`, index + 1);
      cells = new Uint8Array(rows * columns);
      continue;
    }
    RUN.lastIndex = 0;
    for (let run = RUN.exec(line); run !== null; run = RUN.exec(line)) {
      const [, count, tag, wrong] = run, length = Number(count || 1);
      need(wrong === undefined, `a run must be a count and one of b, o, ., A to X, $ or !; got ${shown(wrong)}`, index + 1);
      if (tag === "!") return { cells, rows, columns, rule };
      if (tag === "$") {
        row += length;
        column = 0;
        continue;
      }
      need(length === 0 || (row < rows && column + length <= columns), `there must be ${rows} rows of ${columns} cells, as the header says`, index + 1);
      const last = tag.charCodeAt(tag.length - 1) - 64;
      const state = "b.".includes(tag) ? 0 : tag === "o" ? 1 : tag.length === 2 ? last + 24 * (tag.charCodeAt(0) - 111) : last;
      cells.fill(state, row * columns + column, row * columns + column + length);
      column += length;
    }
  }
  need(head !== null, "the first line that is no comment must say 'x = WIDTH, y = HEIGHT'");
  need(false, "the pattern must end with '!'");
  return null;
}

const stamp = (name, rle, columns, rows) => ({ name, text: `x = ${columns}, y = ${rows}\n${rle}` });

const LIFE = [
  stamp("Glider", "bo$2bo$3o!", 3, 3),
  stamp("Lightweight spaceship", "bo2bo$o$o3bo$4o!", 5, 4),
  stamp("Blinker", "3o!", 3, 1),
  stamp("Block", "2o$2o!", 2, 2),
  stamp("R-pentomino", "b2o$2o$bo!", 3, 3),
  stamp("Acorn", "bo$3bo$2o2b3o!", 7, 3),
  stamp("Pulsar", "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$o4bobo4bo$o4bobo4bo$o4bobo4bo2$2b3o3b3o!", 13, 13),
  stamp("Gosper's gun", "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!", 36, 9),
  stamp("Replicator (HighLife)", "2b3o$bo2bo$o3bo$o2bo$3o!", 5, 5),
];
const WIRES = [
  stamp("Wire", "12C!", 12, 1),
  stamp("Electron", "BA!", 2, 1),
  stamp("Clock", ".BA3C$C5.10C$.5C!", 16, 3),
  stamp("Diode", "6.2C$7C.6C$6.2C!", 14, 3),
];

// The stamps that fit an automaton.
export function stampsFor(names) {
  if (names.includes("conductor")) return WIRES;
  return names.length === 2 && names[1] === "alive" ? LIFE : [];
}
