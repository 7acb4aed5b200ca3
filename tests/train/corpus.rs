//! Texts as characters.

use lipscope_core::experiment::InputError;
use lipscope_train::{Corpus, Kind, MOST_CHARACTERS, Norms, Trainer};

use crate::small;

#[test]
fn a_text_in_any_script_is_its_distinct_characters() {
    let corpus = Corpus::new(&"注意力 is 平滑!".repeat(10)).expect("a text");
    assert_eq!(corpus.vocabulary(), [' ', '!', 'i', 's', '力', '平', '意', '注', '滑']);
    assert_eq!(corpus.text(corpus.training()) + &corpus.text(corpus.held_out()), "注意力 is 平滑!".repeat(10));
    assert_eq!((corpus.training().len(), corpus.held_out().len()), (90, 10));
}

#[test]
fn held_out_windows_are_spread_from_the_first_to_the_last() {
    let corpus = Corpus::new(&"ab".repeat(500)).expect("a text");
    let starts = corpus.held_out_windows(9, 4);
    assert_eq!(starts, [0, 30, 60, 90]);
    assert_eq!(corpus.held_out_windows(99, 4), [0]);
}

#[test]
fn texts_that_cannot_be_learned_are_errors_that_name_the_fix() {
    assert!(matches!(Corpus::new(""), Err(InputError::Empty { .. })));
    let said = Corpus::new("aaaa").expect_err("one character").to_string();
    assert!(said.contains("at least two distinct characters"), "{said}");
    let many: String = (0..=MOST_CHARACTERS as u32).filter_map(|at| char::from_u32(0x4e00 + at)).collect();
    let said = Corpus::new(&many).expect_err("too many characters").to_string();
    assert!(said.contains("4097, over the limit of 4096"), "{said}");
    let short = Corpus::new(&"ab".repeat(29)).expect("a text");
    let said = Trainer::new(small::plan(Kind::Dot, Norms::Layer), short).err().expect("too short").to_string();
    assert!(said.contains("58 characters long") && said.contains("at least 60 characters long"), "{said}");
    let enough = Corpus::new(&"ab".repeat(30)).expect("a text");
    Trainer::new(small::plan(Kind::Dot, Norms::Layer), enough).expect("long enough");
}
