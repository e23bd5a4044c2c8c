"""Verdicts as fields of a proof."""

from __future__ import annotations

from typing import Any

from graphfsa.analysis.verification import Counterexample


def proved(
    method: str, certificate: dict[str, Any] | None, steps: str | None = None, checked: int = 0
) -> dict[str, Any]:
    """It is proved."""
    return {
        "verdict": "proved",
        "method": method,
        "certificate": certificate,
        "steps": steps,
        "checked_nodes": checked,
    }


def refuted(wrong: Counterexample) -> dict[str, Any]:
    """It is wrong on a graph."""
    return {"verdict": "refuted", "counterexample": wrong, "checked_nodes": wrong.graph.num_nodes - 1}
