// Lessons: steps with a text, a world to begin with, and a goal that the page checks.
//
// A lesson is JSON: { "title", "about", "steps": [{ "text", "preset" or "scene", "hint", "goal" }] }. A goal is one of
//   { "every": STATE }, { "no": STATE }, { "count": [STATE, LEAST, MOST] }, { "rest": true }, { "step": N },
//   { "rules": TEXT }: the rules must mean the same, and { "ask": QUESTION, "answers": [..], "right": PLACE }.

import { $, el, fill } from "./dom.js";
import { PRESETS, presetScene } from "./presets.js";
import { need } from "./problem.js";
import { parseRules } from "./rules.js";

const GOALS = ["every", "no", "count", "rest", "step", "ask"];

export const LESSONS = [
  lesson("spread", "How a rumour spreads", "Local rules, global effects: waves on graphs.", [
    { text: "Nobody tells these nodes how far the root is. Press play and watch the wave. Run until every node has an answer.", preset: "distance", goal: { no: "node" } },
    { text: "After how many steps did the last node get its answer? Go back with the step buttons and look closely.",
      goal: { ask: "What decides how many steps it takes?", answers: ["the number of nodes", "the distance of the farthest node from the root", "the number of edges"], right: 1 } },
    { text: "Now one bit for everybody. The root of this tree starts with 0. Paint it with root1 before you press play, so that everybody ends with 1.", preset: "root-value", hint: "The root is node 0, in the colour of root0. Choose root1 in the palette and click it.", goal: { every: "1" } },
    { text: "Each node of this path adds its bit to the sum so far. Make the last answers come out so that at least 30 nodes end with 1.", preset: "prefix-sum", hint: "A single bit flips every answer behind it. Try it near the beginning.", goal: { count: ["1", 30, 48] } },
  ]),
  lesson("life", "Life from three numbers", "The Game of Life: still lifes, oscillators, gliders.", [
    { text: "Three in a row blink for ever. On this empty board, paint exactly three cells in a row, and press step.", scene: { preset: "life", empty: true }, goal: { count: ["alive", 3, 3] } },
    { text: "Some shapes never change. Build one (four cells in a square will do), and run to rest.", scene: { preset: "life", empty: true }, goal: { rest: true, count: ["alive", 4, 999] } },
    { text: "Find the glider among the stamps, put it down on the board and let it walk for 20 steps.", scene: { preset: "life", empty: true }, goal: { step: 20, count: ["alive", 5, 5] } },
    { text: "How many steps does a glider take until it has its old shape again, one cell further?", goal: { ask: "A glider has its old shape again after", answers: ["2 steps", "4 steps", "5 steps"], right: 1 } },
    { text: "Let a dead cell come to life next to 3 or 6 neighbours: change the first rule, so that this becomes HighLife, and bound=4 becomes bound=7.", preset: "life", hint: "aggregation: counting bound=7, and: dead -> alive if 3 or 6 neighbours are alive", goal: { rules: "highlife" } },
  ]),
  lesson("outbreak", "An outbreak", "Contagion on networks: chance, and what holds it up.", [
    { text: "Two people are ill in a town of 300. Let it run until nobody is ill any more.", preset: "contagion", goal: { no: "ill" } },
    { text: "Look at the plot: who is left in the end?", goal: { ask: "At the end there are nodes that are", answers: ["immune, and perhaps some that stayed well", "ill and immune", "all well again"], right: 0 } },
    { text: "Start again, and paint nodes immune before you press play, as a vaccination would. Can you keep at least 150 people well until nobody is ill?", preset: "contagion", hint: "Larger brushes don't help here; look at who joins far parts of the ring. Or begin with the neighbours of the ill.", goal: { no: "ill", count: ["well", 150, 300] } },
    { text: "Now help the ill instead: change how likely they recover in a step, until at least 200 stay well when nobody is ill any more. How fast must it be?", preset: "contagion", hint: "ill -> immune with probability 0.8, for instance; 0.5 is not enough", goal: { no: "ill", count: ["well", 200, 300] } },
  ]),
  lesson("rows", "Order and disorder in a row", "Elementary rules: fractals, chaos, computation.", [
    { text: "One black cell, and each step depends on the last row alone. Run 64 steps.", preset: "rule90", goal: { step: 64 } },
    { text: "How many cells are on after 64 steps?", goal: { ask: "In rule 90, from one cell, after 64 steps there are", answers: ["2 cells on", "64 cells on", "65 cells on"], right: 0 } },
    { text: "This rule has a different end: run 100 steps.", preset: "rule30", goal: { step: 100 } },
    { text: "Turn rule 30 into rule 90 with one change: a cell that is 1 stays if exactly one neighbour is 1, and else becomes 0.", preset: "rule30", hint: "1 stays if exactly one neighbour is 1, and in the next line: 1 -> 0 otherwise", goal: { rules: "rule90" } },
  ]),
  lesson("together", "Deciding together", "What nodes can find out that see only their neighbours.", [
    { text: "Two marked nodes, one tree: which nodes lie between them? Run to rest.", preset: "path-finding", goal: { rest: true, no: "node" } },
    { text: "Why does a branch without a mark turn off?", goal: { ask: "A node turns off as soon as", answers: ["it is far from both marks", "at most one of its neighbours is not off", "a mark tells it to"], right: 1 } },
    { text: "Leaves fall until none is left. Run to rest: what remains is the 2-core.", preset: "core", goal: { rest: true } },
    { text: "Draw the smallest graph of which something remains: three nodes in a circle. Start with a triangle, all of it in, and run 5 steps with all three still in.", scene: { preset: "core", triangle: true }, goal: { step: 5, count: ["in", 3, 3] } },
    { text: "Majority: let opinions settle. Run until at most 3000 of the 6912 cells say yes, or paint until it is so.", preset: "majority", hint: "Paint large areas with no, with a large brush, and let it run.", goal: { count: ["yes", 0, 3000] } },
  ]),
];

function lesson(id, title, about, steps) {
  return { id, title, about, steps };
}

function checkLesson(data) {
  need(data !== null && typeof data === "object" && typeof data.title === "string" && Array.isArray(data.steps) && data.steps.length > 0 && data.steps.length <= 100,
    "a lesson must have a title and steps");
  for (const step of data.steps) {
    need(typeof step.text === "string", "each step of a lesson must have a text");
    need(step.preset === undefined || PRESETS.some(({ id }) => id === step.preset), `there is no example ${step.preset}`);
    for (const key of Object.keys(step.goal ?? {})) need([...GOALS, "rules", "answers", "right"].includes(key), `a goal must be one of ${GOALS.join(", ")} or rules; got ${key}`);
  }
  return data;
}

function sceneOf(step) {
  if (step.preset) return presetScene(step.preset);
  if (!step.scene) return null;
  const { empty, triangle, ...given } = step.scene;
  if (given.rules || given.automaton) return given;
  const scene = presetScene(given.preset);
  if (empty) scene.start = { all: 0 };
  if (triangle) Object.assign(scene, { world: { n: 3, pairs: [0, 1, 1, 2, 2, 0] }, start: { all: 1 } });
  if (empty || triangle) delete scene.preset;
  return scene;
}

// Whether a goal is met now; null if there is none.
function isMet(goal, session, { atRest, answered }) {
  if (!goal) return null;
  const { names } = session.fsa, counts = session.counts, of = (state) => (names.includes(state) ? counts[names.indexOf(state)] : 0);
  const checks = [];
  if (goal.every !== undefined) checks.push(of(goal.every) === session.graph.n);
  if (goal.no !== undefined) checks.push(of(goal.no) === 0 && session.time > 0);
  if (goal.count) checks.push(of(goal.count[0]) >= goal.count[1] && of(goal.count[0]) <= (goal.count[2] ?? Infinity) && (goal.no === undefined || session.time > 0));
  if (goal.rest) checks.push(atRest);
  if (goal.step !== undefined) checks.push(session.time >= goal.step);
  if (goal.rules) checks.push(sameRules(session, presetScene(goal.rules)?.rules ?? goal.rules));
  if (goal.ask) checks.push(answered === goal.right);
  return checks.length > 0 && checks.every(Boolean);
}

function sameRules(session, text) {
  const wanted = parseRules(text), { fsa } = session;
  if (String(wanted.names) !== String(fsa.names) || JSON.stringify(wanted.aggregation.config) !== JSON.stringify(fsa.aggregation.config)) return false;
  return String(wanted.table) === String(fsa.table);
}

export class Lessons {
  constructor(session, load) {
    this.session = session;
    this.load = load;
    this.current = null;
    this.show();
  }

  start(found, at = 0) {
    this.current = checkLesson(found);
    this.done = 0;
    this.go(at);
  }

  go(at) {
    this.at = at;
    this.answered = null;
    this.atRest = false;
    const scene = sceneOf(this.current.steps[at]);
    if (scene) this.load(scene);
    this.show();
  }

  stopped({ kind }) {
    this.atRest = kind === "rest" || kind === "cycle";
    this.check();
  }

  moved() {
    this.atRest = false;
    this.check();
  }

  check() {
    if (!this.current || this.done > this.at) return;
    if (isMet(this.current.steps[this.at].goal, this.session, this) === false) return;
    if (!this.current.steps[this.at].goal) return;
    this.done = this.at + 1;
    this.show();
  }

  show() {
    if (!this.current) {
      fill($("learn"), el("h2", {}, "Lessons"), el("p", { class: "lead" }, "Each takes about a class hour. The page checks the goals; nothing is sent anywhere."),
        el("div", { class: "choices" }, LESSONS.map((each) => el("button", { type: "button", "data-lesson": each.id, onclick: () => this.start(each) },
          el("span", {}, el("b", {}, each.title), el("br"), el("small", { class: "hint" }, each.about)), el("small", {}, `${each.steps.length} steps`)))),
        el("p", { class: "hint" }, "A lesson of your own is a JSON file; drop it on the page, and share it as a link."));
      return;
    }
    const { steps, title } = this.current, last = this.at === steps.length - 1, met = this.done > this.at;
    fill($("learn"), el("div", { class: "row" }, el("h2", { class: "grow" }, title), el("button", { type: "button", onclick: () => {
      this.current = null;
      this.show();
    } }, "All lessons")),
    steps.slice(0, this.at + 1).map((step, k) => this.step(step, k)),
    el("div", { class: "row" },
      this.at > 0 ? el("button", { type: "button", onclick: () => this.go(this.at - 1) }, "Back") : null,
      el("button", { type: "button", onclick: () => this.go(this.at) }, "Again"),
      last ? null : el("button", { type: "button", id: "next-step", class: met || !steps[this.at].goal ? "strong" : null, onclick: () => this.go(this.at + 1) }, met || !steps[this.at].goal ? "Next" : "Skip")),
    last && met ? el("p", { class: "goal met" }, "That was the last step: well done.") : null);
  }

  step(step, k) {
    const now = k === this.at, met = this.done > k, { goal } = step;
    return el("div", { class: `step${met ? " done" : now ? " now" : ""}` }, el("p", {}, step.text),
      now && goal?.ask ? [el("p", {}, el("b", {}, goal.ask)), el("div", { class: "choices" }, goal.answers.map((answer, place) => el("button", { type: "button", "aria-pressed": this.answered === place ? "true" : "false", onclick: () => {
        this.answered = place;
        this.check();
        this.show();
      } }, answer)))] : null,
      now && step.hint && !met ? el("details", {}, el("summary", {}, "Hint"), el("p", { class: "hint" }, step.hint)) : null,
      goal && (now || met) ? el("p", { class: `goal${met ? " met" : ""}`, role: now ? "status" : null }, met ? "✓ Goal reached" : this.answered !== null && goal.ask ? "Not this one; look again" : `Goal: ${goalWords(goal)}`) : null);
  }
}

function goalWords(goal) {
  const words = [];
  if (goal.every) words.push(`every node is ${goal.every}`);
  if (goal.no) words.push(`no node is ${goal.no}`);
  if (goal.count) words.push(goal.count[1] === goal.count[2] ? `exactly ${goal.count[1]} are ${goal.count[0]}` : goal.count[1] === 0 ? `at most ${goal.count[2]} are ${goal.count[0]}` : `at least ${goal.count[1]} are ${goal.count[0]}`);
  if (goal.rest) words.push("all at rest");
  if (goal.step) words.push(`step ${goal.step}`);
  if (goal.rules) words.push("rules that mean the same");
  if (goal.ask) words.push("the right answer");
  return words.join(", and ");
}
