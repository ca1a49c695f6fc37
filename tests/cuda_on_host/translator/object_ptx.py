"""The PTX in an object file that nvcc made with --no-compress.

nvcc keeps device code in fat binaries: a header (magic number, version, its own bytes as 16 bits, the bytes that follow as
64), then entries: kind (1 is PTX), version, bytes of the entry's header as 32 bits and of its contents as 64. Nobody has
published the layout; what is read here is that of CUDA 13.0, and anything else is refused.
"""

import struct

from ptx import PtxError

_MAGIC = struct.pack("<I", 0xBA55ED50)
_HEADER = struct.Struct("<IHHQ")
_ENTRY = struct.Struct("<HHIQ")
_PTX = 1


def _entries(contents):
    """(kind, contents) of each entry of each fat binary."""
    at = contents.find(_MAGIC)
    while at >= 0:
        _, _, header, size = _HEADER.unpack_from(contents, at)
        entry, end = at + header, at + header + size
        if header < _HEADER.size or end > len(contents):
            raise PtxError("its device code is cut short")
        while entry < end:
            kind, _, skipped, size = _ENTRY.unpack_from(contents, entry)
            if skipped < _ENTRY.size or entry + skipped + size > end:
                raise PtxError("its device code is not laid out as that of CUDA 13.0")
            yield kind, contents[entry + skipped : entry + skipped + size]
            entry += skipped + size
        at = contents.find(_MAGIC, end)


def object_ptx(contents, architecture):
    """The PTX for compute_`architecture`, as text, in the bytes of an object."""
    for kind, text in _entries(contents):
        if kind != _PTX:
            continue
        text = text.rstrip(b"\0")
        if b".version" not in text[:200]:
            raise PtxError("its PTX is compressed: compile with --no-compress")
        if b".target sm_%d\n" % architecture in text[:200]:
            return text.decode(errors="replace")
    raise PtxError(f"it holds no PTX for compute_{architecture}")
