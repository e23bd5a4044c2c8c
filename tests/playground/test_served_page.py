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
    page.click(1)
    assert page.page.locator(".count").text_content() == "2 of 2 nodes have a label"
    page.page.locator("#to-examples").click()
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
    page.page.get_by_text("Stopped.").wait_for()
    assert page.page.locator("#begin").is_enabled()


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
    assert page.page.locator("#compared").text_content().startswith("They differ")
    page.page.locator("#beside").click()
    assert page.page.locator("#second").count() == 0
    assert page.do("playground.stage.marks") == []


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
