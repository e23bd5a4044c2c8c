"""Benchmarks, run as ``python -m benchmarks NAME``: every public module measures one part of the package."""
