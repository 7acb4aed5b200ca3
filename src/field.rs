//! The numbers that a reader can set, in one table: their ids and keys, their ranges, the rungs of their sliders, and
//! their places in the state or in the labs' settings. The controls, the labs, the links and the lessons read this
//! table.

use super::fault::NumberFault;
use super::state::{MAX_D, MAX_N, MAX_WITNESS_N, MOST_SEED, PageState, Scene, Settings};
use super::strings::{self, field_hint, field_label, step_words as steps};
use lipscope_core::experiment::limits::{MAX_DIM, MAX_HEADS};
use lipscope_core::experiment::{Mask, Weighting};
use lipscope_core::spectrum::MOST_COUNT;

/// A number that a reader can set: in the state of the controls, or in the settings of the labs.
#[derive(Debug)]
pub struct Field<Of: 'static> {
    /// The id of its control. The box over a slider has this id and "-number".
    pub id: &'static str,
    /// Its key in a link.
    pub key: &'static str,
    /// Whether only whole numbers make sense.
    pub is_whole: bool,
    /// The least and the greatest value that a link may hold. Other settings may narrow what is accepted.
    pub range: (f64, f64),
    label: Words,
    hint: Words,
    /// The value that the reader has set. It is kept while other settings, such as own tokens, decide which value is
    /// used.
    kept: fn(&Of) -> f64,
    used: fn(&Of) -> f64,
    set: fn(&mut Of, f64),
    /// What gives way when the reader sets the number at a control: tokens moved by hand have one n and no seed.
    give_way: Option<fn(&mut Of)>,
    /// The least value that a control takes. Another program may ask for less in a link.
    least: f64,
    /// The least value that a control takes at present, where that depends on other values.
    floor: Option<fn(&Of) -> f64>,
    /// The most that a control takes, where the range goes further: only a witness can have as many tokens, and pasted
    /// experiments and models have sizes that nobody sets by hand.
    most: Option<fn(&Of) -> f64>,
    /// What is wrong with a value between the ends, where that depends on other values.
    fault: Option<fn(&Of, f64) -> Option<NumberFault>>,
    /// Makes the stops of its slider from the least and the greatest value that a control takes.
    rungs: fn(&Of, (f64, f64)) -> Vec<f64>,
    /// Its box shows values from this one on with an exponent, and also those below 1e-4.
    long: f64,
}

/// A text of the catalogues.
type Words = fn() -> &'static str;

/// A number of the controls or of the labs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyField {
    /// A number of the controls.
    Controls(&'static Field<PageState>),
    /// A number of the labs.
    Labs(&'static Field<Settings>),
}

/// A whole number: id, key where it differs from the id, (name, hint), (least, most), path of the value.
macro_rules! whole {
    ($id:literal, ($($spoken:tt)+), $($rest:tt)+) => { whole!($id, $id, ($($spoken)+), $($rest)+) };
    ($id:literal, $key:literal, $spoken:expr, ($least:expr, $most:expr), $($place:ident).+) => {
        Self {
            is_whole: true,
            ..Self::new(
                ($id, $key),
                $spoken,
                ($least as f64, $most as f64),
                |of| of.$($place).+ as f64,
                |of, value| of.$($place).+ = value as _,
            )
        }
    };
}

/// Any number: id, key where it differs from the id, (name, hint), range, path of the value.
macro_rules! real {
    ($id:literal, ($($spoken:tt)+), $($rest:tt)+) => { real!($id, $id, ($($spoken)+), $($rest)+) };
    ($id:literal, $key:literal, $spoken:expr, $range:expr, $($place:ident).+) => {
        Self::new(($id, $key), $spoken, $range, |of| of.$($place).+, |of, value| of.$($place).+ = value)
    };
}

/// The number of a step that may be absent: id, name, range, the value that it begins with, path of the option.
macro_rules! of_step {
    ($id:literal, $name:ident, $range:expr, $first:expr, $($place:ident).+) => {
        Self::new(
            ($id, $id),
            (steps::$name, || ""),
            $range,
            |state| state.$($place).+.unwrap_or($first),
            |state, value| state.$($place).+ = Some(value),
        )
    };
}

impl Field<PageState> {
    /// Number of tokens.
    pub const N: &Self = &Self {
        used: PageState::n_tokens,
        give_way: Some(PageState::draw_anew),
        most: Some(|state| state.most_tokens() as f64),
        rungs: |_, ends| doublings(ends, 16.0),
        ..whole!("n", (field_label::n, field_hint::n), (2, MAX_WITNESS_N), n)
    };
    /// Dimension of a token.
    pub const D: &Self = &Self {
        used: |state| state.dim() as f64,
        most: Some(|_| 128.0),
        rungs: |state, ends| match state.dim_step() {
            1 => doublings(ends, 12.0),
            step => (1..=ends.1 as usize / step).map(|times| (times * step) as f64).collect(),
        },
        ..whole!("d", (field_label::d, field_hint::d), (1, MAX_D), d)
    };
    /// Radius of the ball.
    pub const RADIUS: &Self = &Self {
        used: PageState::shown_radius,
        least: 1e-6,
        floor: Some(PageState::least_radius),
        most: Some(|_| 1e6),
        rungs: |_, _| decades(-2, 2),
        ..real!("radius", "R", (field_label::radius, field_hint::radius), (f64::MIN_POSITIVE, f64::MAX), radius)
    };
    /// Seed of random tokens.
    pub const TOKEN_SEED: &Self = &Self {
        give_way: Some(PageState::draw_anew),
        ..whole!("token-seed", "seed", (strings::seed, strings::seed_hint), (0, MOST_SEED), token_seed)
    };
    /// Number of heads.
    pub const HEADS: &Self = &Self {
        used: |state| state.n_heads() as f64,
        most: Some(|_| 64.0),
        rungs: |_, _| (1..=16).map(f64::from).collect(),
        ..whole!("heads", (field_label::heads, field_hint::heads), (1, MAX_HEADS), heads)
    };
    /// How many heads of random weights share one K and V.
    pub const HEADS_PER_KEY: &Self = &Self {
        used: |state| (state.heads / state.kv_heads().max(1)) as f64,
        most: Some(|_| 64.0),
        fault: Some(|state, value| {
            let divides = state.heads.is_multiple_of((value as usize).max(1));
            let name = field_label::heads_per_key();
            (!divides).then_some(NumberFault::MustDivide { name, found: value, heads: state.heads })
        }),
        rungs: |state, _| (1..=16usize).filter(|of| state.heads.is_multiple_of(*of)).map(|of| of as f64).collect(),
        ..whole!(
            "heads-per-key",
            (field_label::heads_per_key, field_hint::heads_per_key),
            (1, MAX_HEADS),
            heads_per_key
        )
    };
    /// c of the scores, where it is the reader's own.
    pub const SCORE_SCALE: &Self =
        &Self { rungs: |_, _| decades(-3, 2), ..of_step!("score-scale", scale_name, (1e-12, 1e12), 1.0, score.scale) };
    /// tau of the soft cap.
    pub const SOFTCAP: &Self =
        &Self { rungs: |_, _| decades(-1, 2), ..of_step!("softcap", cap_name, (1e-12, 1e12), 5.0, score.softcap) };
    /// eps of the normalised values.
    pub const VALUE_EPS: &Self = &Self {
        rungs: |_, _| (-12..=0).map(|power| 10f64.powi(power)).collect(),
        ..of_step!("value-eps", value_norm_name, (1e-300, 1e12), 1e-6, score.value_norm)
    };
    /// lambda of the second map.
    pub const DIFFERENTIAL: &Self = &Self {
        rungs: |_, _| (0..=40).map(|at| f64::from(at) / 20.0).collect(),
        ..of_step!("differential", differential_name, (-1e6, 1e6), 0.5, differential)
    };
    /// eps of the normaliser of queries and keys.
    pub const QK_EPS: &Self = &Self {
        rungs: |_, _| (-12..=0).map(|power| 10f64.powi(power)).collect(),
        ..Self::new(
            ("qk-eps", "qk-eps"),
            (field_label::eps, field_hint::eps),
            (1e-300, 1e12),
            |state| state.score.qk_norm.as_ref().map_or(1e-6, |norm| norm.eps),
            |state, eps| {
                if let Some(norm) = &mut state.score.qk_norm {
                    norm.eps = eps;
                }
            },
        )
    };
    /// The base of rotary positions.
    pub const ROPE_BASE: &Self = &Self {
        rungs: |_, _| decades(0, 7),
        ..Self::new(
            ("rope-base", "rope-base"),
            (field_label::rope_base, field_hint::rope_base),
            (1e-12, 1e12),
            |state| state.score.rope.map_or(1e4, |rope| rope.base),
            |state, base| {
                if let Some(rope) = &mut state.score.rope {
                    rope.base = base;
                }
            },
        )
    };
    /// The share of the entries that turn.
    pub const ROPE_FRACTION: &Self = &Self {
        rungs: |_, _| vec![0.25, 0.5, 0.75, 1.0],
        ..Self::new(
            ("rope-fraction", "rope-fraction"),
            (field_label::rope_fraction, field_hint::rope_fraction),
            (1e-6, 1.0),
            |state| state.score.rope.map_or(1.0, |rope| rope.fraction),
            |state, fraction| {
                if let Some(rope) = &mut state.score.rope {
                    rope.fraction = fraction;
                }
            },
        )
    };
    /// The width of a window, or the length of a prefix.
    pub const MASK_SIZE: &Self = &Self {
        is_whole: true,
        rungs: |_, (least, _)| doublings((least, 4096.0), 8.0),
        ..Self::new(
            ("mask-size", "mask-size"),
            (field_label::mask_size, field_hint::mask_size),
            (1.0, MAX_WITNESS_N as f64),
            |state| match state.mask {
                Mask::Window { width, .. } => width as f64,
                Mask::Prefix { length } => length as f64,
                _ => state.n_tokens(),
            },
            |state, value| match &mut state.mask {
                Mask::Window { width: size, .. } | Mask::Prefix { length: size } => *size = value as usize,
                _ => {}
            },
        )
    };
    /// The score of the sink.
    pub const SINK: &Self = &Self {
        rungs: |_, _| (-20..=20).map(f64::from).collect(),
        ..Self::new(
            ("sink", "sink"),
            (field_label::sink, field_hint::sink),
            (-1e6, 1e6),
            |state| state.weighting.sink_of(0).unwrap_or(0.0),
            |state, logit| state.weighting = Weighting::with_sink(logit),
        )
    };
    /// Dimension of a head.
    pub const HEAD_DIM: &Self = &Self {
        used: |state| state.key_dim() as f64,
        most: Some(|_| 512.0),
        rungs: |_, (least, _)| doublings((least, 128.0), 12.0),
        ..whole!("head-dim", "k", (field_label::head_dim, field_hint::head_dim), (1, MAX_DIM), head_dim)
    };
    /// Scale of random weights.
    pub const SCALE: &Self = &Self {
        most: Some(|_| 1e6),
        rungs: |_, _| decades(-2, 2),
        ..real!("scale", (field_label::scale, field_hint::scale), (0.0, f64::MAX), scale)
    };
    /// Seed of random weights.
    pub const WEIGHT_SEED: &Self =
        &whole!("weight-seed", (strings::seed, strings::seed_hint), (0, MOST_SEED), weight_seed);
    /// The normaliser's epsilon.
    pub const EPS: &Self = &Self {
        most: Some(|_| 1e6),
        rungs: |_, _| (-12..=0).map(|power| 10f64.powi(power)).collect(),
        ..real!("eps", (field_label::eps, field_hint::eps), (0.0, f64::MAX), eps)
    };
    /// The head whose attention is pictured, counted from one.
    pub const HEAD: &Self = &Self {
        kept: |state| (state.head_shown + 1) as f64,
        set: |state, value| state.head_shown = value as usize - 1,
        ..whole!("head-shown", "head", (strings::head_text, || ""), (1, MAX_HEADS), head_shown)
    };
    /// The longest length of the sweep.
    pub const SWEEP_MAX: &Self = &Self {
        rungs: |_, ends| doublings(ends, 4.0),
        ..whole!("sweep-max", "longest", (field_label::sweep_max, field_hint::sweep_max), (4, MAX_N), sweep_max)
    };
    /// Draws at each n.
    pub const DRAWS: &Self = &Self {
        used: |state| state.draws_per_length() as f64,
        rungs: |_, _| (1..=32).map(f64::from).collect(),
        ..whole!("draws", (field_label::draws, field_hint::draws), (1, 64), draws)
    };
    /// The n at which the view over n is read.
    pub const GROWTH_AT: &Self = &Self {
        is_whole: true,
        used: PageState::read_at,
        rungs: |_, _| (2..=18).map(|power| rounded(1.0, power)).collect(),
        long: 1e7,
        ..Self::new(
            ("growth-at", "at"),
            (field_label::growth_at, field_hint::growth_at),
            (2.0, 1e18),
            |state| state.growth.at.unwrap_or_else(|| state.n_tokens()),
            PageState::keep_read_at,
        )
    };
    /// Number of starts of the search.
    pub const SEARCH_RESTARTS: &Self = &Self {
        rungs: |_, ends| doublings(ends, 2.0),
        ..whole!(
            "search-restarts",
            (field_label::search_restarts, field_hint::search_restarts),
            (1, 1000),
            growth.search.restarts
        )
    };
    /// Seed of the search's random starts.
    pub const SEARCH_SEED: &Self = &Self {
        rungs: |_, _| (0..=64).map(f64::from).collect(),
        ..whole!("search-seed", (strings::seed, field_hint::search_seed), (0, MOST_SEED), growth.search.seed)
    };
    /// The dimension in which the search moves tokens of A = I and A = -I.
    pub const SEARCH_DIM: &Self = &Self {
        rungs: |_, ends| doublings(ends, 2.0),
        ..whole!("search-d", (field_label::d, field_hint::search_dim), (1, 64), growth.search.dim)
    };
}

impl Field<Settings> {
    /// Random restarts of the search for tight tokens.
    pub const RESTARTS: &Self =
        &whole!("tightness-restarts", "restarts", (strings::restarts, strings::restarts_hint), (0, 200), restarts);
    /// c of the map X + c F(X)/L that is inverted.
    pub const INVERSE_C: &Self = &real!("inverse-c", (|| strings::FRACTION, || ""), (0.05, 1.5), inverse.fraction);
    /// Number of the tokens X that the lab of the inverse draws at random.
    pub const INVERSE_N: &Self = &whole!("inverse-n", (|| "n", || ""), (2, 512), inverse.n);
    /// Dimension of the inverse's tokens.
    pub const INVERSE_D: &Self = &whole!("inverse-d", (|| "d", || ""), (1, 64), inverse.d);
    /// Radius of the ball of the inverse's tokens, or half the side of their grid.
    pub const INVERSE_RADIUS: &Self =
        &real!("inverse-radius", "inverse-R", (|| "R", || ""), (1e-3, 1e4), inverse.radius);
    /// Seed of the inverse's tokens.
    pub const INVERSE_SEED: &Self = &whole!("inverse-seed", (strings::seed, || ""), (0, MOST_SEED), inverse.seed);
    /// How many leading singular values are computed, where computing all takes too long.
    pub const SPECTRUM_COUNT: &Self =
        &whole!("spectrum-count", (strings::leading, strings::leading_hint), (1, MOST_COUNT), spectrum_count);
    /// The tolerance with which power iteration decides to stop.
    pub const TOLERANCE: &Self = &real!(
        "estimators-tolerance",
        (strings::stop_tolerance, strings::stop_tolerance_hint),
        (1e-14, 10.0),
        estimators.tolerance
    );
    /// tau of the kind with a cap, in the comparison.
    pub const COMPARE_CAP: &Self = &real!("compare-cap", (steps::cap_name, || ""), (1e-3, 1e3), compare.cap);
    /// W of the kind with a window, in the comparison.
    pub const COMPARE_WINDOW: &Self =
        &whole!("compare-window", (strings::compare_window, || ""), (1, MAX_N), compare.window);
    /// c0 of the kind with a sink, in the comparison.
    pub const COMPARE_SINK: &Self = &real!("compare-sink", (field_label::sink, || ""), (-100.0, 100.0), compare.sink);
    /// eps/R at which the bounds around the tokens are read.
    pub const CERTIFY_EPS: &Self =
        &real!("certify-eps", (|| strings::EPS_OVER_R, || ""), (1e-4, 1.0), certify.relative);
    /// Starts of the search within each eps.
    pub const CERTIFY_RESTARTS: &Self =
        &whole!("certify-restarts", (strings::restarts, strings::certify_restarts_about), (1, 100), certify.restarts);
}

impl<Of> PartialEq for Field<Of> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<Of> Eq for Field<Of> {}

impl<Of> Field<Of> {
    const fn new(
        (id, key): (&'static str, &'static str),
        (label, hint): (Words, Words),
        range: (f64, f64),
        kept: fn(&Of) -> f64,
        set: fn(&mut Of, f64),
    ) -> Self {
        Field {
            id,
            key,
            label,
            hint,
            is_whole: false,
            range,
            kept,
            used: kept,
            set,
            give_way: None,
            least: range.0,
            floor: None,
            most: None,
            fault: None,
            rungs: |_, _| Vec::new(),
            long: 1e9,
        }
    }

    /// Its name and its hint.
    #[must_use]
    pub fn meaning(&self) -> (&'static str, &'static str) {
        ((self.label)(), (self.hint)())
    }

    /// The value that the page uses. Where other settings decide it, it differs from the value that the reader has set.
    #[must_use]
    pub fn used(&self, of: &Of) -> f64 {
        (self.used)(of)
    }

    /// Sets a value that has been accepted.
    pub fn set(&self, of: &mut Of, value: f64) {
        (self.set)(of, value);
    }

    /// Sets a value that the reader has chosen at a control. What excludes it gives way.
    pub fn choose(&self, of: &mut Of, value: f64) {
        if let Some(give_way) = self.give_way {
            give_way(of);
        }
        self.set(of, value);
    }

    /// Sets the value of a slider's stop, or the nearest that is taken at present: the stops stay in their places while
    /// that changes.
    pub fn slide(&self, of: &mut Of, stop: f64) {
        let (least, most) = self.ends(of);
        self.choose(of, stop.min(most).max(least));
    }

    /// The value of a text in a control.
    ///
    /// # Errors
    /// A [`NumberFault`] that says what is wrong and which values are accepted.
    pub fn accept(&self, text: &str, of: &Of) -> Result<f64, NumberFault> {
        let value = self.accept_within(text, self.ends(of))?;
        match self.fault.and_then(|fault| fault(of, value)) {
            Some(fault) => Err(fault),
            None => Ok(value),
        }
    }

    /// The value as its box shows it.
    #[must_use]
    pub fn text(&self, value: f64) -> String {
        if value == 0.0 || (1e-4..self.long).contains(&value.abs()) { value.to_string() } else { format!("{value:e}") }
    }

    /// The values that its slider stops at, ascending; none where it has no slider, or a slider with a scale of its
    /// own.
    #[must_use]
    pub fn rungs(&self, of: &Of) -> Vec<f64> {
        (self.rungs)(of, self.ends(of))
    }

    /// Reads a text as a value between two ends.
    ///
    /// # Errors
    /// As [`Field::accept`].
    pub fn accept_within(&self, text: &str, (least, most): (f64, f64)) -> Result<f64, NumberFault> {
        let (name, text) = ((self.label)(), text.trim());
        let value = number(name, text)?;
        if !(least..=most).contains(&value) {
            return Err(NumberFault::OutOfRange { name, text: text.to_owned(), least, most });
        }
        if self.is_whole && value.fract() != 0.0 {
            return Err(NumberFault::NotWhole { name, text: text.to_owned() });
        }
        Ok(value)
    }

    /// The least and the greatest value that a control takes.
    fn ends(&self, of: &Of) -> (f64, f64) {
        let least = self.floor.map_or(self.least, |floor| floor(of).max(self.least));
        (least, self.most.map_or(self.range.1, |most| most(of)))
    }
}

impl AnyField {
    /// Its key in a link.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            AnyField::Controls(field) => field.key,
            AnyField::Labs(field) => field.key,
        }
    }

    /// Whether only whole numbers make sense.
    #[must_use]
    pub fn is_whole(self) -> bool {
        match self {
            AnyField::Controls(field) => field.is_whole,
            AnyField::Labs(field) => field.is_whole,
        }
    }

    /// The value that is used.
    #[must_use]
    pub fn used(self, state: &PageState, settings: &Settings) -> f64 {
        match self {
            AnyField::Controls(field) => field.used(state),
            AnyField::Labs(field) => field.used(settings),
        }
    }

    /// The value that is set in a scene.
    #[must_use]
    pub fn get(self, scene: &Scene) -> f64 {
        match self {
            AnyField::Controls(field) => (field.kept)(&scene.state),
            AnyField::Labs(field) => (field.kept)(&scene.labs),
        }
    }

    /// Sets a value that has been accepted.
    pub fn set(self, scene: &mut Scene, value: f64) {
        match self {
            AnyField::Controls(field) => field.set(&mut scene.state, value),
            AnyField::Labs(field) => field.set(&mut scene.labs, value),
        }
    }
}

/// Reads the text of a box. `name` is the number's name in the sentence about a fault.
///
/// # Errors
/// [`NumberFault`] where the text is no finite number.
pub fn number(name: &'static str, text: &str) -> Result<f64, NumberFault> {
    let text = text.trim();
    let plain = text.replace(['\u{2212}', '\u{2013}'], "-");
    match plain.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        // Digits whose value is past the range of f64; the word "inf" is no number.
        Ok(_) if plain.contains(|c: char| c.is_ascii_digit()) => {
            Err(NumberFault::TooLarge { name, text: text.to_owned() })
        }
        _ => Err(NumberFault::NotANumber { name, text: text.to_owned() }),
    }
}

/// Whole numbers, evenly spaced in the logarithm: a fixed count per doubling. Where the first is a power of two, all
/// powers of two are among them.
fn doublings((first, last): (f64, f64), to_a_doubling: f64) -> Vec<f64> {
    let steps = ((last / first).log2() * to_a_doubling).ceil() as usize;
    let low = first.log2();
    let mut rungs: Vec<f64> =
        (0..=steps).map(|at| (low + at as f64 / to_a_doubling).exp2().round().min(last)).collect();
    rungs.push(last);
    rungs.dedup();
    rungs
}

/// Round numbers from 10^low to 10^high: in each decade steps of 0.05 up to 2, of 0.1 up to 5, then of 0.2.
fn decades(low: i32, high: i32) -> Vec<f64> {
    let hundredths = (100..200).step_by(5).chain((200..500).step_by(10)).chain((500..1000).step_by(20));
    let mantissas: Vec<u32> = hundredths.collect();
    let decade = |power: i32| mantissas.iter().map(move |m| rounded(f64::from(*m), power - 2));
    (low..high).flat_map(decade).chain(std::iter::once(10f64.powi(high))).collect()
}

/// m 10^power, read from its decimal text, so that it prints without rounding digits.
fn rounded(m: f64, power: i32) -> f64 {
    format!("{m}e{power}").parse().unwrap_or(m * 10f64.powi(power))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::WeightChoice;

    #[test]
    fn a_control_takes_less_than_a_link() {
        let accept = |text, state: PageState| Field::N.accept(text, &state).ok();
        assert_eq!(accept(" 4096 ", PageState::default()), Some(4096.0));
        assert_eq!(accept("4097", PageState::default()), None);
        assert_eq!(accept("4097", PageState::adversarial()), Some(4097.0));
        assert_eq!(Field::N.accept_within("4097", Field::N.range), Ok(4097.0));
        for wrong in ["", "x", "2.5", "\u{2212}3", "NaN", "1e999"] {
            assert_eq!(accept(wrong, PageState::default()), None, "{wrong}");
        }
    }

    #[test]
    fn every_rung_is_taken_and_set() {
        let (tokens, heads) = ([Field::N, Field::D, Field::RADIUS], [Field::HEADS, Field::HEAD_DIM, Field::SCALE]);
        let others = [Field::EPS, Field::SWEEP_MAX, Field::DRAWS, Field::GROWTH_AT, Field::SEARCH_DIM];
        let kim = PageState { heads: 3, weights: WeightChoice::Kim, ..PageState::default() };
        for first in [PageState::default(), PageState::adversarial(), kim] {
            for field in tokens.iter().chain(&heads).chain(&others) {
                let rungs = field.rungs(&first);
                assert!(rungs.len() > 8 && rungs.is_sorted_by(|low, high| low < high), "{}", field.id);
                for rung in rungs {
                    let mut state = first.clone();
                    field.set(&mut state, field.accept(&field.text(rung), &first).expect("a rung"));
                    assert_eq!((field.kept)(&state), rung, "{}", field.id);
                }
            }
        }
    }
}
