"""What a Python program can write and an experiment cannot hold is refused by name, in every function."""

import unittest

import numpy as np

import lipscope

draw = np.random.default_rng(0)
TOKENS, (Q, K, V) = draw.normal(size=(4, 3)), draw.normal(size=(3, 3, 3))
ARRAYS = (TOKENS, Q, K, V)
CAUSAL = np.where(np.tril(np.ones((4, 4))) > 0, 0.0, -np.inf)
FUNCTIONS = (
    lipscope.measure, lipscope.bounds, lipscope.growth, lipscope.sweep, lipscope.search, lipscope.certify, lipscope.spectrum,
    lipscope.jacobian, lipscope.explore, lipscope.Experiment.from_arrays,
)  # fmt: skip


def attention_norm(mask):
    """The norm of softmax attention under an additive mask, by central differences of its formula."""

    def attention(x):
        scores = (x @ Q.T) @ (x @ K.T).T / np.sqrt(3) + mask
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True) @ (x @ V.T)

    columns, h = [], 1e-6
    for at in range(TOKENS.size):
        step = np.zeros(TOKENS.size)
        step[at] = h
        step = step.reshape(TOKENS.shape)
        columns.append((attention(TOKENS + step) - attention(TOKENS - step)).ravel() / (2 * h))
    return np.linalg.norm(np.array(columns).T, 2)


class Options(unittest.TestCase):
    def test_what_json_cannot_hold_and_what_no_key_has_is_refused_by_name_in_every_function(self):
        nan, inf = float("nan"), float("inf")
        options = {
            "`score.scale` is NaN": {"score": {"scale": nan}},
            "`score.softcap` is inf": {"score": {"softcap": np.float32(inf)}},
            "Row 1, column 2 of `score.bias` is inf": {"score": {"bias": -CAUSAL}},
            "Row 2, column 1 of `score.bias` is NaN": {"score": {"bias": [[0.0] * 4, [nan] * 4, [0.0] * 4, [0.0] * 4]}},
            "`weighting.sink` is -inf": {"weighting": {"kind": "softmax", "sink": -inf}},
            "Entry 2 of `weighting.sink` is NaN": {"weighting": {"kind": "softmax", "sink": [0.0, nan]}},
            "`mask.width` is NaN": {"mask": {"kind": "window", "width": nan}},
            "`eps` is NaN": {"eps": nan},
            "`score.scale` is a whole number of 1329 bits": {"score": {"scale": 10**400}},
            "Unknown key `score.soft_cap`": {"score": {"soft_cap": 3.0}},
            "Unknown key `weighting.sinks`": {"weighting": {"kind": "softmax", "sinks": 0.0}},
            "Unknown key `mask.size`": {"mask": {"kind": "window", "width": 2, "size": 2}},
            "`score` has the key 3, but keys must be texts": {"score": {3: 1.0}},
            "`score.scale` is a set": {"score": {"scale": {1.0}}},
            "`score` is a str, but it must be a dict": {"score": "softcap"},
            "`lam` holds nan": {"q2": Q, "k2": K, "lam": nan},
        }
        for function in FUNCTIONS:
            for sentence, option in options.items():
                with self.subTest(sentence, function=function.__name__):
                    with self.assertRaises((ValueError, TypeError)) as refusal:
                        function(*ARRAYS, **option)
                    self.assertIn(sentence, str(refusal.exception))

    def test_one_wrong_option_does_not_drop_the_others(self):
        # Each of these was once measured as if no option were given.
        plain = lipscope.measure(*ARRAYS).value
        for option in ({"mask": "causal"}, {"attention": "l2"}, {"normalization": "layer"}):
            self.assertNotEqual(lipscope.measure(*ARRAYS, **option).value, plain)
            with self.assertRaisesRegex(ValueError, "`score.scale` is -inf"):
                lipscope.measure(*ARRAYS, **option, score={"scale": -np.inf})

    def test_an_argument_that_nothing_takes_is_refused_in_every_function(self):
        for function in FUNCTIONS:
            for option in ({"eps": 1e-5}, {"eps": 1e-3}, {"normalization_scope": "inputs"}, {"normalization_scope": "composed"}):
                ((name, value),) = option.items()
                for without in ({}, {"normalization": "none"}):
                    with self.subTest(option, function=function.__name__):
                        with self.assertRaises(ValueError) as refusal:
                            function(*ARRAYS, **option, **without)
                        self.assertIn(f'`{name}` is {value!r}, but `normalization` is "none"', str(refusal.exception))
        # With a normaliser they are taken, and without them it has its defaults.
        for option in ({}, {"eps": None, "normalization_scope": None}, {"eps": 1e-5, "normalization_scope": "inputs"}):
            found = lipscope.Experiment.from_arrays(*ARRAYS, normalization="layer", **option)
            self.assertEqual((found.to_dict()["eps"], found.to_dict()["normalization_scope"]), (1e-5, "inputs"))
        # A file that is written has every key, and is read again.
        plain = lipscope.Experiment.from_arrays(*ARRAYS)
        self.assertEqual(lipscope.Experiment.from_dict(plain.to_dict()), plain)

    def test_a_table_in_the_place_of_a_mask_is_refused_with_the_way_to_give_it(self):
        allowed = CAUSAL == 0
        file = {"tokens": {"source": "explicit", "rows": TOKENS}, "weights": {"source": "identity"}}
        for mask, words in (
            (allowed, "`mask` is a ndarray of shape (4, 4)"),
            (~allowed, "`mask` is a ndarray of shape (4, 4)"),
            (allowed.tolist(), "`mask` is a list of shape (4, 4)"),
            (CAUSAL, "`mask` is a ndarray of shape (4, 4)"),
            ([[1], [1, 1]], "`mask` is a list, but"),
            (True, "`mask` is True, but"),
            (0, "`mask` is 0, but"),
        ):
            calls = [lambda: lipscope.measure({**file, "mask": mask})]
            calls += [lambda: function(*ARRAYS, mask=mask) for function in FUNCTIONS]
            for call in calls:
                with self.assertRaises(TypeError) as refusal:
                    call()
                self.assertIn(words, str(refusal.exception))
                self.assertIn('but it must be "none", "causal" or a dict', str(refusal.exception))
                if not isinstance(mask, int):
                    self.assertIn('{"kind": "allowed", "rows": table}', str(refusal.exception))
        # As in a file, nothing is no mask.
        for whole in (lipscope.measure(*ARRAYS, mask=None), lipscope.measure(*ARRAYS)):
            self.assertEqual(whole.experiment, lipscope.Experiment.from_arrays(*ARRAYS, mask="none"))

    def test_the_dict_of_a_file_is_held_to_the_same(self):
        file = {"tokens": {"source": "explicit", "rows": TOKENS}, "weights": {"source": "identity"}}
        for key, value, sentence in (
            ("eps", np.nan, "`eps` is NaN"),
            ("score", {"scale": np.inf}, "`score.scale` is inf"),
            ("tokens", {"source": "explicit", "rows": [[1.0, np.nan]]}, "Row 1, column 2 of `tokens.rows` is NaN"),
            ("tokens", {"source": "explicit", "rows": np.full((2, 2), np.inf)}, "Row 1, column 1 of `tokens.rows` is inf"),
            ("score", {"bias": np.full((3, 3), -np.inf)}, "`score.bias` is 3 x 3, but it must be 4 x 4"),
        ):
            with self.assertRaises(ValueError) as refusal:
                lipscope.measure({**file, key: value})
            self.assertIn(sentence, str(refusal.exception))
        nested = []
        nested.append(nested)
        with self.assertRaisesRegex(ValueError, "nested too deep"):
            lipscope.measure({**file, "score": {"bias": nested}})

    def test_numbers_beside_the_experiment_are_named_too(self):
        for sentence, call in {
            "`tolerance` is NaN": lambda: lipscope.measure(*ARRAYS, tolerance=np.nan),
            "`failure` is NaN": lambda: lipscope.spectral_norm(np.eye(3), failure=np.nan),
            "`epsilon` is inf": lambda: lipscope.certify(*ARRAYS, epsilon=[0.1, np.inf]),
            "`lengths` holds NaN": lambda: lipscope.bounds(*ARRAYS, lengths=[2, np.nan]),
            "`growing_from` is NaN": lambda: lipscope.growth(*ARRAYS, growing_from=np.nan),
        }.items():
            with self.assertRaises(ValueError) as refusal:
                call()
            self.assertIn(sentence, str(refusal.exception))


class Biases(unittest.TestCase):
    def test_minus_infinity_in_a_bias_is_a_mask(self):
        for bias in (CAUSAL, CAUSAL.tolist(), CAUSAL.astype(np.float32)):
            for mask in ("none", "causal"):
                found = lipscope.measure(*ARRAYS, mask=mask, score={"bias": bias})
                self.assertAlmostEqual(found.value, 1.9331593194, delta=1e-9)
                self.assertEqual(found.value, lipscope.measure(*ARRAYS, mask="causal").value)
                self.assertEqual(found.experiment, lipscope.Experiment.from_arrays(*ARRAYS, mask="causal"))
        file = lipscope.Experiment.from_arrays(*ARRAYS).to_dict()
        self.assertAlmostEqual(lipscope.measure({**file, "score": {"bias": CAUSAL}}).value, 1.9331593194, delta=1e-9)

    def test_a_bias_keeps_its_numbers_beside_minus_infinity(self):
        bias = draw.normal(size=(4, 4))
        bias[0, 2] = bias[3, 0] = -np.inf
        found = lipscope.measure(*ARRAYS, score={"bias": bias})
        self.assertLess(abs(found.value / attention_norm(bias) - 1), 1e-7)
        self.assertEqual(found.experiment.to_dict()["mask"]["rows"], np.isfinite(bias).astype(int).tolist())
        # Beside a mask, both forbid.
        found = lipscope.measure(*ARRAYS, mask={"kind": "window", "width": 3, "causal": False}, score={"bias": bias})
        far = np.abs(np.subtract.outer(np.arange(4), np.arange(4))) >= 3
        self.assertLess(abs(found.value / attention_norm(np.where(far, -np.inf, bias)) - 1), 1e-7)

    def test_a_boolean_table_is_a_mask_too(self):
        allowed = lipscope.measure(*ARRAYS, mask={"kind": "allowed", "rows": CAUSAL == 0})
        self.assertEqual(allowed.value, lipscope.measure(*ARRAYS, mask="causal").value)


class MaskedArrays(unittest.TestCase):
    def test_masked_arrays_are_refused_wherever_an_array_enters(self):
        hide = lambda array: np.ma.masked_array(array, mask=np.asarray(array) > 0.5)
        gives = type("Gives", (), {"__array__": lambda self, dtype=None, copy=None: hide(Q)})()
        whole = {"tokens": {"source": "explicit", "rows": hide(TOKENS)}, "weights": {"source": "identity"}}
        for name, call in {
            "tokens": lambda: lipscope.measure(hide(TOKENS), Q, K, V),
            "q": lambda: lipscope.measure(TOKENS, hide(Q), K, V),
            "k": lambda: lipscope.measure(TOKENS, [Q, Q], [hide(K), K], [V, V]),
            "v": lambda: lipscope.measure(TOKENS, Q, K, gives),
            "output": lambda: lipscope.measure(*ARRAYS, output=hide(np.eye(3))),
            "score.bias": lambda: lipscope.measure(*ARRAYS, score={"bias": hide(np.eye(4))}),
            "weighting.sink": lambda: lipscope.measure(*ARRAYS, weighting={"kind": "softmax", "sink": hide([1.0])}),
            "mask.keys": lambda: lipscope.measure(*ARRAYS, mask={"kind": "padding", "keys": hide([1, 1, 1, 1])}),
            "lam": lambda: lipscope.measure(*ARRAYS, q2=Q, k2=K, lam=hide([0.7])),
            "eps": lambda: lipscope.measure(*ARRAYS, eps=np.ma.masked),
            "tolerance": lambda: lipscope.measure(*ARRAYS, tolerance=np.ma.masked),
            "tokens.rows": lambda: lipscope.measure(whole),
            "epsilon": lambda: lipscope.certify(*ARRAYS, epsilon=hide([0.1, 0.9])),
            "lengths": lambda: lipscope.bounds(*ARRAYS, lengths=hide([2.0, 3.0])),
            "operator": lambda: lipscope.spectral_norm(hide(np.diag([3.0, 2.0, 1.0]))),
        }.items():
            with self.assertRaises(TypeError) as refusal:
                call()
            self.assertIn(f"`{name}` is a NumPy masked array", str(refusal.exception))


class Nan(unittest.TestCase):
    def test_a_map_with_nan_has_no_norm(self):
        for matrix, place in ((np.full((3, 3), np.nan), "Row 1, column 1"), (np.array([[1, np.nan], [0, 1]]), "Row 1, column 2")):
            with self.assertRaisesRegex(ValueError, f"{place} of `operator` is NaN"):
                lipscope.spectral_norm(matrix)

        class Map:
            shape = (3, 3)
            matvec = staticmethod(lambda x: np.array([0.0, np.nan, 0.0]))
            rmatvec = staticmethod(lambda x: np.array([0.0, np.inf, 0.0]))

        with self.assertRaisesRegex(ValueError, "Entry 2 of what `matvec` returned is NaN"):
            lipscope.spectral_norm(Map)
        Map.matvec = staticmethod(lambda x: x)
        with self.assertRaisesRegex(ValueError, "Entry 2 of what `rmatvec` returned is infinite"):
            lipscope.spectral_norm(Map)


if __name__ == "__main__":
    unittest.main()
