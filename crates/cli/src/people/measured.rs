//! A measurement for people: L at these tokens, the ladder of bounds around it, why other bounds are absent, and sources.

use std::time::Duration;

use lipscope_core::bounds::{ADVERSARIAL_ENVELOPE, Bound, Norm};
use lipscope_core::experiment::{Experiment, Normalization, Scope};
use lipscope_core::measure::{Measurement, Method, Upper, UpperBy};
use lipscope_plot::{Kind, Number};

use super::bounds::{absences, around, listed};
use super::duration::duration;
use super::ladder::{Rung, claim};
use super::look::{Ink, Look, unbroken};
use super::names::{label, sources};
use super::page::Page;

/// The text of a measurement of an experiment that took this long.
pub(crate) fn measured(found: &Measurement, experiment: &Experiment, took: Duration, look: Look) -> String {
    let (kind, what) = match found.is_converged() {
        true => (Kind::Exact, "The worst small change of these tokens is magnified by this factor."),
        false => (Kind::LowerBound, "Some small change of these tokens is magnified by at least this factor."),
    };
    let own = Rung::from_value("these tokens", found.spectral, kind, Ink::Strong);
    let page = Page::new(&format!("L {}", claim(found.spectral.log10(), kind)), look)
        .line(Ink::Text, what)
        .line(Ink::Text, &method(found))
        .line(Ink::Text, &tokens(found))
        .lines(Ink::Text, other_norms(found))
        .lines(Ink::Text, upper_by_chance(found))
        .lines(Ink::Text, found.warnings.iter().map(ToString::to_string))
        .gap()
        .ladder("Bounds, on a logarithmic scale:", &around(own, &found.bounds))
        .line(Ink::Muted, &meaning(found, experiment))
        .gap()
        .lines(Ink::Muted, absences(&found.absent, &found.bounds))
        .gap()
        .lines(Ink::Muted, sources(&listed(&found.bounds)))
        .line(Ink::Muted, &format!("Measured in {}. --json writes every number.", duration(took)));
    page.text()
}

/// How the number was computed.
fn method(found: &Measurement) -> String {
    if found.iterations == 0 {
        return match found.method {
            Method::DenseSvd => "It is exact: all singular values were computed.".into(),
            Method::Clusters | Method::Lanczos | Method::CausalRuns => "It is exact.".into(),
        };
    }
    let residual = unbroken(&Number::rough(found.relative_residual).to_string());
    format!("It was iterated: {} steps, relative residual {residual}.", found.iterations)
}

fn tokens(found: &Measurement) -> String {
    // A count is written whole as long as anybody reads it.
    let n = if found.n < 1e7 { found.n.to_string() } else { Number::short(found.n).to_string() };
    format!("n = {}, d = {}, R = {}.", unbroken(&n), found.d, unbroken(&Number::short(found.radius).to_string()))
}

/// The norms that need the whole Jacobian; `None` where they were not computed.
fn other_norms(found: &Measurement) -> Option<String> {
    let norms = found.dense?;
    let [frobenius, linf, l1] =
        [norms.frobenius, norms.linf, norms.l1].map(|norm| unbroken(&claim(norm.log10(), Kind::Exact)));
    Some(format!("Other norms: Frobenius {frobenius}, l_inf {linf}, l_1 {l1}."))
}

/// The upper number that may fail; `None` where the norm is exact, or a proved bound is smaller and stands on the ladder.
fn upper_by_chance(found: &Measurement) -> Option<String> {
    match found.upper {
        Some(Upper { value, failure, by: UpperBy::Chance }) => {
            let number = unbroken(&claim(value.log10(), Kind::UpperBound));
            Some(format!("L {number} at these tokens, except with probability {}.", Number::short(failure)))
        }
        _ => None,
    }
}

/// The tokens for which the bounds hold.
fn meaning(found: &Measurement, experiment: &Experiment) -> String {
    let holds_on_ball =
        experiment.normalization == Normalization::None || experiment.normalization_scope == Scope::Inputs;
    let upper = match holds_on_ball {
        true => "≤ holds for all tokens of norm at most R; a local bound holds at these tokens.",
        false => "≤ holds at these tokens: it uses the slope of the normaliser there.",
    };
    let is_envelope = |bound: &&Bound| bound.id == &ADVERSARIAL_ENVELOPE;
    let lower = match listed(&found.bounds).iter().any(is_envelope) {
        true => format!("≥ is reached by some n tokens, “{}” by n or fewer.", label(&ADVERSARIAL_ENVELOPE)),
        false => "≥ is reached by some n tokens.".to_owned(),
    };
    let others = match found.bounds.iter().any(|bound| !bound.id.is_about(Norm::Spectral)) {
        true => " Bounds on other norms are not shown.",
        false => "",
    };
    format!("{upper} {lower}{others}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::look::Colours;
    use lipscope_core::bounds::{
        Absence, BoundId, CASTIN_GENERAL, CASTIN_MEAN_FIELD, FORK, KIM_L2, KIM_LINF, SHARP, SHARP_MASKED, TWO_CLUSTERS,
        Witnesses,
    };
    use lipscope_core::experiment::{TokenSource, WeightSource};
    use lipscope_core::measure::{DenseNormValues, Warning};

    fn bound(id: BoundId, log10: f64) -> Bound {
        let value = Some(10f64.powf(log10)).filter(|value| value.is_finite());
        Bound { id, side: id.side(), norm: id.norm(), value, log10 }
    }

    fn found() -> Measurement {
        const NORM: f64 = 4.0406;
        Measurement {
            spectral: NORM,
            dense: Some(DenseNormValues { frobenius: 5.2, linf: 6.0, l1: 6.5, max_token: None }),
            upper: Some(Upper { value: NORM, failure: 0.0, by: UpperBy::Exact }),
            probable: Vec::new(),
            singular_values: None,
            method: Method::DenseSvd,
            iterations: 0,
            relative_residual: 0.0,
            n: 12.0,
            d: 2,
            radius: 1.5,
            bounds: vec![
                bound(&SHARP, 8.5012f64.log10()),
                bound(&CASTIN_GENERAL, 3.9e21f64.log10()),
                bound(&TWO_CLUSTERS, NORM.log10()),
            ],
            slacks: Vec::new(),
            absent: vec![
                (&CASTIN_MEAN_FIELD, Absence::CausalMask),
                (&SHARP_MASKED, Absence::NoMask),
                (&KIM_L2, Absence::OtherAttention),
                (&KIM_LINF, Absence::OtherAttention),
                (&FORK, Absence::OneDimension),
                (&FORK, Absence::HeadsMixed),
            ],
            witnesses: Witnesses::default(),
            largest_column_sum: None,
            large_radius_limit: None,
            mean_field_limit: None,
            warnings: Vec::new(),
        }
    }

    fn text(found: &Measurement, width: usize, colours: Colours) -> String {
        let experiment =
            Experiment::of(TokenSource::Adversarial { n: 12, radius: 1.5 }, WeightSource::Identity { sign: -1.0 });
        measured(found, &experiment, Duration::from_millis(12), Look { width, colours })
    }

    #[test]
    fn a_measurement_is_its_number_its_ladder_its_absent_bounds_and_their_sources() {
        let expected = "
  L = 4.041

  The worst small change of these tokens is magnified by this factor.
  It is exact: all singular values were computed.
  n = 12, d = 2, R = 1.5.
  Other norms: Frobenius = 5.200, l_inf = 6.000, l_1 = 6.500.

  Bounds, on a logarithmic scale:
  any n [C]          ≤ 3.900 × 10²¹  ███████████████████████████████████████→
  best bound (ours)  ≤ 8.502         █████████████████████████████████████▏
  these tokens       = 4.041         ████████████████████████▎
  two clusters       = 4.041         ████████████████████████▎
                                     1 ─────────────────────────────────── 10

  ≤ holds for all tokens of norm at most R; a local bound holds at these tokens.
  ≥ is reached by some n tokens.

  mean-field [C]: not proved for the causal mask
  L2-MHA [K]: only for L2 multi-head attention
  fork: needs two dimensions; needs a single head where there is an output
  matrix

  any n [C]: Castin, Ablin, Peyré 2024, Theorem 3.3 and its masked version
  All others: ours, with proofs in docs/theory.md
  Measured in 12 ms. --json writes every number.
";
        assert_eq!(text(&found(), 80, Colours::Absent), expected);
    }

    #[test]
    fn colours_change_no_word_and_a_narrow_terminal_breaks_no_number() {
        let coloured = text(&found(), 80, Colours::Ansi);
        assert!(coloured.starts_with("\n  \u{1b}[1mL = 4.041\u{1b}[0m\n\n  The worst"), "{coloured}");
        assert!(coloured.contains("\n  \u{1b}[38;5;244mL2-MHA [K]: only for L2 multi-head attention\u{1b}[0m\n"));
        let codes =
            ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[38;5;166m", "\u{1b}[38;5;30m", "\u{1b}[38;5;33m", "\u{1b}[38;5;244m"];
        let words = codes.iter().fold(coloured, |text, code| text.replace(code, ""));
        assert_eq!(words, text(&found(), 80, Colours::Absent));
        let narrow = text(&found(), 40, Colours::Absent);
        assert!(narrow.lines().all(|line| line.chars().count() <= 40), "{narrow}");
        assert!(narrow.contains("\n    ≤ 3.900 × 10²¹  ███████████████████→\n"), "{narrow}");
        assert!(narrow.contains("\n  Other norms: Frobenius = 5.200, l_inf\n  = 6.000, l_1 = 6.500.\n"), "{narrow}");
    }

    #[test]
    fn what_has_not_converged_is_a_lower_bound_and_an_upper_number_says_how_rarely_it_fails() {
        let unconverged = Warning::Unconverged { relative_residual: 3e-4, tolerance: 1e-10 };
        let upper = Some(Upper { value: 4.1, failure: 1e-9, by: UpperBy::Chance });
        let (method, iterations) = (Method::Lanczos, 300);
        let found = Measurement { warnings: vec![unconverged], upper, method, iterations, dense: None, ..found() };
        let text = text(&found, 100, Colours::Absent);
        for line in [
            "\n  L ≥ 4.040\n",
            "\n  Some small change of these tokens is magnified by at least this factor.\n",
            "\n  L ≤ 4.100 at these tokens, except with probability 10⁻⁹.\n",
            "before reaching 1e-10: the norm",
        ] {
            assert!(text.contains(line), "{line} is missing in\n{text}");
        }
        assert!(!text.contains("Other norms"), "{text}");
    }
}
