//! The labs.

use crate::prelude::*;

use crate::page::{Page, PlotChoice};

use super::certify::CertifyLab;
use super::compare::CompareLab;
use super::estimators::EstimatorLab;
use super::gap::GapLab;
use super::inverse::InverseLab;
use super::lab::Entry;
use super::scaling::ScalingLab;
use super::spectrum::SpectrumLab;
use super::tightness::TightnessLab;

/// All labs.
pub static LABS: [Entry; 8] = [
    Entry::new::<CompareLab>(),
    Entry::new::<CertifyLab>(),
    Entry::new::<GapLab>(),
    Entry::new::<ScalingLab>(),
    Entry::new::<TightnessLab>(),
    Entry::new::<InverseLab>(),
    Entry::new::<EstimatorLab>(),
    Entry::new::<SpectrumLab>(),
];

/// The lab with a plot; `None` for a plot of another feature.
pub fn lab_with(plot: PlotChoice) -> Option<&'static Entry> {
    LABS.iter().find(|lab| lab.plot == plot)
}

/// Requests the data of the lab on screen, whenever its inputs change.
pub fn begin(page: Page) {
    for lab in &LABS {
        (lab.begin)(page);
    }
    effect(move |_| {
        let shown = page.plot.get();
        for lab in LABS.iter().filter(|lab| lab.plot != shown) {
            (lab.leave)();
        }
        if let Some(lab) = lab_with(shown) {
            (lab.request)();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labs::card::Pictures;
    use crate::state::View;

    #[test]
    fn every_plot_of_the_gallery_is_a_lab_with_a_card() {
        let pictures = Pictures::read().expect("a file");
        for plot in View::Lab.plots().iter().filter(|plot| **plot != PlotChoice::Gallery) {
            let lab = lab_with(*plot).unwrap_or_else(|| panic!("{plot:?} is no lab"));
            assert!((lab.card)(&pictures).is_some(), "{plot:?} has no card");
        }
        assert_eq!(
            LABS.iter().filter(|lab| lab.plot.view() != View::Lab).count(),
            1,
            "the singular values are in Explore"
        );
    }
}
