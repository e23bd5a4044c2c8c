"""Rules from text: the header, then lines such as ``node -> odd if some neighbour is even``."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

from graphfsa.aggregations import Aggregation, Features, aggregation_from_config
from graphfsa.automaton.base import check_state_names, check_table_size
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.rules._guard_parser import GuardReader
from graphfsa.automaton.rules._guards import Rule
from graphfsa.automaton.rules._line import Line, Sets
from graphfsa.automaton.rules._names import KEYWORDS
from graphfsa.automaton.rules._rules import Rules
from graphfsa.automaton.rules._sum_notation import SUMS, read_sums
from graphfsa.automaton.stochastic import ONE, StochasticFSA, weight_of
from graphfsa.checks import shown
from graphfsa.errors import AutomatonError, FormatError, GraphFSAError, LimitError

MAX_WORK = 2**33
"""Rules times values up to which rules are read."""
_HEADER = re.compile(r"\s*(states|starting\s+states|final\s+states|aggregation)\s*:")


_SET = re.compile(r"\s*(@[\w-]+)\s*:")
_PROBABILITY = re.compile(r"[0-9]*\.?[0-9]+(e-?[0-9]{1,3})?")
_SUMS = re.compile(r"(count|highest)\s|no sums$")


def parse_rules(text: str, source: str = "rules") -> Rules:
    """Read rules; the inverse of ``Rules.text``.

    Args:
        text: The header and the rules.
        source: Where the text came from, for error messages.

    Raises:
        FormatError: The text is malformed; the message names the line and what was expected.
    """
    reader = _Reader(source)
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            reader.read(line, f"{source}: line {number}")
    return reader.rules()


def automaton_from_rules(text: str, source: str = "rules") -> GraphFSA:
    """The automaton that rules in text form describe."""
    found = any_automaton_from_rules(text, source)
    if not isinstance(found, GraphFSA):
        raise FormatError(f"{source}: these rules have probabilities; use StochasticFSA.from_rules")
    return found


def stochastic_from_rules(text: str, source: str = "rules") -> StochasticFSA:
    """The automaton that moves at random as rules in text form describe."""
    found = any_automaton_from_rules(text, source)
    return StochasticFSA.of(found) if isinstance(found, GraphFSA) else found


def any_automaton_from_rules(text: str, source: str = "rules") -> GraphFSA | StochasticFSA:
    """The automaton that rules describe; one that moves at random if some rule has a probability."""
    if not isinstance(text, str):
        raise AutomatonError(f"rules must be a string; got {type(text).__name__}")
    try:
        return parse_rules(text, source).automaton()
    except FormatError:
        raise
    except AutomatonError as error:
        raise FormatError(f"{source}: {error}") from None


class _Reader:
    """What was read so far."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.header: dict[str, Any] = {}
        self.sets: dict[str, tuple[int, ...]] = {}
        self.lists: list[list[Rule]] = []
        self.lasts: dict[int, str] = {}
        self.outcomes: dict[tuple[int, ...], int] = {}
        self.random = False

    def read(self, text: str, where: str) -> None:
        """Read a line that is neither empty nor a comment."""
        head = _HEADER.match(text)
        named = _SET.match(text)
        if named is not None:
            self._read_set(named[1], text[named.end() :], where)
            return
        if head is None:
            self._read_rule(Line(text, where))
            return
        field = " ".join(head[1].split())
        if field in self.header:
            raise FormatError(f"{where}: '{field}:' must be given once")
        if self.lists:
            raise FormatError(f"{where}: '{field}:' must come before the rules")
        if field == "aggregation":
            self.header[field] = _Aggregation(text[head.end() :].strip(), where)
        else:
            self.header[field] = _names(Line(text[head.end() :], where))

    def _read_set(self, name: str, text: str, where: str) -> None:
        """Read which states a set has."""
        if name in self.sets:
            raise FormatError(f"{where}: '{name}:' must be given once")
        if self.lists:
            raise FormatError(f"{where}: '{name}:' must come before the rules")
        members = _names(Line(text, where))
        unknown = next((member for member in members if member not in self.names), None)
        if unknown is not None or not members:
            got = "nothing" if unknown is None else shown(unknown)
            raise FormatError(f"{where}: the members of a set must be states, at least one; got {got}")
        places = {state: place for place, state in enumerate(self.names)}
        self.sets[name] = tuple(sorted({places[member] for member in members}))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the states."""
        if "states" not in self.header:
            raise FormatError(f"{self.source}: a line 'states: NAME, NAME, ...' must come before the rules")
        return check_state_names(self.header["states"])

    @cached_property
    def aggregation(self) -> Aggregation:
        """How a node sees its neighbours."""
        if "aggregation" not in self.header:
            raise FormatError(
                f"{self.source}: a line such as 'aggregation: counting bound=1' must come before the rules"
            )
        return self.header["aggregation"].over(self.names, self.sets)

    @cached_property
    def features(self) -> Features:
        """What guards are about; nothing is allocated for a table that would be too large."""
        check_table_size(self.aggregation, len(self.names))
        return self.aggregation.features(self.names)

    def _read_rule(self, line: Line) -> None:
        guards = GuardReader(line, self.names, self.features, self.sets)
        state = guards.state()
        if not self.lists:
            self.lists = [[] for _ in self.names]
        own = shown(self.names[state])
        if state in self.lasts:
            raise line.error(f"{own} must have no rule after its last one, in {self.lasts[state]}")
        successor = self._outcome(line, guards, state)
        guard = guards.guard() if line.skip("if") else ()
        if not guard:
            line.skip("otherwise")
            self.lasts[state] = line.where.rpartition(": ")[2]
        if not line.ended:
            raise line.expected("'and' or the end of the line" if guard else "'if', 'otherwise' or the end of the line")
        self.lists[state].append(Rule(guard, successor))

    def _outcome(self, line: Line, guards: GuardReader, state: int) -> int:
        """The place of where a rule leads: ``stays``, a state, or states with probabilities."""
        weights = [0] * len(self.names)
        if line.need("->", "stays") == "stays":
            weights[state] = ONE
        else:
            successor = guards.state()
            if line.is_next("with"):
                self.random = True
                weights[successor] = self._weight(line)
                while line.skip(","):
                    successor = guards.state()
                    if weights[successor]:
                        raise line.error(f"{shown(self.names[successor])} must have one probability")
                    weights[successor] = self._weight(line)
                if sum(weights) > ONE:
                    raise line.error(f"probabilities must sum to at most 1; got {sum(weights) / ONE:g}")
                weights[state] += ONE - sum(weights)
            else:
                weights[successor] = ONE
        return self.outcomes.setdefault(tuple(weights), len(self.outcomes))

    def _weight(self, line: Line) -> int:
        line.need("with")
        line.need("probability")
        token = line.take("a probability")
        if token.quoted or not _PROBABILITY.fullmatch(token.text) or not 0 < float(token.text) <= 1:
            raise line.error(f"a probability must be a number above 0 and at most 1; got {shown(token.text)}")
        return weight_of(float(token.text))

    def rules(self) -> Rules:
        """Everything, once all lines were read."""
        names, aggregation = self.names, self.aggregation
        for state, name in enumerate(names):
            if state not in self.lasts:
                raise FormatError(f"{self.source}: {shown(name)} must have a last rule without 'if'; it has none")
        num_values = check_table_size(aggregation, len(names))
        if sum(map(len, self.lists)) * num_values > MAX_WORK:
            raise LimitError(f"{self.source}: rules times values must be at most {MAX_WORK:,}")
        starting = _indices(self.header.get("starting states", names), names, self.source)
        final = _indices(self.header.get("final states", []), names, self.source)
        outcomes = tuple(self.outcomes)
        if self.random:
            return Rules(names, aggregation, tuple(map(tuple, self.lists)), starting, final, outcomes)
        sure = [weights.index(ONE) for weights in outcomes]
        lists = tuple(tuple(replace(rule, successor=sure[rule.successor]) for rule in rules) for rules in self.lists)
        return Rules(names, aggregation, lists, starting, final)


def _names(line: Line) -> list[str]:
    names: list[str] = []
    while not line.ended:
        if names:
            line.need(",")
        token = line.take("the name of a state")
        if not token.quoted and token.text in KEYWORDS:
            raise line.error(f"the word {token.text!r} is a name only in quotes")
        names.append(token.text)
    return names


def _indices(states: list[str] | tuple[str, ...], names: tuple[str, ...], source: str) -> tuple[int, ...]:
    for state in states:
        if state not in names:
            raise FormatError(f"{source}: starting and final states must be among the states; got {shown(state)}")
    if len(set(states)) != len(states):
        raise FormatError(f"{source}: starting and final states must not repeat a state")
    return tuple(sorted(names.index(state) for state in states))


class _Aggregation:
    """What the header says about the aggregation; sums in words name states, which may come later.

    Args:
        text: The name, options as key=JSON, and sums in words.
        where: Its source and line, for error messages.
    """

    def __init__(self, text: str, where: str) -> None:
        self._where = where
        name, *rest = text.split(maxsplit=1)[:2] or [""]
        self._config: dict[str, Any] = {}
        self._words = rest[0] if rest else ""
        try:
            while self._words and not _SUMS.match(self._words):
                key = re.match(r"(\w+)=", self._words)
                if key is None or key[1] in self._config or key[1] == "name":
                    raise ValueError
                value, end = json.JSONDecoder().raw_decode(self._words, key.end())
                self._config[key[1]] = value
                self._words = self._words[end:].lstrip()
        except (ValueError, RecursionError):
            raise FormatError(
                f"{where}: an aggregation has a name and options as key=JSON, such as 'counting bound=2'; "
                f"got {shown(text)}"
            ) from None
        self._config["name"] = name
        if not self._words:
            self.over((), {})

    def over(self, names: tuple[str, ...], sets: Sets) -> Aggregation:
        """The aggregation, for states with these names, some sets of which have names."""
        config = self._config
        try:
            if self._words:
                config = config | {SUMS: [asdict(part) for part in read_sums(self._words, self._where, names, sets)]}
            return aggregation_from_config(config)
        except FormatError as error:
            raise error if str(error).startswith(self._where) else FormatError(f"{self._where}: {error}") from None
        except GraphFSAError as error:
            raise FormatError(f"{self._where}: {error}") from None
