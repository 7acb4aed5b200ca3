//! Rotary positions: the first r entries of the vector at position p turn in pairs, (x, y) -> (x cos - y sin, x sin + y
//! cos) by the angle p theta_m. The map is linear and its own derivative; the adjoint turns back, times the same factor.

use super::super::view::Scalar;
use crate::experiment::{Rope, RopeLayout};

/// The angles of rotary positions.
#[derive(Clone, Debug, PartialEq)]
pub enum Rotary {
    /// Those of an experiment, theta_m = base^(-2m/r).
    Formula(Rope),
    /// A list, as trained models that stretch their positions have it.
    Given {
        /// Which entries are a pair, among the first r = 2 `angles.len()`.
        layout: RopeLayout,
        /// theta_m of each pair, in radians per position.
        angles: Vec<f64>,
        /// What cosines and sines are multiplied by, so that scores grow by its square; 1 unless positions are stretched
        /// by YaRN or LongRoPE.
        factor: f64,
    },
}

/// Two entries that turn together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurningPair {
    pub(crate) entries: (usize, usize),
    /// Radians per position.
    pub(crate) angle: f64,
}

impl Rotary {
    /// The pairs that turn in a vector of k entries.
    pub(crate) fn pairs(&self, k: usize) -> Vec<TurningPair> {
        match self {
            Rotary::Formula(rope) => {
                let r = rope.turned(k);
                let pair = |m| TurningPair { entries: rope.layout.pair(m, r), angle: rope.angle(m, r) };
                (0..r / 2).map(pair).collect()
            }
            Rotary::Given { layout, angles, .. } => {
                let r = 2 * angles.len();
                let pair = |(m, angle): (usize, &f64)| TurningPair { entries: layout.pair(m, r), angle: *angle };
                angles.iter().enumerate().map(pair).collect()
            }
        }
    }

    /// What cosines and sines are multiplied by.
    pub(crate) fn factor(&self) -> f64 {
        match self {
            Rotary::Formula(_) => 1.0,
            Rotary::Given { factor, .. } => *factor,
        }
    }
}

/// The rotations of vectors of one length at all positions.
#[derive(Clone, Debug)]
pub(crate) struct Rotation<T> {
    /// The two entries of each pair.
    pairs: Vec<(usize, usize)>,
    /// Cosine and sine of each pair, position by position.
    turns: Vec<(T, T)>,
}

impl<T: Scalar> Rotation<T> {
    /// The rotations of vectors of k entries at positions 0 to n - 1.
    pub(crate) fn of(rotary: &Rotary, k: usize, n: usize) -> Self {
        let pairs = rotary.pairs(k);
        let angles: Vec<f64> = pairs.iter().map(|pair| pair.angle).collect();
        let factor = rotary.factor();
        let turn = |angle: f64| {
            // libm gives the same bits on every machine.
            let (sin, cos) = libm::sincos(angle);
            (T::constant(cos * factor), T::constant(sin * factor))
        };
        let pairs = pairs.iter().map(|pair| pair.entries).collect();
        Rotation { pairs, turns: (0..n).flat_map(|p| angles.iter().map(move |angle| turn(p as f64 * angle))).collect() }
    }

    /// T(p) z, in place.
    pub(crate) fn apply(&self, position: usize, vector: &mut [T]) {
        for ((x, y), (cos, sin)) in self.at(position) {
            (vector[x], vector[y]) = (vector[x] * cos - vector[y] * sin, vector[x] * sin + vector[y] * cos);
        }
    }

    /// T(p)^T z, in place.
    pub(crate) fn apply_transpose(&self, position: usize, vector: &mut [T]) {
        for ((x, y), (cos, sin)) in self.at(position) {
            (vector[x], vector[y]) = (vector[x] * cos + vector[y] * sin, vector[y] * cos - vector[x] * sin);
        }
    }

    /// The same rotations in another type of number.
    pub(super) fn cast<U: Scalar>(&self) -> Rotation<U> {
        let number = |x: T| U::constant(x.value());
        let turns = self.turns.iter().map(|(cos, sin)| (number(*cos), number(*sin))).collect();
        Rotation { pairs: self.pairs.clone(), turns }
    }

    fn at(&self, position: usize) -> impl Iterator<Item = ((usize, usize), (T, T))> + '_ {
        let turns = &self.turns[position * self.pairs.len()..];
        self.pairs.iter().copied().zip(turns.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_keeps_lengths_and_its_transpose_undoes_it() {
        for layout in [RopeLayout::Half, RopeLayout::Interleaved] {
            for fraction in [0.5, 1.0] {
                let rotation = Rotation::of(&Rotary::Formula(Rope { base: 100.0, fraction, layout }), 5, 4);
                let vector = [0.3, -1.0, 2.0, 0.7, 1.1];
                let mut turned = vector;
                rotation.apply(3, &mut turned);
                let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
                assert!((square(&turned) - square(&vector)).abs() < 1e-14 && turned != vector);
                rotation.apply_transpose(3, &mut turned);
                let deviation = turned.iter().zip(vector).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                assert!(deviation < 1e-15, "{layout:?} {fraction}: {turned:?}");
                let mut first = vector;
                rotation.apply(0, &mut first);
                assert_eq!(first, vector, "position 0 turns nothing");
            }
        }
    }

    #[test]
    fn given_angles_are_those_of_the_formula_and_their_factor_lengthens_the_turned_entries() {
        for layout in [RopeLayout::Half, RopeLayout::Interleaved] {
            let rope = Rope { base: 100.0, fraction: 0.8, layout };
            let angles = (0..2).map(|m| rope.angle(m, 4)).collect();
            let turned = |rotary: &Rotary| {
                let mut vector = [0.3, -1.0, 2.0, 0.7, 1.1];
                Rotation::of(rotary, 5, 4).apply(3, &mut vector);
                vector
            };
            let (formula, given) =
                (turned(&Rotary::Formula(rope)), turned(&Rotary::Given { layout, angles, factor: 2.0 }));
            for (at, (plain, doubled)) in formula.into_iter().zip(given).enumerate() {
                assert_eq!(doubled, if at < 4 { 2.0 * plain } else { plain }, "{layout:?}, entry {at}");
            }
        }
    }
}
