//! Inputs at which a map has no derivative, and tolerances that say nothing, are refused by every command that would
//! give a number.

use assert_cmd::Command;
use lipscope_testkit::in_repository;

fn lipscope(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
    command.current_dir(in_repository(".")).args(arguments);
    command
}

fn refused(mut command: Command) -> String {
    let assert = command.assert().failure();
    let output = assert.get_output();
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn case(name: &str) -> String {
    format!("tests/data/cases/experiments/{name}")
}

#[test]
fn a_constant_token_without_eps_is_named_by_every_command() {
    for (name, problem) in [
        ("ln_const_eps0.json", "Row 1 of the tokens has equal entries, and LayerNorm with eps = 0"),
        ("ln_const_eps0_inputs.json", "Row 1 of the tokens has equal entries, and LayerNorm with eps = 0"),
        ("ln_d1_eps0.json", "Row 1 of the tokens has one entry, and LayerNorm with eps = 0"),
        ("rms_zero_eps0.json", "Row 1 of the tokens is zero, and RMSNorm with eps = 0"),
    ] {
        for command in ["measure", "spectrum", "estimators"] {
            let said = refused(lipscope(&[command, &case(name)]));
            assert!(said.contains(problem), "{command} {name}: {said}");
            assert!(said.contains("Set a larger eps, such as 10⁻⁵, or change that row."), "{command} {name}: {said}");
        }
    }
}

#[test]
fn a_score_at_the_kink_of_a_relu_weight_is_named_by_every_command() {
    let experiment = |rows: &str, values: &str| {
        format!(
            r#"{{"tokens":{{"source":"explicit","rows":{rows}}},"weights":{{"source":"explicit","heads":[{{"q":[[1,0],[0,1]],
            "k":[[1,0],[0,1]],"v":{values}}}]}},"weighting":{{"kind":"relu","divisor":1}}}}"#
        )
        .replace('\n', "")
    };
    // Two orthogonal tokens: the score of each for the other is 0.
    let orthogonal = "[[1,1],[-1,1]]";
    for command in ["measure", "spectrum", "estimators"] {
        let mut command = lipscope(&[command]);
        command.write_stdin(experiment(orthogonal, "[[0,5],[0,0]]"));
        let said = refused(command);
        assert!(said.contains("Row 1 of the tokens has a score of exactly 0 for row 2"), "{said}");
    }
    // Values of zero, and queries and keys that are both zero, leave a derivative.
    for (rows, values) in [(orthogonal, "[[0,0],[0,0]]"), ("[[0,0],[0,0]]", "[[1,0],[0,1]]")] {
        let mut command = lipscope(&["measure"]);
        command.write_stdin(experiment(rows, values)).assert().success();
    }
}

#[test]
fn equal_tokens_that_are_gathered_are_named_by_their_own_row() {
    let rows = [vec!["[1,2]"; 70], vec!["[3,3]"; 70]].concat().join(",");
    for mask in ["none", "causal"] {
        let text = format!(
            r#"{{"normalization":"layer","eps":0,"mask":"{mask}","tokens":{{"source":"explicit","rows":[{rows}]}},
            "weights":{{"source":"identity","sign":1}}}}"#
        )
        .replace('\n', "");
        let mut command = lipscope(&["measure"]);
        command.write_stdin(text);
        let said = refused(command);
        assert!(said.contains("Row 71 of the tokens has equal entries"), "{mask}: {said}");
    }
}

#[test]
fn near_such_a_token_the_number_says_how_far_rounding_may_move_it() {
    let output = lipscope(&["measure", &case("ln_nearly_const.json")]).assert().success().get_output().stdout.clone();
    let found: serde_json::Value = serde_json::from_slice(&output).expect("JSON");
    let warning = found["warnings"][0].as_str().expect("a warning");
    assert!(warning.starts_with("Within rounding: relative error up to "), "{warning}");
    let plain = lipscope(&["measure", &case("ln_const_token.json")]).assert().success().get_output().stdout.clone();
    let found: serde_json::Value = serde_json::from_slice(&plain).expect("JSON");
    assert_eq!(found["warnings"], serde_json::json!([]));
}

#[test]
fn a_layer_norm_of_a_model_refuses_a_token_of_equal_entries() {
    let model = "tests/data/cases/models/gpt2_zero_row_eps0";
    let text = format!("{model}/text.txt");
    let plan = ["model", "--weights", model, "--text", &text, "-n", "5", "--windows", "1", "--layers", "0"];
    let said = refused(lipscope(&[&plan[..], &["--map", "attention-residual"]].concat()));
    assert!(said.contains("of the window has equal entries, and LayerNorm with eps = 0"), "{said}");
}

#[test]
fn a_tolerance_at_which_an_iteration_may_stop_far_below_the_norm_is_refused() {
    for command in ["measure", "model"] {
        let said = refused(lipscope(&[command, "--tolerance", "0.1"]));
        assert!(said.contains("at most 0.01") && said.contains("far below the norm"), "{command}: {said}");
        let said = refused(lipscope(&[command, "--tolerance", "0"]));
        assert!(said.contains("between 1e-15 and 0.01"), "{command}: {said}");
    }
    lipscope(&["measure", "--tolerance", "0.01", &case("antisym_pair.json")]).assert().success();
}
