"""The numbers: golden values, and the digits of the command line."""

import json
import unittest

import numpy as np

import lipscope
from tests.python import cases


class Golden(unittest.TestCase):
    def test_every_case_agrees_in_norms_and_singular_values(self):
        for case in cases.GOLDEN["cases"]:
            tokens, q, k, v, options = cases.arrays_of(case)
            found, expected = lipscope.measure(tokens, q, k, v, **options), case["expected"]
            with self.subTest(case["name"]):
                for norm in ("spectral", "frobenius", "linf", "l1"):
                    self.close(getattr(found, norm), expected[norm])
                self.close(
                    found.singular_values[: len(expected["singular_values"])],
                    expected["singular_values"],
                    expected["spectral"],
                )
        self.assertGreaterEqual(len(cases.GOLDEN["cases"]), 36)

    def test_every_case_with_steps_agrees_in_norms_and_singular_values(self):
        for case in cases.KERNELS["cases"]:
            tokens, q, k, v, options = cases.kernel_arrays_of(case)
            found, expected = lipscope.measure(tokens, q, k, v, **options), case["expected"]
            with self.subTest(case["name"]):
                for norm in ("spectral", "frobenius", "linf", "l1"):
                    self.close(getattr(found, norm), expected[norm])
        self.assertEqual(len(cases.KERNELS["cases"]), 40)

    def test_every_case_agrees_by_iteration_and_by_the_dense_matrix(self):
        for case in cases.GOLDEN["cases"]:
            tokens, q, k, v, options = cases.arrays_of(case)
            jacobian, expected = lipscope.jacobian(tokens, q, k, v, **options), case["expected"]
            with self.subTest(case["name"]):
                self.close(
                    np.linalg.svd(jacobian, compute_uv=False)[: len(expected["singular_values"])],
                    expected["singular_values"],
                    expected["spectral"],
                )
                self.close(lipscope.spectral_norm(jacobian).value, expected["spectral"])
                products = lipscope._lipscope.Jacobian(
                    lipscope.Experiment.from_arrays(tokens, q, k, v, **options)._engine
                )
                one = np.random.default_rng(1).normal(size=jacobian.shape[1])
                self.close(products.matvec(one), jacobian @ one, expected["spectral"])
                one = np.random.default_rng(2).normal(size=jacobian.shape[0])
                self.close(products.rmatvec(one), one @ jacobian, expected["spectral"])

    def test_every_token_measure_agrees(self):
        for case in cases.GOLDEN["clusters"]:
            file = {
                "tokens": {
                    "source": "clusters",
                    "positions": case["positions"],
                    "log_multiplicities": case["log_multiplicities"],
                },
                "weights": {"source": "explicit", "heads": [{name: case[name] for name in "qkv"}]},
            }
            with self.subTest(case["name"]):
                self.close(lipscope.measure(file).value, case["expected"]["spectral"])

    def close(self, found, expected, scale=None):
        expected = np.asarray(expected)
        scale = np.maximum(np.abs(expected), 1e-300) if scale is None else scale
        worst = np.max(np.abs(found - expected) / scale)
        self.assertLess(worst, 1e-9, f"{found} instead of {expected}")


class CommandLine(unittest.TestCase):
    """Bit for bit: both write shortest decimals, which name one float."""

    def files(self):
        return [cases.file_of(case) for case in cases.GOLDEN["cases"]] + cases.DRAWN

    def test_measurements(self):
        files = self.files()
        lines = cases.command("measure", stdin="\n".join(json.dumps(file) for file in files)).splitlines()
        self.assertEqual(len(lines), len(files))
        for file, line in zip(files, lines):
            self.assertEqual(lipscope.measure(file).to_dict(), json.loads(line), file)

    def test_measurements_of_arrays(self):
        # Rows of numbers, written into a file and read again, are the same floats.
        for case in cases.GOLDEN["cases"][:6]:
            tokens, q, k, v, options = cases.arrays_of(case)
            line = cases.command("measure", "--tolerance", "1e-6", stdin=json.dumps(cases.file_of(case)))
            found = lipscope.measure(tokens, q, k, v, tolerance=1e-6, **options)
            self.assertEqual(found.to_dict(), json.loads(line))

    def test_bounds_growth_and_certificates(self):
        file = json.dumps(cases.DRAWN[0])
        document = json.loads(cases.command("bounds", "-n", "2,100,1e9,1e300", "--json", stdin=file))
        table = lipscope.bounds(file, lengths=[2, 100, 1e9, 1e300])
        self.assertEqual(len(table.rows), len(document["rows"]))
        for at, row in enumerate(document["rows"]):
            self.assertEqual((table.n[at], table.radius[at]), (row.pop("n"), row.pop("radius")))
            found = {bound.id: bound.value for bound in table.rows[at] if np.isfinite(bound.value)}
            self.assertEqual(found, {id: value for id, value in row.items() if value is not None})
        header, *rows = cases.command("growth", "-n", "2,100,1e9", stdin=file).splitlines()
        exact = header.split(",").index("log10_adversarial_exact")
        found = np.log10(lipscope.growth(file, lengths=[2, 100, 1e9]).adversarial)
        np.testing.assert_allclose(found, [float(row.split(",")[exact]) for row in rows], rtol=1e-15)
        small = cases.experiment().to_json()
        header, *rows = cases.command("certify", "-e", "0.01,0.1", stdin=small).splitlines()
        found = lipscope.certify(small, epsilon=[0.01, 0.1])
        expected = [
            dict(zip(("relative", "epsilon", "certified", "local", "ball", "found"), map(float, row.split(","))))
            for row in rows
        ]
        self.assertEqual([vars(row) for row in found], expected)

    def test_sweeps_searches_and_spectra(self):
        file = cases.experiment().to_json()
        for norm in ("spectral", "frobenius"):
            line = cases.command("sweep", "-n", "2:32:x4", "--draws", "3", "--norm", norm, "--json", stdin=file)
            self.assertEqual(lipscope.sweep(file, lengths="2:32:x4", draws=3, norm=norm).to_dict(), json.loads(line))
        line = cases.command("search", "--restarts", "3", "--steps", "15", "--json", stdin=file)
        self.assertEqual(lipscope.search(file, restarts=3, steps=15).to_dict(), json.loads(line))
        for name in (file, json.dumps(cases.DRAWN[0])):
            line = cases.command("spectrum", "--count", "5", "--json", stdin=name)
            self.assertEqual(lipscope.spectrum(name, count=5).to_dict(), json.loads(line)["spectrum"])
        square = {"tokens": {"source": "adversarial", "n": 9}, "weights": {"source": "identity", "sign": -1}}
        line = cases.command("spectrum", "--map", "attention-residual", "--json", stdin=json.dumps(square))
        self.assertEqual(lipscope.spectrum(square, map="attention-residual").to_dict(), json.loads(line)["spectrum"])
        with self.assertRaisesRegex(ValueError, "`map` is \"block\", but it must be one of: attention, "):
            lipscope.spectrum(file, map="block")


class Results(unittest.TestCase):
    def test_a_value_says_what_it_is(self):
        # Its singular values lie close together: the twelve steps that a loose tolerance takes leave a residual of 2e-4.
        tokens = {"source": "random", "distribution": "ball", "n": 80, "d": 24, "radius": 8}
        experiment = {"tokens": tokens, "weights": {"source": "random", "heads": 2, "head_dim": 24}}
        self.assertEqual(lipscope.measure(experiment).kind, "exact")
        loose = lipscope.measure(experiment, tolerance=1e-2)
        self.assertEqual(loose.kind, "lower bound")
        self.assertLess(loose.value, lipscope.measure(experiment).value)
        small = cases.experiment()
        self.assertEqual(lipscope.measure(small, norm="linf").kind, "exact")
        self.assertEqual(lipscope.measure(small, norm="max_token").kind, "upper bound")

    def test_one_token_goes_through_the_values_alone(self):
        v = np.array([[3.0, 4.0]])
        self.assertAlmostEqual(lipscope.measure(np.ones((1, 2)), v, v, v).value, 5, delta=1e-14)

    def test_a_bound_without_a_value_says_why(self):
        found = lipscope.measure(cases.experiment())
        with self.assertRaisesRegex(KeyError, "only for the causal mask"):
            found.bound("sharp_masked")
        self.assertIn("only for the causal mask", found._repr_html_())

    def test_bounds_hold_over_a_sweep(self):
        experiment = cases.experiment()
        swept = lipscope.sweep(experiment, lengths=[2, 4, 8, 16], draws=3)
        table = lipscope.bounds(experiment, lengths=[2, 4, 8, 16])
        upper = dict(zip(table.n, table["sharp"]))
        self.assertTrue(all(value <= upper[n] for n, value in zip(swept.n, swept.value)))

    def test_what_a_search_finds_can_be_measured_again(self):
        found = lipscope.search(cases.experiment(), restarts=2, steps=10)
        self.assertAlmostEqual(lipscope.measure(found.experiment).value / found.value, 1, delta=1e-8)
        self.assertEqual(found.tokens.shape, (12, 3))

    def test_an_experiment_survives_its_file_and_pickling(self):
        import pickle

        for file in cases.DRAWN:
            experiment = lipscope.Experiment.from_dict(file)
            self.assertEqual(lipscope.Experiment.from_dict(experiment.to_dict()), experiment)
            self.assertEqual(pickle.loads(pickle.dumps(experiment)), experiment)
            self.assertIn("Experiment(n=", repr(experiment))

    def test_the_arrays_of_an_experiment_measure_the_same(self):
        experiment = cases.experiment()
        arrays = experiment.arrays()
        again = lipscope.measure(arrays["tokens"], arrays["q"], arrays["k"], arrays["v"], output=arrays["output"])
        self.assertEqual(again.value, lipscope.measure(experiment).value)


if __name__ == "__main__":
    unittest.main()
