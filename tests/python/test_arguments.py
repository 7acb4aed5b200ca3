"""Arguments of every kind: those that are no experiment are refused with a sentence, and none ends the interpreter."""

import os
import random
import signal
import threading
import time
import unittest

import numpy as np

import lipscope
from lipscope._arrays import contiguous
from tests.python import cases


class Shared:
    """Hands its numbers out by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Converted:
    """Hands its numbers out as an array alone."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


class Arrays(unittest.TestCase):
    def setUp(self):
        draw = np.random.default_rng(3)
        self.tokens = draw.normal(size=(9, 4))
        self.q, self.k, self.v = draw.normal(size=(3, 2, 3, 4))
        self.value = lipscope.measure(self.tokens, self.q, self.k, self.v).value

    def measured(self, change):
        return lipscope.measure(*map(change, (self.tokens, self.q, self.k, self.v))).value

    def test_arrays_of_every_kind_give_the_same_digits(self):
        every_second = lambda array: np.repeat(array, 2, axis=-1)[..., ::2]
        for change in (np.asfortranarray, every_second, np.ndarray.tolist, Shared, Converted):
            self.assertEqual(self.measured(change), self.value, change)

    def test_float32_is_measured_as_it_is(self):
        single = [array.astype(np.float32) for array in (self.tokens, self.q, self.k, self.v)]
        double = [array.astype(np.float64) for array in single]
        self.assertEqual(lipscope.measure(*single).value, lipscope.measure(*double).value)

    def test_integers_and_one_head_without_its_axis(self):
        tokens = np.array([[-1], [1], [1]])
        self.assertEqual(
            lipscope.measure(tokens, [[1]], [[-1]], [[1]]).value,
            lipscope.measure(tokens.astype(float), [[[1.0]]], [[[-1.0]]], [[[1.0]]]).value,
        )

    def test_contiguous_float64_is_not_copied(self):
        self.assertTrue(np.shares_memory(contiguous(self.tokens), self.tokens))

    def test_an_operator_of_any_kind_has_a_norm(self):
        jacobian = lipscope.jacobian(self.tokens, self.q, self.k, self.v)

        class Map:
            shape = jacobian.shape
            matvec = staticmethod(lambda x: jacobian @ x)
            rmatvec = staticmethod(lambda x: x @ jacobian)

        found = lipscope.spectral_norm(Map)
        self.assertAlmostEqual(found.value / self.value, 1, delta=1e-12)
        self.assertLess(found.residual, 1e-9)
        np.testing.assert_allclose(jacobian @ found.right, found.value * found.left, atol=1e-9)
        self.assertGreaterEqual(found.upper, self.value * (1 - 1e-14))
        self.assertLess(found.upper, 1.001 * self.value)
        self.assertEqual(found.failure, 1e-9)
        self.assertIsNone(lipscope.spectral_norm(Map, failure=None).upper)
        with self.assertRaisesRegex(ValueError, "`failure` is 0.7, but it must be above 0 and at most 0.5"):
            lipscope.spectral_norm(Map, failure=0.7)

    def test_products_that_are_rounded_to_seven_digits_have_no_upper_number(self):
        matrix = np.diag(np.linspace(0, 1, 200)).astype(np.float32)

        class Map:
            shape = matrix.shape
            matvec = rmatvec = staticmethod(lambda x: (matrix @ x.astype(np.float32)).astype(np.float64))

        self.assertIsNone(lipscope.spectral_norm(Map, tolerance=1e-4).upper)

    def test_a_map_whose_transpose_is_another_one_is_refused(self):
        draw = np.random.default_rng(4)

        def of(matrix, transposed, dtype=np.float64):
            class Map:
                shape = matrix.shape
                matvec = staticmethod(lambda x: (matrix @ x).astype(dtype).astype(float))
                rmatvec = staticmethod(lambda x: (transposed @ x).astype(dtype).astype(float))

            return Map

        for n in (2, 5, 60):
            for scale in (1e-305, 1e-170, 1.0, 1e170, 1e300):
                matrix = scale * draw.normal(size=(n, n))
                expected = scale * np.linalg.norm(matrix / scale, 2)
                found = lipscope.spectral_norm(of(matrix, matrix.T))
                self.assertAlmostEqual(found.value / expected, 1, delta=1e-9)
                other = matrix.T.copy()
                other[0, -1] *= 2
                for transposed in (matrix, -matrix.T, 2 * matrix.T, other):
                    for seed in range(3):
                        with self.assertRaisesRegex(ValueError, "`operator.rmatvec` is not the transpose of `operator.matvec`"):
                            lipscope.spectral_norm(of(matrix, transposed), seed=seed)
        # Rounding is none: that of float32, and that of the type that a map says it has.
        matrix = draw.normal(size=(50, 30))
        single, exact = of(matrix, matrix.T, np.float32), np.linalg.norm(matrix, 2)
        found = lipscope.spectral_norm(single, tolerance=1e-5)
        self.assertTrue(1e-9 < found.rounding < 1e-5 and found.warnings and found.kind == "lower bound", found)
        self.assertLessEqual(abs(found.value / exact - 1), found.rounding)
        found = lipscope.spectral_norm(of(matrix, matrix.T))
        self.assertTrue(found.rounding < 1e-13 and not found.warnings and found.kind == "exact", found)
        half = of(matrix, matrix.T, np.float16)
        half.dtype = np.dtype(np.float16)
        self.assertGreater(lipscope.spectral_norm(half, tolerance=1e-2, iterations=30).value, 0)
        zero = np.zeros((3, 4))
        self.assertEqual(lipscope.spectral_norm(of(zero, zero.T)).value, 0)
        with self.assertRaisesRegex(ValueError, "`seed` is -1, but it must be from 0"):
            lipscope.spectral_norm(of(matrix, matrix.T), seed=-1)

    def test_a_map_that_fails_raises_its_own_error(self):
        class Map:
            shape = (3, 3)
            matvec = rmatvec = staticmethod(lambda x: 1 / 0)

        with self.assertRaises(ZeroDivisionError):
            lipscope.spectral_norm(Map)
        Map.matvec = staticmethod(lambda x: x[:1])
        with self.assertRaisesRegex(ValueError, "`matvec` returned 1 numbers, but it must return 3"):
            lipscope.spectral_norm(Map)


class Sentences(unittest.TestCase):
    def refused(self, kind, sentence, *arguments, call=lipscope.measure, **options):
        with self.assertRaisesRegex(kind, sentence):
            call(*arguments, **options)

    def test_what_is_wrong_with_arrays_is_named(self):
        tokens, one = np.ones((3, 2)), np.ones((1, 2))
        nan = np.array([[1.0, np.nan]])
        self.refused(
            ValueError, r"`tokens` has shape \(3,\), but it must have shape \(n, d\)", np.ones(3), one, one, one
        )
        self.refused(ValueError, "Row 1, column 2 of `k` is NaN", tokens, one, nan, one)
        self.refused(ValueError, "Row 1, column 1 of `tokens` is inf", tokens * 1e309, one, one, one)
        self.refused(TypeError, "`tokens` holds <U1", [["a"]], one, one, one)
        self.refused(TypeError, "`q` holds complex128", tokens, one * 1j, one, one)
        self.refused(TypeError, "`v` is missing", tokens, one, one)
        self.refused(TypeError, "cannot be read as an array", [[1.0], [1.0, 2.0]], one, one, one)
        self.refused(ValueError, "is empty", np.ones((0, 2)), one, one, one)
        self.refused(ValueError, "There is only one token", np.ones((1, 2)), one, one, one, call=lipscope.search)
        # Two heads that share one key are grouped queries; three cannot share two equally.
        three, two = [one, one, one], [one, one]
        self.refused(
            ValueError, "The number of heads differs: `q` has 3, `k` has 2, `v` has 2", tokens, three, two, two
        )
        self.refused(
            ValueError, r"`weights.heads\[0\].k` is 2 x 2, but it must be 1 x 2", tokens, one, np.ones((2, 2)), one
        )
        self.refused(ValueError, "must be", np.ones((3, 5)), one, one, one)
        self.refused(ValueError, "over the limit of 1000000", np.broadcast_to(1.0, (10**9, 2)), one, one, one)
        self.refused(ValueError, "The number of weights is", tokens, *[np.broadcast_to(1.0, (10**6, 10**3, 2))] * 3)

    def test_what_is_wrong_with_options_is_named(self):
        experiment = cases.experiment()
        self.refused(
            ValueError, '`mask` is "diagonal", but it must be', [[1.0], [2.0]], [[1]], [[1]], [[1]], mask="diagonal"
        )
        self.refused(ValueError, "`eps` is", [[1.0], [2.0]], [[1]], [[1]], [[1]], eps=-1)
        self.refused(ValueError, '`norm` is "nuclear", but it must be one of', experiment, norm="nuclear")
        self.refused(ValueError, "`tolerance` is 2, but", experiment, tolerance=2)
        self.refused(
            TypeError, "An experiment is whole by itself. Leave out q, mask", experiment, np.eye(2), mask="causal"
        )
        self.refused(ValueError, "of memory, over the limit of 1000 bytes", experiment, memory=1000)
        self.refused(ValueError, "from 2 to 1e300", experiment, lengths=[1], call=lipscope.bounds)
        for call in (lipscope.bounds, lipscope.growth):
            self.refused(ValueError, "2.5, but it must hold whole numbers", experiment, lengths=[2, 2.5], call=call)
        self.refused(
            TypeError, "`draws` is 1.5, but it must be a whole number", experiment, draws=1.5, call=lipscope.sweep
        )
        self.refused(ValueError, '`region` is "cube"', experiment, region="cube", call=lipscope.search)
        self.refused(ValueError, "Clusters stand for", cases.DRAWN[-1], call=lipscope.jacobian)
        self.refused(ValueError, "over the limit", cases.experiment(n=4000, d=8), call=lipscope.jacobian)
        self.refused(ValueError, "This is not valid JSON", "{", call=lipscope.Experiment.from_json)

    def test_ten_thousand_calls_with_anything_return_or_say_why_not(self):
        draw = random.Random(5)
        calls = [
            lipscope.measure,
            lipscope.bounds,
            lipscope.certify,
            lipscope.spectrum,
            lipscope.jacobian,
            lipscope.growth,
        ]
        outcomes = {"returned": 0, "refused": 0}
        # Numbers that float32 cannot hold are among them.
        self.enterContext(np.errstate(over="ignore"))
        for at in range(10_000):
            call = draw.choice(calls)
            tokens = arbitrary_matrix(draw, (draw.choice([0, 1, 2, 3, 4, 5]), draw.choice([0, 1, 1, 2, 2, 3, 3])))
            d = tokens.shape[-1] if isinstance(tokens, np.ndarray) and tokens.ndim else 2
            k, d_v = draw.choice([0, 1, 2, 2, 3, 3]), draw.choice([0, 1, 2, 2, 3, 3])
            q, keys, v = (arbitrary_matrix(draw, (rows, d)) for rows in (k, k, d_v))
            options = {name: value for name, value in arbitrary_options(draw, call) if draw.random() < 0.05}
            try:
                call(tokens, q, keys, v, **options)
                outcomes["returned"] += 1
            except (ValueError, TypeError) as problem:
                self.assertGreater(len(str(problem)), 20, (at, problem))
                outcomes["refused"] += 1
        self.assertGreater(min(outcomes.values()), 1000, outcomes)


def arbitrary_matrix(draw, shape):
    """A matrix of that shape most of the time."""
    scale = draw.choice([1] * 20 + [1e-300, 10, 1e160, 1e308])
    array = np.random.default_rng(draw.randrange(10**9)).normal(size=shape) * scale
    kind = draw.random()
    if kind < 0.93:
        return array
    return draw.choice([
        None, "tokens", b"", 3, 1.5, [], {}, object(), array.tolist(), array[None], array[None, None], array.astype(np.float32),
        array.astype(complex), array.astype(object), array.astype(str), np.full(shape, np.nan), np.full(shape, -np.inf), array.T,
        array[::-1], array.astype(">f8"), np.asfortranarray(array), array > 0, np.ma.masked_all(shape), range(3), [[1, 2], [3]],
        np.array([["2020-01-01"]], dtype="M8[D]"), np.broadcast_to(0.0, (10**12, 1)), np.longdouble(array), float("nan"),
    ])  # fmt: skip


def arbitrary_options(draw, call):
    """Options, right and wrong."""
    word = draw.choice(
        ["none", "causal", "dot", "l2", "layer", "rms", "", "x" * 1000, "\0", None, 1, "composed", "inputs"]
    )
    number = draw.choice(
        [0, 1, -1, 1e-5, 1e300, float("nan"), float("inf"), 2**70, -(2**70), "1", None, 1e-10, 0.5, [1], 10**400]
    )
    yield "mask", draw.choice(["none", "causal", word])
    yield "attention", draw.choice(["dot", "l2", word])
    yield "normalization", draw.choice(["none", "layer", "rms", word])
    yield "normalization_scope", draw.choice(["inputs", "composed", word])
    yield "eps", number
    yield "output", arbitrary_matrix(draw, (draw.randint(0, 3), draw.randint(0, 3)))
    yield "memory", number
    if call is lipscope.measure:
        yield "norm", draw.choice(["spectral", "linf", "l1", "frobenius", "max_token", word])
        yield "tolerance", number
    if call in (lipscope.bounds, lipscope.growth):
        yield "lengths", draw.choice([[2, 3], [number], number, [[2]], "2:4", []])
    if call is lipscope.certify:
        yield "epsilon", draw.choice([0.1, [0.0, 1.0], number, [number]])
        yield "restarts", draw.choice([1, 2, number])
        yield "steps", draw.choice([1, 5])
        yield "seed", number
    if call is lipscope.spectrum:
        yield "count", draw.choice([1, 100, 101, number])
    if call is lipscope.jacobian:
        yield "form", draw.choice(["dense", word])
    yield "unknown", number


class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_a_long_run_within_a_second(self):
        # What runs in the background of a shell ignores Ctrl-C, and so would the interpreter.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        # The timer's thread runs while the engine computes: the interpreter is not locked.
        pressed = []

        def press():
            pressed.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.3, press)
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            lipscope.search(cases.experiment(n=200, d=16), restarts=100, steps=1000)
        self.assertLess(time.monotonic() - pressed[0], 1)


if __name__ == "__main__":
    unittest.main()
