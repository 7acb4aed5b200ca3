//! Numbers that must be equal natively and in the browser.

use lipscope_core::experiment::{Distribution, Experiment, RandomTokens};
use lipscope_core::measure::measure;
use lipscope_core::random::{Random, Stream};
use lipscope_core::search::{Region, Search, SearchPlan};
use lipscope_core::tokens::random_tokens;

/// Hashes bits into one number (FNV-1a), so that thousands of samples are compared at once.
fn fold(bits: impl Iterator<Item = u64>) -> u64 {
    bits.flat_map(u64::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Twenty thousand normal numbers and the tokens of every distribution, to the last bit.
pub fn check_draws_to_the_bit() {
    let mut random = Random::new(7, Stream::Query(3));
    let first: Vec<f64> = (0..3).map(|_| random.normal()).collect();
    assert_eq!(first, FIRST_NORMALS);
    assert_eq!(fold((0..20_000).map(|_| random.normal().to_bits())), NORMALS_HASH);
    for (distribution, expected) in
        [Distribution::Gaussian, Distribution::Sphere, Distribution::Ball].into_iter().zip(TOKENS_HASH)
    {
        let tokens = random_tokens(&RandomTokens { distribution, n: 300, d: 3, radius: 1.7, seed: u64::MAX });
        assert_eq!(fold(tokens.iter().map(|x| x.to_bits())), expected, "{distribution:?}");
    }
}

const FIRST_NORMALS: [f64; 3] = [0.2999761470407946, -0.39881790038187015, 0.44778749566197595];
const NORMALS_HASH: u64 = 0x607c_eaa4_2a3e_d0b9;
const TOKENS_HASH: [u64; 3] = [0xd896_fd76_70f7_0cd8, 0xde80_2c3d_47aa_3a49, 0x9110_7c90_20d1_d958];

/// Norms of random experiments, by SVD and by iteration, to twelve digits.
pub fn check_norms_to_twelve_digits() {
    for (text, expected) in NORMS {
        let experiment = Experiment::from_json(text).expect("valid");
        let found = measure(&experiment).expect("measured").spectral;
        assert!((found / expected - 1.0).abs() < 1e-12, "{text}: {found:?} for {expected:?}");
    }
}

const NORMS: [(&str, f64); 3] = [
    (
        r#"{"tokens":{"source":"random","distribution":"sphere","n":12,"d":3,"radius":2,"seed":4},"weights":{"source":"random","heads":2,"head_dim":3,"seed":1,"output":true}}"#,
        4.68109288997553,
    ),
    (
        r#"{"mask":"causal","normalization":"layer","normalization_scope":"composed","tokens":{"source":"random","n":200,"d":6,"seed":8},"weights":{"source":"random","heads":3,"head_dim":2}}"#,
        8.483406412714627,
    ),
    (
        r#"{"attention":"l2","tokens":{"source":"random","distribution":"ball","n":300,"d":2,"radius":5},"weights":{"source":"identity","sign":1}}"#,
        1.799382574161627,
    ),
];

/// A search after thirty iterations, one of them a kick, to nine digits, because rounding accumulates over the steps.
pub fn check_a_search_to_nine_digits() {
    let text = r#"{"tokens":{"source":"adversarial","n":16,"radius":1.5},"weights":{"source":"identity","sign":-1}}"#;
    let experiment = Experiment::from_json(text).expect("valid");
    for (dim, expected) in HUNTED {
        let plan = SearchPlan {
            experiment: experiment.clone(),
            region: Region::Ball,
            dim: Some(dim),
            restarts: 1,
            iterations: 30,
            seed: 5,
        };
        let mut search = Search::start(&plan).expect("it begins");
        while search.step().expect("a step").is_some() {}
        let found = search.best().expect("it has begun").1;
        assert!((found / expected - 1.0).abs() < 1e-9, "d = {dim}: {found:?} for {expected:?}");
    }
}

const HUNTED: [(usize, f64); 2] = [(1, 6.007123562640898), (2, 6.00868966408102)];
