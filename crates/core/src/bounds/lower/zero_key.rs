use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_formula, no_losses};
use super::super::hypotheses::Hypotheses;
use super::super::logarithms::{ln_minus_one, shares};
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::variant_witnesses::{Images, NormalizedHead};
use crate::experiment::{Gain, VectorNorm};
use nalgebra::DVector;

/// Lower: L_n >= sqrt(n - 1) p ((1 - p) R |V u| |b| - v), p = 1/(1 + (n - 1) e^(c q.k)), from one token at 0 and n - 1 at R u,
/// with their normalised query q and key k, and b = c/sqrt(eps) K^T Π (g_k q): the slope at a key of zero. Π takes the mean
/// off for the normaliser `layer`, g_k is the gain of the keys.
///
/// Dot-product scores with qk-norm, or cosine scores; no RoPE, cap, mask, bias, sink or normaliser of the tokens. Source:
/// ours, section 6, `zero_key`.
pub static ZERO_KEY: Statement = Statement {
    id: "zero_key",
    side: Side::Lower,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "√(n − 1) p ((1 − p) R |Vu| |b| − v), p = 1/(1 + (n − 1) e^(c q·k))",
    tex: None,
    needs: &[
        Need::FurtherSteps,
        Need::QkNorm,
        Need::NoNormalizer,
        Need::MinTokens(2),
        Need::OneHeadOrConcatenated,
        Need::StepsOfZeroKey,
    ],
    otherwise: Absence::NoDirection,
    group: Group::Tokens,
    rung: Some(90),
    label: "zero_key",
    note: "zero_key",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &ZERO_KEY, value: Computation::OnBall(ln), worked: no_formula, losses: no_losses };

/// ln of the bound at the best direction; `None` where it is not above 0.
fn ln(hypotheses: &Hypotheses) -> Option<f64> {
    let head = hypotheses.variant.as_deref()?.witnesses.zero_key.as_ref()?;
    let (r, ln_others) = (hypotheses.radius, ln_minus_one(hypotheses.ln_n));
    let NormalizedHead { norm, scale, .. } = head;
    let of = |images: &Images| {
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
