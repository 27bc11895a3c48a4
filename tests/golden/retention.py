"""Linear attention that forgets, in numpy: RetNet (Sun et al., Retentive Network: A Successor to Transformer for Large
Language Models, 2023) and GLA (Yang et al., Gated Linear Attention Transformers with Hardware-Efficient Training, 2023),
both in the form that sums over all earlier tokens. No state is carried from one token to the next."""

from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

from normformer import gelu
from numpy_layers import NumpyLayers, heads
from spec_case import VOCABULARY, Change, zeroed
from weights import QUERY_KEY_GAIN, Weights

RETNET = {"hidden": 48, "intermediate": 67, "layers": 3, "heads": 4, "key": 12, "value": 24, "theta": 10000.0,
          "decay_from": 5, "eps": 1e-5, "turned": "neighbours", "group_norm": "layer norm", "gate": "swish"}  # fmt: skip
GLA = {"hidden": 48, "intermediate": 70, "layers": 3, "heads": 3, "key": 8, "value": 16, "rank": 5, "tau": 16.0,
       "eps": 1e-5, "decayed": "keys", "head_norm": True}  # fmt: skip


def silu(x):
    return x / (1 + np.exp(-x))


class NumpyDecoder(nn.Module):
    """torch keeps the parameters; numpy computes, in their type."""

    def __init__(self, config: dict):
        super().__init__()
        self.config = SimpleNamespace(**config)
        hidden, keys = config["hidden"], config["heads"] * config["key"]
        values, intermediate = config["heads"] * config["value"], config["intermediate"]
        self.tokens = nn.Embedding(VOCABULARY, hidden)
        self.layers = nn.ModuleList(
            nn.ModuleDict({
                "w_q": nn.Linear(hidden, keys, bias=False), "w_k": nn.Linear(hidden, keys, bias=False),
                "w_v": nn.Linear(hidden, values, bias=False), "w_o": nn.Linear(values, hidden, bias=False),
                **self.own(config, hidden, keys, values, intermediate),
            })
            for _ in range(config["layers"])
        )  # fmt: skip

    def forward(self, tokens, use_cache=False):
        layers = NumpyLayers(self, self.config.eps)
        h = layers.parameters["tokens.weight"][tokens[0].numpy()]
        for i in range(self.config.layers):
            h = self.layer(layers, f"layers.{i}", h)
        return SimpleNamespace(logits=torch.from_numpy(layers.linear("tokens", self.last_norm(layers, h)))[None])


class RetNet(NumpyDecoder):
    """Equations 5 to 8: multi-scale retention, whose heads decay by 1 - 2^(-5 - head), and an MLP."""

    def __init__(self, config: dict):
        super().__init__(config)
        self.norm = nn.LayerNorm(config["hidden"])

    @staticmethod
    def own(config, hidden, keys, values, intermediate):
        return {"norm_a": nn.LayerNorm(hidden), "norm_b": nn.LayerNorm(hidden),
                "w_g": nn.Linear(hidden, values, bias=False), "w_1": nn.Linear(hidden, intermediate, bias=False),
                "w_2": nn.Linear(intermediate, hidden, bias=False)}  # fmt: skip

    def last_norm(self, layers, h):
        return layers.layer_norm("norm", h)

    def layer(self, layers, name, h):
        config = self.config
        x = layers.layer_norm(f"{name}.norm_a", h)
        q, k, v = (heads(layers.linear(f"{name}.{word}", x), config.heads) for word in ("w_q", "w_k", "w_v"))
        n = np.arange(len(x))
        distance = n[:, None] - n[None, :]
        gamma = 1 - 2.0 ** -(config.decay_from + np.arange(config.heads))
        decay = np.where(distance >= 0, gamma[:, None, None] ** np.maximum(distance, 0), 0).astype(x.dtype)
        read = self.turned(q) @ self.turned(k).swapaxes(1, 2) / np.sqrt(config.key).astype(x.dtype) * decay @ v
        if config.group_norm != "none":
            if config.group_norm == "layer norm":
                read = read - read.mean(-1, keepdims=True)
            read = read / np.sqrt((read * read).mean(-1, keepdims=True) + config.eps)
        read = read.swapaxes(0, 1).reshape(len(x), -1)
        gate = layers.linear(f"{name}.w_g", x)
        h = h + layers.linear(f"{name}.w_o", read * (silu(gate) if config.gate == "swish" else 1 / (1 + np.exp(-gate))))
        x = layers.layer_norm(f"{name}.norm_b", h)
        return h + layers.linear(f"{name}.w_2", gelu(layers.linear(f"{name}.w_1", x)))

    def turned(self, x):
        """x e^(i n theta): pairs of neighbouring elements are complex numbers."""
        config = self.config
        if config.turned == "none":
            return x
        half = config.key // 2
        angles = (1 / torch.tensor(config.theta) ** (torch.arange(0, config.key, 2) / config.key)).numpy()  # in f32
        turn = np.exp(1j * (np.arange(x.shape[1], dtype=np.float32)[:, None] * angles[None, :]).astype(x.dtype))
        if config.turned == "halves":
            turned = (x[..., :half] + 1j * x[..., half:]) * turn
            return np.concatenate([turned.real, turned.imag], -1).astype(x.dtype)
        turned = (x[..., ::2] + 1j * x[..., 1::2]) * turn
        return np.stack([turned.real, turned.imag], -1).reshape(x.shape).astype(x.dtype)


class GatedLinearAttention(NumpyDecoder):
    """Section 4: a gate for each element of a key, of a short vector, tempered by tau; an output gate, and a gated MLP."""

    def __init__(self, config: dict):
        super().__init__(config)
        self.norm = nn.RMSNorm(config["hidden"])

    @staticmethod
    def own(config, hidden, keys, values, intermediate):
        return {"norm_a": nn.RMSNorm(hidden), "norm_b": nn.RMSNorm(hidden), "head_norm": nn.RMSNorm(config["value"]),
                "w_a1": nn.Linear(hidden, config["rank"], bias=False), "w_a2": nn.Linear(config["rank"], keys),
                "w_r": nn.Linear(hidden, values), "w_gate": nn.Linear(hidden, intermediate, bias=False),
                "w_up": nn.Linear(hidden, intermediate, bias=False),
                "w_down": nn.Linear(intermediate, hidden, bias=False)}  # fmt: skip

    def last_norm(self, layers, h):
        return layers.rms_norm("norm", h)

    def layer(self, layers, name, h):
        config = self.config
        x = layers.rms_norm(f"{name}.norm_a", h)
        q, k, v = (heads(layers.linear(f"{name}.{word}", x), config.heads) for word in ("w_q", "w_k", "w_v"))
        raw = heads(layers.linear(f"{name}.w_a2", layers.linear(f"{name}.w_a1", x)), config.heads)
        gone = -np.logaddexp(0, -raw) / config.tau  # the logarithm of sigmoid^(1 / tau)
        if config.decayed == "heads":
            gone = np.broadcast_to(gone.mean(-1, keepdims=True), gone.shape)
        since_begin = np.cumsum(gone, 1)
        read = np.zeros_like(v)
        for n in range(len(x)):
            left = np.exp(since_begin[:, n : n + 1] - since_begin[:, : n + 1])
            scores = (q[:, n : n + 1] * k[:, : n + 1] * left).sum(-1) / np.sqrt(config.key).astype(x.dtype)
            read[:, n] = (scores[:, None] @ v[:, : n + 1])[:, 0]
        if config.head_norm:
            read = layers.rms_norm(f"{name}.head_norm", read)
        read = read.swapaxes(0, 1).reshape(len(x), -1)
        h = h + layers.linear(f"{name}.w_o", silu(layers.linear(f"{name}.w_r", x)) * read)
        x = layers.rms_norm(f"{name}.norm_b", h)
        inner = silu(layers.linear(f"{name}.w_gate", x)) * layers.linear(f"{name}.w_up", x)
        return h + layers.linear(f"{name}.w_down", inner)


def common_tensors(weights, layer, config):
    hidden, keys, values = config["hidden"], config["heads"] * config["key"], config["heads"] * config["value"]
    for name, rows, columns, gain in (("w_q", keys, hidden, QUERY_KEY_GAIN), ("w_k", keys, hidden, QUERY_KEY_GAIN),
                                      ("w_v", values, hidden, 1.0), ("w_o", hidden, values, 1.0)):  # fmt: skip
        weights.projection(f"{layer}.{name}", rows, columns, False, gain=gain)


def retnet_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    weights, hidden, intermediate = Weights(seed), config["hidden"], config["intermediate"]
    weights.embedding("tokens.weight", VOCABULARY, hidden)
    for i in range(config["layers"]):
        layer = f"layers.{i}"
        common_tensors(weights, layer, config)
        for name in ("norm_a", "norm_b"):
            weights.norm(f"{layer}.{name}", hidden, bias=True)
        weights.projection(f"{layer}.w_g", config["heads"] * config["value"], hidden, False)
        weights.projection(f"{layer}.w_1", intermediate, hidden, False)
        weights.projection(f"{layer}.w_2", hidden, intermediate, False)
    weights.norm("norm", hidden, bias=True)
    return weights.tensors


def gla_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    weights, hidden, intermediate = Weights(seed), config["hidden"], config["intermediate"]
    keys, values = config["heads"] * config["key"], config["heads"] * config["value"]
    weights.embedding("tokens.weight", VOCABULARY, hidden)
    for i in range(config["layers"]):
        layer = f"layers.{i}"
        common_tensors(weights, layer, config)
        for name, size in (("norm_a", hidden), ("norm_b", hidden), ("head_norm", config["value"])):
            weights.norm(f"{layer}.{name}", size)
        weights.projection(f"{layer}.w_a1", config["rank"], hidden, False)
        weights.projection(f"{layer}.w_a2", keys, config["rank"], True, gain=2.0)
        weights.projection(f"{layer}.w_r", values, hidden, True)
        for name, rows, columns in (("w_gate", intermediate, hidden), ("w_up", intermediate, hidden),
                                    ("w_down", hidden, intermediate)):  # fmt: skip
            weights.projection(f"{layer}.{name}", rows, columns, False)
    weights.norm("norm", hidden)
    return weights.tensors


RETNET_CHANGES = [
    Change("heads that decay twice as fast", {"decay_from": 4}),
    Change("queries and keys as they are", {"turned": "none"}),
    Change("halves of queries and keys turned", {"turned": "halves"}),
    Change("heads' RMSNorm", {"group_norm": "root mean square"}),
    Change("no norm of heads", {"group_norm": "none"}),
    Change("a sigmoid gate", {"gate": "sigmoid"}),
    Change("eps 1e-3", {"eps": 1e-3}),
]
GLA_CHANGES = [
    Change("gates of twice as long a memory", {"tau": 32.0}),
    Change("one decay for a head", {"decayed": "heads"}),
    Change("no norm of heads", {"head_norm": False}),
    Change("no bias of what keys decay by", edit=zeroed("w_a2.bias")),
    Change("no bias of the gate", edit=zeroed("w_r.bias")),
    Change("eps 1e-3", {"eps": 1e-3}),
]
