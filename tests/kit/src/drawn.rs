//! Random small experiments for property tests: every kernel, mask, normaliser and scope, one to three heads, and
//! tokens in every [`TokenPattern`].

use lipscope_core::experiment::Experiment;
use lipscope_core::random::{Random, Stream};
use proptest::prelude::*;
use serde_json::{Value, json};

/// How the tokens of a random case are arranged.
#[derive(Clone, Copy, Debug)]
pub enum TokenPattern {
    Gaussian,
    Ball,
    /// One token at -R u, the others at R u.
    Opposed,
    /// One token at R u, the others at R u / 2.
    Halved,
    /// All equal.
    Equal,
    /// One token at zero, the others spread.
    OneAtZero,
}

/// The choices that define a random case.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub seed: u64,
    pub n: usize,
    pub d: usize,
    pub head_shapes: Vec<(usize, usize)>,
    pub d_out: Option<usize>,
    pub lie: TokenPattern,
    pub radius: f64,
    pub weight_scale: f64,
    pub attention: &'static str,
    pub mask: &'static str,
    pub normalization: &'static str,
    pub scope: &'static str,
}

/// Random cases with one of the given kernels.
pub fn drawn(attentions: &'static [&'static str]) -> impl Strategy<Value = Drawn> {
    let lie = prop_oneof![
        Just(TokenPattern::Gaussian),
        Just(TokenPattern::Ball),
        Just(TokenPattern::Opposed),
        Just(TokenPattern::Halved),
        Just(TokenPattern::Equal),
        Just(TokenPattern::OneAtZero)
    ];
    let shape = (
        any::<u64>(),
        1usize..9,
        1usize..5,
        prop::collection::vec((1usize..5, 1usize..5), 1..4),
        prop::option::of(1usize..5),
    );
    let scale = (lie, -2.0f64..1.0, -1.5f64..0.6);
    let choices = (
        prop::sample::select(attentions),
        prop::sample::select(&["none", "causal"][..]),
        prop::sample::select(&["none", "layer", "rms"][..]),
        prop::sample::select(&["inputs", "composed"][..]),
    );
    (shape, scale, choices).prop_map(
        |((seed, n, d, head_shapes, d_out), (lie, log_radius, log_scale), (attention, mask, normalization, scope))| {
            Drawn {
                seed,
                n,
                d,
                head_shapes,
                d_out,
                lie,
                radius: 10f64.powf(log_radius),
                weight_scale: 10f64.powf(log_scale),
                attention,
                mask,
                normalization,
                scope,
            }
        },
    )
}

impl Drawn {
    /// The case as an experiment.
    pub fn experiment(&self) -> Experiment {
        let mut random = Random::new(self.seed, Stream::Output);
        let mut matrix = |n_rows: usize, n_columns: usize| -> Value {
            let row = |random: &mut Random| (0..n_columns).map(|_| self.weight_scale * random.normal()).collect();
            (0..n_rows).map(|_| row(&mut random)).collect::<Vec<Vec<f64>>>().into()
        };
        let heads: Vec<Value> = self
            .head_shapes
            .iter()
            .map(|(k, d_v)| json!({"q": matrix(*k, self.d), "k": matrix(*k, self.d), "v": matrix(*d_v, self.d)}))
            .collect();
        let mut weights = json!({"source": "explicit", "heads": heads});
        if let Some(d_out) = self.d_out {
            weights["output"] = matrix(d_out, self.head_shapes.iter().map(|(_, d_v)| d_v).sum());
        }
        Experiment::from_value(json!({
            "attention": self.attention, "mask": self.mask, "normalization": self.normalization,
            "normalization_scope": self.scope,
            "tokens": {"source": "explicit", "rows": self.tokens()},
            "weights": weights,
        }))
        .unwrap_or_else(|problem| panic!("{self:?}: {problem}"))
    }

    /// The tokens.
    pub fn positions(&self) -> Vec<Vec<f64>> {
        self.tokens()
    }

    fn tokens(&self) -> Vec<Vec<f64>> {
        let mut random = Random::new(self.seed, Stream::Tokens);
        let mut normal = || -> Vec<f64> { (0..self.d).map(|_| random.normal()).collect() };
        let unit = |x: Vec<f64>| -> Vec<f64> {
            let length = x.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
            x.iter().map(|x| x / length).collect()
        };
        let scaled = |x: &[f64], by: f64| -> Vec<f64> { x.iter().map(|x| by * x).collect() };
        let u = unit(normal());
        (0..self.n)
            .map(|i| match (self.lie, i) {
                (TokenPattern::Gaussian, _) => scaled(&normal(), self.radius / (self.d as f64).sqrt()),
                (TokenPattern::Ball, _) => scaled(&unit(normal()), self.radius * ((i + 1) as f64 / self.n as f64)),
                (TokenPattern::Opposed, 0) => scaled(&u, -self.radius),
                (TokenPattern::Halved, 0) | (TokenPattern::Equal, _) | (TokenPattern::Opposed, _) => {
                    scaled(&u, self.radius)
                }
                (TokenPattern::Halved, _) => scaled(&u, 0.5 * self.radius),
                (TokenPattern::OneAtZero, 0) => vec![0.0; self.d],
                (TokenPattern::OneAtZero, _) => scaled(&normal(), self.radius),
            })
            .collect()
    }
}
