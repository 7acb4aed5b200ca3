//! The directions in which `centre` looks for its tokens.

use nalgebra::{DMatrix, DVector};

use super::super::heads::HeadSpan;
use super::super::local::shared::reduced_value;
use crate::weights::Weights;

/// A direction e of a head.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CentreDirection {
    /// e.
    pub(super) direction: DVector<f64>,
    /// |A^T e|.
    pub(super) stretch: f64,
    /// |V e|^2, V e.V w, |V w|^2.
    pub(super) values: [f64; 3],
}

/// The directions of the leading heads: where A is longest, from the left, alone and followed by V. None for several
/// heads and an output matrix, where the other heads may cancel the one of the direction.
pub(crate) fn directions(weights: &Weights, leading: &[(usize, HeadSpan)]) -> Vec<CentreDirection> {
    if weights.output.is_some() && weights.heads.len() > 1 {
        return Vec::new();
    }
    let of_head = |(head_idx, span): &(usize, HeadSpan)| -> Vec<CentreDirection> {
        let Some((outer, value)) = weights.values_through_output().nth(*head_idx) else { return Vec::new() };
        let on_span = reduced_value(&outer, value) * &span.basis;
        let images = span.right_singular_vectors().into_iter().map(|u| &span.a * u);
        images.filter_map(|e| CentreDirection::of(span, &on_span, &e)).collect()
    };
    leading.iter().flat_map(of_head).collect()
}

impl CentreDirection {
    /// Of a vector along e, in the basis of A and V; `None` where it or A^T e is zero or not finite.
    fn of(span: &HeadSpan, value: &DMatrix<f64>, along: &DVector<f64>) -> Option<Self> {
        let unit = |x: &DVector<f64>| {
            let length = x.norm();
            (length > 0.0 && length.is_finite()).then(|| (x / length, length))
        };
        let (e, _) = unit(along)?;
        let (w, stretch) = unit(&span.a.tr_mul(&e))?;
        let (of_e, of_w) = (value * &e, value * w);
        let values = [of_e.norm_squared(), of_e.dot(&of_w), of_w.norm_squared()];
        Some(CentreDirection { direction: &span.basis * e, stretch, values })
    }

    /// The same direction in a space of d dimensions; the added coordinates are zero.
    pub(crate) fn in_dimension(self, d: usize) -> Self {
        CentreDirection { direction: self.direction.resize_vertically(d, 0.0), ..self }
    }
}
