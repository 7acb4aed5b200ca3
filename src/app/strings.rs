//! Every text of the page, in one place: short, plain, present tense.

use crate::bounds::BoundId;
use crate::experiment::{Law, Scope};
use crate::fit::PowerLaw;
use crate::measure::{Measurement, Method, Warning};
use crate::picture::{AttentionPicture, TokenPicture};
use crate::plot::{HoverValue, Kind, Number};

use super::engine::Role;
use super::field::Field;
use super::live::MeasureProgress;
use super::state::{PageState, TokenChoice, WeightChoice, XAxis};
use super::theme::ThemeChoice;

type Options<const N: usize> = [(&'static str, &'static str); N];

// The head of the page.
pub const TITLE: &str = "Lipscope";
pub const LEAD: &str = "How much can self-attention magnify a small change of its tokens?";
pub const SKIP: &str = "Skip to the plot";
pub const PAPERS: &str = "Papers";
pub const PAPER_CASTIN: (&str, &str, &str) = (
    "Castin et al. 2024",
    "https://arxiv.org/abs/2312.14820",
    "Castin, Ablin, Peyré: How Smooth Is Attention? ICML 2024",
);
pub const PAPER_KIM: (&str, &str, &str) = (
    "Kim et al. 2021",
    "https://arxiv.org/abs/2006.04710",
    "Kim, Papamakarios, Mnih: The Lipschitz Constant of Self-Attention. ICML 2021",
);
pub const THEME: &str = "Theme";
pub const KEYS_LABEL: &str = "Keyboard shortcuts";
pub const KEY_LIST: [(&str, &str); 5] = [
    ("← →", "on a slider: one step; Page keys: ten"),
    ("↑ ↓", "in a number: one step"),
    ("Double-click", "on a slider: back to the first value"),
    ("← → Home End", "on the plot: read the next n"),
    ("Enter", "on the plot: take that n"),
];
pub const CONTROLS: &str = "Controls";
pub const CLOSE: &str = "Close";

pub fn theme_choice(choice: ThemeChoice) -> &'static str {
    match choice {
        ThemeChoice::System => "Auto",
        ThemeChoice::Light => "Light",
        ThemeChoice::Dark => "Dark",
    }
}

// Controls.
pub const EXAMPLE: &str = "Example";
pub const EXAMPLE_NONE: &str = "your settings";
pub const EXAMPLE_BALL: &str = "random tokens in a ball";
pub const EXAMPLE_ADVERSARIAL: &str = "adversarial, A = −1, R = 3";
pub const EXAMPLE_CAUSAL: &str = "the same ball, causal";
pub const EXAMPLE_RANDOM_HEADS: &str = "random weights, d = 8";
pub const EXAMPLE_LAYER_NORM: &str = "LayerNorm, two heads";
pub const EXAMPLE_SMALL_BALL: &str = "a small ball, R = 0.5";

pub const TOKENS: &str = "Tokens";
pub const LAW: &str = "Law";
pub const LAW_HINT: &str = "How the tokens are drawn";
pub const WEIGHTS: &str = "Weights";
pub const WEIGHT_LAW: &str = "Matrices";
pub const WEIGHT_LAW_HINT: &str = "Where Q, K and V come from; A = KᵀQ/√k";
pub const ATTENTION: &str = "Attention";
pub const KERNEL: &str = "Kernel";
pub const KERNEL_HINT: &str = "What the scores before softmax are";
pub const KERNELS: Options<2> = [("dot", "dot product"), ("l2", "L2 distance")];
pub const MASK: &str = "Mask";
pub const MASK_HINT: &str = "Which tokens a token attends to";
pub const MASKS: Options<2> = [("none", "none: all tokens"), ("causal", "causal: earlier ones")];
pub const NORMALIZER: &str = "Normaliser";
pub const NORMALIZER_HINT: &str = "What is done to each token before attention";
pub const NORMALIZERS: Options<3> = [("none", "none"), ("layer", "LayerNorm"), ("rms", "RMSNorm")];
pub const SCOPE: &str = "Map";
pub const SCOPE_HINT: &str = "Which map the Jacobian is of";
pub const SCOPES: Options<2> = [("inputs", "attention alone"), ("composed", "normaliser and attention")];
pub const OUTPUT: &str = "Output matrix";
pub const OUTPUT_HINT: &str = "What is done with the concatenated heads";
pub const OUTPUTS: Options<2> = [("absent", "none"), ("drawn", "random")];
pub const MORE: &str = "More";
pub const MORE_CHANGED: &str = "changed from the first values";
pub const SWEEP: &str = "Sweep";
pub const SEED: &str = "Seed";
pub const SEED_HINT: &str = "The same seed gives the same numbers, here and on the command line";
pub const REDRAW: &str = "Redraw";
pub const REDRAW_TOKENS: &str = "Redraw the tokens with the next seed";
pub const REDRAW_WEIGHTS: &str = "Redraw the weights with the next seed";
pub const PAUSE: &str = "Pause";
pub const RESUME: &str = "Go on";
pub const NOT_SWEPT: &str = "Nothing to sweep; the sentence above says why.";

pub const FIXED_BY_OWN_TOKENS: &str = "your tokens’";
pub const FIXED_BY_OWN_WEIGHTS: &str = "your weights’";
pub const FIXED_BY_HEADS: &str = "heads × head dim.";
pub const FIXED_BY_IDENTITY: &str = "1 for identity";
pub const ONLY_RANDOM: &str = "random only";
pub const ONLY_NORMALIZED: &str = "with a normaliser only";
pub const ONE_DRAW: &str = "nothing random";

pub fn field_label(field: Field) -> &'static str {
    match field {
        Field::N => "Tokens n",
        Field::D => "Dimension d",
        Field::Radius => "Radius R",
        Field::Heads => "Heads",
        Field::HeadDim => "Head dimension",
        Field::Scale => "Scale",
        Field::Eps => "Epsilon",
        Field::SweepMax => "Up to n",
        Field::Draws => "Draws",
    }
}

pub fn field_hint(field: Field) -> &'static str {
    match field {
        Field::N => "How many tokens attend to each other",
        Field::D => "How many numbers a token has",
        Field::Radius => "The ball around the origin that holds every token",
        Field::Heads => "Attention heads, concatenated",
        Field::HeadDim => "Rows of Q, K and V of each head",
        Field::Scale => "Entries of Q, K and V have variance scale²/d",
        Field::Eps => "Added to the variance by the normaliser",
        Field::SweepMax => "The longest list of tokens that the plot measures",
        Field::Draws => "Independent draws of the tokens at each n",
    }
}

pub fn number_box(field: Field) -> String {
    format!("{}, number", field_label(field))
}

pub fn token_choice(choice: TokenChoice, own: Option<(usize, usize)>) -> String {
    match (choice, own) {
        (TokenChoice::Law(Law::Gaussian), _) => "gaussian, cut at R".into(),
        (TokenChoice::Law(Law::Sphere), _) => "uniform on the sphere".into(),
        (TokenChoice::Law(Law::Ball), _) => "uniform in the ball".into(),
        (TokenChoice::Adversarial, _) => "adversarial".into(),
        (TokenChoice::Own, Some((n, d))) => format!("your own ({n} × {d})"),
        (TokenChoice::Own, None) => "your own …".into(),
    }
}

pub fn weight_choice(choice: WeightChoice, own: Option<(usize, usize)>) -> String {
    match (choice, own) {
        (WeightChoice::Random, _) => "random".into(),
        (WeightChoice::IdentityPlus, _) => "identity, A = I".into(),
        (WeightChoice::IdentityMinus, _) => "identity, A = −I".into(),
        (WeightChoice::Own, Some((1, d))) => format!("your own (1 head, d = {d})"),
        (WeightChoice::Own, Some((heads, d))) => format!("your own ({heads} heads, d = {d})"),
        (WeightChoice::Own, None) => "your own …".into(),
    }
}

pub fn scope_note(scope: Scope) -> &'static str {
    match scope {
        Scope::Inputs => "The Jacobian of attention, taken at the normalised tokens.",
        Scope::Composed => "The Jacobian of normaliser and attention together, with respect to the raw tokens.",
    }
}

pub fn sweeping(percent: usize, milliseconds_left: Option<f64>) -> String {
    let left = match milliseconds_left {
        Some(ms) if ms >= 90_000.0 => format!(", about {:.0} min left", ms / 60_000.0),
        Some(ms) => format!(", about {:.0} s left", (ms / 1000.0).max(1.0)),
        None => String::new(),
    };
    format!("{percent}%{left}")
}

pub fn paused(done: usize, total: usize) -> String {
    format!("Paused at {done} of {total} points")
}

pub fn swept(points: usize) -> String {
    format!("{points} points measured")
}

// What cannot be.
pub const WHAT_N: &str = "The number of tokens n";
pub const FIX_N: &str = "Use fewer tokens here, or the command line.";
pub const WHAT_D: &str = "The token dimension d";
pub const FIX_D: &str = "Use a smaller dimension here, or the command line.";
pub const WHAT_ND: &str = "n times d";
pub const FIX_ND: &str = "Use fewer tokens or fewer dimensions here, or the command line.";
pub const WHAT_WEIGHTS: &str = "The number of weights";
pub const FIX_WEIGHTS: &str = "Use fewer heads or smaller dimensions here, or the command line.";
pub const FIX_FIT: &str = "Use tokens of that dimension, or other weights.";
pub const USABLE_SOURCES: &str = "explicit, random, adversarial tokens; explicit, random, identity weights";

pub fn tokens_of_dim(d: usize) -> String {
    format!("A token list of dimension {d}")
}

pub fn do_not_fit_weights(d: usize) -> String {
    format!("does not fit your weights, which take dimension {d}")
}

pub fn not_a_number(name: &str, text: &str) -> String {
    match text {
        "" => format!("{name} is empty. Type a number."),
        _ => format!("{name} is “{}”, which is not a number. Type digits, with a point for decimals.", shortened(text)),
    }
}

pub fn out_of_range(name: &str, text: &str, least: f64, most: f64) -> String {
    format!("{name} is {}, but it must be from {} to {}.", shortened(text), plain(least), plain(most))
}

pub fn not_whole(name: &str, text: &str) -> String {
    format!("{name} is {}, but it must be a whole number.", shortened(text))
}

pub fn not_a_seed(text: &str, most: u64) -> String {
    format!("The seed is “{}”, but it must be a whole number from 0 to {most}.", shortened(text))
}

pub fn file_too_large(name: &str, size: f64, most: f64) -> String {
    format!(
        "{} has {:.0} MB; this page reads up to {:.0} MB. Use fewer tokens, or the command line.",
        shortened(name),
        size / 1048576.0,
        most / 1048576.0
    )
}

pub fn file_unreadable(name: &str) -> String {
    format!("{} cannot be read. Check that it is a file, and choose it again.", shortened(name))
}

fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn plain(x: f64) -> String {
    if (1e-4..1e7).contains(&x) || x == 0.0 { x.to_string() } else { Number::short(x).to_string() }
}

// The workers.
pub const CANNOT_START: &str =
    "The part that computes did not start. Check the connection, allow workers for this page, then try again.";
pub const TRY_AGAIN: &str = "Try again";

pub fn restarted(role: Role) -> &'static str {
    match role {
        Role::Measure => "The worker that measures stopped and was started again; the measurement was sent again.",
        Role::Sweep => "The worker that sweeps stopped and was started again; the sweep was sent again.",
    }
}

pub fn gave_up(role: Role) -> &'static str {
    match role {
        Role::Measure => {
            "This configuration stopped the worker twice, so it is not tried again. It may need too much memory: use fewer tokens or heads."
        }
        Role::Sweep => {
            "This sweep stopped the worker twice, so it is not tried again. It may need too much memory: sweep to a smaller n."
        }
    }
}

pub fn announcement(measurement: &Measurement) -> String {
    format!("Local Lipschitz constant {} at n = {}.", Number::of(measurement.spectral), measurement.n)
}

pub fn sheet_value(measurement: &Measurement) -> String {
    format!("L = {}", Number::of(measurement.spectral))
}

// The main plot.
pub const PLOT_HEADING: &str = "Local Lipschitz constant over the number of tokens";
pub const AXIS: &str = "n spaced by";
pub const Y_AXIS_TITLE: &str = "local Lipschitz constant L = ‖J‖₂";
pub const MEASURED: &str = "measured";
pub const MEASURING: &str = "measuring …";
pub const READOUT_HINT: &str =
    "Point at the plot, or focus it and use ← →, to read values; click or Enter takes that n.";
pub const SLOPE_HINT: &str =
    "Least squares of log L on log n over all draws, with its 95% interval. Growth like √n has slope 0.5.";

pub fn axis_choice(axis: XAxis) -> &'static str {
    match axis {
        XAxis::SqrtN => "√n",
        XAxis::N => "n",
        XAxis::LogLog => "log n, log L",
    }
}

pub fn x_axis_title(axis: XAxis) -> &'static str {
    match axis {
        XAxis::SqrtN => "number of tokens n, spaced by √n",
        XAxis::N => "number of tokens n",
        XAxis::LogLog => "number of tokens n, logarithmic",
    }
}

pub fn slope(fit: Option<PowerLaw>) -> String {
    match fit {
        Some(fit) => format!("log–log slope {} ± {:.3} (95%)", signed(fit.exponent), fit.half_width),
        None => "log–log slope –".into(),
    }
}

pub fn mean_label(draws: usize) -> String {
    if draws > 1 { format!("measured, mean of {draws}") } else { MEASURED.into() }
}

pub fn bound_label(bound: BoundId) -> &'static str {
    bound.label()
}

pub fn bound_label_short(bound: BoundId) -> &'static str {
    match bound {
        BoundId::CastinGeneral => "any n",
        BoundId::CastinMeanField => "mean-field",
        BoundId::UnifiedMasked => "unified",
        BoundId::AdversarialEnvelope => "envelope",
        bound => bound.label(),
    }
}

pub fn n_equals(n: usize) -> String {
    format!("n = {n}")
}

pub fn readout(n: f64, values: &[HoverValue]) -> String {
    let mut parts = vec![n_equals(n as usize)];
    let of = |id: &str| values.iter().find(|value| value.id == id);
    if let Some(draws) = of("draws").filter(|value| value.x == n) {
        let mean = Number::of(draws.y);
        parts.push(match draws.count {
            1 => format!("{MEASURED} {mean}"),
            count => format!(
                "{MEASURED} {mean} (least {}, greatest {}, {count} draws)",
                Number::of(draws.low),
                Number::of(draws.high)
            ),
        });
    } else if let Some(current) = of("current").filter(|value| value.x == n) {
        parts.push(format!("{MEASURED} {}", current.number));
    }
    for bound in BoundId::ALL {
        if let Some(value) = of(bound.id()) {
            parts.push(format!("{} {}", bound_label(bound), value.number.clone().kind(Kind::UpperBound)));
        }
    }
    parts.join("  ·  ")
}

/// Three decimals, with a minus sign as wide as a digit.
fn signed(x: f64) -> String {
    format!("{x:.3}").replace('-', "\u{2212}")
}

pub fn plot_finding(ends: Option<((usize, f64), (usize, f64))>, fit: Option<PowerLaw>) -> String {
    match (ends, fit) {
        (Some(((n, first), (m, last))), Some(fit)) => format!(
            "Local Lipschitz constant over the number of tokens: {} at n = {n}, {} at n = {m}; it grows like n to the {:.2} plus or minus {:.2}. Left and right arrows read values.",
            Number::of(first),
            Number::of(last),
            fit.exponent,
            fit.half_width
        ),
        _ => "Local Lipschitz constant over the number of tokens; being measured.".into(),
    }
}

// Tables and files.
pub const TABLE: &str = "Table";
pub const COPY_CSV: &str = "Copy CSV";
pub const DOWNLOAD_CSV: &str = "Save CSV";
pub const COPIED: &str = "Copied.";
pub const NOT_COPIED: &str = "The browser does not allow copying here; save the file instead.";
pub const TOKEN: &str = "token";
pub const COLUMN_SUM: &str = "column sum";
pub const SWEEP_COLUMNS: [&str; 4] = ["n", "least", "mean", "greatest"];
pub const FROM_TO: &str = "from \\ to";

// The attention matrix.
pub const ATTENTION_HEADING: &str = "Attention matrix";
pub const HEAD: &str = "Head";
pub const COLUMN_SUMS: &str = "column sums,";
pub const FROM_TOKEN: &str = "from token";
pub const TO_TOKEN: &str = "to token";

pub fn head(head: usize) -> String {
    (head + 1).to_string()
}

pub fn attention_finding(picture: &AttentionPicture) -> String {
    let sums = || picture.column_sums.iter().copied();
    let largest = sums().fold(0.0, f64::max);
    let at = sums().position(|sum| sum == largest).map_or(0, |token| token + 1);
    let averaged = if picture.side < picture.n { " Cells are averages." } else { "" };
    format!(
        "Row: a token; column: one it attends to. The largest column sum, how much attention one token draws, is {} of n = {}, at token {at}.{averaged}",
        Number::of(largest),
        picture.n
    )
}

// The token plane.
pub const TOKENS_HEADING: &str = "Tokens";

pub fn plane_axes(picture: &TokenPicture) -> (String, String) {
    let share = |share: f64| format!("{:.0}% of the variance", 100.0 * share);
    match (picture.variance_shares, picture.d) {
        (Some((first, second)), _) => (format!("1st axis, {}", share(first)), format!("2nd axis, {}", share(second))),
        (None, 1) => ("token".into(), String::new()),
        (None, _) => ("1st number".into(), "2nd number".into()),
    }
}

pub fn tokens_finding(picture: &TokenPicture) -> String {
    let n = picture.positions.len();
    let largest = Number::of(picture.largest_norm);
    match (picture.d, picture.variance_shares) {
        (1, _) => format!("{n} tokens of one number; those that coincide are stacked. The largest norm is {largest}."),
        (_, None) => format!("{n} tokens of two numbers, as they are. The largest norm is {largest}."),
        (d, Some((first, second))) => format!(
            "{n} tokens of {d} numbers on their first two principal axes, which hold {:.0}% of the variance. The largest norm is {largest}.",
            100.0 * (first + second)
        ),
    }
}

pub fn ball(radius: f64) -> String {
    format!("R = {}", Number::short(radius))
}

pub fn drawn_of(drawn: usize, n: usize) -> String {
    format!("The first {drawn} of {n} are drawn.")
}

// The numbers.
pub const NUMBERS_HEADING: &str = "This configuration";
pub const SPECTRAL: &str = "Local Lipschitz constant";
pub const SPECTRAL_HINT: &str =
    "‖J‖₂, the largest singular value of the Jacobian: how much a small change of all tokens can grow";
pub const RATIO: &str = "over √n";
pub const RATIO_HINT: &str = "The local Lipschitz constant divided by √n";
pub const RADIUS: &str = "R of the bounds";
pub const RADIUS_HINT: &str = "The largest token norm, or √d under a normaliser";
pub const FROBENIUS: &str = "Frobenius norm";
pub const FROBENIUS_HINT: &str = "Root of the sum of all squared entries of J";
pub const LINF: &str = "ℓ∞ norm";
pub const LINF_HINT: &str = "Largest absolute row sum of J";
pub const L1: &str = "ℓ1 norm";
pub const L1_HINT: &str = "Largest absolute column sum of J";
pub const NEEDS_DENSE: &str = "Needs every entry of J, which is too large here";
pub const METHOD: &str = "method";
pub const ITERATIONS: &str = "steps";
pub const RESIDUAL: &str = "relative residual";
pub const RESIDUAL_HINT: &str = "|Jᵀu − s v| / s, of the singular vectors found";
pub const TIME: &str = "time in the worker";
pub const UPPER_BOUNDS: &str = "Published upper bounds";
pub const NOT_APPLICABLE: &str = "does not apply";
pub const SMALL_N: &str = "n";
pub const SMALL_D: &str = "d";
pub const NONE_YET: &str = "–";
pub const STALE: &str = "These are the last good numbers.";
pub const FORMULA_WHERE: &str = "with a = ‖A‖₂R² and v = ‖V‖₂ of each head";

pub fn how(measurement: &Measurement) -> String {
    let unconverged =
        measurement.warnings.first().map(|Warning::Unconverged { relative_residual, .. }| *relative_residual);
    match (measurement.method, unconverged) {
        (Method::DenseSvd, _) => "exact, by dense SVD".into(),
        (Method::Clusters, None) if measurement.iterations == 0 => "exact, by distinct tokens".into(),
        (Method::CausalRuns, None) => format!("to 1e-10 (Lanczos on runs, {} steps)", measurement.iterations),
        (_, None) => format!("to 1e-10 (Lanczos, {} steps)", measurement.iterations),
        (_, Some(residual)) => format!("a lower bound: Lanczos stopped at residual {residual:.0e}"),
    }
}

pub fn method(method: Method) -> &'static str {
    match method {
        Method::DenseSvd => "dense SVD",
        Method::Lanczos => "Lanczos",
        Method::Clusters => "distinct tokens",
        Method::CausalRuns => "Lanczos on runs",
    }
}

pub fn measuring(progress: MeasureProgress) -> String {
    match progress.relative_residual {
        Some(residual) => format!("measuring: step {}, residual {residual:.0e}", progress.iterations),
        None => format!("measuring: step {}", progress.iterations),
    }
}

pub fn times_measured(ratio: f64) -> String {
    format!("{} × measured", Number::rough(ratio))
}

pub fn milliseconds(ms: f64) -> Number {
    if ms < 1000.0 { Number::rough(ms).unit("ms") } else { Number::rough(ms / 1000.0).unit("s") }
}

// Own data.
pub const OWN: &str = "Your own tokens and weights";
pub const OWN_HINT: &str = "One token a line, its numbers separated by commas, tabs or blanks; or JSON; or a whole experiment file. Files (.csv .tsv .json .npy) can be dropped anywhere.";
pub const OWN_PLACEHOLDER: &str = "-1\n1\n1";
pub const APPLY: &str = "Use these";
pub const CHOOSE_FILE: &str = "Choose a file";
pub const DROP: &str = "Drop tokens or an experiment";
pub const EXPORT_HINT: &str = "The experiment on screen, as the file that lipscope measure reads:";
pub const COPY_EXPERIMENT: &str = "Copy experiment";
pub const COPY_LINK: &str = "Copy link";
pub const LINK_TOO_LONG: &str = "These tokens or weights are too long for a link; save the experiment instead.";
pub const DOWNLOAD_EXPERIMENT: &str = "Save experiment";
pub const DOWNLOAD_MEASUREMENT: &str = "Save numbers";

pub fn applied(state: &PageState) -> String {
    match (state.tokens, state.weights) {
        (TokenChoice::Own, WeightChoice::Own) => {
            format!("In use: your {} × {} tokens and your weights.", state.n_tokens(), state.dim())
        }
        (TokenChoice::Own, _) => format!("In use: your {} × {} tokens.", state.n_tokens(), state.dim()),
        (_, WeightChoice::Own) => "In use: your weights.".into(),
        _ => "In use: the experiment.".into(),
    }
}

/// The name of a picture: what it is of, and what it shows once there is something.
pub fn label(heading: &str, finding: &str) -> String {
    if finding.is_empty() { heading.to_owned() } else { format!("{heading}. {finding}") }
}
