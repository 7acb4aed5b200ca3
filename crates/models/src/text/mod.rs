//! A text as token ids: tokenizers, the tokens around a text, windows of it, and its beginning where it is long.
//!
//! Nothing here knows a model: what tokens become is decided downstream.

pub(crate) mod head;
pub(crate) mod special_tokens;
pub(crate) mod tokenizer;
pub(crate) mod windows;
