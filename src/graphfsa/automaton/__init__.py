"""Automata: the frozen GraphFSA, StochasticFSA whose nodes flip coins, their files and a library of named ones."""

from graphfsa.automaton import library
from graphfsa.automaton.fsa import GraphFSA
from graphfsa.automaton.stochastic import StochasticFSA

__all__ = ["GraphFSA", "StochasticFSA", "library"]
