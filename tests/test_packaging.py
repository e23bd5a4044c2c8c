"""What is uploaded: the files of the wheel and of the source distribution, and what they say about themselves."""

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import graphfsa

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "graphfsa"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the source distribution, each as a dict from file names to contents."""
    pytest.importorskip("hatchling")
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    with zipfile.ZipFile(next(out.glob("*.whl"))) as file:
        wheel = {name: file.read(name) for name in file.namelist()}
    with tarfile.open(next(out.glob("*.tar.gz"))) as file:
        members = [member for member in file.getmembers() if member.isfile()]
        sources = {member.name.partition("/")[2]: file.extractfile(member).read() for member in members}
    return wheel, sources


def package_files():
    found = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(PACKAGE.parent).as_posix() for path in found}


def test_the_wheel_has_the_package_and_nothing_else(built):
    wheel, _ = built
    assert {name for name in wheel if ".dist-info/" not in name} == package_files()
    assert "graphfsa/py.typed" in wheel


def test_the_source_distribution_has_the_package_and_what_describes_it(built):
    _, sources = built
    beside = {name for name in sources if not name.startswith("src/")}
    assert {name.removeprefix("src/") for name in sources if name.startswith("src/")} == package_files()
    described = {"CHANGELOG.md", "CITATION.cff", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    assert beside == described | {".gitignore"}


def test_the_version_has_one_place(built):
    wheel, _ = built
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" not in project
    said = message_from_bytes(next(text for name, text in wheel.items() if name.endswith("/METADATA")))
    assert said["Version"] == graphfsa.__version__
    assert {line.split(",")[0] for line in said.get_all("Project-URL")} == {
        "Changelog",
        "Documentation",
        "Homepage",
        "Issues",
        "Repository",
    }


def test_the_changelog_begins_with_what_is_not_released():
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert next(line for line in lines if line.startswith("## ")) == "## Unreleased"
