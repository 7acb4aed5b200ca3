//! What the page says about its workers, and aloud.

use crate::app::engine::Role;
use crate::bounds::Norm;
use crate::measure::Measurement;
use crate::plot::Number;

use super::norms::{NEEDS_DENSE, norm_symbol, norm_title};
use super::numbers::NONE_YET;

pub const CANNOT_START: &str =
    "The part that computes did not start. Check the connection, allow workers for this page, then try again.";
pub const TRY_AGAIN: &str = "Try again";

pub fn restarted(role: Role) -> &'static str {
    match role {
        Role::Measure => "The worker that measures stopped and was started again; the measurement was sent again.",
        Role::Sweep => "The worker that sweeps stopped and was started again; the sweep was sent again.",
        Role::Read => "The worker that reads your data stopped and was started again; they were sent again.",
        Role::Regime => "The worker that draws the curves over n stopped and was started again; they were sent again.",
        Role::Lab => "The worker of this view stopped and was started again; its work was sent again.",
    }
}

pub fn gave_up(role: Role) -> &'static str {
    match role {
        Role::Measure => {
            "This configuration stopped the worker twice, so it is not tried again. It may need too much memory: use fewer tokens or heads."
        }
        Role::Read => "These data stopped the worker twice, so they are not tried again. Use fewer tokens.",
        Role::Regime => {
            "The curves over n stopped the worker twice, so they are not tried again. Use fewer heads or smaller weights."
        }
        Role::Lab => "This view stopped the worker twice, so it is not tried again. Use fewer tokens.",
        Role::Sweep => {
            "This sweep stopped the worker twice, so it is not tried again. It may need too much memory: sweep to a smaller n."
        }
    }
}

pub fn announcement(measurement: &Measurement, norm: Norm) -> String {
    match measurement.norm(norm) {
        Some(value) => format!("{} {} at n = {}.", norm_title(norm), Number::of(value), measurement.n),
        None => format!("{}: {NEEDS_DENSE}.", norm_title(norm)),
    }
}

pub fn sheet_value(measurement: &Measurement, norm: Norm) -> String {
    let value = measurement.norm(norm).map_or_else(|| NONE_YET.into(), |value| Number::of(value).to_string());
    format!("{} = {value}", norm_symbol(norm))
}
