//! Planted singular values are recovered: clustered, graded, repeated, of low rank.

use lipscope_core::jacobian::LinearOperator;
use lipscope_core::random::{Random, Stream};
use lipscope_core::spectral::{Lanczos, LanczosOptions, Leading, SingularTriplet};
use nalgebra::DMatrix;

/// A matrix as an operator that counts its products.
struct Planted {
    matrix: DMatrix<f64>,
    n_products: usize,
}

impl LinearOperator<f64> for Planted {
    fn n_inputs(&self) -> usize {
        self.matrix.ncols()
    }

    fn n_outputs(&self) -> usize {
        self.matrix.nrows()
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        self.n_products += 1;
        let product = &self.matrix * nalgebra::DVector::from_column_slice(v);
        out.copy_from_slice(product.as_slice());
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        self.n_products += 1;
        out.copy_from_slice(self.matrix.tr_mul(&nalgebra::DVector::from_column_slice(u)).as_slice());
    }
}

fn orthonormal(n_rows: usize, n_columns: usize, seed: u64) -> DMatrix<f64> {
    let mut random = Random::new(seed, Stream::Tokens);
    DMatrix::from_fn(n_rows, n_columns, |_, _| random.normal()).qr().q()
}

fn planted(n_rows: usize, n_columns: usize, values: &[f64]) -> Planted {
    let diagonal = DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(values));
    let matrix = orthonormal(n_rows, values.len(), 1) * diagonal * orthonormal(n_columns, values.len(), 2).transpose();
    Planted { matrix, n_products: 0 }
}

fn find(operator: &mut Planted, options: LanczosOptions) -> SingularTriplet {
    Lanczos::new(operator.n_inputs(), options).run(operator)
}

#[test]
fn planted_norms_are_recovered_whatever_the_spectrum() {
    let flat: Vec<f64> = (0..60).map(|i| 1.0 - 1e-3 * i as f64 / 60.0).collect();
    let graded: Vec<f64> = (0..60).map(|i| 10f64.powi(-i / 4)).collect();
    let repeated = vec![3.0; 40];
    let gap: Vec<f64> = std::iter::once(100.0).chain((0..50).map(|i| 1.0 / (1.0 + i as f64))).collect();
    for (name, values) in [("flat", flat), ("graded", graded), ("repeated", repeated), ("gap", gap), ("one", vec![2.5])]
    {
        for scale in [1e-120, 1e-8, 1.0, 1e9, 1e120] {
            for (n_rows, n_columns) in [(80, 70), (70, 200), (200, 61)] {
                let scaled: Vec<f64> = values.iter().map(|s| s * scale).collect();
                let mut operator = planted(n_rows, n_columns, &scaled);
                let found = find(&mut operator, LanczosOptions::default());
                let expected = values[0] * scale;
                assert!(
                    (found.value / expected - 1.0).abs() < 1e-10,
                    "{name} x {scale:e}, {n_rows} x {n_columns}: {:e} for {expected:e}",
                    found.value
                );
                assert!(found.relative_residual < 1e-9, "{name} x {scale:e}: residual {}", found.relative_residual);
            }
        }
    }
}

#[test]
fn restarts_converge_on_a_cluster_larger_than_the_basis() {
    // 600 values within a relative width of 1e-3, densest at the top, where neighbours are 3e-9 apart: a small residual
    // shows that some singular value is near, and here hundreds are.
    let values: Vec<f64> = (0..600).map(|i| 1.0 - 1e-3 * (i as f64 / 600.0).powi(2)).collect();
    let mut operator = Planted { matrix: DMatrix::from_diagonal(&values.clone().into()), n_products: 0 };
    let options = LanczosOptions { max_basis: 24, max_iterations: 2000, tolerance: 1e-8, seed: 3 };
    let found = find(&mut operator, options);
    assert!(found.value <= 1.0 + 1e-14, "never above the norm: {}", found.value);
    assert!(
        found.value > 1.0 - 1e-7 && (25..2000).contains(&found.iterations) && found.relative_residual <= 1.1e-8,
        "close below it: {} after {}, residual {:e}",
        found.value,
        found.iterations,
        found.relative_residual
    );
}

#[test]
fn an_unconverged_value_is_below_the_norm_and_reports_its_residual() {
    let values: Vec<f64> = (0..500).map(|i| 1.0 - i as f64 / 2000.0).collect();
    for max_iterations in 1..20 {
        let mut operator = Planted { matrix: DMatrix::from_diagonal(&values.clone().into()), n_products: 0 };
        let found = find(&mut operator, LanczosOptions { max_iterations, ..LanczosOptions::default() });
        assert!(found.value <= 1.0 + 1e-14);
        // Some singular value lies within the residual of the value found.
        let distance = values.iter().map(|s| (s - found.value).abs()).fold(f64::INFINITY, f64::min);
        assert!(distance <= found.relative_residual * found.value * 1.01 + 1e-14);
        assert_eq!(found.iterations, max_iterations);
    }
}

#[test]
fn the_zero_map_has_norm_zero() {
    let mut operator = Planted { matrix: DMatrix::zeros(30, 20), n_products: 0 };
    let found = find(&mut operator, LanczosOptions::default());
    assert_eq!((found.value, found.relative_residual), (0.0, 0.0));
    assert!(operator.n_products < 10);
}

#[test]
fn one_by_one_and_two_by_one_matrices_work() {
    let mut one = Planted { matrix: DMatrix::from_element(1, 1, -4.0), n_products: 0 };
    assert!((find(&mut one, LanczosOptions::default()).value - 4.0).abs() < 1e-14);
    let mut two = Planted { matrix: DMatrix::from_column_slice(2, 1, &[3.0, 4.0]), n_products: 0 };
    assert!((find(&mut two, LanczosOptions::default()).value - 5.0).abs() < 1e-14);
}

fn leading(operator: &mut Planted, count: usize, options: LanczosOptions) -> Vec<SingularTriplet> {
    Leading::new(operator.n_inputs(), count, options).run(operator)
}

#[test]
fn the_leading_values_are_recovered_with_their_multiplicities() {
    let tolerance = LanczosOptions { tolerance: 1e-8, ..LanczosOptions::default() };
    let steps: Vec<f64> = (0..60).map(|i| 1.0 - i as f64 / 70.0).collect();
    let graded: Vec<f64> = (0..60).map(|i| 10f64.powf(-f64::from(i) / 6.0)).collect();
    let repeated = vec![3.0; 40];
    let pairs: Vec<f64> = (0..60).map(|i| 5.0 / (1.0 + f64::from(i / 2))).collect();
    let low_rank = vec![4.0, 2.0, 2.0, 2.0, 1e-3];
    for (name, values) in
        [("steps", steps), ("graded", graded), ("repeated", repeated), ("pairs", pairs), ("low rank", low_rank)]
    {
        for scale in [1e-120, 1.0, 1e120] {
            let scaled: Vec<f64> = values.iter().map(|s| s * scale).collect();
            let mut operator = planted(90, 80, &scaled);
            let found = leading(&mut operator, 20, tolerance);
            assert_eq!(found.len(), values.len().min(20), "{name}: values below rounding error must not be listed");
            for (at, (triplet, expected)) in found.iter().zip(&scaled).enumerate() {
                let error = (triplet.value / expected - 1.0).abs();
                assert!(error < 1e-9, "{name} x {scale:e}, value {at}: {:e} for {expected:e}", triplet.value);
                // A value that is small relative to the first has the first one's rounding error.
                let floor = 1e-8 + 1e-14 * scaled[0] / expected;
                assert!(triplet.relative_residual < floor, "{name}, {at}: residual {}", triplet.relative_residual);
            }
        }
    }
}

#[test]
fn leading_values_that_are_unconverged_are_lower_bounds_one_by_one() {
    let values: Vec<f64> = (0..500).map(|i| 1.0 - i as f64 / 2000.0).collect();
    for max_iterations in [4, 20, 45] {
        let mut operator = Planted { matrix: DMatrix::from_diagonal(&values.clone().into()), n_products: 0 };
        let found = leading(&mut operator, 20, LanczosOptions { max_iterations, ..LanczosOptions::default() });
        assert_eq!(found.len(), max_iterations.min(20));
        for (triplet, value) in found.iter().zip(&values) {
            assert!(triplet.value <= value * (1.0 + 1e-13), "{} above {value}", triplet.value);
            let distance = values.iter().map(|s| (s - triplet.value).abs()).fold(f64::INFINITY, f64::min);
            assert!(distance <= triplet.relative_residual * triplet.value * 1.01 + 1e-13);
        }
        assert!(found.iter().any(|triplet| triplet.relative_residual > 1e-6), "some are unconverged");
    }
}
