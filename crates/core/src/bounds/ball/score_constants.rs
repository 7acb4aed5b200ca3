//! The constants of scores on the ball (ours, docs/theory.md, "The constants of scores"): for all tokens of the ball and
//! with a_ij = ds_ij/dx_i, b_ij = ds_ij/dx_j,
//!
//! - |a_ij| <= a_o/R, or after subtracting a vector that does not depend on j where there is no sink;
//! - |b_ij| <= a_m/R;
//! - s_ij - s_il <= 2 kappa and s_ij <= s+, both without the bias.

use super::super::variant::{HeadVariant, MapNorms, Scores, Variant};
use super::row_mass::KeySlopes;
use crate::experiment::{Mask, Order, VectorNorm};

/// The constants of one map on the ball of radius R.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScoreConstants {
    /// a_o.
    pub(crate) own: f64,
    /// a_o where nothing may be subtracted: for weights that depend on their own score alone.
    pub(crate) whole_own: f64,
    /// a_m.
    pub(crate) mixed: f64,
    /// 2 kappa.
    pub(crate) range: f64,
    /// s+.
    pub(crate) top: f64,
    /// The lowest score.
    pub(crate) bottom: f64,
    /// How b_ij depends on j.
    pub(crate) slopes: KeySlopes,
}

impl ScoreConstants {
    /// The constants of a map of a head on the ball of radius R with e^ln_n tokens.
    pub(crate) fn of(variant: &Variant, head: &HeadVariant, map: &MapNorms, r: f64, ln_n: f64) -> Self {
        let cap = |score: f64| variant.softcap.map_or(score, |tau| tau * (score / tau).tanh());
        let same = |own: f64, mixed: f64, score: f64, slopes: KeySlopes| {
            let top = cap(score);
            ScoreConstants { own, whole_own: own, mixed, range: 2.0 * top, top, bottom: -top, slopes }
        };
        let (c, q, k) = (map.scale, map.q_norm, map.k_norm);
        match variant.scores {
            Scores::Dot => {
                let a = map.a_norm * r * r;
                let slopes = if variant.softcap.is_some() { KeySlopes::Scaled } else { KeySlopes::Constant };
                same(a, a, a, slopes)
            }
            Scores::Rope => {
                let a = largest_turned(map, &variant.mask, ln_n) * r * r;
                same(a, a, a, KeySlopes::Any)
            }
            Scores::Normalized { kind, eps, q_gain, k_gain } => {
                let root = eps.sqrt();
                let longest = if kind == VectorNorm::L2 { 1.0 } else { map.k.sqrt() };
                let [query, key] = [(q_gain, q), (k_gain, k)].map(|(gain, norm)| gain * longest.min(norm * r / root));
                same(
                    r * c * q_gain * q * key / root,
                    r * c * k_gain * k * query / root,
                    c * query * key,
                    KeySlopes::Any,
                )
            }
            Scores::L2 => {
                let difference = (q + k) * r;
                let whole_own = 2.0 * c * q * difference * r;
                // The part of a_ij with x_i drops out where the weights of a row sum to one and no cap scales it.
                let drops = head.sink.is_none() && variant.softcap.is_none();
                let own = if drops { 2.0 * map.a_norm * r * r } else { whole_own };
                let range = cap(c * difference * difference);
                let mixed = 2.0 * c * k * difference * r;
                ScoreConstants { own, whole_own, mixed, range, top: 0.0, bottom: -range, slopes: KeySlopes::Any }
            }
            Scores::Linear => {
                let (own, mixed) = (q * r, k * r);
                let range = mixed + mixed.ln_1p();
                // There is no sink, so that no bound asks for s+.
                ScoreConstants { own, whole_own: own, mixed, range, top: 0.0, bottom: 0.0, slopes: KeySlopes::Any }
            }
        }
    }
}

/// An upper bound on ||A_t|| over the offsets t = i - j that occur: their largest norm where all of them are computed,
/// otherwise c ||Q|| ||K||.
fn largest_turned(map: &MapNorms, mask: &Mask, ln_n: f64) -> f64 {
    let n = ln_n.exp().round();
    let (back, ahead) = match mask {
        Mask::None | Mask::Allowed(_) | Mask::Padding { order: Order::Free, .. } => (n, n),
        Mask::Causal | Mask::Padding { order: Order::Causal, .. } => (n, 1.0),
        Mask::Window { width, order: Order::Free } => (n.min(*width as f64), n.min(*width as f64)),
        Mask::Window { width, order: Order::Causal } => (n.min(*width as f64), 1.0),
        Mask::Prefix { length } => (n, n.min(*length as f64).max(1.0)),
    };
    let product = map.scale * map.q_norm * map.k_norm;
    let [of_back, of_ahead] = [(back, 0), (ahead, 1)].map(|(count, side)| {
        let known: &Vec<f64> = &map.by_offset[side];
        if count <= known.len() as f64 { known.get((count - 1.0).max(0.0) as usize).copied() } else { None }
    });
    of_back.zip(of_ahead).map_or(product, |(back, ahead)| back.max(ahead).min(product))
}
