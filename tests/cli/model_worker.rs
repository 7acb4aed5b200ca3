//! A models' worker, run natively: the same rows as the command line, digit for digit, and a sentence for every error.

use std::collections::BTreeMap;

use lipscope_core::experiment;
use lipscope_core::measure::measure;
use lipscope_models::{
    Cell, DrawnFamily, DrawnModel, Estimate, Heads, LeftOut, MapKind, PlanText, Shard, Sink, Subject, Table,
};
use lipscope_protocol::envelope::{Content, Progress};
use lipscope_protocol::models::{
    AdversarialRequest, Arriving, BatchEvent, BatchPlan, DownloadPlan, Input, MOST_ROWS, ModelEvent, ModelOrigin,
    ModelPlan, TableForm, WindowPlan, command_line,
};

use crate::model_bench::{Bench, Order, TEXT, Watched, files, of_files, on_command_line, plan, rows_of, small};

#[test]
fn a_drawn_model_has_the_command_lines_rows_digit_for_digit() {
    let mut bench = Bench::new(BTreeMap::new());
    let plan = plan("0,2", "2:8:2", 3);
    let table = bench.table(&small(), TEXT, &plan, Order::Backwards).expect("measured");
    let size = ["--weights", "random:gpt2", "--dim", "32", "--depth", "3", "--heads", "4"];
    let of_plan = ["--layers", "0,2", "--lengths", "2:8:2", "--windows", "3"];
    let arguments = [&size[..], &of_plan[..]].concat();
    assert_eq!(bench.write(&table, TableForm::Csv), on_command_line(&arguments));
    let json = [&arguments[..], &["--json"]].concat();
    assert_eq!(bench.write(&table, TableForm::Json), on_command_line(&json));
}

#[test]
fn a_models_files_have_the_command_lines_rows_digit_for_digit() {
    for name in ["bert", "distilbert", "gpt2"] {
        let mut bench = Bench::new(files(name));
        let table = bench.table(&of_files(name), TEXT, &plan("1", "3,8", 2), Order::Forwards).expect("measured");
        let folder = format!("tests/data/models/{name}");
        let arguments = ["--weights", &folder, "--layers", "1", "--lengths", "3,8", "--windows", "2"];
        assert_eq!(bench.write(&table, TableForm::Csv), on_command_line(&arguments), "{name}");
    }
}

#[test]
fn a_model_that_is_read_layer_by_layer_has_the_same_rows_and_no_layer_is_read_twice() {
    let mut gpt2 = files("gpt2");
    let weights = gpt2["model.safetensors"].clone();
    gpt2.insert("model.safetensors".into(), weights.clone());
    let mut bench = Bench::new(gpt2);
    for plan in [plan("2,0", "3,8", 2), PlanText { kind: Some(MapKind::Block), ..plan("1,2", "5", 3) }] {
        let whole = bench.table(&of_files("gpt2"), TEXT, &plan, Order::Forwards).expect("measured");
        weights.reads.borrow_mut().clear();
        let (rows, layers) = bench.by_layer(&of_files("gpt2"), &plan);
        assert_eq!(layers, [0, 1, 2], "each once, in order");
        assert!(rows.is_sorted_by_key(|(cell, _)| cell.layer), "a layer's rows come before the next layer is read");
        let count = rows.len();
        let by_layer: BTreeMap<Cell, Estimate> = rows.into_iter().collect();
        assert_eq!((count, &by_layer), (whole.rows.len(), &whole.rows), "digit for digit");
        let mut tensors = weights.reads.borrow().clone();
        // The first pieces are those of the fingerprints, of which the plan's opening and the run's have one each.
        tensors.retain(|range| range.start >= 100 && range.end - range.start > 1_000);
        tensors.sort_by_key(|range| range.start);
        assert!(!tensors.is_empty() && tensors.windows(2).all(|pair| pair[0] != pair[1]), "{tensors:?}");
    }
}

#[test]
fn windows_with_special_tokens_have_the_command_lines_rows_and_words() {
    let mut bench = Bench::new(files("bert"));
    let special = bench.open(&of_files("bert"), TEXT).expect("opened").special;
    let names: Vec<&str> = special.before.iter().chain(&special.after).map(|token| token.name.as_str()).collect();
    assert_eq!(names, ["[CLS]", "[SEP]"]);
    let plan = PlanText { special, ..plan("1", "5,8", 2) };
    let table = bench.table(&of_files("bert"), TEXT, &plan, Order::Forwards).expect("measured");
    let folder = "tests/data/models/bert";
    let arguments = ["--weights", folder, "--layers", "1", "--lengths", "5,8", "--windows", "2", "--special", "model"];
    assert_eq!(bench.write(&table, TableForm::Csv), on_command_line(&arguments));
    assert!(command_line((&of_files("bert"), None), Input::Text(None), &plan).ends_with("--special model"));
}

#[test]
fn pictures_have_the_command_lines_rows_digit_for_digit() {
    let mut bench = Bench::new(files("vit"));
    let facts = bench.open(&of_files("vit"), TEXT).expect("opened");
    assert_eq!((facts.pictures.as_slice(), facts.ids.len()), (&["image.png".to_owned()][..], 10));
    let table = bench.table(&of_files("vit"), TEXT, &plan("0,1", "10", 1), Order::Forwards).expect("measured");
    let folder = "tests/data/models/vit";
    let arguments = ["--weights", folder, "--image", "tests/data/models/vit/image.png", "--layers", "0,1"];
    assert_eq!(bench.write(&table, TableForm::Csv), on_command_line(&arguments));
    // A window is a picture: no other length gives half of one.
    let said = bench.table(&of_files("vit"), TEXT, &plan("0", "5", 2), Order::Forwards).expect_err("half a picture");
    assert!(said.contains("a window is an image"), "{said}");
    let others = files("vit").into_iter().filter(|(name, _)| name != "image.png").collect();
    let said = Bench::new(others).open(&of_files("vit"), TEXT).expect_err("no picture");
    assert!(said.contains("takes images of 12 x 12"), "{said}");
}

#[test]
fn a_table_of_the_command_line_is_read_back() {
    let text = on_command_line(&["--weights", "tests/data/models/gpt2", "--lengths", "3", "--windows", "2"]);
    let mut bench = Bench::new(BTreeMap::new());
    let [Some(batch)] = &bench.read(&text).expect("a table")[..] else { panic!("a small table comes at once") };
    let table = Arriving::default().take(batch.clone()).expect("the only batch is the last");
    assert_eq!(bench.write(&table, TableForm::Csv), text);
    let problem = bench.read("a,b\n1,2\n").expect_err("no table");
    assert!(problem.contains("a.csv"), "{problem}");
    assert_eq!(bench.read(""), Ok(vec![None]));
}

/// The contents of a run over one batch, if each look at the clock is 40 ms after the last one, and its cells.
fn contents_of_a_batch(of: PlanText) -> (Vec<Content<ModelEvent>>, Vec<Cell>) {
    let mut bench = Bench::new(BTreeMap::new());
    let facts = bench.open(&small(), TEXT).expect("opened");
    let whole = of.plan(&facts.config).expect("a plan");
    let batch = whole.batches(Shard { index: 0, count: 1 }).remove(0);
    let wanted: Vec<Cell> = whole.cells(&batch).collect();
    let job = BatchPlan { origin: small(), plan: of, ids: facts.ids.clone().into(), batch, wanted: wanted.clone() };
    (bench.contents_at(ModelPlan::Batch(job), 40.0), wanted)
}

#[test]
fn rows_come_while_a_window_is_still_measured() {
    let (contents, wanted) = contents_of_a_batch(plan("0,1,2", "12", 1));
    assert!(wanted.len() >= 3, "one window, and a cell for each layer: {wanted:?}");
    let events = contents.into_iter().filter_map(|content| match content {
        Content::Event(event) => Some(event),
        _ => None,
    });
    let events: Vec<ModelEvent> = events.collect();
    assert_eq!(events.len(), 1 + wanted.len(), "an event for each cell: {events:?}");
    assert!(rows_of(&events).iter().map(|(cell, _)| *cell).eq(wanted));
}

#[test]
fn a_window_of_one_layer_tells_how_far_it_is_before_its_row_comes() {
    let (contents, wanted) = contents_of_a_batch(PlanText { heads: "1".into(), ..plan("2", "40", 1) });
    assert_eq!(wanted.len(), 1, "one layer, one head, one window");
    let is_row =
        |content: &Content<ModelEvent>| matches!(content, Content::Event(ModelEvent::Batch(BatchEvent::Rows { .. })));
    let before_the_row = contents.into_iter().take_while(|content| !is_row(content));
    let progress: Vec<Progress> = before_the_row
        .filter_map(|content| match content {
            Content::Progress(progress) => Some(progress),
            _ => None,
        })
        .collect();
    let (layers, steps): (Vec<Progress>, Vec<Progress>) = progress.iter().partition(|at| at.total.is_some());
    assert_eq!(layers.iter().map(|at| (at.done, at.total)).collect::<Vec<_>>(), [1, 2, 3].map(|done| (done, Some(3))));
    assert!(steps.len() > 2 && steps.is_sorted_by_key(|at| at.done), "{steps:?}");
    let residuals: Vec<f64> = steps.iter().filter_map(|at| at.relative_residual).collect();
    assert!(residuals.len() > 1 && residuals[residuals.len() - 1] < residuals[0], "{residuals:?}");
}

/// A table of that many windows of one layer.
fn large(rows: usize) -> Table {
    let sink = Some(Sink { mass: 1.5, token: 0, head: 3 });
    let cell = |window| Cell { layer: 0, heads: Heads::All, n: 2 + window % 7, window };
    let estimate = |window| Estimate {
        spectral: None,
        released: Some(0.1 + window as f64),
        radius: 2.0,
        sink,
        bounds: None,
        upper: None,
        statistics: Default::default(),
    };
    let of = |text: &str| text.to_owned();
    let subject = Subject {
        model: of("many"),
        text: of("00ff"),
        map: of("attention"),
        mask: of("none"),
        estimator: of("released"),
    };
    let rows = (0..rows).map(|window| (cell(window), estimate(window))).collect();
    Table { subject, rows, notes: vec!["the casing was guessed".into()] }
}

#[test]
fn a_large_table_comes_in_batches() {
    let mut bench = Bench::new(BTreeMap::new());
    for rows in [MOST_ROWS, MOST_ROWS + 1, 3 * MOST_ROWS, 10_000] {
        let table = large(rows);
        let batches = bench.read(&table.to_csv().expect("text")).expect("a table");
        assert_eq!(batches.len(), rows.div_ceil(MOST_ROWS));
        let mut arriving = Arriving::default();
        let mut arrived = Vec::new();
        for batch in batches {
            let batch = batch.expect("rows");
            assert!(batch.rows.len() <= MOST_ROWS && arrived.is_empty(), "the last batch was not the last");
            arrived.extend(arriving.take(batch));
        }
        assert_eq!(arrived, [table]);
    }
}

#[test]
fn a_table_with_a_problem_leaves_the_one_before_as_it_is() {
    let before = large(20);
    let mut more = large(40);
    // The last of the rows that both tables have gets another number.
    let cell = *before.rows.last_key_value().expect("rows").0;
    more.rows.get_mut(&cell).expect("the same window").radius = 7.0;
    let mut whole = before.clone();
    let problem = whole.merge("more.csv", more).expect_err("other numbers").to_string();
    assert!(problem.contains("more.csv") && problem.contains("other numbers"), "{problem}");
    assert_eq!(whole, before);
    whole.merge("more.csv", large(40)).expect("the same numbers");
    assert_eq!(whole, large(40));
    // A file with the same window twice.
    let text = before.to_csv().expect("text");
    let last = text.lines().last().expect("a row");
    assert_eq!(Table::parse("twice.csv", &format!("{text}{last}\n")).expect("equal"), Some(before));
    let other = last.replace(",2.0,", ",7.0,");
    let problem = Table::parse("twice.csv", &format!("{text}{other}\n")).expect_err("other numbers").to_string();
    assert!(problem.contains("twice.csv, row 21"), "{problem}");
}

/// The pieces of a large file of weights that are read for its fingerprint: how many, and their bytes.
const FINGERPRINTED: (usize, u64) = (16, 1 << 16);

/// A file of weights in its parts: the header, and the numbers.
fn parts(weights: &[u8]) -> (serde_json::Value, &[u8]) {
    let header_len = u64::from_le_bytes(weights[..8].try_into().expect("eight bytes")) as usize;
    let (header, data) = weights[8..].split_at(header_len);
    (serde_json::from_slice(header).expect("a header"), data)
}

/// The same weights with an additional tensor of `unused` bytes, which no model reads.
fn with_unused_tensor(weights: &[u8], unused: usize) -> Vec<u8> {
    let (mut header, data) = parts(weights);
    header["unused"] =
        serde_json::json!({"dtype": "F32", "shape": [unused / 4], "data_offsets": [data.len(), data.len() + unused]});
    let header = header.to_string().into_bytes();
    [&(header.len() as u64).to_le_bytes(), &header[..], data, &vec![0; unused]].concat()
}

#[test]
fn of_a_file_of_weights_only_what_the_plan_needs_is_read() {
    let mut files = files("gpt2");
    let small = files["model.safetensors"].bytes.to_vec();
    let (header, data) = parts(&small);
    let offset = |tensor: &serde_json::Value, at: usize| tensor["data_offsets"][at].as_u64().unwrap_or(0);
    let largest_tensor = header.as_object().expect("tensors").values().map(|t| offset(t, 1) - offset(t, 0)).max();
    let largest_read = largest_tensor.expect("a tensor").max(2 * header.to_string().len() as u64);
    let large = Watched::new(with_unused_tensor(&small, 8 << 20));
    files.insert("model.safetensors".into(), large.clone());
    let mut bench = Bench::new(files);
    let mut read_by = |layers: &str| -> u64 {
        large.reads.borrow_mut().clear();
        bench.table(&of_files("gpt2"), TEXT, &plan(layers, "3", 1), Order::Forwards).expect("measured");
        let reads = large.reads.borrow();
        let lengths = reads.iter().map(|range| range.end - range.start);
        let (fingerprints, others): (Vec<u64>, Vec<u64>) = lengths.partition(|len| *len == FINGERPRINTED.1);
        assert_eq!(fingerprints.len(), 2 * FINGERPRINTED.0, "once when it is opened, once when it is prepared");
        assert!(others.len() > 10, "a tensor or a row of one at a time, not {others:?}");
        assert!(others.iter().all(|len| *len <= largest_read), "{others:?}, of at most {largest_read} bytes");
        others.iter().sum()
    };
    let (one_layer, three_layers) = (read_by("0"), read_by("2"));
    // The header twice, then the tensors, each once at most.
    let most = data.len() as u64 + 4 * header.to_string().len() as u64;
    assert!(three_layers <= most, "{three_layers} bytes, of at most {most}");
    // Rows of embeddings that lie near each other are read together.
    assert!(3 * one_layer < 2 * three_layers, "{one_layer} bytes for one layer, {three_layers} for three");
}

#[test]
fn the_spans_of_tokens_are_their_texts() {
    let text = "Over the sink, the SINK again.";
    for (name, origin) in [("gpt2", of_files("gpt2")), ("bert", of_files("bert")), ("", small())] {
        let mut bench = Bench::new(if name.is_empty() { BTreeMap::new() } else { files(name) });
        let facts = bench.open(&origin, text).expect("opened");
        assert_eq!(facts.ids.len(), facts.spans.len());
        assert!(facts.spans.iter().all(|(start, end)| text.get(*start..*end).is_some()), "{name}: {:?}", facts.spans);
        let whole: String = facts.spans.iter().map(|(start, end)| &text[*start..*end]).collect();
        assert_eq!(whole.replace(' ', ""), text.replace(' ', ""), "{name}");
        // A letter of several bytes may be several tokens, each of which is the whole letter.
        let text = "Über 你好";
        let facts = bench.open(&origin, text).expect("opened");
        assert!(facts.spans.iter().all(|(start, end)| text.get(*start..*end).is_some()), "{name}: {:?}", facts.spans);
    }
}

/// The biases of a drawn model are zero, so the experiment of a window leaves nothing out, and has the norm that the
/// table gives.
#[test]
fn a_window_is_an_experiment_of_the_same_norm() {
    for (heads, head_text) in [(Heads::All, "all"), (Heads::One(2), "2")] {
        for mask in [experiment::Order::Free, experiment::Order::Causal] {
            let mut bench = Bench::new(BTreeMap::new());
            let plan = PlanText { heads: head_text.into(), mask: Some(mask), tolerance: 1e-10, ..plan("2", "7", 2) };
            let table = bench.table(&small(), TEXT, &plan, Order::Forwards).expect("measured");
            let cell = Cell { layer: 2, heads, n: 7, window: 1 };
            let window = bench.window(&small(), &plan, cell).expect("an experiment");
            assert_eq!(window.left_out, LeftOut::Nothing);
            let found = measure(&window.experiment).expect("measured").spectral;
            let expected = table.rows[&cell].spectral.expect("asked for").value;
            assert!((found / expected - 1.0).abs() < 1e-9, "{heads:?} {mask:?}: {found} {expected}");
        }
    }
}

#[test]
fn a_window_of_a_trained_model_says_what_it_lacks() {
    let mut bench = Bench::new(files("gpt2"));
    let (origin, plan) = (of_files("gpt2"), plan("1", "5", 1));
    let cell = Cell { layer: 1, heads: Heads::All, n: 5, window: 0 };
    assert_eq!(bench.window(&origin, &plan, cell).expect("an experiment").left_out, LeftOut::ScoreBias);
    let problem = bench.window(&origin, &plan, Cell { heads: Heads::One(99), ..cell }).expect_err("no such head");
    assert!(problem.contains("head"), "{problem}");
    let problem = bench.window(&origin, &plan, Cell { window: 100_000, ..cell }).expect_err("no such window");
    assert!(problem.contains("window"), "{problem}");
    let missing = of_files("another");
    let mut bench = Bench::new(BTreeMap::new());
    let window = WindowPlan { origin: missing, plan, ids: vec![1; 5], cell };
    let problem = bench.event(ModelPlan::Window(window)).expect_err("no files");
    assert!(problem.contains("config.json"), "{problem}");
}

#[test]
fn adversarial_tokens_are_the_same_with_and_without_a_prepared_model() {
    let request = |origin: &ModelOrigin| {
        let plan = PlanText { heads: "0,2".into(), ..plan("1", "4,9", 1) };
        ModelPlan::Adversarial(AdversarialRequest { origin: origin.clone(), plan, radius: 1.5 })
    };
    let mut bench = Bench::new(files("gpt2"));
    let (own, other) = (of_files("gpt2"), small());
    let fresh = bench.event(request(&own)).expect("measured");
    let drawn = bench.event(request(&other)).expect("measured");
    bench.table(&own, TEXT, &plan("2", "3", 1), Order::Forwards).expect("prepared");
    assert_eq!(bench.event(request(&own)), Ok(fresh.clone()));
    assert_eq!(bench.event(request(&other)), Ok(drawn.clone()), "the prepared model is another one");
    let ModelEvent::Adversarial(table) = &fresh else { panic!("{fresh:?}") };
    assert_eq!(table.rows.len(), 4, "two heads, two lengths");
    assert_ne!(fresh, drawn);
}

/// The files of a folder of tests/data/cases/models.
fn case(name: &str) -> BTreeMap<String, Watched> {
    let folder = lipscope_testkit::in_repository(format!("tests/data/cases/models/{name}"));
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let read = |entry: std::fs::DirEntry| {
        let bytes = std::fs::read(entry.path()).expect("a file");
        (entry.file_name().to_string_lossy().into_owned(), Watched::new(bytes))
    };
    entries.map(read).collect()
}

#[test]
fn weights_in_several_files_are_read_and_what_was_guessed_is_among_the_facts() {
    let text =
        std::fs::read_to_string(lipscope_testkit::in_repository("tests/data/cases/models/gpt2_sharded/text.txt"));
    let text = text.expect("a text");
    let plan = PlanText { tolerance: 1e-12, ..plan("1", "6", 1) };
    for (name, note) in [("gpt2_sharded", ""), ("nanogpt_linear", "a row for each output")] {
        let mut bench = Bench::new(case(name));
        let facts = bench.open(&of_files(name), &text).expect("opened");
        let notes: Vec<String> = facts.notes.iter().map(ToString::to_string).collect();
        assert!(notes.concat().contains(note) && notes.is_empty() == note.is_empty(), "{notes:?}");
        let table = bench.table(&of_files(name), &text, &plan, Order::Forwards).expect("measured");
        let found = table.rows.values().next().and_then(|row| row.spectral).expect("asked for").value;
        assert!((found / 5.3602055842548895 - 1.0).abs() < 1e-9, "{name}: {found}");
    }
    let mut shards = case("gpt2_sharded");
    shards.remove("model-00002-of-00002.safetensors");
    let said = Bench::new(shards).open(&of_files("it"), &text).expect_err("one is missing");
    assert!(said.contains("model-00002-of-00002.safetensors") && said.contains("all 2 files"), "{said}");
    let said = Bench::new(case("gpt2_bin_only")).open(&of_files("it"), &text).expect_err("no safetensors");
    assert!(said.contains("pytorch_model.bin") && said.contains("torch.load"), "{said}");
}

#[test]
fn a_download_without_a_network_says_so() {
    let plan = DownloadPlan::List { address: "https://example.org/gpt2".into() };
    let problem = Bench::new(BTreeMap::new()).event(ModelPlan::Download(plan)).expect_err("no network");
    assert!(problem.contains("no network"), "{problem}");
}

#[test]
fn whatever_is_wrong_is_a_sentence() {
    let broken = |name: &str, change: &dyn Fn(&mut BTreeMap<String, Watched>)| {
        let mut files = files(name);
        change(&mut files);
        Bench::new(files).table(&of_files(name), TEXT, &plan("2", "3", 1), Order::Forwards).expect_err("broken")
    };
    let put = |files: &mut BTreeMap<String, Watched>, name: &str, bytes: Vec<u8>| {
        files.insert(name.into(), Watched::new(bytes));
    };
    let bytes = |files: &BTreeMap<String, Watched>, name: &str| files[name].bytes.as_ref().clone();
    let of_config = |from: &'static str, to: &'static str| {
        broken("gpt2", &move |files| {
            let config = String::from_utf8(bytes(files, "config.json")).expect("text");
            assert!(config.contains(from), "{config}");
            put(files, "config.json", config.replace(from, to).into_bytes());
        })
    };
    for (problem, word) in [
        (broken("gpt2", &|files| drop(files.remove("config.json"))), "config.json"),
        (broken("gpt2", &|files| drop(files.remove("model.safetensors"))), "model.safetensors"),
        (broken("gpt2", &|files| drop(files.remove("merges.txt"))), "tokenizer"),
        (broken("gpt2", &|files| put(files, "vocab.json", b"{".to_vec())), "vocab.json"),
        (broken("distilbert", &|files| put(files, "tokenizer.json", vec![0xff])), "tokenizer.json"),
        (broken("gpt2", &|files| put(files, "model.safetensors", b"this is no model".to_vec())), "safetensors"),
        (broken("gpt2", &|files| put(files, "model.safetensors", Vec::new())), "safetensors"),
        (
            broken("gpt2", &|files| {
                let whole = bytes(files, "model.safetensors");
                put(files, "model.safetensors", whole[..whole.len() * 2 / 3].to_vec());
            }),
            "cut off",
        ),
        (of_config("\"gpt2\"", "\"deberta\""), "model_type"),
        (of_config("\"n_embd\": 32", "\"n_embd\": 64"), "shape"),
        (of_config("\"n_embd\": 32", "\"n_embd\": \"wide\""), "n_embd"),
    ] {
        assert!(problem.contains(word), "{word}: {problem}");
    }
    let mut bench = Bench::new(BTreeMap::new());
    let problem = bench.table(&small(), TEXT, &plan("7", "3", 1), Order::Forwards).expect_err("three layers");
    assert!(problem.contains("layer"), "{problem}");
    let problem = bench.table(&small(), "Too short.", &plan("0", "50", 1), Order::Forwards).expect_err("short");
    assert!(problem.contains("3 of the 50 tokens"), "{problem}");
}

#[test]
fn a_larger_plan_takes_more_memory() {
    let bytes = |layers: &str, lengths: &str| {
        let origin = DrawnModel { family: DrawnFamily::Gpt2, d: 768, layers: 12, heads: 12, seed: 0 };
        let opened = lipscope_models::Opened::<Watched>::drawn(origin).expect("fits");
        let plan = plan(layers, lengths, 2).plan(opened.config()).expect("a plan");
        // Each thread holds a window.
        lipscope_core::parallel::on_one_thread(|| plan.bytes(opened.config())) as f64
    };
    // Seven layers of GPT-2, the last without its MLP, are 45 M weights, 180 MB; the attention weights of the first six
    // are also held in f64, 113 MB; the map takes 28 MB.
    assert!((2.5e8..5e8).contains(&bytes("6", "98")), "{:e}", bytes("6", "98"));
    assert!(bytes("11", "98") > bytes("6", "98") && bytes("0,6", "98") > bytes("6", "98"));
    assert!(bytes("6", "1000") > bytes("6", "98"));
    assert!(bytes("11", "98") < 1.2e9, "{:e}", bytes("11", "98"));
}
