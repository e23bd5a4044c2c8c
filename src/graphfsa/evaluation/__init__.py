"""Evaluation: experiments as data, a runner that can be interrupted, statistics, tables beside published ones."""

from __future__ import annotations

from graphfsa.evaluation.checking import Checked, check_results
from graphfsa.evaluation.experiment import Experiment, Job
from graphfsa.evaluation.files import experiment_names, find_experiment
from graphfsa.evaluation.metrics import Score, score
from graphfsa.evaluation.published import Published, published, published_tables
from graphfsa.evaluation.records import Results
from graphfsa.evaluation.rendering import as_csv, latex, markdown
from graphfsa.evaluation.runner import planned, run_experiments
from graphfsa.evaluation.statistics import Comparison, Summary, compare, summary
from graphfsa.evaluation.tables import Table, make_table

__all__ = [
    "Checked",
    "Comparison",
    "Experiment",
    "Job",
    "Published",
    "Results",
    "Score",
    "Summary",
    "Table",
    "as_csv",
    "check_results",
    "compare",
    "experiment_names",
    "find_experiment",
    "latex",
    "make_table",
    "markdown",
    "planned",
    "published",
    "published_tables",
    "run_experiments",
    "score",
    "summary",
]
