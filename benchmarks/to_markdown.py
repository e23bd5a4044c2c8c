"""Print a report of ``graphfsa bench NAME --json`` as a Markdown table: python to_markdown.py engine.json."""

import json
import sys
from pathlib import Path


def main(path: str) -> None:
    report = json.loads(Path(path).read_text())
    about = report["provenance"]
    print("| what | figure | unit | target |\n|---|---:|---|---|")
    for line in report["rows"]:
        what = line["what"].replace("|M|", "\\|M\\|").replace("  ", "&emsp;")
        print(f"| {what} | {line['figure']:,.4g} | {line['unit']} | {line['target']} |")
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    print(f"\n{about['cores']} cores, {about['machine']}, seed {about['seed']}; {versions}.")


if __name__ == "__main__":
    main(sys.argv[1])
