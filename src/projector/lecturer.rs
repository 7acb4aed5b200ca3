//! The lecturer's window: it opens the projector's window and sends it the scene on screen, once a frame at most.
//!
//! While the projector is frozen nothing is sent; afterwards the newest scene is. The tab remembers its projector while
//! it loads anew (`sessionStorage`), so that a reload neither loses the projector nor unfreezes it.

use std::time::Duration;

use crate::prelude::*;
use web_sys::Storage;

use crate::charts::plot_name;
use crate::frame::{OncePerFrame, When};
use crate::later::{Later, use_later};
use crate::link::TooLong;
use crate::page::Page;
use crate::panels::{Panels, ProjectorKey};
use crate::state::{LessonAt, Scene, Stage};
use crate::strings;

use super::channel::Channel;
use super::drawing::Drawing;
use super::message::{Message, NAME, Screen, Sender};

/// How the browser is to open the window.
const FEATURES: &str = "popup,width=1280,height=720";
/// How long a window may take to load before this window says that it does not answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Where the tab keeps the name of the projector's window.
const KEPT_NAME: &str = "lipscope.projector";
/// Where a window that closes or loads anew leaves what the frozen projector shows ([`Sent`]); empty where it is not
/// frozen. A copy of the tab has the name, but not this: it must not take the projector over.
const KEPT_FROZEN: &str = "lipscope.projector-frozen";

/// How the projector's window stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// None was asked for.
    None,
    /// Freezing was asked for without a window to freeze.
    Needed,
    /// The browser blocked the window.
    Blocked,
    /// The browser has no channel between windows.
    Unable,
    /// It is loading.
    Opening,
    /// It does not answer.
    Silent,
    /// It follows this window.
    Follows,
    /// It was closed, or loads anew.
    Gone,
    /// It follows another window now.
    Taken,
}

/// The state of the lecturer's window.
#[derive(Clone, Copy)]
pub struct Lecturer {
    /// How the projector's window stands.
    pub status: RwSignal<Status>,
    /// What the frozen projector shows, in words; `None` while it is not frozen.
    pub frozen: RwSignal<Option<String>>,
    /// The projector's screen.
    pub screen: RwSignal<Screen>,
    /// Whether the scene is too long for a link, so that the projector keeps an earlier one.
    pub is_too_long: RwSignal<bool>,
    page: Page,
    later: Later,
    drawing: Drawing,
    /// The number by which the projector knows this window.
    key: u32,
    /// The scene that was sent last.
    sent: StoredValue<Option<Sent>>,
    /// The name of the projector's window and of the channel to it.
    name: StoredValue<Option<String>>,
    channel: StoredValue<Option<Channel>, LocalStorage>,
}

/// A scene that was sent.
#[derive(Clone, Debug, PartialEq)]
struct Sent {
    /// The message with the scene.
    message: Message,
    /// The scene in words.
    words: String,
}

impl Sent {
    /// As a text that the tab keeps: the words in one line, then the message.
    fn text(&self, from: Sender) -> String {
        format!("{}\n{}", self.words.replace('\n', " "), self.message.text(from))
    }

    /// Reads what [`Sent::text`] wrote; `None` for any other text.
    fn read(text: &str) -> Option<Self> {
        let (words, message) = text.split_once('\n')?;
        let (_, message) = Message::read(message)?;
        matches!(message, Message::Scene { .. }).then(|| Sent { message, words: words.to_owned() })
    }
}

impl Lecturer {
    /// The state before any projector. Listens for the keys, and takes up the projector from before a reload.
    pub(super) fn begin(page: Page, panels: Panels, drawing: Drawing) -> Self {
        let me = Lecturer {
            status: RwSignal::new(Status::None),
            frozen: RwSignal::new(None),
            screen: RwSignal::new(Screen::default()),
            is_too_long: RwSignal::new(false),
            page,
            later: use_later(),
            drawing,
            key: random(),
            sent: StoredValue::new(None),
            name: StoredValue::new(None),
            channel: StoredValue::new_local(None),
        };
        let send = OncePerFrame::new(When::After, move || me.send_newest());
        effect(move |_| {
            page.for_another_page(page.scene());
            drawing.text.run(());
            if me.status.get() == Status::Follows && me.frozen.with(Option::is_none) {
                send.ask();
            }
        });
        effect(move |_| set_if_new(panels.has_projector, me.status.get() == Status::Follows));
        effect(move |_| {
            let Some(key) = panels.projector_key.get() else { return };
            untrack(|| match key {
                ProjectorKey::Open => me.open(),
                ProjectorKey::Freeze => me.freeze_or_follow(),
                ProjectorKey::Blank => me.blank_or_show(),
            });
        });
        me.resume();
        let left = window_event_listener_untyped("pagehide", move |_| me.leave());
        on_cleanup(move || left.remove());
        me
    }

    /// Opens the projector's window, or brings it to the front.
    pub fn open(self) {
        let name = self.name.get_value().unwrap_or_else(|| format!("{NAME}{:x}", random()));
        if !self.listen(&name) {
            return self.status.set(Status::Unable);
        }
        // A scene that is too long for a link comes over as far as it can once the window is there.
        let first = || self.page.link_of(&Scene { stage: Stage::Teacher, ..Scene::default() });
        let link = self.page.link_to(Stage::Teacher).or_else(first).unwrap_or_default();
        let opened = window().open_with_url_and_target_and_features(&link, &name, FEATURES);
        if !matches!(opened, Ok(Some(_))) {
            return self.status.set(Status::Blocked);
        }
        if let Some(kept) = session() {
            // A browser that keeps nothing loses the projector with a reload.
            let _ = kept.set_item(KEPT_NAME, &name);
        }
        // A window that was open already does not load anew, and answers now.
        self.ask();
        if self.status.get_untracked() != Status::Follows {
            self.frozen.set(None);
            self.sent.set_value(None);
            self.status.set(Status::Opening);
            set_timeout(
                move || {
                    if self.status.get_untracked() == Status::Opening {
                        self.status.set(Status::Silent);
                    }
                },
                PATIENCE,
            );
        }
    }

    /// Closes the projector's window.
    pub fn close(self) {
        self.post(&Message::Close);
        self.status.set(Status::None);
        self.frozen.set(None);
        self.sent.set_value(None);
    }

    /// Holds the projector's picture, or lets it follow again.
    pub fn freeze_or_follow(self) {
        if self.status.get_untracked() != Status::Follows {
            return set_if_new(self.status, Status::Needed);
        }
        if self.frozen.with_untracked(Option::is_some) {
            self.frozen.set(None);
        } else {
            // The picture of this moment, even if its frame is still to come. A scene that was too long to be sent is not
            // what the projector shows.
            self.send_newest();
            let sent = self.sent.with_value(|sent| sent.as_ref().map(|sent| sent.words.clone()));
            self.frozen.set(Some(sent.unwrap_or_else(|| self.words())));
        }
    }

    /// Makes the projector's screen black, or shows its picture again.
    pub fn blank_or_show(self) {
        let screen = self.screen.get_untracked().other();
        self.screen.set(screen);
        self.post(&Message::Screen(screen));
    }

    /// Takes the line about the projector away.
    pub fn dismiss(self) {
        self.status.set(Status::None);
    }

    /// Listens to the channel of this name. False where the browser has no channels.
    fn listen(self, name: &str) -> bool {
        if self.channel.with_value(Option::is_none) {
            self.name.set_value(Some(name.to_owned()));
            self.channel.set_value(Channel::open(name, move |from, message| self.on_event(from, message)));
        }
        self.channel.with_value(Option::is_some)
    }

    fn on_event(self, from: Sender, message: Message) {
        match (from, message) {
            (Sender::Projector, Message::Here(None)) => self.ask(),
            (Sender::Projector, Message::Here(Some(key))) if key == self.key => {
                self.status.set(Status::Follows);
                // The window may have loaded anew: it gets the frozen scene again, else the newest one.
                match self.sent.get_value().filter(|_| self.frozen.with_untracked(Option::is_some)) {
                    Some(frozen) => self.post(&frozen.message),
                    None => self.sent.set_value(None),
                }
            }
            (Sender::Projector, Message::Screen(screen)) => set_if_new(self.screen, screen),
            (Sender::Projector, Message::Gone) if self.status.get_untracked() == Status::Follows => {
                self.status.set(Status::Gone);
            }
            // Another tab with this projector's name has asked it to follow.
            (Sender::Lecturer(key), Message::Query) if key != self.key => {
                self.frozen.set(None);
                set_if_new(self.status, Status::Taken);
            }
            _ => {}
        }
    }

    /// Sends the scene on screen, unless it was sent already or the projector is frozen.
    fn send_newest(self) {
        if self.status.get_untracked() != Status::Follows || self.frozen.with_untracked(Option::is_some) {
            return;
        }
        let Some(later) = untrack(|| self.later.table()) else { return };
        let scene = Scene { stage: Stage::Teacher, ..untrack(|| self.page.scene()) };
        let link = self.page.fragment_of(later, &scene);
        set_if_new(self.is_too_long, matches!(link, Err(TooLong)));
        let Ok(link) = link else { return };
        let message = Message::Scene { link, drawing: untrack(|| self.drawing.text.run(())) };
        if self.sent.with_value(|sent| sent.as_ref().is_none_or(|sent| sent.message != message)) {
            self.post(&message);
            self.sent.set_value(Some(Sent { message, words: self.words() }));
        }
    }

    /// The scene on screen in words: the lesson's step or the plot, and the settings.
    fn words(self) -> String {
        let page = self.page;
        let plot = page.plot.get_untracked();
        let lesson = page.lesson.with_untracked(|at| {
            let LessonAt { id, step } = at.as_ref()?;
            let lesson = (untrack(|| self.later.table())?.find_lesson)(id)?;
            Some(strings::projector_step(lesson.clamped(*step), lesson.n_tasks(), lesson.title.now()))
        });
        let name = lesson.unwrap_or_else(|| plot_name(plot).1.to_owned());
        let has_tokens = page.settings.with_untracked(|settings| settings.has_tokens(plot));
        if has_tokens {
            strings::projector_shows { name: &name, settings: page.state.with_untracked(strings::settings) }.text()
        } else {
            name
        }
    }

    /// Asks for the projector that this tab had before it loaded anew.
    fn resume(self) {
        let Some(kept) = session() else { return };
        let read = |key| kept.get_item(key).ok().flatten();
        match (read(KEPT_NAME), read(KEPT_FROZEN)) {
            (Some(name), Some(frozen)) => {
                // Without the scene itself the projector follows again: nobody could say what it shows.
                let sent = Sent::read(&frozen);
                self.frozen.set(sent.as_ref().map(|sent| sent.words.clone()));
                self.sent.set_value(sent);
                if self.listen(&name) {
                    self.ask();
                }
            }
            (_, None) => drop(kept.remove_item(KEPT_NAME)),
            (None, Some(_)) => {}
        }
        drop(kept.remove_item(KEPT_FROZEN));
    }

    /// Tells the projector that this window closes or loads anew.
    fn leave(self) {
        if self.status.get_untracked() != Status::Follows {
            return;
        }
        if let Some(kept) = session() {
            let sent = self.sent.get_value().filter(|_| self.frozen.with_untracked(Option::is_some));
            let frozen = sent.map_or_else(String::new, |sent| sent.text(Sender::Lecturer(self.key)));
            // Where there is no room for the scene, the projector is kept, and follows again.
            let _ = kept.set_item(KEPT_FROZEN, &frozen).or_else(|_| kept.set_item(KEPT_FROZEN, ""));
        }
        self.post(&Message::Gone);
    }

    fn ask(self) {
        self.post(&Message::Query);
    }

    fn post(self, message: &Message) {
        self.channel.with_value(|channel| {
            if let Some(channel) = channel {
                channel.post(Sender::Lecturer(self.key), message);
            }
        });
    }
}

/// What the browser keeps for this tab, if it keeps anything.
fn session() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

/// A number for which two windows seldom have the same.
fn random() -> u32 {
    (js_sys::Math::random() * f64::from(u32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_the_same_after_a_reload_and_another_text_is_nothing() {
        let message = Message::Scene { link: "v3&n=50".into(), drawing: "chosen=lower;revealed".into() };
        let sent = Sent { message, words: "The mask, step 1, n = 50".into() };
        assert_eq!(Sent::read(&sent.text(Sender::Lecturer(7))), Some(sent));
        // As an earlier build kept it: words alone.
        for text in ["", "The mask, step 1", "words\n", "words\nlecturer 7\nblack", "words\nv3&n=50"] {
            assert_eq!(Sent::read(text), None, "{text}");
        }
    }
}
