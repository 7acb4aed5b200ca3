//! Changes of points and of their images.

use super::pen::Point;

/// A change of every point, and the resulting change of its image under a map.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// The change of each point.
    pub nudges: Vec<Point>,
    /// The image of each point; may be empty.
    pub images: Vec<Point>,
    /// The change of each image.
    pub responses: Vec<Point>,
    /// Factor by which changes are lengthened in the drawing.
    pub stretch: f64,
    /// Names of nudges, images and responses in the table.
    pub names: [String; 3],
    /// Whether the changes are animated.
    pub sway: Sway,
}

/// Whether changes are static arrows or animated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Sway {
    /// Static arrows.
    #[default]
    Arrows,
    /// Arrows, with points and images moved by this fraction of their change: one frame of an animation.
    At(f64),
    /// Arrows, with rings at both ends of the motion, instead of an animation.
    Ends,
}

impl Changes {
    /// The ends of the arrows and of the motion, in units of the axes.
    pub(super) fn ends<'a>(&'a self, points: &'a [Point]) -> impl Iterator<Item = Point> + 'a {
        let both = |(p, by): (&Point, &Point)| {
            let by = (self.stretch * by.0, self.stretch * by.1);
            [(p.0 + by.0, p.1 + by.1), (p.0 - by.0, p.1 - by.1)]
        };
        let ends_of = move |from: &'a [Point], by: &'a [Point]| from.iter().zip(by).flat_map(both);
        ends_of(points, &self.nudges).chain(ends_of(&self.images, &self.responses)).chain(self.images.iter().copied())
    }

    /// The fraction of its change by which a point is moved.
    pub(super) fn moved_by(&self) -> f64 {
        if let Sway::At(part) = self.sway { part } else { 0.0 }
    }
}
