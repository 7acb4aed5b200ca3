//! The page's address follows the scene on screen, and the scene follows the address.
//!
//! Every gesture is an entry of its own in the browser's history, so that Back and Ctrl+Z undo one gesture. A gesture
//! is an edit at another control, a drag, or a step (another plot, another distribution, other data, a lesson). Further
//! edits at the same control before it rests change the entry of that gesture. The page does not write back what it
//! reads from the address.

use std::time::Duration;

use crate::prelude::*;
use leptos::ev;

use lipscope_core::experiment::InputError;

use crate::later::LaterTable;
use crate::link::{Followed, TooLong};
use crate::published;
use crate::state::{PageState, Scene, Stage, TokenChoice};
use crate::strings;

use super::context::{PLACE_LINK, Page};
use super::history::{MOST_KEPT, fragment, history_state, history_value};

/// How long the controls rest before the address is written.
const REST: Duration = Duration::from_millis(400);
/// Where the page writes an entry of the history.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// In place of the present entry.
    Same,
    /// After the present entry.
    New,
}

/// The address of this copy of the page, without a fragment.
fn here() -> String {
    let here = window().location().href().unwrap_or_default();
    here.split('#').next().unwrap_or_default().to_owned()
}

impl Page {
    /// The scene on screen. Tracks its signals.
    pub fn scene(self) -> Scene {
        Scene {
            state: self.state.get(),
            plot: self.plot.get(),
            labs: self.settings.get(),
            stage: self.stage.get(),
            hidden: self.look.hidden.get(),
            lesson: self.lesson.get(),
            answer: self.look.answer.get(),
            reached: self.look.reached.get(),
            assigned: self.look.assigned.get(),
            theme: self.address.theme.get(),
        }
    }

    /// Shows the scene of the address, and from now on writes the scene on screen into the address.
    pub(super) fn begin_address(self) {
        let depth = history_state().map_or(0, |(depth, _)| depth);
        self.address.known.update_value(|address| (address.depth, address.deepest) = (depth, depth));
        self.follow();
        let popped = window_event_listener(ev::popstate, move |_| self.follow_soon());
        let changed = window_event_listener(ev::hashchange, move |_| self.follow_soon());
        on_cleanup(move || {
            popped.remove();
            changed.remove();
        });
        effect(move |before: Option<Scene>| {
            let now = self.scene();
            let is_marked = self.address.next_is_step.try_update_value(std::mem::take).unwrap_or(false);
            if let Some(before) = before.filter(|before| *before != now) {
                self.emit(before, now.clone(), is_marked);
            }
            now
        });
        self.follow_found_tokens();
    }

    /// Writes the address again when worse tokens become known, while the reader has chosen the worst ones.
    fn follow_found_tokens(self) {
        let known = memo(move |_| {
            let is_worst = self.state.with(|state| state.tokens == TokenChoice::Worst);
            is_worst.then(|| self.for_another_page(self.scene()).state)
        });
        effect(move |before: Option<Option<PageState>>| {
            let now = known.get();
            let is_listed = now.as_ref().is_some_and(|state| state.tokens != TokenChoice::Worst);
            if is_listed && before.is_some_and(|before| before != now) {
                self.address.known.update_value(|address| address.is_waiting = true);
                self.write_at_rest();
            }
            now
        });
    }

    /// Shows the scene of the address, as soon as the page can read it.
    fn follow_soon(self) {
        if fragment().is_empty() {
            return self.follow();
        }
        self.address.later.with(move |_| self.follow());
    }

    /// Shows the scene of the address, if the address has changed.
    fn follow(self) {
        let fragment = fragment();
        let (depth, kept) = history_state().unwrap_or_default();
        self.address.known.update_value(|address| {
            address.depth = depth;
            address.deepest = address.deepest.max(depth);
        });
        self.address.undoable.set(self.undo_state());
        let is_news = self
            .address
            .known
            .with_value(|address| address.shown.is_none() || address.known != (fragment.clone(), kept));
        // A fragment that names an element of the page is no link to a scene.
        if !is_news || (!fragment.is_empty() && document().get_element_by_id(&fragment).is_some()) {
            return;
        }
        let in_hand = self.address.known.with_value(|address| {
            kept.and_then(|number| {
                address.kept.iter().find(|(known, _)| *known == number).map(|(_, scene)| scene.clone())
            })
        });
        let (scene, problems) = match in_hand {
            Some(scene) => (Some(scene), Vec::new()),
            // This entry stands for a kept scene, which the page no longer has in memory.
            None if kept.is_some() => {
                let is_first = self.address.known.with_value(|address| address.shown.is_none());
                (is_first.then(Scene::default), vec![strings::link_forgotten().into()])
            }
            // An empty fragment stands for the scene of a first visit, so there is nothing to read.
            None if fragment.is_empty() => (Some(Scene::default()), Vec::new()),
            None => {
                let Followed { scene, problems } = match untrack(|| self.address.later.table()) {
                    Some(later) => (later.read_link)(&fragment),
                    None => Followed { scene: None, problems: vec![strings::link_lost().into()] },
                };
                (scene, problems)
            }
        };
        if let Some(scene) = scene {
            self.show(scene);
        }
        if !problems.is_empty() {
            self.complain(PLACE_LINK, problems.join(strings::between_sentences()));
        }
        self.address.holds.set(kept.is_none());
        let shown = untrack(|| self.scene());
        self.address.known.update_value(|address| {
            address.known = (fragment, kept);
            address.shown = Some(shown);
            address.is_waiting = false;
            address.gesture = None;
        });
        self.address.writing.forget();
    }

    /// Undoes the last gesture: the browser goes back, as if the reader had pressed its Back button.
    pub fn undo(self) {
        // A movement that has not come to rest belongs to this gesture.
        if self.address.known.with_value(|address| address.is_waiting) {
            self.write_address(&untrack(|| self.scene()), Entry::Same);
        }
        if self.address.undoable.get_untracked().0
            && let Ok(history) = window().history()
        {
            // If the browser refuses, the page stays where it is.
            let _ = history.back();
        }
    }

    /// Redoes the last undone gesture.
    pub fn redo(self) {
        if self.address.undoable.get_untracked().1
            && let Ok(history) = window().history()
        {
            let _ = history.forward();
        }
    }

    /// Whether there is a gesture to undo, and one to redo.
    fn undo_state(self) -> (bool, bool) {
        self.address.known.with_value(|address| (address.depth > 0, address.depth < address.deepest))
    }

    /// Shows a scene. The reader's own data are kept where the scene brings none.
    pub fn show(self, scene: Scene) {
        let Scene { state, plot, labs, stage, hidden, lesson, answer, reached, assigned, theme } = scene;
        let now = self.state.get_untracked();
        // The plot first: what the page asks the workers for depends on it too.
        set_if_new(self.plot, plot);
        self.put(PLACE_LINK, Ok(state.keeping_data_of(&now)));
        set_if_new(self.settings, labs);
        set_if_new(self.stage, stage);
        set_if_new(self.look.hidden, hidden);
        // The answer before the lesson: the page shows a student's answer as soon as it shows the step.
        set_if_new(self.look.answer, answer);
        set_if_new(self.look.reached, reached);
        set_if_new(self.look.assigned, assigned);
        set_if_new(self.lesson, lesson);
        set_if_new(self.address.theme, theme);
    }

    /// Shows a scene of another window that this one follows. The address stays as it is, and there is no gesture to
    /// undo.
    pub fn follow_scene(self, scene: Scene) {
        self.show(scene);
        let shown = untrack(|| self.scene());
        self.address.known.update_value(|address| address.shown = Some(shown));
        self.address.writing.forget();
    }

    /// Shows a state on the way to another one: the address stays as it is, and there is nothing to undo.
    pub fn pass(self, place: &'static str, state: Result<PageState, InputError>) -> bool {
        let is_shown = self.put(place, state);
        let shown = untrack(|| self.scene());
        self.address.known.update_value(|address| address.shown = Some(shown));
        self.address.writing.forget();
        is_shown
    }

    /// The whole address of the present scene, in another stage. `None` where it is too long, or while the later part,
    /// which writes links, has not arrived.
    pub fn link_to(self, stage: Stage) -> Option<String> {
        self.link_of(&Scene { stage, ..untrack(|| self.scene()) })
    }

    /// The whole address of a scene for another page ([`Page::for_another_page`]); `None` where it is too long, or while
    /// the later part has not arrived.
    pub fn link_of(self, scene: &Scene) -> Option<String> {
        self.link_at(&here(), scene)
    }

    /// The address of the present scene that other people can open: on this copy of the page if it is public, or else on the
    /// published page. `None` as for [`Page::link_of`].
    pub fn published_link(self) -> Option<String> {
        let scene = Scene { stage: Stage::Full, ..untrack(|| self.scene()) };
        self.link_at(published::address(&here()), &scene.without_class())
    }

    fn link_at(self, address: &str, scene: &Scene) -> Option<String> {
        let link = (untrack(|| self.address.later.table())?.write_link)(&self.for_another_page(scene.clone())).ok()?;
        Some(if link.is_empty() { address.to_owned() } else { format!("{address}#{link}") })
    }

    /// The fragment of a scene for another page. Of a list of worst tokens that is too long it has the choice, with which
    /// the other page looks for them itself.
    pub fn fragment_of(self, later: &LaterTable, scene: &Scene) -> Result<String, TooLong> {
        let listed = untrack(|| self.for_another_page(scene.clone()));
        (later.write_link)(&listed).or_else(|_| (later.write_link)(scene))
    }

    /// Writes a change of the scene into the address: at once as a new entry where a gesture begins, else into the
    /// present entry when the controls rest.
    fn emit(self, before: Scene, now: Scene, is_marked: bool) {
        if self.address.known.with_value(|address| address.shown.as_ref() == Some(&now)) {
            return;
        }
        let is_step = is_marked || now.is_step_from(&before);
        let place = self.address.last_place.get_value();
        let is_new = is_step || self.address.known.with_value(|address| address.gesture != Some(place));
        self.address.writing.forget();
        // Inside another page the history belongs to that page.
        if is_new && now.stage != Stage::Embed {
            if self.address.known.with_value(|address| address.is_waiting) {
                self.write_address(&before, Entry::Same);
            }
            self.address.known.update_value(|address| address.gesture = Some(place));
            self.write_address(&now, Entry::New);
        } else {
            self.address.known.update_value(|address| address.is_waiting = true);
        }
        self.write_at_rest();
    }

    /// Writes the end of a movement once the controls rest. This ends the gesture.
    fn write_at_rest(self) {
        self.address.writing.after(REST, move || {
            if self.held.get_untracked() {
                return self.write_at_rest();
            }
            if self.address.known.with_value(|address| address.is_waiting) {
                let now = untrack(|| self.scene());
                self.write_address(&now, Entry::Same);
            }
            self.address.known.update_value(|address| address.gesture = None);
        });
    }

    fn write_address(self, scene: &Scene, entry: Entry) {
        let scene = scene.clone();
        self.address.later.when_here(move |later| {
            self.put_address(&scene, self.fragment_of(later, &scene), entry);
        });
    }

    fn put_address(self, scene: &Scene, link: Result<String, TooLong>, entry: Entry) {
        let (fragment, kept) = match link {
            Ok(fragment) => (fragment, None),
            Err(TooLong) => (String::new(), self.keep(scene)),
        };
        self.address.holds.set(kept.is_none());
        self.address.known.update_value(|address| {
            if entry == Entry::Same {
                let replaced = address.known.1;
                address.kept.retain(|(number, _)| Some(*number) == kept || Some(*number) != replaced);
            }
            address.known = (fragment.clone(), kept);
            address.shown = Some(scene.clone());
            address.is_waiting = false;
            if entry == Entry::New {
                address.depth += 1;
                address.deepest = address.depth;
            }
        });
        let depth = self.address.known.with_value(|address| address.depth);
        self.address.undoable.set(self.undo_state());
        let location = window().location();
        let (path, query) = (location.pathname().unwrap_or_default(), location.search().unwrap_or_default());
        let mark = if fragment.is_empty() { "" } else { "#" };
        let url = format!("{path}{query}{mark}{fragment}");
        let number = history_value(depth, kept);
        if let Ok(history) = window().history() {
            // Where the browser refuses, or has had too many calls at once, the address stays as it is.
            let _ = match entry {
                Entry::Same => history.replace_state_with_url(&number, "", Some(&url)),
                Entry::New => history.push_state_with_url(&number, "", Some(&url)),
            };
        }
    }

    /// Keeps in memory a scene that is too long for an address, and returns its number. If there are too many, drops
    /// the oldest.
    fn keep(self, scene: &Scene) -> Option<f64> {
        self.address.known.try_update_value(|address| {
            if address.kept.len() >= MOST_KEPT {
                address.kept.pop_front();
            }
            address.last_kept = js_sys::Date::now().max(address.last_kept + 1.0);
            address.kept.push_back((address.last_kept, scene.clone()));
            address.last_kept
        })
    }
}
