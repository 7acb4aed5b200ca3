//! The page around the text of a document.

use crate::body::{Body, Heading};
use crate::escape;

/// What a document's page may load: its style sheet and its pictures, from the site alone, and no script.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/// The whole page. `about` describes the document in a sentence. The page links to the files `document.css` and
/// `icon.svg`, which must lie in the same folder.
#[must_use]
pub fn page(body: &Body, about: &str) -> String {
    let title = body.headings.first().map_or_else(String::new, |heading| escape(&heading.text));
    let (about, contents, text) = (escape(about), contents(&body.headings), &body.html);
    format!(
        r##"<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="{POLICY}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{title} - Lipscope</title>
    <meta name="description" content="{about}">
    <meta name="color-scheme" content="light dark">
    <meta name="theme-color" content="#fbfaf7" media="(prefers-color-scheme: light)">
    <meta name="theme-color" content="#121417" media="(prefers-color-scheme: dark)">
    <meta name="referrer" content="no-referrer">
    <link rel="icon" type="image/svg+xml" href="icon.svg">
    <link rel="stylesheet" href="document.css">
  </head>
  <body>
    <a class="skip" href="#text">Skip to the text</a>
    <header><a href="./">Lipscope, the explorer</a></header>
    <div class="document">
      <nav aria-label="Contents">
{contents}      </nav>
      <main id="text" tabindex="-1">
{text}      </main>
    </div>
  </body>
</html>
"##
    )
}

/// The sections as a list, each with the list of its subsections.
fn contents(headings: &[Heading]) -> String {
    let mut html = String::from("<ul>\n");
    let mut is_open = false;
    for heading in headings {
        let link = format!(r##"<a href="#{}">{}</a>"##, heading.anchor, heading.html);
        match heading.level {
            2 => {
                html += if is_open { "</ul></li>\n" } else { "" };
                html += &format!("<li>{link}<ul>\n");
                is_open = true;
            }
            3 if is_open => html += &format!("<li>{link}</li>\n"),
            _ => {}
        }
    }
    html + if is_open { "</ul></li>\n</ul>\n" } else { "</ul>\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::body;

    #[test]
    fn the_contents_lead_to_every_section_and_its_parts() {
        let page = page(&body("# T\n## A\n### B\n## C\n", &[]).expect("a page"), "About \"it\".");
        assert!(page.contains("<title>T - Lipscope</title>") && page.contains("About &quot;it&quot;."), "{page}");
        let wanted = "<ul>\n<li><a href=\"#a\">A</a><ul>\n<li><a href=\"#b\">B</a></li>\n</ul></li>\n<li><a href=\"#c\">C</a><ul>\n</ul></li>\n</ul>\n";
        assert!(page.contains(wanted), "{page}");
    }
}
