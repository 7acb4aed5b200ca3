//! Places in the theory: the statements and proofs of docs/theory.md, which the site holds as a page (`crates/documents`).

use lipscope_core::bounds::BoundId;

/// The file of the theory's page, in the folder of the explorer.
pub const THEORY: &str = "theory.html";

/// The file of the page on training, made of docs/training.md, in the same folder.
pub const TRAINING: &str = "training.html";

/// Whether an address is that of a document of the site.
#[must_use]
pub fn is_document(address: &str) -> bool {
    address.starts_with(THEORY) || address.starts_with(TRAINING)
}

/// A place in the theory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The whole theory.
    Start,
    /// The statement of a bound.
    Bound(BoundId),
    /// The bound for all tokens near given ones.
    Certified,
    /// L2 attention.
    L2,
    /// The inverse of a residual map.
    Inverse,
}

impl Place {
    /// The anchor of its heading; empty for the whole page.
    #[must_use]
    pub fn anchor(self) -> &'static str {
        match self {
            Place::Start => "",
            Place::Certified => "certifiedeps",
            Place::L2 => "5-l2-attention",
            Place::Inverse => "the-inverse",
            // The heading of a bound is its name in files; tests/page/theory.rs finds a bound without one.
            Place::Bound(id) => id.id(),
        }
    }

    /// Its address, from the explorer.
    #[must_use]
    pub fn address(self) -> String {
        match self.anchor() {
            "" => THEORY.to_owned(),
            anchor => format!("{THEORY}#{anchor}"),
        }
    }
}
