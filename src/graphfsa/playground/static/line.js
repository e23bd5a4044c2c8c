// A line of rules as tokens, and names, numbers and lists in it: graphfsa/automaton/rules/_line.py and _amounts.py.

import { Problem, shown } from "./problem.js";

export const KEYWORDS = new Set(
  "if and or nor not neither otherwise stays some every neighbour neighbours is are missing of".split(" "));
export const NO = [[0, 0]];
export const SOME = [[1, null]];
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|(->|[,:])|((?:(?!->)[^\s,:"])+))/uy;

export function plainName(name) {
  return /^[\p{L}\p{N}_]+(-[\p{L}\p{N}_]+)*$/u.test(name) && !KEYWORDS.has(name) ? name : JSON.stringify(name);
}

export function listed(items, word = "or") {
  return items.length === 1 ? items[0] : `${items.slice(0, -1).join(", ")} ${word} ${items[items.length - 1]}`;
}

export class Line {
  constructor(text, number) {
    this.number = number;
    this.place = 0;
    this.tokens = [];
    text = text.trimEnd();
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const from = TOKEN.lastIndex, match = TOKEN.exec(text);
      if (!match) throw this.error(`quotes must be closed; got ${shown(text.slice(from).trim())}`);
      this.tokens.push(match[1] ? { text: this._unquoted(match[1]), quoted: true } : { text: match[2] ?? match[3], quoted: false });
    }
  }

  _unquoted(text) {
    try {
      return JSON.parse(text);
    } catch {
      throw this.error(`a name in quotes must be written as in JSON; got ${shown(text)}`);
    }
  }

  error(words) {
    return new Problem(words, this.number);
  }

  expected(words) {
    const token = this.peek();
    return this.error(`expected ${words}; got ${token ? shown(token.text) : "the end of the line"}`);
  }

  peek(ahead = 0) {
    return this.tokens[this.place + ahead] ?? null;
  }

  get ended() {
    return this.place === this.tokens.length;
  }

  isNext(...words) {
    return words.every((word, ahead) => {
      const token = this.peek(ahead);
      return token !== null && !token.quoted && token.text === word;
    });
  }

  skip(...words) {
    if (!this.isNext(...words)) return false;
    this.place += words.length;
    return true;
  }

  need(...choices) {
    for (const word of choices) if (this.skip(word)) return word;
    throw this.expected(choices.map((word) => `'${word}'`).join(" or "));
  }

  take(what) {
    const token = this.peek();
    if (token === null || (!token.quoted && ["->", ",", ":"].includes(token.text))) throw this.expected(what);
    this.place++;
    return token;
  }
}

export class Reader {
  constructor(line, names) {
    this.line = line;
    this.names = names;
  }

  state() {
    const token = this.line.take("the name of a state");
    if (!token.quoted && KEYWORDS.has(token.text)) {
      throw this.line.error(`expected the name of a state; the word '${token.text}' is one only in quotes`);
    }
    const place = this.names.indexOf(token.text);
    if (place < 0) {
      const known = this.names.slice(0, 8).map((name) => shown(name)).join(", ") + (this.names.length > 8 ? ", ..." : "");
      throw this.line.error(`a state must be one of ${known}; got ${shown(token.text)}`);
    }
    return place;
  }

  states() {
    return this.among(this.names.length, () => this.state());
  }

  // Which of several things something is: this or that, not this, neither this nor that.
  among(count, read) {
    let others;
    if (this.line.skip("not")) others = [read()];
    else if (this.line.skip("neither")) others = this.listed(read, "nor");
    else return sorted(this.listed(read, "or"));
    return Array.from({ length: count }, (_, place) => place).filter((place) => !others.includes(place));
  }

  listed(read, word) {
    const items = [read()];
    while (this.line.skip(",")) items.push(read());
    if (this.line.skip(word)) items.push(read());
    else if (items.length > 1 || word === "nor") throw this.line.expected(`',' or '${word}'`);
    return items;
  }

  number() {
    if (this.line.skip("one")) return 1;
    const token = this.line.take("a number");
    if (token.quoted || !/^[0-9]{1,9}$/.test(token.text)) throw this.line.error(`expected a number; got ${shown(token.text)}`);
    return Number(token.text);
  }

  // The numbers of some ranges up to a limit that stands for itself and more.
  results(ranges, limit) {
    return this.numbers(ranges, limit, limit - 1, `a count of ${limit} means ${limit} or more`);
  }

  numbers(ranges, bound, most, why) {
    const found = [];
    for (const [first, last] of ranges) {
      const [number, limit] = last === null ? [first, bound] : [last, most];
      if (number > limit) throw this.line.error(`the number must be at most ${limit}, as ${why}; got ${number}`);
      for (let each = first; each <= (last ?? bound); each++) found.push(each);
    }
    return sorted(found);
  }

  amount() {
    if (this.line.skip("no")) return NO;
    if (this.line.skip("some")) return SOME;
    const ranges = this.rangeWords();
    if (ranges) return ranges;
    const token = this.line.peek();
    if (token === null || !/^([0-9]+\+?|one)$/.test(token.text)) {
      throw this.line.expected("'no', 'some', 'every', 'exactly', 'at least', 'at most', 'it has' or a number");
    }
    return this.listed(() => this.item(), "or");
  }

  rangeWords() {
    if (this.line.skip("exactly")) {
      const number = this.number();
      return [[number, number]];
    }
    if (this.line.skip("at", "most")) return [[0, this.number()]];
    if (this.line.skip("at", "least")) return [[this.number(), null]];
    return null;
  }

  item() {
    const token = this.line.peek();
    if (token !== null && !token.quoted && /^[0-9]{1,9}\+$/.test(token.text)) {
      this.line.take("a number");
      return [Number(token.text.slice(0, -1)), null];
    }
    const first = this.number(), last = this.line.skip("to") ? this.number() : first;
    if (last < first) throw this.line.error(`a range must go from low to high; got ${first} to ${last}`);
    return [first, last];
  }
}

export function sorted(numbers) {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
