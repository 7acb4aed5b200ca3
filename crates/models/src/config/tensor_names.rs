//! The names of the tensors that a family's models have.

use super::family::{
    AfterBranch, BiasRule, EmbeddingNames, ExpertRule, ExpertTensors, Family, FirstNorm, LayerNames, NormTensors,
};
use super::residual::Residual;

impl Family {
    /// The tables of embeddings.
    pub(crate) fn embedded(&self) -> impl Iterator<Item = &'static str> {
        let EmbeddingNames { words, positions, kinds, .. } = self.embeddings;
        let first = self.images.map_or(&[][..], |rule| rule.first);
        [Some(words), positions, kinds].into_iter().flatten().chain(first.iter().copied())
    }

    /// The bias of the patches' matrix, for a model of pictures.
    pub(crate) fn patch_bias(&self) -> Option<String> {
        let matrix = self.images.and_then(|_| self.embeddings.words.strip_suffix(".weight"));
        matrix.map(|matrix| format!("{matrix}.bias"))
    }

    /// The tensors of the factors after the branches.
    fn scales(&self) -> impl Iterator<Item = &'static str> {
        let has_scales = self.after_branch == AfterBranch::Scale;
        let after = [self.attention_norms, self.mlp_norms].map(|norms| norms.after_branch().copied());
        after.into_iter().flatten().filter(move |_| has_scales)
    }

    /// How the tensors of all layers begin, up to the number of a layer or of a group.
    pub(crate) fn before_layers(&self) -> &'static str {
        match self.layer {
            LayerNames::Numbered(before) | LayerNames::Shared { before, .. } => before,
        }
    }

    /// The name of the module of a layer, or of a group of layers that share their weights.
    pub(crate) fn layer_module(&self, prefix: &str, number: usize) -> String {
        match self.layer {
            LayerNames::Numbered(before) => format!("{prefix}{before}.{number}"),
            LayerNames::Shared { before, after } => format!("{prefix}{before}.{number}.{after}"),
        }
    }

    /// A tensor's name in a layer, or in a group of layers that share their weights.
    pub(crate) fn in_layer(&self, prefix: &str, number: usize, name: &str) -> String {
        format!("{}.{name}", self.layer_module(prefix, number))
    }

    /// The norms of the attention of a layer.
    pub(crate) fn norms_of_attention(&self, layer: usize) -> Residual<&'static str> {
        match self.attention_norms {
            Residual::Branch { after, .. } if layer == 0 && self.first_norm == FirstNorm::Absent => {
                Residual::Branch { before: None, after }
            }
            norms => norms,
        }
    }

    /// The part of a tensor's name after the layer's number, without what all tensors of a layer have there.
    pub(crate) fn within_layer<'a>(&self, rest: &'a str) -> Option<&'a str> {
        match self.layer {
            LayerNames::Numbered(_) => Some(rest),
            LayerNames::Shared { after, .. } => rest.strip_prefix(after).and_then(|rest| rest.strip_prefix('.')),
        }
    }

    /// Whether a layer of the family, with these linear maps, has a tensor of that name.
    pub(crate) fn is_of_layer(&self, layer: usize, name: &str, linear: &[&str]) -> bool {
        let norms: &[&str] = match self.norm_tensors {
            NormTensors::Both | NormTensors::ShiftOptional => &["weight", "bias", "gamma", "beta"],
            NormTensors::Gain => &["weight"],
            NormTensors::None => &[],
        };
        let of_attention = self.norms_of_attention(layer);
        let mut of_norms = of_attention.norms().chain(self.mlp_norms.norms());
        let of_qk = self.qk_norm.map(|names| [names.query, names.key]);
        STORED_WITH_WEIGHTS.contains(&name)
            || linear.iter().any(|part| is_part(name, part, &["weight", "bias"]))
            || of_qk.into_iter().flatten().any(|part| is_part(name, part, &["weight"]))
            || self.sinks == Some(name)
            || self.experts.is_some_and(|rule| rule.has(name))
            || self.score_bias.is_table(&format!("{}.{layer}.{name}", self.before_layers()))
            || of_norms.any(|part| is_part(name, part, norms))
            || self.scales().any(|scale| scale == name)
    }

    /// Whether the family has a tensor of that name among its embeddings.
    pub(crate) fn is_of_embeddings(&self, name: &str) -> bool {
        self.embedded().any(|known| known == name)
            || self.embeddings.norm.is_some_and(|norm| is_part(name, norm, &["weight", "bias", "gamma", "beta"]))
            || self.embeddings.projection.is_some_and(|part| is_part(name, part.name, &["weight", "bias"]))
            || self.patch_bias().is_some_and(|bias| bias == name)
            // What stands for hidden patches in training; a whole picture has none.
            || (self.images.is_some() && name == "embeddings.mask_token")
            // Position ids (0, 1, ..) and token type ids (all 0), which are not learnt.
            || ["embeddings.position_ids", "embeddings.token_type_ids"].contains(&name)
    }
}

impl ExpertRule {
    /// Whether a layer has a tensor of that name for its experts. Of those that are stored in fewer bits only attention
    /// can be measured.
    fn has(&self, name: &str) -> bool {
        let is_expert = match self.tensors {
            ExpertTensors::Apart { before, gate, up, down } => {
                let numbered = name.strip_prefix(before).and_then(|rest| rest.strip_prefix('.'));
                let part = numbered.and_then(|rest| rest.split_once('.')).filter(|(at, _)| at.parse::<usize>().is_ok());
                part.is_some_and(|(_, rest)| [gate, up, down].iter().any(|part| is_part(rest, part, &["weight"])))
            }
            ExpertTensors::Stacked { gate_up, down } => [gate_up, down].iter().any(|part| {
                name.strip_prefix(part).is_some_and(|end| ["", "_bias", "_blocks", "_scales"].contains(&end))
            }),
        };
        is_expert || is_part(name, self.router, &["weight", "bias"])
    }
}

impl BiasRule {
    /// Whether this is the name of its table.
    pub(crate) fn is_table(&self, name: &str) -> bool {
        matches!(self, BiasRule::Table { tensor, .. } if name.strip_prefix(tensor) == Some(".weight"))
    }
}

/// The causal mask and the angles of positions, which older programs stored with the weights of a layer.
const STORED_WITH_WEIGHTS: [&str; 11] = [
    "attn.bias",
    "attn.masked_bias",
    "attn.embed_positions",
    "attn.attention.bias",
    "attn.attention.masked_bias",
    "attention.bias",
    "attention.masked_bias",
    "attention.rotary_emb.inv_freq",
    "self_attn.rotary_emb.inv_freq",
    "self_attention.rotary_emb.inv_freq",
    "attn.rotary_emb.inv_freq",
];

fn is_part(name: &str, part: &str, ends: &[&str]) -> bool {
    name.strip_prefix(part).and_then(|rest| rest.strip_prefix('.')).is_some_and(|end| ends.contains(&end))
}
