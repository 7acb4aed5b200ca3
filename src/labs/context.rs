//! What the labs hold.

use crate::prelude::*;

use lipscope_core::certify::Certified;
use lipscope_core::estimators::EstimatorPoint;
use lipscope_core::spectrum::Spectrum;

use crate::debounce::Debounce;
use crate::page::{Page, PlotChoice};
use crate::run::Run;

/// What the views hold.
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
    /// Whose answers come now.
    pub(super) tab: StoredValue<PlotChoice>,
    /// What is asked for when the controls rest.
    pub(super) asking: Debounce,
}

/// The context.
pub fn use_labs() -> Labs {
    expect_context()
}

impl Labs {
    /// Before anything was asked.
    pub fn new(page: Page) -> Self {
        Labs {
            page,
            spectrum: RwSignal::default(),
            estimators: RwSignal::default(),
            certify: RwSignal::default(),
            frame: RwSignal::new(0),
            tab: StoredValue::new(PlotChoice::default()),
            asking: Debounce::default(),
        }
    }
}
