//! How far the norm at the present tokens holds around them: bounds for all tokens within eps of the present ones, as
//! curves over eps.

use crate::prelude::*;

use crate::charts::{ExperimentSource, exportable, keep_for_paper};
use crate::field::Field;
use crate::page::{Page, PlotChoice, use_page};
use crate::plane::{Moves, PlaneCanvas, Size, scene, use_plane};
use crate::state::{CertifySettings, PageState, Settings, TokenChoice};
use crate::strings::{self, Paper};
use crate::theory::Place;
use lipscope_core::bounds::Norm;
use lipscope_core::certify::{Certified, CertifiedRow, CertifyPlan};
use lipscope_core::search::NearbyEffort;
use lipscope_plot::{AxisSpec, Extent, Kind, LineChart, Mark, Role, Scale, Series, SeriesKind, Table};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

use super::card::{CardPicture, Pictures};
use super::frame::{Fact, LabParts, lab_view};
use super::inputs::{LabNumber, LabSlider, Slide};
use super::lab::Lab;
use super::plot::{LabPlot, Written, plot_ids};
use crate::phase::Phase;
use crate::query::{Query, Request};

/// The values of eps/R that are drawn in each decade.
const IN_A_DECADE: [f64; 6] = [1.0, 1.5, 2.0, 3.0, 5.0, 7.0];
/// The curves are drawn up to this many times the bound on the ball: past that `certified(eps)` says nothing.
const HEADROOM: f64 = 4.0;

/// The values of eps/R that are drawn, from 1e-4 to 1.
fn eps_drawn() -> Vec<f64> {
    let mut all: Vec<f64> = [1e4, 1e3, 1e2, 10.0].iter().flat_map(|part| IN_A_DECADE.map(|eps| eps / part)).collect();
    all.push(1.0);
    all
}

/// The drawn eps/R nearest 10^log10.
fn eps_at(log10: f64) -> f64 {
    let distance = |eps: &f64| (eps.log10() - log10).abs();
    eps_drawn().into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(1.0)
}

/// Bounds for all tokens within eps of the present ones.
pub struct CertifyLab;

impl Lab for CertifyLab {
    const PLOT: PlotChoice = PlotChoice::Certify;
    type Data = Option<Certified>;

    fn request(settings: &Settings, state: &PageState) -> Request {
        if state.tokens == TokenChoice::Clusters {
            return Err(strings::clusters_have_no_list());
        }
        let CertifySettings { relative, restarts } = settings.certify;
        let mut all = eps_drawn();
        if let Err(at) = all.binary_search_by(|eps| eps.total_cmp(&relative)) {
            all.insert(at, relative);
        }
        let effort = NearbyEffort { restarts, ..NearbyEffort::DEFAULT };
        Ok(vec![EnginePlan::Certify(CertifyPlan { experiment: state.experiment(), relative: all, effort })])
    }

    fn on_event(run: Query<Self::Data>, _: &EnginePlan, event: EngineEvent) {
        if let EngineEvent::Certify(found) = event {
            run.fresh(|data| *data = Some(found));
        }
    }

    fn card(pictures: &Pictures) -> Option<CardPicture> {
        Some(CardPicture::Lines(chart(Some(&pictures.certify), None)))
    }

    fn view(run: Query<Self::Data>) -> AnyView {
        let page = use_page();
        let relative = memo(move |_| page.settings.with(|settings| settings.certify.relative));
        let plot = LabPlot::new(
            plot_ids!("certify"),
            run,
            move |found| chart(found.as_ref(), Some(relative.get())),
            move |found| strings::certify_finding(row_at(found, relative.get()).as_ref()),
            move |found, at| strings::certify_readout(row_at(found, at.unwrap_or_else(|| relative.get())).as_ref()),
            |found, written| table(found.as_ref(), written),
        );
        let at = plot.at();
        let row = memo(move |_| run.with(|data| row_at(data, at.get().unwrap_or_else(|| relative.get()))));
        let value = move |get: fn(&CertifiedRow) -> f64| Signal::derive(move || row.with(|row| row.as_ref().map(get)));
        let here = move || run.with(|data| data.as_ref().map(|found| (found.spectral, found.is_converged)));
        let here_sign = Signal::derive(move || strings::claim(here().is_some_and(|(_, is_converged)| is_converged)));
        let slide = Slide { step: "0.02", place: f64::log10, value: eps_at, written: strings::times_radius };
        let plots = vec![plot];
        lab_view(run, plots, LabParts {
            id: "certify",
            plot: Self::PLOT,
            controls: view! {
                <div class="lab-head">
                    <LabSlider id="certify-slider" label=strings::certify_eps() field=Field::CERTIFY_EPS slide/>
                    <LabNumber field=Field::CERTIFY_EPS/>
                    <LabNumber field=Field::CERTIFY_RESTARTS/>
                </div>
                <p class="lab-finding" data-testid="certify-finding">{move || strings::certify_finding(row.get().as_ref())}</p>
            }
            .into_any(),
            aside: Some(view! { <Discs run/> }.into_any()),
            facts: view! {
                <dl class="lab-facts">
                    <Fact id="certify-epsilon" name=strings::EPS sign="=" value=value(|row| row.epsilon)/>
                    <Fact id="certify-here" name=strings::certify_here() sign=here_sign value=Signal::derive(move || here().map(|(norm, _)| norm))/>
                    <Fact id="certify-local" name=strings::certify_local() sign="≤" value=value(|row| row.local)/>
                    <Fact id="certify-found" name=strings::certify_found() sign="≥" value=value(|row| row.found)/>
                    <Fact id="certify-certified" name=strings::certify_certified() sign="≤" value=value(|row| row.certified)/>
                    <Fact id="certify-ball" name=strings::certify_ball() sign="≤" value=value(|row| row.ball)/>
                </dl>
            }
            .into_any(),
            terms: vec![
                (strings::EPS, strings::certify_eps_about()),
                (strings::certify_certified(), strings::certify_certified_about()),
                (strings::certify_local(), strings::certify_local_about()),
                (strings::certify_ball(), strings::certify_ball_about()),
                (strings::certify_found(), strings::certify_found_about()),
                Field::CERTIFY_RESTARTS.meaning(),
            ],
            paper: Paper::Castin,
            theory: Some(Place::Certified),
            source: ExperimentSource::Experiment,
        })
    }
}

/// The tokens, each with the disc that it may move in. The reader can move the tokens here.
#[component]
fn Discs(
    /// The bounds around the tokens.
    run: Query<Option<Certified>>,
) -> impl IntoView {
    let page = use_page();
    let moves = Signal::derive(move || Some(moves(page, run)));
    let is_flat = memo(move |_| page.answers.measured.with(|m| m.as_ref().is_some_and(|m| m.tokens.d == 2)));
    let plane = use_plane();
    keep_for_paper("certify-plane", strings::certify_heading(), move |_| {
        exportable(untrack(|| scene(plane, Size::Small, moves.get())))
    });
    view! {
        <figure class="lab-plane certify-plane">
            <div class="small-stage" hidden=move || !is_flat.get()>
                <PlaneCanvas id="certify-plane" size=Size::Small moves words=move || strings::certify_plane(certify_shown(page))/>
            </div>
            <figcaption class="note">
                {move || if is_flat.get() { strings::certify_plane(certify_shown(page)) } else { strings::certify_not_flat().into() }}
            </figcaption>
        </figure>
    }
}

fn certify_shown(page: Page) -> f64 {
    page.settings.with(|settings| settings.certify.relative)
}

/// The radius within which each token may move, and where the search has moved the tokens. No moves while the search
/// runs, or while a token is held.
fn moves(page: Page, run: Query<Option<Certified>>) -> Moves {
    let relative = certify_shown(page);
    let found = run.with(|data| {
        let found = data.as_ref().filter(|_| run.phase() == Phase::Done && !page.held.get())?;
        found.places.get(index_at(found, relative)?).cloned()
    });
    Moves { relative, found }
}

/// The row at eps/R, or the nearest one.
fn row_at(found: &Option<Certified>, relative: f64) -> Option<CertifiedRow> {
    let found = found.as_ref()?;
    found.rows.get(index_at(found, relative)?).copied()
}

fn index_at(found: &Certified, relative: f64) -> Option<usize> {
    let distance = |at: &usize| (found.rows[*at].relative / relative).ln().abs();
    (0..found.rows.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// The bounds and the search results over eps, with a mark at the eps that is read.
pub fn chart(found: Option<&Certified>, read_at: Option<f64>) -> LineChart {
    let rows = found.map_or(&[][..], |found| &found.rows);
    let of = |read: fn(&CertifiedRow) -> f64| rows.iter().map(|row| (row.relative, read(row))).collect::<Vec<_>>();
    let line = |id, name: &str, short: &str, role, data| {
        Series::new(id, name, role, SeriesKind::Line, data).short_label(short)
    };
    let here = rows.iter().map(|row| (row.relative, found.map_or(f64::NAN, |found| found.spectral))).collect();
    let series = vec![
        line("here", strings::certify_here(), strings::certify_here_short(), Role::Reference, here),
        line("local", strings::certify_local(), strings::certify_local_short(), Role::Local, of(|row| row.local)),
        line("ball", strings::certify_ball(), strings::certify_ball_short(), Role::Unified, of(|row| row.ball)),
        line(
            "certified",
            strings::certify_certified(),
            strings::certify_certified(),
            Role::Sharp,
            of(|row| row.certified),
        ),
        line("found", strings::certify_found(), strings::certify_found_short(), Role::LowerBound, of(|row| row.found)),
        Series::new("found-points", "", Role::LowerBound, SeriesKind::Points, of(|row| row.found)),
    ];
    let (least, most) = Field::CERTIFY_EPS.range;
    let x = AxisSpec::new(strings::certify_x(), Scale::Log).range(Extent::new(least, most));
    let mut chart = LineChart::new(x, AxisSpec::new(strings::norm_axis(Norm::Spectral), Scale::Log), series);
    if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
        let least = found.map_or(first.found, |found| found.spectral).min(first.local);
        chart.y.range = Extent::new(least, HEADROOM * last.ball).map(|extent| extent.nice(Scale::Log));
    }
    chart.mark_x = read_at.map(|relative| Mark { x: relative, label: strings::eps_equals(relative) });
    chart
}

/// A row for each eps, with the columns of the command line.
fn table(found: Option<&Certified>, written: Written<'_>) -> Table {
    let row = |row: &CertifiedRow| {
        let (plain, upper) = (Kind::Plain, Kind::UpperBound);
        let numbers = [(row.relative, plain), (row.epsilon, plain), (row.certified, upper), (row.local, upper)];
        let others = [(row.ball, upper), (row.found, Kind::LowerBound)];
        numbers.into_iter().chain(others).map(|(x, kind)| written(x, kind)).collect()
    };
    let rows = found.map_or(&[][..], |found| &found.rows).iter().map(row).collect();
    Table { header: strings::certify_columns().map(String::from).to_vec(), rows }
}
