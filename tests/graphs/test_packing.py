"""Graphs on disk: what is packed is what is opened, however packing went, and what is damaged is refused."""

import gzip
import json
import os
import pickle
import resource
import shutil
import subprocess
import sys
import zlib
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphfsa import Graph, families
from graphfsa.errors import FormatError, GraphError, GraphFSAError, LimitError
from graphfsa.graphs import as_graph, edge_lists, edge_sources, packing, tiles
from graphfsa.graphs import open as open_graph
from graphfsa.graphs.packing import pack
from graphfsa.graphs.stored import MAGIC, PAGE

SIDE = tiles.SIDE
# Few nodes, of which some are in other blocks than others, and at their borders.
NODES = st.sampled_from([0, 1, 2, 7, SIDE - 1, SIDE, SIDE + 1, 2 * SIDE, 2 * SIDE + 5])
MANY = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch):
    """Nobody pulls the plug."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@st.composite
def wide_graphs(draw):
    edges = draw(st.lists(st.tuples(NODES, NODES), max_size=40))
    hub = draw(st.integers(0, 400))
    edges += [(7, node) for node in range(hub)]
    num_nodes = max([end for edge in edges for end in edge], default=-1) + 1 + draw(st.sampled_from([0, 1, SIDE]))
    return Graph.from_edges(num_nodes, edges, directed=draw(st.booleans()))


@MANY
@given(wide_graphs())
def test_a_packed_graph_is_the_graph(tmp_path, graph):
    packed = pack(graph, tmp_path / "g.gfsa")
    assert (packed.num_nodes, packed.num_arcs, packed.digest) == (graph.num_nodes, graph.num_arcs, graph.digest)
    assert packed.tiles.digest() == graph.digest
    assert packed == graph
    assert type(packed.in_memory()) is Graph
    assert pickle.loads(pickle.dumps(packed)) == graph
    assert [path.name for path in tmp_path.iterdir()] == ["g.gfsa"]


@MANY
@given(wide_graphs(), st.integers(1, 50), st.booleans())
def test_an_edge_list_is_the_graph(tmp_path, graph, run, compressed):
    """Also in many small runs and blocks."""
    lines = [f"nodes {graph.num_nodes}", *(["directed"] if not graph.symmetric else [])]
    pairs = zip(graph.indices.tolist(), graph.targets().tolist(), strict=True)
    lines += [f"{u} {v}" for u, v in pairs if not graph.symmetric or u <= v]
    path = tmp_path / ("e.txt.gz" if compressed else "e.txt")
    content = "\n".join(lines).encode()
    path.write_bytes(gzip.compress(content, mtime=0) if compressed else content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "_RUN", run)
        patch.setattr(edge_lists, "_BLOCK", 7 * run)
        packed = pack(path, tmp_path / "g.gfsa")
    assert packed.digest == graph.digest
    assert packed.in_memory() == graph


def test_small_pieces(tmp_path, monkeypatch):
    graph = families.erdos_renyi(SIDE + 100, mean_degree=3, rng=np.random.default_rng(0))
    monkeypatch.setattr(tiles, "PIECE", 1000)
    for module in ("graphfsa.graphs.packing", "graphfsa.graphs.stored"):
        monkeypatch.setattr(f"{module}.PIECE", 1000)
    packed = pack(graph, tmp_path / "g.gfsa")
    assert sum(1 for _ in packed.tiles.pieces(0)) == -(-int(packed.tiles.row(0)[1].sum()) // 1000)
    assert packed == graph


def test_a_packed_graph_is_a_graph(tmp_path):
    graph = families.path(50)
    packed = pack(graph, tmp_path / "g.gfsa")
    assert packed == graph and graph == packed and as_graph(packed) is packed
    assert packed.symmetric and packed.slots is None and packed.num_slots == 0
    assert packed.with_names([f"n{node}" for node in range(50)]).node_index("n7") == 7
    assert packed.neighbours(7).tolist() == [6, 8]
    assert repr(packed).startswith("TiledGraph(50 nodes, 98 arcs")


def test_slots_are_refused(tmp_path):
    with pytest.raises(GraphError, match="has no slots and no kinds"):
        pack(families.row(5), tmp_path / "g.gfsa")
    (tmp_path / "e.txt").write_text("directed\n0 1 2\n")
    with pytest.raises(FormatError, match="has no slots and no kinds"):
        pack(tmp_path / "e.txt", tmp_path / "g.gfsa")


def test_graphml(tmp_path):
    import networkx as nx

    graph = nx.gnp_random_graph(60, 0.1, seed=1, directed=True)
    nx.write_graphml(graph, tmp_path / "g.graphml")
    assert pack(tmp_path / "g.graphml", tmp_path / "g.gfsa") == as_graph(graph)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("e.txt", b"0 1\n0 x\n", "line 2: a node or a slot must be an integer"),
        ("e.txt", b"nodes 3\n0 1\n0 3\n", "line 3: a node must be below 3; got 3"),
        ("e.txt", b"nodes 9999999999\n0 1\n", "fewer than 2\\^31 nodes"),
        ("e.txt.gz", b"0 1\n", "cannot read .*Not a gzipped file"),
        ("e.txt.gz", gzip.compress(b"0 1\n" * 999, mtime=0)[:-9], "cannot read .*ended before"),
        ("e.graphml", b"<graphml><graph>", "not GraphML"),
        ("e.graphml", b"<graphml><graph><edge source='a'/></graph></graphml>", "one has none"),
        ("e.csv", b"0,1", "an edge list must end in"),
    ],
)
def test_what_can_not_be_read(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(GraphFSAError, match=words):
        pack(tmp_path / name, tmp_path / "g.gfsa")
    assert not (tmp_path / "g.gfsa").exists()


def test_missing_modules_are_named(tmp_path, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(edge_sources, "import_module", missing)
    for name, library in (("e.txt.zst", "zstandard"), ("e.parquet", "pyarrow")):
        (tmp_path / name).write_bytes(b"x")
        with pytest.raises(GraphFSAError, match=f"this needs {library}, which is not installed"):
            pack(tmp_path / name, tmp_path / "g.gfsa")


# ---- stops, and what goes on


@pytest.mark.parametrize("source", ["graph", "list", "zipped"])
@pytest.mark.parametrize("stop", range(1, 40, 3))
def test_packing_goes_on_where_it_stopped(tmp_path, monkeypatch, source, stop):
    """Whatever write was the last that succeeded."""
    graph = families.erdos_renyi(3 * SIDE, mean_degree=0.01, rng=np.random.default_rng(1))
    given = graph
    if source != "graph":
        given = tmp_path / ("e.txt" if source == "list" else "e.txt.gz")
        lines = "".join(f"{u} {v}\n" for u, v in zip(graph.indices, graph.targets(), strict=True) if u <= v)
        content = f"nodes {graph.num_nodes}\n{lines}".encode()
        given.write_bytes(content if source == "list" else gzip.compress(content, mtime=0))
    monkeypatch.setattr(packing, "_RUN", 300)
    monkeypatch.setattr(edge_lists, "_BLOCK", 2000)
    out, count = tmp_path / "g.gfsa", [0]

    def full(_):
        count[0] += 1
        if count[0] > stop:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    try:
        pack(given, out)
        assert count[0] <= stop
    except GraphFSAError as error:
        assert "No space left on device" in str(error) and "goes on from there" in str(error)
        assert not out.exists()
    monkeypatch.setattr(os, "fsync", lambda _: None)
    assert pack(given, out).digest == graph.digest
    assert not (tmp_path / "g.gfsa.part").exists()


def test_another_source_begins_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(packing, "_write", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        pack(families.path(5), tmp_path / "g.gfsa")
    monkeypatch.undo()
    assert (tmp_path / "g.gfsa.part").exists()
    assert pack(families.path(6), tmp_path / "g.gfsa") == families.path(6)


def test_two_writers(tmp_path):
    from graphfsa.spooling import Spool

    with Spool(tmp_path / "g.gfsa", {}), pytest.raises(GraphFSAError, match="another process is writing it"):
        pack(families.path(5), tmp_path / "g.gfsa")
    assert pack(families.path(5), tmp_path / "g.gfsa") == families.path(5)


def test_a_small_disk(tmp_path):
    """A limit of the system takes the place of a full disk; what was there before stays."""
    pack(families.path(5), tmp_path / "g.gfsa")
    np.savetxt(tmp_path / "e.txt", np.random.default_rng(0).integers(0, 10**5, (10**5, 2)), fmt="%d")
    command = [sys.executable, "-m", "graphfsa", "graph", "pack", "e.txt", "--out", "g.gfsa"]
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10**6, 10**6))  # noqa: E731
    done = subprocess.run(command, cwd=tmp_path, preexec_fn=small, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("error: cannot write") and "File too large" in done.stderr
    assert open_graph(tmp_path / "g.gfsa") == families.path(5)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert open_graph(tmp_path / "g.gfsa").num_arcs > 199_000


def test_too_little_room_is_seen_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(2**40, 2**40, 2**20))
    with pytest.raises(LimitError, match=r"would take up to .* GiB, and 0\.0 are free on its disk"):
        pack(families.path(10**6), tmp_path / "g.gfsa")
    assert not list(tmp_path.iterdir())


# ---- damage


@pytest.fixture
def packed(tmp_path):
    graph = families.erdos_renyi(SIDE + 50, mean_degree=2, rng=np.random.default_rng(0))
    pack(graph, tmp_path / "g.gfsa")
    return tmp_path / "g.gfsa"


def test_every_changed_byte_is_noticed(packed):
    content = packed.read_bytes()
    rng = np.random.default_rng(0)
    length = 16 + int.from_bytes(content[8:12], "little")
    places = [*range(length), *rng.integers(PAGE, len(content), 100).tolist()]
    for place in places:
        changed = bytearray(content)
        changed[place] ^= 1 << int(rng.integers(8))
        packed.write_bytes(changed)
        with pytest.raises(FormatError):
            open_graph(packed).tiles.digest()


@pytest.mark.parametrize("size", [0, 7, 16, PAGE - 1, PAGE, PAGE + 1000, -1])
def test_a_file_that_is_cut_off(packed, size):
    packed.write_bytes(packed.read_bytes()[:size])
    with pytest.raises(FormatError, match=r"damaged|cut off|not a graph that"):
        open_graph(packed)


def test_a_file_that_is_cut_off_later(packed):
    graph = open_graph(packed)
    os.truncate(packed, PAGE + 100)
    with pytest.raises(FormatError, match="cut off while it was in use"):
        graph.tiles.digest()


def forged(content, **changes):
    """A file with another page, whose checksums are right."""
    length = int.from_bytes(content[8:12], "little")
    text = json.dumps(json.loads(content[16 : 16 + length]) | changes).encode()
    return (MAGIC + len(text).to_bytes(4, "little") + zlib.crc32(text).to_bytes(4, "little") + text).ljust(PAGE, b"\0")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"schema": "graphfsa.tiles/2"}, "field 'schema' must be 'graphfsa.tiles/1'; got 'graphfsa.tiles/2'"),
        ({"num_nodes": -1}, "'num_nodes' must be an integer below"),
        ({"num_nodes": 2**31}, "'num_nodes' must be an integer below"),
        ({"num_nodes": 2.0}, "'num_nodes' must be an integer below"),
        ({"num_nodes": 2**31 - 1}, "must have .* bytes"),
        ({"num_arcs": 2**61}, "must have .* bytes"),
        ({"tiles": 9}, "must have .* bytes"),
        ({"digest": "x"}, "'digest' must be 64 hexadecimal digits"),
        ({"symmetric": 1}, "'symmetric' must be true or false"),
        ({"index": "0" * 64}, "the index is damaged"),
    ],
)
def test_a_forged_page(packed, changes, words):
    content = packed.read_bytes()
    packed.write_bytes(forged(content, **changes) + content[PAGE:])
    with pytest.raises(FormatError, match=words):
        open_graph(packed)


def test_a_forged_index_and_forged_arcs(packed):
    """Checksums are right, but the numbers lead outside."""
    content = packed.read_bytes()
    graph = open_graph(packed)
    arcs = PAGE + 4 * graph.num_arcs
    index = content[arcs:]
    rows = np.frombuffer(index[:8], "<u4")
    for place, value in ((0, rows[0] + 1), (len(index) - 1, 255), (len(index) - 8, 1), (16, 0)):
        wrong = bytearray(index)
        wrong[place] = value
        page = forged(content, index=sha256(wrong).hexdigest())
        packed.write_bytes(page + content[PAGE:arcs] + wrong)
        with pytest.raises(FormatError, match="damaged"):
            open_graph(packed)
    words = np.frombuffer(content[PAGE:arcs], "<u4").copy()
    words[-1] = 2**32 - 1  # A target that is not there, from a source that is not there.
    first = int(graph.tiles.row(0)[1].sum())
    sums = np.array([zlib.crc32(words[:first].data), zlib.crc32(words[first:].data)], "<u4").tobytes()
    wrong = index[:8] + sums + index[16:]
    packed.write_bytes(forged(content, index=sha256(wrong).hexdigest()) + words.tobytes() + wrong)
    with pytest.raises(FormatError, match=f"leads outside the {SIDE + 50} nodes"):
        open_graph(packed).tiles.digest()


def test_a_directed_graph_that_is_said_to_be_undirected(tmp_path):
    graph = Graph.from_edges(SIDE + 9, [(SIDE + 3, 5), (7, SIDE + 8), (1, 2), (4, 4)], directed=True)
    path = tmp_path / "g.gfsa"
    pack(graph, path)
    content = path.read_bytes()
    assert graph == open_graph(path)
    path.write_bytes(forged(content, symmetric=True) + content[PAGE:])
    for read in (lambda found: found.indices, lambda found: found.tiles.check_symmetry()):
        with pytest.raises(FormatError, match="an arc has no way back"):
            read(open_graph(path))
