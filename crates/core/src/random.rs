//! Seeded random streams that give the same bits natively and in WebAssembly.
//!
//! Every use of randomness names its [`Stream`]; the seed and the stream together fix the numbers, so that changing the
//! number of tokens never changes the weights. ChaCha8 gives the same words on every machine. The normal distribution
//! is Box-Muller with the `libm` crate instead of the platform's `ln` and `cos`, whose last bit differs between glibc
//! and wasm.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng};

/// The purpose of a stream of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Token positions.
    Tokens,
    /// The query matrix of a head.
    Query(usize),
    /// The key matrix of a head.
    Key(usize),
    /// The value matrix of a head.
    Value(usize),
    /// The output matrix.
    Output,
    /// The start vector of an iterative spectral norm.
    StartVector,
    /// The random subset of listed tokens used for one sample of a sweep.
    Subset,
    /// The random starts of the tightness search at n tokens.
    Restart(usize),
    /// The random start of a restart of the worst-case search.
    AscentStart(usize),
    /// A random perturbation of the worst-case search, numbered over all restarts.
    AscentKick(usize),
    /// The embedding of a token id in a randomly initialised model.
    ModelWord(usize),
    /// The embedding of a position in a randomly initialised model.
    ModelPosition(usize),
    /// The embedding of token type 0 in a randomly initialised model.
    ModelTokenType,
    /// The attention matrices of one layer of a randomly initialised model.
    ModelAttention(usize),
    /// The feed-forward matrices of one layer of a randomly initialised model.
    ModelFeedForward(usize),
    /// The linear map from the width of the embeddings to d in a randomly initialised model.
    ModelProjection,
    /// A matrix of a model that is trained.
    TrainingWeights(usize),
    /// The windows of a step of training.
    TrainingWindows(usize),
    /// A text drawn from a trained model.
    TrainedText,
    /// The second query matrix of a differential head.
    SecondQuery(usize),
    /// The second key matrix of a differential head.
    SecondKey(usize),
}

impl Stream {
    /// The number of the ChaCha stream: the purpose in the low byte, the index (head, restart, ..) above it.
    fn id(self) -> u64 {
        let (role, head_idx) = match self {
            Stream::Tokens => (0, 0),
            Stream::Query(h) => (1, h),
            Stream::Key(h) => (2, h),
            Stream::Value(h) => (3, h),
            Stream::Output => (4, 0),
            Stream::StartVector => (5, 0),
            Stream::Subset => (6, 0),
            Stream::Restart(n) => (7, n),
            Stream::AscentStart(restart) => (8, restart),
            Stream::AscentKick(kick) => (9, kick),
            Stream::ModelWord(id) => (10, id),
            Stream::ModelPosition(position) => (11, position),
            Stream::ModelTokenType => (12, 0),
            Stream::ModelAttention(layer) => (13, layer),
            Stream::ModelFeedForward(layer) => (14, layer),
            Stream::ModelProjection => (21, 0),
            Stream::TrainingWeights(matrix) => (16, matrix),
            Stream::TrainingWindows(step) => (17, step),
            Stream::TrainedText => (18, 0),
            Stream::SecondQuery(h) => (19, h),
            Stream::SecondKey(h) => (20, h),
        };
        role | ((head_idx as u64) << 8)
    }
}

/// A generator for one stream.
#[derive(Clone, Debug)]
pub struct Random {
    words: ChaCha8Rng,
    /// The second number of the last Box-Muller pair.
    spare: Option<f64>,
}

impl Random {
    /// The generator of a stream under a seed.
    #[must_use]
    pub fn new(seed: u64, stream: Stream) -> Self {
        let mut words = ChaCha8Rng::seed_from_u64(seed);
        words.set_stream(stream.id());
        Random { words, spare: None }
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        (self.words.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        if let Some(second) = self.spare.take() {
            return second;
        }
        // 1 - u lies in (0, 1], so the logarithm is finite.
        let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
        let angle = std::f64::consts::TAU * self.uniform();
        self.spare = Some(radius * libm::sin(angle));
        radius * libm::cos(angle)
    }

    /// Uniform in `0..n`, for n >= 1.
    pub fn below(&mut self, n: usize) -> usize {
        // The bias of at most n / 2^53 is too small to show in any sample drawn here.
        ((self.uniform() * n as f64) as usize).min(n.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_stream_give_the_same_numbers() {
        let mut random = Random::new(7, Stream::Tokens);
        let first: Vec<u64> = (0..3).map(|_| random.normal().to_bits()).collect();
        let mut again = Random::new(7, Stream::Tokens);
        let second: Vec<u64> = (0..3).map(|_| again.normal().to_bits()).collect();
        assert_eq!(first, second);
    }

    #[test]
    fn streams_of_one_seed_differ() {
        let a = Random::new(1, Stream::Query(0)).normal();
        let b = Random::new(1, Stream::Query(1)).normal();
        let c = Random::new(1, Stream::Key(0)).normal();
        assert!(a != b && b != c && a != c);
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let mut random = Random::new(3, Stream::Tokens);
        let draws: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        // Five standard errors of a sample of 20 000.
        assert!(mean.abs() < 0.036, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.05, "variance {variance}");
    }
}
