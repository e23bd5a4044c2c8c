"""Pictures, animations and pages: what others computed, drawn. Every name below is for users."""

from __future__ import annotations

from graphfsa.views import report
from graphfsa.views.colours import parse_colours, state_colours
from graphfsa.views.diagrams import Diagram, diagram
from graphfsa.views.ensembles import draw_ensemble
from graphfsa.views.entries import draw_coverage, draw_soft
from graphfsa.views.figures import save_figure
from graphfsa.views.graphs import draw_examples
from graphfsa.views.learning import draw_accuracy, draw_history, draw_stability
from graphfsa.views.model_page import write_model_page
from graphfsa.views.notebooks import rollout_html, trajectory_html
from graphfsa.views.paper_figures import reproduce_figures
from graphfsa.views.report import Section, write_report
from graphfsa.views.results import draw_table, draw_trainings
from graphfsa.views.results_page import write_results
from graphfsa.views.rollouts import Rollout, rollout, wrong_rollout
from graphfsa.views.tables import compact_table

__all__ = [
    "Diagram",
    "Rollout",
    "Section",
    "compact_table",
    "diagram",
    "draw_accuracy",
    "draw_coverage",
    "draw_ensemble",
    "draw_examples",
    "draw_history",
    "draw_soft",
    "draw_stability",
    "draw_table",
    "draw_trainings",
    "parse_colours",
    "report",
    "reproduce_figures",
    "rollout",
    "rollout_html",
    "save_figure",
    "state_colours",
    "trajectory_html",
    "write_model_page",
    "write_report",
    "write_results",
    "wrong_rollout",
]
