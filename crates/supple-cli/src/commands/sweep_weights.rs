//! `supple sweep-weights`: how the weights of ADMM change its way, as in the paper's Fig. 6.
use supple::WeightRule;

use super::Failure;
use super::compare::{Options, weighted};

/// Which weights.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// Scales s = w²/k
    #[arg(long, value_name = "S,…", value_delimiter = ',',
        default_values_t = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 16.0, 64.0])]
    scales: Vec<f64>,
    /// What k is: bulk (the bulk modulus), shear (2μ, as in projective dynamics), auto or robust
    #[arg(long, value_name = "RULE", default_value = "bulk", value_parser = rule)]
    rule: WeightRule,
}

fn rule(word: &str) -> Result<WeightRule, String> {
    match word {
        "bulk" => Ok(WeightRule::Bulk),
        "auto" => Ok(WeightRule::Auto),
        "shear" => Ok(WeightRule::Shear),
        "robust" => Ok(WeightRule::Robust),
        _ => Err("write bulk, shear, auto or robust".into()),
    }
}

/// Runs the sweep.
pub fn run(args: &Args) -> Result<(), Failure> {
    let variants = weighted(&args.scales, args.rule)?;
    args.options.compare("sweep", &variants, "ADMM with different weights")
}
