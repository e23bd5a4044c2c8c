"""A program that starts another one, which must do with less: smaller files, or no more rights than an owner has.

python _torture_launch.py --largest-file 4096 PROGRAM ARGUMENTS
python _torture_launch.py --no-override PROGRAM ARGUMENTS
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys

_DROP = 24
"""PR_CAPBSET_DROP of prctl(2)."""
_OVERRIDES = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what makes root ignore permissions."""


def main(arguments: list[str]) -> None:
    """Take something away, and become the other program."""
    if arguments[0] == "--largest-file":
        size = int(arguments[1])
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        rest = arguments[2:]
    else:
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        for right in _OVERRIDES if os.geteuid() == 0 else ():
            if prctl(_DROP, right, 0, 0, 0):
                sys.exit(f"cannot drop a right: {os.strerror(ctypes.get_errno())}")
        rest = arguments[1:]
    os.execv(rest[0], rest)


if __name__ == "__main__":
    main(sys.argv[1:])
