"""Graph files: what is written is read back, and no content gets past the reader."""

import errno
import json
import os
import re
import stat
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphfsa import files
from graphfsa.errors import FormatError, GraphFSAError, LimitError
from graphfsa.files import atomic_write, read_bytes, read_json
from graphfsa.graphs import Graph, Lattice, families, read_graph, write_graph

SUFFIXES = [".json", ".edges", ".txt"]
HEAD = '{"schema": "graphfsa.graph/1", '


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 6))
    node = st.integers(0, max(n - 1, 0))
    pairs = draw(st.lists(st.tuples(node, node), max_size=10)) if n else []
    kind = draw(st.sampled_from(["undirected", "directed", "slots", "lattice"]))
    if kind == "lattice":
        lattice = Lattice("moore", draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.booleans()))
        return Graph.from_lattice(lattice)
    if kind == "slots":
        return Graph.from_edges(n, pairs, directed=True, slots=range(len(pairs)))
    return Graph.from_edges(n, pairs, directed=kind == "directed")


def parse(content, suffix):
    """Read a graph from content, through a real file."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"graph{suffix}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_graph(path)


def names(directory):
    return sorted(entry.name for entry in Path(directory).iterdir())


class TestRoundTrip:
    @pytest.mark.parametrize("suffix", SUFFIXES)
    @settings(deadline=None)
    @given(graph=graphs())
    def test_exact(self, suffix, graph):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / f"graph{suffix}"
            write_graph(path, graph)
            again = read_graph(path)
            assert again == graph
            assert names(directory) == [path.name]
            if suffix == ".json":
                assert again.lattice == graph.lattice

    @pytest.mark.parametrize("suffix", SUFFIXES)
    @pytest.mark.parametrize("graph", [families.row(1), families.ring(1), families.row(5), families.path(0)])
    def test_lattices_with_and_without_arcs(self, suffix, graph, tmp_path):
        write_graph(tmp_path / f"g{suffix}", graph)
        assert read_graph(tmp_path / f"g{suffix}") == graph

    def test_json_is_what_the_schema_says(self, tmp_path):
        write_graph(tmp_path / "g.json", families.path(3))
        assert json.loads((tmp_path / "g.json").read_text()) == {
            "schema": "graphfsa.graph/1",
            "num_nodes": 3,
            "directed": False,
            "edges": [[0, 1], [1, 2]],
        }
        write_graph(tmp_path / "g.json", Graph.from_edges(2, [(0, 1)], directed=True, slots=[4]))
        assert json.loads((tmp_path / "g.json").read_text())["slots"] == [4]
        write_graph(tmp_path / "g.json", families.ring(4))
        assert json.loads((tmp_path / "g.json").read_text())["lattice"] == {
            "kind": "line",
            "height": 1,
            "width": 4,
            "torus": True,
            "slotted": True,
        }

    def test_edge_list_is_text(self, tmp_path):
        write_graph(tmp_path / "g.edges", Graph.from_edges(3, [(0, 1), (0, 1), (2, 2)]))
        assert (tmp_path / "g.edges").read_text() == "nodes 3\n0 1\n0 1\n2 2\n"
        write_graph(tmp_path / "g.txt", families.row(2))
        assert (tmp_path / "g.txt").read_text() == "nodes 2\ndirected\n1 0 1\n0 1 0\n"


class TestEdgeList:
    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ("", Graph.from_edges(0, [])),
            ("# nothing\n\n", Graph.from_edges(0, [])),
            ("0 1", Graph.from_edges(2, [(0, 1)])),
            ("0 1 # an edge\n  # a comment\n\n1\t2\r\n", Graph.from_edges(3, [(0, 1), (1, 2)])),
            ("nodes 5\n0 1\n", Graph.from_edges(5, [(0, 1)])),
            ("directed\nnodes 2\n0 1\n", Graph.from_edges(2, [(0, 1)], directed=True)),
            ("directed\n0 1 7\n", Graph.from_edges(2, [(0, 1)], directed=True, slots=[7])),
            ("\ufeff0 1\n", Graph.from_edges(2, [(0, 1)])),
            ("# größer\n0 0\n", Graph.from_edges(1, [(0, 0)])),
        ],
    )
    def test_means(self, content, expected):
        assert parse(content, ".edges") == expected

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("0 1\n\n0 1 2\n", "line 3: an edge must be 'u v' as the first is; got '0 1 2'"),
            ("0 x\n", "line 1: a node or a slot must be an integer below 10^9; got 'x'"),
            ("0 1\n-1 2\n", "line 2: a node or a slot must be an integer below 10^9; got '-1'"),
            ("0 1\n0 1_0\n", "line 2: a node or a slot must be an integer"),
            ("0 ٣\n", "line 1: a node or a slot must be an integer"),
            ("0 1.0\n", "line 1: a node or a slot must be an integer"),
            ("0 " + "9" * 5000, "line 1: a node or a slot must be an integer below 10^9"),
            ("-1 2\n", "line 1: a line must be 'nodes N', 'directed', 'kinds [...]', 'u v' or 'u v slot'; got '-1 2'"),
            ("0\n", "line 1: an edge must be 'u v' or 'u v slot'; got '0'"),
            ("0 1 2 3\n", "line 1: an edge must be 'u v' or 'u v slot'; got '0 1 2 3'"),
            ("0 1 2\n", "line 1: an edge must be 'u v'; a third number is a slot, which needs a line 'directed'"),
            ("0 1 0.5\n", "edges have no weights); got '0 1 0.5'"),
            ("0 1\nnodes 5\n", "line 2: 'nodes' must come before the first edge"),
            ("0 1\ndirected\n", "line 2: 'directed' must come before the first edge"),
            ("nodes\n", "line 1: a line must be 'nodes N'"),
            ("directed yes\n", "line 1: a line must be 'nodes N', 'directed'"),
            ("nodes -4\n", "line 1: 'nodes' must be followed by an integer; got '-4'"),
            ("nodes 2\nnodes 2\n", "line 2: 'nodes' must be given once"),
            ("nodes 3\n0 1\n# more\n1 3\n", "line 4: a node must be below 3; got 3"),
            ("directed\n0 1 5\n0 1 256\n", "line 3: a slot must be below 256; got 256"),
            ("directed\n0 1 5\n0 1 5\n", "node 1 has several in slot 5"),
            ("0 1\n" + " " * 2**17, "line 2: a line must have fewer than 65536 bytes"),
            (b"0 \xff\n", "line 1: a node or a slot must be an integer"),
            (b"\x00\x00", "line 1: a line must be"),
        ],
    )
    def test_names_the_line(self, content, message):
        with pytest.raises(FormatError) as error:
            parse(content, ".edges")
        assert message in str(error.value)
        assert "graph.edges: " in str(error.value)
        assert len(str(error.value)) < 400

    @pytest.mark.parametrize("content", ["nodes 67108865\n", "0 67108864\n", "nodes 99999999999999999\n"])
    def test_too_many_nodes(self, content):
        with pytest.raises(LimitError, match="at most 67108864 nodes; got"):
            parse(content, ".edges")


class TestJson:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("", "line 1, column 1: not JSON"),
            ('{"schema": "graphfsa.graph/1"', "line 1, column 30: not JSON"),
            ("[]", "field 'schema' must be 'graphfsa.graph/1'; got []"),
            ("7", "field 'schema' must be 'graphfsa.graph/1'; got 7"),
            ('{"schema": "graphfsa.graph/2"}', "must be 'graphfsa.graph/1'; got 'graphfsa.graph/2'"),
            ('{"schema": ["' + "x" * 9999 + '"]}', "must be 'graphfsa.graph/1'; got ['xxx"),
            (HEAD + '"directed": false, "edges": []}', "field 'num_nodes' is missing"),
            (
                HEAD + '"num_nodes": true, "directed": false, "edges": []}',
                "'num_nodes' must be an integer; got True",
            ),
            (HEAD + '"num_nodes": 2.0, "directed": false, "edges": []}', "'num_nodes' must be an integer; got 2.0"),
            (HEAD + '"num_nodes": NaN, "directed": false, "edges": []}', "NaN is not a JSON number"),
            (HEAD + '"num_nodes": -1, "directed": false, "edges": []}', "'num_nodes' must be at least 0; got -1"),
            (HEAD + '"num_nodes": 1, "directed": 0, "edges": []}', "'directed' must be true or false; got 0"),
            (HEAD + '"num_nodes": 1, "directed": false, "edges": {}}', "'edges' must be a list; got {}"),
            (HEAD + '"num_nodes": 1, "directed": false, "edges": [], "edgs": 1}', "unknown field 'edgs'"),
            (HEAD + '"num_nodes": 2, "directed": false, "edges": [[0,1],[0]]}', "edges[1] must be a pair of nodes"),
            (
                HEAD + '"num_nodes": 2, "directed": false, "edges": [[0,1],3]}',
                "edges[1] must be a pair of nodes; got 3",
            ),
            (HEAD + '"num_nodes": 2, "directed": false, "edges": [[0,1],"01"]}', "edges[1] must be a pair of nodes"),
            (HEAD + '"num_nodes": 2, "directed": false, "edges": [[0,1],[0,1],[1,2]]}', "edges[2] must hold int"),
            (HEAD + '"num_nodes": 2, "directed": false, "edges": [[0,-1]]}', "edges[0] must hold int"),
            (HEAD + '"num_nodes": 2, "directed": false, "edges": [[0,1.0]]}', "edges[0] must hold int"),
            (HEAD + '"num_nodes": 2, "directed": false, "edges": [[0,true]]}', "< 2; got True"),
            (HEAD + '"num_nodes": 2, "directed": false, "edges": [[0,null]]}', "< 2; got None"),
            (HEAD + f'"num_nodes": 2, "directed": false, "edges": [[0,{10**99}]]}}', "< 2; got 1000000000"),
            (
                HEAD + '"num_nodes": 2, "directed": false, "edges": [[0,' + "9" * 9999 + "]]}",
                "not JSON that can be read",
            ),
            (HEAD + '"num_nodes": 2, "directed": true, "edges": [[0,1]], "slots": []}', "one entry per edge, 1; got 0"),
            (
                HEAD + '"num_nodes": 2, "directed": true, "edges": [[0,1]], "slots": [256]}',
                "slots[0] must hold int",
            ),
            (
                HEAD + '"num_nodes": 2, "directed": true, "edges": [[0,1]], "slots": [[0]]}',
                "slots[0] must hold int",
            ),
            (HEAD + '"num_nodes": 2, "directed": false, "edges": [[0,1]], "slots": [0]}', "slots belong to arcs"),
            (HEAD + '"lattice": []}', "field 'lattice' must be an object; got []"),
            (HEAD + '"lattice": {"kind": "moore"}}', "field 'lattice.height' is missing"),
            ("[" * 100_000, "nested too deeply"),
            ('{"a":' * 100_000, "nested too deeply"),
            (b'{"schema": "\xff"}', "must be UTF-8 text; byte 12 is not"),
        ],
    )
    def test_names_the_field(self, content, message):
        with pytest.raises(FormatError) as error:
            parse(content, ".json")
        assert message in str(error.value)
        assert "graph.json: " in str(error.value)
        assert len(str(error.value)) < 400

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"kind": "square"}, "lattice kind must be one of"),
            ({"kind": ["moore"]}, "field 'lattice.kind' must be a string; got ['moore']"),
            ({"height": 0}, "lattice height must be an integer >= 1; got 0"),
            ({"height": -(10**4000), "width": 1}, "lattice height must be"),
            ({"width": 3.0}, "field 'lattice.width' must be an integer; got 3.0"),
            ({"torus": 1}, "field 'lattice.torus' must be true or false; got 1"),
            ({"kind": "hex", "height": 3, "torus": True}, "got 3, try 2 or 4"),
            ({"depth": 3}, "unknown field 'lattice.depth'; the fields are kind, height, width, torus, slotted"),
        ],
    )
    def test_names_the_field_of_a_lattice(self, changes, message):
        fields = {"kind": "moore", "height": 2, "width": 2, "torus": False, "slotted": False} | changes
        with pytest.raises(FormatError) as error:
            parse(json.dumps({"schema": "graphfsa.graph/1", "lattice": fields}), ".json")
        assert message in str(error.value)
        assert len(str(error.value)) < 500

    def test_too_many_nodes(self):
        with pytest.raises(LimitError, match="at most 67108864 nodes; got 67108865"):
            parse(HEAD + '"num_nodes": 67108865, "directed": false, "edges": []}', ".json")
        fields = {"kind": "moore", "height": 10**5, "width": 10**5, "torus": False, "slotted": False}
        with pytest.raises(LimitError, match="at most 67108864 nodes; got 10000000000"):
            parse(json.dumps({"schema": "graphfsa.graph/1", "lattice": fields}), ".json")


def spoilt(draw, content):
    """Cut, change, repeat or drop a part of some bytes."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        stop = draw(st.integers(start, min(len(content), start + 8)))
        middle = draw(
            st.sampled_from([content[start:stop] * 2, draw(st.binary(max_size=4)), b"", b"-1", b"1e3", b"[{"])
        )
        tail = draw(st.sampled_from([content[stop:], b""]))
        content = content[:start] + middle + tail
    return content


class TestAnyContent:
    @pytest.mark.parametrize("suffix", [".json", ".edges"])
    @settings(deadline=None)
    @given(data=st.data())
    def test_a_spoilt_file_is_a_graph_or_an_error(self, suffix, data):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / f"graph{suffix}"
            write_graph(path, data.draw(graphs()))
            path.write_bytes(spoilt(data.draw, path.read_bytes()))
            try:
                # Repeated digits can make millions of nodes of a few, which is valid and slow.
                graph = families.path(1) if re.search(rb"\d{6}", path.read_bytes()) else read_graph(path)
            except GraphFSAError as error:
                assert path.name in str(error)
            else:
                assert isinstance(graph, Graph)

    @pytest.mark.parametrize("suffix", [".json", ".edges"])
    @settings(deadline=None)
    @given(content=st.binary(max_size=60))
    def test_bytes(self, suffix, content):
        try:
            parse(content, suffix)
        except GraphFSAError as error:
            assert "graph" in str(error)

    json_values = st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-3, 300)
        | st.integers(10**8, 10**30)
        | st.floats()
        | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    )

    @settings(deadline=None)
    @given(st.sampled_from(["num_nodes", "directed", "edges", "slots", "lattice", "schema", "x"]), json_values)
    def test_any_value_in_any_field(self, field, value):
        content = {"schema": "graphfsa.graph/1", "num_nodes": 3, "directed": True, "edges": [[0, 1]], "slots": [0]}
        try:
            parse(json.dumps(content | {field: value}), ".json")
        except GraphFSAError as error:
            assert "graph.json" in str(error)


class TestPaths:
    @pytest.mark.parametrize("name", ["graph", "graph.csv", "graph.json.gz"])
    def test_an_unknown_suffix_lists_the_known(self, name, tmp_path):
        for act in (lambda: read_graph(tmp_path / name), lambda: write_graph(tmp_path / name, families.path(1))):
            with pytest.raises(FormatError, match=r"must be one of \.json, \.edges, \.txt; got '"):
                act()
        assert not names(tmp_path)

    def test_unreadable(self, tmp_path):
        (tmp_path / "d.json").mkdir()
        os.mkfifo(tmp_path / "pipe.txt")
        for name, message in [
            ("d.json", "it is a directory"),
            ("pipe.txt", "it is not a regular file"),
            ("missing.json", "No such file or directory"),
            ("missing/g.edges", "No such file or directory"),
            ("null\0.json", "null"),
            ("x" * 300 + ".json", "File name too long"),
        ]:
            with pytest.raises(GraphFSAError, match="cannot read .*" + message):
                read_graph(tmp_path / name)

    def test_a_large_file_is_not_read(self, tmp_path):
        for suffix in SUFFIXES:
            path = tmp_path / f"g{suffix}"
            with path.open("wb") as file:
                # A hole, not a gigabyte.
                file.truncate(2**30 + 1)
            with pytest.raises(LimitError, match="at most 1073741824 bytes; it has 1073741825"):
                read_graph(path)

    def test_memory_is_a_limit_too(self, tmp_path, monkeypatch):
        write_graph(tmp_path / "g.json", families.path(3))
        monkeypatch.setattr(np, "array", lambda *_: (_ for _ in ()).throw(MemoryError()))
        with pytest.raises(LimitError, match="does not fit in memory"):
            read_graph(tmp_path / "g.json")

    def test_files_that_could_not_be_read_are_not_written(self, tmp_path):
        with pytest.raises(LimitError, match="at most 67108864 nodes; got 67125249"):
            write_graph(tmp_path / "g.json", families.moore(8193, 8193))
        assert not names(tmp_path)

    def test_suffix_in_capitals(self, tmp_path):
        write_graph(tmp_path / "G.JSON", families.path(3))
        assert read_graph(str(tmp_path / "G.JSON")) == families.path(3)


class TestAtomicWrite:
    def test_writes_text_and_bytes(self, tmp_path):
        atomic_write(tmp_path / "a", "grün")
        assert (tmp_path / "a").read_bytes() == "grün".encode()
        atomic_write(str(tmp_path / "a"), b"\x00\xff")
        assert read_bytes(tmp_path / "a") == b"\x00\xff"
        assert names(tmp_path) == ["a"]

    @pytest.mark.parametrize("step", ["fsync", "replace"])
    @pytest.mark.parametrize("old", [None, "old"])
    def test_a_failing_write_leaves_the_old_file_and_nothing_else(self, step, old, tmp_path, monkeypatch):
        path = tmp_path / "g.json"
        if old:
            path.write_text(old)

        def full(*_):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(*((os, "fsync", full) if step == "fsync" else (Path, "replace", full)))
        with pytest.raises(GraphFSAError, match=r"cannot write '.*g\.json': No space left on device"):
            write_graph(path, families.path(3))
        assert [entry.read_text() for entry in tmp_path.iterdir()] == ([old] if old else [])

    def test_an_interrupted_write_leaves_nothing(self, tmp_path, monkeypatch):
        def interrupt(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            atomic_write(tmp_path / "a", "text")
        assert not names(tmp_path)

    def test_refused(self, tmp_path):
        (tmp_path / "d").mkdir()
        (tmp_path / "loop").symlink_to(tmp_path / "loop")
        for name, message in [
            ("d", "it is a directory"),
            ("none/a", "there is no directory"),
            ("null\0", "null"),
            ("x" * 300, "File name too long"),
            ("loop/a", ""),
        ]:
            with pytest.raises(GraphFSAError, match="cannot write .*" + message):
                atomic_write(tmp_path / name, "text")
        with pytest.raises(GraphFSAError, match="it is not a regular file"):
            atomic_write("/dev/null", "text")
        assert names(tmp_path) == ["d", "loop"]

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_directory_that_is_not_writable(self, tmp_path):
        tmp_path.chmod(0o500)
        try:
            with pytest.raises(GraphFSAError, match="Permission denied"):
                atomic_write(tmp_path / "a", "text")
        finally:
            tmp_path.chmod(0o700)

    def test_permissions(self, tmp_path):
        umask = os.umask(0o027)
        try:
            atomic_write(tmp_path / "new", "text")
        finally:
            os.umask(umask)
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
        (tmp_path / "new").chmod(0o604)
        atomic_write(tmp_path / "new", "more")
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o604

    def test_follows_links(self, tmp_path):
        (tmp_path / "real").write_text("old")
        (tmp_path / "link").symlink_to("real")
        atomic_write(tmp_path / "link", "new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_text() == "new"


def test_read_json(tmp_path):
    (tmp_path / "a").write_bytes(b'\xef\xbb\xbf{"a": [1, 2.5, null]}')
    assert read_json(tmp_path / "a") == {"a": [1, 2.5, None]}
    with pytest.raises(LimitError, match="at most 5 bytes"):
        read_json(tmp_path / "a", limit=5)
    assert files.MAX_BYTES == 2**30
