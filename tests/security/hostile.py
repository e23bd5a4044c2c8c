"""Makes files as an attacker would: results, models, data and experiments that try to write, run or hang."""

import json
from pathlib import Path

from graphfsa import learn
from graphfsa.datasets import export_data
from graphfsa.evaluation import Results, find_experiment, planned
from graphfsa.evaluation._workers import attempt

SCRIPT = "<script>document.title='PWNED'</script><img src=x onerror=\"document.title='PWNED'\">"
ESCAPE = "\x1b]0;PWNED\x07\x1b[2J"
EXPERIMENT = """title = {title}
about = {about}
notes = [{title}]

[data]
dataset = "root-value"

[[tests]]
name = {test}
size = 5
count = 3

[[learners]]
column = {column}
learner = "majority"
"""


def experiment(folder: Path, name="floors.toml", learner="majority") -> Path:
    """An experiment whose every text is hostile, and that may name code."""
    texts = {
        "title": SCRIPT,
        "about": f"{ESCAPE} ![x](http://127.0.0.1:9/x) {SCRIPT}",
        "test": f"=HYPERLINK(1) {SCRIPT} $x$ | \\input{{x}}",
        "column": f"@SUM(1) {SCRIPT} {ESCAPE}",
    }
    text = EXPERIMENT.format(**{key: json.dumps(value) for key, value in texts.items()})
    path = folder / name
    path.write_text(text.replace('"majority"', json.dumps(learner)))
    return path


def results(folder: Path) -> Path:
    """Results with hostile texts in every field that may hold text."""
    found = find_experiment(str(experiment(folder.parent)))
    made = Results.create(folder, {found.name: found}, quick=False)
    for job in planned({found.name: found}, 1, quick=False).values():
        record = attempt(job, made.models)
        record["versions"] = {SCRIPT[:90]: SCRIPT[:90], ESCAPE: ESCAPE}
        record["fit"]["verdict"] = SCRIPT[:90]
        record["fit"]["history"] = [{"epoch": 1, "loss": SCRIPT, SCRIPT: ESCAPE}]
        made.add(record)
    return folder


def model(path: Path) -> Path:
    """A model with hostile provenance and a task that names code."""
    learn("root-value", count=20).save(path)
    content = json.loads(path.read_text())
    content["provenance"]["learner"] = f"evil.py:Evil {SCRIPT}"
    content["provenance"]["versions"] = {SCRIPT[:90]: ESCAPE}
    content["provenance"]["details"] = {SCRIPT: [ESCAPE]}
    content["dataset"] = {"name": "evil.py:Evil", "options": {}, "drawn": {}}
    path.write_text(json.dumps(content))
    return path


def data(path: Path, poison: str) -> Path:
    """Labelled graphs with hostile names."""
    export_data("root-value", path, count=10)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    names = {name: f"{name} {poison}" for line in lines for name in (*line["inputs"], *line["labels"])}
    for line in lines:
        line["inputs"] = [names[name] for name in line["inputs"]]
        line["labels"] = [names[name] for name in line["labels"]]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
