//! Documents of `docs/` as pages of the site: Markdown in, HTML with formulas as MathML out.
//!
//! | module | concept |
//! | --- | --- |
//! | `anchors` | the address of a heading, as GitHub makes it |
//! | `formula` | LaTeX as MathML |
//! | `body` | the text of a document |
//! | `problem` | what keeps a document from becoming a page |
//! | `chapters` | which documents there are, in which order |
//! | `site` | all documents, and the links between them |
//! | `page` | the page around a text: its head, the list of documents, its table of contents |

mod anchors;
mod body;
mod chapters;
mod formula;
mod page;
mod problem;
mod site;

pub use body::{Body, Heading};
pub use chapters::Chapter;
pub use page::page;
pub use problem::Problem;
pub use site::{Document, documents};

/// Text as HTML that shows it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
