//! The terms of the bounds at given tokens for dot-product attention whose rows of weights sum to 1, the special case of
//! [`super::general`] in which the gradient b_i = c K^T q_i does not depend on j.
//!
//! Under row i of P, let C_vv be the covariance of the values and C_vk their covariance with the keys. Then V O_i = c
//! C_vk Q, and the matrix of w_i is V V^T + |b_i|^2 C_vv. With an output matrix V stands for R_h V_h, where R_h is the
//! triangular factor of O_h and ||R_h V_h|| = ||O_h V_h||. The cost per head is O(n^2 r (r + k)), where V has r rows, or
//! O(n^2 d^2) where the code computes covariances of tokens in place of those of values and keys.

use super::dot_head::{BLOCK, DotHead};
use super::rounding::Counts;
use super::rows::HeadSums;
use super::shared::{LocalBuffers, LocalTokens};
use crate::attention::{Forward, Storage};
use crate::parallel::{self, Schedule, Scratch, groups, share};
use crate::weights::Weights;

/// The rows of all heads at a forward pass, some a step. The rows of a head are split into groups; several threads compute the groups, and their results are added in
/// order.
#[derive(Clone, Debug)]
pub(crate) struct DotRows {
    /// The groups of all heads, in order.
    groups: Vec<Group>,
    /// The first group that is not done.
    next: usize,
    buffers: Scratch<Buffers>,
}

/// Consecutive rows of a head, and the bound accumulated over those added so far.
#[derive(Clone, Debug)]
struct Group {
    head_idx: usize,
    head: DotHead,
    next_row: usize,
    end: usize,
}

#[derive(Clone, Debug)]
struct Buffers {
    row: LocalBuffers,
    row_of_p: Vec<f64>,
}

/// Operations per thread and step. In a browser's worker, which handles messages between steps, they take a few
/// milliseconds. Natively they take much longer than waking a thread.
const STEP_OPERATIONS: usize = if cfg!(target_arch = "wasm32") { 10_000_000 } else { 400_000_000 };

impl DotRows {
    /// Prepares the rows at a forward pass.
    pub(crate) fn new(forward: &Forward<f64>, weights: &Weights) -> Self {
        let tokens = forward.normalizer().outputs();
        let local_tokens = LocalTokens::new(forward.normalizer());
        let (n, n_heads) = (forward.n(), weights.heads.len());
        let blocks = n.div_ceil(BLOCK);
        let count = groups(n_heads, blocks);
        let outers: Vec<_> = weights.values_through_output().map(|(outer, _)| outer).collect();
        let d = tokens.nrows() as u64;
        let schedule = Schedule::of(weights.heads.iter().map(|head| 2 * d * head.k.len() as u64).sum());
        let wholes = parallel::map(schedule, n_heads, &|head_idx| {
            let (head, layout) = (&weights.heads[head_idx], &forward.maps[head_idx]);
            DotHead::new(
                layout.kernel.cross,
                &outers[head_idx],
                head,
                &local_tokens,
                Counts { summed: n as f64, rows: n as f64 },
            )
            .with_blocks(tokens.nrows(), n_heads)
            .with_moments()
        });
        let mut all = Vec::with_capacity(n_heads * count);
        for (head_idx, whole) in wholes.into_iter().enumerate() {
            all.extend((0..count).map(|group| {
                let of_group = share(group, count, blocks);
                let rows = of_group.start * BLOCK..n.min(of_group.end * BLOCK);
                Group { head_idx, head: whole.for_rows(rows.len()), next_row: rows.start, end: rows.end }
            }));
        }
        let buffers = Scratch::new(Buffers::of(forward));
        DotRows { groups: all, next: 0, buffers }
    }

    /// Adds some rows; true when all rows are done.
    pub(crate) fn step(&mut self, forward: &Forward<f64>) -> bool {
        let at_once = if parallel::threads() > 1 { self.groups.len() } else { 1 };
        let end = self.groups.len().min(self.next + at_once);
        let buffers = &self.buffers;
        let schedule = Schedule::of((STEP_OPERATIONS * (end - self.next)) as u64);
        parallel::for_each(schedule, &mut self.groups[self.next..end], &|_, group| {
            buffers.with(|| Buffers::of(forward), |buffers| group.step(forward, buffers));
        });
        self.next += self.groups[self.next..end].iter().take_while(|group| group.next_row == group.end).count();
        self.next == self.groups.len()
    }

    /// The heads, after all rows are done.
    pub(crate) fn finish(self) -> Vec<HeadSums> {
        let mut heads: Vec<DotHead> = Vec::new();
        for Group { head_idx, head, .. } in self.groups {
            match heads.get_mut(head_idx) {
                Some(whole) => whole.append(head),
                None => heads.push(head),
            }
        }
        heads.into_iter().map(DotHead::finish).collect()
    }
}

impl Buffers {
    fn of(forward: &Forward<f64>) -> Self {
        Buffers { row: LocalBuffers::default(), row_of_p: forward.row_buffer() }
    }
}

impl Group {
    fn step(&mut self, forward: &Forward<f64>, Buffers { row, row_of_p }: &mut Buffers) {
        let layout = &forward.maps[self.head_idx];
        let most = match forward.storage() {
            Storage::Kept => usize::MAX,
            Storage::Recomputed => forward.rows_a_block(),
        };
        let end = self.next_row + (STEP_OPERATIONS / self.head.operations_a_row().max(1)).max(1);
        while self.next_row < self.end.min(end) {
            if self.next_row.is_multiple_of(BLOCK) {
                self.head.begin_block();
            }
            let at_once = self.head.rows_at_once().map(|rows| rows.min(most));
            let block_end = (self.next_row + 1).next_multiple_of(BLOCK);
            let rows = self.next_row..self.end.min(block_end).min(self.next_row + at_once.unwrap_or(1));
            let reach = forward.reach(&rows);
            let block = forward.rows_of_p(self.head_idx, rows.clone(), row_of_p);
            if at_once.is_some() {
                let queries = forward.projection(&layout.q_rows, rows.clone());
                self.head.take_moments(row, (block.weights, block.stride, reach), queries);
            }
            for (at, i) in rows.clone().enumerate() {
                let masses = &block.weights[at * block.stride..][..forward.reach(&(i..i + 1))];
                let column = forward.projections.column(i);
                let query = &column.as_slice()[layout.q_rows.clone()];
                let taken = at_once.map(|_| at);
                self.head.row(row, masses, |j| masses[j], query, (1.0, taken));
                self.head.block_row(row, masses, |j| masses[j], query, taken);
            }
            self.next_row = rows.end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::{LocalParts, combine};
    use super::*;
    use crate::bounds::Combination;
    use crate::experiment::Experiment;
    use crate::random::{Random, Stream};
    use crate::spectral::{largest_eigenvalue, largest_singular_value};
    use crate::weights::{Inputs, inputs};
    use nalgebra::DVector;

    /// What a case does to the tokens that were drawn.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Change {
        Nothing,
        /// All tokens get a common offset of many times their length.
        Offset,
        /// One token is far from all others; the others nearly coincide.
        Outlier,
        /// All tokens are scaled by this number, to lengths near the ends of the range of f32 and past them.
        Scale(f64),
    }

    fn case(
        (n, d, heads, k): (usize, usize, usize, usize),
        radius: f64,
        rest: &str,
        change: Change,
    ) -> (Experiment, Inputs) {
        let text = format!(
            r#"{{"tokens":{{"source":"random","distribution":"gaussian","n":{n},"d":{d},"radius":{radius:e},"seed":{n}}},
            "weights":{{"source":"random","heads":{heads},"head_dim":{k},"seed":{d}}}{rest}}}"#
        );
        let experiment = Experiment::from_json(&text).expect("a valid experiment");
        let mut inputs = inputs(&experiment).expect("inputs that fit");
        let mut random = Random::new(7, Stream::Tokens);
        match change {
            Change::Nothing => {}
            Change::Offset => {
                let offset = DVector::from_fn(d, |_, _| 1e4 * radius * random.normal());
                inputs.tokens.column_iter_mut().for_each(|mut token| token += &offset);
            }
            Change::Outlier => {
                inputs.tokens *= 1e-9;
                inputs.tokens.column_mut(n / 2).fill(radius);
            }
            Change::Scale(scale) => inputs.tokens *= scale,
        }
        (experiment, inputs)
    }

    fn bound(
        forward: &Forward<f64>,
        weights: &Weights,
        combination: Combination,
        is_row_by_row: bool,
    ) -> (LocalParts, bool) {
        let mut bound = DotRows::new(forward, weights);
        let is_taken = bound.groups.iter().all(|group| group.head.has_moments());
        if is_row_by_row {
            bound.groups.iter_mut().for_each(|group| group.head.row_by_row());
        }
        while !bound.step(forward) {}
        (combine(bound.finish(), combination), is_taken)
    }

    /// `local` of one head without an output matrix, from its definition.
    fn defined(forward: &Forward<f64>, weights: &Weights) -> f64 {
        let (head, tokens) = (&weights.heads[0], forward.normalizer().outputs());
        let a = head.k.tr_mul(&head.q) / (head.k.nrows() as f64).sqrt();
        let (mut own, mut sums) = (0.0f64, vec![0.0; tokens.ncols()]);
        let mut buffer = forward.row_buffer();
        for i in 0..tokens.ncols() {
            let masses = forward.rows_of_p(0, i..i + 1, &mut buffer).weights;
            let mut mean = DVector::zeros(tokens.nrows());
            tokens.column_iter().zip(masses).for_each(|(token, mass)| mean += token * *mass);
            let mut rooted = tokens.clone();
            for (mut column, mass) in rooted.column_iter_mut().zip(masses) {
                column -= &mean;
                column *= mass.sqrt();
            }
            let values = &head.v * &rooted;
            let square = (&a * tokens.column(i)).norm_squared();
            let w = largest_eigenvalue(&(&head.v * head.v.transpose() + &values * values.transpose() * square));
            own = own.max(largest_singular_value(&(&values * rooted.transpose() * &a)));
            sums.iter_mut().zip(masses).for_each(|(sum, mass)| *sum += mass * w);
        }
        own + crate::extremum::largest(sums).sqrt()
    }

    #[test]
    fn rows_taken_together_give_a_bound_near_that_of_single_rows_and_never_below_its_definition() {
        let causal = r#","mask":"causal""#;
        let normed = r#","normalization":"layer""#;
        let mut taken = 0;
        for (n, d, heads, k) in [(64, 16, 1, 16), (70, 17, 1, 17), (130, 24, 1, 30), (200, 16, 1, 16), (90, 20, 2, 20)]
        {
            for rest in ["", causal, normed] {
                for radius in [1e-3, 1.0, 30.0, 1e3] {
                    for change in [
                        Change::Nothing,
                        Change::Offset,
                        Change::Outlier,
                        Change::Scale(1e-30),
                        Change::Scale(1e-120),
                        Change::Scale(1e30),
                    ] {
                        let name = format!("n={n} d={d} heads={heads} {rest} R={radius:e} {change:?}");
                        let (experiment, inputs) = case((n, d, heads, k), radius, rest, change);
                        let Ok(forward) = Forward::new(&experiment, &inputs) else { continue };
                        let weights = &inputs.weights;
                        let combination = Combination::RootOfSquares;
                        let (found, is_taken) = bound(&forward, weights, combination, false);
                        let (single, _) = bound(&forward, weights, combination, true);
                        taken += usize::from(is_taken);
                        if !single.value.is_finite() {
                            continue;
                        }
                        let ratio = found.value / single.value;
                        assert!((0.99..1.01).contains(&ratio), "{name}: {ratio}");
                        let (blocks, of_single) = (found.blocks.expect("few"), single.blocks.expect("few"));
                        let ratio = blocks / of_single;
                        assert!((1.0 - 1e-12..1.001).contains(&ratio), "{name}: {ratio}");
                        if heads == 1 {
                            let exact = defined(&forward, weights);
                            let ratio = found.value / exact;
                            assert!((1.0 - 1e-12..1.05).contains(&ratio), "{name}: {ratio}");
                        }
                    }
                }
            }
        }
        assert!(taken > 240, "{taken} cases took rows together");
    }
}
