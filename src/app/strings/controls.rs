//! The controls: their names, their hints, their choices.

use crate::app::field::Field;
use crate::app::state::{TokenChoice, WeightChoice};
use crate::experiment::{Law, Scope};

type Options<const N: usize> = [(&'static str, &'static str); N];

pub const EXAMPLE: &str = "Example";
pub const EXAMPLE_NONE: &str = "your settings";
pub const EXAMPLE_TWO_CLUSTERS: &str = "two clusters (ours), n = 4096, R = 3";
pub const EXAMPLE_SKEW: &str = "skew witness, n = 4096, R = 3";
pub const EXAMPLE_MILLION: &str = "a million tokens, causal";
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
pub const ONE_LENGTH: &str = "Clusters have one n: nothing to sweep.";
pub const NOT_SWEPT: &str = "Nothing to sweep; the sentence above says why.";

pub const FIXED_BY_OWN_TOKENS: &str = "your tokens’";
pub const FIXED_BY_OWN_WEIGHTS: &str = "your weights’";
pub const FIXED_BY_CLUSTERS: &str = "the clusters’";
pub const FIXED_BY_SKEW: &str = "2 for the witness";
pub const FIXED_BY_WITNESS: &str = "the witness’s";
pub const SKEW_WEIGHTS: &str = "its own A, ‖A‖ = 1";
pub const SKEW_NOTE: &str = "The skew witness brings its own A, one for each n, and V = I.";
pub const NO_CAUSAL_CLUSTERS: &str = "Clusters have no order, so there are no earlier tokens to mask.";
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
        Field::RegimeMax => "n up to",
        Field::RegimeAt => "read at n =",
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
        Field::RegimeMax => "The right end of the plot over n",
        Field::RegimeAt => {
            "The number of tokens at which the curves are read; every value is computed there, none is interpolated"
        }
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
        (TokenChoice::Skew, _) => "skew witness".into(),
        (TokenChoice::Clusters, Some((positions, _))) => format!("clusters ({positions} positions)"),
        (TokenChoice::Clusters, None) => "clusters …".into(),
        (TokenChoice::Own, Some((n, d))) => format!("your own ({n} × {d})"),
        (TokenChoice::Own, None) => "your own …".into(),
    }
}

pub fn weight_choice(choice: WeightChoice, own: Option<(usize, usize)>) -> String {
    match (choice, own) {
        (WeightChoice::Random, _) => "random".into(),
        (WeightChoice::IdentityPlus, _) => "identity, A = I".into(),
        (WeightChoice::IdentityMinus, _) => "identity, A = −I".into(),
        (WeightChoice::Kim, _) => "L2-MHA (Kim et al.)".into(),
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
