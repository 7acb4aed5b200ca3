"""An experiment of Lipscope in PyTorch: the local Lipschitz constant of self-attention at its tokens, ||J||_2.

Every number of the experiment is written out below; nothing else is read. J comes from automatic differentiation.
A token that stands for N equal ones is a cluster: the norm over all tokens is that over fields that are constant on
each cluster, or over those that sum to zero inside one, whichever is larger.
"""

import base64
import math

import torch


# <given>


def common(y):
    """What all tokens have in common, so that taking it off has no rounding: keys and values count by differences alone."""
    low, high = y.min(dim=0).values, y.max(dim=0).values
    small, large = torch.minimum(low.abs(), high.abs()), torch.maximum(low.abs(), high.abs())
    return torch.where((low * high > 0) & (large <= 1.125 * small), low + (high - low) / 2, 0.0)


def attention(asking, x):
    """What the tokens `asking` receive from the tokens x."""
    if NORMALIZATION_SCOPE == "composed":
        asking, x = normalised(asking), normalised(x)
    heads = []
    centre = common(x.detach())
    asking, x = asking - centre, x - centre
    for q, k, v in HEADS:
        root = math.sqrt(q.shape[0])
        queries, keys = asking @ q.T + centre @ (q - k if ATTENTION == "l2" else q).T, x @ k.T
        if ATTENTION == "l2":
            scores = -((queries[:, None, :] - keys[None, :, :]) ** 2).sum(dim=2) / root
        else:
            scores = queries @ keys.T / root
        logs = scores + LOG_COUNTS[None, :]
        if MASK == "causal":
            allowed = torch.ones(logs.shape, dtype=torch.bool).tril()
            logs = logs.masked_fill(~allowed, -math.inf)
        heads.append(torch.softmax(logs, dim=1) @ (x @ v.T) + centre @ v.T)
    out = torch.cat(heads, dim=1)
    return out if OUTPUT is None else out @ OUTPUT.T


def spectral_norm(x):
    if NORMALIZATION_SCOPE == "inputs":
        x = normalised(x)
    jacobian = torch.autograd.functional.jacobian
    whole = jacobian(lambda moved: attention(moved, moved), x)
    n, d_out, _, d = whole.shape
    stretch = torch.exp((LOG_COUNTS[:, None] - LOG_COUNTS[None, :]) / 2)[:, None, :, None]
    # What has vanished stays so, however large the clusters.
    whole = torch.where(whole == 0, 0.0, whole * stretch)
    norm = torch.linalg.matrix_norm(whole.reshape(n * d_out, n * d), 2)
    clusters = torch.nonzero(LOG_COUNTS >= math.log(2) - 1e-12).flatten()
    if len(clusters) > 0:
        # Equal tokens that part: each asks from its own place, and what is asked stays the same.
        asked = jacobian(lambda asking: attention(asking, x), x)
        own = asked[clusters, :, clusters, :]
        norm = torch.maximum(norm, torch.linalg.matrix_norm(own, 2).max())
    return norm.item()


if __name__ == "__main__":
    print(f"{spectral_norm(X):.11e}")
