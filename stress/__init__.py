"""Campaigns with fresh randomness: fuzzing, soundness against brute force, and torture by signals and full disks.

``python -m stress fuzz --minutes 10``, ``python -m stress soundness --cases 10000``, ``python -m stress torture``.
"""
