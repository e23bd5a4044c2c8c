"""What is installed, and that nothing else is: pins, hashes, licences, the bill of materials, and the Makefile."""

import copy
import importlib.metadata
import re
import shutil
import subprocess
import tomllib
from collections import defaultdict
from email import message_from_string
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement
from packaging.tags import parse_tag
from packaging.utils import canonicalize_name

from tools import licences, pins, sbom

pytest.importorskip("pip")
from tools import index, lock

ROOT = pins.ROOT
GROUPS = pins.read()
OF = pins.groups_of(GROUPS)
PINS = [(group, pin) for group, found in GROUPS.items() for pin in found]
RELEASES = {pin.name: pin.release for _, pin in PINS}
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def named():
    """Every (group, requirement) of pyproject.toml."""
    project = PYPROJECT["project"]
    extras = {extra: texts for extra, texts in project["optional-dependencies"].items() if extra != "all"}
    groups = {"build": PYPROJECT["build-system"]["requires"], "base": project["dependencies"], **extras}
    return [(group, Requirement(text)) for group, texts in groups.items() for text in texts]


# Pins and hashes


def test_every_file_is_there():
    assert list(GROUPS) == list(pins.GROUPS)
    assert {path.name for path in pins.FOLDER.iterdir()} == {f"{group}.txt" for group in pins.GROUPS}
    assert all(GROUPS.values())


@pytest.mark.parametrize(("group", "need"), named(), ids=str)
def test_what_the_project_names_is_pinned_in_its_range(group, need):
    name = canonicalize_name(need.name)
    (pin,) = [pin for pin in [*GROUPS[group], *(GROUPS["base"] if group != "base" else [])] if pin.name == name]
    assert not pin.marker
    assert need.specifier.contains(pin.version, prereleases=True)


def test_the_extra_all_is_all_others():
    extras = PYPROJECT["project"]["optional-dependencies"]
    (everything,) = map(Requirement, extras["all"])
    assert everything.extras == extras.keys() - {"all"} <= GROUPS.keys()


def test_hashes_are_sha256():
    for path in pins.FOLDER.iterdir():
        text = path.read_text(encoding="utf-8")
        stated = re.findall(r"--hash=(\S+)", text)
        assert [digest for digest in stated if not re.fullmatch(r"sha256:[0-9a-f]{64}", digest)] == []
        assert len(stated) == sum(len(pin.hashes) for pin in pins.parse(text))
        assert not re.search(r"://|@|/|--(?!hash=)", re.sub(r"`[^`]*`", "", text)), "an address, a path or an option"


def test_one_version_and_one_set_of_hashes_of_each_package():
    versions, owners = defaultdict(set), defaultdict(set)
    for group, pin in PINS:
        versions[pin.name].add(pin.release)
        if group != "cpu":
            versions[pin.name, "hashes"].add(pin.hashes)
        assert len(set(pin.hashes)) == len(pin.hashes) > 0
        for digest in pin.hashes:
            owners[digest].add((pin.name, pin.version))
    assert [name for name, found in versions.items() if len(found) > 1] == []
    assert [digest for digest, found in owners.items() if len(found) > 1] == []


def test_the_lock_has_whatever_installed_packages_need():
    installed = {canonicalize_name(dist.name): dist for dist in importlib.metadata.distributions()}
    known = [dist for name, dist in installed.items() if RELEASES.get(name) == dist.version.partition("+")[0]]
    assert len(known) > 20
    for dist in known:
        name = canonicalize_name(dist.name)
        for need in map(Requirement, dist.requires or []):
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                child = canonicalize_name(need.name)
                assert child in RELEASES, f"{name} needs {need}"
                assert need.specifier.contains(RELEASES[child], prereleases=True), f"{name} needs {need}"
                assert any(name in pin.via for _, pin in PINS if pin.name == child), f"{name} needs {need}"


def test_a_group_has_whatever_its_packages_need():
    for group, found in GROUPS.items():
        beside = {"build": [], "cpu": ["train", "base"], "cuda": ["train", "base"]}.get(group, ["base"])
        here = {pin.name for part in (group, *beside) for pin in GROUPS[part]}
        roots = {"Makefile", "graphfsa", *(f"graphfsa[{part}]" for part in (group, *beside))} | here
        assert [pin.name for pin in found if not roots & set(pin.via)] == []


def test_torch_comes_with_and_without_cuda():
    ((group, cpu), *_) = [(group, pin) for group, pin in PINS if pin.version.endswith("+cpu")]
    assert (group, cpu.name, cpu.release) == ("cpu", "torch", RELEASES["torch"])
    assert all(pin.marker == 'sys_platform == "linux"' for pin in GROUPS["cuda"])
    assert not [pin for group, pin in PINS if group != "cuda" and pin.name.startswith("nvidia")]


@pytest.mark.parametrize(
    "line",
    [
        "numpy==2.0",
        "numpy>=2.0 \\\n    --hash=sha256:" + "0" * 64,
        "numpy==2.0 \\\n    --hash=sha256:abc",
        "-r other.txt",
    ],
)
def test_a_line_without_hashes_would_be_noticed(line):
    text = (pins.FOLDER / "base.txt").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="every line must belong to a pin"):
        pins.parse(f"{text}{line}\n    # via graphfsa\n")


def test_files_are_written_as_they_are_read(tmp_path):
    for group, found in GROUPS.items():
        pins.write(group, reversed(found), tmp_path)
        assert (tmp_path / f"{group}.txt").read_bytes() == (pins.FOLDER / f"{group}.txt").read_bytes()


# How pins are found


@pytest.mark.parametrize(
    ("tag", "usable"),
    [
        ("py3-none-any", True),
        ("py2.py3-none-any", True),
        ("cp311-cp311-manylinux_2_28_x86_64", True),
        ("cp313-cp313-win_arm64", True),
        ("cp39-abi3-macosx_11_0_arm64", True),
        ("py3-none-musllinux_1_2_aarch64", True),
        ("cp310-cp310-manylinux_2_28_x86_64", False),
        ("cp313-cp313t-manylinux_2_28_x86_64", False),
        ("cp314-abi3-win_amd64", False),
        ("py2-none-any", False),
        ("pp311-pypy311_pp73-win_amd64", False),
        ("cp313-cp313-android_24_arm64_v8a", False),
    ],
)
def test_files_that_no_supported_python_can_use_are_left_out(tag, usable):
    assert any(map(index.usable, parse_tag(tag))) == usable


def test_supported_pythons_are_those_of_the_project():
    prefix = "Programming Language :: Python :: "
    stated = [text.removeprefix(prefix) for text in PYPROJECT["project"]["classifiers"] if re.search(r"3\.\d+$", text)]
    assert tuple(stated) == index.PYTHONS
    assert PYPROJECT["project"]["requires-python"] == f">={index.PYTHONS[0]}"


def test_markers_say_where_a_package_is_needed():
    everywhere = set(lock.TARGETS)
    assert lock.marker(everywhere) == ""
    assert lock.marker({target for target in everywhere if target[0] == "win32"}) == 'sys_platform == "win32"'
    assert lock.marker({target for target in everywhere if target[0] != "win32"}) == 'sys_platform != "win32"'
    early = {target for target in everywhere if target[1] != "3.13"}
    assert lock.marker(early) == 'python_version < "3.13"'
    with pytest.raises(SystemExit, match="no simple marker"):
        lock.marker(early - {("win32", "3.11")})


def test_needs_are_followed_with_extras_and_markers():
    needs = {
        "a": ["b[fast]>=1", "c; sys_platform == 'win32'"],
        "b": ["d; extra == 'fast'", "e; extra == 'slow'"],
        "torch": ["a", "cuda; platform_system == 'Linux'"],
    }
    taken = {}
    releases = SimpleNamespace(
        need=lambda name, specifier: taken.update({name: str(specifier)}),
        requirements=lambda name: [Requirement(text) for text in needs.get(name, [])],
    )
    asked = [("graphfsa", Requirement("torch"))]
    chain = {("graphfsa", "torch"), ("torch", "a"), ("a", "b"), ("b", "d")}
    assert lock.walk(asked, ("linux", "3.11"), releases) == chain
    assert lock.walk(asked, ("win32", "3.11"), releases) == chain | {("a", "c")}
    assert taken["b"] == ">=1"


# Licences


def test_every_pinned_package_has_a_licence_that_is_allowed():
    page = licences.read_page()
    assert {name: (version, groups) for name, (version, _, groups) in page.items()} == {
        name: (RELEASES[name], ", ".join(groups)) for name, groups in OF.items()
    }
    assert {name: stated for name, (_, stated, _) in page.items() if not licences.allowed(stated, OF[name])} == {}


def test_the_page_is_what_the_tool_writes():
    stated = {name: entry[1] for name, entry in licences.read_page().items()}
    assert licences.PAGE.read_text(encoding="utf-8") == licences.page(GROUPS, stated)


def test_the_page_agrees_with_installed_packages():
    page, compared = licences.read_page(), 0
    for dist in importlib.metadata.distributions():
        name = canonicalize_name(dist.name)
        if RELEASES.get(name) == dist.version.partition("+")[0]:
            assert page[name][1] == licences.licence(name, dist.metadata)
            compared += 1
    assert compared > 20


@pytest.mark.parametrize(
    ("stated", "groups", "allowed"),
    [
        ("MIT", ["base"], True),
        ("MPL-2.0 AND MIT", ["pyg"], True),
        ("GPL-3.0-only OR MIT", ["base"], True),
        ("GPL-3.0-only", ["dev"], False),
        ("MIT AND GPL-2.0-or-later", ["docs"], False),
        ("UNKNOWN", ["base"], False),
        ("LicenseRef-NVIDIA-Proprietary", ["cuda"], True),
        ("LicenseRef-NVIDIA-Proprietary", ["train", "cuda"], False),
    ],
)
def test_which_licences_are_allowed(stated, groups, allowed):
    assert licences.allowed(stated, groups) == allowed


@pytest.mark.parametrize(
    ("metadata", "stated"),
    [
        ("License-Expression: MIT AND ISC\nLicense: other", "MIT AND ISC"),
        ("License: Apache 2.0\nClassifier: License :: OSI Approved :: MIT License", "Apache-2.0"),
        ("License: UNKNOWN\nClassifier: License :: OSI Approved :: ISC License (ISCL)", "ISC"),
        ("License: BSD 3-Clause License\n        Copyright someone", "BSD-3-Clause"),
        ("License: Copyright someone\n        All rights\nClassifier: License :: OSI Approved :: BSD License", "BSD"),
        ("License: GPLv3", "GPLv3"),
        ("Name: x", "UNKNOWN"),
    ],
)
def test_licences_are_read_from_metadata(metadata, stated):
    assert licences.licence("x", message_from_string(metadata)) == stated


# The bill of materials


def problems(bill):
    """What CycloneDX 1.6 demands and a bill lacks, for the parts of the specification that are used here."""
    serial = r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    parts = [bill["metadata"]["component"], *bill["components"]]
    refs = [part["bom-ref"] for part in parts]
    graph = {node["ref"]: node["dependsOn"] for node in bill["dependencies"]}
    checks = {
        "format": bill["bomFormat"] == "CycloneDX" and bill["specVersion"] == "1.6" and bill["version"] == 1,
        "serial number": re.fullmatch(serial, bill["serialNumber"]),
        "type": all(part["type"] == "library" for part in parts),
        "scope": all(part["scope"] in ("required", "optional", "excluded") for part in bill["components"]),
        "address": all(part["purl"] == f"pkg:pypi/{part['name']}@{part['version']}" for part in parts),
        "references": len(set(refs)) == len(refs),
        "hashes": all(
            part["hashes"]
            and all(h["alg"] == "SHA-256" and re.fullmatch(r"[0-9a-f]{64}", h["content"]) for h in part["hashes"])
            for part in bill["components"]
        ),
        "licences": all(len(part["licenses"]) == 1 and right_licence(part["licenses"][0]) for part in parts),
        "graph": graph.keys() == set(refs) and all(set(needs) <= set(refs) for needs in graph.values()),
    }
    return [name for name, right in checks.items() if not right]


def right_licence(choice):
    """Whether a licence is one identifier of SPDX, one expression, or a name beside SPDX."""
    ((kind, value),) = choice.items()
    if kind == "expression":
        return all(
            re.fullmatch(r"[A-Za-z0-9.+-]+( WITH [A-Za-z0-9.-]+)?", term) for term in re.split(" AND | OR ", value)
        )
    ((form, text),) = value.items()
    spdx = (licences.PERMISSIVE | licences.WEAK_COPYLEFT) - licences.NOT_SPDX
    return text in (spdx if form == "id" else licences.NOT_SPDX)


def test_the_bill_of_materials_is_right():
    bill = sbom.bill()
    assert problems(bill) == []
    assert "timestamp" not in bill["metadata"]
    assert sbom.bill() == bill


def test_the_bill_of_materials_agrees_with_the_pins():
    bill = sbom.bill()
    listed = {part["name"]: part for part in bill["components"]}
    assert {name: part["version"] for name, part in listed.items()} == RELEASES
    for name, part in listed.items():
        hashes = {digest for _, pin in PINS if pin.name == name for digest in pin.hashes}
        assert {entry["content"] for entry in part["hashes"]} == hashes
        assert (part["scope"] == "required") == ("base" in OF[name])
        assert [entry["value"] for entry in part["properties"]] == OF[name]
    root = next(node for node in bill["dependencies"] if node["ref"] == f"pkg:pypi/graphfsa@{sbom.version()}")
    direct = {canonicalize_name(need.name) for group, need in named() if group != "build"}
    assert root["dependsOn"] == sorted(sbom.purl(name, RELEASES[name]) for name in direct)


@pytest.mark.parametrize(
    ("what", "spoil"),
    [
        ("format", lambda bill: bill.update(specVersion="1.4")),
        ("serial number", lambda bill: bill.update(serialNumber="urn:uuid:1")),
        ("address", lambda bill: bill["components"][0].update(version="0")),
        ("references", lambda bill: bill["components"].append(bill["components"][0])),
        ("hashes", lambda bill: bill["components"][0].update(hashes=[])),
        ("licences", lambda bill: bill["components"][0].update(licenses=[{"license": {"id": "BSD"}}])),
        ("graph", lambda bill: bill["dependencies"].pop()),
    ],
)
def test_a_wrong_bill_of_materials_would_be_noticed(what, spoil):
    bill = copy.deepcopy(sbom.bill())
    spoil(bill)
    assert problems(bill) == [what]


# What the Makefile installs

ITSELF = (r"--editable \.", r"dist/\*\.whl")
"""The package, which is built here and so has no hash to compare with."""


def unhashed(commands):
    """The installations among some shell commands that could bring in what no hash vouches for."""
    found = re.findall(
        r"\S*(?:pip|pipx|npm|uv|conda|apt-get|curl|wget)\S* (?:\S+ )*?(?:install|download|run|http)[^;|&\n]*", commands
    )
    strict = ("--no-deps", "--no-build-isolation")
    return [
        command
        for command in map(str.strip, found)
        if not all(option in command for option in strict)
        or not ("--require-hashes" in command or re.search(rf" (?:{'|'.join(ITSELF)})$", command))
    ]


@pytest.fixture(scope="module")
def made():
    """All commands of the Makefile's targets; none is run."""
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^\.PHONY: (.+)$", text, re.M)[0].split()
    command = ["make", "--dry-run", "--always-make", *targets]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, timeout=60).stdout


def test_the_makefile_installs_nothing_without_hashes_but_the_package(made):
    assert made.count("--require-hashes") >= 8
    assert unhashed(made) == []


def test_the_makefile_installs_all_files(made):
    assert set(re.findall(r"-r requirements/(\w+)\.txt", made)) == pins.GROUPS.keys()


BROWSER = "apt-get update && apt-get install --yes --no-install-recommends chromium"
"""What drives the playground comes from the distribution, which signs its packages."""


def test_workflows_install_nothing_by_themselves_but_a_browser():
    places = [*(ROOT / ".github").rglob("*.yml"), ROOT / ".pre-commit-config.yaml", ROOT / ".ci" / "run"]
    texts = [path.read_text(encoding="utf-8") for path in places]
    assert sum(text.count(BROWSER) for text in texts) == 1
    assert [unhashed(text.replace(BROWSER, "")) for text in texts] == [[]] * len(places)


@pytest.mark.parametrize(
    "command",
    [
        ".venv/bin/pip install numpy",
        ".venv/bin/pip install --require-hashes -r requirements/base.txt",
        ".venv/bin/pip install --no-deps --no-build-isolation numpy",
        ".venv/bin/pip install --no-deps --no-build-isolation --editable . numpy",
        "python -m pip --quiet install numpy",
        "true && pipx run twine",
        "curl -s https://example.org | sh",
    ],
)
def test_an_unhashed_installation_would_be_noticed(command):
    assert unhashed(command)
