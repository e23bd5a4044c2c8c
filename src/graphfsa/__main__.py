"""``python -m graphfsa``: the command line."""

from graphfsa.cli import main

main()
