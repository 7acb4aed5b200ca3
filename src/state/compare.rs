//! The settings of the lab that compares kinds of attention.

use lipscope_core::experiment::{Alibi, Attention, Mask, Order, QkNorm, Rope, Score, Steps, VectorNorm, Weighting};

/// A kind of attention that the lab offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedKind {
    /// Dot products and softmax, without a mask.
    Plain,
    /// The same under the causal mask.
    Causal,
    /// A soft cap.
    Cap,
    /// A causal window.
    Window,
    /// A sink.
    Sink,
    /// ALiBi, causal.
    Alibi,
    /// Normalised queries and keys.
    QkNorm,
    /// Rotary positions.
    Rope,
    /// L2 scores.
    L2,
    /// Cosine scores.
    Cosine,
    /// Linear attention.
    Linear,
    /// Sigmoid weights.
    Sigmoid,
    /// ReLU weights.
    Relu,
    /// Kernel and steps of the controls.
    Own,
}

impl ComparedKind {
    /// All, with their words in links.
    pub const ALL: [(&'static str, ComparedKind); 14] = [
        ("plain", ComparedKind::Plain),
        ("causal", ComparedKind::Causal),
        ("cap", ComparedKind::Cap),
        ("window", ComparedKind::Window),
        ("sink", ComparedKind::Sink),
        ("alibi", ComparedKind::Alibi),
        ("qk-norm", ComparedKind::QkNorm),
        ("rope", ComparedKind::Rope),
        ("l2", ComparedKind::L2),
        ("cosine", ComparedKind::Cosine),
        ("linear", ComparedKind::Linear),
        ("sigmoid", ComparedKind::Sigmoid),
        ("relu", ComparedKind::Relu),
        ("own", ComparedKind::Own),
    ];

    /// Its kernel and steps; `None` for those of the controls.
    #[must_use]
    pub fn attention(self, settings: &CompareSettings) -> Option<(Attention, Steps)> {
        let plain = Steps::plain;
        let scored = |score: Score| Steps { score, ..plain() };
        Some(match self {
            ComparedKind::Plain => (Attention::Dot, plain()),
            ComparedKind::Causal => (Attention::Dot, Steps { mask: Mask::Causal, ..plain() }),
            ComparedKind::Cap => (Attention::Dot, scored(Score { softcap: Some(settings.cap), ..Score::default() })),
            ComparedKind::Window => {
                let mask = Mask::Window { width: settings.window, order: Order::Causal };
                (Attention::Dot, Steps { mask, ..plain() })
            }
            ComparedKind::Sink => {
                let weighting = Weighting::with_sink(settings.sink);
                (Attention::Dot, Steps { weighting, ..plain() })
            }
            ComparedKind::Alibi => {
                let score = Score { alibi: Some(Alibi { slopes: None }), ..Score::default() };
                (Attention::Dot, Steps { mask: Mask::Causal, ..scored(score) })
            }
            ComparedKind::QkNorm => {
                let qk_norm = Some(QkNorm::of(VectorNorm::Rms));
                (Attention::Dot, scored(Score { qk_norm, ..Score::default() }))
            }
            ComparedKind::Rope => (Attention::Dot, scored(Score { rope: Some(Rope::DEFAULT), ..Score::default() })),
            ComparedKind::L2 => (Attention::L2, plain()),
            ComparedKind::Cosine => (Attention::Cosine, plain()),
            ComparedKind::Linear => (Attention::Linear, plain()),
            ComparedKind::Sigmoid => {
                (Attention::Dot, Steps { weighting: Weighting::Sigmoid { bias: None }, ..plain() })
            }
            ComparedKind::Relu => (Attention::Dot, Steps { weighting: Weighting::Relu { divisor: None }, ..plain() }),
            ComparedKind::Own => return None,
        })
    }
}

/// The horizontal axis of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedAlong {
    /// The number of tokens.
    Tokens,
    /// The radius of the ball.
    Radius,
    /// The soft cap.
    Cap,
    /// The sink.
    Sink,
    /// The width of a window.
    Window,
}

impl ComparedAlong {
    /// All, with their words in links.
    pub const ALL: [(&'static str, ComparedAlong); 5] = [
        ("n", ComparedAlong::Tokens),
        ("R", ComparedAlong::Radius),
        ("cap", ComparedAlong::Cap),
        ("sink", ComparedAlong::Sink),
        ("window", ComparedAlong::Window),
    ];
}

/// The tokens of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedTokens {
    /// The adversarial tokens, whose norm grows like the root of n.
    Adversarial,
    /// The tokens of the controls.
    Page,
}

impl ComparedTokens {
    /// Both, with their words in links.
    pub const ALL: [(&'static str, ComparedTokens); 2] =
        [("adversarial", ComparedTokens::Adversarial), ("page", ComparedTokens::Page)];
}

/// The settings of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareSettings {
    /// The kinds that are compared, in the order of [`ComparedKind::ALL`].
    pub kinds: Vec<ComparedKind>,
    /// The horizontal axis.
    pub along: ComparedAlong,
    /// The tokens.
    pub tokens: ComparedTokens,
    /// tau of the kind with a cap.
    pub cap: f64,
    /// W of the kind with a window.
    pub window: usize,
    /// c0 of the kind with a sink.
    pub sink: f64,
}

impl Default for CompareSettings {
    fn default() -> Self {
        CompareSettings {
            kinds: vec![ComparedKind::Plain, ComparedKind::Cap, ComparedKind::Window, ComparedKind::Sink],
            along: ComparedAlong::Tokens,
            tokens: ComparedTokens::Adversarial,
            cap: 2.0,
            window: 16,
            sink: 8.0,
        }
    }
}

/// A control of the page's bar that a lab may leave unused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarControl {
    /// Which tokens.
    Tokens,
    /// The number of tokens.
    N,
    /// The radius of the ball.
    Radius,
    /// The mask.
    Mask,
    /// The normaliser.
    Normalizer,
}

impl CompareSettings {
    /// Whether the comparison does not read a control: it has its own tokens, each kind has a mask of its own, and the
    /// horizontal axis sets one number.
    #[must_use]
    pub fn ignores(&self, control: BarControl) -> bool {
        match control {
            BarControl::Tokens | BarControl::Normalizer => self.tokens == ComparedTokens::Adversarial,
            BarControl::N => self.along == ComparedAlong::Tokens,
            BarControl::Radius => self.along == ComparedAlong::Radius,
            BarControl::Mask => !self.kinds.contains(&ComparedKind::Own) || self.along == ComparedAlong::Window,
        }
    }

    /// Adds a kind or takes it away. At least one stays, and no more than the engine compares are taken.
    pub fn toggle(&mut self, kind: ComparedKind) {
        let had = self.kinds.contains(&kind);
        let all = ComparedKind::ALL.into_iter().map(|(_, one)| one);
        let kinds: Vec<ComparedKind> =
            all.filter(|one| if *one == kind { !had } else { self.kinds.contains(one) }).collect();
        if (1..=lipscope_core::compare::MOST_KINDS).contains(&kinds.len()) {
            self.kinds = kinds;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comparison_ignores_what_it_sets_itself() {
        let first = CompareSettings::default();
        let ignored = |settings: &CompareSettings| {
            use BarControl::{Mask, N, Normalizer, Radius, Tokens};
            [Tokens, N, Radius, Mask, Normalizer].map(|control| settings.ignores(control))
        };
        assert_eq!(ignored(&first), [true, true, false, true, true]);
        let mut own = first.clone();
        own.toggle(ComparedKind::Own);
        (own.tokens, own.along) = (ComparedTokens::Page, ComparedAlong::Radius);
        assert_eq!(ignored(&own), [false, false, true, false, false]);
        own.along = ComparedAlong::Window;
        assert!(own.ignores(BarControl::Mask), "every kind has the window of the axis");
    }
}
