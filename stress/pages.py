"""Pages, pictures and tables about things with hostile names, read by real parsers: nothing in them becomes markup.

HTML by Python's parser, SVG by expat, CSV and Python source by their modules, DOT by Graphviz where it is installed,
LaTeX and Markdown by small readers of their own syntax.
"""

from __future__ import annotations

import ast
import csv
import io
import re
import shutil
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import graphfsa as gf
from graphfsa.evaluation import Results, as_csv, find_experiment, latex, make_tables, markdown, planned, write_results
from graphfsa.evaluation._workers import attempt
from graphfsa.evaluation.experiment import Experiment
from graphfsa.evaluation.parts import Group
from graphfsa.views import diagram, rollout
from stress._corpus import EXPERIMENT
from stress._mutations import NAMES
from stress._soundness_draws import draw_table

BLOCK = 60
_ELEMENTS = re.compile(
    "html|head|meta|link|title|style|body|h1|h2|h3|p|br|b|a|ul|li|div|section|table|caption|tr|th|td|pre|code|details|"
    "summary|img|iframe|script|button|input|label|span|canvas|main|header|footer|select|option|output|svg|path|aside|noscript"
)
_MACROS = re.compile(
    "begin|end|centering|small|caption|label|toprule|midrule|bottomrule|rotatebox|pm|usepackage|textbackslash|textsf|"
    "textasciicircum|textasciitilde|textless|textgreater|textbar|text|delta|char|definecolor|draw|path|node|fill|"
    "bfseries|color|sffamily|fontsize|selectfont"
)


def cases(rng: np.random.Generator, folder: Path) -> Iterator[str]:
    """Things with hostile names, shown in every way."""
    while True:
        names = [f"{part}{place}" for place, part in enumerate(_hostile(rng, 3))]
        fsa = _automaton(rng, names)
        title = _hostile(rng, 1)[0]
        yield from _shown(fsa, title, folder)
        yield from _tables(rng, folder)


def _hostile(rng: np.random.Generator, number: int) -> list[str]:
    """Names as people must not give them, but printable, as states must be."""
    usable = [name for name in NAMES if name.strip() and name.isprintable()]
    return [usable[rng.integers(len(usable))].strip() for _ in range(number)]


def _automaton(rng: np.random.Generator, names: list[str]) -> gf.GraphFSA:
    aggregation = gf.CountingAggregation(1)
    table = draw_table(rng, aggregation, len(names), [0])
    return gf.GraphFSA(names, aggregation, table, final_states=[0])


def _shown(fsa: gf.GraphFSA, title: str, folder: Path) -> Iterator[str]:
    """An automaton and a run of it, in every format."""
    checks: dict[str, Callable[[str], None]] = {".svg": _svg, ".dot": _dot, ".tex": _latex, ".html": _html}
    picture = diagram(fsa, title=title)
    for suffix in (".svg", ".dot", ".tex", ".mmd"):
        path = folder / f"d{suffix}"
        picture.save(path)
        checks.get(suffix, _lines)(path.read_text())
        yield f"diagram {suffix}"
    rules = fsa.rules()
    ast.parse(rules.python())
    _latex(rules.latex())
    _html(rules.html(), whole=False)
    _html(fsa._repr_html_(), whole=False)
    assert gf.GraphFSA.from_rules(str(rules)).digest == fsa.digest, "rules in words mean the same"
    yield "rules"
    states = np.arange(4) % fsa.num_states
    for suffix in (".html", ".svg"):
        path = folder / f"r{suffix}"
        rollout(fsa, gf.Graph.from_edges(4, [(0, 1), (1, 2)]), states, steps=3, out=path, title=title)
        checks[suffix](path.read_text())
        yield f"roll-out {suffix}"


def _tables(rng: np.random.Generator, folder: Path) -> Iterator[str]:
    """Results of an experiment whose every text is hostile."""
    (folder / "e.toml").write_text(EXPERIMENT)
    plain = find_experiment(str(folder / "e.toml"))
    title, about, note, column, test, group = _hostile(rng, 6)
    hostile: Experiment = replace(
        plain,
        title=title,
        about=about,
        notes=(note,),
        tests=(replace(plain.tests[0], name=test),),
        learners=(replace(plain.learners[0], column=column),),
        groups=(Group(group),) if rng.random() < 0.5 else (),
    )
    out = folder / "results"
    results = Results.create(out, {hostile.name: hostile}, quick=False)
    for job in planned({hostile.name: hostile}, 1, quick=False).values():
        results.add(attempt(job, results.models))
    write_results(results)
    _html((out / "report.html").read_text())
    _svg((out / f"{hostile.name}.svg").read_text())
    tables = make_tables(hostile, results.records(), quick=False)
    _latex(latex(tables))
    _markdown(markdown(tables), column)
    for row in csv.reader(io.StringIO(as_csv(tables))):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row), f"a formula in {row}"
    shutil.rmtree(out)
    yield "results"


# ---- readers


class _Page(HTMLParser):
    """Looks for what a page of ours never has."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.policy = ""
        self.inside = ""
        self.frames: list[str] = []
        self.pictures: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert _ELEMENTS.fullmatch(tag), f"the element {tag} is none of ours"
        self.inside = tag
        for name, value in attrs:
            assert not name.startswith("on"), f"{tag} has the handler {name}"
            if name in ("src", "href", "action", "data") and tag != "a":
                assert value is not None and value.startswith("data:"), f"{tag} loads {value!r}"
            if tag == "a" and name == "href":
                assert re.fullmatch(r"#[^\s\"]*|models/[0-9a-f]{16}\.(json|safetensors)", value or ""), (
                    f"link {value!r}"
                )
            if name == "srcdoc":
                self.frames.append(value or "")
            if name == "src" and (value or "").startswith("data:image/svg+xml;base64,"):
                self.pictures.append(b64decode((value or "").partition(",")[2]).decode())
        given = dict(attrs)
        if tag == "script" and given.get("type"):
            self.inside = "data"
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""

    def handle_data(self, data: str) -> None:
        if self.inside == "data":
            assert re.fullmatch(r"[A-Za-z0-9+/=\s]*", data), f"embedded data are more than base 64: {data[:200]!r}"
        if self.inside == "script" and data.strip():
            digest = b64encode(sha256(data.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in self.policy, f"a script that the policy does not know: {data[:200]!r}"

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""


def _html(text: str, *, whole: bool = True) -> None:
    page = _Page()
    page.feed(text)
    page.close()
    if whole:
        assert "default-src 'none'" in page.policy, "the page has no policy"
    for frame in page.frames:
        _html(frame)
    for picture in page.pictures:
        _svg(picture)


def _svg(text: str) -> None:
    for element in ElementTree.fromstring(text).iter():
        tag = element.tag.rpartition("}")[2]
        assert tag not in ("script", "foreignObject", "a", "iframe"), f"SVG with {tag}"
        for name, value in element.attrib.items():
            assert not name.rpartition("}")[2].startswith("on"), f"SVG with {name}"
            if name.rpartition("}")[2] == "href":
                assert value.startswith(("#", "data:image/png")), f"SVG that loads {value!r}"


def _dot(text: str) -> None:
    # In one line or several, quotes are closed and nothing stands outside them but the notation.
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", text, flags=re.S)
    assert '"' not in outside, "a quote is open"
    assert re.fullmatch(r"[\s\w{}\[\];=,.>#-]*", outside), f"more than notation outside quotes: {outside!r}"
    if shutil.which("dot"):
        done = subprocess.run(["dot", "-Tsvg"], input=text, text=True, capture_output=True, check=False, timeout=60)
        assert done.returncode == 0, f"Graphviz says {done.stderr}: {text}"


def _latex(text: str) -> None:
    # What is escaped is no markup; what is left has balanced braces and only macros that we write.
    body = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("%"))
    plain = re.sub(r"\\[\\{}$&#_%\[\]]", "", body)
    depth = 0
    for letter in plain:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0, "a brace closes what is not open"
    assert depth == 0, "a brace is open"
    unknown = {name for name in re.findall(r"\\([A-Za-z]+)", plain) if not _MACROS.fullmatch(name)}
    assert not unknown, f"macros that are none of ours: {unknown}"
    assert "%" not in plain and "^^" not in plain, "a comment, or a character by its number"


def _markdown(text: str, name: str) -> None:
    assert not re.search(r"(?<!\\)<(?!\s)(?![=])[A-Za-z/!]", text), "HTML in Markdown"
    assert "![" not in text, "a picture in Markdown"
    rows = [line for line in text.split("\n") if line.startswith("| ")]
    bars = {len(re.findall(r"(?<!\\)\|", row)) for row in rows[:3]}
    assert len(bars) == 1, f"{name!r} breaks a row: {rows[:3]}"


def _lines(text: str) -> None:
    assert "<script" not in text.lower(), "a script in Mermaid"
