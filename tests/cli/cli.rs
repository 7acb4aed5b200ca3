//! Tests of the command line as a user runs it.

use assert_cmd::Command;
use serde_json::Value;

fn lipscope() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("lipscope"))
}

const GOOD: &str =
    r#"{"tokens":{"source":"explicit","rows":[[-1],[1],[1]]},"weights":{"source":"identity","sign":-1}}"#;

#[test]
fn measures_one_experiment_from_standard_input() {
    let output = lipscope().args(["measure", "-"]).write_stdin(GOOD).assert().success().get_output().stdout.clone();
    let result: Value = serde_json::from_slice(&output).expect("one JSON object");
    assert_eq!(result["method"], "dense_svd");
    assert_eq!(result["n"], 3);
    assert_eq!(result["bounds"][0]["id"], "castin_general");
    assert_eq!(result["singular_values"].as_array().map(Vec::len), Some(3));
}

#[test]
fn json_lines_are_answered_in_order_and_a_faulty_line_does_not_stop_the_rest() {
    let lines = format!("{GOOD}\n{{\"tokens\":{{\"source\":\"random\",\"m\":3}}}}\n\n{GOOD}\n");
    let assert = lipscope().arg("measure").write_stdin(lines).assert().code(1);
    let output = assert.get_output();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(problem.starts_with("line 2:") && problem.contains("`tokens.m`"), "{problem}");
}

#[test]
fn a_line_that_is_too_large_is_refused_and_the_lines_after_it_are_answered() {
    let wide =
        r#"{"tokens":{"source":"random","n":16384,"d":1},"weights":{"source":"random","heads":512,"head_dim":16384}}"#;
    // Each thread has buffers of its own, which are counted.
    let lines = format!("{GOOD}\n{wide}\n{GOOD}\n");
    let assert = lipscope().args(["measure", "--threads", "1"]).write_stdin(lines).assert().code(3);
    let output = assert.get_output();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    let problem = String::from_utf8_lossy(&output.stderr);
    let said =
        "line 2: The measurement would take 56 TiB of memory, over the limit of 2 GiB: lower the head dimension.";
    assert_eq!(problem.trim_end(), said);
}

#[test]
fn memory_is_the_limit_of_every_command_that_measures() {
    for command in [
        "measure",
        "sweep",
        "bounds",
        "growth",
        "gap",
        "certify",
        "invert",
        "scale",
        "search",
        "spectrum",
        "estimators",
    ] {
        let output = lipscope().args([command, "--memory", "1MiB"]).write_stdin(RANDOM).assert().code(3);
        let problem = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(problem.contains("of memory, over the limit of 1 MiB"), "{command}: {problem}");
    }
    lipscope().args(["measure", "--memory", "64 MiB"]).write_stdin(RANDOM).assert().success();
    let problem = lipscope().args(["measure", "--memory", "much"]).write_stdin(RANDOM).assert().failure();
    assert!(String::from_utf8_lossy(&problem.get_output().stderr).contains("512MiB, or a number of bytes"));
}

#[test]
fn certify_writes_a_row_for_each_eps_with_every_bound_above_what_is_found() {
    let output = lipscope().args(["certify", "-", "--epsilon", "0,1e-3,1e-1"]).write_stdin(GOOD).assert().success();
    let csv = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("epsilon_over_r,epsilon,certified,local,ball,found"));
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(',').map(|x| x.parse().expect("a number")).collect()).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), [0.0, 1e-3, 1e-1]);
    for row in &rows {
        assert!(row[5] <= row[2] && row[5] <= row[4], "{row:?}");
    }
    assert!(rows[0][5] <= rows[0][3] && rows[1][2] < rows[2][2] && rows[1][5] < rows[2][5], "{csv}");
    let l2 = GOOD.replacen('{', r#"{"attention":"l2","#, 1);
    let problem = lipscope().args(["certify", "-"]).write_stdin(l2).assert().code(1);
    assert!(String::from_utf8_lossy(&problem.get_output().stderr).contains("attention"));
}

#[test]
fn a_pretty_printed_file_is_one_experiment() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("experiment.json");
    let value: Value = serde_json::from_str(GOOD).expect("JSON");
    std::fs::write(&file, serde_json::to_string_pretty(&value).expect("JSON")).expect("written");
    let output = lipscope().arg("measure").arg(&file).assert().success().get_output().stdout.clone();
    assert_eq!(String::from_utf8_lossy(&output).lines().count(), 1);
    std::fs::write(&file, "{\n\"tokens\": [,\n}").expect("written");
    let problem = lipscope().arg("measure").arg(&file).assert().code(1).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&problem).contains("line 2"), "{}", String::from_utf8_lossy(&problem));
}

#[test]
fn tables_are_measured_in_place_of_an_experiment() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.into_os_string().into_string().expect("text")
    };
    let tokens = write("tokens.txt", "tensor([[ 1.0000, -2.5000],\n        [ 0.2500,  3.0000]], dtype=torch.float64)");
    let q = write("q.txt", "array([[1. , 0.5],\n       [0. , 2. ]], dtype=float32)");
    let k = write("k.csv", "0.25,-1\n0.1,0\n");
    let spectral = |arguments: &[&str], text: &str| -> f64 {
        let output = lipscope().arg("measure").args(arguments).write_stdin(text).assert().success();
        let found: Value = serde_json::from_slice(&output.get_output().stdout).expect("JSON");
        found["spectral"].as_f64().expect("a number")
    };
    let file = |weights: &str| {
        format!(r#"{{"tokens":{{"source":"explicit","rows":[[1,-2.5],[0.25,3]]}},"weights":{weights}}}"#)
    };
    let listed = r#"{"source":"explicit","heads":[{"q":[[1,0.5],[0,2]],"k":[[0.25,-1],[0.1,0]],"v":[[1,0],[0,1]]}]}"#;
    let found = spectral(&["--tokens", &tokens, "--q", &q, "--k", &k], "");
    assert_eq!(found, spectral(&["-"], &file(listed)));
    let found = spectral(&["--tokens", &tokens, "--identity", "-1"], "");
    assert_eq!(found, spectral(&["-"], &file(r#"{"source":"identity","sign":-1}"#)));
    for (arguments, part) in [
        (vec!["--tokens", &tokens], "needs weights"),
        (vec!["--tokens", &tokens, "--q", &q], "--k"),
        (vec!["--tokens", &tokens, "--q", &k, "--k", &tokens, "--v", "nowhere.npy"], "nowhere.npy"),
    ] {
        let output = lipscope().arg("measure").args(&arguments).assert().failure().get_output().stderr.clone();
        let said = String::from_utf8_lossy(&output).into_owned();
        assert!(said.contains(part), "{said}");
    }
    let wide = write("wide.csv", "1,2,3\n4,5,6\n");
    let problem = lipscope().args(["measure", "--tokens", &tokens, "--q", &wide, "--k", &wide]).assert().code(1);
    let said = String::from_utf8_lossy(&problem.get_output().stderr).into_owned();
    assert!(said.contains("Q is 2 x 3") && said.contains("dimension 2"), "{said}");
}

#[test]
fn what_was_read_stands_beside_the_number_and_a_question_names_its_options() {
    let cases = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/cases/tables");
    let run = |name: &str, options: &[&str]| {
        let file = cases.join(name);
        let mut command = lipscope();
        command.args(["measure", "--identity", "1", "--tokens"]).arg(file).args(options);
        let output = command.assert().get_output().clone();
        let found = serde_json::from_slice::<Value>(&output.stdout).ok().and_then(|found| found["spectral"].as_f64());
        (found, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let file = r#"{"tokens":{"source":"explicit","rows":[[1,2],[0.5,-1],[-0.25,0.75]]},"weights":{"source":"identity","sign":1}}"#;
    let output = lipscope().arg("measure").write_stdin(file).assert().success();
    let listed: Value = serde_json::from_slice(&output.get_output().stdout).expect("JSON");
    let expected = listed["spectral"].as_f64();
    for (name, told) in [
        ("matlab_literal.txt", "read as 3 tokens in 2 dimensions\n"),
        ("decimal_comma.csv", "read as 3 tokens in 2 dimensions; dropped: header (x, y); read with: decimal commas\n"),
        ("r_write_table.txt", "dropped: header (x, y), row names\n"),
        ("utf16.txt", "read as 3 tokens"),
    ] {
        let (found, said) = run(name, &[]);
        assert_eq!(found, expected, "{name}");
        assert!(said.contains(told), "{name}: {said}");
    }
    let (found, said) = run("pandas_to_csv_numhead.csv", &[]);
    assert!(found.is_none() && said.contains("--header first-row") && said.contains("--header none"), "{said}");
    assert_eq!(run("pandas_to_csv_numhead.csv", &["--header", "first-row"]).0, expected);
    assert!(run("pandas_to_csv_numhead.csv", &["--header", "none"]).1.contains("read as 4 tokens"));
}

#[test]
fn a_missing_file_is_named() {
    let problem = lipscope().args(["measure", "nowhere.json"]).assert().code(1).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&problem).contains("nowhere.json"));
}

const RANDOM: &str = r#"{"tokens":{"source":"random","distribution":"ball","n":9,"d":2,"radius":2,"seed":5},"weights":{"source":"random","head_dim":2}}"#;

#[test]
fn a_sweep_is_the_same_on_one_thread_and_on_all() {
    let sweep = |threads: &str| {
        let arguments = ["sweep", "-n", "2,8,32", "--draws", "3", "--threads", threads];
        lipscope().args(arguments).write_stdin(RANDOM).assert().success().get_output().stdout.clone()
    };
    let table = sweep("1");
    assert_eq!(table, sweep("0"));
    let text = String::from_utf8_lossy(&table);
    assert_eq!(text.lines().count(), 1 + 9);
    assert!(text.starts_with("n,draw,spectral,"), "{text}");
}

#[test]
fn a_large_experiment_is_the_same_on_one_thread_and_on_several() {
    let large = r#"{"tokens":{"source":"random","n":200,"d":48,"radius":2},"weights":{"source":"random","heads":3,"head_dim":16,"output":true}}"#;
    let measure = |threads: &str| {
        let arguments = ["measure", "--threads", threads];
        lipscope().args(arguments).write_stdin(large).assert().success().get_output().stdout.clone()
    };
    let alone = measure("1");
    assert!(alone.len() > 100, "{alone:?}");
    for threads in ["2", "3", "0"] {
        assert_eq!(measure(threads), alone, "--threads {threads}");
    }
}

#[test]
fn every_point_of_a_sweep_can_be_measured_again() {
    let arguments = ["sweep", "-n", "16", "--draws", "2", "--json"];
    let output = lipscope().args(arguments).write_stdin(RANDOM).assert().success().get_output().stdout.clone();
    let sweep: Value = serde_json::from_slice(&output).expect("JSON");
    // Sample 1 is the experiment with the seed increased by one.
    let again = RANDOM.replace("\"seed\":5", "\"seed\":6").replace("\"n\":9", "\"n\":16");
    let output = lipscope().arg("measure").write_stdin(again).assert().success().get_output().stdout.clone();
    let measured: Value = serde_json::from_slice(&output).expect("JSON");
    assert_eq!(sweep["rows"][1]["spectral"], measured["spectral"]);
}

#[test]
fn a_sweep_with_wrong_lengths_says_what_is_accepted() {
    let problem =
        lipscope().args(["sweep", "-n", "2:8"]).write_stdin(RANDOM).assert().code(1).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&problem).contains("first:last:step"));
}

#[test]
fn a_sweep_of_another_norm_names_its_column_and_leaves_too_large_points_empty() {
    let table = |norm: &str| {
        let arguments = ["sweep", "-n", "4,700", "--draws", "1", "--norm", norm];
        let output = lipscope().args(arguments).write_stdin(RANDOM).assert().success().get_output().stdout.clone();
        String::from_utf8_lossy(&output).into_owned()
    };
    for norm in ["linf", "l1", "frobenius", "max_token"] {
        let text = table(norm);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(lines[0][2], norm);
        assert!(lines[1][2].parse::<f64>().is_ok_and(|x| x > 0.0), "{text}");
        assert_eq!(lines[2][2], "", "700 tokens of two numbers are over the dense limit");
    }
}

#[test]
fn bounds_are_listed_over_n_aligned_as_csv_and_as_json() {
    let adversarial =
        r#"{"tokens":{"source":"adversarial","n":64,"radius":3},"weights":{"source":"identity","sign":-1}}"#;
    let at = |text: &str, arguments: &[&str]| {
        let output = lipscope().args(arguments).write_stdin(text).assert().success().get_output().stdout.clone();
        String::from_utf8_lossy(&output).into_owned()
    };
    let run = |arguments: &[&str]| at(adversarial, arguments);
    let table = run(&["bounds", "-n", "1e9"]);
    for number in ["71089.1", "1.83848e9", "9.87421e5", "34859.0"] {
        assert!(table.contains(number), "{number} is missing in\n{table}");
    }
    let csv = run(&["bounds", "-n", "2:1e18:x5", "--csv"]);
    assert!(
        csv.starts_with(
            "n,radius,castin_general,castin_mean_field,sharp,unified,two_tokens,general_token,two_clusters,sink,centre"
        ),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 6);
    // For a large ball some bounds are above the range of f64: JSON has null for them, and their logarithms.
    let large = adversarial.replace("\"radius\":3", "\"radius\":30");
    let json: Value = serde_json::from_str(&at(&large, &["bounds", "-n", "100,1e300", "--json"])).expect("JSON");
    assert_eq!((json["rows"][0]["n"].as_f64(), json["bounds"][2]["id"].as_str()), (Some(100.0), Some("sharp")));
    let bounds = json["bounds"].as_array().expect("a list");
    let mut n_above = 0;
    for (at, row) in json["rows"].as_array().expect("rows").iter().enumerate() {
        for bound in bounds {
            let value = row[bound["id"].as_str().expect("a name")].as_f64();
            match (value, bound["log10"][at].as_f64()) {
                (Some(value), Some(log10)) => assert!((value.log10() - log10).abs() < 1e-9, "{bound}"),
                (None, Some(log10)) => n_above += usize::from(log10 > 308.0),
                (value, None) => assert!(value.is_none_or(|value| value == 0.0), "{bound}"),
            }
        }
    }
    assert!(n_above > 0, "{json}");
    let growth = run(&["growth", "-n", "2,1e9"]);
    let header: Vec<&str> = growth.lines().next().expect("a header").split(',').collect();
    let last: Vec<&str> = growth.lines().last().expect("a row").split(',').collect();
    let cell = |name: &str| last[header.iter().position(|column| *column == name).expect("a column")].parse::<f64>();
    assert!((cell("log10_adversarial_exact").expect("a number") - 34859f64.log10()).abs() < 1e-5);
    assert!(cell("log10_gap").expect("a number") > 0.0);
    for broken in [&["bounds", "-n", "1"][..], &["growth", "-n", "2:3"], &["growth", "--growing-from", "1"]] {
        let problem = lipscope().args(broken).write_stdin(adversarial).assert().code(1).get_output().stderr.clone();
        assert!(String::from_utf8_lossy(&problem).contains("must be"), "{}", String::from_utf8_lossy(&problem));
    }
}

#[test]
fn the_gap_is_written_with_the_digits_of_the_engine() {
    use lipscope_core::experiment::{Experiment, Memory};
    use lipscope_core::gap::{DEFAULT_LENGTHS, DEFAULT_RADII, Gap, GapPlan};
    let run = |more: &[&str]| {
        let output = lipscope().arg("gap").args(more).write_stdin(RANDOM).assert().success();
        String::from_utf8_lossy(&output.get_output().stdout).into_owned()
    };
    let experiment = Experiment::from_json(RANDOM).expect("an experiment");
    let plan = GapPlan { experiment, radii: DEFAULT_RADII.to_vec(), lengths: DEFAULT_LENGTHS.to_vec() };
    let mut gap = Gap::new_within(&plan, Memory::default()).expect("a grid");
    let whole = run(&[]);
    let mut lines = whole.lines();
    assert_eq!(lines.next(), Some("radius,n,lower,lower_bound,upper,upper_bound,ratio,absent"));
    for line in lines {
        let cell = gap.step().expect("a cell for each line");
        let cells: Vec<&str> = line.split(',').collect();
        let numbers = [0, 1, 2, 4, 6].map(|at| cells[at].parse::<f64>().ok());
        let value = |bound: &Option<lipscope_core::bounds::Bound>| bound.as_ref().and_then(|bound| bound.value);
        let expected = [Some(cell.radius), Some(cell.n), value(&cell.lower), value(&cell.upper), cell.ratio()];
        assert_eq!(numbers, expected, "{line}");
    }
    assert_eq!(gap.step(), None);
    // One cell has the digits that it has among all.
    let one = run(&["-n", "1e9", "-R", "1.5"]);
    assert!(whole.lines().any(|line| Some(line) == one.lines().nth(1)), "{one}");
    let l2 = r#"{"attention":"l2","tokens":{"source":"random","n":4,"d":2},"weights":{"source":"identity","sign":1}}"#;
    let output = lipscope().args(["gap", "-n", "2", "-R", "1"]).write_stdin(l2).assert().success();
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(text.ends_with("1.0,2.0,,,7.828427124748584,general,,lower: only for dot-product scores\n"), "{text}");
    for broken in [&["gap", "-R", "0"][..], &["gap", "-R", "a"], &["gap", "-n", "1"]] {
        lipscope().args(broken).write_stdin(RANDOM).assert().code(1);
    }
}

#[test]
fn inverse_scaling_and_tightness_are_written_as_csv() {
    let kim = r#"{"attention":"l2","tokens":{"source":"random","n":16,"d":4},"weights":{"source":"kim","heads":2}}"#;
    let inverse = lipscope().args(["invert", "-c", "0.5"]).write_stdin(kim).assert().success();
    let output = String::from_utf8_lossy(&inverse.get_output().stdout).into_owned();
    assert!(output.starts_with("c,iteration,error,residual,guaranteed\n0.5,0,"), "{output}");
    assert!(String::from_utf8_lossy(&inverse.get_output().stderr).contains("converged"));
    let output = lipscope().args(["scale", "--count", "9"]).write_stdin(RANDOM).assert().success();
    assert_eq!(String::from_utf8_lossy(&output.get_output().stdout).lines().count(), 10);
    assert!(String::from_utf8_lossy(&output.get_output().stderr).contains("slope"));
    // If J is too large for a norm that needs all its entries, the error gives the fix.
    let large = r#"{"tokens":{"source":"random","n":300,"d":8},"weights":{"source":"random","head_dim":8}}"#;
    let problem = lipscope().args(["scale", "--norm", "linf"]).write_stdin(large).assert().code(1);
    assert!(String::from_utf8_lossy(&problem.get_output().stderr).contains("Use fewer tokens"));
    let output = lipscope().args(["tightness", "--most", "30", "--count", "3", "--restarts", "2"]).assert().success();
    assert_eq!(String::from_utf8_lossy(&output.get_output().stdout).lines().count(), 4);
    let layer = r#"{"normalization":"layer","tokens":{"source":"random","n":4,"d":2},"weights":{"source":"random","head_dim":2}}"#;
    for command in ["invert", "scale"] {
        let problem = lipscope().arg(command).write_stdin(layer).assert().code(1).get_output().stderr.clone();
        assert!(String::from_utf8_lossy(&problem).contains("normalization"), "{}", String::from_utf8_lossy(&problem));
    }
}

#[test]
fn a_script_is_written_for_numpy_or_pytorch() {
    let script = |dialect: &str| {
        let output = lipscope().args(["script", dialect, "-"]).write_stdin(GOOD).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).expect("text")
    };
    assert!(script("--numpy").contains("import numpy") && script("--pytorch").contains("import torch"));
    assert!(script("--numpy").contains("X = table([[-1.0], [1.0], [1.0]])"));
    lipscope().arg("script").write_stdin(GOOD).assert().failure();
    let problem = lipscope().args(["script", "--numpy"]).write_stdin("{").assert().code(1).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&problem).contains("JSON"));
}

#[test]
fn a_search_exceeds_six_and_its_file_measures_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("worst.json");
    let adversarial =
        r#"{"tokens":{"source":"adversarial","n":16,"radius":1.5},"weights":{"source":"identity","sign":-1}}"#;
    let arguments = ["search", "--restarts", "3", "--steps", "80", "--out"];
    let assert = lipscope().args(arguments).arg(&file).write_stdin(adversarial).assert().success();
    let output = assert.get_output();
    let table = String::from_utf8_lossy(&output.stdout);
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..6], ["at", "restart", "start", "iteration", "norm", "best"]);
    assert_eq!(rows[1][2], "own");
    let best: f64 = rows.last().and_then(|row| row[5].parse().ok()).expect("a number");
    assert!(best >= 6.007, "{best}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("lower bound found") && said.contains("sharp <= 9.502501"), "{said}");
    let output = lipscope().arg("measure").arg(&file).assert().success().get_output().stdout.clone();
    let measured: Value = serde_json::from_slice(&output).expect("JSON");
    let spectral = measured["spectral"].as_f64().expect("a number");
    assert!((spectral - best).abs() <= 1e-12 * best, "{spectral} for {best}");
}

#[test]
fn a_search_in_json_contains_its_experiment_and_a_normaliser_is_an_error() {
    let arguments = ["search", "--restarts", "1", "--steps", "5", "--on", "sphere", "--json"];
    let output = lipscope().args(arguments).write_stdin(RANDOM).assert().success().get_output().stdout.clone();
    let search: Value = serde_json::from_slice(&output).expect("JSON");
    assert_eq!((search["on"].as_str(), search["rows"].as_array().map(Vec::len)), (Some("sphere"), Some(5)));
    let again = search["experiment"].to_string();
    let output = lipscope().arg("measure").write_stdin(again).assert().success().get_output().stdout.clone();
    let measured: Value = serde_json::from_slice(&output).expect("JSON");
    let (found, again) = (search["lower_bound_found"].as_f64(), measured["spectral"].as_f64());
    assert!(
        found.zip(again).is_some_and(|(found, again)| (found - again).abs() <= 1e-12 * again),
        "{found:?} {again:?}"
    );
    let normalized = RANDOM.replacen('{', r#"{"normalization":"rms","#, 1);
    let problem = lipscope().arg("search").write_stdin(normalized).assert().code(1).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&problem).contains("`normalization`"));
}

#[test]
fn the_spectrum_is_written_as_csv_and_json() {
    let run = |arguments: &[&str], text: &str| {
        let output = lipscope().args(arguments).write_stdin(text).assert().success();
        let (out, err) = (&output.get_output().stdout, &output.get_output().stderr);
        (String::from_utf8_lossy(out).into_owned(), String::from_utf8_lossy(err).into_owned())
    };
    let (csv, said) = run(&["spectrum"], RANDOM);
    assert!(csv.starts_with("index,value,multiplicity,relative_residual,kind\n1,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 18);
    assert!(said.contains("all 18 singular values") && said.contains("takes"), "{said}");
    let large = RANDOM.replace("\"n\":9", "\"n\":400");
    let (json, said) = run(&["spectrum", "--count", "5", "--json"], &large);
    let found: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(found["spectrum"]["levels"].as_array().map(Vec::len), Some(5));
    assert!(said.contains("the leading 5 of 800"), "{said}");
    let measured = lipscope().arg("measure").write_stdin(large).assert().success();
    let measured: Value = serde_json::from_slice(&measured.get_output().stdout).expect("JSON");
    let (first, norm) = (found["rows"][0]["value"].as_f64(), measured["spectral"].as_f64());
    assert!((first.expect("a value") / norm.expect("a value") - 1.0).abs() < 1e-12);
}

#[test]
fn the_estimator_comparison_lists_every_iteration_and_stop() {
    let output = lipscope().args(["estimators", "--preset", "small-gap"]).assert().success();
    let csv = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    assert!(csv.starts_with("estimator,iteration,products,value,relative_error,"), "{csv}");
    for word in ["dense_svd,0,0,", "lanczos,1,2,", "power,1,2,", "absolute_change", "relative_change", "residual"] {
        assert!(csv.contains(word), "{word} is missing");
    }
    let said = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(said.contains("lanczos residual: s_1 = ") && said.contains("s_1 >= "), "{said}");
    let large = RANDOM.replace("\"n\":9", "\"n\":400");
    let problem = lipscope().arg("estimators").write_stdin(large).assert().code(1).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&problem).contains("fewer tokens"));
    let problem = lipscope().args(["estimators", "--tolerance", "0"]).write_stdin(RANDOM).assert().code(1);
    assert!(String::from_utf8_lossy(&problem.get_output().stderr).contains("tolerance"));
}
