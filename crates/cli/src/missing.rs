//! Windows that a merged table lacks, and the shards of the run that should have measured them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use lipscope_core::experiment::Order;
use lipscope_core::measure::UpperNumber;
use lipscope_core::spectral::LanczosOptions;
use lipscope_models::{Bounding, Cell, Estimators, Heads, MOST_WINDOWS, MapKind, Plan, Shard, Table};

/// A window of a text: its length and its index.
type Window = (usize, usize);

/// Facts about the run that its tables do not contain.
pub(super) struct Known {
    /// Windows per length.
    pub(super) windows: Option<usize>,
    /// Lengths.
    pub(super) lengths: Option<Vec<usize>>,
    /// Number of shards.
    pub(super) shards: Option<usize>,
    /// The number of tables given, including those without a row.
    pub(super) tables: usize,
}

/// The missing parts, as sentences; `None` for a complete table. `parts` are the merged tables.
///
/// A table is complete if every layer and head in it has every length and every window. The lengths are those in the
/// table and those that are known. The windows are as many as are known, and at least all up to the last one in the
/// table. A shard may hold a whole length, or the last window of each length. So if the number of shards is known, a
/// table of each shard must be given, or lengths and windows must be known too.
pub(super) fn missing(whole: &Table, parts: &[Table], known: &Known) -> Option<String> {
    let groups: BTreeSet<(usize, Heads)> = whole.rows.keys().map(|cell| (cell.layer, cell.heads)).collect();
    let found = whole.rows.keys().map(|cell| cell.n);
    let lengths: BTreeSet<usize> = found.chain(known.lengths.iter().flatten().copied()).collect();
    let last = whole.rows.keys().map(|cell| cell.window).max()?;
    let windows = known.windows.unwrap_or(0).max(last.saturating_add(1));
    let expected = groups.len().saturating_mul(lengths.len()).saturating_mul(windows);
    if expected == whole.rows.len() {
        return known.shards.filter(|shards| known.tables < *shards && !is_known_whole(whole, known)).map(|shards| {
            format!(
                "the run had {shards} shards, and the tables given are {}: windows of the others may be missing. Give a table of \
                 each shard, or --lengths and --windows of the run.",
                known.tables
            )
        });
    }
    let lacking = expected.saturating_sub(whole.rows.len());
    let mut said = format!("{lacking} of {expected} measurements are missing");
    if expected > MOST_WINDOWS {
        // No run writes a table of this size, so the missing windows are not listed.
        return Some(said + ".");
    }
    let mut lost: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (layer, heads) in &groups {
        for n in &lengths {
            for window in 0..windows {
                if !whole.rows.contains_key(&Cell { layer: *layer, heads: *heads, n: *n, window }) {
                    lost.entry(*n).or_default().insert(window);
                }
            }
        }
    }
    said.push_str(": ");
    said.push_str(&listed(&lost));
    if let Some(shards) = shards(whole, (parts, known.shards), (&groups, &lengths, windows), &lost) {
        said.push_str(&shards);
    }
    Some(said)
}

/// Whether the plan of the run is known, so that any missing part is noticed. At adversarial tokens one shard may hold
/// all lengths of a head.
fn is_known_whole(whole: &Table, known: &Known) -> bool {
    known.lengths.is_some() && known.windows.is_some() && whole.subject.adversarial_radius().is_none()
}

/// The windows by length, the first few of each.
fn listed(lost: &BTreeMap<usize, BTreeSet<usize>>) -> String {
    const MOST_LENGTHS: usize = 12;
    let of_length = |(n, windows): (&usize, &BTreeSet<usize>)| format!("n = {n} windows {}", ranges(windows));
    let mut text = lost.iter().take(MOST_LENGTHS).map(of_length).collect::<Vec<_>>().join("; ");
    if lost.len() > MOST_LENGTHS {
        // Writing to a String cannot fail.
        let _ = write!(text, "; and {} more lengths", lost.len() - MOST_LENGTHS);
    }
    text + "."
}

/// Numbers as `0-3, 7`; only the first few.
fn ranges(numbers: &BTreeSet<usize>) -> String {
    const MOST: usize = 8;
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => ranges.push((*number, *number)),
        }
    }
    let text = |(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    let shown: Vec<String> = ranges.iter().take(MOST).map(text).collect();
    shown.join(", ") + if ranges.len() > MOST { ", .." } else { "" }
}

/// A sentence that names the shards to which the missing windows belong; `None` unless the number of shards is known or
/// follows from the tables.
///
/// Shard i of N has every N-th batch of windows from i on, so the windows in the tables rule out all but a few N; the
/// smallest of these is used.
fn shards(
    whole: &Table,
    (parts, known): (&[Table], Option<usize>),
    (groups, lengths, windows): (&BTreeSet<(usize, Heads)>, &BTreeSet<usize>, usize),
    lost: &BTreeMap<usize, BTreeSet<usize>>,
) -> Option<String> {
    /// Shards that may be missing in addition to the given tables.
    const MOST_LOST: usize = 256;
    // Adversarial tokens are distributed over shards in another way, and have one window per length.
    if whole.subject.adversarial_radius().is_some() || (parts.len() < 2 && known.is_none()) {
        return None;
    }
    let plan = Plan {
        layers: groups.iter().map(|(layer, _)| *layer).collect::<BTreeSet<_>>().into_iter().collect(),
        heads: groups.iter().map(|(_, heads)| *heads).collect::<BTreeSet<_>>().into_iter().collect(),
        lengths: lengths.iter().copied().collect(),
        windows,
        mask: if whole.subject.mask == "causal" { Order::Causal } else { Order::Free },
        kind: MapKind::by_id(&whole.subject.map)?,
        estimators: Estimators::Both,
        options: LanczosOptions::default(),
        bounds: Bounding::Skipped,
        upper: UpperNumber::Skipped,
        statistics: Default::default(),
        special: Default::default(),
    };
    // The index of each window's batch in the run; shard i of N has every N-th batch from i on.
    let mut batch_of: BTreeMap<Window, usize> = BTreeMap::new();
    for (at, batch) in plan.batches(Shard { index: 0, count: 1 }).iter().enumerate() {
        batch_of.extend(batch.windows().map(|window| ((window.n, window.window), at)));
    }
    let batches: Vec<BTreeSet<usize>> = parts
        .iter()
        .map(|part| part.rows.keys().filter_map(|cell| batch_of.get(&(cell.n, cell.window)).copied()).collect())
        .collect();
    let is_shard = |of_part: &BTreeSet<usize>, count: usize| {
        let mut shards = of_part.iter().map(|batch| batch % count);
        let first = shards.next();
        shards.all(|shard| Some(shard) == first).then_some(first).flatten()
    };
    let count = known.or_else(|| {
        (parts.len()..=parts.len() + MOST_LOST).find(|count| {
            let found: Option<BTreeSet<usize>> = batches.iter().map(|of_part| is_shard(of_part, *count)).collect();
            found.is_some_and(|found| found.len() == parts.len())
        })
    })?;
    let mut by_shard: BTreeMap<usize, usize> = BTreeMap::new();
    for window in lost.iter().flat_map(|(n, windows)| windows.iter().map(|window| (*n, *window))) {
        *by_shard.entry(batch_of.get(&window)? % count).or_default() += 1;
    }
    let named: Vec<String> = by_shard.iter().map(|(shard, lost)| format!("{shard}/{count} ({lost} windows)")).collect();
    Some(format!(
        " They belong to the shards {}: run `lipscope model` again with each of them as --shard and the file that it had as -o.",
        named.join(", ")
    ))
}
