// Elements without markup: what a state is called is always text.

export const $ = (id) => document.getElementById(id);

// `el("button", { class: "wide", onclick: f }, "text", child)`; what is null is left out.
export function el(tag, attributes = {}, ...children) {
  const found = tag === "svg" || SVG.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) found.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, own] of Object.entries(value)) found.style.setProperty(key, own);
    else found.setAttribute(name, value === true ? "" : value);
  }
  found.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return found;
}

const SVG = new Set(["path", "circle", "g", "text", "rect", "line", "polygon", "title"]);

export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

export function chip(name, colour) {
  return el("span", { class: "chip" }, el("i", { class: "swatch", style: { "--own": colour } }), el("bdi", {}, name));
}

export function download(name, content) {
  const url = URL.createObjectURL(content), link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// At most once in some milliseconds, and once more at the end.
export function calm(action, milliseconds) {
  let timer = null, again = false;
  return () => {
    if (timer !== null) {
      again = true;
      return;
    }
    action();
    timer = setTimeout(function next() {
      timer = null;
      if (!again) return;
      again = false;
      action();
      timer = setTimeout(next, milliseconds);
    }, milliseconds);
  };
}

export function later(action, milliseconds) {
  let timer = null;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}
