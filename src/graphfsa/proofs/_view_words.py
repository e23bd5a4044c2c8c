"""Views of a certificate about trees as sentences, equal ones together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphfsa.proofs._contract_words import Pair, senders
from graphfsa.proofs._lists import listed, names


def view_points(facts: Mapping[str, Any], state_names: Sequence[str], messages: Sequence[str]) -> list[str]:
    """A sentence for each pair of messages: in which states a neighbour is, and beside which states of the node."""
    beside: dict[Pair, dict[int, set[int]]] = {}
    for sends, is_sent, (_, _, ones), (_, _, twos) in facts["views"]:
        beside.setdefault((sends, is_sent), {}).setdefault(ones[-1], set()).add(twos[-1])
        beside.setdefault((is_sent, sends), {}).setdefault(twos[-1], set()).add(ones[-1])
    together: dict[str, list[Pair]] = {}
    for pair, states in sorted(beside.items()):
        together.setdefault(_sentence(states, state_names), []).append(pair)
    return [f"A neighbour that {senders(pairs, messages)} is {words}." for words, pairs in together.items()]


def _sentence(states: Mapping[int, set[int]], state_names: Sequence[str]) -> str:
    everything = set[int]().union(*states.values())
    told: dict[str, list[int]] = {}
    for state, others in sorted(states.items()):
        some = "" if others == everything else f" beside {names((state_names[s] for s in sorted(others)), 'or')}"
        told.setdefault(some, []).append(state)
    words = [f"in {names((state_names[s] for s in several), 'or')}{beside}" for beside, several in told.items()]
    return listed(words, "or")
