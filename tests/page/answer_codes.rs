//! Answer codes: what a student hands in comes back, and a broken code is refused by name.

use lipscope::lessons::{
    CodeFault, Done, Guessed, HandIn, Lesson, LessonRecord, MOST_LINK, Prediction, Records, StepRecord, find, gather,
    lessons, scene_of,
};
use lipscope::link;
use proptest::prelude::*;

/// What a student may have done in a lesson.
fn record(lesson: &'static Lesson) -> impl Strategy<Value = LessonRecord> {
    let steps = lesson.steps.iter().map(|step| {
        let goals: Vec<String> = step.goals.iter().map(|goal| goal.id.to_owned()).collect();
        let number = || (-3.0..9.0f64).prop_map(|log10| 10f64.powf(log10));
        let guess = match step.prediction {
            Prediction::None => Just(None).boxed(),
            Prediction::Mark => {
                prop::option::of((number(), number()).prop_map(|(yours, found)| Guessed::Mark(yours, found))).boxed()
            }
            Prediction::Curve => {
                let points = prop::collection::vec((number(), number(), number()), 1..9);
                prop::option::of(points.prop_map(Guessed::Curve)).boxed()
            }
            Prediction::Choice(_) => {
                let ids: Vec<String> = step.choices.iter().map(|choice| choice.id.to_owned()).collect();
                let pair = (prop::sample::select(ids.clone()), prop::sample::select(ids));
                prop::option::of(pair.prop_map(|(yours, right)| Guessed::Choice(yours, right))).boxed()
            }
        };
        let most = goals.len();
        (prop::sample::subsequence(goals, 0..=most), guess).prop_map(|(goals, guess)| StepRecord { goals, guess })
    });
    steps.collect::<Vec<_>>().prop_map(|steps| LessonRecord(steps.into_iter().enumerate().collect()))
}

fn hand_in() -> impl Strategy<Value = HandIn> {
    (0..lessons().len()).prop_flat_map(|at| {
        let lesson = &lessons()[at];
        let link = prop_oneof![Just(String::new()), "v3&[a-z0-9=&.,-]{0,60}"];
        let steps = 0..lesson.steps.len();
        let assigned = prop::option::of(steps.clone());
        ("[\\p{L} .=+@,\"-]{0,40}", steps, link, record(lesson), assigned).prop_map(
            |(name, step, link, record, assigned)| HandIn {
                name: name.trim().to_owned(),
                lesson: lesson.id.to_owned(),
                step,
                link,
                record,
                assigned,
            },
        )
    })
}

proptest! {
    #[test]
    fn what_is_handed_in_comes_back(answer in hand_in(), before in "[A-Za-z :]{0,20}") {
        let code = answer.code();
        prop_assert!(code.is_ascii() && !code.contains(char::is_whitespace));
        prop_assert_eq!(HandIn::read(&code), Ok(answer.clone()));
        // Mail programs put names and spaces around it.
        prop_assert_eq!(HandIn::read(&format!("  {before} {code}  ")), Ok(answer));
    }

    #[test]
    fn a_code_with_another_character_or_without_its_end_is_refused(answer in hand_in(), at in 4..4000usize, by in "[A-Za-z0-9_-]") {
        let code = answer.code();
        let at = 4 + at % (code.len() - 4);
        let mut other = code.clone();
        other.replace_range(at..=at, &by);
        if other.to_lowercase() != code.to_lowercase() || at < code.len() - 8 && other != code {
            let read = HandIn::read(&other);
            prop_assert!(matches!(read, Err(CodeFault::Damaged | CodeFault::Cut)), "{:?}", read);
        }
        let read = HandIn::read(&code[..at]);
        prop_assert!(matches!(read, Err(CodeFault::Cut | CodeFault::Damaged)), "{:?}", read);
    }

    #[test]
    fn no_line_makes_the_reader_panic(line in "\\PC{0,80}", data in "[A-Za-z0-9_-]{0,60}") {
        let _ = HandIn::read(&line);
        let _ = HandIn::read(&format!("LS1.{data}.{line}"));
        let _ = Records::read(&line);
    }
}

fn sample(name: &str) -> HandIn {
    let mut records = Records::default();
    let lesson = find("slack").expect("a lesson");
    records.note(lesson, 0, &["seen"], Some(Guessed::Mark(10.4, 1.47)));
    HandIn {
        name: name.to_owned(),
        lesson: lesson.id.into(),
        step: 1,
        link: "v3&lesson=slack.2&R=1".into(),
        record: records.of(lesson),
        assigned: None,
    }
}

#[test]
fn the_link_of_a_code_holds_the_answer_of_its_step_alone() {
    let later = sample("Ann");
    assert_eq!(later.answer(), None);
    assert!(!later.fragment().contains("answer="), "{}", later.fragment());
    let there = HandIn { step: 0, link: String::new(), ..later };
    assert_eq!(there.answer(), Some(&Guessed::Mark(10.4, 1.47)));
    assert!(there.fragment().contains("answer=10.4,1.47"), "{}", there.fragment());
}

#[test]
fn a_broken_line_is_named_with_what_is_wrong_and_the_others_are_read() {
    let (ann, bo) = (sample("Ann").code(), sample("Bo").code());
    assert!(ann.len() < 200, "a code is short: {} characters", ann.len());
    let text = format!(
        "{ann}\n\nhello\nAnn: {}\n{}\nLS9.abc.00000000\n{ann}\n{bo}\n",
        &ann[..ann.len() - 12],
        bo.replacen("LS1.e", "LS1.f", 1)
    );
    let gathered = gather(&text);
    assert_eq!(gathered.answers, [sample("Ann"), sample("Bo")]);
    let expected = [
        (3, CodeFault::NoCode("hello".into())),
        (4, CodeFault::Cut),
        (5, CodeFault::Damaged),
        (6, CodeFault::OtherVersion("LS9".into())),
        (7, CodeFault::Repeated(1)),
    ];
    assert_eq!(gathered.faults, expected);
}

#[test]
fn what_no_page_writes_is_refused_though_its_sum_is_right() {
    let refused = |change: fn(&mut HandIn)| {
        let mut answer = sample("Ann");
        change(&mut answer);
        HandIn::read(&answer.code())
    };
    assert_eq!(refused(|a| a.lesson = "none".into()), Err(CodeFault::UnknownLesson("none".into())));
    assert_eq!(refused(|a| a.step = 99), Err(CodeFault::UnknownLesson("slack".into())));
    assert_eq!(refused(|a| a.link = "javascript:1".into()), Err(CodeFault::Foreign));
    let with = |guess: Guessed| {
        let mut answer = sample("Ann");
        answer.record.0.entry(0).or_default().guess = Some(guess);
        HandIn::read(&answer.code())
    };
    for guess in [
        Guessed::Mark(0.0, 1.0),
        Guessed::Mark(1.0, 1e300),
        Guessed::Choice("a".into(), "b".into()),
        Guessed::Curve(Vec::new()),
    ] {
        assert_eq!(with(guess), Err(CodeFault::Foreign));
    }
    // A long link is left out rather than the code made long.
    let mut long = sample("Ann");
    long.link = format!("v3&{}", "x".repeat(MOST_LINK));
    assert_eq!(HandIn::read(&long.code()).map(|answer| answer.link), Ok(String::new()));
}

#[test]
fn a_record_keeps_the_first_guess_and_counts_the_steps_that_are_done() {
    let lesson = find("slack").expect("a lesson");
    let steps = lesson.steps.iter().filter(|step| !step.goals.is_empty()).count();
    let mut records = Records::default();
    assert_eq!(records.of(lesson).done(lesson, None), Done { steps: 0, of: steps, right: 0, answered: 0 });
    records.note(lesson, 1, &[], None);
    // A step that was opened is noted, and nothing of it is done.
    assert_eq!(records.of(lesson).0[&1], StepRecord::default());
    assert_eq!(records.of(lesson).done(lesson, None).steps, 0);
    records.note(lesson, 0, &["seen"], Some(Guessed::Mark(2.0, 1.0)));
    records.note(lesson, 0, &["seen"], Some(Guessed::Mark(1.0, 1.0)));
    assert_eq!(
        records.of(lesson).0[&0],
        StepRecord { goals: vec!["seen".into()], guess: Some(Guessed::Mark(2.0, 1.0)) }
    );
    assert_eq!(records.of(lesson).done(lesson, None), Done { steps: 1, of: steps, right: 0, answered: 1 });
    for (at, step) in lesson.steps.iter().enumerate() {
        let goals: Vec<&str> = step.goals.iter().map(|goal| goal.id).collect();
        records.note(lesson, at, &goals, None);
    }
    assert!(records.of(lesson).done(lesson, None).is_all());
    assert_eq!(Records::read(&records.text()), records);
    // What an older page has kept, and this one does not know.
    let other = records.text().replace("slack", "slacks");
    assert!(Records::read(&other).is_empty());
    assert!(Records::read("{").is_empty());
}

#[test]
fn a_code_leads_to_the_state_that_was_handed_in_with_the_answer_of_its_student() {
    let answer = sample("Ann");
    // At its second step nothing was answered.
    let scene = |answer: &HandIn| link::read(&answer.fragment(), scene_of).scene.expect("a scene");
    assert_eq!((scene(&answer).state.radius, scene(&answer).answer), (1.0, None));
    let at_question = HandIn { step: 0, link: "v3&lesson=slack.1&R=1".into(), ..answer };
    let found = scene(&at_question);
    assert_eq!((found.state.radius, found.lesson.map(|at| at.step)), (1.0, Some(0)));
    assert_eq!(found.answer, Some(Guessed::Mark(10.4, 1.47)));
    // Without a link, which was too long, the step itself opens.
    let bare = HandIn { link: String::new(), ..at_question };
    assert_eq!((scene(&bare).state.radius, scene(&bare).answer), (2.0, Some(Guessed::Mark(10.4, 1.47))));
}

#[test]
fn an_answer_that_is_wrong_is_answered_and_not_right() {
    let lesson = find("mask").expect("a lesson");
    let mut records = Records::default();
    records.note(lesson, 0, &["seen"], Some(Guessed::Choice("same".into(), "lower".into())));
    records.note(lesson, 1, &["seen"], Some(Guessed::Choice("higher".into(), "higher".into())));
    let done = records.of(lesson).done(lesson, None);
    assert_eq!(done, Done { steps: 2, of: lesson.n_tasks(), right: 1, answered: 2 });
    assert!(!Guessed::Mark(3.0, 1.0).is_right() && Guessed::Mark(1.05, 1.0).is_right());
    assert!(!Guessed::Curve(vec![(2.0, 1.0, 1.0), (4.0, 1.0, 2.0)]).is_right());
}

#[test]
fn a_goal_that_was_reached_once_counts_in_the_code_and_in_the_link_that_it_leads_to() {
    let lesson = find("sink").expect("a lesson");
    let goals = ["mass", "moves"];
    let mut records = Records::default();
    records.note(lesson, 1, &goals, None);
    // Afterwards the student has gone on: no goal holds in the state of this link.
    let link = "v3&lesson=sink.2&tokens=ball&n=4";
    let answer = HandIn {
        name: "Ada".into(),
        lesson: "sink".into(),
        step: 1,
        link: link.into(),
        record: records.of(lesson),
        assigned: Some(1),
    };
    let scene = link::read(&answer.fragment(), scene_of).scene.expect("a scene");
    assert_eq!(scene.reached, Some(goals.map(str::to_owned).to_vec()));
    assert_eq!((scene.state.n, scene.assigned), (4, None));
    // Who has reached nothing is told from a reader who has handed nothing in.
    let nothing = HandIn { record: LessonRecord::default(), ..answer };
    assert_eq!(link::read(&nothing.fragment(), scene_of).scene.expect("a scene").reached, Some(Vec::new()));
}

#[test]
fn an_assignment_of_one_step_is_done_when_that_step_is() {
    let lesson = find("sink").expect("a lesson");
    let mut records = Records::default();
    records.note(lesson, 1, &["mass", "moves"], None);
    records.note(lesson, 2, &[], None);
    let mut answer = HandIn {
        name: String::new(),
        lesson: "sink".into(),
        step: 1,
        link: String::new(),
        record: records.of(lesson),
        assigned: Some(1),
    };
    let (one, all) = (Done { steps: 1, of: 1, right: 0, answered: 0 }, Done { steps: 1, of: 5, right: 0, answered: 0 });
    assert_eq!(HandIn::read(&answer.code()).expect("a code").done(lesson), one);
    answer.assigned = None;
    assert_eq!(answer.done(lesson), all);
    answer.assigned = Some(99);
    assert_eq!(HandIn::read(&answer.code()), Err(CodeFault::UnknownLesson("sink".into())));
}
