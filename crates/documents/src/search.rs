//! The sections among which the search of the documents finds, as `assets/documents/search.js` reads them.

use serde::Serialize;

use crate::site::Document;

/// A section of a document: a heading, and the text between it and the next heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Section<'a> {
    /// The name of the document's page, without `.html`.
    pub page: &'a str,
    /// The title of the document.
    pub title: &'a str,
    /// Its heading, without markup.
    pub heading: &'a str,
    /// The anchor of its heading within the page.
    pub anchor: &'a str,
    /// Its text, without markup.
    pub text: &'a str,
}

/// All sections of all documents, in order.
pub fn sections(all: &[Document]) -> Vec<Section<'_>> {
    all.iter().flat_map(of_document).collect()
}

fn of_document(document: &Document) -> impl Iterator<Item = Section<'_>> {
    document.body.headings.iter().map(move |heading| Section {
        page: document.chapter.name,
        title: document.title(),
        heading: &heading.text,
        anchor: &heading.anchor,
        text: &heading.below,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::body;
    use crate::chapters::chapters;

    #[test]
    fn every_heading_of_every_document_is_a_section_with_its_text() {
        let texts = ["# One\n\nFirst.\n\n## `b`\n\nSecond.\n", "# Two\n"];
        let of = |text: &str| body(text, &|_| None).expect("a text");
        let all: Vec<Document> =
            chapters().zip(texts).map(|(chapter, text)| Document { chapter, body: of(text) }).collect();
        let names: Vec<&str> = all.iter().map(|document| document.chapter.name).collect();
        let section = |page, title, heading, anchor, text| Section { page, title, heading, anchor, text };
        let wanted = [
            section(names[0], "One", "One", "one", "First."),
            section(names[0], "One", "b", "b", "Second."),
            section(names[1], "Two", "Two", "two", ""),
        ];
        assert_eq!(sections(&all), wanted);
        let json = serde_json::to_string(&sections(&all)[2..]).expect("JSON");
        assert_eq!(
            json,
            format!(r#"[{{"page":"{}","title":"Two","heading":"Two","anchor":"two","text":""}}]"#, names[1])
        );
    }
}
