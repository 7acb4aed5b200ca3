"""Every line of Python in the documents runs, and prints what they show."""

import unittest

from tests.python import documents


class Documents(unittest.TestCase):
    def test_every_block_runs_and_prints_what_is_shown(self):
        run = {}
        for path, blocks in documents.documents():
            with self.subTest(path.name):
                run[path.name] = documents.run(path, blocks, [None])
        for name in ["tutorial.md", "python.md", "embedding.md", "README.md"]:
            self.assertGreater(run[name], 0, name)

    def test_a_block_that_does_not_run_here_says_why(self):
        for path, blocks in documents.documents():
            for line, mark, _, _ in blocks:
                known = mark is None or mark.startswith(("not run: ", documents.TORCH))
                self.assertTrue(known and (mark is None or len(mark) > 30), f"{path}, line {line}: {mark}")

    def test_what_is_shown_is_compared_but_for_what_is_left_out(self):
        self.assertTrue(documents.is_shown("a = 2.05..\n", "a = 2.0504\n"))
        self.assertFalse(documents.is_shown("a = 2.06..\n", "a = 2.0504\n"))
        self.assertFalse(documents.is_shown("a..\n", "a\nb\n"))


if __name__ == "__main__":
    unittest.main()
