//! The formula of each map of a layer ([`MapKind`]), with the norms where the model's family has them.
//!
//! Att are the concatenated heads with their biases, O the output matrix with its bias, LN or RMS the norms with their
//! gains, y the tokens that arrive at attention.

use super::config::ModelConfig;
use super::family::BlockShape;
use super::map_kind::MapKind;
use super::residual::Residual;
use lipscope_core::experiment::Normalization;

impl MapKind {
    /// The map as a formula, such as "x + O Att(RMS(x))".
    #[must_use]
    pub fn formula(self, config: &ModelConfig) -> String {
        let attention = |x: &str| added(config, (config.family.attention_norms, config.attention_norm), "O Att", x);
        let mlp = |x: &str| added(config, (config.family.mlp_norms, config.mlp_norm), "MLP", x);
        match self {
            MapKind::Attention => "Att(y)".into(),
            MapKind::WithOutput => "O Att(y)".into(),
            MapKind::AttentionResidual => attention("x"),
            MapKind::MlpResidual => mlp("x"),
            MapKind::Block if config.block_shape() == BlockShape::SideBySide => {
                let beside = mlp("x");
                format!("{} + {}", attention("x"), beside.strip_prefix("x + ").unwrap_or(&beside))
            }
            MapKind::Block => format!("{}, a = {}", mlp("a"), attention("x")),
            MapKind::Blocks => "fₗ(.. f₁(f₀(x)))".into(),
        }
    }
}

/// A branch added to its input x, with its norms.
fn added(
    config: &ModelConfig,
    (places, kind): (Residual<&'static str>, Normalization),
    branch: &str,
    x: &str,
) -> String {
    let norm = match kind {
        Normalization::None => None,
        Normalization::Rms => Some("RMS"),
        Normalization::Layer => Some("LN"),
    };
    let through = |norm: Option<&str>, inside: String| match norm {
        Some(norm) => format!("{norm}({inside})"),
        None => inside,
    };
    let factor = match config.residual_factor {
        1.0 => String::new(),
        factor => format!("{factor} "),
    };
    match places {
        Residual::Sum(_) => through(norm, format!("{x} + {factor}{branch}({x})")),
        Residual::Branch { before, after } => {
            let entering = through(norm.filter(|_| before.is_some()), x.into());
            let leaving = through(norm.filter(|_| after.is_some()), format!("{branch}({entering})"));
            format!("{x} + {factor}{leaving}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_stand_where_the_family_has_them() {
        let of = |model_type: &str| {
            let config = ModelConfig::from_json(&format!(r#"{{"model_type":"{model_type}"}}"#)).expect("a config");
            [MapKind::AttentionResidual, MapKind::MlpResidual].map(|kind| kind.formula(&config))
        };
        assert_eq!(of("gpt2"), ["x + O Att(LN(x))", "x + MLP(LN(x))"]);
        assert_eq!(of("llama"), ["x + O Att(RMS(x))", "x + MLP(RMS(x))"]);
        assert_eq!(of("gemma2"), ["x + RMS(O Att(RMS(x)))", "x + RMS(MLP(RMS(x)))"]);
        assert_eq!(of("bert"), ["LN(x + O Att(x))", "LN(x + MLP(x))"]);
        assert_eq!(of("olmo2"), ["x + RMS(O Att(x))", "x + RMS(MLP(x))"]);
        let neox = ModelConfig::from_json(r#"{"model_type":"gpt_neox"}"#).expect("a config");
        assert_eq!(MapKind::Block.formula(&neox), "x + O Att(LN(x)) + MLP(LN(x))");
        let granite = r#"{"model_type":"granite","residual_multiplier":0.22}"#;
        let granite = ModelConfig::from_json(granite).expect("a config");
        assert_eq!(MapKind::Block.formula(&granite), "a + 0.22 MLP(RMS(a)), a = x + 0.22 O Att(RMS(x))");
    }
}
