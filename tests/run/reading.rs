//! What a log may hold, and the line and field that an error names.

use lipscope_run::{Header, Kind, Row, RowProblem, Run, RunError, RunReader};

const ROW: &str =
    r#"{"step": 0, "layer": "h.0", "map": "block", "value": 1.5, "residual": 0.01, "kind": "lower bound"}"#;

/// The row with another value for a key.
fn with(key: &str, value: &str) -> String {
    let plain = ROW.trim_end_matches('}');
    let before = plain.find(&format!("\"{key}\": "));
    let Some(start) = before else { return format!("{plain}, \"{key}\": {value}}}") };
    let end = plain[start..].find(", ").map_or(plain.len(), |length| start + length);
    format!("{}\"{key}\": {value}{}}}", &plain[..start], &plain[end..])
}

fn problem(line: &str) -> RowProblem {
    Row::from_line(line).expect_err(line)
}

#[test]
fn a_number_that_is_none_is_read_as_none_and_written_as_null() {
    for word in ["null", "NaN", "Infinity", "-Infinity"] {
        let row = Row::from_line(&with("value", word)).expect("a row");
        assert_eq!(row.value, None, "{word}");
        let loss = Row::from_line(&with("loss", word)).expect("a row");
        assert_eq!((loss.further.get("loss"), loss.number("loss")), (Some(&None), None), "{word}");
    }
    let mut row = Row::new(1, "NaN", "block");
    row.value = Some(f64::NAN);
    row.further.insert("loss".into(), Some(f64::INFINITY));
    let expected = r#"{"step":1,"layer":"NaN","map":"block","value":null,"residual":null,"kind":"none","loss":null}"#;
    assert_eq!(row.to_line(), expected);
    assert_eq!(Row::from_line(expected).expect("a row").layer, "NaN");
    let heads = Row::from_line(&with("heads", r#"{"sink": [1, NaN, -Infinity]}"#)).expect("a row").heads;
    assert_eq!(heads["sink"], [Some(1.0), None, None]);
}

#[test]
fn an_error_names_the_field_what_was_found_and_what_is_allowed() {
    for (line, expected) in [
        (with("step", "-1"), "`step` is -1, but it must be a whole number that is at least 0"),
        (with("step", "1.5"), "`step` is 1.5, but it must be a whole number that is at least 0"),
        (with("step", "null"), "`step` is null, but it must be a whole number that is at least 0"),
        (with("layer", "3"), "`layer` is 3, but it must be a text that is not empty"),
        (with("map", "\"\""), "`map` is \"\", but it must be a text that is not empty"),
        (with("value", "-2"), "`value` is -2, but it must be a number that is at least 0, or null"),
        (with("value", "\"2\""), "`value` is \"2\", but it must be a number that is at least 0, or null"),
        (
            with("kind", "\"upper\""),
            "`kind` is \"upper\", but it must be one of \"exact\", \"lower bound\", \"estimate\", \"none\"",
        ),
        (with("loss", "[1]"), "`loss` is [1], but it must be a number or null"),
        (with("heads", "3"), "`heads` is 3, but it must be an object { .. }"),
        (
            with("heads", r#"{"sink": [true]}"#),
            "`heads.sink` is [true], but it must be a list of numbers or null, one for each head",
        ),
        (
            ROW.replace("\"step\": 0, ", ""),
            "the key `step` is missing, which must be a whole number that is at least 0",
        ),
        (
            ROW.replace("\"value\": 1.5, ", ""),
            "the key `value` is missing, which must be a number that is at least 0, or null",
        ),
        (with("loss", "1e999"), "it is not JSON: a number is too large (column 112)"),
        (
            with("loss", "1, \"loss\": 2"),
            "it is not JSON: the key `loss` stands twice in one object, and only one can be meant (column 120)",
        ),
    ] {
        assert_eq!(problem(&line).to_string(), expected, "{line}");
    }
    assert!(matches!(problem("[1]"), RowProblem::NotJson { .. }));
    assert_eq!(
        problem(&with("step", "7.5")),
        RowProblem::Wrong { field: "step".into(), found: "7.5".into(), allowed: allowed(&with("step", "null")) }
    );
}

fn allowed(line: &str) -> lipscope_core::experiment::Phrase {
    match problem(line) {
        RowProblem::Wrong { allowed, .. } => allowed,
        other => panic!("{other}"),
    }
}

#[test]
fn an_error_names_its_line_and_its_file() {
    let text = format!("\n{ROW}\n{}\n", with("kind", "3"));
    let error = Run::parse(&text).expect_err("a wrong kind");
    assert!(matches!(error, RunError::Line { line: 3, .. }), "{error}");
    let said = error.in_file("run.jsonl").to_string();
    let expected = "run.jsonl cannot be read: in line 3, `kind` is 3, but it must be one of ";
    assert!(
        said.starts_with(expected) && said.ends_with("Give a log of `lipscope.torch.Monitor` (a `.jsonl` file)."),
        "{said}"
    );
    for empty in ["", "\n \n", "{\"format\":\"lipscope-run\",\"version\":1,\"model\":\"m\",\"fingerprint\":\"f\"}\n"] {
        assert_eq!(Run::parse(empty), Err(RunError::NoRows));
    }
}

#[test]
fn a_last_line_that_is_not_whole_is_left_out() {
    let whole = Run::parse(&format!("{ROW}\n")).expect("a run");
    for cut in [1, 20, ROW.len() - 1] {
        assert_eq!(Run::parse(&format!("{ROW}\n{}", &ROW[..cut])), Ok(whole.clone()), "{cut}");
        assert!(Run::parse(&format!("{ROW}\n{}\n", &ROW[..cut])).is_err(), "{cut}");
    }
    // A file that is no log at all is an error, though it has one line.
    assert!(Run::parse("step,loss").is_err());
    assert_eq!(Run::parse(ROW).expect("a run").rows().len(), 1);
}

#[test]
fn lines_may_end_and_begin_as_editors_write_them() {
    let text = format!("\u{feff}{ROW}\r\n\r\n{}\r\n", with("step", "2.0"));
    assert_eq!(Run::parse(&text).expect("a run").steps(), [0, 2]);
}

#[test]
fn a_header_says_what_was_measured_and_stands_first() {
    let header = Header {
        model: "Gpt".into(),
        fingerprint: "ab".into(),
        maps: vec!["block".into()],
        columns: vec!["sink".into()],
        every: Some(100),
    };
    let line = header.to_line();
    assert!(line.starts_with(r#"{"format":"lipscope-run","version":1,"model":"Gpt","#), "{line}");
    let log = format!("{line}\n{ROW}\n");
    assert_eq!(Run::parse(&log).expect("a run").header(), Some(&header));
    let twice = Run::parse(&format!("{log}{log}")).expect_err("two logs");
    assert_eq!(twice, RunError::Line { line: 3, problem: RowProblem::SecondHeader });
    let newer = Run::parse(&log.replace("\"version\":1", "\"version\":2, \"new\":[]")).expect_err("a newer log");
    assert_eq!(newer.to_string(), "in line 1, `version` is 2, but it must be 1, the only version");
    let other = Run::parse(&log.replace("lipscope-run", "other")).expect_err("another format");
    assert_eq!(other.to_string(), "in line 1, `format` is \"other\", but it must be one of \"lipscope-run\"");
    // A later program of the same version may add keys.
    assert_eq!(
        Run::parse(&log.replace("\"version\":1", "\"version\":1,\"new\":[]")).expect("a run").header(),
        Some(&header)
    );
    let irregular = Header { every: None, ..header };
    assert_eq!(Run::parse(&format!("{}\n{ROW}", irregular.to_line())).expect("a run").header(), Some(&irregular));
}

#[test]
fn a_reader_takes_lines_one_at_a_time() {
    let mut reader = RunReader::new();
    for step in 0..3 {
        reader.read_line(&with("step", &step.to_string())).expect("a row");
    }
    let run = reader.finish().expect("a run");
    assert_eq!((run.steps().len(), run.rows()[0].kind), (3, Kind::LowerBound));
    assert_eq!(RunReader::new().finish(), Err(RunError::NoRows));
}
