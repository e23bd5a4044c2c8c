// What Python works on, as a line with a clock and a button that ends it.

import { el, fill } from "./dom.js";
import { Problem } from "./problem.js";

// Asks for a job and shows in a box how it goes. Gives its result; null if it was ended, or failed, which the box says.
export async function work(server, box, request, tell = () => {}) {
  const began = performance.now(), words = el("span", { class: "grow doing" }, "begins"), clock = el("span", { class: "seconds" });
  let number = null, wanted = true;
  const stop = el("button", { type: "button", class: "stop", onclick: () => {
    wanted = false;
    stop.disabled = true;
    words.textContent = "stops";
    if (number !== null) server.ask("DELETE", `/api/jobs/${number}`).catch(() => {});
  } }, "Stop");
  const ticking = setInterval(() => { clock.textContent = `${Math.floor((performance.now() - began) / 1000)} s`; }, 250);
  fill(box, el("div", { class: "row working", role: "status" }, el("i", { class: "turning", "aria-hidden": "true" }), words, clock, stop));
  try {
    number = (await server.ask("POST", "/api/jobs", request)).job;
    if (!wanted) await server.ask("DELETE", `/api/jobs/${number}`);
    const result = await server.follow(number, ({ state, before, records }) => {
      tell(records);
      if (!wanted) return;
      const last = records.findLast((record) => record.doing);
      if (state === "waiting") words.textContent = before ? `waits for ${before === 1 ? "another job" : `${before} other jobs`}` : "begins";
      else if (last) words.textContent = last.doing;
      else if (words.textContent === "begins") words.textContent = "at work";
    });
    fill(box, result === null ? el("p", { class: "hint", role: "status" }, "Stopped.") : null);
    return result;
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    fill(box, el("p", { class: "wrong", role: "alert" }, problem.message));
    return null;
  } finally {
    clearInterval(ticking);
  }
}
