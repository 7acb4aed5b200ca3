//! The matrices that the rows of a head share in the bound `local`, and the covariance of tokens under a row: see
//! [`super::dot`].

use std::sync::OnceLock;

use nalgebra::DMatrix;

use super::moments::{MomentBuffers, Moments};
use super::token_pairs::PairBuffers;
use crate::attention::{Accumulate, Centred, Kernel, Normalizer, View, ViewMut, multiply, multiply_gram};
use crate::qr::{triangle, without_more_rows};
use crate::weights::HeadWeights;

/// The matrices that the rows of one head share.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    /// c of the scores c q.k.
    pub(crate) scale: f64,
    pub(crate) r: usize,
    pub(crate) k: usize,
    pub(crate) d: usize,
    /// Values stacked over keys, (r + k) x columns.
    pub(crate) stacked: Vec<f64>,
    /// V and K, where the code computes covariances of tokens in place of those of values and keys.
    pub(crate) through: Option<Through>,
    /// The tokens prepared for the covariances of many rows at a time; `None` where rows are taken one at a time.
    pub(crate) moments: Option<Moments>,
    /// The tokens, d x columns. Where there are fewer tokens than dimensions, the tokens' coordinates in their span,
    /// and d is the number of tokens.
    pub(crate) tokens: DMatrix<f64>,
    /// Orthonormal columns that span the tokens, where the code computes everything in that span (`OnSpan`).
    pub(crate) frame: Option<DMatrix<f64>>,
    /// V V^T and K K^T.
    pub(crate) vv: DMatrix<f64>,
    pub(crate) kk: DMatrix<f64>,
    /// L with Q = L Z, where Z has orthonormal rows.
    pub(crate) query_factor: DMatrix<f64>,
    /// ||V||^2.
    pub(crate) value_square: f64,
}

/// The matrices that take tokens to values and keys.
#[derive(Clone, Debug)]
pub(crate) struct Through {
    /// V stacked over K, (r + k) x d.
    pub(crate) stacked: DMatrix<f64>,
    /// c K^T L, d x (columns of L): with it the own part is V C K^T L c = (V C) (c K^T L).
    pub(crate) own: DMatrix<f64>,
}

/// Below this dimension, covariances of tokens cost more than they save.
const LEAST_DIMENSION: usize = 16;

impl Shared {
    /// For a head, with `value` in place of its V; `on_span` is [`coordinates`] of the tokens.
    pub(crate) fn new(
        scale: f64,
        value: DMatrix<f64>,
        head: &HeadWeights,
        (tokens, on_span): (&DMatrix<f64>, DMatrix<f64>),
    ) -> Self {
        let (r, k, (d, columns)) = (value.nrows(), head.k.nrows(), tokens.shape());
        let mut through = DMatrix::zeros(r + k, d);
        through.rows_mut(0, r).copy_from(&value);
        through.rows_mut(r, k).copy_from(&head.k);
        let stacked = &through * tokens;
        // The covariances of tokens take three quarters of d^2 products a token and a change of coordinates; those of
        // values and keys take r (r + k) products a token.
        let of_tokens = columns * d * d * 3 / 4 + d * r * (d + r + k);
        let is_shorter = d >= LEAST_DIMENSION && of_tokens < columns * r * (r + k);
        let query_factor = if head.q.ncols() > k { triangle(head.q.transpose()).transpose() } else { head.q.clone() };
        let vv = &value * value.transpose();
        let through = is_shorter.then(|| Through { own: head.k.tr_mul(&query_factor) * scale, stacked: through });
        Shared {
            scale,
            r,
            k,
            d: d.min(columns),
            stacked: stacked.as_slice().to_vec(),
            moments: None,
            through,
            frame: None,
            tokens: on_span,
            value_square: largest_symmetric(&vv),
            kk: &head.k * head.k.transpose(),
            vv,
            query_factor,
        }
    }

    /// V (r x d) and K (k x d), where the code computes covariances of tokens.
    pub(crate) fn value_and_key(&self) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
        let Through { stacked, .. } = self.through.as_ref()?;
        Some((stacked.rows(0, self.r).into_owned(), stacked.rows(self.r, self.k).into_owned()))
    }

    /// Prepares the tokens for the covariances of many rows at a time, where that saves time.
    pub(crate) fn make_moments(&mut self) {
        if let (Some(through), Some((value, _))) = (&self.through, self.value_and_key()) {
            self.moments = Moments::new(&value, &through.own, &self.tokens);
        }
    }
}

/// The tokens that all heads share.
#[derive(Debug)]
pub(crate) struct LocalTokens<'a> {
    pub(crate) centred: Centred<'a, f64>,
    /// How far a token may be off that comes from a normaliser.
    pub(crate) rounding: f64,
    on_span: OnceLock<DMatrix<f64>>,
}

impl<'a> LocalTokens<'a> {
    /// The tokens after a normaliser, d x columns.
    pub(crate) fn new(normalizer: &'a Normalizer<f64>) -> Self {
        LocalTokens {
            centred: Centred::of(normalizer.outputs()),
            rounding: normalizer.rounding(),
            on_span: OnceLock::new(),
        }
    }

    /// The queries of a head, k x columns.
    pub(crate) fn queries(&self, kernel: Kernel, head: &HeadWeights) -> DMatrix<f64> {
        self.centred.queries(kernel, &head.q, &head.k)
    }

    /// [`coordinates`] of the tokens: computed by the first head that needs them.
    pub(crate) fn on_span(&self) -> DMatrix<f64> {
        self.on_span.get_or_init(|| coordinates(self.centred.tokens())).clone()
    }
}

/// Where there are fewer tokens than dimensions, the tokens' coordinates in their span; otherwise the tokens.
pub(crate) fn coordinates(tokens: &DMatrix<f64>) -> DMatrix<f64> {
    without_more_rows(tokens.clone())
}

/// Buffers that are filled while a row of a head is added.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocalBuffers {
    /// The mean of values and keys, and of tokens.
    pub(crate) mean: Vec<f64>,
    pub(crate) mean_token: Vec<f64>,
    /// Values and keys less their mean.
    pub(crate) centred: Vec<f64>,
    /// Values minus their mean, times the attention weights; or tokens minus their mean, times the roots of the
    /// weights.
    pub(crate) weighted: Vec<f64>,
    /// The covariance of the tokens, and that of values with tokens.
    pub(crate) of_tokens: Vec<f64>,
    pub(crate) through: Vec<f64>,
    /// The covariances of the tokens under many rows.
    pub(crate) moments: MomentBuffers,
    /// The products of pairs of tokens under those rows, for `local_blocks`.
    pub(crate) pairs: PairBuffers,
}

/// Computes the covariance (d x d) of the tokens (d x columns) under a row of attention in `buffers.of_tokens`; returns
/// its trace.
///
/// The covariance is W W^T, where the columns of W are the tokens minus their mean, times the roots of their weights.
/// The mean is subtracted before squaring, so nothing cancels.
pub(crate) fn covariance_of_tokens(tokens: &DMatrix<f64>, masses: &[f64], buffers: &mut LocalBuffers) -> f64 {
    let (d, columns) = (tokens.nrows(), masses.len());
    let LocalBuffers { weighted, of_tokens, mean_token, .. } = buffers;
    weighted.resize(d * columns, 0.0);
    of_tokens.resize(d * d, 0.0);
    for ((weighted, token), mass) in weighted.chunks_exact_mut(d).zip(tokens.as_slice().chunks_exact(d)).zip(masses) {
        let root = mass.sqrt();
        for ((w, x), mean) in weighted.iter_mut().zip(token).zip(mean_token.iter()) {
            *w = root * (x - mean);
        }
    }
    multiply_gram(ViewMut::new(of_tokens, d, d), View::new(weighted, d, columns));
    for col in 0..d {
        for row in col + 1..d {
            of_tokens[row * d + col] = of_tokens[col * d + row];
        }
    }
    (0..d).map(|at| of_tokens[at * d + at]).sum()
}

/// A matrix M with few rows and |M x| = |O_h V_h x| for every vector x: R_h V_h with the thin QR O_h = Z R_h, or the
/// triangular factor of R_h V_h where that has more rows than columns.
pub(crate) fn reduced_value(outer: &DMatrix<f64>, value: &DMatrix<f64>) -> DMatrix<f64> {
    // `outer` is O_h^T, d_v x d_out.
    let through = if outer.ncols() > outer.nrows() { triangle(outer.transpose()) * value } else { outer.tr_mul(value) };
    without_more_rows(through)
}

/// alpha a b.
pub(crate) fn product(
    a: View<'_, f64>,
    b: View<'_, f64>,
    (n_rows, n_columns): (usize, usize),
    alpha: f64,
) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(n_rows, n_columns);
    multiply(ViewMut::new(out.as_mut_slice(), n_rows, n_columns), Accumulate::Replace, a, b, alpha);
    out
}

/// x^T M x for a Gram matrix M, clamped to 0 against rounding.
pub(crate) fn quadratic(matrix: &DMatrix<f64>, x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (col, x_col) in x.iter().enumerate() {
        for (row, x_row) in x.iter().enumerate() {
            sum += x_row * matrix[(row, col)] * x_col;
        }
    }
    sum.max(0.0)
}

/// The largest eigenvalue of a positive semidefinite matrix, in closed form for sizes 1 and 2.
pub(crate) fn largest_symmetric(matrix: &DMatrix<f64>) -> f64 {
    match matrix.nrows() {
        0 => 0.0,
        1 => matrix[(0, 0)].max(0.0),
        2 => {
            let (a, b, c) = (matrix[(0, 0)], matrix[(0, 1)], matrix[(1, 1)]);
            (0.5 * (a + c) + (0.5 * (a - c)).hypot(b)).max(0.0)
        }
        _ => crate::spectral::largest_eigenvalue(matrix),
    }
}
