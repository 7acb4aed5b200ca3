//! The bounds' formulas as MathML, for one head.

use crate::prelude::*;

use lipscope_core::bounds::{
    ADVERSARIAL, BoundId, CASTIN_GENERAL, CASTIN_MEAN_FIELD, KIM_L2, LOCAL, SHARP, SHARP_MASKED, UNIFIED,
    UNIFIED_MASKED,
};

use super::strings;

/// The formula of a bound.
#[component]
pub fn Formula(
    /// The bound whose formula is shown.
    id: BoundId,
) -> impl IntoView {
    match markup(id) {
        // The markup is a constant of this file, never a reader's text.
        Some(markup) => view! { <math inner_html=with_plain_parentheses(markup)></math> }.into_any(),
        // A bound without a formula of one line is described in words.
        None => view! { <span>{strings::formula_words(id)}</span> }.into_any(),
    }
}

/// The markup with parentheses as high as a letter: around a root or a fraction they would grow to three lines.
fn with_plain_parentheses(markup: &str) -> String {
    ["(", ")"].into_iter().fold(markup.to_owned(), |markup, sign| {
        markup.replace(&format!("<mo>{sign}<"), &format!("<mo stretchy=\"false\">{sign}<"))
    })
}

/// The markup between `<math>` and `</math>`, as text: a view of so many elements compiles to a hundred times as much
/// code. `None` for a bound that is described in words.
pub fn markup(id: BoundId) -> Option<&'static str> {
    MARKUP.iter().find(|(known, _)| *known == id).map(|(_, markup)| *markup)
}

static MARKUP: [(BoundId, &str); 9] = [
    (
        &CASTIN_GENERAL,
        "<msqrt><mn>3</mn></msqrt><mi>v</mi><msqrt><msup><mi>a</mi><mn>2</mn></msup><mo>(</mo><mn>4</mn><mi>n</mi><mo>+</mo>\
             <mn>1</mn><mo>)</mo><mo>+</mo><mi>n</mi></msqrt>",
    ),
    (
        &CASTIN_MEAN_FIELD,
        "<mi>v</mi><mo>(</mo><mn>1</mn><mo>+</mo><mn>3</mn><mi>a</mi><mo>)</mo><msup><mi>e</mi><mrow><mn>2</mn><mi>a</mi>\
             </mrow></msup>",
    ),
    (
        &SHARP,
        "<mi>v</mi><mrow><mo>(</mo><mi>a</mi><mo>+</mo><mi>min</mi><mo>(</mo><msqrt><mi>n</mi><mi>G</mi><mo>(</mo>\
             <mi>a</mi><mo>)</mo></msqrt><mo>,</mo><msqrt><mi>F</mi><mo>(</mo><mi>a</mi><mo>)</mo></msqrt><mo>,</mo>\
             <msqrt><mo>(</mo><mn>1</mn><mo>+</mo><msup><mi>a</mi><mn>2</mn></msup><mo>)</mo><msub><mi>S</mi><mi>Γ</mi>\
             </msub></msqrt><mo>,</mo><mi>…</mi><mo>)</mo><mo>)</mo></mrow>",
    ),
    (
        &SHARP_MASKED,
        "<mi>v</mi><mrow><mo>(</mo><mi>a</mi><mo>+</mo><mi>min</mi><mo>(</mo><msqrt><munder><mo>∑</mo><mi>i</mi>\
             </munder><mi>min</mi><mo>(</mo><mi>G</mi><mo>(</mo><mi>a</mi><mo>)</mo><mo>,</mo><mi>F</mi><mo>(</mo><mi>a\
             </mi><mo>)</mo><mo>/</mo><mi>i</mi><mo>)</mo></msqrt><mo>,</mo><mi>…</mi><mo>)</mo><mo>)</mo></mrow>",
    ),
    (
        &UNIFIED,
        "<mi>v</mi><mrow><mo>(</mo><mi>a</mi><mo>+</mo><msqrt><mfrac><mrow><mo>(</mo><mn>1</mn><mo>+</mo><msup><mi>a</mi>\
             <mn>2</mn></msup><mo>)</mo><mi>n</mi></mrow><mrow><mn>1</mn><mo>+</mo><mo>(</mo><mi>n</mi><mo>−</mo><mn>1</mn><mo>)\
             </mo><msup><mi>e</mi><mrow><mo>−</mo><mn>2</mn><mi>a</mi></mrow></msup></mrow></mfrac></msqrt><mo>)</mo></mrow>",
    ),
    (
        &UNIFIED_MASKED,
        "<mi>v</mi><mrow><mo>(</mo><mi>a</mi><mo>+</mo><mi>min</mi><mo>(</mo><msqrt><mo>(</mo><mn>1</mn><mo>+</mo><msup><mi>a\
             </mi><mn>2</mn></msup><mo>)</mo><msub><mi>S</mi><mi>c</mi></msub></msqrt><mo>,</mo><mn>2</mn><mo>(</mo><mn>1</mn>\
             <mo>+</mo><mn>2</mn><mi>a</mi><mo>)</mo><msup><mi>e</mi><mrow><mn>2</mn><mi>a</mi></mrow></msup><mo>)</mo><mo>)</mo>\
             </mrow>",
    ),
    (
        &LOCAL,
        "<munder><mi>max</mi><mi>i</mi></munder><mrow><mo>‖</mo><mi>V</mi><msub><mi>G</mi><mi>i</mi></msub><mo>‖</mo></mrow>\
             <mo>+</mo><msqrt><munder><mi>max</mi><mi>j</mi></munder><munder><mo>∑</mo><mi>i</mi></munder><msub><mi>P</mi><mrow>\
             <mi>i</mi><mi>j</mi></mrow></msub><msub><mi>w</mi><mi>i</mi></msub></msqrt>",
    ),
    (
        &ADVERSARIAL,
        "<mrow><mo>|</mo><mi>V</mi><mi>u</mi><mo>|</mo></mrow><msqrt><mi>n</mi><mo>−</mo><mn>1</mn></msqrt><mi>p</mi><mo>(\
             </mo><mn>1</mn><mo>+</mo><mn>2</mn><mo>(</mo><mn>1</mn><mo>−</mo><mi>p</mi><mo>)</mo><mi>g</mi><mo>)</mo>",
    ),
    (
        &KIM_L2,
        "<msqrt><mi>n</mi><mo>/</mo><mi>k</mi></msqrt><mo>(</mo><mn>4</mn><msup><mi>φ</mi><mrow><mo>−</mo><mn>1</mn></mrow>\
             </msup><mo>(</mo><mi>n</mi><mo>−</mo><mn>1</mn><mo>)</mo><mo>+</mo><mn>1</mn><mo>)</mo><msqrt><munder><mo>∑</mo>\
             <mi>h</mi></munder><msup><mrow><mo>‖</mo><msub><mi>W</mi><mi>Q</mi></msub><mo>‖</mo></mrow><mn>4</mn></msup><msup>\
             <mrow><mo>‖</mo><msub><mi>W</mi><mi>V</mi></msub><mo>‖</mo></mrow><mn>2</mn></msup></msqrt><mrow><mo>‖</mo><msub>\
             <mi>W</mi><mi>O</mi></msub><mo>‖</mo></mrow>",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_core::bounds::ALL;

    #[test]
    fn no_parenthesis_of_a_formula_grows() {
        let all = ALL.into_iter().filter_map(markup).map(with_plain_parentheses);
        let mut seen = 0;
        for markup in all {
            for (at, _) in markup.match_indices(['(', ')']) {
                assert!(markup[..at].trim_end().ends_with("<mo stretchy=\"false\">"), "{markup}");
                seen += 1;
            }
        }
        assert!(seen > 20, "{seen} parentheses");
    }
}
