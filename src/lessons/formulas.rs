//! The formulas of the lessons, as MathML.

use crate::prelude::*;

use crate::formulas::{Formula, markup};
use lipscope_core::bounds::{BoundId, CASTIN_GENERAL, CASTIN_MEAN_FIELD, KIM_L2, LOCAL, UNIFIED};

/// What stands between two formulas of one markup.
const BETWEEN: &str = "<mo>,</mo><mo>&#x2003;</mo>";

/// A formula in a text.
#[derive(Debug, PartialEq)]
pub struct LessonFormula {
    /// Its name in texts.
    name: &'static str,
    /// Where its markup is.
    written: Written,
}

/// Where the markup of a formula is.
#[derive(Debug, PartialEq)]
enum Written {
    /// Here, as MathML.
    Here(&'static str),
    /// Among the formulas of the bounds.
    Bound(BoundId),
}

/// The formula with a name; `None` where there is none.
#[must_use]
pub fn find(name: &str) -> Option<&'static LessonFormula> {
    FORMULAS.iter().find(|formula| formula.name == name)
}

impl LessonFormula {
    /// Its name in texts.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its markup, as MathML.
    #[must_use]
    pub fn markup(&self) -> &'static str {
        match self.written {
            Written::Here(markup) => markup,
            Written::Bound(id) => markup(id).unwrap_or_default(),
        }
    }

    /// The formula as a view.
    #[must_use]
    pub fn view(&self) -> AnyView {
        match self.written {
            // The markup is a constant of this file, never a reader's text.
            Written::Here(markup) => view! { <span class="formula-parts" inner_html=parts(markup)></span> }.into_any(),
            Written::Bound(id) => view! { <Formula id/> }.into_any(),
        }
    }
}

/// The formulas of a markup that holds several, each as a formula of its own: a narrow column has them on lines of their
/// own.
fn parts(markup: &str) -> String {
    markup.replace(BETWEEN, "<mo>,</mo></math> <math display=\"block\">")
}

const fn here(name: &'static str, markup: &'static str) -> LessonFormula {
    LessonFormula { name, written: Written::Here(markup) }
}

const fn bound(name: &'static str, id: BoundId) -> LessonFormula {
    LessonFormula { name, written: Written::Bound(id) }
}

static FORMULAS: [LessonFormula; 26] = [
    bound("castin_general", &CASTIN_GENERAL),
    bound("castin_mean_field", &CASTIN_MEAN_FIELD),
    bound("unified", &UNIFIED),
    bound("local", &LOCAL),
    bound("kim_l2", &KIM_L2),
    // Whole, these two would be wider than the panel: a letter stands for a part of each.
    here(
        "sharp",
        "<math display=\"block\"><mi>v</mi><mo stretchy=\"false\">(</mo><mi>a</mi><mo>+</mo><msqrt><mi>min</mi>\
         <mo stretchy=\"false\">(</mo><mi>n</mi><mi>G</mi><mo stretchy=\"false\">(</mo><mi>a</mi>\
         <mo stretchy=\"false\">)</mo><mo>,</mo><mi>F</mi><mo stretchy=\"false\">(</mo><mi>a</mi>\
         <mo stretchy=\"false\">)</mo><mo>,</mo><mi>U</mi><mo stretchy=\"false\">)</mo></msqrt>\
         <mo stretchy=\"false\">)</mo></math>",
    ),
    here(
        "sharp-part",
        "<math display=\"block\"><mi>U</mi><mo>=</mo><mo stretchy=\"false\">(</mo><mn>1</mn><mo>+</mo><msup><mi>a</mi>\
         <mn>2</mn></msup><mo stretchy=\"false\">)</mo><msub><mi>S</mi><mi>Γ</mi></msub></math>",
    ),
    here(
        "unified_masked",
        "<math display=\"block\"><mi>v</mi><mo stretchy=\"false\">(</mo><mi>a</mi><mo>+</mo><mi>min</mi>\
         <mo stretchy=\"false\">(</mo><msqrt><mo stretchy=\"false\">(</mo><mn>1</mn><mo>+</mo><msup><mi>a\
         </mi><mn>2</mn></msup><mo stretchy=\"false\">)</mo><msub><mi>S</mi><mi>c</mi></msub></msqrt><mo>,\
         </mo><mi>T</mi><mo stretchy=\"false\">)</mo><mo stretchy=\"false\">)</mo></math>",
    ),
    here(
        "unified_masked-part",
        "<math display=\"block\"><mi>T</mi><mo>=</mo><mn>2</mn><mo stretchy=\"false\">(</mo><mn>1</mn><mo>+\
         </mo><mn>2</mn><mi>a</mi><mo stretchy=\"false\">)</mo><msup><mi>e</mi><mrow><mn>2</mn><mi>a</mi>\
         </mrow></msup></math>",
    ),
    here(
        "largest-token",
        "<math display=\"block\"><mi>v</mi><mo stretchy=\"false\">(</mo><mi>a</mi><mo>+</mo><msqrt><mn>1</mn>\
         <mo>+</mo><msup><mi>a</mi><mn>2</mn></msup></msqrt><mo stretchy=\"false\">)</mo></math>",
    ),
    here(
        "capped",
        "<math display=\"block\"><mi>a</mi><mo>+</mo><mo stretchy=\"false\">(</mo><mn>1</mn><mo>+</mo><mi>a</mi>\
         <mo stretchy=\"false\">)</mo><msup><mi>e</mi><mi>τ</mi></msup></math>",
    ),
    here(
        "lipschitz",
        "<math display=\"block\"><mi>L</mi><mo>=</mo><mrow><mo>‖</mo><mi>J</mi><mo>‖</mo></mrow><mo>=</mo>\
         <munder><mi>max</mi><mrow><mi>ξ</mi><mo>≠</mo><mn>0</mn></mrow></munder><mfrac><mrow><mo>|</mo><mi>J\
         </mi><mi>ξ</mi><mo>|</mo></mrow><mrow><mo>|</mo><mi>ξ</mi><mo>|</mo></mrow></mfrac></math>",
    ),
    here(
        "ball",
        "<math display=\"block\"><msub><mi>L</mi><mi>n</mi></msub><mo>=</mo><munder><mi>max</mi><mrow><mrow>\
         <mo>|</mo><msub><mi>x</mi><mi>i</mi></msub><mo>|</mo></mrow><mo>≤</mo><mi>R</mi></mrow></munder>\
         <mrow><mo>‖</mo><mi>J</mi><mo stretchy=\"false\">(</mo><mi>X</mi><mo stretchy=\"false\">)</mo><mo>‖</mo></mrow></math>",
    ),
    here(
        "attention",
        "<math display=\"block\"><msub><mi>P</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>=</mo><mfrac>\
         <msup><mi>e</mi><msub><mi>s</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub></msup><mrow><munder><mo>∑\
         </mo><mi>l</mi></munder><msup><mi>e</mi><msub><mi>s</mi><mrow><mi>i</mi><mi>l</mi></mrow></msub>\
         </msup></mrow></mfrac><mo>,</mo><mo>&#x2003;</mo><msub><mi>m</mi><mi>i</mi></msub><mo>=</mo><munder>\
         <mo>∑</mo><mi>j</mi></munder><msub><mi>P</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><msub><mi>x\
         </mi><mi>j</mi></msub></math>",
    ),
    here(
        "jacobian",
        "<math display=\"block\"><msub><mi>J</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>=</mo><mi>V</mi><mo stretchy=\"false\">(</mo>\
         <msub><mi>P</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><msub><mi>M</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>+</mo>\
         <msub><mi>δ</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><msub><mi>C</mi><mi>i</mi></msub><mi>A</mi><mo stretchy=\"false\">)</mo></math>",
    ),
    here(
        "mixed",
        "<math display=\"block\"><msub><mi>M</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>=</mo><mi>I</mi><mo>+</mo><mo stretchy=\"false\">(</mo>\
         <msub><mi>x</mi><mi>j</mi></msub><mo>−</mo><msub><mi>m</mi><mi>i</mi></msub><mo stretchy=\"false\">)</mo><msup><mrow>\
         <mo stretchy=\"false\">(</mo><mi>A</mi><msub><mi>x</mi><mi>i</mi></msub><mo stretchy=\"false\">)</mo></mrow><mi>⊤</mi></msup></math>",
    ),
    here(
        "covariance",
        "<math display=\"block\"><msub><mi>C</mi><mi>i</mi></msub><mo>=</mo><munder><mo>∑</mo><mi>j</mi>\
         </munder><msub><mi>P</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mrow><mo stretchy=\"false\">(</mo><msub><mi>x</mi>\
         <mi>j</mi></msub><mo>−</mo><msub><mi>m</mi><mi>i</mi></msub><mo stretchy=\"false\">)</mo></mrow><msup><mrow><mo stretchy=\"false\">(</mo>\
         <msub><mi>x</mi><mi>j</mi></msub><mo>−</mo><msub><mi>m</mi><mi>i</mi></msub><mo stretchy=\"false\">)</mo></mrow><mo>⊤\
         </mo></msup></math>",
    ),
    here(
        "largest-weight",
        "<math display=\"block\"><msub><mi>P</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>≤</mo><mfrac><mn>1\
         </mn><mrow><mn>1</mn><mo>+</mo><mo stretchy=\"false\">(</mo><mi>n</mi><mo>−</mo><mn>1</mn><mo stretchy=\"false\">)</mo><msup><mi>e</mi>\
         <mrow><mo>−</mo><mn>2</mn><mi>a</mi></mrow></msup></mrow></mfrac><mo>,</mo><mo>&#x2003;</mo><mi>a\
         </mi><mo>=</mo><mrow><mo>‖</mo><mi>A</mi><mo>‖</mo></mrow><msup><mi>R</mi><mn>2</mn></msup></math>",
    ),
    here(
        "largest-causal-weight",
        "<math display=\"block\"><msub><mi>P</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>≤</mo><mfrac><mn>1\
         </mn><mrow><mn>1</mn><mo>+</mo><mo stretchy=\"false\">(</mo><mi>i</mi><mo>−</mo><mn>1</mn><mo stretchy=\"false\">)</mo><msup><mi>e</mi>\
         <mrow><mo>−</mo><mn>2</mn><mi>a</mi></mrow></msup></mrow></mfrac></math>",
    ),
    here(
        "layer-norm",
        "<math display=\"block\"><mi>y</mi><mo>=</mo><mfrac><mrow><mi>x</mi><mo>−</mo><mover><mi>x</mi><mo>¯\
         </mo></mover></mrow><msqrt><mi>var</mi><mo>+</mo><mi>ε</mi></msqrt></mfrac></math>",
    ),
    here(
        "layer-norm-size",
        "<math display=\"block\"><msup><mrow><mo>|</mo><mi>y</mi><mo>|</mo></mrow><mn>2</mn></msup><mo>=</mo><mi>d</mi><mfrac>\
         <mi>var</mi><mrow><mi>var</mi><mo>+</mo><mi>ε</mi></mrow></mfrac><mo>≤</mo><mi>d</mi></math>",
    ),
    here(
        "composed",
        "<math display=\"block\"><mrow><mo>‖</mo><mi>J</mi><mo>‖</mo></mrow><mo>≤</mo><mrow><mo>‖</mo><msub>\
         <mi>J</mi><mi>f</mi></msub><mo>‖</mo></mrow><munder><mi>max</mi><mi>i</mi></munder><mfrac><mn>1</mn>\
         <msqrt><msub><mi>var</mi><mi>i</mi></msub><mo>+</mo><mi>ε</mi></msqrt></mfrac></math>",
    ),
    here(
        "l2-score",
        "<math display=\"block\"><msub><mi>s</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mo>=</mo><mo>−</mo>\
         <mfrac><msup><mrow><mo>|</mo><mi>Q</mi><msub><mi>x</mi><mi>i</mi></msub><mo>−</mo><mi>K</mi><msub>\
         <mi>x</mi><mi>j</mi></msub><mo>|</mo></mrow><mn>2</mn></msup><msqrt><mi>k</mi></msqrt></mfrac>\
         </math>",
    ),
    here(
        "skip",
        "<math display=\"block\"><mi>g</mi><mo stretchy=\"false\">(</mo><mi>X</mi><mo stretchy=\"false\">)</mo><mo>=</mo><mi>X</mi><mo>+</mo><mfrac>\
         <mi>c</mi><mi>L</mi></mfrac><mi>F</mi><mo stretchy=\"false\">(</mo><mi>X</mi><mo stretchy=\"false\">)</mo></math>",
    ),
    here(
        "fixed-point",
        "<math display=\"block\"><msub><mi>X</mi><mrow><mi>t</mi><mo>+</mo><mn>1</mn></mrow></msub><mo>=</mo>\
         <mi>Y</mi><mo>−</mo><mfrac><mi>c</mi><mi>L</mi></mfrac><mi>F</mi><mo stretchy=\"false\">(</mo><msub><mi>X</mi><mi>t\
         </mi></msub><mo stretchy=\"false\">)</mo></math>",
    ),
    here(
        "rate",
        "<math display=\"block\"><mrow><mo>|</mo><msub><mi>X</mi><mi>t</mi></msub><mo>−</mo><mi>X</mi><mo>|\
         </mo></mrow><mo>≤</mo><mfrac><msup><mi>c</mi><mi>t</mi></msup><mrow><mn>1</mn><mo>−</mo><mi>c</mi>\
         </mrow></mfrac><mrow><mo>|</mo><msub><mi>X</mi><mn>1</mn></msub><mo>−</mo><msub><mi>X</mi><mn>0</mn>\
         </msub><mo>|</mo></mrow></math>",
    ),
];
