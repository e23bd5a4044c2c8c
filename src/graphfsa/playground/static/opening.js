// Where worlds come from and go to: files that are dropped, links that are opened, and the address of the page.

import { $, later } from "./dom.js";
import { readFile } from "./formats.js";
import { LESSONS } from "./lessons.js";
import { PRESETS, presetScene } from "./presets.js";
import { Problem } from "./problem.js";
import { pack, unpack } from "./scene.js";

const LONGEST = 16_000;

export class Opening {
  constructor(session, lessons, { toast, showTab }) {
    Object.assign(this, { session, lessons, toast, showTab });
    this.written = null;
    this.readers = {};
    // What is on the page goes into its address, unless it is too much.
    this.keep = later(() => this._keep(), 500);
    $("file").addEventListener("change", () => this.take($("file").files[0]));
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      document.body.classList.add("drop");
    });
    for (const name of ["dragleave", "drop"]) document.addEventListener(name, () => document.body.classList.remove("drop"));
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      this.take(event.dataTransfer.files[0]);
    });
    window.addEventListener("hashchange", () => this.openAddress());
  }

  // What a link says of the lesson.
  lesson() {
    const { current, at } = this.lessons;
    if (!current) return {};
    return { lesson: LESSONS.includes(current) ? { id: current.id, at } : { ...current, at } };
  }

  // ---- files

  async take(file) {
    if (!file) return;
    const own = this.readers[file.name.toLowerCase().split(".").pop()];
    try {
      if (own) await own(file);
      else this._open(await readFile(file));
      this.toast(`${file.name}: opened`);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.toast(problem.message);
    }
  }

  _open(read) {
    const { session } = this;
    if (read.kind === "graph") session.setWorld(read.world);
    else if (read.kind === "pattern") this._putPattern(read);
    else if (read.kind === "rules") session.setRules(read.rules);
    else if (read.kind === "automaton") session.setAutomaton(read.automaton);
    else if (read.kind === "lesson") {
      this.lessons.start(read.lesson);
      this.showTab("learn");
    } else this.show(read.scene);
  }

  _putPattern({ cells, rows, columns }) {
    const { session } = this, { lattice } = session.graph, most = cells.reduce((a, b) => Math.max(a, b), 0);
    if (most >= session.fsa.names.length) {
      throw new Problem(`the pattern has a state ${most}; this automaton has ${session.fsa.names.length} states`);
    }
    const fits = lattice && lattice.kind !== "line" && rows <= lattice.height && columns <= lattice.width;
    const slotted = session.fsa.aggregation.name === "positional";
    const roomy = { lattice: { kind: "moore", height: Math.max(64, rows + 32), width: Math.max(64, columns + 32), torus: true, slotted } };
    const world = fits ? session.world : roomy, { height, width } = world.lattice, states = new Uint8Array(height * width);
    const top = (height - rows) >> 1, left = (width - columns) >> 1;
    for (let r = 0; r < rows; r++) states.set(cells.subarray(r * columns, (r + 1) * columns), (top + r) * width + left);
    session.setWorld(world, states);
  }

  // ---- scenes and links

  show(scene, options = {}) {
    const { lesson, ...rest } = scene, { session, lessons } = this;
    session.load(rest, options);
    if (!lesson) return;
    const own = lesson.id ? LESSONS.find(({ id }) => id === lesson.id) : lesson;
    if (!own) throw new Problem(`there is no lesson ${lesson.id}`);
    lessons.start(own, 0);
    lessons.at = Math.min(own.steps.length - 1, Math.max(0, Math.floor(Number(lesson.at) || 0)));
    lessons.show();
    session.load(rest, options);
    this.showTab("learn");
  }

  async openAddress() {
    const fragment = decoded(window.location.hash.slice(1)), given = fragment || $("scene").textContent.trim();
    if (fragment !== "" && fragment === this.written) return;
    try {
      await this._openGiven(given, fragment === "");
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (!this.session.fsa) this.session.load(presetScene("life"));
      this.toast(problem.message);
    }
  }

  // The name of an example, "lesson=" and the name of one, a packed scene, or nothing.
  async _openGiven(given, own) {
    const preset = PRESETS.find(({ id }) => id === given), named = /^lesson=([a-z]+)$/.exec(given);
    if (named) {
      const lesson = LESSONS.find(({ id }) => id === named[1]);
      if (!lesson) throw new Problem(`there is no lesson ${named[1]}`);
      this.session.load(presetScene("life"));
      this.lessons.start(lesson);
      this.showTab("learn");
    } else if (given && !preset) this.show(await unpack(given), { play: own });
    else this.session.load(presetScene(preset?.id ?? "life"), { play: !matchMedia("(prefers-reduced-motion: reduce)").matches });
  }

  async _keep() {
    const { session } = this;
    if (session.playing || !session.fsa) return;
    const fragment = await pack({ ...session.scene(), ...this.lesson() });
    if (session.playing || fragment === this.written || fragment.length > LONGEST) return;
    this.written = fragment;
    try {
      history.replaceState(null, "", `#${fragment}`);
    } catch {
      // A frame that has no address of its own.
    }
  }
}

// Programs that pass links on may write "%3D" for "=".
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
