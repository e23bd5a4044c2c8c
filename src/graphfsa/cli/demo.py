"""graphfsa demo: the main job. An automaton is learned from small graphs, checked, shown and written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphfsa.cli._common import check_output, generators, say
from graphfsa.cli._guard import guarded
from graphfsa.files import atomic_write
from graphfsa.folders import make_folder, place

if TYPE_CHECKING:
    from graphfsa.datasets import TrainingData
    from graphfsa.learners import Model

_SIZES = ((10, 100), (20, 100), (100, 100), (1000, 10))
_FILES = (
    "path-finding.json",
    "proof.json",
    "impossible.json",
    "path-finding.png",
    "impossible.png",
    "report.md",
    "report.html",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo_command)


@guarded
def demo_command(
    out: str = typer.Option("demo", help="Directory for what is written; made if it is not there."),
    seed: int = typer.Option(0, min=0, help="Seed of the graphs."),
) -> None:
    """Learn PathFinding from trees of at most 10 nodes, prove it for all trees, check the proof, print the rules."""
    from graphfsa.datasets import training_data
    from graphfsa.evaluation import report as write_report

    files = _files(out)
    report: list[str] = []

    def tell(text: str = "") -> None:
        say(text)
        report.append(text)

    tell("# Which nodes of a tree lie on the path between two marked ones?\n")
    drawn = training_data("path-finding", seed=seed)
    model = _learn(tell, drawn, seed)
    _extrapolate(tell, model, seed)
    _prove(tell, model, files["proof.json"])
    tell("\nIts rules, where the training trees use them:\n\n```\n" + str(model.rules()) + "```")
    _impossible(tell, drawn, files, seed)
    _picture(model, files["path-finding.png"], seed)
    model.save(files["path-finding.json"])
    write_report(model, files["report.html"], seed=seed, name="path-finding.json")
    tell(f"\nWritten to {out}: " + ", ".join(_FILES) + ".")
    tell(f"Open {files['report.html']} in a browser: rules, diagram, accuracy, and a run to play.")
    atomic_write(files["report.md"], "\n".join(report) + "\n")


def _files(out: str) -> dict[str, Path]:
    folder = make_folder(out)
    files = {name: place(folder, name) for name in _FILES}
    for path in files.values():
        check_output(str(path), (path.suffix,))
    return files


def _learn(tell: Any, drawn: TrainingData, seed: int) -> Model:
    from graphfsa.learners import ExactLearner, learn_until

    tell(
        f"Learning from {len(drawn.train):,} labelled trees of 2 to 10 nodes (the first time, kernels are compiled) ..."
    )
    model = _whole(learn_until("proved", ExactLearner(), drawn, seed=seed))
    fsa, known = model.automaton, model.provenance
    assert known is not None
    right = f"{known.train_accuracy:.2%} of the labels are right"
    tell(f"{model.verdict}: {right}. {fsa.num_states} states, {fsa.aggregation}, {known.seconds:.1f} s.")
    tell(f"data {known.data[:12]}, automaton {fsa.digest[:12]}, seed {seed}")
    return model


def _whole(model: Model) -> Model:
    """The model, if the learner was not interrupted: it returns the best so far, and a demo of that is none."""
    if model.provenance is not None and model.provenance.interrupted:
        raise KeyboardInterrupt
    return model


def _extrapolate(tell: Any, model: Model, seed: int) -> None:
    from graphfsa.datasets import PathFinding, draw

    tell("\nOn trees it has never seen (strict: a node without an answer is wrong):\n")
    tell("| nodes | graphs | accuracy |\n|---:|---:|---:|")
    for (size, count), rng in zip(_SIZES, generators(seed + 1, len(_SIZES)), strict=True):
        test = draw(PathFinding(), size, count, rng, "test")
        tell(f"| {size} | {count} | {model.accuracy(test):.4f} |")


def _prove(tell: Any, model: Model, path: Path) -> None:
    from graphfsa.proofs import check_certificate, save_proof

    found = model.proof
    if found is None or not found.proved:
        tell(f"\nNOT proved: {'nothing was tried' if found is None else found.reason}.")
        return
    save_proof(found, path)
    tell(f"\nProved for trees of every size: {found.claim}, {found.steps}.")
    check = check_certificate(path, model)
    verdict = "holds" if check.holds else "FAILS"
    tell(f"The certificate {verdict}: it was checked by a program that shares no code with the prover.")


def _impossible(tell: Any, drawn: TrainingData, files: dict[str, Path], seed: int) -> None:
    from graphfsa.analysis import check_impossibility, save_impossibility
    from graphfsa.learners import ExactLearner
    from graphfsa.views import draw_examples

    proof = _whole(ExactLearner(states=4, bound=1).fit(drawn.train, seed=seed)).impossibility
    if proof is None:
        return
    save_impossibility(proof, files["impossible.json"])
    draw_examples(proof.examples, files["impossible.png"], title="What no automaton that counts to 1 can label")
    check = check_impossibility(proof)
    shown = ", ".join(str(size) for size in proof.examples.sizes.tolist())
    tell(f"\nWith bound 1 it is impossible, whatever the number of states; trees that show it have {shown} nodes:")
    tell(f"{check.reason}." if check.holds else f"NOT confirmed: {check.reason}.")


def _picture(model: Model, path: Path, seed: int) -> None:
    from graphfsa.datasets import PathFinding
    from graphfsa.views import Rollout

    (rng,) = generators(seed + 3, 1)
    example = next(iter(PathFinding().generate(60, 1, rng)))
    last = model.run(example.graph, example.inputs).stable_at or 1
    frames = model.run(example.graph, example.inputs, last, record=max(1, -(-last // 5)))
    title = "The learned automaton finds the path between two marked nodes"
    Rollout(frames, title).save(path)
