"""The page: its modules, style and worker in one file, with a policy that lets it load and run nothing else."""

from __future__ import annotations

from graphfsa.html import Html, fill
from graphfsa.playground._linking import linked, static_text
from graphfsa.views.pages import page


def playground_page(title: str = "Playground", fragment: str | None = None) -> str:
    """The whole page.

    Args:
        title: Title of the window.
        fragment: What the page shows at first, as in the fragment of an address; without it, its first example.
    """
    script, worker = linked("app.js"), linked("worker.js")
    body = fill(static_text("body.html").strip(), scene=fragment or "", worker=_text(worker), script=Html(script))
    return page(title, body, style=static_text("style.css").strip(), script=script, workers=True)


def worlds_script() -> str:
    """A script for pages of a site: links to the playground in figures of the class ``world`` become live worlds."""
    return linked("worlds.js")


def _text(script: str) -> Html:
    """A script as text that the page hands to its worker: a data block ends at the first ``</script``, and nowhere."""
    if "</script" in script or "<!--" in script:
        raise AssertionError("a script in a page must not hold its own end")
    return Html(script)
