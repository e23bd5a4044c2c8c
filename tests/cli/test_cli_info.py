import sys

from graphfsa import families, library
from graphfsa.graphs import write_graph


def test_an_automaton_by_name_and_by_file_is_the_same(cli, tmp_path):
    library.path_finding().save(tmp_path / "m.json")
    by_name, by_file = (cli("info", subject, "--json").json for subject in ("path-finding", tmp_path / "m.json"))
    assert (by_name.pop("task"), by_file.pop("task")) == ("path-finding", "automaton")
    assert by_name == by_file
    assert by_name["final_states"] == ["off", "on"]
    assert by_name["starting_states"] == ["node", "marked"]
    assert by_name["entries"] == 4 * 3**4


def test_the_table_is_printed_when_it_is_small(cli):
    small, large = cli("info", "distance").out, cli("info", "wireworld").out
    line = next(line for line in small.splitlines() if "  0 even, 1+ odd, 1+ node, 0 root  " in line)
    assert line.split()[-4:] == ["even", "odd", "even", "even"]
    assert "1,024 entries; not shown" in large


def test_graphs_by_family_and_by_file(cli, tmp_path):
    write_graph(tmp_path / "g.json", families.star(5))
    facts = cli("info", tmp_path / "g.json", "--json").json
    assert facts == cli("info", "star:5", "--json").json
    assert (facts["nodes"], facts["arcs"], facts["largest_degree"], facts["smallest_degree"]) == (5, 8, 4, 1)
    lattice = cli("info", "hex-torus:4x6", "--json").json
    assert (lattice["lattice"], lattice["torus"], lattice["arcs"]) == ("hex", True, 144)


def test_version_and_help(cli):
    from graphfsa import __version__

    assert cli("--version").out == f"graphfsa {__version__}\n"
    assert all(name in cli("--help").out for name in ("run", "info", "reproduce", "demo"))


def test_help_loads_nothing_heavy(shell):
    program = (
        "import sys\nfrom graphfsa.cli import main\nsys.argv = ['graphfsa', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in 'numpy numba scipy torch networkx matplotlib'.split() if name in sys.modules])"
    )
    import subprocess

    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_the_demo_learns_proves_and_writes_its_files(cli, tmp_path):
    answer = cli("demo", "--out", tmp_path / "d")
    assert answer.code == 0
    assert "proved: 100.00% of the labels are right" in answer.out
    assert "| 1000 | 10 | 1.0000 |" in answer.out
    assert "Proved for trees of every size: on every tree that is an instance of path-finding" in answer.out
    assert "The certificate holds" in answer.out
    assert cli("check", tmp_path / "d" / "proof.json", tmp_path / "d" / "path-finding.json").code == 0
    assert "marked ->" in answer.out
    for name in ("path-finding.png", "impossible.png"):
        assert (tmp_path / "d" / name).read_bytes().startswith(b"\x89PNG")
    assert cli("verify", tmp_path / "d" / "path-finding.json", "--task", "path-finding", "--max-nodes", 6).code == 0
    assert (tmp_path / "d" / "report.md").read_text().strip() == answer.out.strip()


def test_the_demo_says_why_it_cannot_write(cli, tmp_path):
    (tmp_path / "file").write_text("")
    answer = cli("demo", "--out", tmp_path / "file" / "d")
    assert answer.code == 2
    assert "cannot make the directory" in answer.err


def test_a_certificate_is_described(cli, tmp_path):
    out = tmp_path / "p.json"
    assert cli("prove", "root-value", "--out", out).code == 0
    words = cli("info", out)
    assert words.code == 0
    assert "every node reaches its class and stays there" in words.out
    facts = cli("info", out, "--json").json
    assert (facts["certificate"], facts["method"], facts["graph_class"]) == ("proof", "contracts", "path")
    assert facts["bytes"] == out.stat().st_size
    assert facts["to check it"] == f"graphfsa check {out} MODEL"


def test_values_are_numbered_as_with_entry_takes_them(cli):
    from graphfsa import library

    fsa = library.distance()
    rows = [line.split("  ") for line in cli("info", "distance").out.partition("neighbours")[2].splitlines()[1:]]
    assert [int(row[0]) for row in rows] == list(range(fsa.num_values))
