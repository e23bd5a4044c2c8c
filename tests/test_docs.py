"""The documentation points to files that are there and to commands that exist; nothing is run here."""

import importlib
import re
import shlex
from pathlib import Path

import pytest
import typer.main

from graphfsa.cli import build_app
from graphfsa.learners import learner_class
from test_architecture import ROOMS, SOURCE

ROOT = Path(__file__).parent.parent
PAGES = sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)
PAGES += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")]
FENCED = re.compile(r"^(`{3,})([^\n]*)\n(.*?)^\1`*\s*$", re.M | re.S)
LINK = re.compile(r"\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\(([^)\s]+)\)")
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
APP = typer.main.get_command(build_app())


def slug(heading):
    """The anchor of a heading, as code hosts and the site make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(page):
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", prose, re.M)}


def links(text):
    """Targets of links that lead to no other machine."""
    return [link for link in LINK.findall(FENCED.sub("", text)) if not re.match(r"[a-z]+:", link)]


def commands(text):
    """The graphfsa command lines of all fenced blocks, as lists of words."""
    for _, _, block in FENCED.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            words = line.removeprefix("$ ").removeprefix("!").strip()
            if words.startswith("graphfsa "):
                yield shlex.split(re.split(r" (?:\||&&|;|>|2>|#) ?", words)[0])[1:]


def problem(words):
    """What is wrong with a command line, or None; the command is not run."""
    command = APP
    if words[:1] == ["--plugin"]:
        words = words[2:]
    while hasattr(command, "commands"):
        if not words or words[0] not in command.commands:
            return f"there is no command {' '.join(words[:1])!r}"
        command, words = command.commands[words[0]], words[1:]
    try:
        context = command.make_context(command.name, list(words))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return unknown_option(context) if command.name == "learn" else None


def unknown_option(context):
    """An option of ``learn`` that neither the command nor its learner has; learners in files are not looked at."""
    name = context.params["learner"]
    if name.partition(".py:")[1]:
        return None
    known = [f"--{option.replace('_', '-')}" for option in learner_class(name).option_defaults()]
    given = [word.partition("=")[0] for word in context.args if word.startswith("--")]
    return next((f"the learner {name} has no option {option}" for option in given if option not in known), None)


@every_page
def test_links_lead_somewhere(page):
    for link in links(page.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


@every_page
def test_commands_exist(page):
    found = [(words, problem(words)) for words in commands(page.read_text(encoding="utf-8"))]
    assert [(words, what) for words, what in found if what] == []


def test_links_and_commands_were_found():
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    assert sum(len(links(text)) for text in texts) > 60
    assert sum(len(list(commands(text))) for text in texts) > 60


@pytest.mark.parametrize(
    "words",
    [
        "report life",
        "learn --taks life --out a.json",
        "learn --task life --learner gnca --choose rate=1 --out a.safetensors",
        "--plugin mine.py rulse a.json",
        "bake life",
        "grab generte paper-1",
        "run",
        "reproduce all --seeds 0",
    ],
)
def test_a_wrong_command_would_be_noticed(words):
    assert problem(words.split())


def test_a_wrong_link_would_be_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A title\n\n[here](#a-title) [there](other.md) `[no](link)`\n\n```\n[no](link)\n```\n")
    assert links(page.read_text())[:2] == ["#a-title", "other.md"]
    assert anchors(page) == {"a-title"}
    with pytest.raises(AssertionError, match=r"other\.md"):
        test_links_lead_somewhere(page)


def test_both_maps_of_the_house_name_every_room():
    rooms = [room for room in ROOMS if (SOURCE / room).is_dir() or (SOURCE / f"{room}.py").is_file()]
    beside = [name for name in ("tests", "stress", "benchmarks", "examples") if (ROOT / name).is_dir()]
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = "".join(line.split("|")[1] for line in contributing.splitlines() if line.startswith("| `"))
    named = re.findall(r"`(\w+)(?:/|\.py)`", table)
    assert named == rooms
    assert [name for name in beside if f"`{name}/`" not in contributing] == []
    (drawn,) = re.findall(
        r"^```text\n(.*?)^```", (ROOT / "docs" / "design.md").read_text(encoding="utf-8"), re.M | re.S
    )
    floors = [floor.partition(" ──")[0] for floor in drawn.splitlines() if " ──" in floor]
    assert [room for floor in floors for room in floor.split(", ")] == rooms
    assert [name for name in beside if f"{name}/" not in drawn] == []


PUBLIC_ROOMS = [
    "graphs",
    "aggregations",
    "automaton",
    "engine",
    "datasets",
    "learners",
    "analysis",
    "proofs",
    "evaluation",
    "views",
]


@pytest.mark.parametrize("module", ["graphfsa", *(f"graphfsa.{room}" for room in PUBLIC_ROOMS)])
def test_the_reference_has_every_public_name(module):
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "api").glob("*.md"))
    text += (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    names = importlib.import_module(module).__all__
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []
