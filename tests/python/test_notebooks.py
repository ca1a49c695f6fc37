"""Notebooks of examples/notebooks, run from the first cell to the last; each asserts its own verdict."""

import importlib.util
import pathlib
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "notebooks"


@unittest.skipUnless(all(map(importlib.util.find_spec, ("nbclient", "ipykernel"))), "without nbclient or ipykernel")
class Notebooks(unittest.TestCase):
    def run_notebook(self, name):
        import nbclient
        import nbformat
        notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
        nbformat.validate(notebook)
        self.assertFalse([cell for cell in notebook.cells if cell.get("outputs")], "outputs are not kept")
        with tempfile.TemporaryDirectory() as folder:
            nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                                    resources={"metadata": {"path": folder}}).execute()
        shown = [output["data"]["text/html"] for cell in notebook.cells for output in cell.get("outputs", [])
                 if "text/html" in output.get("data", {})]
        self.assertTrue(any("Converged" in html for html in shown), "no result is shown")

    def test_one_bar_in_place(self):
        import nbclient
        import nbformat
        cell = nbformat.v4.new_code_cell("import manychain\nmanychain._running.NotebookBar.end = lambda self: None\n"
                                         "result = manychain.sample('eight_schools', seed=1)")
        notebook = nbformat.v4.new_notebook(cells=[cell])
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        (output,) = notebook.cells[0].outputs
        self.assertIn("<progress value=", output["data"]["text/html"])
        self.assertRegex(output["data"]["text/plain"], "of at most [0-9]+ transitions of 256 chains")

    def test_first_steps(self):
        self.run_notebook("first_steps")

    def test_hierarchy(self):
        self.run_notebook("hierarchy")

    @unittest.skipUnless(importlib.util.find_spec("jax"), "without jax")
    def test_jax_density(self):
        self.run_notebook("jax_density")


if __name__ == "__main__":
    unittest.main()
