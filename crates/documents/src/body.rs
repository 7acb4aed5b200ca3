//! The text of a document: Markdown as HTML, with its headings.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::anchors::Anchors;
use crate::escape;
use crate::formula::Formulas;
use crate::problem::Problem;
use crate::text::readable;

/// The text of a document as HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The HTML.
    pub html: String,
    /// Its headings, in order.
    pub headings: Vec<Heading>,
    /// The number of its formulas.
    pub formulas: usize,
    /// The files beside the document that it shows or links to, from its folder.
    pub files: Vec<String>,
    /// The pages of other documents that it links to, with their anchors: `numerics.html#rounding`.
    pub links: Vec<String>,
}

/// What the address of a link is, if it leads out of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A page of the site, with an anchor: `numerics.html#rounding`.
    Page(String),
    /// A file beside the document, which is put beside its page.
    File,
    /// The explorer, in the folder above: the address stays as it is.
    Explorer,
    /// A file of the repository that the site does not have. Its words stay, without the link.
    Elsewhere,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 for the title of the document, 2 for a section, 3 for a subsection, up to 6.
    pub level: usize,
    /// Its address within the page.
    pub anchor: String,
    /// Its text without markup.
    pub text: String,
    /// Its text as HTML.
    pub html: String,
    /// The text between it and the next heading, without markup.
    pub below: String,
}

/// Makes HTML of Markdown. `target` says what an address is that is neither a heading of this document nor starts with
/// https://. Whether a page has the link's anchor is not checked here.
///
/// # Errors
/// The first [`Problem`] of the document.
pub fn body(markdown: &str, target: &dyn Fn(&str) -> Option<Target>) -> Result<Body, Problem> {
    let formulas = Formulas::new();
    let mut n_formulas = 0;
    let mut events: Vec<Event<'_>> = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_MATH) {
        n_formulas += usize::from(matches!(event, Event::InlineMath(_) | Event::DisplayMath(_)));
        events.push(match event {
            // A comment in HTML is left out: it marks a part of the file that a program writes.
            Event::Html(html) if html.trim().starts_with("<!--") && html.trim().ends_with("-->") => continue,
            Event::Html(html) | Event::InlineHtml(html) => return Err(Problem::Html(html.trim().into())),
            other => other,
        });
    }
    let headings = headings(&events, &formulas)?;
    let mut anchors = headings.iter().map(|heading| &heading.anchor);
    let mut out: Vec<Event<'_>> = Vec::new();
    let (mut files, mut links) = (Vec::new(), Vec::new());
    let mut is_link_left_out = false;
    let mut events = events.into_iter().peekable();
    while let Some(event) = events.next() {
        match event {
            Event::InlineMath(latex) => {
                let math = glued(formulas.inline(&latex)?, events.peek_mut());
                out.push(Event::InlineHtml(math.into()));
            }
            Event::DisplayMath(latex) => out.push(Event::InlineHtml(formulas.display(&latex)?.into())),
            Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                let id = anchors.next().map(|anchor| CowStr::from(anchor.clone()));
                out.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
            }
            // A table or code that is wider than the text scrolls in a box of its own. The box can have the focus, so that
            // the keyboard scrolls it too.
            Event::Start(wide @ (Tag::Table(_) | Tag::CodeBlock(_))) => {
                let (class, label) = if matches!(wide, Tag::Table(_)) { ("table", "Table") } else { ("code", "Code") };
                let start = format!(r#"<div class="{class}" tabindex="0" role="group" aria-label="{label}">"#);
                out.extend([Event::Html(start.into()), Event::Start(wide)]);
            }
            Event::End(wide @ (TagEnd::Table | TagEnd::CodeBlock)) => {
                out.extend([Event::End(wide), Event::Html("</div>\n".into())]);
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let is_here = |anchor: &str| headings.iter().any(|heading| heading.anchor == anchor);
                let is_known = dest_url.starts_with("https://") || dest_url.strip_prefix('#').is_some_and(is_here);
                let dest_url = match if is_known { None } else { target(&dest_url) } {
                    _ if is_known => dest_url,
                    Some(Target::Explorer) => dest_url,
                    Some(Target::Page(page)) => {
                        links.push(page.clone());
                        page.into()
                    }
                    Some(Target::File) => {
                        files.push(dest_url.to_string());
                        dest_url
                    }
                    Some(Target::Elsewhere) => {
                        is_link_left_out = true;
                        continue;
                    }
                    None => return Err(Problem::Link(dest_url.to_string())),
                };
                out.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            // Links do not contain links, so this is the end of the one that was left out.
            Event::End(TagEnd::Link) if is_link_left_out => is_link_left_out = false,
            Event::Start(Tag::Image { dest_url, .. }) => {
                let inside =
                    events.by_ref().take_while(|event| *event != Event::End(TagEnd::Image)).collect::<Vec<_>>();
                let (url, alt) = (escape(&dest_url), escape(&plain(&inside)));
                out.push(Event::InlineHtml(format!(r#"<img src="{url}" alt="{alt}" loading="lazy">"#).into()));
                files.push(dest_url.to_string());
            }
            other => out.push(other),
        }
    }
    let mut html = String::new();
    html::push_html(&mut html, out.into_iter());
    // The pages allow no styles within the text, so the alignment of a column is a class.
    for cell in ["th", "td"] {
        for side in ["left", "center", "right"] {
            let (style, class) =
                (format!("<{cell} style=\"text-align: {side}\">"), format!("<{cell} class=\"{side}\">"));
            html = html.replace(&style, &class);
        }
    }
    Ok(Body { html, headings, formulas: n_formulas, files, links })
}

/// The HTML of a formula with the punctuation marks that follow it, which are taken from `next`. A line cannot end
/// between them, so that none begins with a comma.
fn glued(math: String, next: Option<&mut Event<'_>>) -> String {
    let Some(Event::Text(text)) = next else { return math };
    let end = text.find(|c: char| !matches!(c, ',' | '.' | ';' | ':' | ')')).unwrap_or(text.len());
    if end == 0 {
        return math;
    }
    let marks = text[..end].to_owned();
    *text = CowStr::from(text[end..].to_owned());
    let last = math.rfind("<math").unwrap_or(0);
    format!(r#"{}<span class="glue">{}{marks}</span>"#, &math[..last], &math[last..])
}

fn headings(events: &[Event<'_>], formulas: &Formulas) -> Result<Vec<Heading>, Problem> {
    let mut anchors = Anchors::default();
    let mut found = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let Event::Start(Tag::Heading { level, .. }) = event else { continue };
        let rest = &events[at + 1..];
        let end = rest.iter().position(|event| *event == Event::End(TagEnd::Heading(*level))).unwrap_or(rest.len());
        let mut inside = Vec::new();
        for event in &rest[..end] {
            inside.push(match event {
                Event::InlineMath(latex) => Event::InlineHtml(formulas.inline(latex)?.into()),
                other => other.clone(),
            });
        }
        let text = plain(&rest[..end]);
        let mut html = String::new();
        html::push_html(&mut html, inside.into_iter());
        let below = rest.get(end + 1..).unwrap_or_default();
        let is_heading = |event: &Event<'_>| matches!(event, Event::Start(Tag::Heading { .. }));
        let below = readable(&below[..below.iter().position(is_heading).unwrap_or(below.len())]);
        found.push(Heading { level: depth(*level), anchor: anchors.of(&text), text, html, below });
    }
    Ok(found)
}

fn depth(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// The text of some events without markup.
fn plain(events: &[Event<'_>]) -> String {
    let text = |event: &Event<'_>| match event {
        Event::Text(text) | Event::Code(text) | Event::InlineMath(text) => text.to_string(),
        Event::SoftBreak | Event::HardBreak => " ".into(),
        _ => String::new(),
    };
    events.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(markdown: &str) -> Result<Body, Problem> {
        body(markdown, &|_| None)
    }

    #[test]
    fn a_document_becomes_html_with_anchors_and_formulas() {
        let made = alone("# A\n\nSee [below](#the-b) and $x \\le 1$.\n\n## The `b`\n\n$$\ny\n$$\n\n| a | b |\n| --- | --- |\n| $1$ | 2 |\n")
            .expect("a page");
        assert_eq!(made.formulas, 3);
        let found: Vec<_> = made.headings.iter().map(|h| (h.level, h.anchor.as_str(), h.html.as_str())).collect();
        assert_eq!(found, [(1, "a", "A"), (2, "the-b", "The <code>b</code>")]);
        for part in [
            r#"<h2 id="the-b">"#,
            r##"<a href="#the-b">"##,
            r#"<span class="formula"><math display="block">"#,
            "<table>",
            "<mo>≤</mo>",
        ] {
            assert!(made.html.contains(part), "{part} is not in {}", made.html);
        }
    }

    #[test]
    fn a_heading_has_the_text_up_to_the_next_one() {
        let made = alone("# A\n\nOne **b**.\n\n- two\n- three\n\n### C\n## D\n\n```sh\nls -l\n```\n").expect("a page");
        let found: Vec<_> = made.headings.iter().map(|h| (h.text.as_str(), h.below.as_str())).collect();
        assert_eq!(found, [("A", "One b. two three"), ("C", ""), ("D", "ls -l")]);
    }

    #[test]
    fn what_would_be_broken_on_the_site_is_no_page() {
        for (markdown, problem) in [
            ("[a](#nowhere)", Problem::Link("#nowhere".into())),
            ("[a](models.md#b)", Problem::Link("models.md#b".into())),
            ("<script>x</script>", Problem::Html("<script>x</script>".into())),
        ] {
            assert_eq!(alone(markdown), Err(problem));
        }
    }

    #[test]
    fn a_link_to_another_document_leads_to_its_page() {
        let target = |address: &str| match address {
            "a.md#b" => Some(Target::Page("a.html#b".into())),
            "a.json" => Some(Target::File),
            "../#v3" => Some(Target::Explorer),
            _ => Some(Target::Elsewhere),
        };
        let text = "<!-- begin -->\n\n[a](a.md#b) [f](a.json) [`g`](../g.rs) [h](https://h.org) [i](../#v3)\n\n```sh\nd < e\n```\n";
        let made = body(text, &target).expect("a page");
        let links = r#"<a href="a.html#b">a</a> <a href="a.json">f</a> <code>g</code> <a href="https://h.org">h</a> <a href="../#v3">i</a>"#;
        for part in [links, "d &lt; e"] {
            assert!(made.html.contains(part), "{part} is not in {}", made.html);
        }
        assert!(!made.html.contains("begin"), "{}", made.html);
        assert_eq!((made.links, made.files), (vec!["a.html#b".into()], vec!["a.json".into()]));
    }

    #[test]
    fn a_column_is_aligned_by_a_class() {
        let made = alone("| a | b |\n| --- | ---: |\n| 1 | 2 |\n").expect("a page");
        for part in ["<th>a</th>", r#"<th class="right">b</th>"#, r#"<td class="right">2</td>"#] {
            assert!(made.html.contains(part), "{part} is not in {}", made.html);
        }
        assert!(!made.html.contains("style"), "{}", made.html);
    }

    #[test]
    fn a_line_never_begins_with_a_comma() {
        let made = alone("Let $x$, and $y$ (or $z$).").expect("a page");
        for part in ["<mi>x</mi></math>,</span> and", "<mi>y</mi></math> (or", "<mi>z</mi></math>).</span>"] {
            assert!(made.html.contains(part), "{part} is not in {}", made.html);
        }
    }

    #[test]
    fn a_picture_keeps_its_words() {
        let made = alone("![\"a\" and b](screens/a.png)").expect("a page");
        assert!(
            made.html.contains(r#"<img src="screens/a.png" alt="&quot;a&quot; and b" loading="lazy">"#),
            "{}",
            made.html
        );
        assert_eq!(made.files, ["screens/a.png"]);
    }
}
