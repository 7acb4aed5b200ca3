//! The norms of the Jacobian.

use lipscope_core::bounds::Norm;

use super::t;

words! {
    norm: "Norm of J", "J 的范数";
    norm_hint_text: "In which norm a change of the tokens is measured; bounds that are about another norm are not shown", "词元的变化用哪种范数度量；关于其他范数的界不显示";
    needs_dense: "Needs every entry of J, which is too large here", "需要 J 的每个元素，而这里 J 太大";
}

/// Its name in the list of norms.
pub fn norm_choice(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => t("spectral, ‖J‖₂", "谱范数 ‖J‖₂"),
        Norm::Linf => t("ℓ∞, largest row sum", "ℓ∞，最大行和"),
        Norm::L1 => t("ℓ1, largest column sum", "ℓ1，最大列和"),
        Norm::Frobenius => t("Frobenius", "弗罗贝尼乌斯"),
        Norm::MaxToken => t("over tokens, a bound", "按词元（界）"),
    }
}

/// Its name above its number.
pub fn norm_title(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => t("Local Lipschitz constant", "局部利普希茨常数"),
        Norm::Linf => t("ℓ∞ norm of J", "J 的 ℓ∞ 范数"),
        Norm::L1 => t("ℓ1 norm of J", "J 的 ℓ1 范数"),
        Norm::Frobenius => t("Frobenius norm of J", "J 的弗罗贝尼乌斯范数"),
        Norm::MaxToken => t("Row sums of block norms", "块范数的行和"),
    }
}

/// Its name in a row of numbers.
pub fn norm_label(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => t("spectral norm", "谱范数"),
        Norm::Linf => t("ℓ∞ norm", "ℓ∞ 范数"),
        Norm::L1 => t("ℓ1 norm", "ℓ1 范数"),
        Norm::Frobenius => t("Frobenius norm", "弗罗贝尼乌斯范数"),
        Norm::MaxToken => t("row sums of block norms", "块范数的行和"),
    }
}

/// What it is.
pub fn norm_hint(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => t(
            "‖J‖₂, the largest singular value of the Jacobian: how much a small change of all tokens can grow",
            "‖J‖₂，雅可比矩阵的最大奇异值：所有词元的微小变化能增大多少",
        ),
        Norm::Linf => t(
            "Largest absolute row sum of J: how much the largest entry of a small change can grow",
            "J 的最大绝对行和：微小变化的最大元素能增大多少",
        ),
        Norm::L1 => t(
            "Largest absolute column sum of J: how much the sum of a small change’s entries can grow",
            "J 的最大绝对列和：微小变化各元素之和能增大多少",
        ),
        Norm::Frobenius => t(
            "Root of the sum of all squared entries of J: never below the spectral norm",
            "J 所有元素平方和的平方根：不小于谱范数",
        ),
        Norm::MaxToken => t(
            "Largest row sum of ‖Jᵢⱼ‖₂: at least the norm of J where a change is as large as its largest token",
            "‖Jᵢⱼ‖₂ 的最大行和：不小于以最大词元变化度量的 J 的范数",
        ),
    }
}

/// How it is written.
pub fn norm_symbol(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => "L",
        Norm::Linf => "‖J‖∞",
        Norm::L1 => "‖J‖₁",
        Norm::Frobenius => "‖J‖F",
        Norm::MaxToken => "maxᵢ Σⱼ ‖Jᵢⱼ‖₂",
    }
}

/// The title of an axis that it is on.
pub fn norm_axis(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => t("local Lipschitz constant L = ‖J‖₂", "局部利普希茨常数 L = ‖J‖₂"),
        Norm::Linf => t("ℓ∞ norm of J", "J 的 ℓ∞ 范数"),
        Norm::L1 => t("ℓ1 norm of J", "J 的 ℓ1 范数"),
        Norm::Frobenius => t("Frobenius norm of J", "J 的弗罗贝尼乌斯范数"),
        Norm::MaxToken => t("row sums of block norms of J", "J 的块范数行和"),
    }
}

/// Why bounds are gone; nothing for the norm that all views begin with.
pub fn norm_note(norm: Norm) -> &'static str {
    match norm {
        Norm::Spectral => "",
        Norm::Linf => t(
            "Bounds on the spectral norm say nothing of the ℓ∞ norm. One is known: that of Kim et al. for L2-MHA weights.",
            "谱范数的界不涉及 ℓ∞ 范数。已知一个：Kim 等对 L2-MHA 权重的界。",
        ),
        Norm::L1 => t(
            "Bounds on the spectral norm say nothing of the ℓ1 norm, and none of its own is known here.",
            "谱范数的界不涉及 ℓ1 范数，这里也没有它自己的界。",
        ),
        Norm::Frobenius => t(
            "What the spectral norm reaches, the Frobenius norm reaches too; upper bounds on the spectral norm say nothing of it.",
            "谱范数达到的，弗罗贝尼乌斯范数也达到；谱范数的上界不涉及它。",
        ),
        Norm::MaxToken => t(
            "This number is itself an upper bound: on the norm of J over the largest token.",
            "这个数本身就是上界：以最大词元度量的 J 的范数的上界。",
        ),
    }
}
