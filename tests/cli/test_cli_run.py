import signal
import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from graphfsa import families, library
from processes import let_work, listen_to_interruptions


def life_by_rolling(cells, steps):
    for _ in range(steps):
        around = sum(np.roll(cells, (r, c), (0, 1)) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c)
        cells = ((around == 3) | ((cells == 1) & (around == 2))).astype(np.uint8)
    return cells


@pytest.mark.parametrize("suffix", [".txt", ".safetensors"])
def test_life_digest_equals_an_independent_implementation(cli, tmp_path, suffix):
    start = tmp_path / f"start{suffix}"
    common = ["run", "life", "--graph", "moore-torus:70x90", "--seed", 1]
    assert cli(*common, "--states", "random", "--steps", 0, "--out", start).code == 0
    if suffix == ".txt":
        cells = np.array([["dead", "alive"].index(line) for line in start.read_text().split()], np.uint8)
    else:
        cells = load_file(start)["states"]
    expected = sha256(life_by_rolling(cells.reshape(70, 90), 100).tobytes()).hexdigest()
    drawn = cli(*common, "--states", "random", "--steps", 100, "--json").json
    from_file = cli(*common, "--states", start, "--steps", 100, "--json").json
    assert drawn["digest"] == from_file["digest"] == expected
    assert {"nodes", "arcs", "steps", "stable_at", "period", "digest", "kernel", "seconds"} <= drawn.keys()
    assert (drawn["nodes"], drawn["arcs"], drawn["steps"]) == (6300, 50400, 100)


def test_distance_on_a_path_writes_the_parity_of_every_node(cli, tmp_path):
    out = tmp_path / "last.safetensors"
    facts = cli(
        "run", "distance", "--graph", "path:20000", "--states", "root:0", "--steps", "stable", "--out", out, "--json"
    ).json
    assert (load_file(out)["states"] == np.arange(20000) % 2).all()
    assert facts["stable_at"] == facts["steps"] == 20000
    assert facts["period"] == 1
    assert facts["counts"] == {"even": 10000, "odd": 10000, "node": 0, "root": 0}


def test_text_states_by_number_name_or_row(cli, tmp_path):
    grid = ["0 1 0", "dead alive dead", "0 1 0"]
    (tmp_path / "rows.txt").write_text("\n".join(grid))
    (tmp_path / "lines.txt").write_text("\n".join("\n".join(row.split()) for row in grid) + "\n")
    for name in ("rows.txt", "lines.txt"):
        out = tmp_path / "out.txt"
        answer = cli("run", "life", "--graph", "moore:3x3", "--states", tmp_path / name, "--steps", 1, "--out", out)
        assert answer.code == 0
        assert out.read_text().split() == ["dead"] * 3 + ["alive"] * 3 + ["dead"] * 3


def test_faults_that_never_end_are_named_before_a_run_to_rest(cli):
    to_rest = ["run", "majority", "--graph", "cycle:8", "--steps", "stable", "--max-steps", 5, "--faults"]
    endless = cli(*to_rest, "lost:q=0.2")
    assert "the fault lost:q=0.2 never ends, so the run can't come to rest; give it an end (stop=)" in endless.err
    assert "never ends" not in cli(*to_rest, "lost:q=0.2,stop=3").err


def test_described_states(cli, tmp_path):
    out = tmp_path / "s.txt"
    common = ["--graph", "path:5", "--steps", 0, "--out", out]
    assert cli("run", "path-finding-2", "--states", "node+first:1+second:3", *common).code == 0
    assert out.read_text().split() == ["node", "first", "node", "second", "node"]
    assert cli("run", "path-finding", "--states", "marked:0,4", *common).code == 0
    assert out.read_text().split() == ["marked", "node", "node", "node", "marked"]
    assert cli("run", "life", "--states", "alive", *common).code == 0
    assert out.read_text().split() == ["alive"] * 5


def test_random_shares_cells_and_patterns(cli, tmp_path):
    out = tmp_path / "s.txt"
    common = ["--graph", "moore-torus:20x30", "--steps", 0, "--json"]
    assert 100 < cli("run", "life", "--states", "random:0.25", *common).json["counts"]["alive"] < 200
    counts = cli("run", "brians-brain", "--states", "random:0.1,0.5", *common).json["counts"]
    assert counts["on"] < 100 < 200 < counts["dying"]
    assert cli("run", "life", "--states", "alive:0x0,19x29", *common, "--out", out).json["counts"]["alive"] == 2
    assert [k for k, name in enumerate(out.read_text().split()) if name == "alive"] == [0, 599]
    (tmp_path / "glider.rle").write_text("#N Glider\nx = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n")
    for where in ("", "@19x29"):
        states = f"{tmp_path / 'glider.rle'}{where}"
        facts = cli("run", "life", "--graph", "moore-torus:20x30", "--states", states, "--steps", "stable", "--json")
        assert (facts.json["period"], facts.json["counts"]["alive"]) == (240, 5)


def test_a_model_file_and_a_graph_file_run(cli, tmp_path):
    from graphfsa.graphs import write_graph

    library.distance().save(tmp_path / "m.json")
    write_graph(tmp_path / "g.edges", families.cycle(6))
    common = ["--states", "root:2", "--steps", "stable", "--json"]
    from_files = cli("run", tmp_path / "m.json", "--graph", tmp_path / "g.edges", *common).json
    from_names = cli("run", "distance", "--graph", "cycle:6", *common).json
    assert from_files["digest"] == from_names["digest"]
    assert from_files["automaton"] == library.distance().digest


def test_same_seed_same_digest_and_threads_do_not_matter(cli):
    common = ["run", "brians-brain", "--graph", "erdos-renyi:20000,mean-degree=8", "--steps", 20, "--json"]
    digests = {cli(*common, "--seed", 5, "--threads", n).json["digest"] for n in (1, 2, 8)}
    assert len(digests) == 1
    assert cli(*common, "--seed", 6).json["digest"] not in digests


def test_a_trillion_steps_of_a_blinker_return_at_once(cli, tmp_path):
    (tmp_path / "s.txt").write_text("0\n" * 11 + "1\n" * 3 + "0\n" * 11)
    facts = cli(
        "run", "life", "--graph", "moore:5x5", "--states", tmp_path / "s.txt", "--steps", 10**12 + 1, "--json"
    ).json
    assert (facts["steps"], facts["stable_at"], facts["period"]) == (10**12 + 1, 0, 2)
    assert facts["counts"]["alive"] == 3


def test_not_stable_before_the_cap_is_said(cli):
    answer = cli(
        "run", "distance", "--graph", "path:100", "--states", "root:0", "--steps", "stable", "--max-steps", 7, "--json"
    )
    assert answer.code == 0
    assert answer.json["stable_at"] is None
    assert answer.json["steps"] == 7
    assert "--max-steps" in answer.err


def test_words_for_people(cli):
    answer = cli("run", "life", "--graph", "moore:4x4", "--states", "dead", "--steps", 3)
    assert "counts" in answer.out
    assert "dead 16" in answer.out


BAD = [
    (["run", "lief", "--graph", "path:3", "--steps", 1], "did you mean 'life'"),
    (["run", "rule256", "--graph", "ring:3", "--steps", 1], "from 0 to 255"),
    (["run", "life", "--graph", "pth:3", "--steps", 1], "unknown graph family 'pth'"),
    (["run", "life", "--graph", "path:x", "--steps", 1], "path takes N"),
    (["run", "life", "--graph", "path:-3", "--steps", 1], "-3"),
    (["run", "life", "--graph", "path:3", "--steps", "-1"], "--steps must be an integer"),
    (["run", "life", "--graph", "path:3", "--steps", "forever"], "--steps must be an integer"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--states", "ill"], "dead, alive"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--states", "alive:7"], "0 .. 2"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--states", "alive:x"], "nodes must be integers"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--states", "nowhere.txt"], "nowhere.txt"),
    (["run", "life", "--graph", "moore:3x3", "--steps", 1, "--states", "nowhere.rle"], "nowhere.rle"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--states", "random:1.5"], "add up to at most 1"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--states", "random:half"], "random: must be followed by"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--states", "alive:0x0"], "ROWxCOLUMN is for lattices"),
    (["run", "life", "--graph", "moore:3x3", "--steps", 1, "--states", "alive:3x0"], "row 0 .. 2"),
    (["run", "life", "--graph", "nowhere.json", "--steps", 1], "nowhere.json"),
    (["run", "nowhere.json", "--graph", "path:3", "--steps", 1], "nowhere.json"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--out", "no/such/dir.txt"], "no directory"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--out", "x.png"], ".safetensors"),
    (["run", "rule30", "--graph", "path:3", "--steps", 1], "neighbour slots"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--kernel", "magic"], "auto"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--kernel", "bits"], "can't run"),
    (["run", "life", "--graph", "hex-torus:3x4", "--steps", 1], "even height"),
    (["run", "life", "--graph", "path:3"], "--steps"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--seed", "-1"], "--seed"),
    (["run", "life", "--graph", "path:3", "--steps", 1, "--max-steps", 3], "--max-steps goes with --steps stable"),
    (["info", "nothing"], "wireworld"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD, ids=lambda value: value if isinstance(value, str) else None)
def test_bad_input_is_said_and_exits_with_2(cli, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    answer = cli(*arguments)
    assert answer.code == 2
    assert words in answer.err
    assert "Traceback" not in answer.err
    assert answer.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("dead\nundead\nalive\n", "line 2"),
        ("dead\n\nalive\n", "line 2"),
        ("dead\nalive\n", "one state per node, 3; got 2"),
        ("", "one state per node, 3; got 0"),
        ("0\n1\n2\n", "line 3"),
        ("0\n1\n-1\n", "line 3"),
        ("nan\n0\n0\n", "line 1"),
    ],
)
def test_malformed_state_files_name_the_line(cli, tmp_path, content, words):
    file = tmp_path / "s.txt"
    file.write_text(content)
    answer = cli("run", "life", "--graph", "path:3", "--steps", 1, "--states", file, "--out", tmp_path / "out.txt")
    assert answer.code == 2
    assert words in answer.err
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize(
    ("tensors", "words"),
    [
        ({"states": np.array([0.0, np.nan, 1.0])}, "must hold integers"),
        ({"states": np.array([0, -1, 1])}, "states[1]"),
        ({"states": np.array([0, 1, 2])}, "states[2]"),
        ({"states": np.array([0, 1])}, "got 2"),
        ({"other": np.array([0, 1, 1])}, "named 'states'"),
    ],
)
def test_malformed_tensors_name_the_entry(cli, tmp_path, tensors, words):
    file = tmp_path / "s.safetensors"
    save_file(tensors, file)
    answer = cli("run", "life", "--graph", "path:3", "--steps", 1, "--states", file)
    assert answer.code == 2
    assert words in answer.err


def test_a_file_that_is_not_safetensors(cli, tmp_path):
    file = tmp_path / "s.safetensors"
    file.write_bytes(b"\xff" * 100)
    answer = cli("run", "life", "--graph", "path:3", "--steps", 1, "--states", file)
    assert answer.code == 2
    assert "not a safetensors file" in answer.err


def test_an_interrupt_exits_with_130_and_writes_nothing(cli, tmp_path):
    # What is compiled now is found compiled later: the compiler can lose a signal that comes while it is at work.
    cli("run", "rule30", "--graph", "ring:100001", "--states", "random", "--steps", 3000)
    command = [sys.executable, "-u", "-c", "from graphfsa.cli import main; main()", "run", "rule30"]
    command += [
        "--graph",
        "ring:100001",
        "--states",
        "random",
        "--steps",
        "999999999",
        "--out",
        str(tmp_path / "o.txt"),
    ]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=listen_to_interruptions
    )
    let_work(process, 2.5)
    assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "error: interrupted\n"
    assert out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_closed_pipe_is_no_traceback():
    program = "from graphfsa.cli import main; main()"
    line = f"{sys.executable} -c '{program}' info wireworld --json | head -c 1"
    result = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert "Traceback" not in result.stderr


def test_names_win_over_files_and_long_descriptions_are_no_file_names(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("life", "alive", "path"):
        (tmp_path / name).write_text("not for us")
    assert cli("run", "life", "--graph", "path:3", "--states", "alive", "--steps", 1).code == 0
    assert cli("info", "life").code == 0
    many = "alive:" + ",".join(map(str, range(0, 900, 2)))
    assert (
        cli("run", "life", "--graph", "path:1000", "--states", many, "--steps", 0, "--json").json["counts"]["alive"]
        == 450
    )
    assert cli("run", "x" * 3000, "--graph", "path:3", "--steps", 1).code == 2
    assert cli("run", "life", "--graph", "x" * 3000, "--steps", 1).code == 2
    assert cli("run", "life", "--graph", "path:3", "--steps", 1, "--out", "x" * 3000 + ".txt").code == 2
    assert cli("run", "rule-1", "--graph", "ring:3", "--steps", 1).code == 2


def test_an_input_is_not_overwritten(cli, tmp_path):
    graph = tmp_path / "g.txt"
    graph.write_text("0 1\n")
    answer = cli("run", "life", "--graph", graph, "--states", "dead", "--steps", 1, "--out", graph)
    assert answer.code == 2
    assert "overwrite" in answer.err
    assert graph.read_text() == "0 1\n"


def test_errors_are_one_short_line(cli, tmp_path):
    file = tmp_path / "m.json"
    file.write_text('{"schema": "' + "x\\n" * 50_000 + '"}')
    answer = cli("info", file)
    assert answer.code == 2
    assert len(answer.err) < 2000
    assert answer.err.count("\n") == 1


def test_closed_streams_and_missing_characters(tmp_path):
    library.life_like().save(tmp_path / "life.json")
    text = (tmp_path / "life.json").read_text().replace("alive", "\N{SNOWMAN}")
    (tmp_path / "snow.json").write_text(text)
    base = f"{sys.executable} -m graphfsa info {tmp_path}/snow.json"
    for ending in (">&-", "2>&-", ""):
        env = {"PYTHONIOENCODING": "latin-1", "PATH": "/usr/bin:/bin"}
        import os

        env = {**os.environ, **env}
        done = subprocess.run(
            f"{base} {ending}", shell=True, capture_output=True, text=True, env=env, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr


def test_a_damaged_or_full_kernel_cache_does_not_matter(tmp_path):
    import os

    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "graphfsa", "run", "distance", "--graph", "path:9", "--states", "root:0"]
    command += ["--steps", "stable", "--json"]

    def digest():
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.partition('"digest": ')[2][:66]

    first = digest()
    for file in tmp_path.rglob("*.nb?"):
        file.write_bytes(file.read_bytes()[:20] if file.suffix == ".nbi" else b"")
    assert digest() == first
