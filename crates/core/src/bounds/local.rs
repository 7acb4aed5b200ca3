//! `local` (ours, docs/theory.md section 2): an upper bound at the given tokens, for every kernel and mask:
//! max_i ||V O_i||_2 + sqrt(max_j sum_i P_ij w_i), w_i = ||V (sum_j P_ij M_ij M_ij^T) V^T||_2, M_ij = I + (x_j - m_i) b_ij^T.
//!
//! With C_vv, C_vk the covariances of values and keys under row i of P, V O_i = c C_vk Q, and the matrix of w_i is
//! V V^T + |b_i|^2 C_vv where b does not depend on j (dot product). With an output matrix V stands for R_h V_h, R_h the
//! triangular factor of O_h, which changes no norm. Cost O(n^2 r (r + k)) a head, r the rows of V.

use super::heads::Combination;
use super::local_blocks::{self, Blocks};
use super::local_head::{LocalHead, LocalParts};
use super::local_shared::LocalBuffers;
use crate::attention::Forward;
use crate::parallel::{self, Schedule, Scratch, groups, share};
use crate::weights::Weights;

/// Computes `local` at a forward pass in short steps, so that a worker can handle messages between them. The rows of a
/// head are taken in groups, on which several threads work, and these are added in order.
#[derive(Clone, Debug)]
pub struct LocalBound {
    /// The groups of all heads, in order.
    groups: Vec<Group>,
    /// The first group that is not done.
    next: usize,
    buffers: Scratch<Buffers>,
}

/// Some consecutive rows of a head.
#[derive(Clone, Debug)]
struct Group {
    head_idx: usize,
    head: LocalHead,
    next_row: usize,
    end: usize,
}

#[derive(Clone, Debug)]
struct Buffers {
    row: LocalBuffers,
    row_of_p: Vec<f64>,
}

/// Rows of a group, at least.
const LEAST_ROWS: usize = 64;
/// Operations of a thread in a step: a few milliseconds in a browser's worker, which listens between steps, and natively
/// long against the time in which a thread wakes up.
const STEP_OPERATIONS: usize = if cfg!(target_arch = "wasm32") { 10_000_000 } else { 400_000_000 };

impl LocalBound {
    /// Prepares the bound at a forward pass.
    #[must_use]
    pub fn new(forward: &Forward<f64>, weights: &Weights) -> Self {
        let tokens = forward.normalizer().outputs();
        let (n, n_heads) = (forward.n(), weights.heads.len());
        let count = groups(n_heads, n / LEAST_ROWS);
        let outers: Vec<_> = weights.values_through_output().map(|(outer, _)| outer).collect();
        let d = tokens.nrows() as u64;
        let schedule = Schedule::of(weights.heads.iter().map(|head| 2 * d * head.k.len() as u64).sum());
        let wholes = parallel::map(schedule, n_heads, &|head_idx| {
            let (head, layout) = (&weights.heads[head_idx], &forward.heads[head_idx]);
            LocalHead::new(layout.kernel, &outers[head_idx], head, tokens).with_blocks(tokens.nrows(), n_heads)
        });
        let mut all = Vec::with_capacity(n_heads * count);
        for (head_idx, whole) in wholes.into_iter().enumerate() {
            all.extend((0..count).map(|group| {
                let rows = share(group, count, n);
                Group { head_idx, head: whole.for_rows(rows.len()), next_row: rows.start, end: rows.end }
            }));
        }
        let buffers = Scratch::new(Buffers::of(forward));
        LocalBound { groups: all, next: 0, buffers }
    }

    /// Adds some rows; true when all rows are done.
    pub fn step(&mut self, forward: &Forward<f64>) -> bool {
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

    /// The bound, after all rows are done.
    #[must_use]
    pub fn finish(self, combination: Combination) -> LocalParts {
        let mut heads: Vec<LocalHead> = Vec::new();
        for Group { head_idx, head, .. } in self.groups {
            match heads.get_mut(head_idx) {
                Some(whole) => whole.append(head),
                None => heads.push(head),
            }
        }
        combine(heads, combination)
    }
}

impl Buffers {
    fn of(forward: &Forward<f64>) -> Self {
        Buffers { row: LocalBuffers::default(), row_of_p: forward.row_buffer() }
    }
}

impl Group {
    fn step(&mut self, forward: &Forward<f64>, Buffers { row, row_of_p }: &mut Buffers) {
        let rows = (STEP_OPERATIONS / self.head.operations_a_row().max(1)).max(1);
        let layout = &forward.heads[self.head_idx];
        for i in self.next_row..self.end.min(self.next_row + rows) {
            let reach = forward.reach(&(i..i + 1));
            let block = forward.rows_of_p(self.head_idx, i..i + 1, row_of_p);
            let masses = &block.weights[..reach];
            let column = forward.projections.column(i);
            let query = &column.as_slice()[layout.q_rows.clone()];
            self.head.row(row, masses, |j| masses[j], query, 1.0);
            self.head.block_row(row, masses, |j| masses[j], query);
        }
        self.next_row = self.end.min(self.next_row + rows);
    }
}

/// The bounds over all heads, with the terms of the largest head.
pub(crate) fn combine(heads: Vec<LocalHead>, combination: Combination) -> LocalParts {
    let parts: Vec<LocalParts> = heads.iter().enumerate().map(|(head_idx, head)| head.parts(head_idx)).collect();
    let most_own: Vec<f64> = parts.iter().map(|parts| parts.own).collect();
    let blocks: Option<Vec<Blocks>> = heads.into_iter().map(LocalHead::into_blocks).collect();
    let blocks = blocks.map(|blocks| local_blocks::norm(&blocks, combination, &most_own));
    let ln: Vec<f64> = parts.iter().map(|head| head.value.ln()).collect();
    let largest = parts.into_iter().max_by(|a, b| a.value.total_cmp(&b.value)).unwrap_or_default();
    LocalParts { value: combination.ln_combine(&ln).exp(), blocks, ..largest }
}
