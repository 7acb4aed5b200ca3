//! The sheet on which a lecturer pastes the answer codes of a class: the lines that are no code, and for each lesson a
//! table and the guesses of its questions. Nothing is sent or kept.

use crate::prelude::*;
use leptos::html::Canvas;

use crate::charts::{Paint, Timing, use_easel};
use crate::dialog::shown_while;
use crate::files::download;
use crate::frame::When;
use crate::lessons::{Choice, CodeFault, Gathered, HandIn, Step, gather};
use crate::strings;
use lipscope_plot::{LineChart, Table};

use super::answers_of_class::{Guesses, OfLesson, by_lesson, curve_chart, guesses, mark_chart, questions, table};

/// The button that opens the sheet, and the sheet.
#[component]
pub fn ClassSheet() -> impl IntoView {
    let is_open = RwSignal::new(false);
    let dialog = shown_while(is_open);
    let pasted = RwSignal::new(String::new());
    let gathered = memo(move |_| pasted.with(|text| gather(text)));
    let faults = move || gathered.with(fault_lines);
    let counted = move || gathered.with(|all| strings::class_count(all.answers.len(), all.faults.len()));
    view! {
        <button type="button" id="class-open" aria-haspopup="dialog" title=strings::class_hint() on:click=move |_| is_open.set(true)>{strings::class_open()}</button>
        // Escape closes it, and the browser gives the focus back.
        <dialog node_ref=dialog id="class" class="dialog class-sheet" aria-labelledby="class-heading" on:close=move |_| is_open.set(false)>
            <div class="dialog-head">
                <h2 id="class-heading">{strings::class_heading()}</h2>
                <button type="button" id="class-close" on:click=move |_| is_open.set(false)>{strings::close()}</button>
            </div>
            <div class="class-body">
                <p class="note">{strings::class_about()}</p>
                <label for="class-paste">{strings::class_paste()}</label>
                <textarea
                    id="class-paste"
                    rows="5"
                    spellcheck="false"
                    autocomplete="off"
                    prop:value=pasted
                    on:input:target=move |event| pasted.set(event.target().value())
                ></textarea>
                <p role="status" data-testid="class-count">{counted}</p>
                <ul class="class-faults" data-testid="class-faults" hidden=move || gathered.with(|all| all.faults.is_empty())>
                    {move || faults().into_iter().map(|line| view! { <li class="problem">{line}</li> }).collect_view()}
                </ul>
                {move || by_lesson(&gathered.get().answers).into_iter().map(|of| view! { <LessonAnswers of/> }).collect_view()}
            </div>
        </dialog>
    }
}

/// A sentence for each line that is no code.
fn fault_lines(all: &Gathered) -> Vec<String> {
    let mut lines: Vec<String> = all
        .faults
        .iter()
        .map(|(line, fault)| strings::class_line { line, problem: fault_words(fault) }.text())
        .collect();
    if all.is_cut {
        lines.push(strings::class_too_many().to_owned());
    }
    lines
}

/// What is wrong with a line.
fn fault_words(fault: &CodeFault) -> String {
    match fault {
        CodeFault::NoCode(text) => strings::fault::no_code(text),
        CodeFault::OtherVersion(version) => strings::fault::version(version),
        CodeFault::Cut => strings::fault::cut().to_owned(),
        CodeFault::Damaged => strings::fault::damaged().to_owned(),
        CodeFault::Foreign => strings::fault::foreign().to_owned(),
        CodeFault::UnknownLesson(lesson) => strings::fault::lesson(lesson),
        CodeFault::Repeated(line) => strings::fault::repeated(line),
    }
}

/// The answers to a lesson.
#[component]
fn LessonAnswers(
    /// The answers.
    of: OfLesson,
) -> impl IntoView {
    let lesson = of.lesson();
    let answers = table(&of);
    let csv = answers.to_csv();
    let figures = questions(lesson).filter_map(|(at, step)| {
        let guesses = guesses(&of.answers, at, step)?;
        Some(view! { <Question at step guesses/> })
    });
    view! {
        <section class="class-lesson" data-lesson=lesson.id>
            <h3>{lesson.title.now()}</h3>
            <div class="class-table" tabindex="0" role="group" aria-label=strings::table()>{rows(answers, &of.answers)}</div>
            <button type="button" class="class-csv" on:click=move |_| download(&format!("lipscope-answers-{}.csv", lesson.id), "text/csv", &csv)>{strings::download_csv()}</button>
            <div class="class-questions">{figures.collect_view()}</div>
        </section>
    }
}

/// The table, with the state of each student as a link behind the name.
fn rows(table: Table, answers: &[HandIn]) -> impl IntoView {
    let line = |(row, answer): (Vec<String>, &HandIn)| {
        let link = format!("#{}", answer.fragment());
        let opens = if answer.answer().is_some() { strings::class_state() } else { strings::class_state_alone() };
        let mut cells = row.into_iter();
        let name = cells.next();
        view! {
            <tr>
                <th scope="row">
                    {name}
                    " " <a href=link target="_blank" rel="noopener">{opens}</a>
                </th>
                {cells.map(|cell| view! { <td>{cell}</td> }).collect_view()}
            </tr>
        }
    };
    view! {
        <table>
            <thead>
                <tr>{table.header.into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view()}</tr>
            </thead>
            <tbody>{table.rows.into_iter().zip(answers).map(line).collect_view()}</tbody>
        </table>
    }
}

/// All guesses of a question.
#[component]
fn Question(
    /// The number of its step, from zero.
    at: usize,
    /// Its step.
    step: &'static Step,
    /// The guesses.
    guesses: Guesses,
) -> impl IntoView {
    let figure = match guesses {
        Guesses::Choices(counts) => choices(step, &counts).into_any(),
        Guesses::Marks(marks) => {
            let words = strings::class_marks_words(&marks);
            view! { <Figure chart=mark_chart(&marks) words/> }.into_any()
        }
        Guesses::Curves(curves) => {
            let words = strings::class_curves_words(curves.len());
            view! { <Figure chart=curve_chart(&curves) words/> }.into_any()
        }
    };
    view! {
        <figure class="class-question" data-step=at + 1>
            <figcaption>{strings::lesson_number(at + 1, step.title.now())}</figcaption>
            {figure}
        </figure>
    }
}

/// How many have chosen each answer, as dots, with the page's answer ticked.
fn choices(step: &'static Step, counts: &[(&'static str, usize, usize)]) -> impl IntoView + use<> {
    /// More dots than this say no more than the number.
    const MOST_DOTS: usize = 40;
    let line = |(choice, (_, count, right)): (&'static Choice, &(&'static str, usize, usize))| {
        let dots = "●".repeat((*count).min(MOST_DOTS));
        view! {
            <li data-choice=choice.id data-count=*count>
                <span>{if *right > 0 { "✓ " } else { "" }} {choice.words.now()}</span>
                <span class="class-dots" aria-hidden="true">{dots}</span>
                <span>{*count}</span>
            </li>
        }
    };
    view! { <ul class="class-choices">{step.choices.iter().zip(counts).map(line).collect_view()}</ul> }
}

/// A chart on a canvas, and what it shows in words.
#[component]
fn Figure(
    /// The chart.
    chart: LineChart,
    /// What it shows.
    words: String,
) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    let chart = StoredValue::new_local(chart);
    use_easel(
        canvas,
        Timing::Frame(When::Before),
        || (),
        move |easel| {
            // Where the canvas cannot be drawn on, the words are there.
            let _ = chart.with_value(|chart| chart.paint(easel));
        },
    );
    view! {
        <canvas node_ref=canvas class="class-canvas" role="img" aria-label=words.clone()></canvas>
        <p class="note">{words}</p>
    }
}
