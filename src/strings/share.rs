//! The panel of links.

pub use crate::words::share::*;

use crate::state::{Part, Stage};

pub fn shown_part(part: Part) -> &'static str {
    match part {
        Part::Controls => share_part::controls(),
        Part::List => share_part::list(),
        Part::Numbers => share_part::numbers(),
    }
}

/// What a link opens; an embedded page has no name here.
pub fn link_stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Full | Stage::Embed => share_stage::full(),
        Stage::Teacher => share_stage::teacher(),
    }
}
