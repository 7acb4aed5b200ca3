//! No upper number is below the norm, over drawn experiments of every variant that reach the edges of what attention computes
//! (`tests/kit/src/extreme.rs`). 1,000 of them are compared with norms of more than 60 digits (`tests/kit/src/precise`).
//!
//! `LIPSCOPE_SEED=7` draws other experiments, `LIPSCOPE_CASES=200000` more of them. What fails is made small and written to
//! `target/upper_numbers`. `LIPSCOPE_WRITE_RATIOS=1` writes the largest ratios into docs/reliability.md.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{Experiment, InputError};
use lipscope_core::random::{Random, Stream};
use lipscope_testkit::dice::Dice;
use lipscope_testkit::extreme::{extreme, features};
use lipscope_testkit::precise::{Real, precise_norm};
use lipscope_testkit::shrink::shrink;
use lipscope_testkit::upper_numbers::{By, Checked, Fault, check_upper_numbers, faults_against, upper_values};
use lipscope_testkit::{in_repository, ratios};
use rayon::prelude::*;
use serde_json::{Value, json};

/// How many experiments are drawn, and every which one is compared with the reference.
const CASES: u64 = 20_000;
const COMPARED: u64 = 20;

/// Whether an experiment is compared with the reference, which takes longer than the rest.
#[derive(Clone, Copy)]
enum Reference {
    Compared,
    Skipped,
}

/// The faults of an experiment file, measured densely and by iteration; none for a file that is not read.
fn faults(file: &Value, reference: Reference) -> Outcome {
    let mut outcome = Outcome::default();
    let Ok(experiment) = Experiment::from_value(file.clone()) else { return outcome };
    let precise = match reference {
        Reference::Compared => precise_norm(&experiment).expect("tokens and weights fit"),
        Reference::Skipped => None,
    };
    for by in By::ALL {
        match check_upper_numbers(&experiment, by) {
            Ok(checked) => {
                outcome.measured += 1;
                outcome.ratios.extend(checked.ratios);
                outcome.faults.extend(checked.faults);
                // The sign of such a score, and with it the derivative, is not known in f64.
                if let Some(precise) = precise.as_ref().filter(|precise| precise.nearest_kink > 1e-12) {
                    outcome.compared += 1;
                    outcome.faults.extend(faults_against(&checked.found, by, precise));
                }
            }
            Err(problem) => outcome.refused.push(format!("{problem:?}")),
        }
    }
    outcome
}

#[derive(Default)]
struct Outcome {
    measured: usize,
    compared: usize,
    refused: Vec<String>,
    ratios: Vec<(String, f64)>,
    faults: Vec<Fault>,
}

fn of_environment(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")),
        Err(_) => default,
    }
}

#[test]
fn no_upper_number_is_below_the_norm_over_twenty_thousand_extreme_experiments() {
    let (seed, cases) = (of_environment("LIPSCOPE_SEED", 1), of_environment("LIPSCOPE_CASES", CASES));
    let draw = |number: u64| extreme(&mut Dice::new(seed, number));
    let outcomes: Vec<(u64, Outcome)> = (0..cases)
        .into_par_iter()
        .map(|number| {
            let file = draw(number);
            Experiment::from_value(file.clone()).unwrap_or_else(|problem| panic!("{problem} in {file}"));
            (number, faults(&file, if number % COMPARED == 0 { Reference::Compared } else { Reference::Skipped }))
        })
        .collect();
    let mut worst = Worst::default();
    let (mut measured, mut compared, mut refused) = (0, 0, BTreeMap::<String, usize>::new());
    let mut causes = BTreeMap::<String, Vec<u64>>::new();
    for (number, outcome) in &outcomes {
        measured += outcome.measured;
        compared += outcome.compared;
        for problem in &outcome.refused {
            *refused.entry(problem.split([' ', '{', '(']).next().unwrap_or_default().to_owned()).or_default() += 1;
        }
        if outcome.measured > 0 {
            worst.add(&draw(*number), &outcome.ratios);
        }
        for fault in &outcome.faults {
            causes.entry(fault.cause.clone()).or_default().push(*number);
        }
    }
    println!("{measured} measured, {compared} compared, refused: {refused:?}");
    worst.all.iter().for_each(|(name, ratio)| ratios::record("upper_numbers", &format!("norm / {name}"), *ratio));
    let examples: Vec<(&String, u64)> =
        causes.iter().flat_map(|(cause, numbers)| numbers.iter().take(2).map(move |number| (cause, *number))).collect();
    let reports: Vec<String> =
        examples.into_par_iter().map(|(cause, number)| report((seed, number), &draw(number), cause)).collect();
    let count = |(cause, numbers): (&String, &Vec<u64>)| {
        let mut counts = BTreeMap::<&str, usize>::new();
        for number in numbers {
            let experiment = Experiment::from_value(draw(*number)).expect("valid");
            features(&experiment).into_iter().for_each(|feature| *counts.entry(feature).or_default() += 1);
        }
        let mut shared: Vec<(&str, usize)> = counts.into_iter().collect();
        shared.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let most: Vec<String> = shared.iter().take(6).map(|(feature, count)| format!("{feature} {count}")).collect();
        format!("{}: {cause} ({})", numbers.len(), most.join(", "))
    };
    let counts: Vec<String> = causes.iter().map(count).collect();
    let told = format!("{}\n{}", counts.join("\n"), reports.join("\n"));
    assert!(causes.is_empty(), "seed {seed}\n{told}");
    if std::env::var_os("LIPSCOPE_WRITE_RATIOS").is_some() {
        worst.write((seed, cases));
    }
    assert!(measured as u64 > cases && compared as u64 > cases / COMPARED, "{measured} {compared}");
}

/// The columns of the table of gaps, 1 - norm/bound: bounds at the tokens, on the ball, and `upper` of an iteration.
const COLUMNS: [&str; 5] = ["local", "local_blocks", "local_token", "ball", "upper"];
const BEGIN: &str = "<!-- upper numbers: written by LIPSCOPE_WRITE_RATIOS=1 -->";
const END: &str = "<!-- upper numbers: end -->";

/// The largest ratio of the norm to each upper number: over all experiments, and over those with each feature.
#[derive(Default)]
struct Worst {
    all: BTreeMap<String, f64>,
    by_feature: BTreeMap<&'static str, (usize, BTreeMap<&'static str, f64>)>,
}

impl Worst {
    fn add(&mut self, file: &Value, found: &[(String, f64)]) {
        let experiment = Experiment::from_value(file.clone()).expect("it was measured");
        for (name, ratio) in found {
            let largest = self.all.entry(name.clone()).or_default();
            *largest = largest.max(*ratio);
        }
        for feature in features(&experiment) {
            let (count, columns) = self.by_feature.entry(feature).or_default();
            *count += 1;
            for (name, ratio) in found {
                if let Some(column) = column(name) {
                    let largest = columns.entry(column).or_default();
                    *largest = largest.max(*ratio);
                }
            }
        }
    }

    /// Puts the table into docs/reliability.md.
    fn write(&self, (seed, cases): (u64, u64)) {
        let mut table =
            format!("{cases} experiments of seed {seed}.\n\n| experiments with | count | {} |\n", COLUMNS.join(" | "));
        table += &format!("| --- | ---: |{}\n", " ---: |".repeat(COLUMNS.len()));
        for (feature, (count, columns)) in &self.by_feature {
            let cells =
                COLUMNS.map(|column| columns.get(column).map_or(String::new(), |ratio| format!("{:.1e}", 1.0 - ratio)));
            table += &format!("| {feature} | {count} | {} |\n", cells.join(" | "));
        }
        let path = in_repository("docs/reliability.md");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let (before, rest) = text.split_once(BEGIN).expect("a place for the table");
        let (_, after) = rest.split_once(END).expect("the end of the table");
        std::fs::write(&path, format!("{before}{BEGIN}\n{table}{END}{after}"))
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}

fn column(name: &str) -> Option<&'static str> {
    match name {
        "upper by exact" | "norms of blocks" | "max_token" | "probable" | "certified" => None,
        _ if name.starts_with("upper by") => Some("upper"),
        _ => Some(COLUMNS.into_iter().find(|column| *column == name).unwrap_or("ball")),
    }
}

/// A small file with the same fault, which is also written into a folder.
fn report((seed, number): (u64, u64), file: &Value, cause: &str) -> String {
    let needs_reference = cause.contains("true norm") || cause.contains("is off");
    let reference = if needs_reference { Reference::Compared } else { Reference::Skipped };
    let fault_of = |file: &Value| faults(file, reference).faults.into_iter().find(|fault| fault.cause == cause);
    let small = shrink(file, |file| fault_of(file).is_some());
    let numbers = fault_of(&small).map(|fault| fault.numbers).unwrap_or_default();
    let experiment = Experiment::from_value(small.clone()).expect("valid");
    let truth = precise_norm(&experiment).expect("fits").map(|precise| precise.value());
    let folder: PathBuf = in_repository("target/upper_numbers");
    std::fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let words: String = cause.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let path = folder.join(format!("{words}-{seed}-{number}.json"));
    let kept = json!({
        "cause": cause, "numbers": numbers, "truth": truth, "features": features(&experiment), "experiment": small,
    });
    std::fs::write(&path, kept.to_string()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    format!("{cause}: {numbers} (truth {truth:?}) {small}")
}

/// `precise.py` computes the same norms with other software; `kernels.json` has every variant in f64.
#[test]
fn the_reference_agrees_with_two_other_programs() {
    let golden: Value = serde_json::from_str(include_str!("../golden/precise.json")).expect("JSON");
    let mut compared = 0;
    for case in golden["cases"].as_array().expect("cases") {
        let experiment = Experiment::from_value(case["experiment"].clone()).expect("a valid experiment");
        let precise = precise_norm(&experiment).expect("fits").expect("a derivative");
        let expected = case["spectral"].as_str().expect("digits");
        assert!(precise.width() < 1e-60, "{:e}: {case}", precise.width());
        let error = precise.relative_error_of(&Real::from_digits(expected)).abs();
        assert!(error < 1e-46, "{error:e} from {expected}: {case}");
        compared += 1;
    }
    assert!(compared >= 200, "{compared}");
    for case in lipscope_testkit::kernels::kernel_cases() {
        let precise = precise_norm(&case.experiment).expect("fits").expect("a derivative");
        let expected = case.expected["spectral"].as_f64().expect("a number");
        let error = precise.relative_error(expected).abs();
        assert!(error < 1e-12 && precise.width() < 1e-60, "{}: {error:e}, {:e}", case.name, precise.width());
    }
}

/// A file of tests/data/cases/bounds: no upper number is below its norm, and the norm is right, or within what a warning says.
/// `truth` is the norm that was reported, by a complex step in 70 digits, with the relative precision of its text.
fn check_case(name: &str, truth: Option<(f64, f64)>) {
    let path = in_repository("tests/data/cases/bounds").join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let experiment = Experiment::from_value(file.clone()).expect("a valid experiment");
    let is_small = file["tokens"]["rows"].as_array().is_some_and(|rows| rows.len() < 20);
    let precise = is_small.then(|| precise_norm(&experiment).expect("fits").expect("a derivative"));
    if let (Some(precise), Some((truth, digits))) = (&precise, truth) {
        assert!((precise.value() / truth - 1.0).abs() < digits, "{:?} for {truth:?}", precise.value());
    }
    let mut told = Vec::new();
    for by in By::ALL {
        let Checked { found, faults, .. } =
            check_upper_numbers(&experiment, by).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        told.extend(faults);
        if let Some(precise) = &precise {
            told.extend(faults_against(&found, by, precise));
        }
        if let Some((truth, digits)) = truth {
            let allowed = digits.max(found.rounding().unwrap_or(0.0));
            let error = (found.spectral / truth - 1.0).abs();
            assert!(error <= allowed, "{by:?}: {:?} for {truth:?}", found.spectral);
            for upper in upper_values(&found).into_iter().filter(|upper| upper.norm == Norm::Spectral) {
                assert!(upper.value >= truth * (1.0 - digits), "{by:?}: {upper:?} for {truth:?}");
            }
        }
    }
    let told: Vec<String> = told.iter().map(ToString::to_string).collect();
    assert!(told.is_empty(), "{name}:\n{}", told.join("\n"));
}

macro_rules! cases {
    ($($name:ident: $truth:expr,)+) => {
        mod reported {
            $(#[test]
            fn $name() {
                super::check_case(stringify!($name), $truth);
            })+

            #[test]
            fn every_file_has_a_test() {
                let files = std::fs::read_dir(super::in_repository("tests/data/cases/bounds")).expect("a folder");
                let mut files: Vec<String> = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned()).collect();
                files.sort();
                assert_eq!(files, [$(concat!(stringify!($name), ".json")),+]);
            }
        }
    };
}

cases! {
    bias_all_plus_1e9: Some((3.337_125_070_11, 2e-12)),
    bias_row_of_finfo_min: Some((3.409_60, 1e-6)),
    bias_row_of_minus_1e9: Some((3.289_592_941_77, 2e-12)),
    bias_without: Some((3.409_60, 1e-6)),
    cap_1e308: None,
    certified_ulp: None,
    cosine_output_cancels: None,
    keys_1e308: None,
    l2_cap1_offset_1e10: Some((1.0660, 5e-5)),
    l2_cap_offset_1e8: Some((1.069_586_2, 5e-8)),
    l2_far_query_near_keys: None,
    l2_window_150: Some((1.156_204, 5e-7)),
    l2_window_untied: Some((1.314_032, 5e-7)),
    linear_underflow: Some((26.5289, 5e-6)),
    local_lost_cap: None,
    local_lost_differential: None,
    local_lost_sink: Some((std::f64::consts::SQRT_2, 5e-8)),
    local_lost_sink_150: Some((8.660_254, 1e-7)),
    norm_above_local_diff_sink_rope_offset: Some((3.2593, 5e-5)),
    norm_above_local_l2_bias_offset: Some((4.683_616, 5e-7)),
    sigmoid_near_one: None,
    sink_offset_1e4: Some((1.120_339_27, 5e-9)),
    value_norm_layer_huge: None,
    value_norm_layer_zero: None,
    value_norm_one_token: Some((7.999_999_52e-9, 2e-9)),
    value_norm_rank_one: Some((2.173_240_757_484e-11, 1e-12)),
    value_norm_short_l2: None,
    value_norm_short_sigmoid: None,
    value_norm_window_of_one: None,
    value_norm_zero_by_cancellation: None,
}

/// The powers of two that tables of an experiment are multiplied by.
#[derive(Clone, Copy, Debug, Default)]
struct Exponents {
    tokens: i32,
    queries: i32,
    keys: i32,
    values: i32,
    output: i32,
}

/// The same experiment with all values multiplied by t has t times the Jacobian, so t times each upper number, also where
/// squares of values underflow or overflow. With tokens multiplied by t, and Q and K divided by it, the Jacobian is the
/// same; where scores are products of queries and keys, it is also if Q is multiplied by t and K divided by it. An upper
/// number may use another formula there, which is less narrow, or be absent.
#[test]
fn upper_numbers_of_tables_of_any_size_are_those_of_ordinary_tables_scaled() {
    let variants = [
        json!({}),
        json!({"mask": "causal"}),
        json!({"attention": "l2"}),
        json!({"attention": "l2", "mask": {"kind": "prefix", "length": 2}}),
        json!({"attention": "cosine"}),
        json!({"attention": "linear"}),
        json!({"weighting": {"kind": "sigmoid"}}),
        json!({"weighting": {"kind": "softmax", "sink": 0.5}}),
        json!({"score": {"softcap": 2.0}}),
    ];
    // Few tokens and dimensions; more dimensions than rows of the matrices; many tokens.
    let shapes = [(5, 3, 1, 2, None), (5, 4, 2, 2, Some(3)), (3, 9, 1, 2, Some(9)), (24, 4, 2, 3, Some(4))];
    for ((n, d, heads, k, d_out), variant) in
        shapes.into_iter().flat_map(|shape| variants.iter().map(move |v| (shape, v)))
    {
        let mut random = Random::new(n as u64, Stream::Tokens);
        let mut table = |rows: usize, columns: usize, scale: f64| -> Vec<Vec<f64>> {
            (0..rows).map(|_| (0..columns).map(|_| scale * random.normal()).collect()).collect()
        };
        let tokens = table(n, d, 1.0);
        let heads: Vec<[Vec<Vec<f64>>; 3]> =
            (0..heads).map(|_| [table(k, d, 1.0), table(k, d, 1.0), table(k, d, 1.0)]).collect();
        let output = d_out.map(|d_out| table(d_out, k * heads.len(), 1.0));
        let file = |by: Exponents| {
            let times = |table: &Vec<Vec<f64>>, exponent: i32| -> Vec<Vec<f64>> {
                let t = f64::from(exponent).exp2();
                table.iter().map(|row| row.iter().map(|x| t * x).collect()).collect()
            };
            let heads = heads
                .iter()
                .map(|[q, k, v]| json!({"q": times(q, by.queries), "k": times(k, by.keys), "v": times(v, by.values)}));
            let mut weights = json!({"source": "explicit", "heads": heads.collect::<Vec<_>>()});
            if let Some(output) = &output {
                weights["output"] = json!(times(output, by.output));
            }
            let mut file = variant.clone();
            file["tokens"] = json!({"source": "explicit", "rows": times(&tokens, by.tokens)});
            file["weights"] = weights;
            file
        };
        let measured = |exponents: Exponents, by: By| {
            let experiment = Experiment::from_value(file(exponents)).expect("a valid experiment");
            check_upper_numbers(&experiment, by)
        };
        let of_values =
            [(-330, 0), (-500, 0), (-600, 0), (-900, 0), (-1024, 0), (500, 0), (-10, -600), (-450, -450), (400, -950)]
                .map(|(values, output)| Exponents { values, output, ..Exponents::default() });
        let of_tokens = [-560, -400, -200, 200, 400, 540, 560].map(|tokens| Exponents {
            tokens,
            queries: -tokens,
            keys: -tokens,
            ..Exponents::default()
        });
        let of_queries =
            [(0, 540), (0, -540), (0, 400), (450, -420), (-300, 650), (520, -480)].map(|(tokens, queries)| Exponents {
                tokens,
                queries,
                keys: -2 * tokens - queries,
                ..Exponents::default()
            });
        let is_of_products = !["l2", "cosine", "linear"].iter().any(|other| variant["attention"] == **other);
        for by in By::ALL {
            let ordinary = measured(Exponents::default(), by).expect("it can be measured").found;
            let of_products = of_queries.iter().filter(|_| is_of_products);
            for exponents in of_values.iter().chain(&of_tokens).chain(of_products).copied() {
                if exponents.output != 0 && output.is_none() {
                    continue;
                }
                let name = format!("{by:?} {variant}, n = {n}, d = {d}, {exponents:?}");
                let Checked { found, faults, .. } = match measured(exponents, by) {
                    Ok(checked) => checked,
                    // A product on the way to an ordinary number may overflow.
                    Err(InputError::Overflow { .. }) if exponents.keys != 0 => continue,
                    Err(problem) => panic!("{name}: {problem}"),
                };
                assert!(faults.is_empty(), "{name}: {faults:?}");
                let before = |x: f64| x / f64::from(exponents.values).exp2() / f64::from(exponents.output).exp2();
                let error = (before(found.spectral) / ordinary.spectral - 1.0).abs();
                assert!(error < 1e-9, "{name}: {:e}", before(found.spectral));
                let [of_scaled, of_ordinary] = [&found, &ordinary].map(upper_values);
                for upper in of_scaled.iter().filter(|upper| upper.value.is_finite()) {
                    let same = of_ordinary.iter().find(|other| other.name == upper.name);
                    let Some(same) = same.filter(|same| same.value.is_finite()) else { continue };
                    let ratio = before(upper.value) / same.value;
                    assert!((0.8..4.0).contains(&ratio), "{name}: {} is {ratio} times as large", upper.name);
                }
            }
        }
    }
}
