//! The command line that measures what the page measures.

use lipscope_core::measure::UpperNumber;
use lipscope_models::{Bounding, DrawnModel, Estimators, MODEL_TOLERANCE, Part, PlanText, Resizing};

use super::ModelOrigin;

/// What a plan is measured at.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A text file of that name; `None` for the command's built-in text.
    Text(Option<&'a str>),
    /// Pictures of these names, each a window.
    Pictures(&'a [String]),
}

/// The `lipscope model` command that measures the same as a plan of the page. It reads the input's files, and those of a
/// model from a folder with the model's name.
#[must_use]
pub fn command_line((origin, part): (&ModelOrigin, Option<Part>), input: Input<'_>, plan: &PlanText) -> String {
    let mut line = vec!["lipscope model".to_owned()];
    let mut add = |flag: &str, value: &str| line.push(format!("{flag} {}", quoted(value)));
    match origin {
        ModelOrigin::Files { name, .. } => add("--weights", name),
        ModelOrigin::Drawn(DrawnModel { family, d, layers, heads, seed }) => {
            add("--weights", family.id());
            for (flag, value, default) in [("--dim", d, 768), ("--depth", layers, 12), ("--heads", heads, 12)] {
                if *value != default {
                    add(flag, &value.to_string());
                }
            }
            if *seed != 0 {
                add("--seed", &seed.to_string());
            }
        }
    }
    part.into_iter().for_each(|part| add("--part", part.id()));
    match input {
        Input::Text(text) => {
            text.into_iter().for_each(|text| add("--text", text));
            add("--layers", &without_blanks(&plan.layers));
            add("--lengths", &without_blanks(&plan.lengths));
            add("--windows", &plan.windows.to_string());
        }
        Input::Pictures(names) => {
            names.iter().take(plan.windows).for_each(|name| add("--image", name));
            add("--layers", &without_blanks(&plan.layers));
        }
    }
    if plan.special.count() > 0 {
        add("--special", "model");
    }
    if plan.heads.trim() != "all" {
        add("--head", &without_blanks(&plan.heads));
    }
    if let Some(mask) = plan.mask {
        add("--mask", mask.id());
    }
    if let Some(kind) = plan.kind {
        add("--map", kind.id());
    }
    if plan.estimators != Estimators::Both {
        add("--estimator", plan.estimators.id());
    }
    if plan.tolerance != MODEL_TOLERANCE {
        add("--tolerance", &format!("{:e}", plan.tolerance));
    }
    if matches!((origin, input), (ModelOrigin::Files { resizing: Resizing::Allowed, .. }, Input::Pictures(_))) {
        line.push("--resize".into());
    }
    if plan.bounds == Bounding::AtTokens {
        line.push("--bounds".into());
    }
    if plan.upper == UpperNumber::Included {
        line.push("--upper".into());
    }
    if !plan.statistics.is_empty() {
        let names: Vec<&str> = plan.statistics.iter().map(|statistic| statistic.id()).collect();
        line.push(format!("--columns {}", names.join(",")));
    }
    line.join(" ")
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Quotes a word for the shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_models::{DrawnFamily, Statistic};

    fn plan() -> PlanText {
        PlanText {
            layers: "0, 2".into(),
            heads: "all".into(),
            lengths: "2:8:2".into(),
            windows: 3,
            mask: None,
            kind: None,
            estimators: Estimators::Both,
            tolerance: MODEL_TOLERANCE,
            bounds: Bounding::Skipped,
            upper: UpperNumber::Skipped,
            statistics: Default::default(),
            special: Default::default(),
        }
    }

    #[test]
    fn the_line_names_what_is_not_usual() {
        let default = DrawnModel { family: DrawnFamily::Gpt2, d: 768, layers: 12, heads: 12, seed: 0 };
        assert_eq!(
            command_line((&ModelOrigin::Drawn(default), None), Input::Text(None), &plan()),
            "lipscope model --weights random:gpt2 --layers 0,2 --lengths 2:8:2 --windows 3"
        );
        let small = DrawnModel { d: 32, seed: 7, ..default };
        let line = command_line((&ModelOrigin::Drawn(small), None), Input::Text(Some("my text.txt")), &plan());
        assert!(line.contains("--dim 32 --seed 7 --text 'my text.txt'"), "{line}");
        let bounded = PlanText { bounds: Bounding::AtTokens, ..plan() };
        assert!(
            command_line((&ModelOrigin::Drawn(default), None), Input::Text(None), &bounded)
                .ends_with("--windows 3 --bounds")
        );
        let assured = PlanText { upper: UpperNumber::Included, ..bounded };
        assert!(
            command_line((&ModelOrigin::Drawn(default), None), Input::Text(None), &assured)
                .ends_with("--windows 3 --bounds --upper")
        );
        let further = PlanText { statistics: vec![Statistic::MaxLogit, Statistic::VoNorm], ..plan() };
        let line = command_line((&ModelOrigin::Drawn(default), None), Input::Text(None), &further);
        assert!(line.ends_with("--windows 3 --columns max_logit,vo_norm"), "{line}");
        let files = ModelOrigin::Files { name: "it's".into(), resizing: Resizing::Allowed };
        assert!(command_line((&files, None), Input::Text(None), &plan()).contains("--weights 'it'\\''s'"));
        assert_eq!(
            command_line((&files, Some(Part::Vision)), Input::Pictures(&["a b.png".into(), "c.jpg".into()]), &plan()),
            "lipscope model --weights 'it'\\''s' --part vision --image 'a b.png' --image c.jpg --layers 0,2 --resize"
        );
    }
}
