"""Search for a table that gives every node its label: the core that the learners share.

A ``Problem`` is labelled graphs as flat arrays for automata of one shape. ``searches`` evaluates a table on it, assigns
entries lazily and anneals; ``sat`` hands it to a satisfiability solver; ``proof`` shows why nothing fits;
``completion`` fills in entries that no graph uses, and ``simplify`` makes a table that fits a simple one.
"""
