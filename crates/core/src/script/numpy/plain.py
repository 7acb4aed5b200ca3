"""An experiment of Lipscope in NumPy: the local Lipschitz constant of self-attention at its tokens, ||J||_2.

Every number of the experiment is written out below; nothing else is read. J is built from its formula,

    J_ij = V [P_ij (I + (x_j - m_i) b_ij^T) + delta_ij O_i],    O_i = sum_l P_il (x_l - m_i) a_il^T,

where P is the attention, m_i = sum_j P_ij x_j, and a_ij, b_ij are the gradients of the score s_ij in x_i and x_j.
A token that stands for N equal ones is a cluster: the norm over all tokens is that over fields that are constant on
each cluster, or over those that sum to zero inside one, whichever is larger.
"""

import base64

import numpy as np


# <given>


def common(y):
    """What all tokens have in common, so that taking it off has no rounding: keys and values count by differences alone."""
    low, high = y.min(axis=0), y.max(axis=0)
    small, large = np.minimum(abs(low), abs(high)), np.maximum(abs(low), abs(high))
    return np.where((low * high > 0) & (large <= 1.125 * small), low + (high - low) / 2, 0.0)


def jacobian(x):
    """What the tokens give to each other (i, out, j, in), and each token's own part V O_i (i, out, in)."""
    y, normaliser = normalised(x)
    n, d = y.shape
    given, own = [], []
    centre = common(y)
    z = y - centre
    for q, k, v in HEADS:
        root = np.sqrt(q.shape[0])
        queries, keys = z @ q.T + centre @ (q - k if ATTENTION == "l2" else q).T, z @ k.T
        if ATTENTION == "l2":
            apart = queries[:, None, :] - keys[None, :, :]
            scores = -(apart**2).sum(axis=2) / root
            b = 2.0 / root * apart @ k
            a = 2.0 / root * k.T @ q
        else:
            scores = queries @ keys.T / root
            b = np.broadcast_to((queries @ k / root)[:, None, :], (n, n, d))
            a = k.T @ q / root
        logs = scores + LOG_COUNTS[None, :]
        if MASK == "causal":
            logs = np.where(np.tri(n, dtype=bool), logs, -np.inf)
        p = np.exp(logs - logs.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        from_mean = z[None, :, :] - (p @ z)[:, None, :]
        weighted = p[:, :, None] * from_mean
        between = np.einsum("ija,ijb->iajb", weighted, b)
        between += p[:, None, :, None] * np.eye(d)[None, :, None, :]
        spread = np.einsum("ija,ijb->iab", weighted, from_mean)
        given.append(np.einsum("ca,iajb->icjb", v, between, optimize=True))
        own.append(v @ spread @ a)
    given, own = np.concatenate(given, axis=1), np.concatenate(own, axis=1)
    if OUTPUT is not None:
        given, own = np.einsum("ec,icjb->iejb", OUTPUT, given, optimize=True), OUTPUT @ own
    if NORMALIZATION_SCOPE == "composed":
        given, own = np.einsum("icjb,jbx->icjx", given, normaliser, optimize=True), own @ normaliser
    return given, own


def spectral_norm(x):
    given, own = jacobian(x)
    n, d_out, _, d = given.shape
    stretch = np.exp((LOG_COUNTS[:, None] - LOG_COUNTS[None, :]) / 2)[:, None, :, None]
    # What has vanished stays so, however large the clusters.
    whole = np.multiply(given, stretch, out=np.zeros_like(given), where=given != 0)
    whole[np.arange(n), :, np.arange(n), :] += own
    inside = own[LOG_COUNTS >= np.log(2) - 1e-12]
    norms = [np.linalg.norm(whole.reshape(n * d_out, n * d), 2)]
    return max(norms + [np.linalg.norm(part, 2) for part in inside])


if __name__ == "__main__":
    print(f"{spectral_norm(X):.11e}")
