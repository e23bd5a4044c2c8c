"""Damages files: bytes, words, JSON values and the headers of safetensors, in ways that readers have not thought of."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any

import numpy as np

_NUMBERS = (
    "-1", "0", "1", "2", "255", "256", "65536", "2147483647", "2147483648", "4294967296", "9223372036854775807",
    "9223372036854775808", "-9223372036854775809", "1e308", "1e999", "-0.0", "0.1", "1e-320", "NaN", "Infinity",
    "9" * 400, "9" * 5000, "true", "false", "null", '""', "[]", "{}",
)  # fmt: skip
NAMES = (
    "", " ", "a", "\u0000", "\x1b[2J", "\x9b31m", "\u202e", "<script>alert(1)</script>", "=1+1", "@SUM(A1)", "../../up",
    '"><img src=x onerror=alert(1)>', "/etc/passwd", "..", "a/b", "a\\b", "CON", "x" * 300, "{}", "%s", "$x$", "é",
    "🐍", "\\input{x}", "\u2028", "]]>", "-->", "`a`", "| a |", "# a", "'; drop", "n\nn", "None", "nan", "\ud800",
)  # fmt: skip
_PIECES = [*(bytes([byte]) for byte in b'\x00\xff\n{}[]",:-#=. '), b"\\u", b"\r\n"]


def mutate(content: bytes, kind: str, rng: np.random.Generator) -> bytes:
    """A damaged copy.

    Args:
        content: The content of a file.
        kind: Its suffix.
        rng: The randomness.
    """
    for _ in range(int(rng.choice([1, 1, 1, 2, 3, 6]))):
        choice = rng.random()
        if kind == ".safetensors":
            content = _tensors(content, rng) if choice < 0.7 else _bytes(content, rng)
        elif kind in (".json", ".jsonl") and choice < 0.6:
            content = _json(content, rng)
        elif choice < 0.85:
            content = _words(content, rng)
        else:
            content = _bytes(content, rng)
    return content


def _bytes(content: bytes, rng: np.random.Generator) -> bytes:
    if not content:
        return rng.bytes(4)
    start, end = sorted(rng.integers(0, len(content) + 1, 2).tolist())
    end = min(end, start + 40)
    match rng.integers(7):
        case 0:
            return content[:start]
        case 1:
            return content[:start] + content[end:]
        case 2:
            return content[:start] + content[start:end] * int(rng.integers(2, 5)) + content[end:]
        case 3:
            return content[:start] + rng.bytes(int(rng.integers(1, 5))) + content[start:]
        case 4:
            return (
                content[:start] + _PIECES[rng.integers(len(_PIECES))] * int(rng.choice([1, 2, 5000])) + content[start:]
            )
        case 5:
            place = int(rng.integers(len(content)))
            return content[:place] + bytes([content[place] ^ (1 << int(rng.integers(8)))]) + content[place + 1 :]
        case _:
            return content[:start] + content[end:] + content[start:end]


def _words(content: bytes, rng: np.random.Generator) -> bytes:
    """Replace a number or a word."""
    spots = [found.span() for found in re.finditer(rb"-?\d[\d.]*|[A-Za-z_]+", content[:20000])]
    if not spots:
        return _bytes(content, rng)
    start, end = spots[rng.integers(len(spots))]
    if rng.random() < 0.3:
        other = spots[rng.integers(len(spots))]
        return content[:start] + content[other[0] : other[1]] + content[end:]
    new = str(rng.choice(_NUMBERS)) if rng.random() < 0.7 else NAMES[rng.integers(len(NAMES))]
    return content[:start] + new.encode(errors="surrogatepass") + content[end:]


def _json(content: bytes, rng: np.random.Generator) -> bytes:
    """Change a value somewhere in JSON, or in one line of JSON lines."""
    lines = content.split(b"\n")
    places = [place for place, line in enumerate(lines) if line.strip()] if len(lines) < 200 else []
    whole = not places or content.lstrip()[:2] in (b"{\n", b"[\n")
    place = -1 if whole else places[rng.integers(len(places))]
    try:
        data = json.loads(content if whole else lines[place])
    except (ValueError, RecursionError):
        return _bytes(content, rng)
    data = _changed(data, rng)
    text = json.dumps(data).encode()
    if rng.random() < 0.1:
        text = text.replace(b'"@long"', b"9" * 5000).replace(b'"@deep"', b"[" * 3000 + b"]" * 3000)
    return text if whole else b"\n".join([*lines[:place], text, *lines[place + 1 :]])


def _changed(data: Any, rng: np.random.Generator) -> Any:
    """A copy with one value replaced, removed, doubled or moved."""
    data = deepcopy(data)
    nodes: list[Any] = []
    waiting = [data]
    while waiting and len(nodes) < 2000:
        node = waiting.pop()
        if isinstance(node, dict | list) and node:
            nodes.append(node)
            waiting += node.values() if isinstance(node, dict) else node[:50]
    if not nodes:
        return _value(rng)
    # Near the top as often as far below, where most of the file is.
    node = (
        nodes[min(int(rng.geometric(0.15)) - 1, len(nodes) - 1)]
        if rng.random() < 0.6
        else nodes[rng.integers(len(nodes))]
    )
    key = list(node)[rng.integers(len(node))] if isinstance(node, dict) else int(rng.integers(len(node)))
    match rng.integers(6):
        case 0:
            del node[key]
        case 1 if isinstance(node, dict):
            node[NAMES[rng.integers(len(NAMES))]] = node[key]
        case 1:
            node.insert(key, deepcopy(node[key]))
        case 2:
            other = nodes[rng.integers(len(nodes))]
            node[key] = deepcopy(other)
        case _:
            node[key] = _value(rng, node[key])
    return data


def _value(rng: np.random.Generator, old: Any = None) -> Any:
    if isinstance(old, int | float) and rng.random() < 0.5:
        return old + int(rng.choice([-1, 1, 2, 1000, 2**31, 2**63]))
    if rng.random() < 0.4:
        return NAMES[rng.integers(len(NAMES))]
    values = [
        -1,
        0,
        1,
        2,
        255,
        256,
        2**31,
        2**63,
        2**64,
        10**400,
        0.5,
        1e308,
        True,
        False,
        None,
        [],
        {},
        [[]],
        "@long",
        "@deep",
    ]
    return values[rng.integers(len(values))]


def _tensors(content: bytes, rng: np.random.Generator) -> bytes:
    """Change the header of a safetensors file, or its body, or let the length of the header lie."""
    end = 8 + int.from_bytes(content[:8], "little")
    try:
        header = json.loads(content[8:end])
    except (ValueError, RecursionError):
        return _bytes(content, rng)
    match rng.integers(4):
        case 0:
            body = bytearray(content[end:])
            for _ in range(int(rng.integers(1, 9)) if body else 0):
                body[rng.integers(len(body))] = rng.integers(256)
            return content[:end] + bytes(body)
        case 1:
            return int(rng.choice([0, 1, 100, 2**20, 2**40])).to_bytes(8, "little") + content[8:]
        case 2 if isinstance(header, dict) and isinstance(header.get("__metadata__"), dict) and header["__metadata__"]:
            about = header["__metadata__"]
            name = list(about)[rng.integers(len(about))]
            about[name] = _json(str(about[name]).encode(errors="replace"), rng).decode(errors="replace")
        case _:
            header = _changed(header, rng)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + content[end:]
