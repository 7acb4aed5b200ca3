//! Documents of `docs/` as pages of the site: Markdown in, HTML with formulas as MathML out.
//!
//! | module | concept |
//! | --- | --- |
//! | `anchors` | the address of a heading, as GitHub makes it |
//! | `formula` | LaTeX as MathML |
//! | `body` | the text of a document |
//! | `problem` | what keeps a document from becoming a page |
//! | `page` | the page around the text: its head, its table of contents |

mod anchors;
mod body;
mod formula;
mod page;
mod problem;

pub use body::{Body, Heading, body};
pub use page::page;
pub use problem::Problem;

/// Text as HTML that shows it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
