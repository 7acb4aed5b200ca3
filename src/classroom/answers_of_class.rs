//! What a class has handed in, put together: a table of a lesson's answers, and the guesses of each of its questions.

use crate::lessons::{Guessed, HandIn, Lesson, Prediction, Step, StepRecord, lessons};
use crate::strings;
use lipscope_plot::{AxisSpec, Extent, LineChart, Number, Role, Rule, Scale, Series, SeriesKind, Table, ascending};

/// Marks in the same interval of this width, in powers of ten, are stacked.
const STACKED: f64 = 0.04;
/// The axis reaches this factor beyond the lowest and the highest of the guesses and the measured norms.
const ROOM: f64 = 1.5;
/// The most measured norms that are drawn.
const MOST_FOUND: usize = 4;

/// The guesses of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Guesses {
    /// For each choice: its id, how many have chosen it, and for how many of the class it was the right one.
    Choices(Vec<(&'static str, usize, usize)>),
    /// The marks, each beside the measured norm.
    Marks(Vec<(f64, f64)>),
    /// The curves: n, the guess, the measured norm.
    Curves(Vec<Vec<(f64, f64, f64)>>),
}

/// The answers to a lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct OfLesson {
    /// The index of the lesson.
    pub at: usize,
    /// What was handed in, in order.
    pub answers: Vec<HandIn>,
}

impl OfLesson {
    /// The lesson.
    pub fn lesson(&self) -> &'static Lesson {
        &lessons()[self.at]
    }
}

/// The answers by lesson, in the order of the course.
pub fn by_lesson(answers: &[HandIn]) -> Vec<OfLesson> {
    let of = |(at, lesson): (usize, &'static Lesson)| {
        let answers: Vec<HandIn> = answers.iter().filter(|answer| answer.lesson == lesson.id).cloned().collect();
        (!answers.is_empty()).then_some(OfLesson { at, answers })
    };
    lessons().iter().enumerate().filter_map(of).collect()
}

/// The steps of a lesson that ask something, with their numbers from zero.
pub fn questions(lesson: &'static Lesson) -> impl Iterator<Item = (usize, &'static Step)> {
    lesson.steps.iter().enumerate().filter(|(_, step)| step.prediction != Prediction::None)
}

/// All guesses of a step, once each where a student has handed in several codes; `None` where there is none.
pub fn guesses(answers: &[HandIn], at: usize, step: &'static Step) -> Option<Guesses> {
    let mut from: Vec<(&str, &Guessed)> = Vec::new();
    for answer in answers {
        let Some(guess) = answer.record.0.get(&at).and_then(|record| record.guess.as_ref()) else { continue };
        let is_known = !answer.name.is_empty() && from.contains(&(&answer.name, guess));
        if !is_known {
            from.push((&answer.name, guess));
        }
    }
    let all: Vec<&Guessed> = from.into_iter().map(|(_, guess)| guess).collect();
    if all.is_empty() {
        return None;
    }
    Some(match step.prediction {
        Prediction::None => return None,
        Prediction::Choice(_) => {
            let count = |holds: &dyn Fn(&str, &str) -> bool| {
                all.iter().filter(|guess| matches!(guess, Guessed::Choice(yours, right) if holds(yours, right))).count()
            };
            let of = |id: &'static str| (id, count(&|yours, _| yours == id), count(&|_, right| right == id));
            Guesses::Choices(step.choices.iter().map(|choice| of(choice.id)).collect())
        }
        Prediction::Mark => Guesses::Marks(
            all.into_iter()
                .filter_map(|guess| match guess {
                    Guessed::Mark(yours, found) => Some((*yours, *found)),
                    _ => None,
                })
                .collect(),
        ),
        Prediction::Curve => Guesses::Curves(
            all.into_iter()
                .filter_map(|guess| match guess {
                    Guessed::Curve(points) => Some(points.clone()),
                    _ => None,
                })
                .collect(),
        ),
    })
}

/// A row for each code: the name, the step at which it was handed in, how much is done and right, and for each step the
/// guess and the goals that are reached.
pub fn table(of: &OfLesson) -> Table {
    let lesson = of.lesson();
    let tasks = lesson.n_tasks();
    let heading = |at: usize| strings::lesson_heading(at, tasks, lesson.steps[at].title.now());
    let first = [strings::class_name(), strings::class_step(), strings::class_done(), strings::class_right()];
    let mut header: Vec<String> = first.map(str::to_owned).to_vec();
    header.extend((0..tasks).map(heading));
    let row = |answer: &HandIn| {
        let done = answer.done(lesson);
        let name = if answer.name.is_empty() { strings::class_nameless() } else { &answer.name };
        let right = if done.answered == 0 {
            String::new()
        } else {
            strings::class_done_of { done: done.right, of: done.answered }.text()
        };
        let mut cells = vec![
            name.to_owned(),
            heading(answer.step),
            strings::class_done_of { done: done.steps, of: done.of }.text(),
            right,
        ];
        let cell = |(at, step)| answer.record.0.get(&at).map_or_else(String::new, |record| step_words(record, step));
        cells.extend(lesson.steps.iter().enumerate().take(tasks).map(cell));
        cells
    };
    Table { header, rows: of.answers.iter().map(row).collect() }
}

/// What was done at a step that was opened: the guess, and how many of the other goals were reached.
fn step_words(record: &StepRecord, step: &'static Step) -> String {
    let tasks: Vec<&str> = step.goals.iter().filter(|goal| !goal.is_an_answer()).map(|goal| goal.id).collect();
    let reached = tasks.iter().filter(|id| record.goals.iter().any(|known| known == *id)).count();
    let goals = (!tasks.is_empty()).then(|| strings::class_goals(tasks.len(), reached));
    let is_question = step.prediction != Prediction::None;
    let answer = match &record.guess {
        Some(guess) => Some(guess_words(guess, step)),
        None => is_question.then(|| strings::class_unanswered().to_owned()),
    };
    answer.into_iter().chain(goals).collect::<Vec<_>>().join(strings::class_between())
}

/// A guess in words, and how it compares with the page's answer.
fn guess_words(guess: &Guessed, step: &'static Step) -> String {
    match guess {
        Guessed::Choice(yours, right) => {
            let choice = step.choices.iter().find(|choice| choice.id == yours);
            strings::class_choice(choice.map_or("", |choice| choice.words.now()), yours == right)
        }
        Guessed::Mark(yours, found) => strings::class_mark(*yours, *found),
        Guessed::Curve(points) => {
            let size = |(_, yours, found): &(f64, f64, f64)| (yours / found).ln().abs();
            let furthest = points.iter().copied().max_by(|a, b| size(a).total_cmp(&size(b)));
            furthest.map_or_else(String::new, |(n, yours, found)| strings::class_curve(n, yours / found))
        }
    }
}

/// The marks of a class as dots, stacked where they are near each other, with the measured norm as a line.
pub fn mark_chart(marks: &[(f64, f64)]) -> LineChart {
    let mut sorted: Vec<f64> = marks.iter().map(|(yours, _)| *yours).collect();
    ascending(&mut sorted, |yours| *yours);
    let bin = |yours: &f64| (yours.log10() / STACKED).round();
    let dots: Vec<(f64, f64)> = sorted
        .chunk_by(|a, b| bin(a) == bin(b))
        .flat_map(|near| near.iter().enumerate().map(|(at, yours)| (*yours, (at + 1) as f64)))
        .collect();
    let highest = dots.iter().map(|dot| dot.1).fold(1.0, f64::max);
    let mut found: Vec<f64> = marks.iter().map(|(_, found)| *found).collect();
    ascending(&mut found, |found| *found);
    found.dedup();
    let ends = Extent::of(sorted.iter().chain(&found).copied());
    let range = ends.and_then(|ends| Extent::new(ends.lo() / ROOM, ends.hi() * ROOM));
    let mut chart = LineChart::new(
        AxisSpec::new(strings::class_marks_x(), Scale::Log).range(range),
        AxisSpec::new(strings::class_marks_y(), Scale::Linear).range(Extent::new(0.0, highest + 1.0)).whole(),
        vec![Series::new("guesses", "", Role::Selected, SeriesKind::Points, dots)],
    );
    chart.rules = found
        .iter()
        .take(MOST_FOUND)
        .map(|found| Rule::new(*found, strings::class_found(Number::of(*found))).role(Role::Measured))
        .collect();
    chart
}

/// The curves of a class in one chart, with the curve that was measured for the first of them.
pub fn curve_chart(curves: &[Vec<(f64, f64, f64)>]) -> LineChart {
    let line = |(at, points): (usize, &Vec<(f64, f64, f64)>)| {
        let points = points.iter().map(|(n, yours, _)| (*n, *yours)).collect();
        let series = Series::new(format!("guess-{at}"), "", Role::Selected, SeriesKind::Line, points);
        Series { opacity: 0.5, ..series }
    };
    let mut series: Vec<Series> = curves.iter().enumerate().map(line).collect();
    if let Some(first) = curves.first() {
        let found = first.iter().map(|(n, _, found)| (*n, *found)).collect();
        let name = strings::class_measured();
        series.push(Series::new("measured", name, Role::Measured, SeriesKind::Line, found));
    }
    LineChart::new(
        AxisSpec::new(strings::guess_x(), Scale::Log).whole(),
        AxisSpec::new(strings::class_marks_x(), Scale::Log),
        series,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::{Records, find};

    fn answer(name: &str, lesson: &str, at: usize, guess: Guessed) -> HandIn {
        let lesson = find(lesson).expect("a lesson");
        let mut records = Records::default();
        records.note(lesson, at, &["seen"], Some(guess));
        let record = records.of(lesson);
        HandIn { name: name.into(), lesson: lesson.id.into(), step: at, link: String::new(), record, assigned: None }
    }

    #[test]
    fn the_marks_of_a_class_are_stacked_over_the_measured_norm() {
        let of = |yours| answer("", "slack", 0, Guessed::Mark(yours, 1.47));
        let all = [of(10.0), of(3.0), of(10.1), of(10.0)];
        let lesson = find("slack").expect("a lesson");
        let Some(Guesses::Marks(marks)) = guesses(&all, 0, &lesson.steps[0]) else { panic!("no marks") };
        let chart = mark_chart(&marks);
        assert_eq!(chart.series[0].data, [(3.0, 1.0), (10.0, 1.0), (10.0, 2.0), (10.1, 3.0)]);
        assert_eq!(chart.rules.iter().map(|rule| rule.x).collect::<Vec<_>>(), [1.47]);
        let range = chart.x.range.expect("a range");
        assert!(range.lo() < 1.47 && range.hi() > 10.1);
        assert_eq!(guesses(&all, 1, &lesson.steps[1]), None);
    }

    #[test]
    fn a_row_says_at_which_step_a_code_was_handed_in_and_what_was_done_at_every_step() {
        let lesson = find("lipschitz").expect("a lesson");
        let mut records = Records::default();
        let hand_in = |records: &Records, step| HandIn {
            name: "Ann".into(),
            lesson: lesson.id.into(),
            step,
            link: String::new(),
            record: records.of(lesson),
            assigned: None,
        };
        records.note(lesson, 1, &["two", "ten"], None);
        let early = hand_in(&records, 1);
        records.note(lesson, 4, &["seen"], Some(Guessed::Choice("euclid".into(), "entry".into())));
        let late = hand_in(&records, 6);
        let of = by_lesson(&[early, late]).remove(0);
        let table = table(&of);
        // The name, the step, what is done, what is right, and the steps but for the recap.
        assert_eq!(table.header.len(), 4 + lesson.n_tasks());
        assert_eq!(table.header[4 + 1], "2. Push it");
        assert_eq!(table.rows[0][..6], ["Ann", "2. Push it", "0 of 6", "", "", "2 of 3 goals"]);
        // A step that was never opened has an empty cell, and one without a goal reached says so.
        assert_eq!(table.rows[0][4 + 2], "");
        assert_eq!(table.rows[1][..4], ["Ann", "Recap", "1 of 6", "0 of 1"]);
        assert_eq!(table.rows[1][8], "✗ The Euclidean length.");
        // Both codes of a student hold the same first guess: it counts once.
        let twice = [of.answers[1].clone(), of.answers[1].clone()];
        let counts = guesses(&twice, 4, &lesson.steps[4]);
        assert_eq!(counts, Some(Guesses::Choices(vec![("euclid", 1, 0), ("entry", 0, 1), ("sum", 0, 0)])));
    }

    #[test]
    fn who_has_tried_and_failed_is_told_from_who_never_came() {
        let lesson = find("sink").expect("a lesson");
        let of = |name: &str, goals: &[&str]| {
            let mut records = Records::default();
            records.note(lesson, 1, goals, None);
            HandIn {
                name: name.into(),
                lesson: "sink".into(),
                step: 1,
                link: String::new(),
                record: records.of(lesson),
                assigned: Some(1),
            }
        };
        let table = table(&by_lesson(&[of("Ada", &["mass", "moves"]), of("Bo", &[])]).remove(0));
        assert_eq!(table.rows[0][..6], ["Ada", "2. Be the sink", "1 of 1", "", "", "2 of 2 goals"]);
        assert_eq!(table.rows[1][..6], ["Bo", "2. Be the sink", "0 of 1", "", "", "0 of 2 goals"]);
        assert!(table.to_csv().contains("0 of 2 goals"));
        // A question that was opened and left has no answer; one that was never opened has an empty cell.
        let mut records = Records::default();
        records.note(lesson, 0, &[], None);
        assert_eq!(step_words(&records.of(lesson).0[&0], &lesson.steps[0]), "no answer");
    }

    #[test]
    fn a_table_has_a_row_for_each_student_and_a_column_for_each_question() {
        let mask = |name, yours: &str| answer(name, "mask", 1, Guessed::Choice(yours.into(), "higher".into()));
        let all = [mask("Ann", "higher"), mask("", "lower"), answer("Bo", "slack", 0, Guessed::Mark(2.0, 1.0))];
        let lessons = by_lesson(&all);
        assert_eq!(lessons.iter().map(|of| of.lesson().id).collect::<Vec<_>>(), ["mask", "slack"]);
        let table = table(&lessons[0]);
        assert_eq!(table.rows.len(), 2);
        assert_eq!(table.rows[0][..4], ["Ann", "2. Nearer tokens", "1 of 5", "1 of 1"]);
        assert_eq!((table.rows[0][5].as_str(), table.rows[1][5].as_str()), ("✓ It raises L.", "✗ It lowers L."));
        let step = &lessons[0].lesson().steps[1];
        let counts = guesses(&lessons[0].answers, 1, step);
        assert_eq!(counts, Some(Guesses::Choices(vec![("lower", 1, 0), ("same", 0, 0), ("higher", 1, 2)])));
    }
}
