//! JSON that refuses a key given twice in one object, since readers differ in which of the two they keep, and that
//! keeps a list of numbers as numbers, since an experiment file may list millions of them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    /// Null, true, false, a number or a string.
    Plain(Value),
    /// A list of numbers that all have a fraction or an exponent: eight bytes each, where a [`Value`] takes 32. The
    /// form says how a number is quoted in an error: 1 and 1.0 are different texts.
    Numbers(Vec<f64>),
    /// Any other list.
    List(Vec<Json>),
    /// An object.
    Object(BTreeMap<String, Json>),
}

/// Reads a text of JSON.
///
/// # Errors
/// serde_json's message for a text that is not JSON, and "duplicate field" for a key given twice.
pub(super) fn read(text: &str) -> Result<Json, serde_json::Error> {
    serde_json::from_str(text)
}

/// The error for a key given twice in one object.
pub(super) fn key_twice<E: de::Error>(key: &str) -> E {
    E::custom(format_args!("duplicate field `{key}`"))
}

impl Json {
    pub(super) fn is_null(&self) -> bool {
        matches!(self, Json::Plain(Value::Null))
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        self.plain()?.as_str()
    }

    pub(super) fn as_f64(&self) -> Option<f64> {
        self.plain()?.as_f64()
    }

    pub(super) fn as_u64(&self) -> Option<u64> {
        self.plain()?.as_u64()
    }

    fn plain(&self) -> Option<&Value> {
        match self {
            Json::Plain(value) => Some(value),
            _ => None,
        }
    }

    /// The entries of a list.
    pub(super) fn entries(&self) -> Option<Cow<'_, [Json]>> {
        match self {
            Json::List(list) => Some(Cow::Borrowed(list)),
            Json::Numbers(numbers) => Some(numbers.iter().copied().map(number).collect()),
            _ => None,
        }
    }

    /// The entries of a list; whatever else it is comes back as the error.
    pub(super) fn into_entries(self) -> Result<Vec<Json>, Json> {
        match self {
            Json::List(list) => Ok(list),
            Json::Numbers(numbers) => Ok(numbers.into_iter().map(number).collect()),
            other => Err(other),
        }
    }

    /// A list of entries, which are asked for until one is absent.
    fn list<E>(mut next: impl FnMut() -> Result<Option<Json>, E>) -> Result<Json, E> {
        let mut numbers = Vec::new();
        let other = loop {
            match next()? {
                None if numbers.is_empty() => return Ok(Json::List(Vec::new())),
                None => return Ok(Json::Numbers(numbers)),
                Some(Json::Plain(Value::Number(x))) if x.is_f64() => numbers.extend(x.as_f64()),
                Some(other) => break other,
            }
        };
        let mut entries: Vec<Json> = numbers.into_iter().map(number).collect();
        entries.push(other);
        while let Some(entry) = next()? {
            entries.push(entry);
        }
        Ok(Json::List(entries))
    }
}

/// A number with a fraction or an exponent.
fn number(x: f64) -> Json {
    Json::Plain(x.into())
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Value::from(self.clone()).fmt(f)
    }
}

impl From<Json> for Value {
    fn from(json: Json) -> Value {
        match json {
            Json::Plain(value) => value,
            Json::Numbers(numbers) => numbers.into(),
            Json::List(list) => list.into_iter().map(Value::from).collect(),
            Json::Object(members) => members.into_iter().collect(),
        }
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Json {
        match value {
            Value::Array(list) => {
                let mut entries = list.into_iter().map(Json::from);
                let Ok(list) = Json::list(|| Ok::<_, std::convert::Infallible>(entries.next()));
                list
            }
            Value::Object(members) => {
                Json::Object(members.into_iter().map(|(key, value)| (key, value.into())).collect())
            }
            plain => Json::Plain(plain),
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Plain(Number::from_f64(value).map_or(Value::Null, Value::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Plain(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        Json::list(|| list.next_element())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object = BTreeMap::new();
        while let Some(key) = members.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(key_twice(&key));
            }
            let value = members.next_value()?;
            object.insert(key, value);
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_as_it_stands_and_a_key_that_stands_twice_is_named() {
        let text = r#"{"a":[1,-2,0.5,"x",null,true,{"b":{}}],"c":18446744073709551615,"d":1e300,"e":[]}"#;
        let plain: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(Value::from(read(text).expect("JSON")), plain);
        assert_eq!(read(text).expect("JSON"), Json::from(plain));
        let problem = read(r#"{"a":{"b":1,"b":1}}"#).expect_err("twice").to_string();
        assert!(problem.starts_with("duplicate field `b` at line 1"), "{problem}");
        assert!(read("{").is_err() && read("[1,]").is_err());
    }

    #[test]
    fn a_list_of_numbers_is_kept_as_numbers_and_quoted_as_it_stood() {
        assert_eq!(read("[0.5,-1e300,2.0]").expect("JSON"), Json::Numbers(vec![0.5, -1e300, 2.0]));
        for text in ["[0.5,2.0]", "[0.5,2]", "[2,0.5]", "[0.5,null,1.5]", "[[0.5],[2]]", "[]"] {
            assert_eq!(read(text).expect("JSON").to_string(), text);
        }
    }
}
