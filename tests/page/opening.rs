//! The opening view as a document: what is kept in assets/opening is what the page's components and the engine make now.
//! `LIPSCOPE_WRITE_OPENING=1 cargo test -p lipscope --test page opening` writes it anew.

use std::fs;

use lipscope::chinese_texts;
use lipscope::language::Language;
use lipscope::opening::Openings;
use lipscope_testkit::in_repository;

/// Compares a file of `assets/opening` with what it should be, or writes it.
fn hold(name: &str, text: &str) {
    let path = in_repository(format!("assets/opening/{name}"));
    if std::env::var_os("LIPSCOPE_WRITE_OPENING").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder of the repository");
        fs::write(&path, text).expect("a file of the repository");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let at = kept.bytes().zip(text.bytes()).take_while(|(kept, now)| kept == now).count();
    let here = |text: &str| text.chars().skip(at.saturating_sub(60)).take(160).collect::<String>();
    let old = format!("assets/opening/{name} is old; the head of tests/page/opening.rs says how to write it anew");
    assert!(kept == text, "{old}.\nkept: {}\nnow: {}", here(&kept), here(text));
}

#[test]
fn the_opening_views_that_are_kept_are_those_of_the_page() {
    let mut openings = Openings::default();
    openings.add(Language::English, None);
    openings.add(Language::Chinese, Some(chinese_texts()));
    for (name, view) in ["en.html", "zh.html"].into_iter().zip(&openings.views) {
        hold(name, view);
    }
    // What shows a card runs no script, so it cannot choose a language.
    hold("card.svg", &openings.cards[0]);
    hold("shapes.svg", &openings.shapes());
    hold("colors.css", &openings.colors());
}
