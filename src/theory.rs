//! The documents of the site, which `crates/documents` makes of docs, and places in the theory: the statements and
//! proofs of docs/theory.md.

use std::borrow::Cow;

use lipscope_core::bounds::BoundId;

/// The list of all documents, from the folder of the explorer.
pub const DOCUMENTS: &str = "docs/index.html";

/// The page of the theory, in the folder of the documents.
pub const THEORY: &str = "theory.html";

/// The page on training, made of docs/training.md, in the same folder.
pub const TRAINING: &str = "training.html";

/// The address, from the explorer, of what a lesson refers to. Lessons name documents as these name each other, by
/// their page in the folder of the documents.
#[must_use]
pub fn from_explorer(address: &'static str) -> Cow<'static, str> {
    if is_document(address) { format!("docs/{address}").into() } else { address.into() }
}

/// Whether an address is that of a document, from the folder of the documents.
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
            "" => format!("docs/{THEORY}"),
            anchor => format!("docs/{THEORY}#{anchor}"),
        }
    }
}
