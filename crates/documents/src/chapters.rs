//! The documents of the site, in the order in which they are read.

/// A document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// The name of its file in `docs`, without `.md`, and of its page, without `.html`.
    pub name: &'static str,
    /// What it is about, in a sentence.
    pub about: &'static str,
}

const fn chapter(name: &'static str, about: &'static str) -> Chapter {
    Chapter { name, about }
}

/// The parts of the list of documents: a title, and the documents. The first document is the site's index.
pub const PARTS: [(&str, &[Chapter]); 4] = [
    (
        "Begin",
        &[
            chapter("index", "The documents of Lipscope, and where to find what."),
            chapter("tutorial", "Lipscope in ten minutes: the page, the command line, Python."),
            chapter("cite", "How to cite Lipscope and the papers behind it."),
        ],
    ),
    (
        "Use",
        &[
            chapter("command_line", "The commands of Lipscope, its tables, and its experiment file."),
            chapter("experiment", "The experiment file: every field with its type, its default and its meaning."),
            chapter("python", "Lipscope in Python: functions, PyTorch modules, notebooks."),
            chapter(
                "monitor",
                "The layers of a PyTorch model while it trains: their norms and their attention, in your own loop.",
            ),
            chapter("embedding", "Lipscope in pages of your own: frames, messages, links, JavaScript."),
            chapter("teaching", "Lectures and assignments with Lipscope."),
            chapter("models", "The norms of the layers of trained and random transformers."),
            chapter("models_reference", "Maps, families, files and memory of models; certified bounds and results."),
            chapter(
                "training",
                "Small Transformers with nine kinds of attention: how they are trained, run backwards, and what was seen.",
            ),
            chapter("cluster", "Long runs over windows of text, spread over many machines."),
        ],
    ),
    (
        "Know",
        &[
            chapter(
                "theory",
                "Every bound and witness of Lipscope: statement, hypotheses, source and, where it is ours, proof.",
            ),
            chapter("numerics", "How the numbers are computed: the iteration, rounding, large n, searches."),
            chapter(
                "reproductions",
                "The figures, tables and bounds of two papers, compared with those of Lipscope, with verdicts.",
            ),
            chapter("glossary", "The terms of Lipscope, with their symbols and keys, in a sentence each."),
            chapter("performance", "How fast Lipscope is, as measured."),
            chapter("reliability", "What broken input, long runs and lost workers do to Lipscope."),
        ],
    ),
    (
        "Take part",
        &[
            chapter("extending", "How to add a bound, a kernel, a model or a lesson to Lipscope."),
            chapter("internals", "How Lipscope works inside."),
            chapter("releasing", "How Lipscope is released: packages, archives, workflows."),
        ],
    ),
];

/// All documents, in order.
pub fn chapters() -> impl Iterator<Item = Chapter> {
    PARTS.iter().flat_map(|(_, chapters)| chapters.iter().copied())
}
