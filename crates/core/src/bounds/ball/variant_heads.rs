//! How bounds of single maps become a bound on all heads of a variant (docs/theory.md, "Heads").

use super::super::Hypotheses;
use super::super::logarithms::{ln_add, ln_sum};
use super::super::variant::{HeadVariant, MapNorms, Variant};

/// ln of a bound from ln of the bounds of single maps, each with v = 1, or with v included for normalised values;
/// `None` for plain experiments, and where a map has no bound. A map is asked for with R and ln n.
///
/// A head with values V_h has L_h(V_h) = v (L_1 + |lambda| L_2). Concatenated heads have the root of the sum of squares.
/// With an output matrix the bound is the smallest of sum_h L_h(O_h V_h), ||O|| (sum_h L_h(V_h)^2)^(1/2) and those of
/// [`Mixing`](super::super::heads::Mixing); with normalised values only the second holds.
pub(crate) fn ln_of_maps(
    hypotheses: &Hypotheses,
    ln_map: impl Fn(&Variant, &HeadVariant, &MapNorms, f64, f64) -> Option<f64>,
) -> Option<f64> {
    let variant = hypotheses.variant.as_deref()?;
    let mut ln_heads = Vec::with_capacity(variant.heads.len());
    for head in &variant.heads {
        let mut ln = f64::NEG_INFINITY;
        for map in &head.maps {
            let of_map = ln_map(variant, head, map, hypotheses.radius, hypotheses.ln_n)?;
            ln = ln_add(ln, of_map + map.share.ln());
        }
        ln_heads.push(ln);
    }
    let with = |value: fn(&HeadVariant) -> f64| {
        ln_heads.iter().zip(&variant.heads).map(
            move |(ln, head)| {
                if variant.value_norm.is_some() { *ln } else { ln + value(head).ln() }
            },
        )
    };
    let beside = 0.5 * ln_sum(with(|head| head.value).map(|ln| 2.0 * ln));
    let combined = match variant.output_norm {
        None => beside,
        Some(norm) if variant.value_norm.is_some() => beside + norm.ln(),
        Some(norm) => {
            let mixed = hypotheses.mixings.iter().map(|mixing| mixing.ln_combine(&ln_heads)).filter(|ln| !ln.is_nan());
            mixed.fold((beside + norm.ln()).min(ln_sum(with(|head| head.outer_value))), f64::min)
        }
    };
    Some(combined + hypotheses.outer_factor.ln())
}

/// The variant, a head of it and its map, where the head has one map and its bound is v times that of the map.
pub(crate) fn single_map(hypotheses: &Hypotheses, head_idx: usize) -> Option<(&Variant, &HeadVariant, &MapNorms)> {
    let variant = hypotheses.variant.as_deref().filter(|variant| variant.value_norm.is_none())?;
    let head = variant.heads.get(head_idx)?;
    match &head.maps[..] {
        [map] => Some((variant, head, map)),
        _ => None,
    }
}
