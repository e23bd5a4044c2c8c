"""Experiments that take no time, as files."""

TINY = """
title = "Floors"
about = "Nothing is learned."
{published}

[data]
dataset = "root-value"

[quick]
train = 20
test = 5

[[tests]]
name = "n=10"
size = 10
count = 8
steps = 20

[[tests]]
name = "n=20"
size = 20
count = 8
steps = {steps}

[[learners]]
column = "majority"
learner = "majority"
floor = true
published = "GNCA"

[[learners]]
column = "stay"
focus = true
learner = "stay"
"""


def tiny(folder, name="floors", *, steps=30, more="", published='[published]\ntable = "tab:rootvalue-results"'):
    """Write a small experiment to a file, and return the file's name."""
    path = folder / f"{name}.toml"
    path.write_text(TINY.format(steps=steps, published=published) + more)
    return str(path)


def record(job, accuracy, reference=None, **more):
    """A record as a run would leave it."""
    results = {
        test["name"]: {
            "accuracy": accuracy,
            "reference": accuracy if reference is None else reference,
            "perfect": float(accuracy == 1),
            "nodes": 100,
            "graphs": 10,
        }
        for test in job.config["tests"]
    }
    return {
        "schema": "graphfsa.record/1",
        "id": job.id,
        "status": "done",
        "config": job.config,
        "results": results,
        "fit": {},
        "model": None,
        "digests": {},
        "seconds": {"fit": 1.0, "fit_cpu": 1.0, "all": 1.0, "all_cpu": 1.0},
        "versions": {"graphfsa": "0"},
        **more,
    }
