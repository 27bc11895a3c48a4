"""Nguyen and Salazar, Transformers without Tears: Improving the Normalization of Self-Attention (2019), a decoder with the
positions of Vaswani et al., Attention Is All You Need (2017), from the papers, in numpy."""

from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

from numpy_layers import NumpyLayers, attended, heads
from spec_case import VOCABULARY, Change
from weights import QUERY_KEY_GAIN, Weights

SCALE_NORM = {"hidden": 48, "intermediate": 67, "layers": 3, "heads": 4, "base": 10000.0, "order": "in turn",
              "sines": "by 2j / d", "embedding": "times sqrt(d)", "norm": "by length", "first": 0}  # fmt: skip


def sinusoids(config, count, dtype):
    """PE(pos, 2j) = sin(pos / base^(2j / d)), PE(pos, 2j + 1) = cos of the same, and what is near them."""
    j = np.arange(config.hidden // 2)
    exponent = 2 * j / config.hidden if config.sines == "by 2j / d" else j / (config.hidden // 2 - 1)
    angles = (config.first + np.arange(count))[:, None] / config.base**exponent
    sines, cosines = np.sin(angles), np.cos(angles)
    table = np.concatenate((sines, cosines), 1) if config.order == "halves" else np.stack((sines, cosines), 2)
    return table.reshape(count, config.hidden).astype(dtype)


class ScaleNormDecoder(nn.Module):
    """Pre-norm, where each norm is g x / |x| with one learned g, and sines and cosines in turn are added to embeddings times
    sqrt(d). torch keeps the parameters; numpy computes, in their type."""

    def __init__(self, config: dict):
        super().__init__()
        self.config = SimpleNamespace(**config)
        hidden, intermediate = config["hidden"], config["intermediate"]
        self.tokens = nn.Embedding(VOCABULARY, hidden)
        self.layers = nn.ModuleList(
            nn.ModuleDict({
                **{name: nn.Linear(hidden, hidden, bias=False) for name in ("w_q", "w_k", "w_v", "w_o")},
                "w_1": nn.Linear(hidden, intermediate), "w_2": nn.Linear(intermediate, hidden),
            })
            for _ in range(config["layers"])
        )  # fmt: skip
        for layer in self.layers:
            layer.g_a, layer.g_b = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
        self.g = nn.Parameter(torch.ones(1))

    def forward(self, tokens, use_cache=False):
        config = self.config
        layers = NumpyLayers(self, 0.0)
        linear, parameters = layers.linear, layers.parameters
        ids = tokens[0].numpy()
        hidden_keys = np.where(np.tri(len(ids), dtype=bool), 0, -np.inf)
        h = parameters["tokens.weight"][ids]
        if config.embedding == "times sqrt(d)":
            h = h * np.sqrt(config.hidden).astype(h.dtype)
        h = h + sinusoids(config, len(ids), h.dtype)
        for i in range(config.layers):
            layer = f"layers.{i}"
            x = self.normed(parameters[f"{layer}.g_a"], h)
            q, k, v = (heads(linear(f"{layer}.{name}", x), config.heads) for name in ("w_q", "w_k", "w_v"))
            scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2]).astype(q.dtype) + hidden_keys.astype(q.dtype)
            h = h + linear(f"{layer}.w_o", attended(scores, v))
            x = linear(f"{layer}.w_1", self.normed(parameters[f"{layer}.g_b"], h))
            h = h + linear(f"{layer}.w_2", np.maximum(x, 0))
        return SimpleNamespace(logits=torch.from_numpy(linear("tokens", self.normed(parameters["g"], h)))[None])

    def normed(self, g, x):
        squares = (x * x).sum(-1, keepdims=True)
        if self.config.norm == "by mean square":
            squares = squares / x.shape[-1]
        return g * x / np.sqrt(squares)


def scale_norm_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    weights, hidden, intermediate = Weights(seed), config["hidden"], config["intermediate"]
    weights.embedding("tokens.weight", VOCABULARY, hidden)
    length = np.sqrt(hidden)  # as the paper begins, so that elements are about 1
    for i in range(config["layers"]):
        layer = f"layers.{i}"
        for name in ("g_a", "g_b"):
            weights.tensors[f"{layer}.{name}"] = length * (1 + 0.3 * weights.random.standard_normal(1))
        for name, gain in {"w_q": QUERY_KEY_GAIN, "w_k": QUERY_KEY_GAIN, "w_v": 1.0, "w_o": 1.0}.items():
            weights.projection(f"{layer}.{name}", hidden, hidden, False, gain=gain)
        weights.projection(f"{layer}.w_1", intermediate, hidden, True)
        weights.projection(f"{layer}.w_2", hidden, intermediate, True)
    weights.tensors["g"] = length * (1 + 0.3 * weights.random.standard_normal(1))
    return weights.tensors


SCALE_NORM_CHANGES = [
    Change("norms by the mean square", {"norm": "by mean square"}),
    Change("sines before cosines", {"order": "halves"}),
    Change("another base", {"base": 25000.0}),
    Change("frequencies that end at the base", {"sines": "that end"}),
    Change("positions from 1", {"first": 1}),
    Change("embeddings as they are", {"embedding": "as it is"}),
]
