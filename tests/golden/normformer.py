"""Shleifer et al., NormFormer: Improved Transformer Pretraining with Extra Normalization (2021), from the paper, in
numpy."""

from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

from numpy_layers import NumpyLayers, attended, heads
from spec_case import VOCABULARY, Change, zeroed
from weights import QUERY_KEY_GAIN, Weights

NORMFORMER = {"hidden": 48, "intermediate": 67, "layers": 3, "heads": 4, "positions": 311, "eps": 1e-5,
              "scaled": "heads", "attention_norm": "after o", "inner_norm": "after gelu"}  # fmt: skip


def gelu(x):
    return 0.5 * x * (1 + torch.erf(torch.from_numpy(x / np.sqrt(2).astype(x.dtype))).numpy())


class NormFormer(nn.Module):
    """Section 3: a Pre-LN transformer in which each head's output is multiplied by a learned number, attention's output
    is normed before it is added, and so is what the MLP computes inside. torch keeps the parameters; numpy computes, in
    their type."""

    def __init__(self, config: dict):
        super().__init__()
        self.config = SimpleNamespace(**config)
        hidden, intermediate = config["hidden"], config["intermediate"]
        self.tokens = nn.Embedding(VOCABULARY, hidden)
        self.positions = nn.Embedding(config["positions"], hidden)
        self.layers = nn.ModuleList(
            nn.ModuleDict({
                "norm_a": nn.LayerNorm(hidden), "attn_ln": nn.LayerNorm(hidden), "norm_b": nn.LayerNorm(hidden),
                "ffn_ln": nn.LayerNorm(intermediate),
                **{name: nn.Linear(hidden, hidden, bias=False) for name in ("w_q", "w_k", "w_v")},
                "w_o": nn.Linear(hidden, hidden), "w_1": nn.Linear(hidden, intermediate),
                "w_2": nn.Linear(intermediate, hidden),
            })
            for _ in range(config["layers"])
        )  # fmt: skip
        for layer in self.layers:
            layer.gamma = nn.Parameter(torch.ones(config["heads"]))
        self.norm = nn.LayerNorm(hidden)

    def forward(self, tokens, use_cache=False):
        config = self.config
        layers = NumpyLayers(self, config.eps)
        linear, norm = layers.linear, layers.layer_norm
        ids = tokens[0].numpy()
        hidden_keys = np.where(np.tri(len(ids), dtype=bool), 0, -np.inf)
        h = layers.parameters["tokens.weight"][ids] + layers.parameters["positions.weight"][: len(ids)]
        for i in range(config.layers):
            layer = f"layers.{i}"
            x = norm(f"{layer}.norm_a", h)
            q, k, v = (heads(linear(f"{layer}.{name}", x), config.heads) for name in ("w_q", "w_k", "w_v"))
            scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2]).astype(q.dtype) + hidden_keys.astype(q.dtype)
            given = self.scaled(layers.parameters[f"{layer}.gamma"], attended(scores, v))
            if config.attention_norm == "before o":
                h = h + linear(f"{layer}.w_o", norm(f"{layer}.attn_ln", given))
            elif config.attention_norm == "after o":
                h = h + norm(f"{layer}.attn_ln", linear(f"{layer}.w_o", given))
            else:
                h = h + linear(f"{layer}.w_o", given)
            x = linear(f"{layer}.w_1", norm(f"{layer}.norm_b", h))
            if config.inner_norm == "before gelu":
                x = gelu(norm(f"{layer}.ffn_ln", x))
            elif config.inner_norm == "after gelu":
                x = norm(f"{layer}.ffn_ln", gelu(x))
            else:
                x = gelu(x)
            h = h + linear(f"{layer}.w_2", x)
        return SimpleNamespace(logits=torch.from_numpy(linear("tokens", norm("norm", h)))[None])

    def scaled(self, gamma, x):
        """gamma: a number a head, of neighbouring elements; or, which is wrong, of elements in turn."""
        if self.config.scaled == "heads":
            return x * np.repeat(gamma, x.shape[1] // len(gamma))
        return x * np.tile(gamma, x.shape[1] // len(gamma))


def normformer_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    weights, hidden, intermediate = Weights(seed), config["hidden"], config["intermediate"]
    weights.embedding("tokens.weight", VOCABULARY, hidden)
    weights.embedding("positions.weight", config["positions"], hidden)
    for i in range(config["layers"]):
        layer = f"layers.{i}"
        weights.vector(f"{layer}.gamma", config["heads"], gain=1.0)
        for name in ("norm_a", "attn_ln", "norm_b"):
            weights.norm(f"{layer}.{name}", hidden, bias=True)
        for name, gain in {"w_q": QUERY_KEY_GAIN, "w_k": QUERY_KEY_GAIN, "w_v": 1.0, "w_o": 1.0}.items():
            weights.projection(f"{layer}.{name}", hidden, hidden, name == "w_o", gain=gain)
        weights.projection(f"{layer}.w_1", intermediate, hidden, True)
        weights.norm(f"{layer}.ffn_ln", intermediate, bias=True)
        weights.projection(f"{layer}.w_2", hidden, intermediate, True)
    weights.norm("norm", hidden, bias=True)
    return weights.tensors


def ones_for_gamma(model):
    for layer in model.layers:
        layer.gamma.fill_(1)


NORMFORMER_CHANGES = [
    Change("no scales of heads", edit=ones_for_gamma),
    Change("scales of elements in turn", {"scaled": "elements"}),
    Change("no norm of attention", {"attention_norm": "none"}),
    Change("attention's norm before o", {"attention_norm": "before o"}),
    Change("no norm inside the MLP", {"inner_norm": "none"}),
    Change("the norm inside the MLP before gelu", {"inner_norm": "before gelu"}),
    Change("no bias of the norm inside the MLP", edit=zeroed("ffn_ln.bias")),
    Change("eps 1e-6", {"eps": 1e-6}),
]
