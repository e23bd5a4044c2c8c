"""graphfsa grab generate with every choice."""

import json

import pytest

from graphfsa.datasets import grab, load_data
from graphfsa.engine.reference import reference_run


def test_the_command_makes_what_a_plain_interpreter_makes(cli, tmp_path):
    options = ["--family", "grid", "--aggregation", "positional", "--states", 5, "--sizes", "9,16", "--count", 40,
               "--validation-count", 10, "--test-sizes", 25, "--test-count", 4, "--test-steps", 12,
               "--test-keep", 50]  # fmt: skip
    told = cli("grab", "generate", *options, "--out", tmp_path / "d", "--json").json
    assert told["graphs"] == {"train": 40, "validation": 10, "ood": 100, "n=25": 4}
    stored = load_data(tmp_path / "d")
    truth = stored.truth
    assert truth.num_values == 6**4
    for name in stored.names:
        examples = stored.split(name)
        for example in list(examples)[:10]:
            starts = [truth.index(word) for word in example.input_names]
            last = reference_run(truth, example.graph, starts, example.steps)[-1]
            words = [truth.state_names[state] for state in last]
            assert [w if w in ("f0", "f1") else None for w in words] == example.label_names
    assert sorted(set(stored.split("train").sizes.tolist())) == [9, 16]
    assert stored.split("n=25").steps.tolist() == [12] * 4
    assert stored.split("n=25").mask.mean() >= 0.5
    again = grab(family="grid", aggregation="positional", num_states=5, sizes=(9, 16), count=40, validation_count=10,
                 test_sizes=25, test_count=4, test_steps=12, test_keep=50)  # fmt: skip
    assert again.digest == told["digest"] == json.loads((tmp_path / "d" / "manifest.json").read_text())["digest"]


@pytest.mark.parametrize(
    ("options", "choices"),
    [
        (
            ["--family", "erdos-renyi:p=0.3", "--states", 6, "--starting", 3, "--final", 2, "--truth", "sparse",
             "--sizes", "5..7", "--steps", 12, "--keep", 60, "--bound", 2, "--test-sizes", "none", "--seed", 4],
            {"family": "erdos-renyi:p=0.3", "num_states": 6, "num_starting": 3, "num_final": 2, "truth": "sparse",
             "sizes": (5, 6, 7), "steps": 12, "keep": 60, "bound": 2, "test_sizes": (), "seed": 4},
        ),
        (
            ["paper-2", "--aggregation", "average-threshold", "--thresholds", "0.25,0.5", "--ood-family", "none",
             "--count", 50, "--keep", 50, "--test-sizes", "10,12", "--test-count", "3,4"],
            {"config": "paper-2", "aggregation": "average-threshold", "thresholds": (0.25, 0.5), "ood_family": "none",
             "count": 50, "keep": 50, "test_sizes": (10, 12), "test_count": (3, 4)},
        ),
        (
            ["path", "--aggregation", "letters", "--letters", 3, "--truth-seed", 5, "--keep", 20, "--test-keep", 20,
             "--ood-count", 7, "--validation-count", 8],
            {"config": "path", "aggregation": "letters", "letters": 3, "truth_seed": 5, "keep": 20, "test_keep": 20,
             "ood_count": 7, "validation_count": 8},
        ),
    ],
)  # fmt: skip
def test_the_command_and_the_function_agree(cli, tmp_path, options, choices):
    told = cli("grab", "generate", *options, "--out", tmp_path / "d", "--json").json
    data = grab(**choices)
    assert told["digest"] == data.digest
    assert (tmp_path / "d" / "README.md").read_text() == data.card()
