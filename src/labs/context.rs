//! The signals of the labs.

use crate::prelude::*;

use lipscope_core::certify::Certified;
use lipscope_core::estimators::EstimatorPoint;
use lipscope_core::spectrum::Spectrum;

use crate::debounce::Debounce;
use crate::page::{Page, PlotChoice};
use crate::run::Run;

/// The signals of the labs.
#[derive(Clone, Copy)]
pub struct Labs {
    pub(super) page: Page,
    /// The singular values.
    pub(super) spectrum: RwSignal<Run<Option<Spectrum>>>,
    /// The estimators of the largest one.
    pub(super) estimators: RwSignal<Run<Vec<EstimatorPoint>>>,
    /// The bounds around the tokens.
    pub(super) certify: RwSignal<Run<Option<Certified>>>,
    /// The iteration of the inverse that is pictured.
    pub(super) frame: RwSignal<usize>,
    /// The lab whose answers arrive now; `None` before the first request.
    pub(super) asked: StoredValue<Option<Lab>>,
    /// The request that waits for the controls to rest.
    pub(super) asking: Debounce,
}

/// A lab, whose data are asked for when its plot is on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lab {
    Certify,
    Scaled,
    Tightness,
    Inverse,
    Spectrum,
    Estimators,
}

impl Lab {
    /// The lab with this plot; `None` for a plot of another kind.
    pub(super) fn of(plot: PlotChoice) -> Option<Self> {
        match plot {
            PlotChoice::Certify => Some(Lab::Certify),
            PlotChoice::Scaled => Some(Lab::Scaled),
            PlotChoice::Tightness => Some(Lab::Tightness),
            PlotChoice::Inverse => Some(Lab::Inverse),
            PlotChoice::Spectrum => Some(Lab::Spectrum),
            PlotChoice::EstimatorComparison => Some(Lab::Estimators),
            PlotChoice::Explore
            | PlotChoice::Growth
            | PlotChoice::Tokens
            | PlotChoice::Model
            | PlotChoice::Train
            | PlotChoice::Gallery => None,
        }
    }
}

/// The context.
pub fn use_labs() -> Labs {
    expect_context()
}

impl Labs {
    /// The labs before any request.
    pub fn new(page: Page) -> Self {
        Labs {
            page,
            spectrum: RwSignal::default(),
            estimators: RwSignal::default(),
            certify: RwSignal::default(),
            frame: RwSignal::new(0),
            asked: StoredValue::new(None),
            asking: Debounce::default(),
        }
    }
}
