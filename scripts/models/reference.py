"""What PyTorch, in float64, finds in a trained BERT-type encoder: the reference of `make test-models`.

    reference.py MODEL_FOLDER TEXT OUT.json

For ten windows of text at layers 0, 2 and 5: ||J||_2 of self-attention before the output matrix and, for three of the windows,
of the whole block and of all blocks together, by scipy's ARPACK on the products of vjp and of the second element of jvp; and
the released-script estimator sqrt(|J^T f(X)|).
"""

import functools
import json
import sys

import numpy as np
import torch
from safetensors.torch import load_file
from scipy.sparse.linalg import LinearOperator, svds
from tokenizers import Tokenizer
from transformers import AutoConfig, AutoModel

LAYERS = [0, 2, 5]
N, WINDOWS, BLOCK_WINDOWS = 48, 10, 3


def spectral(f, x):
    """The largest singular value by Lanczos iteration, its square to 1e-12: a power iteration needs thousands of steps here."""
    _, pull = torch.func.vjp(f, x)
    as_tokens = lambda v: torch.from_numpy(np.ascontiguousarray(v, dtype=np.float64)).reshape(x.shape)
    jacobian = LinearOperator(
        (x.numel(), x.numel()),
        matvec=lambda v: torch.func.jvp(f, (x,), (as_tokens(v),))[1].detach().numpy().ravel(),
        rmatvec=lambda u: pull(as_tokens(u))[0].detach().numpy().ravel(),
        dtype=np.float64,
    )
    start = np.random.default_rng(0).standard_normal(x.numel())
    return float(svds(jacobian, k=1, tol=1e-6, v0=start, return_singular_vectors=False)[0])


def maps(model, layer, window, states):
    """Name, map and input of the measured maps of a layer."""
    x, embedded = states[layer][0].detach(), states[0][0].detach()
    one = lambda layer, x: model.encoder.layer[layer](x[None], attention_mask=None)
    block = lambda layer, x: (lambda out: out[0] if isinstance(out, tuple) else out)(one(layer, x))[0]
    attention = model.encoder.layer[layer].attention.self
    yield "attention", lambda x: attention(x[None], attention_mask=None)[0][0], x
    if window >= BLOCK_WINDOWS:
        return
    yield "block", lambda x: block(layer, x), x
    if layer == LAYERS[-1]:
        yield "blocks", lambda x: functools.reduce(lambda x, layer: block(layer, x), range(layer + 1), x), embedded


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
            print(f"window {window + 1} of {WINDOWS}, layer {layer}", file=sys.stderr)
            for name, f, x in maps(model, layer, window, states):
                value, pull = torch.func.vjp(f, x)
                released = pull(value.detach())[0].norm().sqrt().item()
                rows.append({"map": name, "layer": layer, "window": window, "spectral": spectral(f, x), "released": released})
    json.dump(rows, open(out, "w"))


main(*sys.argv[1:])
