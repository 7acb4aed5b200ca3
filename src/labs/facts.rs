//! A name and its number.

use leptos::prelude::*;

use crate::strings;
use lipscope_plot::Number;

/// A name and its number; the sign says what the number claims.
#[component]
pub fn Fact(
    /// Names it for programs.
    #[prop(into)]
    id: String,
    /// Names it for people.
    #[prop(into)]
    name: Signal<&'static str>,
    /// =, ≥ or ≤.
    #[prop(into)]
    sign: Signal<&'static str>,
    /// The number.
    #[prop(into)]
    value: Signal<Option<f64>>,
    /// How it is written.
    #[prop(default = measured)]
    written: fn(f64) -> String,
) -> impl IntoView {
    let exact = move || value.get().map_or_else(String::new, |x| x.to_string());
    view! {
        <div>
            <dt>{move || name.get()}</dt>
            <dd>
                <span class="sign">{move || sign.get()}</span>
                <span class="value" data-testid=id data-value=exact title=exact>
                    {move || value.get().map_or_else(|| strings::NONE_YET.into(), written)}
                </span>
            </dd>
        </div>
    }
}

/// As measured numbers are written.
fn measured(x: f64) -> String {
    Number::of(x).to_string()
}
