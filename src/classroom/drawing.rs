//! What the reader has drawn, chosen and revealed at a step, as text for another window that follows this one:
//! `curve=1,2.5;mark=0.3;chosen=falls;revealed`.

use crate::prelude::*;

use super::context::{Classroom, Guess};
use super::course::step_now;
use super::guess::{HIGHEST, LOWEST, is_revealed};

/// More handles than this are not read.
const MOST_HANDLES: usize = 256;

/// What the reader has drawn, as text. Tracks its signals.
pub fn drawing_text(room: Classroom) -> String {
    let mut parts = room.guess.with(parts_of);
    parts.extend(room.progress.with(|progress| progress.chosen).map(|id| format!("chosen={id}")));
    if is_revealed(room) {
        parts.push("revealed".into());
    }
    parts.join(";")
}

/// Shows what the reader of another window has drawn.
pub fn show_drawing(room: Classroom, text: &str) {
    let mut guess = guess_of(text);
    if text.split(';').any(|part| part == "revealed") {
        guess.revealed_at = room.page.lesson.get_untracked();
    }
    room.guess.with_untracked(|shown| {
        // What was found for this guess stays, whatever the other window shows by now.
        if (&shown.curve, shown.mark, &shown.revealed_at) == (&guess.curve, guess.mark, &guess.revealed_at) {
            guess.settled.clone_from(&shown.settled);
        }
    });
    set_if_new(room.guess, guess);
    let chosen = text.split(';').find_map(|part| part.strip_prefix("chosen="));
    let choice = chosen.and_then(|id| {
        let (.., step) = untrack(|| step_now(room))?;
        step.choices.iter().map(|choice| choice.id).find(|known| *known == id)
    });
    if room.progress.with_untracked(|progress| progress.chosen != choice) {
        room.progress.update(|progress| progress.chosen = choice);
    }
}

/// The curve and the mark of a guess as parts of the text.
fn parts_of(guess: &Guess) -> Vec<String> {
    let numbers: Vec<String> = guess.curve.iter().map(f64::to_string).collect();
    let curve = (!numbers.is_empty()).then(|| format!("curve={}", numbers.join(",")));
    curve.into_iter().chain(guess.mark.map(|mark| format!("mark={mark}"))).collect()
}

/// The curve and the mark of a text. What cannot be read is not drawn.
fn guess_of(text: &str) -> Guess {
    let mut guess = Guess::default();
    let number = |text: &str| text.parse().ok().filter(|x: &f64| x.is_finite());
    for (key, value) in text.split(';').filter_map(|part| part.split_once('=')) {
        match key {
            "curve" => {
                let handles = value.split(',').take(MOST_HANDLES).map(number);
                let curve: Option<Vec<f64>> = handles.collect();
                guess.curve = curve.unwrap_or_default().into_iter().map(|x| x.clamp(LOWEST, HIGHEST)).collect();
            }
            "mark" => guess.mark = number(value),
            _ => {}
        }
    }
    guess
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_is_the_same_in_the_other_window() {
        for (curve, mark) in
            [(vec![], None), (vec![1.0, 0.123, 987.0], None), (vec![], Some(-1.5)), (vec![2.5], Some(0.3))]
        {
            let guess = Guess { curve, mark, ..Guess::default() };
            assert_eq!(guess_of(&parts_of(&guess).join(";")), guess);
        }
    }

    #[test]
    fn what_is_no_drawing_draws_nothing() {
        for text in
            ["", ";;", "curve=", "curve=1,x", "curve=NaN", "mark=inf", "mark", "revealed", "curve=1,,2", "=", "\u{0}"]
        {
            assert_eq!(guess_of(text), Guess::default(), "{text}");
        }
        let far = guess_of(&format!("curve={}", vec!["1e300"; 5000].join(",")));
        assert_eq!(far.curve, vec![HIGHEST; MOST_HANDLES]);
    }
}
