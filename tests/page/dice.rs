//! Scenes drawn at random, the same in every run.

use std::sync::Arc;

use lipscope::state::{
    Assigned, CertifySettings, CompareSettings, ComparedAlong, ComparedKind, ComparedTokens, DotWeights, DrawnSize,
    EstimatorQuantity, EstimatorSettings, GrowthView, Guessed, HiddenParts, InverseSettings, LabTokens, LessonAt,
    MAX_WITNESS_N, ModelSettings, OwnClusters, OwnWeights, PageState, Part, PlotChoice, RadiusGrowth, Range,
    SCALED_TOKENS, Scene, SearchFold, SearchSettings, Settings, SourceKind, Stage, ThemeChoice, TokenChoice, Trace,
    Traces, WeightChoice, XAxis,
};
use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{
    Alibi, Attention, Gain, Head, Mask, Normalization, Order, Output, Preset, QkNorm, Rope, RopeLayout, Rows, Scope,
    Score, Steps, TokenSource, VectorNorm, Weighting,
};
use lipscope_core::search::Region;
use lipscope_core::spectrum::SpectrumMap;
use lipscope_testkit::dice::Dice;

/// A random number with all its digits, from 10^-`powers` to 10^`powers`.
fn real(dice: &mut Dice, powers: i32) -> f64 {
    let mantissa = (dice.bits() >> 11) as f64 / (1u64 << 53) as f64;
    (1.0 + 9.0 * mantissa) * 10f64.powi(dice.below(2 * powers as usize) as i32 - powers)
}

/// A table of random numbers.
pub fn table(dice: &mut Dice, rows: usize, columns: usize) -> Rows {
    let entries = (0..rows * columns).map(|_| real(dice, 2) - 3.0).collect();
    Rows::new("rows", columns, entries).expect("numbers")
}

/// A scene that the page can be in.
pub fn scene(dice: &mut Dice) -> Scene {
    loop {
        let scene = any_scene(dice);
        if scene.state.check_cost().is_ok() {
            return scene;
        }
    }
}

/// Kernel and steps: half of them those of the two papers, a quarter a preset, a quarter drawn step by step.
fn steps(dice: &mut Dice) -> (Attention, Steps) {
    if dice.below(2) == 0 {
        let mask = dice.of(&[Mask::None, Mask::Causal]).clone();
        return (*dice.of(&[Attention::Dot, Attention::L2]), Steps { mask, ..Steps::plain() });
    }
    if dice.below(2) == 0 {
        return dice.of(&Preset::ALL).attention();
    }
    let order = *dice.of(&[Order::Free, Order::Causal]);
    let mask = match dice.below(4) {
        0 => Mask::None,
        1 => Mask::Causal,
        2 => Mask::Window { width: 1 + dice.below(30), order },
        _ => Mask::Prefix { length: 1 + dice.below(30) },
    };
    let gain = |dice: &mut Dice| Gain::All(real(dice, 2));
    let kind = *dice.of(&VectorNorm::ALL);
    let score = Score {
        scale: dice.once_in(2).then(|| real(dice, 3)),
        softcap: dice.once_in(2).then(|| real(dice, 3)),
        qk_norm: dice.once_in(3).then(|| QkNorm { kind, eps: real(dice, 3), q_gain: gain(dice), k_gain: gain(dice) }),
        rope: dice.once_in(3).then(|| Rope {
            base: real(dice, 4),
            fraction: *dice.of(&[0.25, 0.5, 1.0]),
            layout: *dice.of(&RopeLayout::ALL),
        }),
        cosine_eps: None,
        alibi: dice.once_in(4).then_some(Alibi { slopes: None }),
        bias: None,
        value_norm: dice.once_in(5).then(|| real(dice, 2)),
    };
    let weighting = match dice.below(5) {
        0 => Weighting::with_sink(real(dice, 2) - 5.0),
        1 => Weighting::Sigmoid { bias: dice.once_in(2).then(|| -real(dice, 1)) },
        2 => Weighting::Relu { divisor: dice.once_in(2).then(|| real(dice, 2)) },
        3 => Weighting::Softplus { divisor: None },
        _ => Weighting::SOFTMAX,
    };
    (Attention::Dot, Steps { mask, score, weighting })
}

fn any_scene(dice: &mut Dice) -> Scene {
    let first = PageState::default();
    let (n, d) = (2 + dice.below(8), 1 + dice.below(4));
    let (attention, steps) = steps(dice);
    let mut state = PageState {
        tokens: dice.of(&TokenChoice::ALL).1,
        n: 2 + dice.below(300),
        d: 1 + dice.below(16),
        radius: real(dice, 4),
        token_seed: dice.bits() >> 11,
        own_tokens: Some(table(dice, n, d)),
        own_clusters: OwnClusters::of(&TokenSource::Clusters {
            positions: table(dice, n, d),
            log_multiplicities: (0..n).map(|_| real(dice, 2)).collect(),
        })
        .map(Arc::new),
        own_from: dice.of(&TokenChoice::MOVED_FROM).1,
        weights: dice.of(&WeightChoice::ALL).1,
        heads: 1 + dice.below(4),
        head_dim: 1 + dice.below(16),
        scale: real(dice, 3),
        weight_seed: dice.bits() >> 11,
        output: *dice.of(&[Output::Absent, Output::Drawn]),
        heads_per_key: 1 + dice.below(4),
        differential: dice.once_in(4).then(|| real(dice, 3)),
        own_weights: Some(Arc::new(OwnWeights {
            heads: (0..1 + dice.below(2))
                .map(|_| Head { q: table(dice, 2, d), k: table(dice, 2, d), v: table(dice, 3, d), second: None })
                .collect(),
            shared: Vec::new(),
            output: None,
        })),
        attention,
        mask: steps.mask,
        score: steps.score,
        weighting: steps.weighting,
        normalization: *dice.of(&[Normalization::None, Normalization::Layer, Normalization::Rms]),
        scope: *dice.of(&[Scope::Inputs, Scope::Composed]),
        eps: real(dice, 6),
        norm: *dice.of(&Norm::ALL),
        x_axis: dice.of(&XAxis::CHOICES).1,
        sweep_max: 4 + dice.below(4000),
        draws: 1 + dice.below(64),
        head_shown: dice.below(3),
        growth: GrowthView {
            range: dice.of(&Range::ALL).1,
            at: (dice.below(2) == 0).then(|| (1e2 * real(dice, 8).abs()).round().clamp(2.0, 1e18)),
            radius_growth: dice.of(&RadiusGrowth::ALL).1,
            traces: Traces::of(Trace::ALL.into_iter().filter(|_| dice.below(2) == 0)),
            search: SearchSettings {
                region: *dice.of(&[Region::Ball, Region::Sphere]),
                restarts: 1 + dice.below(1000),
                seed: dice.bits() >> 11,
                dim: 1 + dice.below(64),
            },
            fold: dice.of(&SearchFold::ALL).1,
        },
    };
    // Links in use mostly change few fields of a first visit: so do a third of the scenes here.
    if dice.below(3) == 0 {
        state = PageState { n: state.n, mask: state.mask.clone(), radius: state.radius, ..first };
    }
    if state.tokens == TokenChoice::Adversarial {
        state.n = 2 + dice.below(MAX_WITNESS_N - 1);
    }
    if state.tokens == TokenChoice::Clusters {
        state.choose_tokens(TokenChoice::Clusters);
    }
    if state.weights == WeightChoice::Kim && state.tokens != TokenChoice::Skew {
        state.choose_weights(WeightChoice::Kim);
    }
    let labs = Settings {
        scaled: dice.of(&SCALED_TOKENS).1,
        restarts: dice.below(201),
        inverse: InverseSettings {
            tokens: dice.of(&LabTokens::ALL).1,
            dot_weights: dice.of(&DotWeights::ALL).1,
            fraction: 0.05 + 1.4 * real(dice, 1) / 100.0,
            n: 2 + dice.below(511),
            d: 1 + dice.below(64),
            radius: real(dice, 3),
            seed: dice.bits() >> 11,
        },
        spectrum_count: 1 + dice.below(100),
        spectrum_map: dice.of(&SpectrumMap::ALL).1,
        block: (dice.below(2) == 0).then(|| (dice.below(64), dice.below(64))),
        estimators: EstimatorSettings {
            trial: dice.of(&EstimatorSettings::TRIALS).1,
            tolerance: 10f64.powi(-1 - dice.below(12) as i32),
            shown: dice.of(&EstimatorQuantity::ALL).1,
        },
        certify: CertifySettings { relative: 10f64.powi(-(dice.below(5) as i32)), restarts: 1 + dice.below(100) },
        compare: CompareSettings {
            kinds: {
                let first = dice.below(9);
                ComparedKind::ALL[first..first + 1 + dice.below(5)].iter().map(|(_, kind)| *kind).collect()
            },
            along: dice.of(&ComparedAlong::ALL).1,
            tokens: dice.of(&ComparedTokens::ALL).1,
            cap: real(dice, 2),
            window: 1 + dice.below(100),
            sink: real(dice, 1) - 5.0,
        },
        model: ModelSettings {
            kind: dice.of(&SourceKind::ALL).1,
            size: DrawnSize {
                d: 1 + dice.below(2000),
                layers: 1 + dice.below(99),
                heads: 1 + dice.below(99),
                seed: dice.bits() >> 11,
            },
            layers: (dice.below(2) == 0).then(|| format!("0,{}", 1 + dice.below(9))),
            lengths: format!("2:{}:x8", 9 + dice.below(90)),
            windows: 1 + dice.below(20),
            heads: ["all", "each", "0,7"][dice.below(3)].into(),
            upper: dice.of(&ModelSettings::UPPERS).1,
            mask: dice.of(&ModelSettings::MASKS).1,
            map: dice.of(&ModelSettings::maps()).1,
            estimators: dice.of(&ModelSettings::ESTIMATORS).1,
            bounds: dice.of(&ModelSettings::BOUNDS).1,
        },
    };
    let lesson = LessonAt { id: format!("sink-{}", dice.below(9)), step: dice.below(12) };
    let answer = match dice.below(8) {
        0 => Some(Guessed::Choice(format!("lower-{}", ["a", "b"][dice.below(2)]), "higher".into())),
        1 => Some(Guessed::Mark(real(dice, 3), real(dice, 5))),
        2 => Some(Guessed::Curve((1..9).map(|n| (f64::from(n), real(dice, 2), real(dice, 4))).collect())),
        _ => None,
    };
    Scene {
        state,
        plot: dice.of(&PlotChoice::ALL).1,
        labs: if dice.below(2) == 0 { labs } else { Settings::default() },
        stage: *dice.of(&Stage::ALL),
        hidden: HiddenParts::of(Part::ALL.into_iter().filter(|_| dice.below(4) == 0)),
        lesson: (dice.below(4) == 0).then_some(lesson),
        answer,
        reached: match dice.below(6) {
            0 => Some(Vec::new()),
            1 => Some(vec!["mass".into(), "moves".into()]),
            _ => None,
        },
        assigned: (dice.below(6) == 0)
            .then(|| Assigned { lesson: "sink".into(), step: (dice.below(2) == 0).then(|| dice.below(9)) }),
        theme: (dice.below(4) == 0).then(|| *dice.of(&ThemeChoice::ALL)),
    }
}
