//! The sheet of exported pictures: which panels, how wide, on what ground, and what is written under them.

use crate::prelude::*;
use leptos::ev;
use wasm_bindgen::JsCast;

use crate::strings;
use lipscope_plot::{AltText, Caption, DrawingTool, Ground, Sheet, SheetWidth};

use super::picture::{Exportable, Picture};

/// The size of a picture that is not on screen, in CSS pixels.
const OFF_SCREEN: (f64, f64) = (720.0, 480.0);
/// CSS pixels in an inch.
const INCH: f64 = 96.0;

/// A picture of a view that can be a panel of a sheet.
#[derive(Clone, Copy)]
pub struct PanelSource {
    /// The id of its canvas.
    pub canvas: &'static str,
    /// Makes the picture as it is now, for a size in CSS pixels.
    pub figure: Callback<((f64, f64),), Picture>,
}

/// Which panels of a view with two are on the sheet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Panels {
    /// Both.
    #[default]
    Both,
    /// The left one.
    Left,
    /// The right one.
    Right,
}

impl Panels {
    const ALL: [Panels; 3] = [Panels::Both, Panels::Left, Panels::Right];

    fn id(self) -> &'static str {
        self.into()
    }
}

/// The choices of a reader about the sheet.
#[derive(Clone, Copy)]
pub struct SheetChoice {
    panels: RwSignal<Panels>,
    width: RwSignal<SheetWidth>,
    ground: RwSignal<Ground>,
    caption: RwSignal<bool>,
    link: RwSignal<bool>,
    cursor: RwSignal<bool>,
}

impl Default for SheetChoice {
    fn default() -> Self {
        SheetChoice {
            panels: RwSignal::default(),
            width: RwSignal::default(),
            ground: RwSignal::default(),
            caption: RwSignal::new(true),
            link: RwSignal::new(true),
            cursor: RwSignal::new(false),
        }
    }
}

/// A sheet with its pictures.
pub struct Print {
    /// The SVG document.
    pub svg: String,
    /// Its size in CSS pixels.
    pub size: (f64, f64),
}

impl SheetChoice {
    /// The panels that are chosen, of a view with one or two.
    pub fn chosen(self, left: Option<PanelSource>, right: PanelSource) -> Vec<PanelSource> {
        let Some(left) = left else { return vec![right] };
        match self.panels.get_untracked() {
            Panels::Both => vec![left, right],
            Panels::Left => vec![left],
            Panels::Right => vec![right],
        }
    }

    /// The caption, of which the reader may leave out both parts.
    pub fn caption(self, settings: impl FnOnce() -> String, link: impl FnOnce() -> Option<String>) -> Caption {
        let settings = if self.caption.get_untracked() { settings() } else { String::new() };
        Caption { settings, link: if self.link.get_untracked() { link() } else { None } }
    }

    /// The sheet with its pictures; `None` while one of them is missing.
    pub fn print(self, sources: &[PanelSource], title: &str, caption: &Caption) -> Option<Print> {
        let (sheet, pictures) = (self.sheet(), self.pictures(sources)?);
        let shapes: Vec<f64> = pictures.iter().map(|(_, shape)| *shape).collect();
        let layout = sheet.lay_out(&shapes, caption);
        let style = sheet.style();
        let panel = |((picture, _), rect): (&Shaped, &lipscope_plot::PixelRect)| {
            picture.panel((rect.width(), rect.height()), &style)
        };
        let drawn = pictures.iter().zip(&layout.panels).map(panel).collect::<Option<Vec<_>>>()?;
        let descriptions: Vec<String> = pictures.iter().map(|(picture, _)| picture.description()).collect();
        let alt = AltText { title, description: &descriptions.join(". ") };
        Some(Print { svg: sheet.document(&layout, &drawn, alt, caption), size: layout.size })
    }

    /// The source of the last picture for a tool; `None` while it is missing, or where it is more than lines and dots.
    pub fn source(self, sources: &[PanelSource], title: &str, tool: DrawingTool) -> Option<String> {
        let (picture, shape) = self.pictures(sources)?.pop()?;
        let panels = self.sheet().lay_out(&[shape], &Caption::default()).panels;
        let rect = panels.first()?;
        Some(tool.source(&picture.plotted()?, title, (rect.width() / INCH, rect.height() / INCH)))
    }

    fn sheet(self) -> Sheet {
        Sheet { width: self.width.get_untracked(), ground: self.ground.get_untracked() }
    }

    fn pictures(self, sources: &[PanelSource]) -> Option<Vec<Shaped>> {
        let picture = |source: &PanelSource| {
            let size = size_on_screen(source.canvas);
            let mut picture = source.figure.run((size,))?;
            if !self.cursor.get_untracked() {
                picture.hide_cursor();
            }
            let (width, height) = picture.filled(size);
            Some((picture, height / width))
        };
        sources.iter().map(picture).collect()
    }
}

/// A picture, and its height over its width on screen.
type Shaped = (Box<dyn Exportable>, f64);

/// The controls of the sheet.
#[component]
pub fn SheetControls(
    /// The choices.
    choice: SheetChoice,
    /// The second panel of the view, if it has one.
    left: Option<PanelSource>,
) -> impl IntoView {
    let SheetChoice { panels, width, ground, caption, link, cursor } = choice;
    let panel_words = |panels: Panels| match panels {
        Panels::Both => strings::export_panel::both(),
        Panels::Left => strings::export_panel::left(),
        Panels::Right => strings::export_panel::right(),
    };
    view! {
        <p hidden=left.is_none()>
            <Choice name="panels" label=strings::export_panels() options=Panels::ALL.map(|one| (one.id(), panel_words(one))).into() put=move |id: String| choose(panels, Panels::ALL, Panels::id, &id)/>
        </p>
        <p>
            <Choice name="width" label=strings::export_width() options=SheetWidth::NAMED.map(|one| (one.id(), width_words(one))).into() now=width.get_untracked().id() put=move |id: String| choose(width, SheetWidth::NAMED, SheetWidth::id, &id)/>
            <Choice name="sheet" label=strings::export_sheet() options=Ground::ALL.map(|one| (one.id(), ground_words(one))).into() put=move |id: String| choose(ground, Ground::ALL, Ground::id, &id)/>
        </p>
        <p>
            <Tick name="caption" words=strings::export_caption() on=caption/>
            <Tick name="link" words=strings::export_link() on=link/>
            <Tick name="cursor" words=strings::export_cursor() on=cursor/>
        </p>
    }
}

fn width_words(width: SheetWidth) -> &'static str {
    match width {
        SheetWidth::Column => strings::export_widths::column(),
        SheetWidth::Slide => strings::export_widths::slide(),
        SheetWidth::Page | SheetWidth::Inches(_) => strings::export_widths::page(),
    }
}

fn ground_words(ground: Ground) -> &'static str {
    match ground {
        Ground::White => strings::export_ground::white(),
        Ground::None => strings::export_ground::none(),
        Ground::Dark => strings::export_ground::dark(),
    }
}

/// Sets a signal to the value with an id.
fn choose<T: Copy + Send + Sync + 'static, const N: usize>(
    signal: RwSignal<T>,
    all: [T; N],
    id_of: fn(T) -> &'static str,
    id: &str,
) {
    if let Some(value) = all.into_iter().find(|one| id_of(*one) == id) {
        signal.set(value);
    }
}

/// A list to choose one of.
#[component]
fn Choice(
    /// Its name among the choices.
    name: &'static str,
    /// Its label.
    label: &'static str,
    /// The ids and the names of the values.
    options: Vec<(&'static str, &'static str)>,
    /// The id of the value that is chosen at first, if it is not the first one.
    #[prop(optional)]
    now: &'static str,
    /// Takes the id of another value.
    put: impl Fn(String) + 'static,
) -> impl IntoView {
    let option =
        move |(id, words): (&'static str, &'static str)| view! { <option value=id selected=id == now>{words}</option> };
    let on_change = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| put(event.target().value());
    view! {
        <label class="export-choice">
            {label}
            <select data-choice=name on:change:target=on_change>{options.into_iter().map(option).collect_view()}</select>
        </label>
    }
}

/// A box to tick.
#[component]
fn Tick(
    /// Its name among the choices.
    name: &'static str,
    /// Its label.
    words: &'static str,
    /// Whether it is ticked.
    on: RwSignal<bool>,
) -> impl IntoView {
    view! {
        <label class="export-choice">
            <input type="checkbox" data-choice=name prop:checked=move || on.get() on:change=move |_| on.update(|on| *on = !*on)/>
            {words}
        </label>
    }
}

/// The size of a canvas on screen, in CSS pixels.
fn size_on_screen(id: &str) -> (f64, f64) {
    let element = document().get_element_by_id(id).and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
    let size = element.map(|element| (f64::from(element.offset_width()), f64::from(element.offset_height())));
    size.filter(|(width, height)| *width >= 1.0 && *height >= 1.0).unwrap_or(OFF_SCREEN)
}
