//! `zero_key` (ours, docs/theory.md section 6): one token at 0 and n - 1 at R u, for normalised queries and keys without
//! RoPE, mask and bias: Lip >= sqrt(n-1) p ((1-p) R |V u| |b| - ||V||), b = c K^T [I - 11^T/k for `layer`] (g_k * q')/
//! sqrt(eps), q' and k' at R u, p = 1/(1 + (n-1) e^(c q'.k')).

use nalgebra::DVector;

use super::super::Hypotheses;
use super::super::logarithms::{ln_minus_one, shares};
use super::variant_witnesses::NormalizedHead;
use crate::experiment::{Gain, VectorNorm};

/// ln of the bound at the best direction; `None` where it is not above 0.
pub(in crate::bounds) fn ln_zero_key(hypotheses: &Hypotheses) -> Option<f64> {
    let head = hypotheses.variant.as_deref()?.witnesses.zero_key.as_ref()?;
    let (r, ln_others) = (hypotheses.radius, ln_minus_one(hypotheses.ln_n));
    let NormalizedHead { norm, scale, .. } = head;
    let of = |images: &super::variant_witnesses::Images| {
        let query = gained(normalized(&images.query * r, norm.kind, norm.eps), &norm.q_gain);
        let key = gained(normalized(&images.key * r, norm.kind, norm.eps), &norm.k_gain);
        let mut at_zero = gained(query.clone(), &norm.k_gain);
        if norm.kind == VectorNorm::Layer {
            at_zero.add_scalar_mut(-at_zero.mean());
        }
        let slope = scale * head.k.tr_mul(&at_zero).norm() / norm.eps.sqrt();
        // p and 1 - p.
        let [rest, p] = shares(ln_others + scale * query.dot(&key));
        let excess = rest * r * images.value * slope - head.value;
        (excess > 0.0).then(|| 0.5 * ln_others + p.ln() + excess.ln())
    };
    head.images.iter().filter_map(of).filter(|ln| !ln.is_nan()).max_by(f64::total_cmp)
}

/// N(z).
fn normalized(mut z: DVector<f64>, kind: VectorNorm, eps: f64) -> DVector<f64> {
    let entries = z.len() as f64;
    if kind == VectorNorm::Layer {
        z.add_scalar_mut(-z.mean());
    }
    let square = if kind == VectorNorm::L2 { z.norm_squared() } else { z.norm_squared() / entries };
    z / (square + eps).sqrt()
}

fn gained(mut z: DVector<f64>, gain: &Gain) -> DVector<f64> {
    z.iter_mut().enumerate().for_each(|(entry, x)| *x *= gain.at(entry));
    z
}
