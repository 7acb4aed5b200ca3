//! The hunt for the worst tokens.

use crate::app::labs::{HuntRun, Phase};
use crate::experiment::{Attention, Mask};
use crate::hunt::{HuntSetting, HuntStep, Region, StartKind};
use crate::plot::Number;

use super::plot::count;

pub const PLOT_HUNT: &str = "Hunt";
pub const PLOT_HUNT_HINT: &str = "Tokens in the ball at which the constant is large, found by ascent";
pub const HUNT_HEADING: &str = "The hunt for the worst tokens in the ball";
pub const HUNT_ABOUT: &str = "Moves the tokens uphill on ‖J‖₂ inside the ball, from many starts. What is found is reached, so the constant of the ball is at least that.";
pub const HUNT_CHANGED: &str = "The controls have changed since; Start anew hunts there.";
pub const HUNT_START: &str = "Start";
pub const HUNT_ANEW: &str = "Start anew";
pub const HUNT_START_HINT: &str = "Hunt with the weights, mask, kernel, n and R of the controls";
pub const HUNT_REGION: &str = "Tokens";
pub const HUNT_RESTARTS_HINT: &str = "Starts in all: the tokens of the controls, adversarial ones, two clusters, crossed and opposed ones, then random ones";
pub const HUNT_SEED_HINT: &str = "Seed of random starts and of kicks off plateaus";
pub const HUNT_DIM_HINT: &str =
    "The dimension in which the adversarial tokens of A = ±I move; else d is that of the controls";
pub const HUNT_NOTE: &str = "Start begins the climb.";
pub const HUNT_X: &str = "iteration, all restarts";
pub const HUNT_Y: &str = "‖J‖₂";
pub const HUNT_BEST: &str = "best found";
pub const HUNT_BEST_SHORT: &str = "best";
pub const HUNT_FOUND: &str = "lower bound found";
pub const HUNT_OVER_UPPER: &str = "found / upper";
pub const HUNT_NO_UPPER: &str = "upper bound";
pub const HUNT_NO_LOWER: &str = "known lower bound";
pub const HUNT_FROM: &str = "from";
pub const HUNT_NOW: &str = "now";
pub const HUNT_ITERATION: &str = "iteration";
pub const HUNT_PLANE_NOW: &str = "The tokens now";
pub const HUNT_PLANE_BEST: &str = "The best tokens";
pub const HUNT_LOAD: &str = "Load into the page";
pub const HUNT_LOAD_HINT: &str = "Take the best tokens as your own: the numbers and all other views are of them then";
pub const HUNT_SEND: &str = "Send to the plots";
pub const HUNT_SEND_HINT: &str = "Show what was found at its n in Regime and in Measured draws";
pub const HUNT_POINT: &str = "hunt";
pub const HUNT_POINT_COLUMN: &str = "hunt (lower bound)";
pub const HUNT_COLUMNS: [&str; 7] =
    ["iteration", "restart", "from", "its iteration", "‖J‖₂ now", "best found (lower bound)", "relative residual"];
pub const HUNT_SKEW: &str = "The skew witness brings another A for each n and R. Choose other tokens.";
pub const HUNT_CLUSTERS: &str =
    "Clusters are no list of tokens that could move. Choose a law of tokens, or paste your own.";
pub const HUNT_NORMALIZED: &str = "A normaliser undoes what moves in and out. Set Normaliser to none.";

pub fn hunt_region(region: Region) -> &'static str {
    match region {
        Region::Ball => "in the ball",
        Region::Sphere => "on the sphere",
    }
}

pub fn hunt_start(kind: StartKind) -> &'static str {
    match kind {
        StartKind::Own => "the tokens of the controls",
        StartKind::Adversarial => "adversarial tokens",
        StartKind::TwoClusters => "two clusters",
        StartKind::Crossed => "crossed tokens",
        StartKind::Skew => "opposed tokens",
        StartKind::Random => "random tokens",
        StartKind::RandomClusters => "random clusters",
    }
}

/// What a hunt is in, in a sentence.
pub fn hunt_about(setting: &HuntSetting) -> String {
    let sign = match setting.region {
        Region::Ball => "≤",
        Region::Sphere => "=",
    };
    let kernel = match setting.experiment.attention {
        Attention::Dot => "dot product",
        Attention::L2 => "L2",
    };
    let mask = match setting.experiment.mask {
        Mask::None => "no mask",
        Mask::Causal => "causal",
    };
    let radius = Number::of(setting.radius);
    format!("n = {} tokens, d = {}, |xᵢ| {sign} {radius}, {kernel}, {mask}.", setting.n, setting.d)
}

pub fn hunt_progress(phase: &Phase, (done, total): (usize, usize), start: Option<StartKind>) -> String {
    let restart = (done + 1).min(total.max(1));
    let from = start.map_or_else(String::new, |start| format!(", from {}", hunt_start(start)));
    match phase {
        Phase::Waiting => String::new(),
        Phase::Running => format!("restart {restart} of {total}{from}"),
        Phase::Paused => format!("Paused in restart {restart} of {total}."),
        Phase::Stopped => "Stopped; what was found stays.".into(),
        Phase::Done => format!("All {total} restarts are done; more can be added."),
        Phase::Failed(problem) => problem.clone(),
    }
}

pub fn hunt_finding(run: &HuntRun) -> String {
    let Some(mark) = &run.mark else { return "The best and the current norm against the iteration; not begun.".into() };
    let upper = run.bounds()[0]
        .map(|bound| format!(", and at most {} by {}", Number::from_log10(bound.log10), bound.id.label()));
    format!(
        "The constant of the ball is at least {}, found from {}{}. Left and right arrows read values.",
        Number::of(mark.best_norm()),
        hunt_start(mark.best_start()),
        upper.unwrap_or_default()
    )
}

pub fn hunt_readout(step: Option<HuntStep>) -> String {
    match step {
        Some(step) => format!(
            "iteration {}  ·  restart {}, from {}  ·  now {}  ·  best ≥ {}",
            step.at,
            step.restart + 1,
            hunt_start(step.start),
            Number::of(step.norm),
            Number::of(step.best)
        ),
        None => "Point at the plot, or focus it and use ← →, to read values.".into(),
    }
}

/// How many tokens stand at one place.
pub fn alike(count: usize) -> String {
    format!("{count} ×")
}

pub fn hunt_sent(n: f64, norm: f64) -> String {
    format!("In the plots: n = {}, ≥ {}.", count(n), Number::of(norm))
}
