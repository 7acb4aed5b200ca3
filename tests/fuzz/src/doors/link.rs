//! Links of the page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lipscope::chinese_texts;
use lipscope::language::{Language, keep_chinese, set};
use lipscope::lessons::scene_of;
use lipscope::link;
use lipscope_core::experiment::Experiment;
use miniz_oxide::deflate::compress_to_vec_zlib;

use crate::door::{Allowance, Door, Verdict, within};
use crate::mutate::{Form, json, vary};
use lipscope_testkit::dice::Dice;

pub(super) const DOOR: Door = Door {
    name: "link",
    about: "links of the page; the scene is written as a link and read again",
    made: Vec::new,
    vary: vary_link,
    feed,
};

/// Data in a link unpack to a mebibyte at most, which is read as a tree.
const READING: Allowance = Allowance { base: 80 << 20, each: 600 };

const TOKENS: [&str; 2] = [
    r#"{"source":"explicit","rows":[[1.0,2.0],[0.1,-0.7],[0.3,1.0]]}"#,
    r#"{"source":"clusters","positions":[[3.0],[-1.8]],"log_multiplicities":[0.0,8.3]}"#,
];
const WEIGHTS: &str = r#"{"source":"explicit","heads":[{"q":[[1.0,0.5]],"k":[[0.25,-1.0]],"v":[[1.0,0.0],[0.0,1.0]]}],"output":[[1.0,0.0]]}"#;

/// Puts the fault into the text of a link, or into the data that are packed in the link.
fn vary_link(dice: &mut Dice, inputs: &[Vec<u8>]) -> Vec<u8> {
    if !dice.once_in(4) {
        return vary(dice, inputs, Form::Text);
    }
    let mut wrong = |text: &str| json::vary(dice, text.as_bytes());
    let tokens = [wrong(TOKENS[0]), wrong(TOKENS[1])];
    let weights = wrong(WEIGHTS);
    let pack = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(compress_to_vec_zlib(bytes, 6));
    match dice.below(4) {
        0 => format!("v3&tokens=own&token-data={}", pack(&tokens[0])),
        1 => format!("v3&tokens=clusters&token-data={}", pack(&tokens[1])),
        2 => format!("v3&weights=own&weight-data={}", pack(&weights)),
        _ => format!(
            "v3&experiment={}",
            pack(
                format!(
                    r#"{{"tokens":{},"weights":{}}}"#,
                    String::from_utf8_lossy(&tokens[0]),
                    String::from_utf8_lossy(&weights)
                )
                .as_bytes()
            )
        ),
    }
    .into_bytes()
}

fn feed(input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    let mut verdict = Verdict::Refused;
    keep_chinese(chinese_texts());
    for language in Language::OFFERED {
        set(language);
        let found = within("following a link", READING.of(input), || link::read(&text, scene_of));
        for problem in &found.problems {
            let length = problem.chars().count();
            assert!((4..2_000).contains(&length), "sentence: {length} characters: {problem:.300}");
        }
        let Some(scene) = found.scene else {
            assert!(!found.problems.is_empty(), "nothing of a link is read, and nothing is said about it");
            continue;
        };
        // A scene is the same in every language; sentences are not.
        if language != Language::English {
            continue;
        }
        // The state that a link leads to, even a broken link, is a valid experiment and has a link of its own.
        let experiment = scene.state.experiment();
        assert_eq!(
            Experiment::from_json(&experiment.to_json()).as_ref(),
            Ok(&experiment),
            "a scene that is no experiment"
        );
        assert_eq!(scene.state.check_cost(), Ok(()), "a scene that is too large to measure");
        if let Ok(written) = link::write(&scene, scene_of) {
            let again = link::read(&written, scene_of);
            assert_eq!(again.problems, Vec::<String>::new(), "the scene's own link {written}");
            let again = again.scene.map(|scene| link::write(&scene, scene_of));
            assert_eq!(again, Some(Ok(written)), "the scene's own link opens another scene");
        }
        if found.problems.is_empty() {
            verdict = Verdict::Taken;
            break;
        }
    }
    set(Language::English);
    verdict
}
