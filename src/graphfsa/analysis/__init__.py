"""What an automaton does and what data say about it: coverage, equivalence, minimisation, verification."""
