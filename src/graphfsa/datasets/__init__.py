"""Data: the tasks of the paper, GRAB, and the user's own labelled graphs."""
