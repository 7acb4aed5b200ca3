//! What the document keeps of the components' HTML.

use super::picture::Pictures;

/// Attributes that are kept as they are. All others serve the program, or a screen reader that follows changes.
const KEPT: [&str; 24] = [
    "aria-current",
    "aria-disabled",
    "aria-expanded",
    "aria-hidden",
    "aria-label",
    "aria-pressed",
    "aria-valuetext",
    "autocomplete",
    "class",
    "data-hidden",
    "data-plot",
    "data-stage",
    "data-sweep",
    "data-value",
    "data-view",
    "href",
    "inputmode",
    "max",
    "min",
    "spellcheck",
    "step",
    "style",
    "title",
    "type",
];
/// Attributes that name elements by their ids.
const REFERENCES: [&str; 3] = ["id", "for", "aria-labelledby"];
/// Elements without content.
const VOID: [&str; 4] = ["input", "img", "br", "hr"];

/// The components' HTML as a document: pictures in the place of canvases; nothing that is hidden; nothing that only the
/// program uses. For a moment the page's own elements stand beside it, and both languages are there: `own` is put before
/// every id, and `data-of` has the page's id, for styles and for what a reader presses.
pub fn of_document(html: &str, own: &str, pictures: &[Pictures]) -> String {
    let mut out = String::with_capacity(html.len());
    // The elements that are open within a hidden one.
    let mut hidden: Vec<&str> = Vec::new();
    let values = values_of_sliders(html);
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        if hidden.is_empty() {
            out.push_str(text);
        }
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            continue;
        }
        let (tag, after) = after.split_once('>').unwrap_or((after, ""));
        rest = after;
        // Between two texts.
        if tag == "!" {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            match hidden.pop() {
                Some(_) => {}
                None if name == "canvas" => {}
                None => {
                    // An empty text is written as a space. It would take a line.
                    if out.ends_with("> ") {
                        out.pop();
                    }
                    out.push_str(&format!("</{name}>"));
                }
            }
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let attributes = read(attributes);
        let is_void = VOID.contains(&name);
        if !hidden.is_empty() || attributes.iter().any(|(key, _)| *key == "hidden") {
            if !is_void {
                hidden.push(name);
            }
            continue;
        }
        if name == "canvas" {
            let of = |wanted: &str| attributes.iter().find(|(key, _)| *key == wanted).map_or("", |(_, value)| *value);
            let svg = pictures.iter().find(|picture| picture.canvas == of("id")).map_or("", |picture| &picture.svg);
            out.push_str(&format!(
                r#"<div class="opening-picture" role="img" aria-label="{}">{svg}</div>"#,
                of("aria-label")
            ));
            continue;
        }
        out.push_str(&format!("<{name}"));
        for (key, value) in &attributes {
            if *key == "id" {
                out.push_str(&format!(r#" data-of="{value}""#));
            }
            if REFERENCES.contains(key) {
                out.push_str(&format!(r#" {key}="{own}{value}""#));
            } else if KEPT.contains(key) && !(*key == "class" && value.is_empty()) {
                let value = if *key == "href" { value.replace('#', &format!("#{own}")) } else { (*value).to_owned() };
                out.push_str(&format!(r#" {key}="{value}""#));
            }
        }
        if name == "input" {
            let id = attributes.iter().find(|(key, _)| *key == "id").map_or("", |(_, value)| *value);
            if let Some((_, value)) = values.iter().find(|(of, _)| of == id) {
                out.push_str(&format!(r#" value="{value}""#));
            }
        }
        out.push('>');
    }
    out.push_str(rest);
    out
}

/// The sentences of the opening view, one by one.
pub fn sentences(html: &str) -> Vec<String> {
    let view = html.split_once("data-testid=\"sentence\"").map_or("", |(_, rest)| rest);
    let paragraphs = view.split_once("<details").map_or("", |(paragraphs, _)| paragraphs);
    // Each sentence is an element of its own.
    let sentences = paragraphs.split("<span>").skip(1).filter_map(|rest| rest.split_once("</span>"));
    sentences.map(|(sentence, _)| without_tags(sentence)).filter(|sentence| !sentence.is_empty()).collect()
}

/// The text of a piece of HTML.
fn without_tags(html: &str) -> String {
    let pieces = html.split('<').enumerate();
    let texts =
        pieces.map(|(at, piece)| if at == 0 { piece } else { piece.split_once('>').map_or("", |(_, text)| text) });
    texts.collect::<String>().trim().to_owned()
}

/// The keys and values of a tag.
fn read(mut attributes: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    while let Some(start) = attributes.find(|c: char| !c.is_whitespace()) {
        attributes = &attributes[start..];
        let end = attributes.find([' ', '=']).unwrap_or(attributes.len());
        let (key, rest) = attributes.split_at(end);
        match rest.strip_prefix("=\"").and_then(|rest| rest.split_once('"')) {
            Some((value, rest)) => {
                found.push((key, value));
                attributes = rest;
            }
            None => {
                found.push((key, ""));
                attributes = rest;
            }
        }
    }
    found
}

/// The values of sliders and of the boxes beside them, which the program sets as properties: by the ids of both.
fn values_of_sliders(html: &str) -> Vec<(String, String)> {
    let inputs = html.split("<input ").skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| read(tag));
    let sliders = inputs.filter_map(|attributes| {
        let of = |wanted: &str| attributes.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value);
        let at: f64 = of("style")?.strip_prefix("--at:")?.trim_end_matches(';').parse().ok()?;
        let most: f64 = of("max")?.parse().ok()?;
        Some((of("id")?.to_owned(), of("aria-valuetext")?.to_owned(), (at * most).round()))
    });
    sliders.flat_map(|(id, text, rung)| [(format!("{id}-number"), text), (id, rung.to_string())]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_ids_of_its_own_and_nothing_that_is_hidden_or_announced() {
        let html = r#"<p hidden class="a"><b>no<!></b><input></p><div id="x" role="status" data-testid="y" class=""><!--<() />-->yes<!></div>"#;
        assert_eq!(of_document(html, "first-", &[]), r#"<div data-of="x" id="first-x">yes</div>"#);
        assert_eq!(of_document("<p> <!></p><p>a <b>b</b></p>", "", &[]), "<p></p><p>a <b>b</b></p>");
        let html = r##"<a href="#x">to</a><label for="x">n</label>"##;
        assert_eq!(of_document(html, "first-", &[]), r##"<a href="#first-x">to</a><label for="first-x">n</label>"##);
    }

    #[test]
    fn the_sentences_are_read_without_their_marks() {
        let html = r#"<div data-testid="sentence"><p class="said"><span>Up to <!><strong class="x">2</strong><!> times.<!></span> <span>More.</span></p><p><span></span></p><details><span>No</span></details></div>"#;
        assert_eq!(sentences(html), ["Up to 2 times.", "More."]);
        assert_eq!(sentences("<p><span>No</span></p>"), Vec::<String>::new());
    }

    #[test]
    fn a_slider_and_its_box_have_their_values() {
        let html = r#"<input type="text" id="n-number"><input type="range" id="n" max="10" style="--at:0.3;" aria-valuetext="64">"#;
        let document = of_document(html, "first-", &[]);
        assert!(document.contains(r#"id="first-n-number" value="64""#), "{document}");
        assert!(document.contains(r#"aria-valuetext="64" value="3""#), "{document}");
    }

    #[test]
    fn a_picture_takes_the_place_of_its_canvas() {
        let pictures = [Pictures { canvas: "plot", svg: "<svg></svg>".into() }];
        let document =
            of_document(r#"<div><canvas id="plot" tabindex="0" aria-label="L"></canvas></div>"#, "", &pictures);
        assert_eq!(document, r#"<div><div class="opening-picture" role="img" aria-label="L"><svg></svg></div></div>"#);
    }
}
