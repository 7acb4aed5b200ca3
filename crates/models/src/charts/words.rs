//! The texts in the charts, and fitted curves as text.

use crate::{Group, Heads};
use lipscope_core::fit::PowerLaw;
use lipscope_plot::raised;

/// Names of axes and curves in the user's language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelWords {
    /// The number of tokens.
    pub length: String,
    /// ||J||_2.
    pub norm: String,
    /// The mean of ||J||_2 over windows.
    pub mean_norm: String,
    /// The axis of charts with both estimators.
    pub both: String,
    /// Short name of the released-script estimator.
    pub released: String,
    /// The root mean square of the token norms.
    pub token_norm: String,
    /// The largest column sum of an attention matrix.
    pub sink: String,
    /// The word for a layer.
    pub layer: String,
    /// The word for a head.
    pub head: String,
    /// The word for a head of keys and values.
    pub key_head: String,
    /// The word for a token.
    pub token: String,
    /// The row of a patch in its picture.
    pub patch_row: String,
    /// Its column.
    pub patch_column: String,
    /// How much of the worst change it bears.
    pub patch_share: String,
    /// The name of a published curve.
    pub published: String,
    /// The number of windows.
    pub windows: String,
    /// The largest relative residual.
    pub residual: String,
    /// The smaller of the bounds on ||J||_2 at a window's tokens.
    pub bound: String,
    /// The note in an empty chart.
    pub note: String,
}

impl ModelWords {
    /// The English texts.
    #[must_use]
    pub fn english() -> Self {
        ModelWords {
            length: "n".into(),
            norm: "‖J‖".into(),
            mean_norm: "mean ‖J‖".into(),
            both: "local constant".into(),
            released: "released".into(),
            token_norm: "token norm (RMS)".into(),
            sink: "largest column sum of attention".into(),
            layer: "layer".into(),
            head: "head".into(),
            key_head: "key-value head".into(),
            token: "token".into(),
            patch_row: "row of patches".into(),
            patch_column: "column of patches".into(),
            patch_share: "|change|".into(),
            published: "published".into(),
            windows: "windows".into(),
            residual: "largest residual".into(),
            bound: "≤ bound at these tokens".into(),
            note: String::new(),
        }
    }

    /// The name of a layer, with the head if it is a single one.
    #[must_use]
    pub fn cell(&self, group: &Group) -> String {
        match group.heads {
            Heads::All => format!("{} {}", self.layer, group.layer),
            Heads::One(head) => format!("{} {}, {} {head}", self.layer, group.layer, self.head),
        }
    }
}

/// c n^alpha as text, with three decimals each.
#[must_use]
pub fn power_law_text(fit: &PowerLaw) -> String {
    format!("{:.3} n{}", fit.factor, raised(&format!("{:.3}", fit.exponent)))
}

/// C sqrt(n) as text, with three decimals.
#[must_use]
pub fn sqrt_law_text(fit: &PowerLaw) -> String {
    format!("{:.3} √n", fit.factor)
}
