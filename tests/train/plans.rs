//! Plans are checked where they are made, and where they are read.

use lipscope_train::{Corpus, Kind, Norms, Plan, PlanFields, Trainer, learning_rate};

fn problem(change: impl FnOnce(&mut PlanFields)) -> String {
    let mut fields = PlanFields::of_kind(Kind::Dot);
    change(&mut fields);
    Plan::new(fields).expect_err("a number that does not fit").to_string()
}

#[test]
fn every_field_says_what_is_wrong_with_it() {
    assert_eq!(problem(|fields| fields.heads = 5), "`heads` is 5, but it must be a divisor of the width 64.");
    assert_eq!(problem(|fields| fields.blocks = 0), "`blocks` is 0, but it must be a whole number from 1 to 64.");
    assert!(problem(|fields| fields.context = 1).starts_with("`context` is 1"));
    assert!(problem(|fields| fields.batch = 0).starts_with("`batch` is 0"));
    assert!(problem(|fields| fields.steps = 0).starts_with("`steps` is 0"));
    assert!(problem(|fields| fields.warm_up = 2001).starts_with("`warm_up` is 2001"));
    assert!(problem(|fields| fields.c = 1.0).starts_with("`c` is 1, but it must be a number above 0 and below 1"));
    assert!(problem(|fields| fields.learning_rate = f64::NAN).starts_with("`learning_rate` is NaN"));
    let said = problem(|fields| (fields.kind, fields.heads) = (Kind::Rope, 64));
    assert!(said.starts_with("`heads` is 64, but it must be at most half of the width"), "{said}");
    let said = problem(|fields| (fields.kind, fields.norms) = (Kind::Invertible, Norms::Layer));
    assert!(said.contains("\"invertible\" has no layer norm") && said.contains("Use \"norms\":\"none\"."), "{said}");
}

#[test]
fn a_plan_read_from_a_file_is_checked_like_any_other() {
    let plan = Plan::new(PlanFields::of_kind(Kind::L2Tied)).expect("a plan");
    let text = serde_json::to_string(&plan).expect("JSON");
    assert!(text.contains("\"kind\":\"l2_tied\"") && text.contains("\"norms\":\"layer\""), "{text}");
    assert_eq!(serde_json::from_str::<Plan>(&text).expect("the same plan"), plan);
    let broken = text.replace("\"heads\":4", "\"heads\":7");
    assert!(serde_json::from_str::<Plan>(&broken).expect_err("7 heads").to_string().contains("`heads` is 7"));
}

#[test]
fn the_learning_rate_rises_then_falls_to_a_tenth() {
    let fields = PlanFields { learning_rate: 0.01, warm_up: 10, steps: 110, ..PlanFields::of_kind(Kind::Dot) };
    let plan = Plan::new(fields).expect("a plan");
    let rate = |step| learning_rate(&plan, step);
    assert!((rate(1) - 0.001).abs() < 1e-15 && (rate(10) - 0.01).abs() < 1e-15);
    assert!((rate(60) - 0.0055).abs() < 1e-12, "{}", rate(60));
    assert!((rate(110) - 0.001).abs() < 1e-15 && (rate(500) - 0.001).abs() < 1e-15);
    assert!((1..10).all(|step| rate(step) < rate(step + 1)) && (10..110).all(|step| rate(step) > rate(step + 1)));
}

#[test]
fn a_model_that_would_take_too_much_memory_is_refused_before_it_is_drawn() {
    let fields = PlanFields { width: 1024, blocks: 64, context: 1024, batch: 1024, ..PlanFields::of_kind(Kind::Dot) };
    let corpus = Corpus::new(&"ab".repeat(10_000)).expect("a text");
    let said = Trainer::new(Plan::new(fields).expect("a plan"), corpus).err().expect("too large").to_string();
    assert!(said.contains("Lower the batch, the context, the width or the number of blocks."), "{said}");
}
