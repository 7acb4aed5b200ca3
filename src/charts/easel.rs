//! A canvas that is as sharp as the screen. It is painted again when its figure, its size, the zoom or the theme
//! changes.

use std::cell::{Cell, RefCell};
use std::f64::consts::TAU;
use std::rc::Rc;
use std::sync::Arc;

use crate::prelude::*;
use js_sys::{Array, Function, Reflect, Uint8ClampedArray};
use leptos::ev;
use leptos::html::Canvas;
use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, IntoDrawingArea};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ResizeObserver};

use crate::answers::Measured;
use crate::frame::{OncePerFrame, When};
use crate::page::use_page;
use crate::theme::use_themes;
use lipscope_plot::{
    DISC_OPACITY, Disc, Figure, HeatMap, Ladder, LineChart, Panels, PixelRect, Scatter, Style, Theme, Tiles,
    TokenPlane, css,
};

/// Plotters draws marks at whole units only. A pixel of the screen has this many units.
const SUBPIXEL: f64 = 4.0;

/// A figure that can be painted on a canvas.
pub trait Paint: Figure {
    /// Paints the plot over the whole canvas. `None` where the canvas cannot be drawn on; it then keeps its last
    /// picture.
    fn paint(&self, easel: &Easel) -> Option<Self::Layout> {
        self.draw_on(&easel.area()?, &easel.style).ok()
    }

    /// The part of a size that the plot fills, for a file.
    fn filled(&self, size: (f64, f64)) -> (f64, f64) {
        size
    }

    /// Leaves out the line at the x that is read.
    fn hide_cursor(&mut self) {}
}

impl Paint for Ladder {
    fn filled(&self, size: (f64, f64)) -> (f64, f64) {
        self.filled(size, &Style::canvas(Theme::Light, 1.0))
    }
}

impl Paint for LineChart {
    fn hide_cursor(&mut self) {
        self.mark_x = None;
        self.hover_x = None;
    }
}

impl Paint for TokenPlane {}
impl Paint for Tiles {}
impl Paint for Panels {}

impl Paint for Scatter {
    /// Draws the dots by calls of the canvas, without plotters: there may be a great many.
    fn paint(&self, easel: &Easel) -> Option<Self::Layout> {
        let layout = self.draw_under(&easel.area()?, &easel.style).ok()?;
        easel.discs(self.discs(&layout, &easel.style), DISC_OPACITY).ok()?;
        self.draw_over(&easel.area()?, &easel.style, &layout).ok()?;
        Some(layout)
    }
}

impl Paint for HeatMap {
    /// Draws the cells as one image: there may be a great many.
    fn paint(&self, easel: &Easel) -> Option<Self::Layout> {
        let layout = self.draw_without_cells(&easel.area()?, &easel.style).ok()?;
        let (width, height) = easel.pixels(&layout.plot);
        easel.put(&self.rgba(width, height, &easel.style.palette), (width, height), &layout.plot).ok()?;
        self.draw_highlights(&easel.area()?, &easel.style).ok()?;
        Some(layout)
    }
}

/// An observer of a canvas's size, and the closure that it calls.
type Watch = (ResizeObserver, Closure<dyn FnMut()>);

/// A canvas ready to be painted.
pub struct Easel {
    /// Colours, fonts and sizes, at the screen's density.
    pub style: Style,
    /// The size of type and marks in `style`, as a multiple of the usual one.
    times: f64,
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
}

impl Easel {
    /// The same canvas for a picture that cuts its texts where it has less than `least_width` CSS pixels at the usual
    /// size of type: its type is enlarged only as far as this canvas has room for.
    #[must_use]
    pub fn with_room_for(&self, least_width: f64) -> Self {
        let width = f64::from(self.canvas.width()) / self.style.scale;
        let times = (width / least_width).max(1.0).min(self.times);
        let style = self.style.clone().enlarged(times / self.times);
        Easel { style, times, canvas: self.canvas.clone(), context: self.context.clone() }
    }

    /// The canvas as an area for plotters to draw on.
    #[must_use]
    pub fn area(&self) -> Option<DrawingArea<CanvasBackend, Shift>> {
        self.context.set_transform(1.0 / SUBPIXEL, 0.0, 0.0, 1.0 / SUBPIXEL, 0.0, 0.0).ok()?;
        CanvasBackend::with_canvas_object(self.canvas.clone()).map(IntoDrawingArea::into_drawing_area)
    }

    /// Width and height in pixels of the screen, for a rectangle in CSS pixels.
    #[must_use]
    pub fn pixels(&self, rect: &PixelRect) -> (usize, usize) {
        let whole = |length: f64| (length * self.style.scale).round().max(0.0) as usize;
        (whole(rect.width()), whole(rect.height()))
    }

    /// Draws discs that are given in CSS pixels.
    pub fn discs(&self, mut discs: impl Iterator<Item = Disc>, opacity: f64) -> Result<(), JsValue> {
        let (context, scale) = (&self.context, self.style.scale);
        context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0)?;
        context.set_global_alpha(opacity);
        let mut last = None;
        let drawn = discs.try_for_each(|Disc { center: (x, y), radius, color }| {
            if last.replace(color) != Some(color) {
                context.set_fill_style_str(&css(color));
            }
            context.begin_path();
            context.arc(x, y, self.style.marks * radius, 0.0, TAU)?;
            context.fill();
            Ok(())
        });
        context.set_global_alpha(1.0);
        drawn
    }

    /// Puts an image (four bytes a pixel, row by row) at the corner of a rectangle of CSS pixels.
    pub fn put(&self, rgba: &[u8], (width, height): (usize, usize), rect: &PixelRect) -> Result<(), JsValue> {
        if width == 0 || height == 0 {
            return Ok(());
        }
        let constructor: Function = Reflect::get(&js_sys::global(), &"ImageData".into())?.dyn_into()?;
        let bytes = Uint8ClampedArray::from(rgba);
        let image = Reflect::construct(
            &constructor,
            &Array::of3(&bytes, &JsValue::from_f64(width as f64), &JsValue::from_f64(height as f64)),
        )?;
        let put: Function = Reflect::get(&self.context, &"putImageData".into())?.dyn_into()?;
        let at = |css: f64| JsValue::from_f64((css * self.style.scale).round());
        put.call3(&self.context, &image, &at(rect.left), &at(rect.top)).map(|_| ())
    }
}

/// When a canvas is painted after something changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// At the next frame.
    Frame(When),
    /// At the next frame, for a picture that changes with the measured number. Where the next number should come within
    /// a frame, the picture waits for that number: painting the picture twice would delay the number.
    Number(When),
}

/// What was painted last, such as a layout, for the pointer handlers. Views cannot track it.
pub type LastPainted<T> = StoredValue<Option<Rc<T>>, LocalStorage>;

/// Paints a canvas after something changed. `watch` reads the signals that it depends on; `paint` reads their values.
pub fn use_easel(node: NodeRef<Canvas>, timing: Timing, watch: impl Fn() + 'static, paint: impl Fn(&Easel) + 'static) {
    if !is_browser() {
        return;
    }
    let size: Rc<Cell<(f64, f64)>> = Rc::default();
    // In boxes, so that what follows is compiled once for all pictures.
    let painter = painter(node, Rc::clone(&size), timing, Box::new(paint));
    keep_painted(node, size, painter, Box::new(watch));
}

fn painter(
    node: NodeRef<Canvas>,
    size: Rc<Cell<(f64, f64)>>,
    timing: Timing,
    paint: Box<dyn Fn(&Easel)>,
) -> OncePerFrame {
    let when = match timing {
        Timing::Frame(when) => return OncePerFrame::new(when, painting(node, size, paint)),
        Timing::Number(when) => when,
    };
    let page = use_page();
    // The measurement in the last picture. A newer one is painted at once. During a drag the next number is always on
    // its way: a picture that waited for it would skip frames.
    let painted: Rc<RefCell<Option<Arc<Measured>>>> = Rc::default();
    let paint = {
        let painted = Rc::clone(&painted);
        Box::new(move |easel: &Easel| {
            paint(easel);
            painted.replace(page.answers.measured.get_untracked());
        })
    };
    OncePerFrame::new(when, painting(node, size, paint)).waiting_while(move || {
        let is_painted = page.answers.measured.with_untracked(|now| match (now, painted.borrow().as_ref()) {
            (Some(now), Some(painted)) => Arc::ptr_eq(now, painted),
            _ => false,
        });
        is_painted && page.is_number_near()
    })
}

/// Makes the function that sets the canvas up and paints it.
fn painting(node: NodeRef<Canvas>, size: Rc<Cell<(f64, f64)>>, paint: Box<dyn Fn(&Easel)>) -> impl Fn() + 'static {
    let page = use_page();
    let themes = use_themes();
    move || {
        let Some(canvas) = node.try_get_untracked().flatten() else { return };
        let scale = window().device_pixel_ratio();
        if let Some(mut easel) = set_up(canvas, size.get(), scale, themes.shown.get_untracked()) {
            easel.times = page.stage.get_untracked().size_of_type(window_size());
            easel.style = easel.style.enlarged(easel.times);
            paint(&easel);
        }
    }
}

/// Asks for a new picture whenever the signals of `watch`, the size or the look of the canvas change.
fn keep_painted(node: NodeRef<Canvas>, size: Rc<Cell<(f64, f64)>>, painter: OncePerFrame, watch: Box<dyn Fn()>) {
    let page = use_page();
    let themes = use_themes();
    let on_window = {
        let painter = painter.clone();
        window_event_listener(ev::resize, move |_| painter.ask())
    };
    on_cleanup(move || on_window.remove());
    let observer: StoredValue<Option<Watch>, LocalStorage> = StoredValue::new_local(None);
    // The browser may still report the size of a canvas that has left the page.
    on_cleanup(move || {
        observer.try_update_value(|watch| watch.take().map(|(observer, _)| observer.disconnect()));
    });
    effect(move |_| {
        watch();
        themes.shown.track();
        page.stage.track();
        let Some(canvas) = node.get() else { return };
        if observer.with_value(Option::is_none) {
            let (painter, size, element) = (painter.clone(), Rc::clone(&size), canvas.clone());
            let on_size = Closure::<dyn FnMut()>::new(move || {
                let rect = element.get_bounding_client_rect();
                size.set((rect.width(), rect.height()));
                painter.ask();
            });
            if let Ok(new) = ResizeObserver::new(on_size.as_ref().unchecked_ref()) {
                new.observe(&canvas);
                observer.set_value(Some((new, on_size)));
            }
        }
        painter.ask();
    });
}

/// The window's width and height, in CSS pixels.
fn window_size() -> (f64, f64) {
    let of = |side: Result<JsValue, JsValue>| side.ok().and_then(|side| side.as_f64()).unwrap_or(0.0);
    (of(window().inner_width()), of(window().inner_height()))
}

fn set_up(canvas: HtmlCanvasElement, (width, height): (f64, f64), scale: f64, theme: Theme) -> Option<Easel> {
    let wanted = ((width * scale).round() as u32, (height * scale).round() as u32);
    if wanted.0 == 0 || wanted.1 == 0 {
        return None;
    }
    // Setting a size empties the canvas, so only when it changes.
    if (canvas.width(), canvas.height()) != wanted {
        canvas.set_width(wanted.0);
        canvas.set_height(wanted.1);
    }
    let context = canvas.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()?;
    Some(Easel { style: Style::canvas(theme, scale).with_subpixel(SUBPIXEL), times: 1.0, canvas, context })
}
