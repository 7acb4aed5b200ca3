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
    /// The lab whose answers arrive now.
    pub(super) tab: StoredValue<PlotChoice>,
    /// The request that waits for the controls to rest.
    pub(super) asking: Debounce,
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
            tab: StoredValue::new(PlotChoice::default()),
            asking: Debounce::default(),
        }
    }
}
