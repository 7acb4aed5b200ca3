//! The numbers of the present configuration: their kinds, their computation, and the bounds on them.

use crate::prelude::*;

use lipscope_core::bounds::Norm;
use lipscope_core::measure::Measurement;
use lipscope_plot::{Kind, Number};

use super::charts::{AttentionMap, BoundLadder, Loads};
use super::controls::Meanings;
use super::page::{Page, use_page};
use super::plane::TokenView;
use super::strings;

/// All numbers, and the small views beside them.
#[component]
pub fn Details() -> impl IntoView {
    view! {
        <Numbers/>
        <div class="smalls">
            <BoundLadder/>
            <AttentionMap/>
            <TokenView/>
        </div>
    }
}

/// A number in a row of the panel.
#[derive(Clone, Debug, Default, PartialEq)]
struct DisplayedNumber {
    sign: &'static str,
    text: String,
    /// All digits: shown on hover, and read by programs.
    full: String,
}

impl DisplayedNumber {
    fn of(value: f64, kind: Kind) -> Self {
        DisplayedNumber { sign: kind.sign(), text: Number::digits(value, kind).to_string(), full: value.to_string() }
    }

    /// A number of tokens: with all digits if people would write it so.
    fn count(n: f64) -> Self {
        let text = strings::count(n);
        DisplayedNumber { text, full: n.to_string(), ..DisplayedNumber::default() }
    }

    fn whole(value: usize) -> Self {
        DisplayedNumber { text: value.to_string(), full: value.to_string(), ..DisplayedNumber::default() }
    }
}

/// The panel of numbers.
#[component]
fn Numbers() -> impl IntoView {
    let page = use_page();
    let is_behind = memo(move |_| !page.is_measured());
    view! {
        <section class="numbers" class:stale=is_behind aria-busy=move || page.is_computing().to_string() aria-labelledby="numbers-heading">
            <h2 id="numbers-heading" class="sr-only">{strings::numbers_heading()}</h2>
            <p class="cover-note">{strings::covered()}</p>
            <Headline/>
            <dl class="readings">
                <Reading id="ratio" label=strings::ratio() hint=strings::ratio_hint() missing=Signal::derive(move || strings::missing_ratio(page.state.with(|state| state.n_tokens()))) shown=measured(page, |m, norm| m.norm(norm).filter(|_| m.n > 1.0).map(|value| DisplayedNumber::of(value / m.n.sqrt(), strings::kind_of(m, norm))))/>
                <Reading id="n" label=strings::SMALL_N hint="" missing=strings::needs_dense() shown=measured(page, |m, _| Some(DisplayedNumber::count(m.n)))/>
                <Reading id="d" label=strings::SMALL_D hint="" missing=strings::needs_dense() shown=measured(page, |m, _| Some(DisplayedNumber::whole(m.d)))/>
                <Reading id="radius" label=strings::radius() hint=strings::radius_hint() missing=strings::needs_dense() shown=measured(page, |m, _| Some(DisplayedNumber::of(m.radius, Kind::Plain)))/>
                <Reading id="column-sum" label=strings::largest_column_sum() hint=strings::largest_column_sum_hint() missing=strings::missing::column_sum() shown=measured(page, |m, _| m.largest_column_sum.map(|sum| DisplayedNumber::of(sum, Kind::Exact)))/>
            </dl>
            <dl class="readings ruled">
                <Reading id="large-radius" label=strings::large_radius() hint=strings::large_radius_hint() missing=strings::missing::large_radius() shown=measured(page, |m, _| m.large_radius_limit.map(|limit| DisplayedNumber::of(limit, Kind::Exact)))/>
                <Reading id="mean-field" label=strings::mean_field() hint=strings::mean_field_hint() missing=strings::missing::mean_field() shown=measured(page, |m, _| m.mean_field_limit.map(|limit| DisplayedNumber::of(limit, Kind::Exact)))/>
            </dl>
            <dl class="readings ruled">
                {[Norm::Spectral, Norm::Frobenius, Norm::Linf, Norm::L1].map(|norm| view! { <OtherNorm norm/> }).collect_view()}
            </dl>
            <dl class="readings ruled">
                <Reading id="method" label=strings::method_text() hint="" missing=strings::needs_dense() shown=measured(page, |m, _| Some(DisplayedNumber { text: strings::method(m.method).into(), full: m.method.id().into(), ..DisplayedNumber::default() }))/>
                <Reading id="iterations" label=strings::iterations() hint="" missing=strings::needs_dense() shown=measured(page, |m, _| Some(DisplayedNumber::whole(m.iterations)))/>
                <Reading id="residual" label=strings::residual() hint=strings::residual_hint() missing=strings::needs_dense() shown=measured(page, |m, _| Some(DisplayedNumber::of(m.relative_residual, Kind::Plain)))/>
                <Reading id="upper" label=strings::upper() hint=strings::upper_hint() missing=Signal::derive(move || strings::missing_upper(page.norm())) shown=measured(page, |m, norm| m.upper.filter(|_| norm == Norm::Spectral).map(|upper| DisplayedNumber { sign: Kind::UpperBound.sign(), text: strings::upper_number(&upper), full: upper.value.to_string() }))/>
                <Time/>
            </dl>
            <Meanings of=vec![
                (strings::ratio(), strings::ratio_hint()),
                (strings::radius(), strings::radius_hint()),
                (strings::largest_column_sum(), strings::largest_column_sum_hint()),
                (strings::large_radius(), strings::large_radius_hint()),
                (strings::mean_field(), strings::mean_field_hint()),
                (strings::norm_label(Norm::Frobenius), strings::norm_hint(Norm::Frobenius)),
                (strings::norm_label(Norm::Linf), strings::norm_hint(Norm::Linf)),
                (strings::norm_label(Norm::L1), strings::norm_hint(Norm::L1)),
                (strings::residual(), strings::residual_hint()),
                (strings::upper(), strings::upper_hint()),
            ]/>
            <Loads/>
        </section>
    }
}

/// The chosen norm, and in one line how accurate it is.
#[component]
fn Headline() -> impl IntoView {
    let page = use_page();
    let norm = memo(move |_| page.norm());
    let of_measurement = measured(page, value_of);
    let latest = memo(move |_| page.latest_norm());
    // The spectral norm does not wait for the rest of its measurement; other norms come with that rest.
    let shown = memo(move |_| match norm.get() {
        Norm::Spectral => latest.get().map(|((value, kind), _)| DisplayedNumber::of(value, kind)),
        _ => of_measurement.get(),
    });
    let is_behind = memo(move |_| match norm.get() {
        Norm::Spectral => !latest.get().is_some_and(|(_, is_present)| is_present),
        _ => !page.is_measured(),
    });
    let how = memo(move |_| {
        if let Some(progress) = page.answers.measured.progress().filter(|_| page.answers.measured.is_running()) {
            return strings::measuring(progress);
        }
        if is_stale(page) {
            return strings::stale().into();
        }
        if page.is_computing() {
            return strings::computing().into();
        }
        if !page.is_measured() {
            return String::new();
        }
        let norm = norm.get();
        page.answers.measured.with(|m| m.as_ref().map_or_else(String::new, |m| strings::how(&m.measurement, norm)))
    });
    let text = move || shown.with(|s| s.as_ref().map_or_else(|| strings::NONE_YET.into(), |s| s.text.clone()));
    let full = move || shown.with(|s| s.as_ref().map_or_else(String::new, |s| s.full.clone()));
    view! {
        <div class="spectral">
            <p class="label" title=move || strings::norm_hint(norm.get())>{move || strings::norm_title(norm.get())}</p>
            <p class="big" class:stale=is_behind class:busy=move || page.answers.measured.is_running() && page.answers.measured.progress().is_some()>
                <span class="sign">{move || shown.with(|s| s.as_ref().map_or("", |s| s.sign))}</span>
                <span data-testid=move || norm.get().id() data-value=full title=full>{text}</span>
            </p>
            <p class="how" data-testid="how">{move || how.get()}</p>
        </div>
    }
}

/// A norm in the panel; nothing where it is the chosen norm, which the headline shows.
#[component]
fn OtherNorm(
    /// The norm to show.
    norm: Norm,
) -> impl IntoView {
    let page = use_page();
    let is_other = memo(move |_| page.norm() != norm);
    view! {
        <Show when=move || is_other.get()>
            <Reading id=norm.id() label=strings::norm_label(norm) hint=strings::norm_hint(norm) missing=strings::needs_dense() shown=measured(page, move |m, _| value_of(m, norm))/>
        </Show>
    }
}

fn value_of(measurement: &Measurement, norm: Norm) -> Option<DisplayedNumber> {
    measurement.norm(norm).map(|value| DisplayedNumber::of(value, strings::kind_of(measurement, norm)))
}

/// A name and its number.
#[component]
fn Reading(
    /// The name of the number for tests and programs.
    id: &'static str,
    /// The name of the number on the page.
    label: &'static str,
    /// Explains the number, on hover.
    hint: &'static str,
    /// The number of the present measurement; `None` where it was not computed.
    shown: Memo<Option<DisplayedNumber>>,
    /// Why the number is missing, on hover.
    #[prop(into)]
    missing: Signal<&'static str>,
) -> impl IntoView {
    let text = move || shown.with(|s| s.as_ref().map_or_else(|| strings::NONE_YET.into(), |s| s.text.clone()));
    let full = move || shown.with(|s| s.as_ref().map_or_else(String::new, |s| s.full.clone()));
    let title = move || shown.with(|s| s.as_ref().map_or_else(|| missing.get().into(), |s| s.full.clone()));
    view! {
        <div>
            <dt title=hint>{label}</dt>
            <dd>
                <span class="sign">{move || shown.with(|s| s.as_ref().map_or("", |s| s.sign))}</span>
                <span class="value" data-testid=id data-value=full title=title>{text}</span>
            </dd>
        </div>
    }
}

/// How long the worker took.
#[component]
fn Time() -> impl IntoView {
    let page = use_page();
    let taken = memo(move |_| page.answers.measured.with(|measured| measured.as_ref().map(|m| m.milliseconds)));
    let text = move || taken.get().map_or_else(|| strings::NONE_YET.into(), |ms| strings::milliseconds(ms).to_string());
    view! {
        <div>
            <dt>{strings::time()}</dt>
            <dd><span class="value" data-testid="time" data-value=move || taken.get().map(|ms| ms.to_string())>{text}</span></dd>
        </div>
    }
}

/// Reads the latest measurement, in the chosen norm.
fn measured(
    page: Page,
    read: impl Fn(&Measurement, Norm) -> Option<DisplayedNumber> + Send + Sync + 'static,
) -> Memo<Option<DisplayedNumber>> {
    memo(move |_| {
        let norm = page.norm();
        page.answers.measured.with(|measured| measured.as_ref().and_then(|m| read(&m.measurement, norm)))
    })
}

/// Whether the numbers belong to an earlier configuration, because the present one could not be measured.
fn is_stale(page: Page) -> bool {
    page.is_refused() && page.answers.measured.with(Option::is_some) && !page.is_measured()
}
