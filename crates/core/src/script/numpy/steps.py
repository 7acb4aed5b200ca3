"""An experiment of Lipscope in NumPy: the local Lipschitz constant of self-attention at its tokens, ||J||_2.

Every number of the experiment is written out below; nothing else is read. J is built from its formula,

    J_ij = P_ij W_j + D_ij (w_j - mu_i) b_ij^T + delta_ij O_i,    O_i = sum_l D_il (w_l - mu_i) a_il^T,

where P is the attention, w_j the value of token j, W_j its derivative, and a_ij, b_ij are the gradients of the score
s_ij in x_i and x_j. For softmax, with a sink or without, D = P and mu_i = sum_j P_ij w_j. Where each weight is a
function of its own score, D = dP/ds and mu_i = 0. A differential head is one such map less lambda times another.
"""

import base64

import numpy as np


# <given>


def allowed(n):
    """Whether the token of row i may attend to that of column j."""
    mask = STEPS["mask"]
    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    before = j <= i
    if mask["kind"] == "none":
        return np.ones((n, n), dtype=bool)
    if mask["kind"] == "causal":
        return before
    if mask["kind"] == "prefix":
        return before | (j < mask["length"])
    if mask["kind"] == "allowed":
        return mask["rows"] != 0
    if mask["kind"] == "window":
        seen = abs(i - j) < mask["width"]
    else:
        seen = np.broadcast_to(np.array(mask["keys"], dtype=bool), (n, n))
    return seen & before if mask["causal"] else seen


def normed_vectors(z, kind, eps):
    """Queries, keys or values after their normaliser, and its Jacobian at each."""
    if kind != "l2":
        return normed(z, kind, eps)
    # z/sqrt(|z|^2 + eps) is the root mean square's normaliser with eps/k, over sqrt(k).
    k = z.shape[1]
    z, change = normed(z, "rms", eps / k)
    return z / np.sqrt(k), change / np.sqrt(k)


def rotated(z):
    """Turns pairs of entries (the second axis) by their position (the first axis)."""
    rope = STEPS["rope"]
    n, k = z.shape[:2]
    r = 2 * int(rope["fraction"] * k / 2)
    m = np.arange(r // 2)
    first, second = (m, m + r // 2) if rope["layout"] == "half" else (2 * m, 2 * m + 1)
    angles = np.arange(n)[:, None] * (rope["base"] ** (-2.0 * m / max(r, 1)))[None, :]
    cos, sin = np.cos(angles)[:, :, None], np.sin(angles)[:, :, None]
    out = z.copy()
    out[:, first] = z[:, first] * cos - z[:, second] * sin
    out[:, second] = z[:, first] * sin + z[:, second] * cos
    return out


def turned(y, matrix, gain):
    """Queries or keys after all their steps (n x k), and the derivative of each in its token (n x k x d)."""
    z = y @ matrix.T
    slope = np.broadcast_to(matrix, z.shape[:1] + matrix.shape)
    norm = STEPS["qk_norm"]
    if norm is not None:
        gains = np.broadcast_to(norm[gain], z.shape[1])
        z, change = normed_vectors(z, norm["kind"], norm["eps"])
        z, slope = z * gains, gains[:, None] * (change @ slope)
    if STEPS["rope"] is not None:
        z, slope = rotated(z[:, :, None])[:, :, 0], rotated(slope)
    if ATTENTION == "linear":
        # phi(z) = elu(z) + 1, whose derivative is e^z below 0 and 1 above.
        power = np.exp(np.minimum(z, 0.0))
        z, slope = np.where(z < 0, power, z + 1.0), power[:, :, None] * slope
    return z, slope


def scale_of(k):
    """c of the scores of a head with vectors of k entries."""
    if STEPS["scale"] is not None:
        return STEPS["scale"]
    return {"cosine": 10.0, "linear": 1.0}.get(ATTENTION, 1.0 / np.sqrt(k))


def scored(queries, keys, head):
    """The scores of all pairs, and the slope of the cap or the logarithm at each."""
    scale = scale_of(queries.shape[1])
    if ATTENTION == "l2":
        scores = -scale * np.array([((query - keys) ** 2).sum(axis=1) for query in queries])
    else:
        scores = scale * queries @ keys.T
    slope = np.ones_like(scores)
    if ATTENTION == "linear":
        scores, slope = np.log(scores), 1.0 / scores
    elif STEPS["softcap"] is not None:
        x = scores / STEPS["softcap"]
        decay = np.exp(-2.0 * abs(x))
        scores, slope = STEPS["softcap"] * np.tanh(x), 4.0 * decay / (1.0 + decay) ** 2
    if STEPS["alibi"] is not None:
        at = np.arange(len(scores))
        scores = scores - STEPS["alibi"][head] * abs(at[:, None] - at[None, :])
    if STEPS["bias"] is not None:
        scores = scores + STEPS["bias"]
    return scores, slope


def weighed(scores, head):
    """The weights P of all pairs, and D."""
    rule, seen = STEPS["weighting"], allowed(len(scores))
    if rule["kind"] == "softmax":
        sink = -np.inf if rule["sink"] is None else rule["sink"][head]
        logs = np.where(seen, scores, -np.inf)
        top = np.maximum(logs.max(axis=1, keepdims=True), sink)
        # A row that may attend to nothing is zero.
        top = np.where(top == -np.inf, 0.0, top)
        p = np.exp(logs - top)
        total = p.sum(axis=1, keepdims=True) + np.exp(sink - top)
        p = p / np.where(total > 0, total, 1.0)
        return p, p
    if rule["kind"] == "sigmoid":
        x = scores + rule["bias"]
        p = np.exp(-np.logaddexp(0.0, -x))
        slope = p * np.exp(-np.logaddexp(0.0, x))
    elif rule["kind"] == "relu":
        p, slope = np.maximum(scores, 0.0) / rule["divisor"], (scores > 0) / rule["divisor"]
    else:
        p = np.logaddexp(0.0, scores) / rule["divisor"]
        slope = np.exp(-np.logaddexp(0.0, -scores)) / rule["divisor"]
    return np.where(seen, p, 0.0), np.where(seen, slope, 0.0)


def map_jacobian(y, head, q, k, v):
    """The Jacobian of one attention map (i, out, j, in)."""
    n, d = y.shape
    queries, query_slopes = turned(y, q, "q_gain")
    keys, key_slopes = turned(y, k, "k_gain")
    values, value_slopes = y @ v.T, np.broadcast_to(v, (n,) + v.shape)
    if STEPS["value_norm"] is not None:
        values, change = normed_vectors(values, "l2", STEPS["value_norm"])
        value_slopes = change @ value_slopes
    scores, score_slope = scored(queries, keys, head)
    p, weight_slope = weighed(scores, head)
    slope = weight_slope * score_slope
    means = p @ values if STEPS["weighting"]["kind"] == "softmax" else np.zeros_like(values)
    scale = scale_of(queries.shape[1])
    jacobian = np.empty((n, v.shape[0], n, d))
    for i in range(n):
        weighted = slope[i][:, None] * (values - means[i])
        # The gradients of the scores of this row in its query and in each key.
        if ATTENTION == "l2":
            in_key = 2.0 * scale * (queries[i] - keys)
            in_query = -in_key
        else:
            in_key, in_query = np.broadcast_to(scale * queries[i], keys.shape), scale * keys
        b = np.einsum("jk,jkd->jd", in_key, key_slopes)
        jacobian[i] = np.einsum("j,jcd->cjd", p[i], value_slopes) + np.einsum("jc,jd->cjd", weighted, b)
        jacobian[i, :, i] += weighted.T @ in_query @ query_slopes[i]
    return jacobian


def spectral_norm(x):
    y, normaliser = normalised(x)
    heads = []
    for head, (group, q, second) in enumerate(HEADS):
        k, v, second_k = KEY_VALUES[group]
        jacobian = map_jacobian(y, head, q, k, v)
        if second is not None:
            weight, second_q = second
            jacobian -= weight * map_jacobian(y, head, second_q, second_k, v)
        heads.append(jacobian)
    whole = np.concatenate(heads, axis=1)
    if OUTPUT is not None:
        whole = np.einsum("ec,icjb->iejb", OUTPUT, whole, optimize=True)
    if NORMALIZATION_SCOPE == "composed":
        whole = np.einsum("icjb,jbx->icjx", whole, normaliser, optimize=True)
    n, d_out, _, d = whole.shape
    return np.linalg.norm(whole.reshape(n * d_out, n * d), 2)


if __name__ == "__main__":
    print(f"{spectral_norm(X):.11e}")
