//! A certified radius: how far may every token move before the outputs can have moved by more than a given distance?
//!
//! `cargo run --example certified_radius`

use lipscope_core::settings::{Distribution, RandomTokens, TokenSource, WeightSource};
use lipscope_core::{CertifyPlan, Experiment, InputError, certify};

/// The distance of outputs that is still harmless, for instance half the margin of a classifier that reads them.
const ALLOWED: f64 = 0.5;

fn main() -> Result<(), InputError> {
    let tokens = RandomTokens { distribution: Distribution::Sphere, n: 8, d: 4, radius: 1.0, seed: 3 };
    let experiment = Experiment::of(TokenSource::Random(tokens), WeightSource::Identity { sign: -1.0 });

    // eps in units of R: from nothing to half of the tokens' length.
    let relative = vec![0.0, 0.01, 0.03, 0.05, 0.06, 0.07, 0.08, 0.1, 0.2, 0.5];
    let certified = certify(&CertifyPlan::of(experiment, relative))?;
    println!("exact  the norm of J at the tokens themselves = {:.6}\n", certified.spectral);

    println!(
        "      eps | lower: found within eps | upper: certified within eps | upper: the whole ball of radius R + eps"
    );
    for row in &certified.rows {
        println!("{:9.4} | {:23.6} | {:27.6} | {:.6}", row.epsilon, row.found, row.certified, row.ball);
        assert!(row.found <= row.certified && row.found <= row.ball);
    }

    // If every token moves by at most eps, the n tokens together move by at most sqrt(n) eps (Frobenius norm), and the
    // outputs by at most the bound times that. The certificate and the bound on the ball both hold; take the smaller.
    let n = 8.0_f64;
    let reach = |row: &&lipscope_core::CertifiedRow| n.sqrt() * row.epsilon * row.certified.min(row.ball) <= ALLOWED;
    match certified.rows.iter().filter(reach).max_by(|a, b| a.epsilon.total_cmp(&b.epsilon)) {
        Some(row) => println!(
            "\nupper  if no token moves by more than eps = {:.4}, the outputs move by at most {:.4} (allowed: {ALLOWED})",
            row.epsilon,
            n.sqrt() * row.epsilon * row.certified.min(row.ball)
        ),
        None => println!("\nno eps of the list is certified for outputs that move by at most {ALLOWED}"),
    }
    Ok(())
}
