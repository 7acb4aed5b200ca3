//! The page: one state, the controls that edit it, and the views that follow from it.
//!
//! | module | concept |
//! | --- | --- |
//! | `state`, `field` | the value of every control, and what values a number may have |
//! | `link` | a scene in the page's address, and back |
//! | `page`, `live` | the context: edits in, answers out |
//! | `look`, `panels`, `drops` | what is looked at, what is open, who takes what is dropped |
//! | `plans` | at which n a sweep measures |
//! | `phase` | how far work is that a reader starts and stops |
//! | `workers` | the workers: what the pool says is done; lanes |
//! | `controls`, `own`, `files`, `export` | what a reader sets, pastes, drops and takes away |
//! | `plots` | the plots of a view, of which one is shown |
//! | `lessons` | the lessons: texts, what their steps set, the places for live values |
//! | `classroom` | their panel, what a reader draws before the page shows it, the teacher's view |
//! | `keys` | what each key does |
//! | `plane` | tokens that can be touched |
//! | `growth` | the view over n: what is measured, every bound, the search for worse tokens |
//! | `labs` | the lab: its gallery, how far a bound reaches, L2 attention (scaled tokens, tightness, the inverse), the estimators; the singular values |
//! | `run` | what a lab asked the engine for, and what came of it |
//! | `models` | attention inside transformers: the form, its workers, and the figures of their table |
//! | `train` | small transformers that are trained here: the form, the worker, the figures, what the browser keeps |
//! | `trained` | what is known of each run of training |
//! | `explore` | the opening view: the question, the disc, the sentence, the plot |
//! | `charts`, `numbers`, `formulas` | pictures and numbers of the answers |
//! | `later`, `later_table` | what of all this comes after the first picture: how it is reached, and what is in it |
//! | `prelude` | Leptos's prelude, with what is compiled once for a type in the place of once for a closure |
//! | `embed`, `host` | what stands under the plot inside another page; messages from and to that page |
//! | `new_build` | the line that offers a newer build |
//! | `message` | what a reader is told: a text, or an error as data |
//! | `words`, `strings` | every text, from the catalogues; which of them, and with which numbers |
//! | `language` | the languages of the page, and the one that it is in |
//! | `theme`, `frame`, `debounce` | light and dark; animation frames and the clock; work that waits for a rest |
//!
//! No view holds a formula of attention, and no numerics run here: they run in the worker.

mod charts;
mod classroom;
mod controls;
mod debounce;
mod drops;
mod embed;
mod explore;
mod export;
pub mod field;
mod files;
mod formulas;
mod frame;
mod growth;
mod host;
mod keys;
mod labs;
pub mod language;
mod later;
mod later_table;
pub mod lessons;
pub mod link;
pub mod live;
mod look;
mod message;
mod models;
mod new_build;
mod numbers;
mod own;
pub mod page;
mod panels;
pub mod phase;
mod plane;
mod plans;
mod plots;
mod prelude;
pub mod run;
mod shell;
pub mod state;
mod strings;
mod theme;
mod train;
pub mod trained;
mod words;
mod workers;

pub use later::LaterPart;
pub use later_table::later_part;
pub use strings::told;

use crate::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;

use language::{Language, Translation};
use later::{Arrival, FetchPart};
use shell::Shell;

/// What the program fetches when it is wanted.
#[derive(Clone, Copy)]
pub struct Fetch {
    /// What comes after the first picture.
    pub later: FetchPart<LaterPart>,
    /// The texts of the catalogues in Chinese.
    pub chinese: FetchPart<Translation>,
}

/// The texts of the catalogues in Chinese; lessons come with the later part. Only the program calls this, from the function along
/// which it is cut, and tests: another caller would bring them into the first module.
#[must_use]
pub fn chinese_texts() -> Translation {
    &words::ZH
}

/// Puts the page into `#app`, in place of the static shell.
pub fn start(fetch: Fetch) {
    console_error_panic_hook::set_once();
    later::fetched_by(fetch.later);
    let asked = language::asked();
    let is_link = !page::fragment().is_empty();
    if asked != Language::Chinese && !is_link {
        language::begin(asked);
        return show(Arrival::Waiting);
    }
    // What a link says is to be shown at once, and the later part reads it.
    if is_link {
        // Beside the texts, not after them.
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
    root.set_inner_html("");
    if let Ok(root) = root.dyn_into::<web_sys::HtmlElement>() {
        mount_to(root, move || view! { <Shell arrival/> }).forget();
    }
    if let Some(root) = document().document_element() {
        // Tells boot.js.
        let _ = root.set_attribute("data-boot", "started");
    }
}
