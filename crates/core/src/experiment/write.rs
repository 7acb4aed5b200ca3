//! Writes an [`Experiment`] as JSON.

use serde_json::{Map, Value, json};

use super::Rows;
use super::types::{
    Attention, Distribution, Experiment, Head, Normalization, Output, Scope, TokenSource, WeightSource,
};
use super::variant::{Score, Weighting};

impl Experiment {
    /// The experiment as JSON in the format of [`Experiment::from_json`], with every key of the
    /// two papers' attention written out, and of other steps those that are there.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut file = Map::new();
        file.insert("version".into(), json!(self.version));
        file.insert("attention".into(), json!(self.attention.id()));
        file.insert("mask".into(), self.mask.to_value());
        if self.score != Score::default() {
            file.insert("score".into(), self.score.to_value());
        }
        if self.weighting != Weighting::SOFTMAX {
            file.insert("weighting".into(), self.weighting.to_value());
        }
        file.insert("normalization".into(), json!(self.normalization.id()));
        file.insert("normalization_scope".into(), json!(self.normalization_scope.id()));
        file.insert("eps".into(), json!(self.eps));
        file.insert("tokens".into(), tokens(&self.tokens));
        if let Some(source) = &self.weights {
            file.insert("weights".into(), weights(source));
        }
        Value::Object(file)
    }

    /// [`Experiment::to_value`] on one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.to_value().to_string()
    }
}

impl Attention {
    /// Its name in the file format.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

impl Normalization {
    /// Its name in the file format.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

impl Scope {
    /// Its name in the file format.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

impl Distribution {
    /// Its name in the file format.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

fn tokens(source: &TokenSource) -> Value {
    match source {
        TokenSource::Explicit(rows) => json!({"source": "explicit", "rows": rows}),
        TokenSource::Random(t) => {
            json!({"source": "random", "distribution": t.distribution.id(), "n": t.n, "d": t.d, "radius": t.radius, "seed": t.seed})
        }
        TokenSource::Adversarial { n, radius } => json!({"source": "adversarial", "n": n, "radius": radius}),
        TokenSource::Skew { n, radius } => json!({"source": "skew", "n": n, "radius": radius}),
        TokenSource::Clusters { positions, log_multiplicities } => {
            json!({"source": "clusters", "positions": positions, "log_multiplicities": log_multiplicities})
        }
    }
}

fn weights(source: &WeightSource) -> Value {
    match source {
        WeightSource::Explicit { heads, shared, output } => explicit(heads, shared, output.as_ref()),
        WeightSource::Random(w) => {
            let mut file = json!({
                "source": "random", "heads": w.heads, "head_dim": w.head_dim, "scale": w.scale, "seed": w.seed,
                "output": w.output == Output::Drawn,
            });
            if w.kv_heads != w.heads {
                file["kv_heads"] = json!(w.kv_heads);
            }
            if let Some(lambda) = w.differential {
                file["differential"] = json!(lambda);
            }
            file
        }
        WeightSource::Identity { sign } => json!({"source": "identity", "sign": sign}),
        WeightSource::Kim { heads, scale, seed } => {
            json!({"source": "kim", "heads": heads, "scale": scale, "seed": seed})
        }
    }
}

/// Listed weights. Keys and values that heads share are written once.
fn explicit(heads: &[Head], shared: &[usize], output: Option<&Rows>) -> Value {
    let mut file = json!({"source": "explicit"});
    let keys = |head: &Head| {
        let mut keys = json!({"k": head.k, "v": head.v});
        if let Some(second) = &head.second {
            keys["k2"] = json!(second.k);
        }
        keys
    };
    let head = |(head_idx, head): (usize, &Head)| {
        let mut value = match shared.get(head_idx) {
            Some(group) => json!({"kv": group}),
            None => keys(head),
        };
        value["q"] = json!(head.q);
        if let Some(second) = &head.second {
            (value["q2"], value["lambda"]) = (json!(second.q), json!(second.lambda));
        }
        value
    };
    file["heads"] = heads.iter().enumerate().map(head).collect();
    let n_groups = shared.iter().max().map_or(0, |last| last + 1);
    if n_groups > 0 {
        let first = |group: usize| shared.iter().position(|other| *other == group).and_then(|at| heads.get(at));
        file["kv_heads"] = (0..n_groups).filter_map(first).map(keys).collect();
    }
    if let Some(output) = output {
        file["output"] = json!(output);
    }
    file
}
