//! Documents of `docs/` as pages of the site: Markdown in, HTML with formulas as MathML out.
//!
//! | module | concept |
//! | --- | --- |
//! | `anchors` | the address of a heading, as GitHub makes it |
//! | `formula` | LaTeX as MathML |
//! | `text` | what a reader reads of Markdown, without markup |
//! | `body` | the text of a document |
//! | `problem` | what keeps a document from becoming a page |
//! | `chapters` | which documents there are, in which order |
//! | `site` | all documents, and the links between them |
//! | `page` | the page around a text: its head, the list of documents, its table of contents, the search |
//! | `search` | the sections among which the search finds |

mod anchors;
mod body;
mod chapters;
mod formula;
mod page;
mod problem;
mod search;
mod site;
mod text;

pub use body::{Body, Heading};
pub use chapters::Chapter;
pub use page::page;
pub use problem::Problem;
pub use search::{Section, sections};
pub use site::{Document, documents};

/// Text as HTML that shows it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
