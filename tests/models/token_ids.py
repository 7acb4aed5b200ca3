"""Makes tests/data/tokenizers: small tokenizers, and the ids that transformers gives to texts with them.

    python token_ids.py FOLDERS

FOLDERS is what scripts/models/tokenizer_packages.py lays out. Of three tokenizers of packages (BERT's word pieces, GPT-2,
Qwen 3) only the pieces that the texts of corpus.json need are kept, with new ids; a fourth tokenizer, with capital letters,
is made from the texts. `expected.json` has the ids by transformers for each combination of files, and the contents of the
files that a combination has besides its vocabulary.
"""

import collections
import json
import pathlib
import sys
import tempfile

import tokenizers
import transformers
from tokenizers import normalizers, pre_tokenizers
from tokenizers.models import WordPiece
from transformers import PreTrainedTokenizerFast

try:
    from transformers import BertTokenizerFast, GPT2TokenizerFast
except ImportError:
    from transformers import BertTokenizer as BertTokenizerFast
    from transformers import GPT2Tokenizer as GPT2TokenizerFast

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DATA = REPOSITORY / "tests" / "data" / "tokenizers"
CASES = REPOSITORY / "tests" / "data" / "cases" / "models"
TEXTS = json.loads((DATA / "corpus.json").read_text())
CLASSES = {"word pieces": BertTokenizerFast, "byte pairs": GPT2TokenizerFast, "whole file": PreTrainedTokenizerFast}
NAMES = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
)


def ids_of(kind: str, files: dict[str, str], texts: list[str], **arguments) -> list[list[int]]:
    """The ids by transformers of a folder with these files. A byte order mark is no part of a file."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (pathlib.Path(folder) / name).write_text(content.removeprefix("\ufeff"), newline="")
        tokenizer = CLASSES[kind].from_pretrained(folder, **arguments)
        return [tokenizer.encode(text, add_special_tokens=False) for text in texts]


def used(tokenizer: tokenizers.Tokenizer) -> set[str]:
    """The pieces that the texts become."""
    return {piece for text in TEXTS for piece in tokenizer.encode(text, add_special_tokens=False).tokens}


def fewer_word_pieces(folder: pathlib.Path) -> dict[str, str]:
    """A `vocab.txt` with the pieces that the texts need."""
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    kept = used(tokenizer) | {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", "[unused1]"}
    pieces = sorted(kept, key=tokenizer.token_to_id)
    return {"vocab.txt": "".join(f"{piece}\n" for piece in pieces)}


def fewer_pairs(vocab: dict[str, int], merges: list[tuple[str, str]], pieces: set[str]) -> tuple[dict, list]:
    """The given pieces of a byte-level vocabulary with all pieces that they are merged from, and the merges."""
    of = {"".join(pair): pair for pair in reversed(merges)}
    kept = set(pre_tokenizers.ByteLevel.alphabet())
    todo = [piece for piece in pieces if piece in vocab]
    while todo:
        piece = todo.pop()
        if piece not in kept:
            kept.add(piece)
            todo += of.get(piece, ())
    ordered = sorted(kept, key=lambda piece: vocab[piece])
    numbered = {piece: number for number, piece in enumerate(ordered)}
    return numbered, [pair for pair in merges if "".join(pair) in kept and set(pair) <= kept]


def gpt2(folder: pathlib.Path) -> dict[str, str]:
    """GPT-2's `vocab.json` and `merges.txt` with what the texts need."""
    vocab = json.loads((folder / "vocab.json").read_text())
    lines = (folder / "merges.txt").read_text().split("\n")
    merges = [tuple(line.split()) for line in lines if line and not line.startswith("#version")]
    tokenizer = GPT2TokenizerFast.from_pretrained(str(folder))
    pieces = {piece for text in TEXTS for piece in tokenizer.tokenize(text)}
    numbered, pairs = fewer_pairs(vocab, merges, pieces - {"<|endoftext|>"})
    numbered["<|endoftext|>"] = len(numbered)
    text = "#version: 0.2\n" + "".join(f"{first} {second}\n" for first, second in pairs)
    return {"vocab.json": json.dumps(numbered, ensure_ascii=False), "merges.txt": text}


def qwen(folder: pathlib.Path) -> dict[str, str]:
    """Qwen's `tokenizer.json` with what the texts need, and the added tokens after it."""
    whole = json.loads((folder / "tokenizer.json").read_text())
    model = whole["model"]
    merges = [tuple(pair.split(" ")) if isinstance(pair, str) else tuple(pair) for pair in model["merges"]]
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    model["vocab"], pairs = fewer_pairs(model["vocab"], merges, used(tokenizer))
    model["merges"] = [list(pair) for pair in pairs]
    for number, token in enumerate(whole["added_tokens"]):
        token["id"] = len(model["vocab"]) + number
    return {"tokenizer.json": json.dumps(whole, ensure_ascii=False)}


def cased() -> dict[str, str]:
    """A `vocab.txt` with capital letters: the characters of the texts, frequent words and frequent ends of words."""
    counts = collections.Counter()
    for lower, strip in ((False, False), (True, True), (True, False)):
        normalizer = normalizers.BertNormalizer(lowercase=lower, strip_accents=strip)
        for text in TEXTS:
            words = pre_tokenizers.BertPreTokenizer().pre_tokenize_str(normalizer.normalize_str(text))
            for word, _ in words:
                counts.update({word, *(word[:1], *(f"##{c}" for c in word[1:]))})
                counts.update(f"##{word[-length:]}" for length in (2, 3) if len(word) > length)
    pieces = {piece for piece, count in counts.items() if count >= (1 if len(piece.removeprefix("##")) == 1 else 4)}
    # Some characters are left unknown.
    pieces = {piece for piece in pieces if ord(piece[-1]) % 17 or piece.isascii()}
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return {"vocab.txt": "".join(f"{piece}\n" for piece in [*special, *sorted(pieces)])}


def whole_file(files: dict[str, str]) -> dict[str, str]:
    """A `vocab.txt` as a `tokenizer.json`, which does not lower-case."""
    vocab = {piece: number for number, piece in enumerate(files["vocab.txt"].splitlines())}
    tokenizer = tokenizers.Tokenizer(WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(list(vocab)[:5])
    return {"tokenizer.json": tokenizer.to_str()}


def token(content: str, **flags: bool) -> dict:
    """An added token with all its flags."""
    usual = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"content": content, **usual, **flags}


def combinations(sets: dict[str, dict[str, str]]):
    """Name, kind, set, further files, and arguments for transformers in place of what no file says."""
    yield "uncased", "word pieces", "uncased", {}, {"do_lower_case": True}
    yield "gpt2", "byte pairs", "gpt2", {}, {}
    yield "qwen3", "whole file", "qwen3", {}, {}
    yield "cased, guessed", "word pieces", "cased", {}, {"do_lower_case": False}

    def config(**settings):
        return {"tokenizer_config.json": json.dumps(settings)}

    for lower in (True, False):
        for strip in (True, False, None):
            name = f"cased, lower {lower}, strip {strip}"
            yield name, "word pieces", "cased", config(do_lower_case=lower, strip_accents=strip), {}
    plain = {"do_lower_case": False}
    yield "chinese", "word pieces", "cased", config(**plain, tokenize_chinese_chars=False), {}
    yield "class", "word pieces", "uncased", config(do_lower_case=True, tokenizer_class="BertTokenizer"), {}
    yield "no mask", "word pieces", "cased", config(**plain, mask_token=None), {}
    yield "other mask", "word pieces", "cased", config(**plain, mask_token="<mask>", unk_token="[PAD]"), {}
    yield "split special", "word pieces", "cased", config(**plain, split_special_tokens=True), {}
    further = ["<S>", "Zug", token("<ENT>", lstrip=True, rstrip=True) | {"__type": "AddedToken"}]
    yield "further", "word pieces", "cased", config(**plain, additional_special_tokens=further), {}
    yield "extra", "word pieces", "cased", config(**plain, extra_special_tokens=["<S>", "<T>"], image_token="<ent>"), {}
    count = len(sets["cased"]["vocab.txt"].splitlines())
    flags = [
        token("[MASK]", lstrip=True),
        token("the", single_word=True, special=False),
        token("Cat", normalized=True, special=False),
        token("nach", rstrip=True, special=False),
        token("é", normalized=True, special=False),
    ]
    pieces = {piece: number for number, piece in enumerate(sets["cased"]["vocab.txt"].splitlines())}
    listed = {str(pieces.get(entry["content"], count)): entry for entry in flags}
    assert len(listed) == len(flags), "one of them is new"
    for lower in (True, False):
        files = config(do_lower_case=lower, added_tokens_decoder=listed)
        yield f"flags, lower {lower}", "word pieces", "cased", files, {}
    older = {
        "special_tokens_map.json": json.dumps({"mask_token": token("[MASK]", lstrip=True), "sep_token": "</s>"}),
        "added_tokens.json": json.dumps({"</s>": count, "Koln": count + 1, "<ent>": count + 2}),
    }
    yield "older files", "word pieces", "cased", config(do_lower_case=True) | older, {}
    both = config(do_lower_case=True, added_tokens_decoder=listed) | older
    yield "older files beside a list", "word pieces", "cased", both, {}

    # A tokenizer.json beside which the settings say something else: for BERT's class they hold, for others they do not.
    fast = whole_file(sets["cased"])
    other = config(do_lower_case=True, strip_accents=False, tokenizer_class="BertTokenizer")
    yield "class of BERT against file", "word pieces", "cased", fast | other, {}
    other = config(do_lower_case=True, strip_accents=False, tokenizer_class="PreTrainedTokenizerFast")
    yield "file against settings", "whole file", "cased", fast | other, {}

    pieces = len(json.loads(sets["gpt2"]["vocab.json"]))
    yield "space in front", "byte pairs", "gpt2", config(add_prefix_space=True, tokenizer_class="GPT2Tokenizer"), {}
    yield "gpt2, added", "byte pairs", "gpt2", {"added_tokens.json": json.dumps({"<ent>": pieces, "ateth": pieces + 1})}, {}
    padded = {"special_tokens_map.json": json.dumps({"pad_token": "<pad>", "bos_token": token("<s>", rstrip=True)})}
    yield "gpt2, special", "byte pairs", "gpt2", padded, {}

    whole = json.loads(sets["qwen3"]["tokenizer.json"])
    last = max(entry["id"] for entry in whole["added_tokens"])
    added = config(
        tokenizer_class="PreTrainedTokenizerFast",
        eos_token="<|im_end|>",
        pad_token="<pad>",
        additional_special_tokens=["<|im_start|>", "<ent>"],
    )
    yield "qwen3, added", "whole file", "qwen3", added, {}
    assert last == len(whole["model"]["vocab"]) + len(whole["added_tokens"]) - 1


def cases():
    """The folders of tests/data/cases/models with a tokenizer."""
    for folder in sorted(CASES.iterdir()):
        files = {name: (folder / name).read_text() for name in NAMES if (folder / name).exists()}
        if not files or not (folder / "text.txt").exists():
            continue
        kind = "word pieces" if "vocab.txt" in files else "byte pairs" if "vocab.json" in files else "whole file"
        said = json.loads(files.get("tokenizer_config.json", "{}"))
        arguments = {}
        if kind == "word pieces" and "do_lower_case" not in said:
            # No file says it, so it is guessed.
            pieces = [piece for piece in files["vocab.txt"].removeprefix("\ufeff").splitlines() if piece[0] not in "[<"]
            arguments["do_lower_case"] = all(piece == piece.lower() for piece in pieces)
        yield folder.name, ids_of(kind, files, [(folder / "text.txt").read_text()], **arguments)[0]


def main() -> None:
    folders = pathlib.Path(sys.argv[1])
    sets = {
        "uncased": fewer_word_pieces(folders / "minilm"),
        "cased": cased(),
        "gpt2": gpt2(folders / "gpt2"),
        "qwen3": qwen(folders / "qwen3"),
    }
    for name, files in sets.items():
        (DATA / name).mkdir(exist_ok=True)
        for file, content in files.items():
            (DATA / name / file).write_text(content, newline="")
    found = []
    for name, kind, base, further, arguments in combinations(sets):
        ids = ids_of(kind, sets[base] | further, TEXTS, **arguments)
        # Settings change few texts; those of the vocabulary itself are all kept.
        first, last = TEXTS.index("Der Zug [MASK] nach Zeit . [SEP] alle"), TEXTS.index("  <s>  x  </s>  ")
        kept = [index for index in range(len(TEXTS)) if not further or index % 4 == 0 or first <= index <= last]
        found.append({"name": name, "set": base, "files": further, "ids": {str(index): ids[index] for index in kept}})
    made = f"transformers {transformers.__version__}, tokenizers {tokenizers.__version__}"
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in found)
    known = json.dumps(dict(cases()), indent=1)
    (DATA / "expected.json").write_text(f'{{"made by": "{made}", "cases": {known},\n"tokenizers": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
