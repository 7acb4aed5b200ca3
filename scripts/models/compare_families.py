"""Compares the maps of small drawn models of every family with the dense Jacobians of transformers' modules in float64.

    compare_families.py PROGRAM [-v] [FAMILY[:CASE]..]

PROGRAM is `lipscope`. For each case of `families.py` the script draws weights, saves the model as `save_pretrained` does,
and measures all six maps of all layers, with the program and, at the same modules, with `lipscope.torch`, the heads one by one
as experiments too, for the first case of a family in a batch with padding. Two more spellings of each config must give the same numbers: the keys of older
programs, and a config without the keys that have their default. Prints a line for each model, and fails at numbers that
differ by more than 1e-9, at refusals, and at notes (an unknown key is one).
"""

import csv
import io
import json
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from family_reference import MAPS, Layers, Places, draw, measured  # First: it makes torch.float32 mean float64.
from families import FAMILIES, N, VOCABULARY  # noqa: I001

import numpy as np
import lipscope.torch
import torch
import transformers
from safetensors.numpy import load_file, save_file

TOLERANCE = 1e-9
# The one note that is expected: the drawn weights are numbers of float32, in files of either type.
ROUNDED = "were rounded to 32 bits"
TOKENIZER = {
    "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
    "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
    "model": {"type": "WordLevel", "vocab": {f"w{i}": i for i in range(VOCABULARY)}, "unk_token": "w0"},
}
SHORT = N - 3  # Tokens of the item that has padding.
# What the tool says of a family that it does not open.
NOT_OPENED = "`model_type` ="
PREPROCESSOR = {"do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True,
                "image_mean": [0.5, 0.4, 0.3], "image_std": [0.5, 0.25, 0.2]}


class Refused(Exception):
    """The tool's sentence."""


def run(program, folder, layers, kind, *options):
    """The rows of the tool's table, and its notes."""
    source = ["--image", folder / "image.png"] if (folder / "image.png").exists() else [
        "--text", folder / "text.txt", "-n", str(N), "--windows", "1"]
    command = [program, "model", "--weights", folder, *source, "--map", kind, "--tolerance", "1e-10",
               "--layers", ",".join(map(str, layers)), *options]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise Refused(done.stderr.strip().replace("\n", " "))
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    notes = [line for line in done.stderr.splitlines() if " note: " in line and ROUNDED not in line]
    return {(int(row["layer"]), row["head"]): row for row in rows}, "; ".join(notes)


def png(pixels):
    """Bytes of a PNG of height x width x 3 values."""
    height, width, _ = pixels.shape
    part = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


def drawn_inputs(family, config, generator, folder):
    """A text or a picture, written into the folder, as the model's inputs."""
    if not family.image:
        ids = generator.choice([i for i in range(VOCABULARY) if i not in family.no_words], N)
        folder.joinpath("text.txt").write_text(" ".join(f"w{i}" for i in ids) + "\n")
        folder.joinpath("tokenizer.json").write_text(json.dumps(TOKENIZER))
        return {"input_ids": torch.tensor(ids)[None]}
    pixels = generator.integers(0, 256, (config.image_size, config.image_size, 3), dtype=np.uint8)
    folder.joinpath("image.png").write_bytes(png(pixels))
    folder.joinpath("preprocessor_config.json").write_text(json.dumps(PREPROCESSOR))
    values = (pixels / 255 - PREPROCESSOR["image_mean"]) / PREPROCESSOR["image_std"]
    return {"pixel_values": torch.from_numpy(values).permute(2, 0, 1)[None]}


def write(model, folder, number):
    """Saves a model; the file's type is F32 or F64, in turn."""
    model.save_pretrained(folder)
    tensors = load_file(folder / "model.safetensors")
    kind = [np.float32, np.float64][number % 2]
    save_file({name: tensor.astype(kind) for name, tensor in tensors.items()}, folder / "model.safetensors", {"format": "pt"})


def config_of(folder):
    return json.loads(folder.joinpath("config.json").read_text())


def bare(config, kind):
    """A config without the keys that have their default."""
    usual = kind().to_dict()
    missing = object()
    return {key: value for key, value in config.items()
            if key in ("model_type", "architectures") or usual.get(key, missing) != value}


def is_same(kind, a, b):
    """Whether transformers reads two configs alike."""
    skipped = ("dtype", "torch_dtype", "transformers_version", "architectures", "rope_scaling", "rope_theta",
               "partial_rotary_factor", "sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers")

    def of(config):
        found = kind.from_dict(json.loads(json.dumps(config))).to_dict()
        # The oldest name of `rope_type` stays beside it.
        if isinstance(found.get("rope_parameters"), dict):
            found["rope_parameters"].pop("type", None)
        return {key: value for key, value in found.items() if key not in skipped}

    return of(a) == of(b)


def no_experiment(config):
    """Why the heads of a model are no experiments, in words of the refusal; None if they are."""
    named = getattr(config, "rope_parameters", None) or {}
    kinds = [kind for kind in named.values() if isinstance(kind, dict)] or [named]
    if config.model_type == "olmo2":
        return "a norm of all queries together"
    if any(kind.get("rope_type", "default") not in ("default", "dynamic") for kind in kinds):
        return "rotary positions that are scaled"
    # Biases of queries, keys and values that no shift of the tokens can give.
    if config.model_type == "gpt_oss" and config.attention_bias and 3 * config.head_dim > config.hidden_size:
        return "biases of queries, keys and values"
    return None


class Comparison:
    def __init__(self, program, is_verbose):
        self.program, self.is_verbose = program, is_verbose
        self.failures, self.worst, self.count = [], 0.0, 0

    def fail(self, what):
        self.failures.append(what)
        print(f"  FAULT {what}")

    def check_list(self):
        """Whether models are drawn of every family that the tool lists. CLIP's and SigLIP's halves have a row each."""
        listed = subprocess.run([self.program, "model", "--families"], check=True, capture_output=True, encoding="utf-8").stdout
        drawn = set(FAMILIES) | {name.split("-")[0] for name in FAMILIES if name not in ("xlm-roberta",)}
        for name in sorted({line.split(":")[0] for line in listed.splitlines()} - drawn):
            self.fail(f"{name} is opened, but no models of it are drawn")

    def check(self, what, found, expected):
        error = abs(float(found) / expected - 1)
        self.count += 1
        self.worst = max(self.worst, error)
        if self.is_verbose:
            print(f"  {what}: {found} {expected:.15g}")
        if not error < TOLERANCE:
            self.fail(f"{what}: {found}, transformers {expected:.15g}, off by {error:.1e}")
        return error

    def case(self, name, family, number, folder):
        """One model. Returns its largest error, or the sentence with which it is refused."""
        case = family.cases[number]
        kind = getattr(transformers, family.config)
        seed = zlib.crc32(f"{name} {number}".encode())
        config = kind(**(family.base | case))
        config._attn_implementation, config.use_cache = family.attention(case), False
        config._experts_implementation = "eager"
        model = getattr(transformers, family.classes[number % len(family.classes)])(config)
        model = draw(model, seed, family.has_gain_of_one)
        stack = family.stack(model)
        inputs = drawn_inputs(family, stack.config, np.random.default_rng(seed), folder)
        write(model, folder, number)
        try:
            run(self.program, folder, [0], "attention", *family.options)
        except Refused as sentence:
            return str(sentence)
        places = family.places if isinstance(family.places, Places) else family.places(stack.config)
        layers = Layers(stack, places, inputs)
        heads = stack.config.num_attention_heads
        expected = {layer: {kind: measured(f, x, heads if kind == "attention" else 1) for kind, f, x in layers.maps(layer)}
                    for layer in range(len(layers.calls))}
        worst = 0.0
        for map_kind in MAPS:
            for options in [[], ["--head", "each"]] if map_kind == "attention" else [[]]:
                try:
                    rows, notes = run(self.program, folder, expected, map_kind, *options, *family.options)
                except Refused as sentence:
                    return str(sentence)
                if notes:
                    self.fail(f"{name}:{number}, {map_kind}: a note: {notes}")
                for (layer, head), row in rows.items():
                    reference = expected[layer][map_kind]
                    what = f"{name}:{number}, {map_kind}, layer {layer}"
                    if head == "all":
                        for value in ["spectral", "released"]:
                            worst = max(worst, self.check(f"{what}, {value}", row[value], reference[value]))
                    else:
                        by_head = reference["by_head"][int(head)]
                        worst = max(worst, self.check(f"{what}, head {head}", row["spectral"], by_head))
        # The first case of a family in every map and with padding.
        maps = ["mlp-residual"] if number else MAPS
        worst = max(worst, self.modules(f"{name}:{number}, module", stack, places, inputs, expected, maps))
        self.spellings(name, number, family, kind, folder, expected)
        return worst

    def modules(self, what, stack, places, inputs, expected, maps):
        """`lipscope.torch` at the modules themselves. Returns the largest error."""
        heads, references = stack.config.num_attention_heads, [expected]
        if maps == MAPS and "input_ids" in inputs:
            ids = inputs["input_ids"]
            layers = Layers(stack, places, {"input_ids": ids[:, :SHORT]})
            references.append({
                layer: {kind: measured(f, x, heads if kind == "attention" else 1) for kind, f, x in layers.maps(layer)}
                for layer in expected
            })
            padding = torch.full((1, N - SHORT), stack.config.pad_token_id or 0)
            mask = torch.ones(2, N, dtype=torch.long)
            mask[1, SHORT:] = 0
            inputs = {"input_ids": torch.cat([ids, torch.cat([ids[:, :SHORT], padding], 1)]), "attention_mask": mask}
        worst = 0.0
        for kind in maps:
            for at, one in enumerate(lipscope.torch.blocks(stack, inputs, map=kind)):
                layer = at % len(expected)
                error = self.check(f"{what}, {kind}, layer {layer}", one.value, references[one.item][layer][kind]["spectral"])
                worst = max(worst, error)
        reason = no_experiment(stack.config)
        try:
            found = lipscope.torch.attention(stack, inputs)
        except ValueError as sentence:
            if reason is None or reason not in str(sentence):
                self.fail(f"{what}: {sentence}")
            return worst
        if reason is not None:
            self.fail(f"{what}: measured, but it has {reason}")
        if len(found) != len(references) * len(expected) * heads:
            self.fail(f"{what}: {len(found)} heads")
        for at, one in enumerate(found):
            layer = at // (heads * len(references))
            by_head = references[one.item][layer]["attention"]["by_head"][one.head]
            worst = max(worst, self.check(f"{what}, layer {layer}, head {one.head}", one.measure().value, by_head))
        return worst

    def spellings(self, name, number, family, kind, folder, expected):
        """The same config in the words of older programs, and without the keys that have their default."""
        today = config_of(folder)
        others = {"without defaults": bare(today, kind)}
        if family.old and "rope_parameters" in today:
            old = family.old(json.loads(json.dumps(today)))
            others |= {"older": old, "older without defaults": bare(old, kind)} if old else {}
        last = max(expected)
        for spelling, other in others.items():
            what = f"{name}:{number}, {spelling}"
            if not is_same(kind, today, other):
                print(f"  {what}: transformers reads another config")
                continue
            folder.joinpath("config.json").write_text(json.dumps(other, indent=1))
            try:
                rows, notes = run(self.program, folder, [last], "blocks", *family.options)
            except Refused as sentence:
                self.fail(f"{what}: {sentence}")
                continue
            if notes:
                self.fail(f"{what}: a note: {notes}")
            self.check(what, rows[last, "all"]["spectral"], expected[last]["blocks"]["spectral"])
        folder.joinpath("config.json").write_text(json.dumps(today, indent=1))


def main(program, *names):
    is_verbose = "-v" in names
    keep = next((Path(name[7:]) for name in names if name.startswith("--keep=")), None)
    names = [name for name in names if not name.startswith("-")]
    comparison = Comparison(program, is_verbose)
    if not names:
        comparison.check_list()
    for name, family in FAMILIES.items():
        for number in range(len(family.cases)):
            if names and name not in names and f"{name}:{number}" not in names:
                continue
            with tempfile.TemporaryDirectory() as temporary:
                folder = keep / f"{name}-{number}" if keep else Path(temporary)
                folder.mkdir(parents=True, exist_ok=True)
                try:
                    found = comparison.case(name, family, number, folder)
                except Exception as problem:
                    comparison.fail(f"{name}:{number}, no reference: {type(problem).__name__}: {problem}")
                    if is_verbose:
                        raise
                    continue
            if isinstance(found, str):
                comparison.fail(f"{name}:{number}, refused: {found}")
                if NOT_OPENED in found:
                    break
                continue
            print(f"{name}:{number} {family.cases[number]}: off by {found:.1e}", flush=True)
    print(f"{comparison.count} numbers, the largest relative difference is {comparison.worst:.1e} (limit: {TOLERANCE:.0e}).")
    if comparison.failures:
        sys.exit(f"{len(comparison.failures)} faults")


if __name__ == "__main__":
    main(*sys.argv[1:])
