"""Evaluation: experiments as data, a runner that can be interrupted, statistics, tables beside published ones."""

from __future__ import annotations

from graphfsa.evaluation.experiment import Experiment
from graphfsa.evaluation.exports import as_csv, latex
from graphfsa.evaluation.files import experiment_names, find_experiment
from graphfsa.evaluation.jobs import Job
from graphfsa.evaluation.parts import Block, Candidate, Data, Group, PublishedTable, QuickRun, Test, Train
from graphfsa.evaluation.published import Published, published, published_tables
from graphfsa.evaluation.rendering import markdown
from graphfsa.evaluation.reporting import report
from graphfsa.evaluation.reproduce import CheckedJob, Interrupted, check_results, reproduce, write_results
from graphfsa.evaluation.results import Results
from graphfsa.evaluation.runner import planned, run_experiments
from graphfsa.evaluation.scoring import Evaluation, Row, evaluate
from graphfsa.evaluation.statistics import PairedTest, Reproduction, Summary, paired_test, reproduction, summary
from graphfsa.evaluation.tables import Table, make_tables
from graphfsa.evaluation.warming import Warmed, warm_up

__all__ = [
    "Block",
    "Candidate",
    "CheckedJob",
    "Data",
    "Evaluation",
    "Experiment",
    "Group",
    "Interrupted",
    "Job",
    "PairedTest",
    "Published",
    "PublishedTable",
    "QuickRun",
    "Reproduction",
    "Results",
    "Row",
    "Summary",
    "Table",
    "Test",
    "Train",
    "Warmed",
    "as_csv",
    "check_results",
    "evaluate",
    "experiment_names",
    "find_experiment",
    "latex",
    "make_tables",
    "markdown",
    "paired_test",
    "planned",
    "published",
    "published_tables",
    "report",
    "reproduce",
    "reproduction",
    "run_experiments",
    "summary",
    "warm_up",
    "write_results",
]
