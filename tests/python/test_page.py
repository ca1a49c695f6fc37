"""Runs the Python of docs/python.md, block by block."""

import contextlib
import io
import os
import pathlib
import re
import tempfile
import unittest

import manychain

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "python.md"
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Page(unittest.TestCase):
    def test_blocks(self):
        text = PAGE.read_text(encoding="utf-8")
        names, printed, before = {}, io.StringIO(), os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for fence in FENCE.finditer(text):
                    lines = text.count("\n", 0, fence.start(1))
                    block = compile("\n" * lines + fence[1], str(PAGE), "exec")
                    with contextlib.redirect_stdout(printed):
                        try:
                            exec(block, names)
                        except ImportError as error:
                            self.assertIn(f"# needs {error.name}\n", fence[1])
            finally:
                os.chdir(before)
        self.assertTrue(names["fit"].converged)
        shown = re.findall(r"^    (.+)$", text, re.MULTILINE)
        for line in shown[:shown.index("...")] + [shown[shown.index("...") + 1]]:
            if not line.startswith("mu "):  # digits of one instruction set
                self.assertIn(re.sub(r"\(.*?\)", "", line), re.sub(r"\(.*?\)", "", printed.getvalue()))

    def test_all_that_is_public_is_documented(self):
        text = PAGE.read_text(encoding="utf-8")
        for name in ("verdict", "converged", "problems", "warnings", "notes", "findings", "quantities", "sample_stats", "info",
                     "seed", "chains", "draws", "cancelled", "seconds"):
            self.assertIn(f"`{name}`", text)
            self.assertTrue(hasattr(manychain.Result, name))
        for name in manychain.__all__:
            one = getattr(manychain, name)
            self.assertTrue(isinstance(one, str) or one.__doc__, name)


if __name__ == "__main__":
    unittest.main()
