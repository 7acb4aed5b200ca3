//! Heads whose Q, K and V are multiples of the identity treat all directions alike. Their bounds on the ball in d
//! dimensions equal those in a few dimensions, and their bounds at n < d given tokens equal those in the span of the
//! tokens. This avoids decompositions of d x d matrices: three tokens of a thousand numbers take milliseconds instead
//! of ten seconds.

use nalgebra::DMatrix;

use crate::attention::Centred;
use crate::identity::{SMALL, multiple_of_identity};
use crate::qr::thin_qr;
use crate::weights::{HeadWeights, Weights};

/// Dimensions in which the lower bounds look for directions: more than a witness spans.
const FEW: usize = 6;

/// Weights with the same A and V in [`FEW`] dimensions; `None` where d is small, where there is an output matrix, and
/// where Q, K or V is no multiple of the identity.
pub(crate) fn in_few_dimensions(weights: &Weights) -> Option<Weights> {
    if weights.d() <= SMALL || weights.output.is_some() {
        return None;
    }
    let heads = weights.heads.iter().map(|head| in_dimensions(head, FEW)).collect::<Option<Vec<_>>>()?;
    Some(Weights { heads, shared: Vec::new(), output: None, l2_mha: None })
}

/// A head in e dimensions, whose A and V are the same multiples of the identity; `None` where Q, K or V is no multiple
/// of the identity.
fn in_dimensions(head: &HeadWeights, e: usize) -> Option<HeadWeights> {
    let [q, k, v] = multiples(head)?;
    let identity = DMatrix::<f64>::identity(e, e);
    // A = K^T Q / sqrt(rows of Q).
    let rescaled = k * (e as f64 / head.q.nrows() as f64).sqrt();
    Some(HeadWeights { q: &identity * q, k: &identity * rescaled, v: identity * v, second: None })
}

fn multiples(head: &HeadWeights) -> Option<[f64; 3]> {
    Some([multiple_of_identity(&head.q)?, multiple_of_identity(&head.k)?, multiple_of_identity(&head.v)?])
}

/// A head and the tokens in coordinates of the span of the tokens.
pub(crate) struct OnSpan {
    /// d x e with orthonormal columns; e is the number of tokens, plus one where [`Centred`] took a common part from
    /// the tokens.
    pub(crate) frame: DMatrix<f64>,
    /// The tokens' coordinates, e x n.
    pub(crate) tokens: DMatrix<f64>,
    /// Q, K and V as multiples of the e x e identity, V also times the outer factor. They go with the kernel of the
    /// original head, which has key dimension d.
    pub(crate) head: HeadWeights,
}

impl OnSpan {
    /// The head on the span of tokens (d x n) and of their queries; `None` where Q, K, V or the outer matrix is no
    /// multiple of the identity, and where this gains nothing: with few dimensions, or with at least as many tokens as
    /// dimensions.
    pub(crate) fn of(outer: &DMatrix<f64>, head: &HeadWeights, centred: &Centred<'_, f64>) -> Option<Self> {
        let (d, n) = centred.tokens().shape();
        let spanning = centred.with_centre();
        let e = spanning.ncols();
        if e >= d || d <= SMALL {
            return None;
        }
        let ([q, k, v], outer) = (multiples(head)?, multiple_of_identity(outer)?);
        let (frame, coordinates) = thin_qr(spanning.into_owned());
        let tokens = coordinates.columns(0, n).into_owned();
        let of = |factor: f64| DMatrix::identity(e, e) * factor;
        Some(OnSpan { frame, tokens, head: HeadWeights { q: of(q), k: of(k), v: of(outer * v), second: None } })
    }
}
