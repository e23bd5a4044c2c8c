"""A real kernel and a real browser: edits of a notebook's widget come back as Python objects, and the other way."""

import json

import pytest

import graphfsa as gf
from graphfsa.playground._linking import static_text
from playground.test_widget import HOST

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("anywidget")

SHOWN = 'import graphfsa as gf\nw = gf.play("life", "moore-torus:8x8", [0] * 64).widget()\nw'
READ = (
    "import json\n"
    "print(json.dumps([w.automaton.digest, w.states.tolist(), w.time, repr(w.graph)]))\n"
    'w.wanted = gf.play("distance", "path:5", "root:0").scene'
)
AGAIN = "print(w.automaton == gf.library.distance(), w.graph.num_nodes, w.states.tolist())"
PLAYED = 'gf.run("life", "moore-torus:8x8", "random", 5, seed=2).play()'


class Notebook:
    """A notebook that is run cell by cell; what its widgets hold is in ``state``.

    Args:
        cells: The text of each cell.
    """

    def __init__(self, cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
        self.client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3")
        self.place = 0

    def next(self):
        """Run the next cell and return what it printed or showed."""
        cell = self.client.execute_cell(self.client.nb.cells[self.place], self.place)
        self.place += 1
        return cell.outputs

    @property
    def widget(self):
        """The id of the playground's model, and what it holds."""
        ((name, state),) = [item for item in self.client.widget_state.items() if "wanted" in item[1]]
        return name, state

    def edited(self, found):
        """What a notebook's page sends when ``model.save_changes()`` is called."""
        content = {"comm_id": self.widget[0], "data": {"method": "update", "state": {"found": found}}}
        content["data"]["buffer_paths"] = []
        channel = self.client.kc.shell_channel
        channel.send(self.client.kc.session.msg("comm_msg", content))


@pytest.fixture
def notebook():
    """A kernel in which the cells of the test below can be run."""
    opened = Notebook([SHOWN, READ, AGAIN, PLAYED])
    with opened.client.setup_kernel():
        yield opened


def test_edits_go_from_the_page_to_python_and_back(notebook, window, tmp_path):
    (shown,) = [output for output in notebook.next() if "data" in output]
    assert "application/vnd.jupyter.widget-view+json" in shown.data
    _, state = notebook.widget
    assert "function render" in state["_esm"]
    assert state["_esm"] == static_text("widget.js")

    traits = json.dumps({"page": state["page"], "wanted": state["wanted"]}).replace("</", "<\\/")
    module = state["_esm"].replace("export default { render };", "")
    path = tmp_path / "notebook.html"
    path.write_text(HOST.replace("MODULE", module).replace("GIVEN", traits), encoding="utf-8")
    visitor = window(path)
    visitor.page.goto(path.as_uri())
    visitor.until("Boolean(notebook.traits.found)")
    page = visitor.page.frames[1]
    page.evaluate("playground.session.goTo(0)")
    visitor.until("notebook.traits.found.from === undefined")
    page.evaluate("playground.session.paint([9, 10, 11], 1)")
    page.evaluate("playground.session.setRules(playground.session.rules.replace('exactly 3', '2 or 3'))")
    visitor.until("notebook.traits.found.rules.includes('2 or 3 neighbours')")
    page.evaluate("playground.session.step(3)")
    visitor.until("notebook.traits.found.from === 3")
    notebook.edited(visitor.do("notebook.traits.found"))

    (printed,) = [output.text for output in notebook.next() if output.output_type == "stream"]
    fsa = gf.GraphFSA.from_rules(str(gf.library.life_like().rules()).replace("exactly 3", "2 or 3"))
    board = gf.families.moore(8, 8, torus=True)
    start = [int(node in (9, 10, 11)) for node in range(64)]
    assert json.loads(printed) == [fsa.digest, gf.run(fsa, board, start, 3).last.tolist(), 3, repr(board)]

    _, state = notebook.widget
    visitor.do("scene => notebook.ask(scene)", state["wanted"])
    visitor.until("notebook.traits.found.world.n === 5")
    notebook.edited(visitor.do("notebook.traits.found"))
    assert notebook.next()[0].text == "True 5 [3, 2, 2, 2, 2]\n"

    (played,) = [output.data["text/html"] for output in notebook.next() if "data" in output]
    path.write_text(f"<!doctype html><meta charset=utf-8>{played}", encoding="utf-8")
    visitor.page.goto(path.as_uri())
    visitor.until("document.querySelector('iframe') !== null")
    page = visitor.page.frames[1]
    page.wait_for_load_state()
    page.evaluate("playground.session.goTo(5)")
    wanted = gf.run("life", "moore-torus:8x8", "random", 5, seed=2)
    while page.evaluate("playground.session.time") != 5:
        visitor.page.wait_for_timeout(20)
    assert page.evaluate("playground.hash()") == wanted.digest
