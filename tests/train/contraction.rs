//! The branches of the contractive kinds are contractions in the l_inf norm.

use lipscope_core::random::{Random, Stream};
use lipscope_train::{Branch, Kind, Norms, Stack};
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

#[test]
fn no_branch_of_a_contraction_stretches_more_than_c() {
    let mut random = Random::new(1, Stream::Tokens);
    for (kind, norms, expected) in [(Kind::Contractive, Norms::Layer, 2), (Kind::Invertible, Norms::None, 4)] {
        let plan = small::plan(kind, norms);
        let stack = Stack::new(&plan, &small::weights(&plan));
        let branches: Vec<Branch<'_>> = stack.blocks().iter().flat_map(lipscope_train::Block::branches).collect();
        let contractions: Vec<_> = branches.iter().filter(|branch| branch.contraction().is_some()).collect();
        assert_eq!(contractions.len(), expected);
        for branch in contractions {
            assert_eq!(branch.contraction(), Some(plan.c));
            for scale in [0.1, 0.5, 1.0, 2.0, 5.0] {
                let tokens = DMatrix::from_fn(plan.width, plan.context, |_, _| scale * random.normal());
                let norm = linf_norm(branch, &tokens);
                assert!(norm > 0.0 && norm <= plan.c, "{kind:?} {} at scale {scale}: {norm}", branch.id());
            }
        }
    }
}

/// A wide key and value spread out the scores, so that the bound is tried where it is nearest.
#[test]
fn attention_comes_within_a_factor_of_its_bound() {
    let plan = small::plan(Kind::Contractive, Norms::None);
    let stack = Stack::new(&plan, &small::weights(&plan));
    let branch = Branch::Attention(&stack.blocks()[0].attention);
    let mut random = Random::new(2, Stream::Tokens);
    let drawn = (0..20).map(|_| DMatrix::from_fn(plan.width, plan.context, |_, _| 2.0 * random.normal()));
    let largest = drawn.map(|tokens| linf_norm(&branch, &tokens)).fold(0.0, f64::max);
    // A factor Lambda that is wrong by a power of the weights would fall out of this.
    assert!(largest > 0.01 * plan.c && largest <= plan.c, "{largest}");
}
