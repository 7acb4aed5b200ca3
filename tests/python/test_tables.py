"""Kept files of public bug reports: tables and experiments are read, asked about or refused, as everywhere."""

import json
import tempfile
import unittest
from pathlib import Path

import numpy as np

import lipscope

TESTS = Path(__file__).parent.parent
CASES = TESTS / "data" / "cases" / "tables"
KEPT = json.loads((TESTS / "data" / "cases" / "tables.json").read_text(encoding="utf-8"))
TOKENS = np.array([[1, 2], [0.5, -1], [-0.25, 0.75]])


class Tables(unittest.TestCase):
    def test_every_kept_table_is_read_asked_about_or_refused(self):
        for name, case in KEPT.items():
            with self.subTest(name):
                if "refused" in case:
                    with self.assertRaises(ValueError) as refusal:
                        lipscope.read_tokens(CASES / name)
                    for part in case["refused"]:
                        self.assertIn(part, str(refusal.exception))
                    continue
                answer = {}
                if "asked" in case:
                    answer = {case["asked"]: case["answer"]}
                    with self.assertRaisesRegex(ValueError, "two ways"):
                        lipscope.read_tokens(CASES / name)
                tokens, line = lipscope.read_tokens(CASES / name, **answer)
                np.testing.assert_array_equal(tokens, np.array(case["rows"], float))
                self.assertIn(case["told"], line)
        self.assertGreaterEqual(len(KEPT), 102)

    def test_every_kept_experiment_is_measured_or_refused(self):
        expected = json.loads((TESTS / "golden" / "cases.json").read_text(encoding="utf-8"))
        for name, norms in expected.items():
            text = (TESTS / "data" / "cases" / "experiments" / name).read_text(encoding="utf-8")
            for line, norm in zip(text.splitlines() if name.endswith(".jsonl") else [text], norms, strict=True):
                with self.subTest(name):
                    # Scores of 1e320 are past what numbers hold.
                    if norm is None or name == "overflow_1e160.json":
                        with self.assertRaisesRegex(ValueError, "eps = 0|overflow"):
                            lipscope.measure(lipscope.Experiment.from_json(line))
                        continue
                    found = lipscope.measure(lipscope.Experiment.from_json(line))
                    is_rounded = any("Within rounding" in warning for warning in found.warnings)
                    most = 1e-7 if is_rounded else 1e-12
                    self.assertLessEqual(abs(found.spectral - norm), most * max(norm, 1e-3))

    def test_files_texts_and_bytes_give_the_same_tokens(self):
        for name in ("matlab_literal.txt", "list_of_tuples.txt", "r_matrix.txt", "f2.npy", "utf16.txt", "decimal_comma.csv"):
            path = CASES / name
            for source in (path, str(path), path.read_bytes()):
                tokens, line = lipscope.read_tokens(source)
                np.testing.assert_array_equal(tokens, TOKENS, name)
                self.assertIn("read as 3 tokens in 2 dimensions", line)
        tokens, _ = lipscope.read_tokens((CASES / "matlab_literal.txt").read_text())
        np.testing.assert_array_equal(tokens, TOKENS)

    def test_a_question_names_the_argument_that_answers_it(self):
        path = CASES / "pandas_to_csv_numhead.csv"
        with self.assertRaisesRegex(ValueError, 'two ways.*header="first-row"'):
            lipscope.read_tokens(path)
        tokens, line = lipscope.read_tokens(path, header="first-row")
        np.testing.assert_array_equal(tokens, TOKENS)
        self.assertIn("dropped: header (0, 1)", line)
        self.assertEqual(lipscope.read_tokens(path, header="none")[0].shape, (4, 2))

    def test_what_is_no_table_and_no_answer_is_refused(self):
        for source, options, part in (
            ("1,2\n3,x", {}, "Row 2, column 2"),
            ("1,2\n3,4", {"header": "yes"}, "first-row, none"),
            (b"\xff\xfe\x00", {}, "neither text"),
        ):
            with self.assertRaisesRegex(ValueError, part):
                lipscope.read_tokens(source, **options)
        with self.assertRaisesRegex(TypeError, "a path, a text or bytes"):
            lipscope.read_tokens(3)
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(OSError):
            lipscope.read_tokens(Path(folder) / "nowhere.csv")


if __name__ == "__main__":
    unittest.main()
