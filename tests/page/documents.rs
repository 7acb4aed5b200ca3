//! What the documents say about the page, its numbers and its links; the files and tests that they name; and that they
//! cite what CITATION.cff cites.

use lipscope::lessons::scene_of;
use lipscope::link;
use lipscope_testkit::in_repository;

fn text(path: &str) -> String {
    std::fs::read_to_string(in_repository(path)).unwrap_or_else(|problem| panic!("{path}: {problem}"))
}

#[test]
fn the_numbers_of_the_tutorial_are_those_of_the_opening_view() {
    let tutorial = text("docs/tutorial.md");
    let page = tutorial.split("\n## ").find(|section| section.starts_with("The page")).expect("a section");
    let opening = text("assets/opening/en.html");
    let is_number = |word: &&str| word.contains('.') && word.parse::<f64>().is_ok();
    let words = page.split(|c: char| !c.is_ascii_digit() && c != '.').map(|word| word.trim_end_matches('.'));
    let numbers: Vec<&str> = words.filter(is_number).collect();
    assert!(numbers.len() >= 5, "{numbers:?}");
    for number in numbers {
        assert!(opening.contains(number), "{number} is not in the opening view");
    }
}

#[test]
fn every_link_of_a_document_to_the_explorer_is_read_without_a_fault() {
    let mut n_links = 0;
    for file in std::fs::read_dir(in_repository("docs")).expect("a folder").flatten().map(|file| file.path()) {
        if file.extension().is_none_or(|kind| kind != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a text");
        for fragment in text.split("](../#").skip(1).filter_map(|rest| rest.split(')').next()) {
            let followed = link::read(&format!("#{fragment}"), scene_of);
            assert_eq!(followed.problems, Vec::<String>::new(), "{file:?}: {fragment}");
            n_links += 1;
        }
    }
    assert!(n_links >= 2, "{n_links} links");
}

#[test]
fn every_file_and_every_test_of_the_recipes_is_there() {
    let recipes = text("docs/extending.md");
    let named: Vec<&str> = recipes.split('`').skip(1).step_by(2).collect();
    let files: Vec<&str> = named.iter().copied().filter(|code| code.contains('/') && !code.contains(' ')).collect();
    assert!(files.len() > 40, "{files:?}");
    for file in &files {
        assert!(in_repository(file.replace('*', "en")).exists(), "{file}");
    }
    let tests: String = files.iter().filter(|file| file.ends_with(".rs")).map(|file| text(file)).collect();
    let is_test =
        |code: &&str| code.matches('_').count() > 1 && code.chars().all(|c| c == '_' || c.is_ascii_lowercase());
    for test in named.into_iter().filter(is_test).filter(|code| !code.starts_with("ln_of_")) {
        assert!(tests.contains(&format!("fn {test}(")), "{test}");
    }
}

/// The BibTeX of the page on citing, entry by entry.
fn entries() -> Vec<String> {
    let text = text("docs/cite.md");
    text.split("```bibtex\n").skip(1).map(|rest| rest.split("```").next().expect("an end").trim().to_owned()).collect()
}

/// What follows a key in CITATION.cff, without quotes.
fn values<'a>(cff: &'a str, key: &str) -> Vec<&'a str> {
    let lines = cff.lines().map(|line| line.trim().trim_start_matches("- "));
    lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix(": ")).map(|value| value.trim_matches('"')).collect()
}

/// A field of an entry of BibTeX, with accents as Unicode has them.
fn field<'a>(entry: &'a str, name: &str) -> &'a str {
    let start = entry.find(&format!("  {name} = {{")).unwrap_or_else(|| panic!("{entry} has no {name}"));
    entry[start..].lines().next().and_then(|line| line.split_once('{')).expect("a field").1.trim_end_matches([',', '}'])
}

#[test]
fn the_file_for_programs_cites_the_same() {
    let cff = text("CITATION.cff");
    let [software, papers @ ..] = &entries()[..] else { panic!("no entries") };
    assert_eq!(values(&cff, "version"), [field(software, "version")]);
    assert_eq!(field(software, "version"), env!("CARGO_PKG_VERSION"));
    let entries = || [software].into_iter().chain(papers);
    assert_eq!(values(&cff, "title"), entries().map(|entry| field(entry, "title")).collect::<Vec<_>>());
    assert_eq!(values(&cff, "url"), entries().map(|entry| field(entry, "url")).collect::<Vec<_>>());
    let pages =
        values(&cff, "start").into_iter().zip(values(&cff, "end")).map(|(first, last)| format!("{first}--{last}"));
    assert_eq!(pages.collect::<Vec<_>>(), papers.iter().map(|paper| field(paper, "pages")).collect::<Vec<_>>());
    assert_eq!(format!("{{{}", values(&cff, "name")[0]), field(software, "author"));
    assert_eq!(values(&cff, "year"), papers.iter().map(|paper| field(paper, "year")).collect::<Vec<_>>());
    let books: Vec<&str> = papers.iter().map(|paper| field(paper, "booktitle")).collect();
    assert_eq!(values(&cff, "collection-title"), books);
    let people: Vec<String> = values(&cff, "family-names")
        .iter()
        .zip(values(&cff, "given-names"))
        .map(|(family, given)| format!("{family}, {given}"))
        .collect();
    let authors = papers.iter().flat_map(|paper| field(paper, "author").split(" and "));
    let authors: Vec<String> = authors.map(|author| author.replace("{\\'e}", "é")).collect();
    assert_eq!(people, authors);
}
