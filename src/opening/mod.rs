//! The opening view as a document: what a reader sees until the program has come. The page's own components write it,
//! with the numbers that the engine finds at once, natively; the pictures are the page's figures as SVG.
//!
//! `tests/page/opening.rs` holds it equal to what is kept in `assets/opening`, which the site's `index.html` contains.
//!
//! | file | concept |
//! | --- | --- |
//! | `markup` | what the document keeps of the components' HTML |
//! | `card` | the picture of a shared link |
//! | `picture` | a figure as SVG, in the colours of the page's theme |

mod card;
mod markup;
mod picture;

use std::cell::RefCell;
use std::rc::Rc;

use crate::prelude::*;
use lipscope_core::experiment::Memory;
use lipscope_protocol::envelope::{Command, Reply, Request};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::task::Poll;
use lipscope_protocol::tasks::{EngineEvent, EngineTasks};

use crate::explore::{first_picture, use_pinned};
use crate::language::{self, Language, Translation};
use crate::page;
use crate::plane::{Size, scene, use_plane};
use crate::query::LocalEngine;
use crate::shell::{self, Frame};
use crate::strings;
use picture::{Colors, SCREENS, Shapes, pictures};

/// The opening view in several languages.
#[derive(Clone, Debug, Default)]
pub struct Openings {
    /// The elements of the view in each language.
    pub views: Vec<String>,
    /// The card of a shared link in each language, as SVG.
    pub cards: Vec<String>,
    colors: Colors,
    shapes: Shapes,
}

impl Openings {
    /// The shapes of the pictures, to which the views refer.
    #[must_use]
    pub fn shapes(&self) -> String {
        self.shapes.svg()
    }

    /// The colours of the pictures: custom properties of the light and of the dark theme.
    #[must_use]
    pub fn colors(&self) -> String {
        self.colors.css()
    }

    /// Adds the view in a language; `texts` are those of the catalogues in it.
    pub fn add(&mut self, of: Language, texts: Option<Translation>) {
        if let Some(texts) = texts {
            language::keep_chinese(texts);
        }
        language::set(of);
        let own = if of == Language::Chinese { "first-zh-" } else { "first-" };
        let owner = Owner::new();
        let view = owner.with(|| {
            let page = page::begin_document(engine());
            shell::provide(page);
            let disc = untrack(|| scene(use_plane(), Size::Opening, None)).expect("a first visit is measured");
            let disc = pictures(
                "explore-plane",
                &disc,
                SCREENS.map(|screen| screen.disc),
                (&mut self.colors, &mut self.shapes),
            );
            let chart = untrack(|| first_picture(page, use_pinned()));
            let plot = pictures(
                "explore-plot",
                &chart,
                SCREENS.map(|screen| screen.plot),
                (&mut self.colors, &mut self.shapes),
            );
            let html = untrack(|| view! { <Frame/> }.to_html());
            self.cards.push(card::card(strings::TITLE, strings::lead(), &markup::sentences(&html), &chart));
            let html = markup::of_document(&html, own, &[disc, plot]);
            format!("<p class=\"opening-note\">{}</p>{html}", strings::computing())
        });
        self.views.push(view);
        language::set(Language::English);
    }
}

/// The engine, which carries out each plan at once.
fn engine() -> LocalEngine {
    let runner = RefCell::new(Runner::<EngineTasks>::new(Memory::default()));
    Rc::new(move |plan| {
        let mut said = Vec::new();
        let mut keep = |reply: Reply<EngineEvent>| said.push(reply.content);
        let mut runner = runner.borrow_mut();
        // No time passes: what is drawn must not depend on it.
        runner.begin(Command::Run(Request { run_id: 0, plan: plan.clone() }), 0.0, &mut keep);
        while runner.slice(f64::INFINITY, || 0.0, &mut keep) != Poll::Done {}
        said
    })
}
