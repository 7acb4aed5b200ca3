//! The families of models that are read: one file each, by `model_type`.

mod bert;
mod distilbert;
mod gemma;
mod gemma2;
mod gpt2;
mod granite;
mod lipscope;
mod llama;
mod mistral;
mod phi3;
mod qwen2;
mod qwen3;
mod smollm3;

use super::family::Family;

pub(super) use bert::BERT;
pub(super) use gpt2::GPT2;
pub(super) use llama::LLAMA;

/// All families.
pub(super) static ALL: [Family; 13] = [
    BERT,
    distilbert::DISTILBERT,
    GPT2,
    lipscope::LIPSCOPE,
    LLAMA,
    mistral::MISTRAL,
    qwen2::QWEN2,
    qwen3::QWEN3,
    phi3::PHI3,
    smollm3::SMOLLM3,
    granite::GRANITE,
    gemma::GEMMA,
    gemma2::GEMMA2,
];

/// The family with this `model_type`.
pub(super) fn of_model_type(model_type: &str) -> Option<&'static Family> {
    ALL.iter().find(|family| family.model_type == model_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_families_have_one_model_type_or_class() {
        for (at, family) in ALL.iter().enumerate() {
            assert!(ALL[..at].iter().all(|other| other != family), "{family:?}");
            let is_alone = family.class.is_none() || ALL[..at].iter().all(|other| other.class != family.class);
            assert!(is_alone, "{family:?}");
        }
    }

    #[test]
    fn no_key_stands_twice_and_accepted_values_are_json() {
        use crate::config_keys::KeyUse;
        for family in &ALL {
            for list in family.keys {
                for (at, (name, used)) in list.iter().enumerate() {
                    assert!(list[..at].iter().all(|(earlier, _)| earlier != name), "{name}");
                    if let KeyUse::Refused(accepted, _) = used {
                        assert!(serde_json::from_str::<serde_json::Value>(accepted).is_ok(), "{name}: {accepted}");
                    }
                }
            }
        }
    }
}
