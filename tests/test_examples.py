"""The programs of examples/ and the first one of the README: short, without private names, and they run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROGRAMS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*.py"))}
PROGRAMS["readme"] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)[0]
PRINTED = {
    "networkx_graphs": "exact: exact, 1.000 on larger trees",
    "own_aggregation": "aggregation: parity",
    "own_task": "True",
    "subtree": "node 2: node1, yes",
    "readme": "4: 'off', 5: 'off', 6: 'on'}",
}
MOST_LINES = 25


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_short_and_use_public_names_only(name):
    lines = [line for line in PROGRAMS[name].splitlines() if line.strip()]
    assert len(lines) <= MOST_LINES
    assert re.findall(r"(?:\.|import )_(?!_)\w*", PROGRAMS[name]) == []


# benchmark_own_learner is run by tests/evaluation/test_own_learner.py.
@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - {"benchmark_own_learner"}))
def test_programs_run(name, tmp_path):
    (tmp_path / f"{name}.py").write_text(PROGRAMS[name], encoding="utf-8")
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, f"{name}.py"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr
    assert PRINTED[name] in done.stdout
