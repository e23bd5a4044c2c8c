"""States of nodes in every form in which people have them."""

import networkx as nx
import numpy as np
import pytest

from graphfsa import GraphFSA, families, library, run
from graphfsa.automaton.states import described_states, node_states, parse_states, random_states
from graphfsa.errors import FormatError, GraphFSAError, StateError

PATH = families.path(3)
ROOT = [3, 2, 2]
FRIENDS = nx.Graph([("ann", "bob"), ("bob", "cem")])


def rng():
    return np.random.default_rng(0)


ONE_HOT = np.eye(4)[ROOT]


@pytest.mark.parametrize(
    "given",
    [
        [3.0, 2.0, 2.0],
        np.array([3, 2, 2], np.float32),
        np.array([[3], [2], [2]]),
        np.array([[3.0], [2.0], [2.0]]),
        [["root"], ["node"], ["node"]],
        ONE_HOT,
        ONE_HOT.astype(np.float16),
        ONE_HOT.astype(bool),
        ONE_HOT.astype(int).tolist(),
        {0: "root", 1: "node", 2: 2},
        {np.int64(0): 3, 2: "node", 1: np.uint8(2)},
    ],
    ids=lambda given: type(given).__name__,
)
def test_every_form_of_states(given):
    found = node_states(library.distance(), PATH, given)
    assert found.dtype == np.uint8
    assert found.tolist() == ROOT
    assert run(library.distance(), PATH, given, 3).last.tolist() == [0, 1, 0]


def test_tensors():
    torch = pytest.importorskip("torch")
    for given in (torch.tensor(ONE_HOT, requires_grad=True), torch.tensor([[3.0], [2.0], [2.0]]), torch.tensor(ROOT)):
        assert node_states(library.distance(), PATH, given).tolist() == ROOT


def test_one_state_alone():
    """A column of ones is one-hot there, a column of zeros a column."""
    fsa = GraphFSA(["only"], library.distance().aggregation, [[0, 0]])
    for given in ([[1], [1], [1]], [[0], [0], [0]], "only", [0, 0, 0]):
        assert node_states(fsa, PATH, given).tolist() == [0, 0, 0]


def test_one_name_for_all_nodes():
    assert node_states(library.distance(), PATH, "odd").tolist() == [1, 1, 1]


def test_names_of_nodes():
    states = {"bob": "root"}
    assert node_states(library.distance(), FRIENDS, states, default="node").tolist() == [2, 3, 2]
    assert node_states(library.distance(), FRIENDS, {}, default=1).tolist() == [1, 1, 1]
    trajectory = run(library.distance(), FRIENDS, states, "stable", default="node", record="all")
    assert trajectory.by_node() == {"ann": "odd", "bob": "even", "cem": "odd"}
    assert trajectory.by_node(0) == {"ann": "node", "bob": "root", "cem": "node"}
    assert trajectory.by_node(step=1) == {"ann": "node", "bob": "even", "cem": "node"}
    assert trajectory.graph.node_names == ("ann", "bob", "cem")
    assert trajectory.fsa is not None
    with pytest.raises(StateError, match="step must be an integer >= 0; got -1"):
        trajectory.by_node(-1)


def test_numbers_of_nodes():
    trajectory = run(library.distance(), PATH, {2: "root"}, 2, default="node")
    assert trajectory.by_node() == {0: "node", 1: "odd", 2: "even"}


@pytest.mark.parametrize(
    ("states", "default", "words"),
    [
        ({"ann": "root"}, None, "node 'bob' and 1 other has none"),
        ({"ann": "root", "bob": 2}, None, "or give a default; node 'cem' has none"),
        ({"dan": "root"}, "node", "states: node must be one of 'ann', 'bob', 'cem'; got 'dan'"),
        ({0: "root"}, "node", "states: node must be one of 'ann', 'bob', 'cem'; got 0"),
        ({"ann": "rot"}, "node", "state of node 'ann' must be one of even, odd, node, root; got 'rot'"),
        ({"ann": "root"}, "nod", "default must be one of even, odd, node, root; got 'nod'"),
        ({"ann": "root"}, 4, r"default must be a state name or an integer from 0 to 3; got 4"),
        ([3, 2, 2], "node", "default goes with states that are a dict"),
        ("root", "node", "default goes with states that are a dict"),
    ],
)
def test_states_by_node_that_do_not_fit(states, default, words):
    with pytest.raises(StateError, match=words):
        run(library.distance(), FRIENDS, states, 1, default=default)


def test_shares():
    life, brain = library.life_like(), library.brians_brain()
    drawn = random_states(life, 100_000, rng(), shares=[0.3])
    assert abs(drawn.mean() - 0.3) < 0.01
    counts = np.bincount(random_states(brain, 100_000, rng(), shares=[0.3, 0.2]), minlength=3) / 100_000
    assert np.abs(counts - [0.5, 0.3, 0.2]).max() < 0.01
    assert random_states(life, 50, rng(), shares=[0]).tolist() == [0] * 50
    assert random_states(life, 50, rng(), shares=[1]).tolist() == [1] * 50
    many = GraphFSA.from_rule([f"s{k}" for k in range(11)], library.distance().aggregation, lambda state, _: state)
    assert random_states(many, 5000, rng(), shares=[0.1] * 10).min() == 1
    with_text = parse_states("random:0.3,0.2", brain, families.path(1000), rng())
    assert with_text.tolist() == random_states(brain, 1000, rng(), shares=[0.3, 0.2]).tolist()
    assert parse_states("random", brain, families.path(9), rng()).tolist() == random_states(brain, 9, rng()).tolist()


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ([1.1], r"shares must be numbers in 0 \.\. 1 that add up to at most 1; got \[1.1\]"),
        ([-0.1], r"add up to at most 1; got \[-0.1\]"),
        ([0.6, 0.5], "add up to at most 1"),
        ([float("nan")], "add up to at most 1"),
        ([], "add up to at most 1"),
        ([0.1, 0.1], r"there must be at most 1 shares \(of 2 states the first gets the rest\); got 2"),
    ],
)
def test_shares_that_do_not_fit(shares, words):
    with pytest.raises(StateError, match=words):
        random_states(library.life_like(), 9, rng(), shares=shares)


@pytest.mark.parametrize("text", ["random:", "random:x", "random:0.3,", "random:1e3", "random:-1", "random:nan"])
def test_shares_that_are_no_numbers(text):
    with pytest.raises(StateError, match=r"random: must be followed by shares such as 0.3 or 0.3,0.2; got "):
        parse_states(text, library.life_like(), PATH, rng())


def test_cells_of_a_lattice():
    life, board = library.life_like(), families.moore(4, 6)
    states = described_states("alive:0x1,3x5,7", life, board)
    assert np.flatnonzero(states).tolist() == [1, 7, 23]
    assert np.flatnonzero(described_states("dead+alive:1x1", life, families.hexagonal(2, 3))).tolist() == [4]
    assert np.flatnonzero(described_states("alive:0x3", life, families.ring(5))).tolist() == [3]
    assert np.flatnonzero(described_states("alive:2", life, nx.path_graph(4))).tolist() == [2]


@pytest.mark.parametrize(
    ("text", "graph", "words"),
    [
        ("alive:4x0", families.moore(4, 6), r"a cell must be in row 0 \.\. 3 and column 0 \.\. 5; got 4x0"),
        ("alive:0x6", families.moore(4, 6), "got 0x6"),
        ("alive:0x1", PATH, "ROWxCOLUMN is for lattices, such as moore; this graph is not a lattice; got 0x1"),
        ("alive:0x", families.moore(4, 6), "nodes must be integers, or ROWxCOLUMN on a lattice, separated by commas"),
        ("alive:1x2x3", families.moore(4, 6), "nodes must be integers, or ROWxCOLUMN"),
        ("alive:-1", PATH, "nodes must be integers"),
        ("alive:3", PATH, r"node must be in 0 \.\. 2; got 3"),
        ("alive:0", families.path(0), "the graph has no nodes; got node 0"),
    ],
)
def test_nodes_that_are_not_there(text, graph, words):
    with pytest.raises(StateError, match=words):
        described_states(text, library.life_like(), graph)


def test_patterns_by_file(tmp_path):
    file = tmp_path / "glider.rle"
    file.write_text("#N Glider\nx = 3, y = 3, rule = B3/S23\nbob$2bo$3o!\n")
    life, board = library.life_like(), families.moore(7, 9, torus=True)
    centred = parse_states(str(file), life, board, rng()).reshape(7, 9)
    assert np.argwhere(centred).tolist() == [[2, 4], [3, 5], [4, 3], [4, 4], [4, 5]]
    corner = parse_states(f"{file}@5x8", life, board, rng()).reshape(7, 9)
    assert np.argwhere(corner).tolist() == [[0, 0], [0, 1], [0, 8], [5, 0], [6, 1]]
    with pytest.raises(StateError, match="a pattern must be placed on a lattice"):
        parse_states(str(file), life, PATH, rng())
    with pytest.raises(StateError, match=r"must end inside 7 x 9 cells; it begins at 5x8"):
        parse_states(f"{file}@5x8", life, families.moore(7, 9), rng())
    with pytest.raises(StateError, match="row and column of a pattern must be below 7 and 9; got 7x0"):
        parse_states(f"{file}@7x0", life, board, rng())
    with pytest.raises(StateError, match="the pattern must fit into 2 x 9 cells; it has 3 x 3"):
        parse_states(str(file), life, families.moore(2, 9, torus=True), rng())
    with pytest.raises(GraphFSAError, match="cannot read"):
        parse_states("nowhere.rle@1x1", life, board, rng())
    with pytest.raises(StateError, match=r"must be given as FILE.rle or FILE.rle@ROWxCOLUMN; got 'nowhere.rle@1,1'"):
        parse_states("nowhere.rle@1,1", life, board, rng())
    file.write_text("x = 1, y = 1\nC!")
    with pytest.raises(StateError, match=r"glider.rle: states must be in 0 \.\. 1; the pattern has state 3"):
        parse_states(str(file), life, board, rng())


def test_text_files_go_by_their_suffix(tmp_path):
    (tmp_path / "s.txt").write_text("dead\nalive\n0\n")
    assert parse_states(str(tmp_path / "s.txt"), library.life_like(), PATH, rng()).tolist() == [0, 1, 0]
    with pytest.raises(FormatError, match="one state per node, 4; got 3"):
        parse_states(str(tmp_path / "s.txt"), library.life_like(), families.path(4), rng())
