"""States of nodes as text: drawn at random, described in a word, or kept in files.

A text file has one state per line, by name or number, in node order (lattices row by row); a line may also hold
several states separated by blanks, such as a row of a lattice. A safetensors file has one tensor of whole numbers
named ``states``. A name wins over a number if a state's name is a number.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from graphfsa.arrays import Array
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.errors import AutomatonError, FormatError, StateError
from graphfsa.files import atomic_write, read_bytes

SUFFIXES = (".txt", ".safetensors")


def check_suffix(path: str | Path) -> str:
    """The suffix of a state file, or an error that lists the valid ones."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise FormatError(f"{path}: a state file must end in {' or '.join(SUFFIXES)}; got {suffix or 'no suffix'!r}")
    return suffix


def read_states(path: str | Path, fsa: GraphFSA, num_nodes: int) -> Array:
    """Read the states of ``num_nodes`` nodes from a text or safetensors file, uint8 [num_nodes]."""
    data = read_bytes(path) if check_suffix(path) == ".txt" else None
    states = _read_tensor(path, fsa) if data is None else _read_text(data, str(path), fsa)
    if len(states) != num_nodes:
        raise FormatError(f"{path}: there must be one state per node, {num_nodes}; got {len(states)}")
    return states


def write_states(path: str | Path, fsa: GraphFSA, states: Array) -> None:
    """Write states, by name in a text file or by number in a safetensors file, atomically."""
    if check_suffix(path) == ".txt":
        names = np.array([*fsa.state_names], object)
        atomic_write(path, "".join(f"{name}\n" for name in names[states]))
        return
    from safetensors.numpy import save

    content = save({"states": np.ascontiguousarray(states, np.uint8)}, {"schema": "graphfsa.states/1"})
    atomic_write(path, content)


def random_states(fsa: GraphFSA, num_nodes: int, rng: np.random.Generator) -> Array:
    """States drawn uniformly from the starting states, uint8 [num_nodes]."""
    if not fsa.starting_states:
        raise StateError("this automaton has no starting states to draw from")
    choices = np.array(fsa.starting_states, np.uint8)
    return choices[rng.integers(0, len(choices), num_nodes)]


def described_states(text: str, fsa: GraphFSA, num_nodes: int) -> Array:
    """States from a short description, uint8 [num_nodes].

    Args:
        text: ``STATE`` puts all nodes into a state; ``STATE:NODE,NODE`` those nodes, and all others into the first
            starting state that is not named. Parts are joined by ``+``: ``node+first:0+second:7``.
        fsa: The automaton.
        num_nodes: Number of nodes.
    """
    placed: list[tuple[int, Array]] = []
    everywhere: list[int] = []
    for part in text.split("+"):
        name, colon, nodes = part.rpartition(":") if ":" in part else (part, "", "")
        state = parse_state(name, fsa)
        if colon:
            placed.append((state, _nodes(nodes, num_nodes)))
        else:
            everywhere.append(state)
    if len(everywhere) > 1:
        raise StateError(f"only one state can be that of all other nodes; got {len(everywhere)} in {text!r}")
    named = {state for state, _ in placed}
    others = everywhere or [state for state in fsa.starting_states if state not in named]
    if not others:
        raise StateError(f"say in which state all other nodes are, as in STATE+{text}")
    states = np.full(num_nodes, others[0], np.uint8)
    for state, nodes in placed:
        states[nodes] = state
    return states


def parse_state(text: str, fsa: GraphFSA) -> int:
    """The index of a state written as a name or a number."""
    if text in fsa.state_names:
        return fsa.state_names.index(text)
    if text.isascii() and text.isdigit() and len(text) <= 3:
        return fsa.index(int(text))
    raise AutomatonError(f"state must be one of {', '.join(fsa.state_names)}; got {text[:100]!r}")


def _nodes(text: str, num_nodes: int) -> Array:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) < 12 for part in parts):
        raise StateError(f"nodes must be whole numbers separated by commas; got {text[:100]!r}")
    nodes = np.array([int(part) for part in parts], np.int64)
    if num_nodes == 0:
        raise StateError(f"the graph has no nodes; got node {nodes.max()}")
    if nodes.max() >= num_nodes:
        raise StateError(f"node must be in 0 .. {num_nodes - 1}; got {nodes.max()}")
    return nodes


def _read_text(data: bytes, source: str, fsa: GraphFSA) -> Array:
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


def _line(line: str, fsa: GraphFSA) -> list[int]:
    if line.strip() in fsa.state_names:
        return [fsa.state_names.index(line.strip())]
    if not line.strip():
        raise AutomatonError("a line must hold a state; it is blank")
    return [parse_state(word, fsa) for word in line.split()]


def _read_tensor(path: str | Path, fsa: GraphFSA) -> Array:
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
        raise FormatError(f"{path}: tensor 'states' must hold whole numbers; got {states.dtype}")
    wrong = np.flatnonzero((states < 0) | (states >= fsa.num_states))
    if len(wrong):
        raise FormatError(f"{path}: states[{wrong[0]}] must be in 0 .. {fsa.num_states - 1}; got {states[wrong[0]]}")
    return states.astype(np.uint8)
