"""Compares Lipscope's token ids with those of `tokenizers` and `transformers`.

    python compare_tokenizers.py PROGRAM TEXTS.json FOLDERS [-v]

PROGRAM prints token ids (crates/models/examples/token_ids.rs), TEXTS.json is a list of texts, and FOLDERS has a folder for
each tokenizer. Fails at the first difference from the classes that are built on `tokenizers`. The classes of older
versions of transformers that are written in Python split some texts in other ways, whatever the files say: for those the
number of texts is printed.
"""

import json
import pathlib
import subprocess
import sys

import tokenizers
import transformers
from transformers import BertTokenizer, GPT2Tokenizer, PreTrainedTokenizerFast

try:  # transformers 5
    from transformers.models.bert.tokenization_bert_legacy import BertTokenizerLegacy as BertInPython

    GPT2InPython = None
except ImportError:  # transformers 4
    from transformers import BertTokenizer as BertInPython
    from transformers import BertTokenizerFast as BertTokenizer
    from transformers import GPT2Tokenizer as GPT2InPython
    from transformers import GPT2TokenizerFast as GPT2Tokenizer

transformers.logging.set_verbosity_error()


def references(folder: pathlib.Path, texts: list[str]) -> tuple[dict[str, list], dict[str, list]]:
    """The ids by the classes that must agree, and by those in Python."""
    must, may = {}, {}
    if (folder / "tokenizer.json").exists():
        whole = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        whole.no_truncation()
        whole.no_padding()
        must["tokenizers"] = [whole.encode(text, add_special_tokens=False).ids for text in texts]
        classes = {"transformers": PreTrainedTokenizerFast}
    elif (folder / "vocab.txt").exists():
        classes = {"transformers": BertTokenizer, "in Python": BertInPython}
    else:
        classes = {"transformers": GPT2Tokenizer, "in Python": GPT2InPython}
    for name, kind in classes.items():
        if kind is not None:
            tokenizer = kind.from_pretrained(str(folder))
            encoded = [tokenizer.encode(text, add_special_tokens=False) for text in texts]
            (may if name == "in Python" else must)[name] = encoded
    return must, may


def main() -> None:
    program, texts_file, folders = sys.argv[1:4]
    texts = json.loads(pathlib.Path(texts_file).read_text())
    paths = sorted(path for path in pathlib.Path(folders).iterdir() if path.is_dir())
    print(f"transformers {transformers.__version__}, tokenizers {tokenizers.__version__}: {len(texts)} texts")
    lines = subprocess.run(
        [program, texts_file, *map(str, paths)], check=True, capture_output=True, encoding="utf-8"
    ).stdout.splitlines()
    failures = 0
    for path, line in zip(paths, map(json.loads, lines), strict=True):
        if "refused" in line:
            failures += 1
            print(f"{path.name}: refused: {line['refused']}")
            continue
        must, may = references(path, texts)
        told = []
        for name, expected in (must | may).items():
            other = [index for index in range(len(texts)) if line["ids"][index] != expected[index]]
            told.append(f"{name} {len(texts) - len(other)}")
            failures += len(other) if name in must else 0
            for index in other if name in must or "-v" in sys.argv else ():
                print(f"{path.name}: {texts[index]!r}\n  ours {line['ids'][index]}\n  {name} {expected[index]}")
        count = sum(len(ids) for ids in line["ids"] if isinstance(ids, list))
        print(f"{path.name}: {count} tokens; texts with the same ids: {', '.join(told)}; notes: {line['notes']}")
    if failures:
        sys.exit(f"{failures} differences")


if __name__ == "__main__":
    main()
