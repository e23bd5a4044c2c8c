// What is wrong with something a person gave: shown as it is, never as a stack of calls.

export class Problem extends Error {
  constructor(message, line = null) {
    super(message);
    this.line = line;
  }
}

export function need(condition, message, line = null) {
  if (!condition) throw new Problem(message, line);
}

// What was given, in quotes as graphfsa's own messages have it, and short.
export function shown(text, longest = 60) {
  const inner = JSON.stringify(String(text)).slice(1, -1).replaceAll('\\"', '"');
  const quoted = inner.includes("'") && !inner.includes('"') ? `"${inner}"` : `'${inner.replaceAll("'", "\\'")}'`;
  return quoted.length > longest ? `${quoted.slice(0, longest - 1)}…` : quoted;
}

export function isCount(value, least, most) {
  return Number.isInteger(value) && value >= least && value <= most;
}
