//! The earlier tables of this visit: a run of another model or plan begins a table of its own, and none is lost.

use std::sync::Arc;

use crate::prelude::*;

use crate::models::context::use_models;
use crate::models::form_at_hand::use_form;
use crate::strings;
use lipscope_models::charts::power_law_text;
use lipscope_models::{Group, MapKind, Quantity, Subject, Table};
use lipscope_plot::{Role, Series, SeriesKind};

use super::figure_data::At;

/// A line for each earlier table: a button that shows it again, and a tick that draws it beside the present one.
#[component]
pub fn EarlierTables() -> impl IntoView {
    let (models, form) = (use_models(), use_form());
    let subjects = memo(move |_| {
        models
            .earlier
            .with(|earlier| earlier.iter().map(|table| (table.subject.clone(), table.rows.len())).collect::<Vec<_>>())
    });
    let line = move |(at, (subject, rows)): (usize, (Subject, usize))| {
        let words = strings::model_about(&subject.model, &subject.map, &subject.mask, rows);
        let is_text = subject.adversarial_radius().is_none();
        let (again, ticked, drawn) = (subject.clone(), subject.clone(), subject);
        let is_beside = move || models.beside.with(|beside| beside.as_ref() == Some(&drawn));
        let on_tick = move |_| {
            let subject = ticked.clone();
            models
                .beside
                .update(|beside| *beside = if beside.as_ref() == Some(&subject) { None } else { Some(subject) });
        };
        let on_back = move |_| {
            if let Some(session) = form.session() {
                session.show_table(again.clone());
            }
        };
        view! {
            <li>
                <span>{words}</span>
                <button type="button" id=format!("model-earlier-{at}") disabled=move || models.is_at_work() on:click=on_back>
                    {strings::model_earlier::back()}
                </button>
                {is_text.then(|| view! {
                    <label class="tick">
                        <input type="checkbox" id=format!("model-beside-{at}") prop:checked=is_beside on:change=on_tick/>
                        {strings::model_earlier::beside()}
                    </label>
                })}
            </li>
        }
    };
    view! {
        <section class="model-earlier" aria-labelledby="model-earlier-heading" hidden=move || subjects.with(Vec::is_empty)>
            <h3 id="model-earlier-heading">{strings::model_earlier::heading()}</h3>
            <ul>{move || subjects.get().into_iter().enumerate().map(line).collect_view()}</ul>
        </section>
    }
}

/// The rings and the fit of an earlier table, for the chart of a layer and head: the same ones where it has them, else its
/// first.
pub fn series_beside(table: &Table, at: Option<At>) -> Vec<Series> {
    let groups = table.groups();
    let same = groups.iter().find(|group| Some((group.layer, group.heads)) == at);
    let Some(group) = same.or_else(|| groups.first()) else { return Vec::new() };
    let map = MapKind::by_id(&table.subject.map);
    let place = strings::model_place(map, group.layer, group.heads);
    let fit = group.fit(Quantity::Spectral);
    let model = &table.subject.model;
    let label = match &fit {
        Some(fit) => strings::model_earlier::curve { law: power_law_text(fit), model, place: &place }.text(),
        None => strings::model_earlier::no_fit { model, place: &place }.text(),
    };
    let rings = Series::new("beside", &label, Role::PublishedMeanField, SeriesKind::Hollow, norms(group));
    let line = fit.zip(group.ends()).map(|(fit, (first, last))| {
        let points = [first, last].map(|n| (n as f64, fit.at(n as f64))).to_vec();
        Series::new("beside-fit", &label, Role::PublishedMeanField, SeriesKind::Line, points)
            .short_label(power_law_text(&fit))
    });
    std::iter::once(rings).chain(line).collect()
}

/// The table that the reader has asked for beside the present one, as its series.
pub fn drawn_beside(table: Option<Arc<Table>>, at: Option<At>) -> Vec<Series> {
    table.map_or_else(Vec::new, |table| series_beside(&table, at))
}

fn norms(group: &Group) -> Vec<(f64, f64)> {
    group.points(Quantity::Spectral)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_models::{Cell, Estimate, Heads, SpectralNorm};

    fn table(model: &str, layers: &[usize]) -> Table {
        let subject = Subject {
            model: model.into(),
            text: "text".into(),
            map: MapKind::Attention.id().into(),
            mask: "causal".into(),
            estimator: "both".into(),
        };
        let mut table = Table::new(subject);
        for layer in layers {
            for (n, window) in [(2, 0), (2, 1), (8, 0), (8, 1)] {
                let estimate = Estimate {
                    spectral: Some(SpectralNorm {
                        value: n as f64 * (1 + layer) as f64,
                        iterations: 0,
                        relative_residual: 0.0,
                    }),
                    released: None,
                    radius: 1.0,
                    sink: None,
                    bounds: None,
                    upper: None,
                    statistics: Default::default(),
                };
                table.rows.insert(Cell { layer: *layer, heads: Heads::All, n, window }, estimate);
            }
        }
        table
    }

    #[test]
    fn an_earlier_table_is_drawn_at_the_layer_on_screen_with_its_name() {
        let earlier = table("random-llama", &[0, 6]);
        let series = series_beside(&earlier, Some((6, Heads::All)));
        assert_eq!((series.len(), series[0].data.len(), series[0].data[0]), (2, 4, (2.0, 14.0)));
        assert!(series.iter().all(|series| series.label.contains("random-llama") && series.label.contains('6')));
        // Another layer is drawn where it lacks this one, and its name says which.
        let other = series_beside(&earlier, Some((3, Heads::All)));
        assert!(other[0].label.contains('0') && other[0].data[0] == (2.0, 2.0), "{}", other[0].label);
        assert!(series_beside(&Table::new(earlier.subject), None).is_empty());
    }
}
