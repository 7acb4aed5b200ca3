//! Prints the token ids of texts: `token_ids TEXTS.json FOLDER..`, where the file is a JSON list of texts and each
//! folder has a tokenizer's files. Each folder gives one line of JSON. `scripts/models/compare_tokenizers.py` runs it.

use std::error::Error;
use std::fs;
use std::path::Path;

use lipscope_models::{Tokenizer, TokenizerFiles};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let texts = arguments.next().ok_or("token_ids TEXTS.json FOLDER..")?;
    let texts: Vec<String> = serde_json::from_str(&fs::read_to_string(texts)?)?;
    for folder in arguments {
        println!("{}", line(Path::new(&folder), &texts)?);
    }
    Ok(())
}

/// The ids of every text, or the sentence that refuses the tokenizer or the text.
fn line(folder: &Path, texts: &[String]) -> Result<Value, Box<dyn Error>> {
    let mut unreadable = None;
    let files = TokenizerFiles::gather(|name| {
        let path = folder.join(name);
        Ok(path.exists().then(|| fs::read_to_string(path)).transpose().unwrap_or_else(|error| {
            unreadable = Some(error);
            None
        }))
    })?;
    if let Some(error) = unreadable {
        return Err(error.into());
    }
    let tokenizer = match Tokenizer::new(&files) {
        Ok(tokenizer) => tokenizer,
        Err(error) => return Ok(json!({"refused": error.to_string()})),
    };
    let notes: Vec<String> = tokenizer.notes().iter().map(ToString::to_string).collect();
    Ok(json!({"notes": notes, "ids": texts.iter().map(|text| ids(&tokenizer, text)).collect::<Vec<_>>()}))
}

fn ids(tokenizer: &Tokenizer, text: &str) -> Value {
    match tokenizer.ids(text) {
        Ok(ids) => json!(ids),
        Err(error) => json!(error.to_string()),
    }
}
