//! Tests of `lipscope model` and `lipscope merge` as a user runs them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use lipscope_testkit::in_repository;
use serde_json::Value;

/// A small randomly initialised model.
const SMALL: [&str; 12] =
    ["model", "--weights", "random:gpt2", "--dim", "32", "--depth", "3", "--heads", "4", "--layers", "0,2", "-n"];

fn lipscope(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
    command.current_dir(in_repository("."));
    command.args(arguments);
    command
}

fn small(more: &[&str]) -> Command {
    lipscope(&[&SMALL[..], more].concat())
}

fn run(mut command: Command) -> (String, String) {
    let assert = command.assert().success();
    let output = assert.get_output();
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn problem(command: Command) -> String {
    ended(command, 1)
}

/// Standard error of a run that takes too much memory.
fn refusal(command: Command) -> String {
    ended(command, 3)
}

fn ended(mut command: Command, code: i32) -> String {
    String::from_utf8_lossy(&command.assert().code(code).get_output().stderr).into_owned()
}

#[test]
fn the_built_in_text_is_measured_window_by_window() {
    let (csv, said) = run(small(&["2:8:2", "--windows", "3"]));
    assert!(csv.starts_with("model,text,map,mask,estimator,layer,head,n,window,spectral,released,radius,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 2 * 4 * 3);
    assert!(csv.contains("random:gpt2 32x3x4 seed 0,") && csv.contains(",with-output,causal,both,0,all,2,0,"), "{csv}");
    assert!(said.contains("layer 2, head all: spectral norm = ") && said.contains("released-script"), "{said}");
    let (json, _) = run(small(&["2:8:2", "--windows", "3", "--json"]));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(24));
    assert!(json["fits"][1]["spectral"]["half_width_95"].is_f64());
}

#[test]
fn an_interrupted_run_resumes_and_ends_with_the_same_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, part) = (folder.path().join("whole.csv"), folder.path().join("part.csv"));
    let out = |path: &Path| path.display().to_string();
    run(small(&["2:8:2", "--windows", "3", "-o", &out(&whole)]));
    let text = fs::read_to_string(&whole).expect("written");
    // Some complete lines, and the beginning of another.
    fs::write(&part, &text[..text.len() * 2 / 3]).expect("written");
    run(small(&["2:8:2", "--windows", "3", "-o", &out(&part)]));
    assert_eq!(fs::read_to_string(&part).expect("written"), text);
    let said = problem(small(&["2:8:2", "--windows", "3", "--mask", "none", "-o", &out(&part)]));
    assert!(said.contains("mask") && said.contains("causal"), "{said}");
    assert_eq!(fs::read_to_string(&part).expect("written"), text);
}

#[test]
fn bounds_stand_beside_the_norms_fill_a_table_without_them_and_say_where_they_do_not_apply() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("table.csv").display().to_string();
    let llama = |more: &[&str]| {
        let options =
            ["model", "--weights", "random:llama", "--dim", "32", "--depth", "3", "--heads", "4", "--layers", "0,2"];
        run(lipscope(&[&options[..], &["-n", "2:8:2", "--windows", "2"], more].concat()))
    };
    let (plain, said) = llama(&["-o", &out]);
    assert!(plain.is_empty() && said.contains("lipscope model: Llama, 3 layers, d = 32, 4 heads, RoPE"), "{said}");
    let without = fs::read_to_string(&out).expect("written");
    assert!(!without.contains("local"), "{without}");
    let (fresh, _) = llama(&["--bounds"]);
    llama(&["--bounds", "-o", &out]);
    let filled = fs::read_to_string(&out).expect("written");
    assert_eq!(filled, fresh);
    // A table with bounds is whole for a run that wants none.
    llama(&["-o", &out]);
    assert_eq!(fs::read_to_string(&out).expect("written"), filled);
    let mut rows = csv::Reader::from_reader(filled.as_bytes());
    let header = rows.headers().expect("a header").clone();
    let at = |name: &str| header.iter().position(|known| known == name).expect(name);
    let (norm, bounds) = (at("spectral"), ["local", "local_blocks"].map(at));
    let mut count = 0;
    for row in rows.records() {
        let row = row.expect("a row");
        let number = |column: usize| row[column].parse::<f64>().expect("a number");
        assert!(
            bounds.iter().all(|bound| number(*bound) >= number(norm)) && number(at("local_token")) > 0.0,
            "{row:?}"
        );
        count += 1;
    }
    assert_eq!(count, 16);
    let (block, said) = llama(&["--bounds", "--map", "block"]);
    assert!(said.contains("note: no bounds were computed: they are proved for attention alone"), "{said}");
    assert!(!block.contains("local_blocks"), "{block}");
    lipscope(&["model", "--weights", "random:llama", "--bounds", "--adversarial", "9"]).assert().code(2);
}

#[test]
fn further_columns_stand_in_the_table_by_head_fill_one_without_them_and_say_where_they_do_not_apply() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("table.csv").display().to_string();
    let all = "max_logit,entropy_mean,entropy_min,sink,condition,a_norm,vo_norm";
    run(small(&["2:6:2", "--windows", "2", "-o", &out]));
    assert!(!fs::read_to_string(&out).expect("written").contains("max_logit"));
    let (fresh, said) = run(small(&["2:6:2", "--windows", "2", "--columns", all]));
    assert!(!said.contains("absent"), "{said}");
    run(small(&["2:6:2", "--windows", "2", "--columns", all, "-o", &out]));
    assert_eq!(fs::read_to_string(&out).expect("written"), fresh);
    let (by_head, _) = run(small(&["6", "--windows", "1", "--columns", all, "--head", "each", "--json"]));
    let (together, _) = run(small(&["6", "--windows", "1", "--columns", all, "--json"]));
    let [by_head, together]: [Value; 2] = [by_head, together].map(|text| serde_json::from_str(&text).expect("JSON"));
    let column = |table: &Value, name: &str, layer: u64| -> Vec<f64> {
        let rows = table["rows"].as_array().expect("rows").iter().filter(|row| row["layer"] == layer);
        rows.map(|row| row[name].as_f64().unwrap_or_else(|| panic!("{name} of {row}"))).collect()
    };
    for layer in [0, 2] {
        for (name, of_heads) in [
            ("max_logit", f64::max as fn(f64, f64) -> f64),
            ("entropy_min", f64::min),
            ("sink", f64::max),
            ("a_norm", f64::max),
            ("vo_norm", f64::max),
        ] {
            let heads = column(&by_head, name, layer);
            assert_eq!(heads.len(), 4);
            let (found, expected) =
                (column(&together, name, layer)[0], heads.into_iter().reduce(of_heads).expect("one"));
            assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{name}: {found} for {expected}");
        }
        let heads = column(&by_head, "entropy_mean", layer);
        let mean = heads.iter().sum::<f64>() / 4.0;
        assert!((mean - column(&together, "entropy_mean", layer)[0]).abs() < 1e-12);
        assert!(column(&together, "condition", layer)[0] > 0.0);
    }
    let (mlp, said) = run(small(&["6", "--windows", "1", "--columns", all, "--map", "mlp-residual"]));
    assert!(said.contains("note: max_logit is absent: the map mlp-residual has no attention"), "{said}");
    assert!(mlp.contains(",condition,") && !mlp.contains(",vo_norm,"), "{mlp}");
    let (one, said) = run(small(&["1,2", "--windows", "1", "--columns", "entropy_mean"]));
    assert!(said.contains("note: entropy_mean is absent: the only row of a window of one token sees one"), "{said}");
    assert!(one.lines().next().is_some_and(|header| header.contains("entropy_mean")), "{one}");
    let said = ended(small(&["6", "--columns", "logits"]), 2);
    assert!(said.contains("logits") && said.contains("max_logit"), "{said}");
}

#[test]
fn a_run_over_blocks_resumes_and_its_shards_merge() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let blocks = |more: &[&str]| run(small(&[&["2:8:2", "--windows", "3", "--map", "blocks"], more].concat()));
    blocks(&["-o", &path("whole.csv"), "--svg", &path("whole.svg")]);
    let text = fs::read_to_string(path("whole.csv")).expect("written");
    assert!(text.contains(",blocks,causal,both,2,all,8,2,"), "{text}");
    let svg = fs::read_to_string(path("whole.svg")).expect("written");
    assert!(svg.contains("First blocks together of random:gpt2 32x3x4"), "{svg}");
    fs::write(path("part.csv"), &text[..text.len() / 2]).expect("written");
    blocks(&["-o", &path("part.csv")]);
    assert_eq!(fs::read_to_string(path("part.csv")).expect("written"), text);
    for shard in ["0/2", "1/2"] {
        blocks(&["--shard", shard, "-o", &path(&shard[..1])]);
    }
    let (merged, _) = run(lipscope(&["merge", &path("0"), &path("1")]));
    assert_eq!(merged, text);
    let said = problem(small(&["2:8:2", "--windows", "3", "--map", "block", "-o", &path("part.csv")]));
    assert!(said.contains("map") && said.contains("blocks"), "{said}");
}

#[test]
fn the_mlp_has_no_attention_sink() {
    let (csv, _) = run(small(&["4", "--windows", "1", "--map", "mlp-residual"]));
    let columns: Vec<&str> = csv.lines().nth(1).expect("a row").split(',').collect();
    assert!(!columns[9].is_empty() && columns[12..15].iter().all(|column| column.is_empty()), "{csv}");
}

#[test]
fn a_run_that_would_take_too_much_memory_is_refused_before_the_model_is_drawn() {
    let said = refusal(small(&["2:8:2", "--memory", "1MiB"]));
    assert!(said.contains("The run over the model would take") && said.contains("limit of 1 MiB"), "{said}");
    let said = refusal(lipscope(&["model", "--weights", "random:gpt2", "--dim", "16384", "--heads", "64", "-n", "8"]));
    assert!(said.contains("over the limit of 2 GiB: lower the token dimension d to at most "), "{said}");
    let said = refusal(small(&["100", "--windows", "2", "--adversarial", "10", "--head", "0", "--memory", "1MiB"]));
    assert!(said.contains("The run over the model would take"), "{said}");
    run(small(&["2:8:2", "--windows", "1", "--memory", "256MiB"]));
    // All twelve blocks of GPT-2 take more than this limit.
    let deep =
        ["model", "--weights", "random:gpt2", "--layers", "11", "-n", "256", "--windows", "1", "--memory", "900MiB"];
    let said = refusal(lipscope(&[&deep[..], &["--map", "blocks"]].concat()));
    assert!(said.contains("limit of 900 MiB"), "{said}");
}

#[test]
fn shards_merge_into_the_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (whole, _) = run(small(&["2,5,40", "--windows", "7", "--threads", "1"]));
    for shard in ["0", "1", "2"] {
        let part = path(&format!("{shard}.csv"));
        run(small(&["2,5,40", "--windows", "7", "--shard", &format!("{shard}/3"), "-o", &part]));
    }
    let (merged, said) = run(lipscope(&["merge", &path("0.csv"), &path("2.csv"), &path("1.csv")]));
    assert_eq!(merged, whole);
    assert!(said.contains("(21 windows)"), "{said}");
    let all =
        ["merge", &path("0.csv"), &path("1.csv"), &path("2.csv"), "-o", &path("all.csv"), "--svg", &path("all.svg")];
    run(lipscope(&all));
    let svg = fs::read_to_string(path("all.svg")).expect("written");
    assert!(svg.contains("layer 0: released") && svg.contains("local constant"), "{svg}");
    let changed = fs::read_to_string(path("0.csv")).expect("written").replace(",causal,", ",none,");
    fs::write(path("0.csv"), changed).expect("written");
    let said = problem(lipscope(&["merge", &path("1.csv"), &path("0.csv")]));
    assert!(said.contains("0.csv: its mask") && said.contains("none"), "{said}");
    fs::write(path("junk.csv"), "a,b\n1,2\n").expect("written");
    let said = problem(lipscope(&["merge", &path("junk.csv")]));
    assert!(said.contains("junk.csv") && said.contains("lipscope model"), "{said}");
}

#[test]
fn heads_maps_and_masks_are_chosen() {
    let (csv, _) = run(small(&["4,6,8", "--windows", "1", "--head", "each", "--map", "attention", "--mask", "none"]));
    assert_eq!(csv.lines().count(), 1 + 2 * 3 * 4);
    assert!(csv.contains(",attention,none,both,2,3,8,0,"), "{csv}");
    let (csv, _) = run(small(&["4", "--windows", "1", "--head", "1,3", "--estimator", "released"]));
    let columns: Vec<&str> = csv.lines().nth(1).expect("a row").split(',').collect();
    assert!(columns[9].is_empty() && !columns[10].is_empty(), "{csv}");
}

#[test]
fn heads_are_measured_at_adversarial_tokens_and_their_table_merges() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let arguments = ["4,8,16", "--head", "0,1,2,3", "--adversarial", "60"];
    let weights = ["model", "--weights", "tests/data/models/bert", "--layers", "0", "-n"];
    let (whole, said) = run(lipscope(&[&weights[..], &arguments[..]].concat()));
    assert!(whole.contains(",adversarial:60,attention,none,both,0,3,16,0,"), "{whole}");
    assert!(said.contains(" √n, factor in ["), "{said}");
    for shard in ["0/2", "1/2"] {
        let part = path(&shard[..1]);
        run(lipscope(&[&weights[..], &arguments[..], &["--shard", shard, "-o", &part]].concat()));
    }
    let (merged, _) = run(lipscope(&["merge", &path("0"), &path("1"), "--svg", &path("all.svg")]));
    assert_eq!(merged, whole);
    let said = problem(lipscope(
        &[&["model", "--weights", "tests/data/models/bert", "--layers", "1", "-n"], &arguments[..]].concat(),
    ));
    assert!(said.contains("Layer 1, head 2 has an A without real eigenvalues") && said.contains("head 3: "), "{said}");
    let said = problem(lipscope(&["model", "--weights", "random:gpt2", "--adversarial", "9"]));
    assert!(said.contains("head") && said.contains("each"), "{said}");
    lipscope(&["model", "--weights", "random:gpt2", "--adversarial", "-3"]).assert().code(2);
}

#[test]
fn a_model_folder_is_read_with_its_tokenizer() {
    for (name, map) in [("bert", "attention,none"), ("gpt2", "with-output,causal"), ("distilbert", "attention,none")] {
        let weights = format!("tests/data/models/{name}");
        let measured = ["model", "--weights", &weights, "--layers", "2", "-n", "3,8", "--windows", "2"];
        let (csv, _) = run(lipscope(&measured));
        assert!(csv.contains(map), "{name}: {csv}");
        let expected: Value = serde_json::from_str(
            &fs::read_to_string(in_repository(format!("{weights}/expected.json"))).expect("a file"),
        )
        .expect("JSON");
        let default = map.split(',').next().expect("a word");
        for kind in [default, "attention-residual", "mlp-residual", "block", "blocks"] {
            let (csv, _) = run(lipscope(&[&measured[..], &["--map", kind]].concat()));
            // Window 0 of length 3 begins at token 0, window 1 of length 8 at token 8; both are in the reference.
            for (line, window) in [(1, 0), (4, 1)] {
                let row: Vec<&str> = csv.lines().nth(line).expect("a row").split(',').collect();
                let maps = expected["runs"][0]["windows"][window]["maps"].as_array().expect("a list");
                let at = |m: &&Value| m["layer"] == 2 && m["map"] == kind && m["head"].is_null();
                let reference = maps.iter().find(at).expect("in the reference");
                for (column, key) in [(9, "spectral"), (10, "released")] {
                    let (found, expected) = (row[column].parse::<f64>().expect("a number"), reference[key].as_f64());
                    let error = (found / expected.expect("a number") - 1.0).abs();
                    assert!(error < 1e-6, "{name}, {kind}, {key}: {found} {expected:?}");
                }
            }
        }
    }
}

#[test]
fn special_tokens_stand_around_every_window_where_they_are_asked_for() {
    let bert = |more: &[&str]| {
        lipscope(&[&["model", "--weights", "tests/data/models/bert", "-n", "6", "--windows", "2"], more].concat())
    };
    let (table, _) = run(bert(&["--special", "model"]));
    let (without, _) = run(bert(&[]));
    assert!(table.lines().skip(1).all(|line| line.contains("+2..3,")), "{table}");
    assert!(!without.contains("+2..3") && table.lines().count() == without.lines().count(), "{without}");
    assert!(
        problem(lipscope(&["model", "--weights", "random:gpt2", "--special", "model"])).contains("puts nothing around")
    );
    let short = lipscope(&["model", "--weights", "tests/data/models/bert", "-n", "2", "--special", "model"]);
    assert!(problem(short).contains("above 2"));
}

#[test]
fn impossible_settings_give_an_error_message() {
    for (arguments, word) in [
        (vec!["model", "--weights", "nowhere"], "nowhere"),
        (vec!["model", "--weights", "tests/data/models/bert/model.safetensors"], "Give the folder"),
        (vec!["model", "--weights", "random:mamba"], "random:gpt2"),
        (vec!["model", "--weights", "tests/data/models/bert", "--layers", "7", "-n", "3"], "at most 2"),
        (vec!["model", "--weights", "tests/data/models/bert", "-n", "100"], "positions"),
        (vec!["model", "--weights", "tests/data/models/bert", "--head", "9", "-n", "3"], "head"),
        (vec!["model", "--weights", "random:gpt2", "-n", "900", "--windows", "10"], "9000"),
        (vec!["model", "--weights", "random:gpt2", "--dim", "30", "--heads", "4"], "divisor"),
        (vec!["model", "--weights", "random:gpt2", "-n", "0"], "lengths"),
        (vec!["model", "--weights", "random:gpt2", "--map", "block", "--head", "each", "-n", "3"], "adds all heads"),
        (
            vec!["model", "--weights", "random:gpt2", "--map", "blocks", "--head", "0", "--adversarial", "9"],
            "map attention",
        ),
        (vec!["model", "--weights", "random:gpt2", "--text", "nowhere.txt"], "nowhere.txt"),
    ] {
        let said = problem(lipscope(&arguments));
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
    lipscope(&["model", "--weights", "random:gpt2", "--map", "layer"]).assert().code(2);
    lipscope(&["model", "--weights", "random:gpt2", "--shard", "3/3"]).assert().code(2);
}

const CASES: &str = "tests/data/cases/models";

/// Folders as public bug reports describe them; tests/models/cases.rs has all of them.
#[test]
fn unusual_folders_are_read_and_what_was_guessed_is_said_beside_the_number() {
    let measured = |name: &str, more: &[&str]| {
        let weights = format!("{CASES}/{name}");
        let text = format!("{weights}/text.txt");
        let arguments = ["model", "--weights", &weights, "--text", &text, "-n", "6", "--windows", "1", "--layers", "1"];
        lipscope(&[&arguments[..], &["--estimator", "spectral", "--tolerance", "1e-12"], more].concat())
    };
    let spectral = |csv: &str| -> f64 {
        csv.lines().nth(1).and_then(|row| row.split(',').nth(9)).expect("a row").parse().expect("a number")
    };
    for (name, expected, note) in [
        ("bert_decoder", 2.9109430655871438, ""),
        ("gpt2_sharded", 5.3602055842548895, ""),
        ("gpt2_inv_layer", 4.693547402114016, ""),
        ("gpt2_f64", 5.3602055842548895, "rounded to 32 bits"),
        ("nanogpt_linear", 5.3602055842548895, "a row for each output"),
    ] {
        let (csv, said) = run(measured(name, &[]));
        assert!((spectral(&csv) / expected - 1.0).abs() < 1e-9, "{name}: {csv}");
        assert_eq!(csv.lines().next().is_some_and(|line| line.ends_with(",notes")), !note.is_empty(), "{name}: {csv}");
        assert_eq!(said.contains("lipscope model: note: "), !note.is_empty(), "{name}: {said}");
        assert!(csv.contains(note) && said.contains(note), "{name}: {csv} {said}");
    }
    // A run resumes a table that has notes, and such tables merge.
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("it.csv").display().to_string();
    let (first, _) = run(measured("nanogpt_linear", &[]));
    fs::write(&out, &first).expect("written");
    run(measured("nanogpt_linear", &["-o", &out]));
    assert_eq!(fs::read_to_string(&out).expect("written"), first);
    let (merged, said) = run(lipscope(&["merge", &out]));
    assert!(merged == first && said.contains("lipscope merge: note: the matrices"), "{said}");
    for (name, words) in [
        ("roberta_as_bert", ["architectures", "no class of Bert"]),
        ("bert_relative_key", ["position_embedding_type", "not supported"]),
        ("gpt2_bin_only", ["pytorch_model.bin", "torch.load"]),
    ] {
        let said = problem(measured(name, &[]));
        assert!(words.iter().all(|word| said.contains(word)) && !said.contains("must be"), "{name}: {said}");
    }
}

/// The lines of `lipscope certify --weights` by window, eps/R, head and quantity.
fn certified(csv: &str) -> BTreeMap<[String; 4], f64> {
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("layer,n,window,epsilon_over_r,epsilon,head,quantity,kind,value"));
    let of_line = |line: &str| {
        let parts: Vec<&str> = line.split(',').collect();
        let kinds: &[&str] = match parts[6] {
            "norm" => &["exact", "lower"],
            "found" => &["lower"],
            _ => &["upper"],
        };
        assert!(kinds.contains(&parts[7]), "{line}");
        ([parts[2], parts[3], parts[5], parts[6]].map(str::to_owned), parts[8].parse().expect("a number"))
    };
    lines.map(of_line).collect()
}

#[test]
fn certify_of_a_model_says_of_every_number_what_it_is_and_refuses_what_is_not_proved() {
    let certify = |more: &[&str]| {
        let options = ["certify", "--weights", "random:gpt2", "--dim", "32", "--depth", "3", "--heads", "4"];
        lipscope(&[&options[..], &["--restarts", "1", "--steps", "4", "-e", "1e-3,1e-1"], more].concat())
    };
    let (csv, said) = run(certify(&["--layer", "1", "-n", "6", "--windows", "2"]));
    assert!(said.contains("with-output, at the tokens that the heads see: after the layer's norm"), "{said}");
    let lines = certified(&csv);
    assert_eq!(lines.len(), 2 * (5 + 2 * (3 + 4)), "{csv}");
    for window in ["0", "1"] {
        let at = |eps: &str, head: &str, quantity: &str| {
            let key = [window, eps, head, quantity].map(str::to_owned);
            *lines.get(&key).unwrap_or_else(|| panic!("{key:?} is not in {csv}"))
        };
        for eps in ["0.001", "0.1"] {
            let (bound, found) = (at(eps, "all", "certified"), at(eps, "all", "found"));
            assert!(bound <= at(eps, "all", "certified_added") && found <= bound, "{csv}");
            assert!(found >= at("0.0", "all", "norm"), "{csv}");
            let heads = ["0", "1", "2", "3"].map(|head| (at("0.0", head, "norm"), at(eps, head, "certified")));
            assert!(heads.iter().all(|(norm, bound)| norm <= bound), "{csv}");
        }
        assert!(at("0.001", "all", "certified") < at("0.1", "all", "certified"), "{csv}");
        assert!(at("0.1", "all", "found") > at("0.0", "all", "norm"), "{csv}");
    }
    let said =
        problem(lipscope(&["certify", "--weights", "random:llama", "--dim", "32", "--depth", "3", "--heads", "4"]));
    assert!(said.contains("Llama") && said.contains("RoPE") && said.contains("--bounds"), "{said}");
    let said = problem(certify(&["--map", "block"]));
    assert!(said.contains("The map block has no certified bound"), "{said}");
    let said = problem(certify(&["--layer", "3"]));
    assert!(said.contains("layer"), "{said}");
    lipscope(&["certify", "--weights", "random:gpt2", "experiment.json"]).assert().code(2);
    lipscope(&["certify", "--weights", "random:gpt2", "--rope"]).assert().code(2);
    lipscope(&["certify", "--layer", "1"]).assert().code(2);
}

#[test]
fn the_certified_bounds_of_a_random_model_in_the_documentation_are_those_of_its_command() {
    let page = fs::read_to_string(in_repository("docs/models_reference.md")).expect("the page");
    let options = "-n 32 --epsilon 1e-3,1e-2,1e-1 --restarts 1 --steps 10";
    let command = format!("lipscope certify --weights random:gpt2 --layer 6 --text alice.txt {options} > gpt2-6.csv");
    assert!(page.lines().any(|line| line == command), "{command}");
    let plan = ["certify", "--weights", "random:gpt2", "--layer", "6", "--text", "assets/alice.txt"];
    let (csv, _) = run(lipscope(&[&plan[..], &options.split(' ').collect::<Vec<_>>()].concat()));
    let lines = certified(&csv);
    let at = |eps: &str, head: &str, quantity: &str| lines[&["0", eps, head, quantity].map(str::to_owned)];
    for eps in ["0.001", "0.01", "0.1"] {
        let row = page.lines().find(|row| row.starts_with(&format!("| random GPT-2, 6 | {eps} |"))).expect("a row");
        let found: Vec<f64> = row.split('|').skip(3).filter_map(|cell| cell.trim().parse().ok()).collect();
        let of_heads = (0..12).map(|head| at(eps, &head.to_string(), "certified")).fold(0.0, f64::max);
        // Rounded to three digits; what a search finds may depend on the last digits of its steps.
        let expected = [
            (at("0.0", "all", "norm"), 6e-3),
            (at(eps, "all", "found"), 2e-2),
            (at(eps, "all", "certified"), 6e-3),
            (at(eps, "all", "certified_added"), 6e-3),
            (of_heads, 6e-3),
        ];
        assert_eq!(found.len(), expected.len(), "{row}");
        for (found, (expected, within)) in found.iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < within, "{row}: {expected}");
        }
    }
}

#[test]
fn the_fits_of_random_models_in_the_documentation_are_those_of_its_commands() {
    let read = |path: &str| fs::read_to_string(in_repository(path)).expect(path);
    let page = read("docs/models_reference.md");
    for (family, name) in [("random:gpt2", "GPT-2"), ("random:llama", "Llama")] {
        let options = "--lengths 2:98:x12 --windows 2 --estimator spectral";
        let file = format!("{}-layers.svg", family.replace(':', "-"));
        let command = format!("lipscope model --weights {family} --layers 0,6 --text alice.txt {options} --svg {file}");
        assert!(page.lines().any(|line| line == command), "{command}");
        let figure = read(&format!("docs/figures/{file}"));
        let plan = ["model", "--weights", family, "--layers", "0,6", "--text", "assets/alice.txt"];
        let (_, said) = run(lipscope(&[&plan[..], &options.split(' ').collect::<Vec<_>>()].concat()));
        for layer in ["0", "6"] {
            let line = said.split(&format!("layer {layer}, head all: spectral norm = ")).nth(1).expect(&said);
            let (law, rest) = line.split_once(", exponent ± ").expect(line);
            let (half_width, _) = rest.split_once(',').expect(line);
            let row = page.lines().find(|row| row.starts_with(&format!("| {name}, {layer} |"))).expect("a row");
            assert!(row.ends_with(&format!("| {law} (exponent ± {half_width}) |")), "{row}: {law} ± {half_width}");
            let factor = law.split(' ').next().expect(law);
            assert!(figure.contains(&format!("layer {layer}: ‖J‖: {factor} n")), "{file}: {law}");
        }
    }
}
