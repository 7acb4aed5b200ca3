//! Rotary positions in a `config.json`: `rope_parameters`, or in older files `rope_theta` and `rope_scaling`. What is in
//! `rope_parameters` wins.

use super::config::ModelConfig;
use super::config_fields::Fields;
use super::family::RopeRule;
use super::rope::{Rope, Stretch, YarnBorder};
use lipscope_core::experiment::InputError;
use lipscope_core::phrase;

/// Keys of a description that are read, for any kind of rotary positions.
const KNOWN: [&str; 13] = [
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
    // Whether the model was trained further with stretched positions.
    "finetuned",
];

/// The rotary positions of a config with these sizes.
///
/// [`InputError`] that names the key, for a kind of positions or a setting of it that is not read.
pub(super) fn rope_of(fields: &Fields, rule: RopeRule, sizes: &ModelConfig) -> Result<Rope, InputError> {
    let given = match fields.object("rope_parameters")? {
        Some(given) => Some(given),
        None => fields.object("rope_scaling")?,
    };
    let number = |name: &str, default: f64| -> Result<f64, InputError> {
        let own = given.as_ref().map_or(Ok(None), |given| given.positive(name))?;
        Ok(own.or(fields.positive(name)?).unwrap_or(default))
    };
    let theta = number("rope_theta", rule.theta)?;
    let share = number("partial_rotary_factor", 1.0)?;
    let turned = (sizes.head_dim as f64 * share).floor() as usize;
    let length = number("original_max_position_embeddings", sizes.positions as f64)?;
    let stretch = given.as_ref().map_or(Ok(Stretch::None), |given| stretch_of(given, length))?;
    Ok(Rope { theta, turned, layout: rule.layout, stretch })
}

fn stretch_of(given: &Fields, length: f64) -> Result<Stretch, InputError> {
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
            let factor = needed("factor")?;
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

    fn rope(more: &str) -> Result<Rope, String> {
        let text = format!(r#"{{"model_type":"llama","hidden_size":32,"num_attention_heads":4{more}}}"#);
        let config = ModelConfig::from_json(&text).map_err(|problem| problem.to_string())?;
        Ok(config.rope.expect("a llama has rotary positions"))
    }

    #[test]
    fn both_spellings_say_the_same_and_the_newer_wins() {
        let older = rope(r#","rope_theta":500,"rope_scaling":{"type":"linear","factor":4}"#);
        let newer = rope(r#","rope_theta":7,"rope_parameters":{"rope_theta":500,"rope_type":"linear","factor":4.0}"#);
        assert_eq!(older, newer);
        let found = older.expect("it is read");
        assert_eq!((found.theta, found.turned, found.stretch), (500.0, 8, Stretch::Linear { factor: 4.0 }));
        let plain = rope("").expect("defaults");
        assert_eq!((plain.theta, plain.stretch), (1e4, Stretch::None));
        assert_eq!(rope(r#","rope_scaling":null,"rope_parameters":{"rope_type":"dynamic","factor":2}"#), Ok(plain));
        assert_eq!(rope(r#","rope_parameters":{"partial_rotary_factor":0.5}"#).map(|rope| rope.turned), Ok(4));
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
    fn what_is_not_read_is_refused_by_name() {
        for (more, words) in [
            (r#","rope_scaling":{"rope_type":"longrope","short_factor":[1]}"#, "`rope_scaling.short_factor` = [1]"),
            (r#","rope_parameters":{"rope_type":"spiral"}"#, "`rope_parameters.rope_type` = \"spiral\""),
            (r#","rope_parameters":{"full_attention":{"rope_theta":5}}"#, "`rope_parameters.full_attention`"),
            (r#","rope_scaling":{"type":"yarn","factor":4,"mscale":1}"#, "`rope_scaling.mscale` = 1"),
            (r#","rope_scaling":{"type":"linear"}"#, "config.json: rope_scaling.factor"),
            (r#","rope_theta":-1"#, "config.json: rope_theta"),
            (r#","head_dim":7"#, "turn"),
        ] {
            let problem = rope(more).expect_err(more);
            assert!(problem.contains(words), "{more}: {problem}");
        }
    }
}
