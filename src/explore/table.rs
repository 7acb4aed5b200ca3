//! The plot at the present n as a table, and the bounds that do not apply with their reason.

use std::sync::Arc;

use crate::prelude::*;

use crate::answers::{Curves, Measured, Sweep, written_reached};
use crate::page::use_page;
use crate::plans::MOST_CURVE_END;
use crate::state::Trace;
use crate::strings;
use lipscope_plot::{Kind, Number};

use super::facts::{best_label, facts, worst_value};

/// A row: its id, its name, its value with all digits, and the number as it is shown.
type Row = (&'static str, &'static str, Option<f64>, Number);

/// The missing curves, and a table of the plot's values at the present n for a screen reader.
#[component]
pub fn AtN() -> impl IntoView {
    let page = use_page();
    let known = memo(move |_| facts(page));
    let rows = move || -> Vec<Row> {
        let Some(facts) = known.get() else { return Vec::new() };
        let (value, kind) = facts.measured;
        let root = facts.n.sqrt();
        let mut rows = vec![
            ("measured", strings::trace_label(Trace::Draws), Some(value), Number::known(value, kind)),
            ("root", strings::trace_label(Trace::Root), Some(root), Number::of(root)),
        ];
        let bounds = [
            ("best", best_label(facts.best.iter().cloned()), facts.best, Kind::UpperBound),
            ("mean-field", strings::trace_label(Trace::MeanField), facts.mean_field, Kind::UpperBound),
        ];
        let worst = written_reached(facts.worst_log10, Some(facts.measured));
        rows.push(("worst", strings::trace_label(Trace::Worst), worst_value(&facts), worst));
        for (id, name, bound, kind) in bounds {
            if let Some(bound) = bound {
                rows.push((id, name, bound.value, Number::claimed(bound.log10, kind)));
            }
        }
        rows
    };
    let caption = move || known.with(|facts| facts.as_ref().map(|facts| strings::n_equals(facts.n)));
    view! {
        <Absent/>
        <table class="sr-only" id="explore-table">
            <caption>{caption}</caption>
            <thead><tr><th scope="col">{move || page.state.with(strings::local_axis)}</th><th scope="col">{strings::explore_value()}</th></tr></thead>
            <tbody>
                {move || {
                    rows()
                        .into_iter()
                        .map(|(id, name, value, number)| {
                            view! {
                                <tr>
                                    <th scope="row">{name}</th>
                                    <td data-testid=format!("explore-{id}") data-value=value.map(|value| value.to_string())>{number.to_string()}</td>
                                </tr>
                            }
                        })
                        .collect_view()
                }}
            </tbody>
        </table>
    }
}

/// A line of text for each curve of the plot that ends before n. Samples end where the sweep ends, since each of them
/// costs time. Bounds end at `MOST_CURVE_END`.
fn ends(sweep: &Sweep, curves: &Curves, n: f64) -> Vec<String> {
    let sampled = sweep.lengths().last().filter(|end| (**end as f64) < n);
    let bounded = curves.rows().last().map(|row| row.n).filter(|end| *end >= MOST_CURVE_END as f64 && *end < n);
    let sampled = sampled.map(|end| strings::samples_end(&strings::mean_label(sweep.of.as_ref()), *end));
    sampled.into_iter().chain(bounded.map(|end| strings::bounds_end(end as usize))).collect()
}

/// The curves that are missing or end before the present n, each with its reason.
#[component]
fn Absent() -> impl IntoView {
    let page = use_page();
    let rows = memo(move |_| {
        let Some(facts) = facts(page) else { return Vec::new() };
        let missing = [
            (facts.mean_field.is_none(), strings::trace_label(Trace::MeanField), Trace::MeanField),
            (facts.best.is_none(), strings::explore_best_bound(), Trace::Sharp),
        ];
        let missing = missing.into_iter().filter(|(is_missing, ..)| *is_missing);
        let missing = missing.map(|(_, name, trace)| {
            let why = |measured: &Arc<Measured>| strings::why_absent(&measured.measurement.absent, trace.bounds());
            strings::explore_absent(name, page.answers.measured.with(|measured| measured.as_ref().and_then(why)))
        });
        missing.chain(ends(&page.answers.sweep.read(), &page.answers.bounds.read(), facts.n)).collect()
    });
    view! {
        <p class="absent" data-testid="explore-absent" hidden=move || rows.with(Vec::is_empty)>
            {move || rows.get().join(" · ")}
        </p>
    }
}
