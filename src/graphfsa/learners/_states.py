"""Names for the states of a learned automaton."""

from __future__ import annotations

from graphfsa.datasets import Task


def state_names(task: Task, num_extra: int) -> list[str]:
    """Names for the states: the classes, the input classes, and numbers for the rest; where they clash, distinct."""
    names: list[str] = []
    extras = (f"s{number}" for number in range(num_extra))
    for name, mark in [
        *((n, "") for n in task.classes),
        *((n, " (start)") for n in task.inputs),
        *((n, "") for n in extras),
    ]:
        wanted = name or "(empty)"
        while wanted in names:
            wanted += mark or "'"
        names.append(wanted)
    return names
