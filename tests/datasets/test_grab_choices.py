"""Every choice of a benchmark, its data card, and its loaders for PyTorch."""

import numpy as np
import pytest

from graphfsa.datasets import (
    Examples,
    GrabConfig,
    Part,
    TensorGraphs,
    grab,
    grab_config,
    load_data,
    load_pyg,
    load_torch,
)
from graphfsa.engine import run
from graphfsa.errors import GraphFSAError

SMALL = {"count": 30, "validation_count": 10, "ood_count": 10, "test_sizes": (10,), "test_count": 5}


def test_the_paper_is_an_instance():
    config = grab_config("paper-2")
    assert isinstance(config, GrabConfig)
    assert config.grab.options() == {**grab_config("paper-1").grab.options(), "truth_seed": 1}
    assert config.parts["train"] == Part((6,), 1000, 10)
    assert config.parts["n=50"] == Part((50,), 100, 60, keep=70)
    assert config.with_choices({}) == config
    same = grab_config("tree").with_choices(
        {
            "truth_seed": 1,
            "sizes": 6,
            "count": 1000,
            "steps": 10,
            "test_sizes": (10, 20, 50, 100),
            "test_steps": (15, 25, 60, 110),
            "test_count": 100,
            "test_keep": 70,
            "ood_family": "erdos-renyi",
        }
    )
    assert same == config


def test_splits_are_as_chosen():
    parts = grab_config("tree").with_choices(
        {"sizes": (5, 7), "count": 21, "keep": 80, "validation_count": 0, "ood_family": "regular:degree=4",
         "ood_count": 8, "test_sizes": (12, 20), "test_count": (3, 4), "test_steps": (20, 30), "test_keep": 60}
    ).parts  # fmt: skip
    assert parts == {
        "train": Part((5, 7), 21, 10, 80),
        "ood": Part((5, 7), 8, 10, 80, "regular:degree=4"),
        "n=12": Part((12,), 3, 20, 60),
        "n=20": Part((20,), 4, 30, 60),
    }
    assert [part.steps for part in grab_config("tree").with_choices({"sizes": 16}).parts.values()] == [20] * 3 + [
        25,
        60,
        110,
    ]


def test_the_sizes_of_a_split_share_its_graphs():
    data = grab("paper-1", sizes=(6, 7, 8), steps=12, **SMALL)
    sizes = data.splits["train"].sizes
    assert np.unique(sizes, return_counts=True)[1].tolist() == [10, 10, 10]
    assert set(data.splits["train"].steps.tolist()) == {12}
    assert data.splits["train"].accuracy(data.truth) == 1.0


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"sizes": "6"}, "sizes must be an integer or a list of integers; got '6'"),
        ({"sizes": ()}, "at least one"),
        ({"sizes": (6, 6)}, "must be distinct"),
        ({"sizes": (0, 6)}, "the size of a graph must be an integer >= 1; got 0"),
        ({"count": 0}, "the number of graphs of a split must be an integer >= 1; got 0"),
        ({"sizes": (5, 6), "count": 1}, "must be an integer >= 2; got 1"),
        ({"steps": -1}, "steps must be an integer >= 0; got -1"),
        ({"test_keep": 101}, "keep must be an integer from 0 to 100; got 101"),
        ({"test_count": (1, 2)}, "test_count must be one number, or one for each of the 4 sizes; got 2"),
        ({"thresholds": (0.5,), "aggregation": "averages"}, "unknown aggregation of GRAB 'averages'"),
        ({"aggregation": "average-threshold", "thresholds": (1.5,)}, "threshold"),
        ({"aggregation": "letters", "letters": 5}, "letters must be an integer from 1 to 4; got 5"),
        ({"slots": 3}, "slots go with the aggregation positional; got counting"),
    ],
)
def test_choices_that_there_are_not(choices, words, tmp_path):
    with pytest.raises(GraphFSAError) as error:
        grab("paper-1", out=tmp_path / "d", **choices)
    assert words in str(error.value)
    assert not (tmp_path / "d").exists()


def test_a_data_card_is_written_beside_the_data(tmp_path):
    data = grab(family="erdos-renyi:p=0.4", num_states=5, truth="sparse", keep=70, out=tmp_path / "d", seed=3, **SMALL)
    card = (tmp_path / "d" / "README.md").read_text()
    assert card == data.card()
    facts = data.facts()
    for words in ("| family | erdos-renyi:p=0.4 |", "| num_states | 5 |", "| truth | sparse |", "| seed | 3 |"):
        assert words in card
    assert "thresholds" not in card
    for digest in (data.digest, data.truth.digest, *(split["digest"] for split in facts["splits"].values())):
        assert digest in card
    for name, examples in data.splits.items():
        [row] = [line for line in card.splitlines() if line.startswith(f"| {name} |")]
        masked = 1 - examples.mask.mean()
        assert f"| {len(examples):,} | {examples.graphs.graph.num_nodes:,} |" in row
        assert f"| {masked:.1%} |" in row
        counts = np.bincount(examples.labels[examples.mask], minlength=2)
        assert f"f0 {counts[0] / counts.sum():.0%}, f1 {counts[1] / counts.sum():.0%}" in row
    assert max(split["masked"] for split in facts["splits"].values()) > 0
    assert all(name in card for name in ("graphfsa 0", "python 3", "numpy "))
    assert len(card.splitlines()) < 80


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"aggregation": "positional", "slots": 3}, "who is in each of 3 slots"),
        ({"aggregation": "average-threshold", "thresholds": (0.25, 0.5)}, "which of the shares 0.25, 0.5"),
        ({"aggregation": "letters", "letters": 3, "bound": 2}, "each of 3 letters, counted to 2"),
        ({"bound": 2}, "how many neighbours are in it, counted to 2"),
    ],
)
def test_the_card_says_what_a_node_sees(choices, words):
    assert words in grab(family="tree", truth="sparse", truth_seed=2, keep=30, **choices, **SMALL).card()


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory):
    path = tmp_path_factory.mktemp("grab") / "d"
    choices = {**SMALL, "test_sizes": (), "sizes": (9, 12), "keep": 60}
    grab(family="grid", aggregation="positional", num_states=4, out=path, **choices)
    return path


def test_a_torch_data_set_in_one_line(benchmark):
    torch = pytest.importorskip("torch")
    data = load_torch(benchmark, "train")
    examples = load_data(benchmark).split("train")
    assert isinstance(data, TensorGraphs)
    assert len(data) == len(examples) == 30
    for given, example in zip(data, examples, strict=True):
        assert given["x"].tolist() == example.inputs.tolist()
        assert given["y"].tolist() == example.labels.tolist()
        assert given["mask"].tolist() == example.mask.tolist()
        assert int(given["steps"]) == example.steps
        assert given["slot"].tolist() == example.graph.slots.tolist()
        assert given["edge_index"].tolist() == [example.graph.indices.tolist(), example.graph.targets().tolist()]
    loader = torch.utils.data.DataLoader(data, batch_size=7, collate_fn=data.collate)
    batches = list(loader)
    assert len(batches) == 5
    union = examples.select(range(7))
    first = batches[0]
    assert first["batch"].tolist() == union.graphs.owners.tolist()
    assert first["y"].tolist() == union.labels.tolist()
    assert first["steps"].tolist() == union.steps.tolist()
    # Batched tensors are the same graphs: the truth answers the same on them.
    graph = load_data(benchmark).truth
    moved = run(graph, union.graphs.graph, first["x"].numpy() + 2, int(union.steps[0])).last
    assert (moved[union.mask] == union.labels[union.mask]).all()
    arcs = np.stack((union.graphs.graph.indices, union.graphs.graph.targets()))
    assert (first["edge_index"].numpy() == arcs).all()
    with pytest.raises(IndexError):
        data[30]


def test_a_list_of_pyg_data_in_one_line(benchmark):
    pytest.importorskip("torch_geometric")
    graphs = load_pyg(benchmark, "validation")
    examples = load_data(benchmark).split("validation")
    assert len(graphs) == 10
    for data, example in zip(graphs, examples, strict=True):
        assert data.y.tolist() == example.labels.tolist()
        assert data.mask.tolist() == example.mask.tolist()
        assert data.slot.tolist() == example.graph.slots.tolist()


def test_graphs_without_arcs_have_slots_of_their_own():
    pytest.importorskip("torch")
    data = grab(family="tree", aggregation="positional", sizes=(1, 3), keep=0, count=10, validation_count=0,
                ood_family="none", test_sizes=())  # fmt: skip
    graphs = TensorGraphs(data.splits["train"])
    assert {len(graph["slot"]) for graph in graphs} == {0, 4}
    assert TensorGraphs.collate(list(graphs))["slot"].shape == (20,)
    assert isinstance(graphs.examples, Examples)
