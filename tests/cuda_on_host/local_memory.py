#!/usr/bin/env python3
"""Asks that no kernel of an object has local memory in its PTX.

    local_memory.py OBJECT ARCHITECTURE

A functor that is indexed by a variable is copied there by each thread: its kernel is slower, and the reserve of device
memory does not count it. Exit status: 0; 1 where a kernel or a function has local memory.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "translator"))
from object_ptx import object_ptx  # noqa: E402

with open(sys.argv[1], "rb") as file:
    text = object_ptx(file.read(), int(sys.argv[2]))
kernels = len(re.findall(r"^\S*\.visible \.entry", text, re.MULTILINE))
bytes_asked = [int(size) for size in re.findall(r"__local_depot\d+\[(\d+)\];", text)]
if kernels == 0:
    sys.exit("no kernel was found")
if bytes_asked:
    sys.exit(f"{len(bytes_asked)} of {kernels} kernels have local memory, {max(bytes_asked)} bytes at most")
print(f"{kernels} kernels, none with local memory")
