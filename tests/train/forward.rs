//! The network on tensors against the stack in f64, whose attention is the engine's.

use lipscope_core::experiment::Steps;
use lipscope_core::jacobian::dense_jacobian;
use lipscope_core::spectral::singular_values;
use lipscope_train::{Batch, Kind, Norms, Stack, loss, measure_layers};
use serde_json::{Value, json};

use crate::small;

/// The mean cross entropy by the stack.
fn loss_of_stack(stack: &Stack, batch: &Batch, context: usize) -> f64 {
    let mut sum = 0.0;
    for (ids, next) in batch.ids.chunks(context).zip(batch.next.chunks(context)) {
        let logits = stack.logits(ids).expect("finite");
        for (column, next) in logits.column_iter().zip(next) {
            let largest = column.max();
            let of_all = column.iter().map(|logit| (logit - largest).exp()).sum::<f64>().ln() + largest;
            sum += of_all - column[*next as usize];
        }
    }
    sum / batch.ids.len() as f64
}

#[test]
fn every_kind_is_the_attention_of_the_engine() {
    for plan in small::all_plans() {
        let (weights, batch) = (small::weights(&plan), small::batch(&plan));
        let expected = loss_of_stack(&Stack::new(&plan, &weights), &batch, plan.context);
        let found = loss(&plan, &weights, &batch);
        assert!((found - expected).abs() < 1e-12 * expected, "{:?}: {found} against {expected}", plan.kind);
    }
}

/// The fields of an experiment file that say what a kind adds to causal attention.
fn fields_of(kind: Kind, context: usize) -> Value {
    match kind {
        Kind::Dot | Kind::L2 | Kind::L2Tied | Kind::Contractive | Kind::Invertible => json!({"mask": "causal"}),
        Kind::QkNorm => json!({"mask": "causal", "score": {"qk_norm": {"kind": "rms", "eps": 1e-6}}}),
        Kind::Softcap => json!({"mask": "causal", "score": {"softcap": 5.0}}),
        Kind::Sigmoid => {
            json!({"mask": "causal", "weighting": {"kind": "sigmoid", "bias": -(context as f64).ln()}})
        }
        Kind::Rope => json!({
            "mask": "causal", "score": {"rope": {"base": 10_000.0, "fraction": 1.0, "layout": "half"}},
        }),
    }
}

#[test]
fn every_kind_has_the_steps_of_its_definition_and_they_change_the_loss() {
    let plain = small::plan(Kind::Dot, Norms::Layer);
    let batch = small::batch(&plain);
    for kind in Kind::ALL {
        let steps = kind.steps(plain.context);
        let expected = Steps::from_json(&fields_of(kind, plain.context).to_string());
        assert_eq!(expected.as_ref(), Ok(&steps), "{kind:?}");
        assert_eq!(kind.has_step(), steps != Kind::Dot.steps(plain.context), "{kind:?}");
        if kind.has_step() {
            let plan = small::plan(kind, Norms::Layer);
            let weights = small::weights(&plan);
            let (found, without) = (loss(&plan, &weights, &batch), loss(&plain, &weights, &batch));
            assert!((found - without).abs() > 1e-3 * without, "{kind:?}: {found}, without its step {without}");
        }
    }
}

#[test]
fn a_character_has_the_same_logits_in_a_shorter_window() {
    for plan in small::all_plans() {
        let stack = Stack::new(&plan, &small::weights(&plan));
        let window = &small::batch(&plan).ids[..plan.context];
        let (whole, part) = (stack.logits(window).expect("finite"), stack.logits(&window[..3]).expect("finite"));
        let deviation = (whole.columns(0, 3) - part).amax();
        assert!(deviation < 1e-12 * whole.amax(), "{:?}: {deviation}", plan.kind);
    }
}

#[test]
fn a_layers_norm_is_the_largest_singular_value_and_below_its_bound() {
    for plan in small::all_plans() {
        let stack = Stack::new(&plan, &small::weights(&plan));
        let window = &small::batch(&plan).ids[..plan.context];
        let layers = measure_layers(&stack, window).expect("finite");
        assert_eq!(layers.len(), plan.blocks);
        let states = stack.states(window).expect("finite");
        for (found, (block, tokens)) in layers.iter().zip(stack.blocks().iter().zip(states.iter().step_by(2))) {
            let branch = &block.attention;
            let jacobian = dense_jacobian(&branch.forward(&branch.inputs(tokens)).expect("finite")) * branch.factor();
            let exact = singular_values(&jacobian).expect("it converges")[0];
            let kind = plan.kind;
            assert!((found.norm - exact).abs() < 1e-8 * exact, "{kind:?}: {} against {exact}", found.norm);
            assert!(found.residual < 1e-4 && found.norm <= found.bound, "{kind:?}: {found:?}");
            let row_sums = jacobian.row_iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>());
            let linf = row_sums.fold(0.0, f64::max);
            assert_eq!(found.linf_bound.is_some(), kind.is_contraction());
            assert!(found.linf_bound.is_none_or(|bound| linf <= bound), "{kind:?}: {linf} over {:?}", found.linf_bound);
        }
    }
}

#[test]
fn the_nearest_embedding_of_a_character_is_its_own() {
    let plan = &small::all_plans()[0];
    let stack = Stack::new(plan, &small::weights(plan));
    let ids = [3, 0, 6, 6, 1];
    assert_eq!(stack.nearest(&stack.embed(&ids)), ids);
}
