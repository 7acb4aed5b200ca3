//! Windows with a model's special tokens against windows of a text that has them already.

use std::fs;

use lipscope_core::measure::UpperNumber;
use lipscope_models::{
    Bounding, Cell, Estimate, Estimators, MapKind, Maps, Opened, PlanText, Shard, SpecialTokens, Tokenizer,
    TokenizerFiles, WeightFiles,
};
use lipscope_testkit::in_repository;

/// A model of tests/data with its tokenizer.
fn opened(name: &str) -> (Opened<&'static [u8]>, Tokenizer) {
    let file = |file: &str| in_repository(format!("tests/data/models/{name}/{file}"));
    let weights: &[u8] = fs::read(file("model.safetensors")).expect("weights").leak();
    let config = fs::read_to_string(file("config.json")).expect("a config");
    let model = Opened::of_files(name, &config, None, WeightFiles::of_one(weights)).expect(name);
    let files = TokenizerFiles::gather(|name| Ok(fs::read_to_string(file(name)).ok())).expect("files");
    (model, Tokenizer::new(&files).expect("a tokenizer"))
}

fn plan(lengths: &str, windows: usize, special: SpecialTokens) -> PlanText {
    PlanText {
        layers: "0,1".into(),
        heads: "all".into(),
        lengths: lengths.into(),
        windows,
        mask: None,
        kind: Some(MapKind::Block),
        estimators: Estimators::Both,
        tolerance: 1e-9,
        bounds: Bounding::Skipped,
        upper: UpperNumber::Skipped,
        statistics: Default::default(),
        special,
    }
}

/// All rows of a plan.
fn rows(model: &mut Opened<&'static [u8]>, plan: &PlanText, ids: &[u32]) -> Vec<(Cell, Estimate)> {
    let plan = plan.plan(model.config()).expect("a plan");
    plan.check(ids.len()).expect("enough text");
    let batches = plan.batches(Shard { index: 0, count: 1 });
    let maps = Maps::new(&plan, model.model(&plan.needs(ids, &batches)).expect("loaded")).expect("layers");
    let mut rows: Vec<_> =
        batches.iter().flat_map(|batch| maps.measure(ids, batch, |_| true).expect("measured")).collect();
    rows.sort_by_key(|(cell, _)| *cell);
    rows
}

#[test]
fn a_window_with_special_tokens_is_the_same_as_one_of_a_text_that_has_them() {
    // BERT has a token before and one after; a Llama, causal, the first token of its config before.
    for (name, before, after) in [("bert", vec![2], vec![3]), ("llama", vec![1], vec![])] {
        let (mut model, tokenizer) = opened(name);
        let special = tokenizer.special_tokens(model.first_token()).expect("some");
        let ids_of = |tokens: &[lipscope_models::SpecialToken]| tokens.iter().map(|token| token.id).collect::<Vec<_>>();
        assert_eq!((ids_of(&special.before), ids_of(&special.after)), (before.clone(), after.clone()), "{name}");
        let ids: Vec<u32> = (0..40).map(|at| 10 + (7 * at * at + 3 * at) % 11).collect();
        let found = rows(&mut model, &plan("4,7,9", 3, special.clone()), &ids);
        assert_eq!(found.len(), 2 * 3 * 3, "{name}");
        for (cell, row) in found {
            let text = special.text_span(cell.n, cell.window);
            let written = [&before[..], &ids[text], &after[..]].concat();
            assert_eq!(written.len(), cell.n);
            let alone = rows(&mut model, &plan(&cell.n.to_string(), 1, SpecialTokens::default()), &written);
            let (_, alone) = alone.into_iter().find(|(at, _)| at.layer == cell.layer).expect("a row");
            let (norm, same) = (row.spectral.expect("asked for").value, alone.spectral.expect("asked for").value);
            assert!((norm / same - 1.0).abs() < 1e-9, "{name}, {cell:?}: {norm} {same}");
            let released = (row.released.expect("asked for"), alone.released.expect("asked for"));
            assert!((released.0 / released.1 - 1.0).abs() < 1e-12, "{name}, {cell:?}: {released:?}");
        }
    }
}

#[test]
fn a_window_of_special_tokens_alone_is_refused() {
    let (model, tokenizer) = opened("bert");
    let special = tokenizer.special_tokens(None).expect("two");
    let said =
        plan("2,5", 1, special).plan(model.config()).expect("a plan").check(100).expect_err("no text").to_string();
    assert!(said.contains("lengths") && said.contains("above 2"), "{said}");
}

#[test]
fn files_that_contradict_each_other_about_the_first_token_are_refused() {
    let tokenizer = |adds: &str, processor: &str| {
        let whole = format!(
            r#"{{"version":"1.0","added_tokens":[],"normalizer":null,"pre_tokenizer":null,"decoder":null,
                "post_processor":{processor},"model":{{"type":"WordLevel","vocab":{{"<s>":0,"a":1}},"unk_token":"a"}}}}"#
        );
        let files =
            TokenizerFiles { tokenizer: Some(whole), config: Some(adds.to_owned()), ..TokenizerFiles::default() };
        Tokenizer::new(&files).expect("a tokenizer")
    };
    let first =
        r#"{"type":"RobertaProcessing","cls":["<s>",0],"sep":["<s>",0],"trim_offsets":true,"add_prefix_space":true}"#;
    let names = |found: SpecialTokens| found.before.into_iter().map(|token| token.name).collect::<Vec<_>>();
    assert_eq!(tokenizer("{}", first).special_tokens(None).map(names), Ok(vec!["<s>".to_owned()]));
    assert_eq!(
        tokenizer(r#"{"add_bos_token":true}"#, first).special_tokens(None).map(names),
        Ok(vec!["<s>".to_owned()])
    );
    let said = tokenizer(r#"{"add_bos_token":false}"#, first).special_tokens(None).expect_err("no or yes").to_string();
    assert!(said.contains("add_bos_token") && said.contains("false"), "{said}");
    // Without a processor the config's first token stands in front, unless the files say that none does.
    assert_eq!(tokenizer("{}", "null").special_tokens(Some(0)).map(names), Ok(vec!["<s>".to_owned()]));
    for none in [
        tokenizer("{}", "null").special_tokens(None),
        tokenizer(r#"{"add_bos_token":false}"#, "null").special_tokens(Some(0)),
    ] {
        assert!(none.expect_err("none").to_string().contains("puts nothing around"));
    }
}
