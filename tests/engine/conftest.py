"""Runs of small graphs begin without the compiler if nothing has loaded it; here kernels are tested."""

import numba  # noqa: F401
