//! A layer of a transformer: the norm of its attention at the tokens that the model itself produces there, and the bounds
//! at the same tokens.
//!
//! The model here is a small Llama with random weights. A trained one is opened from its files by `Opened::of_files`.
//!
//! `cargo run --example model_layer`

use lipscope_core::InputError;
use lipscope_core::settings::{LanczosOptions, Order, UpperNumber};
use lipscope_models::{
    Bounding, DrawnFamily, DrawnModel, Estimators, Heads, MapKind, Maps, Opened, Plan, Shard, SpecialTokens,
};

fn main() -> Result<(), InputError> {
    let drawn = DrawnModel { family: DrawnFamily::Llama, d: 64, layers: 3, heads: 4, seed: 0 };
    // No file is read; with a trained model the bytes would come from its files.
    let mut opened = Opened::<&[u8]>::drawn(drawn)?;
    println!("{}", opened.description());

    let plan = Plan {
        layers: vec![2],
        heads: vec![Heads::All, Heads::One(0)],
        lengths: vec![8, 24],
        windows: 2,
        mask: Order::Causal,
        kind: MapKind::Attention,
        estimators: Estimators::Spectral,
        options: LanczosOptions { tolerance: 1e-8, ..LanczosOptions::default() },
        bounds: Bounding::AtTokens,
        upper: UpperNumber::Skipped,
        statistics: Default::default(),
        special: SpecialTokens::default(),
    };
    // The text as token ids. A trained model has a `Tokenizer` for it.
    let ids: Vec<u32> = (0..64).map(|at| (at * 37 + 11) % 1000).collect();
    plan.check(ids.len())?;

    // Only the weights that the plan needs are drawn: the layers up to the measured one, and the embeddings of these ids.
    let batches = plan.batches(Shard { index: 0, count: 1 });
    let model = opened.model(&plan.needs(&ids, &batches))?;
    let maps = Maps::new(&plan, model)?;
    println!("layer | heads | n  | window | lower: iterated norm (residual) | upper: best bound at the same tokens");
    for batch in &batches {
        for (cell, found) in maps.measure(&ids, batch, |_| true)? {
            let heads = match cell.heads {
                Heads::All => "all".to_owned(),
                Heads::One(head) => head.to_string(),
            };
            let (Some(norm), Some(upper)) = (found.spectral, found.bounds.and_then(|bounds| bounds.best())) else {
                continue;
            };
            println!(
                "{:5} | {heads:5} | {:2} | {:6} | {:.6} ({:.0e}) | {upper:.6}",
                cell.layer, cell.n, cell.window, norm.value, norm.relative_residual
            );
            assert!(norm.value <= upper);
        }
    }
    Ok(())
}
