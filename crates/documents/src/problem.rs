//! What keeps a document from becoming a page.

/// Why a document cannot become a page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A formula cannot be read.
    #[error("the formula `{latex}` cannot be read: {reason}")]
    Formula {
        /// Its LaTeX.
        latex: String,
        /// Why.
        reason: String,
    },
    /// The document holds HTML other than a comment.
    #[error("HTML within Markdown is not taken over: {0}")]
    Html(String),
    /// A link leads neither to a heading of the document or of another one, nor to a file of the repository, nor to an
    /// https address.
    #[error(
        "a link leads to `{0}`, which is no heading, no other document, no file, and no address that starts with https://"
    )]
    Link(String),
    /// A file cannot be read.
    #[error("`{path}` cannot be read: {reason}")]
    File {
        /// Its path.
        path: String,
        /// Why.
        reason: String,
    },
}
