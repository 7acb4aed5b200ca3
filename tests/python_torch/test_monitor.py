"""The monitor, the attention in closed form that it uses, and the norm that can be differentiated."""

import copy
import json
import math
import random
import socket
import tempfile
import unittest
from pathlib import Path

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

import lipscope.torch
from lipscope import _closed, _head_norms
from lipscope.torch import Monitor
from tests.python_torch.test_torch import dense_norm, randomised

torch.set_num_threads(1)
D, HEADS, N, WORDS = 16, 2, 9, 20


class CausalAttention(nn.Module):
    """As scripts of a small GPT have it, with a step between scores and the fused call that a subclass may change."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out, self.drop = nn.Linear(D, 3 * D), nn.Linear(D, D), nn.Dropout(0.1)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).split(D, -1))
        dropout = 0.1 if self.training else 0.0
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=dropout)
        return self.drop(self.out(y.transpose(1, 2).flatten(2)))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.first, self.second = CausalAttention(), nn.LayerNorm(D), nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.GELU(), nn.Linear(4 * D, D))

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


class Gpt(nn.Module):
    def __init__(self, layers=2):
        super().__init__()
        self.words, self.blocks, self.head = nn.Embedding(WORDS, D), nn.ModuleList(Block() for _ in range(layers)), nn.Linear(D, WORDS)

    def forward(self, ids):
        x = self.words(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


PROBE = torch.arange(N)[None] % WORDS


def gpt(**options):
    torch.manual_seed(3)
    return Gpt(**options)


def trained(model, steps, monitor=None):
    torch.manual_seed(4)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    for step in range(steps):
        ids = torch.randint(0, WORDS, (4, N))
        loss = nn.functional.cross_entropy(model(ids)[:, :-1].reshape(-1, WORDS), ids[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if monitor is not None:
            monitor.step(step, loss=loss)
    return model


class ClosedForm(unittest.TestCase):
    def test_values_and_derivatives_are_those_of_the_formula(self):
        draw = random.Random(1)
        torch.manual_seed(1)
        most = dict(_closed._MOST_SCORES)
        self.addCleanup(_closed._MOST_SCORES.update, most)
        for at in range(60):
            heads, n = draw.choice((2, 4)), draw.randint(1, 19)
            keys = n if at % 3 else draw.randint(1, 19)
            groups = heads if at % 2 else heads // 2
            q = torch.randn(2, heads, n, 5, dtype=torch.float64)
            k = torch.randn(2, groups, keys, 5, dtype=torch.float64)
            v = torch.randn(2, groups, keys, 3 if at % 4 == 0 else 5, dtype=torch.float64)
            options = {"enable_gqa": True} if groups != heads else {}
            if at % 5 == 1 and n == keys:
                options["is_causal"] = True
            elif at % 5 == 2:
                options["attn_mask"] = torch.rand(n, keys) > 0.4
                options["attn_mask"][:, 0] = True
            elif at % 5 == 3:
                options["attn_mask"] = torch.randn(2, 1, n, keys, dtype=torch.float64)
            elif at % 5 == 4:
                options["scale"] = 0.3
            # Blocks that hold all rows, some that do not divide them, and single ones.
            _closed._MOST_SCORES["cpu"] = (most["cpu"], 2 * heads * keys * 3, 1)[at % 3]

            def formula(q, k, v):
                with sdpa_kernel(SDPBackend.MATH):
                    return nn.functional.scaled_dot_product_attention(q, k, v, **options)

            def closed(q, k, v):
                with _closed.closed_attentions():
                    return nn.functional.scaled_dot_product_attention(q, k, v, **options)

            changes = tuple(torch.randn_like(part) for part in (q, k, v))
            (value, change), (expected, of_formula) = (torch.func.jvp(f, (q, k, v), changes) for f in (closed, formula))
            u = torch.randn_like(value)
            back, of_back = (torch.func.vjp(f, q, k, v)[1](u) for f in (closed, formula))
            alone = [torch.func.jvp(lambda k: f(q, k, v), (k,), (changes[1],))[1] for f in (closed, formula)]
            pairs = [(value, expected), (change, of_formula), *zip(back, of_back), alone]
            for found, other in pairs:
                self.assertLess(float((found - other).abs().max()), 1e-12, (at, options.keys()))

    def test_a_row_without_keys_is_zero(self):
        q = torch.randn(1, 1, 3, 2, dtype=torch.float64)
        mask = torch.tensor([[True, False, False], [False] * 3, [True] * 3])
        found = _closed.closed_attention(q, q, q, mask)
        self.assertTrue((found[0, 0, 1] == 0).all() and found.isfinite().all())

    def test_a_mask_that_depends_on_the_tokens_has_its_derivative(self):
        x = torch.randn(4, 3, dtype=torch.float64)

        def f(x):
            bias = (x @ x.T)[None, None]
            return nn.functional.scaled_dot_product_attention(*[x[None, None]] * 3, attn_mask=bias)[0, 0]

        with _closed.closed_attentions(), sdpa_kernel(SDPBackend.MATH):
            change = torch.func.jvp(f, (x,), (torch.ones_like(x),))[1]
        with sdpa_kernel(SDPBackend.MATH):
            expected = torch.func.jvp(f, (x,), (torch.ones_like(x),))[1]
        self.assertLess(float((change - expected).abs().max()), 1e-12)

    def test_items_taken_by_vmap_and_half_precision(self):
        x = torch.randn(3, 2, 5, 4, dtype=torch.float64)
        f = lambda x: nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)
        with sdpa_kernel(SDPBackend.MATH):
            expected = torch.func.jvp(torch.vmap(f), (x,), (x.sin(),))[1]
        with _closed.closed_attentions(), sdpa_kernel(SDPBackend.MATH):
            self.assertLess(float((torch.func.jvp(torch.vmap(f), (x,), (x.sin(),))[1] - expected).abs().max()), 1e-12)
            half = f(x.bfloat16())
        self.assertEqual(half.dtype, torch.bfloat16)
        self.assertLess(float((half.double() - f(x)).abs().max()), 0.02)

    def test_linear_maps_have_the_derivatives_of_pytorch(self):
        torch.manual_seed(2)
        linear, plain, x = nn.Linear(4, 3).double(), nn.Linear(4, 3, bias=False).double(), torch.randn(5, 4, dtype=torch.float64)
        functions = {
            "bias": lambda x: linear(x).sin(),
            "no bias": lambda x: plain(x[None]).sin()[0],
            "addmm": lambda x: torch.addmm(linear.bias, x.sin(), linear.weight.T),
            "scaled addmm": lambda x: torch.addmm(linear.bias, x.sin(), linear.weight.T, beta=0.5, alpha=2),
            "a weight of the tokens": lambda x: nn.functional.linear(x, x[:3] * linear.weight, x[:3, 0]),
            "items": lambda x: torch.vmap(lambda row: linear(row).sin())(x),
            "a gradient": torch.func.grad(lambda x: linear(x).sin().sum()),
        }
        v = torch.randn_like(x)
        for name, f in functions.items():
            expected, u = torch.func.jvp(f, (x,), (v,))[1], torch.randn_like(f(x))
            with _closed.linears_of_constants():
                found, (back,) = torch.func.jvp(f, (x,), (v,))[1], torch.func.vjp(f, x)[1](u)
            self.assertLess(float((found - expected).abs().max()), 1e-12, name)
            self.assertLess(float((back - torch.func.vjp(f, x)[1](u)[0]).abs().max()), 1e-12, name)

    def test_a_forward_product_of_a_linear_map_is_one_product_more_than_its_value(self):
        class Counted(TorchDispatchMode):
            count = 0

            def __torch_dispatch__(self, f, types, args=(), kwargs=None):
                self.count += f in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default)
                return f(*args, **(kwargs or {}))

        linear, x = nn.Linear(4, 3), torch.randn(5, 4)
        with torch.no_grad(), _closed.linears_of_constants(), Counted() as counted:
            torch.func.jvp(linear, (x,), (x,))
        self.assertEqual(counted.count, 2)

    def test_dropout_is_refused_and_the_function_is_back_afterwards(self):
        own = nn.functional.scaled_dot_product_attention
        q = torch.randn(1, 1, 3, 2)
        with self.assertRaisesRegex(ValueError, "dropout"):
            _closed.closed_attention(q, q, q, dropout_p=0.5)
        with _closed.closed_attentions():
            self.assertIsNot(nn.functional.scaled_dot_product_attention, own)
        self.assertIs(nn.functional.scaled_dot_product_attention, own)


class Rows(unittest.TestCase):
    def test_a_row_is_a_lower_bound_near_the_norm(self):
        worst = 1.0
        for seed in range(20):
            torch.manual_seed(seed)
            model = randomised(Gpt()).float().eval()
            # The parameters of LayerNorm as a training makes them.
            for row in Monitor(model, PROBE, steps=30).measure(0):
                with torch.no_grad():
                    tokens = model.words(PROBE)[0]
                    for block in model.blocks[: int(row["layer"][-1])]:
                        tokens = block(tokens[None])[0]
                block, tokens = model.blocks[int(row["layer"][-1])], tokens.double()
                block.double()
                if row["map"] == "block":
                    expected = dense_norm(lambda x: block(x[None])[0], tokens)
                else:
                    expected = dense_norm(lambda x: block.attention(x[None])[0], block.first(tokens).detach())
                block.float()
                self.assertEqual((row["kind"], row["part"] if row["map"] == "attention" else None),
                                 ("lower bound", "attention" if row["map"] == "attention" else None))  # fmt: skip
                ratio = row["value"] / expected
                # The tokens that enter a layer come from products in float32.
                self.assertLess(ratio, 1 + 1e-5, row)
                self.assertLessEqual(row["residual"], 0.0301)
                worst = min(worst, ratio)
        self.assertGreater(worst, 0.95)

    def test_the_columns_are_those_of_the_weights(self):
        model = gpt().double()
        rows = Monitor(model, PROBE, layers=["blocks.1"]).measure(7, loss=torch.tensor(1.5))
        self.assertEqual([(row["step"], row["layer"], row["map"], row["loss"]) for row in rows],
                         [(7, "blocks.1", "attention", 1.5), (7, "blocks.1", "block", 1.5)])  # fmt: skip
        block = model.blocks[1].eval()
        x = model.blocks[0].eval()(model.words(PROBE))
        inside = block.first(x)
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2)[0] for part in block.attention.qkv(inside).split(D, -1))
        scores = (q @ k.mT / (D / HEADS) ** 0.5).masked_fill(torch.ones(N, N, dtype=torch.bool).triu(1), float("-inf"))
        weights = scores.softmax(-1)
        entropy = torch.special.entr(weights).sum(-1)[:, 1:] / torch.arange(2, N + 1).log()
        expected = {
            "max_logit": scores.amax((1, 2)), "entropy_mean": entropy.mean(-1), "entropy_min": entropy.amin(-1),
            "sink": weights.sum(1).amax(-1),
        }  # fmt: skip
        for name, heads in expected.items():
            for found, other in zip(rows[0]["heads"][name], heads.tolist()):
                self.assertAlmostEqual(found, other, places=12)
            together = {"entropy_mean": heads.mean(), "entropy_min": heads.min()}.get(name, heads.max())
            self.assertAlmostEqual(rows[0][name], float(together), places=12)
        size, output = float(x.detach().norm()), float(block(x).detach().norm())
        self.assertAlmostEqual(rows[1]["condition"], rows[1]["value"] * size / output, places=12)
        self.assertAlmostEqual(rows[1]["output"], output, places=12)
        flat = Monitor.flat(rows)
        self.assertEqual(flat["local_lipschitz/blocks.1/block"], rows[1]["value"])
        self.assertEqual(flat["max_logit/blocks.1"], rows[0]["max_logit"])

    def test_a_pair_may_be_forbidden_by_any_large_negative_number(self):
        class Written(CausalAttention):
            """Attention that is written out; with a sink it shifts its scores before softmax, as gpt-oss does."""

            forbidden, has_sink = float("-inf"), False

            def forward(self, x):
                q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in self.qkv(x).split(D, -1))
                later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
                scores = (q @ k.mT).masked_fill(later, self.forbidden)
                if self.has_sink:
                    scores = torch.cat([scores, torch.full_like(scores[..., :1], 9.0)], -1)
                    scores = scores - scores.amax(-1, keepdim=True)
                weights = scores.softmax(-1)[..., : x.shape[1]]
                return self.out((weights @ v).transpose(1, 2).flatten(2))

        def columns(**attributes):
            model = gpt(layers=1).double()
            model.blocks[0].attention.__class__ = type("Written", (Written,), attributes)
            (row,) = Monitor(model, PROBE, maps="attention", exact=False).measure(0)
            return row

        expected = columns()
        for forbidden in (-1e9, -1e4, float(torch.finfo(torch.float32).min)):
            found = columns(forbidden=forbidden)
            for name in ("max_logit", "entropy_mean", "entropy_min", "sink"):
                self.assertAlmostEqual(found[name], expected[name], places=12, msg=f"{name} {forbidden}")
        # The sink of nearly all attention is no token, and the weights of tokens among themselves are as before.
        found = columns(has_sink=True)
        self.assertIsNone(found["max_logit"])
        self.assertLess(found["sink"], 1.0)
        for name in ("entropy_mean", "entropy_min"):
            self.assertAlmostEqual(found[name], expected[name], places=9)

    def test_norms_of_weights_that_are_not_known_are_null(self):
        (row,) = Monitor(gpt(), PROBE, maps="attention", layers=["blocks.0"]).measure(0)
        self.assertEqual((row["a_norm"], row["vo_norm"]), (None, None))
        self.assertNotIn("a_norm", row["heads"])
        self.assertFalse(any("_norm" in name for name in Monitor.flat([row])))

    def test_items_of_a_probe_have_rows_of_their_own(self):
        model = gpt().double()
        rows = Monitor(model, PROBE.repeat(2, 1) + torch.tensor([[0], [1]]), maps="block").measure(0)
        self.assertEqual([row["item"] for row in rows], [0, 0, 1, 1])
        (alone, _) = Monitor(model, PROBE + 1, maps="block").measure(0)
        self.assertLess(abs(rows[2]["value"] / alone["value"] - 1), 0.01)

    def test_a_singular_value_that_becomes_the_largest_is_found(self):
        class Scale(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Module()])
                self.layers[0].factors = nn.Parameter(torch.linspace(1, 0.1, D))
                self.layers[0].forward = lambda x: x * self.layers[0].factors

            def forward(self, x):
                return self.layers[0](x)

        for tight in ({}, {"tolerance": 1e-9, "steps": 100}):
            model = Scale()
            monitor = Monitor(model, torch.randn(1, N, D), maps=("block",), layers="layers", **tight)
            for leading in range(D):
                with torch.no_grad():
                    model.layers[0].factors.copy_(0.3 + 0.7 * (torch.arange(D) == leading))
                (row,) = monitor.measure(leading)
                self.assertGreater(row["value"], 0.95 if not tight else 1 - 1e-6)

    def test_each_call_of_a_layer_has_rows_of_its_own(self):
        class Loop(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([Block()])

            def forward(self, x):
                for _ in range(3):
                    x = self.layers[0](x)
                return x

        torch.manual_seed(0)
        rows = Monitor(Loop().eval(), torch.randn(1, N, D), maps=("block",)).measure(0)
        self.assertEqual([row["call"] for row in rows], [0, 1, 2])
        flat = Monitor.flat(rows)
        found = [flat[f"local_lipschitz/layers.0.call{call}/block"] for call in range(3)]
        self.assertEqual(found, [row["value"] for row in rows])

    def test_a_monitored_run_has_the_same_weights_bit_for_bit(self):
        plain = trained(gpt(), 6)
        monitor_of = gpt()
        monitor = Monitor(monitor_of, PROBE, every=2)
        seen = []
        monitor.on_rows(seen.append)
        monitored = trained(monitor_of, 6, monitor)
        for one, other in zip(plain.state_dict().values(), monitored.state_dict().values()):
            self.assertTrue(torch.equal(one, other))
        self.assertTrue(monitored.training and all(parameter.grad is not None for parameter in monitored.parameters()))
        self.assertEqual([rows[0]["step"] for rows in seen], [0, 2, 4])
        # A start from the last vector takes fewer steps.
        self.assertLess(seen[1][1]["steps"], seen[0][1]["steps"])

    def test_an_estimate_says_so(self):
        (row,) = Monitor(gpt(), PROBE, exact=False, maps="block", layers=["blocks.0"], columns=()).measure(0)
        self.assertEqual(set(row), {"step", "layer", "map", "value", "residual", "kind", "steps"})
        self.assertEqual(row["kind"], "estimate")

    def test_half_precision_is_measured_again_in_float64(self):
        model = gpt().bfloat16()
        rows = Monitor(model, PROBE, maps="block", steps=20).measure(0)
        self.assertEqual({parameter.dtype for parameter in model.parameters()}, {torch.bfloat16})
        for row, exact in zip(rows, Monitor(model.double(), PROBE, maps="block", steps=20).measure(0)):
            self.assertLess(abs(row["value"] / exact["value"] - 1), 0.05)

    def test_compiled_and_wrapped_models_and_checkpointing(self):
        from torch.utils.checkpoint import checkpoint

        model = gpt()
        expected = [row["value"] for row in Monitor(model, PROBE).measure(0)]
        self.assertEqual([row["value"] for row in Monitor(torch.compile(model), PROBE).measure(0)], expected)
        parts = gpt()
        parts.blocks = nn.ModuleList(torch.compile(block) for block in parts.blocks)
        self.assertEqual([row["value"] for row in Monitor(parts, PROBE).measure(0)], expected)

        class Saving(Gpt):
            def forward(self, ids):
                x = self.words(ids)
                for block in self.blocks:
                    x = checkpoint(block, x, use_reentrant=False)
                return self.head(x)

        torch.manual_seed(3)
        self.assertEqual([row["value"] for row in Monitor(Saving(), PROBE).measure(0)], expected)
        with torch.autocast("cpu", torch.bfloat16):
            rows = Monitor(model, PROBE, maps="block").measure(0)
        self.assertTrue(all(row["value"] > 0 for row in rows))

    def test_a_run_that_diverges_goes_on(self):
        model = gpt()
        monitor = Monitor(model, PROBE)
        monitor.measure(0)
        with torch.no_grad():
            model.blocks[1].first.weight.fill_(float("nan"))
        rows = monitor.measure(1, loss=float("nan"))
        self.assertEqual([row["kind"] for row in rows], ["lower bound", "lower bound", "none", "none"])
        self.assertTrue(rows[2]["value"] is None and rows[2]["loss"] is None and "NaN" in rows[2]["problem"])
        json.dumps(rows, allow_nan=False)


class HeadNorms(unittest.TestCase):
    """`a_norm` and `vo_norm` against the singular values of the whole matrices."""

    def check(self, row, heads, scale):
        """The columns of a row, given Q, K, V (k, d) and O (d, k) of each head, and the factor of scores; None where there is no A."""
        expected = {"vo_norm": [dense(o @ v) for _, _, v, o in heads]}
        if scale is None:
            self.assertIsNone(row["a_norm"])
            self.assertNotIn("a_norm", row["heads"])
        else:
            expected["a_norm"] = [scale * dense(k.T @ q) for q, k, _, _ in heads]
        for name, values in expected.items():
            for found, other in zip(row["heads"][name], values, strict=True):
                self.assertLess(abs(found / other - 1), 1e-12)
            self.assertEqual(row[name], max(row["heads"][name]))

    def test_of_a_product_without_the_matrix(self):
        torch.manual_seed(7)
        for shape in ((9, 4, 3), (3, 9, 5), (6, 6, 6), (1, 5, 1), (4, 1, 8)):
            m, p, k = shape
            a, b = torch.randn(m, k, dtype=torch.float64), torch.randn(p, k, dtype=torch.float64)
            self.assertLess(abs(_head_norms.norm_of_product(a, b) / dense(a @ b.T) - 1), 1e-12, shape)
        # Large parts that do not meet: squares of the factors would lose half the digits.
        a, b = (torch.randn(5, 2, dtype=torch.float64) * torch.tensor(factors) for factors in ((1, 1e-9), (1e-9, 1)))
        self.assertLess(abs(_head_norms.norm_of_product(a, b) / dense(a @ b.T) - 1), 1e-12)
        self.assertEqual(_head_norms.norm_of_product(torch.zeros(3, 2), torch.ones(4, 2)), 0.0)
        self.assertTrue(math.isnan(_head_norms.norm_of_product(torch.full((3, 2), float("inf")), torch.ones(4, 2))))

    def test_of_multihead_attention(self):
        for options in ({}, {"kdim": 6, "vdim": 5}):
            torch.manual_seed(8)
            module = nn.MultiheadAttention(D, HEADS, batch_first=True, **options).double()
            wide = module.in_proj_weight
            q, k, v = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight) if wide is None else wide.chunk(3)
            heads = zip(*(part.detach().chunk(HEADS) for part in (q, k, v)), module.out_proj.weight.detach().chunk(HEADS, 1))
            norms = _head_norms.head_norms(module, "", module)
            row = {**{name: max(values) for name, values in norms.items()}, "heads": norms}
            self.check(row, list(heads), (D / HEADS) ** -0.5)

    def test_of_families(self):
        try:
            import transformers
        except ImportError:
            self.skipTest("transformers is not installed.")
        sizes = {"vocab_size": WORDS, "hidden_size": 24, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4}
        rows_of = lambda matrix, at, k=6: matrix[at * k : (at + 1) * k]

        def separate(q, k, v, o, groups=4):
            group = lambda at: at * groups // 4
            return [(rows_of(q, at), rows_of(k, group(at)), rows_of(v, group(at)), rows_of(o.T, at).T) for at in range(4)]

        def llama(layer):
            parts = (getattr(layer.self_attn, f"{name}_proj").weight for name in "qkvo")
            return separate(*parts, groups=2)

        def gpt2(layer):
            return separate(*layer.attn.c_attn.weight.T.chunk(3), layer.attn.c_proj.weight.T)

        def bert(layer):
            inner = layer.attention.self
            return separate(inner.query.weight, inner.key.weight, inner.value.weight, layer.attention.output.dense.weight)

        def neox(layer):
            heads = layer.attention.query_key_value.weight.unflatten(0, (4, 3, 6))
            return [(*heads[at], rows_of(layer.attention.dense.weight.T, at).T) for at in range(4)]

        grouped = {**sizes, "num_key_value_heads": 2, "head_dim": 6}
        cases = [
            ("Llama", grouped, llama, "layers", 6**-0.5),
            ("Qwen3", grouped, llama, "layers", None),
            ("Granite", {**grouped, "attention_multiplier": 0.3}, llama, "layers", 0.3),
            ("GPT2", {"vocab_size": WORDS, "n_embd": 24, "n_layer": 1, "n_head": 4}, gpt2, "h", 6**-0.5),
            ("Bert", sizes, bert, "encoder.layer", 6**-0.5),
            ("GPTNeoX", sizes, neox, "layers", 6**-0.5),
        ]
        for name, options, heads, stack, scale in cases:
            with self.subTest(name):
                torch.manual_seed(9)
                model = getattr(transformers, f"{name}Model")(getattr(transformers, f"{name}Config")(**options)).double().eval()
                (row,) = Monitor(model, {"input_ids": PROBE}, maps="attention").measure(0)
                with torch.no_grad():
                    self.check(row, heads(model.get_submodule(stack)[0]), scale)

    def test_what_has_other_parts_is_not_known(self):
        class Adapted(nn.Linear):
            def forward(self, x):
                return 2 * super().forward(x)

        module = nn.MultiheadAttention(D, HEADS)
        module.out_proj = Adapted(D, D)
        norms = _head_norms.head_norms(module, "", module)
        self.assertIsNone(norms["vo_norm"])
        self.assertEqual(len(norms["a_norm"]), HEADS)

        class Similar(nn.Module):
            """The parts of GPT-2 by name: what it does between them is not known."""

            num_heads, head_dim = HEADS, D // HEADS

            def __init__(self):
                super().__init__()
                self.c_attn, self.c_proj = nn.Linear(D, 3 * D), nn.Linear(D, D)

        similar = Similar()
        self.assertEqual(_head_norms.head_norms(similar, "", similar), {"a_norm": None, "vo_norm": None})


def dense(matrix):
    """The largest singular value."""
    return float(torch.linalg.svdvals(matrix.double())[0])


class OtherShapes(unittest.TestCase):
    """Layers that are called with more than tokens, and attention without an axis of heads."""

    def test_scores_without_an_axis_of_heads_or_of_items_are_told_apart(self):
        class Fused(nn.Module):
            def __init__(self):
                super().__init__()
                self.qkv = nn.Linear(D, 3 * D)

            def forward(self, x):
                return x + nn.functional.scaled_dot_product_attention(*self.qkv(x).chunk(3, -1))

        class Multihead(nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = nn.MultiheadAttention(D, HEADS, batch_first=True)

            def forward(self, x):
                return x + self.attention(x, x, x)[0]

        x = torch.randn(2, N, D, generator=torch.Generator().manual_seed(1))
        for kind, heads in ((Fused, 1), (Multihead, HEADS)):
            torch.manual_seed(2)
            model = nn.Sequential(nn.ModuleList([kind()])[0])
            rows = Monitor(model, x, layers=["0"]).measure(0)
            alone = [Monitor(model, x[item : item + 1], layers=["0"]).measure(0)[0] for item in range(2)]
            of_items = [row for row in rows if row["map"] == "attention"]
            self.assertEqual([row["item"] for row in of_items], [0, 1])
            for row, expected in zip(of_items, alone):
                self.assertEqual(len(row["heads"]["sink"]), heads)
                for name in ("max_logit", "sink", "entropy_min"):
                    self.assertAlmostEqual(row[name], expected[name], places=5)

    def test_a_padded_item_has_no_columns_of_attention(self):
        torch.manual_seed(3)
        model = nn.TransformerEncoder(nn.TransformerEncoderLayer(D, HEADS, 24, batch_first=True), 1, enable_nested_tensor=False)
        padding = torch.zeros(1, N, dtype=torch.bool)
        whole = Monitor(model, {"src": torch.randn(1, N, D), "src_key_padding_mask": padding}).measure(0)[0]
        self.assertIn("sink", whole)
        padding = padding.clone()
        padding[0, -2:] = True
        padded = Monitor(model, {"src": torch.randn(1, N, D), "src_key_padding_mask": padding}).measure(0)[0]
        self.assertNotIn("sink", padded)
        # Those of the weights depend on no token.
        self.assertEqual(set(padded["heads"]), {"a_norm", "vo_norm"})
        self.assertIsNotNone(padded["value"])

    def test_a_layer_that_gets_another_tensor_is_measured_in_float64_with_it(self):
        torch.manual_seed(4)
        model = nn.TransformerDecoder(nn.TransformerDecoderLayer(D, HEADS, 24, batch_first=True), 1)
        x, memory = torch.randn(1, N, D), torch.randn(1, 4, D)
        (row,) = Monitor(model, (x, memory), maps=("block",), tolerance=1e-4, steps=40).measure(0)
        exact = lipscope.torch.blocks(model.double().eval(), (x.double(), memory.double()))[0].value
        self.assertLess(abs(row["value"] / exact - 1), 1e-3)

    def test_a_layer_that_keeps_numbers_of_its_own_type_is_refused_in_a_sentence(self):
        class Plain(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner, self.matrix = nn.Linear(D, D), torch.randn(D, D)

            def forward(self, x):
                return self.inner(x) @ self.matrix

        model, x = nn.Sequential(Plain()), torch.randn(1, N, D)
        with self.assertRaisesRegex(ValueError, "cannot run in float64.*exact=False"):
            Monitor(model, x, layers=["0"], maps=("block",)).measure(0)
        self.assertEqual(Monitor(model, x, layers=["0"], maps=("block",), exact=False).measure(0)[0]["kind"], "estimate")


class Logs(unittest.TestCase):
    def test_a_log_has_a_head_and_a_row_a_line_and_goes_on_for_the_same_model(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "run.jsonl")
            model = gpt()
            written = [row for step in (0, 1) for row in Monitor(model, PROBE, log=log).measure(step)]
            head, *rows = map(json.loads, log.read_text().splitlines())
            self.assertEqual((head["format"], head["version"], head["model"], rows), ("lipscope-run", 1, "Gpt", written))
            with self.assertRaisesRegex(ValueError, "the log of another model. Give a file of its own"):
                Monitor(Gpt(layers=3), PROBE, log=log)
            schema = json.loads((Path(__file__).parents[2] / "docs" / "run.schema.json").read_text())["$defs"]
            for kind, lines in (("header", [head]), ("row", [{**row, "loss": 1.0} for row in rows])):
                properties, required = schema[kind]["properties"], schema[kind]["required"]
                for line in lines:
                    self.assertLessEqual(set(required), set(line))
                    self.assertLessEqual(set(line) - {"loss"}, set(properties))
            self.assertLessEqual({row["kind"] for row in rows}, set(schema["row"]["properties"]["kind"]["enum"]))
            log.write_text("step,loss\n")
            with self.assertRaisesRegex(ValueError, "no log of a run"):
                Monitor(model, PROBE, log=log)


class Refusals(unittest.TestCase):
    def test_what_cannot_be_monitored_is_said_in_a_sentence(self):
        def refused(words, model, probe=PROBE, kind=ValueError, **options):
            with self.assertRaisesRegex(kind, words):
                Monitor(model, probe, **options).measure(0)

        refused("has no list of layers", nn.Linear(3, 3), torch.randn(1, 2, 3))
        refused("must be a torch.nn.Module", lambda x: x, kind=TypeError)
        refused("`maps` holds 'blocks', but each must be one of: attention, block", gpt(), maps=["blocks"])
        refused("`columns` holds 'norm'", gpt(), columns=["norm"])
        refused("`layers` is 'h', which is no module of the model", gpt(), layers="h")
        refused("`layers` holds 'blocks.7'", gpt(), layers=["blocks.7"])
        refused("`every` ", gpt(), every=0)
        refused("cannot be called with these", gpt(), torch.randn(1, 3))
        with self.assertRaisesRegex(ValueError, "`loss` has 2 numbers, but a row holds one"):
            Monitor(gpt(), PROBE).measure(0, loss=torch.zeros(2))

        class Counting(Block):
            count = 0

            def forward(self, x):
                self.count += 1
                return super().forward(x) * self.count

        counting = gpt()
        counting.blocks[0] = Counting()
        refused("blocks.0 gives another output when it is run again", counting)


def of_one_process(rank, port, folder):
    """A process of a training by two."""
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    model = torch.nn.parallel.DistributedDataParallel(gpt())
    monitor = Monitor(model, PROBE, every=1, log=Path(folder, "run.jsonl") if rank == 0 else None)
    trained(model, 2, monitor)
    Path(folder, f"{rank}.txt").write_text(str(len(monitor.measure(2))))
    torch.distributed.destroy_process_group()


class Trainings(unittest.TestCase):
    def test_of_two_processes_the_first_measures(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with tempfile.TemporaryDirectory() as folder:
            torch.multiprocessing.spawn(of_one_process, (port, folder), 2)
            self.assertEqual([Path(folder, f"{rank}.txt").read_text() for rank in (0, 1)], ["4", "0"])
            self.assertEqual(len(Path(folder, "run.jsonl").read_text().splitlines()), 1 + 3 * 4)

    def test_the_trainer_of_transformers(self):
        try:
            import accelerate  # noqa: F401
            from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

            from lipscope.transformers import MonitorCallback
        except ImportError:
            self.skipTest("transformers or accelerate is not installed.")
        torch.manual_seed(6)
        model = LlamaForCausalLM(LlamaConfig(vocab_size=WORDS, hidden_size=16, intermediate_size=24, num_hidden_layers=2,
                                             num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=32))  # fmt: skip
        data = [{"input_ids": ids, "labels": ids} for ids in torch.randint(0, WORDS, (8, N))]
        with tempfile.TemporaryDirectory() as folder:
            arguments = TrainingArguments(output_dir=folder, max_steps=4, per_device_train_batch_size=2, report_to=[],
                                          logging_steps=1, use_cpu=True, save_strategy="no", disable_tqdm=True)  # fmt: skip
            callback, seen = MonitorCallback({"input_ids": PROBE}, every=2), []
            callback.on_rows(seen.append)
            Trainer(model, arguments, train_dataset=data, callbacks=[callback]).train()
        self.assertEqual([rows[0]["step"] for rows in seen], [0, 2, 4])
        self.assertEqual({row["part"] for row in seen[0] if row["map"] == "attention"}, {"heads"})
        self.assertTrue(model.training and seen[0][0]["layer"] == "model.layers.0" and seen[1][0]["loss"] > 0)

    def test_the_trainer_of_lightning(self):
        try:
            import lightning

            from lipscope.lightning import MonitorCallback
        except ImportError:
            self.skipTest("Lightning is not installed.")

        class Module(lightning.LightningModule):
            def __init__(self):
                super().__init__()
                self.gpt = gpt()

            def training_step(self, ids, _):
                return nn.functional.cross_entropy(self.gpt(ids)[:, :-1].reshape(-1, WORDS), ids[:, 1:].reshape(-1))

            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), 0.1)

        callback = MonitorCallback(PROBE, model=lambda module: module.gpt, every=2)
        seen = []
        with tempfile.TemporaryDirectory() as folder:
            trainer = lightning.Trainer(max_steps=4, accelerator="cpu", logger=False, enable_checkpointing=False,
                                        enable_progress_bar=False, enable_model_summary=False, default_root_dir=folder,
                                        callbacks=[callback])  # fmt: skip
            callback.on_rows(seen.append)
            trainer.fit(Module(), torch.utils.data.DataLoader(torch.randint(0, WORDS, (8, N)), batch_size=2))
        self.assertEqual([rows[0]["step"] for rows in seen], [0, 2, 4])
        self.assertGreater(seen[1][0]["loss"], 0)


class Penalty(unittest.TestCase):
    def test_the_gradient_is_that_of_the_norm(self):
        torch.manual_seed(5)
        block = Block().double().eval()
        x = torch.randn(N, D, dtype=torch.float64, requires_grad=True)
        f = lambda x: block(x[None])[0]
        found = lipscope.torch.penalty(f, x, tolerance=1e-9, iterations=80)
        found.backward()
        norm = lambda: lipscope.torch.norm(f, x.detach(), failure=None).value
        self.assertLess(abs(found.item() / norm() - 1), 1e-9)
        places = [(block.attention.qkv.weight, (1, 2)), (block.first.weight, (3,)), (block.mlp[0].weight, (5, 1)), (x, (2, 4))]
        for parameter, place in places:
            values = []
            for change in (1e-5, -1e-5):
                with torch.no_grad():
                    parameter[place] += change
                    values.append(norm())
                    parameter[place] -= change
            slope = (values[0] - values[1]) / 2e-5
            self.assertLess(abs(float(parameter.grad[place]) - slope), 1e-6 * max(1.0, abs(slope)), place)

    def test_a_function_may_change_its_argument_in_place(self):
        weight = torch.ones(3, dtype=torch.float64, requires_grad=True)
        for x in (weight * 1.0, weight, torch.ones(3, dtype=torch.float64)):
            found = lipscope.torch.penalty(lambda z: z.mul_(2), x)
            self.assertAlmostEqual(found.item(), 2.0)
            self.assertEqual(x.tolist(), [1.0] * 3)

    def test_dropout_and_nan_are_refused(self):
        x = torch.randn(N, D)
        block = Block()
        with self.assertRaisesRegex(ValueError, "draws random numbers|dropout"):
            lipscope.torch.penalty(lambda x: block(x[None])[0], x)
        with self.assertRaisesRegex(ValueError, "NaN or infinite"):
            lipscope.torch.penalty(torch.sqrt, torch.zeros(3))

    def test_a_function_may_differentiate_fused_attention_itself(self):
        torch.manual_seed(0)
        weight, x = (torch.randn(*shape, dtype=torch.float64) for shape in ((6, 6), (4, 6)))

        def energy(y):
            query = (y @ weight.to(y.dtype))[None]
            return nn.functional.scaled_dot_product_attention(query, y[None], y[None]).sin().sum()

        with sdpa_kernel(SDPBackend.MATH):
            expected = dense_norm(torch.func.grad(energy), x)
            of_step = dense_norm(lambda x: x - 0.005 * torch.func.grad(energy)(x), x)
        gradient = torch.func.grad(energy)
        self.assertLess(abs(lipscope.torch.norm(gradient, x).value / expected - 1), 1e-9)
        self.assertLess(abs(lipscope.torch.norm(lambda x: x - 0.005 * gradient(x), x).value / of_step - 1), 1e-9)
        self.assertLess(abs(lipscope.torch.norm(gradient, x.bfloat16()).value / expected - 1), 0.05)
        found = lipscope.torch.penalty(gradient, x, tolerance=1e-8, iterations=60)
        self.assertLess(abs(found.item() / expected - 1), 1e-9)

    def test_what_a_penalty_cannot_differentiate_is_named_and_changes_nothing(self):
        x = torch.randn(5, 3, dtype=torch.float64)
        across = nn.BatchNorm1d(3).double()
        with self.assertRaisesRegex(ValueError, "`f` calls a BatchNorm1d in train mode"):
            lipscope.torch.penalty(across, x)
        self.assertEqual(across.num_batches_tracked.item(), 0)
        # A parametrisation that takes a step of its own in every call has its vectors back.
        normed = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 3).double())
        before = copy.deepcopy(normed.state_dict())
        lipscope.torch.penalty(normed, x).backward()
        for name, value in normed.state_dict().items():
            self.assertTrue(torch.equal(value, before[name]), name)

    def test_a_function_that_is_constant_has_no_penalty(self):
        self.assertEqual(lipscope.torch.penalty(lambda x: torch.ones(2), torch.zeros(3)).item(), 0.0)

    def test_a_function_must_return_one_tensor(self):
        with self.assertRaisesRegex(TypeError, "`f` returns a tuple, but it must return one tensor"):
            lipscope.torch.penalty(lambda x: (x, x), torch.zeros(3))


if __name__ == "__main__":
    unittest.main()
