//! What can be exported from a view: its picture, its numbers, its experiment, and what to cite.

use crate::prelude::*;
use leptos::ev;
use leptos::html::Details;
use wasm_bindgen::JsCast;

use crate::export::{ask_script, copy_link, experiment_text};
use crate::files::{copy, download, download_canvas};
use crate::page::use_page;
use crate::state::Stage;
use crate::strings::{self, Paper};
use lipscope_core::script::Dialect;
use lipscope_plot::Caption;

use super::easel::Easel;
use super::paper::keep_for_paper;
use super::picture::Picture;

/// How many pixels of a PNG are as wide as one CSS pixel.
const PNG_SCALE: f64 = 2.0;
/// The size of a picture that is not on screen, in CSS pixels.
const OFF_SCREEN: (f64, f64) = (720.0, 480.0);
/// Pictures that are narrower than this on screen are exported larger, so that they can be printed.
const LEAST_WIDTH: f64 = 600.0;

/// Whether a view shows the experiment of the controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExperimentSource {
    /// The view shows the experiment of the controls.
    Experiment,
    /// The view has experiments of its own.
    Others,
}

/// A fold with everything that can be exported.
#[component]
pub fn ExportFold(
    /// The id of the fold.
    id: &'static str,
    /// The name of the files, without the extension.
    name: &'static str,
    /// The id of the canvas.
    canvas: &'static str,
    /// The title of the picture.
    title: &'static str,
    /// Makes the picture as it is now, for a size in CSS pixels.
    #[prop(into)]
    figure: Callback<((f64, f64),), Picture>,
    /// Makes the CSV file of the picture's numbers.
    #[prop(into)]
    csv: Callback<(), String>,
    /// The paper whose results the view shows.
    paper: Paper,
    /// Whether the view shows the experiment of the controls.
    source: ExperimentSource,
) -> impl IntoView {
    let page = use_page();
    let note = RwSignal::new("");
    keep_for_paper(canvas, title, move |size| figure.run((size,)));
    let fold = NodeRef::<Details>::new();
    let close = move || {
        if let Some(fold) = fold.get_untracked() {
            fold.set_open(false);
        }
    };
    let pressed = window_event_listener(ev::pointerdown, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
        if let Some(fold) = fold.get_untracked().filter(|fold| fold.open() && !fold.contains(target.as_ref())) {
            fold.set_open(false);
        }
    });
    on_cleanup(move || pressed.remove());
    let caption = move || {
        let settings = match source {
            ExperimentSource::Experiment => page.state.with_untracked(strings::settings),
            ExperimentSource::Others => String::new(),
        };
        Caption { settings, link: page.link_to(Stage::Full) }
    };
    let svg = move || {
        let size = size_of(canvas);
        match figure.run((size,)).and_then(|picture| picture.svg(picture.filled(size), title, &caption())) {
            Some(svg) => download(&format!("{name}.svg"), "image/svg+xml", &svg),
            None => note.set(strings::no_picture()),
        }
    };
    let png = move || {
        let size = size_of(canvas);
        let painted = figure.run((size,)).and_then(|picture| {
            let size = picture.filled(size);
            let easel = Easel::off_screen(size, PNG_SCALE)?;
            picture.paint_on(&easel)?;
            easel.captioned(size, &caption())
        });
        match painted {
            Some(easel) => download_canvas(&format!("{name}.png"), easel.canvas(), note),
            None => note.set(strings::no_picture()),
        }
    };
    let script = move |dialect: Dialect| {
        view! {
            <button type="button" data-export=dialect.id() title=strings::script_hint(dialect) on:click=move |_| ask_script(page, dialect)>
                {strings::script_name(dialect)}
            </button>
        }
    };
    view! {
        <details class="export" id=id node_ref=fold on:keydown=move |event| if event.key() == "Escape" { close() }>
            <summary>{strings::export()}</summary>
            <div class="export-list" role="group" aria-label=strings::export()>
                <p>
                    <span>{strings::export_picture()}</span>
                    <button type="button" data-export="svg" on:click=move |_| svg()>"SVG"</button>
                    <button type="button" data-export="png" on:click=move |_| png()>"PNG"</button>
                </p>
                <p>
                    <span>{strings::export_numbers()}</span>
                    <button type="button" data-export="csv" on:click=move |_| download(&format!("{name}.csv"), "text/csv", &csv.run(()))>"CSV"</button>
                </p>
                <p hidden=source == ExperimentSource::Others>
                    <span>{strings::export_experiment()}</span>
                    <button type="button" data-export="link" on:click=move |_| copy_link(page, note)>{strings::copy_link()}</button>
                    <button type="button" data-export="json" on:click=move |_| download("lipscope-experiment.json", "application/json", &experiment_text(page))>"JSON"</button>
                    {Dialect::ALL.map(script).collect_view()}
                </p>
                <p>
                    <span>{strings::export_citation()}</span>
                    <button type="button" data-export="cite-copy" on:click=move |_| copy(strings::citations(paper), note)>{strings::copy_bibtex()}</button>
                    <button type="button" data-export="cite" on:click=move |_| download("lipscope.bib", "application/x-bibtex", &strings::citations(paper))>"BibTeX"</button>
                </p>
                <p role="status">{move || note.get()} {move || page.answers.script_note.get()}</p>
            </div>
        </details>
    }
}

/// The size in CSS pixels of a canvas's picture when it is exported: as on screen, or enlarged to `LEAST_WIDTH`.
fn size_of(id: &str) -> (f64, f64) {
    let element = document().get_element_by_id(id).and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
    let size = element.map(|element| (f64::from(element.offset_width()), f64::from(element.offset_height())));
    let (width, height) = size.filter(|(width, height)| *width >= 1.0 && *height >= 1.0).unwrap_or(OFF_SCREEN);
    let times = (LEAST_WIDTH / width).max(1.0);
    ((times * width).round(), (times * height).round())
}
