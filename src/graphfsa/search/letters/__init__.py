"""The search for automata that see sums of letters: the table, the letters and the starting states, found together.

A solver that knows nothing of graphs proposes them. Roll-outs find wrong nodes; each is explained by the unknowns in
its light cone, which become a clause; and the solver proposes again. ``climb`` is the entrance.
"""
