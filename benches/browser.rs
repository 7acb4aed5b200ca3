//! The engine for benches/browser.mjs, which measures it in a worker of the browser: built with the settings of the
//! site's worker.
#![allow(missing_docs)]

use lipscope_benches::Window;
use lipscope_core::attention::{Accumulate, Forward, View, ViewMut, multiply};
use lipscope_core::experiment::Experiment;
use lipscope_core::jacobian::{JacobianOperator, LinearOperator};
use lipscope_core::measure::{MeasureOptions, measure_with};
use lipscope_core::spectral::LanczosOptions;
use lipscope_core::weights::inputs;
use nalgebra::DMatrix;
use wasm_bindgen::prelude::*;

/// An experiment with its Jacobian operator.
#[wasm_bindgen]
pub struct Case {
    experiment: Experiment,
    window: Window,
    operator: JacobianOperator<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
}

#[wasm_bindgen]
impl Case {
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str) -> Result<Case, JsError> {
        let experiment = Experiment::from_json(text)?;
        let inputs = inputs(&experiment)?;
        let operator = JacobianOperator::new(Forward::new(&experiment, &inputs)?);
        let v = (0..operator.n_inputs()).map(|i| (i as f64).sin()).collect();
        let u = vec![0.0; operator.n_outputs()];
        Ok(Case { experiment, window: Window::new(&inputs), operator, v, u })
    }

    pub fn apply(&mut self) {
        self.operator.apply(&self.v, &mut self.u);
    }

    pub fn apply_transpose(&mut self) {
        self.operator.apply_transpose(&self.u, &mut self.v);
    }

    pub fn inputs(&self) -> Result<usize, JsError> {
        Ok(inputs(&self.experiment)?.tokens.len())
    }

    /// The norm as computed for a window of a model.
    pub fn window(&self, tolerance: f64) -> f64 {
        self.window.norm(tolerance)
    }

    /// The result as JSON. A limit or tolerance of zero means the default.
    pub fn measure(&self, tolerance: f64, svd_limit: usize) -> Result<String, JsError> {
        let mut options = options(tolerance);
        if svd_limit > 0 {
            options.svd_limit = svd_limit;
        }
        Ok(measure_with(&self.experiment, options)?.to_value().to_string())
    }
}

/// The result of a whole measurement as JSON; nothing is kept afterwards. A tolerance of zero means the default.
#[wasm_bindgen]
pub fn measure_once(text: &str, tolerance: f64) -> Result<String, JsError> {
    Ok(measure_with(&Experiment::from_json(text)?, options(tolerance))?.to_value().to_string())
}

fn options(tolerance: f64) -> MeasureOptions {
    let default = MeasureOptions::default();
    if tolerance > 0.0 {
        return MeasureOptions { lanczos: LanczosOptions { tolerance, ..default.lanczos }, ..default };
    }
    default
}

/// A matrix product of a shape in f64 or f32, by the engine or by a library.
#[wasm_bindgen]
pub struct Product {
    f64: Factors<f64>,
    f32: Factors<f32>,
    transposed: bool,
}

struct Factors<T> {
    a: DMatrix<T>,
    b: DMatrix<T>,
    out: DMatrix<T>,
}

macro_rules! product {
    ($float:ty, $factors:expr, $transposed:expr, $kernel:expr) => {{
        let Factors { a, b, out } = $factors;
        let (m, n) = out.shape();
        match ($kernel, $transposed) {
            ("engine", _) => {
                let stored = View::new(a.as_slice(), a.nrows(), a.ncols());
                let left = if $transposed { stored.transpose() } else { stored };
                let right = View::new(b.as_slice(), b.nrows(), n);
                multiply(ViewMut::new(out.as_mut_slice(), m, n), Accumulate::Replace, left, right, 1.0 as $float);
            }
            ("nalgebra", true) => out.gemm_tr(1.0, a, b, 0.0),
            ("nalgebra", false) => out.gemm(1.0, a, b, 0.0),
            ("faer", _) => {
                use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
                let stored = MatRef::from_column_major_slice(a.as_slice(), a.nrows(), a.ncols());
                let left = if $transposed { stored.transpose() } else { stored };
                let right = MatRef::from_column_major_slice(b.as_slice(), b.nrows(), n);
                let target = MatMut::from_column_major_slice_mut(out.as_mut_slice(), m, n);
                matmul(target, Accum::Replace, left, right, 1.0 as $float, Par::Seq);
            }
            ("loop", transposed) => {
                out.fill(0.0);
                for (b_column, mut column) in b.column_iter().zip(out.column_iter_mut()) {
                    if transposed {
                        column.iter_mut().zip(a.column_iter()).for_each(|(x, row)| *x = row.dot(&b_column));
                    } else {
                        a.column_iter().zip(b_column.iter()).for_each(|(y, x)| column.axpy(*x, &y, 1.0));
                    }
                }
            }
            (other, _) => return Err(JsError::new(&format!("There is no kernel {other}."))),
        }
    }};
}

#[wasm_bindgen]
impl Product {
    #[wasm_bindgen(constructor)]
    pub fn new(m: usize, n: usize, k: usize, transposed: bool) -> Product {
        let (a_rows, a_columns) = if transposed { (k, m) } else { (m, k) };
        let a = DMatrix::from_fn(a_rows, a_columns, |r, c| ((3 * r + 7 * c) % 11) as f64 - 5.0);
        let b = DMatrix::from_fn(k, n, |r, c| ((5 * r + 2 * c) % 13) as f64 - 6.0);
        let f32 = Factors { a: a.map(|x| x as f32), b: b.map(|x| x as f32), out: DMatrix::zeros(m, n) };
        Product { f64: Factors { a, b, out: DMatrix::zeros(m, n) }, f32, transposed }
    }

    /// Computes the product `repeats` times.
    pub fn run(&mut self, kernel: &str, bits: u32, repeats: u32) -> Result<(), JsError> {
        for _ in 0..repeats {
            match bits {
                32 => product!(f32, &mut self.f32, self.transposed, kernel),
                _ => product!(f64, &mut self.f64, self.transposed, kernel),
            }
        }
        Ok(())
    }

    /// A weighted sum of the result, to compare kernels.
    pub fn checksum(&self, bits: u32) -> f64 {
        match bits {
            32 => self.f32.out.iter().enumerate().map(|(i, x)| f64::from(*x) * ((i % 17) as f64)).sum(),
            _ => self.f64.out.iter().enumerate().map(|(i, x)| *x * ((i % 17) as f64)).sum(),
        }
    }
}
