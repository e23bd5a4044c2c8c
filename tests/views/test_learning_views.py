"""Pictures of learning hold the numbers they were given, say what they leave out, and are the same each time."""

import numpy as np
import pytest

from graphfsa import (
    AverageThresholdAggregation,
    CountingAggregation,
    GraphFSA,
    LettersAggregation,
    PositionalAggregation,
    library,
)
from graphfsa.aggregations import Sum
from graphfsa.analysis.coverage import Coverage, coverage
from graphfsa.analysis.stability import Stability
from graphfsa.datasets import dataset_class
from graphfsa.errors import FormatError, StateError
from graphfsa.evaluation import Evaluation, Row
from graphfsa.learners.diff_fsa import SoftTable
from graphfsa.views import entries
from graphfsa.views._entry_grid import map_shape, value_columns
from graphfsa.views.colours import COLOURS_ON_WHITE
from graphfsa.views.entries import draw_coverage, draw_soft
from graphfsa.views.figures import short_label
from graphfsa.views.learning import draw_accuracy, draw_history, draw_stability
from graphfsa.views.results import draw_trainings

FEW = LettersAggregation((Sum("count", 2, (1, 1)), Sum("highest", 2, (0, 1, 2))))
MANY = LettersAggregation((Sum("count", 4, (1, 2)), Sum("highest", 3, (0, 1, 2, 3)), Sum("modulo", 5, (1,))))


def record(updates, states=4, bound=1, **others):
    numbers = {"loss": 1 / updates, "mean_loss": 2 / updates, "accuracy": 1 - 1 / updates, "entropy": 3 / updates}
    size = {"states": states, "aggregation": {"name": "counting", "bound": bound}}
    return {"updates": updates, **size, **numbers, "solved": updates // 40, **others}


def soft_table(aggregation, num_states, trained=None):
    values = aggregation.num_values(num_states)
    rng = np.random.default_rng(0)
    chances = rng.dirichlet(np.full(num_states, 0.3), size=(num_states, values)).astype(np.float32)
    names = tuple(f"m{k}" for k in range(num_states))
    return SoftTable(names, aggregation, chances, np.ones(values, bool) if trained is None else trained)


def table_coverage(aggregation, num_states, final=()):
    """A table of which every third entry is seen and every fifth can't be; whether labels settle them is not known."""
    values = aggregation.num_values(num_states)
    names = [f"m{k}" for k in range(num_states)]
    stays = np.repeat(np.arange(num_states)[:, None], values, axis=1)
    fsa = GraphFSA(names, aggregation, stays, final_states=list(final))
    places = np.arange(num_states * values).reshape(num_states, values)
    possible = places % 5 != 0
    return Coverage(fsa, None, (possible & (places % 3 == 0)).astype(int), possible, wrong=1)  # pyright: ignore


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def row(size, steps, accuracy, perfect=1.0, **others):
    return {"size": size, "steps": steps, "accuracy": accuracy, "perfect": perfect, **others}


# ---- trainings


def test_curves_are_the_history():
    history = [record(updates, validation_loss=0.5 / updates) for updates in range(20, 400, 20)]
    panels = draw_history(history).axes
    found = [line.get_xydata().T.tolist() for axes in panels for line in axes.get_lines()]
    updates = [item["updates"] for item in history]
    names = ("loss", "mean_loss", "validation_loss", "accuracy", "solved", "entropy")
    assert found == [[updates, [item[name] for item in history]] for name in names]
    words = [text.get_text() for text in panels[0].get_legend().get_texts()]
    assert words == ["the best table", "mean of all tables", "the best table, validation graphs"]


def test_one_table_has_no_mean():
    history = [record(20, mean_loss=0.05), record(40, mean_loss=0.025)]
    assert len(draw_history(history).axes[0].get_lines()) == 1


def test_sizes_are_parted_and_named():
    history = [*(record(k) for k in (20, 40)), *(record(k, bound=2) for k in (60, 80)), record(100, states=5)]
    axes = draw_history(history).axes[0]
    curves = [line for line in axes.get_lines() if line.get_color() == "#0072b2"]
    assert [line.get_xdata().tolist() for line in curves] == [[20, 40], [60, 80], [100]]
    assert [line.get_xdata()[0] for line in axes.get_lines() if line.get_color() == "#777777"] == [40, 80]
    assert [text.get_text() for text in axes.texts] == ["4 states, bound 1", "4 states, bound 2", "5 states, bound 1"]


def test_names_of_sizes_that_have_no_room_are_left_out():
    crowded = [record(20 * k, states=2 + k) for k in range(1, 101)]
    axes = draw_history(crowded).axes[0]
    assert 5 < len(axes.texts) < 40
    assert len(axes.get_lines()) == 2 * 100 + 99


@pytest.mark.parametrize("length", [0, 1])
def test_short_histories_are_drawn(tmp_path, length):
    figure = draw_history([record(20)][:length], tmp_path / "h.png")
    assert (tmp_path / "h.png").stat().st_size > 3000
    assert ("no update has been made" in [text.get_text() for text in figure.axes[0].texts]) == (length == 0)


# ---- soft tables


@pytest.mark.parametrize(
    "aggregation", [CountingAggregation(1), PositionalAggregation(2), AverageThresholdAggregation(), FEW]
)
def test_bars_of_a_soft_table_have_its_probabilities(aggregation):
    soft = soft_table(aggregation, 3)
    strip, axes, below = draw_soft(soft).axes
    order = value_columns(aggregation, soft.state_names, np.arange(len(soft.trained))).values
    areas = np.zeros((3, len(order), 3))
    (bars,) = axes.collections
    colours = list(COLOURS_ON_WHITE)
    for path, colour in zip(bars.get_paths(), bars.get_facecolors(), strict=True):
        (left, low), (right, high) = path.vertices.min(axis=0), path.vertices.max(axis=0)
        successor = colours.index("#" + "".join(f"{round(255 * part):02x}" for part in colour[:3]))
        areas[round((low + high) / 2), round((left + right) / 2), successor] += (high - low) / 0.84
    assert np.allclose(areas, soft.probabilities[:, order], atol=2e-3)
    assert np.allclose([bar.get_height() for bar in strip.patches], soft.entropy[:, order].max(axis=0))
    assert below.images[0].get_array().shape[1] == len(order)


def test_only_trained_values_have_a_column():
    trained = np.zeros(16, bool)
    trained[[0, 3, 5]] = True
    strip, _, below = draw_soft(soft_table(CountingAggregation(1), 4, trained)).axes
    assert len(strip.patches) == 3
    assert [label.get_text() for label in below.get_xticklabels()] == ["0", "2"]
    with pytest.raises(StateError, match="nothing to draw"):
        draw_soft(soft_table(CountingAggregation(1), 4, np.zeros(16, bool)))


def test_the_most_undecided_values_and_states_are_shown_and_the_others_counted():
    soft = soft_table(CountingAggregation(1), 9)
    figure = draw_soft(soft, title="many")
    highest = np.sort(soft.entropy.max(axis=0))[-64:]
    assert np.allclose(np.sort([bar.get_height() for bar in figure.axes[0].patches]), highest)
    assert figure.get_suptitle() == "many\n64 of 512 values are shown, the most undecided; 448 are left out."
    assert legend(figure)[-1] == "-> another"
    many = draw_soft(soft_table(PositionalAggregation(1), 40))
    assert "24 of 40 states are shown" in many.get_suptitle()
    assert len(many.axes[1].get_yticks()) == 24


def test_one_state_and_names_with_signs(tmp_path):
    soft = SoftTable(("_a$b$",), CountingAggregation(2), np.ones((1, 3, 1), np.float32), np.ones(3, bool))
    figure = draw_soft(soft, tmp_path / "s.svg", title="$ and $")
    assert legend(figure) == ["->  _a$b$"]
    assert len(figure.axes[1].collections[0].get_paths()) == 3


# ---- coverage


def test_every_entry_of_a_small_table_has_a_cell_of_its_kind():
    fsa = library.prefix_sum()
    found = coverage(fsa, dataset_class("prefix-sum")().generate(6, 20, np.random.default_rng(0)))
    figure = draw_coverage(found)
    axes, _ = figure.axes
    free = [state for state in range(fsa.num_states) if state not in fsa.final_states]
    cells = np.asarray(axes.images[0].get_array())
    order = value_columns(fsa.aggregation, fsa.state_names, np.arange(fsa.num_values)).values
    assert (cells == found.kinds()[np.ix_(free, order)] - 1).all()
    facts = found.as_dict()
    counts = [int(word.rpartition("(")[2].rstrip(")")) for word in legend(figure)]
    assert counts == [number for number in (facts["pinned"], facts["open"], facts["unseen"]) if number]
    assert [label.get_text() for label in axes.get_yticklabels()] == [fsa.state_names[state] for state in free]


def test_without_knowledge_of_what_is_settled_entries_are_seen_or_not():
    found = table_coverage(CountingAggregation(1), 3, final=[2])
    figure = draw_coverage(found)
    seen, possible = found.seen[:2] > 0, found.possible[:2]
    wanted = [seen.sum(), (possible & ~seen).sum(), (~possible).sum()]
    assert [int(word.rpartition("(")[2].rstrip(")")) for word in legend(figure)] == wanted
    assert legend(figure)[0].startswith("seen in the data")


@pytest.mark.parametrize(
    "aggregation", [CountingAggregation(2), PositionalAggregation(4), AverageThresholdAggregation((0.3, 0.6)), MANY]
)
def test_large_tables_are_folded_into_a_map_per_state(aggregation):
    found = table_coverage(aggregation, 4)
    maps = draw_coverage(found).axes
    assert len(maps) == 4
    for axes, seen, possible in zip(maps, found.seen, found.possible, strict=True):
        cells = np.asarray(axes.images[0].get_array())
        assert cells.shape == map_shape(aggregation, 4).shape
        assert (cells.reshape(-1) == np.select([seen > 0, possible], [2, 1], 0)).all()
    assert "a node in state m3" in maps[3].get_title()


def test_counts_on_a_map_are_named():
    _, second = draw_coverage(table_coverage(CountingAggregation(2), 4, final=[0, 1])).axes
    assert second.get_xlabel() == "sees m1, m0"
    assert [label.get_text() for label in second.get_xticklabels()][:4] == ["0 0", "0 1", "0 2+", "1 0"]


def test_sums_of_letters_are_named():
    shown = value_columns(FEW, ("m0", "m1", "m2"), np.arange(9))
    assert shown.rows == ("m0 + m1", "m1 < m2")
    assert shown.words[0][:3] == ("0", "1", "2+")
    assert shown.words[1][::3] == ("-", "m1", "m2")
    _, second = draw_coverage(table_coverage(MANY, 4, final=[0, 1])).axes
    assert second.get_xlabel() == "sees m1 < m2 < m3, m0 + 2*m1"
    nothing = value_columns(LettersAggregation(()), ("m0", "m1"), np.arange(1))
    assert nothing.words == (("anything",),)


def test_on_very_large_maps_entries_share_cells(monkeypatch):
    monkeypatch.setattr(entries, "MAX_SIDE", 10)
    found = table_coverage(CountingAggregation(2), 6)
    figure = draw_coverage(found)
    assert figure.get_suptitle() == "Each cell stands for 9 entries and shows what is known best."
    kinds = np.select([found.seen[0] > 0, found.possible[0]], [2, 1], 0).reshape(27, 27)
    assert np.asarray(figure.axes[0].images[0].get_array())[2, 4] == kinds[6:9, 12:15].max()


def test_many_states_are_cut_and_final_ones_alone_refused():
    assert "24 of 30 states" in draw_coverage(table_coverage(PositionalAggregation(1), 30)).get_suptitle()
    with pytest.raises(StateError, match="all states are final"):
        draw_coverage(table_coverage(CountingAggregation(1), 2, final=[0, 1]))


# ---- accuracy and stability


def test_accuracy_against_size_has_a_line_for_each_automaton():
    results = {"a": [row(100, 9, 0.5, 0.0), row(10, 5, 0.9, 0.25)], "b": [row(10, 5, 1.0), row(1000, 99, 1.0)]}
    left, right = draw_accuracy(results, trained_up_to=10).axes
    drawn = [line.get_xydata().tolist() for line in left.get_lines()[:2]]
    assert drawn == [[[10, 0.9], [100, 0.5]], [[10, 1.0], [1000, 1.0]]]
    assert right.get_lines()[0].get_ydata().tolist() == [0.25, 0.0]
    assert left.get_lines()[2].get_xdata() == [10, 10]
    assert left.get_xscale() == "log"


def test_several_numbers_of_steps_become_lines_or_the_axis():
    both = draw_accuracy({"a": [row(n, k, 1 / k) for n in (10, 20) for k in (1, 2)]})
    assert legend(both) == ["1 step", "2 steps"]
    assert [line.get_xdata().tolist() for line in both.axes[0].get_lines()] == [[10, 20], [10, 20]]
    steps = draw_accuracy({"a": [row(10, k, 1 / k) for k in (4, 1, 2)]}).axes[0]
    assert steps.get_xlabel() == "steps"
    assert steps.get_lines()[0].get_xydata().tolist() == [[1, 1], [2, 0.5], [4, 0.25]]
    many = draw_accuracy({"a": [row(n, k, 0.5) for n in (10, 20) for k in range(50)]})
    assert len(many.axes[0].get_lines()) == 50
    assert len(legend(many)) == 12


def test_an_accuracy_axis_ends_at_1_and_what_lies_there_is_drawn_whole():
    history = [record(20, accuracy=0.5), record(40, accuracy=1.0)]
    trainings = {"net": [[{"epoch": 1, "loss": 1.0, "validation_accuracy": 0.5}]]}
    pictures = [(draw_history(history).axes[1], 0.5), (draw_trainings(trainings).axes[1], 0.5)]
    for low in (0.0, 0.5, 0.94, 0.999, 1.0):
        results = [row(10, 1, low, beyond=0, settled=1.0), row(20, 2, 1.0, beyond=1, settled=1.0)]
        pictures += [(draw({"a": results}).axes[0], low) for draw in (draw_accuracy, draw_stability)]
    for axes, low in pictures:
        assert axes.get_yticks().max() == 1
        assert axes.get_ylim()[0] < low
        assert axes.get_ylim()[1] == 1
        assert not any(line.get_clip_on() for line in axes.get_lines())


def test_automata_whose_names_are_cut_alike_stay_apart():
    results = {f"{'x' * 40}{k}": [row(10, 1, 0.5)] for k in range(3)}
    assert len(draw_accuracy(results).axes[0].get_lines()) == 3


def test_stability_of_sizes_and_of_records():
    rows = [row(n, n + k, 1 - k / 10, beyond=k, settled=k / 2) for n in (10, 5) for k in (2, 0, 1)]
    left, right = draw_stability({"a": rows}).axes
    assert [line.get_label() for line in left.get_lines()] == ["n = 5", "n = 10"]
    assert left.get_lines()[0].get_xydata().tolist() == [[0, 1.0], [1, 0.9], [2, 0.8]]
    assert right.get_lines()[1].get_ydata().tolist() == [0, 0.5, 1]
    plainly = draw_stability({"b": [Stability(0, 1.0, 0.5), Stability(100, 0.75, 1.0)]}).axes[0]
    assert plainly.get_lines()[0].get_xydata().tolist() == [[0, 1.0], [100, 0.75]]
    with pytest.raises(StateError, match="beyond"):
        draw_stability({"a": [row(10, 5, 1.0)]})


@pytest.mark.parametrize("draw", [draw_accuracy, draw_stability])
def test_no_results_are_refused(draw):
    for results in ({}, {"a": []}):
        with pytest.raises(StateError, match="nothing to draw"):
            draw(results)


# ---- files

PICTURES = {
    "history": (draw_history, lambda: [record(20), record(40, bound=2)]),
    "soft": (draw_soft, lambda: soft_table(CountingAggregation(1), 3)),
    "coverage": (draw_coverage, lambda: table_coverage(CountingAggregation(1), 3)),
    "maps": (draw_coverage, lambda: table_coverage(CountingAggregation(2), 4)),
    "accuracy": (draw_accuracy, lambda: {"a": [row(10, 5, 0.9)]}),
    "stability": (draw_stability, lambda: {"a": [row(10, 5, 0.9, beyond=0, settled=1.0)]}),
}


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
@pytest.mark.parametrize("name", PICTURES)
def test_the_same_picture_is_the_same_file(tmp_path, name, suffix):
    draw, data = PICTURES[name]
    one, two = (tmp_path / f"{number}{suffix}" for number in (1, 2))
    for path in (one, two):
        draw(data(), path, title="title")
    assert len(one.read_bytes()) > 2000
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("name", PICTURES)
def test_other_kinds_of_files_are_refused(tmp_path, name):
    draw, data = PICTURES[name]
    with pytest.raises(FormatError, match=r"must end in .png, .svg or .pdf"):
        draw(data(), tmp_path / "x.gif")
    assert not list(tmp_path.iterdir())


def test_long_names_are_cut():
    assert short_label("a" * 30) == "a" * 19 + "…"
    assert short_label("models/" + "a" * 30) == "…" + "a" * 19
    assert short_label("a$") == r"a\$"


def test_what_evaluate_returns_can_be_drawn():
    rows = [Row(10, 5, 3, 0.9, 0.25), Row(100, 9, 3, 0.5, 0.0)]
    left, right = draw_accuracy({"a": Evaluation(tuple(rows), "", None, 0)}).axes
    assert left.get_lines()[0].get_xydata().tolist() == [[10, 0.9], [100, 0.5]]
    assert right.get_lines()[0].get_ydata().tolist() == [0.25, 0.0]
    further = [Row(10, 5 + k, 3, 1.0, 1.0, beyond=k, settled=0.5) for k in (0, 2)]
    settled = draw_stability({"a": Evaluation(tuple(further), "", None, 0)}).axes[1]
    assert settled.get_lines()[0].get_xydata().tolist() == [[0, 0.5], [2, 0.5]]
    with pytest.raises(StateError, match="beyond"):
        draw_stability({"a": Evaluation(tuple(rows), "", None, 0)})
