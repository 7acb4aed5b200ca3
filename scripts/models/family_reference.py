"""The modules of transformers in float64, and the six maps of their layers.

Import this before transformers: `torch.float32` means float64 from here on, so that angles, softmax and norms, which the
modules compute in float32 whatever the weights are, have all digits too.
"""

import numpy as np
import safetensors.torch  # Its table of types needs the real float32.
import torch

torch.float32 = torch.float = torch.bfloat16 = torch.float16 = torch.float64
torch.Tensor.float = torch.Tensor.half = torch.Tensor.bfloat16 = torch.Tensor.double
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

import transformers  # noqa: E402

from transformers.models.bloom import modeling_bloom  # noqa: E402

# Its function for gradients has rounded constants and no Jacobian.
modeling_bloom.BloomGelu.forward = lambda self, x: modeling_bloom.bloom_gelu_forward(x)

transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()

MAPS = ["attention", "with-output", "attention-residual", "mlp-residual", "block", "blocks"]


class Places:
    """Where a family's modules are: paths from the model to the layers, and from a layer to its parts. A part may have
    several paths, of which a layer has one.

    norm: the norm through which the input of attention goes; output: attention's last map; down: the MLP's last map;
    last: the two norms that follow the sums, in families that have them there; is_parallel: attention and MLP side by side.
    """

    def __init__(self, layers, norm, output, down, last=(), is_parallel=lambda config: False):
        self.layers, self.norm, self.output, self.down = layers, norm, output, down
        self.last, self.is_parallel = last, is_parallel


class Replaced:
    """Modules that compute something else as long as the block lasts."""

    def __init__(self, *pairs):
        self.pairs = pairs

    def __enter__(self):
        for module, forward in self.pairs:
            module.forward = forward

    def __exit__(self, *_):
        for module, _ in self.pairs:
            del module.forward


def identity(x, *_, **__):
    return x


class Layers:
    """The maps of a model's layers at the tokens of one window. Matrices are n x d."""

    def __init__(self, model, places, inputs):
        self.places, self.config = places, model.config
        layers = model.get_submodule(places.layers)
        self.calls, found = [], []
        keep = lambda module, args, kwargs: found.append((module, args, kwargs))
        # ALBERT runs one module as several layers, so the calls are kept, not the modules.
        hooks = [layer.register_forward_pre_hook(keep, with_kwargs=True) for layer in self.modules(layers)]
        returned = []
        hooks += [layer.register_forward_hook(lambda _, __, out: returned.append(self.first(out)))
                  for layer in self.modules(layers)]
        with torch.no_grad():
            model(**inputs)
        for hook in hooks:
            hook.remove()
        for module, args, kwargs in found:
            name = None if args else next(name for name in ("hidden_states", "inputs_embeds") if name in kwargs)
            x = args[0] if args else kwargs[name]
            # A cache would remember the tokens of every call.
            others = {k: None if k in ("past_key_values", "layer_past") else v for k, v in kwargs.items() if k != name}
            self.calls.append((module, x[0].detach(), name, args[1:], others))
        self.returned = returned[-1].detach()
        assert torch.allclose(self.blocks(range(len(self.calls)), self.embedded), self.returned, rtol=0, atol=1e-12)

    @staticmethod
    def modules(layers):
        if isinstance(layers, torch.nn.ModuleList) and hasattr(layers[0], "albert_layers"):
            return [layer for group in layers for layer in group.albert_layers]
        return list(layers)

    @staticmethod
    def first(out):
        return (out[0] if isinstance(out, tuple) else out)[0]

    @property
    def embedded(self):
        return self.calls[0][1]

    def part(self, layer, paths):
        """The module of a layer at the first of these paths that the layer has: some layers have experts, others an MLP."""
        module = self.calls[layer][0]
        names = {name for name, _ in module.named_modules()}
        return module.get_submodule(next(path for path in ([paths] if isinstance(paths, str) else paths) if path in names))

    def block(self, layer, x):
        module, _, name, args, kwargs = self.calls[layer]
        return self.first(module(x[None], *args, **kwargs) if name is None else module(**{name: x[None]}, **kwargs))

    def blocks(self, layers, x):
        for layer in layers:
            x = self.block(layer, x)
        return x

    def zeros(self, layer, path):
        """Replaces a map by zero."""
        part, like = self.part(layer, path), self.embedded
        zero = lambda x, *_, **__: torch.zeros(*x.shape[:-1], like.shape[-1])
        # The MLP of gpt-oss also returns its router's scores.
        returns_pair = type(part).__name__ == "GptOssMLP"
        return part, (lambda x, *_, **__: (zero(x), None)) if returns_pair else zero

    def attention(self, layer, x, with_output):
        """Attention at its own input x, before or after its output matrix."""
        output, found = self.part(layer, self.places.output), []
        whole = output.forward

        def keep(heads, *_, **__):
            found.append(whole(heads)[0] if with_output else heads[0])
            return torch.zeros(*heads.shape[:-1], self.embedded.shape[-1])

        norms = [(self.part(layer, self.places.norm), identity)] if self.places.norm else []
        with Replaced((output, keep), *norms):
            self.block(layer, x)
        return found[0].reshape(x.shape[0], -1)

    def attention_residual(self, layer, x):
        without = [(self.part(layer, path), identity) for path in self.places.last[1:]]
        with Replaced(self.zeros(layer, self.places.down), *without):
            return self.block(layer, x)

    def mlp_residual(self, layer, x):
        without = [(self.part(layer, path), identity) for path in self.places.last[:1]]
        with Replaced(self.zeros(layer, self.places.output), *without):
            return self.block(layer, x)

    def maps(self, layer):
        """Name, map and input of each of the six maps."""
        x = self.calls[layer][1]
        norm = self.part(layer, self.places.norm) if self.places.norm else identity
        inside = norm(x[None])[0].detach()
        is_parallel = self.places.is_parallel(self.config)
        middle = x if is_parallel else self.attention_residual(layer, x).detach()
        yield "attention", lambda x: self.attention(layer, x, with_output=False), inside
        yield "with-output", lambda x: self.attention(layer, x, with_output=True), inside
        yield "attention-residual", lambda x: self.attention_residual(layer, x), x
        yield "mlp-residual", lambda x: self.mlp_residual(layer, x), middle
        yield "block", lambda x: self.block(layer, x), x
        yield "blocks", lambda x: self.blocks(range(layer + 1), x), self.embedded


def measured(f, x, heads=1):
    """The largest singular value of the dense Jacobian at x, sqrt(|J^T f(x)|), and the former for each head's columns."""
    value = f(x).detach()
    jacobian = torch.func.jacrev(f)(x).detach()
    norm = lambda part: np.linalg.norm(part.reshape(-1, x.numel()).numpy(), 2)
    width = value.shape[1] // heads
    return {
        "spectral": norm(jacobian),
        "released": (jacobian.reshape(value.numel(), -1).T @ value.flatten()).norm().sqrt().item(),
        "by_head": [norm(jacobian[:, head * width : (head + 1) * width]) for head in range(heads)],
    }


def draw(model, seed, has_gain_of_one):
    """Draws all weights anew, as numbers of float32: gains, biases, sinks and tables far from their first values."""
    generator = np.random.default_rng(seed)
    for name, parameter in model.named_parameters():
        noise = torch.from_numpy(generator.standard_normal(parameter.shape))
        fan_in = np.prod(parameter.shape[1:]) if parameter.dim() > 1 else 1
        if name.endswith(("embed_tokens.weight", "wte.weight", "wpe.weight", "shared.weight")) or "embed" in name:
            values = 0.8 * noise
        elif "relative_attention_bias" in name:
            values = noise
        elif parameter.dim() > 1:
            # Experts are stacked: their last two dimensions are a matrix.
            values = 1.4 * noise / np.sqrt(parameter.shape[-1] if parameter.dim() == 3 else fan_in)
        elif name.endswith(("weight", "lambda1", "gamma")):
            values = (0.0 if has_gain_of_one else 1.0) + 0.5 * noise
        else:
            values = 0.5 * noise
        parameter.data = torch.from_numpy(values.numpy().astype(np.float32).astype(np.float64))
    return model.double().eval()
