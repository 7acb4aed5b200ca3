//! What the reader has drawn, chosen and revealed at a step, and what the page has found for it, as text for another
//! window that follows this one: `curve=1,2.5;mark=0.3`, or `chosen=falls;revealed;found=falls,rises;kind=exact`.

use crate::prelude::*;

use crate::lessons::Guessed;
use lipscope_plot::Kind;

use super::context::{Classroom, Guess, Settled};
use super::course::step_now;
use super::guess::{HIGHEST, LOWEST, is_revealed};
use super::settle::choice;

/// More handles than this are not read.
const MOST_HANDLES: usize = 256;
/// A longer number of the question is not read.
const MOST_BEFORE: usize = 200;

/// The kinds of a norm that the page has found, as words.
const KINDS: [(Kind, &str); 4] =
    [(Kind::Exact, "exact"), (Kind::LowerBound, "least"), (Kind::UpperBound, "most"), (Kind::Plain, "plain")];

/// What the reader has drawn, as text. Tracks its signals.
pub fn drawing_text(room: Classroom) -> String {
    let mut parts = room.guess.with(parts_of);
    let (chosen, before, is_second) =
        room.progress.with(|progress| (progress.chosen, progress.before.clone(), progress.has_seen_answer));
    parts.extend(chosen.map(|id| format!("chosen={id}")));
    parts.extend(Some(before).filter(|words| is_before(words)).map(|words| format!("before={}", in_part(&words))));
    if is_second {
        parts.push("second".into());
    }
    if is_revealed(room) {
        parts.push("revealed".into());
        parts.extend(room.guess.with(|guess| guess.settled.as_ref().map_or_else(Vec::new, verdict_parts)));
    }
    parts.join(";")
}

/// Shows what the reader of another window has drawn, and what that window has found for it.
pub fn show_drawing(room: Classroom, text: &str) {
    let step = untrack(|| step_now(room)).map(|(.., step)| step);
    let chosen = value_of(text, "chosen").and_then(|id| choice(step?, id)).map(|choice| choice.id);
    let before = value_of(text, "before").map(out_of_part).filter(|words| is_before(words)).unwrap_or_default();
    let mut guess = guess_of(text);
    let is = |word: &str| text.split(';').any(|part| part == word);
    let is_second = is("second");
    if is("revealed") {
        guess.revealed_at = room.page.lesson.get_untracked();
        // Never that of an earlier answer in this window.
        guess.settled = verdict_of(text).filter(|settled| step.is_some_and(|step| settled.guessed.fits(step)));
    }
    let is_news = room.progress.with_untracked(|progress| {
        let now = (progress.chosen, progress.before.as_str(), progress.has_seen_answer);
        now != (chosen, before.as_str(), is_second)
    });
    if is_news {
        room.progress.update(|progress| {
            (progress.chosen, progress.before, progress.has_seen_answer) = (chosen, before, is_second);
        });
    }
    set_if_new(room.guess, guess);
}

/// The value of a part of the text.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.split(';').filter_map(|part| part.split_once('=')).find_map(|(known, value)| (known == key).then_some(value))
}

/// Whether a text may be the numbers of the question before the answer: a short one, in one line.
fn is_before(text: &str) -> bool {
    (1..=MOST_BEFORE).contains(&text.len()) && !text.contains(char::is_control)
}

/// A text as the value of a part: without the sign that ends a part.
fn in_part(text: &str) -> String {
    text.replace('%', "%25").replace(';', "%3B")
}

/// The text of which [`in_part`] gives the value.
fn out_of_part(value: &str) -> String {
    value.replace("%3B", ";").replace("%25", "%")
}

/// What the page has found for a guess, as parts of the text.
fn verdict_parts(settled: &Settled) -> Vec<String> {
    let kind = KINDS.iter().find(|(kind, _)| *kind == settled.kind).map(|(_, word)| format!("kind={word}"));
    [format!("found={}", settled.guessed.text())].into_iter().chain(kind).collect()
}

/// What a page has found for a guess, from a text; `None` where the text does not say it.
fn verdict_of(text: &str) -> Option<Settled> {
    let word = value_of(text, "kind")?;
    let (kind, _) = KINDS.into_iter().find(|(_, known)| *known == word)?;
    Some(Settled { guessed: Guessed::read(value_of(text, "found")?)?, kind })
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
    fn a_verdict_is_the_same_in_the_other_window() {
        for (guessed, kind) in [
            (Guessed::Choice("lower".into(), "much-higher".into()), Kind::Exact),
            (Guessed::Mark(10.4, 1.4745), Kind::LowerBound),
            (Guessed::Curve(vec![(2.0, 1.0, 1.25), (256.0, 3e-3, 17.92)]), Kind::Exact),
        ] {
            let settled = Settled { guessed, kind };
            assert_eq!(verdict_of(&verdict_parts(&settled).join(";")), Some(settled));
        }
    }

    #[test]
    fn what_is_no_verdict_says_nothing() {
        let many = format!("kind=exact;found={}", "1,".repeat(5000));
        for text in [
            "",
            "revealed",
            "found=lower,higher",
            "kind=exact",
            "kind=sure;found=lower,higher",
            "kind=exact;found=",
            "kind=exact;found=lower",
            "kind=exact;found=1,NaN",
            "kind=exact;found=<b>,x",
            "kind==;found==",
            &many,
        ] {
            assert_eq!(verdict_of(text), None, "{text:.40}");
        }
        assert!(is_before("L = 12.1"));
        for words in ["L = 12.1; exponent 0.5", "100 %; %3B", "%253B;%"] {
            let text = format!("chosen=lower;before={};revealed", in_part(words));
            assert_eq!(value_of(&text, "before").map(out_of_part).as_deref(), Some(words));
            assert!(is_before(words));
        }
        for text in ["", "a\nb", &"x".repeat(MOST_BEFORE + 1)] {
            assert!(!is_before(text), "{text:.40}");
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
