//! The numbers of an experiment: listed, and written for the runners in Python, which do not have this crate's random
//! streams.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use lipscope_core::experiment::{Experiment, Head, Rows, TokenSource, WeightSource};
use lipscope_core::weights::{Inputs, inputs};
use nalgebra::DMatrix;
use npyz::WriterBuilder;

/// The experiment with its numbers listed; as many heads in a row share keys and values as `kv_heads` leaves to each.
pub fn listed(experiment: &Experiment, kv_heads: usize) -> Experiment {
    let Inputs { tokens, weights, .. } = inputs(experiment).expect("inputs that fit");
    let rows = |matrix: &DMatrix<f64>| {
        let entries = matrix.transpose().as_slice().to_vec();
        Rows::new("a matrix", matrix.ncols(), entries).expect("finite numbers")
    };
    let heads =
        weights.heads.iter().map(|head| Head { q: rows(&head.q), k: rows(&head.k), v: rows(&head.v), second: None });
    let heads: Vec<Head> = heads.collect();
    let a_group = heads.len() / kv_heads;
    let shared = if a_group > 1 { (0..heads.len()).map(|head| head / a_group).collect() } else { Vec::new() };
    let weights = WeightSource::listed(heads, shared, None).expect("matrices that fit");
    Experiment {
        tokens: TokenSource::Explicit(rows(&tokens.transpose())),
        weights: Some(weights),
        ..experiment.clone()
    }
}

/// Writes tokens and weights as .npy: `tokens`, n x d; `q`, heads x k x d; `k` and `v`, `kv_heads` x k x d, where each is
/// shared by as many heads in a row.
pub fn write(folder: &Path, inputs: &Inputs, kv_heads: usize) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let heads = &inputs.weights.heads;
    // One token per row: the columns of X one after the other.
    write_npy(&folder.join("tokens.npy"), &[inputs.tokens.ncols(), inputs.tokens.nrows()], inputs.tokens.as_slice())?;
    let shared = heads.iter().step_by(heads.len() / kv_heads);
    for (file, matrices) in [
        ("q.npy", heads.iter().map(|head| &head.q).collect::<Vec<_>>()),
        ("k.npy", shared.clone().map(|head| &head.k).collect()),
        ("v.npy", shared.map(|head| &head.v).collect()),
    ] {
        let entries: Vec<f64> = matrices.iter().flat_map(|m| m.transpose().as_slice().to_vec()).collect();
        write_npy(&folder.join(file), &[matrices.len(), matrices[0].nrows(), matrices[0].ncols()], &entries)?;
    }
    Ok(())
}

fn write_npy(path: &Path, shape: &[usize], entries: &[f64]) -> std::io::Result<()> {
    let shape: Vec<u64> = shape.iter().map(|len| *len as u64).collect();
    let file = BufWriter::new(File::create(path)?);
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(&shape).writer(file).begin_nd()?;
    writer.extend(entries.iter().copied())?;
    writer.finish()
}
