"""What people do on the page, in a real browser: paint, run, go back, change rules, share, learn."""

import re

import pytest

from graphfsa import GraphFSA, families, library, run

GLIDER = [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
BOARD = {"lattice": {"kind": "moore", "height": 24, "width": 32, "torus": True, "slotted": False}}
LIFE = str(library.life_like().rules())


def empty_board(visitor):
    visitor.load({"v": 1, "rules": LIFE, "world": BOARD, "start": {"all": 0}})


def test_a_painted_glider_walks_and_a_link_brings_it_back(visitor, window):
    empty_board(visitor)
    for row, column in GLIDER:
        visitor.click((4 + row) * 32 + 4 + column)
    visitor.page.locator("#step").click()
    visitor.do("playground.session.step(99)")
    visitor.until("playground.session.time === 100")
    states = [0] * (24 * 32)
    for row, column in GLIDER:
        states[(4 + row) * 32 + 4 + column] = 1
    wanted = run(library.life_like(), families.moore(24, 32, torus=True), states, 100).digest
    assert visitor.settled() == [100, wanted]
    visitor.page.locator("#share").click()
    link = visitor.page.locator("#link").input_value()
    assert visitor.page.locator("#full-hash").text_content() == wanted
    assert len(link.partition("#")[2]) < 4000
    other = window().open("#" + link.partition("#")[2])
    assert other.settled() == [100, wanted]
    other.until("begin => document.getElementById('hash').textContent === begin", wanted[:10])
    # The address itself keeps what is done, a moment later.
    visitor.do("playground.session.step()")
    visitor.until("old => location.href !== old", link)
    visitor.open("#" + visitor.page.url.partition("#")[2])
    assert visitor.settled()[0] == 101


def test_links_of_a_page_on_a_disk_are_said_to_stay_there(chromium, visitor, page_file):
    visitor.page.locator("#share").click()
    assert "on this machine alone" in visitor.page.locator("#stays-here").text_content()
    assert visitor.page.locator("#qr").count() == 0
    page = chromium.new_page()
    page.route("**/*", lambda route: route.fulfill(path=page_file, content_type="text/html"))
    page.goto("https://school.example/page.html#distance")
    page.locator("#share").click()
    page.locator("#qr").wait_for()
    assert page.locator("#stays-here").count() == 0
    assert page.locator("#link").input_value().startswith("https://school.example/page.html#1")
    page.close()


def test_what_lies_between_two_steps_is_drawn_and_plotted(visitor):
    """A jump to a step, to rest or from a link leaves no gap in the rows and none in the plot."""
    known = "[playground.session.time, playground.session.rows.length, playground.session.series.length]"
    visitor.open("#rule30")
    for time in (40, 25, 60):
        visitor.do("time => playground.session.goTo(time)", time)
        assert visitor.settled()[0] == time
        assert visitor.do(known) == [time, time + 1, time + 1]
    fragment = visitor.do("playground.pack(playground.session.scene())")
    visitor.open(f"#{fragment}")
    assert visitor.do(known) == [60, 61, 61]
    row = [int(cell == 120) for cell in range(241)]
    wanted = run(library.elementary(30), families.ring(241), row, 60, record="all").states.sum(axis=1).tolist()
    plotted = "[...Array(61).keys()].map((step) => playground.session.series.at(step, 1))"
    assert visitor.do(plotted) == wanted
    assert visitor.do("playground.session.rows.map((row) => row.reduce((a, b) => a + b, 0))") == wanted
    visitor.open("#majority")
    visitor.page.locator("#settle").click()
    time = visitor.settled()[0]
    assert visitor.do("playground.session.series.length") == time + 1 > 5


def test_steps_back_are_the_steps_that_were(visitor):
    visitor.open("#contagion")
    visitor.do("playground.session.goTo(0)")
    hashes = [visitor.settled()]
    for _ in range(12):
        visitor.page.locator("#step").click()
        hashes.append(visitor.settled())
    assert len({digest for _, digest in hashes}) > 8
    for before in hashes[-2::-1]:
        visitor.page.locator("#back").click()
        assert visitor.settled() == before


def test_what_was_done_can_be_undone_and_done_again(visitor):
    buttons = [visitor.page.locator(name) for name in ("#undo", "#redo")]
    assert [button.is_enabled() for button in buttons] == [False, False]
    visitor.page.locator("#step").click()
    visitor.settled()
    assert [button.is_enabled() for button in buttons] == [False, False]
    empty_board(visitor)
    assert [button.is_enabled() for button in buttons] == [True, False]
    for node in (100, 101, 102):
        visitor.click(node)
    painted = visitor.settled()
    visitor.page.keyboard.press("Control+z")
    visitor.page.keyboard.press("Control+z")
    assert visitor.do("playground.session.counts[1]") == 1
    visitor.page.keyboard.press("Control+Shift+z")
    visitor.page.keyboard.press("Control+Shift+z")
    assert visitor.settled() == painted
    visitor.page.keyboard.press(".")
    assert visitor.settled()[0] == 1
    assert visitor.do("[...playground.session.states.keys()].filter(n => playground.session.states[n])") == [
        69,
        101,
        133,
    ]


def test_a_changed_rule_takes_effect_and_a_wrong_one_says_where(visitor):
    empty_board(visitor)
    visitor.click(100)
    visitor.page.locator("#tab-rules").click()
    text = visitor.page.locator("#text")
    text.fill(LIFE.replace("exactly 3 neighbours", "exactly one neighbour"))
    visitor.until("playground.session.rules.includes('exactly one')")
    visitor.do("playground.session.step()")
    visitor.settled()
    assert visitor.do("playground.session.counts[1]") == 8
    text.fill(LIFE.replace("3 neighbours are alive", "3 neighbours are alife"))
    wrong = visitor.page.locator("#wrong")
    visitor.until("document.getElementById('wrong').textContent !== ''")
    assert wrong.text_content().startswith("Line 4: a state must be one of 'dead', 'alive'; got 'alife'")
    assert visitor.page.locator("#tint .bad").text_content() == "dead -> alive if exactly 3 neighbours are alife"
    assert "exactly one" in visitor.do("playground.session.rules")


def test_the_editor_completes_words(visitor):
    empty_board(visitor)
    visitor.page.locator("#tab-rules").click()
    text = visitor.page.locator("#text")
    text.fill("states: dead, alive\naggregation: counting bound=2\n\n")
    text.press("End")
    text.press_sequentially("de")
    assert visitor.page.locator("#choices li").all_text_contents() == ["dead"]
    text.press("Tab")
    text.press_sequentially("-")
    text.press("Tab")
    text.press_sequentially("al")
    text.press("Tab")
    text.press_sequentially("if ")
    text.press_sequentially("so")
    text.press("Enter")
    assert text.input_value().endswith("dead -> alive if some neighbour is ")


def test_an_entry_of_the_table_is_changed_by_a_click(visitor):
    visitor.load(
        {
            "v": 1,
            "rules": str(library.elementary(90).rules()),
            "world": ring(40),
            "start": {"all": 0, "some": {"1": [20]}},
        }
    )
    visitor.page.locator("#tab-map").click()
    entry = visitor.page.locator('#table button[data-entry="4"]')
    assert entry.get_attribute("aria-label") == "0 that sees left 0, right 0 moves to 0; change"
    entry.click()
    visitor.page.locator("#menu button", has_text="1").click()
    wanted = library.elementary(90).with_entry("0", 4, "1")
    assert GraphFSA.from_rules(visitor.do("playground.session.rules")) == wanted
    visitor.do("playground.session.step(5)")
    visitor.until("playground.session.time === 5")
    start = [int(node == 20) for node in range(40)]
    assert visitor.settled()[1] == run(wanted, families.ring(40), start, 5).digest
    assert visitor.page.locator("#drawing .link").count() == 4
    visitor.page.locator("#drawing .link").first.press("Enter")
    assert visitor.page.locator("#drawing .link.chosen").count() == 1


def ring(n):
    return {"lattice": {"kind": "line", "height": 1, "width": n, "torus": True, "slotted": True}}


def test_it_runs_to_rest_to_cycles_and_to_breakpoints(visitor):
    rules = str(library.majority().rules())
    visitor.load({"v": 1, "rules": rules, "world": ring(50), "start": {"shares": [1, 1], "seed": 5}})
    found = visitor.do("[...playground.session.states]")
    wanted = run(library.majority(), families.ring(50), found, "stable")
    visitor.page.locator("#settle").click()
    assert visitor.settled() == [wanted.stable_at, wanted.digest]
    # Step by step it is the same: where it comes to rest it says so, and again however often one steps on.
    visitor.do("playground.session.goTo(0)")
    visitor.settled()
    for time in [*range(1, wanted.stable_at + 1), wanted.stable_at + 1, wanted.stable_at + 2]:
        assert visitor.page.locator("#toast").text_content() in ("", f"At rest from step {wanted.stable_at} on")
        visitor.page.locator("#toast").evaluate("toast => { toast.textContent = ''; }")
        visitor.page.locator("#step").click()
        assert visitor.settled()[0] == time
        said = visitor.page.locator("#toast").text_content()
        assert said == ("" if time < wanted.stable_at else f"At rest from step {wanted.stable_at} on")
    visitor.page.locator("#settle").click()
    assert visitor.settled()[0] == wanted.stable_at
    visitor.do("playground.session.goTo(0)")
    visitor.page.locator("#play").click()
    assert visitor.settled() == [wanted.stable_at, wanted.digest]
    visitor.load({"v": 1, "rules": LIFE, "world": BOARD, "start": {"all": 0, "some": {"1": [100, 101, 102]}}})
    visitor.page.locator("#settle").click()
    visitor.settled()
    assert visitor.page.locator("#toast").text_content() == "From step 0 on it repeats every 2 steps"
    visitor.load(
        {
            "v": 1,
            "rules": str(library.distance().rules()),
            "world": {"family": "path", "n": 30},
            "start": {"all": 2, "some": {"3": [0]}},
        }
    )
    visitor.page.locator("#tab-rules").click()
    visitor.page.locator("#rules details summary").click()
    visitor.page.locator("#breaks select").nth(0).select_option("none")
    visitor.page.locator("#breaks select").nth(1).select_option(label="node")
    visitor.page.locator("#add-break").click()
    visitor.do("playground.session.speed = 1000")
    visitor.page.locator("#play").click()
    assert visitor.settled()[0] == 30


def test_it_says_why_a_node_moved(visitor):
    visitor.load(
        {
            "v": 1,
            "rules": str(library.distance().rules()),
            "world": {"family": "path", "n": 6},
            "start": {"all": 2, "some": {"3": [0]}},
        }
    )
    visitor.do("playground.session.step(2)")
    visitor.until("playground.session.time === 2")
    visitor.page.keyboard.press("w")
    visitor.click(1)
    visitor.page.locator("#why .rule").first.wait_for()
    words = re.sub(r"\s+", " ", visitor.page.locator("#why").inner_text())
    assert "Why did it move, from step 1 to 2?" in words
    assert "was node saw 1 even 1 node" in words
    assert visitor.page.locator("#why .rule").first.text_content() == "node -> odd if some neighbour is even"


def test_graphs_are_drawn_by_hand(visitor):
    visitor.load(
        {
            "v": 1,
            "rules": str(library.core(2).rules()),
            "world": {"n": 2, "pairs": [0, 1], "points": [0, 0, 4, 0]},
            "start": {"all": 1},
        }
    )
    visitor.page.keyboard.press("n")
    left, right = visitor.place(0), visitor.place(1)
    visitor.page.mouse.click((left[0] + right[0]) / 2, left[1] - 90)
    assert visitor.do("playground.session.graph.n") == 3
    for node in (0, 1):
        visitor.page.mouse.move(*visitor.place(2))
        visitor.page.mouse.down()
        visitor.page.mouse.move(*visitor.place(node), steps=3)
        visitor.page.mouse.up()
    assert visitor.do("Array.from(playground.session.spec.pairs)") == [0, 1, 2, 0, 2, 1]
    visitor.do("playground.session.setStates(new Uint8Array([1, 1, 1]))")
    visitor.do("playground.session.step()")
    visitor.settled()
    assert visitor.do("[...playground.session.states]") == [1, 1, 1]
    visitor.page.keyboard.press("x")
    visitor.click(2)
    assert visitor.do("[playground.session.graph.n, ...playground.session.spec.pairs]") == [2, 0, 1]


def test_keys_alone_are_enough(visitor):
    """Tab to the world, move the cursor, paint, step; each key says what it did."""
    empty_board(visitor)
    visitor.page.locator("#world").focus()
    visitor.page.keyboard.press("ArrowDown")
    visitor.page.keyboard.press("Enter")
    said = visitor.page.locator("#toast").text_content()
    node = visitor.do("playground.stage.cursor")
    assert said == f"Row {node // 32}, column {node % 32}: alive"
    assert visitor.do("[...playground.session.counts]") == [24 * 32 - 1, 1]
    visitor.page.keyboard.press("2")
    visitor.page.keyboard.press(".")
    assert visitor.settled()[0] == 1


def test_the_first_lesson_can_be_done(visitor):
    visitor.page.locator("#tab-learn").click()
    assert visitor.page.locator("#learn [data-lesson]").count() == 5
    visitor.page.locator("#learn [data-lesson=spread]").click()
    visitor.do("playground.session.settle()")
    visitor.page.locator("#learn .goal.met").first.wait_for()
    visitor.page.locator("#next-step").click()
    visitor.page.locator("#learn .choices button").nth(0).click()
    assert "look again" in visitor.page.locator("#learn .step.now .goal").text_content()
    visitor.page.locator("#learn .choices button").nth(1).click()
    assert visitor.page.locator("#learn .step.done").count() == 2
    visitor.page.locator("#next-step").click()
    assert visitor.do("playground.session.title") == "RootValue"
    visitor.do("playground.session.paint([0], 4); playground.session.settle()")
    visitor.page.locator("#learn .step.done").nth(2).wait_for()


@pytest.mark.parametrize(
    ("name", "content", "check"),
    [
        ("g.edges", "a b\nb c\nc a\n", "[playground.session.graph.n, playground.session.graph.numArcs].join()==='3,6'"),
        (
            "g.txt",
            "nodes 5\ndirected\n0 1\n1 2\n",
            "[playground.session.graph.n, playground.session.graph.numArcs].join()==='5,2'",
        ),
        (
            "g.json",
            '{"schema":"graphfsa.graph/1","num_nodes":3,"directed":false,"edges":[[0,1]]}',
            "playground.session.graph.n===3",
        ),
        (
            "g.graphml",
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected"><node id="x"/>'
            '<node id="y"/><edge source="x" target="y"/></graph></graphml>',
            "playground.session.graph.numArcs===2",
        ),
        ("p.rle", "x = 3, y = 3\nbo$2bo$3o!", "playground.session.counts[1]===5"),
        ("a.rules", str(library.brians_brain().rules()), "playground.session.fsa.names[2]==='dying'"),
        (
            "l.json",
            '{"title":"Mine","steps":[{"text":"Look","preset":"rule90","goal":{"step":3}}]}',
            "playground.session.preset==='rule90'",
        ),
    ],
)
def test_files_can_be_opened(shared, name, content, check):
    shared.load({"v": 1, "rules": LIFE, "world": BOARD, "start": {"all": 0}})
    shared.page.locator("#file").set_input_files({"name": name, "mimeType": "text/plain", "buffer": content.encode()})
    shared.until(check)


@pytest.mark.parametrize("name", ["w.json", "g.edges", "g.graphml", "p.rle", "a.rules", "x.png", "l.json"])
def test_files_that_are_no_such_thing_are_refused_in_words(shared, name):
    shared.load({"v": 1, "rules": LIFE, "world": BOARD, "start": {"all": 0}})
    before = shared.do("playground.session.rules")
    content = '{"steps": [3]}' if name == "l.json" else "no such thing at all\n"
    shared.do("document.getElementById('toast').textContent = ''")
    shared.page.locator("#file").set_input_files({"name": name, "mimeType": "text/plain", "buffer": content.encode()})
    shared.until("document.getElementById('toast').textContent !== ''")
    assert "opened" not in shared.page.locator("#toast").text_content()
    assert shared.do("playground.session.rules") == before
