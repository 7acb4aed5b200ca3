//! The signals of the labs.

use crate::prelude::*;

use lipscope_core::certify::Certified;
use lipscope_core::compare::ComparisonPoint;
use lipscope_core::estimators::EstimatorPoint;
use lipscope_core::gap::GapCell;
use lipscope_core::picture::BlockPicture;
use lipscope_core::spectrum::Spectrum;

use crate::ask::{Ask, AtFailure};
use crate::page::{Page, PlotChoice};
use crate::workers::EngineLane;

/// The signals of the labs.
#[derive(Clone, Copy)]
pub struct Labs {
    pub(super) page: Page,
    /// The singular values, and the norms of blocks.
    pub(super) spectrum: Ask<SpectrumData>,
    /// The estimators of the largest singular value.
    pub(super) estimators: Ask<Vec<EstimatorPoint>>,
    /// The bounds around the tokens.
    pub(super) certify: Ask<Option<Certified>>,
    /// The best bounds over n and R.
    pub(super) gap: Ask<Vec<GapCell>>,
    /// Several kinds of attention at the same tokens.
    pub(super) compare: Ask<Vec<ComparisonPoint>>,
    /// The iteration of the inverse that is pictured.
    pub(super) frame: RwSignal<usize>,
}

/// What the lab of the singular values shows of one Jacobian.
#[derive(Clone, Debug, Default)]
pub(super) struct SpectrumData {
    /// The singular values.
    pub(super) values: Option<Spectrum>,
    /// The norms of its blocks.
    pub(super) blocks: Option<BlockPicture>,
}

/// A lab, whose data are asked for when its plot is on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lab {
    Compare,
    Certify,
    Scaled,
    Tightness,
    Gap,
    Inverse,
    Spectrum,
    Estimators,
}

impl Lab {
    /// The lab with this plot; `None` for a plot of another kind.
    pub(super) fn of(plot: PlotChoice) -> Option<Self> {
        match plot {
            PlotChoice::Compare => Some(Lab::Compare),
            PlotChoice::Certify => Some(Lab::Certify),
            PlotChoice::Scaled => Some(Lab::Scaled),
            PlotChoice::Tightness => Some(Lab::Tightness),
            PlotChoice::Gap => Some(Lab::Gap),
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

/// The signals of the labs, from the context.
pub fn use_labs() -> Labs {
    expect_context()
}

impl Labs {
    /// The labs before any request.
    pub fn new(page: Page) -> Self {
        Labs {
            page,
            spectrum: Ask::new(page.engine, EngineLane::Lab, AtFailure::Clear),
            estimators: Ask::new(page.engine, EngineLane::Lab, AtFailure::Clear),
            certify: Ask::new(page.engine, EngineLane::Lab, AtFailure::Clear),
            gap: Ask::new(page.engine, EngineLane::Lab, AtFailure::Clear),
            compare: Ask::new(page.engine, EngineLane::Lab, AtFailure::Clear),
            frame: RwSignal::new(0),
        }
    }
}
