"""The notebook of docs runs from its first cell to its last."""

import json
import unittest
import warnings

import numpy as np

from tests.python import cases


class Notebook(unittest.TestCase):
    def test_it_runs_and_its_bounds_hold(self):
        notebook = json.loads((cases.ROOT / "docs/attention.ipynb").read_text())
        names = {}
        with warnings.catch_warnings():
            # Without a window a figure is drawn all the same.
            warnings.filterwarnings("ignore", module="matplotlib")
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    self.assertEqual(cell["outputs"], [], "Outputs are not kept: they would not stay true.")
                    exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
        swept, table = names["swept"], names["table"]
        upper = dict(zip(table.n, np.fmin(table["sharp"], table["castin_general"])))
        self.assertTrue(all(value <= upper[n] for n, value in zip(swept.n, swept.value)))
        self.assertLessEqual(names["worst"].value, upper.get(32, np.inf))
        self.assertEqual(names["shown"].experiment, names["experiment"])


if __name__ == "__main__":
    unittest.main()
