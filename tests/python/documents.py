"""The Python of the documents: which lines there are, and that they print what the documents show.

A block of Python is run after those before it in the same document. The block of text after it is what it prints; `..`
stands for any text within a line. `<!-- not run: WHY -->` and `<!-- run by make test-models: WHY -->` before a block,
which readers of the documents do not see, say where it is not run, or where. tests/cli/documents.rs does the same for
commands.
"""

import contextlib
import io
import re

import numpy as np

from tests.python import cases

#: Before a block that only `make test-models` runs, which installs PyTorch.
TORCH = "run by make test-models: "

BLOCK = re.compile(
    r"(?:<!-- (?P<mark>[^\n]*) -->\n\n)?```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<shown>.*?)```\n)?", re.DOTALL
)


def documents():
    """The files with Python, each with its blocks: the line, the mark before it, the code, and what it prints."""
    for path in [*sorted((cases.ROOT / "docs").glob("*.md")), cases.ROOT / "README.md"]:
        text = path.read_text()
        found = [(text.count("\n", 0, at.start("code")), *at.group("mark", "code", "shown")) for at in BLOCK.finditer(text)]
        assert len(found) == text.count("```python\n"), path
        if found:
            yield path, found


def is_shown(shown, printed):
    """Whether lines are as they are shown."""
    pattern = ".*".join(re.escape(part) for part in shown.split(".."))
    return re.fullmatch(pattern, printed) is not None


def run(path, blocks, marks):
    """Runs the blocks whose mark begins with one of `marks`, or that have none where None is among them."""
    # What the README leaves to its readers: two heads on sixteen tokens.
    rng = np.random.default_rng(0)
    names = {"tokens": rng.normal(size=(16, 4)), **dict(zip("qkv", rng.normal(size=(3, 2, 3, 4))))}
    n_run = 0
    for line, mark, code, shown in blocks:
        if not any(mark is None if one is None else (mark or "").startswith(one) for one in marks):
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + code, str(path), "exec"), names)
        if shown is not None:
            printed = printed.getvalue()
            assert is_shown(shown, printed), f"{path}, line {line}: shown\n{shown}\nprinted\n{printed}"
        n_run += 1
    return n_run
