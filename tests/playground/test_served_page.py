"""What people do on the page with Python behind it, in a real browser: learn, prove, answer, compare, report, stop."""

import json

import pytest
from serving import long_learning
from test_server import RULES, TELLING, WRONG, small_trees

from conftest import Visitor
from graphfsa import GraphFSA
from graphfsa.datasets import write_jsonl
from graphfsa.learners import Model
from graphfsa.playground.page import playground_page
from graphfsa.proofs import prove

TREE = {"n": 5, "pairs": [0, 1, 1, 2, 2, 3, 1, 4]}


@pytest.fixture
def page(chromium, server):
    """The page, paused, as somebody opens it who was given the address."""
    visitor = Visitor(chromium, server.address)
    visitor.page.goto(server.address)
    visitor.until(
        "Boolean(globalThis.playground?.session.fsa) && Boolean(document.getElementById('tabs').dataset.served)"
    )
    visitor.do("playground.session.pause()")
    visitor.settled()
    yield visitor
    visitor.context.close()
    assert visitor.complaints == []
    elsewhere = [url for url in visitor.loaded_elsewhere() if not url.startswith(f"http://{server.host}/")]
    assert elsewhere == []


def drop(visitor, lines):
    """Drop a file of examples on the page."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    visitor.do(
        "text => { const data = new DataTransfer(); data.items.add(new File([text], 'mine.jsonl'));"
        "document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })); }",
        text,
    )


RING = """(node) => {
    const { stage } = playground, { scale, x, y } = stage.view, [wx, wy] = stage.place(node), r = stage.radius();
    const row = stage.context.getImageData(Math.round(x + wx * scale - r), Math.round(y + wy * scale), r, 1).data;
    return [0.18, 0.55].map((share) => {
        const from = 4 * Math.round(share * r), found = [...row.slice(from, from + 3)];
        return `#${found.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
    });
}"""
"""The colours of a node near its edge and farther in."""


def show(visitor, rules, world=TREE):
    return visitor.load({"v": 1, "rules": rules, "world": world, "start": {"runs": [3, 1, 2, 2, 3, 1, 2, 1]}})


def test_path_finding_is_learned_from_examples_proved_and_reported(page, tmp_path):
    write_jsonl(tmp_path / "trees.jsonl", small_trees(TELLING))
    drop(page, [json.loads(line) for line in (tmp_path / "trees.jsonl").read_text().splitlines()])
    page.page.locator("#teach .examples canvas").first.wait_for()
    assert page.page.locator("#names-inputs").input_value() == "marked, node"
    page.page.locator("#begin").click()
    assert page.page.locator("#verdict").text_content() == "Exact"
    page.settled()
    learned = GraphFSA.from_rules(page.do("playground.session.rules"))
    assert prove(Model.of(learned, "path-finding")).proved
    page.page.locator("#tab-check").click()
    page.page.locator("#check-task").select_option("path-finding")
    page.page.locator("#prove").click()
    assert page.page.locator("#check-verdict").text_content() == "Proved"
    page.page.locator("#check-task").select_option("(examples)")
    page.page.locator("#report").click()
    with page.page.expect_popup() as popup:
        page.page.locator("#open-report").click()
    report = popup.value
    report.wait_for_load_state()
    assert "Learned: from your examples" in report.locator("h1").text_content()
    assert report.evaluate("window.origin") == "null"


def test_a_counterexample_appears(page):
    show(page, WRONG)
    page.page.locator("#tab-check").click()
    assert page.page.locator("#check-task").input_value() == "path-finding"
    page.page.locator("#verify").click()
    assert page.page.locator("#check-verdict").text_content() == "Wrong"
    page.settled()
    wanted = page.do("playground.stage.marks")
    rows = page.page.locator(".wrongs .bad td:first-child").all_text_contents()
    assert [int(row) for row in rows] == wanted
    assert len(wanted) > 0
    assert page.do("playground.session.rules") == WRONG
    answers = page.page.locator(".wrongs tbody td:last-child").all_text_contents()
    states = page.do("[...playground.session.states].map((state) => playground.session.fsa.names[state])")
    shown = [answer.removesuffix(" ✗") for answer in answers]
    assert [state if state in ("off", "on") else "none" for state in states] == shown
    # Rules that change are not those that were checked.
    page.do("rules => playground.session.setRules(rules)", RULES)
    assert page.page.locator("#check-verdict").count() == 0


def test_an_example_is_drawn_and_the_page_asks_for_labels(page):
    page.page.locator("#tab-teach").click()
    page.page.locator("[data-source=examples]").click()
    page.page.locator("#draw-example").click()
    x, y = page.place(0)
    page.page.mouse.click(x + 140, y)
    page.page.mouse.move(*page.place(0))
    page.page.mouse.down()
    page.page.mouse.move(*page.place(1), steps=4)
    page.page.mouse.up()
    page.page.get_by_role("button", name="Inputs", exact=True).click()
    page.click(0)
    assert page.do("[...playground.session.states]") == [2, 3]
    page.page.locator("#to-labels").click()
    page.click(0)
    page.click(0)
    assert page.do("[...playground.session.states].concat([...playground.stage.given])") == [1, 3, 2, 3]
    page.page.wait_for_timeout(100)
    colours = page.do("playground.stage.colours")
    assert page.do(RING, 0) == [colours[2], colours[1]]
    page.click(1)
    assert page.page.locator(".count").text_content() == "2 of 2 nodes have a label"
    page.page.locator("#to-examples").click()
    assert page.do("playground.stage.given") is None
    assert page.do("playground.teaching.examples.lines") == [
        {"num_nodes": 2, "edges": [[0, 1]], "inputs": ["marked", "node"], "labels": ["on", "off"]}
    ]
    drop(
        page,
        [{"num_nodes": 3, "edges": [[0, 1], [1, 2]], "inputs": ["marked", "node", "marked"], "labels": ["on"] * 3}],
    )
    page.until("playground.teaching.examples.list.length === 2")
    page.page.locator("#begin").click()
    page.page.locator("#settled").click()
    page.page.locator("#to-examples").wait_for()
    asked = page.do("playground.teaching.drawing.given.length")
    for node in range(asked):
        page.click(node)
    page.page.locator("#to-examples").click()
    page.until("playground.teaching.examples.list.length === 3")
    # It learns again by itself, and asks the next question or says that nothing is open.
    page.page.locator("#to-examples, #is-settled, #teach .wrong, .verdict.bad").first.wait_for()


def test_work_is_stopped_and_the_page_goes_on(page, server):
    drop(page, long_learning()["examples"])
    page.until("playground.teaching.examples.list.length === 1")
    page.page.locator("#begin").click()
    page.page.locator(".steps li").first.wait_for()
    before = page.do("playground.session.time")
    page.do("playground.session.step()")
    assert page.settled()[0] == before + 1
    page.page.locator(".stop").click()
    # The best so far is kept.
    assert page.page.locator("#verdict").text_content() == "Interrupted"
    assert page.page.locator("#save-model").is_enabled()
    assert page.page.locator("#settled").count() == 0
    assert page.settled() is not None
    assert page.do("playground.session.graph.n") == 24
    assert page.page.locator("#begin").is_enabled()


def test_tasks_are_in_groups_and_say_what_they_are(page):
    page.page.locator("#tab-teach").click()
    groups = page.page.locator("#task optgroup")
    assert [len(group.locator("option").all()) for group in groups.all()] == [5, 2, 6]
    page.page.locator("#task").select_option("hex-life")
    assert page.page.locator("#task-about").text_content().startswith("Random hexagonal boards")
    assert "Diff-FSA longer" in page.page.locator("#task-about + .hint").text_content()
    page.page.locator("#begin").click()
    assert page.page.locator("#verdict").text_content() == "Proved"
    assert page.do("playground.stage.kind") == "hex"


def test_a_link_of_this_server_is_said_to_stay_here(page):
    page.page.locator("#share").click()
    assert "only while the server runs" in page.page.locator("#stays-here").text_content()
    assert page.page.locator("#qr").count() == 0


def test_two_automata_side_by_side(page):
    show(page, RULES)
    page.page.locator("#tab-check").click()
    page.page.locator("#keep").click()
    page.do("rules => playground.session.setRules(rules)", WRONG)
    page.page.locator("#beside").click()
    same = "playground.comparing.second.time === playground.session.time && !playground.comparing.second.busy"
    page.until(f"{same} && document.getElementById('differ').textContent !== ''")
    for _ in range(3):
        page.page.locator("#step").click()
        page.settled()
    page.until(f"{same} && document.getElementById('differ').textContent.endsWith('step 3')")
    states = page.do("[[...playground.session.states], [...playground.comparing.second.states]]")
    differ = [node for node, (own, other) in enumerate(zip(*states, strict=True)) if own != other]
    assert differ
    assert page.do("playground.stage.marks") == differ
    page.page.locator("#difference").click()
    page.page.locator("#compared").wait_for()
    told = page.page.locator("#compared").text_content()
    assert told.startswith("They differ")
    assert "No run of path-finding begins like this" in told
    assert page.do("getComputedStyle(document.getElementById('toast')).zIndex") == "1"  # Not under the second canvas.
    page.page.locator("#beside").click()
    assert page.page.locator("#second").count() == 0
    assert page.do("playground.stage.marks") == []


def test_what_can_be_compared_is_offered_first_and_the_rest_says_why_not(page):
    page.do("playground.show(playground.presets.find(({ id }) => id === 'life').scene)")
    page.page.locator("#tab-check").click()
    assert page.page.locator("#other").input_value() == "highlife"
    assert page.page.locator("#check-task").input_value() == "life"
    show(page, RULES)
    page.until("document.getElementById('other').value === 'distance'")
    assert page.page.locator("#incomparable").text_content() == ""
    page.page.locator("#beside").click()
    page.until("document.getElementById('differ').textContent !== ''")
    # States that belong together have one colour: marked and root, on and odd.
    colours = page.do("[playground.stage.colours, playground.comparing.stage.colours]")
    assert colours[0] == colours[1]
    page.page.locator("#difference").click()
    page.page.locator("#compared").wait_for()
    page.page.locator("#other").select_option("life")
    assert page.page.locator("#difference").is_disabled()
    assert page.page.locator("#incomparable").text_content() == (
        "No difference can be looked for: the other automaton has 0 final states, the one on the page 2."
    )


def test_drawing_an_example_leaves_the_comparison(page):
    show(page, RULES)
    page.page.locator("#tab-check").click()
    page.page.locator("#beside").click()
    page.page.locator("#second").wait_for()
    page.page.locator("#tab-teach").click()
    page.page.locator("[data-source=examples]").click()
    page.page.locator("#draw-example").click()
    page.settled()
    assert page.page.locator("#second").count() == 0
    assert page.page.locator("#beside").get_attribute("aria-pressed") == "false"
    assert page.do("playground.session.fsa.names") == ["off", "on", "marked", "node"]


def test_the_token_leaves_the_address_and_outlives_a_reload(page, server):
    assert server.token not in page.page.url
    page.page.reload()
    page.until("Boolean(document.getElementById('tabs').dataset.served)")
    page.page.locator("#share").click()
    assert server.token not in page.page.locator("#link").input_value()


def test_without_the_token_the_page_still_plays(chromium, server):
    visitor = Visitor(chromium, f"http://{server.host}/").open()
    visitor.page.locator("#tab-teach").click()
    assert "token of the address that was printed" in visitor.page.locator("#teach [role=alert]").text_content()
    visitor.do("playground.session.step()")
    visitor.settled()
    visitor.context.close()


def test_what_is_exported_asks_nobody():
    exported, served = playground_page(), playground_page(served=True)
    assert "fetch(" not in exported
    assert "connect-src" not in exported
    assert "connect-src 'self'" in served
    assert len(exported.encode()) < 600_000
