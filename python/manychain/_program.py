"""The command line of a wheel: `manychain sample eight_schools` where pip has put it."""

import ctypes
import os
import sys

from ._library import library


def main() -> int:
    """Runs the words of sys.argv as the program manychain does, and returns its exit status."""
    if library.command_line is None:
        print("manychain: the shared library was built without the command line", file=sys.stderr)
        return 2
    words = ["manychain", *sys.argv[1:]]
    line = (ctypes.c_char_p * (len(words) + 1))(*map(os.fsencode, words), None)
    sys.stdout.flush()
    return int(library.command_line(len(words), line))
