"""SASS with labels, as the tests have it, in the form that cuobjdump prints."""

import os
import re


def assemble(text, name="kernel"):
    """The lines of a function. A line of `text` is a label with a colon or an instruction; // begins a comment."""
    lines = [re.sub(r"\s*//.*", "", line).strip() for line in text.splitlines()]
    labels, instructions = {}, []
    for line in filter(None, lines):
        if line.endswith(":"):
            labels[line[:-1]] = 16 * len(instructions)
        else:
            instructions.append(line)
    shown = [f"\t\tFunction : {name}", '\t.headerflags\t@"EF_CUDA_SM90"']
    for place, line in enumerate(instructions):
        line = re.sub(r"\b[a-z_]+$", lambda match: f"{labels[match.group()]:#x}", line)
        shown.append(f"        /*{16 * place:04x}*/  {line:50} ;  /* 0x0123456789abcdef */")
        shown.append("                                      /* 0x0123456789abcdef */")
    return shown


def data(name):
    """The text of a file in data/."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", name), encoding="utf-8") as file:
        return file.read()
