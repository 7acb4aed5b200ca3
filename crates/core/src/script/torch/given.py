def table(rows):
    return torch.tensor(rows, dtype=torch.float64)


def block(rows, columns, text):
    """A table as little-endian 64-bit numbers, row by row, in base64."""
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.float64).reshape(rows, columns)


# <experiment>


def normed(x, kind, eps):
    """The rows of x after a normaliser."""
    if kind == "none":
        return x
    is_layer = kind == "layer"
    centred = x - x.mean(dim=1, keepdim=True) if is_layer else x
    square = (centred**2).mean(dim=1, keepdim=True)
    y = centred / torch.sqrt(square + eps)
    if x.shape[1] - is_layer == 1:
        # One direction is left: c/s = sign(c)/sqrt(1 + eps/c^2), whose derivative is no difference of large numbers.
        is_long = square > eps
        y = torch.where(is_long, centred.sign() / torch.sqrt(1 + eps / torch.where(is_long, square, 1.0)), y)
    return y


def normalised(x):
    """The tokens after the normaliser of the experiment."""
    return normed(x, NORMALIZATION, EPS)
