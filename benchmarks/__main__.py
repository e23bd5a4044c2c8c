"""Measure the package, in one run with the libraries one would use instead (those that are installed)."""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module

from benchmarks._report import print_report
from graphfsa.errors import GraphFSAError

NAMES = (
    "aggregations",
    "cluster",
    "committed",
    "continuous",
    "data",
    "engine",
    "explore",
    "large",
    "learn",
    "mutants",
    "oracle",
    "playground",
    "prove",
    "schedulers",
    "spreading",
    "start",
    "views",
    "waves",
)

_OPTIONS = {
    "learner": ("learn", "continuous"),
    "set": ("prove",),
    "only": ("prove",),
    "data_only": ("prove",),
    "out": ("prove", "mutants", "oracle", "large"),
    "arcs": ("cluster",),
}
"""The benchmarks that have an option of their own."""


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument("what", choices=NAMES, help="what to measure")
    parser.add_argument("--quick", action="store_true", help="small sizes, few repetitions: only to see that it works")
    parser.add_argument("--learner", help="with learn and continuous: which learner [default: exact]")
    parser.add_argument(
        "--set", choices=("tasks", "held-out", "algorithms"), help="with prove: which tasks [default: tasks]"
    )
    parser.add_argument("--only", metavar="NAME", help="with prove: one task of the set, by name or number")
    parser.add_argument(
        "--data-only", action="store_true", default=None, help="with prove: from the training graphs and nothing else"
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="with prove, mutants and oracle: where to keep the runs; what is there is not run again; with large: "
        "where to draw the figures",
    )
    parser.add_argument("--arcs", type=int, help="with cluster: arcs of the large graphs [default: 100,000,000]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random inputs [default: 0]")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    if given.seed < 0:
        parser.error(f"--seed must be at least 0; got {given.seed}")
    chosen = {name: value for name in _OPTIONS if (value := getattr(given, name)) is not None}
    for name in chosen:
        if given.what not in _OPTIONS[name]:
            parser.error(f"--{name.replace('_', '-')} goes with {', '.join(_OPTIONS[name])}")
    try:
        report = import_module(f"benchmarks.{given.what}").measure(quick=given.quick, seed=given.seed, **chosen)
    except GraphFSAError as error:
        parser.error(str(error))
    print(json.dumps(report)) if given.json else print_report(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
