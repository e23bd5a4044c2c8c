"""The page: its modules, style and worker in one file, with a policy that lets it load and run nothing else."""

from __future__ import annotations

from graphfsa.html import Html, fill
from graphfsa.playground._linking import linked, static_text
from graphfsa.views.pages import page


def playground_page(title: str = "Playground", fragment: str | None = None, *, served: bool = False) -> str:
    """The whole page.

    Args:
        title: Title of the window.
        fragment: What the page shows at first, as in the fragment of an address; without it, its first example.
        served: Whether a server of ours sends it: then it can learn, prove and compare, and may ask that server.
    """
    script, worker = linked("served.js" if served else "app.js"), linked("worker.js")
    style = "\n".join(static_text(name).strip() for name in ("style.css", *(["served.css"] if served else [])))
    body = fill(static_text("body.html").strip(), scene=fragment or "", worker=_text(worker), script=Html(script))
    return page(title, body, style=style, script=script, workers=True, connects=served)


def worlds_script() -> str:
    """A script for pages of a site: links to the playground in figures of the class ``world`` become live worlds."""
    return linked("worlds.js")


def _text(script: str) -> Html:
    """A script as text that the page hands to its worker: a data block ends at the first ``</script``, and nowhere."""
    if "</script" in script or "<!--" in script:
        raise AssertionError("a script in a page must not hold its own end")
    return Html(script)
