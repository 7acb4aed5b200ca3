//! The memory that a run over a model holds at a time, counted by a global allocator, against the figure of
//! [`Plan::bytes`].

use lipscope_models::{Bounding, Estimators, Heads, MapKind, Maps, ModelConfig, Plan, Shard, draw_model};
use lipscope_testkit::peak::{Counting, peak};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The measured peak is at most `MOST_OVER` times the figure, and the figure at most `MOST_UNDER` times the peak.
const MOST_OVER: f64 = 1.0;
const MOST_UNDER: f64 = 3.0;

#[test]
fn measured_peaks_are_those_of_the_model_for_every_map() {
    let ids: Vec<u32> = (0..400).map(|at| (at * at + 7) % 50).collect();
    let mut wrong = Vec::new();
    println!("{:<60} {:>12} {:>12} {:>7}", "run", "measured", "modelled", "ratio");
    // Wide weights and short windows; then narrow weights, for which the attention matrices of a long window take most
    // of the memory.
    let gpt2 = |d, heads| ModelConfig::gpt2().resized(d, 4, heads).expect("sizes");
    // Heads wider together than a token, few keys and values, a gate.
    let llama = |d, heads: usize| ModelConfig {
        key_heads: heads / 4,
        ..ModelConfig::llama().resized(d, 4, heads).expect("sizes")
    };
    let wide = ModelConfig { head_dim: 64, rope: None, ..llama(64, 8) };
    for (name, config, n) in [
        ("GPT-2", gpt2(256, 4), 40),
        ("GPT-2", gpt2(64, 8), 400),
        ("Llama", llama(256, 4), 40),
        ("Llama", llama(64, 8), 400),
        ("wide heads", wide, 40),
    ] {
        for kind in MapKind::ALL {
            for (layers, bounds) in
                [(vec![3], Bounding::Skipped), (vec![0, 3], Bounding::Skipped), (vec![3], Bounding::AtTokens)]
            {
                let plan = Plan {
                    layers,
                    heads: vec![Heads::All],
                    lengths: vec![n],
                    windows: 1,
                    mask: lipscope_core::experiment::Order::Causal,
                    kind,
                    estimators: Estimators::Both,
                    // Small enough for many steps, large enough for the iteration to run in f32 beside f64.
                    options: lipscope_core::spectral::LanczosOptions { tolerance: 3e-5, ..Default::default() },
                    bounds,
                };
                let measured = peak(|| {
                    let batches = plan.batches(Shard { index: 0, count: 1 });
                    let model = draw_model(config, &plan.needs(&ids, &batches), 0).expect("drawn");
                    let maps = Maps::new(&plan, model).expect("four layers");
                    for batch in &batches {
                        maps.measure(&ids, batch, |_| true).expect("measured");
                    }
                });
                let ratio = measured as f64 / plan.bytes(&config) as f64;
                let name =
                    format!("{name}: {} of layers {:?}, d = {}, n = {n}, {bounds:?}", kind.id(), plan.layers, config.d);
                println!("{name:<60} {measured:>12} {:>12} {ratio:>7.3}", plan.bytes(&config));
                if ratio > MOST_OVER || ratio * MOST_UNDER < 1.0 {
                    wrong.push(name);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
