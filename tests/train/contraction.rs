//! The branches of the contractive kinds are contractions in the l_inf norm.

use lipscope_core::random::{Random, Stream};
use lipscope_train::{Block, Branch, Corpus, Kind, Norms, Plan, PlanFields, Stack, Trainer};
use nalgebra::DMatrix;

use crate::small;

/// The largest absolute row sum of the Jacobian, by central differences.
fn linf_norm(branch: &Branch<'_>, tokens: &DMatrix<f64>) -> f64 {
    let step = 1e-5 * tokens.amax();
    let mut row_sums = vec![0.0; tokens.len()];
    for at in 0..tokens.len() {
        let value = |step: f64| {
            let mut moved = tokens.clone();
            moved[at] += step;
            branch.apply(&moved).expect("finite")
        };
        let column = (value(step) - value(-step)) / (2.0 * step);
        row_sums.iter_mut().zip(column.iter()).for_each(|(sum, entry)| *sum += entry.abs());
    }
    row_sums.into_iter().fold(0.0, f64::max)
}

/// The branches that are contractions.
fn contractions(stack: &Stack) -> Vec<Branch<'_>> {
    let branches = stack.blocks().iter().flat_map(Block::branches);
    branches.filter(|branch| branch.contraction().is_some()).collect()
}

#[test]
fn no_branch_of_a_contraction_stretches_more_than_c_before_during_and_after_training() {
    const SCALES: [f64; 5] = [0.1, 0.5, 1.0, 2.0, 5.0];
    let corpus = Corpus::new(&"the quick brown fox jumps over the lazy dog. ".repeat(20)).expect("a text");
    let mut random = Random::new(1, Stream::Tokens);
    for (kind, norms, expected) in [(Kind::Contractive, Norms::Layer, 2), (Kind::Invertible, Norms::None, 4)] {
        let fields = PlanFields { steps: 40, warm_up: 5, learning_rate: 1e-2, ..(*small::plan(kind, norms)).clone() };
        let plan = Plan::new(fields).expect("a plan");
        let mut run = Trainer::new(plan.clone(), corpus.clone()).expect("a text that is long enough");
        for steps in [0, 20, 40] {
            while run.steps_done() < steps {
                run.step();
            }
            let stack = run.stack();
            let branches = contractions(&stack);
            assert_eq!(branches.len(), expected);
            for branch in branches {
                assert_eq!(branch.contraction(), Some(plan.c));
                for scale in SCALES.into_iter().cycle().take(200) {
                    let tokens = DMatrix::from_fn(plan.width, plan.context, |_, _| scale * random.normal());
                    let norm = linf_norm(&branch, &tokens);
                    let id = branch.id();
                    assert!(norm > 0.0 && norm <= plan.c, "{kind:?} {id}, step {steps}, scale {scale}: {norm}");
                }
            }
        }
    }
}

/// At widely spread tokens the norm is at least a hundredth of its bound, so that the bound says something.
#[test]
fn attention_comes_within_a_factor_of_its_bound() {
    let plan = small::plan(Kind::Contractive, Norms::None);
    let stack = Stack::new(&plan, &small::weights(&plan));
    let branch = Branch::Attention(&stack.blocks()[0].attention);
    let mut random = Random::new(2, Stream::Tokens);
    let drawn = (0..20).map(|_| DMatrix::from_fn(plan.width, plan.context, |_, _| 2.0 * random.normal()));
    let largest = drawn.map(|tokens| linf_norm(&branch, &tokens)).fold(0.0, f64::max);
    // A Lambda that is wrong by a power of the weights would fail this.
    assert!(largest > 0.01 * plan.c && largest <= plan.c, "{largest}");
}
