//! Attention restricted to a line through the origin: tokens r_i u and perturbations xi_i u with |u| = 1.
//!
//! Each head h reduces to a scalar problem: its scores are lambda_h r_i r_j with lambda_h = u^T A_h u, and its response
//! is a scalar Jacobian B_h times w_h = O_h V_h u. The norm on such perturbations is a lower bound for any u
//! (docs/theory.md, `two_clusters`). Candidates for u are eigenvectors of A for its extreme real eigenvalues, and
//! eigenvectors of the symmetric part of A for its lowest and highest eigenvalue. All real eigenvalues of A lie between
//! these two.

use nalgebra::{DMatrix, DVector};

use super::super::heads::HeadSpan;
use crate::qr::without_more_rows;
use crate::tokens::AdversarialDirection;
use crate::weights::{HeadWeights, Weights};

/// The constants of the heads on a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// u.
    pub(crate) direction: DVector<f64>,
    /// u^T A_h u of each head.
    pub(crate) lambdas: Vec<f64>,
    /// A column for each head: a triangular factor of the w_h side by side, or the lengths |w_h| on the diagonal where
    /// heads are concatenated. The matrix is a factor, not the products w_h . w_h', so that heads that cancel keep
    /// their digits.
    pub(crate) responses: DMatrix<f64>,
}

impl Line {
    /// The same line in a space of d dimensions; the added coordinates are zero.
    pub(crate) fn in_dimension(self, d: usize) -> Self {
        Line { direction: self.direction.resize_vertically(d, 0.0), ..self }
    }
}

/// The constants of the weights that the adversarial bounds need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AdversarialLine {
    /// gamma = max(-lambda_min, lambda_max / 8) over the real eigenvalues of the first head's A.
    pub(crate) gamma: f64,
    /// |V u| (|O V u| with an output matrix).
    pub(crate) gain: f64,
}

/// The candidate lines of the lower bounds.
pub(crate) fn lines(weights: &Weights, leading: &[(usize, HeadSpan)]) -> Vec<Line> {
    leading
        .iter()
        .flat_map(|(head_idx, span)| directions(&weights.heads[*head_idx], span))
        .map(|direction| on_line(weights, direction))
        .fold(Vec::new(), |mut lines, line| {
            // Lines with equal constants give the same bound.
            if !lines.iter().any(|known| is_same(known, &line)) {
                lines.push(line);
            }
            lines
        })
}

fn is_same(a: &Line, b: &Line) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    a.lambdas.iter().zip(&b.lambdas).all(|(a, b)| near(*a, *b))
        && a.responses.shape() == b.responses.shape()
        && a.responses
            .tr_mul(&a.responses)
            .iter()
            .zip(b.responses.tr_mul(&b.responses).iter())
            .all(|(a, b)| near(*a, *b))
}

/// The constants of the adversarial tokens, which come from the first head. `None` with several heads and an output
/// matrix: the other heads may then cancel the first one's response.
pub(crate) fn adversarial_line(weights: &Weights) -> Option<AdversarialLine> {
    if weights.output.is_some() && weights.heads.len() > 1 {
        return None;
    }
    let AdversarialDirection { direction, gamma, .. } =
        AdversarialDirection::of(weights.heads.first()?.query_key()).ok()?;
    let gain = response(weights, 0, &direction).norm();
    Some(AdversarialLine { gamma, gain })
}

/// Extreme real eigenvectors of A and extreme eigenvectors of its symmetric part.
fn directions(head: &HeadWeights, span: &HeadSpan) -> Vec<DVector<f64>> {
    let mut directions = symmetric_extremes(span);
    if let Ok(extremes) = crate::tokens::extreme_real_eigenvectors(head.query_key()) {
        directions.extend(extremes);
    }
    directions.retain(|u| u.iter().all(|x| x.is_finite()) && (u.norm() - 1.0).abs() < 1e-6);
    directions
}

/// The eigenvectors of (A + A^T)/2 for its lowest and highest eigenvalue, computed on the span of the rows of Q and K.
fn symmetric_extremes(HeadSpan { basis, a }: &HeadSpan) -> Vec<DVector<f64>> {
    let symmetric = (a + a.transpose()) * 0.5;
    let scale = symmetric.amax();
    if !(scale.is_finite() && scale > 0.0) {
        return vec![basis.column(0).into_owned()];
    }
    let eigen = (symmetric / scale).symmetric_eigen();
    [eigen.eigenvalues.imin(), eigen.eigenvalues.imax()]
        .map(|at| {
            let u = basis * eigen.eigenvectors.column(at);
            let length = u.norm();
            u / length
        })
        .into()
}

fn on_line(weights: &Weights, direction: DVector<f64>) -> Line {
    let lambdas: Vec<f64> = weights
        .heads
        .iter()
        .map(|head| (&head.k * &direction).dot(&(&head.q * &direction)) / (head.q.nrows() as f64).sqrt())
        .collect();
    let responses: Vec<DVector<f64>> = (0..weights.heads.len()).map(|h| response(weights, h, &direction)).collect();
    let responses = if weights.output.is_some() {
        let side_by_side = DMatrix::from_columns(&responses);
        without_more_rows(side_by_side)
    } else {
        DMatrix::from_diagonal(&DVector::from_fn(responses.len(), |h, _| responses[h].norm()))
    };
    Line { direction, lambdas, responses }
}

/// O_h V_h u, or V_h u without an output matrix.
fn response(weights: &Weights, head_idx: usize, direction: &DVector<f64>) -> DVector<f64> {
    let value = &weights.heads[head_idx].v * direction;
    match &weights.output {
        None => value,
        Some(output) => {
            let start: usize = weights.heads[..head_idx].iter().map(|head| head.v.nrows()).sum();
            output.columns(start, value.len()) * value
        }
    }
}
