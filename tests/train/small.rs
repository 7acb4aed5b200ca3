//! Small plans and weights that the tests share.

use lipscope_core::random::{Random, Stream};
use lipscope_train::{Batch, Kind, Norms, Parameters, Plan, PlanFields};

/// Distinct characters of the small models.
pub const VOCABULARY: usize = 7;

/// Every kind with every allowed place of layer norms.
pub fn all_plans() -> Vec<Plan> {
    let choices = Kind::ALL.into_iter().flat_map(|kind| [Norms::Layer, Norms::None].map(|norms| (kind, norms)));
    choices
        .filter(|choice| *choice != (Kind::Invertible, Norms::Layer))
        .map(|(kind, norms)| plan(kind, norms))
        .collect()
}

/// d = 8, 2 heads, 2 blocks, windows of 5 characters.
pub fn plan(kind: Kind, norms: Norms) -> Plan {
    let fields = PlanFields { width: 8, heads: 2, blocks: 2, context: 5, batch: 3, norms, ..PlanFields::of_kind(kind) };
    Plan::new(fields).expect("a plan that fits")
}

/// Initial weights in f64 with noise in every entry, so that no bias is zero and no scale one. Where attention has a
/// step, queries are eight times as large, because a cap is the identity at small scores.
pub fn weights(plan: &Plan) -> Parameters<f64> {
    let mut random = Random::new(11, Stream::TrainedText);
    let mut weights = Parameters::draw(plan, VOCABULARY).to_f64();
    weights.iter_mut().flat_map(|parameter| &mut parameter.values).for_each(|value| *value += 0.1 * random.normal());
    let queries = weights.iter_mut().filter(|parameter| parameter.name.ends_with("attention.query"));
    let factor = if plan.kind.has_step() { 8.0 } else { 1.0 };
    queries.flat_map(|parameter| &mut parameter.values).for_each(|value| *value *= factor);
    weights
}

/// Three windows of drawn characters.
pub fn batch(plan: &Plan) -> Batch {
    let mut random = Random::new(5, Stream::Tokens);
    let text: Vec<u32> = (0..40).map(|_| random.below(VOCABULARY) as u32).collect();
    Batch::new(&text, &[0, 9, 20], plan.context)
}
