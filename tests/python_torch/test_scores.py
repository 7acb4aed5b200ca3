"""The monitor's columns of scores in attention that is written in other ways: right, or null."""

import unittest

import torch
from torch import nn
from torch.nn import functional

import lipscope.torch
from lipscope.torch import Monitor
from tests.python_torch.test_torch import dense_norm

D, HEADS, N = 8, 2, 5
SCORES = ("max_logit", "entropy_mean", "entropy_min", "sink")


class Attention(nn.Module):
    """Two heads; `weighted` multiplies values by the softmax of scores."""

    def __init__(self, weighted):
        super().__init__()
        torch.manual_seed(0)
        self.qkv, self.weighted = nn.Linear(D, 3 * D), weighted
        self.qkv.weight.data *= 2

    def parts(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, HEADS, D // HEADS)).permute(2, 0, 3, 1, 4)
        return q, k, v, q @ k.mT / 2

    def forward(self, x):
        return self.weighted(*self.parts(x)).transpose(1, 2).flatten(2)

    def expected(self, x):
        scores = self.parts(x)[-1].detach().double()
        weights = scores.softmax(-1)
        entropy = torch.special.entr(weights).sum(-1) / torch.tensor(float(N)).log()
        numbers = scores.max(), entropy.mean(), entropy.min(), weights.sum(-2).max()
        return dict(zip(SCORES, map(float, numbers)))


class Around(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return x + self.inner(x)


class Model(nn.Module):
    def __init__(self, *layers, times=1):
        super().__init__()
        self.layers, self.times = nn.ModuleList(layers), times

    def forward(self, x):
        for _ in range(self.times):
            for layer in self.layers:
                x = layer(x)
        return x


def tokens(items=1):
    torch.manual_seed(1)
    return torch.randn(items, N, D)


def rows(model, x, map="attention"):
    return [row for row in Monitor(model, x, tolerance=1e-9, steps=300).measure(0) if row["map"] == map]


def plain(q, k, v, scores):
    return scores.softmax(-1) @ v


WAYS = {
    "plain": plain,
    "fused": lambda q, k, v, _: functional.scaled_dot_product_attention(q, k, v),
    "shifted": lambda q, k, v, scores: (scores - scores.amax(-1, keepdim=True)).softmax(-1) @ v,
    "heads first": lambda q, k, v, scores: (scores.transpose(0, 1).softmax(-1) @ v.transpose(0, 1)).transpose(0, 1),
    "columns first": lambda q, k, v, scores: scores.mT.softmax(-2).mT @ v,
    "loop": lambda q, k, v, scores: torch.stack([scores[:, h].softmax(-1) @ v[:, h] for h in range(HEADS)], 1),
    "chunks": lambda q, k, v, _: torch.cat([functional.scaled_dot_product_attention(c, k, v) for c in q.split(3, 2)], 2),
    "difference": lambda q, k, v, scores: (scores.softmax(-1) - 0.5 * (scores / 2).softmax(-1)) @ v,
}
#: What the monitor knows of each.
KNOWN = {"plain": SCORES, "fused": SCORES, "shifted": SCORES[1:]}


class Scores(unittest.TestCase):
    def check(self, row, expected, known=SCORES):
        for name in SCORES:
            if name in known:
                self.assertAlmostEqual(row[name], expected[name], places=5, msg=name)
            else:
                self.assertIsNone(row[name], name)

    def test_the_columns_are_right_or_null_however_attention_is_written(self):
        for name, weighted in WAYS.items():
            with self.subTest(name):
                attention, x = Attention(weighted), tokens()
                (row,) = rows(Model(Around(attention)), x)
                self.check(row, attention.expected(x), KNOWN.get(name, ()))
                self.assertAlmostEqual(row["value"], dense_norm(attention, x), places=5)

    def test_each_call_of_a_layer_has_its_own_columns(self):
        attention, x = Attention(plain), tokens()
        for row in rows(Model(Around(attention), times=2), x):
            self.check(row, attention.expected(x))
            x = x + attention(x)

    def test_of_two_calls_in_one_layer_neither_has_columns(self):
        class Twice(Around):
            def forward(self, x):
                x = x + self.inner(x)
                return x + self.inner(3 * x)

        attention, x = Attention(plain), tokens()
        (row,) = rows(Model(Twice(attention)), x)
        self.check(row, {}, ())
        self.assertAlmostEqual(row["value"], dense_norm(attention, x), places=5)

    def test_a_module_for_each_head_is_measured_as_the_module_that_calls_them(self):
        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.qkv = nn.Linear(D, 3 * D // HEADS)

            def forward(self, x):
                q, k, v = self.qkv(x).chunk(3, -1)
                return (q @ k.mT).softmax(-1) @ v

        class Heads(nn.Module):
            def __init__(self):
                super().__init__()
                self.heads = nn.ModuleList(Head() for _ in range(HEADS))

            def forward(self, x):
                return torch.cat([head(x) for head in self.heads], -1)

        torch.manual_seed(2)
        heads, x = Heads(), tokens()
        (row,) = rows(Model(Around(heads)), x)
        self.assertEqual(row["part"], "inner")
        self.assertAlmostEqual(row["value"], dense_norm(heads, x), places=5)
        self.check(row, {}, ())

    def test_a_router_of_as_many_experts_as_tokens_is_no_attention(self):
        class Routed(nn.Module):
            def __init__(self, inner, experts):
                super().__init__()
                self.inner, self.gate = inner, nn.Linear(D, experts)
                self.experts = nn.ModuleList(nn.Linear(D, D) for _ in range(experts))

            def forward(self, x):
                gate = self.gate(x).softmax(-1)
                x = x + sum(gate[..., at : at + 1] * expert(x) for at, expert in enumerate(self.experts))
                return x if self.inner is None else x + self.inner(x)

        for experts in (N - 1, N, N + 1):
            torch.manual_seed(3)
            self.assertEqual(rows(Model(Routed(None, experts)), tokens()), [])
            (row,) = rows(Model(Routed(Attention(plain), experts)), tokens())
            self.assertEqual(row["part"], "inner")

    def test_one_head_whose_weights_have_no_axis_of_heads_is_attention(self):
        class One(nn.Module):
            def __init__(self):
                super().__init__()
                self.qkv = nn.Linear(D, 3 * D)

            def forward(self, x):
                q, k, v = self.qkv(x).chunk(3, -1)
                return torch.einsum("bij,bjd->bid", (q @ k.mT).softmax(-1), v)

        torch.manual_seed(4)
        (row,) = rows(Model(Around(One())), tokens())
        self.assertEqual(len(row["heads"]["sink"]), 1)

    def test_keys_that_are_no_tokens_leave_no_columns(self):
        class Multihead(nn.Module):
            def __init__(self, need_weights, **options):
                super().__init__()
                self.inner, self.need_weights = nn.MultiheadAttention(D, HEADS, batch_first=True, **options), need_weights

            def forward(self, x):
                return x + self.inner(x, x, x, need_weights=self.need_weights)[0]

        for option in ("add_bias_kv", "add_zero_attn"):
            for need_weights in (False, True):
                torch.manual_seed(5)
                for row in rows(Model(Multihead(need_weights, **{option: True})), tokens(2)):
                    self.check(row, {}, ())

    def test_heads_that_may_be_items_have_no_columns(self):
        x = tokens(HEADS)
        for name in ("plain", "heads first"):
            for row in rows(Model(Around(Attention(WAYS[name]))), x):
                self.check(row, {}, ())

    def test_what_a_layer_is_given_besides_stays_even_if_it_is_its_tokens(self):
        class Stream(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner, self.other = Attention(plain), nn.Linear(D, D)

            def forward(self, x, first):
                return x + self.inner(x) + self.other(first)

        class Streams(Model):
            def forward(self, x):
                first = x
                for layer in self.layers:
                    x = layer(x, first)
                return x

        torch.manual_seed(6)
        model, x = Streams(Stream(), Stream()).double(), tokens().double()
        layer = model.layers[0]
        expected = dense_norm(lambda y: layer(y, x), x)
        self.assertAlmostEqual(rows(model, x, "block")[0]["value"], expected, places=9)
        self.assertAlmostEqual(lipscope.torch.blocks(model, x)[0].value, expected, places=9)


if __name__ == "__main__":
    unittest.main()
