"""For Sphinx: links that open examples in the playground, and pictures of the gallery that are live worlds.

Nothing of it is written down in the pages: what a block or a cell runs is found when the site is built, and each link
is followed in the end, so that links can't go stale. Everything is in the site's own files and works from a disk.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.errors import ExtensionError

from graphfsa import play
from graphfsa.playground.page import worlds_script
from tools.gallery import live
from tools.playable import PAGE, SCHEME, examples_of, follow, links


def _pictures(app: Any, docname: str, source: list[str]) -> None:
    """Pictures of the gallery become worlds."""
    source[0] = live(source[0])


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


def _followed(app: Any, problem: Exception | None) -> None:
    if problem is None and app.builder.format == "html":
        number, wrong = follow(Path(app.outdir))
        if wrong:
            raise ExtensionError("\n".join(wrong))
        print(f"followed {number} links to the playground")


def setup(app: Any) -> dict[str, bool]:
    """Add the above to Sphinx."""
    app.connect("builder-inited", _files)
    app.connect("source-read", _pictures)
    app.connect("doctree-read", _blocks)
    app.connect("html-page-context", _addresses)
    app.connect("build-finished", _followed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
