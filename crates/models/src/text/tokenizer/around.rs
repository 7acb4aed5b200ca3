//! What a tokenizer puts around a text, as its `post_processor` says.

use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;
use serde_json::Value;

use super::problem::{quoted, wrong};
use crate::text::special_tokens::{SpecialToken, SpecialTokens};

/// The name of the file, for errors.
const WHOLE_FILE: &str = "tokenizer.json";

/// The special tokens of a `post_processor`; none where there is none.
///
/// # Errors
/// [`InputError::File`] for a processor of another kind than those of the library, or one that does more than to put
/// tokens before and after one text.
pub(super) fn of_post_processor(processor: &Value) -> Result<SpecialTokens, InputError> {
    let other = |what: Phrase| wrong(WHOLE_FILE, what);
    let unknown = || other(phrase!("post_processor_not_read", "its `post_processor` is not one that is read here"));
    if processor.is_null() {
        return Ok(SpecialTokens::default());
    }
    // A pair of a token and its id.
    let pair = |key: &str| {
        let pair = &processor[key];
        let id = pair[1].as_u64().and_then(|id| u32::try_from(id).ok());
        id.zip(pair[0].as_str()).map(|(id, name)| SpecialToken { id, name: name.to_owned() }).ok_or_else(unknown)
    };
    match processor["type"].as_str().unwrap_or_default() {
        "ByteLevel" => Ok(SpecialTokens::default()),
        "BertProcessing" | "RobertaProcessing" => {
            Ok(SpecialTokens { before: vec![pair("cls")?], after: vec![pair("sep")?] })
        }
        "Sequence" => {
            let mut all = SpecialTokens::default();
            for inner in processor["processors"].as_array().ok_or_else(unknown)? {
                let SpecialTokens { before, after } = of_post_processor(inner)?;
                all.before.splice(0..0, before);
                all.after.extend(after);
            }
            Ok(all)
        }
        "TemplateProcessing" => template(processor),
        kind => Err(other(phrase!(
            "post_processor_kind_not_read",
            "its `post_processor` has the type {kind}, which is not read here",
            kind = quoted(kind)
        ))),
    }
}

/// The tokens of a template for one text.
fn template(processor: &Value) -> Result<SpecialTokens, InputError> {
    let broken = || {
        let problem = phrase!(
            "post_processor_template",
            "the template of its `post_processor` does not put tokens around one text, or leaves their ids out"
        );
        wrong(WHOLE_FILE, problem)
    };
    let (mut around, mut texts) = (SpecialTokens::default(), 0);
    for piece in processor["single"].as_array().ok_or_else(broken)? {
        if piece["Sequence"]["id"] == "A" {
            texts += 1;
            continue;
        }
        let special = &processor["special_tokens"][piece["SpecialToken"]["id"].as_str().ok_or_else(broken)?];
        let ids = special["ids"].as_array().ok_or_else(broken)?;
        let names = special["tokens"].as_array().ok_or_else(broken)?;
        if ids.len() != names.len() {
            return Err(broken());
        }
        for (id, name) in ids.iter().zip(names) {
            let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
            let token = id.zip(name.as_str()).map(|(id, name)| SpecialToken { id, name: name.to_owned() });
            let side = if texts == 0 { &mut around.before } else { &mut around.after };
            side.push(token.ok_or_else(broken)?);
        }
    }
    if texts == 1 { Ok(around) } else { Err(broken()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ids(around: &SpecialTokens) -> (Vec<u32>, Vec<u32>) {
        let of = |tokens: &[SpecialToken]| tokens.iter().map(|token| token.id).collect();
        (of(&around.before), of(&around.after))
    }

    #[test]
    fn the_processors_of_bert_roberta_t5_and_llama_are_read() {
        let special = json!({"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]}});
        let text = json!({"Sequence": {"id": "A", "type_id": 0}});
        let token = |name: &str| json!({"SpecialToken": {"id": name, "type_id": 0}});
        let template =
            |single: Value| json!({"type": "TemplateProcessing", "single": single, "special_tokens": special});
        for (processor, expected) in [
            (Value::Null, (vec![], vec![])),
            (json!({"type": "ByteLevel", "trim_offsets": true}), (vec![], vec![])),
            (json!({"type": "BertProcessing", "sep": ["[SEP]", 102], "cls": ["[CLS]", 101]}), (vec![101], vec![102])),
            (json!({"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0]}), (vec![0], vec![2])),
            (template(json!([token("<s>"), text])), (vec![1], vec![])),
            (template(json!([text, token("</s>")])), (vec![], vec![2])),
            (
                json!({"type": "Sequence", "processors": [{"type": "ByteLevel"}, template(json!([token("<s>"), text]))]}),
                (vec![1], vec![]),
            ),
        ] {
            assert_eq!(ids(&of_post_processor(&processor).expect("read")), expected, "{processor}");
        }
        for broken in [
            template(json!([text, text])),
            template(json!([token("<s>")])),
            template(json!([token("<mask>"), text])),
            json!({"type": "BertProcessing", "sep": ["[SEP]"]}),
            json!({"type": "Oracle"}),
            json!([]),
            json!("ByteLevel"),
        ] {
            let said = of_post_processor(&broken).expect_err("not read").to_string();
            assert!(said.contains("tokenizer.json") && said.contains("post_processor"), "{said}");
        }
    }
}
