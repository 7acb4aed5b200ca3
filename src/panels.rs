//! Which of the page's panels are open: the panel of all controls, the folds with own data in it, the panel of links;
//! whether a plot or a black screen covers the page; and whether a projector's window follows it.

use crate::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::later::Later;

/// Which panels are open.
#[derive(Clone, Copy, Default)]
pub struct Panels {
    /// Whether all controls are shown: beside the page, or in place of the lesson.
    pub controls: RwSignal<bool>,
    /// Whether the fold with own data is open.
    pub own: RwSignal<bool>,
    /// Whether the fold shows the boxes for own matrices.
    pub matrices: RwSignal<bool>,
    /// Whether the panel of links is open.
    pub share: RwSignal<bool>,
    /// Whether the plot is shown alone, on the full screen where the browser allows it. No link holds this: a browser
    /// gives the full screen upon a press only.
    pub alone: RwSignal<bool>,
    /// Whether the screen is black.
    pub blank: RwSignal<bool>,
    /// Whether the browser prints.
    pub printing: RwSignal<bool>,
    /// Whether a second window, for the projector, follows this one.
    pub has_projector: RwSignal<bool>,
    /// The last key that was pressed about the projector's window.
    pub projector_key: RwSignal<Option<ProjectorKey>>,
}

/// A key about the projector's window. The later part acts on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectorKey {
    /// Opens the window.
    Open,
    /// Holds its picture, or lets it follow again.
    Freeze,
    /// Makes its screen black, or shows its picture again.
    Blank,
}

/// The kind of data that a reader is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnDataKind {
    /// Tokens.
    Tokens,
    /// Weights: a box for each matrix.
    Weights,
}

/// The panels, from the context.
pub fn use_panels() -> Panels {
    expect_context()
}

impl Panels {
    /// Opens the form of own data in sight, with the caret in its first box.
    pub fn open_own_data(self, kind: OwnDataKind, later: Later) {
        self.controls.set(true);
        self.own.set(true);
        let id = match kind {
            OwnDataKind::Tokens => "own-text",
            OwnDataKind::Weights => {
                self.matrices.set(true);
                "own-q"
            }
        };
        // The form may not have arrived yet.
        later.with(move |_| {
            when_there(id, |field| {
                field.scroll_into_view();
                let _ = field.focus();
            });
        });
    }
}

/// Acts on an element as soon as it is laid out on the page.
pub fn when_there(id: &'static str, act: fn(&HtmlElement)) {
    /// About two seconds: on a slow machine the controls are built after the press that opened them.
    const FRAMES_TO_WAIT: usize = 120;
    try_for(FRAMES_TO_WAIT, id, act);
}

fn try_for(frames: usize, id: &'static str, act: fn(&HtmlElement)) {
    request_animation_frame(move || {
        let element = document().get_element_by_id(id).and_then(|found| found.dyn_into::<HtmlElement>().ok());
        // An element in a closed fold is not laid out.
        match element.filter(|element| element.offset_parent().is_some()) {
            Some(element) => act(&element),
            None if frames > 0 => try_for(frames - 1, id, act),
            None => {}
        }
    });
}
