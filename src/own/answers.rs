//! The buttons that answer a question about a table.

use crate::prelude::*;

use crate::page::PLACE_OWN;
use crate::strings;
use lipscope_core::experiment::Table;

use super::context::use_own;
use super::table_problem::TableAnswer;

/// A button for each answer, while a question is open.
#[component]
pub fn Answers(
    /// Where the question stands: beside the tokens or beside the weights.
    place: &'static str,
) -> impl IntoView {
    let own = use_own();
    let asked = memo(move |_| {
        own.question.with(|asked| {
            let here = asked.as_ref().filter(|asked| (asked.table() == Table::Tokens) == (place == PLACE_OWN));
            here.map(|asked| asked.question())
        })
    });
    let button = move |(answer, text): (TableAnswer, &'static str)| {
        view! { <button type="button" on:click=move |_| own.answer(answer)>{text}</button> }
    };
    view! {
        <div class="own-tools" data-testid=format!("{place}-answers") hidden=move || asked.get().is_none()>
            {move || asked.get().map(|question| TableAnswer::to(question).into_iter().zip(strings::own_answers(question)).map(button).collect_view())}
        </div>
    }
}
