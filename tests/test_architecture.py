"""The rooms of the house: who may import whom, and where the heavy libraries may be used."""

import ast
from pathlib import Path

import pytest

import graphfsa

SOURCE = Path(graphfsa.__file__).parent
ROOMS = [
    "errors",
    "arrays",
    "checks",
    "memory",
    "asking",
    "interrupts",
    "processes",
    "plugins",
    "files",
    "folders",
    "spooling",
    "fields",
    "html",
    "escaping",
    "graphs",
    "aggregations",
    "automaton",
    "engine",
    "datasets",
    "search",
    "learners",
    "analysis",
    "proofs",
    "evaluation",
    "views",
    "playground",
    "cli",
]
ONLY_IN = {
    "torch": ("learners/", "graphs/convert.py"),
    "torch_geometric": ("learners/", "graphs/convert.py"),
    "numba": ("engine/",),
    "matplotlib": ("views/",),
    "PIL": ("views/",),
    "networkx": ("graphs/",),
    "starlette": ("playground/server/",),
    "uvicorn": ("playground/server/",),
    "ray": ("engine/cluster/",),
}
DOORS = {
    ("automaton/base.py", "views"),
    ("engine/trajectory.py", "playground"),
    ("engine/trajectory.py", "views"),
    ("evaluation/reporting.py", "views"),
    ("evaluation/reproduce.py", "views"),
    ("learners/_learn.py", "proofs"),
    ("learners/_model.py", "evaluation"),
    ("learners/_model.py", "views"),
}
"""Where a method hands over to a room below, so that an object can draw or report itself; the import is inside it."""
NEVER_AT_MODULE_LEVEL = {"torch", "torch_geometric"}
NEVER = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))


class Imports(ast.NodeVisitor):
    """Every import of a module, as (line, dotted name, whether it runs when the module is imported)."""

    def __init__(self, place):
        self.found = []
        self._package = ["graphfsa", *place.split("/")[:-1]]
        self._depth = 0

    def visit_If(self, node):
        test = node.test
        name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
        for child in node.orelse if name == "TYPE_CHECKING" else ast.iter_child_nodes(node):
            self.visit(child)

    def visit_FunctionDef(self, node):
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef

    def visit_Import(self, node):
        self.found += [(node.lineno, alias.name, self._depth == 0) for alias in node.names]

    def visit_ImportFrom(self, node):
        start = self._package[: len(self._package) - node.level + 1] if node.level else []
        module = ".".join([*start, *([node.module] if node.module else [])])
        names = [f"{module}.{alias.name}" for alias in node.names]
        self.found += [(node.lineno, name, self._depth == 0) for name in names]


def imports(place, text):
    visitor = Imports(place)
    visitor.visit(ast.parse(text))
    return visitor.found


def room_of(dotted):
    """The room of a dotted name inside the package; a public name counts for the room where it lives."""
    parts = dotted.split(".")
    if parts[0] != "graphfsa":
        return None
    if len(parts) == 1:
        return "graphfsa"
    home = graphfsa._HOMES.get(parts[1], "")
    return home.split(".")[1] if "." in home else parts[1]


def private(name):
    return name.startswith("_") and not name.startswith("__")


WRITERS = ("files.py", "folders.py", "spooling.py")
WRITING = {"write_text", "write_bytes", "mkdir", "unlink", "rename", "symlink_to", "hardlink_to", "touch", "rmdir"}
WRITING |= {"rmtree", "copytree", "copy", "copyfile", "move", "makedirs", "remove", "removedirs", "truncate", "tofile"}
MODES = set("wax+")


def writes(text):
    """Calls that open files for writing or change directories, one line each."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        owner = getattr(getattr(node.func, "value", None), "id", "")
        given = node.args[0 if isinstance(node.func, ast.Attribute) and owner != "os" else 1 :]
        modes = [part for part in [*given, *(word.value for word in node.keywords)] if isinstance(part, ast.Constant)]
        opened = name in ("open", "fdopen") and any(MODES & set(str(mode.value)) for mode in modes)
        if opened or name in WRITING & {"mkdir", "write_text", "write_bytes", "rmtree", "touch", "tofile", "unlink"}:
            yield f"line {node.lineno}: {name} opens or removes files; files.py and folders.py do"
        elif owner in ("os", "shutil") and name in WRITING:
            yield f"line {node.lineno}: {owner}.{name} changes files; files.py and folders.py do"


@pytest.mark.parametrize("place", [place for place in MODULES if place not in WRITERS])
def test_files_are_written_in_one_place(place):
    found = list(writes((SOURCE / place).read_text(encoding="utf-8")))
    # The command line opens the null device where a stream is closed.
    assert [line for line in found if place != "cli/__init__.py"] == []


def test_what_counts_as_writing():
    bad = [
        "Path('a').open('w')",
        "open('a', 'ab')",
        "p.write_text('')",
        "p.mkdir()",
        "shutil.rmtree(p)",
        "os.remove(p)",
    ]
    for line in bad:
        assert list(writes(line)), line
    for line in ["Path('a').open('rb')", "open('a')", "names.remove(3)", "text.replace('w', 'a')"]:
        assert not list(writes(line)), line


@pytest.mark.parametrize(
    "place", [place for place in MODULES if place.startswith("cli/") and place != "cli/_common.py"]
)
def test_commands_print_through_one_function(place):
    text = (SOURCE / place).read_text(encoding="utf-8")
    assert "typer.echo(" not in text or place == "cli/__init__.py"


def test_html_is_escaped_in_one_place():
    users = [place for place in MODULES if "from html import escape" in (SOURCE / place).read_text(encoding="utf-8")]
    assert users == ["html.py", "views/_diagram_paint.py"]


def problems(place, text):
    """What a module does that its place does not allow, one line each."""
    if place in ("__init__.py", "__main__.py"):
        return
    here = place.split("/")[0].removesuffix(".py")
    if here not in ROOMS:
        yield f"{here} is not a room"
        return
    for line, name, at_once in imports(place, text):
        room = room_of(name)
        through_a_door = (place, room) in DOORS and not at_once
        if room in ROOMS and ROOMS.index(room) > ROOMS.index(here) and not through_a_door:
            yield f"line {line}: {here} must not import from {room}, which is below it ({name})"
        elif room is not None and room not in ROOMS and room != "__version__":
            yield f"line {line}: say from which room {name} comes"
        if room is not None and room != here and any(map(private, name.split(".")[1:])):
            yield f"line {line}: {name} is private to {room}"
        library = name.split(".")[0]
        if library in ONLY_IN and not place.startswith(ONLY_IN[library]):
            yield f"line {line}: {library} belongs to {', '.join(ONLY_IN[library])}"
        if library in NEVER_AT_MODULE_LEVEL and at_once:
            yield f"line {line}: {library} must be imported inside functions"
        if library in NEVER:
            yield f"line {line}: {library} must not be used"
    yield from dangers(ast.parse(text))


def dangers(tree):
    """Calls that run what a file says."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name in ("eval", "exec", "torch.load", "builtins.eval", "builtins.exec", "__import__"):
            yield f"line {node.lineno}: {name} must not be called"
        if any(word.arg == "allow_pickle" for word in node.keywords):
            yield f"line {node.lineno}: allow_pickle must not be given"


@pytest.mark.parametrize("place", MODULES)
def test_every_module_keeps_to_its_place(place):
    assert list(problems(place, (SOURCE / place).read_text(encoding="utf-8"))) == []


def test_the_modules_were_found():
    assert len(MODULES) > 40
    assert {place.split("/")[0] for place in MODULES} >= {"graphs", "aggregations", "automaton", "engine", "errors.py"}


@pytest.mark.parametrize(
    ("place", "text", "words"),
    [
        ("graphs/x.py", "from graphfsa.engine import run", "graphs must not import from engine"),
        ("graphs/x.py", "from graphfsa import run", "graphs must not import from engine"),
        (
            "graphs/x.py",
            "def f():\n    from graphfsa.engine.run import run",
            "line 2: graphs must not import from engine",
        ),
        ("graphs/x.py", "import graphfsa.automaton.fsa", "graphs must not import from automaton"),
        ("graphs/families/x.py", "from ...cli import main", "graphs must not import from cli"),
        ("errors.py", "from graphfsa.plugins import load_plugin", "errors must not import from plugins"),
        ("graphs/x.py", "if TYPE_CHECKING:\n    pass\nelse:\n    import graphfsa.cli", "must not import from cli"),
        (
            "graphs/x.py",
            "try:\n    from .. import engine\nexcept ImportError:\n    pass",
            "must not import from engine",
        ),
        ("engine/x.py", "import graphfsa", "say from which room graphfsa comes"),
        (
            "engine/x.py",
            "from graphfsa.graphs._numbering import x",
            "graphfsa.graphs._numbering.x is private to graphs",
        ),
        ("engine/x.py", "from graphfsa.graphs import _hidden", "graphfsa.graphs._hidden is private to graphs"),
        ("automaton/fsa.py", "from graphfsa.views import diagram", "automaton must not import from views"),
        ("automaton/x.py", "def f():\n    from graphfsa.views import diagram", "automaton must not import from views"),
        ("cellar/x.py", "", "cellar is not a room"),
        ("learners/x.py", "import torch", "torch must be imported inside functions"),
        ("engine/x.py", "def f():\n    import torch.nn", "torch belongs to"),
        ("graphs/x.py", "def f():\n    from torch import nn", "torch belongs to"),
        ("graphs/x.py", "import numba", "numba belongs to engine/"),
        ("engine/x.py", "from matplotlib import pyplot", "matplotlib belongs to views/"),
        ("cli/x.py", "def f():\n    from PIL import Image", "PIL belongs to views/"),
        ("views/x.py", "import networkx as nx", "networkx belongs to graphs/"),
        ("engine/x.py", "import pickle", "pickle must not be used"),
        ("engine/x.py", "class A:\n    def f(self):\n        eval('1')", "line 3: eval must not be called"),
        ("engine/x.py", "exec('1')", "exec must not be called"),
        ("learners/x.py", "def f():\n    import torch\n    torch.load('x')", "torch.load must not be called"),
        ("engine/x.py", "np.load('x', allow_pickle=False)", "allow_pickle must not be given"),
    ],
)
def test_a_wrong_module_would_be_found(place, text, words):
    found = list(problems(place, text))
    assert len(found) == 1
    assert words in found[0]


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("engine/x.py", "from graphfsa.graphs import Graph\nfrom graphfsa import Graph, GraphFSA\nfrom . import run"),
        ("engine/x.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from graphfsa.cli import main"),
        ("engine/x.py", "import typing\nif typing.TYPE_CHECKING:\n    import torch"),
        ("learners/x.py", "def f(model):\n    import torch\n    model.eval()"),
        ("graphs/convert.py", "def f():\n    import torch"),
        ("cli/x.py", "from graphfsa import __version__"),
        ("automaton/base.py", "def f():\n    from graphfsa.views import diagram"),
        ("engine/x.py", "from graphfsa.engine._tiled import x\nfrom graphfsa.engine import _tiled"),
        ("__init__.py", "from graphfsa.cli import main"),
    ],
)
def test_a_right_module_is_left_alone(place, text):
    assert list(problems(place, text)) == []
