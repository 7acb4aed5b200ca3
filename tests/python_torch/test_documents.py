"""The Python of the documents that needs PyTorch."""

import unittest

from tests.python import documents


class Documents(unittest.TestCase):
    def test_every_block_that_needs_pytorch_runs(self):
        for path, blocks in documents.documents():
            if any((mark or "").startswith(documents.TORCH) for _, mark, _, _ in blocks):
                with self.subTest(path.name):
                    documents.run(path, blocks, [None, documents.TORCH])


if __name__ == "__main__":
    unittest.main()
