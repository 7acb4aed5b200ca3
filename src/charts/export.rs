//! What can be exported from a view: its picture, its numbers, its experiment, and what to cite.

use crate::prelude::*;
use leptos::ev;
use leptos::html::Details;
use wasm_bindgen::JsCast;

use crate::export::{ask_script, copy_link, experiment_text};
use crate::files::{copy, download, download_png};
use crate::page::use_page;
use crate::strings::{self, Paper};
use lipscope_core::script::Dialect;
use lipscope_plot::DrawingTool;

use super::paper::keep_for_paper;
use super::picture::Picture;
use super::sheet::{PanelSource, SheetChoice, SheetControls};

/// How many pixels of a PNG file are as wide as one CSS pixel: 192 and 288 dots per inch.
const PNG_SCALES: [u32; 2] = [2, 3];

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
    /// The picture at the left of this one, where the view has two.
    #[prop(optional)]
    left: Option<PanelSource>,
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
    let choice = SheetChoice::default();
    let caption = move || {
        let settings = || match source {
            ExperimentSource::Experiment => page.state.with_untracked(strings::settings),
            ExperimentSource::Others => String::new(),
        };
        choice.caption(settings, || page.published_link())
    };
    let panels = move || choice.chosen(left, PanelSource { canvas, figure });
    let print = move || choice.print(&panels(), title, &caption());
    let svg = move || match print() {
        Some(print) => download(&format!("{name}.svg"), "image/svg+xml", &print.svg),
        None => note.set(strings::no_picture()),
    };
    let png = move |scale: u32| match print() {
        Some(print) => download_png(&format!("{name}.png"), print.svg, print.size, scale, note),
        None => note.set(strings::no_picture()),
    };
    let png_button = move |scale: u32| {
        let name = if scale == PNG_SCALES[0] { "png".to_owned() } else { format!("png-{scale}") };
        view! { <button type="button" data-export=name on:click=move |_| png(scale)>{format!("PNG {scale}×")}</button> }
    };
    let redraw = move |tool: DrawingTool| match choice.source(&panels(), title, tool) {
        Some(text) => download(&format!("{name}.{}", tool.extension()), tool.media_type(), &text),
        None => note.set(strings::no_source()),
    };
    let tool_button = move |tool: DrawingTool| {
        view! { <button type="button" data-export=tool.id() on:click=move |_| redraw(tool)>{strings::tool_name(tool)}</button> }
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
                <SheetControls choice left/>
                <p>
                    <span>{strings::export_picture()}</span>
                    <button type="button" data-export="svg" on:click=move |_| svg()>"SVG"</button>
                    {PNG_SCALES.map(png_button).collect_view()}
                </p>
                <p class="note">{strings::export_pdf()}</p>
                <p>
                    <span>{strings::export_redraw()}</span>
                    {DrawingTool::ALL.map(tool_button).collect_view()}
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
