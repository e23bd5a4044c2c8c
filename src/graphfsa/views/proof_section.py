"""The part of a page that says why a model is right on graphs of every size, or shows where it is wrong."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from shlex import quote
from typing import Any

from graphfsa.analysis.verification import Counterexample
from graphfsa.evaluation.proving import ProofReport
from graphfsa.html import Html, element, join
from graphfsa.proofs import Part
from graphfsa.views.report import Section, facts_section, rollout_section, scrolled, text_section

_MAX_LINK = 10**6
"""Characters of a certificate that a page carries with it."""

_MAX_NODES = 16
"""Nodes of a wrong graph that are listed one by one."""


def proof_section(found: ProofReport | str, name: str) -> Section:
    """The section; only a proof whose certificate was checked is called one.

    Args:
        found: What became of the proof, or why none was tried.
        name: What the model is called; a command that checks the certificate names it.
    """
    if isinstance(found, str):
        return text_section("Is it always right?", f"Not tried: {found}")
    words = join(_part(part) for part in found.parts)
    if found.trajectory is not None:
        example = found.proof.counterexample
        assert example is not None
        note = "Play it, step through it, and click a node or give its number to see why it changed."
        run = rollout_section(
            "The smallest wrong graph", found.trajectory, heading="The smallest wrong graph", example=example, note=note
        )
        return Section("Where it is wrong", join([words, _nodes(example), run.body]), plays=True)
    if found.certificate is None or found.check is None or not found.check.holds:
        failed = "" if found.check is None else element("p", f"The certificate fails: {found.check.reason}.")
        return Section("Is it always right?", join([words, failed]))
    rows = facts_section("", _facts(found, found.certificate, name)).body
    details = element(
        "details", element("summary", "The certificate, and how to check it"), rows, _link(found.certificate)
    )
    return Section("Why it is right", join([words, details]))


def _nodes(example: Counterexample) -> Html:
    """Node by node: whom it sees, what it is given, what is right and what it answers."""
    if example.graph.num_nodes > _MAX_NODES:
        return Html()
    names = ("node", "neighbours", "input", "right", f"after {example.steps:,} step{'s' * (example.steps != 1)}", "")
    rows = [element("tr", *(element("th", name) for name in names))]
    for node, (given, label, answer) in enumerate(
        zip(example.inputs, example.labels, example.predictions, strict=True)
    ):
        seen = ", ".join(str(other) for other in sorted(example.graph.neighbours(node).tolist()))
        verdict = "" if label in (None, answer) else "wrong"
        cells = (node, seen, given, label or "-", answer or "no answer", verdict)
        rows.append(element("tr", *(element("td", cell) for cell in cells)))
    return scrolled(element("table", *rows, class_="nodes"))


def _facts(found: ProofReport, certificate: str, name: str) -> dict[str, Any]:
    assert found.check is not None
    return {
        "verdict": "proved",
        "steps": found.proof.steps,
        "method": found.proof.method,
        "checked": found.check.reason,
        "specification": f"{found.proof.statement.name}, digest {found.proof.statement.digest}",
        "digest": sha256(certificate.encode()).hexdigest(),
        "to check it": f"graphfsa check proof.json {quote(name)}",
    }


def _link(certificate: str) -> Html:
    if len(certificate) > _MAX_LINK:
        return element("p", "It is too long for this page: graphfsa prove MODEL --out proof.json writes it.")
    source = f"data:application/json;base64,{b64encode(certificate.encode()).decode()}"
    return element("p", element("a", "proof.json", href=source, download="proof.json"))


def _part(part: Part) -> Html:
    points = [element("li", _words(point)) for point in part.points]
    return join([element("p", _words(part.text)), element("ul", *points) if points else ""])


def _words(text: str) -> Html:
    """A sentence with the names in it, which are between backquotes, set apart."""
    pieces = re.split("`([^`]*)`", text)
    return join(element("code", piece) if place % 2 else piece for place, piece in enumerate(pieces))
