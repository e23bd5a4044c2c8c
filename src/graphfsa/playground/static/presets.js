// Examples to begin with: each is a scene with a paragraph about it.

import { parseRle } from "./patterns.js";

const LIFE = (born, survives, bound) => `states: dead, alive
aggregation: counting bound=${bound}

dead -> alive if ${born} neighbours are alive
dead stays otherwise

alive stays if ${survives} neighbours are alive
alive -> dead otherwise
`;

const RULES = {
  life: LIFE("exactly 3", "2 or 3", 4),
  highlife: LIFE("3 or 6", "2 or 3", 7),
  "hex-life": LIFE("exactly 3", "2 to 4", 5),
  wireworld: `states: empty, head, tail, conductor
aggregation: counting bound=3

empty stays

head -> tail

tail -> conductor

conductor -> head if 1 or 2 neighbours are head
conductor stays otherwise
`,
  rule30: `states: 0, 1
aggregation: positional num_slots=2

0 -> 1 if exactly one neighbour is 1
0 stays otherwise

1 -> 0 if left is 1
1 stays otherwise
`,
  rule90: `states: 0, 1
aggregation: positional num_slots=2

0 -> 1 if exactly one neighbour is 1
0 stays otherwise

1 stays if exactly one neighbour is 1
1 -> 0 otherwise
`,
  rule110: `states: 0, 1
aggregation: positional num_slots=2

0 -> 1 if right is 1
0 stays otherwise

1 -> 0 if at least 2 neighbours are 1
1 stays otherwise
`,
  distance: `states: even, odd, node, root
starting states: node, root
final states: even, odd
aggregation: counting bound=1

even stays

odd stays

node -> odd if some neighbour is even
node -> even if some neighbour is odd
node stays otherwise

root -> even
`,
  "path-finding": `states: off, on, node, marked
starting states: node, marked
final states: off, on
aggregation: counting bound=2

off stays

on stays

node -> off if at most one neighbour is not off
node -> on if exactly one neighbour is on and exactly one neighbour is node or marked
node -> on if no neighbour is node or marked
node stays otherwise

marked -> on if at most one neighbour is not off
marked stays otherwise
`,
  "prefix-sum": `states: 0, 1, bit0, bit1, root0, root1
starting states: bit0, bit1, root0, root1
final states: 0, 1
aggregation: counting bound=1

0 stays

1 stays

bit0 -> 0 if some neighbour is 0
bit0 -> 1 if some neighbour is 1
bit0 stays otherwise

bit1 -> 1 if some neighbour is 0
bit1 -> 0 if some neighbour is 1
bit1 stays otherwise

root0 -> 0

root1 -> 1
`,
  "root-value": `states: 0, 1, node, root0, root1
starting states: node, root0, root1
final states: 0, 1
aggregation: counting bound=1

0 stays

1 stays

node -> 0 if some neighbour is 0
node -> 1 if some neighbour is 1
node stays otherwise

root0 -> 0

root1 -> 1
`,
  majority: `states: no, yes
aggregation: average-threshold thresholds=[0.5]

no -> yes if less than half of the neighbours are no and at least half of the neighbours are yes
no stays otherwise

yes -> no if at least half of the neighbours are no and less than half of the neighbours are yes
yes stays otherwise
`,
  core: `states: out, in
starting states: in
final states: out
aggregation: letters count in up to 2

out stays

in -> out if at most one neighbour is in
in stays otherwise
`,
  mis: `states: in, out, waiting, "drew 1", "drew 2", "drew 3", "drew 4"
starting states: waiting
final states: in, out
aggregation: letters highest of "drew 1" < "drew 2" < "drew 3" < "drew 4"; count in up to 1

in stays

out stays

waiting -> out if some neighbour is in
waiting -> "drew 1" with probability 0.25, "drew 2" with probability 0.25, "drew 3" with probability 0.25, "drew 4" with probability 0.25 otherwise

"drew 1" -> in if the highest neighbour is missing
"drew 1" -> waiting otherwise

"drew 2" -> in if the highest neighbour is missing or "drew 1"
"drew 2" -> waiting otherwise

"drew 3" -> waiting if the highest neighbour is "drew 3" or "drew 4"
"drew 3" -> in otherwise

"drew 4" -> waiting if the highest neighbour is "drew 4"
"drew 4" -> in otherwise
`,
  contagion: `states: well, ill, immune
final states: immune
aggregation: letters count ill up to 4

well -> ill with probability 0.2 if exactly one neighbour is ill
well -> ill with probability 0.36 if exactly 2 neighbours are ill
well -> ill with probability 0.488 if exactly 3 neighbours are ill
well -> ill with probability 0.5904 if at least 4 neighbours are ill
well stays otherwise

ill -> immune with probability 0.15

immune stays
`,
};

const GUN = "x = 36, y = 9\n24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!";
const REPLICATOR = "x = 5, y = 5\n2b3o$bo2bo$o3bo$o2bo$3o!";
// A clock, a wire and a diode, which lets electrons through from the left, or only from the right.
const OPEN = "x = 39, y = 3\n.BA3C14.2C$C5.15C.17C$.5C14.2C!";
const CLOSED = "x = 39, y = 3\n.BA3C14.2C$C5.14C.18C$.5C14.2C!";

const lattice = (kind, height, width, torus, slotted = false) => ({ lattice: { kind, height, width, torus, slotted } });

// States of a lattice: patterns at places, on a background of state 0.
function placed(world, ...patterns) {
  const { height, width } = world.lattice, states = new Uint8Array(height * width);
  for (const [text, top, left] of patterns) {
    const { cells, rows, columns } = parseRle(text);
    for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) states[(top + r) * width + left + c] = cells[r * columns + c];
  }
  const runs = [];
  for (let node = 0; node < states.length;) {
    let end = node;
    while (end < states.length && states[end] === states[node]) end++;
    runs.push(states[node], end - node);
    node = end;
  }
  return { runs };
}

const GARDEN = lattice("moore", 64, 96, false), DISH = lattice("moore", 96, 128, true), BOARD = lattice("moore", 24, 46, false);
const ROW = lattice("line", 1, 241, true, true);

export const PRESETS = [
  preset("life", "Life", "A gun that shoots gliders",
    "A dead cell comes to life next to exactly three live ones; a live one survives with two or three. Nothing else is said, "
    + "and yet this arrangement builds a glider every 30 steps. Paint a cell into the stream and see what becomes of it.",
    GARDEN, placed(GARDEN, [GUN, 6, 6]), { speed: 30 }),
  preset("contagion", "Contagion", "An outbreak in a small world",
    "Each ill neighbour infects with probability 0.2 in a step; the ill become immune with probability 0.15. Most ties are short, "
    + "a few are long, and those carry it everywhere. Change 0.2 in the rules and press play again.",
    { family: "watts-strogatz", n: 300, extras: { k: 6, p: 0.08 }, seed: 3 }, { all: 0, some: { 1: [0, 150] } }, { speed: 6, seed: 4 }),
  preset("path-finding", "PathFinding", "Which nodes lie between two marked ones?",
    "Branches without a mark wither from their leaves; what remains between the two marks lights up from both ends. No node knows "
    + "more than its neighbours, and on every tree the right nodes end up on.",
    { family: "tree", n: 90, seed: 5 }, { all: 2, some: { 3: [3, 17] } }, { speed: 3 }),
  preset("distance", "Distance", "Even or odd: how far is the root?",
    "The root says even. Whoever hears an answer from a neighbour gives the other one and stays with it. So a wave runs outwards, and "
    + "each node ends with the parity of its distance.",
    { family: "delaunay", n: 220, seed: 2 }, { all: 2, some: { 3: [0] } }, { speed: 4 }),
  preset("prefix-sum", "PrefixSum", "Adding up bits along a path",
    "Every node of the path has a bit; the root begins, and each node passes on the sum so far, modulo two. Paint another bit "
    + "before the wave arrives, and all answers behind it change.",
    { family: "path", n: 48 }, prefix(48), { speed: 6 }),
  preset("root-value", "RootValue", "One bit for everybody",
    "The root knows a bit, and tells it. A node takes the first value that it hears: after as many steps as the tree is deep, everybody knows.",
    { family: "recursive-tree", n: 120, seed: 7 }, { all: 2, some: { 4: [0] } }, { speed: 3 }),
  preset("highlife", "HighLife", "A pattern that makes copies of itself",
    "Life with one more way to be born: next to six. This small pattern is a replicator: it copies itself along a diagonal, again and again.",
    DISH, placed(DISH, [REPLICATOR, 45, 61]), { speed: 15 }),
  preset("wireworld", "WireWorld", "Electrons on wires, a clock and two diodes",
    "Electrons are a head and a tail that run along conductors. The loops send one into a wire every few steps. One of the two "
    + "diodes lets it through, the other is the same one turned around, and does not.",
    BOARD, placed(BOARD, [OPEN, 6, 3], [CLOSED, 15, 3]), { speed: 12 }),
  preset("rule30", "Rule 30", "Disorder from a single cell",
    "A row of cells, each with two neighbours; time goes downwards. From a single cell this rule makes a pattern whose middle column passes for random.",
    ROW, { all: 0, some: { 1: [120] } }, { speed: 30 }),
  preset("rule90", "Rule 90", "Sierpinski's triangle",
    "A cell is on if exactly one of its two neighbours was. The triangle within triangles is Pascal's, modulo two.",
    ROW, { all: 0, some: { 1: [120] } }, { speed: 30 }),
  preset("rule110", "Rule 110", "A row that can compute anything",
    "Gliders run through a striped background and collide. With the right start this row of cells can carry out any computation.",
    ROW, { shares: [0.5, 0.5], seed: 11 }, { speed: 30 }),
  preset("hex-life", "Hexagonal Life", "Six neighbours instead of eight",
    "Cells are hexagons: born with three live neighbours, alive with two to four. Disorder turns into a maze of stripes, in which soon nothing but a few cells blinks.",
    lattice("hex", 48, 56, true), { shares: [0.7, 0.3], seed: 8 }, { speed: 10 }),
  preset("majority", "Majority", "Opinions, and where their borders come to rest",
    "Each node takes the opinion of more than half of its neighbours and keeps its own at a tie. Small groups vanish, borders become "
    + "straight, and in the end all is at rest, or blinks every other step.",
    lattice("moore", 72, 96, true), { shares: [0.5, 0.5], seed: 1 }, { speed: 8 }),
  preset("core", "Leaf peeling", "What remains when leaves fall?",
    "Whoever has fewer than two neighbours left goes, which may leave others with too few. What stays is the 2-core: every node of it "
    + "lies on a cycle, or between two.",
    { family: "erdos-renyi", n: 130, extras: { "mean degree": 2.4 }, seed: 4 }, { all: 1 }, { speed: 3 }),
  preset("mis", "Independent set", "Drawing lots among neighbours",
    "Waiting nodes draw a number. Who draws more than all rivals joins the set, and its neighbours are out (Luby, 1986). In the end no two "
    + "members are neighbours, and everybody else has one.",
    { family: "regular", n: 90, extras: { degree: 3 }, seed: 6 }, { all: 2 }, { speed: 3, seed: 2 }),
];

export function presetScene(id) {
  const found = PRESETS.find((each) => each.id === id);
  return found ? structuredClone(found.scene) : null;
}

function preset(id, title, subtitle, about, world, start, more) {
  return { id, title, subtitle, about, scene: { v: 1, preset: id, title, about, rules: RULES[id], world, start, ...more } };
}

function prefix(n) {
  const bits = Array.from({ length: n }, (_, node) => (node * node * 7 + node * 3) % 11 < 5);
  const runs = bits.flatMap((bit, node) => [node === 0 ? 4 + bit : 2 + bit, 1]);
  return { runs };
}
