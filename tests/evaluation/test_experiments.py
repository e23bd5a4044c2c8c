"""Experiments are data: those of the paper are complete, and a wrong file is refused with its reason."""

import tomllib
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from small_experiments import tiny

import graphfsa.evaluation as evaluation
from graphfsa.datasets import as_dataset
from graphfsa.errors import FormatError, UnknownNameError
from graphfsa.evaluation import (
    experiment_names,
    find_experiment,
    make_tables,
    planned,
    published,
    published_tables,
)
from graphfsa.learners import learner_names

PAPER = Path(evaluation.__file__).parent / "paper"


@pytest.mark.parametrize("name", experiment_names())
def test_every_file_of_the_paper_can_be_read(name):
    experiment = find_experiment(name)
    assert experiment.name == name
    assert any(entry.focus for entry in experiment.learners)
    learners = {entry.learner for entry in experiment.learners}
    assert learners == {"diff-fsa", "exact", "gnca", "recurrent-gnn", "majority", "stay"} <= set(learner_names())


def test_every_published_cell_is_measured():
    covered = {}
    for name in experiment_names():
        experiment = find_experiment(name)
        if (paper := experiment.published) is not None:
            assert (paper.table, paper.experiment) not in covered
            assert any(block.is_paper for block in experiment.blocks)
            (table, *others) = make_tables(experiment, {})
            covered[paper.table, paper.experiment] = list(table.published.values())
            assert not any(other.published for other in others)
    assert set(covered) == set(published_tables())
    assert sum(len(published(*table)) for table in published_tables()) == 240
    for table, cells in covered.items():  # A model without a number of states stands in all groups.
        assert {id(cell) for cell in published(*table).values()} == {id(cell) for cell in cells}


def test_all_tables_have_blocks_and_floors_in_each():
    for name in experiment_names():
        experiment = find_experiment(name)
        splits = [block.split for block in experiment.blocks]
        boards = name in ("life", "hex-life", "hex-life-torus", "wireworld")
        assert splits[:2] == (["train"] if boards else ["train", "learn"])
        assert ("covering" in splits) == name.startswith("grab")
        for block in experiment.blocks:
            columns = [each for each in experiment.learners if each.is_in(block) and not each.longer_than]
            assert [each.learner for each in columns if each.floor] == ["majority", "stay"]
            assert columns == [each for each in experiment.learners if not each.longer_than]


def test_a_learner_is_listed_once_and_trained_once_for_each_block_and_group():
    experiment = find_experiment("grab")
    found = {}
    for place, job in experiment.jobs(0):
        found.setdefault((place.block.split, place.learner.column), []).append(job)
    assert [job.options["states"] for job in found["learn", "exact learner"]] == [4, 5, 6]
    assert {job.train.split for job in found["covering", "exact learner"]} == {"covering"}
    assert len({job.id for job in found["train", "GNCA"]}) == 1
    assert ("learn", "GNCA, 3 x the training") not in found
    assert [place.block.split for place, _ in experiment.jobs(7)] == ["train"] * len(list(experiment.jobs(7)))


def test_longer_trainings_do_not_end_early():
    tables = [find_experiment(name) for name in experiment_names()]
    assert {table.name for table in tables if any(each.longer_than for each in table.learners)} >= {"distance", "grab"}
    for name in experiment_names():
        experiment = find_experiment(name)
        options = {each.column: each.options for each in experiment.learners}
        for each in experiment.learners:
            if each.longer_than:
                base, own = options[each.longer_than], each.options
                assert own["epochs"] == each.times * base["epochs"]
                assert own["preset"] == base["preset"] == "paper"  # It ends by nothing else.


def test_what_a_column_knows_is_in_its_head(tmp_path):
    heads = {column.name: column.head for column in make_tables(find_experiment("grab"), {})[0].columns}
    assert heads["exact learner"] == "exact learner (states and bound given)"
    assert heads["GNCA"] == "GNCA"
    path = tmp_path / "mine.toml"
    path.write_text(
        'extends = "path-finding"\ntitle = "x"\n'
        'learners = [{ column = "a", learner = "exact", focus = true, data = { colours = 2 } }]\n'
    )
    mine = find_experiment(str(path))
    (job,) = [job for _, job in mine.jobs(9)]
    assert job.data.options == {"colours": 2}
    assert make_tables(mine, {})[0].columns[-1].head == "a (colours = 2)"


def test_rows_of_more_rules_tell_learners_apart():
    experiment = find_experiment("elementary-rules")
    assert {group.data["rule"] for group in experiment.groups} == {30, 54, 90, 110, 150, 184}
    for group in experiment.groups:
        dataset = as_dataset("elementary", group.data)
        first = dataset.generate(64, 50, np.random.default_rng(0), steps=1)
        for test in experiment.tests:
            after = dataset.examples(first.graphs, first.inputs, steps=test.steps)
            assert 0.2 < after.labels.mean() < 0.8
            assert (after.labels == first.inputs).mean() < 0.95


def test_the_curves_of_the_paper_are_there():
    for name in ("hex-life", "life", "wireworld"):
        assert [test.name for test in find_experiment(name).tests][:5] == ["t=1", "t=2", "t=3", "t=4", "t=5"]


@pytest.mark.parametrize(("steps", "best"), [(1, 0.75), (2, 0.79375)])
def test_what_can_be_known_about_rule_42_without_telling_left_from_right(steps, best):
    """The number in the notes: the best answer for each neighbourhood up to its mirror image, over all rows of 10."""
    rows = np.array(list(product((0, 1), repeat=10)), np.uint8)
    after = rows
    for _ in range(steps):
        left, right = np.pad(after, ((0, 0), (1, 0)))[:, :-1], np.pad(after, ((0, 0), (0, 1)))[:, 1:]
        after = (42 >> (4 * left + 2 * after + right)) & 1
    labels = {}
    for row, end in zip(rows.tolist(), after.tolist(), strict=True):
        seen = row
        for _ in range(steps):
            seen = [
                (seen[k], tuple(sorted(map(str, seen[max(0, k - 1) : k] + seen[k + 1 : k + 2])))) for k in range(10)
            ]
        for view, label in zip(seen, end, strict=True):
            labels.setdefault(view, [0, 0])[label] += 1
    assert sum(map(max, labels.values())) / rows.size == best


def test_tables_share_the_jobs_that_are_the_same():
    one, both = ({name: find_experiment(name) for name in names} for names in (["grab-1"], ["grab", "grab-1"]))
    assert planned(one, 3, quick=False).keys() == planned(both, 3, quick=False).keys()
    other = planned({"grab-2": find_experiment("grab-2")}, 3, quick=False)
    assert not planned(one, 3, quick=False).keys() & other.keys()


def test_seeds_come_first_and_quick_runs_are_other_jobs():
    experiments = {name: find_experiment(name) for name in ("distance", "life")}
    seeds = [job.config["seed"] for job in planned(experiments, 3, quick=False).values()]
    assert seeds == sorted(seeds)
    assert not planned(experiments, 3, quick=False).keys() & planned(experiments, 3, quick=True).keys()
    assert any(place.learner.longer_than for place, _ in experiments["distance"].jobs(0))
    for experiment in experiments.values():  # Three times the training of a quick run would say nothing.
        assert not any(place.learner.longer_than for place, _ in experiment.jobs(0, quick=True))


def test_words_do_not_change_what_is_run(tmp_path):
    plain = find_experiment(tiny(tmp_path, "a"))
    path = tiny(tmp_path, "b")
    text = (
        Path(path).read_text().replace("Nothing is learned.", "Not a thing.").replace('"stay"\nfocus', '"still"\nfocus')
    )
    Path(path).write_text(text)
    renamed = find_experiment(path)
    assert renamed.digest == plain.digest
    assert [e.column for e in renamed.learners] == ["majority", "still"]
    assert find_experiment(tiny(tmp_path, "c", steps=31)).digest != plain.digest


def test_an_unknown_table_lists_the_valid_ones():
    with pytest.raises(UnknownNameError, match=r"unknown table 'prefixsum' \(did you mean 'prefix-sum'\?\).*all"):
        find_experiment("prefixsum")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[data]", "[dta]", "unknown field 'dta'; valid fields: about, blocks, data, extends"),
        ('dataset = "root-value"', "", "either a dataset or a configuration of grab"),
        ("count = 8", "count = 0", "must have at least one graph; got 0"),
        ("count = 8", "count = -1", "test 1: field 'count' must be an integer >= 0; got -1"),
        ("count = 8", "count = true", "test 1: field 'count' must be an integer >= 0; got True"),
        ("size = 10", 'size = "10"', "test 1: field 'size' must be an integer >= 0; got '10'"),
        ('learner = "stay"', 'learner = "sty"', r"learner 2: unknown learner 'sty'"),
        (
            'learner = "stay"',
            'learner = "stay"\noptions = { speed = 3 }',
            "learner 2: the learner stay has no options; got 'speed'",
        ),
        ('learner = "stay"', 'learner = "exact"\noptions = { budget = 0 }', "learner 2: budget must be a number"),
        ('column = "stay"', 'column = "majority"', "different names; got 'majority' twice"),
        ('name = "n=20"', 'name = "n=10"', "different names; got 'n=10' twice"),
        ('title = "Floors"', "", "field 'title' is missing"),
        ('dataset = "root-value"', 'dataset = "sudoku"', "data: unknown data set 'sudoku'"),
        ('dataset = "root-value"', 'dataset = "elementary"\noptions = { rule = 256 }', "data: rule must be one of"),
        (
            'dataset = "root-value"',
            'dataset = "life"\noptions = { speed = 1 }',
            "data: unknown option of life 'speed'",
        ),
        ('dataset = "root-value"', 'grab = "paper-9"', "data: unknown GRAB configuration 'paper-9'"),
        ("[data]", '[[blocks]]\nsplit = "test"\n[data]', "split must be one of train, learn, alone, every; got 'test'"),
        ("[data]", '[[blocks]]\nsizes = ["a"]\n[data]', r"field 'sizes\[0\]' must be an integer"),
        (
            "[data]",
            "[[blocks]]\n[[blocks]]\n[data]",
            'blocks must have different names; got "the paper\'s graphs" twice',
        ),
        (
            "[data]",
            '[[groups]]\nname = "a"\noptions = { exact = {} }\n[data]',
            "a table for each learner, majority, stay",
        ),
        (
            "[data]",
            '[[groups]]\nname = "a"\ndata = { rule = 1 }\n[data]',
            "learner 1, group 'a': the data set root-value has no options",
        ),
        ('learner = "stay"', 'learner = "stay"\nblocks = ["learn"]', "blocks must be among train; got 'learn'"),
        ('learner = "stay"', 'learner = "stay"\nlonger_than = "x"\ntimes = 2', "longer_than must name another column"),
        ('learner = "stay"', 'learner = "stay"\nlonger_than = "majority"', "longer_than goes with times"),
        ('"tab:rootvalue-results"', '"tab:rootvalue-results"\nmargin = 0.0', "margin must be between 0 and 1; got 0.0"),
        ('title = "Floors"', 'title = "Floors', "not TOML"),
        ('title = "Floors"', 'extends = "floors"', "extends must name one of"),
    ],
)
def test_a_wrong_file_is_refused_with_its_reason(tmp_path, old, new, words):
    path = Path(tiny(tmp_path))
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FormatError, match=words):
        find_experiment(str(path))


def test_a_file_may_extend_one_of_the_paper(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('extends = "grab"\ntitle = "Stars"\n[data]\ngrab = "star"\n')
    mine = find_experiment(str(path))
    assert (mine.title, mine.data.grab, mine.tests) == ("Stars", "star", find_experiment("grab").tests)


def test_the_files_hold_no_other_keys():
    for path in PAPER.glob("*.toml"):
        assert tomllib.loads(path.read_text())["title"]


def test_tests_of_grab_are_named_after_its_splits(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('extends = "grab"\ntitle = "x"\n[[tests]]\nname = "n=11"\n')
    with pytest.raises(FormatError, match="named after its splits, validation, n=10, n=20, n=50, n=100; got 'n=11'"):
        find_experiment(str(path))


def test_names_that_would_overwrite_other_pages_are_refused(tmp_path):
    for name in ("README", ".hidden"):
        with pytest.raises(FormatError, match="the name of a table becomes the name of files"):
            find_experiment(tiny(tmp_path, name))


def test_values_that_files_of_results_cannot_hold_are_refused(tmp_path):
    path = Path(tiny(tmp_path))
    path.write_text("notes = [2026-01-01]\n" + path.read_text())
    with pytest.raises(FormatError, match="dates, times, inf and nan have no meaning here"):
        find_experiment(str(path))


def test_other_data_have_no_published_numbers(tmp_path):
    path = tmp_path / "other.toml"
    path.write_text('extends = "root-value"\n[data]\ndataset = "distance"\n')
    assert find_experiment(str(path)).published is None
    path.write_text('extends = "root-value"\ntitle = "Again"\n')
    assert find_experiment(str(path)).published == find_experiment("root-value").published
