"""`lipscope.torch` at small modules that have names and parts of transformers: each step against a dense Jacobian."""

import types
import unittest

import torch
from torch import nn

import lipscope.torch
from tests.python_torch.test_torch import dense_norm, randomised

torch.set_num_threads(1)

MAPS = ("attention", "with-output", "attention-residual", "mlp-residual", "block", "blocks")
N, D, HEADS, GROUPS, WIDTH = 5, 12, 4, 2, 4


class Rms(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.weight, self.variance_epsilon = nn.Parameter(torch.ones(WIDTH)), eps

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)


class LlamaAttention(nn.Module):
    """Grouped queries that turn; with options also norms, a cap, sinks and biases. `_heads` is what the output matrix gets."""

    def __init__(self, bias=False, eps=None, factor=1.0):
        super().__init__()
        self.config = types.SimpleNamespace(
            num_attention_heads=HEADS, rope_parameters={"rope_type": "default", "rope_theta": 100.0}
        )
        self.head_dim, self.scaling, self.is_causal, self.factor = WIDTH, 0.7, True, factor
        self.q_proj, self.o_proj = nn.Linear(D, HEADS * WIDTH, bias=bias), nn.Linear(HEADS * WIDTH, D)
        self.k_proj, self.v_proj = (nn.Linear(D, GROUPS * WIDTH, bias=bias) for _ in range(2))
        if eps is not None:
            self.q_norm, self.k_norm = Rms(eps), Rms(eps)

    def of_heads(self, x, position_embeddings, attention_mask=None):
        q, k, v = (
            part(x).unflatten(-1, (-1, WIDTH)).transpose(1, 2) for part in (self.q_proj, self.k_proj, self.v_proj)
        )
        if hasattr(self, "q_norm"):
            q, k = self.q_norm(q), self.k_norm(k)
        cos, sin = (part[:, None] for part in position_embeddings)
        turned = lambda z: z * cos + torch.cat([-z[..., WIDTH // 2 :], z[..., : WIDTH // 2]], -1) * sin
        k, v = (part.repeat_interleave(HEADS // GROUPS, 1) for part in (turned(k), v))
        scores = self.factor * self.scaling * turned(q) @ k.transpose(-1, -2)
        if hasattr(self, "attn_logit_softcapping"):
            scores = self.attn_logit_softcapping * torch.tanh(scores / self.attn_logit_softcapping)
        mask = torch.full(scores.shape[-2:], float("-inf"), dtype=x.dtype).triu(1)
        scores = scores + (mask if attention_mask is None else attention_mask)
        if hasattr(self, "sinks"):
            scores = torch.cat([scores, self.sinks[None, :, None, None].expand(*scores.shape[:-1], 1)], -1)
            return (scores.softmax(-1)[..., :-1] @ v).transpose(1, 2).flatten(2)
        return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)

    def forward(self, hidden_states, position_embeddings, attention_mask=None):
        return self.o_proj(self.of_heads(hidden_states, position_embeddings, attention_mask)), None


class Qwen3Attention(LlamaAttention):
    def __init__(self, **options):
        super().__init__(eps=0.1, **options)


class Gemma2Attention(LlamaAttention):
    def __init__(self, **options):
        super().__init__(**options)
        self.attn_logit_softcapping = 1.5


class GptOssAttention(LlamaAttention):
    """With one cosine a pair."""

    def __init__(self, **options):
        super().__init__(**options)
        self.sinks = nn.Parameter(torch.zeros(HEADS))

    def of_heads(self, x, position_embeddings, attention_mask=None):
        return super().of_heads(x, [torch.cat([part, part], -1) for part in position_embeddings], attention_mask)


class Layer(nn.Module):
    """Attention and an MLP, in turn or side by side."""

    def __init__(self, attention, is_parallel=False):
        super().__init__()
        self.self_attn, self.is_parallel = attention, is_parallel
        self.norm, self.mlp = nn.LayerNorm(D), nn.Sequential(nn.Linear(D, 12), nn.GELU(), nn.Linear(12, D))

    def forward(self, hidden_states, **others):
        attended = hidden_states + self.self_attn(self.norm(hidden_states), **others)[0]
        return attended + self.mlp(hidden_states if self.is_parallel else attended)


class Model(nn.Module):
    """Layers after one another. The mask (batch, n) has 0 for padding."""

    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x, attention_mask=None):
        causal = torch.full((x.shape[1], x.shape[1]), float("-inf"), dtype=x.dtype).triu(1)[None, None]
        if attention_mask is not None:
            causal = causal.masked_fill(attention_mask[:, None, None] == 0, float("-inf"))
            # A row of padding attends to itself, so that its values are numbers.
            causal = causal.masked_fill(torch.eye(x.shape[1], dtype=torch.bool), 0.0)
        for layer in self.layers:
            x = layer(x, position_embeddings=positions(x.shape[1], x.dtype), attention_mask=causal)
        return x


def positions(n, dtype=torch.float64, first=3, stretch=1.0, pairs=False):
    """Cosines and sines of positions that do not begin at 0."""
    frequencies = 100.0 ** (-torch.arange(WIDTH // 2, dtype=torch.float64) / (WIDTH // 2))
    angles = torch.arange(first, first + n)[:, None] * stretch * frequencies
    angles = angles if pairs else torch.cat([angles, angles], -1)
    return angles.cos()[None].to(dtype), angles.sin()[None].to(dtype)


def drawn(module):
    torch.manual_seed(11)
    return randomised(module)


class Steps(unittest.TestCase):
    def test_every_step_and_every_bias_is_in_the_experiment(self):
        x = torch.randn(1, N, D, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
        for kind in (LlamaAttention, Qwen3Attention, Gemma2Attention, GptOssAttention):
            for bias in (False, True):
                module = drawn(kind(bias=bias))
                at = positions(N, pairs=kind is GptOssAttention)
                found = lipscope.torch.attention(module, x, position_embeddings=at)
                self.assertEqual([one.head for one in found], list(range(HEADS)))
                for one in found:
                    of_head = lambda x: module.of_heads(x[None], at)[0].unflatten(-1, (HEADS, WIDTH))[:, one.head]
                    error = abs(one.measure().value / dense_norm(of_head, x[0]) - 1)
                    self.assertLess(error, 1e-9, (kind, bias, one.head))
                    self.assertEqual(bool(one.shift.any()), bias)
                    for bound in one.measure().bounds:
                        if bound.kind == "upper bound" and bound.norm == "spectral":
                            self.assertLessEqual(one.measure().value, bound.value * (1 + 1e-12), bound)

    def test_all_heads_have_the_output_matrix(self):
        module = drawn(GptOssAttention())
        x, at = torch.randn(1, N, D, dtype=torch.float64), positions(N, pairs=True)
        (one,) = lipscope.torch.attention(module, x, heads="all", position_embeddings=at)
        expected = dense_norm(lambda x: module(x[None], at)[0][0], x[0])
        self.assertLess(abs(one.measure().value / expected - 1), 1e-9)

    def test_one_mask_of_all_heads_may_add_a_slope_to_the_scores(self):
        module, at = drawn(LlamaAttention()), positions(N)
        x = torch.randn(1, N, D, dtype=torch.float64)
        distance = torch.arange(N)[:, None] - torch.arange(N)[None]
        mask = (-0.3 * distance.double()).masked_fill(distance < 0, float("-inf"))[None, None]
        call = {"position_embeddings": at, "attention_mask": mask}
        (one,) = lipscope.torch.attention(module, x, heads="all", **call)
        expected = dense_norm(lambda x: module(x[None], **call)[0][0], x[0])
        self.assertLess(abs(one.measure().value / expected - 1), 1e-9)
        for one in lipscope.torch.attention(module, x, **call):
            of_head = lambda x: module.of_heads(x[None], **call)[0].unflatten(-1, (HEADS, WIDTH))[:, one.head]
            self.assertLess(abs(one.measure().value / dense_norm(of_head, x[0]) - 1), 1e-9)

    def test_beside_a_sink_a_number_for_each_row_is_no_slope(self):
        module = drawn(GptOssAttention())
        x, at = torch.randn(1, N, D, dtype=torch.float64), positions(N, pairs=True)
        rows = torch.linspace(-2, 2, N, dtype=torch.float64)[:, None].expand(N, N)
        mask = torch.full((N, N), float("-inf"), dtype=torch.float64).triu(1) + rows
        mask = mask[None, None].expand(1, HEADS, N, N)
        for one in lipscope.torch.attention(module, x, position_embeddings=at, attention_mask=mask):
            of_head = lambda x: module.of_heads(x[None], at, mask)[0].unflatten(-1, (HEADS, WIDTH))[:, one.head]
            self.assertLess(abs(one.measure().value / dense_norm(of_head, x[0]) - 1), 1e-9, one.head)

    def test_an_item_of_padding_alone_is_refused_by_number(self):
        x, mask = torch.randn(2, N, D, dtype=torch.float64), torch.zeros(2, 1, N, N, dtype=torch.float64)
        mask[1] = float("-inf")
        with self.assertRaisesRegex(ValueError, r"an item \(number 1\) of padding alone: leave it out of the batch"):
            lipscope.torch.attention(
                drawn(LlamaAttention()), x, position_embeddings=positions(N), attention_mask=mask
            )

    def test_what_is_done_after_the_output_matrix_is_seen(self):
        x, at = torch.randn(1, N, D, dtype=torch.float64), positions(N)
        model = drawn(Model([Layer(LlamaAttention(), False)]))
        module = model.layers[0].self_attn
        inside = model.layers[0].norm(x[0]).detach()
        with_output = lambda: lipscope.torch.blocks(model, x, map="with-output")
        twice = module.register_forward_hook(lambda _, __, out: (2 * out[0], *out[1:]))
        for measure in (lambda: lipscope.torch.attention(module, x, position_embeddings=at), with_output):
            with self.assertRaisesRegex(ValueError, "changes what its output matrix gives, in a hook or a forward of its own"):
                measure()
        twice.remove()
        # What is changed before the output matrix is changed once.
        before = module.o_proj.register_forward_pre_hook(lambda _, given: (2 * given[0],))
        (found,) = with_output()
        expected = dense_norm(lambda x: module(x[None], at)[0][0], inside)
        self.assertLess(abs(found.value / expected - 1), 1e-9)
        before.remove()
        module.forward = lambda *given, **named: LlamaAttention.forward(module, *given, **named)
        with self.assertRaisesRegex(ValueError, "has a forward of other arguments than its class"):
            lipscope.torch.attention(model, x)

    def test_nan_of_the_model_itself_is_told_from_that_of_a_derivative(self):
        x, mask = torch.randn(1, N, D, dtype=torch.float64), torch.zeros(1, 1, N, N, dtype=torch.float64)
        mask[..., 0, :] = float("-inf")

        class Masked(LlamaAttention):
            def forward(self, hidden_states, position_embeddings, attention_mask=None):
                return super().forward(hidden_states, position_embeddings, mask)

        model = drawn(Model([Layer(Masked(), False) for _ in range(2)]))
        for kind in ("block", "blocks", "with-output"):
            with self.assertRaisesRegex(ValueError, "layers.0 gives NaN at these inputs by itself"):
                lipscope.torch.blocks(model, x, map=kind)

    def test_half_types_are_held_to_what_the_module_gives_in_float32(self):
        x, at = torch.randn(1, N, D).bfloat16(), positions(N, torch.bfloat16)
        self.assertEqual(
            len(lipscope.torch.attention(drawn(LlamaAttention()).bfloat16(), x, position_embeddings=at)), HEADS
        )
        with self.assertRaisesRegex(ValueError, "computes something else"):
            lipscope.torch.attention(drawn(LlamaAttention(factor=1.02)).bfloat16(), x, position_embeddings=at)

    def test_what_a_row_does_not_know_is_refused_by_name(self):
        x, at = torch.randn(1, N, D, dtype=torch.float64), positions(N)

        def refused(words, module, at=at, **options):
            with self.assertRaisesRegex(ValueError, words):
                lipscope.torch.attention(module, x, position_embeddings=at, **options)

        refused("computes something else than the attention of its class", drawn(LlamaAttention(factor=1.01)))
        refused(r"has parts that are not known \(q_norm, k_norm\)", drawn(LlamaAttention(eps=0.1)))
        refused("rotary positions that are scaled", drawn(LlamaAttention()), positions(N, stretch=0.5))
        # Positions that the formula has, in another order.
        mixed = [part[:, [0, 1, 3, 2, 4]] for part in positions(N)]
        refused("not one after another", drawn(LlamaAttention()), mixed)
        scaled = drawn(LlamaAttention())
        scaled.config.rope_parameters["rope_type"] = "yarn"
        refused("lipscope.torch.blocks", scaled)
        refused("biases of queries and keys of the heads together", drawn(LlamaAttention(bias=True)), heads="all")
        refused("`layers` names 'other', but the layers are: ''", drawn(LlamaAttention()), layers=["other"])


class Blocks(unittest.TestCase):
    def models(self):
        for is_parallel in (False, True):
            yield drawn(Model([Layer(LlamaAttention(bias=True), is_parallel) for _ in range(2)])), is_parallel

    def test_every_map_is_the_part_of_the_layer_that_it_names(self):
        x = torch.randn(1, N, D, dtype=torch.float64, generator=torch.Generator().manual_seed(6))
        others = {"position_embeddings": positions(N)}
        for model, is_parallel in self.models():
            measured = {kind: lipscope.torch.blocks(model, x, map=kind) for kind in MAPS}
            with torch.no_grad():
                tokens = [x[0], model.layers[0](x, **others)[0]]
            for at, (layer, entered) in enumerate(zip(model.layers, tokens)):
                inside = layer.norm(entered).detach()
                attended = lambda x: x + layer.self_attn(layer.norm(x)[None], **others)[0][0]
                middle = entered if is_parallel else attended(entered).detach()
                expected = {
                    "attention": (lambda x: layer.self_attn.of_heads(x[None], **others)[0], inside),
                    "with-output": (lambda x: layer.self_attn(x[None], **others)[0][0], inside),
                    "attention-residual": (attended, entered),
                    "mlp-residual": (lambda x: x + layer.mlp(x), middle),
                    "block": (lambda x: layer(x[None], **others)[0], entered),
                    "blocks": (lambda x: model(x[None])[0] if at else layer(x[None], **others)[0], x[0]),
                }
                for kind, (f, point) in expected.items():
                    found = measured[kind][at]
                    self.assertEqual(
                        (found.layer, found.item, found.map, found.kind), (f"layers.{at}", 0, kind, "exact")
                    )
                    self.assertLess(abs(found.value / dense_norm(f, point) - 1), 1e-9, (kind, at, is_parallel))
                    self.assertLess(found.residual, 1e-9)
                    torch.testing.assert_close(torch.from_numpy(found.tokens), point)

    def test_attention_that_is_no_experiment_is_measured_by_itself(self):
        module, at = drawn(LlamaAttention()), positions(N, stretch=0.5)
        x = torch.randn(1, N, D, dtype=torch.float64)
        with self.assertRaisesRegex(ValueError, r'Measure it with lipscope.torch.blocks\(.., map="attention"\).'):
            lipscope.torch.attention(module, x, position_embeddings=at)
        (found,) = lipscope.torch.blocks(module, x, map="attention", position_embeddings=at)
        self.assertLess(abs(found.value / dense_norm(lambda x: module.of_heads(x[None], at)[0], x[0]) - 1), 1e-9)

    def test_padding_is_neither_moved_nor_counted(self):
        x = torch.randn(2, N, D, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
        mask = torch.ones(2, N, dtype=torch.long)
        mask[1, N - 2 :] = 0
        model, _ = next(self.models())
        for kind in MAPS:
            options = {"map": kind, "layers": ["layers.1"]}
            found = lipscope.torch.blocks(model, {"x": x, "attention_mask": mask}, **options)
            self.assertEqual([(one.item, len(one.tokens)) for one in found], [(0, N), (1, N - 2)])
            alone = [
                *lipscope.torch.blocks(model, x[:1], **options),
                *lipscope.torch.blocks(model, x[1:, : N - 2], **options),
            ]
            for one, other in zip(found, alone):
                self.assertLess(abs(one.value / other.value - 1), 1e-9, (kind, one))

    def test_any_layers_have_blocks(self):
        torch.manual_seed(8)
        model = drawn(nn.TransformerEncoder(nn.TransformerEncoderLayer(D, 2, 12, batch_first=True), 3))
        x = torch.randn(2, N, D, dtype=torch.float64)
        padding = torch.arange(N)[None] >= torch.tensor([[N], [N - 2]])
        found = lipscope.torch.blocks(model, x, map="blocks", layers=["layers.2"], src_key_padding_mask=padding)
        self.assertEqual([(one.layer, one.item) for one in found], [("layers.2", 0), ("layers.2", 1)])
        for one, length in zip(found, (N, N - 2)):
            expected = dense_norm(lambda y: model(y[None])[0], x[one.item, :length])
            self.assertLess(abs(one.value / expected - 1), 1e-9)

    def test_what_is_no_such_map_is_refused(self):
        x = torch.randn(1, N, D, dtype=torch.float64)

        def refused(words, model, **options):
            with self.assertRaisesRegex(ValueError, words):
                lipscope.torch.blocks(model, x, **options)

        class Scaled(Layer):
            def forward(self, hidden_states, **others):
                return 2 * super().forward(hidden_states, **others)

        class Between(Model):
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x, position_embeddings=positions(x.shape[1])) + 1
                return x

        plain = nn.TransformerEncoder(nn.TransformerEncoderLayer(D, 2, 12, batch_first=True).double(), 1)
        first = nn.TransformerEncoder(nn.TransformerEncoderLayer(D, 2, 12).double(), 1)
        refused("`map` is 'layer', but it must be one of: attention, with-output", plain, map="layer")
        refused("neither attention and then an MLP, nor both side by side",
                drawn(Model([Scaled(LlamaAttention())])), map="mlp-residual")  # fmt: skip
        refused(
            "the model does more than run its layers",
            drawn(Between([Layer(LlamaAttention()) for _ in "ab"])),
            map="blocks",
        )
        refused("is of no known family", plain, map="attention")
        refused("batch_first=False", first)
        refused("does not map tokens to tokens of the same shape", nn.Linear(D, 3).double())


if __name__ == "__main__":
    unittest.main()
