"""The playground: a page on which automata are painted, changed, run and shared. Every name below is for users."""

from graphfsa.playground.playing import Playground, play

__all__ = ["Playground", "play"]
