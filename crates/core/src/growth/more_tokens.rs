//! Where more tokens of a ball reach at least as much as fewer (docs/theory.md, "More tokens").

use crate::bounds::Norm;
use crate::experiment::{Experiment, Mask, Order, Weighting};

impl Experiment {
    /// Whether tokens may be put behind n others without a smaller norm, in every norm: the n others do not see them.
    /// The tokens of the experiment do not count.
    #[must_use]
    #[doc(hidden)]
    pub fn takes_tokens_behind(&self, n: f64) -> bool {
        let is_unseen = match self.mask {
            Mask::Causal | Mask::Window { order: Order::Causal, .. } => true,
            Mask::Prefix { length } => n >= length as f64,
            Mask::None | Mask::Window { order: Order::Free, .. } | Mask::Padding { .. } | Mask::Allowed(_) => false,
        };
        is_unseen && self.score.bias.is_none() && !self.weighting.depends_on_length()
    }

    /// Whether every token may be repeated equally often without a smaller spectral norm. The tokens of the experiment do
    /// not count.
    #[must_use]
    #[doc(hidden)]
    pub fn takes_repeated_tokens(&self) -> bool {
        // A sink is a token that is not repeated. -ln n changes the scores, and a divisor n does no more than the sum of
        // a softmax.
        let is_scaled = match self.weighting {
            Weighting::Softmax { ref sink } => sink.is_none(),
            Weighting::Sigmoid { bias } => bias.is_some(),
            Weighting::Relu { .. } | Weighting::Softplus { .. } => true,
        };
        self.mask == Mask::None && !self.score.knows_positions() && is_scaled
    }

    /// Whether `more` tokens of a ball reach at least the norm of any n tokens of it.
    #[must_use]
    #[doc(hidden)]
    pub fn passes_on(&self, norm: Norm, n: f64, more: f64) -> bool {
        let is_multiple = norm == Norm::Spectral && more % n == 0.0 && self.takes_repeated_tokens();
        n == more || is_multiple || (n < more && self.takes_tokens_behind(n))
    }
}

impl Weighting {
    /// Whether the weights depend on the number of tokens itself, and not on the scores alone.
    fn depends_on_length(&self) -> bool {
        match self {
            Weighting::Softmax { .. } => false,
            Weighting::Sigmoid { bias } => bias.is_none(),
            Weighting::Relu { divisor } | Weighting::Softplus { divisor } => divisor.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::bounds::Norm;
    use crate::experiment::{Experiment, Mask, TokenSource};
    use crate::measure::{MeasureOptions, measure_with};

    fn with(keys: &Value, rows: Vec<Vec<f64>>) -> Experiment {
        let heads = json!([{
            "q": [[1.2, -0.3], [0.4, 0.9]], "k": [[-0.7, 0.5], [0.2, 1.1]], "v": [[0.8, 0.1], [-0.6, 1.3]],
        }]);
        let mut file = json!({
            "tokens": {"source": "explicit", "rows": rows}, "weights": {"source": "explicit", "heads": heads},
        });
        for (key, value) in keys.as_object().expect("keys") {
            file[key] = value.clone();
        }
        Experiment::from_value(file).expect("valid")
    }

    fn norm(experiment: &Experiment) -> f64 {
        measure_with(experiment, MeasureOptions::default()).expect("it can be measured").spectral
    }

    /// Lists of tokens of a ball, by a fixed rule.
    fn rows(n: usize, seed: usize) -> Vec<Vec<f64>> {
        let at = |i: usize, j: usize| ((37 * i + 101 * j + 61 * seed) % 97) as f64 / 48.5 - 1.0;
        (0..n).map(|i| vec![1.4 * at(i, 0), 1.4 * at(i, 1)]).collect()
    }

    const SCORES: [&str; 7] = [
        r#"{}"#,
        r#"{"attention": "l2"}"#,
        r#"{"attention": "cosine"}"#,
        r#"{"attention": "linear"}"#,
        r#"{"score": {"softcap": 0.7}}"#,
        r#"{"normalization": "rms", "normalization_scope": "composed"}"#,
        r#"{"score": {"value_norm": {"eps": 0.001}}}"#,
    ];

    #[test]
    fn where_tokens_are_put_behind_others_or_repeated_the_norm_is_no_smaller() {
        let (mut n_behind, mut n_repeated) = (0, 0);
        let masks = [
            json!("none"),
            json!("causal"),
            json!({"kind": "window", "width": 3}),
            json!({"kind": "window", "width": 3, "causal": false}),
            json!({"kind": "prefix", "length": 4}),
        ];
        let weightings = [
            json!({}),
            json!({"kind": "softmax", "sink": 0.3}),
            json!({"kind": "sigmoid"}),
            json!({"kind": "sigmoid", "bias": -1.0}),
            json!({"kind": "relu"}),
            json!({"kind": "relu", "divisor": 3.0}),
            json!({"kind": "softplus"}),
        ];
        for score in SCORES {
            for mask in &masks {
                for weighting in &weightings {
                    let mut keys: Value = serde_json::from_str(score).expect("JSON");
                    keys["mask"] = mask.clone();
                    if weighting != &json!({}) {
                        keys["weighting"] = weighting.clone();
                    }
                    if keys["attention"] == json!("linear") && keys.get("weighting").is_some() {
                        continue;
                    }
                    for n in [3, 5] {
                        let few = with(&keys, rows(n, 1));
                        let least = norm(&few) * (1.0 - 1e-9);
                        if few.takes_tokens_behind(n as f64) {
                            let more = with(&keys, rows(n, 1).into_iter().chain(rows(2, 7)).collect());
                            let found = norm(&more);
                            assert!(found >= least, "{keys}: {found} after {least}");
                            n_behind += 1;
                        }
                        if few.takes_repeated_tokens() {
                            let twice = rows(n, 1).into_iter().flat_map(|row| [row.clone(), row]).collect();
                            let found = norm(&with(&keys, twice));
                            assert!(found >= least, "{keys}: {found} for {least}");
                            n_repeated += 1;
                        }
                    }
                }
            }
        }
        assert!(n_behind >= 60 && n_repeated >= 30, "{n_behind} behind, {n_repeated} repeated");
    }

    #[test]
    fn what_is_not_proved_is_not_passed_on() {
        let plain = with(&json!({}), rows(4, 1));
        let is = |keys: Value, n: f64, more: f64| with(&keys, rows(4, 1)).passes_on(Norm::Spectral, n, more);
        assert!(plain.passes_on(Norm::Spectral, 4.0, 8.0) && !plain.passes_on(Norm::Frobenius, 4.0, 8.0));
        assert!(!plain.passes_on(Norm::Spectral, 4.0, 9.0) && !plain.passes_on(Norm::Spectral, 8.0, 4.0));
        let causal = with(&json!({"mask": "causal"}), rows(4, 1));
        assert!(causal.passes_on(Norm::Linf, 4.0, 9.0) && !causal.passes_on(Norm::Linf, 9.0, 4.0));
        for keys in [
            json!({"weighting": {"kind": "softmax", "sink": 0.3}}),
            json!({"weighting": {"kind": "sigmoid"}}),
            json!({"mask": "causal", "weighting": {"kind": "relu"}}),
            json!({"mask": {"kind": "window", "width": 2, "causal": false}}),
            json!({"mask": {"kind": "prefix", "length": 5}}),
            json!({"score": {"rope": {}}}),
        ] {
            assert!(!is(keys.clone(), 4.0, 8.0), "{keys}");
        }
        // Whatever the tokens are, the answer is about the map.
        let other = Experiment { tokens: TokenSource::Skew { n: 4, radius: 1.0 }, mask: Mask::Causal, ..plain };
        assert!(other.passes_on(Norm::Spectral, 4.0, 5.0));
    }
}
