"""A job: one learner on one set of graphs with one seed, named after its configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from json import dumps
from typing import Any

from graphfsa.evaluation._references import without_digest
from graphfsa.evaluation.parts import Data, Test, Train, no_options


@dataclass(frozen=True)
class Job:
    """One learner on one set of graphs with one seed. Tables that ask for the same job share it.

    Attributes:
        data: Where the graphs come from.
        train: The graphs to learn from.
        tests: The graphs to score on.
        learner: Reference of the learner.
        options: Options of the learner.
        seed: The seed.
        quick: Whether it is of a quick run.
        drawing: The version of how graphs are drawn.
        files: Where the files of the user's own classes are; never written, and no part of its identity.
    """

    data: Data
    train: Train
    tests: tuple[Test, ...]
    learner: str
    options: dict[str, Any]
    seed: int
    quick: bool
    drawing: int = 1
    files: dict[str, str] = field(default_factory=no_options, compare=False)

    def __str__(self) -> str:
        data = without_digest(self.data.dataset) or self.data.grab
        return f"{self.learner_name} on {data}, seed {self.seed}"

    @property
    def learner_name(self) -> str:
        """The learner, as a person calls it."""
        return without_digest(self.learner)

    @cached_property
    def config(self) -> dict[str, Any]:
        """Everything that decides the outcome, as JSON values."""
        content = asdict(self)
        del content["files"]
        return content

    @cached_property
    def graphs_id(self) -> str:
        """16 hexadecimal digits that stand for its graphs: only results on the same graphs may be compared."""
        return graphs_id(self.config)

    @cached_property
    def id(self) -> str:
        """16 hexadecimal digits that stand for the configuration."""
        return job_id(self.config)


def job_id(config: Mapping[str, Any]) -> str:
    """16 hexadecimal digits that stand for the configuration of a job."""
    return content_digest(config)[:16]


def graphs_id(config: Mapping[str, Any]) -> str:
    """16 hexadecimal digits that stand for the graphs of a job: all of its configuration but the learner."""
    return job_id({name: value for name, value in config.items() if name not in ("learner", "options")})


def content_digest(content: Any) -> str:
    """SHA-256 of JSON values."""
    return sha256(dumps(content, sort_keys=True).encode()).hexdigest()
