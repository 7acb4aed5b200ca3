//! The projector's window: it shows the scenes that the lecturer's window sends, the newest of each frame.

use crate::prelude::*;

use crate::frame::{OncePerFrame, When};
use crate::later::use_later;
use crate::page::Page;
use crate::panels::Panels;
use crate::strings;

use super::channel::Channel;
use super::drawing::Drawing;
use super::message::{Message, Screen, Sender};

/// Whether this window follows the lecturer's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Following {
    /// No lecturer's window has asked yet.
    NotYet,
    /// It follows.
    Now,
    /// The lecturer's window was closed, or loads anew.
    NoMore,
}

/// The state of the projector's window.
#[derive(Clone, Copy)]
pub struct Audience {
    /// Whether it follows.
    pub following: RwSignal<Following>,
    panels: Panels,
    /// The number of the lecturer's window that it follows.
    leader: StoredValue<Option<u32>>,
    /// The newest scene that waits for its frame: the fragment of its link and the drawing.
    newest: StoredValue<Option<(String, String)>>,
    channel: StoredValue<Option<Channel>, LocalStorage>,
}

impl Audience {
    /// Starts to follow the lecturer's window, over the channel of this name.
    pub(super) fn begin(name: &str, page: Page, panels: Panels, drawing: Drawing) -> Self {
        let me = Audience {
            following: RwSignal::new(Following::NotYet),
            panels,
            leader: StoredValue::new(None),
            newest: StoredValue::new(None),
            channel: StoredValue::new_local(None),
        };
        document().set_title(strings::projector_title());
        let later = use_later();
        let show = OncePerFrame::new(When::Before, move || {
            let newest = me.newest.try_update_value(Option::take).flatten();
            let (Some((link, text)), Some(later)) = (newest, untrack(|| later.table())) else { return };
            // A link of another window is checked as every link: what cannot be read changes nothing.
            if let Some(scene) = (later.read_link)(&link).scene {
                page.follow_scene(scene);
            }
            // Effects of a new step, which clear an older drawing, come first.
            set_timeout(move || drawing.show.run(text), std::time::Duration::ZERO);
        });
        let channel = Channel::open(name, move |from, message| me.on_event(from, message, &show));
        me.channel.set_value(channel);
        effect(move |before: Option<bool>| {
            let is_black = panels.blank.get();
            // A key of this window may end the black screen too.
            if before.is_some_and(|before| before != is_black) {
                me.post(&me.screen());
            }
            is_black
        });
        let left = window_event_listener_untyped("pagehide", move |_| me.post(&Message::Gone));
        on_cleanup(move || left.remove());
        me.post(&Message::Here(None));
        me
    }

    fn on_event(self, from: Sender, message: Message, show: &OncePerFrame) {
        let Sender::Lecturer(key) = from else { return };
        if message == Message::Query {
            self.leader.set_value(Some(key));
            self.following.set(Following::Now);
            self.post(&Message::Here(Some(key)));
            return self.post(&self.screen());
        }
        if self.leader.get_value() != Some(key) {
            return;
        }
        match message {
            Message::Scene { link, drawing } => {
                self.newest.set_value(Some((link, drawing)));
                show.ask();
            }
            Message::Screen(screen) => set_if_new(self.panels.blank, screen == Screen::Black),
            Message::Close => drop(window().close()),
            Message::Gone => {
                self.leader.set_value(None);
                self.following.set(Following::NoMore);
            }
            Message::Query | Message::Here(_) => {}
        }
    }

    fn screen(self) -> Message {
        Message::Screen(if self.panels.blank.get_untracked() { Screen::Black } else { Screen::Picture })
    }

    fn post(self, message: &Message) {
        self.channel.with_value(|channel| {
            if let Some(channel) = channel {
                channel.post(Sender::Projector, message);
            }
        });
    }
}
