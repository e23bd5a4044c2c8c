"use strict";
(async function () {
  const ROW = Math.sqrt(0.75);
  const $ = (id) => document.getElementById(id);

  // ---- The run: see the docstring of _rollout_page.py for its form. ----

  async function unpack(text) {
    if (!("DecompressionStream" in window)) throw new Error("this page needs a browser of 2023 or later");
    const letters = atob(text.trim());
    const packed = new Uint8Array(letters.length);
    for (let i = 0; i < packed.length; i++) packed[i] = letters.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = await new Response(stream).arrayBuffer();
    const length = new DataView(bytes).getUint32(0, true);
    const run = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
    const kinds = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };
    for (const [name, at] of Object.entries(run.arrays)) {
      run[name] = new kinds[at.size](bytes, 4 + length + at.place, at.length);
    }
    return run;
  }

  let run;
  try {
    run = await unpack($("data").textContent);
  } catch (error) {
    $("facts").textContent = "The roll-out can't be shown: " + error.message;
    return;
  }
  const n = run.nodes;
  const frames = run.times.length;
  const used = run.used;
  for (let i = n; i < used.length; i++) used[i] += used[i - n];
  const states = new Uint8Array(used.length);
  for (let i = 0; i < used.length; i++) states[i] = run.entry_state[used[i]];
  const begin = new Uint32Array(n + 1);
  for (let v = 0; v < n; v++) begin[v + 1] = begin[v] + run.degrees[v];
  const sources = new Int32Array(run.sources.length);
  for (let v = 0; v < n; v++) {
    for (let a = begin[v]; a < begin[v + 1]; a++) sources[a] = v + (run.sources[a] | 0);
  }
  const stateAt = (frame, node) => states[frame * n + node];

  // ---- What is shown. ----

  let now = 0;
  let selected = -1;
  let playing = false;
  const canvas = $("canvas");
  const context = canvas.getContext("2d");
  const cells = document.createElement("canvas");
  let view = {};
  let room = 0;
  const example = run.example;
  const wrong = new Set(example ? example.wrong : []);
  let colours = [];
  let words = [];

  function dark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function paint() {
    // White is the background and black the ink: in the dark they change places. The user's own colours stay.
    const swap = dark() ? { "#ffffff": "#2a3038", "#000000": "#ffffff" } : {};
    colours = run.colours.map((colour, state) => (run.own_colours.includes(state) ? colour : swap[colour] || colour));
    words = colours.map((colour) => {
      const number = parseInt(colour.slice(1), 16);
      const bytes = new Uint8Array([number >> 16, (number >> 8) & 255, number & 255, 255]);
      return new Uint32Array(bytes.buffer)[0];
    });
    document.querySelectorAll("[data-state]").forEach((swatch) => {
      swatch.style.background = colours[swatch.dataset.state];
    });
  }

  const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // ---- Geometry: where nodes are, in CSS pixels. ----

  function measure() {
    const style = getComputedStyle($("stage"));
    room = $("stage").clientWidth;
    const wide = room - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const tall = Math.max(240, innerHeight * (wide < 520 ? 0.55 : 0.7));
    let width, height;
    if (run.kind === "grid") {
      let side = Math.min(wide / run.width, tall / run.height, 48);
      if (side >= 3) side = Math.floor(side);
      view = { side };
      [width, height] = [side * run.width, side * run.height];
    } else if (run.kind === "hex") {
      const side = Math.min(wide / (run.width + 0.5), tall / ((run.height - 1) * ROW + 1.16), 48);
      view = { side };
      [width, height] = [side * (run.width + 0.5), side * ((run.height - 1) * ROW + 1.16)];
    } else if (run.kind === "line") {
      const side = Math.min(wide / n, 28);
      const row = Math.min(Math.max(side, Math.min(10, tall / frames)), tall / frames, 28);
      view = { side, row };
      [width, height] = [side * n, row * frames];
    } else {
      const reach = [0, 0];
      for (let i = 0; i < 2 * n; i++) reach[i % 2] = Math.max(reach[i % 2], run.points[i]);
      const edge = example || run.moved ? 26 : 18;
      const scale = Math.min((wide - 2 * edge) / Math.max(reach[0], 1), (tall - 2 * edge) / Math.max(reach[1], 1));
      width = wide;
      height = Math.min(tall, Math.max(reach[1] * scale + 2 * edge, Math.min(120, tall)));
      const radius = Math.max(2, Math.min(n <= 16 ? 17 : 13, 0.42 * run.spacing * scale || 13));
      view = { scale, radius, left: (width - reach[0] * scale) / 2, top: (height - reach[1] * scale) / 2 };
    }
    view.width = Math.max(1, width);
    view.height = Math.max(1, height);
    view.ratio = Math.min(3, devicePixelRatio || 1);
    canvas.style.width = view.width + "px";
    canvas.style.height = view.height + "px";
    canvas.width = Math.round(view.width * view.ratio);
    canvas.height = Math.round(view.height * view.ratio);
    view.lines = null;
  }

  function centre(node) {
    if (run.kind === "graph") {
      return [view.left + run.points[2 * node] * view.scale, view.top + run.points[2 * node + 1] * view.scale];
    }
    if (run.kind === "line") return [(node + 0.5) * view.side, (now + 0.5) * view.row];
    const row = Math.floor(node / run.width);
    const column = node % run.width;
    if (run.kind === "grid") return [(column + 0.5) * view.side, (row + 0.5) * view.side];
    return [(column + 0.5 + 0.5 * (row % 2)) * view.side, (row * ROW + 0.58) * view.side];
  }

  function pick(x, y) {
    if (run.kind === "line") {
      const [cell, row] = [Math.floor(x / view.side), Math.floor(y / view.row)];
      return cell >= 0 && cell < n && row >= 0 && row < frames ? [cell, row] : [-1, now];
    }
    if (run.kind === "grid") {
      const [column, row] = [Math.floor(x / view.side), Math.floor(y / view.side)];
      const inside = column >= 0 && column < run.width && row >= 0 && row < run.height;
      return [inside ? row * run.width + column : -1, now];
    }
    let best = run.kind === "hex" ? view.side * 0.62 : Math.max(16, 1.6 * view.radius);
    let found = -1;
    for (let v = 0; v < n; v++) {
      const at = centre(v);
      const apart = Math.hypot(at[0] - x, at[1] - y);
      if (apart < best) [best, found] = [apart, v];
    }
    return [found, now];
  }

  // ---- Drawing. ----

  function drawCells(wide, tall, from) {
    if (cells.width !== wide || cells.height !== tall) [cells.width, cells.height] = [wide, tall];
    const pen = cells.getContext("2d");
    const image = pen.createImageData(wide, tall);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < pixels.length; i++) pixels[i] = words[states[from + i]];
    pen.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(cells, 0, 0, view.width, view.height);
  }

  function frame() {
    context.strokeStyle = ink("--line");
    context.lineWidth = 1;
    context.strokeRect(0.5, 0.5, view.width - 1, view.height - 1);
  }

  function drawGrid() {
    drawCells(run.width, run.height, now * n);
    frame();
    if (view.side < 7) return;
    context.strokeStyle = dark() ? "#ffffff14" : "#0000001a";
    context.beginPath();
    for (let column = 0; column <= run.width; column++) {
      context.moveTo(column * view.side, 0);
      context.lineTo(column * view.side, view.height);
    }
    for (let row = 0; row <= run.height; row++) {
      context.moveTo(0, row * view.side);
      context.lineTo(view.width, row * view.side);
    }
    context.stroke();
  }

  function drawLine() {
    if (!view.lines) {
      drawCells(n, frames, 0); // It stays as it is: what changes is how much of it is veiled.
      view.lines = document.createElement("canvas");
      [view.lines.width, view.lines.height] = [canvas.width, canvas.height];
      view.lines.getContext("2d").drawImage(canvas, 0, 0);
    }
    context.drawImage(view.lines, 0, 0, view.width, view.height);
    const below = (now + 1) * view.row;
    context.globalAlpha = 0.72;
    context.fillStyle = ink("--card");
    context.fillRect(0, below, view.width, view.height - below);
    context.globalAlpha = 1;
    frame();
    context.fillStyle = ink("--accent");
    context.fillRect(0, Math.min(below, view.height - 1.5), view.width, 1.5);
  }

  function hexagon(x, y, radius) {
    for (let k = 0; k < 6; k++) {
      const angle = Math.PI / 6 + (k * Math.PI) / 3;
      const corner = [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
      if (k) context.lineTo(...corner);
      else context.moveTo(...corner);
    }
    context.closePath();
  }

  function byState(shape) {
    const lists = colours.map(() => []);
    for (let v = 0; v < n; v++) lists[stateAt(now, v)].push(v);
    lists.forEach((list, state) => {
      if (!list.length) return;
      context.fillStyle = colours[state];
      context.beginPath();
      list.forEach((v) => shape(...centre(v)));
      context.fill();
      if (context.lineWidth) context.stroke();
    });
  }

  function drawHexagons() {
    const side = view.side;
    context.strokeStyle = dark() ? "#ffffff33" : "#00000033";
    context.lineWidth = 1;
    if (side < 5) return byState((x, y) => context.rect(x - side / 2, y - (side * ROW) / 2, side, side * ROW));
    byState((x, y) => hexagon(x, y, side / Math.sqrt(3)));
  }

  function drawGraph() {
    if (!view.lines) {
      context.strokeStyle = dark() ? "#7d8590" : "#9a9fa6";
      context.lineWidth = n > 300 ? 0.7 : 1.2;
      context.globalAlpha = Math.max(0.25, Math.min(1, 2500 / run.arcs)); // Many arcs must not hide the nodes.
      context.beginPath();
      for (let v = 0; v < n; v++) {
        const at = centre(v);
        for (let a = begin[v]; a < begin[v + 1]; a++) {
          const u = sources[a];
          const from = centre(u);
          if (u === v) context.moveTo(at[0] + 5, at[1] - view.radius - 5);
          if (u === v) context.arc(at[0], at[1] - view.radius - 5, 5, 0, 2 * Math.PI);
          context.moveTo(...from);
          context.lineTo(...at);
          if (run.directed && u !== v) arrow(from, at);
        }
      }
      context.stroke();
      context.globalAlpha = 1;
      view.lines = document.createElement("canvas");
      [view.lines.width, view.lines.height] = [canvas.width, canvas.height];
      view.lines.getContext("2d").drawImage(canvas, 0, 0);
    } else {
      context.drawImage(view.lines, 0, 0, view.width, view.height);
    }
    context.strokeStyle = dark() ? "#c9ced6" : "#454a50";
    context.lineWidth = view.radius > 4 ? 1.2 : 0.7;
    byState((x, y) => {
      context.moveTo(x + view.radius, y);
      context.arc(x, y, view.radius, 0, 2 * Math.PI);
    });
    if (view.radius >= 7) drawNumbers();
  }

  function drawNumbers() {
    const short = run.node_names && run.node_names.every((name) => name.length <= 3);
    context.font = `600 ${Math.round(Math.min(13, view.radius * 0.95))}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let v = 0; v < n; v++) {
      const number = parseInt(colours[stateAt(now, v)].slice(1), 16);
      const light = 0.299 * (number >> 16) + 0.587 * ((number >> 8) & 255) + 0.114 * (number & 255);
      context.fillStyle = light > 140 ? "#16191d" : "#ffffff";
      const [x, y] = centre(v);
      context.fillText(short ? run.node_names[v] : v, x, y + 0.5);
    }
  }

  function arrow(from, to) {
    const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
    const tip = [to[0] - view.radius * Math.cos(angle), to[1] - view.radius * Math.sin(angle)];
    for (const turn of [-0.45, 0.45]) {
      context.moveTo(...tip);
      context.lineTo(tip[0] - 7 * Math.cos(angle + turn), tip[1] - 7 * Math.sin(angle + turn));
    }
  }

  function outline(node, width) {
    const [x, y] = centre(node);
    context.lineWidth = width;
    context.beginPath();
    if (run.kind === "graph") context.arc(x, y, view.radius + width, 0, 2 * Math.PI);
    else if (run.kind === "hex") hexagon(x, y, view.side / Math.sqrt(3));
    else {
      const [wide, tall] = [Math.max(view.side, 4), Math.max(view.row || view.side, 4)];
      context.rect(x - wide / 2, y - tall / 2, wide, tall);
    }
    context.stroke();
  }

  function ring(node) {
    if (run.kind !== "graph") return outline(node, 3);
    context.lineWidth = 3;
    context.beginPath();
    context.arc(...centre(node), view.radius + 6, 0, 2 * Math.PI);
    context.stroke();
  }

  function draw() {
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    ({ grid: drawGrid, hex: drawHexagons, line: drawLine, graph: drawGraph })[run.kind]();
    if (selected >= 0) {
      context.strokeStyle = ink(example || run.moved ? "--ink" : "--accent");
      for (let a = begin[selected]; a < begin[selected + 1]; a++) outline(sources[a], 1.5);
      outline(selected, 3);
    }
    context.strokeStyle = ink("--accent");
    for (const node of wrong) ring(node);
    if (run.moved) for (let v = 0; v < n; v++) if (run.moved[now * n + v]) ring(v);
  }

  // ---- Words. Names of states only ever become text, never markup. ----

  function make(tag, text, kind) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  }

  function chip(state, before) {
    const element = make("span", undefined, "chip");
    const swatch = make("span", undefined, "swatch");
    swatch.dataset.state = state;
    swatch.style.background = colours[state];
    element.append(...(before === undefined ? [] : [before]), swatch, make("bdi", run.states[state]));
    return element;
  }

  function neighbours(frame, node) {
    const box = make("span", undefined, "chips");
    const counts = new Map();
    for (let a = begin[node]; a < begin[node + 1]; a++) {
      const state = stateAt(frame, sources[a]);
      counts.set(state, (counts.get(state) || 0) + 1);
    }
    for (const [state, count] of [...counts].sort((one, two) => one[0] - two[0])) box.append(chip(state, `${count} ×`));
    if (!counts.size) box.textContent = "none";
    return box;
  }

  function ruled(lines, applies) {
    const list = make("ul");
    const shown = applies > 5 ? [applies] : lines.slice(0, applies + 1).keys();
    if (applies > 5) list.append(make("li", `${applies} rules before it do not apply`));
    for (const place of shown) list.append(make("li", lines[place], place === applies ? "applies" : ""));
    return list;
  }

  function move(frame, node) {
    const entry = used[frame * n + node];
    const list = make("dl");
    const row = (name, ...content) => {
      const cell = make("dd");
      cell.append(...content);
      list.append(make("dt", name), cell);
    };
    const value = run.values[run.entry_value[entry]];
    const state = run.entry_state[entry];
    const after = frame + 1 < frames ? stateAt(frame + 1, node) : state;
    const next = run.coins ? after : run.entry_next[entry];
    row("it was", chip(state));
    row("neighbours", neighbours(frame, node));
    row("entry", chip(state), " with ", make("bdi", value), ...(run.coins ? [] : [" → ", chip(next)]));
    if (run.rules.length) row("rule", ruled(run.rules[state], run.entry_rule[entry]));
    if (run.moved && !run.moved[frame * n + node]) {
      row("so it", make("span", !run.coins && next === state ? "stays" : run.coins ? "stays: it is not chosen" : "would change, but it is not chosen"));
    } else if (run.coins && frame + 1 === frames && !run.final.includes(state)) {
      row("so it", make("span", run.scheduled ? "flips a coin when it is its turn" : "flips a coin"));
    } else if (run.scheduled) {
      const known = frame + 1 < frames && run.times[frame + 1] === run.times[frame] + 1;
      const later = known ? after : next;
      let words = next === state ? "stays" : "changes";
      if (!known && next !== state) words = "changes when it is its turn";
      if (run.coins && next === state && !run.final.includes(state)) words = "stays: by its coin, or it was not its turn";
      if (later !== next) words = later === state ? "stays: it was not its turn" : "changes otherwise, by a fault";
      row("so it", make("span", words, later === state ? "" : "changed"));
    } else {
      row("so it", make("span", next === state ? "stays" : "changes", next === state ? "" : "changed"));
    }
    return list;
  }

  function explain() {
    const box = $("answer");
    box.replaceChildren();
    $("node").value = selected < 0 ? "" : selected;
    document.querySelectorAll("#nodes tr.selected").forEach((row) => row.classList.remove("selected"));
    if (selected < 0) return;
    const time = run.times[now];
    const place = run.kind === "grid" || run.kind === "hex"
      ? ` (row ${Math.floor(selected / run.width)}, column ${selected % run.width})` : "";
    const name = run.node_names ? ` ${run.node_names[selected]}, number` : "";
    const head = make("h3", `Node${name} ${selected}${place} at step ${time}: `);
    head.append(chip(stateAt(now, selected)));
    box.append(head);
    if (example) {
      const known = make("dl");
      const given = [["input", example.inputs], ["right", example.labels]];
      for (const [name, list] of given) known.append(make("dt", name), make("dd", list[selected] === null ? "any" : list[selected]));
      box.append(known);
    }
    if (example) document.querySelectorAll("#nodes tr.pickable")[selected].classList.add("selected");
    if (now > 0 && run.times[now - 1] === time - 1) {
      box.append(make("h3", `Why: from step ${time - 1} to ${time}`), move(now - 1, selected));
    } else {
      box.append(make("p", now ? "The step before is not in this file." : "This is where it starts.", "hint"));
    }
    box.append(make("h3", `What comes next: from step ${time} to ${time + 1}`), move(now, selected));
    box.lastChild.querySelector("dt").textContent = "it is";
    let last = now;
    while (last > 0 && stateAt(last - 1, selected) === stateAt(now, selected)) last--;
    if (last > 0 && last < now) {
      const jump = make("button", `It has been so since step ${run.times[last]}: go there`);
      jump.type = "button";
      jump.addEventListener("click", () => go(last));
      box.append(jump);
    }
  }

  function tell() {
    $("now").textContent = `step ${run.times[now]} of ${run.times[frames - 1]}`;
    $("time").value = now;
    canvas.setAttribute("aria-label", `The graph at step ${run.times[now]}`);
    const counts = new Array(run.states.length).fill(0);
    for (let v = 0; v < n; v++) counts[stateAt(now, v)]++;
    document.querySelectorAll("#legend .count").forEach((cell, state) => {
      cell.textContent = counts[state].toLocaleString("en");
    });
  }

  // ---- Control. ----

  function link() {
    const parts = [`t=${run.times[now]}`];
    if (selected >= 0) parts.push(`node=${selected}`);
    if (document.documentElement.dataset.theme) parts.push(document.documentElement.dataset.theme);
    try {
      history.replaceState(null, "", "#" + parts.join("&"));
    } catch (error) {
      // Some browsers forbid it for local files; nothing depends on it.
    }
  }

  function go(frame) {
    now = Math.max(0, Math.min(frames - 1, frame));
    draw();
    tell();
    explain();
    if (!playing) link();
  }

  function select(node) {
    selected = Number.isInteger(node) && node >= 0 && node < n ? node : -1;
    go(now);
  }

  let due = 0;
  function tick(time) {
    if (!playing) return;
    const pause = 1000 / Number($("speed").value);
    if (time >= due) {
      due = Math.max(due + pause, time);
      if (now + 1 >= frames) return play(false);
      go(now + 1);
    }
    requestAnimationFrame(tick);
  }

  function play(wanted) {
    playing = wanted;
    $("play").classList.toggle("playing", playing);
    $("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    $("why").setAttribute("aria-live", playing ? "off" : "polite");
    if (!playing) return link();
    if (now + 1 >= frames) go(0);
    due = performance.now() + 1000 / Number($("speed").value);
    requestAnimationFrame(tick);
  }

  function step(by) {
    play(false);
    go(now + by);
  }

  function faster(by) {
    const box = $("speed");
    box.selectedIndex = Math.max(0, Math.min(box.options.length - 1, box.selectedIndex + by));
  }

  function refresh() {
    paint();
    measure();
    go(now);
  }

  function follow() {
    for (const part of location.hash.slice(1).split("&")) {
      const [name, text] = part.split("=");
      if (name === "dark" || name === "light") document.documentElement.dataset.theme = name;
      if (!/^\d+$/.test(text || "")) continue;
      const number = Number(text);
      if (name === "t") now = Math.max(0, run.times.findLastIndex((time) => time <= number));
      if (name === "node" && number < n) selected = number;
    }
  }

  function amount(number, word) {
    return `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
  }

  function list() {
    $("known").hidden = false;
    $("due").textContent = `After ${amount(example.step, "step")}`;
    const head = make("tr");
    for (const name of ["node", "input", "answer", "right"]) head.append(make("th", name));
    $("nodes").append(head);
    for (let v = 0; v < n; v++) {
      const row = make("tr", undefined, wrong.has(v) ? "pickable wrong" : "pickable");
      const answer = example.answers[v] === null ? "none" : example.answers[v];
      const right = example.labels[v] === null ? "any" : example.labels[v];
      const name = wrong.has(v) ? `${answer} (wrong)` : answer;
      for (const text of [v, example.inputs[v], name, right]) row.append(make("td", text));
      row.addEventListener("click", () => select(v));
      $("nodes").append(row);
    }
    now = Math.max(0, run.times.findLastIndex((time) => time <= example.step));
    if (example.wrong.length) selected = example.wrong[0];
  }

  const about = { grid: `${run.height} × ${run.width} cells`, hex: `${run.height} × ${run.width} hexagonal cells`, line: `${n} cells in a row`,
    graph: `${amount(n, "node")}, ${run.directed ? amount(run.arcs, "arc") : amount(run.edges, "edge")}` }[run.kind];
  const moving = run.moved && run.moved.subarray((frames - 1) * n).some((mover) => mover);
  const repeats = run.stable_at === null ? "" : run.period === 1 && !moving
    ? `, at rest from step ${run.stable_at} on` : `, repeating every ${amount(run.period, "step")} from step ${run.stable_at} on`;
  const made = run.times[frames - 1];
  $("facts").textContent = `${about}; ${amount(made, "step")}${repeats}; a node sees: ${run.sees}${run.moved ? "; a ring marks who moves next" : ""}`;
  run.states.forEach((name, state) => {
    const item = make("li");
    const swatch = make("span", undefined, "swatch");
    swatch.dataset.state = state;
    const label = make("bdi", name + (run.final.includes(state) ? " (final)" : ""));
    label.title = name;
    item.append(swatch, label, make("span", "", "count"));
    $("legend").append(item);
  });
  for (const speed of [...new Set([1, 2, 5, 10, 20, 50, run.speed])].sort((one, two) => one - two)) {
    const option = make("option", `${speed} per s`);
    option.value = speed;
    option.selected = speed === run.speed;
    $("speed").append(option);
  }
  $("time").max = frames - 1;
  $("node").max = n - 1;

  $("first").addEventListener("click", () => step(-frames));
  $("back").addEventListener("click", () => step(-1));
  $("play").addEventListener("click", () => play(!playing));
  $("step").addEventListener("click", () => step(1));
  $("last").addEventListener("click", () => step(frames));
  $("time").addEventListener("input", () => step(Number($("time").value) - now));
  $("node").addEventListener("change", () => select($("node").value === "" ? -1 : Number($("node").value)));
  $("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    refresh();
  });
  canvas.addEventListener("click", (event) => {
    const box = canvas.getBoundingClientRect();
    const [node, frame] = pick(event.clientX - box.left, event.clientY - box.top);
    if (run.kind === "line" && node >= 0) play(false);
    now = frame;
    select(node);
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const kind = event.target.tagName;
    if (kind === "SELECT" || (kind === "INPUT" && event.target.type === "number" && event.key !== "Escape")) return;
    if (kind === "BUTTON" && event.key === " ") return;
    const keys = {
      " ": () => play(!playing),
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      Home: () => step(-frames),
      End: () => step(frames),
      "+": () => faster(1),
      "=": () => faster(1),
      "-": () => faster(-1),
      Escape: () => select(-1),
    };
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  addEventListener("resize", refresh);
  // In a frame there may be no room yet when the page starts.
  new ResizeObserver(() => {
    if ($("stage").clientWidth !== room) refresh();
  }).observe($("stage"));
  addEventListener("hashchange", () => {
    follow();
    refresh();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
  if (example) list();
  follow();
  refresh();
})();
