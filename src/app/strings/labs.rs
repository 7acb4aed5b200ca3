//! The views of Kim, Papamakarios, Mnih: scaled tokens, tightness, the inverse.

use crate::app::labs::{Phase, Side, Which};
use crate::app::state::{DotWeights, LabTokens};
use crate::bounds::Norm;
use crate::experiment::WeightSource;
use crate::fit::PowerLaw;
use crate::inverse::{ConstantKind, Outcome};
use crate::plot::Number;
use crate::scaling::{ScaledTokens, ScalingPoint};
use crate::tightness::TightnessPoint;

use super::norms::norm_title;

pub const PLOT_SCALED: &str = "Scaled tokens";
pub const PLOT_SCALED_HINT: &str = "The norm as the tokens grow without bound, for both kernels";
pub const PLOT_TIGHTNESS: &str = "Tightness";
pub const PLOT_TIGHTNESS_HINT: &str = "The largest ℓ∞ norms that a search finds, against the published bound";
pub const PLOT_INVERSE: &str = "Inverse";
pub const PLOT_INVERSE_HINT: &str = "Inverting X + c F(X)/L by its fixed point, for both attentions";
pub const SCALED_HEADING: &str = "Local Lipschitz constant over the scale of the tokens";
pub const TIGHTNESS_HEADING: &str = "Largest ℓ∞ norm found over the number of tokens";
pub const INVERSE_HEADING: &str = "Inverting attention with a skip";

pub const DOT: &str = "dot product";
pub const L2: &str = "L2";
pub const L2_MHA: &str = "L2-MHA";
pub const STOP: &str = "Stop";
pub const AGAIN: &str = "Do it again";

pub const SHARE_OF_HEAD: &str = "d / heads";
pub const ONE_A_HEAD: &str = "one a head";

pub const SCALED_DOT_GROWS: &str = "Dot product grows like ";
pub const SCALED_L2_GROWS: &str = ", L2 like ";
pub const SCALED_LAST_DECADES: &str = " over the last two decades.";
pub const SCALED_TOKENS: &str = "Tokens";
pub const SCALED_AT: &str = "at R";
pub const SCALED_X: &str = "R, the largest token norm, logarithmic";
pub const SLOPE_2: &str = "slope 2";
pub const SCALED_COLUMNS: [&str; 3] = ["R", "dot product", "L2"];
pub const SCALED_UNTIED: &str = "L2 is bounded where queries and keys are one matrix (Q = K); these weights have two.";
pub const TAKE_KIM: &str = "Take L2-MHA weights";
pub const SCALED_SKEW: &str = "The skew witness brings another A for each R. Choose other tokens.";
pub const SCALED_CLUSTERS: &str = "Clusters are no list of tokens. Choose a law of tokens, or paste your own.";
pub const SCALED_NORMALIZED: &str = "A normaliser undoes every scaling of the tokens. Set Normaliser to none.";

pub const TIGHTNESS_ABOUT: &str =
    "L2 attention, d = 1, one head, weights 1. Tokens in two to four clusters on a line, moved uphill.";
pub const RESTARTS: &str = "Restarts";
pub const RESTARTS_HINT: &str = "Random starts at each n, besides one token apart from all others";
pub const LARGEST_FOUND: &str = "largest found";
pub const LARGEST_FOUND_SHORT: &str = "found";
pub const KIM_LINF: &str = "Kim et al., ℓ∞";
pub const KIM_LINF_SHORT: &str = "bound";
pub const FOUND_OVER_BOUND: &str = "found / bound";
pub const TIGHTNESS_X: &str = "number of tokens n, logarithmic";
pub const TIGHTNESS_Y: &str = "ℓ∞ norm of J";
pub const TIGHTNESS_COLUMNS: [&str; 5] =
    ["n", "largest found (lower bound)", "Kim et al. (upper bound)", "found / bound", "clusters (place × size)"];

pub const INVERSE_X: &str = "iteration t";
pub const INVERSE_Y: &str = "error |Xₜ − X|";
pub const GUARANTEED: &str = "guaranteed for L2-MHA";
pub const GUARANTEED_SHORT: &str = "guaranteed";
pub const ERROR: &str = "error";
pub const STEP_RESIDUAL: &str = "residual";
pub const CONSTANT: &str = "L";
pub const INVERSE_COLUMNS: [&str; 6] = [
    "t",
    "L2-MHA error",
    "L2-MHA residual",
    "L2-MHA guaranteed (upper bound)",
    "dot product error",
    "dot product residual",
];
pub const INVERSE_NO_TOKENS: &str =
    "The tokens of the controls depend on the weights, or are no list. Choose a law of tokens, or paste your own.";
pub const FRACTION: &str = "c";
pub const FRACTION_HINT: &str = "The map is X + c F(X)/L; below 1 L2-MHA has an inverse for sure";
pub const NO_GUARANTEE: &str = "From c = 1 on nothing is guaranteed.";
pub const WHERE_DOT_FAILS: &str = "Where dot product fails";
pub const WHERE_DOT_FAILS_HINT: &str = "Four random tokens of norm up to 21.7 in 4 dimensions, A = I, c = 0.9";
pub const DOT_WEIGHTS: &str = "Dot product has";
pub const LAB_N_HINT: &str = "How many tokens are drawn";
pub const LAB_D_HINT: &str = "How many numbers a token has; the first two are pictured";
pub const LAB_R_HINT: &str = "Radius of the ball, or half the side of the grid";
pub const PLANE_X: &str = "first number";
pub const PLANE_Y: &str = "second";
pub const PLANE_MANY: &str = "more than 1024 tokens";
pub const PLANE_COLUMNS: [&str; 7] = ["token", "X 1st", "X 2nd", "Y 1st", "Y 2nd", "Xₜ 1st", "Xₜ 2nd"];
pub const PLAYER: &str = "Iterations";
pub const PLAY: &str = "Play";
pub const STEP_ON: &str = "One iteration on";
pub const STEP_BACK: &str = "One iteration back";

pub fn kim_note(heads: usize, d: usize) -> String {
    let steps = if heads > 1 { format!(" d goes in steps of {heads}.") } else { String::new() };
    format!(
        "Queries are keys, so the kernel is set to L2. Each head has d / heads = {} dimensions.{steps}",
        d / heads.max(1)
    )
}

pub fn lab_progress(phase: &Phase, done: usize, total: usize) -> String {
    match phase {
        Phase::Waiting | Phase::Done => String::new(),
        Phase::Running if total > 0 => format!("{done} of {total}"),
        Phase::Running => "computing …".into(),
        Phase::Paused | Phase::Stopped => "Stopped; what was found stays.".into(),
        Phase::Failed(problem) => problem.clone(),
    }
}

pub fn lab_note(phase: &Phase) -> String {
    match phase {
        Phase::Waiting | Phase::Running | Phase::Done => "computing …".into(),
        Phase::Paused | Phase::Stopped => "stopped".into(),
        Phase::Failed(_) => "nothing to draw; the sentence below says why".into(),
    }
}

/// An exponent with two decimals and a real minus sign; no minus before zeros.
pub fn power(x: f64) -> String {
    let text = format!("{x:.2}");
    if text == "-0.00" { "0.00".into() } else { text.replace('-', "\u{2212}") }
}

pub fn scaled_choice(choice: ScaledTokens) -> String {
    match choice {
        ScaledTokens::OneAtZero => "one token at 0".into(),
        ScaledTokens::AsTheyAre => "as they are, scaled".into(),
    }
}

pub fn scaled_finding(norm: Norm, last: Option<ScalingPoint>, fits: Option<(PowerLaw, PowerLaw)>) -> String {
    match (last, fits) {
        (Some(last), Some((dot, l2))) => format!(
            "{} over the largest token norm R. Dot product grows like R to the {}, L2 like R to the {}; at R = {} they are {} and {}. Left and right arrows read values.",
            norm_title(norm),
            power(dot.exponent),
            power(l2.exponent),
            Number::short(last.radius),
            Number::of(last.dot),
            Number::of(last.l2)
        ),
        _ => format!("{} over the largest token norm; being computed.", norm_title(norm)),
    }
}

pub fn scaled_readout(point: Option<ScalingPoint>) -> String {
    match point {
        Some(point) => format!(
            "R = {}  ·  {DOT} = {}  ·  {L2} = {}",
            Number::of(point.radius),
            Number::of(point.dot),
            Number::of(point.l2)
        ),
        None => "Point at the plot, or focus it and use ← →, to read values.".into(),
    }
}

pub fn tightness_finding(points: &[TightnessPoint]) -> String {
    match points.last() {
        Some(last) => format!(
            "Largest ℓ∞ norm found over the number of tokens: at n = {} at least {}, and at most {} by the bound. Left and right arrows read values.",
            last.n,
            Number::of(last.found),
            Number::of(last.bound)
        ),
        None => "Largest ℓ∞ norm found over the number of tokens; being searched.".into(),
    }
}

pub fn clusters_of(point: &TightnessPoint) -> String {
    let part = |(place, size): &(f64, usize)| format!("{} × {size}", Number::of(*place));
    point.clusters.iter().map(part).collect::<Vec<_>>().join(", ")
}

pub fn tightness_readout(point: &TightnessPoint) -> String {
    format!("n = {}  ·  found at tokens (place × how many): {}", point.n, clusters_of(point))
}

pub fn inverse_finding(l2: &Side, dot: &Side) -> String {
    let one = |name: &str, side: &Side| match side.steps.last() {
        Some(last) => format!("{name}: {}, error {}.", ended(side.outcome, side.steps.len()), Number::of(last.error)),
        None => format!("{name}: being computed."),
    };
    format!(
        "Error of the inverse against the iteration. {} {} Left and right arrows read values.",
        one(L2_MHA, l2),
        one(DOT, dot)
    )
}

pub fn inverse_readout(iteration: usize, l2: &Side, dot: &Side) -> String {
    let one = |name: &str, side: &Side| {
        side.steps.get(iteration).map(|step| format!("{name} error {}", Number::of(step.error)))
    };
    let guaranteed = l2.steps.get(iteration).and_then(|step| step.guaranteed);
    let guaranteed = guaranteed.map(|rate| format!("guaranteed ≤ {}", Number::of(rate)));
    [Some(self::iteration(iteration)), one(L2_MHA, l2), guaranteed, one(DOT, dot)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("  ·  ")
}

pub fn iteration(t: usize) -> String {
    format!("t = {t}")
}

pub fn ended(outcome: Option<Outcome>, iterations: usize) -> String {
    match outcome {
        Some(Outcome::Converged) => format!("converged in {iterations} iterations"),
        Some(Outcome::Diverged) => format!("diverged after {iterations} iterations"),
        Some(Outcome::Stalled) => format!("stalled: no inverse after {iterations} iterations"),
        None if iterations > 0 => format!("iterating: {iterations}"),
        None => "computing …".into(),
    }
}

pub fn constant_kind(kind: Option<ConstantKind>) -> &'static str {
    match kind {
        Some(ConstantKind::KimL2) => "L: Kim et al.’s bound, for all tokens",
        Some(ConstantKind::Local) => "L: ‖J‖₂ at X, no bound elsewhere",
        None => "",
    }
}

pub fn lab_tokens(choice: LabTokens) -> String {
    match choice {
        LabTokens::Drawn => "random in a ball".into(),
        LabTokens::Grid => "a grid, d = 2".into(),
        LabTokens::Page => "those of the controls".into(),
    }
}

pub fn dot_weights(choice: DotWeights) -> String {
    match choice {
        DotWeights::IdentityPlus => "A = I, V = I".into(),
        DotWeights::IdentityMinus => "A = −I, V = I".into(),
        DotWeights::Same => "the weights of L2-MHA".into(),
    }
}

pub fn l2_weights(weights: &WeightSource) -> String {
    match weights {
        WeightSource::Kim { heads: 1, scale, seed } => format!("L2-MHA: 1 head, scale {scale}, seed {seed}"),
        WeightSource::Kim { heads, scale, seed } => format!("L2-MHA: {heads} heads, scale {scale}, seed {seed}"),
        _ => String::new(),
    }
}

pub fn plane_caption(times: f64, side: &Side) -> String {
    if side.tokens.is_empty() {
        return String::new();
    }
    match times {
        1.0 => "rings X, dots Xₜ".into(),
        times => format!("rings X, dots Xₜ; moves drawn {} × as long", Number::short(times)),
    }
}

pub fn plane_words(which: Which, iteration: usize) -> String {
    let name = match which {
        Which::L2 => L2_MHA,
        Which::Dot => DOT,
    };
    format!(
        "{name}: the tokens X as rings, the iterate at t = {iteration} as dots, in the plane of their first two numbers"
    )
}
