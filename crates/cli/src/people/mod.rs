//! Results as texts for people at a terminal. Each text is a function of the result, the width and the colours.
//!
//! | file | concept |
//! | --- | --- |
//! | `look` | width, colours by role, lines |
//! | `duration`, `names`, `bounds` | a duration in words; names, sources and colours of bounds; which bounds are shown |
//! | `ladder` | numbers as bars on a logarithmic scale |
//! | `page` | a main number, lines and ladders as one text |
//! | `measured`, `certified`, `spectrum`, `searched`, `modelled`, `trained`, `inverted`, `plotted` | the texts of the commands |

mod bounds;
mod certified;
mod duration;
mod inverted;
mod ladder;
mod look;
mod measured;
mod modelled;
mod names;
mod page;
mod plotted;
mod searched;
mod spectrum;
mod trained;

pub(crate) use certified::{certified, certified_window};
pub(crate) use inverted::inverted;
pub(crate) use look::{Colours, Look};
pub(crate) use measured::measured;
pub(crate) use modelled::modelled;
pub(crate) use plotted::plotted;
pub(crate) use searched::searched;
pub(crate) use spectrum::{estimators, spectrum};
pub(crate) use trained::trained;
