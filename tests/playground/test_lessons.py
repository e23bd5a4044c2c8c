"""Every goal of every lesson can be reached, and is not reached before anything was done."""

import pytest

REST = "playground.session.settle()"
PAINT = "playground.session.paint"
SOLUTIONS = {
    "spread": [
        [REST],
        [1],
        [f"{PAINT}([0], 4)", REST],
        [f"{PAINT}(Array.from({{ length: 47 }}, (_, k) => k + 1), 2)", f"{PAINT}([0], 5)", REST],
    ],
    "life": [
        [f"{PAINT}([1000, 1001, 1002], 1)"],
        [f"{PAINT}([1000, 1001, 1096, 1097], 1)", REST],
        [f"{PAINT}([1001, 1098, 1192, 1193, 1194], 1)", "playground.session.step(20)"],
        [1],
        ["playground.session.setRules(playground.presets.find(({ id }) => id === 'highlife').scene.rules)"],
    ],
    "outbreak": [
        [REST],
        [0],
        [f"{PAINT}([0, 150].flatMap((ill) => [...playground.session.graph.neighbours(ill).nodes]), 2)", REST],
        ["playground.session.setRules(playground.session.rules.replace('0.15', '0.8'))", REST],
    ],
    "rows": [
        ["playground.session.goTo(64)"],
        [0],
        ["playground.session.goTo(100)"],
        ["playground.session.setRules(playground.presets.find(({ id }) => id === 'rule90').scene.rules)"],
    ],
    "together": [
        [REST],
        [1],
        [REST],
        ["playground.session.step()", "playground.session.goTo(5)"],
        [f"{PAINT}(Array.from({{ length: 4500 }}, (_, k) => k), 0)"],
    ],
}


def test_there_is_a_solution_for_each(shared):
    steps = "Object.fromEntries(playground.allLessons.map(({ id, steps }) => [id, steps.length]))"
    assert shared.do(steps) == {name: len(found) for name, found in SOLUTIONS.items()}


@pytest.mark.parametrize("name", SOLUTIONS)
def test_every_goal_can_be_reached(visitor, name):
    met = "playground.lessons.done > playground.lessons.at"
    visitor.page.locator("#tab-learn").click()
    visitor.page.locator(f"#learn [data-lesson={name}]").click()
    for place, solution in enumerate(SOLUTIONS[name]):
        visitor.do("at => playground.lessons.go(at)", place)
        visitor.settled()
        assert not visitor.do(met), place
        for act in solution:
            if isinstance(act, int):
                visitor.page.locator("#learn .choices button").nth(act).click()
            else:
                visitor.do(act)
            visitor.settled()
        visitor.until(met)
    assert visitor.page.locator("#learn .goal.met").last.text_content() == "That was the last step: well done."
