"""The page in a notebook, as far as it needs no browser."""

import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import lipscope
from lipscope import _fallback
from lipscope._site import Site
from tests.python import cases


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        inside = Path(folder.name) / "site"
        inside.mkdir()
        (inside / "index.html").write_text("<p>page</p>")
        (inside / "app.wasm").write_bytes(b"\0asm")
        (Path(folder.name) / "secret").write_text("not for browsers")
        self.site = Site(inside)
        self.addCleanup(self.site.close)

    def test_files_are_served_with_their_types(self):
        with urllib.request.urlopen(self.site.address) as page:
            self.assertEqual((page.read(), page.headers["Content-Type"]), (b"<p>page</p>", "text/html; charset=utf-8"))
        with urllib.request.urlopen(self.site.address + "app.wasm") as module:
            self.assertEqual(module.headers["Content-Type"], "application/wasm")

    def test_nothing_but_the_site_is_served(self):
        for path in ("../secret", "%2e%2e/secret", "missing.js"):
            with self.assertRaises(urllib.error.HTTPError, msg=path) as refused:
                urllib.request.urlopen(self.site.address + path)
            self.assertEqual(refused.exception.code, 404)
            refused.exception.close()


class Fallbacks(unittest.TestCase):
    def test_where_there_are_no_widgets_there_is_a_link_and_a_table(self):
        shown = _fallback.Fallback(cases.experiment(), "http://127.0.0.1:1/#v3&plot=growth")
        self.assertIn('<a href="http://127.0.0.1:1/#v3&amp;experiment=', shown._repr_html_())
        self.assertIn("local_blocks", shown._repr_html_())

    def test_a_link_holds_the_experiment(self):
        import base64
        import zlib

        experiment = cases.experiment()
        fragment = _fallback.link(experiment, "http://127.0.0.1:1/").split("#v3&experiment=")[1]
        text = zlib.decompress(base64.urlsafe_b64decode(fragment + "=" * (-len(fragment) % 4))).decode()
        self.assertEqual(lipscope.Experiment.from_json(text), experiment)

    def test_what_no_link_can_hold_links_to_the_page(self):
        experiment = lipscope.Experiment.from_dict(
            {
                "tokens": {"source": "explicit", "rows": [[0.1 * at] for at in range(5000)]},
                "weights": {"source": "identity"},
            }
        )
        self.assertEqual(_fallback.link(experiment, "http://127.0.0.1:1/"), "http://127.0.0.1:1/")

    def test_an_experiment_that_cannot_be_measured_says_why(self):
        file = {"tokens": {"source": "random", "d": 3}, "weights": {"source": "kim", "heads": 2}, "attention": "l2"}
        self.assertIn("heads", _fallback.html(lipscope.Experiment.from_dict(file), None))

    def test_wrong_views_are_named(self):
        with self.assertRaisesRegex(ValueError, "`view` is 'half', but it must be one of: full, embed"):
            lipscope.explore(view="half")
        with self.assertRaisesRegex(ValueError, "`height` is 3, but it must be from 120"):
            lipscope.explore(height=3)


if __name__ == "__main__":
    unittest.main()
