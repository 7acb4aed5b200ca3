//! A canvas that remembers the layout of its picture, for the pointer handlers.

use std::rc::Rc;

use crate::prelude::*;
use leptos::html::Canvas;

use crate::frame::When;

use super::easel::{Paint, use_easel};

/// What was painted last, for the pointer handlers. Views cannot track it.
pub type LastPainted<T> = StoredValue<Option<Rc<T>>, LocalStorage>;

/// The layout of the picture that was painted last.
pub type Painted<L> = RwSignal<Option<Rc<L>>, LocalStorage>;

/// Paints a canvas at the next frame after something changed. `watch` reads the signals that the picture depends on;
/// `picture` makes the figure from their values.
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
