//! What is dropped on the page, and who takes it: the view that is shown, if it takes files, or else the form of own data.

use std::rc::Rc;

use crate::prelude::*;
use web_sys::DataTransfer;

use crate::state::PlotChoice;

type Taker = Rc<dyn Fn(&DataTransfer)>;

/// Who takes what is dropped while which plot is shown.
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
    /// From now on `take` gets what is dropped while a plot is shown.
    pub fn taken_by(self, plot: PlotChoice, take: impl Fn(&DataTransfer) + 'static) {
        self.0.update_value(|takers| takers.push((plot, Rc::new(take))));
    }

    /// Hands over what was dropped while a plot was shown; false where nobody takes it.
    pub fn hand_over(self, plot: PlotChoice, data: &DataTransfer) -> bool {
        let taker =
            self.0.with_value(|takers| takers.iter().find(|(of, _)| *of == plot).map(|(_, take)| Rc::clone(take)));
        taker.inspect(|take| take(data)).is_some()
    }
}
