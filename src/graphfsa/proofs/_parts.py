"""Parts of explanations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A part of an explanation.

    Attributes:
        text: One or two sentences.
        points: What belongs to them, point by point.
    """

    text: str
    points: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([self.text, *(f"- {point}" for point in self.points)])
