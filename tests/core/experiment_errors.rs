//! Every faulty experiment gives an error that names the field and the fix, and never a panic.

use lipscope_core::experiment::table::Table;
use lipscope_core::experiment::{Experiment, InputError};
use lipscope_core::measure::measure;
use proptest::prelude::*;

use crate::schema::accepts;

const TOKENS: &str = r#""tokens":{"source":"explicit","rows":[[-1],[1]]}"#;
const WEIGHTS: &str = r#""weights":{"source":"identity","sign":-1}"#;

/// Checks that a fault that a schema can see is refused by the parser, with these words, and by the schema.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_ne!(accepts(text), Some(true), "the schema accepts {text}");
    check_parser(text, expected);
}

/// Checks that a fault that no schema can see is refused by the parser: shapes that have to fit each other, sizes that
/// follow from several numbers, keys that stand twice, what is found only when it is computed.
#[track_caller]
fn check_beyond_schema(text: &str, expected: &[&str]) {
    assert_eq!(accepts(text), Some(true), "the schema sees the fault of {text}");
    check_parser(text, expected);
}

#[track_caller]
fn check_parser(text: &str, expected: &[&str]) {
    let problem = match Experiment::from_json(text).and_then(|experiment| measure(&experiment)) {
        Ok(_) => panic!("accepted a faulty experiment: {text}"),
        Err(problem) => problem.to_string(),
    };
    for part in expected {
        assert!(problem.contains(part), "{text}\n  gives: {problem}\n  without: {part}");
    }
}

#[test]
fn unknown_keys_are_named_with_their_path() {
    check(&format!(r#"{{"mode":1,{TOKENS},{WEIGHTS}}}"#), &["`mode`", "attention"]);
    check(&format!(r#"{{"tokens":{{"source":"random","radios":2}},{WEIGHTS}}}"#), &["`tokens.radios`", "radius"]);
    check(
        &format!(r#"{{{TOKENS},"weights":{{"source":"identity","sign":1,"scale":2}}}}"#),
        &["`weights.scale`", "sign"],
    );
}

#[test]
fn missing_and_misspelt_fields_are_named() {
    check(&format!("{{{WEIGHTS}}}"), &["`tokens`", "missing"]);
    check(&format!("{{{TOKENS}}}"), &["`weights`", "missing"]);
    check(&format!(r#"{{"mask":"casual",{TOKENS},{WEIGHTS}}}"#), &["`mask`", "casual", "\"none\" or \"causal\""]);
    check(&format!(r#"{{"version":2,{TOKENS},{WEIGHTS}}}"#), &["`version`"]);
    check(&format!(r#"{{"eps":-1,{TOKENS},{WEIGHTS}}}"#), &["`eps`", "0 or more"]);
    check(&format!(r#"{{"tokens":{{"source":"random","n":1.5}},{WEIGHTS}}}"#), &["`tokens.n`", "1.5"]);
    check(
        &format!(r#"{{"tokens":{{"source":"random","n":1e300}},{WEIGHTS}}}"#),
        &["`tokens.n`", "1e", "Make it smaller"],
    );
    check(&format!(r#"{{"tokens":{{"source":"random","radius":0}},{WEIGHTS}}}"#), &["`tokens.radius`", "above 0"]);
    check(&format!(r#"{{{TOKENS},"weights":{{"source":"identity","sign":3}}}}"#), &["`weights.sign`", "1 or -1"]);
    check(
        &format!(r#"{{"tokens":{{"source":"random","law":"ball"}},{WEIGHTS}}}"#),
        &["`tokens.law` is called `distribution` now"],
    );
    check_beyond_schema(&format!(r#"{{{TOKENS},{TOKENS},{WEIGHTS}}}"#), &["`tokens` stands twice", "line 1"]);
    check("[1,2]", &["The experiment", "object"]);
    check("", &["empty"]);
    check("{\"tokens\": ", &["JSON", "line 1"]);
}

#[test]
fn rows_and_columns_are_named() {
    check_beyond_schema(
        &format!(r#"{{"tokens":{{"source":"explicit","rows":[[1,2],[3]]}},{WEIGHTS}}}"#),
        &["Row 2", "tokens.rows"],
    );
    check(
        &format!(r#"{{"tokens":{{"source":"explicit","rows":[[1,2],[3,"x"]]}},{WEIGHTS}}}"#),
        &["Row 2, column 2", "tokens.rows", "\"x\""],
    );
    check(&format!(r#"{{"tokens":{{"source":"explicit","rows":[]}},{WEIGHTS}}}"#), &["empty", "tokens.rows"]);
    check(&format!(r#"{{"tokens":{{"source":"explicit","rows":[[1e999],[1]]}},{WEIGHTS}}}"#), &["JSON"]);
    check(&format!(r#"{{"tokens":{{"source":"explicit","rows":[[NaN],[1]]}},{WEIGHTS}}}"#), &["JSON", "column"]);
}

#[test]
fn shapes_that_do_not_fit_are_named() {
    let with_head = |head: &str| format!(r#"{{{TOKENS},"weights":{{"source":"explicit","heads":[{head}]}}}}"#);
    check_beyond_schema(
        &with_head(r#"{"q":[[1]],"k":[[1],[2]],"v":[[1]]}"#),
        &["weights.heads[0].k", "2 x 1", "1 x 1"],
    );
    check_beyond_schema(&with_head(r#"{"q":[[1,2]],"k":[[1,2]],"v":[[1,2]]}"#), &["weights.heads[0].q", "dimension 1"]);
    check_beyond_schema(&with_head(r#"{"q":[[1]],"k":[[1]],"v":[[1,2]]}"#), &["weights.heads[0].v"]);
    check(&with_head(r#"{"q":[[1]],"k":[[1]]}"#), &["weights.heads[0].v", "missing"]);
    let output = r#"{"source":"explicit","heads":[{"q":[[1]],"k":[[1]],"v":[[1]]}],"output":[[1,2]]}"#;
    check_beyond_schema(&format!(r#"{{{TOKENS},"weights":{output}}}"#), &["weights.output", "1 x 2"]);
}

#[test]
fn sizes_over_the_limits_and_unsupported_values_are_named() {
    check(&format!(r#"{{"tokens":{{"source":"random","n":2000000}},{WEIGHTS}}}"#), &["`tokens.n`", "1000000"]);
    check_beyond_schema(
        &format!(r#"{{"tokens":{{"source":"random","n":1000000,"d":100}},{WEIGHTS}}}"#),
        &["n times d"],
    );
    check_beyond_schema(
        &format!(r#"{{"tokens":{{"source":"random","n":100000,"d":1}},{WEIGHTS}}}"#),
        &["n times n", "16384"],
    );
    check_beyond_schema(
        &format!(r#"{{{TOKENS},"weights":{{"source":"random","heads":1000,"head_dim":16000}}}}"#),
        &["weights"],
    );
    let plane = r#"{"source":"explicit","heads":[{"q":[[1]],"k":[[1]],"v":[[1]]}]}"#;
    check_beyond_schema(&format!(r#"{{"tokens":{{"source":"skew"}},"weights":{plane}}}"#), &["skew", "dimension 2"]);
    check_beyond_schema(&format!(r#"{{"attention":"l2","tokens":{{"source":"skew"}},{WEIGHTS}}}"#), &["skew", "dot"]);
    let clusters = r#""tokens":{"source":"clusters","positions":[[1],[2]],"log_multiplicities":[1,2]}"#;
    let large = r#""tokens":{"source":"clusters","positions":[[1],[2]],"log_multiplicities":[1,701]}"#;
    check(&format!("{{{large},{WEIGHTS}}}"), &["tokens.log_multiplicities[1]", "700"]);
    let many: Vec<[f64; 1]> = (0..5000).map(|i| [f64::from(i)]).collect();
    let logs = vec![1.0; 5000];
    let many = serde_json::json!({"source": "clusters", "positions": many, "log_multiplicities": logs});
    check_beyond_schema(&format!(r#"{{"tokens":{many},{WEIGHTS}}}"#), &["distinct positions", "4096"]);
    check(&format!(r#"{{"mask":"causal",{clusters},{WEIGHTS}}}"#), &["mask", "clusters"]);
    let kim = r#""weights":{"source":"kim","heads":2}"#;
    check_beyond_schema(&format!(r#"{{"attention":"l2",{TOKENS},{kim}}}"#), &["weights.heads", "does not divide", "1"]);
    check(&format!("{{{TOKENS},{kim}}}"), &["kim", "l2"]);
    let rotation = r#"{"source":"explicit","heads":[{"q":[[1,0],[0,1]],"k":[[0,-1],[1,0]],"v":[[1,0],[0,1]]}]}"#;
    check_beyond_schema(
        &format!(r#"{{"tokens":{{"source":"adversarial"}},"weights":{rotation}}}"#),
        &["real eigenvalue", "seed"],
    );
}

#[test]
fn overflowing_numbers_give_an_error_message() {
    let huge = |x: &str| format!(r#"{{"tokens":{{"source":"explicit","rows":[[-{x}],[{x}]]}},{WEIGHTS}}}"#);
    check_beyond_schema(&huge("1e200"), &["overflow", "smaller"]);
    check_beyond_schema(
        &format!(
            r#"{{{TOKENS},"weights":{{"source":"explicit","heads":[{{"q":[[1e300]],"k":[[1e300]],"v":[[1]]}}]}}}}"#
        ),
        &["overflow"],
    );
}

#[test]
fn large_scores_do_not_overflow_and_softmax_stays_stable() {
    for radius in ["1e3", "1e20", "1e100"] {
        let text = format!(r#"{{"tokens":{{"source":"explicit","rows":[[-{radius}],[{radius}]]}},{WEIGHTS}}}"#);
        let found = Experiment::from_json(&text).and_then(|experiment| measure(&experiment)).expect("measured");
        assert!(found.spectral.is_finite() && found.spectral >= 0.0, "{radius}: {}", found.spectral);
        assert!(found.bounds.iter().all(|bound| bound.log10.is_finite()));
    }
}

#[test]
fn an_experiment_is_written_and_read_back_unchanged() {
    let texts = [
        format!("{{{TOKENS},{WEIGHTS}}}"),
        r#"{"attention":"l2","mask":"causal","normalization":"rms","normalization_scope":"composed","eps":0,
            "tokens":{"source":"random","distribution":"sphere","n":5,"d":3,"radius":0.1,"seed":18446744073709551615},
            "weights":{"source":"random","heads":3,"head_dim":2,"scale":0.3,"seed":9,"output":true}}"#
            .into(),
        r#"{"tokens":{"source":"adversarial","n":9,"radius":2.5},"weights":{"source":"explicit",
            "heads":[{"q":[[1]],"k":[[2]],"v":[[3],[4]]}],"output":[[5,6]]}}"#
            .into(),
        r#"{"tokens":{"source":"skew","n":9,"radius":2.5}}"#.into(),
        r#"{"tokens":{"source":"clusters","positions":[[1,2]],"log_multiplicities":[40]},
            "attention":"l2","weights":{"source":"kim","heads":2}}"#
            .into(),
    ];
    for text in texts {
        let experiment = Experiment::from_json(&text).unwrap_or_else(|problem| panic!("{text}: {problem}"));
        assert_eq!(Experiment::from_json(&experiment.to_json()), Ok(experiment), "{text}");
    }
}

/// A valid file of some length, to be damaged.
fn valid_text() -> String {
    r#"{"version":1,"attention":"dot","mask":"causal","normalization":"layer","normalization_scope":"inputs","eps":1e-5,
        "tokens":{"source":"explicit","rows":[[1.5,-2],[3,4e-1],[0,7]]},
        "weights":{"source":"explicit","heads":[{"q":[[1,2]],"k":[[3,4]],"v":[[5,6]]}],"output":[[1]]}}"#
        .into()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_damaged_file_panics(cut in 0usize..300, at in 0usize..300, with in any::<char>(), drop in 0usize..4) {
        let mut text: Vec<char> = valid_text().chars().collect();
        let at = at.min(text.len() - 1);
        match drop {
            0 => text.truncate(cut),
            1 => { text.remove(at); }
            2 => text[at] = with,
            _ => text.insert(at, with),
        }
        let text: String = text.into_iter().collect();
        if let Err(problem) = Experiment::from_json(&text).and_then(|experiment| measure(&experiment)) {
            let sentence = problem.to_string();
            prop_assert!(sentence.ends_with('.') && sentence.len() < 600, "{sentence}");
            let is_not_yet = matches!(problem, InputError::NotYet { .. });
            prop_assert!(!is_not_yet);
        }
    }

    #[test]
    fn no_pasted_text_panics(text in "\\PC{0,200}|[0-9,;\\t\\n eE.+-]{0,200}|[\\[\\]0-9,\" ]{0,100}") {
        let _ = Table::Tokens.read(None, text.as_bytes());
    }

    #[test]
    fn no_broken_npy_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..200), keep in any::<bool>()) {
        if keep {
            let mut start = b"\x93NUMPY\x01\x00".to_vec();
            start.append(&mut bytes);
            bytes = start;
        }
        let _ = Table::Tokens.read(Some("a.npy"), &bytes);
    }
}

#[test]
fn npy_files_of_any_number_type_and_order_are_read() {
    // Written by hand as the format specifies: magic, version, header length, header, data.
    let file = |descr: &str, fortran: &str, shape: &str, data: &[u8]| {
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    };
    let read = |bytes: &[u8]| Table::Tokens.read(Some("tokens.npy"), bytes);
    let doubles: Vec<u8> = [1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let singles: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let longs: Vec<u8> = [1i64, 2, 3, 4, 5, 6].iter().flat_map(|x| x.to_le_bytes()).collect();
    let rows = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    for bytes in [
        file("<f8", "False", "(3, 2)", &doubles),
        file("<f4", "False", "(3, 2)", &singles),
        file("<i8", "False", "(3, 2)", &longs),
    ] {
        assert_eq!(read(&bytes).map(|r| (r.n_columns(), r.entries().to_vec())), Ok((2, rows.to_vec())));
    }
    let by_columns = read(&file("<f8", "True", "(3, 2)", &doubles)).expect("Fortran order");
    assert_eq!(by_columns.entries(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let batch_of_one = read(&file("<f8", "False", "(1, 2, 3)", &doubles)).expect("one matrix");
    assert_eq!((batch_of_one.n_rows(), batch_of_one.entries()), (2, &rows[..]));
    assert_eq!(read(&file("<f8", "False", "(6,)", &doubles)).map(|r| (r.n_rows(), r.n_columns())), Ok((6, 1)));
    for (bytes, part) in [
        (file("<f8", "False", "(3, 2)", &doubles[..40]), "tokens.npy"),
        (file("<f8", "False", "(900000000, 900000000)", &doubles), "limit"),
        (file("<f8", "False", "(1, 6)", &doubles), "own line"),
        (file("<f8", "False", "(2, 1, 3)", &doubles), "shape"),
        (file("<c16", "False", "(3, 1)", &doubles), "complex"),
    ] {
        let problem = read(&bytes).expect_err(part).to_string();
        assert!(problem.contains(part), "{problem} should name {part}");
    }
}

#[test]
fn steps_that_do_not_go_together_are_refused_by_their_key() {
    let of = |steps: &str| format!("{{{steps},{TOKENS},{WEIGHTS}}}");
    for (steps, named) in [
        (r#""attention":"l2","score":{"rope":{}}"#, "`score.rope`"),
        (r#""attention":"l2","score":{"qk_norm":{"kind":"rms"}}"#, "`score.qk_norm`"),
        (r#""attention":"cosine","score":{"qk_norm":{"kind":"rms"}}"#, "`score.qk_norm`"),
        (r#""attention":"linear","score":{"rope":{}}"#, "`score.rope`"),
        (r#""attention":"linear","score":{"scale":2}"#, "`score.scale`"),
        (r#""attention":"linear","score":{"softcap":2}"#, "`score.softcap`"),
        (r#""attention":"linear","weighting":{"kind":"softmax","sink":0}"#, "`weighting.sink`"),
        (r#""attention":"linear","weighting":{"kind":"relu"}"#, "`weighting.kind`"),
        (r#""score":{"cosine_eps":1e-6}"#, "`score.cosine_eps`"),
    ] {
        check(&of(steps), &[named, "Leave it out"]);
    }
}

#[test]
fn numbers_of_steps_outside_their_range_are_refused_by_their_key() {
    let of = |steps: &str| format!("{{{steps},{TOKENS},{WEIGHTS}}}");
    for (steps, named) in [
        (r#""score":{"qk_norm":{"kind":"rms","eps":0}}"#, "`score.qk_norm.eps` is 0"),
        (r#""score":{"qk_norm":{"eps":1}}"#, "`score.qk_norm.kind`"),
        (r#""score":{"softcap":-1}"#, "`score.softcap` is -1"),
        (r#""score":{"scale":0}"#, "`score.scale` is 0"),
        (r#""score":{"rope":{"fraction":1.5}}"#, "`score.rope.fraction` is 1.5"),
        (r#""score":{"rope":{"layout":"thirds"}}"#, "`score.rope.layout`"),
        (r#""score":{"ropes":{}}"#, "`score.ropes`"),
        (r#""score":{"alibi":{"slopes":[-1]}}"#, "`score.alibi.slopes`"),
        (r#""score":{"value_norm":{"eps":0}}"#, "`score.value_norm.eps` is 0"),
        (r#""weighting":{"kind":"softplus","divisor":0}"#, "`weighting.divisor` is 0"),
        (r#""weighting":{"kind":"softmax","sink":"deep"}"#, "`weighting.sink`"),
        (r#""weighting":{"kind":"sigmoid","divisor":3}"#, "`weighting.divisor`"),
        (r#""mask":{"kind":"window"}"#, "`mask.width` is missing"),
        (r#""mask":{"kind":"window","width":0}"#, "`mask.width` is 0"),
        (r#""mask":{"kind":"padding","keys":[1,2]}"#, "`mask.keys`"),
        (r#""mask":{"kind":"allowed","rows":[[1,0.5],[1,1]]}"#, "`mask.rows[0][1]` is 0.5"),
    ] {
        check(&of(steps), &[named]);
    }
}

#[test]
fn lists_and_tables_of_steps_have_one_place_for_each_token_head_or_entry() {
    let of = |steps: &str| format!("{{{steps},{TOKENS},{WEIGHTS}}}");
    for (steps, named) in [
        (r#""score":{"bias":[[1,2,3]]}"#, "`score.bias` is 1 x 3"),
        (r#""mask":{"kind":"padding","keys":[1,0,1]}"#, "`mask.keys` is 3 numbers"),
        (r#""mask":{"kind":"allowed","rows":[[1,0,1]]}"#, "`mask.rows` is 1 x 3"),
        (r#""score":{"alibi":{"slopes":[1,2]}}"#, "`score.alibi.slopes` is 2 numbers"),
        (r#""weighting":{"kind":"softmax","sink":[1,2]}"#, "`weighting.sink` is 2 numbers"),
        (r#""score":{"qk_norm":{"kind":"rms","k_gain":[1,2]}}"#, "`score.qk_norm.k_gain` is 2 numbers"),
    ] {
        check_beyond_schema(&of(steps), &[named]);
    }
    let clusters = r#""tokens":{"source":"clusters","positions":[[-1],[1]],"log_multiplicities":[0,1]}"#;
    for (steps, named) in [
        (r#""mask":{"kind":"window","width":2}"#, "`mask` = \"window\""),
        (r#""score":{"rope":{}}"#, "`score.rope`"),
        (r#""score":{"alibi":{}}"#, "`score.alibi`"),
        (r#""score":{"bias":[[1]]}"#, "`score.bias`"),
    ] {
        check(&format!("{{{steps},{clusters},{WEIGHTS}}}"), &[named, "list the tokens"]);
    }
}

#[test]
fn shared_and_second_matrices_are_refused_by_their_place() {
    let q = r#""q":[[1]]"#;
    let kv = r#"{"k":[[1]],"v":[[1]]}"#;
    let of = |weights: &str| format!(r#"{{{TOKENS},"weights":{{"source":"explicit",{weights}}}}}"#);
    for (weights, named) in [
        (format!(r#""heads":[{{{q}}}],"kv_heads":[{kv}]"#), "`weights.heads[0].kv` is missing"),
        (format!(r#""heads":[{{{q},"kv":0}}],"kv_heads":[]"#), "`weights.kv_heads`"),
        (format!(r#""heads":[{{{q},"k":[[1]],"v":[[1]],"q2":[[1]]}}]"#), "`weights.heads[0].k2` is missing"),
        (format!(r#""heads":[{{{q},"k":[[1]],"v":[[1]],"q2":[[1]],"k2":[[1]]}}]"#), "`weights.heads[0].lambda`"),
    ] {
        check(&of(&weights), &[named]);
    }
    for (weights, named) in [
        (format!(r#""heads":[{{{q},"kv":1}}],"kv_heads":[{kv}]"#), "`weights.heads[0].kv` is 1"),
        (format!(r#""heads":[{{{q},"kv":0}}],"kv_heads":[{kv},{kv}]"#), "`weights.kv_heads[1]`"),
        (
            format!(r#""heads":[{{{q},"k":[[1]],"v":[[1]],"q2":[[1],[2]],"k2":[[1]],"lambda":1}}]"#),
            "`weights.heads[0].q2` is 2 x 1",
        ),
    ] {
        check_beyond_schema(&of(&weights), &[named]);
    }
    let drawn = r#""weights":{"source":"random","heads":3,"kv_heads":2}"#;
    check_beyond_schema(&format!("{{{TOKENS},{drawn}}}"), &["`weights.kv_heads` = 2", "3 heads"]);
}
