//! Writes the mask, `score` and `weighting` of an experiment. What is absent is left out, so that a file of the two
//! papers' attention has no key that it did not always have.

use serde_json::{Map, Value, json};

use super::mask::{Mask, Order};
use super::variant::{Gain, QkNorm, RopeLayout, Score, Sink, VectorNorm, Weighting};

impl Mask {
    /// Its name in the file format: the word, or the kind of the object.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.into()
    }

    pub(super) fn to_value(&self) -> Value {
        let is_causal = |order: &Order| *order == Order::Causal;
        let kind = self.id();
        match self {
            Mask::None | Mask::Causal => json!(kind),
            Mask::Window { width, order } => json!({"kind": kind, "width": width, "causal": is_causal(order)}),
            Mask::Prefix { length } => json!({"kind": kind, "length": length}),
            Mask::Padding { keys, order } => {
                let keys: Vec<u8> = keys.iter().map(|key| u8::from(*key)).collect();
                json!({"kind": kind, "keys": keys, "causal": is_causal(order)})
            }
            Mask::Allowed(rows) => {
                let rows: Vec<Vec<u8>> =
                    rows.iter().map(|row| row.iter().map(|entry| u8::from(*entry != 0.0)).collect()).collect();
                json!({"kind": kind, "rows": rows})
            }
        }
    }
}

impl VectorNorm {
    /// Its name in the file format.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

impl RopeLayout {
    /// Its name in the file format.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }
}

impl Weighting {
    /// Its name in the file format.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.into()
    }

    pub(super) fn to_value(&self) -> Value {
        let mut file = Map::new();
        file.insert("kind".into(), json!(self.id()));
        match self {
            Weighting::Softmax { sink } => {
                let sink = sink.as_ref().map(|sink| match sink {
                    Sink::All(logit) => json!(logit),
                    Sink::Heads(logits) => json!(logits),
                });
                put(&mut file, "sink", sink);
            }
            Weighting::Sigmoid { bias } => put(&mut file, "bias", *bias),
            Weighting::Relu { divisor } | Weighting::Softplus { divisor } => put(&mut file, "divisor", *divisor),
        }
        Value::Object(file)
    }
}

impl Score {
    pub(super) fn to_value(&self) -> Value {
        let mut file = Map::new();
        put(&mut file, "scale", self.scale);
        put(&mut file, "softcap", self.softcap);
        put(&mut file, "qk_norm", self.qk_norm.as_ref().map(qk_norm));
        let rope = self.rope.as_ref();
        let rope = rope.map(|rope| json!({"base": rope.base, "fraction": rope.fraction, "layout": rope.layout.id()}));
        put(&mut file, "rope", rope);
        put(&mut file, "cosine_eps", self.cosine_eps);
        let alibi = self.alibi.as_ref().map(|alibi| match &alibi.slopes {
            Some(slopes) => json!({"slopes": slopes}),
            None => json!({}),
        });
        put(&mut file, "alibi", alibi);
        put(&mut file, "bias", self.bias.as_ref().map(|bias| json!(bias)));
        put(&mut file, "value_norm", self.value_norm.map(|eps| json!({"eps": eps})));
        Value::Object(file)
    }
}

fn qk_norm(norm: &QkNorm) -> Value {
    let gain = |gain: &Gain| match gain {
        Gain::All(gain) => json!(gain),
        Gain::Entries(gains) => json!(gains),
    };
    json!({"kind": norm.kind.id(), "eps": norm.eps, "q_gain": gain(&norm.q_gain), "k_gain": gain(&norm.k_gain)})
}

fn put(file: &mut Map<String, Value>, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        file.insert(key.into(), value.into());
    }
}
