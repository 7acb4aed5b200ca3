//! Makes an experiment file that shows a fault smaller: fewer steps, heads, tokens, dimensions and digits.

use serde_json::{Value, json};

/// The smallest file found that still has the fault. A change that makes the file invalid must not count as the fault.
#[must_use]
pub fn shrink(file: &Value, has_fault: impl Fn(&Value) -> bool) -> Value {
    let mut smallest = file.clone();
    // Each pass removes at least one thing.
    for _ in 0..100 {
        let Some(next) = candidates(&smallest).into_iter().find(|next| *next != smallest && has_fault(next)) else {
            break;
        };
        smallest = next;
    }
    smallest
}

fn candidates(file: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    let mut push = |change: &dyn Fn(&mut Value)| {
        let mut next = file.clone();
        change(&mut next);
        all.push(next);
    };
    let n = file["tokens"]["rows"].as_array().map_or(0, Vec::len);
    let d = file["tokens"]["rows"][0].as_array().map_or(0, Vec::len);
    let heads = file["weights"]["heads"].as_array().map_or(0, Vec::len);
    for head in (0..heads).filter(|_| heads > 1) {
        push(&|next| remove_head(next, head));
    }
    for token in (0..n).filter(|_| n > 1) {
        push(&|next| remove_token(next, token));
    }
    for key in ["normalization", "normalization_scope", "eps", "weighting", "mask", "score"] {
        push(&|next| remove(next, key));
    }
    let steps: Vec<String> = file["score"].as_object().map(|steps| steps.keys().cloned().collect()).unwrap_or_default();
    for step in &steps {
        push(&|next| remove(&mut next["score"], step));
    }
    push(&|next| remove(&mut next["weights"], "output"));
    push(&ungroup);
    push(&|next| {
        for key in ["q2", "k2", "lambda"] {
            each_matrix_holder(next, &mut |head| remove(head, key));
        }
    });
    for column in (0..d).filter(|_| d > 1) {
        push(&|next| remove_column(next, column));
    }
    push(&|next| remove_last_row(next, &["q", "k", "q2", "k2"]));
    push(&|next| remove_last_row(next, &["v"]));
    push(&|next| {
        for key in ["q_gain", "k_gain"] {
            if next["score"]["qk_norm"].get(key).is_some() {
                next["score"]["qk_norm"][key] = json!(1.0);
            }
        }
    });
    push(&|next| {
        if next["weighting"].get("sink").is_some_and(Value::is_array) {
            next["weighting"]["sink"] = next["weighting"]["sink"][0].clone();
        }
    });
    for digits in [1, 2, 4, 7] {
        push(&|next| round(next, digits));
        for part in ["tokens", "weights", "score", "weighting"] {
            push(&|next| round(&mut next[part], digits));
        }
    }
    all
}

fn remove(value: &mut Value, key: &str) {
    if let Some(object) = value.as_object_mut() {
        object.remove(key);
    }
}

fn remove_at(value: &mut Value, at: usize) {
    if let Some(list) = value.as_array_mut()
        && at < list.len()
    {
        list.remove(at);
    }
}

fn each_matrix_holder(file: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    for key in ["heads", "kv_heads"] {
        file["weights"].get_mut(key).and_then(Value::as_array_mut).into_iter().flatten().for_each(&mut *change);
    }
}

fn remove_token(file: &mut Value, token: usize) {
    remove_at(&mut file["tokens"]["rows"], token);
    for table in ["/mask/rows", "/score/bias"] {
        if let Some(rows) = file.pointer_mut(table) {
            remove_at(rows, token);
            rows.as_array_mut().into_iter().flatten().for_each(|row| remove_at(row, token));
        }
    }
    if let Some(keys) = file.pointer_mut("/mask/keys") {
        remove_at(keys, token);
    }
}

fn remove_head(file: &mut Value, head: usize) {
    ungroup(file);
    let rows = file["weights"]["heads"][head]["v"].as_array().map_or(0, Vec::len);
    let before: usize = (0..head).map(|h| file["weights"]["heads"][h]["v"].as_array().map_or(0, Vec::len)).sum();
    remove_at(&mut file["weights"]["heads"], head);
    for list in ["/weighting/sink", "/score/alibi/slopes"] {
        if let Some(list) = file.pointer_mut(list) {
            remove_at(list, head);
        }
    }
    for row in file["weights"].get_mut("output").and_then(Value::as_array_mut).into_iter().flatten() {
        (0..rows).for_each(|_| remove_at(row, before));
    }
}

/// Lists keys and values in every head.
fn ungroup(file: &mut Value) {
    let Some(groups) = file["weights"].get("kv_heads").cloned() else { return };
    remove(&mut file["weights"], "kv_heads");
    for head in file["weights"]["heads"].as_array_mut().into_iter().flatten() {
        let group = head.get("kv").and_then(Value::as_u64).map_or(Value::Null, |at| groups[at as usize].clone());
        remove(head, "kv");
        if let (Some(head), Value::Object(group)) = (head.as_object_mut(), group) {
            head.extend(group);
        }
    }
}

fn remove_column(file: &mut Value, column: usize) {
    let cut = |rows: &mut Value| rows.as_array_mut().into_iter().flatten().for_each(|row| remove_at(row, column));
    cut(&mut file["tokens"]["rows"]);
    each_matrix_holder(file, &mut |head| {
        for key in ["q", "k", "v", "q2", "k2"] {
            head.get_mut(key).into_iter().for_each(cut);
        }
    });
}

fn remove_last_row(file: &mut Value, keys: &[&str]) {
    each_matrix_holder(file, &mut |head| {
        for key in keys {
            if let Some(rows) = head.get_mut(*key).and_then(Value::as_array_mut)
                && rows.len() > 1
            {
                rows.pop();
            }
        }
    });
}

/// Rounds every number to so many significant digits.
fn round(value: &mut Value, digits: usize) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().and_then(|x| format!("{x:.*e}", digits - 1).parse::<f64>().ok());
            if let Some(rounded) = rounded.and_then(serde_json::Number::from_f64) {
                *number = rounded;
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|entry| round(entry, digits)),
        Value::Object(object) => object.values_mut().for_each(|entry| round(entry, digits)),
        _ => {}
    }
}
