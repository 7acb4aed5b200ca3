//! docs/experiment.schema.json and the parser of experiment files say the same, and docs/experiment.md has the tables
//! that follow from the schema.
//!
//! Keys, limits, words and defaults of each object of the schema are compared with what the parser answers, so that no
//! key can be added on one side alone. What a schema cannot see, such as the shapes of matrices, is in
//! `experiment_errors.rs`, marked.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use jsonschema::Validator;
use lipscope_core::experiment::{Experiment, InputError};
use lipscope_testkit::drawn::drawn;
use lipscope_testkit::drawn_variant::drawn_variant;
use lipscope_testkit::{in_repository, kernels, reference, steps};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const SCHEMA: &str = include_str!("../../docs/experiment.schema.json");

static PARSED: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA).expect("JSON"));
static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| jsonschema::draft202012::new(&PARSED).expect("a schema"));

/// Whether the schema accepts a text; `None` if it is not JSON, about which a schema says nothing.
pub fn accepts(text: &str) -> Option<bool> {
    serde_json::from_str(text).ok().map(|value: Value| VALIDATOR.is_valid(&value))
}

#[track_caller]
fn assert_accepted(value: &Value) {
    let problems: Vec<String> = VALIDATOR.iter_errors(value).map(|problem| problem.to_string()).collect();
    assert!(problems.is_empty(), "{value}\n{}", problems.join("\n"));
}

/// An object of the schema, with a whole experiment that holds its example.
struct Object {
    name: String,
    schema: &'static Map<String, Value>,
    whole: Value,
    /// Where the example is in the experiment.
    pointer: &'static str,
}

impl Object {
    /// The experiment after a change of the object.
    fn with(&self, change: impl FnOnce(&mut Map<String, Value>)) -> Value {
        let mut whole = self.whole.clone();
        let object = whole.pointer_mut(self.pointer).and_then(Value::as_object_mut);
        change(object.unwrap_or_else(|| panic!("{}: nothing at {}", self.name, self.pointer)));
        whole
    }

    fn properties(&self) -> &'static Map<String, Value> {
        self.schema["properties"].as_object().expect("properties")
    }

    fn required(&self) -> Vec<&str> {
        self.schema["required"].as_array().expect("a list").iter().filter_map(Value::as_str).collect()
    }
}

/// Every object of the schema. The compiler does not know of a new one, but `objects` fails without its experiment.
fn objects() -> Vec<Object> {
    let tokens = json!({"source": "explicit", "rows": [[-1], [1], [1]]});
    let plane = json!({"source": "explicit", "rows": [[-1, 0], [1, 0], [1, 1]]});
    let weights = json!({"source": "explicit", "heads": [{"q": [[1]], "k": [[-1]], "v": [[1]]}]});
    let part = |name: &str| {
        let (key, attention) = match name.split('_').next() {
            Some("tokens") => ("/tokens", "dot"),
            Some("weights") if name == "weights_kim" => ("/weights", "l2"),
            Some("weights") => ("/weights", "dot"),
            Some("mask") => ("/mask", "dot"),
            Some("weighting") => ("/weighting", "dot"),
            _ if name == "score" => ("/score", "dot"),
            _ if name == "head" => ("/weights/heads/0", "dot"),
            _ if name == "grouped_head" => ("/weights/heads/0", "dot"),
            _ if name == "kv_head" => ("/weights/kv_heads/0", "dot"),
            Some("qk") => ("/score/qk_norm", "dot"),
            Some("rope") => ("/score/rope", "dot"),
            Some("alibi") => ("/score/alibi", "dot"),
            Some("value") => ("/score/value_norm", "dot"),
            _ => panic!("no experiment holds an example of {name}"),
        };
        let mut whole = json!({"attention": attention, "tokens": tokens, "weights": weights, "score": {}});
        if key.contains("heads/") {
            let (grouped, shared) =
                (&PARSED["$defs"]["grouped_head"]["examples"][0], &PARSED["$defs"]["kv_head"]["examples"][0]);
            whole["tokens"] = plane.clone();
            whole["weights"] = match name {
                "head" => json!({"source": "explicit", "heads": [0]}),
                _ => json!({"source": "explicit", "heads": [grouped], "kv_heads": [shared]}),
            };
        }
        if name == "tokens_skew" {
            whole.as_object_mut().expect("an object").remove("weights");
        }
        (key, whole)
    };
    let mut found = vec![Object {
        name: "experiment".into(),
        schema: PARSED.as_object().expect("an object"),
        whole: PARSED["examples"][0].clone(),
        pointer: "",
    }];
    for (name, schema) in PARSED["$defs"].as_object().expect("definitions") {
        if schema["type"] != "object" {
            continue;
        }
        let (pointer, mut whole) = part(name);
        let (parent, key) = pointer.rsplit_once('/').expect("a key");
        let example = schema["examples"][0].clone();
        match whole.pointer_mut(parent).expect("a parent") {
            Value::Array(list) => list[key.parse::<usize>().expect("an index")] = example,
            parent => parent[key] = example,
        }
        found.push(Object { name: name.clone(), schema: schema.as_object().expect("an object"), whole, pointer });
    }
    assert!(found.len() > 20, "{} objects", found.len());
    found
}

fn parsed(value: &Value) -> Result<Experiment, InputError> {
    Experiment::from_json(&value.to_string())
}

#[track_caller]
fn assert_refused(value: &Value) {
    assert!(parsed(value).is_err(), "the parser accepts {value}");
    assert!(!VALIDATOR.is_valid(value), "the schema accepts {value}");
}

#[test]
fn the_schema_is_one_and_its_examples_are_experiments() {
    assert!(jsonschema::meta::is_valid(&PARSED));
    for object in objects() {
        assert_accepted(&object.whole);
        parsed(&object.whole).unwrap_or_else(|problem| panic!("{}: {problem}", object.name));
    }
}

#[test]
fn every_object_has_the_keys_of_the_parser_and_needs_those_that_the_parser_needs() {
    for object in objects() {
        let unknown = object.with(|object| drop(object.insert("an unknown key".into(), json!(1))));
        assert!(!VALIDATOR.is_valid(&unknown), "{}", object.name);
        let Err(InputError::UnknownKey { expected, .. }) = parsed(&unknown) else { panic!("{unknown} is read") };
        let known: BTreeSet<&str> = expected.split(", ").collect();
        let listed: BTreeSet<&str> = object.properties().keys().map(String::as_str).collect();
        assert_eq!(listed, known, "{}", object.name);
        for key in object.required() {
            let without = object.with(|object| drop(object.remove(key)));
            assert!(matches!(parsed(&without), Err(InputError::MissingKey { .. })), "{}: {key}", object.name);
            assert!(!VALIDATOR.is_valid(&without), "{}: {key}", object.name);
        }
    }
}

#[test]
fn a_key_that_is_left_out_has_the_default_of_the_schema() {
    let mut n_defaults = 0;
    for object in objects() {
        for (key, property) in object.properties() {
            let Some(default) = property.get("default") else { continue };
            let (without, with) = (
                object.with(|object| drop(object.remove(key))),
                object.with(|object| drop(object.insert(key.clone(), default.clone()))),
            );
            assert_accepted(&without);
            assert_eq!(parsed(&without), parsed(&with), "{}: {key}", object.name);
            assert!(parsed(&with).is_ok(), "{}: {key}", object.name);
            n_defaults += 1;
        }
    }
    assert!(n_defaults > 25, "{n_defaults} defaults");
}

#[test]
fn numbers_have_the_limits_of_the_parser() {
    let mut n_limits = 0;
    for object in objects() {
        for (key, property) in object.properties() {
            let whole = property["type"] == "integer";
            let put = |value: Value| {
                let mut whole = object.with(|object| drop(object.insert(key.clone(), value)));
                if key == "cosine_eps" {
                    // It has a kernel of its own, which has no other normaliser.
                    whole["attention"] = json!("cosine");
                    whole["score"].as_object_mut().expect("an object").remove("qk_norm");
                }
                whole
            };
            let accepted = |value: Value| {
                let value = put(value);
                assert_accepted(&value);
                // Other rules may hold there too, such as that a number of heads divides another; this one does not.
                let problem = parsed(&value).err();
                let is_limit = |problem: &InputError| {
                    matches!(problem, InputError::BadValue { .. })
                        || problem.to_string().contains(&format!(".{key}` is "))
                };
                assert!(!problem.as_ref().is_some_and(is_limit), "{value}: {problem:?}");
            };
            if let Some(least) = property.get("minimum") {
                accepted(least.clone());
                let below = least.as_f64().expect("a number") - 1.0;
                assert_refused(&put(if whole { json!(below as i64) } else { json!(below) }));
                n_limits += 1;
            }
            if let Some(least) = property.get("exclusiveMinimum") {
                assert_refused(&put(least.clone()));
                accepted(json!(1e-3));
                n_limits += 1;
            }
            if let Some(most) = property.get("maximum").filter(|most| most.as_u64() != Some(u64::MAX)) {
                // The largest index of shared keys depends on how many are listed.
                if key != "kv" {
                    accepted(most.clone());
                }
                let above = most.as_f64().expect("a number") + 1.0;
                assert_refused(&put(if whole { json!(above as u64) } else { json!(above) }));
                n_limits += 1;
            }
            if whole {
                assert_refused(&put(json!(1.5)));
            }
            if matches!(property["type"].as_str(), Some("integer" | "number" | "boolean" | "array")) {
                assert_refused(&put(json!("a word")));
            }
        }
    }
    assert!(n_limits > 35, "{n_limits} limits");
}

#[test]
fn every_word_of_the_schema_is_read_and_the_parser_knows_no_other() {
    let mut n_words = 0;
    for object in objects() {
        for (key, property) in object.properties() {
            let Some(words) = property.get("enum").and_then(Value::as_array) else { continue };
            let put = |value: &Value| object.with(|object| drop(object.insert(key.clone(), value.clone())));
            for word in words {
                assert_accepted(&put(word));
                // Steps of the example may not go with another kernel: that is no word that is not known.
                assert!(!matches!(parsed(&put(word)), Err(InputError::BadValue { .. })), "{}: {key}", object.name);
            }
            assert_refused(&put(&json!("no word")));
            let Err(InputError::BadValue { expected, .. }) = parsed(&put(&json!("no word"))) else {
                panic!("{}: {key}", object.name)
            };
            let named: Vec<String> =
                expected.to_string().split(" or ").map(|word| word.trim_matches('"').to_owned()).collect();
            let listed: Vec<String> = words.iter().map(|word| word.to_string().trim_matches('"').to_owned()).collect();
            assert_eq!(listed, named, "{}: {key}", object.name);
            n_words += words.len();
        }
    }
    assert!(n_words > 15, "{n_words} words");
}

#[test]
fn each_part_with_a_choice_has_the_forms_of_the_parser() {
    let object = |value: Value| {
        let mut whole = PARSED["examples"][0].clone();
        for (key, part) in value.as_object().expect("an object") {
            whole[key] = part.clone();
        }
        whole
    };
    for (key, chosen) in [("tokens", "source"), ("weights", "source"), ("mask", "kind"), ("weighting", "kind")] {
        let Err(InputError::BadValue { expected, .. }) = parsed(&object(json!({key: {chosen: "no word"}}))) else {
            panic!("{key}")
        };
        let named: BTreeSet<String> =
            expected.to_string().split(" or ").map(|word| word.trim_matches('"').to_owned()).collect();
        let forms = PARSED["$defs"].as_object().expect("definitions").iter();
        let forms = forms.filter(|(name, _)| name.starts_with(&format!("{key}_")));
        let listed: BTreeSet<String> =
            forms.map(|(_, form)| form["properties"][chosen]["const"].as_str().expect("a word").to_owned()).collect();
        assert_eq!(listed, named, "{key}");
    }
    for mask in ["none", "causal"] {
        assert_accepted(&object(json!({"mask": mask})));
        assert!(parsed(&object(json!({"mask": mask}))).is_ok());
    }
}

/// The JSON files of a folder.
fn kept(folder: &str) -> Vec<(String, Value)> {
    let files = fs::read_dir(in_repository(folder)).expect("a folder").flatten().map(|file| file.path());
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).expect("a text");
        (path.display().to_string(), serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path:?}: {e}")))
    };
    files.filter(|path| path.extension().is_some_and(|kind| kind == "json")).map(read).collect()
}

#[test]
fn every_experiment_that_is_kept_is_accepted() {
    let kept = kept("tests/data/cases/experiments");
    assert!(kept.len() >= 40, "{} files", kept.len());
    for (path, value) in &kept {
        assert_eq!(VALIDATOR.is_valid(value), parsed(value).is_ok(), "{path}");
    }
    for case in reference::golden_cases().into_iter().chain(kernels::kernel_cases()) {
        assert_accepted(&case.experiment.to_value());
    }
}

#[test]
fn every_experiment_of_the_documents_is_accepted() {
    let mut n_experiments = 0;
    for file in fs::read_dir(in_repository("docs")).expect("a folder").flatten().map(|file| file.path()) {
        if file.extension().is_none_or(|kind| kind != "md") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a text");
        for block in text.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            // Pieces of an experiment, and settings of an editor, are no experiments; their tests are elsewhere.
            let Ok(value) = serde_json::from_str::<Value>(block) else { continue };
            if value.get("tokens").is_some() {
                assert_accepted(&value);
                parsed(&value).unwrap_or_else(|problem| panic!("{file:?}: {problem}"));
                n_experiments += 1;
            }
        }
    }
    assert!(n_experiments >= 3, "{n_experiments} experiments");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_drawn_experiment_is_accepted(plain in drawn(&["dot", "l2"]), seed in any::<u64>()) {
        assert_accepted(&plain.experiment().to_value());
        let variant = drawn_variant(seed);
        assert_accepted(&variant.file);
        assert_accepted(&variant.experiment.to_value());
        assert_accepted(&steps::combined(seed).to_value());
    }
}

/// What may stand at a key, in words.
fn kind(property: &Value) -> String {
    let limit = |key: &str| property.get(key).and_then(Value::as_f64);
    let list = |values: &[Value]| values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    if let Some(word) = property.get("const") {
        return format!("`{word}`");
    }
    if let Some(words) = property.get("enum").and_then(Value::as_array) {
        return list(words);
    }
    if let Some(name) = property.get("$ref").and_then(Value::as_str) {
        return link(name);
    }
    if let Some(forms) = property.get("oneOf").or_else(|| property.get("anyOf")).and_then(Value::as_array) {
        return forms.iter().map(kind).collect::<Vec<_>>().join(", ");
    }
    match property["type"].as_str() {
        Some("boolean") => "true or false".into(),
        Some("array") => match &property["items"] {
            items if items.get("enum").is_some() => "a list of 0 and 1".into(),
            items if items["type"] == "array" => "rows of 0 and 1".into(),
            items if items["type"] == "number" => "a list of numbers".into(),
            items => format!("a list of {}", kind(items)),
        },
        Some("integer") if limit("maximum") == limit("minimum") => format!("{}", property["minimum"]),
        Some("integer") => match property["maximum"].as_u64() {
            Some(u64::MAX) => "a whole number, up to 2^64 - 1".into(),
            most => format!("a whole number, {} to {}", property["minimum"], most.expect("a limit")),
        },
        Some("number") => match (limit("minimum"), limit("exclusiveMinimum"), limit("maximum")) {
            (None, Some(0.0), None) => "a number above 0".into(),
            (None, Some(0.0), Some(most)) => format!("a number above 0, up to {most}"),
            (Some(0.0), None, None) => "a number, 0 or more".into(),
            (None, None, None) => "a number".into(),
            other => panic!("no words for the limits {other:?}"),
        },
        other => panic!("no words for the type {other:?}"),
    }
}

/// A link to the table of an object: by its word in the file where it is one of several, else by its name.
fn link(reference: &str) -> String {
    let name = reference.trim_start_matches("#/$defs/");
    let form = &PARSED["$defs"][name]["properties"];
    let word = ["source", "kind"].into_iter().find_map(|key| form[key]["const"].as_str());
    match word {
        _ if name == "rows" => name.into(),
        Some(word) => format!("[`{word}`](#{})", anchor(name)),
        None => format!("[{}](#{})", name.replace('_', " "), anchor(name)),
    }
}

/// The anchor of an object's heading.
fn anchor(name: &str) -> String {
    let title = PARSED["$defs"][name]["title"].as_str().expect("a title");
    let kept = title.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect::<String>();
    kept.replace(' ', "-")
}

/// Where a key first stands in a part of the schema's text. The schema lists keys in the order in which they are
/// explained; a map of serde_json has lost it.
fn place(key: &str, part: &str) -> usize {
    part.find(&format!("\"{key}\":")).unwrap_or(part.len())
}

/// JSON on one line, with keys in the order of a text.
fn one_line(value: &Value, part: &str) -> String {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<&String> = object.keys().collect();
            keys.sort_by_key(|key| place(key, part));
            let entry = |key: &&String| format!("\"{key}\": {}", one_line(&object[*key], part));
            format!("{{{}}}", keys.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Value::Array(list) => {
            format!("[{}]", list.iter().map(|value| one_line(value, part)).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// The example of an object and the table of its keys.
fn table(object: &Object) -> String {
    // Definitions are indented by four spaces; the same names stand deeper as keys of other objects.
    let definition = format!("\n    \"{}\": {{", object.name);
    let start = SCHEMA.find(&definition).unwrap_or_default();
    let part = &SCHEMA[start..];
    let example = one_line(&object.schema["examples"][0], &part[part.find("\"examples\"").expect("examples")..]);
    let key = object.pointer.rsplit('/').next().filter(|key| !key.is_empty() && key.parse::<usize>().is_err());
    let example = key.map_or_else(|| example.clone(), |key| format!("\"{key}\": {example}"));
    let mut out = format!(
        "```json\n{example}\n```\n\n| key | what stands there | without it | meaning |\n| --- | --- | --- | --- |\n"
    );
    let mut keys: Vec<&String> = object.properties().keys().collect();
    keys.sort_by_key(|key| place(key, &part[part.find("\"properties\"").expect("properties")..]));
    for key in keys {
        let property = &object.properties()[key];
        let without = match property.get("default") {
            Some(default) => format!("`{default}`"),
            None if object.required().contains(&key.as_str()) => "refused".into(),
            None => String::new(),
        };
        let meaning = property["description"].as_str().expect("a description").replace('|', "\\|");
        out += &format!("| `{key}` | {} | {without} | {meaning} |\n", kind(property));
    }
    out
}

/// docs/experiment.md with its tables as they follow from the schema. They stand between `<!-- keys: NAME -->` and
/// `<!-- end -->`.
fn with_tables(text: &str) -> String {
    let objects = objects();
    let mut parts = text.split("<!-- keys: ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    let mut written = BTreeSet::new();
    for part in parts {
        let (name, rest) = part.split_once(" -->").expect("an end of the comment");
        let after = rest.split_once("<!-- end -->").expect("an end of the table").1;
        let object = objects.iter().find(|object| object.name == name).unwrap_or_else(|| panic!("no object {name}"));
        out += &format!("<!-- keys: {name} -->\n\n{}\n<!-- end -->{after}", table(object));
        assert!(written.insert(name.to_owned()), "{name} stands twice");
    }
    let missing: Vec<&str> =
        objects.iter().map(|object| object.name.as_str()).filter(|name| !written.contains(*name)).collect();
    assert!(missing.is_empty(), "docs/experiment.md has no table of {missing:?}");
    out
}

#[test]
fn the_reference_has_a_table_of_every_object_as_the_schema_says() {
    let path = in_repository("docs/experiment.md");
    let text = fs::read_to_string(&path).expect("the reference");
    let wanted = with_tables(&text);
    if std::env::var_os("LIPSCOPE_WRITE_REFERENCE").is_some() {
        fs::write(path, wanted).expect("a file");
        return;
    }
    assert!(
        text == wanted,
        "the schema has changed; write the tables with: LIPSCOPE_WRITE_REFERENCE=1 cargo test -p lipscope-core --test core the_reference"
    );
}
