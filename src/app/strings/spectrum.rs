//! The singular values, and estimators of the largest one.

use crate::app::state::Shown;
use crate::court::{CourtPoint, Estimator, Preset, Stop};
use crate::plot::{Kind, Number};
use crate::spectrum::{Coverage, Level, Places, Spectrum, TopPair};

pub const PLOT_SPECTRUM: &str = "Spectrum";
pub const PLOT_SPECTRUM_HINT: &str = "The singular values of the Jacobian, and the tokens that the first pair lives on";
pub const SPECTRUM_HEADING: &str = "Singular values of the Jacobian";
pub const SPECTRUM_X: &str = "index i";
pub const SPECTRUM_X_LOG: &str = "index i, logarithmic";
pub const SPECTRUM_Y: &str = "singular value σᵢ";
pub const AT_LEAST: &str = "at least";
pub const LEADING: &str = "Leading values";
pub const LEADING_HINT: &str = "How many of the largest are iterated where the Jacobian has more than 600 rows";
pub const SPECTRAL_GAP: &str = "gap σ₁/σ₂";
pub const NUMERICAL_RANK: &str = "numerical rank";
pub const OF_VALUES: &str = "singular values";
pub const TOP_RESIDUAL: &str = "residual of the first pair";
pub const SPECTRUM_COLUMNS: [&str; 5] = ["i from", "claim", "σᵢ", "how often", "relative residual"];
pub const ENERGY_X: &str = "token";
pub const ENERGY_X_CLUSTERS: &str = "cluster";
pub const ENERGY_Y: &str = "share of the first pair";
pub const OUTPUT_SHARES: &str = "output";
pub const INPUT_SHARES: &str = "input";
pub const ENERGY_COLUMNS: [&str; 3] = ["token or cluster", "output |uᵢ|²", "input |vⱼ|²"];

pub const PLOT_COURT: &str = "Estimators";
pub const PLOT_COURT_HINT: &str = "Power iteration, Lanczos and the dense SVD on one Jacobian";
pub const COURT_HEADING: &str = "Estimators of the spectral norm";
pub const TRIAL: &str = "Tried on";
pub const COURT_SHOWS: &str = "Shows";
pub const STOP_TOLERANCE: &str = "Tolerance of the stops";
pub const STOP_TOLERANCE_HINT: &str =
    "Power iteration stops where s² changes by no more than this, or by no more than this times s²";
pub const COURT_X: &str = "iteration, logarithmic";
pub const COURT_ERROR: &str = "relative error of s";
pub const COURT_RESIDUAL: &str = "relative residual |Jᵀu − s v| / s";
pub const COURT_VALUE: &str = "value s";
pub const DENSE: &str = "dense SVD";
pub const DENSE_ROUNDING: &str = "dense SVD, rounding";
pub const POWER: &str = "power iteration";
pub const POWER_SHORT: &str = "power";
pub const LANCZOS: &str = "Lanczos";
pub const COURT_ENDS: &str = "Where each stopped";
pub const COURT_ENDS_COLUMNS: [&str; 5] = ["", "‖J‖₂", "relative error", "products with J, Jᵀ", "time"];
pub const COURT_COLUMNS: [&str; 8] =
    ["estimator", "iteration", "products", "claim", "s", "relative error", "relative residual", "stops here"];

/// The sign of a converged number or of a lower bound.
pub fn claim(is_converged: bool) -> &'static str {
    if is_converged { Kind::Exact.sign() } else { Kind::LowerBound.sign() }
}

pub fn spectrum_how(spectrum: Option<&Spectrum>) -> String {
    let Some(found) = spectrum else { return "The singular values of J, largest first.".into() };
    let size = Number::short(found.size);
    let how = super::method(found.method);
    let listed = match found.coverage {
        Coverage::All if found.iterations > 0 => format!("All that are not zero, of {size}, by {how}."),
        Coverage::All => format!("All {size} singular values, by {how}."),
        Coverage::Leading => {
            format!(
                "The leading {} of {size} singular values, by {how}, {} steps.",
                Number::short(found.listed()),
                found.iterations
            )
        }
    };
    let zeros = found.listed() - found.rank();
    if found.coverage == Coverage::All && zeros > 0.0 {
        let zeros = Number::short(zeros);
        return format!("{listed} {zeros} of them are zero to rounding and not drawn.");
    }
    listed
}

pub fn spectrum_finding(spectrum: Option<&Spectrum>) -> String {
    let first = spectrum.and_then(Spectrum::first);
    match (spectrum, first) {
        (Some(found), Some(first)) => {
            let last = found.levels.iter().rev().find(|level| level.value > found.zero_below).unwrap_or(&first);
            format!(
                "Singular values over their index. {} The first is {}, the last drawn {}. Left and right arrows read values.",
                spectrum_how(spectrum),
                Number::of(first.value),
                Number::of(last.value)
            )
        }
        _ => "Singular values over their index; being computed.".into(),
    }
}

pub fn spectrum_readout(at: Option<(f64, Level)>) -> String {
    let Some((index, level)) = at else {
        return "Point at the plot, or focus it and use ← →, to read values.".into();
    };
    let sign = claim(level.is_converged());
    let times = match level.multiplicity {
        1.0 => String::new(),
        many => format!("  ·  {} times", Number::short(many)),
    };
    let residual = match level.relative_residual {
        Some(0.0) => "  ·  dense SVD".into(),
        Some(residual) => format!("  ·  residual {}", Number::rough(residual)),
        None => "  ·  still sought".into(),
    };
    format!("i = {}  ·  σ {sign} {}{times}{residual}", Number::short(index), Number::of(level.value))
}

fn place_name(places: Places) -> &'static str {
    match places {
        Places::Tokens => "token",
        Places::Clusters => "cluster",
    }
}

fn percent(share: f64) -> String {
    format!("{}%", Number::rough(100.0 * share))
}

pub fn top_block(spectrum: Option<&Spectrum>) -> String {
    let top = spectrum.and_then(|spectrum| spectrum.top.as_ref());
    let Some((top, block)) = top.and_then(|top| Some((top, top.block?))) else {
        return match top {
            Some(_) => "Too many tokens to look at every block.".into(),
            None => "The first pair is being looked for.".into(),
        };
    };
    let name = place_name(top.places);
    format!(
        "Output {name} {} takes {} from input {name} {}. This block carries {} of σ₁; its own norm is {}.",
        block.output + 1,
        percent(block.of_output),
        block.input + 1,
        percent(block.share),
        Number::of(block.norm)
    )
}

pub fn energy_finding(spectrum: Option<&Spectrum>) -> String {
    format!(
        "Shares of the first singular pair over the tokens. {} Left and right arrows read values.",
        top_block(spectrum)
    )
}

pub fn energy_readout(top: Option<&TopPair>, at: Option<f64>) -> String {
    let found = top.zip(at).and_then(|(top, at)| {
        let energy = top.energies.iter().find(|energy| 1.0 + energy.place as f64 == at)?;
        Some((place_name(top.places), *energy))
    });
    match found {
        Some((name, energy)) => format!(
            "{name} {}  ·  output {}  ·  input {} of the first pair",
            energy.place + 1,
            percent(energy.output),
            percent(energy.input)
        ),
        None => "Dots: how much of the first pair each output token has; rings: each input token.".into(),
    }
}

pub fn estimator(estimator: Estimator) -> &'static str {
    match estimator {
        Estimator::DenseSvd => DENSE,
        Estimator::Lanczos => LANCZOS,
        Estimator::Power => POWER,
    }
}

pub fn trial(preset: Option<Preset>) -> String {
    match preset {
        Some(Preset::SmallValues) => "small values: V × 0.02".into(),
        Some(Preset::SmallGap) => "a small gap".into(),
        Some(Preset::Easy) => "an easy one".into(),
        None => "this configuration".into(),
    }
}

pub fn trial_about(preset: Option<Preset>) -> &'static str {
    match preset {
        Some(Preset::SmallValues) => {
            "Random tokens and weights, V × 0.02. The absolute tolerance, 10⁻⁴ on s² in the released script, is large beside s²: power iteration stops early."
        }
        Some(Preset::SmallGap) => {
            "Random tokens and weights whose first two singular values are close: power iteration crawls, Lanczos does not."
        }
        Some(Preset::Easy) => {
            "Adversarial tokens: the first singular value stands far above the others, and all agree."
        }
        None => "The controls’ configuration, up to 600 rows. One iteration is a product with J and one with Jᵀ.",
    }
}

pub fn court_shown(shown: Shown) -> &'static str {
    match shown {
        Shown::Error => "error",
        Shown::Residual => "residual",
        Shown::Value => "value",
    }
}

pub fn stop_short(estimator: Estimator, stop: Stop) -> &'static str {
    match (estimator, stop) {
        (Estimator::Lanczos, Stop::StepLimit) => "Lanczos, step limit",
        (Estimator::Lanczos, _) => "Lanczos",
        (_, Stop::AbsoluteChange) => "absolute stop",
        (_, Stop::RelativeChange) => "relative stop",
        (_, Stop::Residual) => "residual stop",
        (_, Stop::StepLimit) => "step limit",
    }
}

pub fn stop_name(estimator: Estimator, stop: Option<Stop>) -> String {
    match (estimator, stop) {
        (Estimator::DenseSvd, _) | (_, None) => DENSE.into(),
        (Estimator::Lanczos, Some(stop)) => stop_short(Estimator::Lanczos, stop).into(),
        (Estimator::Power, Some(stop)) => format!("{POWER}, {}", stop_short(Estimator::Power, stop)),
    }
}

pub fn stop_id(estimator: Estimator, stop: Stop) -> &'static str {
    match (estimator, stop) {
        (Estimator::DenseSvd, _) => "dense",
        (Estimator::Lanczos, _) => "lanczos",
        (Estimator::Power, Stop::AbsoluteChange) => "absolute",
        (Estimator::Power, Stop::RelativeChange) => "relative",
        (Estimator::Power, Stop::Residual) => "residual",
        (Estimator::Power, Stop::StepLimit) => "limit",
    }
}

pub fn court_finding(ends: &[(&CourtPoint, Option<Stop>)]) -> String {
    if ends.is_empty() {
        return "Estimators of the spectral norm over the iteration; being computed.".into();
    }
    let one = |(point, stop): &(&CourtPoint, Option<Stop>)| {
        let name = stop_name(point.estimator, *stop);
        let sign = if point.is_converged() { "" } else { "at least " };
        match stop {
            None => format!("{name}: {}.", Number::of(point.value)),
            Some(_) => format!(
                "{name} after {}: {sign}{}, error {}.",
                point.iteration,
                Number::of(point.value),
                Number::rough(point.error)
            ),
        }
    };
    let all: Vec<String> = ends.iter().map(one).collect();
    format!("Estimators of the spectral norm over the iteration. {} Left and right arrows read values.", all.join(" "))
}

pub fn court_readout(points: &[CourtPoint], at: Option<f64>) -> String {
    let Some(at) = at else { return "Point at the plot, or focus it and use ← →, to read values.".into() };
    let one = |which: Estimator| {
        let point = points.iter().find(|point| point.estimator == which && point.iteration as f64 == at)?;
        let sign = claim(point.is_converged());
        let (value, error) = (Number::of(point.value), Number::rough(point.error));
        Some(format!("{} s {sign} {value}, error {error}", estimator(which)))
    };
    let iteration = Some(format!("iteration {}", Number::short(at)));
    [iteration, one(Estimator::Lanczos), one(Estimator::Power)].into_iter().flatten().collect::<Vec<_>>().join("  ·  ")
}
