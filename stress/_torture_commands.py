"""The commands that are tortured: small, and all of their output in the directory ``out``."""

from __future__ import annotations

from dataclasses import dataclass

EXPERIMENT = """title = "RootValue from few graphs"
blocks = [{ split = "learn", count = 40, sizes = [1, 2, 3, 4, 5] }]

[data]
dataset = "root-value"

[[tests]]
name = "n=10"
size = 10
count = 5

[[learners]]
column = "exact"
learner = "exact"
focus = true

[[learners]]
column = "majority"
learner = "majority"
"""
INPUTS = {
    "a.json": "learn --task prefix-sum --sizes 1..3 --count 20 --states 6 --bound 1 --out a.json",
    "b.json": "learn --task distance --sizes 1..4 --count 20 --states 4 --bound 1 --out b.json",
}
"""Models that commands need, and how they are made."""
_RULES = ("distance", "path-finding")
_BASE = ("numpy", "scipy.linalg", "scipy.sparse.csgraph", "scipy.stats", "numba", "networkx", "pysat.solvers")
_TORCH, _DRAWING = "torch", "matplotlib.pyplot"


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes:
        name: What it is called in tables.
        line: Its arguments. ``SEED`` stands for 0, or for 1 in the older run; ``MODEL`` for one of two files, ``RULE``
            for one of two automata of the library.
        code: The exit code of success.
        earlier: How the state of an earlier run is made: ``other`` (the same command with another seed or model),
            ``none``, or one of the words that ``_torture_bench.py`` knows.
        always: Whether a trial always begins with that state.
        alike: Whether two writers at once make the same: others would be refused.
        learns: Whether it is a learner's, which writes the best so far.
        draws: Whether it draws.
        torch: Whether it needs torch.
    """

    name: str
    line: str
    code: int = 0
    earlier: str = "other"
    always: bool = False
    alike: bool = False
    learns: bool = False
    draws: bool = False
    torch: bool = False

    def arguments(self, variant: int = 0) -> list[str]:
        """The arguments of one of two variants, which write different files to the same places."""
        words = {"SEED": str(variant), "MODEL": ("a.json", "b.json")[variant], "RULE": _RULES[variant]}
        return [words.get(word, word) for word in self.line.split()]

    @property
    def libraries(self) -> str:
        """What is loaded before memory is taken away."""
        return " ".join([*_BASE, *([_TORCH] if self.torch else []), *([_DRAWING] if self.draws else [])])


_DIFF = "--sizes 1..5 --count 60 --states 6 --bound 1 --restarts 8 --updates 200"
_FOUND = (
    Command("rules", "rules MODEL --complete --out out/model.rules"),
    Command("data export", "data export distance --split test --count 60 --seed SEED --out out/graphs.jsonl"),
    Command(
        "learn exact",
        "learn --task prefix-sum --sizes 1..6 --count 100 --states 6 --bound 1 --seed SEED --json --out out/m.json",
        learns=True,
    ),
    Command(
        "learn diff",
        f"learn --task prefix-sum --learner diff {_DIFF} --seed SEED --checkpoint out/training --resume "
        "--soft out/soft.safetensors --json --out out/m.json",
        earlier="killed",
        alike=True,
        learns=True,
        torch=True,
    ),
    Command(
        "learn network",
        "learn --task root-value --learner recurrent-gnn --sizes 1..6 --count 100 --epochs 30 --seed SEED --json "
        "--out out/net.safetensors",
        learns=True,
        torch=True,
    ),
    Command(
        "learn impossible",
        "learn --task path-finding --states 4 --bound 1 --count 50 --seed SEED --json --out out/m.json",
        code=1,
        learns=True,
    ),
    Command("grab generate", "grab generate paper-1 --out out/grab", earlier="none", alike=True),
    Command(
        "reproduce", "reproduce few.toml --seeds 2 --jobs 2 --out out/few", earlier="one seed", alike=True, draws=True
    ),
    Command("reproduce report", "reproduce report out/few", earlier="results", always=True, alike=True, draws=True),
    Command("report", "report MODEL --sizes 10 --max-nodes 4 --out out/report.html", draws=True),
    Command("rollout page", "rollout life --graph moore-torus:16x16 --steps 20 --seed SEED --out out/life.html"),
    Command("rollout picture", "rollout distance --graph tree:20 --steps 4 --seed SEED --out out/tree.png", draws=True),
    Command("run", "run life --graph moore-torus:64x64 --steps 100 --seed SEED --out out/last.safetensors"),
    Command("draw", "draw MODEL --complete --out out/diagram.svg", draws=True),
    Command("verify", "verify RULE --task RULE --max-nodes 5 --out out/certificate.json"),
    Command("suggest", "suggest MODEL --max-nodes 4 --out out/next.jsonl --alternative out/other.json"),
    Command("evaluate", "evaluate MODEL --sizes 10,20 --count 5 --draw out/accuracy.svg", draws=True),
    Command("coverage", "coverage MODEL --draw out/coverage.png", draws=True),
    Command("demo", "demo --seed SEED --out out/demo", draws=True),
)
COMMANDS = {command.name: command for command in _FOUND}
_OFTEN = ("learn exact", "learn diff", "learn network", "grab generate", "reproduce", "learn diff")
_CYCLE = (*COMMANDS, *_OFTEN)


def command_of(number: int) -> Command:
    """The command of a trial; what takes long to lose comes more often."""
    return COMMANDS[_CYCLE[number % len(_CYCLE)]]
