//! The page: one state, the controls that edit it, and the views that follow from it.
//!
//! | module | concept |
//! | --- | --- |
//! | `state`, `field` | the value of every control; each number's id, key, range and stops |
//! | `link` | a scene in the page's address, and back |
//! | `page` | the context: it takes edits, and asks the workers for what the new state needs |
//! | `plans`, `ask`, `answers` | the plans of a state, requests to the engine, and its answers so far |
//! | `look`, `panels` | which numbers the reader looks at, which panels are open |
//! | `phase` | the state of work that a reader starts and stops |
//! | `workers` | starts the web workers and carries out the decisions of the pool; the lanes of work |
//! | `controls`, `own`, `files`, `export` | what a reader sets, pastes, drops and exports |
//! | `plots` | the plots of a view, one of them on screen |
//! | `player` | plays through a list, entry by entry |
//! | `lessons` | the lessons: texts, settings of their steps, places for live values |
//! | `classroom` | the panel of the lessons, the reader's predictions |
//! | `keys` | what each key does |
//! | `plane` | the plane on which a reader moves tokens |
//! | `growth` | the view over n: measured norms, every bound, the worst-case search |
//! | `labs` | the lab: its gallery and its experiments, such as bounds around the tokens; the singular values |
//! | `models` | attention inside transformers: the form, its workers, and the figures of their table |
//! | `train` | small transformers that are trained here: the form, the worker, the figures, what the browser keeps |
//! | `explore` | the opening view: the question, the disc, the sentence, the plot |
//! | `charts`, `over_n`, `numbers`, `formulas` | pictures and numbers of the answers |
//! | `theory` | the places in docs/theory.md that the page links to |
//! | `later`, `later_table` | the part of the page after the first picture: how it is reached, and what is in it |
//! | `prelude` | Leptos's prelude, with functions that are compiled once for each type instead of each closure |
//! | `projector` | a second window for the projector, which follows this one |
//! | `stage`, `host` | the page on a projector; the page inside another page, with the messages between the two |
//! | `words`, `strings` | the texts of the catalogues; the choice of a text, with its numbers put in |
//! | `language` | the languages of the page, and the present one |
//! | `opening` | the opening view as a document |
//! | `theme`, `frame` | light and dark; animation frames, the clock, work that waits |
//!
//! No view holds a formula of attention, and no numerics run here: they run in the worker.

pub mod answers;
mod charts;
mod classroom;
mod controls;
mod dialog;
mod drop_zone;
mod explore;
mod export;
pub mod fault;
pub mod field;
mod files;
mod formulas;
mod frame;
mod growth;
mod head;
mod host;
mod keys;
mod labs;
pub mod language;
mod later;
mod later_table;
pub mod lessons;
pub mod link;
mod look;
mod models;
mod numbers;
pub mod opening;
mod over_n;
mod own;
pub mod page;
mod panels;
pub mod phase;
mod plane;
pub mod plans;
mod player;
mod plots;
mod prelude;
mod print;
mod projector;
mod published;
mod query;
mod share;
mod shell;
mod stage;
pub mod state;
mod strings;
mod theme;
pub mod theory;
mod train;
mod whole_text;
mod words;
mod workers;

pub use later::LaterPart;
pub use later_table::later_part;
pub use strings::problem_text;

use crate::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;

use language::{Language, Translation};
use later::{Arrival, FetchPart};
use shell::Shell;

/// The functions that fetch the two parts of the program that the first picture does not need.
#[derive(Clone, Copy)]
pub struct Fetch {
    /// The part that comes after the first picture.
    pub later: FetchPart<LaterPart>,
    /// The texts of the catalogues in Chinese.
    pub chinese: FetchPart<Translation>,
}

/// The Chinese texts of the catalogues. Those of the lessons come with the later part. The program is cut at this
/// function: only `main.rs` and tests may call it. Another caller would bring the texts into the first module.
#[must_use]
pub fn chinese_texts() -> Translation {
    &words::ZH
}

/// Puts the page into `#app`, beneath the opening view of `index.html`.
pub fn start(fetch: Fetch) {
    console_error_panic_hook::set_once();
    later::fetched_by(fetch.later);
    let asked = language::asked();
    let is_link = !page::fragment().is_empty();
    if asked != Language::Chinese && !is_link {
        language::begin(asked);
        return show(Arrival::Waiting);
    }
    // The page shows the scene of a link at once, and only the later part can read a link.
    if is_link {
        // This fetch runs while the texts are fetched, not after it.
        spawn_local(async {
            let _ = later::fetch().await;
        });
    }
    spawn_local(async move {
        let language = match asked {
            Language::English | Language::Mirrored => asked,
            Language::Chinese => match (fetch.chinese)().await {
                Some(texts) => {
                    language::keep_chinese(texts);
                    asked
                }
                None => Language::English,
            },
        };
        language::begin(language);
        show(if is_link { later::fetch().await.into() } else { Arrival::Waiting });
    });
}

fn show(arrival: Arrival) {
    let Some(root) = document().get_element_by_id("app") else { return };
    if let Ok(root) = root.dyn_into::<web_sys::HtmlElement>() {
        mount_to(root, move || view! { <Shell arrival/> }).forget();
    }
    if let Some(root) = document().document_element() {
        // boot.js reads this attribute.
        let _ = root.set_attribute("data-boot", "started");
    }
}
