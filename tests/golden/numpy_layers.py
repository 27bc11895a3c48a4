"""Layers in numpy, for the models that are of no library: torch keeps their parameters, and numpy computes in their type."""

import numpy as np
from torch import nn


class NumpyLayers:
    def __init__(self, model: nn.Module, eps: float):
        self.parameters = {name: parameter.numpy(force=True) for name, parameter in model.named_parameters()}
        self.eps = eps

    def linear(self, name, x):
        return x @ self.parameters[f"{name}.weight"].T + self.parameters.get(f"{name}.bias", 0)

    def rms_norm(self, name, x):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.eps) * self.parameters[f"{name}.weight"]

    def layer_norm(self, name, x):
        return self.rms_norm(name, x - x.mean(-1, keepdims=True)) + self.parameters[f"{name}.bias"]


def heads(x, count):
    """[tokens, count * head] as [count, tokens, head]."""
    return x.reshape(len(x), count, -1).swapaxes(0, 1)


def attended(scores, values):
    """softmax(scores) x values, of each head; gives [tokens, heads * head]."""
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    result = (weights / weights.sum(-1, keepdims=True)) @ values
    return result.swapaxes(0, 1).reshape(result.shape[1], -1)
