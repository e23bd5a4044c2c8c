"""Learners: from labelled graphs to a model. Every public module is one learner, found by its name."""
