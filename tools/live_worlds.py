"""For Sphinx: links that open examples in the playground, and pictures of the gallery that are live worlds.

Nothing of it is written down in the pages: what a block or a cell runs is found when the site is built, so that links
can't go stale. Everything is in the site's own files and works from a disk.
"""

from __future__ import annotations

import re
import shlex
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes

from graphfsa import play
from graphfsa.playground.page import worlds_script
from tools.playable import SCHEME, Example, example_of_command, examples_of, links

PAGE = "_static/playground.html"
WORLD = re.compile(r'\[!\[([^\]]*)\]\(([^)\s]+)\)\]\(playground\.md "([^"]+)"\)')
"""A picture of the gallery: on a code host a picture that leads to the page about the playground."""


class World:
    """What the title of a picture of the gallery says: a preset or the words of a command, and the step of the picture.

    Args:
        title: ``life at 240``, or ``brians-brain --graph moore-torus:64x96 at 30``.

    Attributes:
        at: The step that the picture shows.
        preset: The name of a preset of the page, if it is one.
        example: What the words describe, if it is none.
    """

    def __init__(self, title: str) -> None:
        words, _, at = title.rpartition(" at ")
        self.at = int(at)
        parts = shlex.split(words)
        self.preset = words if len(parts) == 1 else None
        self.example = None if self.preset else self._described(parts)

    @staticmethod
    def _described(words: list[str]) -> Example:
        found = example_of_command(["rollout", *words, "--out", "x.html"])
        if found is None:
            raise ValueError(f"the playground can not show {words}")
        return found

    @property
    def fragment(self) -> str:
        """What follows the ``#`` in its address."""
        return self.preset or (self.example.page.fragment if self.example else None) or ""

    def html(self, alt: str, picture: str) -> str:
        """The picture, which a script makes live."""
        digest = "" if self.example is None else f' data-digest="{self.example.digest}"'
        return (
            f'<figure class="world" data-at="{self.at}"><a href="{SCHEME}{self.fragment}"{digest}>'
            f'<img src="{escape(picture)}" alt="{escape(alt)}" width="640" height="360">'
            "<span>Open in the playground</span></a></figure>"
        )


def _pictures(app: Any, docname: str, source: list[str]) -> None:
    """Pictures of the gallery become worlds."""
    source[0] = WORLD.sub(lambda match: World(match[3]).html(match[1], match[2]), source[0])


def _blocks(app: Any, doctree: nodes.document) -> None:
    """A line of links after each block of commands or Python that runs something; cells bring theirs with them."""
    for block in list(doctree.findall(nodes.literal_block)):
        above = block.parent
        if "cell_input" in above.get("classes", []) or "cell_output" in above.get("classes", []):
            continue
        if html := links(examples_of(block.astext(), block.get("language", ""))):
            above.insert(above.index(block) + 1, nodes.raw("", html, format="html"))


def _addresses(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Links lead to the one page, from wherever they are."""
    if "body" in context:
        context["body"] = context["body"].replace(f'href="{SCHEME}', f'href="{context["pathto"](PAGE, 1)}#')
        if '<figure class="world"' in context["body"]:
            app.add_js_file("worlds.js", defer="defer")


def _files(app: Any) -> None:
    if app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    static.mkdir(parents=True, exist_ok=True)
    play(out=static / "playground.html")
    (static / "worlds.js").write_text(worlds_script(), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Add the above to Sphinx."""
    app.connect("builder-inited", _files)
    app.connect("source-read", _pictures)
    app.connect("doctree-read", _blocks)
    app.connect("html-page-context", _addresses)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
