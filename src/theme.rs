//! Light, dark, or as the system has it.

use crate::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use lipscope_plot::Theme;

use super::frame::media_matches;
use super::state::ThemeChoice;

const KEY: &str = "lipscope-theme";
const DARK_QUERY: &str = "(prefers-color-scheme: dark)";

/// The choice, and the theme that follows from it.
#[derive(Clone, Copy)]
pub struct Themes {
    /// The reader's choice.
    pub choice: RwSignal<ThemeChoice>,
    /// The choice of a link, which takes precedence and is not stored.
    pub asked: RwSignal<Option<ThemeChoice>>,
    /// The theme on screen.
    pub shown: Memo<Theme>,
}

impl Themes {
    /// The light theme, for a document.
    pub(crate) fn of_document() -> Self {
        let (choice, asked) = (RwSignal::new(ThemeChoice::System), RwSignal::new(None));
        Themes { choice, asked, shown: memo(|_| Theme::Light) }
    }

    /// Stores the reader's choice, which replaces that of a link.
    pub fn choose(self, choice: ThemeChoice) {
        self.asked.set(None);
        self.choice.set(choice);
    }

    /// The choice that counts: that of the link, else the reader's.
    #[must_use]
    pub fn chosen(self) -> ThemeChoice {
        self.asked.get().unwrap_or(self.choice.get())
    }
}

/// The theme and its choice, from the context.
pub fn use_themes() -> Themes {
    expect_context()
}

/// Follows the system, and stores the choice where the browser allows it.
pub fn follow_themes() -> Themes {
    let choice = RwSignal::new(remembered());
    let asked = RwSignal::new(None::<ThemeChoice>);
    let is_system_dark = RwSignal::new(media_matches(DARK_QUERY));
    if let Some(list) = window().match_media(DARK_QUERY).ok().flatten() {
        let on_change = Closure::<dyn FnMut()>::new(move || is_system_dark.set(media_matches(DARK_QUERY)));
        // The listener stays as long as the page is open.
        let _ = list.add_event_listener_with_callback("change", on_change.as_ref().unchecked_ref());
        on_change.forget();
    }
    effect(move |before: Option<ThemeChoice>| {
        let now = choice.get();
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-theme", asked.get().unwrap_or(now).id());
        }
        if before.is_some_and(|before| before != now)
            && let Ok(Some(storage)) = window().local_storage()
        {
            let _ = storage.set_item(KEY, now.id());
        }
        now
    });
    let shown = memo(move |_| match asked.get().unwrap_or(choice.get()) {
        ThemeChoice::Light => Theme::Light,
        ThemeChoice::Dark => Theme::Dark,
        ThemeChoice::System if is_system_dark.get() => Theme::Dark,
        ThemeChoice::System => Theme::Light,
    });
    Themes { choice, asked, shown }
}

fn remembered() -> ThemeChoice {
    let stored = window().local_storage().ok().flatten().and_then(|storage| storage.get_item(KEY).ok().flatten());
    let known = |id: &str| ThemeChoice::ALL.into_iter().find(|choice| choice.id() == id);
    stored.as_deref().and_then(known).unwrap_or(ThemeChoice::System)
}
