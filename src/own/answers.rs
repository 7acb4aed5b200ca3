//! The buttons that answer a question about a table.

use crate::prelude::*;

use crate::page::{PLACE_OWN, use_page};
use crate::strings;
use crate::table_problem::TableAnswer;
use lipscope_core::experiment::Table;

/// A button for each answer, while something is asked.
#[component]
pub fn Answers(
    /// Where the question stands: beside the tokens or beside the weights.
    place: &'static str,
) -> impl IntoView {
    let page = use_page();
    let asked = memo(move |_| {
        page.live.own_question.with(|asked| {
            let here = asked.as_ref().filter(|asked| (asked.table() == Table::Tokens) == (place == PLACE_OWN));
            here.map(|asked| asked.question())
        })
    });
    let button = move |(answer, text): (TableAnswer, &'static str)| {
        view! { <button type="button" on:click=move |_| page.answer_question(answer)>{text}</button> }
    };
    view! {
        <div class="own-tools" data-testid=format!("{place}-answers") hidden=move || asked.get().is_none()>
            {move || asked.get().map(|question| strings::own_answers(question).into_iter().map(button).collect_view())}
        </div>
    }
}
