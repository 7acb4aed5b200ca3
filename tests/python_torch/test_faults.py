"""Situations of public reports, and others of their kinds: the right number, or a refusal that names the fault."""

import copy
import random
import unittest

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import lipscope.torch
from tests.python_torch.test_torch import dense_norm, randomised

torch.set_num_threads(1)

D, N = 8, 6


def formula(f):
    """f with attention by its formula, which dense derivatives need."""

    def run(x):
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            return f(x)

    return run


def drawn(batch=1, seed=0):
    return torch.randn(batch, N, D, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def layer(**options):
    torch.manual_seed(1)
    return randomised(nn.TransformerEncoderLayer(D, 2, 16, batch_first=True, **options))


def attention(**options):
    torch.manual_seed(2)
    return randomised(nn.MultiheadAttention(D, 2, batch_first=True, **options))


class Faults(unittest.TestCase):
    def close(self, found, expected, tolerance=1e-9):
        found, expected = np.atleast_1d(found), np.atleast_1d(expected)
        self.assertEqual(found.shape, expected.shape)
        self.assertLess(np.abs(found / expected - 1).max(), tolerance, (found, expected))

    def refused(self, words, call, kind=ValueError):
        with self.assertRaisesRegex(kind, words):
            call()

    def norm(self, f, x=None, **options):
        return lipscope.torch.norm(f, drawn() if x is None else x, **options).value

    def blocks(self, model, x=None, **options):
        return [one.value for one in lipscope.torch.blocks(model, drawn() if x is None else x, **options)]


class Repeats(Faults):
    def test_a_function_that_draws_random_numbers_is_refused(self):
        module, x = layer(dropout=0.1), drawn()
        expected = dense_norm(formula(module), x)
        self.close(self.norm(module), expected)
        module.train()
        self.refused("draws random numbers", lambda: self.norm(module))
        # Here dropout is off, and the module is as it was afterwards.
        self.close(self.blocks(module), expected)
        self.assertTrue(module.training and module.dropout.training)
        heads = attention(dropout=0.2).train()
        self.refused("draws random numbers", lambda: self.norm(lambda x: heads(x, x, x, need_weights=False)[0]))
        own = torch.Generator().manual_seed(0)
        for words, f in (
            ("draws random numbers", lambda x: x + (torch.rand(1) < 0.5).double() * x.sin()),
            ("draws random numbers", lambda x: F.scaled_dot_product_attention(x, x, x, dropout_p=0.3)),
            # These are the same in most calls.
            ("draws random numbers", lambda x: x * (1 + (random.random() < 1e-9))),
            ("draws random numbers", lambda x: x * (1 + float(np.random.rand() < 1e-9))),
            ("another output when it is called again", lambda x: x * torch.rand(1, generator=own)),
        ):
            self.refused(words, lambda: self.norm(f))
        self.close(self.norm(layer(dropout=0.0).train()), dense_norm(formula(layer(dropout=0.0)), x))

    def test_what_is_kept_from_call_to_call_is_found(self):
        class Counter(nn.Module):
            calls = 0

            def forward(self, x):
                self.calls += 1
                return x * self.calls

        class Keys(nn.Module):
            """With the same tokens twice, the weights halve and the output stays."""

            def __init__(self):
                super().__init__()
                self.keys = []

            def forward(self, x):
                self.keys.append(x.detach())
                keys = torch.cat(self.keys, 1)
                return F.scaled_dot_product_attention(x, keys, keys)

        for kind in (Counter, Keys):
            self.refused("gives another output when it is called again", lambda: self.norm(kind()))
            self.refused("gives another output when it is run again", lambda: self.blocks(kind()))

    def test_buffers_are_as_they_were_whether_a_module_is_refused_or_measured(self):
        class Mean(nn.Module):
            """Takes off a mean that it keeps itself."""

            def __init__(self):
                super().__init__()
                self.register_buffer("mean", torch.zeros(D, dtype=torch.float64))

            def forward(self, x):
                with torch.no_grad():
                    self.mean.mul_(0.9).add_(x.reshape(-1, D).mean(0), alpha=0.1)
                return x - self.mean

        class Calls(nn.Module):
            """Counts its calls, and gives the same."""

            def __init__(self):
                super().__init__()
                self.register_buffer("calls", torch.zeros(()))

            def forward(self, x):
                self.calls.copy_(self.calls + 1)
                return x.sin()

        torch.manual_seed(3)
        linear = lambda: nn.Linear(D, D).double()
        normed = nn.utils.parametrizations.spectral_norm(linear())
        across = lambda: nn.BatchNorm1d(D).double()
        statistics = "in train mode, which changes its running statistics"
        twice = "another output when it is called again|cannot be differentiated"
        for module, words in (
            (nn.Sequential(linear(), across()), "`f` calls a BatchNorm1d " + statistics),
            # What stands before has changed by then.
            (nn.Sequential(normed, across()), statistics),
            (nn.Sequential(linear(), nn.InstanceNorm1d(N, track_running_stats=True).double()), statistics),
            (Mean(), twice),
            (Mean().eval(), twice),
            # These give the same in every call, up to rounding, while they change something.
            (Calls(), "cannot be differentiated in reverse"),
            (normed, None),
        ):
            before = copy.deepcopy(module.state_dict())
            x = drawn()[0] if "BatchNorm1d" in repr(module) else drawn()
            for f in (module, lambda x: 2 * module(x)):
                self.norm(f, x) if words is None else self.refused(words, lambda: self.norm(f, x))
                for name, value in module.state_dict().items():
                    self.assertTrue(torch.equal(value, before[name]), (module, name))
        # What is evaluated is measured, and so is a batch norm that keeps nothing.
        x = drawn()[0]
        for module in (nn.Sequential(linear(), across()).eval(), nn.BatchNorm1d(D, track_running_stats=False).double()):
            self.close(self.norm(module, x), dense_norm(module, x))
        self.close(self.norm(normed.eval()), dense_norm(normed, drawn()))

    def test_no_grad_around_a_call_does_not_matter(self):
        module, encoder, x = attention(), nn.TransformerEncoder(layer(), 2).eval(), drawn()
        f = lambda x: module(x, x, x, need_weights=False)[0]
        expected = dense_norm(formula(f), x), dense_norm(formula(encoder), x)
        blocks = self.blocks(encoder)
        frozen = attention().requires_grad_(False)
        for context in (torch.no_grad, torch.inference_mode):
            with context():
                self.close([self.norm(f), self.norm(encoder)], expected)
                self.close(self.norm(lambda x: frozen(x, x, x, need_weights=False)[0]), expected[0])
                self.close(self.norm(f, drawn() * 1.0), expected[0])
                self.close([one.measure().value for one in lipscope.torch.attention(module, x, heads="all")], expected[0])
                self.close(self.blocks(encoder, drawn() * 1.0), blocks)

    def test_compiled_modules_are_measured_uncompiled(self):
        module, x = layer(), drawn()
        compiled = torch.compile(module, backend="eager")
        expected = dense_norm(formula(module), x)
        self.close([self.norm(compiled), *self.blocks(compiled)], [expected, expected])
        (found,) = lipscope.torch.attention(compiled, x, heads="all")
        self.close(found.measure().value, dense_norm(formula(lambda x: module.self_attn(x, x, x)[0]), x))

    def test_layers_and_attention_that_are_compiled_inside_a_model_are_measured_too(self):
        torch.manual_seed(3)
        model = nn.TransformerEncoder(nn.TransformerEncoderLayer(D, 2, 16, batch_first=True), 2, enable_nested_tensor=False)
        model = randomised(model).eval()
        expected, of_attention = self.blocks(model), [one.measure().value for one in lipscope.torch.attention(model, drawn())]

        def one(model):
            model.layers[0] = torch.compile(model.layers[0], backend="eager")

        def each(model):
            for part in model.layers:
                part.compile(backend="eager")

        def inner(model):
            model.layers[1].self_attn = torch.compile(model.layers[1].self_attn, backend="eager")

        for change in (one, each, inner, lambda model: model.compile(backend="eager")):
            compiled = copy.deepcopy(model)
            change(compiled)
            compiled(drawn())
            self.close(self.blocks(compiled), expected)
            self.close([one.measure().value for one in lipscope.torch.attention(compiled, drawn())], of_attention)

    def test_a_mask_of_one_axis_is_added_to_every_row(self):
        mask = torch.linspace(-1, 1, N, dtype=torch.float64)
        f = lambda z: F.scaled_dot_product_attention(z, z, z, attn_mask=mask)
        self.close(self.norm(f), dense_norm(formula(f), drawn()))

    def test_a_function_may_change_what_it_is_given(self):
        class Adds(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([AddsOnce(), AddsOnce()])

            def forward(self, x):
                for part in self.layers:
                    x = part(x)
                return x

        class AddsOnce(nn.Module):
            def forward(self, x):
                x += x.roll(1, -2).tanh()
                return x

        plain = lambda x: x + x.roll(1, -2).tanh()
        expected = [dense_norm(plain, drawn()), dense_norm(plain, plain(drawn()))]
        # Here the model changes the tokens of the user itself.
        self.close(self.blocks(Adds()), expected)
        x = drawn()
        before = x.clone()
        self.close(self.norm(lambda x: x.mul_(2).sin(), x), dense_norm(lambda x: (2 * x).sin(), x))
        self.assertTrue(torch.equal(x, before))


class Derivatives(Faults):
    def test_forward_and_reverse_derivatives_that_differ_are_refused(self):
        one, two = (nn.Linear(D, 34).double() for _ in range(2))

        def mixed(x):
            with torch.no_grad():
                y = one(x)
            return two(x) + y

        whole = torch.no_grad()(lambda x: torch.softmax(x @ x.transpose(-1, -2), -1) @ x)
        for f in (mixed, whole):
            self.refused("forward and the reverse derivative of `f` at `x` differ", lambda: self.norm(f))

    def test_a_derivative_that_is_not_that_of_the_values_is_refused(self):
        class Wrong(torch.autograd.Function):
            forward = staticmethod(lambda x: 3 * x)
            setup_context = staticmethod(lambda ctx, inputs, output: None)
            backward = staticmethod(lambda ctx, gradient: 5 * gradient)
            jvp = staticmethod(lambda ctx, tangent: 5 * tangent)

        for f in (lambda x: x + x.tanh().detach(), lambda x: x + (x.round() - x).detach(), Wrong.apply):
            self.refused("is not that of its values", lambda: self.norm(f))
        # In float32, and in float64 around a part in float32.
        part = lambda x: x.float() + 0.1 * x.float().tanh().detach()
        self.refused("is not that of its values", lambda: self.norm(part, drawn().float()))
        self.refused("is not that of its values", lambda: self.norm(lambda x: part(x).double()))
        # A length at 0 and a kink.
        zero = torch.zeros(2, 3, dtype=torch.float64)
        for f in (torch.relu, lambda x: x.norm(dim=-1)):
            self.refused("is not that of its values", lambda: self.norm(f, zero))

    def test_steep_flat_and_far_functions_are_measured(self):
        x = drawn()
        attend = lambda x: torch.softmax(200 * x @ x.transpose(-1, -2), -1) @ x
        for f, at in (
            (lambda x: torch.tanh(1e5 * x), 1e-5 * x),
            (attend, x),
            (lambda x: torch.softmax(x, -1), x + 1e8),
            (lambda x: 1e-12 * x.sin() + 1e3, x),
            (lambda x: x.sum(), x),
            (lambda x: 2 * x, 0 * x),
        ):
            self.close(self.norm(f, at), dense_norm(f, at), 1e-8)
        self.assertEqual([self.norm(lambda x: 0 * x), self.norm(lambda x: torch.ones(3).double())], [0, 0])
        # These are defined near x alone.
        definite = x[0] @ x[0].T + torch.eye(N).double()
        for f in (lambda x: torch.linalg.cholesky((x + x.T) / 2), torch.logdet, torch.linalg.inv):
            self.close(self.norm(f, definite), dense_norm(f, definite), 1e-8)
        # Kinks that are near, and steps in which float32 has no digits left.
        for seed in range(20):
            torch.manual_seed(seed)
            for f in (
                nn.Sequential(*[part for _ in range(6) for part in (nn.Linear(D, D), nn.ReLU())]),
                nn.Sequential(nn.Linear(D, 64), nn.GELU(), nn.Linear(64, D), nn.LayerNorm(D)),
                lambda x: torch.sin(10 * x),
            ):
                near = torch.randn(1, N, D) * 10.0 ** (seed % 4 - 1)
                found = self.norm(f, near, tolerance=1e-3, iterations=20, failure=None)
                self.assertLessEqual(found, dense_norm(f, near) * (1 + 1e-4))
        single = drawn().float()
        self.close(self.norm(attend, single, tolerance=1e-5), dense_norm(attend, single.double()), 1e-4)

    def test_values_whose_squares_underflow_or_overflow_are_measured(self):
        x = drawn()
        attend = lambda x: torch.softmax(x @ x.transpose(-1, -2), -1) @ x
        expected = dense_norm(attend, x)
        for scale in (1e-295, 1e-200, 1e-170, 1e-150, 1e150, 1e170, 1e200, 1e300):
            self.close(self.norm(lambda x: scale * attend(x)), scale * expected)
            # What is found at the usual size is found here.
            for wrong, words in (
                (lambda x: scale * (attend(x) + x.tanh().detach()), "is not that of its values"),
                (lambda x: scale * torch.no_grad()(attend)(x), "forward and the reverse derivative of `f` at `x` differ"),
                (lambda x, calls=[]: calls.append(0) or scale * len(calls) * attend(x), "another output when it is called again"),
            ):
                self.refused(words, lambda: self.norm(wrong))
        for tiny in (1e-170, 1e-300):
            self.close(self.norm(lambda x: 2 * x, tiny * x), 2)
            # The squares themselves underflow: no difference of values says anything, and the derivative is right.
            self.close(self.norm(lambda x: x * x, tiny * x), 2 * tiny * float(x.abs().max()))
        self.close(self.norm(lambda x: 2 * x, 1e-30 * x.float()), 2, 1e-6)

    def test_what_pytorch_cannot_differentiate_is_said_in_a_sentence(self):
        class Backward(torch.autograd.Function):
            forward = staticmethod(lambda x: 3 * x)
            setup_context = staticmethod(lambda ctx, inputs, output: None)
            backward = staticmethod(lambda ctx, gradient: 3 * gradient)

        self.refused("cannot be differentiated forward", lambda: self.norm(Backward.apply))
        packed = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(D, D)), {nn.Linear}, dtype=torch.qint8)
        for measure in (self.norm, self.blocks):
            self.refused(r"0 \(Linear\) is quantized", lambda: measure(packed, drawn().float()))
        self.refused("returns torch.complex128", lambda: self.norm(torch.fft.fft), TypeError)
        self.refused("returns a dict", lambda: self.norm(lambda x: {"hidden": x}), TypeError)

    def test_nan_is_named(self):
        torch.manual_seed(0)
        half = nn.Sequential(nn.Linear(D, D), nn.Linear(D, D)).half()
        half[0].weight.data *= 1e4
        half[1].weight.data *= 1e3
        self.refused(r"`f\(x\)` is NaN in", lambda: self.norm(half, 100 * drawn().half()))
        module = attention()
        module.in_proj_weight.data[0, 0] = float("nan")
        f = lambda x: module(x, x, x, need_weights=False)[0]
        self.refused(r"`f\(x\)` is NaN in 48 of 48 entries, first at \[0, 0, 0\]", lambda: self.norm(f))
        self.refused("gives NaN", lambda: lipscope.torch.attention(module, drawn()))
        x = drawn()
        x[0, 4:] = float("nan")
        self.refused(r"`x` is NaN in 16 of 48 entries, first at \[0, 4, 0\]", lambda: self.norm(torch.sin, x))
        padded = {"key_padding_mask": torch.arange(N)[None] >= 4}
        self.refused("gives NaN", lambda: lipscope.torch.attention(attention(), x, **padded))
        self.refused("derivative of `f` at `x` is NaN", lambda: self.norm(lambda x: x.abs().sqrt(), 0 * drawn()))
        broken = layer()
        broken.linear1.weight.data[:] = float("nan")
        self.refused("The model gives NaN at these inputs by itself", lambda: self.blocks(broken))


class Rounding(Faults):
    def test_a_lower_bound_says_how_far_rounding_may_have_moved_it(self):
        torch.manual_seed(0)
        above = 0
        for module in (nn.Identity(), nn.Linear(D, D), nn.Sequential(nn.Linear(D, D), nn.GELU(), nn.Linear(D, D)), layer()):
            for kind in (torch.float32, torch.bfloat16):
                own, x = copy.deepcopy(module).to(kind), drawn().to(kind)
                exact = lipscope.torch.norm(copy.deepcopy(own).double(), x.double())
                self.assertEqual((exact.kind, exact.warnings), ("exact", ()))
                self.assertLess(exact.rounding, 1e-13)
                for seed in range(3):
                    found = lipscope.torch.norm(own, x, seed=seed, tolerance=1e-5, iterations=60)
                    self.assertEqual(found.kind, "lower bound")
                    above += found.value > exact.value
                    self.assertLessEqual(found.value * (1 - found.rounding), exact.value)
                    self.assertTrue(torch.finfo(kind).eps < found.rounding < 100 * torch.finfo(kind).eps, found)
                    self.assertIn("the value may be above the norm by about", *found.warnings)
                    self.assertIn(f"rounding {found.rounding:.0e}", repr(found))
        # So this is no rare thing.
        self.assertGreater(above, 3)
        # One entry has no residual, and is rounded all the same.
        self.assertEqual(lipscope.torch.norm(torch.sin, torch.ones(1)).kind, "lower bound")
        # A part in float32 shows in what is float64 around it.
        inner = nn.Linear(D, D)
        found = lipscope.torch.norm(lambda x: inner(x.float()).double(), drawn(), tolerance=1e-6)
        self.assertTrue(1e-9 < found.rounding < 1e-4 and found.warnings, found)
        (block,) = lipscope.torch.blocks(layer().float(), drawn().float(), tolerance=1e-5)
        self.assertEqual((block.rounding, block.warnings), (block.norm.rounding, block.norm.warnings))
        self.assertTrue(block.warnings)


class Attention(Faults):
    def test_subclasses_are_compared_with_their_own_output(self):
        class Rotary(nn.MultiheadAttention):
            def forward(self, query, key, value, **others):
                n, shape = query.shape[1], (*query.shape[:2], self.num_heads, -1)
                together = F.linear(query, self.in_proj_weight, self.in_proj_bias)
                q, k, v = (part.view(shape).transpose(1, 2) for part in together.chunk(3, -1))
                angles = torch.arange(n)[:, None] * torch.tensor([1.0, 0.01]).double()
                turns = torch.polar(torch.ones_like(angles), angles)
                pairs = lambda z: torch.view_as_complex(z.unflatten(-1, (2, 2)).contiguous())
                turned = lambda z: torch.view_as_real(pairs(z) * turns).flatten(-2)
                heads = F.scaled_dot_product_attention(turned(q), turned(k), v)
                return self.out_proj(heads.transpose(1, 2).flatten(2)), None

        class Short(nn.MultiheadAttention):
            def forward(self, q, k, v, **others):
                return super().forward(2 * q, k, v, need_weights=False)

        class Same(nn.MultiheadAttention):
            def forward(self, query, key, value, **others):
                return super().forward(query, key, value, **others)[0]

        for kind, words in ((Rotary, "computes something else"), (Short, "other arguments than query, key and value")):
            self.refused(words, lambda: lipscope.torch.attention(randomised(kind(D, 2, batch_first=True)), drawn()))
        same = randomised(Same(D, 2, batch_first=True))
        (found,) = lipscope.torch.attention(same, drawn(), heads="all")
        self.close(found.measure().value, dense_norm(formula(lambda x: same(x, x, x)), drawn()))

    def test_a_detached_part_of_a_few_percent_is_refused(self):
        for part in (0.012, 0.02, 0.03, 0.04):
            self.refused("is not that of its values", lambda: self.norm(lambda x: x + part * x.detach()))

    def test_attention_is_compared_where_outputs_say_something_about_its_steps(self):
        class Causal(nn.MultiheadAttention):
            def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                        average_attn_weights=True, is_causal=False):  # fmt: skip
                mask = torch.ones(query.shape[1], query.shape[1], dtype=torch.bool).triu(1)
                return super().forward(query, key, value, need_weights=need_weights, attn_mask=mask)

        torch.manual_seed(0)
        module = Causal(D, 2, batch_first=True).double()
        alike = drawn()[:, :1].repeat(1, N, 1)
        for x in (alike, drawn() + 1e4 * drawn(seed=3)[:, :1]):
            self.refused("something else", lambda: lipscope.torch.attention(module, x))
        with torch.no_grad():
            module.out_proj.bias += 1e3
        self.refused("something else", lambda: lipscope.torch.attention(module, drawn()))
        # What is plain is measured at such tokens, too.
        plain = attention()
        for x in (alike, drawn() + 1e3):
            self.assertEqual(len(lipscope.torch.attention(plain, x)), 2)
        doubled = attention()
        doubled.register_forward_hook(lambda _, __, result: (2 * result[0], *result[1:]))
        self.refused("something else", lambda: lipscope.torch.attention(doubled, alike))

    def test_a_hook_that_changes_the_tokens_before_a_module_is_refused(self):
        for hook in (lambda _, given: tuple(3 * x for x in given), lambda _, given: tuple(F.normalize(x, dim=-1) for x in given)):
            module = attention()
            module.register_forward_pre_hook(hook)
            self.refused("forward pre-hook that changes its tokens", lambda: lipscope.torch.attention(module, 5 * drawn()))
        for hook in (lambda _, given: (F.normalize(given[0], dim=-1), *given[1:]), lambda _, given: (3 * given[0], *given[1:])):
            module = layer()
            module.register_forward_pre_hook(hook)
            self.refused("forward pre-hook that changes its tokens", lambda: self.blocks(module, 5 * drawn()))
        # One that only looks is none of these.
        module = layer()
        expected = self.blocks(module)
        module.register_forward_pre_hook(lambda *_: None)
        self.close(self.blocks(module), expected)

    def test_a_quantizable_copy_is_measured_by_its_own_weights_or_refused(self):
        import torch.ao.nn.quantizable as quantizable
        import torch.ao.quantization as quantization

        module = nn.MultiheadAttention(D, 2, batch_first=True)
        module.qconfig = quantization.get_default_qconfig("fbgemm")
        copy = quantizable.MultiheadAttention.from_float(module.eval())
        self.refused("computes something else", lambda: lipscope.torch.attention(copy, drawn().float()))

    def test_hooks_and_wrapped_output_matrices_are_found(self):
        module = attention()
        module.register_forward_hook(lambda _, __, out: (2 * out[0], out[1]))
        self.refused("computes something else", lambda: lipscope.torch.attention(module, drawn()))

    def test_what_multihead_attention_does_not_take_is_refused_by_name(self):
        x, single = drawn(), attention()
        other = nn.MultiheadAttention(D, 2, kdim=6, vdim=4, batch_first=True).double()
        ones = torch.ones(N, N, dtype=torch.bool)
        causal = {"is_causal": True}
        for kind, words, module, inputs, options in (
            (ValueError, "module has kdim=6 beside embed_dim=8: its keys and values are of other tokens", other, x, {}),
            (ValueError, "`is_causal` is True, but without `attn_mask` it masks nothing", single, x, causal),
            (ValueError, "`is_causal` is True, but without `src_mask` it masks nothing", layer(), x, causal),
            (ValueError, "without `mask` it masks nothing", nn.TransformerEncoder(layer(), 2), x, causal),
            (ValueError, r"`inputs` has shape \(1, 6, 7\), .* d = 8, the module's embed_dim", single, x[..., :7], {}),
            (ValueError, r"`key` has shape \(1, 6, 7\)", single, (x, x[..., :7], x), {}),
            (ValueError, r"`inputs` has shape \(8,\)", single, x[0, 0], {}),
            (ValueError, "`inputs` holds torch.float32, but the module's weights are torch.float64", single, x.float(), {}),
            (TypeError, "`inputs` is a ndarray, but it must be a tensor", single, (x.numpy(),) * 3, {}),
            (ValueError, "`key` is missing", single, {"query": x}, {}),
            (ValueError, r"`attn_mask` has shape \(4, 4\), but it must have shape \(6, 6\) or \(2, 6, 6\)", single, x,
             {"attn_mask": ones[:4, :4]}),
            (TypeError, "`attn_mask` is a ndarray", single, x, {"attn_mask": ones.numpy()}),
            (TypeError, "`attn_mask` holds torch.int64", single, x, {"attn_mask": ones.long()}),
            (ValueError, r"`key_padding_mask` has shape \(1, 4\), but it must have shape \(1, 6\)", single, x,
             {"key_padding_mask": ones[:1, :4]}),
            (TypeError, "`mask` is no argument of MultiheadAttention. Did you mean `attn_mask`", single, x, {"mask": ones}),
            (ValueError, "TransformerEncoderLayer cannot be called with these `inputs` and options: ", layer(), x[..., :7], {}),
        ):  # fmt: skip
            for function in (lipscope.torch.attention, lipscope.torch.blocks):
                self.refused(words, lambda: function(module, inputs, **options), kind)
        self.refused("takes query, key and value, but it must be a function of one tensor", lambda: self.norm(single), TypeError)
        # What PyTorch takes is measured: a causal mask with its flag, and tokens once.
        mask = nn.Transformer.generate_square_subsequent_mask(N, dtype=torch.float64)
        f = lambda x: single(x, x, x, attn_mask=mask, need_weights=False)[0]
        self.close(self.blocks(single, attn_mask=mask, **causal), dense_norm(formula(f), x))
        (found,) = lipscope.torch.attention(single, x, heads="all", attn_mask=mask, **causal)
        self.close(found.measure().value, dense_norm(formula(f), x))
        self.close(self.norm(lambda x: other(x, drawn()[..., :6], drawn()[..., :4], need_weights=False)[0]), dense_norm(
            formula(lambda x: other(x, drawn()[..., :6], drawn()[..., :4])[0]), x))  # fmt: skip


class Batches(Faults):
    def test_nothing_is_cut_because_its_size_fits(self):
        class Table(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(D, D).double()

            def forward(self, x, table):
                return x + self.linear(x).tanh() * table.sum(0)

        module, x, table = Table(), drawn(3), drawn(1, 4)[0, :3]
        expected = [dense_norm(lambda x: module(x, table), x[at : at + 1]) for at in range(3)]
        self.close(self.blocks(module, x, table=table), expected)
        self.close(self.blocks(module, (x, table)), expected)

    def test_items_that_depend_on_each_other_are_refused(self):
        class Sequence(nn.Module):
            """Tokens first, then the batch."""

            def forward(self, x):
                y = x.transpose(0, 1)
                return x + F.scaled_dot_product_attention(y, y, y).transpose(0, 1)

        class Statistics(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = nn.BatchNorm1d(D, track_running_stats=False).double()

            def forward(self, x):
                return x + self.norm(x.transpose(1, 2)).transpose(1, 2)

        for module, x in ((Sequence(), drawn().transpose(0, 1)), (Statistics(), drawn(3))):
            self.refused("items of the batch depend on each other", lambda: self.blocks(module, x))

    def test_padding_by_name_by_position_and_in_floats(self):
        module, x, lengths = layer(), drawn(3), (6, 4, 3)
        padding = torch.arange(N)[None] >= torch.tensor(lengths)[:, None]
        added = torch.zeros(3, N).double().masked_fill(padding, float("-inf"))
        expected = [dense_norm(formula(lambda x: module(x[None])[0]), x[at, :n]) for at, n in enumerate(lengths)]
        for inputs, options in (
            (x, {"src_key_padding_mask": padding}), ((x, None, padding), {}), (x, {"src_key_padding_mask": added}),
            ({"src": x, "src_key_padding_mask": padding}, {}),
        ):  # fmt: skip
            self.close(self.blocks(module, inputs, **options), expected)
        self.refused("must hold 0 for tokens and -inf", lambda: self.blocks(module, x, src_key_padding_mask=0 * added + 0.5))
        self.refused("All tokens of item 1 are padding", lambda: self.blocks(
            module, x, src_key_padding_mask=torch.tensor([[False], [True], [False]]).expand(3, N)))  # fmt: skip

        class Any(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([module])

            def forward(self, *inputs):
                return self.layers[0](*inputs)

        self.refused("takes \\*args", lambda: self.blocks(Any(), (x, None, padding)))

    def test_a_decoder_behind_an_encoder_has_its_own_padding(self):
        torch.manual_seed(5)
        model = randomised(nn.Transformer(D, 2, 2, 2, 16, batch_first=True))
        source, target = drawn(2), drawn(2, 9)
        padding = torch.arange(N)[None] >= torch.tensor([6, 4])[:, None]
        both = {"src_key_padding_mask": padding, "memory_key_padding_mask": padding}
        found = lipscope.torch.blocks(model, (source, target), **both)
        self.assertEqual([len(one.tokens) for one in found], [6, 6, 6, 6, 4, 4, 6, 6])
        with torch.no_grad():
            memory = model.encoder(source[1:, :4])
            first = model.decoder.layers[0]
        self.close(found[6].value, dense_norm(formula(lambda x: first(x, memory)), target[1:]))
        self.close(found[4].value, dense_norm(formula(model.encoder.layers[0]), source[1:, :4]))

    def test_the_output_of_an_encoder_stays_even_if_it_is_the_same_tensor(self):
        torch.manual_seed(4)
        model = nn.TransformerDecoder(nn.TransformerDecoderLayer(D, 2, 16, batch_first=True), 2)
        model, x = randomised(model).eval(), drawn()
        self.close(self.blocks(model, (x, x)), self.blocks(model, (x, x.clone())))

    def test_query_key_and_value_are_moved_together(self):
        module, x = attention(), drawn(2)
        expected = [dense_norm(formula(lambda x: module(x, x, x)[0]), x[at : at + 1]) for at in range(2)]
        self.close(self.blocks(module, (x, x, x)), expected)
        self.close(self.blocks(module, {"query": x, "key": x, "value": x}), expected)

    def test_a_layer_that_stands_in_a_list_twice_is_called_by_its_names_in_turn(self):
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([layer()] * 3)

            def forward(self, x):
                for part in self.layers:
                    x = part(x)
                return x

        model, x = Tied(), drawn()
        one = model.layers[0]
        places = [x, one(x).detach(), one(one(x)).detach()]
        found = lipscope.torch.blocks(model, x)
        self.assertEqual([part.layer for part in found], ["layers.0", "layers.1", "layers.2"])
        self.close([part.value for part in found], [dense_norm(formula(one), place) for place in places])
        stacks = [dense_norm(formula(f), x) for f in (one, lambda x: one(one(x)), model)]
        self.close(self.blocks(model, map="blocks"), stacks)

    def test_layers_that_get_more_from_the_tokens_are_no_stack(self):
        class Plus(nn.Module):
            def forward(self, x, other):
                return x.tanh() + other, x.cos()

        class First(nn.Module):
            """Each layer also gets the tokens that enter the first."""

            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([Plus(), Plus()])

            def forward(self, x):
                first = x
                for part in self.layers:
                    x, _ = part(x, first)
                return x

        class Shared(First):
            """A layer also gets what the one before computes on the side."""

            def forward(self, x):
                other = torch.zeros_like(x)
                for part in self.layers:
                    x, other = part(x, other)
                return x

        for kind in (First, Shared):
            self.assertEqual(len(self.blocks(kind())), 2)
            self.refused("gets more from the tokens", lambda: self.blocks(kind(), map="blocks"))

    def test_an_argument_that_no_part_has_is_refused_by_name(self):
        class Swallows(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([layer()])

            def forward(self, x, **kwargs):
                return self.layers[0](x, **kwargs)

        for wrong in ("src_mask_", "tolerence"):
            for function in (lipscope.torch.blocks, lipscope.torch.attention):
                self.refused(f"`{wrong}` is no argument", lambda: function(Swallows(), drawn(), **{wrong: None}), TypeError)
        self.assertEqual(len(lipscope.torch.blocks(Swallows(), drawn(), src_mask=None)), 1)

    def test_parts_that_torch_jit_compiled_have_arguments_too(self):
        plain = nn.Linear(D, D).double()
        parts = [torch.jit.script(plain), torch.jit.trace(plain, drawn()), torch.jit.freeze(torch.jit.script(plain.eval()))]

        class Inside(nn.Module):
            """A layer with such a part."""

            def __init__(self, part):
                super().__init__()
                self.part = part

            def forward(self, x):
                return x + self.part(x)

        class Swallows(nn.Module):
            def __init__(self, layers):
                super().__init__()
                self.layers = nn.ModuleList(layers)

            def forward(self, x, **kwargs):
                for part in self.layers:
                    x = part(x)
                return x

        expected = dense_norm(lambda x: x + plain(x), drawn())
        for part in parts:
            model = Swallows([Inside(part)])
            self.close(self.blocks(model), expected)
            self.close(self.norm(part), dense_norm(plain, drawn()))
            self.refused("`wrong` is no argument", lambda: self.blocks(model, wrong=1), TypeError)
            # An argument of the part itself is none that is unknown.
            self.close(self.blocks(model, input=None) if part is parts[0] else self.blocks(model), expected)
            for whole, name in ((part, "The module"), (Swallows([Inside(plain), part]), "layers.1")):
                self.refused(f"{name} is compiled by torch.jit", lambda: self.blocks(whole))

    def test_a_part_of_one_entry_that_is_detached_or_at_a_kink_is_found(self):
        for size in (24, 100, 400):
            weight, z = torch.zeros(size, dtype=torch.float64), torch.ones(size, dtype=torch.float64)
            weight[0], z[0] = 5, 0
            self.refused("is not that of its values", lambda: self.norm(lambda x: x + (x * weight).detach(), z))
            self.refused("is not that of its values", lambda: self.norm(lambda x: x + torch.relu(x) * weight, z))


if __name__ == "__main__":
    unittest.main()
