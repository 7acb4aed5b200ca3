"""What PyTorch, in float64, finds in a trained BERT-type encoder: the reference of `make test-models`.

    reference.py MODEL_FOLDER TEXT OUT.json

Ten windows of text at layers 0, 2 and 5: ||J||_2 of self-attention before the output matrix, by power iteration on J^T J
with vjp and the second element of jvp to a relative change of 1e-11, and the released-script estimator sqrt(|J^T f(X)|).
"""

import json
import sys

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import AutoConfig, AutoModel

LAYERS = [0, 2, 5]
N, WINDOWS = 48, 10


def spectral(f, x):
    """The iteration stops where its value no longer moves: its error is then far below 1e-5."""
    _, pull = torch.func.vjp(f, x)
    v = torch.randn(x.shape, generator=torch.Generator().manual_seed(0))
    v /= v.norm()
    last = 0.0
    for step in range(2000):
        image = torch.func.jvp(f, (x,), (v,))[1]
        value = image.norm().item()
        (v,) = pull(image)
        v = v / v.norm()
        if step > 20 and abs(value - last) < 1e-11 * value:
            break
        last = value
    return value


def main(folder, text, out):
    torch.set_default_dtype(torch.float64)
    config = AutoConfig.from_pretrained(folder)
    config._attn_implementation = "eager"
    model = AutoModel.from_config(config)
    missing = model.load_state_dict({k: v.double() for k, v in load_file(f"{folder}/model.safetensors").items()
                                     if v.is_floating_point()}, strict=False).missing_keys
    assert not missing, missing
    model = model.double().eval()
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    ids = tokenizer.encode(open(text, encoding="utf-8").read(), add_special_tokens=False).ids
    rows = []
    for window in range(WINDOWS):
        tokens = torch.tensor(ids[window * N : (window + 1) * N])[None]
        with torch.no_grad():
            states = model(input_ids=tokens, output_hidden_states=True).hidden_states
        for layer in LAYERS:
            x = states[layer][0].detach()
            part = model.encoder.layer[layer].attention.self
            f = lambda x: part(x[None], attention_mask=None)[0][0]
            value, pull = torch.func.vjp(f, x)
            released = pull(value.detach())[0].norm().sqrt().item()
            rows.append({"layer": layer, "window": window, "n": N, "spectral": spectral(f, x), "released": released})
    json.dump(rows, open(out, "w"))


main(*sys.argv[1:])
