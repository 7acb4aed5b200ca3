"""Writes tests/data/models: three small models with drawn weights and what PyTorch, in float64, finds in them.

    pip install -r tests/models/requirements.txt
    python tests/models/reference.py

Each folder holds weights, config and tokenizer in another of the forms that Hugging Face's files take, and expected.json:
token ids of the text, the input of each layer's attention, the attention's output, the last block's output, and of some
maps the singular value of the dense autograd Jacobian and the released-script estimator sqrt(|J^T f(X)|). The maps with a
residual connection are PyTorch's own modules: a sublayer with its layer norm, a block, and the first blocks together.
"""

import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, BertWordPieceTokenizer, ByteLevelBPETokenizer
from transformers import BertConfig, BertModel, DistilBertConfig, DistilBertModel, GPT2Config, GPT2Model

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "assets" / "attention.txt").read_text(encoding="utf-8")
OUT = ROOT / "tests" / "data" / "models"
D, HEADS, LAYERS, INNER, POSITIONS = 32, 4, 3, 48, 40
K = D // HEADS
torch.set_default_dtype(torch.float64)


def draw(model, seed):
    """Weights large enough for attention to be far from uniform, biases and norms that are not the default."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        is_norm = "norm" in name.lower() or ".ln_" in name
        if is_norm and name.endswith("weight"):
            parameter.data = 1 + 0.2 * noise
        elif name.endswith("bias"):
            parameter.data = 0.3 * noise
        else:
            parameter.data = 0.3 * noise
    return model.eval()


def save(model, folder, dtype, prefix):
    """Writes the weights and puts what was written back into the model, as float64."""
    tensors = {prefix + name: tensor.to(dtype).contiguous() for name, tensor in model.state_dict().items()}
    save_file(tensors, folder / "model.safetensors")
    read = load_file(folder / "model.safetensors")
    model.load_state_dict({name[len(prefix):]: tensor.double() for name, tensor in read.items()})
    (folder / "config.json").write_text(model.config.to_json_string())


def causal(n, is_causal):
    mask = torch.zeros(1, 1, n, n)
    if is_causal:
        mask += torch.full((n, n), torch.finfo(mask.dtype).min).triu(1)
    return mask


class Layers:
    """The maps of each layer at X (n x d): attention with or without its output matrix, sublayers, blocks."""

    def __init__(self, model, family, is_causal):
        self.model, self.family, self.is_causal = model, family, is_causal

    def module(self, layer):
        return {
            "bert": lambda: self.model.encoder.layer[layer].attention.self,
            "distilbert": lambda: self.model.transformer.layer[layer].attention,
            "gpt2": lambda: self.model.h[layer].attn,
        }[self.family]()

    def block(self, layer):
        return {
            "bert": lambda: self.model.encoder.layer,
            "distilbert": lambda: self.model.transformer.layer,
            "gpt2": lambda: self.model.h,
        }[self.family]()[layer]

    def attention_residual(self, layer, x):
        """Attention with its residual connection and layer norm."""
        block, x = self.block(layer), x[None]
        mask = causal(x.shape[1], self.is_causal)
        if self.family == "gpt2":
            return (x + block.attn(block.ln_1(x), attention_mask=mask)[0])[0]
        if self.family == "bert":
            return block.attention(x, attention_mask=mask)[0][0]
        return block.sa_layer_norm(x + block.attention(x, attention_mask=mask)[0])[0]

    def mlp_residual(self, layer, x):
        """The MLP with its residual connection and layer norm."""
        block, x = self.block(layer), x[None]
        if self.family == "gpt2":
            return (x + block.mlp(block.ln_2(x)))[0]
        if self.family == "bert":
            return block.output(block.intermediate(x), x)[0]
        return block.output_layer_norm(x + block.ffn(x))[0]

    def blocks(self, layers, x):
        """Some blocks one after another: the modules themselves."""
        for layer in layers:
            x = self.block(layer)(x[None], attention_mask=causal(x.shape[0], self.is_causal))
            x = (x[0] if isinstance(x, tuple) else x)[0]
        return x

    def residual_maps(self, layer, embedded):
        """Name, map and input of the maps of a layer that have a residual connection, from the embeddings on."""
        x = self.blocks(range(layer), embedded).detach()
        return [
            ("attention-residual", lambda x: self.attention_residual(layer, x), x),
            ("mlp-residual", lambda x: self.mlp_residual(layer, x), self.attention_residual(layer, x).detach()),
            ("block", lambda x: self.blocks([layer], x), x),
            ("blocks", lambda x: self.blocks(range(layer + 1), x), embedded),
        ]

    def output(self, layer):
        """O (d x d) and b_O."""
        if self.family == "gpt2":
            part = self.model.h[layer].attn.c_proj
            return part.weight.T, part.bias
        if self.family == "bert":
            part = self.model.encoder.layer[layer].attention.output.dense
        else:
            part = self.model.transformer.layer[layer].attention.out_lin
        return part.weight, part.bias

    def heads(self, layer, x):
        """The module itself at X (n x d), without the output matrix."""
        module, mask = self.module(layer), causal(x.shape[0], self.is_causal)
        name = {"gpt2": "c_proj", "distilbert": "out_lin"}.get(self.family)
        if name is None:
            return module(x[None], attention_mask=mask)[0][0]
        whole = getattr(module, name)
        setattr(module, name, torch.nn.Identity())
        try:
            return module(x[None], attention_mask=mask)[0][0]
        finally:
            setattr(module, name, whole)

    def map(self, layer, kind, head):
        def f(x):
            heads = self.heads(layer, x)
            matrix, bias = self.output(layer)
            if head is not None:
                part = slice(head * K, (head + 1) * K)
                return heads[:, part] @ (matrix[:, part].T if kind == "with-output" else torch.eye(K))
            return heads @ matrix.T + bias if kind == "with-output" else heads

        return f


def inputs_of(layers, ids):
    """What arrives at each layer's attention module and at the first block, n x d, and what the last block returns."""
    found, embedded, returned = [], [], []
    arrived = lambda args, kwargs: (args[0] if args else kwargs["hidden_states"])[0].detach()
    left = lambda out: (out[0] if isinstance(out, tuple) else out)[0].detach()
    hooks = [
        layers.module(layer).register_forward_pre_hook(
            lambda _, args, kwargs: found.append(arrived(args, kwargs)), with_kwargs=True
        )
        for layer in range(LAYERS)
    ]
    hooks.append(layers.block(0).register_forward_pre_hook(
        lambda _, args, kwargs: embedded.append(arrived(args, kwargs)), with_kwargs=True
    ))
    hooks.append(layers.block(LAYERS - 1).register_forward_hook(lambda _, args, out: returned.append(left(out))))
    with torch.no_grad():
        layers.model(input_ids=ids[None])
    for hook in hooks:
        hook.remove()
    return found, embedded[0], returned[0]


def measured(f, x, **names):
    """A map's norm, released-script estimator and value at X."""
    value = f(x).detach()
    jacobian = torch.func.jacrev(f)(x).reshape(value.numel(), x.numel()).detach()
    return {
        **names,
        "spectral": torch.linalg.matrix_norm(jacobian, 2).item(),
        "released": (jacobian.T @ value.flatten()).norm().sqrt().item(),
        "value_norm": value.norm().item(),
    }


def numbers(tensor):
    return [[float(f"{x:.12g}") for x in row] for row in tensor.tolist()]


def expected(model, family, is_causal, ids, lengths):
    layers = Layers(model, family, is_causal)
    windows = []
    for start, n in lengths:
        inputs, embedded, returned = inputs_of(layers, torch.tensor(ids[start : start + n]))
        assert torch.allclose(layers.blocks(range(LAYERS), embedded), returned, rtol=0, atol=1e-12)
        maps = []
        for layer, x in enumerate(inputs):
            for kind in ["attention", "with-output"]:
                for head in [None, 1]:
                    maps.append(measured(layers.map(layer, kind, head), x, layer=layer, map=kind, head=head))
            for kind, f, x in layers.residual_maps(layer, embedded):
                maps.append(measured(f, x, layer=layer, map=kind, head=None))
        value = layers.map(1, "with-output", None)(inputs[1]).detach()
        windows.append(
            {
                "start": start,
                "n": n,
                "inputs": [numbers(x) for x in inputs],
                "output_of_layer_1": numbers(value),
                "output_of_last_block": numbers(returned),
                "maps": maps,
            }
        )
    return {"mask": "causal" if is_causal else "none", "windows": windows}


def write(folder, ids, runs):
    folder.joinpath("expected.json").write_text(json.dumps({"ids": ids[:200], "runs": runs}))


def folder_of(name):
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def word_pieces(known):
    """The tokenizer that is there, or else a trained one: training breaks ties at random."""
    if known.suffix == ".txt" and known.exists():
        tokenizer = BertWordPieceTokenizer(str(known), lowercase=True)
    elif known.exists():
        tokenizer = Tokenizer.from_file(str(known))
    else:
        tokenizer = BertWordPieceTokenizer(lowercase=True)
        tokenizer.train_from_iterator([TEXT], vocab_size=320, min_frequency=2, show_progress=False)
    return tokenizer, tokenizer.encode(TEXT, add_special_tokens=False).ids


def main():
    # BERT, float32, no prefix, vocab.txt; as an encoder and as a decoder.
    folder = folder_of("bert")
    tokenizer, ids = word_pieces(folder / "vocab.txt")
    tokenizer.save_model(str(folder))
    sizes = dict(vocab_size=tokenizer.get_vocab_size(), attn_implementation="eager")
    shape = dict(hidden_size=D, num_hidden_layers=LAYERS, num_attention_heads=HEADS, intermediate_size=INNER,
                 max_position_embeddings=POSITIONS)
    encoder = draw(BertModel(BertConfig(**sizes, **shape), add_pooling_layer=False), 1)
    save(encoder, folder, torch.float32, "")
    decoder = BertModel(BertConfig(**sizes, **shape, is_decoder=True, use_cache=False), add_pooling_layer=False).eval()
    decoder.load_state_dict(encoder.state_dict())
    lengths = [(0, 3), (8, 8)]
    write(folder, ids, [expected(encoder, "bert", False, ids, lengths), expected(decoder, "bert", True, ids, lengths)])

    # GPT-2, bfloat16, prefix "transformer.", vocab.json and merges.txt.
    folder = folder_of("gpt2")
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator([TEXT], vocab_size=320, min_frequency=2, show_progress=False)
    tokenizer.save_model(str(folder))
    ids = tokenizer.encode(TEXT).ids
    config = GPT2Config(vocab_size=tokenizer.get_vocab_size(), n_embd=D, n_layer=LAYERS, n_head=HEADS, n_inner=INNER,
                        n_positions=POSITIONS, attn_implementation="eager", use_cache=False)
    model = draw(GPT2Model(config), 2)
    save(model, folder, torch.bfloat16, "transformer.")
    write(folder, ids, [expected(model, "gpt2", True, ids, lengths)])

    # DistilBERT, float16, prefix "distilbert.", tokenizer.json.
    folder = folder_of("distilbert")
    tokenizer, ids = word_pieces(folder / "tokenizer.json")
    tokenizer.save(str(folder / "tokenizer.json"))
    config = DistilBertConfig(vocab_size=tokenizer.get_vocab_size(), dim=D, n_layers=LAYERS, n_heads=HEADS,
                              hidden_dim=INNER, max_position_embeddings=POSITIONS, attn_implementation="eager")
    model = draw(DistilBertModel(config), 3)
    save(model, folder, torch.float16, "distilbert.")
    write(folder, ids, [expected(model, "distilbert", False, ids, lengths)])


main()
