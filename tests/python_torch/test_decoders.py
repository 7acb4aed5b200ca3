"""`lipscope.torch.blocks` at small random decoders of transformers, which keep a cache unless they are told not to."""

import unittest

import torch
import transformers

import lipscope.torch
from tests.python_torch.test_families import MAPS
from tests.python_torch.test_torch import dense_norm

torch.set_num_threads(1)
transformers.logging.set_verbosity_error()

IDS = torch.tensor([[33, 12, 5, 27, 49]])
# Layers of transformers compute norms, softmax and angles in float32.
TOLERANCE = 2e-6

PLAIN = {"vocab_size": 64, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4,
         "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}  # fmt: skip
SHARED = {**PLAIN, "num_key_value_heads": 2}
WINDOW = {**SHARED, "sliding_window": 3}
HEADS = {**SHARED, "head_dim": 4}
GPT = {"vocab_size": 64, "n_positions": 64, "n_embd": 16, "n_layer": 2, "n_head": 4, "bos_token_id": 1, "eos_token_id": 2}

FAMILIES = {
    "Llama": SHARED, "Mistral": WINDOW, "Mixtral": {**SHARED, "num_local_experts": 4}, "Qwen2": SHARED, "Qwen3": HEADS,
    "Gemma": HEADS, "Gemma2": {**HEADS, "sliding_window": 3}, "Gemma3Text": {**HEADS, "sliding_window": 3}, "Phi": PLAIN,
    "Phi3": SHARED,
    "GPT2": GPT, "GPTBigCode": GPT, "GPTJ": {**GPT, "rotary_dim": 4}, "CodeGen": {**GPT, "rotary_dim": 4},
    "GPTNeo": {"vocab_size": 64, "hidden_size": 16, "num_layers": 2, "attention_types": [[["global", "local"], 1]], "num_heads": 4,
               "max_position_embeddings": 64, "window_size": 3, "bos_token_id": 1, "eos_token_id": 2},
    "GPTNeoX": PLAIN, "Olmo": PLAIN, "Olmo2": PLAIN, "StableLm": SHARED, "Cohere": SHARED, "Cohere2": WINDOW, "Granite": SHARED,
    "SmolLM3": SHARED, "Starcoder2": SHARED, "Glm": HEADS, "Glm4": HEADS, "Nemotron": SHARED, "Persimmon": PLAIN, "GptOss":
    {**HEADS, "num_local_experts": 4}, "Mamba": {"vocab_size": 64, "hidden_size": 16, "num_hidden_layers": 2, "state_size": 4},
    "OPT": {"vocab_size": 64, "hidden_size": 16, "ffn_dim": 24, "num_hidden_layers": 2, "num_attention_heads": 4,
            "max_position_embeddings": 64, "word_embed_proj_dim": 16},
    "Falcon": {"vocab_size": 64, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4},
}  # fmt: skip


def drawn(config, implementation="sdpa"):
    """A model in float64 with drawn weights, or None where it has no such attention."""
    try:
        model = transformers.AutoModel.from_config(config, attn_implementation=implementation).float()
    except ValueError:
        return drawn(config, "eager")
    model.config._experts_implementation = "eager"
    draw = torch.Generator().manual_seed(1)
    for name, parameter in model.named_parameters():
        is_gain = parameter.dim() == 1 and name.endswith("weight")
        parameter.data = 0.35 * torch.randn(parameter.shape, generator=draw) + (1 if is_gain else 0)
    return model.double().eval()


def layers_of(model):
    return next(part for part in model.modules() if isinstance(part, torch.nn.ModuleList) and len(part) == 2)


def dense_block(model, layer):
    """The norm of the dense Jacobian of a layer, called as the model calls it without a cache."""
    calls = []
    keep = lambda _, arguments, options: calls.append((arguments, dict(options)))
    handle = layer.register_forward_pre_hook(keep, with_kwargs=True)
    with torch.no_grad():
        model(IDS, use_cache=False)
    handle.remove()
    ((arguments, options),) = calls
    name = "hidden_states" if "hidden_states" in options else None
    x = (options[name] if name else arguments[0]).detach()

    def f(x):
        out = layer(**{**options, name: x}) if name else layer(x, *arguments[1:], **options)
        return out[0] if isinstance(out, tuple) else out

    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        return dense_norm(f, x)


class Decoders(unittest.TestCase):
    def test_every_layer_is_run_again_without_its_cache(self):
        measured = 0
        for name, options in FAMILIES.items():
            kind = getattr(transformers, f"{name}Config", None)
            if kind is None:
                continue
            with self.subTest(name, transformers=transformers.__version__):
                model = drawn(kind(**options))
                expected = [dense_block(model, layer) for layer in layers_of(model)]
                found = lipscope.torch.blocks(model, {"input_ids": IDS}, tolerance=1e-7)
                self.assertEqual(len(found), 2)
                for one, value in zip(found, expected):
                    self.assertLess(abs(one.value / value - 1), TOLERANCE, (one, value))
                measured += 1
        self.assertGreaterEqual(measured, 25)

    def test_every_map_is_the_same_with_and_without_a_cache(self):
        for name in ("Llama", "GPT2", "Gemma2"):
            model = drawn(getattr(transformers, f"{name}Config")(**FAMILIES[name]))
            for kind in MAPS:
                options = {"map": kind, "tolerance": 1e-7}
                found = lipscope.torch.blocks(model, {"input_ids": IDS}, **options)
                without = lipscope.torch.blocks(model, {"input_ids": IDS}, use_cache=False, **options)
                for one, other in zip(found, without, strict=True):
                    self.assertLess(abs(one.value / other.value - 1), TOLERANCE, (name, kind))

    def test_packed_texts_are_apart_only_where_the_call_itself_has_them_apart(self):
        # Without a cache and a mask, transformers sees by the positions that there are two texts.
        model = drawn(transformers.LlamaConfig(**SHARED))
        packed = {"input_ids": IDS, "position_ids": torch.tensor([[0, 1, 2, 0, 1]])}
        layer = layers_of(model)[0]

        def dense(**options):
            seen = {}
            handle = layer.register_forward_hook(lambda _, given, out: seen.update(out=out[0] if isinstance(out, tuple) else out))

            def f(x):
                model(inputs_embeds=x, position_ids=packed["position_ids"], **options)
                return seen["out"]

            with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
                value = dense_norm(f, model.embed_tokens(IDS).detach())
            handle.remove()
            return value

        values = []
        for options in ({}, {"use_cache": True}, {"use_cache": False}):
            values.append(lipscope.torch.blocks(model, {**packed, **options}, tolerance=1e-7)[0].value)
            self.assertLess(abs(values[-1] / dense(**options) - 1), TOLERANCE, options)
            monitor = lipscope.torch.Monitor(model, {**packed, **options}, maps=("block",), tolerance=1e-9, steps=80)
            self.assertLess(abs(monitor.measure(0)[0]["value"] / values[-1] - 1), TOLERANCE, options)
        self.assertEqual(values[0], values[1])
        self.assertGreater(abs(values[2] / values[0] - 1), 1e-3)
        empty = lambda: {"past_key_values": transformers.DynamicCache(), "use_cache": False}
        found = lipscope.torch.blocks(model, {**packed, **empty()}, tolerance=1e-7)[0].value
        self.assertLess(abs(found / dense(**empty()) - 1), TOLERANCE)

    def test_keys_of_earlier_tokens_are_refused(self):
        model = drawn(transformers.GPT2Config(**GPT))
        with torch.no_grad():
            filled = model(IDS, use_cache=True).past_key_values
        with self.assertRaisesRegex(ValueError, "`past_key_values` holds the keys of earlier tokens"):
            lipscope.torch.blocks(model, IDS, past_key_values=filled)
        expected = lipscope.torch.blocks(model, IDS)
        found = lipscope.torch.blocks(model, IDS, past_key_values=transformers.DynamicCache())
        self.assertEqual([one.value for one in found], [one.value for one in expected])

    def test_padding_by_position_is_that_by_name(self):
        model = drawn(transformers.LlamaConfig(**SHARED))
        ids, mask = torch.cat([IDS, IDS.flip(1)]), torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1]])
        found = lipscope.torch.blocks(model, (ids, mask), tolerance=1e-6)
        named = lipscope.torch.blocks(model, {"input_ids": ids, "attention_mask": mask}, tolerance=1e-6)
        self.assertEqual([len(one.tokens) for one in found], [5, 5, 3, 3])
        self.assertEqual([one.value for one in found], [one.value for one in named])

    def test_sines_may_come_before_cosines(self):
        model = drawn(transformers.GPTJConfig(**FAMILIES["GPTJ"]))
        read = lipscope.torch.attention(model, IDS, heads="all")
        measured = lipscope.torch.blocks(model, IDS, map="with-output", tolerance=1e-9)
        for one, other in zip(read, measured, strict=True):
            self.assertEqual(one.experiment.to_dict()["score"]["rope"]["layout"], "interleaved")
            self.assertLess(abs(lipscope.measure(one.experiment).spectral / other.value - 1), TOLERANCE)

    def test_an_output_matrix_with_more_beside_it_is_found(self):
        class LowRank(torch.nn.Module):
            def __init__(self, base):
                super().__init__()
                self.base, self.more = base, torch.nn.Linear(base.in_features, base.out_features).double()

            weight = property(lambda self: self.base.weight)
            bias = property(lambda self: self.base.bias)

            def forward(self, x):
                return self.base(x) + self.more(x)

        for part, words in (("o_proj", "an output matrix with other parts beside it"), ("q_proj", "computes something else")):
            model = drawn(transformers.LlamaConfig(**SHARED))
            attention = model.layers[0].self_attn
            setattr(attention, part, LowRank(getattr(attention, part)))
            with self.assertRaisesRegex(ValueError, words):
                lipscope.torch.attention(model, IDS, heads="all")
            found = lipscope.torch.blocks(model, IDS, tolerance=1e-7)
            for one, layer in zip(found, model.layers):
                self.assertLess(abs(one.value / dense_block(model, layer) - 1), TOLERANCE)


if __name__ == "__main__":
    unittest.main()
