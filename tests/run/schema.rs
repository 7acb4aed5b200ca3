//! docs/run.schema.json and the reader say the same, and docs/monitor.md names every key.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use jsonschema::Validator;
use lipscope_run::{Header, Kind, Row, Run};
use lipscope_testkit::in_repository;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const SCHEMA: &str = include_str!("../../docs/run.schema.json");

static PARSED: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA).expect("JSON"));
static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| jsonschema::draft202012::new(&PARSED).expect("a schema"));

/// Whether the reader takes a line, which may be a header or a row.
fn is_read(line: &Value) -> bool {
    let row = json!({"step": 0, "layer": "h", "map": "block", "value": 1, "residual": 0, "kind": "exact"});
    match line.get("format") {
        Some(_) => Run::parse(&format!("{line}\n{row}\n")).is_ok(),
        None => Row::from_line(&line.to_string()).is_ok(),
    }
}

#[track_caller]
fn assert_same(line: &Value, expected: bool) {
    assert_eq!((is_read(line), VALIDATOR.is_valid(line)), (expected, expected), "reader, schema: {line}");
}

fn definition(name: &str) -> &'static Map<String, Value> {
    PARSED["$defs"][name].as_object().expect("a definition")
}

fn example(name: &str) -> Map<String, Value> {
    definition(name)["examples"][0].as_object().expect("an example").clone()
}

fn with(name: &str, key: &str, value: Value) -> Value {
    let mut line = example(name);
    line.insert(key.into(), value);
    line.into()
}

#[test]
fn the_schema_is_one_and_its_examples_have_every_key() {
    assert!(jsonschema::meta::is_valid(&PARSED));
    for name in ["header", "row"] {
        assert_same(&example(name).into(), true);
        let shown: BTreeSet<String> = example(name).keys().cloned().collect();
        let known: BTreeSet<String> =
            definition(name)["properties"].as_object().expect("keys").keys().cloned().collect();
        assert!(known.is_subset(&shown), "{known:?} {shown:?}");
    }
}

#[test]
fn the_schema_has_the_keys_of_the_type() {
    let row: Row = serde_json::from_value(example("row").into()).expect("a row");
    assert_eq!(row.further.keys().collect::<Vec<_>>(), ["loss"], "a key of the schema is no key of the type");
    let written: Value = serde_json::from_str(&row.to_line()).expect("JSON");
    let mut shown = example("row");
    shown.remove("problem");
    assert_eq!(written, Value::from(shown));
    let header: Header = serde_json::from_value(example("header").into()).expect("a header");
    assert_eq!(serde_json::from_str::<Value>(&header.to_line()).expect("JSON"), Value::from(example("header")));
}

#[test]
fn required_keys_are_those_of_the_reader() {
    for name in ["header", "row"] {
        let required: Vec<&str> =
            definition(name)["required"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        for key in example(name).keys().filter(|key| *key != "format") {
            let mut line = example(name);
            line.remove(key);
            assert_same(&line.into(), !required.contains(&key.as_str()));
        }
    }
}

#[test]
fn both_take_and_refuse_the_same_values_of_each_key() {
    let values = [
        json!(null),
        json!(0),
        json!(3),
        json!(2.5),
        json!(4.0),
        json!(-1),
        json!(-0.5),
        json!(1e300),
        json!(9_007_199_254_740_993_u64),
        json!(""),
        json!("block"),
        json!("exact"),
        json!("lower bound"),
        json!("no word"),
        json!(true),
        json!([]),
        json!([1, "a"]),
        json!(["a"]),
        json!({}),
        json!({"sink": [1, null]}),
        json!({"sink": 1}),
        json!({"sink": ["a"]}),
    ];
    let mut n_lines = 0;
    for name in ["header", "row"] {
        for key in example(name).keys().filter(|key| *key != "format") {
            for value in &values {
                let line = with(name, key, value.clone());
                assert_same(&line, VALIDATOR.is_valid(&line));
                n_lines += 1;
            }
        }
    }
    assert!(n_lines > 400, "{n_lines} lines");
    for kind in Kind::ALL {
        assert_same(&with("row", "kind", json!(kind.id())), true);
    }
}

/// The texts of logs that programs wrote, by path.
fn logs() -> Vec<(String, String)> {
    let files = fs::read_dir(in_repository("tests/data/runs")).expect("a folder").flatten().map(|file| file.path());
    let logs = files.filter(|path| path.extension().is_some_and(|kind| kind == "jsonl"));
    logs.map(|path| (path.display().to_string(), fs::read_to_string(&path).expect("a text"))).collect()
}

#[test]
fn every_line_that_the_monitor_wrote_is_valid_and_survives_reading_and_writing() {
    let logs = logs();
    assert!(!logs.is_empty());
    for (path, text) in logs {
        let run = Run::parse(&text).unwrap_or_else(|problem| panic!("{path}: {problem}"));
        let header = run.header().expect("a header").to_line();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        for line in &lines {
            assert_same(line, true);
        }
        assert_eq!(serde_json::from_str::<Value>(&header).expect("JSON"), lines[0], "{path}");
        for (row, line) in run.rows().iter().zip(&lines[1..]) {
            assert_eq!(serde_json::from_str::<Value>(&row.to_line()).expect("JSON"), without_null(line), "{path}");
        }
    }
}

/// A row without the keys that hold null and may be absent.
fn without_null(line: &Value) -> Value {
    let mut line = line.as_object().expect("an object").clone();
    line.retain(|key, value| !value.is_null() || !["condition", "output", "max_logit"].contains(&key.as_str()));
    line.into()
}

#[test]
fn the_document_names_every_key_of_a_row() {
    let text = fs::read_to_string(in_repository("docs/monitor.md")).expect("a text");
    for key in definition("row")["properties"].as_object().expect("keys").keys() {
        assert!(text.contains(&format!("`{key}`")), "docs/monitor.md does not name `{key}`");
    }
    for kind in Kind::ALL {
        assert!(text.contains(&format!("`{}`", kind.id())), "docs/monitor.md does not name the kind {}", kind.id());
    }
}

fn drawn() -> impl Strategy<Value = Row> {
    let number = || prop::option::of(prop::num::f64::POSITIVE | prop::num::f64::ZERO);
    let heads = btree_map("[a-z]{1,3}", vec(number(), 0..3), 0..3);
    let names = ("[a-z.0-9]{1,5}", "[a-z]{1,5}", prop::option::of(".{0,5}"));
    let counts = (0..1u64 << 53, prop::option::of(0..9u64), prop::option::of(0..9u64));
    let further = btree_map("[A-Z]{1,3}", number(), 0..3);
    (counts, names, (number(), number(), number()), prop::sample::select(Kind::ALL.to_vec()), heads, further).prop_map(
        |((step, item, call), (layer, map, problem), (value, residual, sink), kind, heads, further)| Row {
            item,
            call,
            value,
            residual,
            kind,
            sink,
            heads,
            problem,
            further,
            ..Row::new(step, layer, map)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_written_row_is_valid_and_read_as_it_was(row in drawn()) {
        let line = row.to_line();
        prop_assert!(VALIDATOR.is_valid(&serde_json::from_str(&line).expect("JSON")), "{line}");
        prop_assert_eq!(Row::from_line(&line), Ok(row));
    }
}
