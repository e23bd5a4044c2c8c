"""The first runs of small graphs in a process are made in NumPy; the tests of this room are about compiled kernels."""

from graphfsa.engine._starting import never_start

never_start()
