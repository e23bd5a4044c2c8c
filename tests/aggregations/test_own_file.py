"""An aggregation of one's own: defined in a file or a script, or announced by a package; run, saved and loaded."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from graphfsa import Aggregation, Graph, GraphFSA, families, library, run
from graphfsa.aggregations import aggregation_class, aggregation_config, aggregation_from_config, aggregation_names
from graphfsa.engine import reference_run
from graphfsa.errors import AutomatonError, FormatError, UnknownNameError
from graphfsa.plugins import load_file

MINIMAL = '''
"""Parity aggregation: the sum of the neighbours' states modulo a number."""

from dataclasses import dataclass

from graphfsa import Aggregation

OFFSET = 0


@dataclass(frozen=True)
class ParityAggregation(Aggregation):
    modulus: int = 2

    def num_values(self, num_states):
        return self.modulus

    def encode(self, states, slots, num_states):
        return (OFFSET + sum(states)) % self.modulus
'''
COMPILED = (
    MINIMAL.replace("from dataclasses", "import numpy as np\nfrom dataclasses").replace(
        "@dataclass",
        """def compiled(states, sources, slots, begin, end, parameters, scratch):
    total = OFFSET
    for arc in range(begin, end):
        total += np.int64(states[sources[arc]])
    return total % parameters[0]


@dataclass""",
    )
    + """
    compiled_encode = staticmethod(compiled)

    def parameters(self, num_states):
        return np.array([self.modulus], np.int64)

    def decode(self, value, state_names):
        return f"sum {self.digits(value, len(state_names))[0]} modulo {self.modulus}"
"""
)
SCRIPT = """
fsa = GraphFSA.from_rule(["0", "1"], ParityAggregation(), lambda state, total: total)
print(run(fsa, Graph.from_edges(3, [(0, 1), (1, 2)]), [1, 0, 0], 1, kernel="dense").last.tolist())
"""
HEAD = "from graphfsa import Graph, GraphFSA, run\n"
UNKNOWN = (
    "the aggregation 'parity' is not known here; it was defined in parity.py: import that file first, or put "
    "--plugin parity.py before the command: graphfsa --plugin parity.py COMMAND ..."
)


@pytest.fixture(autouse=True)
def forget():
    """What a test defines is gone after it."""
    before = list(Aggregation._defined)
    yield
    Aggregation._defined[:] = before


@pytest.fixture(params=[MINIMAL, COMPILED], ids=["minimal", "compiled"])
def parity(request, tmp_path):
    """The class of a file that a user has loaded."""
    file = tmp_path / "parity.py"
    file.write_text(request.param)
    return load_file(file).ParityAggregation


def python(code, *arguments, path=None, **env):
    paths = [*([] if path is None else [str(path)]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **env}
    command = [sys.executable, "-B", *([str(code)] if isinstance(code, Path) else ["-c", code]), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)


def move(state, total):
    """Take the sum modulo three, but never stay."""
    return total if total != int(state) else (total + 1) % 3


def automaton(parity):
    return GraphFSA.from_rule(["0", "1", "2"], parity(modulus=3), move)


def test_it_is_found_by_name(parity):
    assert "parity" in aggregation_names()
    assert aggregation_class("parity") is parity


def test_it_is_not_there_before():
    assert "parity" not in aggregation_names()
    with pytest.raises(UnknownNameError):
        aggregation_class("parity")


def test_an_automaton_with_it_is_saved_and_loaded(parity, tmp_path):
    fsa = automaton(parity)
    assert fsa.transition_table.tolist() == [[1, 1, 2], [0, 2, 2], [0, 1, 0]]
    fsa.save(tmp_path / "own.json")
    written = json.loads((tmp_path / "own.json").read_text())["aggregation"]
    assert written == {"name": "parity", "file": "parity.py", "class": "ParityAggregation", "modulus": 3}
    loaded = GraphFSA.load(tmp_path / "own.json")
    assert loaded == fsa
    assert loaded.aggregation.modulus == 3
    assert str(tmp_path) not in (tmp_path / "own.json").read_text()


def test_the_file_is_no_part_of_the_digest(parity, tmp_path):
    elsewhere = tmp_path / "other.py"
    elsewhere.write_text(Path(sys.modules[parity.__module__].__file__).read_text())
    assert automaton(load_file(elsewhere).ParityAggregation).digest == automaton(parity).digest


def test_built_in_ones_are_written_as_ever():
    for fsa in (library.life_like(), library.elementary(30), library.distance(), library.wireworld()):
        assert aggregation_config(fsa.aggregation) == fsa.aggregation.config()
    assert library.life_like().digest == "558ab55ec548209a89ef53b0ecfee869d2f218da845e97304888b65dc149d50c"


def test_its_rules_are_written_and_read_without_a_word_from_it(parity):
    """It says nothing about what may be asked, so rules name its values as ``decode`` does."""
    fsa = automaton(parity)
    words = "sum 2 modulo 3" if parity.compiled_encode else "value 2"
    rules = fsa.rules()
    assert f'0 -> 2 if neighbourhood is "{words}"\n0 -> 1 otherwise\n' in str(rules)
    assert GraphFSA.from_rules(str(rules)) == fsa
    assert words in fsa._repr_html_()
    space = {}
    exec(rules.python(), space)
    table = [[int(space["step"](str(state), value)) for value in range(3)] for state in range(3)]
    assert table == fsa.transition_table.tolist()


def test_it_runs_on_every_kernel(parity):
    fsa = automaton(parity)
    rng = np.random.default_rng(0)
    for graph in (Graph.from_edges(60, rng.integers(0, 60, (150, 2)), directed=True), families.moore(6, 7, torus=True)):
        states = rng.integers(0, 3, graph.num_nodes)
        frames = reference_run(fsa, graph, states.tolist(), 7)
        for kernel in ("auto", "event", "dense"):
            assert run(fsa, graph, states, 7, kernel=kernel, record="all").states.tolist() == frames, kernel
        for kernel in ("lattice", "bits"):
            with pytest.raises(ValueError, match="can't run"):
                run(fsa, graph, states, 7, kernel=kernel)


def test_it_runs_on_a_large_graph_with_threads(parity):
    fsa = automaton(parity)
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(40_000, rng.integers(0, 40_000, (60_000, 2)))
    expected = states = rng.integers(0, 3, 40_000)
    targets = graph.targets()
    for _ in range(3):
        sums = np.bincount(targets, weights=expected[graph.indices], minlength=40_000).astype(int) % 3
        expected = fsa.transition_table[expected, sums].astype(int)
    assert np.array_equal(run(fsa, graph, states, 3, threads=3).last, expected)


@pytest.mark.parametrize("source", [MINIMAL, COMPILED], ids=["minimal", "compiled"])
def test_a_changed_file_is_compiled_anew(tmp_path, source):
    """Compiled code is kept on disk: it must not be used again when a number in the file has changed."""
    found = []
    for offset in (0, 1):
        (tmp_path / "parity.py").write_text(source.replace("OFFSET = 0", f"OFFSET = {offset}"))
        code = HEAD + "from parity import ParityAggregation\n" + SCRIPT
        done = python(code, path=tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
        assert done.returncode == 0, done.stderr
        found.append(done.stdout.strip())
    assert found == ["[0, 1, 0]", "[1, 0, 1]"]


def test_a_script_defines_and_saves_it_and_another_process_loads_it(tmp_path):
    script = tmp_path / "parity.py"
    script.write_text(MINIMAL + HEAD + SCRIPT + "import sys\nfsa.save(sys.argv[1])\n")
    model = tmp_path / "m.json"
    done = python(script, model)
    assert (done.stdout.strip(), done.stderr) == ("[0, 1, 0]", "")
    assert json.loads(model.read_text())["aggregation"]["file"] == "parity.py"
    load = "import sys\nfrom graphfsa import GraphFSA\nfsa = GraphFSA.load(sys.argv[1])\nprint(fsa.aggregation)"
    refused = python(load, model)
    assert UNKNOWN in refused.stderr
    (tmp_path / "parity.py").write_text(MINIMAL)
    assert python("import parity\n" + load, model, path=tmp_path).stdout == "ParityAggregation(modulus=2)\n"
    loaded = f"from graphfsa.plugins import load_file\nload_file({str(script)!r})\n{load}"
    assert python(loaded, model).stdout == "ParityAggregation(modulus=2)\n"


def test_a_package_announces_it(tmp_path):
    """As an entry point, it is found without an import."""
    (tmp_path / "parity.py").write_text(MINIMAL)
    facts = tmp_path / "neighbours-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: neighbours\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[graphfsa.aggregations]\nparity = parity:ParityAggregation\n")
    code = """
import sys
from graphfsa import GraphFSA
from graphfsa.aggregations import aggregation_class, aggregation_names
assert "parity" in aggregation_names() and "parity" not in sys.modules
fsa = GraphFSA.from_rule(["0", "1"], aggregation_class("parity")(), lambda state, total: total)
fsa.save(sys.argv[1])
assert GraphFSA.load(sys.argv[1]) == fsa
"""
    done = python(code, tmp_path / "m.json", path=tmp_path)
    assert done.returncode == 0, done.stderr
    fresh = "import sys\nfrom graphfsa import GraphFSA\nprint(GraphFSA.load(sys.argv[1]).aggregation)"
    assert python(fresh, tmp_path / "m.json", path=tmp_path).stdout == "ParityAggregation(modulus=2)\n"


def test_loading_runs_no_code_that_a_file_names(tmp_path):
    """Neither the file that a model mentions nor one that hides in a name is run."""
    (tmp_path / "parity.py").write_text(MINIMAL + "\nraise SystemExit('it ran')\n")
    file = str(tmp_path / "parity.py")
    with pytest.raises(FormatError, match=re.escape(UNKNOWN.replace("parity.py", file))):
        aggregation_from_config({"name": "parity", "file": file, "class": "ParityAggregation"})
    for config in ({"name": f"{file}:ParityAggregation"}, {"name": f"{file}:ParityAggregation", "class": "P"}):
        with pytest.raises(FormatError, match="the name of an aggregation must have no colon"):
            aggregation_from_config(config)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"class": "Other"}, "the aggregation 'parity' must be the class Other; here it is ParityAggregation"),
        ({"class": 3}, "class and file of an aggregation must be strings; got 3, None"),
        ({"class": "ParityAggregation", "file": ["x"]}, "must be strings; got 'ParityAggregation', ['x']"),
        ({"class": "ParityAggregation", "colour": "red"}, "aggregation fields do not fit ParityAggregation"),
    ],
)
def test_a_config_that_does_not_fit(parity, config, words):
    with pytest.raises(FormatError, match=re.escape(words)):
        aggregation_from_config({"name": "parity", **config})


def test_one_without_a_file_says_what_is_missing():
    with pytest.raises(FormatError, match="the aggregation 'dice' is not known here: define its class Dice first"):
        aggregation_from_config({"name": "dice", "class": "Dice"})


def test_a_name_that_is_taken_twice_is_refused(parity, tmp_path):
    (tmp_path / "again.py").write_text(MINIMAL)
    fsa = automaton(parity)
    load_file(tmp_path / "again.py")
    with pytest.raises(
        AutomatonError, match="ParityAggregation can't be saved: another aggregation is called 'parity'"
    ):
        fsa.save(tmp_path / "m.json")
    assert not (tmp_path / "m.json").exists()


def test_a_field_called_file_is_refused(tmp_path):
    (tmp_path / "filed.py").write_text(MINIMAL.replace("modulus", "file"))
    fsa = GraphFSA.from_rule(["0", "1"], load_file(tmp_path / "filed.py").ParityAggregation(), lambda *_: 0)
    with pytest.raises(AutomatonError, match="a field of an aggregation must not be called 'file'"):
        fsa.save(tmp_path / "m.json")
