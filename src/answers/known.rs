//! The tokens that this page has measured or found, and the worst of them in a ball: whatever the page says about "the
//! worst tokens known" comes from here, so that no number on screen exceeds it.
//!
//! Tokens count in each ball that holds them, and at each number of tokens to which they can be filled up without a
//! smaller norm (docs/theory.md, "More tokens").

use std::sync::Arc;

use lipscope_core::bounds::{Norm, SAME_LOG10, is_same};
use lipscope_core::experiment::{Experiment, InputError, Mask, Normalization, Rows, TokenSource};
use lipscope_core::extremum::maximum;
use lipscope_core::growth::WorstTokens;
use lipscope_core::measure::Measurement;
use lipscope_core::phrase;
use lipscope_core::sweep::{SweepPlan, SweepPoint};
use lipscope_core::tokens::random_tokens;
use lipscope_plot::{Kind, Number};
use lipscope_protocol::tasks::{Ball, SweepRequest, WorstAt};

use super::falls::Fall;
use crate::plans;
use crate::state::{MAX_N, MAX_TOKEN_ENTRIES, PageState, TokenChoice, largest_norm};

/// The most entries. The page makes a few for each setting; the oldest go first.
const MOST: usize = 4000;
/// R may differ by this share of it: the largest norm of listed tokens is rounded.
const SAME_RADIUS: f64 = 1e-12;
/// The norms whose numbers tokens reach. In the max-token norm there is an upper bound on theirs alone.
const NORMS: [Norm; 4] = [Norm::Spectral, Norm::Frobenius, Norm::Linf, Norm::L1];

/// Tokens, and a norm at them.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The map: see [`plans::map`].
    map: Experiment,
    /// Dimension of a token.
    d: usize,
    /// Which norm.
    norm: Norm,
    /// Number of tokens.
    pub n: f64,
    /// R of a ball that holds them.
    pub radius: f64,
    /// log10 of the norm.
    pub log10: f64,
    /// The tokens, or what they are made from.
    origin: Origin,
}

/// Where known tokens come from.
#[derive(Clone, Debug, PartialEq)]
enum Origin {
    /// They are given.
    Given(TokenSource),
    /// A sweep has drawn them. The sweep and their place in it are kept; [`Known::tokens`] draws them again.
    Drawn { of: Arc<SweepRequest>, n: usize, draw: usize },
}

/// All tokens that are known. Those that others make needless are dropped.
#[derive(Clone, Debug, Default)]
pub struct KnownTokens {
    all: Vec<Known>,
    /// The tokens that were carried to another n.
    carried: Vec<Carried>,
}

/// Tokens that were carried to an n, or that were looked for there so that they can be carried on.
#[derive(Clone, Debug, PartialEq)]
struct Carried {
    /// The map: see [`plans::map`].
    map: Experiment,
    /// Dimension of a token.
    d: usize,
    /// The n to which they were carried.
    n: f64,
    /// R of the ball there.
    radius: f64,
    /// log10 of the norm that they have at their own n.
    log10: f64,
}

impl KnownTokens {
    /// Adds the measured tokens of a state. Like every function that adds, returns whether anything new is known.
    pub fn add_measured(&mut self, state: &PageState, measurement: &Measurement) -> bool {
        let map = plans::map(state);
        let n = measurement.n;
        // Listed tokens count in the smallest ball that holds them.
        let radius = measurement.radius.min(radius_of(&state.experiment().tokens, state));
        let mut is_new = false;
        for norm in NORMS {
            let Some(value) = measurement.norm(norm) else { continue };
            let at = (state.dim(), norm, n, radius, value.log10());
            is_new |= self.add(&map, at, &|| Origin::Given(state.experiment().tokens));
        }
        is_new
    }

    /// Adds the tokens behind the lower bounds on the ball of a state.
    pub fn add_ball(&mut self, state: &PageState, ball: &Ball) -> bool {
        let Some(worst) = &ball.worst else { return false };
        state.tokens != TokenChoice::Skew && self.add_witness(state, ball.n, ball.radius, worst)
    }

    /// Adds the worst tokens over n of a state's map.
    pub fn add_worst(&mut self, state: &PageState, found: &[WorstAt]) -> bool {
        let mut is_new = false;
        for WorstAt { n, radius, worst } in found {
            is_new |= self.add_witness(state, *n as f64, *radius, worst);
        }
        is_new
    }

    fn add_witness(&mut self, state: &PageState, n: f64, radius: f64, worst: &WorstTokens) -> bool {
        let radius = radius.min(radius_of(&worst.tokens, state));
        let at = (state.dim(), Norm::Spectral, n, radius, worst.norm.log10());
        self.add(&plans::map(state), at, &|| Origin::Given(worst.tokens.clone()))
    }

    /// Adds the points of a sweep of a state's tokens, except those of skew tokens, which have another A at each n.
    pub fn add_points(&mut self, state: &PageState, of: &SweepRequest, points: &[SweepPoint]) -> bool {
        if matches!(of.experiment.tokens, TokenSource::Skew { .. }) {
            return false;
        }
        let (map, of) = (plans::map(state), Arc::new(of.clone()));
        let mut is_new = false;
        for point in points {
            let origin = || Origin::Drawn { of: Arc::clone(&of), n: point.n, draw: point.draw };
            for norm in NORMS {
                let Some(value) = point.norm(norm) else { continue };
                let at = (state.dim(), norm, point.n as f64, point.radius, value.log10());
                is_new |= self.add(&map, at, &origin);
            }
        }
        is_new
    }

    /// Adds tokens that a search has found, with the spectral norm at them.
    pub fn add_found(&mut self, map: &Experiment, tokens: &Rows, norm: f64) -> bool {
        let at = (tokens.n_columns(), Norm::Spectral, tokens.n_rows() as f64, largest_norm(tokens), norm.log10());
        self.add(map, at, &|| Origin::Given(TokenSource::Explicit(tokens.clone())))
    }

    /// The worst tokens known for a state's map: among tokens of the ball of this radius that can be filled up to n,
    /// those of the largest norm.
    #[must_use]
    pub fn worst(&self, state: &PageState, norm: Norm, n: f64, radius: f64) -> Option<&Known> {
        self.on(state, norm).worst(n, radius)
    }

    /// What is known of a state's map in one norm, for many n at once.
    #[must_use]
    pub fn on(&self, state: &PageState, norm: Norm) -> KnownOfMap<'_> {
        let (map, d) = (plans::map(state), state.dim());
        let all = self.all.iter().filter(|known| known.norm == norm && known.d == d && known.map == map).collect();
        KnownOfMap { all, map }
    }

    /// The n at which the curve of a state falls, with the tokens of smaller n that are to be carried there: a curve of
    /// the worst tokens known falls only where that was tried. Rows and `now` are those of [`KnownOfMap::over_n`].
    #[must_use]
    pub fn falls(
        &self,
        state: &PageState,
        rows: impl IntoIterator<Item = LowerAt>,
        now: Option<(f64, f64)>,
    ) -> Vec<Fall> {
        // Only the spectral norm is measured at carried tokens.
        if state.norm != Norm::Spectral || state.tokens == TokenChoice::Skew {
            return Vec::new();
        }
        let of_map = self.on(state, Norm::Spectral);
        let mut falls = of_map.falls(rows, now);
        falls.retain(|fall| !self.carried.contains(&Carried::new(&of_map.map, state, fall)));
        falls
    }

    /// Notes that tokens were carried to these n, so that it is not done again.
    pub fn note_carried(&mut self, state: &PageState, falls: &[Fall]) {
        let map = plans::map(state);
        self.carried.extend(falls.iter().map(|fall| Carried::new(&map, state, fall)));
        let needless = self.carried.len().saturating_sub(MOST);
        self.carried.drain(..needless);
    }

    fn add(
        &mut self,
        map: &Experiment,
        (d, norm, n, radius, log10): (usize, Norm, f64, f64, f64),
        origin: &dyn Fn() -> Origin,
    ) -> bool {
        if !log10.is_finite() {
            return false;
        }
        let is_alike = |known: &Known| known.d == d && known.norm == norm && known.map == *map;
        let is_needless = self.all.iter().any(|known| {
            known.log10 >= log10
                && is_within(known.radius, radius)
                && known.replaces(n)
                && known.is_listed()
                && is_alike(known)
        });
        if is_needless {
            return false;
        }
        let new = Known { map: map.clone(), d, norm, n, radius, log10, origin: origin() };
        // The map, n and R determine adversarial tokens. This R is not the argument `radius`, which may differ from it
        // under a normaliser.
        let is_same = |known: &Known| known.adversarial() == new.adversarial() && is_alike(known);
        if !new.is_listed() && self.all.iter().any(is_same) {
            return false;
        }
        self.all.retain(|known| {
            let is_replaced =
                new.is_listed() && log10 >= known.log10 && is_within(radius, known.radius) && new.replaces(known.n);
            !(is_replaced && is_alike(known))
        });
        if self.all.len() >= MOST {
            self.all.remove(0);
        }
        self.all.push(new);
        true
    }
}

impl Carried {
    fn new(map: &Experiment, state: &PageState, fall: &Fall) -> Self {
        Carried { map: map.clone(), d: state.dim(), n: fall.n, radius: fall.radius, log10: fall.log10 }
    }
}

/// What is known of one map in one norm.
#[derive(Clone, Debug)]
pub struct KnownOfMap<'a> {
    all: Vec<&'a Known>,
    /// The map: see [`plans::map`].
    map: Experiment,
}

/// What is known at an n: the n, R of the ball there, and log10 of the best lower bound.
pub type LowerAt = (f64, f64, Option<f64>);

impl<'a> KnownOfMap<'a> {
    /// See [`KnownTokens::worst`].
    #[must_use]
    pub fn worst(&self, n: f64, radius: f64) -> Option<&'a Known> {
        let counts = |known: &&&Known| is_within(known.radius, radius) && known.counts_at(n);
        self.all.iter().filter(counts).max_by(|a, b| a.log10.total_cmp(&b.log10)).copied()
    }

    /// The curve of the largest norms known, as (n, log10). A curve of lower bounds is raised by what is known. Where
    /// there is none, the curve has the n at which tokens are known. At the present n, `now`, with R of its ball, it has
    /// a point of its own where it would pass below what is known.
    #[must_use]
    pub fn over_n(&self, rows: impl IntoIterator<Item = LowerAt>, now: Option<(f64, f64)>) -> Vec<(f64, f64)> {
        let kept = self.kept(rows);
        let is_own = |point: &LogAt| {
            let (n, radius, _) = *point;
            self.map.has_proved_witnesses() || self.worst(n, radius).is_none_or(|known| known.n == n)
        };
        let mut curve: Vec<(f64, f64)> = kept.iter().filter(|point| is_own(point)).map(|at| (at.0, at.2)).collect();
        // Elsewhere tokens are passed on: such a point is drawn where the line between its neighbours is below it.
        let end = kept.last().map_or(0.0, |at| at.0);
        let here = now.and_then(|(n, radius)| Some((n, radius, self.worst(n, radius)?.log10)));
        for (n, _, log10) in kept.iter().copied().filter(|point| !is_own(point)).chain(here) {
            let at = curve.partition_point(|point| point.0 < n);
            let is_above = match (at.checked_sub(1).map(|left| curve[left]), curve.get(at)) {
                (_, Some(right)) if right.0 == n => false,
                (Some(left), Some(right)) => {
                    let share = (n / left.0).ln() / (right.0 / left.0).ln();
                    log10 >= left.1 + share * (right.1 - left.1)
                }
                _ => n <= end,
            };
            if is_above {
                curve.insert(at, (n, log10));
            }
        }
        curve
    }

    /// The n of the curve with R of the ball and log10 of the largest norm known, in the order of `rows`.
    fn kept(&self, rows: impl IntoIterator<Item = LowerAt>) -> Vec<LogAt> {
        let of = |(n, radius, lower): LowerAt| (n, radius, lower, self.worst(n, radius).map(|known| known.log10));
        let rows: Vec<_> = rows.into_iter().map(of).collect();
        let has_bounds = rows.iter().any(|(_, _, lower, _)| lower.is_some());
        let has_known = rows.iter().any(|(.., known)| known.is_some());
        // The lower bounds over n are a curve that known tokens raise for attention without further steps. Of other
        // attention the bounds say little.
        let follows_bounds = has_bounds && (self.map.is_plain() || !has_known);
        // Repeated tokens count at n without end; a curve of them ends with what was measured.
        let is_past = |n: f64| self.all.iter().all(|known| known.n < n && !self.map.takes_tokens_behind(known.n));
        let mut behind = f64::NEG_INFINITY;
        let mut kept = Vec::with_capacity(rows.len());
        for (n, radius, lower, known) in rows {
            let is_kept = if follows_bounds { lower.is_some() } else { known.is_some() && !is_past(n) };
            let Some(log10) = larger(lower, known).filter(|_| is_kept) else { continue };
            // What some tokens reach, they reach with others behind them.
            let log10 = log10.max(behind);
            if self.map.takes_tokens_behind(n) {
                behind = log10;
            }
            kept.push((n, radius, log10));
        }
        kept
    }

    /// The n at which the curve falls and nothing says that it must: see [`KnownTokens::falls`].
    fn falls(&self, rows: impl IntoIterator<Item = LowerAt>, now: Option<(f64, f64)>) -> Vec<Fall> {
        let mut kept = self.kept(rows);
        if let Some((n, radius)) = now
            && let Some(here) = self.worst(n, radius)
            && let at = kept.partition_point(|point| point.0 < n)
            && kept.get(at).is_none_or(|point| point.0 > n)
        {
            kept.insert(at, (n, radius, here.log10));
        }
        let tokens_at = |(n, radius, log10): LogAt| {
            let known = self.worst(n, radius).filter(|known| !exceeds(log10, known.log10))?;
            known.tokens().ok()
        };
        let mut falls: Vec<Fall> = Vec::new();
        let mut most: Option<LogAt> = None;
        for (at, here) in kept.iter().copied().enumerate() {
            let Some(before) = most.filter(|before| exceeds(before.2, here.2)) else {
                most = Some(here);
                continue;
            };
            let (n, radius, log10) = (here.0, here.1, before.2);
            let tokens = tokens_at(before);
            let is_found = tokens.is_some();
            let last = kept[at - 1];
            let nearer = (last.0 > before.0).then(|| tokens_at(last)).flatten();
            let tokens = tokens.into_iter().chain(nearer).filter(|tokens| can_carry(tokens, n)).collect::<Vec<_>>();
            if !tokens.is_empty() {
                falls.push(Fall { n, radius, log10, tokens });
            }
            if !is_found && before.0 <= plans::MOST_CURVE_END as f64 {
                falls.push(Fall { n: before.0, radius: before.1, log10, tokens: Vec::new() });
            }
        }
        // A bound on other attention has tokens that are among those tried.
        let is_found = |at: &&LogAt| self.map.has_proved_witnesses() || tokens_at(**at).is_some();
        let bounds = kept.iter().filter(|at| !is_found(at) && at.0 <= plans::MOST_CURVE_END as f64);
        falls.extend(bounds.map(|(n, radius, log10)| Fall {
            n: *n,
            radius: *radius,
            log10: *log10,
            tokens: Vec::new(),
        }));
        falls.sort_by(|a, b| a.n.total_cmp(&b.n));
        falls.dedup();
        falls
    }

    /// log10 of the larger of a lower bound on the ball and the largest norm known in it.
    #[must_use]
    pub fn raise(&self, bound_log10: f64, n: f64, radius: f64) -> f64 {
        self.worst(n, radius).map_or(bound_log10, |known| known.log10.max(bound_log10))
    }
}

/// Whether tokens become a list of n tokens that is measured quickly.
fn can_carry(tokens: &TokenSource, n: f64) -> bool {
    let d = match tokens {
        TokenSource::Explicit(rows) => rows.n_columns(),
        TokenSource::Random(random) => random.d,
        TokenSource::Clusters { .. } | TokenSource::Adversarial { .. } => 1,
        TokenSource::Skew { .. } => return false,
    };
    plans::is_quick(tokens, n, d)
}

/// Whether a norm exceeds another one by more than rounding, both given by their log10.
fn exceeds(log10: f64, other: f64) -> bool {
    log10 > other + SAME_LOG10
}

/// An n, R of the ball there, and log10 of a norm.
type LogAt = (f64, f64, f64);

/// The larger of two numbers that may be missing.
#[must_use]
pub fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(maximum)
}

impl Known {
    /// Whether the norm at these tokens exceeds another norm, given by its log10, by more than rounding.
    #[must_use]
    pub fn is_worse_than(&self, log10: f64) -> bool {
        exceeds(self.log10, log10)
    }

    /// Whether these tokens can be filled up to n without a smaller norm. Adversarial tokens count at their own n only:
    /// the page has no list of them that it could fill up.
    fn counts_at(&self, n: f64) -> bool {
        let is_skew = matches!(self.map.tokens, TokenSource::Skew { .. });
        // Skew tokens have other weights at each n.
        self.n == n || (self.is_listed() && !is_skew && self.map.passes_on(self.norm, self.n, n))
    }

    /// Whether these tokens make others at n needless that reach no more. Where the curve has the n at which tokens are
    /// known, it needs some at each.
    fn replaces(&self, n: f64) -> bool {
        let has_own_n = !self.map.has_proved_witnesses() && !self.map.takes_tokens_behind(self.n);
        if has_own_n { self.n == n } else { self.counts_at(n) }
    }

    /// Whether the page can list these tokens. Those that it cannot list make no others needless: others may count at
    /// more n.
    fn is_listed(&self) -> bool {
        self.adversarial().is_none()
    }

    /// n and R of adversarial tokens; `None` for others.
    fn adversarial(&self) -> Option<(usize, f64)> {
        match &self.origin {
            Origin::Given(TokenSource::Adversarial { n, radius }) => Some((*n, *radius)),
            Origin::Drawn { of, n, .. } => match of.experiment.tokens {
                TokenSource::Adversarial { radius, .. } => Some((*n, of.spacing.radius_at(radius, *n as f64))),
                _ => None,
            },
            Origin::Given(_) => None,
        }
    }

    /// The tokens.
    ///
    /// # Errors
    /// [`InputError`] if the sweep that drew them cannot draw them again.
    fn tokens(&self) -> Result<TokenSource, InputError> {
        match &self.origin {
            Origin::Given(tokens) => Ok(tokens.clone()),
            Origin::Drawn { of, n, draw } => {
                let plan = SweepPlan::new(&of.experiment, &of.lengths, of.draws)?.with_spacing(of.spacing);
                let at = plan.lengths().partition_point(|length| length < n);
                plan.experiment_at(at * plan.draws() + draw).map(|experiment| experiment.tokens)
            }
        }
    }

    /// The state with these tokens, filled up to `n`. R stays as the reader has set it, except for adversarial tokens,
    /// which bring their own. The seed stays too: another one would bring another sweep with draws that may be worse,
    /// and the choice "random" would not bring the reader's sample back.
    fn load(&self, state: &PageState, n: f64) -> Result<PageState, InputError> {
        let from_worst = |state: PageState| PageState { own_from: Some(TokenChoice::Worst), ..state };
        let source = self.tokens()?;
        match &source {
            TokenSource::Random(random) => {
                let as_drawn = state.with_draw(random);
                let is_same = random.n as f64 == n && random.radius == state.radius && random.seed == state.token_seed;
                if is_same && as_drawn.experiment().tokens == source {
                    return Ok(as_drawn);
                }
                let tokens = random_tokens(random);
                let rows = Rows::new(phrase!("tokens", "The tokens"), tokens.nrows(), tokens.as_slice().to_vec())?;
                filled(&rows, n, &state.mask).map(|rows| from_worst(state.with_own_tokens(rows)))
            }
            TokenSource::Explicit(rows) => {
                filled(rows, n, &state.mask).map(|rows| from_worst(state.with_own_tokens(rows)))
            }
            TokenSource::Clusters { positions, log_multiplicities } => {
                let times = (n / self.n).ln();
                let log_multiplicities = log_multiplicities.iter().map(|ln| ln + times).collect();
                let clusters = TokenSource::Clusters { positions: positions.clone(), log_multiplicities };
                Ok(from_worst(state.with_clusters(&clusters)))
            }
            TokenSource::Adversarial { radius, .. } => {
                Ok(PageState { radius: *radius, ..state.with_tokens(TokenChoice::Adversarial) })
            }
            TokenSource::Skew { .. } => Ok(state.with_tokens(TokenChoice::Skew)),
        }
    }
}

/// The type of [`with_worst_known`].
pub type WorstKnown = fn(&PageState, Option<&Ball>) -> PageState;

/// The state that chooses the worst tokens known in its ball. More of them than that choice takes are loaded as clusters.
/// Without `ball`, only the choice is set.
#[must_use]
pub fn with_worst_known(state: &PageState, ball: Option<&Ball>) -> PageState {
    let Some(ball) = ball else { return state.with_tokens(TokenChoice::Worst) };
    let n = ball.n;
    // The present tokens may be a list: its n, d and R are those of the ball.
    let radius = if state.normalization == Normalization::None { ball.radius } else { state.ball_radius() };
    let of_ball = PageState { n: n.min(MAX_N as f64) as usize, d: state.dim(), radius, ..state.clone() };
    let chosen = of_ball.with_tokens(TokenChoice::Worst);
    let is_of_ball = chosen.n_tokens() == n && chosen.check().is_ok();
    if is_of_ball { chosen } else { of_ball.with_worst(ball.worst.as_ref().map(|worst| &worst.tokens)) }
}

/// The state whose tokens are those that the choice of the worst ones stands for, in its ball: those that were tried
/// there, or other tokens that were measured or found where these are worse. Random tokens where none are known.
#[must_use]
pub fn worst_in_effect(state: &PageState, ball: &Ball, known: &KnownTokens) -> PageState {
    worst_of_this_page(state, ball, known)
        .unwrap_or_else(|| state.with_worst(ball.worst.as_ref().map(|worst| &worst.tokens)))
}

/// The state with the worst tokens known, where this page alone knows them: they are worse than those that every page
/// tries in the ball.
#[must_use]
pub fn worst_of_this_page(state: &PageState, ball: &Ball, known: &KnownTokens) -> Option<PageState> {
    let log10 = ball.worst.as_ref().map_or(f64::NEG_INFINITY, |worst| worst.norm.log10());
    let worse = known.worst(state, Norm::Spectral, ball.n, ball.radius)?;
    worse.is_worse_than(log10).then(|| worse.load(state, ball.n).ok()).flatten()
}

/// How a norm that some tokens reach is written: as a lower bound, rounded down. If it equals the norm that was
/// measured last, it is written as that norm is, because one number rounded in two ways would look like two numbers.
#[must_use]
pub fn written_reached(log10: f64, latest: Option<(f64, Kind)>) -> Number {
    match latest {
        Some((norm, kind)) if is_same(log10, norm.log10()) => Number::known(norm, kind),
        _ => Number::claimed(log10, Kind::LowerBound),
    }
}

/// The radius of the smallest ball that holds tokens of a state's attention, where they are listed. Infinite for other
/// tokens, and where a normaliser makes the length of tokens meaningless.
fn radius_of(tokens: &TokenSource, state: &PageState) -> f64 {
    match tokens {
        TokenSource::Explicit(rows) | TokenSource::Clusters { positions: rows, .. }
            if state.normalization == Normalization::None =>
        {
            largest_norm(rows)
        }
        _ => f64::INFINITY,
    }
}

/// A list filled up to `n`: without a mask each token is repeated, under the causal mask the last one is.
fn filled(rows: &Rows, n: f64, mask: &Mask) -> Result<Rows, InputError> {
    let most = MAX_TOKEN_ENTRIES / rows.n_columns().max(1);
    if n > most as f64 {
        let fix = phrase!("use_fewer_tokens", "Use fewer tokens.");
        let what = phrase!("number_tokens", "The number of tokens");
        return Err(InputError::TooLarge { what, found: n.to_string().into(), limit: most.to_string().into(), fix });
    }
    let (n, of, d) = (n as usize, rows.n_rows(), rows.n_columns());
    let source = |at: usize| match mask {
        Mask::None => at * of / n.max(1),
        _ => at.min(of.saturating_sub(1)),
    };
    let entries = (0..n).flat_map(|at| rows.entries()[source(at) * d..][..d].iter().copied()).collect();
    Rows::new(phrase!("tokens", "The tokens"), rows.n_columns(), entries)
}

/// Whether a ball lies in another one about the same centre.
fn is_within(radius: f64, other: f64) -> bool {
    radius <= other * (1.0 + SAME_RADIUS)
}
