"""Automata: the frozen GraphFSA, its files and a library of named ones."""

from graphfsa.automaton import library
from graphfsa.automaton.fsa import GraphFSA

__all__ = ["GraphFSA", "library"]
