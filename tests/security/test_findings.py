"""Tracebacks, hangs and lost work that an attack found: each must stay mended."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
import typer
from typer.testing import CliRunner

from graphfsa import CountingAggregation, GraphFSA, learn
from graphfsa.analysis import save_impossibility
from graphfsa.cli import build_app
from graphfsa.cli._guard import guarded
from graphfsa.datasets import read_jsonl
from graphfsa.errors import FormatError, GraphFSAError
from graphfsa.escaping import latex_label, latex_text, markdown_name, spreadsheet_cell, terminal_json, terminal_text
from graphfsa.evaluation import Results, planned
from graphfsa.evaluation._workers import attempt
from graphfsa.evaluation.files import read_experiment
from graphfsa.evaluation.jobs import job_id
from graphfsa.files import parse_json, read_toml
from graphfsa.folders import append_line, place, whole_folder
from graphfsa.interrupts import deferred_signals, interruptible, would_be_lost
from graphfsa.search.proof import Impossibility
from processes import let_work, listen_to_interruptions

COMMAND = [sys.executable, "-m", "graphfsa"]


# ---- names


@pytest.mark.parametrize("name", ["a/../../up", "/up", "..", ".", "", "a/b", "a\\b", "C:up", "a\0b"])
def test_only_plain_names_become_files(tmp_path, name):
    with pytest.raises(GraphFSAError, match="must be plain, without directories"):
        place(tmp_path, name)


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_directory_with_a_name_that_no_file_can_have(tmp_path, name):
    with pytest.raises(GraphFSAError, match="must be one that files can have"), whole_folder(tmp_path / name):
        pass
    assert not list(tmp_path.iterdir())


def test_links_are_not_written_through(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    with pytest.raises(GraphFSAError, match="it is a link"):
        place(tmp_path, "a")
    assert place(tmp_path, "b") == tmp_path / "b"


def test_a_file_with_two_names_is_not_added_to(tmp_path):
    (tmp_path / "precious").write_text("line\n")
    os.link(tmp_path / "precious", tmp_path / "records.jsonl")
    with pytest.raises(GraphFSAError, match="has a second name"):
        append_line(tmp_path / "records.jsonl", b"more")
    assert (tmp_path / "precious").read_text() == "line\n"


# ---- text


def test_text_for_each_reader():
    assert terminal_text("a\x1b[2J\x07\n\u202eb") == "a\\x1b[2J\\x07\n\\u202eb"
    assert terminal_text("naïve 🐍 शि\u200d") == "naïve 🐍 शि\u200d"
    hidden = {"a\x9b31m": "\u202e"}
    assert json.loads(terminal_json(json.dumps(hidden, ensure_ascii=False))) == hidden
    assert terminal_json('"\x9b\u202e"').isprintable()
    assert latex_label("a}b\\input{x} ü") == "a-b-input-x-"
    assert latex_text("a\nb{}") == r"a b\{\}"
    assert [spreadsheet_cell(text) for text in ("=1", "+1", "-1", "@a", "\t", "n=1")] == [
        "'=1", "'+1", "'-1", "'@a", "' ", "n=1",
    ]  # fmt: skip
    assert markdown_name("<b>[a](b)|`c`\n# d") == r"\<b\>\[a\](b)\|\`c\` # d"


def test_what_one_types_on_the_command_line_is_not_echoed_raw():
    answer = CliRunner().invoke(build_app(), ["info", "\x1b[2Jx"])
    assert (answer.exit_code, "\x1b" in answer.stderr, r"\x1b[2Jx" in answer.stderr) == (2, False, True)


# ---- readers


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a = " + "[" * 20_000 + "]" * 20_000, "nested too deeply"),
        ("a = " + "9" * 5000, "not TOML that can be read"),
        ("a" + ".a" * 100_000 + " = 1", "at most 1000 dots"),
        ('a."=".' * 20_000 + "a = 1", "at most 1000 dots"),
        ("a" + " . a" * 50_000 + " = 1", "at most 1000 dots"),
        ("x" * 300_000, "at most 262144 bytes"),
        ("a = 'b", "not TOML: "),
    ],
)
def test_toml_that_nobody_writes(tmp_path, content, words):
    (tmp_path / "a.toml").write_text(content)
    began = time.process_time()
    with pytest.raises(GraphFSAError, match=words):
        read_toml(tmp_path / "a.toml")
    assert time.process_time() - began < 2


def test_numbers_that_are_too_large_are_refused():
    for text in ("1e999", "[-1e400]", "9" * 400 + ".0"):
        with pytest.raises(ValueError, match="is too large"):
            parse_json(text)
    assert parse_json("[1.5, 1e300, -0.0]") == [1.5, 1e300, 0.0]


def test_half_characters_are_refused():
    for text in (r'"\ud800"', r'{"\udfff": 1}', r'["a", "\ud83d"]'):
        with pytest.raises(ValueError, match="half of a surrogate pair"):
            parse_json(text)
    assert parse_json(r'"\ud83d\udc0d \u00e9"') == "🐍 é"


def test_steps_without_end(tmp_path):
    (tmp_path / "e.toml").write_text(
        'title = "x"\n[data]\ndataset = "root-value"\n[[tests]]\nname = "n"\nsize = 10\nsteps = 2147483647\n'
        '[[learners]]\ncolumn = "a"\nlearner = "recurrent-gnn"\n'
    )
    answer = CliRunner().invoke(build_app(), ["reproduce", str(tmp_path / "e.toml"), "--out", str(tmp_path / "out")])
    assert (answer.exit_code, "must have at most 1,000,000 steps" in answer.stderr) == (2, True)
    assert not (tmp_path / "out").exists()


def test_experiments_and_records_without_measure(tmp_path):
    content = {"title": "x", "data": {"dataset": "root-value"}, "tests": [{"name": f"t{k}"} for k in range(60_000)]}
    content["learners"] = [{"column": "a", "learner": "stay"}]
    began = time.process_time()
    with pytest.raises(GraphFSAError, match="there must be tests, and at most 1000; got 60000"):
        read_experiment("x", content, "x")
    content["tests"] = content["tests"][:1]
    found = read_experiment("x", content, "x")
    job = next(iter(planned({"x": found}, 1, quick=False).values()))
    results = Results.create(tmp_path / "out", {"x": found}, quick=False)
    record = attempt(job, results.models)
    record["config"]["seed"] = 10**9
    results.add({**record, "id": job_id(record["config"])})
    with pytest.raises(FormatError, match="'seed' must be below 10000"):
        results.records()
    assert time.process_time() - began < 60


@pytest.mark.parametrize("drawn", [{"count": 10_000_000, "sizes": [5]}, {"count": 100, "sizes": [100], "steps": 10**6}])
def test_a_model_that_says_it_learned_from_very_much(tmp_path, drawn):
    learn("distance", count=20).save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text())
    content["dataset"]["drawn"] |= drawn
    (tmp_path / "m.json").write_text(json.dumps(content))
    for command in (["coverage", str(tmp_path / "m.json")], ["suggest", str(tmp_path / "m.json")]):
        began = time.process_time()
        answer = CliRunner().invoke(build_app(), command)
        assert (answer.exit_code, "nodes are drawn again" in answer.stderr) == (2, True), answer.stderr
        assert time.process_time() - began < 5


@pytest.mark.parametrize("states", [2, None])
def test_a_certificate_about_a_large_star(tmp_path, states):
    size = 20_001
    star = {"num_nodes": size, "edges": [[0, k] for k in range(1, size)], "inputs": ["a"] * size}
    (tmp_path / "s.jsonl").write_text(json.dumps({**star, "labels": ["x"] * size, "steps": 3}) + "\n")
    examples = read_jsonl(tmp_path / "s.jsonl").examples
    save_impossibility(Impossibility(examples, CountingAggregation(1), states, minimal=False), tmp_path / "c.json")
    began = time.process_time()
    answer = CliRunner().invoke(build_app(), ["check", str(tmp_path / "c.json")])
    assert answer.exit_code == (1 if states is None else 2)
    assert ("takes more than 4,000,000 clauses" in answer.stderr) is (states is not None)
    assert time.process_time() - began < 5


def test_a_history_with_a_list_as_a_rate(tmp_path):
    numbers = ("updates", "states", "loss", "mean_loss", "accuracy", "solved", "entropy", "seconds")
    line = {**dict.fromkeys(numbers, 1), "aggregation": {"name": "counting"}}
    for rate, code in ((0.1, 0), ([1], 2), ("x", 2), (10**400, 2)):
        (tmp_path / "history.jsonl").write_text(json.dumps({**line, "rate": rate}) + "\n")
        for more in ((), ("--json",), ("--draw", str(tmp_path / "h.png"))):
            answer = CliRunner().invoke(build_app(), ["info", str(tmp_path / "history.jsonl"), *more])
            assert (answer.exit_code, isinstance(answer.exception, SystemExit)) == (code, code != 0)


def test_settings_of_the_compiler_in_the_working_directory_are_not_obeyed(tmp_path):
    """With PyYAML, numba reads a file there that may say where compiled code is kept, which is run."""
    (tmp_path / "yaml.py").write_text("safe_load = lambda *_a: {'cache_dir': 'evil'}\n")
    (tmp_path / ".numba_config.yaml").write_text("cache_dir: evil\n")
    command = [*COMMAND, "run", "life", "--graph", "moore-torus:6x6", "--steps", "2"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "evil").exists()


def test_settings_of_matplotlib_in_the_working_directory_are_not_obeyed(tmp_path):
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\nbackend: module://evil\nsavefig.format: nonsense\n")
    (tmp_path / "evil.py").write_text("open('PWNED', 'w')\n")
    command = [*COMMAND, "rollout", "life", "--graph", "moore-torus:6x6", "--steps", "2", "--seed", "1", "--out"]
    pictures = []
    for number, folder in enumerate((tmp_path, tmp_path.parent)):
        out = tmp_path / f"{number}.png"
        done = subprocess.run([*command, out], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        pictures.append(out.read_bytes())
    assert pictures[0] == pictures[1]
    assert not (tmp_path / "PWNED").exists()


# ---- signals


def started(*arguments, **options):
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen_to_interruptions,
        **options,
    )


def test_nothing_is_imported_before_control_c_is_answered():
    """What ``import graphfsa.__main__`` brings in beyond the interpreter's own modules: our two files."""
    program = "import sys, os; before = set(sys.modules); import graphfsa.__main__; print(*sys.modules.keys() - before)"
    found = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True,
                           env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
    assert set(found.stdout.split()) <= {"graphfsa", "graphfsa.__main__", "__future__"}


def test_control_c_while_a_class_names_its_attributes():
    class Named:
        def __set_name__(self, owner, name):
            raise KeyboardInterrupt

    @guarded
    def command() -> None:
        type("Owner", (), {"named": Named()})

    with pytest.raises(typer.Exit) as ended:
        command()
    assert ended.value.exit_code == 130


def test_a_library_that_panics_for_lack_of_memory():
    class PanicException(BaseException):
        pass

    @guarded
    def command() -> None:
        raise PanicException("PyObject pointer is null")

    with pytest.raises(typer.Exit) as ended:
        command()
    assert ended.value.exit_code == 1


@pytest.mark.parametrize("worked", [0.06, 0.08, 0.12, 0.2])
def test_control_c_at_start_up_shows_no_traceback(worked):
    complaint = "<frozen"
    while "<frozen" in complaint and "graphfsa" not in complaint:  # Python itself was still starting: a slow machine.
        process = started("info", "life")
        let_work(process, worked)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=60)
        worked *= 1.5
    assert "Traceback" not in complaint
    # As Python itself ends, when all is done, signals are the system's again; a shell says 130 then, too.
    assert process.returncode in (0, 130, -signal.SIGINT)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
@pytest.mark.parametrize("learner", ["exact", "diff"])
def test_signals_end_learning_with_the_best_so_far(tmp_path, learner, number, code):
    if learner == "diff":
        pytest.importorskip("torch")
        options = ["--updates", 100_000, "--harvest", 9999, "--patience", 99_999, "--checkpoint", tmp_path / "c"]
    else:
        (tmp_path / "d.jsonl").write_text(hard_data())
        options = ["--budget", 100]
    source = ["--task", "distance", "--count", 100] if learner == "diff" else ["--data", tmp_path / "d.jsonl"]
    process = started("learn", *source, "--learner", learner, *options, "--out", tmp_path / "m.json", "--json")
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        if learner == "diff" and (tmp_path / "c" / "checkpoint.safetensors").exists():
            break  # The first state is kept at once.
        if learner == "exact":
            let_work(process, 5)
            break
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(number)
    said, complaint = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in complaint) == (code, False), complaint
    facts = json.loads(said)
    assert facts["interrupted"] is True
    if facts["model"]:
        assert GraphFSA.load(tmp_path / "m.json").digest == facts["automaton"]
    else:
        assert learner == "exact"


def hard_data():
    """Random labels on one long path: no automaton is found soon, and none is refuted soon."""
    import numpy as np

    rng = np.random.default_rng(0)
    size = 60
    lines = []
    for _ in range(30):
        labels = [str(k) for k in rng.integers(0, 2, size)]
        inputs = [str(k) for k in rng.integers(0, 3, size)]
        edges = [[k, k + 1] for k in range(size - 1)]
        lines.append(json.dumps({"num_nodes": size, "edges": edges, "inputs": inputs, "labels": labels, "steps": 20}))
    return "\n".join(lines) + "\n"


def test_generators_can_be_interrupted():
    process = started("info", "delaunay:2000000")
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert time.monotonic() - began < 5  # On a busy machine; about half a second on a free one.


def test_what_a_library_does_in_a_thread():
    assert interruptible(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 / 0)


@pytest.fixture
def listening():
    """Tests may have been started by a shell that ignores interruptions."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_signals_are_kept_until_a_block_is_over(listening):
    seen = []
    with pytest.raises(KeyboardInterrupt):
        with deferred_signals():
            signal.raise_signal(signal.SIGINT)
            seen.append("went on")
        seen.append("never")
    assert seen == ["went on"]
    with deferred_signals() as received:
        signal.raise_signal(signal.SIGINT)
        assert received == [signal.SIGINT]
        received.clear()


def test_where_an_exception_would_be_lost():
    found = []

    class Ends:
        def __del__(self):
            found.append(would_be_lost(sys._getframe()))

    Ends()
    assert found == [True]
    assert not would_be_lost(sys._getframe())
    # The import system's own callback, as it is when a lock of a module is forgotten.
    space = {"found": found, "would_be_lost": would_be_lost, "sys": sys}
    text = "def cb():\n    found.append(would_be_lost(sys._getframe()))\ncb()"
    exec(compile(text, "<frozen importlib._bootstrap>", "exec"), space)
    assert found == [True, True]


def test_a_run_that_ended_before_its_manifest_goes_on(tmp_path):
    (tmp_path / "out" / "models").mkdir(parents=True)
    (tmp_path / "out" / ".graphfsa-0123456789abcdef.tmp").write_text("{")
    (tmp_path / "e.toml").write_text(
        'title = "x"\n[data]\ndataset = "root-value"\n[[tests]]\nname = "n"\nsize = 5\ncount = 2\n'
        '[[learners]]\ncolumn = "a"\nlearner = "stay"\n'
    )
    answer = CliRunner().invoke(
        build_app(), ["reproduce", str(tmp_path / "e.toml"), "--out", str(tmp_path / "out"), "--seeds", "1"]
    )
    assert answer.exit_code == 0, answer.stderr
