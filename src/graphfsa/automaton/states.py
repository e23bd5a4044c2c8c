"""States of nodes in every form that people have them in: arrays, names by node, one line of text, files.

A text file has one state per line, by name or number, in node order (lattices row by row); a line may also hold
several states separated by blanks, such as a row of a lattice. A safetensors file has one tensor of integers named
``states``. A name wins over a number if a state's name is a number. Patterns in ``.rle`` files are described in
``graphfsa.automaton.patterns``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.base import Automaton
from graphfsa.automaton.node_values import node_values
from graphfsa.automaton.patterns import place_pattern, read_rle
from graphfsa.checks import any_of, shown
from graphfsa.errors import AutomatonError, FormatError, StateError
from graphfsa.files import atomic_write, read_bytes
from graphfsa.graphs import Graph, GraphLike, as_graph

SUFFIXES = (".txt", ".safetensors")
_PART = 1 << 20


def check_suffix(path: str | Path) -> str:
    """The suffix of a state file, or an error that lists the valid ones."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise FormatError(f"{path}: a state file must end in {any_of(SUFFIXES)}; got {suffix or 'no suffix'!r}")
    return suffix


def read_states(path: str | Path, fsa: Automaton, num_nodes: int) -> Array:
    """Read the states of ``num_nodes`` nodes from a text or safetensors file, uint8 [num_nodes]."""
    data = read_bytes(path) if check_suffix(path) == ".txt" else None
    states = _read_tensor(path, fsa) if data is None else _read_text(data, str(path), fsa)
    if len(states) != num_nodes:
        raise FormatError(f"{path}: there must be one state per node, {num_nodes}; got {len(states)}")
    return states


def write_states(path: str | Path, fsa: Automaton, states: Array) -> None:
    """Write states, by name in a text file or by number in a safetensors file, atomically."""
    if check_suffix(path) == ".txt":
        names = np.array([*fsa.state_names], object)
        atomic_write(path, "".join(f"{name}\n" for name in names[states]))
        return
    from safetensors.numpy import save

    content = save({"states": np.ascontiguousarray(states, np.uint8)}, {"schema": "graphfsa.states/1"})
    atomic_write(path, content)


def random_states(
    fsa: Automaton, num_nodes: int, rng: np.random.Generator, shares: Sequence[float] | None = None
) -> Array:
    """States drawn independently for each node, uint8 [num_nodes].

    Args:
        fsa: The automaton.
        num_nodes: Number of nodes.
        rng: Source of randomness.
        shares: Probabilities of the second state, the third, ...; the first state gets the rest. By default every
            starting state is as likely as any other.
    """
    if shares is not None:
        limits = np.cumsum(_check_shares(shares, fsa))
        # A draw above all limits is one for the first state.
        choices = np.array([*range(1, len(limits) + 1), 0], np.uint8)
        return _drawn(num_nodes, lambda size: choices[np.searchsorted(limits, rng.random(size), side="right")])
    if not fsa.starting_states:
        raise StateError("this automaton has no starting states to draw from")
    choices = np.array(fsa.starting_states, np.uint8)
    return _drawn(num_nodes, lambda size: choices[rng.integers(0, len(choices), size)])


def _drawn(num_nodes: int, draw: Callable[[int], Array]) -> Array:
    """States drawn in parts, which gives the same as all at once: a draw takes eight bytes, a state one."""
    states = np.empty(num_nodes, np.uint8)
    for place in range(0, num_nodes, _PART):
        states[place : place + _PART] = draw(min(_PART, num_nodes - place))
    return states


def parse_states(text: str, fsa: Automaton, graph: GraphLike, rng: np.random.Generator) -> Array:
    """States from one line of text, as on the command line, uint8 [num_nodes].

    Args:
        text: ``random``: drawn from the starting states; ``random:0.3,0.2``: with these shares of the second and third
            state; the name of a .txt, .safetensors or .rle file, ``PATTERN.rle@ROWxCOLUMN`` to say where its first cell
            goes; or a description as for ``described_states``.
        fsa: The automaton.
        graph: The graph.
        rng: Source of randomness.
    """
    graph = as_graph(graph)
    if text == "random":
        return random_states(fsa, graph.num_nodes, rng)
    if text.startswith("random:") and "random" not in fsa.state_names:
        return random_states(fsa, graph.num_nodes, rng, _shares(text.removeprefix("random:")))
    file, at = re.fullmatch(r"(.*?)(?:@([0-9]{1,9}x[0-9]{1,9}))?", text, re.DOTALL).groups()  # pyright: ignore[reportOptionalMemberAccess]
    if Path(file).suffix.lower() == ".rle":
        return _read_pattern(file, fsa, graph, None if at is None else _row_and_column(at))
    if ".rle@" in text.lower():
        raise StateError(f"a pattern must be given as FILE.rle or FILE.rle@ROWxCOLUMN; got {shown(text)}")
    if Path(text).suffix.lower() in SUFFIXES:
        return read_states(text, fsa, graph.num_nodes)
    return described_states(text, fsa, graph)


def described_states(text: str, fsa: Automaton, graph: GraphLike) -> Array:
    """States from a short description, uint8 [num_nodes].

    Args:
        text: ``STATE`` puts all nodes into a state; ``STATE:NODE,NODE`` those nodes, and all others into the first
            starting state that is not named. Parts are joined by ``+``: ``node+first:0+second:7``. A cell of a lattice
            may be given as ``ROWxCOLUMN``, counted from 0: ``alive:3x4,3x5``.
        fsa: The automaton.
        graph: The graph.
    """
    graph = as_graph(graph)
    placed: list[tuple[int, Array]] = []
    everywhere: list[int] = []
    for part in text.split("+"):
        name, colon, nodes = part.rpartition(":") if ":" in part else (part, "", "")
        state = parse_state(name, fsa)
        if colon:
            placed.append((state, _nodes(nodes, graph)))
        else:
            everywhere.append(state)
    if len(everywhere) > 1:
        raise StateError(f"only one state can be that of all other nodes; got {len(everywhere)} in {shown(text)}")
    named = {state for state, _ in placed}
    others = everywhere or [state for state in fsa.starting_states if state not in named]
    if not others:
        raise StateError(f"say in which state all other nodes are, as in STATE+{text}")
    states = np.full(graph.num_nodes, others[0], np.uint8)
    for state, nodes in placed:
        states[nodes] = state
    return states


def node_states(fsa: Automaton, graph: GraphLike, given: Any, default: str | int | None = None) -> Array:
    """The state of each node, a fresh uint8 [num_nodes].

    Args:
        fsa: The automaton.
        graph: The graph.
        given: One of: states by index or name, [num_nodes] or [num_nodes, 1] (integers in floating point and torch
            tensors too); one-hot rows, [num_nodes, num_states]; a dict from node name (or number, if nodes have no
            names) to state; the name of one state for all nodes.
        default: With a dict: the state of the nodes that it leaves out.

    Raises:
        StateError: A node has no state, or what was given is no state or no node.

    Example:
        >>> from graphfsa import families, library
        >>> node_states(library.distance(), families.path(3), {0: "root"}, default="node").tolist()
        [3, 2, 2]
    """
    return node_values("state", fsa.state_names, as_graph(graph), given, default)


def parse_state(text: str, fsa: Automaton) -> int:
    """The index of a state written as a name or a number."""
    if text in fsa.state_names:
        return fsa.state_names.index(text)
    if text.isascii() and text.isdigit() and len(text) <= 3:
        return fsa.index(int(text))
    raise AutomatonError(f"state must be one of {', '.join(fsa.state_names)}; got {shown(text)}")


def _check_shares(shares: Sequence[float], fsa: Automaton) -> list[float]:
    given = [float(share) for share in shares]
    # Decimal fractions such as ten times 0.1 may add up to a little more than 1.
    if not given or not all(0 <= share <= 1 for share in given) or sum(given) > 1 + 1e-9:
        raise StateError(f"shares must be numbers in 0 .. 1 that add up to at most 1; got {shown(list(shares))}")
    if len(given) >= fsa.num_states:
        others = f"of {fsa.num_states} states the first gets the rest"
        raise StateError(f"there must be at most {fsa.num_states - 1} shares ({others}); got {len(given)}")
    return given


def _shares(text: str) -> list[float]:
    parts = text.split(",")
    if not all(re.fullmatch(r"[0-9]{0,3}\.?[0-9]{1,18}", part) for part in parts):
        raise StateError(f"random: must be followed by shares such as 0.3 or 0.3,0.2; got {shown(text)}")
    return [float(part) for part in parts]


def _read_pattern(path: str, fsa: Automaton, graph: Graph, at: tuple[int, int] | None) -> Array:
    pattern = read_rle(path)
    if pattern.max(initial=0) >= fsa.num_states:
        raise StateError(f"{path}: states must be in 0 .. {fsa.num_states - 1}; the pattern has state {pattern.max()}")
    return place_pattern(pattern, graph, at)


def _nodes(text: str, graph: Graph) -> Array:
    parts = text.split(",")
    cells = [part for part in parts if re.fullmatch(r"[0-9]{1,9}x[0-9]{1,9}", part)]
    if not all(re.fullmatch(r"[0-9]{1,11}", part) for part in parts if part not in cells):
        raise StateError(f"nodes must be integers, or ROWxCOLUMN on a lattice, separated by commas; got {shown(text)}")
    if cells and graph.lattice is None:
        raise StateError(f"ROWxCOLUMN is for lattices, such as moore; this graph is not a lattice; got {cells[0]}")
    nodes = np.array([_cell(part, graph) if "x" in part else int(part) for part in parts], np.int64)
    if graph.num_nodes == 0:
        raise StateError(f"the graph has no nodes; got node {nodes.max()}")
    if nodes.max() >= graph.num_nodes:
        raise StateError(f"node must be in 0 .. {graph.num_nodes - 1}; got {nodes.max()}")
    return nodes


def _cell(text: str, graph: Graph) -> int:
    assert graph.lattice is not None
    row, column = _row_and_column(text)
    height, width = graph.lattice.height, graph.lattice.width
    if row >= height or column >= width:
        raise StateError(f"a cell must be in row 0 .. {height - 1} and column 0 .. {width - 1}; got {text}")
    return row * width + column


def _row_and_column(text: str) -> tuple[int, int]:
    row, _, column = text.partition("x")
    return int(row), int(column)


def _read_text(data: bytes, source: str, fsa: Automaton) -> Array:
    try:
        lines = data.decode("utf-8-sig").rstrip().splitlines()
    except UnicodeDecodeError as error:
        raise FormatError(f"{source}: must be UTF-8 text; byte {error.start} is not") from None
    # Few lines are distinct: each is read once.
    known: dict[str, list[int]] = {}
    states: list[int] = []
    for number, line in enumerate(lines, start=1):
        if line not in known:
            try:
                known[line] = _line(line, fsa)
            except AutomatonError as error:
                raise FormatError(f"{source}: line {number}: {error}") from None
        states += known[line]
    return np.array(states, np.uint8)


def _line(line: str, fsa: Automaton) -> list[int]:
    if line.strip() in fsa.state_names:
        return [fsa.state_names.index(line.strip())]
    if not line.strip():
        raise AutomatonError("a line must hold a state; it is blank")
    return [parse_state(word, fsa) for word in line.split()]


def _read_tensor(path: str | Path, fsa: Automaton) -> Array:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        tensors = load(read_bytes(path))
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{path}: not a safetensors file: {error}") from None
    if "states" not in tensors:
        raise FormatError(f"{path}: there must be a tensor named 'states'; got {', '.join(tensors) or 'none'}")
    states = tensors["states"].reshape(-1)
    if states.dtype.kind not in "iu":
        raise FormatError(f"{path}: tensor 'states' must hold integers; got {states.dtype}")
    wrong = np.flatnonzero((states < 0) | (states >= fsa.num_states))
    if len(wrong):
        raise FormatError(f"{path}: states[{wrong[0]}] must be in 0 .. {fsa.num_states - 1}; got {states[wrong[0]]}")
    return states.astype(np.uint8)
