//! New points fade in, so that a stream of points is calm. With reduced motion they appear at once.

use crate::frame::{is_motion_reduced, now};

/// How long a point takes to fade in, in milliseconds.
const FADE: f64 = 120.0;

/// The opacity of data of another state, which stay in sight until the data of the present state arrive.
pub const STALE: f64 = 0.45;

/// Which points of a growing list are new.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fade {
    settled: usize,
    since: Option<f64>,
}

/// The points before `settled` are fully there; the others are at `opacity`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Faded {
    /// How many are fully there.
    pub settled: usize,
    /// How visible the others are.
    pub opacity: f64,
}

impl Faded {
    /// All points are fully there.
    pub const ALL: Faded = Faded { settled: usize::MAX, opacity: 1.0 };
}

impl Fade {
    /// How the list is to be drawn now, when it has `count` points.
    pub fn at(&mut self, count: usize) -> Faded {
        if count < self.settled {
            *self = Fade::default();
        }
        if count == self.settled || is_motion_reduced() {
            *self = Fade { settled: count, since: None };
            return Faded { settled: count, opacity: 1.0 };
        }
        let time = now();
        let opacity = (time - *self.since.get_or_insert(time)) / FADE;
        if opacity >= 1.0 {
            *self = Fade { settled: count, since: None };
        }
        Faded { settled: self.settled, opacity: opacity.min(1.0) }
    }

    /// Whether another frame is needed.
    pub fn is_going(&self) -> bool {
        self.since.is_some()
    }
}
