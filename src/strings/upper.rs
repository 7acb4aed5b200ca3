//! Upper numbers, and what they hold by.

use crate::words::model_figures::{model_upper_chance, model_upper_proved};
use crate::words::numbers::upper_by;

use lipscope_core::measure::{Upper, UpperBy};
use lipscope_models::Estimate;
use lipscope_plot::{Kind, Number, raised};

use super::bounds::bound_label;

/// The upper number of a measurement.
pub fn upper_number(upper: &Upper) -> String {
    // The sign before it is ≤.
    let value = Number::digits(upper.value, Kind::UpperBound);
    match upper.by {
        UpperBy::Exact => upper_by::exact(value),
        UpperBy::Proved(bound) => upper_by::proved { bound: bound_label(bound), value }.text(),
        UpperBy::Chance => upper_by::chance { failure: power_of_ten(upper.failure), value }.text(),
    }
}

/// The upper number of a window.
pub fn model_upper_number(estimate: &Estimate) -> Option<String> {
    let upper = estimate.upper?;
    let value = Number::known(upper.value, Kind::UpperBound);
    Some(match upper.failure {
        0.0 => model_upper_proved(value),
        chance => model_upper_chance { failure: power_of_ten(chance), value }.text(),
    })
}

/// A probability, whose nearest power of ten it is.
fn power_of_ten(probability: f64) -> String {
    format!("10{}", raised(&format!("{:.0}", probability.log10())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upper_number_says_what_it_holds_by() {
        let upper = |failure, by| upper_number(&Upper { value: 2.5, failure, by });
        assert_eq!(upper(1e-9, UpperBy::Chance), "2.500 (error probability 10⁻⁹)");
        assert_eq!(upper(0.0, UpperBy::Exact), "2.500 (exact)");
    }

    #[test]
    fn an_upper_number_is_rounded_up_for_it_stands_after_a_sign() {
        let text = upper_number(&Upper { value: 2.50031, failure: 0.0, by: UpperBy::Exact });
        assert_eq!(text, "2.501 (exact)");
    }
}
