"""Under which licence each dependency comes, and which licences an Apache-2.0 package can ask its users to install."""

import re
from collections.abc import Mapping
from email.message import Message

from tools.pins import ROOT, Pin, groups_of

PAGE = ROOT / "docs" / "licences.md"
PERMISSIVE = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "ISC", "LicenseRef-Public-Domain", "MIT", "MIT-CMU", "PSF-2.0", "Zlib",
}  # fmt: skip
WEAK_COPYLEFT = {"MPL-2.0"}
"""Whoever changes files of such a package shares the changes; we use them as they are."""
NOT_SPDX = {"BSD"}
PROPRIETARY = {"LicenseRef-NVIDIA-Proprietary"}
"""Only in the group ``cuda``, which nothing needs that runs on a processor alone."""

SPDX = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd license": "BSD",
    "bsd 3-clause license": "BSD-3-Clause",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "nvidia proprietary software": "LicenseRef-NVIDIA-Proprietary",
    "python software foundation license": "PSF-2.0",
}
"""What packages call their licence, in lower case, and the identifier for it."""
JUDGED = {
    "cuda-toolkit": "LicenseRef-NVIDIA-Proprietary",
    "docutils": "BSD-2-Clause AND LicenseRef-Public-Domain",
}
"""Where the metadata don't say what is installed; the page says why."""

HEAD = """\
# Licences of the dependencies

GraphFSA is licensed under Apache-2.0 and contains none of these packages: pip fetches them, in the versions that
`requirements/` pins. The last column says which of its files do: `base` is what `pip install graphfsa` needs, `train`,
`pyg`, `cluster`, `notebook`, `server`, `docs` and `dev` are extras, and `build`, `peers`, `cpu` and `cuda` belong to
the Makefile.

The licence is what a package's own metadata say, as an SPDX expression where they allow one. `BSD` means that they
don't say with how many clauses. A wheel may carry libraries of others; their licences are inside it.

All are permissive but these:

- **MPL-2.0** asks those who change files of the package to share the changes. We use the packages unchanged.
- **docutils** names the GPL too, but only for an Emacs mode in its source distribution, which is not installed.
- **NVIDIA's libraries** are proprietary (`LicenseRef-NVIDIA-Proprietary`). The registry's build of torch for Linux asks
  for them; its CPU build doesn't, and GraphFSA never does. Whoever installs them accepts NVIDIA's terms. `cuda-toolkit`
  names no licence: it is an empty package that asks for the others.

This page is made by `make lock`, and `tests/test_supply_chain.py` refuses every other licence.

| Package | Version | Licence | For |
|---|---|---|---|
"""


def licence(name: str, metadata: Message) -> str:
    """The licence that a package states, as an SPDX expression if possible.

    An expression comes first, then a name of one line, or that a text begins with, then the classifiers.
    """
    if name in JUDGED:
        return JUDGED[name]
    if expression := metadata["License-Expression"]:
        return expression
    lines = (metadata["License"] or "").strip().splitlines()
    first = lines[0].strip() if lines else ""
    if first.lower() in SPDX or (len(lines) == 1 and first not in ("", "UNKNOWN")):
        return SPDX.get(first.lower(), first)
    stated = [
        text.rpartition(" :: ")[2] for text in metadata.get_all("Classifier", []) if text.startswith("License ::")
    ]
    return " AND ".join(SPDX.get(text.lower(), text) for text in stated) or "UNKNOWN"


def allowed(expression: str, groups: list[str]) -> bool:
    """Whether an expression (without parentheses) can be met with the licences that we accept."""
    accepted = PERMISSIVE | WEAK_COPYLEFT | (PROPRIETARY if groups == ["cuda"] else set())
    return any(set(either.split(" AND ")) <= accepted for either in expression.split(" OR "))


def page(pins: dict[str, list[Pin]], licences: Mapping[str, str]) -> str:
    """The page about all pinned packages."""
    versions = {pin.name: pin.release for group in pins.values() for pin in group}
    rows = [
        f"| {name} | {versions[name]} | {licences[name]} | {', '.join(groups)} |\n"
        for name, groups in groups_of(pins).items()
    ]
    return HEAD + "".join(rows)


def read_page() -> dict[str, tuple[str, str, str]]:
    """Version, licence and groups of each package on the page."""
    rows = re.findall(r"^\| ([a-z0-9-]+) \| (.+?) \| (.+?) \| (.+?) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    return {name: (version, stated, groups) for name, version, stated, groups in rows}
