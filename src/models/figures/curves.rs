//! The choice of published curves: those about the layer and head on screen, and those that the reader ticks.

use std::collections::BTreeMap;

use crate::prelude::*;

use crate::strings;
use lipscope_models::{CurveTokens, PUBLISHED, Published};

use super::figure_data::{At, FigureData};

/// The curves that the reader ticked or unticked, by id.
type Ticks = BTreeMap<&'static str, bool>;

/// The published curves of a figure.
#[derive(Clone, Copy)]
pub struct Curves {
    ticks: RwSignal<Ticks>,
    shown: FigureData,
    at: Memo<Option<At>>,
    /// Whether curves about the layer and head on screen are drawn without a tick.
    by_themselves: Signal<bool>,
}

impl Curves {
    /// The curves before the reader ticks any.
    pub fn new(shown: FigureData, at: Memo<Option<At>>, by_themselves: Signal<bool>) -> Self {
        Curves { ticks: RwSignal::default(), shown, at, by_themselves }
    }

    /// The curves to draw.
    pub fn drawn(self) -> Vec<Published> {
        PUBLISHED.into_iter().filter(|curve| self.is_drawn(curve)).collect()
    }

    fn is_drawn(self, curve: &Published) -> bool {
        let by_hand = self.ticks.with(|ticks| ticks.get(curve.id).copied());
        by_hand.unwrap_or_else(|| self.by_themselves.get() && self.is_about(curve))
    }

    fn is_about(self, curve: &Published) -> bool {
        let Some((layer, heads)) = self.at.get() else { return false };
        self.shown.table.with(|table| table.as_ref().is_some_and(|table| curve.is_about(&table.subject, layer, heads)))
    }
}

/// Which curves a menu offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// Curves at windows of text.
    Text,
    /// Curves at adversarial tokens.
    Adversarial,
}

/// The menu of published curves.
#[component]
pub fn CurvesMenu(
    /// The curves and the reader's ticks.
    curves: Curves,
    /// The curves to choose from.
    offered: Offered,
    /// The id of the fold.
    id: &'static str,
) -> impl IntoView {
    let is_offered = move |curve: &Published| {
        matches!(curve.tokens, CurveTokens::Adversarial(_)) == (offered == Offered::Adversarial)
    };
    let note = match offered {
        Offered::Text => strings::model_curves_note(),
        Offered::Adversarial => strings::model_adversarial_curves_note(),
    };
    let line = move |curve: Published| {
        let is_drawn = memo(move |_| curves.is_drawn(&curve));
        let on_change = move |_| {
            let wanted = !is_drawn.get_untracked();
            curves.ticks.update(|ticks| {
                ticks.insert(curve.id, wanted);
            });
        };
        view! {
            <label class="curve">
                <input type="checkbox" id=format!("curve-{}", curve.id) prop:checked=move || is_drawn.get() on:change=on_change/>
                <span>{strings::model_curve(&curve)}</span>
            </label>
        }
    };
    view! {
        <details class="curves" id=id>
            <summary>{strings::model_curves()}</summary>
            <p class="note">{note}</p>
            {PUBLISHED.into_iter().filter(is_offered).map(line).collect_view()}
        </details>
    }
}
