//! What the boxes of numbers refuse, and why.

use lipscope::fault::NumberFault;
use lipscope::field::Field;
use lipscope::state::{PageState, WeightChoice};

#[test]
fn a_number_past_the_range_is_called_too_large_and_a_word_no_number() {
    let fault = |text| Field::RADIUS.accept(text, &PageState::default()).expect_err("a fault");
    for text in ["1e400", "-1e400"] {
        let found = fault(text);
        assert!(matches!(&found, NumberFault::TooLarge { text: typed, .. } if typed == text), "{found:?}");
    }
    for text in ["inf", "NaN", "x"] {
        let found = fault(text);
        assert!(matches!(found, NumberFault::NotANumber { .. }), "{found:?}");
    }
}

#[test]
fn heads_a_key_must_divide_the_heads() {
    let state = PageState { heads: 6, weights: WeightChoice::Random, ..PageState::default() };
    for (text, is_taken) in [("1", true), ("2", true), ("3", true), ("4", false), ("6", true), ("7", false)] {
        let taken = Field::HEADS_PER_KEY.accept(text, &state);
        assert_eq!(taken.is_ok(), is_taken, "{text}: {taken:?}");
        assert!(taken.is_ok() || matches!(taken, Err(NumberFault::MustDivide { heads: 6, .. })));
    }
    // A number of heads that the sharing does not divide: each head has its own, and the page says so.
    let odd = PageState { heads_per_key: 4, ..state };
    assert_eq!((Field::HEADS_PER_KEY.used(&odd), odd.kv_heads()), (1.0, 6));
    assert_eq!(odd.undivided_heads(), Some((6, 4)));
    assert_eq!(PageState { heads: 8, ..odd }.undivided_heads(), None);
}
