// The automaton as a drawing of states and arrows, and its table beside it; both show what nodes use now, and both can
// be changed: an arrow opens its entries, an entry gets another next state with a click.

import { inkOn } from "./colours.js";
import { $, el, fill } from "./dom.js";

const MAX_DRAWN = 14;
const MAX_ROWS = 48;
const MAX_TABLE = 2 ** 16;

export class Diagram {
  constructor(parts, session, fail) {
    Object.assign(this, parts);
    this.session = session;
    this.fail = fail;
    this.chosen = null;
    this.colours = [];
    this.shape = null;
  }

  refresh() {
    this.shape = null;
    this.chosen = null;
    this.draw();
  }

  // Again, if the panel is shown; cheap as long as the automaton is the same.
  draw() {
    const { fsa, used, seen } = this.session;
    if (fsa.outcomes) {
      fill(this.drawing, el("p", { class: "hint" }, "This automaton flips coins. Its rules say with which probabilities; a diagram of them is made by graphfsa draw."));
      fill(this.table);
      this.hint.textContent = "";
      return;
    }
    if (this.shape === null) this._drawing(fsa);
    this._light(fsa, used);
    this._table(fsa, used, seen);
  }

  // ---- the drawing

  _drawing(fsa) {
    const { names, table } = fsa, numValues = fsa.aggregation.numValues, count = names.length;
    this.shape = new Map();
    if (count > MAX_DRAWN) {
      fill(this.drawing, el("p", { class: "hint" }, `${count} states are too many to draw; the table has them all.`));
      return;
    }
    const [w, h] = [396, count === 1 ? 150 : count === 2 ? 190 : 320], r = count > 8 ? 18 : 23;
    const centre = (state) => {
      if (count === 1) return [w / 2, h / 2 + 18];
      if (count === 2) return [w / 2 + (state ? 95 : -95), h / 2 + 8];
      const angle = (2 * Math.PI * state) / count - Math.PI / 2;
      return [w / 2 + (w / 2 - 62) * Math.cos(angle), h / 2 + 4 + (h / 2 - 48) * Math.sin(angle)];
    };
    const moves = new Map();
    for (let entry = 0; entry < table.length; entry++) {
      const state = Math.floor(entry / numValues), key = state * 256 + table[entry];
      moves.set(key, (moves.get(key) ?? 0) + 1);
    }
    const links = [];
    for (const [key, entries] of moves) {
      const from = key >> 8, to = key & 255;
      const link = this._link(fsa, from, to, entries, centre, r, [w / 2, h / 2 + 4]);
      this.shape.set(key, link);
      links.push(link);
    }
    const bubbles = names.map((name, state) => {
      const [x, y] = centre(state), short = name.length > 9 ? `${name.slice(0, 8)}…` : name, fits = short.length * 7.2 < 2 * r - 4;
      const out = count > 2 ? Math.sign(y - h / 2 - 4) || 1 : 1;
      return el("g", {}, el("title", {}, name + (fsa.final.includes(state) ? " (final)" : "")),
        el("circle", { cx: x, cy: y, r, class: `bubble${fsa.final.includes(state) ? " final" : ""}`, fill: this.colours[state] }),
        el("text", { x, y: fits ? y : y + out * (r + 11), fill: fits ? inkOn(this.colours[state]) : "currentColor" }, short));
    });
    fill(this.drawing, el("svg", { viewBox: `0 0 ${w} ${h}`, role: "group", "aria-label": "States and moves of the automaton" }, links, bubbles));
  }

  _link(fsa, from, to, entries, centre, r, middle) {
    const [ax, ay] = centre(from), [bx, by] = centre(to), words = `${fsa.names[from]} ${from === to ? "stays" : `to ${fsa.names[to]}`}: ${entries} of ${fsa.aggregation.numValues} entries`;
    let d, tip, angle;
    if (from === to) {
      const out = fsa.names.length < 3 ? -Math.PI / 2 : Math.atan2(ay - middle[1], ax - middle[0]), spread = 0.55, far = r * 2.3;
      const at = (turn, radius) => [ax + radius * Math.cos(out + turn), ay + radius * Math.sin(out + turn)];
      const [s, c1, c2, e] = [at(-spread, r), at(-spread, far), at(spread, far), at(spread, r + 2)];
      d = `M${s} C${c1} ${c2} ${e}`;
      [tip, angle] = [e, Math.atan2(e[1] - c2[1], e[0] - c2[0])];
    } else {
      const length = Math.hypot(bx - ax, by - ay), ux = (bx - ax) / length, uy = (by - ay) / length, bend = Math.min(26, length * 0.14);
      const mx = (ax + bx) / 2 - uy * bend, my = (ay + by) / 2 + ux * bend;
      const a = Math.atan2(my - ay, mx - ax), b = Math.atan2(by - my, bx - mx);
      const s = [ax + r * Math.cos(a), ay + r * Math.sin(a)], e = [bx - (r + 3) * Math.cos(b), by - (r + 3) * Math.sin(b)];
      d = `M${s} Q${mx} ${my} ${e}`;
      [tip, angle] = [e, b];
    }
    const wing = (turn) => [tip[0] - 10 * Math.cos(angle + turn), tip[1] - 10 * Math.sin(angle + turn)];
    const choose = () => {
      const key = from * 256 + to;
      this.chosen = this.chosen === key ? null : key;
      this.draw();
    };
    return el("g", { class: "link", tabindex: "0", role: "button", "aria-label": words, onclick: choose, onkeydown: (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        event.stopPropagation();
        choose();
      }
    } }, el("title", {}, words), el("path", { d, class: "hit" }), el("path", { d, class: "arrow" }), el("polygon", { points: `${tip} ${wing(0.42)} ${wing(-0.42)}`, class: "head" }));
  }

  _light(fsa, used) {
    const now = new Set(), numValues = fsa.aggregation.numValues;
    if (used) used.forEach((one, entry) => { if (one) now.add(Math.floor(entry / numValues) * 256 + fsa.table[entry]); });
    for (const [key, link] of this.shape ?? []) {
      link.classList.toggle("used", now.has(key));
      link.classList.toggle("chosen", this.chosen === key);
    }
  }

  // ---- the table

  _table(fsa, used, seen) {
    const { names, aggregation } = fsa, numValues = aggregation.numValues;
    if (fsa.table.length > MAX_TABLE) {
      this.hint.textContent = `The table has ${fsa.table.length.toLocaleString("en")} entries; it is too large to be shown.`;
      fill(this.table);
      return;
    }
    const from = this.chosen === null ? null : this.chosen >> 8, to = this.chosen & 255;
    const wanted = [];
    for (let value = 0; value < numValues; value++) {
      const own = from === null ? names.some((_, state) => seen[state * numValues + value]) || numValues <= 16 : fsa.table[from * numValues + value] === to;
      if (own) wanted.push(value);
    }
    const shown = wanted.slice(0, MAX_ROWS), states = from === null ? names.map((_, state) => state) : [from];
    const which = from === null ? wholeWords(shown.length, numValues)
      : arrowWords(names[from], from === to ? null : names[to], [wanted.length, shown.length, numValues]);
    this.hint.textContent = `The table, ${which}. Click an entry to change it; those in use now are outlined.`;
    const key = `${shown} ${states} ${this.colours}`;
    if (this._key !== key || this._fsa !== fsa) {
      this._key = key;
      this._fsa = fsa;
      this._build(fsa, shown, states);
    }
    for (const button of this.table.querySelectorAll("button")) button.classList.toggle("used", Boolean(used?.[Number(button.dataset.entry)]));
  }

  _build(fsa, values, states) {
    const { names, aggregation, table } = fsa, numValues = aggregation.numValues;
    const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "sees"), states.map((state) => el("th", { scope: "col" }, names[state]))));
    const body = values.map((value) => el("tr", {}, el("th", { scope: "row" }, aggregation.words(value)), states.map((state) => {
      const entry = state * numValues + value, next = table[entry], colour = this.colours[next];
      return el("td", {}, el("button", {
        type: "button", "data-entry": entry, class: fsa.final.includes(state) ? "final" : null, style: { "--own": colour, "--on": inkOn(colour) },
        "aria-label": `${names[state]} that sees ${aggregation.words(value)} moves to ${names[next]}; change`,
        onclick: (event) => this._menu(event.currentTarget, state, value),
      }, names[next].length > 8 ? `${names[next].slice(0, 7)}…` : names[next]));
    })));
    fill(this.table, el("table", {}, head, el("tbody", {}, body)));
  }

  _menu(button, state, value) {
    $("menu")?.remove();
    const { names } = this.session.fsa, close = () => menu.remove();
    const menu = el("div", { id: "menu", role: "menu", "aria-label": "Next state" }, names.map((name, next) => el("button", {
      type: "button", role: "menuitem", onclick: () => {
        close();
        try {
          this.session.setEntry(state, value, next);
        } catch (problem) {
          this.fail(problem.message);
        }
      },
    }, el("i", { class: "swatch", style: { "--own": this.colours[next] } }), el("bdi", {}, name))));
    document.body.append(menu);
    const place = button.getBoundingClientRect();
    menu.style.left = `${Math.max(6, Math.min(place.left, window.innerWidth - menu.offsetWidth - 8))}px`;
    menu.style.top = `${Math.max(6, Math.min(place.bottom + 4, window.innerHeight - menu.offsetHeight - 8))}px`;
    menu.querySelector("button").focus();
    menu.addEventListener("keydown", (event) => {
      const items = [...menu.children], at = items.indexOf(document.activeElement);
      if (event.key === "Escape") {
        close();
        button.focus();
      } else if (event.key === "ArrowDown") items[(at + 1) % items.length].focus();
      else if (event.key === "ArrowUp") items[(at + items.length - 1) % items.length].focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    setTimeout(() => document.addEventListener("pointerdown", (event) => menu.contains(event.target) || close(), { once: true }), 0);
  }
}

function wholeWords(shown, numValues) {
  if (numValues <= 16) return "all neighbourhoods";
  return `${shown} of ${numValues.toLocaleString("en")} neighbourhoods: those that came up in this world`;
}

function arrowWords(from, to, [wanted, shown, numValues]) {
  const rest = wanted > shown ? `, the first ${shown} of them` : "";
  return `where ${from} ${to === null ? "stays" : `moves to ${to}`}: ${wanted} of ${numValues.toLocaleString("en")} entries${rest}`;
}
