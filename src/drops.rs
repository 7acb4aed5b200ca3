//! Where files and texts go that are dropped on the page: to the view on screen if it takes files, else to the form of
//! own data.

use std::rc::Rc;

use crate::prelude::*;
use web_sys::DataTransfer;

use crate::state::PlotChoice;

type Taker = Rc<dyn Fn(&DataTransfer)>;

/// Which view takes dropped data, for each plot.
#[derive(Clone, Copy)]
pub struct Drops(StoredValue<Vec<(PlotChoice, Taker)>, LocalStorage>);

impl Default for Drops {
    fn default() -> Self {
        Drops(StoredValue::new_local(Vec::new()))
    }
}

/// The context.
pub fn use_drops() -> Drops {
    expect_context()
}

impl Drops {
    /// Registers `take` for data that are dropped while `plot` is on screen.
    pub fn taken_by(self, plot: PlotChoice, take: impl Fn(&DataTransfer) + 'static) {
        self.0.update_value(|takers| takers.push((plot, Rc::new(take))));
    }

    /// Hands over data that were dropped while a plot was on screen. False where no view takes them.
    pub fn hand_over(self, plot: PlotChoice, data: &DataTransfer) -> bool {
        let taker =
            self.0.with_value(|takers| takers.iter().find(|(of, _)| *of == plot).map(|(_, take)| Rc::clone(take)));
        taker.inspect(|take| take(data)).is_some()
    }
}
