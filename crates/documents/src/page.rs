//! The page around the text of a document.

use crate::body::Heading;
use crate::chapters::PARTS;
use crate::escape;
use crate::site::Document;

/// What a document's page may load, from the site alone: its style sheet, its pictures, and the search with its index.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; \
                      base-uri 'none'; form-action 'none'";

/// The search of all documents. It needs its script, which shows it.
const SEARCH: &str = r#"<div class="search" role="search" hidden>
        <label class="sr-only" for="document-search">Search the documents</label>
        <input id="document-search" type="text" placeholder="Search: press /" enterkeyhint="search" autocomplete="off" spellcheck="false" role="combobox" aria-autocomplete="list" aria-expanded="false" aria-controls="document-results">
        <span role="status"></span>
        <div class="results" id="document-results" role="listbox" aria-label="Sections found" tabindex="-1" hidden></div>
      </div>"#;

/// The whole page of a document among all documents. The page links to the files `document.css` and `search.js`, which
/// must lie in the same folder, to `icon.svg` in the folder above, and to that folder, where the explorer is.
pub fn page(document: &Document, all: &[Document]) -> String {
    let (title, about) = (escape(document.title()), escape(document.chapter.about));
    let (documents, turns) = (list(document, all), turns(document, all));
    let (contents, text) = (contents(&document.body.headings), &document.body.html);
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
    <link rel="icon" type="image/svg+xml" href="../icon.svg">
    <link rel="stylesheet" href="document.css">
    <script type="module" src="search.js"></script>
  </head>
  <body>
    <a class="skip" href="#document-text">Skip to the text</a>
    <header>
      <a href="../">Lipscope, the explorer</a> <a href="index.html">Documents</a>
      {SEARCH}
    </header>
    <div class="document">
      <div class="side">
        <details class="fold documents">
          <summary>All documents</summary>
          <nav aria-label="Documents">
{documents}          </nav>
        </details>
{contents}      </div>
      <main id="document-text" tabindex="-1">
{text}{turns}      </main>
    </div>
  </body>
</html>
"##
    )
}

/// The link to a document, marked where it is the one on this page.
fn link(to: &Document, here: &Document) -> String {
    let current = if to.chapter == here.chapter { r#" aria-current="page""# } else { "" };
    format!(r#"<a href="{}.html"{current}>{}</a>"#, to.chapter.name, escape(to.title()))
}

/// All documents, part by part.
fn list(here: &Document, all: &[Document]) -> String {
    let mut html = String::new();
    for (part, chapters) in PARTS {
        let links = chapters.iter().filter_map(|chapter| all.iter().find(|document| document.chapter == *chapter));
        let links: String = links.map(|document| format!("<li>{}</li>\n", link(document, here))).collect();
        html += &format!("<p>{part}</p>\n<ul>\n{links}</ul>\n");
    }
    html
}

/// The links to the documents before and after this one.
fn turns(here: &Document, all: &[Document]) -> String {
    let at = all.iter().position(|document| document.chapter == here.chapter);
    let neighbour = |at: Option<usize>| at.and_then(|at| all.get(at));
    let turn = |to: Option<&Document>, rel: &str, words: &str| {
        to.map_or_else(String::new, |to| {
            let (name, title) = (to.chapter.name, escape(to.title()));
            format!(r#"<a rel="{rel}" href="{name}.html"><span>{words}</span> {title}</a>"#) + "\n"
        })
    };
    let before = turn(neighbour(at.and_then(|at| at.checked_sub(1))), "prev", "Before:");
    let after = turn(neighbour(at.map(|at| at + 1)), "next", "Next:");
    format!("<nav class=\"turns\" aria-label=\"Before and after\">\n{before}{after}</nav>\n")
}

/// The sections as a list, each with the list of its subsections; nothing for a document without sections.
fn contents(headings: &[Heading]) -> String {
    let sections: Vec<&Heading> = headings.iter().filter(|heading| matches!(heading.level, 2 | 3)).collect();
    if sections.is_empty() {
        return String::new();
    }
    let mut html = String::from("<ul>\n");
    let mut is_open = false;
    for heading in sections {
        let link = format!(r##"<a href="#{}">{}</a>"##, heading.anchor, heading.html);
        if heading.level == 2 {
            html += if is_open { "</ul></li>\n" } else { "" };
            html += &format!("<li>{link}<ul>\n");
            is_open = true;
        } else if is_open {
            html += &format!("<li>{link}</li>\n");
        }
    }
    html += if is_open { "</ul></li>\n</ul>\n" } else { "</ul>\n" };
    // A list without entries would be read aloud as one.
    let html = html.replace("<ul>\n</ul>", "");
    format!(
        "        <details class=\"fold contents\">\n          <summary>On this page</summary>\n          \
         <nav aria-label=\"On this page\">\n{html}          </nav>\n        </details>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::body;
    use crate::chapters::chapters;

    fn documents(text: &str) -> Vec<Document> {
        let of = |text: &str| body(text, &|_| None).expect("a text");
        chapters().map(|chapter| Document { chapter, body: of(&text.replace("NAME", chapter.name)) }).collect()
    }

    #[test]
    fn the_contents_lead_to_every_section_and_its_parts() {
        let all = documents("# T\n## A\n### B\n## C\n");
        let page = page(&all[0], &all);
        assert!(page.contains("<title>T - Lipscope</title>") && page.contains(all[0].chapter.about), "{page}");
        let wanted = "<ul>\n<li><a href=\"#a\">A</a><ul>\n<li><a href=\"#b\">B</a></li>\n</ul></li>\n<li><a href=\"#c\">C</a></li>\n</ul>\n";
        assert!(page.contains(wanted), "{page}");
    }

    #[test]
    fn every_page_lists_all_documents_marks_its_own_and_leads_to_its_neighbours() {
        let all = documents("# The NAME\n");
        for (at, document) in all.iter().enumerate() {
            let page = page(document, &all);
            for other in &all {
                let name = other.chapter.name;
                let current = if other == document { " aria-current=\"page\"" } else { "" };
                let entry = format!("<li><a href=\"{name}.html\"{current}>The {name}</a></li>");
                assert!(page.contains(&entry), "{entry} is not in {page}");
            }
            assert!(!page.contains("On this page"), "it has no sections: {page}");
            let turn = |rel: &str| page.split(&format!("<a rel=\"{rel}\" href=\"")).nth(1)?.split('.').next();
            assert_eq!(turn("prev"), at.checked_sub(1).map(|at| all[at].chapter.name));
            assert_eq!(turn("next"), all.get(at + 1).map(|next| next.chapter.name));
        }
    }
}
