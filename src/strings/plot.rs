//! The plot of measured draws.

use crate::words::plot as words;
pub use crate::words::plot::*;

use crate::state::XAxis;
use lipscope_core::bounds::is_same;
use lipscope_core::experiment::TokenSource;
use lipscope_core::fit::PowerLaw;
use lipscope_plot::{HoverValue, Kind, Number, Role, ValueForm};
use lipscope_protocol::tasks::SweepRequest;

pub fn axis_choice(axis: XAxis) -> &'static str {
    match axis {
        XAxis::SqrtN => "√n",
        XAxis::N => "n",
        XAxis::LogLog => words::axis_choice(),
    }
}

pub fn x_axis_title(axis: XAxis) -> &'static str {
    match axis {
        XAxis::SqrtN => x_axis_title::sqrt_n(),
        XAxis::N => x_axis_title::n(),
        XAxis::LogLog => x_axis_title::log_log(),
    }
}

/// Whether the half width of an interval has no digit of its own where three decimals are written.
fn is_no_width(half_width: f64) -> bool {
    half_width < 5e-4
}

/// A number of three decimals with the half width of its interval, where it has any.
pub(super) fn with_half_width(number: String, half_width: f64) -> String {
    if is_no_width(half_width) { number } else { format!("{number} ± {half_width:.3}") }
}

/// The fitted slope. It has an interval only for random tokens, and at more than two lengths.
pub fn slope(fit: Option<PowerLaw>, draws: usize, lengths: &[usize]) -> String {
    let ends = lengths.first().zip(lengths.last());
    match (fit, ends) {
        (Some(fit), Some((first, last))) if draws < 2 || lengths.len() < 3 => {
            slope::between { exponent: signed(fit.exponent), first, last }.text()
        }
        (Some(fit), Some((first, last))) if is_no_width(fit.half_width) => {
            slope::between { exponent: signed(fit.exponent), first, last }.text()
        }
        (Some(fit), _) => slope::with_interval(with_half_width(signed(fit.exponent), fit.half_width)),
        (None, _) => slope::none().into(),
    }
}

/// The name of the mean of a sweep. A list is sampled by its subsets, and the whole of it is one sample.
pub fn mean_label(of: Option<&SweepRequest>) -> String {
    match draws_of(of) {
        Draws::One => measured().into(),
        Draws::Samples(draws) => words::mean_label(draws),
        Draws::Subsets(draws) => mean_of_subsets(draws),
    }
}

/// The name of the measured value where n is not the present number of tokens: it is the largest at this n.
pub fn largest_label(of: Option<&SweepRequest>) -> String {
    match draws_of(of) {
        Draws::One => measured().into(),
        Draws::Samples(draws) => largest(draws),
        Draws::Subsets(draws) => largest_of_subsets(draws),
    }
}

/// What a sweep measures at each n.
enum Draws {
    /// One list of tokens.
    One,
    /// Several lists that are drawn.
    Samples(usize),
    /// Several subsets of a list.
    Subsets(usize),
}

fn draws_of(of: Option<&SweepRequest>) -> Draws {
    match of.map(|of| (of.draws, &of.experiment.tokens, of.lengths.as_slice())) {
        None | Some((0 | 1, ..)) => Draws::One,
        Some((_, TokenSource::Explicit(rows), lengths)) if lengths.iter().all(|n| *n >= rows.n_rows()) => Draws::One,
        Some((draws, TokenSource::Explicit(_), _)) => Draws::Subsets(draws),
        Some((draws, ..)) => Draws::Samples(draws),
    }
}

pub fn n_equals(n: f64) -> String {
    format!("n = {}", count(n))
}

/// A number of tokens: with all digits if people would write it so.
pub fn count(n: f64) -> String {
    const MOST_DIGITS: usize = 7;
    let is_round = n >= 1e6 && n % 1e4 == 0.0;
    if n >= 1e7 || is_round {
        return Number::short(n).to_string();
    }
    // Clusters may hold a number of tokens that is no whole one.
    let digits = n.to_string();
    if digits.len() > MOST_DIGITS { Number::of(n).to_string() } else { digits }
}

/// The value of each named curve at n, with its name and sign. The mean has the range of its samples.
pub fn readout(n: f64, values: &[HoverValue]) -> String {
    let samples = values.iter().find(|value| value.id == "draws" && value.x == n && value.count > 1);
    let log10_of = |value: &HoverValue| if value.given == ValueForm::Log10 { value.y } else { value.y.log10() };
    let is_measured = |value: &&HoverValue| matches!(value.role, Role::Measured | Role::Selected) && value.x == n;
    let measured: Vec<f64> = values.iter().filter(is_measured).map(log10_of).collect();
    let of = |value: &HoverValue| {
        let log10 = log10_of(value);
        // One number rounded in two ways would look like two numbers.
        let kind = match kind_of_role(value.role) {
            Kind::LowerBound if measured.iter().any(|norm| is_same(*norm, log10)) => Kind::Plain,
            kind => kind,
        };
        let number = Number::claimed(log10, kind).to_string();
        match samples.filter(|_| value.role == Role::Measured) {
            Some(samples) => {
                let [high, low] = [samples.high, samples.low].map(|end| Number::of(end).to_string());
                if high == low { number } else { readout { high, low, mean: number }.text() }
            }
            None => number,
        }
    };
    let named = values.iter().filter(|value| !value.label.is_empty());
    let parts = named.map(|value| format!("{} {}", value.label, of(value)));
    std::iter::once(n_equals(n)).chain(parts).collect::<Vec<_>>().join("  ·  ")
}

/// The kind of a curve's numbers.
fn kind_of_role(role: Role) -> Kind {
    match role {
        Role::Sharp | Role::Unified | Role::Local | Role::PublishedGeneral | Role::PublishedMeanField => {
            Kind::UpperBound
        }
        Role::LowerBound | Role::LowerSink | Role::LowerFork => Kind::LowerBound,
        // The family and its envelope are norms of known tokens, and the others are no bounds.
        Role::LowerFamily
        | Role::Envelope
        | Role::Skew
        | Role::Measured
        | Role::Selected
        | Role::ReleasedScript
        | Role::Reference => Kind::Plain,
    }
}

/// Three decimals, with a minus sign as wide as a digit.
pub(super) fn signed(x: f64) -> String {
    // A number that rounds to zero has no sign.
    let rounded = (1e3 * x).round() / 1e3 + 0.0;
    format!("{rounded:.3}").replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_token_has_four_digits_and_a_slope_of_nothing_no_sign() {
        let counts = [21.085_536_923_187_668, 0.5, 64.0, 3_756_001.0, 3e6].map(count);
        assert_eq!(counts, ["21.09", "0.5", "64", "3756001", "3 × 10⁶"]);
        assert_eq!([signed(-0.000_091_6), signed(-0.25)], ["0.000", "\u{2212}0.250"]);
    }

    #[test]
    fn an_interval_without_a_width_is_not_written() {
        let fit = |half_width| Some(PowerLaw { exponent: 0.5, half_width, ..law() });
        assert!(slope(fit(0.0123), 8, &[2, 4, 8]).contains("0.500 ± 0.012 (95%)"));
        let exact = slope(fit(1e-9), 8, &[2, 4, 8]);
        assert!(!exact.contains('±') && exact.contains("n = 2 to 8"), "{exact}");
    }

    fn law() -> PowerLaw {
        lipscope_core::fit::fit_power_law(&[(2.0, 1.0), (4.0, 2.0), (8.0, 3.0)]).expect("a fit")
    }

    #[test]
    fn samples_with_one_value_have_no_range() {
        let samples = |low, high| HoverValue {
            id: "draws".into(),
            label: String::new(),
            role: Role::Measured,
            x: 4.0,
            y: 2.0,
            low,
            high,
            count: 8,
            given: ValueForm::Value,
            number: Number::of(2.0),
            at: None,
        };
        let mean = HoverValue { id: "mean".into(), label: "mean".into(), count: 1, ..samples(2.0, 2.0) };
        assert_eq!(readout(4.0, &[mean.clone(), samples(2.0, 2.0)]), "n = 4  ·  mean 2.000");
        assert!(readout(4.0, &[mean, samples(1.0, 3.0)]).contains("(least 1.000, greatest 3.000)"));
        // The worst tokens known are the measured ones: their norm is rounded once.
        let here = HoverValue { id: "here".into(), role: Role::Selected, y: 1.8166, ..samples(1.8166, 1.8166) };
        let worst = |y| HoverValue { label: "worst".into(), role: Role::LowerBound, y, ..here.clone() };
        assert_eq!(readout(4.0, &[here.clone(), worst(1.8166)]), "n = 4  ·  worst 1.817");
        assert_eq!(readout(4.0, &[here.clone(), worst(1.8168)]), "n = 4  ·  worst ≥ 1.816");
    }

    #[test]
    fn the_mean_of_one_list_is_no_mean_of_samples() {
        use crate::{plans, state::PageState, state::TokenChoice};
        use lipscope_core::experiment::Rows;
        let random = PageState { draws: 8, ..PageState::default() };
        let of = |state: &PageState| mean_label(plans::sweep(state).as_ref());
        assert_eq!(of(&random), "mean of 8 samples");
        assert_eq!(of(&PageState { tokens: TokenChoice::Adversarial, ..random.clone() }), "measured");
        let own = |n: usize| random.with_own_tokens(Rows::new("tokens", 2, [1.0, 0.5].repeat(n)).expect("numbers"));
        assert_eq!(of(&own(6)), "mean of 8 subsets");
        assert_eq!(of(&own(2)), "measured");
        assert_eq!(largest_label(plans::sweep(&own(6)).as_ref()), "largest of 8 subsets");
    }
}
