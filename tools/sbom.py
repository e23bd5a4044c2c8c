"""The bill of materials of a release, a CycloneDX file, from ``requirements/`` and the page about licences.

The same sources give the same bytes: it has no time, and its serial number is computed from its content.
"""

import argparse
import json
import re
import uuid
from pathlib import Path
from typing import Any

from tools import licences, pins

SCOPES = {
    "base": "required",
    "train": "optional",
    "pyg": "optional",
    "cluster": "optional",
    "notebook": "optional",
    "cuda": "optional",
    "cpu": "optional",
}
"""What users install; everything else only takes part in development, which CycloneDX calls ``excluded``."""


def version() -> str:
    """The version of the package."""
    text = (pins.ROOT / "src" / "graphfsa" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.M)
    if not found:
        raise SystemExit("src/graphfsa/__init__.py must have a __version__")
    return found[1]


def purl(name: str, release: str) -> str:
    """The address of a release, the same for all registries."""
    return f"pkg:pypi/{name}@{release}"


def licence_choice(stated: str) -> list[dict[str, Any]]:
    """A licence as CycloneDX writes it: one identifier, an expression, or a name that SPDX does not have."""
    if stated in licences.NOT_SPDX:
        return [{"license": {"name": stated}}]
    if " " in stated or stated.startswith("LicenseRef-"):
        return [{"expression": stated}]
    return [{"license": {"id": stated}}]


def scope(groups: list[str]) -> str:
    """The widest scope of some groups."""
    found = {SCOPES.get(group, "excluded") for group in groups}
    return next(name for name in ("required", "optional", "excluded") if name in found)


def component(name: str, found: list[pins.Pin], groups: list[str], stated: str) -> dict[str, Any]:
    """A package with the hashes of all its files, whichever group lists them."""
    release = found[0].release
    hashes = sorted({digest for pin in found for digest in pin.hashes})
    return {
        "type": "library",
        "bom-ref": purl(name, release),
        "name": name,
        "version": release,
        "scope": scope(groups),
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in hashes],
        "licenses": licence_choice(stated),
        "purl": purl(name, release),
        "properties": [{"name": "graphfsa:requirements", "value": group} for group in groups],
    }


def dependencies(root: str, found: dict[str, list[pins.Pin]]) -> list[dict[str, Any]]:
    """Who needs whom. What only the Makefile asks for belongs to no package, and extras count as the package."""
    refs = {name: purl(name, pin.release) for name, (pin, *_) in found.items()}
    needs: dict[str, set[str]] = {ref: set() for ref in (root, *refs.values())}
    for name, (pin, *_) in found.items():
        for parent in set(pin.via) - {"Makefile"}:
            needs[root if parent.partition("[")[0] == "graphfsa" else refs[parent]].add(refs[name])
    return [{"ref": ref, "dependsOn": sorted(children)} for ref, children in sorted(needs.items())]


def bill() -> dict[str, Any]:
    """The whole file."""
    groups = pins.read()
    of, page = pins.groups_of(groups), licences.read_page()
    found = {name: [pin for group in of[name] for pin in groups[group] if pin.name == name] for name in of}
    root = purl("graphfsa", version())
    package = {"type": "library", "bom-ref": root, "name": "graphfsa", "version": version()}
    package |= {"licenses": licence_choice("Apache-2.0"), "purl": root}
    content = {
        "metadata": {"component": package},
        "components": [component(name, found[name], of[name], page[name][1]) for name in of],
        "dependencies": dependencies(root, found),
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    head = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
    }
    return {**head, "serialNumber": f"urn:uuid:{serial}", "version": 1, **content}


def main() -> None:
    """Write the file, and say where."""
    parser = argparse.ArgumentParser("python -m tools.sbom", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=pins.ROOT / "dist" / f"graphfsa-{version()}.cdx.json", help="the file"
    )
    path = parser.parse_args().out
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(bill(), indent=2) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
