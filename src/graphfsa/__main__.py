"""``graphfsa`` and ``python -m graphfsa``: the command line, which ends quietly if it is interrupted as it starts."""

# The built-in part of signal: the module around it takes milliseconds to import, and Ctrl-C would show a traceback.
import _signal as signal  # pyright: ignore[reportMissingImports]
import os
import sys


def main() -> None:
    """Entry point of the ``graphfsa`` command."""
    # Nothing has been done yet, and imports would show where they were interrupted. Commands set their own handler.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _quit)
    from graphfsa.cli import main as command_line

    command_line()


def _quit(_number: int, _frame: object) -> None:
    sys.stderr.write("error: interrupted\n")
    sys.stderr.flush()
    os._exit(130)


if __name__ == "__main__":
    main()
