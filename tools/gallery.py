"""The pictures of ``docs/gallery.md``: on a code host pictures, in the site live worlds."""

from __future__ import annotations

import re
import shlex
from html import escape

from tools.playable import SCHEME, Example, example_of_command

PICTURE = re.compile(r'\[!\[([^\]]*)\]\(([^)\s]+)\)\]\(playground\.md "([^"]+)"\)')
"""A picture that leads to the page about the playground: its words, its file, and a title that says what it shows."""


class World:
    """What the title of a picture says: a preset or the words of a command, and the step of the picture.

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


def live(text: str) -> str:
    """A page in Markdown, with its pictures as worlds."""
    return PICTURE.sub(lambda match: World(match[3]).html(match[1], match[2]), text)
