//! The search for the worst tokens.

pub use crate::words::search::*;

use crate::phase::Phase;
use lipscope_core::experiment::{Attention, MaskKind};
use lipscope_core::search::{Region, SearchDomain, StartKind};
use lipscope_plot::Number;

use super::problems::message;
use super::steps::mask_name;

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
        StartKind::Centre => search_start::centre(),
        StartKind::Crossed => search_start::crossed(),
        StartKind::Carried => search_start::carried(),
        StartKind::Skew => search_start::skew(),
        StartKind::Random => search_start::random(),
        StartKind::RandomClusters => search_start::random_clusters(),
    }
}

/// The domain of a search, in a sentence.
pub fn search_about(setting: &SearchDomain) -> String {
    let sign = match setting.region {
        Region::Ball => "≤",
        Region::Sphere => "=",
    };
    let kernel = match setting.experiment.attention {
        Attention::Dot => search_about::dot(),
        Attention::L2 => "L2",
        Attention::Cosine => search_about::cosine(),
        Attention::Linear => search_about::linear(),
    };
    let mask = match setting.experiment.mask.kind() {
        MaskKind::None => search_about::none().to_owned(),
        MaskKind::Causal | MaskKind::Other => mask_name(&setting.experiment.mask),
    };
    let radius = Number::of(setting.radius);
    search_about::sentence { d: setting.d, kernel, mask: &mask, n: setting.n, radius: &radius, sign }.text()
}

pub fn search_progress(phase: &Phase, (done, total): (usize, usize), start: Option<StartKind>) -> String {
    let restart = (done + 1).min(total.max(1));
    let from = start.map_or_else(String::new, |start| search_progress::from(search_start(start)));
    match phase {
        Phase::Waiting => String::new(),
        Phase::Running => search_progress::running { from: &from, restart, total }.text(),
        Phase::Paused => search_progress::paused { restart, total }.text(),
        Phase::Stopped => search_progress::stopped().into(),
        Phase::Done => search_progress::done(total),
        Phase::Failed(problem) => message(problem),
    }
}

/// The number of tokens at one place.
pub fn alike(count: usize) -> String {
    format!("{count} ×")
}
