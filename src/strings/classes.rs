//! Answer codes: the fold of the student, and the sheet of the lecturer.

use crate::words::class as words;
pub use crate::words::class::*;

use lipscope_plot::Number;

use super::plot::count;

/// A choice, with a tick if it is right.
pub fn class_choice(words: &str, is_right: bool) -> String {
    format!("{} {words}", if is_right { "✓" } else { "✗" })
}

/// A mark beside the measured norm.
pub fn class_mark(yours: f64, found: f64) -> String {
    class_mark { found: Number::of(found), yours: Number::short(yours) }.text()
}

/// Where a curve is furthest off.
pub fn class_curve(n: f64, ratio: f64) -> String {
    class_curve { n: count(n), ratio: Number::rough(ratio) }.text()
}

/// The marks of a class in words: how many, from where to where, and the measured norm.
pub fn class_marks_words(marks: &[(f64, f64)]) -> String {
    let least = marks.iter().map(|mark| mark.0).fold(f64::INFINITY, f64::min);
    let most = marks.iter().map(|mark| mark.0).fold(0.0, f64::max);
    let found = marks.first().map_or(f64::NAN, |mark| mark.1);
    if let [(yours, found)] = marks {
        return class_mark_words { found: Number::of(*found), yours: Number::short(*yours) }.text();
    }
    let (found, least, most) = (Number::of(found), Number::short(least), Number::short(most));
    if least == most {
        return class_marks_same { count: marks.len(), found, yours: least }.text();
    }
    class_marks_words { count: marks.len(), found, least, most }.text()
}

/// How many curves are drawn over each other.
pub fn class_curves_words(count: usize) -> String {
    if count == 1 { class_curve_words().into() } else { words::class_curves_words(count) }
}

/// How many codes were read, and how many lines were refused, if any.
pub fn class_count(answers: usize, faults: usize) -> String {
    let answers = if answers == 1 { class_one_code().into() } else { class_codes(answers) };
    match faults {
        0 => words::class_count(&answers),
        1 => class_count_faults { answers: &answers, faults: class_one_refused() }.text(),
        faults => class_count_faults { answers: &answers, faults: class_refused(faults) }.text(),
    }
}

/// How many goals of a step were reached.
pub fn class_goals(of: usize, reached: usize) -> String {
    if of == 1 { class_one_goal(reached) } else { class_goals { of, reached }.text() }
}

/// What an assignment asks for at step `at`: `step`, or all `tasks` steps of the lesson.
pub fn assignment(step: Option<usize>, at: usize, tasks: usize) -> String {
    match step {
        None => assignment::lesson(tasks),
        Some(step) if step == at => assignment::step().into(),
        Some(step) => assignment::elsewhere(step + 1),
    }
}

/// As [`progress`], of what a student hands in: it also says that nothing is done.
pub fn handed_in_progress((done, of): (usize, usize), (right, answered): (usize, usize)) -> String {
    let steps = match of {
        1 => progress_one(done),
        _ if done == of => progress_done().to_owned(),
        _ => progress_part { done, of }.text(),
    };
    if answered == 0 { steps } else { progress_right { answered, right, steps: &steps }.text() }
}

/// How many of a lesson's steps are done, and how many of its answers are right; empty where nothing was done.
pub fn progress((done, of): (usize, usize), (right, answered): (usize, usize)) -> String {
    let steps = match (done, answered) {
        (0, 0) => return String::new(),
        (done, _) if done == of => progress_done().to_owned(),
        _ => progress_part { done, of }.text(),
    };
    if answered == 0 { steps } else { progress_right { answered, right, steps: &steps }.text() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strings::goals_said;

    #[test]
    fn a_class_of_one_is_counted_in_the_singular() {
        assert_eq!(class_count(1, 0), "1 code read.");
        assert_eq!(class_count(4, 1), "4 codes read, 1 line refused.");
        assert_eq!(class_marks_words(&[(3.0, 1.5)]), "1 guess: 3; measured 1.500.");
        assert_eq!(class_curves_words(1), "1 curve, and the measured one.");
    }

    #[test]
    fn an_answer_is_answered_and_a_goal_is_reached() {
        assert_eq!(progress((0, 5), (0, 0)), "");
        assert_eq!(progress((2, 5), (1, 2)), "2 of 5 steps done; right answers: 1 of 2");
        assert_eq!(progress((5, 5), (0, 2)), "finished; right answers: 0 of 2");
        assert_eq!(handed_in_progress((1, 1), (0, 0)), "1 of 1 step done");
        assert_eq!(handed_in_progress((0, 5), (0, 0)), "0 of 5 steps done");
        assert_eq!((class_goals(1, 0), class_goals(2, 0)), ("0 of 1 goal".into(), "0 of 2 goals".into()));
        assert_eq!(goals_said(Some(false), 0, 0), "Answered incorrectly.");
        assert_eq!(goals_said(None, 1, 3), "1 of 3 goals done.");
    }

    #[test]
    fn guesses_that_agree_span_no_range() {
        assert_eq!(class_marks_words(&[(3.0, 1.5), (3.0, 1.5)]), "2 guesses, all 3; measured 1.500.");
        assert!(class_marks_words(&[(3.0, 1.5), (4.0, 1.5)]).starts_with("2 guesses from 3 to 4"));
    }
}
