//! The later part: its features, and the views that only it has. Only [`later_part`], at which the program is cut, is
//! used from outside.

use crate::prelude::*;

use super::answers::with_worst_known;
use super::charts;
use super::classroom::{self, use_classroom};
use super::controls::Controls;
use super::drop_zone::DropZone;
use super::explore::{AtN, BoundNames, ExploreFolds, Notes, PinList, Pins, Why, use_pinned};
use super::files::Drops;
use super::growth::{self, Growth};
use super::head::HeadRest;
use super::host;
use super::labs;
use super::later::{LaterPart, LaterTable, Piece};
use super::lessons;
use super::link;
use super::models::{self, Models};
use super::numbers::Details;
use super::own::{self, Own};
use super::page::use_page;
use super::panels::use_panels;
use super::plane::{self, use_plane};
use super::print::{self, PrintSheet};
use super::projector::{self, Drawing};
use super::share::Share;
use super::stage::{AloneLine, BlankScreen, TeacherReading};
use super::state::PlotChoice;
use super::strings;
use super::theme::use_themes;
use super::train;

static LATER: LaterTable = LaterTable {
    begin,
    view: piece,
    find_lesson: lessons::find,
    read_link: |fragment| link::read(fragment, lessons::scene_of),
    write_link: |scene| link::write(scene, lessons::scene_of),
    message: strings::message,
    worst_known: with_worst_known,
};

/// The later part. The program is cut at this function: only `main.rs` may call it. Another caller would bring the
/// later part into the first module.
#[must_use]
pub fn later_part() -> LaterPart {
    LaterPart::new(&LATER)
}

fn begin() {
    let page = use_page();
    let growth = Growth::new(page);
    provide_context(Drops::default());
    provide_context(Pins::new(use_pinned()));
    provide_context(growth);
    provide_context(Models::new(page));
    let own = Own::new(page);
    provide_context(own);
    growth::begin(growth);
    labs::begin(page);
    plane::begin(use_plane());
    charts::keep_in_sight(page);
    classroom::begin_steps(use_classroom());
    // What happens in the projector's window was done in the lecturer's, which records it.
    if !projector::is_projector() {
        classroom::begin_notebook(use_classroom());
    }
    models::begin();
    own::begin(own);
    host::begin(page);
    print::begin(use_panels(), use_themes());
    let room = use_classroom();
    let drawing = Drawing {
        text: Callback::new(move |()| classroom::drawing_text(room)),
        show: Callback::new(move |text: String| classroom::show_drawing(room, &text)),
    };
    // A frame, such as the preview of a link, shares what the browser keeps for the tab around it: it must not take up
    // the projector of that tab.
    if !host::is_inside_another_page() {
        projector::begin(page, use_panels(), drawing);
    }
}

fn piece(piece: Piece) -> AnyView {
    match piece {
        Piece::Plot(choice) => plot(choice),
        Piece::ExploreFolds => view! { <ExploreFolds/> }.into_any(),
        Piece::HeadRest => view! { <HeadRest><classroom::Shortcuts/></HeadRest> }.into_any(),
        Piece::Notes => view! { <Notes/> }.into_any(),
        Piece::AtN => view! { <AtN/> }.into_any(),
        Piece::Why => view! { <Why/> }.into_any(),
        Piece::BoundNames => view! { <BoundNames/> }.into_any(),
        Piece::Pins => view! { <PinList/> }.into_any(),
        Piece::Controls => view! { <Controls/><own::OwnData/> }.into_any(),
        Piece::Details => view! { <Details/> }.into_any(),
        Piece::GuessStage => view! { <classroom::GuessStage/> }.into_any(),
        Piece::LessonPanel => view! { <classroom::LessonPanel/> }.into_any(),
        Piece::Share => view! { <Share><projector::OpenSection/></Share> }.into_any(),
        Piece::DropZone => view! { <DropZone/> }.into_any(),
        Piece::BlankScreen => view! { <BlankScreen/> }.into_any(),
        Piece::PrintSheet => {
            let room = use_classroom();
            view! { <PrintSheet panels=use_panels() handout=move |()| classroom::handout(room)/> }.into_any()
        }
        Piece::KeyList => view! { <classroom::KeyList/> }.into_any(),
        Piece::OwnForm => view! { <own::OwnForm/> }.into_any(),
        Piece::SlackDetails => view! { <charts::SlackDetails/> }.into_any(),
        Piece::AttentionFolds => view! { <charts::AttentionFolds/> }.into_any(),
        Piece::LadderFolds => view! { <charts::LadderFolds/> }.into_any(),
        Piece::PlaneFolds => {
            view! { <plane::PlaneTable id="token-table" export="export-tokens" canvas="token-plane"/> }.into_any()
        }
        Piece::AloneLine => view! { <AloneLine/> }.into_any(),
        Piece::TeacherReading => view! { <TeacherReading/> }.into_any(),
        Piece::ProjectorLine => view! { <projector::ProjectorLine/> }.into_any(),
    }
}

fn plot(choice: PlotChoice) -> AnyView {
    match choice {
        PlotChoice::Explore => ().into_any(),
        PlotChoice::Growth => view! { <growth::GrowthView/> }.into_any(),
        PlotChoice::Gallery => view! { <labs::Gallery/> }.into_any(),
        PlotChoice::Tokens => view! { <plane::TokenStage/> }.into_any(),
        PlotChoice::Model => view! { <models::ModelView/> }.into_any(),
        PlotChoice::Train => view! { <train::TrainView/> }.into_any(),
        // A test in `labs` holds that the other plots are labs.
        other => labs::lab_with(other).map_or_else(|| ().into_any(), |lab| (lab.view)()),
    }
}
