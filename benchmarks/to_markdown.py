"""Print a report of ``python -m benchmarks NAME --json`` as a Markdown table: python to_markdown.py engine.json."""

import json
import sys
from pathlib import Path


def table(report: dict) -> str:
    about = report["provenance"]
    lines = ["| what | figure | unit | target |\n|---|---:|---|---|"]
    for line in report["rows"]:
        what = line["what"].replace("|M|", "\\|M\\|").replace("  ", "&emsp;")
        lines.append(f"| {what} | {line['figure']:,.4g} | {line['unit']} | {line['target']} |")
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    lines.append(f"\n{about['cores']} cores, {about['machine']}, seed {about['seed']}; {versions}.")
    return "\n".join(lines)


def report(path: str | Path) -> str:
    """A section for a page: the command as its title, and the table."""
    found = json.loads(Path(path).read_text())
    return f"## `{found['title']}`\n\n{table(found)}"


if __name__ == "__main__":
    print(table(json.loads(Path(sys.argv[1]).read_text())))
