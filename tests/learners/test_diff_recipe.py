"""The choices of a training: presets, names, and what is refused."""

import re
from dataclasses import FrozenInstanceError, asdict, fields

import numpy as np
import pytest

from graphfsa.errors import GraphFSAError, UnknownNameError
from graphfsa.learners.diff_fsa import PRESETS, DiffFSA, Recipe
from graphfsa.learners.diff_fsa._recipe import for_evolution, recipe_of

NAMES = [field.name for field in fields(Recipe)]
CHOICES = {
    "sampling": ("errors", "turns"),
    "aggregate": ("exact", "threshold"),
    "finals": ("mask", "penalty"),
    "loss": ("cross-entropy", "l2"),
    "reduction": ("mean", "sum"),
    "schedule": ("constant", "plateau"),
    "first": ("normal", "uniform"),
    "keep": ("errors", "validation"),
}
TRUTHS, WHOLE, REAL = (
    [field.name for field in fields(Recipe) if field.type == kind] for kind in ("bool", "int", "float")
)
AT_LEAST_ONE = ("restarts", "updates", "batch", "check")
NAN, INFINITE = float("nan"), float("inf")


def test_these_tests_know_every_option():
    assert sorted([*CHOICES, *TRUTHS, *WHOLE, *REAL, "steps", "betas"]) == sorted(NAMES)
    assert {"restarts", "updates", "epochs", "batch", "offset", "check", "repair", "harvest", "patience"} <= set(WHOLE)
    assert {"penalty", "rate", "clip", "noise", "stay"} <= set(REAL)
    assert {"through", "simplify", "complete"} <= set(TRUTHS)


def test_there_are_three_presets_and_options_change_only_what_they_name():
    assert sorted(PRESETS) == ["paper", "reference", "strong"]
    assert recipe_of("strong", {}) == Recipe() == PRESETS["strong"]
    for preset, recipe in PRESETS.items():
        assert recipe_of(preset, {}) == recipe
        assert DiffFSA(preset).recipe == recipe
        changed = recipe_of(preset, {"rate": 0.125, "restarts": 7})
        assert asdict(changed) == {**asdict(recipe), "rate": 0.125, "restarts": 7}
    with pytest.raises(FrozenInstanceError):
        PRESETS["paper"].rate = 1.0


def test_the_published_preset_is_what_was_published():
    paper, reference = PRESETS["paper"], PRESETS["reference"]
    assert (paper.aggregate, paper.loss, paper.finals, paper.schedule) == ("threshold", "l2", "penalty", "plateau")
    assert (paper.restarts, paper.batch, paper.epochs, paper.sampling) == (1, 1, 10, "turns")
    assert (paper.rate, paper.betas, paper.steps, paper.offset) == (0.25, (0.5, 0.5), 10, 1)
    assert (paper.first, paper.noise, paper.reduction, paper.harvest) == ("uniform", 1.0, "sum", 0)
    assert (paper.repair, paper.simplify, paper.complete, paper.keep) == (0, False, False, "validation")
    assert {name for name in NAMES if getattr(paper, name) != getattr(reference, name)} == {"steps"}
    assert reference.steps == 5


@pytest.mark.parametrize("preset", ["papers", "", "Strong", None, 3, ["strong"]])
def test_an_unknown_preset_lists_the_valid_ones(preset):
    for make in (lambda: recipe_of(preset, {}), lambda: DiffFSA(preset)):
        with pytest.raises(UnknownNameError, match=r"unknown preset .*valid names: paper, reference, strong"):
            make()


def test_a_preset_that_is_nearly_right_is_suggested():
    with pytest.raises(UnknownNameError, match="did you mean 'reference'"):
        recipe_of("referense", {})


@pytest.mark.parametrize("name", ["rat", "learning_rate", "Restarts", "", "states"])
def test_an_unknown_option_lists_the_valid_ones(name):
    with pytest.raises(UnknownNameError) as caught:
        recipe_of("strong", {name: 1})
    assert f"unknown option of Diff-FSA {name!r}" in str(caught.value)
    assert str(caught.value).endswith("valid names: " + ", ".join(sorted(NAMES)))


@pytest.mark.parametrize("name", CHOICES)
def test_choices_are_taken_by_name_and_others_listed(name):
    for choice in CHOICES[name]:
        options = {name: choice, **({"epochs": 1} if choice == "turns" else {})}
        assert getattr(recipe_of("strong", options), name) == choice
    for wrong in ("nothing", CHOICES[name][0].upper(), 0, None, True, [CHOICES[name][0]]):
        with pytest.raises(UnknownNameError) as caught:
            recipe_of("strong", {name: wrong})
        assert str(caught.value).startswith(f"unknown {name} ")
        assert str(caught.value).endswith("valid names: " + ", ".join(sorted(CHOICES[name])))


@pytest.mark.parametrize("name", TRUTHS)
def test_truth_values_are_true_or_false(name):
    for given in (True, False):
        assert getattr(recipe_of("strong", {name: given}), name) is given
    for wrong in (0, 1, "yes", None, 1.0):
        with pytest.raises(GraphFSAError, match=rf"{name} must be true or false; got {re.escape(repr(wrong))}"):
            recipe_of("strong", {name: wrong})


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_are_whole_and_not_too_small(name):
    least = 1 if name in AT_LEAST_ONE else 0
    preset = "paper" if name == "epochs" else "strong"
    for given in (least, least + 1, 10**9):
        if name != "epochs" or given:
            assert getattr(recipe_of(preset, {name: given}), name) == given
    for wrong in (True, False, NAN, INFINITE, -1, least - 1, 10**9 + 1, 10**400, 2.0, "3", "", None, [3]):
        with pytest.raises(GraphFSAError, match=rf"{name} must be an integer from {least} to 1000000000; got"):
            recipe_of("strong", {name: wrong})


@pytest.mark.parametrize("name", REAL)
def test_numbers_are_finite_and_not_negative(name):
    for given in (0, 0.0, 1, 0.3, 1e-300, 999_999_999.5):
        assert getattr(recipe_of("strong", {name: given}), name) == given
    for wrong in (True, False, NAN, INFINITE, -INFINITE, -1, -1e-9, 10**9, 10**400, "0.1", None, [0.1], 1j):
        with pytest.raises(GraphFSAError, match=rf"{name} must be a number >= 0 and < 1e\+09; got"):
            recipe_of("strong", {name: wrong})


def test_steps_are_those_of_the_data_or_a_number():
    for given in ("data", 1, 25):
        assert recipe_of("paper", {"steps": given}).steps == given
    for wrong in ("date", 0, -1, 1.0, True, NAN, None, "5", [5]):
        with pytest.raises(GraphFSAError, match="steps must be an integer from 1 to 1000000000 or 'data'; got"):
            recipe_of("paper", {"steps": wrong})


def test_decay_rates_are_two_numbers_below_one():
    assert recipe_of("strong", {"betas": (0, 0.5)}).betas == (0, 0.5)
    for wrong in (
        0.9,
        (0.9,),
        (0.9, 0.9, 0.9),
        (0.9, 1.0),
        (-0.1, 0.9),
        (NAN, 0.9),
        (True, 0.5),
        "ab",
        None,
        {0.1, 0.2},
    ):
        with pytest.raises(GraphFSAError, match=r"betas must be (two numbers|a number >= 0 and < 1)"):
            recipe_of("strong", {"betas": wrong})


def test_decay_rates_as_a_list_make_the_same_recipe():
    as_list = recipe_of("strong", {"betas": [0.5, 0.75]})
    assert as_list == recipe_of("strong", {"betas": (0.5, 0.75)})
    assert hash(as_list) == hash(recipe_of("strong", {"betas": (0.5, 0.75)}))


def test_graphs_in_turn_need_epochs():
    with pytest.raises(GraphFSAError, match="at least 1; got epochs=0"):
        recipe_of("strong", {"sampling": "turns"})
    with pytest.raises(GraphFSAError, match="at least 1; got epochs=0"):
        recipe_of("paper", {"epochs": 0})
    assert recipe_of("strong", {"sampling": "turns", "epochs": 2}).epochs == 2
    assert recipe_of("paper", {"sampling": "errors"}).sampling == "errors"


@pytest.mark.parametrize(("preset", "name"), [("strong", "epochs"), ("paper", "updates")])
def test_what_has_no_meaning_is_refused(preset, name):
    with pytest.raises(GraphFSAError, match=f"{name} has no meaning"):
        recipe_of(preset, {name: 3})


def test_numbers_of_numpy_are_numbers():
    given = {"restarts": np.int64(3), "rate": np.float32(0.5), "betas": [np.float64(0.5), 0]}
    recipe = recipe_of("strong", given)
    assert (type(recipe.restarts), recipe.restarts, recipe.rate, recipe.betas) == (int, 3, 0.5, (0.5, 0))


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_evolutions_are_trained_with_their_own_steps_and_without_final_states(preset):
    recipe = recipe_of(preset, {"noise": 0.25})
    changed = for_evolution(recipe, preset, ("noise",))
    wanted = {"offset": 0, "steps": "data", "stay": 0.0, "harvest": 1, "finals": "mask", "penalty": 0.0}
    if preset != "strong":
        wanted |= {"rate": 0.5, "epochs": 5, "harvest": 0}
    assert asdict(changed) == {**asdict(recipe), **wanted}
    assert for_evolution(changed, preset, ("noise",)) == changed
    assert for_evolution(recipe_of(preset, {"harvest": 5}), preset, ("harvest",)).harvest == 5
    for name in ("offset", "stay", "steps", "finals", "penalty"):
        with pytest.raises(GraphFSAError, match=f"{name} has no meaning"):
            for_evolution(recipe, preset, (name,))


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_evolutions_keep_what_was_chosen(preset):
    recipe = recipe_of(preset, {"rate": 0.125})
    assert for_evolution(recipe, preset, ("rate",)).rate == 0.125
    if preset != "strong":
        assert for_evolution(recipe_of(preset, {"epochs": 3}), preset, ("epochs",)).epochs == 3


def test_the_learner_refuses_implementations_and_devices_that_do_not_fit():
    with pytest.raises(UnknownNameError, match="valid names: auto, compiled, torch"):
        DiffFSA(implementation="numpy")
    with pytest.raises(GraphFSAError, match="device must be cpu for the compiled implementation; got 'cuda'"):
        DiffFSA(implementation="compiled", device="cuda")
    assert DiffFSA().compiled
    assert not DiffFSA(implementation="torch").compiled
    assert not DiffFSA(device="cuda").compiled
