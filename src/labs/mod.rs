//! The experiments of the lab and the singular values. All labs share one lane of the workers, and the lab on screen
//! has it. docs/internals.md says what a new lab needs.
//!
//! | module | concept |
//! | --- | --- |
//! | `context` | the signals of the labs |
//! | `frame`, `plot`, `inputs` | the frame of a lab, and its parts |
//! | `gallery` | all labs, a picture and a sentence each |
//! | `blocks`, `blocks_map` | the norms of the Jacobian's blocks, in the lab of its singular values |
//! | `compare`, `certify`, `scaling`, `tightness`, `gap`, `inverse`, `estimators`, `spectrum` | a lab each, some with more files |
//! | `plane`, `player` | the iterates of the inverse |

mod blocks;
mod blocks_map;
mod certify;
mod compare;
mod context;
mod estimators;
mod estimators_chart;
mod frame;
mod gallery;
mod gap;
mod gap_map;
mod inputs;
mod inverse;
mod inverse_chart;
mod inverse_controls;
mod plane;
mod player;
mod plot;
mod scaling;
mod spectrum;
mod spectrum_chart;
mod tightness;

use crate::prelude::*;

use crate::answers::Side;
use crate::ask::{Answer, Ask, Request, Start};
use crate::page::PlotChoice;
use crate::state::{PageState, Settings};
use context::Lab;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

pub use certify::CertifyLab;
pub use compare::CompareLab;
pub use context::Labs;
pub use estimators::EstimatorLab;
pub use gallery::Gallery;
pub use gap::GapLab;
pub use inverse::InverseLab;
pub use scaling::ScalingLab;
pub use spectrum::SpectrumLab;
pub use tightness::TightnessLab;

/// Asks for the data of the lab on screen, whenever its inputs change.
pub fn begin(labs: Labs) {
    effect(move |_| {
        let shown = Lab::of(labs.page.plot.get());
        for (_, plot) in PlotChoice::ALL {
            if let Some(lab) = Lab::of(plot).filter(|lab| Some(*lab) != shown) {
                labs.leave(lab);
            }
        }
        if let Some(lab) = shown {
            labs.ask(lab);
        }
    });
}

type MakeRequest = fn(&Settings, &PageState) -> Request;

impl Labs {
    fn ask(self, lab: Lab) {
        match lab {
            Lab::Certify => self.want(self.certify, certify::request, |data, event| {
                if let EngineEvent::Certify(found) = event {
                    *data = Some(found);
                }
            }),
            Lab::Compare => self.want(self.compare, compare::request, |data, event| {
                if let EngineEvent::Compare(points) = event {
                    data.extend(points);
                }
            }),
            Lab::Scaled => self.want(self.page.answers.scaling, scaling::request, |data, event| {
                if let EngineEvent::Scaling(points) = event {
                    data.extend(points);
                }
            }),
            Lab::Tightness => self.want(self.page.answers.tightness, tightness::request, |data, event| {
                if let EngineEvent::Tightness(points) = event {
                    data.extend(points);
                }
            }),
            Lab::Gap => self.want(self.gap, gap::request, |data, event| {
                if let EngineEvent::Gap(cells) = event {
                    data.extend(cells);
                }
            }),
            Lab::Spectrum => self.want(self.spectrum, spectrum::request, |data, event| match event {
                EngineEvent::Spectrum(found) => data.values = Some(*found),
                EngineEvent::Blocks(found) => data.blocks = Some(found),
                _ => {}
            }),
            Lab::Estimators => self.want(self.estimators, estimators::request, |data, event| {
                if let EngineEvent::Estimators(points) = event {
                    data.extend(points);
                }
            }),
            Lab::Inverse => self.want_inverse(),
        }
    }

    /// Makes the request of a lab. `take` adds each event of the answer to the data.
    fn want<T>(self, ask: Ask<T>, make: MakeRequest, take: fn(&mut T, EngineEvent))
    where
        T: Default + Send + Sync + 'static,
    {
        let Some(request) = self.request(make) else { return ask.leave() };
        ask.want(request, Start::AtRest, move |ask, _, answer| {
            if let Answer::Event(event) = answer {
                ask.fresh(|data| take(data, event));
            }
        });
    }

    /// Asks for the inverses of both attentions. Each side of the pair keeps its earlier inverse until the new one
    /// begins.
    fn want_inverse(self) {
        let inverse = self.page.answers.inverse;
        let Some(request) = self.request(inverse::request) else { return inverse.leave() };
        inverse.want(request, Start::AtRest, |ask, plan, answer| {
            let EnginePlan::Inverse(plan) = plan else { return };
            let attention = plan.experiment.attention;
            ask.renewed(|pair| match answer {
                Answer::Event(EngineEvent::Inverse(event)) => pair.side(attention).take(event),
                Answer::Event(_) => {}
                Answer::Failed(_) | Answer::GaveUp => *pair.side(attention) = Side::default(),
            });
        });
    }

    /// The request of a lab for the present state; `None` while the worst tokens of the ball are not known.
    fn request(self, make: MakeRequest) -> Option<Request> {
        let state = self.page.in_effect()?;
        Some(self.page.settings.with(|settings| make(settings, &state)))
    }

    /// Ends the work of a lab that has left the screen. It begins anew when the lab is shown again.
    fn leave(self, lab: Lab) {
        match lab {
            Lab::Certify => self.certify.leave(),
            Lab::Compare => self.compare.leave(),
            Lab::Scaled => self.page.answers.scaling.leave(),
            Lab::Tightness => self.page.answers.tightness.leave(),
            Lab::Gap => self.gap.leave(),
            Lab::Spectrum => self.spectrum.leave(),
            Lab::Estimators => self.estimators.leave(),
            Lab::Inverse => self.page.answers.inverse.leave(),
        }
    }
}
