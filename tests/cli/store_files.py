"""The files of a Zarr store, byte by byte."""

import os
import sys


def chunks(store, *beside):
    """The bytes of every file that is no metadata, and of those named."""
    found = {}
    for folder, _, names in os.walk(store):
        for name in names:
            if name in beside or name not in ("zarr.json", "manychain.state", "manychain.lock"):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, store)] = file.read()
    return found


def require_same(store, whole):
    """Ends the program unless both have the same chunks."""
    mine, other = chunks(store), chunks(whole)
    if sorted(mine) != sorted(other):
        sys.exit(f"{store}: has other files: {sorted(set(mine) ^ set(other))}")
    for name in sorted(mine):
        if mine[name] != other[name]:
            sys.exit(f"{store}/{name}: has other bytes than {whole}")
