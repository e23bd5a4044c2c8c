"""Proofs that an automaton is right on graphs of every size, and their checkers."""
