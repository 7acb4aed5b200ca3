//! Rotary positions: the first r entries of the vector at position p turn in pairs, (x, y) -> (x cos - y sin, x sin + y
//! cos) by the angle p theta_m. The map is linear and its own derivative; the adjoint turns back.

use super::super::view::Scalar;
use crate::experiment::Rope;

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
    pub(crate) fn of(rope: Rope, k: usize, n: usize) -> Self {
        let r = rope.turned(k);
        let angles: Vec<f64> = (0..r / 2).map(|m| rope.angle(m, r)).collect();
        let turn = |angle: f64| {
            // libm gives the same bits on every machine.
            let (sin, cos) = libm::sincos(angle);
            (T::constant(cos), T::constant(sin))
        };
        Rotation {
            pairs: (0..r / 2).map(|m| rope.pair(m, r)).collect(),
            turns: (0..n).flat_map(|p| angles.iter().map(move |angle| turn(p as f64 * angle))).collect(),
        }
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
    use crate::experiment::RopeLayout;

    #[test]
    fn a_rotation_keeps_lengths_and_its_transpose_undoes_it() {
        for layout in [RopeLayout::Half, RopeLayout::Interleaved] {
            for fraction in [0.5, 1.0] {
                let rotation = Rotation::of(Rope { base: 100.0, fraction, layout }, 5, 4);
                let vector = [0.3, -1.0, 2.0, 0.7, 1.1];
                let mut turned = vector;
                rotation.apply(3, &mut turned);
                let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
                assert!((square(&turned) - square(&vector)).abs() < 1e-14 && turned != vector);
                rotation.apply_transpose(3, &mut turned);
                let apart = turned.iter().zip(vector).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                assert!(apart < 1e-15, "{layout:?} {fraction}: {turned:?}");
                let mut first = vector;
                rotation.apply(0, &mut first);
                assert_eq!(first, vector, "position 0 turns nothing");
            }
        }
    }
}
