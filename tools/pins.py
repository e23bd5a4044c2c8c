"""The files in ``requirements/``: which version and which files of each dependency are installed, and who needs it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "requirements"
GROUPS = {
    "build": "what builds the package",
    "base": "what the package needs",
    "train": "the extra `train`, beside base.txt",
    "pyg": "the extra `pyg`, beside base.txt",
    "cluster": "the extra `cluster`, beside base.txt",
    "notebook": "the extra `notebook`, beside base.txt",
    "server": "the extra `server`, beside base.txt",
    "docs": "the extra `docs`, beside base.txt",
    "dev": "the extra `dev`, beside base.txt",
    "peers": "what benchmarks compare with, beside base.txt",
    "cpu": "the build of torch that needs no CUDA, where an index has it",
    "cuda": "what the registry's build of torch needs on Linux, beside train.txt",
}
"""The files, and what is in each."""

HASH = r"    --hash=sha256:[0-9a-f]{64}"
PIN = re.compile(
    r"(?P<name>[a-z0-9-]+)==(?P<version>[^\s;]+)(?: ; (?P<marker>[^\n]+?))? \\\n"
    rf"(?P<hashes>(?:{HASH} \\\n)*{HASH}\n)"
    r"    # via (?P<via>[^\n]+)\n"
)


@dataclass(frozen=True)
class Pin:
    """One dependency in one file.

    Attributes:
        name: Its name, in lower case and with hyphens.
        version: The only version that is installed.
        hashes: The SHA-256 of every file of this version that a supported platform could use.
        via: Who asks for it: packages, ``graphfsa``, its extras, or the Makefile.
        marker: Where it is needed; empty means everywhere.
    """

    name: str
    version: str
    hashes: tuple[str, ...]
    via: tuple[str, ...]
    marker: str = ""

    @property
    def release(self) -> str:
        """The version without the name of a build: ``2.13.0`` of ``2.13.0+cpu``."""
        return self.version.partition("+")[0]

    def __str__(self) -> str:
        """The lines of a requirements file."""
        condition = f" ; {self.marker}" if self.marker else ""
        hashes = [f"    --hash=sha256:{digest}" for digest in self.hashes]
        lines = " \\\n".join([f"{self.name}=={self.version}{condition}", *hashes])
        return f"{lines}\n    # via {', '.join(self.via)}\n"


def parse(text: str) -> list[Pin]:
    """The pins of a requirements file.

    Raises:
        ValueError: If a line is neither part of a pin nor a comment.
    """
    rest = PIN.sub("", text)
    if strange := [line for line in rest.splitlines() if line and not line.startswith("#")]:
        raise ValueError(f"every line must belong to a pin with hashes and 'via', got {strange[0]!r}")
    return [
        Pin(
            name=found["name"],
            version=found["version"],
            hashes=tuple(re.findall(r"[0-9a-f]{64}", found["hashes"])),
            via=tuple(found["via"].split(", ")),
            marker=found["marker"] or "",
        )
        for found in PIN.finditer(text)
    ]


def read(folder: Path = FOLDER) -> dict[str, list[Pin]]:
    """The pins of every group whose file exists."""
    files = {group: folder / f"{group}.txt" for group in GROUPS}
    return {group: parse(path.read_text(encoding="utf-8")) for group, path in files.items() if path.exists()}


def write(group: str, pins: Iterable[Pin], folder: Path = FOLDER) -> None:
    """Write the file of a group."""
    folder.mkdir(exist_ok=True)
    lines = [f"# Made by `make lock`: {GROUPS[group]}.\n", *map(str, sorted(pins, key=lambda pin: pin.name))]
    (folder / f"{group}.txt").write_text("".join(lines), encoding="utf-8")


def groups_of(pins: dict[str, list[Pin]]) -> dict[str, list[str]]:
    """Which groups pin a package, by its name; names are sorted."""
    names = sorted({pin.name for group in pins.values() for pin in group})
    return {name: [group for group in pins if any(pin.name == name for pin in pins[group])] for name in names}
