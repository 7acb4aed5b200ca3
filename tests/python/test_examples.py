"""The examples in the docstrings are true."""

import doctest
import importlib
import unittest

MODULES = ["lipscope", "lipscope._experiment", "lipscope._explore", "lipscope._functions", "lipscope._linear", "lipscope._tables"]


def load_tests(loader, tests, pattern):
    """Adds the examples of each module to the tests."""
    for name in MODULES:
        tests.addTests(doctest.DocTestSuite(importlib.import_module(name)))
    return tests


class Documented(unittest.TestCase):
    def test_every_public_function_has_an_example(self):
        import lipscope

        for name in lipscope.__all__:
            thing = getattr(lipscope, name)
            if callable(thing) and not isinstance(thing, type):
                self.assertIn(">>> ", thing.__doc__, name)

    def test_the_stub_names_what_is_compiled(self):
        import re
        from pathlib import Path

        from lipscope import _lipscope

        stub = Path(_lipscope.__file__).with_name("_lipscope.pyi").read_text()
        named = set(re.findall(r"^(?:def|class) (\w+)", stub, re.MULTILINE))
        compiled = {name for name in dir(_lipscope) if not name.startswith("_")}
        self.assertEqual(named, compiled)


if __name__ == "__main__":
    unittest.main()
