//! A name and its number.

use crate::prelude::*;

use crate::strings;
use lipscope_plot::{Kind, Number};

/// A name and its number; the sign says whether the number is exact or a bound.
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
    /// How to write the number. The default has four digits, rounded to the side of the sign.
    #[prop(optional)]
    written: Option<fn(f64) -> String>,
) -> impl IntoView {
    let exact = move || value.get().map_or_else(String::new, |x| x.to_string());
    let text = move |x: f64| match written {
        Some(written) => written(x),
        None => Number::digits(x, Kind::of_sign(sign.get())).to_string(),
    };
    view! {
        <div>
            <dt>{move || name.get()}</dt>
            <dd>
                <span class="sign">{move || sign.get()}</span>
                <span class="value" data-testid=id data-value=exact title=exact>
                    {move || value.get().map_or_else(|| strings::NONE_YET.into(), text)}
                </span>
            </dd>
        </div>
    }
}
