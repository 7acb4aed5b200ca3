def table(rows):
    return np.array(rows, dtype=np.float64)


def block(rows, columns, text):
    """A table as little-endian 64-bit numbers, row by row, in base64."""
    return np.frombuffer(base64.b64decode(text), dtype="<f8").reshape(rows, columns)


# <experiment>


def normed(x, kind, eps):
    """The rows of x after a normaliser, and its Jacobian at each (symmetric, d x d)."""
    n, d = x.shape
    if kind == "none":
        return x, np.broadcast_to(np.eye(d), (n, d, d))
    is_layer = kind == "layer"
    # The first entry is taken off before the mean, so that equal entries become exactly zero.
    centred = x - x[:, :1] if is_layer else x
    centred = centred - centred.mean(axis=1, keepdims=True) if is_layer else x
    scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + eps)
    y = centred / scale
    scale = scale[:, :, None]
    projection = np.eye(d) - (1.0 / d if is_layer else 0.0)
    if d - is_layer <= 1:
        # One direction is left, and its slope is far below 1/s where a token is long.
        return y, projection * eps / scale**3
    length = np.linalg.norm(y, axis=1, keepdims=True)
    unit = np.divide(y, length, out=np.zeros_like(y), where=length > 0)
    along = unit[:, :, None] * unit[:, None, :]
    return y, (projection - along) / scale + along * eps / scale**3


def normalised(x):
    """The tokens after the normaliser of the experiment, and its Jacobian at each."""
    return normed(x, NORMALIZATION, EPS)
