// The world as SVG, for papers and posters.

const ROW = Math.sqrt(3) / 2;

export function worldSvg(session, stage) {
  const { states, graph } = session, colours = stage.colours, { lattice } = graph;
  const number = (value) => String(Math.round(value * 1000) / 1000);
  const [left, top, right, bottom] = stage.kind === "rows" ? [0, 0, lattice.width, session.rows.length] : stage.extent();
  const parts = [`<rect x="${number(left)}" y="${number(top)}" width="${number(right - left)}" height="${number(bottom - top)}" fill="${stage.kind === "graph" ? stage.theme.ground.trim() : colours[0]}"/>`];
  const strip = (row, y) => {
    for (let from = 0; from < row.length;) {
      let end = from;
      while (end < row.length && row[end] === row[from]) end++;
      if (row[from]) parts.push(`<rect x="${from}" y="${y}" width="${end - from}" height="1" fill="${colours[row[from]]}"/>`);
      from = end;
    }
  };
  if (stage.kind === "rows") session.rows.forEach(strip);
  else if (stage.kind === "cells") for (let row = 0; row < lattice.height; row++) strip(states.subarray(row * lattice.width, (row + 1) * lattice.width), row);
  else if (stage.kind === "hex") {
    states.forEach((state, node) => {
      const row = Math.floor(node / lattice.width), x = (node % lattice.width) + 0.5 + (row & 1) / 2, y = row * ROW + 0.5774;
      const corners = [[0, -0.5774], [0.5, -0.2887], [0.5, 0.2887], [0, 0.5774], [-0.5, 0.2887], [-0.5, -0.2887]];
      parts.push(`<polygon points="${corners.map(([dx, dy]) => `${number(x + dx)},${number(y + dy)}`).join(" ")}" fill="${colours[state]}"/>`);
    });
  } else {
    const at = (node) => [number(session.points[2 * node]), number(session.points[2 * node + 1])], { indptr, indices } = graph.arcs;
    let d = "";
    for (let node = 0; node < graph.n; node++) {
      for (let arc = indptr[node]; arc < indptr[node + 1]; arc++) {
        if (graph.symmetric && indices[arc] > node) continue;
        d += `M${at(indices[arc]).join(" ")}L${at(node).join(" ")}`;
      }
    }
    parts.push(`<path d="${d}" stroke="${stage.theme.line.trim()}" stroke-width="0.05" fill="none"/>`);
    states.forEach((state, node) => {
      const [x, y] = at(node);
      parts.push(`<circle cx="${x}" cy="${y}" r="0.34" fill="${colours[state]}" stroke="${stage.theme.ink.trim()}" stroke-width="0.04"/>`);
    });
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${number(left)} ${number(top)} ${number(right - left)} ${number(bottom - top)}" shape-rendering="${stage.kind === "cells" || stage.kind === "rows" ? "crispEdges" : "auto"}">${parts.join("")}</svg>`;
}
