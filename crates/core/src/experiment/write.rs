//! Writes an [`Experiment`] as JSON.

use serde_json::{Map, Value, json};

use super::types::{
    Attention, Distribution, Experiment, Head, Mask, Normalization, Output, Scope, TokenSource, WeightSource,
};

impl Experiment {
    /// The experiment as JSON in the format of [`Experiment::from_json`], with every key written out.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut file = Map::new();
        file.insert("version".into(), json!(self.version));
        file.insert("attention".into(), json!(self.attention.id()));
        file.insert("mask".into(), json!(self.mask.id()));
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
        match self {
            Attention::Dot => "dot",
            Attention::L2 => "l2",
        }
    }
}

impl Mask {
    /// Its name in the file format.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Mask::None => "none",
            Mask::Causal => "causal",
        }
    }
}

impl Normalization {
    /// Its name in the file format.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Normalization::None => "none",
            Normalization::Layer => "layer",
            Normalization::Rms => "rms",
        }
    }
}

impl Scope {
    /// Its name in the file format.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Scope::Inputs => "inputs",
            Scope::Composed => "composed",
        }
    }
}

impl Distribution {
    /// Its name in the file format.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Distribution::Gaussian => "gaussian",
            Distribution::Sphere => "sphere",
            Distribution::Ball => "ball",
        }
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
        WeightSource::Explicit { heads, output } => {
            let heads: Vec<Value> = heads.iter().map(|Head { q, k, v }| json!({"q": q, "k": k, "v": v})).collect();
            match output {
                Some(output) => json!({"source": "explicit", "heads": heads, "output": output}),
                None => json!({"source": "explicit", "heads": heads}),
            }
        }
        WeightSource::Random(w) => json!({
            "source": "random", "heads": w.heads, "head_dim": w.head_dim, "scale": w.scale, "seed": w.seed,
            "output": w.output == Output::Drawn,
        }),
        WeightSource::Identity { sign } => json!({"source": "identity", "sign": sign}),
        WeightSource::Kim { heads, scale, seed } => {
            json!({"source": "kim", "heads": heads, "scale": scale, "seed": seed})
        }
    }
}
