//! Rotary positions in a `config.json`: `rope_parameters`, or in older files `rope_theta` and `rope_scaling`. What is in
//! `rope_parameters` wins.

use super::family::{RopeRule, RotaryDim};
use super::fields::Fields;
use super::model_config::ModelConfig;
use super::rope::{Factors, Rope, Stretch, YarnBorder};
use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;

/// Keys of a description that are read, for any kind of rotary positions.
const KNOWN: [&str; 15] = [
    "rope_theta",
    "rope_type",
    "type",
    "partial_rotary_factor",
    "factor",
    "original_max_position_embeddings",
    "low_freq_factor",
    "high_freq_factor",
    "beta_fast",
    "beta_slow",
    "attention_factor",
    "truncate",
    "short_factor",
    "long_factor",
    // Whether the model was trained further with stretched positions.
    "finetuned",
];

/// The rotary positions of a config.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ropes {
    /// Those of the layers, and those of layers with a window where these have others.
    pub(crate) whole: Option<Rope>,
    pub(crate) local: Option<Rope>,
}

/// The rotary positions of a config with these sizes.
///
/// [`InputError`] that names the key, for a kind of positions or a setting of it that is not read.
pub(crate) fn ropes_of(fields: &Fields, rule: RopeRule, sizes: &ModelConfig) -> Result<Ropes, InputError> {
    let (newer, older) = (fields.object("rope_parameters")?, fields.object("rope_scaling")?);
    if let (Some(newer), Some(older)) = (&newer, &older)
        && !older.all().all(|(name, value)| newer.get(name) == Some(value) || value.is_null())
    {
        return Err(fields.not_supported(
            "rope_scaling",
            phrase!("why_two_ropes", "`rope_parameters` says something else, and programs differ in which they read"),
        ));
    }
    let Some((local_key, local_theta)) = rule.local else {
        let given = newer.or(older);
        if let (Some(default), None) = (rule.default, &given) {
            if fields.is_null("rope_scaling") || fields.is_null("rope_parameters") {
                let reason =
                    phrase!("why_null_rope", "versions of transformers differ in what null means in this family");
                let name = if fields.is_null("rope_scaling") { "rope_scaling" } else { "rope_parameters" };
                return Err(fields.not_supported(name, reason));
            }
            let whole = Rope { stretch: default, ..rope_of((fields, None), rule, sizes)? };
            return Ok(Ropes { whole: Some(whole), local: None });
        }
        return Ok(Ropes { whole: Some(rope_of((fields, given.as_ref()), rule, sizes)?), local: None });
    };
    // By kind of layer: what stands in `rope_parameters` is for one of the two.
    let of_kind = |name: &str| newer.as_ref().map_or(Ok(None), |newer| newer.object(name));
    let (full, sliding) = (of_kind("full_attention")?, of_kind("sliding_attention")?);
    if let Some(newer) = &newer
        && let Some((flat, _)) = newer.all().find(|(name, _)| !["full_attention", "sliding_attention"].contains(name))
    {
        let reason =
            phrase!("why_flat_rope", "it does not say whether it is for layers with a window or for the others");
        return Err(newer.not_supported(flat, reason));
    }
    let whole = rope_of((fields, full.as_ref().or(older.as_ref())), rule, sizes)?;
    let of_null = if fields.is_null(local_key) { whole.theta } else { local_theta };
    let theta = fields.positive(local_key)?.unwrap_or(of_null);
    let local = rope_of((fields, sliding.as_ref()), RopeRule { theta: (&[], theta), ..rule }, sizes)?;
    Ok(Ropes { whole: Some(whole), local: Some(local) })
}

impl RopeRule {
    /// The positions of a config without keys for them, with heads of k entries.
    pub(crate) fn default_rope(&self, k: usize) -> Rope {
        let rotary_dim = match self.rotary_dim {
            RotaryDim::All => k,
            RotaryDim::Share(_, share) => share_of(k, share),
            RotaryDim::Number(_, number) => number,
        };
        Rope { theta: self.theta.1, rotary_dim, layout: self.layout, stretch: self.default.unwrap_or(Stretch::None) }
    }

    /// Those of layers with a window.
    pub(crate) fn default_local(&self, k: usize) -> Option<Rope> {
        self.local.map(|(_, theta)| Rope { theta, stretch: Stretch::None, ..self.default_rope(k) })
    }
}

/// A share of the k entries of a head, rounded down.
fn share_of(k: usize, share: f64) -> usize {
    (k as f64 * share).floor() as usize
}

/// Rotary positions from an object of the config, else from its own fields.
fn rope_of(
    (fields, given): (&Fields, Option<&Fields>),
    rule: RopeRule,
    sizes: &ModelConfig,
) -> Result<Rope, InputError> {
    let within = |name: &str| given.map_or(Ok(None), |given| given.positive(name));
    let number = |name: &str, own: &[&str], default: f64| -> Result<f64, InputError> {
        let own = own.iter().map(|own| fields.positive(own)).collect::<Result<Vec<_>, InputError>>()?;
        Ok(within(name)?.or(own.into_iter().flatten().next()).unwrap_or(default))
    };
    let theta = number("rope_theta", rule.theta.0, rule.theta.1)?;
    const SHARE: &str = "partial_rotary_factor";
    let rotary_dim = match rule.rotary_dim {
        RotaryDim::All => {
            let holder = [given, Some(fields)].into_iter().flatten().find(|fields| fields.get(SHARE).is_some());
            if let Some(holder) = holder.filter(|holder| holder.positive(SHARE).is_ok_and(|share| share != Some(1.0))) {
                let reason = phrase!("why_partial_turn", "in this family all entries of a head turn");
                return Err(holder.not_supported(SHARE, reason));
            }
            sizes.head_dim
        }
        RotaryDim::Share(own, default) => share_of(sizes.head_dim, number(SHARE, &[own], default)?),
        RotaryDim::Number(own, default) => {
            if fields.is_null(own) {
                let reason = phrase!("why_null_turned", "how many entries of a head turn is not said");
                return Err(fields.not_supported(own, reason));
            }
            fields.size(&[own], default)?
        }
    };
    // transformers lets the setting of the whole config win, also where it is the default of the config's class.
    let inner = within(FIRST_LENGTH)?;
    let length = fields.positive(FIRST_LENGTH)?.or(rule.first_length).or(inner);
    let most = sizes.positions as f64;
    let stretch = match given {
        None => Stretch::None,
        Some(given) if given.get("short_factor").is_some() => {
            long_stretch(given, (length.unwrap_or(most), most), rotary_dim / 2)?
        }
        Some(given) => stretch_of(given, (length.unwrap_or(most), most))?,
    };
    Ok(Rope { theta, rotary_dim, layout: rule.layout, stretch })
}

/// The key of the length of the texts that a model was trained with first.
const FIRST_LENGTH: &str = "original_max_position_embeddings";

/// The note about a length within `rope_parameters` that has no effect.
pub(crate) fn unread_length(fields: &Fields, rule: RopeRule) -> Result<Option<Phrase>, InputError> {
    let Some(default) = rule.first_length.filter(|_| fields.get(FIRST_LENGTH).is_none()) else { return Ok(None) };
    let given = fields.object("rope_parameters")?.or(fields.object("rope_scaling")?);
    let inner = given.map_or(Ok(None), |given| given.positive(FIRST_LENGTH))?;
    Ok(inner.filter(|inner| *inner != default).map(|inner| {
        phrase!(
            "note_unread_length",
            "the rotary positions begin with texts of {default} tokens and not of {inner}: transformers reads {key} of the whole config, whose default is {default}, and not the one within the rotary parameters",
            default = default,
            inner = inner,
            key = FIRST_LENGTH
        )
    }))
}

/// LongRoPE. A text of more than `length` tokens has other factors; where the config has none, windows are not as long.
fn long_stretch(given: &Fields, (length, most): (f64, f64), pairs: usize) -> Result<Stretch, InputError> {
    const KEY: &str = "short_factor";
    let key = if given.get("rope_type").is_some() { "rope_type" } else { "type" };
    if !matches!(given.text(key)?, Some("longrope" | "su" | "yarn")) {
        return Err(given.not_supported(KEY, phrase!("why_factors_of_long", "only positions of type longrope have it")));
    }
    let factors_of = |key: &str| {
        let factors = given.numbers(key)?.and_then(|given| Factors::of(&given));
        factors.filter(|factors| factors.as_slice().len() == pairs).ok_or_else(|| {
            let reason =
                phrase!("why_factor_count", "it needs a number above 0 for each of {count} pairs", count = pairs);
            given.not_supported(key, reason)
        })
    };
    let factors = factors_of(KEY)?;
    const LONGER: &str = "long_factor";
    let longer = if given.get(LONGER).is_some() { Some(factors_of(LONGER)?) } else { None };
    let factor = given.positive("factor")?.unwrap_or(most / length);
    let attention = given.positive("attention_factor")?.unwrap_or_else(|| Stretch::long_attention(factor, length));
    Ok(Stretch::LongRope { factors, longer, length, attention })
}

/// How positions are stretched from `length` of them to `most`.
fn stretch_of(given: &Fields, (length, most): (f64, f64)) -> Result<Stretch, InputError> {
    if let Some((strange, _)) = given.all().find(|(name, value)| !value.is_null() && !KNOWN.contains(name)) {
        let reason =
            phrase!("why_unknown_rope_key", "what it does to rotary positions is not known here, or differs by layer");
        return Err(given.not_supported(strange, reason));
    }
    let key = if given.get("rope_type").is_some() { "rope_type" } else { "type" };
    let needed = |name: &str| given.needed(name);
    match given.text(key)? {
        // `dynamic` changes angles only beyond the positions that windows may have.
        None | Some("default" | "dynamic") => Ok(Stretch::None),
        Some("linear") => Ok(Stretch::Linear { factor: needed("factor")? }),
        Some("llama3") => Ok(Stretch::Llama3 {
            factor: needed("factor")?,
            low: needed("low_freq_factor")?,
            high: needed("high_freq_factor")?,
            length,
        }),
        Some("yarn") => {
            let factor = given.positive("factor")?.unwrap_or(most / length);
            Ok(Stretch::Yarn {
                factor,
                fast: given.positive("beta_fast")?.unwrap_or(32.0),
                slow: given.positive("beta_slow")?.unwrap_or(1.0),
                length,
                border: if given.flag("truncate", true)? { YarnBorder::Whole } else { YarnBorder::Exact },
                attention: given.positive("attention_factor")?.unwrap_or_else(|| Stretch::yarn_attention(factor)),
            })
        }
        Some(_) => Err(given.not_supported(
            key,
            phrase!(
                "why_rope_type",
                "the kinds of rotary positions that are read are default, linear, dynamic, llama3 and yarn"
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rope(more: &str) -> Result<Rope, InputError> {
        let text = format!(r#"{{"model_type":"llama","hidden_size":32,"num_attention_heads":4{more}}}"#);
        let config = ModelConfig::from_json(&text)?;
        Ok(config.rope.expect("a llama has rotary positions"))
    }

    #[test]
    fn both_spellings_say_the_same_and_the_newer_wins() {
        let older = rope(r#","rope_theta":500,"rope_scaling":{"type":"linear","factor":4}"#);
        let newer = rope(r#","rope_theta":7,"rope_parameters":{"rope_theta":500,"rope_type":"linear","factor":4.0}"#);
        assert_eq!(older, newer);
        let found = older.expect("it is read");
        assert_eq!((found.theta, found.rotary_dim, found.stretch), (500.0, 8, Stretch::Linear { factor: 4.0 }));
        let plain = rope("").expect("defaults");
        assert_eq!((plain.theta, plain.stretch), (1e4, Stretch::None));
        assert_eq!(rope(r#","rope_scaling":null,"rope_parameters":{"rope_type":"dynamic","factor":2}"#), Ok(plain));
        let phi3 = r#"{"model_type":"phi3","hidden_size":32,"num_attention_heads":4,"partial_rotary_factor":0.5}"#;
        let rotary_dim = ModelConfig::from_json(phi3).map(|config| config.rope.map(|rope| rope.rotary_dim));
        assert_eq!(rotary_dim, Ok(Some(4)));
    }

    #[test]
    fn stretched_positions_take_their_numbers_and_lengths() {
        let llama3 = r#","max_position_embeddings":512,"rope_scaling":{"rope_type":"llama3","factor":8,
            "low_freq_factor":1,"high_freq_factor":4,"original_max_position_embeddings":64}"#;
        let expected = Stretch::Llama3 { factor: 8.0, low: 1.0, high: 4.0, length: 64.0 };
        assert_eq!(rope(llama3).map(|rope| rope.stretch), Ok(expected));
        let yarn = r#","max_position_embeddings":512,"rope_scaling":{"type":"yarn","factor":4,"truncate":false}"#;
        let Ok(Stretch::Yarn { fast, slow, length, border, attention, .. }) = rope(yarn).map(|rope| rope.stretch)
        else {
            panic!("no YaRN")
        };
        assert_eq!((fast, slow, length, border), (32.0, 1.0, 512.0, YarnBorder::Exact));
        assert_eq!(attention, 0.1 * 4f64.ln() + 1.0);
    }

    #[test]
    fn longrope_has_a_factor_for_each_pair_and_others_for_texts_above_the_first_length() {
        let text = r#"{"model_type":"phi3","hidden_size":32,"num_attention_heads":4,"max_position_embeddings":131072,
            "original_max_position_embeddings":4096,
            "rope_scaling":{"type":"su","short_factor":[1.0,1.5,2,3],"long_factor":[4,4,4,5]}}"#;
        let config = ModelConfig::from_json(text).expect("LongRoPE");
        let rope = config.rope.expect("rotary positions");
        let factors_of = |rope: Rope| match rope.stretch {
            Stretch::LongRope { factors, attention, .. } => (factors.as_slice().to_vec(), attention),
            other => panic!("{other:?}"),
        };
        let (factors, attention) = factors_of(rope);
        assert_eq!((factors, config.positions), (vec![1.0, 1.5, 2.0, 3.0], 131_072));
        let (length, longer) = rope.longer().expect("factors for longer texts");
        assert_eq!((length, factors_of(longer)), (4_096, (vec![4.0, 4.0, 4.0, 5.0], attention)));
        assert_eq!(longer.longer(), None);
        assert!((attention - (1.0 + 32f64.ln() / 4_096f64.ln()).sqrt()).abs() < 1e-15);
        // Without factors for longer texts, windows are not longer.
        let short = r#"{"model_type":"phi3","hidden_size":32,"num_attention_heads":4,"max_position_embeddings":64,
            "original_max_position_embeddings":8,"rope_parameters":{"rope_type":"longrope","short_factor":[1,1,1,1]}}"#;
        assert_eq!(ModelConfig::from_json(short).map(|config| config.positions), Ok(8));
        let again: Rope = serde_json::from_str(&serde_json::to_string(&config.rope).expect("JSON")).expect("the same");
        assert_eq!(Some(again), config.rope);
    }

    #[test]
    fn what_is_not_read_is_refused_by_name() {
        for (more, words) in [
            (r#","rope_scaling":{"rope_type":"longrope","short_factor":[1]}"#, "`rope_scaling.short_factor` = [1]"),
            (
                r#","rope_scaling":{"rope_type":"longrope","short_factor":[1,1,1,1],"long_factor":[2,2,2]}"#,
                "`rope_scaling.long_factor` = [2,2,2]",
            ),
            (r#","rope_scaling":{"rope_type":"llama3","short_factor":[1,1,1,1]}"#, "only positions of type longrope"),
            (r#","rope_parameters":{"rope_type":"spiral"}"#, "`rope_parameters.rope_type` = \"spiral\""),
            (r#","rope_parameters":{"full_attention":{"rope_theta":5}}"#, "`rope_parameters.full_attention`"),
            (r#","rope_scaling":{"type":"yarn","factor":4,"mscale":1}"#, "`rope_scaling.mscale` = 1"),
            (r#","rope_scaling":{"type":"linear"}"#, "config.json: rope_scaling.factor"),
            (r#","rope_theta":-1"#, "config.json: rope_theta"),
            (r#","partial_rotary_factor":0.5"#, "`partial_rotary_factor` = 0.5"),
            (r#","rope_scaling":{"type":"linear","factor":4},"rope_parameters":{"rope_theta":9}"#, "`rope_scaling`"),
            (r#","head_dim":7"#, "turn"),
        ] {
            let problem = rope(more).expect_err(more).to_string();
            assert!(problem.contains(words), "{more}: {problem}");
        }
    }
}
