//! A JSON document with one faulty value: replaced, removed, doubled, emptied or lengthened.

use serde_json::{Map, Value, json};

use lipscope_testkit::dice::Dice;

/// Marks the second of two equal keys, which no [`Map`] can hold, until the document is written.
const AGAIN: &str = "\u{1}again:";

/// The same document with one fault; input that is not JSON stays unchanged.
pub fn vary(dice: &mut Dice, input: &[u8]) -> Vec<u8> {
    let Ok(mut whole) = serde_json::from_slice::<Value>(input) else { return input.to_vec() };
    let count = count(&whole);
    // Containers are few among many numbers: every second time one of them is chosen.
    let mut at = dice.below(count);
    if dice.once_in(2) {
        let mut containers = Vec::new();
        find_containers(&whole, &mut 0, &mut containers);
        if !containers.is_empty() {
            at = *dice.of(&containers);
        }
    }
    if let Some(value) = nth(&mut whole, &mut at) {
        change(dice, value);
    }
    whole.to_string().replace("\\u0001again:", "").into_bytes()
}

/// The places of lists and objects, from a place on.
fn find_containers(value: &Value, at: &mut usize, found: &mut Vec<usize>) {
    let place = *at;
    *at += 1;
    match value {
        Value::Array(list) => list.iter().for_each(|value| find_containers(value, at, found)),
        Value::Object(fields) => fields.values().for_each(|value| find_containers(value, at, found)),
        _ => return,
    }
    found.push(place);
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

/// The value at a place in the order in which a document is written.
fn nth<'a>(value: &'a mut Value, at: &mut usize) -> Option<&'a mut Value> {
    if *at == 0 {
        return Some(value);
    }
    *at -= 1;
    match value {
        Value::Array(list) => list.iter_mut().find_map(|value| nth(value, at)),
        Value::Object(fields) => fields.values_mut().find_map(|value| nth(value, at)),
        _ => None,
    }
}

fn change(dice: &mut Dice, value: &mut Value) {
    match value {
        Value::Array(list) if !dice.once_in(4) => change_list(dice, list),
        Value::Object(fields) if !dice.once_in(4) => change_fields(dice, fields),
        _ => *value = other_value(dice, value.take()),
    }
}

fn change_list(dice: &mut Dice, list: &mut Vec<Value>) {
    let at = dice.below(list.len());
    match (dice.below(5), list.get(at).cloned()) {
        (0, _) | (_, None) => list.clear(),
        (1, _) => drop(list.remove(at)),
        (2, Some(value)) => list.insert(at, value),
        (3, Some(value)) => {
            let most = super::MOST_BYTES / value.to_string().len().max(1);
            let times = dice.times(2000).min(most);
            list.splice(at..at, std::iter::repeat_n(value, times));
        }
        (_, Some(value)) => list[at] = json!([value]),
    }
}

fn change_fields(dice: &mut Dice, fields: &mut Map<String, Value>) {
    let keys: Vec<String> = fields.keys().cloned().collect();
    if keys.is_empty() {
        fields.insert("n".into(), json!(1));
        return;
    }
    let key = dice.of(&keys).clone();
    let value = fields.get(&key).cloned().unwrap_or_default();
    match dice.below(5) {
        0 => drop(fields.remove(&key)),
        1 => {
            fields.remove(&key);
            fields.insert(key + *dice.of(&["x", " ", "\0", "<b>"]), value);
        }
        2 => {
            let other = if dice.once_in(2) { other_value(dice, value) } else { value };
            fields.insert(format!("{AGAIN}{key}"), other);
        }
        3 => {
            // Two keys exchange their values.
            let other = dice.of(&keys).clone();
            let of_other = fields.insert(other, value).unwrap_or_default();
            fields.insert(key, of_other);
        }
        _ => drop(fields.insert(key, other_value(dice, value))),
    }
}

fn other_value(dice: &mut Dice, value: Value) -> Value {
    const TEXTS: [&str; 9] =
        ["", "NaN", "1e999", "\0", "=1+1", "<img src=x onerror=alert(1)>", "\u{202e}\u{feff}", "random", "\u{1f600}"];
    const WHOLE: [i64; 11] = [0, 1, 2, 3, -1, 64, 1024, 65_536, 1_000_000, 1 << 32, (1 << 53) + 1];
    const REALS: [f64; 12] =
        [-0.0, 0.5, 1e308, -1e308, f64::MAX, 5e-324, 1e-300, 1e100, -1e-10, 1e18, 700.0, 12_345.678];
    match dice.below(12) {
        0 => Value::Null,
        1 => Value::Bool(dice.once_in(2)),
        2..5 => json!(dice.of(&WHOLE)),
        5..8 => json!(dice.of(&REALS)),
        8 => json!(dice.of(&[u64::MAX, i64::MAX as u64, 1 << 63])),
        9 => json!(dice.of(&TEXTS)),
        10 => match dice.below(4) {
            0 => json!([]),
            1 => json!({}),
            2 => json!("x".repeat(dice.times(1 << 15))),
            _ => (0..dice.below(140)).fold(value, |inner, _| json!([inner])),
        },
        // A value close to the one that stands there.
        _ => match value.as_f64() {
            Some(x) => json!(x * dice.of(&[-1.0, 2.0, 0.1, 1e6, 1.000_000_1])),
            None => json!([value]),
        },
    }
}
