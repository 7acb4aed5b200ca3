//! Writes inputs for the runners in Python: they do not have this crate's random streams and need the numbers themselves.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use lipscope_core::weights::Inputs;
use npyz::WriterBuilder;

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
