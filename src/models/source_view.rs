//! The choice of a model: with random weights, from files, or at an address.

use crate::prelude::*;
use leptos::ev;
use leptos::html::Input;
use web_sys::HtmlInputElement;

use super::fetching::total;
use super::folder::{Folder, RemotePhase};
use super::session::ModelSession;
use super::settings::{SourceForm, SourceKind};
use super::taking::take_list;
use crate::controls::{Choice, InputBox, Tick};
use crate::strings;
use lipscope_models::Resizing;
use lipscope_protocol::models::Serving;

/// The choice of a model.
#[component]
pub fn SourceFields(
    /// The form of models, with its workers.
    session: ModelSession,
) -> impl IntoView {
    let kind = memo(move |_| session.source.with(|source| source.kind));
    let options = Signal::derive(|| SourceKind::ALL.map(|(id, kind)| (id, name_of(kind).to_owned())).to_vec());
    let chosen = move || SourceKind::ALL.into_iter().find(|(_, one)| *one == kind.get()).map_or("", |(id, _)| id);
    // Notes about guessed and ignored values stand beside the numbers.
    let notes = move || {
        let notes = session.facts.with(|facts| facts.as_ref().map(|facts| facts.notes.clone()).unwrap_or_default());
        notes.iter().map(strings::phrase_text).collect::<Vec<_>>()
    };
    let has_pictures = move || {
        let of = |folder: &Option<Folder>| folder.as_ref().is_some_and(Folder::has_pictures);
        match kind.get() {
            SourceKind::Files => session.given.with(of),
            SourceKind::Address => session.fetched.with(of),
            SourceKind::Gpt2 | SourceKind::Bert | SourceKind::Llama => false,
        }
    };
    let random = move || {
        session
            .source
            .with(|source| Some(strings::model_random(source.kind.family()?, source.depth.trim().parse().ok()?)))
    };
    let on_pick = move |id: String| {
        if let Some((_, kind)) = SourceKind::ALL.into_iter().find(|(known, _)| *known == id) {
            session.source.update(|source| source.kind = kind);
        }
    };
    view! {
        <div class="model-row">
            <Choice id="model-source" label=strings::model_name() options chosen=Signal::derive(chosen) on_pick=Callback::new(on_pick)/>
            <div class="model-row" hidden=move || kind.get() != SourceKind::Files><Files session/></div>
            <div class="model-row" hidden=move || kind.get() != SourceKind::Address><Address session/></div>
            <Tick id="model-resize" label=strings::model_resize() states=[Resizing::Refused, Resizing::Allowed] now=Signal::derive(move || session.source.with(|source| source.resizing)) on_change=move |resizing| session.source.update(|source| source.resizing = resizing) hidden=Signal::derive(move || !has_pictures())/>
        </div>
        <ul class="note" data-testid="model-notes" hidden=move || notes().is_empty()>
            {move || notes().into_iter().map(|note| view! { <li>{note}</li> }).collect_view()}
        </ul>
        <p class="note" data-testid="model-random" hidden=move || random().is_none()>{random}</p>
        <p class="model-description" data-testid="model-description">{move || session.facts.with(|facts| facts.as_ref().map(|facts| strings::phrase_text(&facts.description)))}</p>
        <p class="note model-facts" data-testid="model-facts">{move || session.facts.with(|facts| facts.as_ref().map(|facts| strings::model_facts(&facts.config, &facts.label)))}</p>
    }
}

/// The size of a random model, while one is chosen.
#[component]
pub fn Drawn(
    /// The form of models, with its workers.
    session: ModelSession,
) -> impl IntoView {
    type Part = fn(&mut SourceForm) -> &mut String;
    let field = move |(id, label, width, part): (&'static str, &'static str, &'static str, Part)| {
        let value = Signal::derive(move || part(&mut session.source.get()).clone());
        let set = move |text: String| session.source.update(|source| *part(source) = text);
        view! { <InputBox id label width value set/> }
    };
    let fields: [(&'static str, &'static str, &'static str, Part); 4] = [
        ("model-d", strings::model_width(), "4", |source| &mut source.d),
        ("model-depth", strings::model_depth(), "3", |source| &mut source.depth),
        ("model-heads", strings::model_n_heads(), "3", |source| &mut source.heads),
        ("model-seed", strings::seed(), "5", |source| &mut source.seed),
    ];
    view! {
        <div class="model-row" hidden=move || session.source.with(|source| source.kind.family().is_none())>{fields.map(field).collect_view()}</div>
    }
}

/// The reader's own files.
#[component]
fn Files(
    /// The form of models, with its workers.
    session: ModelSession,
) -> impl IntoView {
    let on_files = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let input = event.target();
        take_list(session, input.files());
        // The reader may mend the same files and choose them again.
        input.set_value("");
    };
    let folder = NodeRef::<Input>::new();
    // The macro `view!` does not know this attribute.
    folder.on_load(|folder| {
        let _ = folder.set_attribute("webkitdirectory", "");
    });
    view! {
        <label class="file">
            <input type="file" id="model-folder" node_ref=folder on:change:target=on_files/>
            <span>{strings::model_choose_folder()}</span>
        </label>
        <label class="file">
            <input type="file" id="model-files" multiple accept=".json,.safetensors,.txt,.png,.jpg,.jpeg" on:change:target=on_files/>
            <span>{strings::model_choose_files()}</span>
        </label>
        <span class="note" data-testid="model-given">
            {move || session.given.with(|given| given.as_ref().map_or_else(|| strings::model_drop_hint().to_owned(), |given| strings::model_given(&given.name, &given.names, given.size)))}
        </span>
        <span class="note" data-testid="model-not-in-address">{strings::model_not_in_address()}</span>
    }
}

/// A folder on a server.
#[component]
fn Address(
    /// The form of models, with its workers.
    session: ModelSession,
) -> impl IntoView {
    let phase = memo(move |_| session.remote.with(|remote| remote.phase.clone()));
    let address = Signal::derive(move || session.remote.with(|remote| remote.address.clone()));
    let can_look = move || phase.with(|phase| *phase == RemotePhase::Typed);
    let found = move || phase.with(|phase| matches!(phase, RemotePhase::Found(..)));
    let has_ranges = move || phase.with(|phase| matches!(phase, RemotePhase::Found(_, Serving::Ranges)));
    let is_busy = move || phase.with(|phase| matches!(phase, RemotePhase::Looking | RemotePhase::Fetching(..)));
    let fetch_words = move || {
        phase.with(|phase| match phase {
            RemotePhase::Found(files, _) => strings::model_fetch(total(files)),
            _ => String::new(),
        })
    };
    view! {
        <InputBox id="model-address" label=strings::model_address() hint=strings::model_address_hint() width="36" value=address set=move |text: String| session.set_address(text)/>
        <button type="button" id="model-look" hidden=move || !can_look() on:click=move |_| session.look()>{strings::model_look()}</button>
        <button type="button" id="model-there" title=strings::model_there_hint() hidden=move || !has_ranges() on:click=move |_| session.open_there()>{strings::model_there()}</button>
        <button type="button" id="model-fetch" hidden=move || !found() on:click=move |_| session.fetch()>{fetch_words}</button>
        <button type="button" id="model-cancel" hidden=move || !is_busy() on:click=move |_| session.cancel_fetch()>{strings::model_cancel()}</button>
        <span class="note" role="status" data-testid="model-remote">{move || phase.with(remote_words)}</span>
    }
}

fn name_of(kind: SourceKind) -> &'static str {
    use strings::model_source as words;
    match kind {
        SourceKind::Gpt2 => words::gpt2(),
        SourceKind::Bert => words::bert(),
        SourceKind::Llama => words::llama(),
        SourceKind::Files => words::files(),
        SourceKind::Address => words::address(),
    }
}

/// Which files the server has, or how many bytes have arrived.
fn remote_words(phase: &RemotePhase) -> String {
    use strings::{model_bytes, model_remote as words};
    match phase {
        RemotePhase::Typed => String::new(),
        RemotePhase::Looking => words::looking().into(),
        RemotePhase::Found(files, _) => {
            let size = |size: Option<u64>| size.map_or_else(|| "?".into(), |size| model_bytes(size as f64));
            let files: Vec<String> = files.iter().map(|file| format!("{} {}", file.name, size(file.size))).collect();
            files.join(", ")
        }
        RemotePhase::Fetching(done, total) => {
            let (done, total) = (*done as f64, total.map(|total| total as f64));
            let here = model_bytes(done);
            match total.filter(|total| *total > 0.0) {
                Some(total) => {
                    let percent = 100.0 * done / total;
                    words::arriving { here: &here, percent: format_args!("{percent:.0}"), total: model_bytes(total) }
                        .text()
                }
                None => here,
            }
        }
        RemotePhase::Here => words::here().into(),
        RemotePhase::There => words::there().into(),
    }
}
