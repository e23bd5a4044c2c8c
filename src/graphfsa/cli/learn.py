"""graphfsa learn: from labelled graphs to a model, or to the reason why there is none."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from graphfsa.checks import check_choice
from graphfsa.cli._common import (
    check_output,
    find_data,
    is_same_file,
    parse_sizes,
    parse_value,
    print_json,
    say,
)
from graphfsa.cli._guard import exit_code, guarded, uninterrupted
from graphfsa.cli._learned import learned_facts, lookalike_facts, note_untouched, print_learned
from graphfsa.cli._progress import learning_progress
from graphfsa.cli.prove import proof_facts
from graphfsa.cli.suggest import print_suggestion, suggestion_facts
from graphfsa.errors import GraphFSAError, plugin_command
from graphfsa.files import is_file

if TYPE_CHECKING:
    from graphfsa.datasets import Dataset, Examples, FeatureExamples, UserData
    from graphfsa.learners import Learner, Model

_ASKED_NODES = 5
_ASKED_WORK = 5.0


class LearnCommand(TyperCommand):
    """A command whose options are also those of the learner that is chosen."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Remember the learner, for the help text."""
        ctx.meta["learner"] = _chosen(args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The options of the command, then those of the learner."""
        super().format_options(ctx, formatter)
        from graphfsa.learners import learner_class

        try:
            kind = learner_class(ctx.meta.get("learner", "exact"))
        except GraphFSAError:
            return
        words = kind.option_help()
        rows = [
            (f"--{name.replace('_', '-')} VALUE", f"{words.get(name, '')} [default: {_shown(default)}]")
            for name, default in kind.option_defaults().items()
        ]
        with formatter.section(f"Options of the learner {kind.name} ('--learner NAME --help' lists those of another)"):
            formatter.write_dl(rows or [("", "none")])


def register(app: typer.Typer) -> None:
    """Add the command."""
    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command("learn", cls=LearnCommand, context_settings=settings)(learn_command)


@guarded
def learn_command(
    ctx: typer.Context,
    task: str = typer.Option(None, help="Name of a data set (see 'graphfsa data list'), or file.py:Class."),
    oracle: str = typer.Option(
        None,
        metavar="FILE:FUNCTION",
        help="Instead of --task: a Python function label(graph, inputs) that labels any graph; it is run.",
    ),
    family: str = typer.Option(
        None,
        help="With --oracle: class of graphs: path, cycle, tree, rooted-tree, connected, row or ring "
        "[default: connected].",
    ),
    option: list[str] = typer.Option([], metavar="KEY=VALUE", help="An option of the data set; may be repeated."),
    sizes: str = typer.Option(None, help="With --task: number of nodes, N, A..B or N,N,N [default: up to 10]."),
    count: int = typer.Option(None, min=1, help="With --task: number of graphs in all [default: the data set's own]."),
    data: str = typer.Option(None, help="Instead of --task: a .jsonl file of labelled graphs."),
    validation: str = typer.Option(None, help="With --data: a .jsonl file of validation graphs."),
    steps: int = typer.Option(None, min=0, help="Labels are states after this number of steps."),
    inputs: str = typer.Option(
        "classes",
        help="classes, or continuous: nodes have features, numbers, and thresholds are learned together with the "
        "automaton (tasks such as noisy-distance, and files with features).",
    ),
    learner: str = typer.Option(
        "exact",
        help="exact (search), diff-fsa (gradient descent; needs torch), a baseline: recurrent-gnn, gnca (networks; "
        "need torch), majority, stay (trivial baselines); or file.py:Class.",
    ),
    until: str = typer.Option(
        None,
        help="proved: learn again with each graph that refutes a proof, until it is proved for all sizes; checked: "
        "with each graph that the task labels otherwise; exact: until all labels are right [default: proved for tasks "
        "with a specification, checked for other tasks].",
    ),
    proof: str = typer.Option(None, help="Where to write the proof [default: NAME.proof.json beside --out]."),
    initial: str = typer.Option(None, help="diff-fsa: an automaton to begin with, a file or a library name."),
    soft: str = typer.Option(None, help="diff-fsa: the .safetensors file to write the soft table to."),
    checkpoint: str = typer.Option(None, help="diff-fsa: a directory to keep the state and the history in."),
    resume: bool = typer.Option(False, "--resume", help="diff-fsa: go on from the checkpoint, if there is one."),
    seed: int = typer.Option(0, min=0, help="Seed of the graphs that are drawn, and of the learner."),
    out: str = typer.Option(
        None, help="Write it to this file: .json for an automaton, .safetensors for a network [default: not kept]."
    ),
    certificate: str = typer.Option(
        None, help="Where to write a proof of impossibility [default: NAME.impossible.json beside --out]."
    ),
    attempts: bool = typer.Option(False, "--attempts", help="With --json: list every size that was tried."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """Learn an automaton that gives every node its label, or a baseline to compare it with.

    The exact learner finds the simplest one, or proves that there is none. Diff-FSA trains soft tables by gradient
    descent and makes them exact, or trains as published (--preset paper). Networks and trivial baselines
    are what the paper and common sense compare with: see docs/baselines.md.

    Verdicts: proved (right on graphs of every size; the certificate is written), exact (all training labels are right,
    and all validation labels if the learner uses them), best-effort (as many as could be), impossible (nothing of this
    size fits, and a small set of graphs that shows it is written), undecided (the budget is spent). Exit code 0 for
    proved, exact and best-effort, 1 for the others. Ctrl-C, SIGTERM and SIGHUP write the best so far and exit with
    130, 143 and 129.
    """
    from graphfsa.datasets import read_jsonl, training_data
    from graphfsa.learners import as_learner, as_model, check_continuous, check_goal, learn_until

    check_choice("--inputs", inputs, ("classes", "continuous"))
    if sum(given is not None for given in (task, oracle, data)) != 1:
        raise GraphFSAError("give either --task NAME, --oracle FILE:FUNCTION or --data FILE.jsonl")
    if family is not None and oracle is None:
        raise GraphFSAError("--family goes with --oracle; other tasks have a class of graphs of their own")
    if data is not None and not is_file(data):
        raise GraphFSAError(f"there is no file {data!r}")
    if data is not None and (sizes is not None or count is not None):
        raise GraphFSAError("--sizes and --count go with --task; a file holds the graphs that it holds")
    chosen = as_learner(learner, _options(ctx.args))
    if inputs == "continuous":
        check_continuous(chosen)
        if validation is not None:
            raise GraphFSAError("--validation does not go with --inputs continuous")
    check_output(out, (chosen.suffix,))
    if out is not None:
        certificate = certificate or str(Path(out).with_suffix(".impossible.json"))
        proof = proof or str(Path(out).with_suffix(".proof.json"))
    _check_files(chosen, data, out, {"certificate": certificate, "proof": proof}, soft, checkpoint)
    given = {"initial": initial, "checkpoint": checkpoint, "resume": resume or None}
    extra: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if initial is not None:
        extra["initial"] = as_model(initial).automaton
    chosen.check_libraries()
    source = find_data(task, option, data) if oracle is None else _oracle_task(oracle, family, option)
    if data is None:
        check_goal(until, source)  # Before anything is drawn, and any label asked for.
    read = None if data is None else read_jsonl(data, steps=steps)
    drawn = training_data(
        source if read is None else _labelled(read, continuous=inputs == "continuous"),
        validation=None if validation is None else Path(validation),
        sizes=None if sizes is None else parse_sizes(sizes, "--sizes"),
        count=count,
        steps=steps,
        seed=seed,
        split=chosen.split,
        inputs=inputs,
    )
    with learning_progress() as watch:
        model = learn_until(until, chosen, drawn, seed=seed, watch=watch, **extra)
    with uninterrupted():
        written = _written(chosen, model, out, certificate, proof, soft)
    facts = learned_facts(model, drawn.train, read, attempts=attempts) | written | {"checkpoint": checkpoint}
    facts["lookalike"] = lookalike_facts(model, drawn.dataset)
    facts |= _question(model, drawn.train, asks=read is not None and until is None and inputs == "classes")
    facts["command"] = _next_command(model, drawn.dataset, (task or oracle or "").rpartition(":")[0], out)
    print_json(facts) if as_json else _print(model, facts)
    if facts["interrupted"]:
        raise typer.Exit(exit_code())
    if facts["verdict"] in ("impossible", "undecided"):
        raise typer.Exit(1)


def _labelled(read: UserData, *, continuous: bool) -> Examples | FeatureExamples:
    """The graphs of a file; with their features if those are to be learned from."""
    from graphfsa.datasets import as_examples, as_feature_examples

    return as_feature_examples(read) if continuous else as_examples(read)


def _next_command(model: Model, dataset: Dataset | None, file: str, out: str | None) -> str | None:
    """For a model whose task is in a file of one's own: a command that uses it, as it must be typed."""
    if not file.endswith(".py") or dataset is None or out is None or not model.is_automaton:
        return None
    return plugin_command(file, f"{'prove' if dataset.specifications() else 'evaluate'} {shlex.quote(out)}")


def _oracle_task(oracle: str, family: str | None, option: list[str]) -> Any:
    """The data set that a function labels."""
    from graphfsa.datasets import find_oracle

    if option:
        raise GraphFSAError("--option goes with --task; an oracle has --family")
    return find_oracle(oracle).from_options({} if family is None else {"family": family})


def _question(model: Model, train: Examples, asks: bool) -> dict[str, Any]:
    """Whether labelled graphs determine the automaton and, if they do not, the graph whose labels would tell."""
    from graphfsa.analysis import suggest

    facts: dict[str, Any] = {"determined": None, "question": None}
    if not asks or model.verdict != "exact" or model.interrupted or not model.is_automaton:
        return facts
    try:
        found = suggest(model, train, max_nodes=_ASKED_NODES, budget=_ASKED_WORK)
    except GraphFSAError:  # Nothing can be said about such an automaton, or there are too many graphs.
        return facts
    asked = [suggestion_facts(suggestion, found.task) for suggestion in found.suggestions]
    return {"determined": found.determined, "question": asked[0] if asked else None}


def _print(model: Model, facts: dict[str, Any]) -> None:
    print_learned(model, facts)
    if facts["command"] is not None:
        say(f"\nits task is in a file of yours, so commands that use it load that first: {facts['command']}")
    if facts.get("question") is not None:
        say("\nnot determined: another automaton of this size fits all labels too. Those of this graph would tell:")
        print_suggestion(facts["question"])


def _options(args: list[str]) -> dict[str, Any]:
    """Options of the learner: what the command does not know itself."""
    options: dict[str, Any] = {}
    waiting = list(args)
    while waiting:
        word = waiting.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not name:
            raise GraphFSAError(f"unexpected argument {word!r}")
        if not equals:
            if not waiting or waiting[0].startswith("--"):
                raise GraphFSAError(f"{word} needs a value")
            value = waiting.pop(0)
        key = name.replace("-", "_")
        if key in options:
            raise GraphFSAError(f"--{name} is given more than once")
        options[key] = parse_value(value)
    return options


def _check_files(
    learner: Learner,
    data: str | None,
    out: str | None,
    proofs: dict[str, str | None],
    soft: str | None,
    checkpoint: str | None,
) -> None:
    """Raise for what can't be written, before anything is drawn or learned."""
    for name, path in proofs.items():
        check_output(path, (".json",))
        if out is not None and path is not None and Path(out).resolve() == Path(path).resolve():
            raise GraphFSAError(f"--out and --{name} must be two files; got {out!r} for both")
    check_output(soft, (".safetensors",))
    for path in (out, *proofs.values(), soft):
        if path is not None and data is not None and is_same_file(path, data):
            raise GraphFSAError(f"{data!r} is the data and would be overwritten; choose another file")
    if soft is not None and not learner.soft_tables:
        raise GraphFSAError(f"--soft goes with a learner that has soft tables; the learner is {learner.name}")
    if soft is not None and checkpoint is not None and Path(soft).resolve().parent == Path(checkpoint).resolve():
        raise GraphFSAError("--soft must not be in the directory of the checkpoint; choose another place")


def _written(
    learner: Learner, model: Model, out: str | None, impossible: str | None, proof: str | None, soft: str | None
) -> dict[str, Any]:
    """Write the model and what shows that there is none; returns the files."""
    from graphfsa.analysis import save_impossibility
    from graphfsa.proofs import save_proof

    if out is not None and model.found and not (model.is_automaton or model.is_network):
        raise GraphFSAError(
            f"what {learner.name} returns can't be written to a file: only automata and networks that extend "
            "NeuralLearner can; use it from Python, with graphfsa.learn"
        )
    if out is not None and model.found:
        model.save(out)
    if impossible is not None and model.impossibility is not None:
        save_impossibility(model.impossibility, impossible)
    if proof is not None and model.proof is not None and model.proof.proved:
        save_proof(model.proof, proof)
    if soft is not None and model.soft is not None:
        model.soft.save(soft)
    note_untouched(out, model.found)
    note_untouched(impossible, model.impossibility is not None)
    note_untouched(proof, model.verdict == "proved")
    return {
        "model": out if model.found else None,
        "impossibility_certificate": impossible if model.impossibility is not None else None,
        "proof": None if model.proof is None else proof_facts(model.proof, proof),
        "soft": soft if model.soft is not None else None,
    }


def _chosen(args: Sequence[str]) -> str:
    """The learner that arguments name, as far as one can tell before they are parsed."""
    for place, word in enumerate(args):
        if word == "--learner" and place + 1 < len(args):
            return args[place + 1]
        if word.startswith("--learner="):
            return word.partition("=")[2]
    return "exact"


def _shown(default: Any) -> str:
    return "automatic" if default is None else str(default).lower() if isinstance(default, bool) else str(default)
