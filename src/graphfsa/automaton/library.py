"""Named automata: classic cellular automata, and exact automata for the graph algorithms of the paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np

from graphfsa.aggregations import CountingAggregation, Counts, PositionalAggregation
from graphfsa.automaton.cole_vishkin import cole_vishkin
from graphfsa.automaton.contagion import si, sir, sis
from graphfsa.automaton.dynamics import majority, rumour, threshold, voter
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.protocols import (
    clique_leader,
    colouring,
    core,
    dijkstra_ring,
    mis,
    ring_matching,
    stone_age_mis,
    tree_leader,
    unison,
)
from graphfsa.automaton.stochastic import StochasticFSA
from graphfsa.checks import check_integer, check_name, type_name
from graphfsa.errors import AutomatonError, UnknownNameError

Boundary = Literal["zero", "one", "copy"]

_AT_RANDOM = "an automaton without probabilities is needed; this one moves at random (for run, simulate and rules)"


def elementary(rule: int, *, boundary: Boundary = "zero") -> GraphFSA:
    """Wolfram's elementary rule 0 to 255 on a row or a ring with (left, right) slots.

    Args:
        rule: The next state of (left, own, right) is bit ``4 * left + 2 * own + right`` of this number.
        boundary: What a cell at the end of a row sees beyond it: a 0, a 1, or a copy of itself.

    Example:
        >>> from graphfsa import families, run
        >>> run(elementary(90), families.row(5), [0, 0, 1, 0, 0], steps=1).last.tolist()
        [0, 1, 0, 1, 0]
    """
    check_integer("an elementary rule", rule, 0, 255, error=AutomatonError)
    beyond = {"zero": lambda _own: 0, "one": lambda _own: 1, "copy": lambda own: own}
    check_name("boundary", boundary, list(beyond))

    def move(state: str, sides: tuple[str | None, ...]) -> int:
        left, right = (beyond[boundary](int(state)) if side is None else int(side) for side in sides)
        return rule >> (4 * left + 2 * int(state) + right) & 1

    return GraphFSA.from_rule(["0", "1"], PositionalAggregation(num_slots=2), move)


def life_like(rule: str = "B3/S23") -> GraphFSA:
    """Any Life-like rule in B/S notation: born with these numbers of live neighbours, survives with those.

    The bound is the smallest that tells all numbers apart that the rule tells apart, so it runs on any graph:
    a Moore torus, a hexagonal lattice, a tree. Numbers above 8 are those of 8.

    Example:
        >>> life_like("B3/S23").aggregation
        CountingAggregation(bound=4)
    """
    match = re.fullmatch(r"B([0-8]*)/?S([0-8]*)", rule.strip(), flags=re.IGNORECASE) if isinstance(rule, str) else None
    if match is None:
        raise AutomatonError(f"a Life-like rule looks like B3/S23, with digits 0 to 8; got {rule!r}")
    born, survive = ({int(digit) for digit in part} for part in match.groups())
    outcome = [(count in born, count in survive) for count in range(9)]
    bound = 8
    while bound > 1 and outcome[bound - 1] == outcome[8]:
        bound -= 1

    def move(state: str, counts: Counts) -> str:
        return "alive" if outcome[counts["alive"]][state == "alive"] else "dead"

    return GraphFSA.from_rule(["dead", "alive"], CountingAggregation(bound=bound), move)


def hex_life() -> GraphFSA:
    """Life on a hexagonal lattice: born with 3 live neighbours, survives with 2 to 4."""
    return life_like("B3/S234")


def wireworld() -> GraphFSA:
    """WireWorld: electrons run along wires; a conductor becomes a head next to one or two heads."""

    def move(state: str, counts: Counts) -> str:
        if state == "conductor":
            return "head" if counts["head"] in (1, 2) else "conductor"
        return {"empty": "empty", "head": "tail", "tail": "conductor"}[state]

    return GraphFSA.from_rule(["empty", "head", "tail", "conductor"], CountingAggregation(bound=3), move)


def brians_brain() -> GraphFSA:
    """Brian's Brain: a resting cell fires next to exactly two firing ones, then is refractory for a step."""

    def move(state: str, counts: Counts) -> str:
        if state == "off":
            return "on" if counts["on"] == 2 else "off"
        return {"on": "dying", "dying": "off"}[state]

    return GraphFSA.from_rule(["off", "on", "dying"], CountingAggregation(bound=3), move)


def distance() -> GraphFSA:
    """Parity of the distance from the root: a node takes the other parity than the first answer it sees.

    The root starts in ``root``, all others in ``node``; ``even`` and ``odd`` are final.
    """

    def move(state: str, counts: Counts) -> str:
        if state == "root":
            return "even"
        if state == "node" and counts["even"]:
            return "odd"
        return "even" if state == "node" and counts["odd"] else state

    return _algorithm(["even", "odd", "node", "root"], 1, move)


def root_value() -> GraphFSA:
    """The root's bit reaches everybody: the root starts in ``root0`` or ``root1``, all others in ``node``."""

    def move(state: str, counts: Counts) -> str:
        if state.startswith("root"):
            return state[-1]
        return next((bit for bit in "01" if state == "node" and counts[bit]), state)

    return _algorithm(["0", "1", "node", "root0", "root1"], 1, move)


def prefix_sum() -> GraphFSA:
    """Sum modulo 2 of the bits from the root to each node of a path, both included.

    A node with bit 1 starts in ``bit1``, a root with bit 1 in ``root1``; likewise for 0.
    """

    def move(state: str, counts: Counts) -> str:
        if state.startswith("root"):
            return state[-1]
        if state.startswith("bit"):
            return next((str(int(total) ^ int(state[-1])) for total in "01" if counts[total]), state)
        return state

    return _algorithm(["0", "1", "bit0", "bit1", "root0", "root1"], 1, move)


def path_finding(*, colours: int = 1) -> GraphFSA:
    """Which nodes of a tree lie on the path between two marked nodes, ends included.

    Branches without a mark wither from their leaves (``off``); what remains between the marks lights up from both
    ends (``on``). Counting up to two is needed: with bound 1 and four states no automaton does this.

    Args:
        colours: 1 if both marks look the same, 2 if the first and the second are told apart.
    """
    if colours not in (1, 2):
        raise AutomatonError(f"colours must be 1 or 2; got {colours!r}")
    marks = ["marked"] if colours == 1 else ["first", "second"]
    names = ["off", "on", "node", *marks]

    def move(state: str, counts: Counts) -> str:
        alive = sum(counts[name] for name in names if name != "off")
        if state in marks:
            return "on" if alive <= 1 else state
        if state == "node" and alive <= 1:
            return "off"
        return "on" if state == "node" and alive == 2 and counts["on"] else state

    return _algorithm(names, 2, move)


def mid_point() -> GraphFSA:
    """The middle of the path between the two marked nodes of a tree: waves start at both marks and meet there.

    A node that a wave has reached is ``marked`` for one step. Nodes behind the meeting point hear ``no`` or ``yes``.
    """

    def move(state: str, counts: Counts) -> str:
        if state == "marked":
            return "yes" if counts["marked"] else "no"
        if state == "node" and counts["marked"]:
            return "yes" if counts["marked"] > 1 else "marked"
        return "no" if state == "node" and (counts["no"] or counts["yes"]) else state

    return _algorithm(["no", "yes", "node", "marked"], 2, move)


def random4() -> GraphFSA:
    """An automaton of four states and bound 2 whose table was drawn once, for comparing runs and measuring them.

    The next state of state ``m`` at value ``a`` is the first byte of the SHA-256 of the text ``random4 m a``, modulo 4:
    on every machine and in every version the same. About half of the nodes of a large random graph change in a step.
    """
    aggregation = CountingAggregation(bound=2)
    values = range(aggregation.num_values(4))
    table = [[sha256(f"random4 {state} {value}".encode()).digest()[0] % 4 for value in values] for state in range(4)]
    return GraphFSA(["s0", "s1", "s2", "s3"], aggregation, np.array(table, np.uint8))


def _algorithm(names: list[str], bound: int, move: Callable[[str, Any], str]) -> GraphFSA:
    """Two final states first, then the starting states."""
    return GraphFSA.from_rule(
        names, CountingAggregation(bound=bound), move, starting_states=names[2:], final_states=names[:2]
    )


_NAMED: dict[str, Callable[[], GraphFSA]] = {
    "life": life_like,
    "hex-life": hex_life,
    "wireworld": wireworld,
    "brians-brain": brians_brain,
    "distance": distance,
    "root-value": root_value,
    "prefix-sum": prefix_sum,
    "path-finding": path_finding,
    "path-finding-2": lambda: path_finding(colours=2),
    "mid-point": mid_point,
    "threshold": threshold,
    "majority": majority,
    "unison": unison,
    "core": core,
    "dijkstra-ring": dijkstra_ring,
    "cole-vishkin": cole_vishkin,
    "random4": random4,
}
RANDOM: dict[str, Callable[[], StochasticFSA]] = {
    "si": si,
    "sis": sis,
    "sir": sir,
    "voter": voter,
    "rumour": rumour,
    "mis": mis,
    "stone-age-mis": stone_age_mis,
    "colouring": colouring,
    "tree-leader": tree_leader,
    "clique-leader": clique_leader,
    "ring-matching": ring_matching,
}
"""Those that move at random, by name, with the options that they have if nothing is said."""


def library_names() -> list[str]:
    """All names that ``library_automaton`` knows; ``ruleN`` and ``B.../S...`` stand for families."""
    return [*_NAMED, *RANDOM, "rule0 .. rule255", "B3/S23 (any B/S rule)"]


def find_automaton(given: Any) -> GraphFSA:
    """The automaton that is given, of a model, or that a library name or the path of a .json or .rules file names."""
    found = find_any_automaton(given)
    if isinstance(found, GraphFSA):
        return found
    raise AutomatonError(_AT_RANDOM)


def find_any_automaton(given: Any) -> GraphFSA | StochasticFSA:
    """As ``find_automaton``, also automata that move at random."""
    if isinstance(given, GraphFSA | StochasticFSA):
        return given
    if hasattr(given, "automaton"):
        return given.automaton
    if not isinstance(given, str | Path):
        wanted = "a graphfsa.GraphFSA or StochasticFSA, a model, a library name or a file"
        raise AutomatonError(f"fsa must be {wanted}; got {type_name(type(given))}")
    name = str(given)
    if name.lower().endswith((".json", ".rules")):
        from graphfsa.automaton.serialize import load_any

        return load_any(name)
    return RANDOM[name]() if name in RANDOM else library_automaton(name)


def library_automaton(name: str) -> GraphFSA:
    """An automaton without probabilities by name: of ``library_names()``, ``rule110`` or a B/S rule such as B36/S23."""
    if name in _NAMED:
        return _NAMED[name]()
    if name in RANDOM:
        raise AutomatonError(_AT_RANDOM)
    if match := re.fullmatch(r"rule([0-9]{1,9})", name):
        return elementary(int(match[1]))
    if re.fullmatch(r"B[0-9]*/?S[0-9]*", name, flags=re.IGNORECASE):
        return life_like(name)
    raise UnknownNameError("automaton", name, library_names())
