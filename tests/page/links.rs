//! The page's links: every scene comes back from its link, and no broken link breaks anything.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lipscope::chinese_texts;
use lipscope::language::{Language, keep_chinese, set};
use lipscope::link::{self, MOST_LINK, TooLong};
use lipscope::state::{GrowthView, LessonAt, PageState, PlotChoice, Range, Scene, Stage, TokenChoice, WeightChoice};
use lipscope_core::experiment::{Experiment, Mask};
use lipscope_testkit::dice::Dice;
use miniz_oxide::deflate::compress_to_vec_zlib;

use crate::dice::{scene, table};

/// A course whose steps set arbitrary values, so that no field can rely on an earlier setting. A lesson named `x` does
/// not exist.
fn of_lesson(at: &LessonAt) -> Option<Scene> {
    let set =
        Scene { lesson: Some(at.clone()), stage: Stage::Full, theme: None, ..scene(&mut Dice(at.step as u64 + 77)) };
    (!at.id.contains('x')).then(|| in_use_of_none(set))
}

/// A lesson brings no data.
fn in_use_of_none(mut scene: Scene) -> Scene {
    let first = PageState::default();
    let state = &mut scene.state;
    (state.own_tokens, state.own_clusters, state.own_weights) = (None, None, None);
    state.own_from = None;
    if matches!(state.tokens, TokenChoice::Own | TokenChoice::Clusters) {
        state.tokens = first.tokens;
    }
    if state.weights == WeightChoice::Own {
        state.weights = first.weights;
    }
    if state.check_cost().is_err() { Scene { state: first, ..scene } } else { scene }
}

/// The scene without what a link leaves out: data that are not in use.
fn in_use(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    let state = &mut scene.state;
    state.own_tokens = state.own_tokens.take().filter(|_| state.tokens == TokenChoice::Own);
    state.own_clusters = state.own_clusters.take().filter(|_| state.tokens == TokenChoice::Clusters);
    state.own_weights = state.own_weights.take().filter(|_| state.weights == WeightChoice::Own);
    state.own_from = state.moved_from();
    scene
}

#[test]
fn a_first_visit_has_no_fragment_and_the_bare_address_is_a_first_visit() {
    assert_eq!(link::write(&Scene::default(), of_lesson).as_deref(), Ok(""));
    assert_eq!(link::read("", of_lesson).scene, Some(Scene::default()));
}

#[test]
fn what_a_link_leaves_out_stays_as_it_was_whatever_a_first_visit_shows() {
    let base = Scene::link_base();
    assert_eq!((base.state.n, Scene::default().state.n), (64, 12));
    assert_eq!(link::read("#v3", of_lesson).scene, Some(base.clone()));
    assert_eq!(link::write(&base, of_lesson).as_deref(), Ok("v3"));
    let masked = PageState { mask: Mask::Causal, ..PageState::default() };
    let scene = Scene { state: masked, ..Scene::default() };
    assert_eq!(link::write(&scene, of_lesson).as_deref(), Ok("v3&n=12&mask=causal"));
    assert_eq!(link::read("v3&n=12&mask=causal", of_lesson).scene, Some(scene));
}

/// The scene of a link without a fault.
fn followed(link: &str) -> Scene {
    let link::Followed { scene, problems } = link::read(link, of_lesson);
    assert_eq!(problems, Vec::<String>::new(), "{link}");
    scene.expect("a scene")
}

#[test]
fn the_cursor_rests_at_an_n_in_sight() {
    let at = |at: Option<f64>, range: Range| {
        let growth = GrowthView { at, range, ..GrowthView::default() };
        PageState { growth, ..PageState::link_base() }
    };
    assert_eq!(at(None, Range::Quintillion).read_at(), 64.0);
    assert_eq!(at(Some(1e9), Range::Quintillion).read_at(), 1e9);
    // The plot is not read at an n that the axis does not reach.
    assert_eq!(at(Some(1e9), Range::Measured).read_at(), 64.0);
    // A kept n is moved into the axis range.
    let mut state = at(None, Range::Measured);
    state.keep_read_at(1e5);
    assert_eq!((state.read_at(), state.growth.range), (1e5, Range::Million));
    state.keep_read_at(64.0);
    assert_eq!(state.growth.at, None);
    // The axis reaches the tokens, however many there are.
    let million = PageState { n: 1_000_000, ..PageState::adversarial() };
    assert_eq!(million.growth_end(), 1e6);
}

#[test]
fn common_scenes_have_short_links_that_people_can_read() {
    let state = PageState { n: 256, mask: Mask::Causal, ..PageState::default() };
    let scene = Scene { state, plot: PlotChoice::Growth, stage: Stage::Embed, ..Scene::default() };
    assert_eq!(link::write(&scene, of_lesson).as_deref(), Ok("v3&view=embed&plot=growth&n=256&mask=causal"));
}

#[test]
fn the_name_of_a_lesson_is_a_link_to_what_its_step_sets() {
    for step in 0..40 {
        let at = LessonAt { id: "course".into(), step };
        let link = format!("v3&lesson=course.{}", step + 1);
        let set = of_lesson(&at).expect("a lesson");
        assert_eq!(link::write(&set, of_lesson), Ok(link.clone()));
        assert_eq!(link::read(&link, of_lesson), link::Followed { scene: Some(set), problems: vec![] });
    }
    let link::Followed { scene, problems } = link::read("v3&lesson=xyz.2&n=12", of_lesson);
    let unknown = scene.expect("a scene");
    assert!(problems[0].starts_with("“lesson” names “xyz.2”, which is no lesson"), "{problems:?}");
    assert_eq!(unknown.lesson, None);
    assert_eq!(unknown.state.experiment(), PageState { n: 12, ..PageState::default() }.experiment());
}

#[test]
fn every_scene_comes_back_from_its_link() {
    let mut dice = Dice(1);
    for _ in 0..4000 {
        let scene = scene(&mut dice);
        let link = link::write(&scene, of_lesson).expect("short");
        assert!(link.bytes().all(|c| c.is_ascii_alphanumeric() || b"&=.,-_".contains(&c)), "{link}");
        let followed = link::read(&link, of_lesson);
        assert_eq!(followed.problems, Vec::<String>::new(), "{link}");
        let found = followed.scene.expect("a scene");
        assert_eq!(found, in_use(&scene), "{link}");
        assert_eq!(found.state.experiment(), scene.state.experiment(), "{link}");
        assert_eq!(link::write(&found, of_lesson), Ok(link));
    }
}

#[test]
fn a_link_of_another_program_holds_a_whole_experiment() {
    let mut dice = Dice(2);
    for _ in 0..300 {
        let experiment = scene(&mut dice).state.experiment();
        let packed = URL_SAFE_NO_PAD.encode(compress_to_vec_zlib(experiment.to_json().as_bytes(), 9));
        let scene = followed(&format!("#v3&experiment={packed}"));
        assert_eq!(scene.state.experiment(), experiment);
        // Written anew it is a link like others, of the same experiment.
        let link = link::write(&scene, of_lesson).expect("short");
        assert!(!link.contains("experiment="), "{link}");
        assert_eq!(followed(&link).state.experiment(), experiment, "{link}");
        let other = followed(&format!("v3&experiment={packed}&eps=0.5")).state;
        assert_eq!(other.experiment(), Experiment { eps: 0.5, ..experiment });
    }
    let twice = URL_SAFE_NO_PAD.encode(compress_to_vec_zlib(br#"{"tokens":{},"tokens":{}}"#, 9));
    let problems = survive(&format!("v3&experiment={twice}")).problems;
    assert!(problems[0].contains("“tokens” stands twice"), "{problems:?}");
}

#[test]
fn data_too_long_for_a_link_are_refused_soon() {
    let rows = table(&mut Dice(3), 3000, 8);
    let state = PageState::default().with_own_tokens(rows);
    assert_eq!(link::write(&Scene { state, ..Scene::default() }, of_lesson), Err(TooLong));
    let rows = table(&mut Dice(3), 400, 4);
    let state = PageState::default().with_own_tokens(rows);
    assert_eq!(
        link::write(&Scene { state, ..Scene::default() }, of_lesson).map(|link| link.len() > MOST_LINK),
        Err(TooLong)
    );
}

/// Reads a damaged link: its scene can be shown, and its errors are sentences.
fn survive(fragment: &str) -> link::Followed {
    let followed = link::read(fragment, of_lesson);
    if let Some(scene) = &followed.scene {
        scene.state.check_cost().unwrap_or_else(|problem| panic!("{fragment}: {problem}"));
        let json = scene.state.experiment().to_json();
        Experiment::from_json(&json).unwrap_or_else(|problem| panic!("{fragment}: {problem}"));
        assert!(link::write(scene, of_lesson).is_ok() || fragment.len() > 8000, "{fragment}");
    } else {
        assert!(!followed.problems.is_empty(), "{fragment}");
    }
    for problem in &followed.problems {
        assert!(problem.ends_with('.') && problem.len() < 400, "{problem}");
    }
    keep_chinese(chinese_texts());
    set(Language::Chinese);
    let in_chinese = link::read(fragment, of_lesson).problems;
    set(Language::English);
    assert_eq!(in_chinese.len(), followed.problems.len(), "{in_chinese:?}");
    for problem in &in_chinese {
        assert!(crate::han::has_han(problem) && problem.ends_with('。'), "{fragment}: {problem}");
    }
    followed
}

#[test]
fn what_is_wrong_is_named_and_the_rest_is_taken() {
    let wrong = [
        ("v3&mask=diagonal&n=99", "“mask” must be none or causal, not “diagonal”."),
        (
            "v3&n=1e99&R=2",
            "“n” must be a whole number from 2 to 4096, or to 1000000 for adversarial tokens and the skew witness, not “1e99”.",
        ),
        ("v3&n=NaN&R=2", "“n” must be a whole number"),
        ("v3&R=-3&n=99", "“R” must be a number above 0, not “-3”."),
        ("v3&R=inf&n=99", "“R” must be a number above 0, not “inf”"),
        ("v3&foo=1&n=99", "“foo” is not a field of this page."),
        ("v3&n=99&junk", "“junk”"),
        ("v3&n=7&n=99", "“n” is given twice"),
        ("v3&tokens=own&n=99", "“tokens” has no numbers in this link"),
        ("v3&n=99&token-data=AAAA&tokens=own", "“token-data” is damaged: characters are missing or changed"),
        ("v3&n=99&lesson=../x.1", "“lesson”"),
        ("v3&n=99&view=huge", "“view” must be full, teacher or embed, not “huge”."),
        (
            "v3&n=99&weights=kim&attention=dot",
            "“attention” must be l2, because these weights are those of L2 attention",
        ),
        ("v3&n=99&curves=unified,magic", "not “magic”."),
        ("v3&n=99&mask=causal&steps=off-by-one", "“mask” is “none”, because the field “steps” sets it too."),
        ("v3&n=99&attention=l2&steps=off-by-one", "“attention” is “dot”, because"),
        (
            "v3&tokens=ball&n=900000&mask=causal",
            "The number of tokens n is 900000, over the limit of 4096. Use fewer tokens here, or the command line. This page takes up to 4096 tokens, and up to 1000000 that are adversarial or those of the skew witness.",
        ),
    ];
    for (fragment, sentence) in wrong {
        let followed = survive(fragment);
        assert!(followed.problems.iter().any(|problem| problem.contains(sentence)), "{:?}", followed.problems);
        let state = followed.scene.expect("the rest").state;
        let taken = state.n == 99 || state.radius == 2.0 || state.mask == Mask::Causal;
        assert!(taken, "{fragment} lost its rest");
    }
    // A number of tokens over the limit takes nothing else with it, and what is lost is named.
    let link::Followed { scene, problems } = survive("v3&n=5000&d=7&R=3&mask=causal&weights=random&heads=3&k=5&seed=4");
    let state = scene.expect("the rest").state;
    assert_eq!((state.n, state.d, state.heads, state.head_dim, state.radius), (64, 7, 3, 5, 3.0));
    assert!(problems.contains(&"Not loaded: n.".to_owned()), "{problems:?}");
    let nothing = ["v4&n=5", "v2&n=5", "plots?", "v1.", "v1.e30", "%00", "v3.n=5"];
    for fragment in nothing {
        assert_eq!(survive(fragment).scene, None, "{fragment}");
    }
    // Some programs pass links on with & and = encoded.
    assert_eq!(survive("v3%26n%3D99").scene.map(|scene| scene.state.n), Some(99));
}

#[test]
fn thousands_of_broken_links_break_nothing() {
    let mut dice = Dice(4);
    let words =
        ["NaN", "-1", "1e308", "0", "", "∞", "9".repeat(400).as_str(), "null", "%", "%ff", "..", "own", "causal"]
            .map(str::to_owned);
    let mut kinds = BTreeSet::new();
    for at in 0..6000 {
        let link = link::write(&scene(&mut dice), of_lesson).expect("short");
        let mut bytes = link.clone().into_bytes();
        let (here, there) = (dice.below(bytes.len().max(1)), dice.below(bytes.len().max(1)));
        match at % 6 {
            0 => bytes.truncate(here),
            1 if !bytes.is_empty() => bytes[here] ^= 1 << dice.below(7),
            2 if !bytes.is_empty() => bytes[here] = 32 + dice.below(95) as u8,
            3 => drop(bytes.drain(here.min(there)..here.max(there))),
            4 => bytes.splice(here..here, words[dice.below(words.len())].bytes()).for_each(drop),
            _ => {
                // Gives a field the value of another one.
                let mut parts: Vec<String> = link.split('&').map(str::to_owned).collect();
                let at = dice.below(parts.len());
                let key = parts[at].split('=').next().unwrap_or_default().to_owned();
                parts[at] = format!("{key}={}", words[dice.below(words.len())]);
                bytes = parts.join("&").into_bytes();
            }
        }
        let broken = String::from_utf8_lossy(&bytes).into_owned();
        let followed = survive(&broken);
        kinds.insert((followed.scene.is_some(), followed.problems.len().min(3)));
    }
    assert!(kinds.len() >= 4, "{kinds:?}");
}
