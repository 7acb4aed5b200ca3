//! The bounds' formulas as MathML, for one head.

use leptos::prelude::*;

use crate::bounds::BoundId;

/// The formula of a bound.
#[component]
pub fn Formula(
    /// Which bound.
    id: BoundId,
) -> impl IntoView {
    match id {
        BoundId::CastinGeneral => view! {
            <math>
                <msqrt><mn>"3"</mn></msqrt>
                <mi>"v"</mi>
                <msqrt>
                    <msup><mi>"a"</mi><mn>"2"</mn></msup>
                    <mo>"("</mo><mn>"4"</mn><mi>"n"</mi><mo>"+"</mo><mn>"1"</mn><mo>")"</mo>
                    <mo>"+"</mo><mi>"n"</mi>
                </msqrt>
            </math>
        }
        .into_any(),
        BoundId::CastinMeanField => view! {
            <math>
                <mi>"v"</mi>
                <mo>"("</mo><mn>"1"</mn><mo>"+"</mo><mn>"3"</mn><mi>"a"</mi><mo>")"</mo>
                <msup><mi>"e"</mi><mrow><mn>"2"</mn><mi>"a"</mi></mrow></msup>
            </math>
        }
        .into_any(),
        // No formula of one line: said in words.
        other => view! { <span>{other.formula()}</span> }.into_any(),
    }
}
