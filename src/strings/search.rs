//! The search for the worst tokens.

use crate::words::search as words;
pub use crate::words::search::*;

use crate::labs::{Phase, SearchRun};
use lipscope_core::experiment::{Attention, Mask};
use lipscope_core::search::{Region, SearchDomain, SearchStep, StartKind};
use lipscope_plot::Number;

use super::bounds::bound_label;
use super::plot::count;

pub const SEARCH_Y: &str = "‖J‖₂";
pub fn search_columns() -> [&'static str; 7] {
    [
        search_columns::iteration(),
        search_columns::restart(),
        search_columns::from(),
        search_columns::own_iteration(),
        search_columns::now(),
        search_columns::best(),
        search_columns::relative_residual(),
    ]
}

pub fn search_region(region: Region) -> &'static str {
    match region {
        Region::Ball => search_region::ball(),
        Region::Sphere => search_region::sphere(),
    }
}

pub fn search_start(kind: StartKind) -> &'static str {
    match kind {
        StartKind::Own => search_start::own(),
        StartKind::Adversarial => search_start::adversarial(),
        StartKind::TwoClusters => search_start::two_clusters(),
        StartKind::Sink => search_start::sink(),
        StartKind::Fork => search_start::fork(),
        StartKind::Crossed => search_start::crossed(),
        StartKind::Skew => search_start::skew(),
        StartKind::Random => search_start::random(),
        StartKind::RandomClusters => search_start::random_clusters(),
    }
}

/// What a search is in, in a sentence.
pub fn search_about(setting: &SearchDomain) -> String {
    let sign = match setting.region {
        Region::Ball => "≤",
        Region::Sphere => "=",
    };
    let kernel = match setting.experiment.attention {
        Attention::Dot => search_about::dot(),
        Attention::L2 => "L2",
    };
    let mask = match setting.experiment.mask {
        Mask::None => search_about::none(),
        Mask::Causal => search_about::causal(),
    };
    let radius = Number::of(setting.radius);
    search_about::sentence(setting.d, kernel, mask, setting.n, &radius, sign)
}

pub fn search_progress(phase: &Phase, (done, total): (usize, usize), start: Option<StartKind>) -> String {
    let restart = (done + 1).min(total.max(1));
    let from = start.map_or_else(String::new, |start| search_progress::from(search_start(start)));
    match phase {
        Phase::Waiting => String::new(),
        Phase::Running => search_progress::running(&from, restart, total),
        Phase::Paused => search_progress::paused(restart, total),
        Phase::Stopped => search_progress::stopped().into(),
        Phase::Done => search_progress::done(total),
        Phase::Failed(problem) => problem.clone(),
    }
}

pub fn search_finding(run: &SearchRun) -> String {
    let Some(mark) = &run.mark else {
        return search_finding::waiting().into();
    };
    let upper =
        run.bounds()[0].map(|bound| search_finding::upper(Number::from_log10(bound.log10), bound_label(bound.id)));
    search_finding::sentence(Number::of(mark.best_norm()), search_start(mark.best_start()), upper.unwrap_or_default())
}

pub fn search_readout(step: Option<SearchStep>) -> String {
    match step {
        Some(step) => search_readout::sentence(
            step.at,
            Number::of(step.best),
            Number::of(step.norm),
            step.restart + 1,
            search_start(step.start),
        ),
        None => search_readout::hint().into(),
    }
}

/// How many tokens stand at one place.
pub fn alike(count: usize) -> String {
    format!("{count} ×")
}

pub fn search_sent(n: f64, norm: f64) -> String {
    words::search_sent(count(n), Number::of(norm))
}
