"""Data: the tasks of the paper, GRAB, and the user's own labelled graphs.

Every public module is one data set, found by its file name.
"""

from __future__ import annotations

from graphfsa.datasets._base import (
    Dataset,
    Specification,
    Split,
    as_dataset,
    check_size,
    check_steps,
    dataset_class,
    dataset_names,
)
from graphfsa.datasets._cellular import BoardDataset
from graphfsa.datasets._convert import (
    as_examples,
    as_feature_examples,
    as_labelled,
    from_networkx_graphs,
    from_pyg_data,
    to_networkx_graphs,
    to_pyg_data,
)
from graphfsa.datasets._custom import CustomTask
from graphfsa.datasets._describe import describe_data, export_data
from graphfsa.datasets._discretiser import ONE_INPUT, Cut, Discretiser, Tree, check_features, node_features
from graphfsa.datasets._drawing import DRAWING, divided, draw, draw_split, draw_training, zone_of
from graphfsa.datasets._evolution_specification import EvolutionSpecification, EvolutionTable
from graphfsa.datasets._examples import Example, Examples, Score, entry_counts, visited
from graphfsa.datasets._features import DiscretisedDataset, FeatureDataset, FeatureExamples
from graphfsa.datasets._grab_benchmark import GrabData, describe_grab, generate_grab, grab, grab_facts
from graphfsa.datasets._grab_config import GrabConfig, Part, grab_config, grab_config_names
from graphfsa.datasets._hygiene import (
    Contradiction,
    Contradictions,
    contradictions,
    deduplicate,
    overlap,
    without_overlap,
)
from graphfsa.datasets._jsonl import UserData, read_jsonl, write_jsonl
from graphfsa.datasets._lines import Lines, examples_from, lines_of, parse_line
from graphfsa.datasets._node_values import YOUR_DATA, scalars_of
from graphfsa.datasets._oracle import OracleTask, find_oracle, oracle_task
from graphfsa.datasets._rooted import RootedSpecification
from graphfsa.datasets._specification import SpecificationTable, TreeSpecification
from graphfsa.datasets._storage import StoredData, load_data, save_data
from graphfsa.datasets._task import Reading, Task
from graphfsa.datasets._task_graph import TaskGraph
from graphfsa.datasets._tensors import TensorGraphs, load_pyg, load_torch
from graphfsa.datasets._traces import from_traces
from graphfsa.datasets._training import TrainingData, is_task, training_data
from graphfsa.datasets._wave_specification import WaveSpecification, WaveTable
from graphfsa.datasets.brians_brain import BriansBrain
from graphfsa.datasets.distance import Distance
from graphfsa.datasets.elementary import Elementary
from graphfsa.datasets.grab import Grab
from graphfsa.datasets.hex_life import HexLife
from graphfsa.datasets.life import Life
from graphfsa.datasets.maze_pixels import MazePixels
from graphfsa.datasets.mid_point import MidPoint
from graphfsa.datasets.noisy_distance import NoisyDistance
from graphfsa.datasets.path_finding import PathFinding
from graphfsa.datasets.prefix_sum import PrefixSum
from graphfsa.datasets.root_value import RootValue
from graphfsa.datasets.threshold_contagion import ThresholdContagion
from graphfsa.datasets.voronoi import Voronoi
from graphfsa.datasets.wireworld import WireWorld

__all__ = [
    "DRAWING",
    "ONE_INPUT",
    "YOUR_DATA",
    "BoardDataset",
    "BriansBrain",
    "Contradiction",
    "Contradictions",
    "CustomTask",
    "Cut",
    "Dataset",
    "DiscretisedDataset",
    "Discretiser",
    "Distance",
    "Elementary",
    "EvolutionSpecification",
    "EvolutionTable",
    "Example",
    "Examples",
    "FeatureDataset",
    "FeatureExamples",
    "Grab",
    "GrabConfig",
    "GrabData",
    "HexLife",
    "Life",
    "Lines",
    "MazePixels",
    "MidPoint",
    "NoisyDistance",
    "OracleTask",
    "Part",
    "PathFinding",
    "PrefixSum",
    "Reading",
    "RootValue",
    "RootedSpecification",
    "Score",
    "Specification",
    "SpecificationTable",
    "Split",
    "StoredData",
    "Task",
    "TaskGraph",
    "TensorGraphs",
    "ThresholdContagion",
    "TrainingData",
    "Tree",
    "TreeSpecification",
    "UserData",
    "Voronoi",
    "WaveSpecification",
    "WaveTable",
    "WireWorld",
    "as_dataset",
    "as_examples",
    "as_feature_examples",
    "as_labelled",
    "check_features",
    "check_size",
    "check_steps",
    "contradictions",
    "dataset_class",
    "dataset_names",
    "deduplicate",
    "describe_data",
    "describe_grab",
    "divided",
    "draw",
    "draw_split",
    "draw_training",
    "entry_counts",
    "examples_from",
    "export_data",
    "find_oracle",
    "from_networkx_graphs",
    "from_pyg_data",
    "from_traces",
    "generate_grab",
    "grab",
    "grab_config",
    "grab_config_names",
    "grab_facts",
    "is_task",
    "lines_of",
    "load_data",
    "load_pyg",
    "load_torch",
    "node_features",
    "oracle_task",
    "overlap",
    "parse_line",
    "read_jsonl",
    "save_data",
    "scalars_of",
    "to_networkx_graphs",
    "to_pyg_data",
    "training_data",
    "visited",
    "without_overlap",
    "write_jsonl",
    "zone_of",
]
