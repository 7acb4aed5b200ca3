//! What happens to queries, keys and values between projection and scores, in place on the stacked projections (p x n):
//! qk-norm, then RoPE, then the feature map; for values their normaliser. The norm of all queries together comes first. Each run of rows (the queries of a head, the
//! keys of a group) is turned once, however many heads read it.

use std::ops::Range;

use nalgebra::DMatrix;

use super::super::projections::MapLayout;
use super::super::view::{Accumulate, Scalar};
use super::feature::{Feature, Vectors};
use super::rope::{Rotary, Rotation};
use super::vector_norm::Normed;
use crate::experiment::{Gain, InputError, QkNorm, VectorNorm};
use crate::parallel::{Schedule, for_parts, share, token_parts};

/// Which steps turn queries, keys and values.
#[derive(Clone, Debug, Default)]
pub(crate) struct VectorSteps {
    /// The normaliser of queries and keys.
    pub(super) norm: Option<QkNorm>,
    /// The normaliser of all queries together, and of all keys.
    pub(super) wide_norm: Option<QkNorm>,
    pub(super) rotary: Option<Rotary>,
    /// Whether queries and keys go through phi = elu + 1.
    pub(super) has_feature: bool,
    /// eps of the normaliser of values.
    pub(super) value_eps: Option<f64>,
}

impl VectorSteps {
    /// Whether there are none.
    pub(super) fn are_absent(&self) -> bool {
        let has_norm = self.norm.is_some() || self.wide_norm.is_some();
        !has_norm && self.rotary.is_none() && !self.has_feature && self.value_eps.is_none()
    }
}

/// The rows of all queries, and those of all keys, each once.
pub(crate) fn all_rows(maps: &[MapLayout]) -> [Vec<Range<usize>>; 2] {
    let keys = maps.iter().filter(|map| map.into_keys == Accumulate::Replace);
    [maps.iter().map(|map| map.q_rows.clone()).collect(), keys.map(|map| map.k_rows.clone()).collect()]
}

/// The steps at the tokens of a forward pass.
#[derive(Clone, Debug)]
pub(crate) struct VectorMaps<T: Scalar> {
    /// Run before the parts.
    wide: Vec<Wide<T>>,
    parts: Vec<Part<T>>,
}

/// A normaliser of the rows of several heads together.
#[derive(Clone, Debug)]
struct Wide<T: Scalar> {
    rows: Vec<Range<usize>>,
    norm: Normed<T>,
}

/// The steps of some rows of the projections.
#[derive(Clone, Debug)]
struct Part<T: Scalar> {
    rows: Range<usize>,
    norm: Option<Normed<T>>,
    rotation: Option<Rotation<T>>,
    feature: Option<Feature<T>>,
}

impl<T: Scalar> VectorMaps<T> {
    /// Turns the projections (p x n) of the maps; `None` where there is nothing to do.
    ///
    /// # Errors
    /// As [`Normed::of`].
    pub(in super::super) fn of(
        steps: &VectorSteps,
        maps: &[MapLayout],
        projections: &mut DMatrix<T>,
    ) -> Result<Option<Self>, InputError> {
        if steps.are_absent() {
            return Ok(None);
        }
        let wide = match &steps.wide_norm {
            Some(norm) => {
                let rows = all_rows(maps);
                let of = |(rows, gain)| Wide::of(rows, (norm.kind, norm.eps, gain), projections);
                rows.into_iter()
                    .zip([&norm.q_gain, &norm.k_gain])
                    .map(of)
                    .collect::<Result<Vec<Wide<T>>, InputError>>()?
            }
            None => Vec::new(),
        };
        let mut parts: Vec<Part<T>> = Vec::new();
        let norm = steps.norm.as_ref();
        for map in maps {
            let vectors = [
                (&map.q_rows, norm.map(|norm| &norm.q_gain), Vectors::Queries),
                (&map.k_rows, norm.map(|norm| &norm.k_gain), Vectors::Keys),
            ];
            for (rows, gain, vectors) in vectors {
                if parts.iter().all(|part| part.rows != *rows) {
                    let norm = norm.zip(gain).map(|(norm, gain)| (norm.kind, norm.eps, gain));
                    let feature = steps.has_feature.then_some(vectors);
                    parts.push(Part::of(rows, norm, (steps.rotary.as_ref(), feature), projections)?);
                }
            }
            if let Some(eps) = steps.value_eps
                && parts.iter().all(|part| part.rows != map.v_rows)
            {
                let norm = Some((VectorNorm::L2, eps, &Gain::All(1.0)));
                parts.push(Part::of(&map.v_rows, norm, (None, None), projections)?);
            }
        }
        Ok(Some(VectorMaps { wide, parts }))
    }

    /// The changes of the turned vectors, from the changes of the projections (p n numbers), in place.
    pub(crate) fn differentiate(&self, changes: &mut [T], n: usize) {
        self.for_tokens(changes, n, |token_idx, column| {
            self.wide.iter().for_each(|wide| wide.with(column, |rows| wide.norm.differentiate(token_idx, rows)));
            self.parts.iter().for_each(|part| part.differentiate(token_idx, &mut column[part.rows.clone()]));
        });
    }

    /// The gradient at the projections, from the gradient at the turned vectors (p n numbers), in place.
    pub(crate) fn pull_back(&self, gradients: &mut [T], n: usize) {
        self.for_tokens(gradients, n, |token_idx, column| {
            self.parts.iter().for_each(|part| part.pull_back(token_idx, &mut column[part.rows.clone()]));
            self.wide.iter().for_each(|wide| wide.with(column, |rows| wide.norm.pull_back(token_idx, rows)));
        });
    }

    /// The change of one turned vector, in place; `rows` are its rows in the projections.
    pub(crate) fn differentiate_at(&self, rows: &Range<usize>, token_idx: usize, change: &mut [T]) {
        if let Some(part) = self.part(rows) {
            part.differentiate(token_idx, change);
        }
    }

    /// The largest gain and 1/s of the normaliser of one projected vector; `None` without one.
    pub(crate) fn norm_at(&self, rows: &Range<usize>, token_idx: usize) -> Option<(f64, f64)> {
        self.part(rows)?.norm.as_ref().map(|norm| norm.gain_and_inverse(token_idx))
    }

    /// The gradient at one projected vector, in place; `rows` are its rows in the projections.
    pub(crate) fn pull_back_at(&self, rows: &Range<usize>, token_idx: usize, gradient: &mut [T]) {
        if let Some(part) = self.part(rows) {
            part.pull_back(token_idx, gradient);
        }
    }

    /// The normaliser of the vectors in these rows, alone or together with those of other heads; `None` without one.
    pub(crate) fn normed(&self, rows: &Range<usize>) -> Option<&Normed<T>> {
        let wide = self.wide.iter().find(|wide| wide.rows.contains(rows));
        wide.map(|wide| &wide.norm).or_else(|| self.part(rows)?.norm.as_ref())
    }

    fn part(&self, rows: &Range<usize>) -> Option<&Part<T>> {
        self.parts.iter().find(|part| part.rows == *rows)
    }

    /// The same steps in another type of number.
    pub(crate) fn cast<U: Scalar>(&self) -> VectorMaps<U> {
        let cast = |part: &Part<T>| Part {
            rows: part.rows.clone(),
            norm: part.norm.as_ref().map(Normed::cast),
            rotation: part.rotation.as_ref().map(Rotation::cast),
            feature: part.feature.as_ref().map(Feature::cast),
        };
        let wide = self.wide.iter().map(|wide| Wide { rows: wide.rows.clone(), norm: wide.norm.cast() }).collect();
        VectorMaps { wide, parts: self.parts.iter().map(cast).collect() }
    }

    /// Calls `work` with every token's column of `columns`.
    fn for_tokens(&self, columns: &mut [T], n: usize, work: impl Fn(usize, &mut [T]) + Sync) {
        let p = columns.len() / n.max(1);
        let operations = 8 * columns.len() as u64;
        let pieces = token_parts(n, operations);
        let start = |piece: usize| p * share(piece, pieces, n).start;
        for_parts(Schedule::of(operations), 0..pieces, columns, &start, &|piece, columns| {
            for (token_idx, column) in share(piece, pieces, n).zip(columns.chunks_exact_mut(p)) {
                work(token_idx, column);
            }
        });
    }
}

impl<T: Scalar> Wide<T> {
    /// Normalises these rows of the projections, one below the other.
    fn of(
        rows: Vec<Range<usize>>,
        (kind, eps, gain): (VectorNorm, f64, &Gain),
        projections: &mut DMatrix<T>,
    ) -> Result<Self, InputError> {
        let at: Vec<usize> = rows.iter().cloned().flatten().collect();
        let norm = Normed::of(kind, eps, gain, &projections.select_rows(&at))?;
        let wide = Wide { rows, norm };
        for (token_idx, mut column) in projections.column_iter_mut().enumerate() {
            wide.with(column.as_mut_slice(), |rows| wide.norm.write(token_idx, rows));
        }
        Ok(wide)
    }

    /// Calls `work` with these rows of a token's column, one below the other.
    fn with(&self, column: &mut [T], work: impl Fn(&mut [T])) {
        let mut together: Vec<T> = self.rows.iter().flat_map(|rows| column[rows.clone()].iter().copied()).collect();
        work(&mut together);
        let mut rest = &together[..];
        for rows in &self.rows {
            let (own, others) = rest.split_at(rows.len());
            column[rows.clone()].copy_from_slice(own);
            rest = others;
        }
    }
}

impl<T: Scalar> Part<T> {
    fn differentiate(&self, token_idx: usize, change: &mut [T]) {
        if let Some(norm) = &self.norm {
            norm.differentiate(token_idx, change);
        }
        if let Some(rotation) = &self.rotation {
            rotation.apply(token_idx, change);
        }
        if let Some(feature) = &self.feature {
            feature.differentiate(token_idx, change);
        }
    }

    fn pull_back(&self, token_idx: usize, gradient: &mut [T]) {
        if let Some(feature) = &self.feature {
            feature.differentiate(token_idx, gradient);
        }
        if let Some(rotation) = &self.rotation {
            rotation.apply_transpose(token_idx, gradient);
        }
        if let Some(norm) = &self.norm {
            norm.pull_back(token_idx, gradient);
        }
    }

    /// Turns some rows of the projections.
    fn of(
        rows: &Range<usize>,
        norm: Option<(VectorNorm, f64, &Gain)>,
        (rotary, vectors): (Option<&Rotary>, Option<Vectors>),
        projections: &mut DMatrix<T>,
    ) -> Result<Self, InputError> {
        let (k, n) = (rows.len(), projections.ncols());
        let norm =
            norm.map(|(kind, eps, gain)| Normed::of(kind, eps, gain, &projections.rows(rows.start, k).into_owned()));
        let mut part = Part {
            rows: rows.clone(),
            norm: norm.transpose()?,
            rotation: rotary.map(|rotary| Rotation::of(rotary, k, n)),
            feature: vectors.map(|_| Feature::with_capacity(k, n)),
        };
        for (token_idx, mut column) in projections.column_iter_mut().enumerate() {
            let vector = &mut column.as_mut_slice()[rows.clone()];
            if let Some(norm) = &part.norm {
                norm.write(token_idx, vector);
            }
            if let Some(rotation) = &part.rotation {
                rotation.apply(token_idx, vector);
            }
            if let (Some(feature), Some(vectors)) = (&mut part.feature, vectors) {
                feature.push(vector, vectors);
            }
        }
        Ok(part)
    }
}
