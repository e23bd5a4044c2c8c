// The server behind the page: the token that it wants to see, and jobs, which are followed until they end.

import { Problem } from "./problem.js";

const KEY = "graphfsa-token", EVERY = 150;
const GONE = "The server does not answer. Start it again with 'graphfsa playground', and open the address that it prints.";

// The address holds the token, or a code to exchange for it. Neither stays there: addresses are passed on. This is done
// before anything else reads the address.
const given = /^#(token|code)=([\w-]{20,100})$/.exec(window.location.hash);
if (given) window.history.replaceState(null, "", window.location.pathname);

export class Server {
  constructor() {
    this.token = null;
    this._entered = this._enter();
  }

  async _enter() {
    if (given?.[1] === "token") this._keep(given[2]);
    else if (given) this._keep((await this._send("POST", "/api/enter", { code: given[2] })).token);
    else this.token = kept();
  }

  _keep(token) {
    this.token = token;
    try {
      window.sessionStorage.setItem(KEY, token);
    } catch {
      // Then it is known until the page is loaded anew.
    }
  }

  // What the server answers; a Problem if it refuses, or is not there.
  async ask(method, path, content = null) {
    await this._entered;
    return this._send(method, path, content);
  }

  async _send(method, path, content) {
    const headers = { ...(this.token ? { Authorization: `Bearer ${this.token}` } : {}), ...(content === null ? {} : { "Content-Type": "application/json" }) };
    let answer, found;
    try {
      answer = await fetch(path, { method, headers, body: content === null ? null : JSON.stringify(content) });
      found = await answer.json();
    } catch {
      throw new Problem(GONE);
    }
    if (!answer.ok) throw new Problem(found.error ?? GONE);
    return found;
  }

  // Follows a job to its end: tells what is new of it, and gives its result, or null if it was cancelled.
  async follow(number, tell) {
    for (let since = 0; ;) {
      const found = await this.ask("GET", `/api/jobs/${number}?since=${since}`);
      since = found.next;
      tell(found);
      if (found.state === "done") return found.result;
      if (found.state === "failed") throw new Problem(found.error);
      if (found.state === "cancelled") return null;
      await new Promise((resolve) => { setTimeout(resolve, EVERY); });
    }
  }
}

function kept() {
  try {
    return window.sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
