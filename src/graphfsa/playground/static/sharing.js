// Taking a world along: as a link, an embedded frame, a picture, or a file.

import { download, el, fill } from "./dom.js";
import { gif } from "./gif.js";
import { heading } from "./panels.js";
import { qrCode } from "./qr.js";
import { pack } from "./scene.js";
import { sha256 } from "./sha256.js";
import { toJson } from "./rules.js";
import { worldSvg } from "./svg.js";

const MAX_LINK = 60_000;

export async function showSharing(dialog, session, stage, extra, toast) {
  const scene = { ...session.scene(), ...extra };
  const fragment = await pack(scene), base = window.location.href.split("#")[0], link = `${base}#${fragment}`;
  const inside = window.location.protocol === "about:", here = staysHere(), long = inside || fragment.length > MAX_LINK;
  const field = el("input", { type: "url", id: "link", readonly: true, value: long ? "" : link, "aria-label": "Link to this world" });
  const embed = `<iframe src="${link.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}" width="100%" height="620" title="GraphFSA Playground" style="border: 0"></iframe>`;
  const snippet = el("textarea", { class: "code", readonly: true, "aria-label": "Snippet that embeds this world" }, long ? "" : embed);
  const copied = async (element) => {
    element.select();
    let done = false;
    try {
      await navigator.clipboard.writeText(element.value);
      done = true;
    } catch {
      done = document.execCommand("copy");
    }
    toast(done ? "Copied" : "Press Ctrl+C to copy");
  };
  const code = long || here ? null : qrCode(link);
  fill(dialog, heading("sharing-title", "Share this world", dialog),
    el("div", { class: "columns" }, el("div", {},
      here && !long ? el("p", { id: "stays-here" }, here) : null,
      inside ? el("p", {}, "This page is part of another one and has no address; save the world as a file, and drop it on a playground.")
        : long ? el("p", {}, `This world takes ${(fragment.length / 1000).toFixed(0)} kB, too much for a link; save it as a file instead.`)
        : [el("div", { class: "link" }, field, el("button", { type: "button", id: "copy", class: "strong", onclick: () => copied(field) }, "Copy link")),
          el("p", { class: "hint" }, `${fragment.length.toLocaleString("en")} characters hold everything: automaton, world, states, time. ${here ? "It opens" : "Whoever opens it sees"} the same, to the bit.`)],
      el("dl", { class: "facts" }, el("dt", {}, "step"), el("dd", {}, String(session.time)), el("dt", {}, "states"), el("dd", {}, el("code", { id: "full-hash" }, sha256(session.states)))),
      el("h3", {}, "Save"),
      el("div", { class: "row" },
        saves(session, stage, extra, toast)),
      long || here ? null : [el("h3", {}, "Embed"), snippet, el("button", { type: "button", onclick: () => copied(snippet) }, "Copy snippet")]),
    code ? el("figure", { style: { margin: "0" } }, code, el("figcaption", { class: "hint" }, "For phones")) : null));
  dialog.showModal();
}

// Why a link is of no use to others; null where it is.
function staysHere() {
  const { protocol, hostname } = window.location, save = "or save the world (JSON), and let them drop it on a playground of theirs.";
  if (protocol === "file:") return `This link opens on this machine alone, as the page is a file on your disk. For others, put the page on any web host and share from there; ${save}`;
  if (!["localhost", "127.0.0.1", "[::1]"].includes(hostname)) return null;
  return `This link opens on this machine alone, and only while the server runs. For others, write the page with 'graphfsa playground --export page.html' and put it on any web host; ${save}`;
}

// A button for each kind of file.
function saves(session, stage, extra, toast) {
  const file = (name, type, content) => download(name, new Blob([content], { type }));
  const world = () => JSON.stringify({ ...session.scene({ full: true }), ...extra });
  return [
    ["png", "PNG", () => stage.canvas.toBlob((blob) => download("world.png", blob))],
    ["svg", "SVG", () => file("world.svg", "image/svg+xml", worldSvg(session, stage))],
    ["gif", "GIF, 60 steps", async () => file("world.gif", "image/gif", await gif(session, stage, toast))],
    ["world", "World (JSON)", () => file("world.json", "application/json", world())],
    ["automaton", session.rules === null ? "Automaton (JSON)" : "Automaton (.rules)", () => download(...automatonFile(session))],
  ].map(([id, words, act]) => el("button", { type: "button", id: `save-${id}`, onclick: act }, words));
}

function automatonFile({ rules, fsa }) {
  if (rules !== null) return ["automaton.rules", new Blob([rules], { type: "text/plain" })];
  return ["automaton.json", new Blob([JSON.stringify(toJson(fsa))], { type: "application/json" })];
}

