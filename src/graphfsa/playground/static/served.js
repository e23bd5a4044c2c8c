// The page with Python behind it: everything that the page by itself does, and panels that ask the server.

import { Server } from "./server.js";
import { app } from "./app.js";
import { Checking } from "./checking.js";
import { Comparing } from "./comparing.js";
import { $, el, fill } from "./dom.js";
import { Teaching } from "./teaching.js";

const server = new Server();

async function begin() {
  const teach = app.addTab("teach", "Learn", () => teaching.show()), check = app.addTab("check", "Check", () => checking.show());
  let about;
  const teaching = new Teaching(app, server, teach), comparing = new Comparing(app, server), checking = new Checking(app, server, check, teaching, comparing);
  Object.assign(globalThis.playground, { server, teaching, comparing, checking });
  try {
    about = await server.ask("GET", "/api/about");
  } catch (problem) {
    for (const panel of [teach, check]) fill(panel, el("h2", {}, "Python is not there"), el("p", { class: "lead", role: "alert" }, problem.message));
    teaching.show = checking.show = () => {};
    return;
  }
  teaching.tasks = about.tasks;
  teaching.show();
  checking.show();
  $("tabs").dataset.served = about.version;
}

begin();
