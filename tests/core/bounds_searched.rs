//! Searches that try to break the bounds: ascents on the norm at a fixed ball, then walks that raise the norm over a
//! bound at the tokens themselves. No list of tokens that they find passes a bound, and no lower bound passes the exact
//! norm.

use lipscope_core::bounds::{
    BoundId, FORK, LOCAL, LOCAL_BLOCKS, SHARP, SHARP_MASKED, SINK, TWO_CLUSTERS, UNIFIED, UNIFIED_MASKED,
};
use lipscope_core::experiment::{Experiment, Rows, TokenSource};
use lipscope_core::measure::{Measurement, measure};
use lipscope_core::random::{Random, Stream};
use lipscope_core::search::{Region, Search, SearchPlan};
use nalgebra::DMatrix;
use serde_json::json;

use crate::bounds_hold::{Worst, check_order, find};

/// What defines an experiment whose ball is searched.
#[derive(Clone, Copy, Debug)]
struct Case {
    seed: u64,
    n: usize,
    d: usize,
    heads: usize,
    head_dim: usize,
    has_output: bool,
    mask: &'static str,
    radius: f64,
    scale: f64,
}

/// Sizes and scales from a separate generator, so that all 300 cases differ and are reproducible.
fn case(seed: u64) -> Case {
    let mut random = Random::new(seed, Stream::Query(7));
    let d = 1 + random.below(4);
    Case {
        seed,
        n: 2 + random.below(6),
        d,
        heads: 1 + random.below(2),
        head_dim: 1 + random.below(d),
        has_output: random.below(2) == 0,
        mask: if seed.is_multiple_of(2) { "none" } else { "causal" },
        radius: 0.5 + 3.0 * random.uniform(),
        scale: 0.5 + 1.5 * random.uniform(),
    }
}

impl Case {
    fn experiment(self) -> Experiment {
        let Case { seed, n, d, heads, head_dim, has_output, mask, radius, scale } = self;
        // Every fourth with A = -I or A = I, for which the bounds are nearly reached.
        let weights = match seed % 4 {
            0 => json!({"source": "identity", "sign": if seed.is_multiple_of(8) { -1 } else { 1 }}),
            _ => json!({"source": "random", "heads": heads, "head_dim": head_dim, "scale": scale, "seed": seed,
                        "output": has_output}),
        };
        Experiment::from_value(json!({
            "mask": mask, "weights": weights,
            "tokens": {"source": "random", "distribution": "sphere", "n": n, "d": d, "radius": radius, "seed": seed},
        }))
        .expect("a valid experiment")
    }
}

/// The experiment at other tokens (d x n).
pub(crate) fn with_tokens(experiment: &Experiment, tokens: &DMatrix<f64>) -> Experiment {
    let rows = Rows::new("The tokens", tokens.nrows(), tokens.as_slice().to_vec()).expect("finite tokens");
    Experiment { tokens: TokenSource::Explicit(rows), ..experiment.clone() }
}

fn at(experiment: &Experiment, tokens: &DMatrix<f64>) -> Measurement {
    measure(&with_tokens(experiment, tokens)).expect("measured")
}

/// Number of steps of a walk that raises norm over bound.
const STEPS: usize = 40;
/// The length of the first step of a walk, in units of R.
const FIRST_LENGTH: f64 = 0.3;

/// Moves one token at a time at random wherever that raises the height of what is found there; returns tokens and
/// finding at the end.
pub(crate) fn walk<T>(
    steps: usize,
    (start, radius, seed): (&DMatrix<f64>, f64, u64),
    find: impl Fn(&DMatrix<f64>) -> T,
    height: impl Fn(&T) -> f64,
) -> (DMatrix<f64>, T) {
    let mut random = Random::new(seed, Stream::AscentStart(0));
    let (mut tokens, mut best) = (start.clone(), find(start));
    let mut length = FIRST_LENGTH;
    for _ in 0..steps {
        let mut moved = tokens.clone();
        let token = random.below(moved.ncols());
        moved.column_mut(token).iter_mut().for_each(|x| *x += length * radius * random.normal());
        let moved = Region::Ball.project(moved, radius);
        let found = find(&moved);
        if height(&found) > height(&best) {
            (tokens, best) = (moved, found);
        } else {
            length = (length * 0.93).max(1e-3);
        }
    }
    (tokens, best)
}

#[test]
fn searches_that_try_to_break_the_bounds_break_none() {
    let worst = Worst::of("bounds_searched");
    let mut searches = 0;
    for case in (0..300).map(case) {
        let plan = SearchPlan {
            experiment: case.experiment(),
            region: Region::Ball,
            dim: None,
            restarts: 9,
            iterations: 20,
            seed: case.seed,
        };
        let mut search = Search::start(&plan).unwrap_or_else(|problem| panic!("{case:?}: {problem}"));
        while search.step().expect("a step").is_some() {}
        searches += 1;
        let domain = search.domain();
        let (tokens, best) = search.best().expect("it has begun");
        let value = |id: BoundId| domain.bounds.iter().find(|bound| bound.id == id).map(|bound| bound.log10);
        let check = |what: String, below: f64, above: f64| {
            worst.check(what, below, above).unwrap_or_else(|problem| panic!("{case:?}: {problem}"));
        };
        for (sharp, unified) in [(&SHARP, &UNIFIED), (&SHARP_MASKED, &UNIFIED_MASKED)] {
            if let (Some(low), Some(high)) = (value(sharp), value(unified)) {
                check(format!("best found / {}", sharp.id()), best.log10(), low);
                check(format!("{} / {}", sharp.id(), unified.id()), low, high);
            }
        }
        for id in [&SINK, &FORK, &TWO_CLUSTERS] {
            if let Some(lower) = value(id) {
                check(format!("{} / best found", id.id()), lower, best.log10());
            }
        }
        // At the tokens themselves: where the norm is largest, and where it comes nearest to each local bound.
        check_order(&worst, &at(&domain.experiment, tokens)).unwrap_or_else(|problem| panic!("{case:?}: {problem}"));
        for id in [&LOCAL_BLOCKS, &LOCAL] {
            let ratio = |found: &Measurement| {
                found.spectral / find(found, id).and_then(|bound| bound.value).unwrap_or(f64::MAX)
            };
            let start = (tokens, domain.radius, case.seed);
            let (_, found) = walk(STEPS, start, |tokens| at(&domain.experiment, tokens), ratio);
            check_order(&worst, &found).unwrap_or_else(|problem| panic!("{case:?}: {problem}"));
        }
    }
    assert_eq!(searches, 300);
    for (what, least) in [
        ("best found / sharp", 100),
        ("best found / sharp_masked", 100),
        ("sharp / unified", 100),
        ("norm / local_blocks", 600),
        ("sink / best found", 80),
        ("fork / best found", 60),
    ] {
        assert!(worst.cases(what) >= least, "{what}: only {} cases", worst.cases(what));
    }
}
