//! `lipscope certify --weights`: how far bounds hold at windows of a model, with a row for each number.

use std::io::{self, StdoutLock, Write};

use clap::Args;

use super::console::{emit, progress_bar};
use super::exit::{Exit, Failure};
use super::model_files::{Found, Input, WindowRequest};
use super::model_source::{MODEL, ModelSource};
use super::output::stdout;
use super::people::{self, Look};
use super::sheet::{self, FormArguments, Sheet};
use super::terminal::{self, Reader};
use super::text_file::TextFile;
use lipscope_core::experiment::{InputError, Memory};
use lipscope_core::measure::UpperNumber;
use lipscope_core::search::NearbyEffort;
use lipscope_models::{
    AtWindow, Bounding, Cell, CertifiedWindow, CertifiedWindowRow, Estimators, Heads, MODEL_TOLERANCE, Plan, PlanText,
    SpectralNorm, WindowCertifyPlan,
};

/// The model, the layer and the windows, in place of an experiment file.
#[derive(Debug, Args)]
#[command(next_help_heading = "A model, in place of an experiment file")]
pub(super) struct ModelCertifyArguments {
    /// A folder with a model, or random:gpt2, random:bert or random:llama.
    ///
    /// As for `lipscope model`. Certified is attention alone, at the tokens that its heads see: after the layer's norm, where
    /// that comes first.
    #[arg(long, value_name = "MODEL", group = MODEL, conflicts_with_all = ["file", "StepArguments"])]
    weights: Option<String>,
    /// The layer, counted from 0.
    #[arg(long, requires = "weights", default_value_t = 0)]
    layer: usize,
    /// Lengths of windows, as for `lipscope model`; by default 32, or the model's longest.
    #[arg(long, short = 'n', value_name = "LIST", requires = "weights", hide_short_help = true)]
    lengths: Option<String>,
    /// Windows per length.
    #[arg(long, value_name = "N", requires = "weights", default_value_t = 1, hide_short_help = true)]
    windows: usize,
    #[command(flatten)]
    source: ModelSource,
}

/// What is certified, how long the searches are, and with how much memory.
pub(super) struct Certifying {
    pub(super) relative: Vec<f64>,
    pub(super) effort: NearbyEffort,
    pub(super) memory: Memory,
}

impl ModelCertifyArguments {
    /// Certifies windows of the model and writes what is found; `None` without `--weights`.
    pub(super) fn run(&self, certifying: Certifying, form: FormArguments) -> Option<Result<Exit, Failure>> {
        self.weights.as_deref().map(|weights| self.certify(weights, &certifying, form))
    }

    fn certify(&self, weights: &str, certifying: &Certifying, form: FormArguments) -> Result<Exit, Failure> {
        let text = self.source.open_text()?;
        let found = self.source.open("lipscope certify", weights, certifying.effort.seed)?;
        let (found, input, plan) = self.prepare(found, text, certifying.memory)?;
        run(found, (&input, &plan), certifying, form)
    }

    fn prepare(
        &self,
        mut found: Found,
        text: Option<TextFile>,
        memory: Memory,
    ) -> Result<(Found, Input, Plan), InputError> {
        const LENGTH: usize = 32;
        let lengths = self.lengths.clone().unwrap_or_else(|| LENGTH.min(found.model.config().positions).to_string());
        let request = WindowRequest { lengths: Some(&lengths), windows: self.windows, memory };
        let input = self.source.input(&mut found, text, &request)?;
        let plan = PlanText {
            layers: self.layer.to_string(),
            heads: "all".into(),
            lengths: input.lengths.clone(),
            windows: input.windows,
            mask: self.source.order(),
            kind: self.source.map,
            estimators: Estimators::Spectral,
            tolerance: MODEL_TOLERANCE,
            bounds: Bounding::Skipped,
            upper: UpperNumber::Skipped,
            statistics: Default::default(),
            special: input.special.clone(),
        }
        .plan(found.model.config())?;
        plan.check(input.ids.len())?;
        Ok((found, input, plan))
    }
}

/// Certifies every window of a plan, and writes the lines or the text of each as soon as it is done.
fn run(
    mut found: Found,
    (input, plan): (&Input, &Plan),
    certifying: &Certifying,
    form: FormArguments,
) -> Result<Exit, Failure> {
    let Certifying { relative, effort, memory } = certifying;
    let certify = WindowCertifyPlan { relative: relative.clone(), effort: *effort };
    let at_layer = |layer: usize| {
        let of_length = move |n: &usize| (0..plan.windows).map(move |window| (*n, window)).collect::<Vec<_>>();
        let windows = plan.lengths.iter().flat_map(of_length);
        windows.map(move |(n, window)| Cell { layer, heads: Heads::All, n, window })
    };
    let cells: Vec<Cell> = plan.layers.iter().flat_map(|layer| at_layer(*layer)).collect();
    let config = *found.model.config();
    // Everything is refused before the first window is measured.
    plan.held(&config, *memory)?;
    cells.iter().try_for_each(|cell| certify.check(&config, plan, cell, *memory))?;
    for note in found.model.notes().iter().chain(&input.notes) {
        emit!("lipscope certify: note: {note}");
    }
    emit!(
        "lipscope certify: the map is {}, at the tokens that the heads see: after the layer's norm, where that comes first",
        plan.kind.id()
    );
    let mut output = Output::begin(form)?;
    let bar = progress_bar(cells.len() * relative.len(), "searches");
    for (done, cell) in cells.iter().enumerate() {
        let on_event = |searched: usize| bar.set_position((done * relative.len() + searched) as u64);
        match certified(&mut found, input, plan, (cell, &certify), *memory, on_event) {
            Ok(certified) => bar.suspend(|| output.window(cell, &certified))?,
            Err(problem) => {
                // The rows so far are a whole table.
                output.end()?;
                return Err(problem.into());
            }
        }
    }
    bar.finish_and_clear();
    output.end()?;
    if let Some(note) = found.model.notes_on_weights() {
        emit!("lipscope certify: note: {note}");
    }
    Ok(Exit::Done)
}

/// Where the windows are written.
enum Output {
    /// A text for each, for people.
    Texts(Look),
    /// Lines of a table.
    Lines(Sheet<StdoutLock<'static>>),
}

impl Output {
    fn begin(form: FormArguments) -> io::Result<Self> {
        let columns = ["layer", "n", "window", "epsilon_over_r", "epsilon", "head", "quantity", "kind", "value"];
        Ok(match Reader::for_stdout(form.chosen()) {
            Reader::People(look) => Output::Texts(look),
            Reader::Program => Output::Lines(Sheet::begin(stdout()?, form.form(), columns)?),
        })
    }

    fn window(&mut self, cell: &Cell, found: &CertifiedWindow) -> io::Result<()> {
        match self {
            Output::Texts(look) => terminal::write(&people::certified_window(cell, found, *look)),
            Output::Lines(sheet) => write(sheet, cell, found),
        }
    }

    fn end(self) -> io::Result<()> {
        match self {
            Output::Texts(_) => Ok(()),
            Output::Lines(sheet) => sheet.end(),
        }
    }
}

fn certified(
    found: &mut Found,
    input: &Input,
    plan: &Plan,
    (cell, certify): (&Cell, &WindowCertifyPlan),
    memory: Memory,
    on_event: impl Fn(usize),
) -> Result<CertifiedWindow, InputError> {
    let at_window = AtWindow::by_layer(&mut found.model, plan, &input.ids, *cell)?;
    let mut certificate = at_window.certificate(certify, memory)?;
    while certificate.step()? {
        on_event(certificate.searched());
    }
    Ok(certificate.so_far().clone())
}

/// Writes the lines of a window: the norms at its tokens, then the bounds and what was found within each eps.
fn write(sheet: &mut Sheet<impl Write>, cell: &Cell, certified: &CertifiedWindow) -> io::Result<()> {
    let Cell { layer, n, window, .. } = cell;
    let mut line = |(relative, epsilon): (f64, f64), head: Heads, (quantity, kind): (&str, &str), value: f64| {
        let (head, place) = (head.id(), [*layer, *n, *window].map(sheet::Cell::Whole));
        let (eps, what) =
            ([relative, epsilon].map(sheet::Cell::Number), [&head, quantity, kind].map(sheet::Cell::Text));
        sheet.row(&[&place[..], &eps, &what, &[value.into()]].concat())
    };
    let here = (0.0, 0.0);
    let kind = |norm: &SpectralNorm| ("norm", if norm.is_converged() { "exact" } else { "lower" });
    line(here, Heads::All, kind(&certified.norm), certified.norm.value)?;
    for (head, norm) in certified.heads.iter().enumerate() {
        line(here, Heads::One(head), kind(norm), norm.value)?;
    }
    for CertifiedWindowRow { relative, epsilon, heads, added, certified, found } in &certified.rows {
        let eps = (*relative, *epsilon);
        line(eps, Heads::All, ("certified", "upper"), *certified)?;
        line(eps, Heads::All, ("certified_added", "upper"), *added)?;
        line(eps, Heads::All, ("found", "lower"), *found)?;
        for (head, bound) in heads.iter().enumerate() {
            line(eps, Heads::One(head), ("certified", "upper"), *bound)?;
        }
    }
    sheet.flush()
}
