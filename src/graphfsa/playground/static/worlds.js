// Worlds on a page of a site: each begins as a picture, runs while it is in view, and stops and goes on at a click. They
// are figures of the class "world" around a link to the playground, whose fragment says what to show.

import { palette } from "./colours.js";
import { el } from "./dom.js";
import { Engine } from "./engine.js";
import { layout } from "./layout.js";
import { presetScene } from "./presets.js";
import { open, unpack } from "./scene.js";
import { Stage } from "./stage.js";

const FASTEST = 30;
const REST = 1500;

const calm = matchMedia("(prefers-reduced-motion: reduce)");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
}

class World {
  constructor(figure, scene) {
    const image = figure.querySelector("img"), link = figure.querySelector("a");
    this.opened = open(scene);
    this.speed = Math.min(FASTEST, this.opened.speed);
    this.wanted = !calm.matches;
    this.inView = false;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.button = el("button", { type: "button", onclick: () => this.toggle() }, this.canvas);
    this.name = image.alt;
    image.remove();
    figure.prepend(this.button);
    figure.append(link);
    this.stage = new Stage(this.canvas);
    this.stage.setWorld(this.opened.graph, this.opened.graph.lattice ? null : layout(this.opened.graph));
    this.dress();
    this.begin(Number(figure.dataset.at ?? 0));
    this.label();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  get running() {
    return this.wanted && this.inView;
  }

  // From the first step, without showing the steps before the one of the picture.
  begin(at = 0) {
    const { fsa, graph, states, from, seed } = this.opened;
    this.engine = new Engine(fsa, graph, states, { time: from, seed });
    this.stage.rows = this.stage.kind === "rows" ? [this.engine.states.slice()] : [];
    for (let k = 0; k < at; k++) this.step();
  }

  step() {
    const moved = this.engine.step(), { stage } = this;
    if (stage.kind === "rows") stage.rows = [...stage.rows, this.engine.states.slice()].slice(-512);
    return moved;
  }

  dress() {
    const dark = isDark();
    const theme = dark ? { ground: "#14181e", line: "#4b5563", ink: "#e9ecf1", accent: "#14181e" } : { ground: "#ffffff", line: "#c3c9d2", ink: "#16191f", accent: "#ffffff" };
    this.stage.setColours(palette(this.opened.fsa.names, this.opened.scene.colours ?? {}, dark), theme);
  }

  draw() {
    this.stage.resize();
    this.stage.draw(this.engine.states);
  }

  // At rest it stays a while, and begins again.
  tick(now) {
    if (!this.running || now < (this.next ?? 0)) return;
    if (this.resting) {
      this.begin();
      this.resting = false;
      this.next = now + 1000 / this.speed;
    } else {
      this.resting = this.step() === 0;
      this.next = now + (this.resting ? REST : 1000 / this.speed);
    }
    this.draw();
  }

  toggle() {
    this.wanted = !this.wanted;
    this.label();
  }

  label() {
    this.button.setAttribute("aria-label", `${this.name}: ${this.wanted ? "pause" : "play"}`);
    this.button.title = this.wanted ? "Pause" : "Play";
    this.button.dataset.wanted = this.wanted;
  }
}

async function begin() {
  const worlds = new Map();
  for (const figure of document.querySelectorAll("figure.world")) {
    const fragment = decodeURIComponent(new URL(figure.querySelector("a").href).hash.slice(1));
    worlds.set(figure, new World(figure, presetScene(fragment) ?? await unpack(fragment)));
  }
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) worlds.get(target).inView = isIntersecting;
  }, { threshold: 0.4 });
  for (const figure of worlds.keys()) watch.observe(figure);
  const dressed = () => {
    for (const world of worlds.values()) {
      world.dress();
      world.draw();
    }
  };
  new MutationObserver(dressed).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dressed);
  const frame = (now) => {
    for (const world of worlds.values()) world.tick(now);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  globalThis.worlds = [...worlds.values()];
}

begin();
