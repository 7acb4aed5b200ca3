//! Files in and out: reading what is dropped or chosen, copying, saving. Files and texts that are dropped on the page
//! go to the view on screen if it takes files, else to the form of own data.

use std::rc::Rc;
use std::time::Duration;

use crate::prelude::*;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, DataTransfer, File, HtmlAnchorElement, HtmlCanvasElement,
    HtmlImageElement, Url,
};

use crate::state::PlotChoice;

use super::strings;

/// The largest file that the page reads.
pub const MAX_FILE_BYTES: f64 = (32 << 20) as f64;

/// How long the page says that a text was copied.
const COPIED_FOR: Duration = Duration::from_secs(4);

/// Reads a file, and calls `then` with its name and its bytes, or with the sentence to show.
pub fn read(file: File, then: impl FnOnce(String, Result<Vec<u8>, String>) + 'static) {
    let name = file.name();
    if file.size() > MAX_FILE_BYTES {
        let problem = strings::file_too_large(&name, file.size(), MAX_FILE_BYTES);
        return then(name, Err(problem));
    }
    spawn_local(async move {
        let bytes = JsFuture::from(file.array_buffer()).await.map(|buffer| Uint8Array::new(&buffer).to_vec());
        let unreadable = strings::file_unreadable(&name);
        then(name, bytes.map_err(|_| unreadable));
    });
}

/// Copies a text and says in `note` whether that worked.
pub fn copy(text: String, note: RwSignal<&'static str>) {
    let clipboard = window().navigator().clipboard();
    if clipboard.is_undefined() {
        // A page that was not served over https has no clipboard.
        return note.set(strings::not_copied());
    }
    let writing = clipboard.write_text(&text);
    spawn_local(async move {
        if JsFuture::from(writing).await.is_err() {
            return note.set(strings::not_copied());
        }
        note.set(strings::copied());
        let forget = move || {
            // The view may have gone, or the note may say something else by now.
            if note.try_get_untracked() == Some(strings::copied()) {
                note.set("");
            }
        };
        set_timeout(forget, COPIED_FOR);
    });
}

/// Saves a text in a file on the reader's machine.
pub fn download(name: &str, kind: &str, text: &str) {
    // A browser that refuses to save shows this by itself.
    let _ = try_download(name, kind, text);
}

/// Saves a canvas as a PNG file; the browser encodes it on a thread of its own.
fn download_canvas(name: &str, canvas: &HtmlCanvasElement, note: RwSignal<&'static str>) {
    let name = name.to_owned();
    let on_blob = Closure::once_into_js(move |blob: JsValue| {
        if blob.dyn_into::<Blob>().and_then(|blob| save(&name, &blob)).is_err() {
            note.set(strings::no_picture());
        }
    });
    if canvas.to_blob(on_blob.unchecked_ref()).is_err() {
        note.set(strings::no_picture());
    }
}

/// Saves an SVG document as a PNG file, with this many pixels to a CSS pixel; `size` is that of the document in CSS pixels.
pub fn download_png(name: &str, svg: String, size: (f64, f64), scale: u32, note: RwSignal<&'static str>) {
    let name = name.to_owned();
    spawn_local(async move {
        match painted(&svg, size, scale).await {
            Ok(canvas) => download_canvas(&name, &canvas, note),
            Err(_) => note.set(strings::no_picture()),
        }
    });
}

/// An SVG document on a canvas.
async fn painted(svg: &str, (width, height): (f64, f64), scale: u32) -> Result<HtmlCanvasElement, JsValue> {
    let url = Url::create_object_url_with_blob(&text_blob("image/svg+xml", svg)?)?;
    let image = HtmlImageElement::new()?;
    image.set_src(&url);
    let decoded = JsFuture::from(image.decode()).await;
    Url::revoke_object_url(&url)?;
    decoded?;
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    let [width, height] = [width, height].map(|length| (length * f64::from(scale)).round().max(1.0));
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?.dyn_into::<CanvasRenderingContext2d>()?;
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height)?;
    Ok(canvas)
}

/// Saves bytes in a file on the reader's machine.
pub fn download_bytes(name: &str, bytes: &[u8]) {
    let blob = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes)));
    // A browser that refuses to save shows this by itself.
    let _ = blob.and_then(|blob| save(name, &blob));
}

type Taker = Rc<dyn Fn(&DataTransfer)>;
type OtherTaker = Rc<dyn Fn(Dropped)>;

/// What was dropped, in a form that outlives the event: the browser empties the event's own data when its handlers are
/// over.
pub enum Dropped {
    /// The first of the files.
    File(File),
    /// A text.
    Text(String),
}

impl Dropped {
    /// Takes it out of the data of an event that is being handled.
    pub fn of(data: &DataTransfer) -> Self {
        match data.files().and_then(|files| files.get(0)) {
            Some(file) => Dropped::File(file),
            None => Dropped::Text(data.get_data("text/plain").unwrap_or_default()),
        }
    }
}

/// Which view takes dropped data, for each plot, and what takes them where no view does.
#[derive(Clone, Copy)]
pub struct Drops {
    of_plots: StoredValue<Vec<(PlotChoice, Taker)>, LocalStorage>,
    others: StoredValue<Option<OtherTaker>, LocalStorage>,
}

impl Default for Drops {
    fn default() -> Self {
        Drops { of_plots: StoredValue::new_local(Vec::new()), others: StoredValue::new_local(None) }
    }
}

/// The views that take dropped data, from the context.
pub fn use_drops() -> Drops {
    expect_context()
}

impl Drops {
    /// Registers `take` for data that are dropped while `plot` is on screen.
    pub fn taken_by(self, plot: PlotChoice, take: impl Fn(&DataTransfer) + 'static) {
        self.of_plots.update_value(|takers| takers.push((plot, Rc::new(take))));
    }

    /// Hands over data that were dropped while a plot was on screen. False where no view takes them.
    pub fn hand_over(self, plot: PlotChoice, data: &DataTransfer) -> bool {
        let taker = self
            .of_plots
            .with_value(|takers| takers.iter().find(|(of, _)| *of == plot).map(|(_, take)| Rc::clone(take)));
        taker.inspect(|take| take(data)).is_some()
    }

    /// Registers `take` for data that no view takes. The later part does so when it begins.
    pub fn otherwise_by(self, take: impl Fn(Dropped) + 'static) {
        self.others.set_value(Some(Rc::new(take)));
    }

    /// Hands over data that no view takes.
    pub fn hand_to_others(self, dropped: Dropped) {
        if let Some(take) = self.others.get_value() {
            take(dropped);
        }
    }
}

fn try_download(name: &str, kind: &str, text: &str) -> Result<(), JsValue> {
    save(name, &text_blob(kind, text)?)
}

fn text_blob(kind: &str, text: &str) -> Result<Blob, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    Blob::new_with_str_sequence_and_options(&Array::of1(&JsValue::from_str(text)), &options)
}

fn save(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(blob)?;
    let anchor: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    // The browser needs the address only to begin. It is revoked a moment later.
    set_timeout(
        move || {
            let _ = Url::revoke_object_url(&url);
        },
        Duration::from_secs(10),
    );
    Ok(())
}
