//! The documents are pages of the site: every formula of docs/theory.md becomes MathML, every heading that a link names
//! exists, the list of documents names each file of docs, and the search knows each section.

use std::collections::BTreeSet;

use lipscope::lessons::{Lesson, Piece, Step, lessons, pieces};
use lipscope::theory::{DOCUMENTS, Place, THEORY, TRAINING, from_explorer};
use lipscope_core::bounds::{ALL, Domain, Statement};
use lipscope_documents::{Body, Document, documents, page, sections};
use lipscope_testkit::in_repository;

fn text(path: &str) -> String {
    std::fs::read_to_string(in_repository(path)).unwrap_or_else(|problem| panic!("{path}: {problem}"))
}

/// All documents. That they can be read at all says that no link between them leads nowhere.
fn all() -> Vec<Document> {
    documents(&in_repository("")).unwrap_or_else(|(file, problem)| panic!("{file}: {problem}"))
}

fn document(name: &str) -> Body {
    let found = all().into_iter().find(|document| document.chapter.name == name);
    found.unwrap_or_else(|| panic!("there is no document {name}")).body
}

fn theory() -> Body {
    document("theory")
}

fn theory_page() -> String {
    let all = all();
    let theory = all.iter().find(|document| document.chapter.name == "theory").expect("the theory");
    page(theory, &all)
}

fn anchors(name: &str) -> BTreeSet<String> {
    document(name).headings.into_iter().map(|heading| heading.anchor).collect()
}

/// The tags of a page. Text has no `<`: what stands between `<` and `>` is a tag.
fn tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<').skip(1).filter_map(|rest| rest.split('>').next())
}

/// What a reader sees of HTML: the text between tags, without the formulas.
fn read(html: &str) -> String {
    let mut seen = String::new();
    for part in html
        .split("<math")
        .enumerate()
        .map(|(at, part)| if at == 0 { part } else { part.split_once("</math>").expect("an end").1 })
    {
        for piece in part
            .split('<')
            .enumerate()
            .map(|(at, piece)| if at == 0 { piece } else { piece.split_once('>').expect("an end").1 })
        {
            seen += piece;
        }
    }
    seen
}

#[test]
fn every_formula_of_the_theory_is_set_and_none_is_left_as_latex() {
    let (source, made) = (text("docs/theory.md"), theory());
    // All dollar signs of the source belong to formulas: two to each, four to a formula on a line of its own.
    let dollars = source.matches('$').count();
    let in_lines = source.matches("$$").count();
    let formulas = (dollars - 2 * in_lines) / 2 + in_lines / 2;
    assert!(formulas > 1000, "{formulas} formulas");
    assert_eq!(made.formulas, formulas);
    let starts = made.html.matches("<math").count() - made.html.matches("<math class=\"more\"").count();
    assert_eq!(starts, formulas);
    for sign in ['$', '\\', '{', '}', '`'] {
        let seen = read(&made.html);
        let at = seen.find(sign).map(|at| seen[at.saturating_sub(60)..].chars().take(120).collect::<String>());
        assert_eq!(at, None, "{sign} is left in the text");
        assert!(sign == '{' || sign == '}' || !made.html.contains(sign), "{sign} is left in the page");
    }
    assert!(!made.html.contains("merror"));
}

#[test]
fn every_heading_of_the_theory_has_its_anchor_and_stands_in_the_contents() {
    let source = text("docs/theory.md");
    let made = theory();
    let page = theory_page();
    let lines: Vec<&str> = source.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(made.headings.len(), lines.len());
    for (heading, line) in made.headings.iter().zip(lines) {
        assert_eq!(heading.text, line.trim_start_matches('#').trim().replace('`', ""));
        let level = heading.level;
        assert!(page.contains(&format!("<h{level} id=\"{}\">", heading.anchor)), "{line} has no anchor");
        assert!(
            level == 1 || page.contains(&format!("<a href=\"#{}\">", heading.anchor)),
            "{line} is not in the contents"
        );
    }
    assert_eq!(anchors("theory").len(), made.headings.len(), "two headings have one anchor");
}

#[test]
fn no_page_of_a_document_runs_a_script_but_the_search_or_loads_from_elsewhere() {
    let all = all();
    for document in &all {
        let (name, page) = (document.chapter.name, page(document, &all));
        let scripts: Vec<&str> = tags(&page).filter(|tag| tag.starts_with("script")).collect();
        assert_eq!(scripts, [r#"script type="module" src="search.js""#], "{name}");
        assert!(page.contains("src=\"search.js\"></script>"), "{name}: an inline script");
        for tag in tags(&page) {
            assert!(!["iframe", "style"].iter().any(|never| tag.starts_with(never)), "{name}: <{tag}>");
            let found = [" style=", "src=\"http", "src=\"/", "href=\"/"].into_iter().find(|never| tag.contains(never));
            assert_eq!(found, None, "{name}: <{tag}>");
            assert!(!tag.starts_with("link") || !tag.contains("http"), "{name}: <{tag}>");
        }
        assert!(
            page.contains("default-src 'none'") && page.starts_with("<!doctype html>\n<html lang=\"en\">"),
            "{name}"
        );
    }
}

#[test]
fn the_search_knows_every_section_and_leads_to_its_heading() {
    let all = all();
    let found = sections(&all);
    assert_eq!(found.len(), all.iter().map(|document| document.body.headings.len()).sum::<usize>());
    for document in &all {
        let (name, page) = (document.chapter.name, page(document, &all));
        let ids: Vec<&str> = tags(&page).filter_map(|tag| tag.split_once(" id=\"")?.1.split('"').next()).collect();
        let distinct: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(distinct.len(), ids.len(), "{name}: an id stands twice among {ids:?}");
        let own: Vec<_> = found.iter().filter(|section| section.page == name).collect();
        assert!(!own.is_empty(), "{name}");
        for section in own {
            assert!(distinct.contains(section.anchor), "{name} has no {}", section.anchor);
            assert_eq!(section.title, document.title());
        }
        // The search finds no text before the first heading.
        assert!(text(&format!("docs/{name}.md")).starts_with("# "), "{name}");
    }
    let section = |page: &str, anchor: &str| {
        let section = found.iter().find(|section| section.page == page && section.anchor == anchor);
        *section.unwrap_or_else(|| panic!("{page} has no {anchor}"))
    };
    assert!(section("theory", "castin_mean_field").text.contains("L_n ≤ v (1 + 3a) e^(2a)"));
    assert!(section("index", "install").text.contains("cargo install --path crates/cli"));
    assert_eq!(section("command_line", "exit-statuses").heading, "Exit statuses");
}

#[test]
fn every_file_of_docs_is_a_document_of_the_site() {
    let folder = std::fs::read_dir(in_repository("docs")).expect("a folder").flatten();
    let files: BTreeSet<String> = folder.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    let listed: BTreeSet<String> = all().iter().map(|document| format!("{}.md", document.chapter.name)).collect();
    assert_eq!(files.into_iter().filter(|file| file.ends_with(".md")).collect::<BTreeSet<_>>(), listed);
    assert_eq!(DOCUMENTS, format!("docs/{}.html", all()[0].chapter.name));
}

#[test]
fn every_bound_leads_to_the_heading_with_its_name() {
    let made = theory();
    for id in ALL {
        let place = Place::Bound(id);
        let heading = made.headings.iter().find(|heading| heading.anchor == place.anchor());
        assert_eq!(heading.map(|heading| heading.text.as_str()), Some(id.id()), "{:?}", id);
        assert_eq!(place.address(), format!("docs/{THEORY}#{}", place.anchor()));
    }
    let anchors = anchors("theory");
    for place in [Place::Certified, Place::L2, Place::Inverse] {
        assert!(anchors.contains(place.anchor()), "{place:?}");
    }
    assert_eq!(Place::Start.address(), format!("docs/{THEORY}"));
}

/// The rows of the summary are the bounds, with their sides, and two results that are no bounds of the engine's list.
#[test]
fn the_summary_of_the_theory_lists_every_bound() {
    let theory = text("docs/theory.md");
    let (_, summary) = theory.split_once("| id | side |").expect("the summary");
    let rows = summary.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').map(str::trim).skip(1).take(2).collect::<Vec<_>>());
    let mut listed = BTreeSet::new();
    for row in cells {
        let [name, side] = row[..] else { panic!("{row:?}") };
        let Some(bound) = Statement::by_id(name.trim_matches('`')) else {
            assert!(["`certified(eps)`", "large-R limit"].contains(&name), "{name}");
            continue;
        };
        let is_witness = bound.domain() == Domain::OtherWeights;
        assert!(side.starts_with(if is_witness { "witness" } else { bound.side().id() }), "{name}: {side}");
        listed.insert(bound);
    }
    assert_eq!(listed, ALL.into_iter().collect());
}

#[test]
fn every_link_of_the_lessons_to_a_document_leads_to_a_heading() {
    let documents = [(THEORY, anchors("theory")), (TRAINING, anchors("training"))];
    let mut n_links = 0;
    let mut check = |lesson: &Lesson, text: &'static str| {
        for piece in pieces(text).expect("a text without faults") {
            let Piece::Link(_, address) = piece else { continue };
            let Some((file, anchors)) = documents.iter().find(|(file, _)| address.starts_with(file)) else { continue };
            let rest = &address[file.len()..];
            let leads = rest.is_empty() || rest.strip_prefix('#').is_some_and(|at| anchors.contains(at));
            assert!(leads, "{}: {address}", lesson.id);
            assert_eq!(from_explorer(address), format!("docs/{address}"));
            n_links += 1;
        }
    };
    let texts = |step: &'static Step| step.text.iter().map(|paragraph| paragraph.text).chain(step.source);
    for lesson in lessons() {
        for text in lesson.steps.iter().flat_map(texts) {
            text.all().into_iter().for_each(|text| check(lesson, text));
        }
    }
    assert!(n_links > 80, "{n_links} links");
}

#[test]
fn every_link_of_the_readme_and_of_the_architecture_to_a_document_leads_to_a_heading() {
    let all = all();
    let mut n_links = 0;
    for path in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"] {
        let text = text(path);
        for part in text.split("](docs/").skip(1) {
            let address = part.split(')').next().unwrap_or_default();
            let Some((name, anchor)) = address.split_once(".md") else { continue };
            let found = all.iter().find(|document| document.chapter.name == name);
            let headings = &found.unwrap_or_else(|| panic!("{path}: {address}")).body.headings;
            let leads = anchor.strip_prefix('#').is_none_or(|anchor| headings.iter().any(|h| h.anchor == anchor));
            assert!(leads, "{path}: {address}");
            n_links += 1;
        }
    }
    assert!(n_links > 10, "{n_links} links");
}

#[test]
fn no_text_of_the_page_names_a_file_of_the_documents() {
    for folder in ["words/en", "words/zh", "lessons/en", "lessons/zh"] {
        for file in std::fs::read_dir(in_repository(folder)).expect("a folder").flatten() {
            let text = std::fs::read_to_string(file.path()).expect("a text");
            let line = text.lines().find(|line| line.contains("docs/") && !line.starts_with('#'));
            assert_eq!(line, None, "{:?}", file.path());
        }
    }
}
