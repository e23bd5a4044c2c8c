import json
import subprocess
import sys
from dataclasses import dataclass

import pytest
from typer.testing import CliRunner

from graphfsa.cli import build_app


@dataclass
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def cli():
    """Run a command in this process."""

    def call(*arguments):
        words = [str(part) for part in arguments]
        result = CliRunner().invoke(build_app(words[0] if words else None), words)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def shell():
    """Run a command in a process of its own."""

    def call(*arguments, **options):
        command = [sys.executable, "-c", "from graphfsa.cli import main; main()", *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)
        return Answer(result.returncode, result.stdout, result.stderr)

    return call
