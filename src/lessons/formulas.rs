//! The formulas of the lessons: those of `lessons/formulas.toml`, and those of the bounds.

use crate::prelude::*;

use crate::formulas::{BOUNDS, Formula, LESSONS, markup};
use lipscope_core::bounds::{ALL, BoundId};

/// A formula in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LessonFormula {
    /// Its name in texts.
    pub name: &'static str,
    /// Its markup, as MathML.
    pub markup: &'static str,
    /// The bound whose formula it is.
    bound: Option<BoundId>,
}

/// The formula with a name; `None` where there is none. A name that the lessons give stands before a bound's.
#[must_use]
pub fn find(name: &str) -> Option<LessonFormula> {
    let of_lessons = LESSONS.iter().find(|(known, _)| *known == name);
    if let Some((name, markup)) = of_lessons {
        return Some(LessonFormula { name, markup, bound: None });
    }
    let id = ALL.into_iter().find(|id| id.id() == name)?;
    Some(LessonFormula { name: id.id(), markup: markup(&BOUNDS, name)?, bound: Some(id) })
}

impl LessonFormula {
    /// The formula as a view.
    #[must_use]
    pub fn view(self) -> AnyView {
        match self.bound {
            // The markup is generated, never a reader's text.
            None => view! { <span class="formula-parts" inner_html=self.markup></span> }.into_any(),
            Some(id) => view! { <Formula id/> }.into_any(),
        }
    }
}
