"""The documentation points to files that are there and to commands that exist; nothing is run here."""

import re
import shlex
from pathlib import Path

import pytest
import typer.main

import graphfsa
from graphfsa.cli import build_app

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
                yield shlex.split(re.split(r" (?:\||&&|;|>|2>) ?", words)[0], comments=True)[1:]


def problem(words):
    """What is wrong with a command line, or None; the command is not run."""
    command = APP
    while hasattr(command, "commands"):
        if not words or words[0] not in command.commands:
            return f"there is no command {' '.join(words[:1])!r}"
        command, words = command.commands[words[0]], words[1:]
    try:
        command.make_context(command.name, list(words))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


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
        "learn --task life",
        "learn --taks life --out a.json",
        "bake life",
        "grab generte paper-1",
        "run",
        "bench learn --seed -1",
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


def test_the_reference_has_every_public_name():
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "api").glob("*.md"))
    text += (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert [name for name in graphfsa.__all__ if not re.search(rf"\b{name}\b", text)] == []
