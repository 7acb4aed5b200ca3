//! The formulas of bounds and lessons as MathML, which the build script makes of their TeX (`build/formulas.rs`).

use crate::prelude::*;

use lipscope_core::bounds::BoundId;

use super::strings;

include!(concat!(env!("OUT_DIR"), "/formulas.rs"));

/// The formula of a bound.
#[component]
pub fn Formula(
    /// The bound whose formula is shown.
    id: BoundId,
) -> impl IntoView {
    match markup(&BOUNDS, id.id()) {
        // The markup is generated, never a reader's text. As a view, so many elements would compile to a hundred times as
        // much code.
        Some(markup) => view! { <math inner_html=markup></math> }.into_any(),
        // A bound without a formula of one line is described in words.
        None => view! { <span>{strings::formula_words(id)}</span> }.into_any(),
    }
}

/// The markup of a formula among those of a table.
#[must_use]
pub fn markup(table: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, markup)| *markup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_core::bounds::ALL;

    #[test]
    fn every_bound_with_tex_has_markup() {
        let with_tex: Vec<&str> = ALL.into_iter().filter(|id| id.tex().is_some()).map(|id| id.id()).collect();
        assert!(with_tex.len() > 8, "{with_tex:?}");
        for id in ALL {
            assert_eq!(id.tex().is_some(), markup(&BOUNDS, id.id()).is_some(), "{id:?}");
        }
        assert_eq!(BOUNDS.len(), with_tex.len());
    }

    #[test]
    fn no_parenthesis_of_a_formula_grows() {
        let mut seen = 0;
        for (_, markup) in BOUNDS.iter().chain(&LESSONS) {
            for (at, _) in markup.match_indices(['(', ')']) {
                assert!(markup[..at].trim_end().ends_with("stretchy=\"false\">"), "{markup}");
                seen += 1;
            }
        }
        assert!(seen > 40, "{seen} parentheses");
    }
}
