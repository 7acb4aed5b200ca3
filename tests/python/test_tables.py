"""Tables of tokens: the kept cases are read, asked about or refused, as everywhere."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

import lipscope

CASES = Path(__file__).parent.parent / "data" / "cases" / "tables"
TOKENS = np.array([[1, 2], [0.5, -1], [-0.25, 0.75]])


class Tables(unittest.TestCase):
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
