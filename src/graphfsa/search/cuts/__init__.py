"""Search for thresholds: which numbers of nodes must be told apart, so that an automaton can give every label.

``conflicts`` finds two nodes with different labels that look the same; ``clauses`` says which thresholds would tell
them apart, and finds the fewest that satisfy all such clauses; ``search`` goes from one to the other; ``merging`` takes
cells together and makes small trees; ``widening`` finds all thresholds that are as good.
"""
