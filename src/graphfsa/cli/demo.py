"""graphfsa demo: the main job in small."""

from __future__ import annotations

from pathlib import Path

import typer

from graphfsa.cli._common import check_output, generators, guarded
from graphfsa.errors import GraphFSAError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo_command)


@guarded
def demo_command(
    out: str = typer.Option("demo", help="Directory for the picture and the automaton; made if it is not there."),
    seed: int = typer.Option(0, min=0, help="Seed of the random graph."),
) -> None:
    """Run a known automaton, print its table, check it on a large graph and write a picture."""
    from graphfsa import GraphFSA, families, library, run
    from graphfsa.automaton.states import described_states
    from graphfsa.cli.info import print_table
    from graphfsa.views.frames import draw_frames

    directory = Path(out)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GraphFSAError(f"cannot make the directory {out!r}: {error.strerror}") from None
    picture, model = directory / "distance.png", directory / "distance.json"
    check_output(str(picture), (".png",))
    check_output(str(model), (".json",))
    fsa = library.distance()
    typer.echo("The automaton that tells even from odd distance to a root; every node runs it:")
    print_table(fsa)

    (rng,) = generators(seed, 1)
    tree = families.random_tree(100_000, rng=rng)
    start = described_states("root:0", fsa, tree.num_nodes)
    run(fsa, tree, start, "stable")  # The first use compiles the kernels.
    trajectory = run(fsa, tree, start, "stable")
    rate = tree.num_nodes * trajectory.steps / trajectory.seconds
    typer.echo(
        f"\nOn a random tree of {tree.num_nodes:,} nodes it is stable after {trajectory.stable_at} steps: ", nl=False
    )
    typer.echo(f"{int((trajectory.last == 0).sum()):,} nodes even, {int((trajectory.last == 1).sum()):,} odd.")
    typer.echo(f"That took {trajectory.seconds:.3f} s, {rate:.2g} node-steps a second, by the path {trajectory.path}.")

    hexagons = families.hexagonal(24, 32)
    start = described_states("root:300", fsa, hexagons.num_nodes)
    wave = run(fsa, hexagons, start, "stable", record=5)
    draw_frames(fsa, hexagons, wave, picture, title="Parity of the distance, spreading from the root")
    fsa.save(model)
    assert GraphFSA.load(model) == fsa
    typer.echo(f"\nThe automaton is in {model}, a picture of it at work in {picture}.")
