"""`lipscope.torch` against dense Jacobians by automatic differentiation."""

import doctest
import random
import unittest

import numpy as np
import torch
from torch.func import jacrev

import lipscope
import lipscope.torch

torch.set_num_threads(1)


def load_tests(loader, tests, pattern):
    """Adds the examples of the docstrings."""
    for module in (lipscope.torch, lipscope._blocks, lipscope._norm):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


def dense_norm(f, x):
    """The spectral norm of the dense Jacobian of f at x."""
    jacobian = jacrev(f)(x)
    return torch.linalg.matrix_norm(jacobian.reshape(-1, x.numel()), 2).item()


def randomised(module, scale=1.0):
    """The module in float64, all its parameters drawn, biases too."""
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=scale / parameter.shape[-1] ** 0.5)
    return module.double().eval()


class MultiheadAttention(unittest.TestCase):
    def check(self, draw, at):
        torch.manual_seed(at)
        heads, k = draw.randint(1, 4), draw.randint(1, 4)
        d, n, batch = heads * k, draw.randint(2, 7), draw.randint(1, 3)
        options = {"bias": draw.random() < 0.8, "batch_first": draw.random() < 0.5}
        # Other dimensions of keys and values make projections of their own; equal ones are packed.
        module = torch.nn.MultiheadAttention(d, heads, **options)
        if draw.random() < 0.5:
            module = separate(module)
        randomised(module)
        items = torch.randn(batch, n, d, dtype=torch.float64)
        inputs = items if options["batch_first"] else items.transpose(0, 1)
        call, lengths = {}, [n] * batch
        causal = draw.random() < 0.5
        if causal:
            forbidden = torch.triu(torch.ones(n, n, dtype=torch.bool), 1)
            call["attn_mask"] = (
                forbidden if draw.random() < 0.5 else torch.zeros(n, n).double().masked_fill(forbidden, float("-inf"))
            )
        if draw.random() < 0.5:
            lengths = [draw.randint(2, n) for _ in range(batch)]
            call["key_padding_mask"] = torch.arange(n)[None] >= torch.tensor(lengths)[:, None]
        together = lipscope.torch.attention(module, inputs, heads="all", **call)
        each = lipscope.torch.attention(module, inputs, **call)
        self.assertEqual((len(together), len(each)), (batch, batch * heads))
        for item, length in enumerate(lengths):
            tokens = items[item, :length]
            mask = torch.triu(torch.full((length, length), float("-inf"), dtype=torch.float64), 1) if causal else None

            def whole(x):
                return module(
                    *[x[None] if options["batch_first"] else x[:, None]] * 3, attn_mask=mask, need_weights=False
                )[0]

            self.close(together[item], dense_norm(whole, tokens), (at, "all"))
            for head in range(heads):
                expected = dense_norm(lambda x: of_head(module, x, head, mask), tokens)
                self.close(each[item * heads + head], expected, (at, head))

    def close(self, found, expected, name):
        self.assertLess(abs(found.measure().value / expected - 1), 1e-9, name)

    def test_twenty_shapes_with_biases_masks_and_batches(self):
        draw = random.Random(7)
        for at in range(20):
            self.check(draw, at)

    def test_one_item_without_a_batch(self):
        torch.manual_seed(1)
        module = randomised(torch.nn.MultiheadAttention(6, 2))
        (found,) = lipscope.torch.attention(module, torch.randn(5, 6, dtype=torch.float64), heads="all")
        self.close(found, dense_norm(lambda x: module(x, x, x)[0], torch.tensor(found.tokens)), "one item")

    def test_bounds_hold_where_biases_are(self):
        torch.manual_seed(2)
        module = randomised(torch.nn.MultiheadAttention(6, 2, batch_first=True))
        for head in lipscope.torch.attention(module, torch.randn(2, 5, 6, dtype=torch.float64)):
            self.assertTrue(head.shift.any())
            found = head.measure()
            upper = [bound for bound in found.bounds if bound.kind == "upper bound"]
            self.assertTrue(upper and all(found.value <= bound.value for bound in upper))

    def test_what_is_no_experiment_is_refused(self):
        module = torch.nn.MultiheadAttention(4, 2, batch_first=True)
        x = torch.randn(1, 3, 4)
        of_heads = torch.zeros(2, 3, 3, dtype=torch.bool)
        of_heads[0, 0, 2] = True
        with self.assertRaisesRegex(
            ValueError, "a mask that differs from head to head: no experiment has the same Jacobian"
        ):
            lipscope.torch.attention(module, x, attn_mask=of_heads)
        with self.assertRaisesRegex(ValueError, "a token that attends to no token.*with lipscope.torch.norm"):
            lipscope.torch.attention(
                module, x, attn_mask=torch.eye(3, dtype=torch.bool) | torch.tensor([True, False, False])[:, None]
            )
        with self.assertRaisesRegex(ValueError, "cross-attention"):
            lipscope.torch.attention(module, (x, x + 1, x))
        with self.assertRaisesRegex(ValueError, "holds no attention that is known"):
            lipscope.torch.attention(torch.nn.Linear(4, 4), x)
        with self.assertRaisesRegex(ValueError, "add_bias_kv"):
            lipscope.torch.attention(torch.nn.MultiheadAttention(4, 2, add_bias_kv=True, batch_first=True), x)
        module.in_proj_weight.data[:4] = 0
        torch.nn.init.ones_(module.in_proj_bias)
        with self.assertRaisesRegex(
            ValueError, "The biases of queries of head 0 of the module are no shift of the tokens"
        ):
            lipscope.torch.attention(module, x)

    def test_any_mask_and_any_bias_of_scores_is_an_experiment(self):
        torch.manual_seed(3)
        module = randomised(torch.nn.MultiheadAttention(6, 2, batch_first=True))
        x = torch.randn(1, 5, 6, dtype=torch.float64)
        near = torch.arange(5)[None] - torch.arange(5)[:, None]
        low = float("-inf")
        masks = {
            "diagonal": (torch.zeros(5, 5).double().masked_fill(near == 0, low), "allowed"),
            "window": (torch.zeros(5, 5).double().masked_fill((near > 0) | (near < -1), low), "window"),
            "both sides": (torch.zeros(5, 5).double().masked_fill(near.abs() > 2, low), "window"),
            "bias": (torch.randn(5, 5, dtype=torch.float64).masked_fill(near > 0, low), "causal"),
            "slope": ((-0.5 * near.abs()).double(), "none"),
        }
        for name, (mask, expected) in masks.items():
            for one in lipscope.torch.attention(module, x, attn_mask=mask):
                self.close(one, dense_norm(lambda x: of_head(module, x, one.head, mask), x[0]), name)
                found = one.experiment.to_dict()
                self.assertEqual(
                    found["mask"] if isinstance(found["mask"], str) else found["mask"]["kind"], expected, name
                )
                self.assertEqual("alibi" in found.get("score", {}), name == "slope", name)
        of_heads = torch.randn(2, 5, 5, dtype=torch.float64)
        for one in lipscope.torch.attention(module, x, attn_mask=of_heads):
            self.close(one, dense_norm(lambda x: of_head(module, x, one.head, of_heads[one.head]), x[0]), "of heads")
        with self.assertRaisesRegex(ValueError, 'differs from head to head. Measure each head with heads="each"'):
            lipscope.torch.attention(module, x, heads="all", attn_mask=of_heads)


def separate(module):
    """The same attention with a projection for each of query, key and value."""
    d = module.embed_dim
    other = torch.nn.MultiheadAttention(
        d, module.num_heads, bias=module.in_proj_bias is not None, batch_first=module.batch_first, kdim=d, vdim=d
    )
    other._qkv_same_embed_dim = False
    del other.in_proj_weight
    other.register_parameter("in_proj_weight", None)
    for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
        setattr(other, name, torch.nn.Parameter(torch.empty(d, d)))
    return other


def of_head(module, x, head, mask):
    """One head by its formula, with its biases."""
    d, k = module.embed_dim, module.embed_dim // module.num_heads
    if module.in_proj_weight is not None:
        weights = module.in_proj_weight.reshape(3, d, d)
    else:
        weights = torch.stack([module.q_proj_weight, module.k_proj_weight, module.v_proj_weight])
    biases = torch.zeros(3, d).double() if module.in_proj_bias is None else module.in_proj_bias.reshape(3, d)
    rows = slice(head * k, (head + 1) * k)
    q, keys, v = (x @ weight[rows].T + bias[rows] for weight, bias in zip(weights, biases))
    scores = q @ keys.T / k**0.5
    return torch.softmax(scores if mask is None else scores + mask, -1) @ v


class Transformers(unittest.TestCase):
    """Small random models: every layer at the inputs of the forward pass."""

    def check(self, model, layers, own_map, mask=None, **call):
        ids = torch.randint(0, 50, (2, 9))
        found = lipscope.torch.attention(model, {"input_ids": ids, **call}, heads="all")
        self.assertEqual(len(found), 2 * len(layers))
        for at, one in enumerate(found):
            layer = layers[at // 2]
            expected = dense_norm(lambda x: own_map(layer, x), torch.tensor(one.tokens))
            self.assertLess(abs(one.measure().value / expected - 1), 1e-8, one)
            self.assertEqual(one.experiment.to_dict()["mask"], mask or "none")
        return found

    def settings(self, **options):
        torch.manual_seed(3)
        return {
            "vocab_size": 50,
            "hidden_size": 12,
            "num_hidden_layers": 2,
            "num_attention_heads": 3,
            "intermediate_size": 16,
            "max_position_embeddings": 32,
            **options,
        }

    def test_bert_and_roberta(self):
        from transformers import BertConfig, BertModel, RobertaConfig, RobertaModel

        for config, kind in ((BertConfig, BertModel), (RobertaConfig, RobertaModel)):
            for implementation in ("eager", "sdpa"):
                model = randomised(kind(config(**self.settings(attn_implementation=implementation))))
                layers = [layer.attention.self for layer in model.encoder.layer]
                self.check(model, layers, lambda layer, x: layer(x[None])[0])

    def test_bert_with_padding(self):
        from transformers import BertConfig, BertModel

        model = randomised(BertModel(BertConfig(**self.settings())))
        mask = torch.ones(2, 9, dtype=torch.long)
        mask[1, 6:] = 0
        layers = [layer.attention.self for layer in model.encoder.layer]
        found = self.check(model, layers, lambda layer, x: layer(x[None])[0], attention_mask=mask)
        self.assertEqual([len(one.tokens) for one in found], [9, 6, 9, 6])

    def test_distilbert(self):
        from transformers import DistilBertConfig, DistilBertModel

        torch.manual_seed(3)
        config = DistilBertConfig(
            vocab_size=50, dim=12, n_layers=2, n_heads=3, hidden_dim=16, max_position_embeddings=32
        )
        model = randomised(DistilBertModel(config))
        layers = [layer.attention for layer in model.transformer.layer]

        def own_map(layer, x):
            return layer(x[None])[0]

        self.check(model, layers, own_map)

    def test_gpt2(self):
        from transformers import GPT2Config, GPT2Model

        for options in ({}, {"scale_attn_by_inverse_layer_idx": True}, {"scale_attn_weights": False}):
            torch.manual_seed(3)
            config = GPT2Config(
                vocab_size=50, n_embd=12, n_layer=2, n_head=3, n_positions=32, attn_implementation="eager", **options
            )
            model = randomised(GPT2Model(config))
            causal = torch.triu(torch.full((9, 9), float("-inf"), dtype=torch.float64), 1)[None, None]
            layers = [block.attn for block in model.h]
            self.check(model, layers, lambda layer, x: layer(x[None], attention_mask=causal)[0], "causal")


class Norm(unittest.TestCase):
    def test_the_norm_of_a_function_is_that_of_its_dense_jacobian(self):
        torch.manual_seed(4)
        net = torch.nn.Sequential(
            torch.nn.Linear(7, 9), torch.nn.GELU(), torch.nn.LayerNorm(9), torch.nn.Linear(9, 5)
        ).double()
        for parameter in net.parameters():
            parameter.requires_grad_(False)
        x = torch.randn(3, 7, dtype=torch.float64)
        found = lipscope.torch.norm(net, x)
        self.assertLess(abs(found.value / dense_norm(net, x) - 1), 1e-9)
        self.assertEqual(found.kind, "exact")
        self.assertLess(found.residual, 1e-9)
        single = lipscope.torch.norm(net.float(), x.float(), tolerance=1e-5)
        self.assertLess(abs(single.value / found.value - 1), 1e-4)

    def test_attention_and_the_norm_of_its_module_agree(self):
        torch.manual_seed(5)
        module = randomised(torch.nn.MultiheadAttention(8, 2, batch_first=True))
        x = torch.randn(1, 6, 8, dtype=torch.float64)
        found = lipscope.torch.norm(lambda x: module(x, x, x, need_weights=False)[0], x)
        (experiment,) = lipscope.torch.attention(module, x, heads="all")
        self.assertLess(abs(experiment.measure().value / found.value - 1), 1e-9)

    def test_what_has_no_jacobian_is_refused(self):
        with self.assertRaisesRegex(TypeError, "must be a tensor of floating-point"):
            lipscope.torch.norm(torch.sin, torch.zeros(2, dtype=torch.int64))
        with self.assertRaisesRegex(TypeError, "must return one tensor"):
            lipscope.torch.norm(lambda x: (x, x), torch.zeros(2))


class Operator(unittest.TestCase):
    def test_the_jacobian_is_a_linear_operator_of_scipy(self):
        from scipy.sparse.linalg import svds

        draw = np.random.default_rng(6)
        tokens, q, k, v = draw.normal(size=(20, 4)), *draw.normal(size=(3, 2, 3, 4))
        operator = lipscope.jacobian(tokens, q, k, v, form="operator")
        dense = lipscope.jacobian(tokens, q, k, v)
        np.testing.assert_allclose(operator @ np.eye(80), dense, atol=1e-12)
        np.testing.assert_allclose(operator.T @ np.eye(120), dense.T, atol=1e-12)
        value = lipscope.measure(tokens, q, k, v).value
        self.assertLess(abs(svds(operator, 1, return_singular_vectors=False)[0] / value - 1), 1e-9)
        self.assertLess(abs(lipscope.spectral_norm(operator).value / value - 1), 1e-9)

    def test_a_sparse_matrix_has_the_norm_of_its_dense_form(self):
        from scipy import sparse

        matrix = sparse.random_array((40, 30), density=0.2, rng=np.random.default_rng(7), format="coo")
        expected = np.linalg.norm(matrix.toarray(), 2)
        for form in (matrix, matrix.tocsr(), matrix.tocsc(), sparse.csr_matrix(matrix)):
            self.assertLess(abs(lipscope.spectral_norm(form).value / expected - 1), 1e-9)
        whole = sparse.eye_array(4, dtype=np.int64, format="csr")
        self.assertAlmostEqual(lipscope.spectral_norm(whole * 3).value, 3, delta=1e-14)
        matrix.data[0] = np.nan
        row, column = matrix.row[0] + 1, matrix.col[0] + 1
        with self.assertRaisesRegex(ValueError, f"Row {row}, column {column} of `operator` is NaN"):
            lipscope.spectral_norm(matrix)
        with self.assertRaisesRegex(TypeError, "`operator` holds complex"):
            lipscope.spectral_norm(matrix.astype(complex))


class Half(unittest.TestCase):
    def test_bfloat16_is_taken_as_the_numbers_that_it_holds(self):
        module = torch.nn.MultiheadAttention(4, 2, batch_first=True).bfloat16()
        x = torch.randn(1, 3, 4).bfloat16()
        double = torch.nn.MultiheadAttention(4, 2, batch_first=True).double()
        double.load_state_dict({name: value.double() for name, value in module.state_dict().items()})
        found = lipscope.torch.attention(module, x)
        again = lipscope.torch.attention(double, x.double())
        self.assertEqual([one.measure().value for one in found], [one.measure().value for one in again])
        np.testing.assert_array_equal(found[0].tokens, again[0].tokens)


if __name__ == "__main__":
    unittest.main()
