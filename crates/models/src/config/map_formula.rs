//! The formula of each map of a layer ([`MapKind`]), with the norms where the model's family has them.
//!
//! Att are the concatenated heads with their biases, O the output matrix with its bias, LN or RMS the norms with their
//! gains, y the tokens that arrive at attention.

use super::family::{AfterBranch, BlockShape};
use super::map_kind::MapKind;
use super::model_config::ModelConfig;
use super::residual::Residual;
use lipscope_core::experiment::Normalization;

impl MapKind {
    /// The map as a formula, such as "x + O Att(RMS(x))".
    #[must_use]
    pub fn formula(self, config: &ModelConfig) -> String {
        let attention = Sublayer { norms: config.family.attention_norms, kind: config.attention_norm, branch: "O Att" };
        let mlp = Sublayer { norms: config.family.mlp_norms, kind: config.mlp_norm, branch: "MLP" };
        match self {
            MapKind::Attention => "Att(y)".into(),
            MapKind::WithOutput => "O Att(y)".into(),
            MapKind::AttentionResidual => attention.added(config, "x"),
            MapKind::MlpResidual => mlp.added(config, "x"),
            MapKind::Block if config.block_shape() == BlockShape::Parallel => {
                format!("{} + {}", attention.added(config, "x"), mlp.outputs(config, "x"))
            }
            MapKind::Block => format!("{}, a = {}", mlp.added(config, "a"), attention.added(config, "x")),
            MapKind::Blocks => "fₗ(.. f₁(f₀(x)))".into(),
        }
    }
}

/// Attention or the MLP, with its norms.
struct Sublayer {
    norms: Residual<&'static str>,
    kind: Normalization,
    branch: &'static str,
}

impl Sublayer {
    /// It is added to its input x.
    fn added(&self, config: &ModelConfig, x: &str) -> String {
        let sum = format!("{x} + {}", self.outputs(config, x));
        self.through(self.norms.after_sum(), sum)
    }

    /// What is added to its input x.
    fn outputs(&self, config: &ModelConfig, x: &str) -> String {
        let factor = match config.residual_factor {
            1.0 => String::new(),
            factor => format!("{factor} "),
        };
        let entering = self.through(self.norms.before_branch(), x.into());
        let branch = format!("{}({entering})", self.branch);
        let leaving = match config.family.after_branch {
            AfterBranch::Norm => self.through(self.norms.after_branch(), branch),
            AfterBranch::Scale => format!("diag(λ) {branch}"),
        };
        format!("{factor}{leaving}")
    }

    /// Through a norm, where there is one.
    fn through(&self, norm: Option<&&str>, inside: String) -> String {
        match (norm, self.kind) {
            (Some(_), Normalization::Rms) => format!("RMS({inside})"),
            (Some(_), Normalization::Layer) => format!("LN({inside})"),
            _ => inside,
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
        assert_eq!(of("dinov2"), ["x + diag(λ) O Att(LN(x))", "x + diag(λ) MLP(LN(x))"]);
        let neox = ModelConfig::from_json(r#"{"model_type":"gpt_neox"}"#).expect("a config");
        assert_eq!(MapKind::Block.formula(&neox), "x + O Att(LN(x)) + MLP(LN(x))");
        let granite = r#"{"model_type":"granite","residual_multiplier":0.22}"#;
        let granite = ModelConfig::from_json(granite).expect("a config");
        assert_eq!(MapKind::Block.formula(&granite), "a + 0.22 MLP(RMS(a)), a = x + 0.22 O Att(RMS(x))");
    }
}
