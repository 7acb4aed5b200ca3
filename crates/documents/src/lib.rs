//! Documents of `docs/` as pages of the site: Markdown in, HTML with formulas as MathML out.
//!
//! | module | concept |
//! | --- | --- |
//! | `anchors` | the address of a heading, as GitHub makes it |
//! | `formula` | LaTeX as MathML |
//! | `body` | the text of a document |
//! | `page` | the page around the text: its head, its table of contents |

mod anchors;
mod body;
mod formula;
mod page;

pub use body::{Body, Heading, Problem, body};
pub use page::page;

/// Text as HTML that shows it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
