"""Which worlds the documentation's examples run, and the links that open them in the playground.

An example is a ``graphfsa run`` (or ``rollout``, ``simulate``, ``playground``) in a block of commands, a call of the
same function with plain values in a block of Python, or such a call in a cell while the cell runs. It has a link if the
page can show it: the world needs no file that is not there, no scheduler and no fault, and an aggregation that the page
knows.
"""

from __future__ import annotations

import ast
import functools
import inspect
import json
import re
import shlex
import zlib
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import typer.main

import graphfsa
from graphfsa.cli import build_app
from graphfsa.errors import GraphFSAError
from graphfsa.playground import Playground
from graphfsa.playground.scenes import read_scene

SCHEME = "playground:"
"""Begins the addresses of links until it is known where the page with the link is."""
RUNNING = ("run", "rollout", "simulate", "playground")
CALLS = ("run", "rollout", "simulate", "play")
PAGE = "_static/playground.html"
"""Where the site has the page."""
LINK = re.compile(r'href="([^"#]*playground\.html)#([^"]*)"(?: data-digest="([0-9a-f]{64})")?')
MAX_FRAGMENT = 60_000
NOT_SHOWN = ("scheduler", "faults", "noise", "task")
"""Options of runs that are not on the page."""


@dataclass(frozen=True)
class Example:
    """A world that the documentation runs.

    Attributes:
        label: What it is, such as ``life on moore-torus:64x64``; empty if nobody has named it.
        page: The page that shows it.
        digest: SHA-256 of its states at step 0, which the page shows as well.
    """

    label: str
    page: Playground
    digest: str

    @property
    def address(self) -> str:
        """Where it is, as a link says until it is known where the page with the link is."""
        return f"{SCHEME}{self.page.fragment}"


def examples_of(text: str, language: str = "") -> list[Example]:
    """The examples in a block of commands or of Python that can be shown, each world once."""
    found = _in_python(text) if language.startswith(("python", "ipython")) else _in_commands(text)
    return list({example.page.fragment: example for example in found}.values())


def links(examples: list[Example]) -> str:
    """Links to some examples, as HTML; nothing if there are none."""
    if not examples:
        return ""
    words = [escape(example.label) or "this world" for example in examples]
    if len(examples) == 1:
        words = ["Open in the playground"]
    anchors = [
        f'<a href="{example.address}" data-digest="{example.digest}" title="{escape(example.label)}">{word}</a>'
        for example, word in zip(examples, words, strict=True)
    ]
    before = "" if len(examples) == 1 else "Open in the playground: "
    return f'<p class="playable">{before}{" · ".join(anchors)}</p>'


def commands(text: str) -> Iterator[list[str]]:
    """The words after ``graphfsa`` of all its command lines that run an automaton."""
    for line in text.replace("\\\n", " ").splitlines():
        words = line.strip().removeprefix("$ ").removeprefix("!")
        if words.startswith("graphfsa "):
            found = shlex.split(re.split(r" (?:\||&&|;|>|2>|#) ?", words)[0])[1:]
            if found[:1] and found[0] in RUNNING:
                yield found


def example_of_command(words: list[str]) -> Example | None:
    """What a command runs, if the page can show it."""
    options = _options(words)
    model = options.get("model") or options.get("automaton")
    if model is None or options.get("graph") is None:
        return None
    given = {key: options[key] for key in ("seed", *NOT_SHOWN) if options.get(key) is not None}
    return example(model, options["graph"], options.get("states"), **given)


def example(fsa: Any, graph: Any, states: Any = None, **options: Any) -> Example | None:
    """The world of a run that is described by the arguments of ``gf.run``, if the page can show it."""
    if any(options.get(name) for name in NOT_SHOWN):
        return None
    given = {key: options[key] for key in ("default", "seed") if key in options}
    try:
        page = graphfsa.play(fsa, graph, states, **given, title=_label(fsa, graph) or None)
        first = graphfsa.run(fsa, graph, "random" if states is None else states, 0, **given).first
    except (GraphFSAError, OSError):
        return None
    return _checked(_label(fsa, graph), page, first)


def _checked(label: str, page: Playground, first: np.ndarray) -> Example | None:
    if len(page.fragment or "") > MAX_FRAGMENT:
        return None
    return Example(label, page, sha256(np.ascontiguousarray(first, np.uint8).data).hexdigest())


def _label(fsa: Any, graph: Any) -> str:
    return f"{fsa} on {graph}" if isinstance(fsa, str) and isinstance(graph, str) else ""


def _in_commands(text: str) -> Iterator[Example]:
    for words in commands(text):
        if (found := example_of_command(words)) is not None:
            yield found


@functools.lru_cache(maxsize=1)
def _app() -> Any:
    return typer.main.get_command(build_app())


def _options(words: list[str]) -> dict[str, Any]:
    command = _app().commands[words[0]]
    try:
        return command.make_context(words[0], words[1:]).params
    except Exception:  # However the command says that these are not its words.
        return {}


def calls(text: str) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """The arguments of calls such as ``gf.run("life", ...)`` whose world is given by plain values."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS):
            continue
        options = {word.arg: _plain(word.value) for word in node.keywords if word.arg in ("states", "default", "seed")}
        options |= {word.arg: True for word in node.keywords if word.arg in NOT_SHOWN}
        given = [_plain(argument) for argument in node.args[:3]]
        if len(given) >= 2 and _UNKNOWN not in (*given, *options.values()):
            yield given, options


_UNKNOWN = object()


def _plain(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return _UNKNOWN


def _in_python(text: str) -> Iterator[Example]:
    for given, options in calls(text):
        if (found := example(*given, **options)) is not None:
            yield found


def follow(site: Path) -> tuple[int, list[str]]:
    """Follow each link to the playground in a built site: its page is there, and it holds the states it claims.

    Returns:
        The number of links that were followed, and what is wrong.
    """
    number, wrong = 0, []
    for path in sorted(site.rglob("*.html")):
        for page, fragment, digest in LINK.findall(path.read_text(encoding="utf-8")):
            number += 1
            if not (path.parent / page).is_file():
                wrong.append(f"{path}: there is no {page}")
            elif digest and (problem := claim(fragment, digest)):
                wrong.append(f"{path}: {problem}")
    return number, wrong


def claim(fragment: str, digest: str) -> str:
    """What is wrong with a link whose world should have these states; nothing if it has."""
    content = urlsafe_b64decode(fragment[1:] + "=" * (-len(fragment[1:]) % 4))
    parts = read_scene(json.loads(zlib.decompress(content, -15)))
    found = sha256(np.ascontiguousarray(parts.states, np.uint8).data).hexdigest()
    return "" if found == digest else f"a link claims states {digest[:10]} and holds {found[:10]}"


class Recorder:
    """Notes what cells run while they run, and gives the links for each cell.

    Args:
        module: Where the functions are that cells call: ``graphfsa``.
    """

    def __init__(self, module: ModuleType = graphfsa) -> None:
        self._found: list[Example] = []
        for name in ("run", "rollout", "simulate"):
            setattr(module, name, self._recorded(getattr(module, name)))

    def begin(self, *_: Any) -> None:
        """Another cell begins."""
        self._found = []

    def commands(self, text: str) -> None:
        """Note what the commands of a cell run; call this where their files are."""
        self._found += examples_of(text)

    def links(self) -> str:
        """Links to what the cell has run: all its commands, or the first world of its Python."""
        return links(list({found.page.fragment: found for found in self._found}.values()))

    def _recorded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def recorded(*arguments: Any, **options: Any) -> Any:
            result = function(*arguments, **options)
            given = inspect.signature(function).bind(*arguments, **options).arguments
            if not self._found and (found := _example_of_result(result, given)) is not None:
                self._found.append(found)
            return result

        return recorded


def _example_of_result(result: Any, given: dict[str, Any]) -> Example | None:
    if any(given.get(name) for name in NOT_SHOWN):
        return None
    trajectory = getattr(result, "trajectory", result)
    if not hasattr(trajectory, "first"):  # Many runs: what they have in common.
        options = {key: given[key] for key in ("default", "seed") if key in given}
        return example(given["fsa"], given["graph"], given["states"], **options)
    if trajectory.scheduler is not None or trajectory.faults:
        return None
    try:
        label = _label(given.get("fsa", given.get("automaton")), given.get("graph"))
        page = trajectory.play(seed=given.get("seed", 0), title=label or None)
    except GraphFSAError:
        return None
    return _checked(label, page, trajectory.first)
