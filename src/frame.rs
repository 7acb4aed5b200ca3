//! Runs work at the next frame, in the next task, or after a rest. Work that is asked for several times until then runs
//! once.

use std::cell::Cell;
use std::rc::Rc;

use std::time::Duration;

use crate::prelude::{GetValue, StoredValue, UpdateValue, request_animation_frame, set_timeout, *};
use wasm_bindgen::JsCast;

/// Work that is done once in the next animation frame, however often it is asked for.
#[derive(Clone)]
pub struct OncePerFrame {
    is_asked: Rc<Cell<bool>>,
    /// The frames in a row that were skipped.
    skipped: Rc<Cell<u8>>,
    when: When,
    waits: Rc<dyn Fn() -> bool>,
    work: Rc<dyn Fn()>,
}

/// The most frames in a row that are skipped. After 50 ms a reader would see that the picture stands still.
const MOST_SKIPPED: u8 = 3;

/// When the work runs in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before the frame is shown.
    Before,
    /// After the frame is shown, in a task of its own, so that it does not delay urgent work.
    After,
}

impl OncePerFrame {
    /// Stores the work, which waits for [`OncePerFrame::ask`].
    pub fn new(when: When, work: impl Fn() + 'static) -> Self {
        OncePerFrame {
            is_asked: Rc::default(),
            skipped: Rc::default(),
            when,
            waits: Rc::new(|| false),
            work: Rc::new(work),
        }
    }

    /// Skips frames while `waits` says that the needed data are on their way, but at most [`MOST_SKIPPED`] in a row.
    #[must_use]
    pub fn waiting_while(self, waits: impl Fn() -> bool + 'static) -> Self {
        OncePerFrame { waits: Rc::new(waits), ..self }
    }

    /// Asks for the work at the next frame.
    pub fn ask(&self) {
        if !self.is_asked.replace(true) {
            let (me, when) = (self.clone(), self.when);
            let work = move || {
                me.is_asked.set(false);
                let skipped = me.skipped.take();
                if skipped < MOST_SKIPPED && (me.waits)() {
                    me.skipped.set(skipped + 1);
                    me.ask();
                } else {
                    (me.work)();
                }
            };
            request_animation_frame(move || match when {
                When::Before => work(),
                When::After => set_timeout(work, Duration::ZERO),
            });
        }
    }
}

/// Moves the focus at the next frame, when the element that `find` gives is in the page and visible.
pub fn focus_soon(find: impl Fn() -> Option<web_sys::Element> + 'static) {
    request_animation_frame(move || {
        if let Some(element) = find().and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
            // An element that cannot take the focus leaves it where it was.
            let _ = element.focus();
        }
    });
}

/// Moves the focus to the main part of the page, which begins with the plot. The page does not scroll.
pub fn focus_main() {
    let main = document().get_element_by_id("main").and_then(|main| main.dyn_into::<web_sys::HtmlElement>().ok());
    let options = web_sys::FocusOptions::new();
    options.set_prevent_scroll(true);
    if let Some(main) = main {
        // An element that cannot take the focus leaves it where it was.
        let _ = main.focus_with_options(&options);
    }
}

/// Milliseconds since the page began.
pub fn now() -> f64 {
    if !is_browser() {
        return 0.0;
    }
    web_sys::window().and_then(|window| window.performance()).map_or_else(js_sys::Date::now, |clock| clock.now())
}

/// Whether the reader has asked for less motion.
pub fn is_motion_reduced() -> bool {
    media_matches("(prefers-reduced-motion: reduce)")
}

/// Whether a media query holds now.
pub fn media_matches(query: &str) -> bool {
    is_browser()
        && web_sys::window()
            .and_then(|window| window.match_media(query).ok().flatten())
            .is_some_and(|list| list.matches())
}

/// Does the latest requested work, once no newer request has come for a while.
#[derive(Clone, Copy, Debug)]
pub struct Debounce {
    /// Counts the requests, and the calls of `forget`.
    count: StoredValue<u64>,
}

impl Default for Debounce {
    fn default() -> Self {
        Debounce { count: StoredValue::new(0) }
    }
}

impl Debounce {
    /// Does `work` after `rest`, unless newer work is requested before, or the owner has left the page.
    pub fn after(self, rest: Duration, work: impl FnOnce() + 'static) {
        self.forget();
        let Some(mine) = self.count.try_get_value() else { return };
        set_timeout(
            move || {
                if self.count.try_get_value() == Some(mine) {
                    work();
                }
            },
            rest,
        );
    }

    /// Cancels the work that waits.
    pub fn forget(self) {
        // If the owner has left the page, nothing waits.
        let _ = self.count.try_update_value(|count| *count += 1);
    }
}

/// Builds its children in the next task.
#[component]
pub fn NextTask(
    /// The content that waits.
    children: ChildrenFn,
) -> impl IntoView {
    let is_due = RwSignal::new(false);
    let build = move || {
        // The view may have left the page by then.
        let _ = is_due.try_set(true);
    };
    set_timeout(build, Duration::ZERO);
    move || is_due.get().then(|| children())
}
