//! The words of the pictures, and fitted laws as text.

use crate::{Group, Heads};
use lipscope_core::fit::PowerLaw;

/// Names of axes and curves in the reader's language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelWords {
    /// The number of tokens.
    pub length: String,
    /// ||J||_2.
    pub norm: String,
    /// The mean of ||J||_2 over windows.
    pub mean_norm: String,
    /// The axis where both estimators are drawn.
    pub both: String,
    /// The released-script estimator, short.
    pub released: String,
    /// The root mean square of the token norms.
    pub token_norm: String,
    /// The largest column sum of an attention matrix.
    pub sink: String,
    /// Layer.
    pub layer: String,
    /// Head.
    pub head: String,
    /// A curve of the paper.
    pub published: String,
    /// How many windows.
    pub windows: String,
    /// The largest relative residual.
    pub residual: String,
    /// Where nothing is drawn yet.
    pub note: String,
}

impl ModelWords {
    /// In English.
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
            published: "published".into(),
            windows: "windows".into(),
            residual: "largest residual".into(),
            note: String::new(),
        }
    }

    /// A layer and, where it is one by itself, a head.
    #[must_use]
    pub fn cell(&self, group: &Group) -> String {
        match group.heads {
            Heads::All => format!("{} {}", self.layer, group.layer),
            Heads::One(head) => format!("{} {}, {} {head}", self.layer, group.layer, self.head),
        }
    }
}

/// c n^alpha with three decimals each.
#[must_use]
pub fn law(fit: &PowerLaw) -> String {
    format!("{:.3} n^{:.3}", fit.factor, fit.exponent)
}

/// C sqrt(n) with three decimals.
#[must_use]
pub fn root_law(fit: &PowerLaw) -> String {
    format!("{:.3} √n", fit.factor)
}
