"""The command line of a wheel: `manychain sample eight_schools` where pip has put it."""

import ctypes
import os
import sys
from typing import Any

from ._errors import BadInput, Error
from ._library import FindShare, library
from ._toolkit import share_of_models


def _find_share(text: Any, size: int) -> int:
    """The function that manychain_find_share() takes. A header waits for the compiler, no other model does."""
    try:
        share = share_of_models(None)
        if not share:
            raise BadInput("no header is compiled without the folder share/manychain of a package of manychain; the environment "
                           "variable MANYCHAIN_SHARE names one")
        found, failed = os.fsencode(share), 0
    except (Error, OSError) as error:
        found, failed = str(error).encode(), 1
    except BaseException as error:  # nothing may leave a callback of C
        found, failed = repr(error).encode(), 1
    found = found[:size - 1] + b"\0"
    ctypes.memmove(text, found, len(found))
    return failed


_FIND = FindShare(_find_share)  # it lives as long as the library


def main() -> int:
    """Runs the words of sys.argv as the program manychain does, and returns its exit status."""
    if library.command_line is None:
        print("manychain: the shared library was built without the command line", file=sys.stderr)
        return 2
    library.find_share(_FIND)
    words = ["manychain", *sys.argv[1:]]
    line = (ctypes.c_char_p * (len(words) + 1))(*map(os.fsencode, words), None)
    sys.stdout.flush()
    return int(library.command_line(len(words), line))
