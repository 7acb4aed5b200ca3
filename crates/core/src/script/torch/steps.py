"""An experiment of Lipscope in PyTorch: the local Lipschitz constant of self-attention at its tokens, ||J||_2.

Every number of the experiment is written out below; nothing else is read. J comes from automatic differentiation.
"""

import base64
import math

import torch


# <given>


def allowed(n):
    """Whether the token of row i may attend to that of column j."""
    mask = STEPS["mask"]
    i, j = torch.arange(n)[:, None], torch.arange(n)[None, :]
    before = j <= i
    if mask["kind"] == "none":
        return torch.ones((n, n), dtype=torch.bool)
    if mask["kind"] == "causal":
        return before
    if mask["kind"] == "prefix":
        return before | (j < mask["length"])
    if mask["kind"] == "allowed":
        return mask["rows"] != 0
    if mask["kind"] == "window":
        seen = (i - j).abs() < mask["width"]
    else:
        seen = torch.tensor(mask["keys"], dtype=torch.bool).expand(n, n)
    return seen & before if mask["causal"] else seen


def normed_vectors(z, kind, eps):
    """Queries, keys or values after their normaliser."""
    if kind != "l2":
        return normed(z, kind, eps)
    # z/sqrt(|z|^2 + eps) is the root mean square's normaliser with eps/k, over sqrt(k).
    k = z.shape[1]
    return normed(z, "rms", eps / k) / math.sqrt(k)


def rotated(z):
    """Turns pairs of entries by the position of their row."""
    rope = STEPS["rope"]
    n, k = z.shape
    r = 2 * int(rope["fraction"] * k / 2)
    m = torch.arange(r // 2)
    first, second = (m, m + r // 2) if rope["layout"] == "half" else (2 * m, 2 * m + 1)
    frequencies = rope["base"] ** (-2.0 * m.to(torch.float64) / max(r, 1))
    angles = torch.arange(n, dtype=torch.float64)[:, None] * frequencies[None, :]
    cos, sin = torch.cos(angles), torch.sin(angles)
    out = z.clone()
    out[:, first] = z[:, first] * cos - z[:, second] * sin
    out[:, second] = z[:, first] * sin + z[:, second] * cos
    return out


def turned(z, gain):
    """Queries or keys after all their steps."""
    norm = STEPS["qk_norm"]
    if norm is not None:
        gains = torch.tensor(norm[gain], dtype=torch.float64)
        z = normed_vectors(z, norm["kind"], norm["eps"]) * gains
    if STEPS["rope"] is not None:
        z = rotated(z)
    if ATTENTION == "linear":
        # phi(z) = elu(z) + 1.
        z = torch.where(z < 0, torch.exp(z.clamp(max=0.0)), z + 1.0)
    return z


def scale_of(k):
    """c of the scores of a head with vectors of k entries."""
    if STEPS["scale"] is not None:
        return STEPS["scale"]
    return {"cosine": 10.0, "linear": 1.0}.get(ATTENTION, 1.0 / math.sqrt(k))


def scored(queries, keys, head):
    """The scores of all pairs."""
    scale = scale_of(queries.shape[1])
    if ATTENTION == "l2":
        scores = -scale * ((queries[:, None, :] - keys[None, :, :]) ** 2).sum(dim=2)
    else:
        scores = scale * queries @ keys.T
    if ATTENTION == "linear":
        scores = torch.log(scores)
    elif STEPS["softcap"] is not None:
        scores = STEPS["softcap"] * torch.tanh(scores / STEPS["softcap"])
    if STEPS["alibi"] is not None:
        at = torch.arange(len(scores), dtype=torch.float64)
        scores = scores - STEPS["alibi"][head] * (at[:, None] - at[None, :]).abs()
    if STEPS["bias"] is not None:
        scores = scores + STEPS["bias"]
    return scores


def weighed(scores, head):
    """The weights of all pairs."""
    rule, seen = STEPS["weighting"], allowed(len(scores))
    if rule["kind"] == "softmax":
        sink = -math.inf if rule["sink"] is None else rule["sink"][head]
        logs = scores.masked_fill(~seen, -math.inf)
        top = logs.detach().max(dim=1, keepdim=True).values.clamp(min=sink)
        # A row that may attend to nothing is zero.
        top = torch.where(top == -math.inf, 0.0, top)
        p = torch.exp(logs - top)
        total = p.sum(dim=1, keepdim=True) + torch.exp(sink - top)
        return p / torch.where(total > 0, total, 1.0)
    if rule["kind"] == "sigmoid":
        p = torch.sigmoid(scores + rule["bias"])
    elif rule["kind"] == "relu":
        p = torch.relu(scores) / rule["divisor"]
    else:
        p = torch.logaddexp(scores, torch.zeros_like(scores)) / rule["divisor"]
    return p.masked_fill(~seen, 0.0)


def attention(x):
    if NORMALIZATION_SCOPE == "composed":
        x = normalised(x)

    def weights(head, q, k):
        return weighed(scored(turned(x @ q.T, "q_gain"), turned(x @ k.T, "k_gain"), head), head)

    heads = []
    for head, (group, q, second) in enumerate(HEADS):
        k, v, second_k = KEY_VALUES[group]
        p = weights(head, q, k)
        if second is not None:
            weight, second_q = second
            p = p - weight * weights(head, second_q, second_k)
        values = x @ v.T
        if STEPS["value_norm"] is not None:
            values = normed_vectors(values, "l2", STEPS["value_norm"])
        heads.append(p @ values)
    out = torch.cat(heads, dim=1)
    return out if OUTPUT is None else out @ OUTPUT.T


def spectral_norm(x):
    if NORMALIZATION_SCOPE == "inputs":
        x = normalised(x)
    whole = torch.autograd.functional.jacobian(attention, x)
    n, d_out, _, d = whole.shape
    return torch.linalg.matrix_norm(whole.reshape(n * d_out, n * d), 2).item()


if __name__ == "__main__":
    print(f"{spectral_norm(X):.11e}")
