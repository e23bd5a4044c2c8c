"""Print a report of ``python -m benchmarks NAME --json`` as a Markdown table: python to_markdown.py engine.json."""

import json
import sys
from pathlib import Path

_INDENT = "  "
_FEW = 3
"""Fewer groups of rows than this are easier to read one below the other."""


def table(report: dict) -> str:
    """The rows, and what they depend on: one line for each group of rows if all groups have the same ones."""
    about, rows = report["provenance"], report["rows"]
    lines = _wide(rows) or _long(rows)
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    lines.append(f"\n{about['cores']} cores, {about['machine']}, seed {about['seed']}; {versions}.")
    return "\n".join(lines)


def _long(rows: list[dict]) -> list[str]:
    lines = ["| what | figure | unit | target |\n|---|---:|---|---|"]
    for line in rows:
        what = line["what"].replace("|M|", "\\|M\\|").replace(_INDENT, "&emsp;")
        lines.append(f"| {what} | {line['figure']:,.4g} | {line['unit']} | {line['target']} |")
    return lines


def _wide(rows: list[dict]) -> list[str]:
    """A line for each row that is not indented, with those below it as columns; nothing if groups differ."""
    groups: list[list[dict]] = []
    for line in rows:
        if line["what"].startswith(_INDENT) and groups:
            groups[-1].append(line)
        else:
            groups.append([line])
    heads = {(head["what"].rpartition(": ")[2], *(each["what"].strip() for each in rest)) for head, *rest in groups}
    if len(heads) != 1 or len(groups) < _FEW or len(groups[0]) == 1:
        return []
    columns = heads.pop()
    lines = [f"| | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}"]
    for group in groups:
        cells = [f"{line['figure']:,.4g} {line['unit']}".strip() for line in group]
        lines.append(f"| {group[0]['what'].rpartition(': ')[0]} | {' | '.join(cells)} |")
    return lines


def report(path: str | Path) -> str:
    """A section for a page: the command as its title, and the table."""
    found = json.loads(Path(path).read_text())
    return f"## `{found['title']}`\n\n{table(found)}"


if __name__ == "__main__":
    print(table(json.loads(Path(sys.argv[1]).read_text())))
