//! A canvas that remembers where everything of its picture is, for whoever answers the pointer.

use std::rc::Rc;

use crate::prelude::*;
use leptos::html::Canvas;

use crate::frame::When;

use super::easel::{Paint, use_easel};

/// What was painted last, for whoever answers the pointer; nothing follows it when it changes.
pub type LastPainted<T> = StoredValue<Option<Rc<T>>, LocalStorage>;

/// Where everything of the picture that was painted last is.
pub type Painted<L> = RwSignal<Option<Rc<L>>, LocalStorage>;

/// Paints a canvas at the next frame after something changed. `watch` reads the signals that it depends on; `picture` makes
/// of their values what is drawn.
pub fn use_painted<F: Paint>(
    canvas: NodeRef<Canvas>,
    when: When,
    watch: impl Fn() + 'static,
    picture: impl Fn() -> F + 'static,
) -> Painted<F::Layout>
where
    F::Layout: 'static,
{
    let painted = RwSignal::new_local(None);
    let has_ground = RwSignal::new(false);
    let watch = move || {
        watch();
        has_ground.track();
    };
    use_easel(canvas, when, watch, move |easel| {
        let picture = picture();
        if !has_ground.get_untracked() && picture.paint_ground(easel) {
            // The rest comes in the next task.
            return has_ground.set(true);
        }
        if let Some(layout) = picture.paint(easel) {
            painted.set(Some(Rc::new(layout)));
        }
    });
    painted
}
