"""Python behind the page: a server for one person on one machine, which learns, proves and compares as the page asks.

``guards`` says who may ask, ``asking`` what, and ``routes`` where; ``jobs`` lets one job after the other run in a
process of its own, and ``work`` is what that process does: it calls public functions, and computes nothing new.
"""
