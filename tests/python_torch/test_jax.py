"""`lipscope.jax`: functions, a layer of Flax and a module of Equinox, against dense Jacobians."""

import unittest

import numpy as np

try:
    import jax
    import jax.numpy as jnp

    import lipscope.jax
except ImportError:
    raise unittest.SkipTest("JAX is not installed.") from None

N, D = 6, 8


def dense_norm(f, x):
    jacobian = np.asarray(jax.jacobian(f)(x), np.float64)
    return float(np.linalg.norm(jacobian.reshape(-1, x.size), 2))


class Norms(unittest.TestCase):
    def close(self, f, x, tolerance=1e-5):
        found = lipscope.jax.norm(f, x, tolerance=1e-6)
        self.assertLess(abs(found.value / dense_norm(f, x) - 1), tolerance)
        self.assertLess(found.residual, 1e-4)
        return found

    def test_attention_of_jax_in_float32_and_float64(self):
        draw = np.random.default_rng(0)
        q, k, v = draw.normal(size=(3, D, D))

        def attention(x):
            scores = (x @ q) @ (x @ k).T / D**0.5
            return jax.nn.softmax(scores) @ (x @ v)

        x = draw.normal(size=(N, D))
        found = self.close(attention, jnp.asarray(x, jnp.float32))
        self.assertEqual((found.kind, found.rounding > 1e-7), ("lower bound", True))
        with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
            here = jnp.asarray(x, jnp.float64)
            exact = lipscope.jax.norm(attention, here)
            self.assertLess(abs(exact.value / dense_norm(attention, here) - 1), 1e-9)
            self.assertEqual(exact.kind, "exact")

    def test_what_has_no_norm_is_refused(self):
        x = jnp.ones((2, 3))
        for words, f, at, kind in (
            ("`x` holds NaN", lambda x: x, x.at[0, 0].set(jnp.nan), ValueError),
            (r"`f\(x\)` holds NaN", lambda x: x / 0 - x / 0, x, ValueError),
            ("NaN or infinite", jnp.sqrt, jnp.zeros(3), ValueError),
            ("`x` holds int", lambda x: x, jnp.ones(3, jnp.int32), TypeError),
            ("`f` returns a tuple", lambda x: (x, x), x, TypeError),
        ):
            with self.assertRaisesRegex(kind, words):
                lipscope.jax.norm(f, at)

    def test_a_derivative_that_is_not_that_of_the_values_is_refused(self):
        @jax.custom_jvp
        def wrong(x):
            return jnp.sin(x)

        wrong.defjvp(lambda at, change: (jnp.sin(at[0]), 3 * jnp.cos(at[0]) * change[0]))
        w = jnp.ones((4, 4))
        for f, x in (
            (jax.nn.relu, jnp.zeros(4)),
            (lambda x: jax.nn.relu(x @ w) @ w, jnp.zeros((2, 4))),
            (wrong, jnp.ones(3)),
            (lambda x: x * jax.lax.stop_gradient(jnp.sum(x)), jnp.ones(3)),
        ):
            with self.assertRaisesRegex(ValueError, "is not that of its values"):
                lipscope.jax.norm(f, x)
        # A kink elsewhere, values that do not move, and a function that is not defined everywhere.
        self.assertAlmostEqual(lipscope.jax.norm(jax.nn.relu, jnp.array([1.0, -1.0, 2.0])).value, 1, 6)
        self.assertEqual(lipscope.jax.norm(jnp.floor, jnp.array([0.5, 1.5])).value, 0)
        self.assertAlmostEqual(lipscope.jax.norm(lambda x: jnp.sqrt(x - 1), jnp.array([1.0001])).value, 50, 0)

    def test_a_layer_of_flax(self):
        try:
            import flax.linen as nn
        except ImportError:
            self.skipTest("Flax is not installed.")

        class Block(nn.Module):
            @nn.compact
            def __call__(self, x):
                x = x + nn.SelfAttention(num_heads=2)(nn.LayerNorm()(x))
                return x + nn.Dense(D)(nn.gelu(nn.Dense(4 * D)(nn.LayerNorm()(x))))

        x = jax.random.normal(jax.random.key(0), (N, D))
        block = Block()
        parameters = block.init(jax.random.key(1), x)
        self.close(lambda x: block.apply(parameters, x), x)

    def test_a_module_of_equinox(self):
        try:
            import equinox as eqx
        except ImportError:
            self.skipTest("Equinox is not installed.")
        attention = eqx.nn.MultiheadAttention(2, D, key=jax.random.key(2))
        x = jax.random.normal(jax.random.key(3), (N, D))
        self.close(lambda x: x + attention(x, x, x), x)


if __name__ == "__main__":
    unittest.main()
