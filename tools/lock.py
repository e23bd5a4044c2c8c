"""Pin every dependency that ``pyproject.toml`` names, and what it needs in turn, with the hashes of its files.

Versions that are pinned stay, unless ``--upgrade`` asks for the newest. pip chooses versions for the Python that runs
this, so it must be the oldest that is supported; what only others or other platforms need is found in the metadata.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from tools import licences, pins
from tools.index import PYTHONS, File, Index

PLATFORMS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"},
    "darwin": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix", "platform_machine": "arm64"},
    "win32": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt", "platform_machine": "AMD64"},
}
Target = tuple[str, str]
"""A platform and a Python."""
TARGETS = frozenset(product(PLATFORMS, PYTHONS))
MAKEFILE = {"build": ["editables", "setuptools"], "peers": ["python-lifelib"]}
"""What the Makefile needs beside what ``pyproject.toml`` names; setuptools builds what comes without a wheel."""


class Releases:
    """One version of each package, its files, and what it needs.

    Args:
        resolved: The metadata of what pip has chosen; these versions stay.
        pinned: Versions for what pip had no reason to look at; these give way to newer ones if they don't suit.
    """

    def __init__(self, resolved: dict[str, dict[str, Any]], pinned: dict[str, str]) -> None:
        self.versions = pinned | {name: Version(found["version"]).public for name, found in resolved.items()}
        self.settled = True
        self._resolved = resolved
        self._limits: dict[str, SpecifierSet] = defaultdict(SpecifierSet)
        self._index = Index()
        self._files = cache(self._index.files)
        self._metadata = cache(self._index.metadata)
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(self.metadata, self.versions))

    def need(self, name: str, specifier: SpecifierSet) -> None:
        """Take the newest version that suits everyone so far, unless the one that was taken does."""
        self._limits[name] &= specifier
        if name in self.versions and specifier.contains(self.versions[name], prereleases=True):
            return
        if name in self._resolved:
            raise SystemExit(f"{name} must satisfy {specifier}, got {self.versions[name]}")
        offered = {file.version for file in self._files(name) if not file.version.is_prerelease}
        self.versions[name] = str(max(self._limits[name].filter(offered)))
        self.settled = False

    def hashes(self, name: str, version: str) -> set[str]:
        """The hashes of all files of a version."""
        return {self._index.sha256(file) for file in self._files(name) if file.version == Version(version)}

    def metadata(self, name: str) -> Message:
        """What it says about itself, in a wheel for Linux if there is one: torch needs most there."""
        return self._metadata(self._best(name))

    def requirements(self, name: str) -> list[Requirement]:
        """What it needs, with markers; of sources pip has found out by preparing them."""
        stated = self.metadata(name).get_all("Requires-Dist", [])
        built = self._best(name).tags or name not in self._resolved
        return [Requirement(text) for text in (stated if built else self._resolved[name].get("requires_dist", []))]

    def _best(self, name: str) -> File:
        files = [file for file in self._files(name) if file.version == Version(self.versions[name])]
        return min(files, key=lambda file: (not file.tags, "manylinux" not in file.link.filename))


def wanted() -> dict[str, list[Requirement]]:
    """What each group asks for by name."""
    pyproject = tomllib.loads((pins.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = pyproject["project"]
    named = {"build": pyproject["build-system"]["requires"], "base": project["dependencies"]}
    named |= {extra: needs for extra, needs in project["optional-dependencies"].items() if extra != "all"}
    named |= {group: [*named.get(group, []), *more] for group, more in MAKEFILE.items()}
    return {group: [Requirement(text) for text in texts] for group, texts in named.items()}


def resolve(requirements: Iterable[Requirement], pinned: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The metadata of what pip chooses for this Python, with some versions given."""
    with tempfile.TemporaryDirectory() as folder:
        report, constraints = Path(folder) / "report.json", Path(folder) / "constraints.txt"
        constraints.write_text("".join(f"{name}=={version}\n" for name, version in pinned.items()))
        command = [sys.executable, "-m", "pip", "install", "-qq", "--dry-run", "--ignore-installed"]
        options = ["--no-build-isolation", "--report", str(report), "--constraint", str(constraints)]
        subprocess.run([*command, *options, *map(str, requirements)], check=True)
        chosen = [item["metadata"] for item in json.loads(report.read_text(encoding="utf-8"))["install"]]
    return {canonicalize_name(item["name"]): item for item in chosen}


def holds(requirement: Requirement, target: Target, extra: str = "") -> bool:
    """Whether a requirement applies to a target."""
    platform, python = target
    cpython = {"implementation_name": "cpython", "platform_python_implementation": "CPython", "extra": extra}
    environment = {**PLATFORMS[platform], **cpython, "python_version": python, "python_full_version": f"{python}.0"}
    return requirement.marker is None or requirement.marker.evaluate(environment)


def for_cuda(requirement: Requirement) -> bool:
    """Whether torch needs something for graphics cards: only the registry's build does, and only on Linux."""
    return holds(requirement, ("linux", PYTHONS[0])) and not holds(requirement, ("darwin", PYTHONS[0]))


def walk(asked: Iterable[tuple[str, Requirement]], target: Target, releases: Releases) -> set[tuple[str, str]]:
    """Who needs whom on a target, beginning with what is asked for; without what torch needs for graphics cards."""
    todo = [(parent, need) for parent, need in asked if holds(need, target)]
    seen: set[tuple[str, str]] = set()
    found: set[tuple[str, str]] = set()
    while todo:
        parent, need = todo.pop()
        name = canonicalize_name(need.name)
        releases.need(name, need.specifier)
        found.add((parent, name))
        for extra in {"", *need.extras} - {extra for known, extra in seen if known == name}:
            seen.add((name, extra))
            needs = [more for more in releases.requirements(name) if holds(more, target, extra)]
            todo += [(name, more) for more in needs if not (name == "torch" and for_cuda(more))]
    return found


def marker(targets: set[Target]) -> str:
    """The condition that holds on these targets alone."""
    platforms, pythons = {platform for platform, _ in targets}, {python for _, python in targets}
    first = sorted(pythons, key=PYTHONS.index)
    if targets != set(product(platforms, pythons)) or first != list(PYTHONS[: len(first)]):
        raise SystemExit(f"there is no simple marker for {sorted(targets)}")
    parts: list[str] = []
    if len(platforms) == 1:
        parts += [f'sys_platform == "{platform}"' for platform in platforms]
    else:
        parts += [f'sys_platform != "{platform}"' for platform in PLATFORMS if platform not in platforms]
    if len(first) < len(PYTHONS):
        parts.append(f'python_version < "{PYTHONS[len(first)]}"')
    return " and ".join(parts)


def survey(releases: Releases) -> tuple[dict[str, dict[str, set[Target]]], dict[str, set[str]]]:
    """On which targets each group needs each package, and who asks for a package."""
    askers = {"base": "graphfsa", "build": "Makefile", "peers": "Makefile"}
    asked = {
        group: [(askers.get(group, f"graphfsa[{group}]"), need) for need in needs] for group, needs in wanted().items()
    }
    asked["cpu"] = []  # lock() adds the one build.
    asked["cuda"] = [("torch", need) for need in releases.requirements("torch") if for_cuda(need)]
    where: dict[str, dict[str, set[Target]]] = {group: defaultdict(set) for group in pins.GROUPS}
    via: dict[str, set[str]] = defaultdict(set)
    for group, target in product(pins.GROUPS, sorted(TARGETS)):
        for parent, name in walk(asked[group], target, releases):
            where[group][name].add(target)
            via[name].add(parent)
    return where, via


def lock(releases: Releases, old: dict[str, list[pins.Pin]]) -> dict[str, list[pins.Pin]]:
    """The pins of every group. Hashes of an unchanged version stay: they may come from an index that is not at hand."""
    where, via = survey(releases)
    while not releases.settled:
        releases.settled = True
        where, via = survey(releases)
    kept = {(pin.name, pin.version): set(pin.hashes) for group in old.values() for pin in group}

    def pin(name: str, targets: set[Target], build: str = "") -> pins.Pin:
        version = releases.versions[name] + build
        hashes = releases.hashes(name, version) | kept.get((name, version), set())
        if not hashes:
            raise SystemExit(f"no index that pip is configured with has {name} {version}")
        return pins.Pin(name, version, tuple(sorted(hashes)), tuple(sorted(via[name])), marker(targets))

    def apart(group: str, name: str) -> bool:
        return group in ("build", "base") or not where[group][name] <= where["base"][name]

    found = {group: [pin(name, here[name]) for name in here if apart(group, name)] for group, here in where.items()}
    return found | {"cpu": [pin("torch", where["train"]["torch"], "+cpu")]}


def main() -> None:
    """Write ``requirements/`` and the page about licences."""
    parser = argparse.ArgumentParser("python -m tools.lock", description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    upgrade = parser.parse_args().upgrade
    if "{}.{}".format(*sys.version_info) != PYTHONS[0]:
        raise SystemExit(f"this needs Python {PYTHONS[0]}, the oldest that is supported, so that all versions suit it")
    old = pins.read()
    pinned = {} if upgrade else {pin.name: pin.release for group in old.values() for pin in group}
    releases = Releases(resolve([need for needs in wanted().values() for need in needs], pinned), pinned)
    new = lock(releases, old)
    for group, found in new.items():
        pins.write(group, found)
    stated = {name: licences.licence(name, releases.metadata(name)) for name in pins.groups_of(new)}
    licences.PAGE.write_text(licences.page(new, stated), encoding="utf-8")


if __name__ == "__main__":
    main()
