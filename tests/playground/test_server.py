"""What the server answers is what the public functions return, and it ends without leaving anything behind."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from serving import Server, listed, long_learning

import graphfsa as gf
from graphfsa.datasets import PathFinding, write_jsonl
from graphfsa.graphs import GraphBatch, all_graphs
from graphfsa.learners import Model
from graphfsa.playground.scenes import read_scene

RULES = str(gf.library.path_finding().rules())
WRONG = RULES.replace("if at most one neighbour is not off", "if no neighbour is not off")
MODEL = {"rules": RULES}
FORK = [(0, 1), (0, 2), (1, 3), (2, 4)]
TELLING = [
    (FORK, (2, 4)),
    (FORK, (3, 4)),
    ([*FORK, (4, 5)], (1, 3)),
    ([*FORK, (4, 5)], (3, 5)),
    ([*FORK, (2, 5)], (4, 5)),
    ([*FORK, (2, 5), (5, 6)], (4, 5)),
]
"""Trees and their marks that keep wrong automata away, after all trees of up to 4 nodes."""


def small_trees(more=()):
    """Every instance of PathFinding on trees of up to 4 nodes, and more."""
    task, graphs, inputs = PathFinding(), [], []
    for size in range(2, 5):
        for graph in all_graphs("tree", size).graphs():
            for row in task.instances(graph):
                graphs.append(graph)
                inputs += row.tolist()
    for edges, marked in more:
        graphs.append(gf.Graph.from_edges(len(edges) + 1, edges))
        inputs += [int(node in marked) for node in range(len(edges) + 1)]
    return task.examples(GraphBatch.of(graphs), np.array(inputs))


@pytest.fixture(scope="session")
def lines(tmp_path_factory):
    """Labelled examples as the page has them."""
    path = tmp_path_factory.mktemp("examples") / "trees.jsonl"
    write_jsonl(path, small_trees())
    return [json.loads(line) for line in path.read_text().splitlines()], path


def test_the_tasks_that_it_offers(server):
    _, _, about = server.ask("GET", "/api/about")
    assert about["version"] == gf.__version__
    found = about["tasks"]["path-finding"]
    assert found.pop("about").startswith("Random trees with two marked nodes; nodes on the path between them are on")
    assert found == {
        "needs": None, "inputs": ["node", "marked"], "classes": ["off", "on"], "kind": "classes", "graphs": "tree",
        "provable": True,
    }  # fmt: skip
    known = {name: gf.datasets.dataset_class(name).__module__ for name in gf.datasets.dataset_names()}
    ours = {name for name, module in known.items() if module.startswith("graphfsa.datasets")}  # Tests define others.
    assert ours - set(about["tasks"]) == {"maze-pixels", "noisy-distance"}
    assert about["tasks"]["life"]["graphs"] is None


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["exact", "diff-fsa"])
def test_the_tasks_that_it_offers_are_learned(server, learner):
    for task, facts in server.ask("GET", "/api/about")[2]["tasks"].items():
        if facts["needs"] is None:
            found = server.result({"do": "learn", "task": task, "learner": learner})
            assert found["verdict"] == ("proved" if facts["provable"] else "exact"), task
            assert read_scene(found["scene"]).graph.num_nodes >= 24


def test_learning_is_that_of_learn(server, lines):
    given, path = lines
    found = server.follow(server.begin({"do": "learn", "examples": given, "seed": 4}))
    result, wanted = found["result"], gf.learn(path, seed=4)
    assert (result["verdict"], result["graphs"]) == (wanted.verdict, len(given))
    assert read_scene(result["scene"]).automaton == wanted.automaton
    assert json.loads(result["model"])["automaton"]["transition_table"] == wanted.automaton.transition_table.tolist()
    assert any("states" in record["doing"] for record in found["records"])


def test_a_training_is_told_with_its_loss_and_soft_table(server, lines):
    found = server.follow(server.begin({"do": "learn", "examples": lines[0], "learner": "diff-fsa"}))
    told = [record for record in found["records"] if "soft" in record]
    soft = told[-1]["soft"]
    assert {"loss", "accuracy", "updates", "solved"} <= set(told[-1])
    assert len(soft["values"]) == min(60, soft["columns"])
    probabilities = np.array(soft["probabilities"])
    assert probabilities.shape == (len(soft["names"]), len(soft["values"]), len(soft["names"]))
    assert np.allclose(probabilities.sum(axis=2), 1, atol=0.01)
    learned = read_scene(found["result"]["scene"]).automaton
    assert small_trees().accuracy(learned) == found["result"]["accuracy"] == 1


def test_verification_and_its_counterexample(server):
    asked = {"do": "verify", "task": "path-finding", "max_nodes": 5}
    right, wanted = server.result({**asked, "model": MODEL}), gf.verify("path-finding", max_nodes=5)
    assert (right["verified"], right["graphs"], right["instances"]) == (True, wanted.graphs, wanted.instances)
    model = Model.of(gf.GraphFSA.from_rules(WRONG), "path-finding")
    wrong, wanted = server.result({**asked, "model": {"rules": WRONG}}), gf.verify(model, max_nodes=5)
    assert not wrong["verified"]
    shown = read_scene(wrong["wrong"]["scene"])
    assert shown.graph == wanted.counterexample.graph
    assert tuple(shown.automaton.state_names[k] for k in shown.states) == wanted.counterexample.inputs
    for name in ("inputs", "labels", "predictions"):
        assert wrong["wrong"][name] == list(getattr(wanted.counterexample, name))


def test_verification_on_examples(server, lines):
    given, path = lines
    wrong = server.result({"do": "verify", "model": {"rules": WRONG}, "examples": given})
    wanted = gf.verify(gf.GraphFSA.from_rules(WRONG), path)
    assert (wrong["verified"], wrong["instances"]) == (wanted.verified, wanted.instances)


def test_proofs(server):
    proved, wanted = server.result({"do": "prove", "model": MODEL, "task": "path-finding"}), gf.prove("path-finding")
    assert (proved["verdict"], proved["claim"], proved["steps"]) == ("proved", wanted.claim, wanted.steps)
    assert proved["words"] == wanted.words("path-finding").splitlines()
    refuted = server.result({"do": "prove", "model": {"rules": WRONG}, "task": "path-finding"})
    wanted = gf.prove(Model.of(gf.GraphFSA.from_rules(WRONG), "path-finding"))
    assert refuted["verdict"] == "refuted"
    assert refuted["wrong"]["predictions"] == list(wanted.counterexample.predictions)


def test_suggestions(server, lines):
    given, path = lines
    few = [line for line in given if line["num_nodes"] == 3][:3]
    model = server.result({"do": "learn", "examples": few})["scene"]
    found = server.result({"do": "suggest", "model": {"rules": model["rules"]}, "examples": few, "max_nodes": 4})
    half = path.with_name("few.jsonl")
    half.write_text("".join(json.dumps(line) + "\n" for line in few))
    wanted = gf.suggest(gf.GraphFSA.from_rules(model["rules"]), half, max_nodes=4)
    assert (found["determined"], found["checked"]) == (wanted.determined, wanted.checked)
    (asked,) = wanted.suggestions
    assert found["question"]["world"]["n"] == asked.graph.num_nodes
    assert found["question"]["inputs"] == [wanted.task.inputs[number] for number in asked.inputs]


def test_comparisons(server):
    asked = {"do": "compare", "model": MODEL, "max_nodes": 4}
    assert server.result({**asked, "other": MODEL})["by"] == "renaming"
    found = server.result({**asked, "other": {"rules": WRONG}})
    wanted = gf.compare(gf.library.path_finding(), gf.GraphFSA.from_rules(WRONG), max_nodes=4, graph_class="tree")
    assert (found["equivalent"], found["checked"]) == (False, wanted.checked)
    assert read_scene(found["difference"]["scene"]).graph == wanted.distinguishing.graph
    assert found["admitted"] is None


def test_a_difference_that_no_run_of_a_task_begins_with_is_told(server):
    # Two nodes without a mark tell them apart; the task has two marks.
    asked = {"do": "compare", "model": MODEL, "other": {"rules": WRONG}, "task": "path-finding"}
    assert server.result(asked)["admitted"] is False
    # A root alone does; the task admits it.
    rules = str(gf.library.distance().rules())
    other = {"rules": rules.replace("root -> even", "root -> odd")}
    assert server.result({"do": "compare", "model": {"rules": rules}, "other": other, "task": "distance"})["admitted"]


def test_reports(server, lines):
    found = server.result({"do": "report", "model": MODEL, "examples": lines[0], "title": "Mine <b>"})
    status, headers, page = server.ask("GET", found["address"], token=False)
    assert status == 200
    assert headers["content-security-policy"] == "frame-ancestors 'none'; sandbox allow-scripts"
    assert "Mine &lt;b&gt;" in page
    assert "page" not in found


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"do": "learn", "task": "distance", "examples": [{}]}, "request: give either a task or examples"),
        ({"do": "suggest", "model": {}}, "request: field 'examples' is missing"),
        (
            {"do": "prove", "model": {}, "task": "nothing"},
            "request: field 'task' must be one of brians-brain, dist",
        ),
        ({"do": "learn", "task": "distance", "seed": -1}, "request: field 'seed' must be an integer from 0"),
    ],
)
def test_requests_that_say_what_is_wrong(server, request_, words):
    status, _, found = server.ask("POST", "/api/jobs", request_)
    assert status == 400
    assert found["error"].startswith(words)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"do": "learn", "examples": [{"num_nodes": 1}]}, "example 1: field 'edges' is missing"),
        ({"do": "prove", "model": {"rules": "# nothing"}, "task": "distance"}, "model: rules: a line 'states:"),
        ({"do": "prove", "model": {}, "task": "distance"}, "model: automaton: field 'state_names' is missing"),
        ({"do": "prove", "model": MODEL, "task": "distance"}, "distance has the classes even, odd"),
        (
            {"do": "compare", "model": {"rules": str(gf.library.mis().rules())}, "other": MODEL},
            "this needs an automaton without coins",
        ),
    ],
)
def test_jobs_that_fail_say_why(server, request_, words):
    found = server.follow(server.begin(request_))
    assert (found["state"], found["error"][: len(words)]) == ("failed", words)


def test_the_browser_is_started_with_a_code_that_becomes_the_token(tmp_path):
    told = tmp_path / "told"
    command = f"{sys.executable} -c \"import sys; open('{told}', 'w').write(sys.argv[1])\" %s"
    started = Server(browser="--browser", BROWSER=command, DISPLAY=":0")
    try:
        until = time.monotonic() + 60
        while not (told.exists() and told.read_text()) and time.monotonic() < until:
            time.sleep(0.05)
        address, _, code = told.read_text().partition("#code=")
        assert address == f"http://{started.host}/"
        assert started.token not in code
        found = [started.ask("POST", "/api/enter", {"code": code}, token=False) for _ in range(2)]
        assert [status for status, _, _ in found] == [200, 403]
        assert found[0][2] == {"token": started.token}
    finally:
        started.end()


def test_the_code_that_the_browser_gets_is_good_once():
    from starlette.exceptions import HTTPException

    from graphfsa.playground.server.guards import Keys

    keys = Keys()
    code = keys.code
    with pytest.raises(HTTPException, match="wrong"):
        keys.exchange("x" * len(code))
    assert keys.exchange(code) == keys.token
    with pytest.raises(HTTPException, match="used already"):
        keys.exchange(code)


def gone(numbers):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        states = [listed("-o", "stat=", "-p", str(number)).strip() for number in numbers]
        if all(state == "" or state.startswith("Z") for state in states):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGTERM, 143),
        (signal.SIGKILL, -9),
        pytest.param(signal.SIGINT, 130, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, 129, marks=pytest.mark.slow),
    ],
)
def test_it_ends_cleanly_while_it_works(number, code):
    started = Server()
    job = started.begin(long_learning())
    while not started.ask("GET", f"/api/jobs/{job}")[2]["records"]:
        time.sleep(0.05)
    children = [int(word) for word in listed("-o", "pid=", "--ppid", str(started.process.pid)).split()]
    assert children
    found, out, err = started.end(number)
    assert (found, out, err) == (code, "", "" if number == signal.SIGKILL else "ended\n")
    assert gone(children)


def test_a_port_that_is_taken_is_named(server):
    command = [sys.executable, "-m", "graphfsa", "playground", "--no-browser", "--port", server.port]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: --port {server.port} must be free")


def test_without_starlette_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "starlette", None)
    for name in [name for name in sys.modules if name.startswith(("starlette.", "graphfsa.playground.server."))]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(gf.GraphFSAError, match=r"pip install 'graphfsa\[server\]'"):
        gf.play().serve()
