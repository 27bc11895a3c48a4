"""Mehta et al., OpenELM: An Efficient Language Model Family (2024), from the paper, in numpy: heads and widths grow from
layer to layer."""

from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

from numpy_layers import NumpyLayers, attended
from spec_case import VOCABULARY, Change
from weights import QUERY_KEY_GAIN, Weights


def neighbours(x, count):
    """Query heads that are neighbours share a head of keys."""
    return np.repeat(x, count[0], axis=0)


OPENELM = {"hidden": 44, "head_dim": 12, "heads": (3, 4, 4, 6), "kv_heads": (1, 2, 2, 3), "widths": (33, 61, 61, 90),
           "theta": 10000.0, "eps": 1e-6, "shared": neighbours}  # fmt: skip


class OpenElm(nn.Module):
    """Section 2.1: RMSNorm before each part, RMSNorm of each head's queries and keys, rotary embeddings, grouped queries,
    SwiGLU, the head tied. torch keeps the parameters; numpy computes, in their type."""

    def __init__(self, config: dict):
        super().__init__()
        self.config = SimpleNamespace(**config)
        hidden, head_dim = config["hidden"], config["head_dim"]
        self.token_embeddings = nn.Embedding(VOCABULARY, hidden)
        self.layers = nn.ModuleList(
            nn.ModuleDict({
                "attn_norm": nn.RMSNorm(hidden), "ffn_norm": nn.RMSNorm(hidden),
                "q_norm": nn.RMSNorm(head_dim), "k_norm": nn.RMSNorm(head_dim),
                "qkv_proj": nn.Linear(hidden, (heads + 2 * kv_heads) * head_dim, bias=False),
                "out_proj": nn.Linear(heads * head_dim, hidden, bias=False),
                "proj_1": nn.Linear(hidden, 2 * width, bias=False), "proj_2": nn.Linear(width, hidden, bias=False),
            })
            for heads, kv_heads, width in zip(config["heads"], config["kv_heads"], config["widths"])
        )  # fmt: skip
        self.norm = nn.RMSNorm(hidden)

    def forward(self, tokens, use_cache=False):
        config = self.config
        layers = NumpyLayers(self, config.eps)
        linear, norm = layers.linear, layers.rms_norm
        ids = tokens[0].numpy()
        h = layers.parameters["token_embeddings.weight"][ids]
        hidden_keys = np.where(np.tri(len(ids), dtype=bool), 0, -np.inf).astype(h.dtype)
        for i, (heads, kv_heads) in enumerate(zip(config.heads, config.kv_heads)):
            layer = f"layers.{i}"
            qkv = linear(f"{layer}.qkv_proj", norm(f"{layer}.attn_norm", h))
            qkv = qkv.reshape(len(ids), heads + 2 * kv_heads, config.head_dim).swapaxes(0, 1)
            q, k, v = qkv[:heads], qkv[heads : heads + kv_heads], qkv[heads + kv_heads :]
            q, k = (self.turned(norm(f"{layer}.{name}_norm", x)) for name, x in (("q", q), ("k", k)))
            each = (heads // kv_heads, 1, 1)
            k, v = (config.shared(x, each) for x in (k, v))
            scores = q @ k.swapaxes(1, 2) / np.sqrt(config.head_dim).astype(q.dtype) + hidden_keys
            h = h + linear(f"{layer}.out_proj", attended(scores, v))
            gate, up = np.split(linear(f"{layer}.proj_1", norm(f"{layer}.ffn_norm", h)), 2, axis=-1)
            h = h + linear(f"{layer}.proj_2", gate / (1 + np.exp(-gate)) * up)
        return SimpleNamespace(logits=torch.from_numpy(linear("token_embeddings", norm("norm", h)))[None])

    def turned(self, x):
        """Each head's halves, by the angle of its position: f32 position times f32 frequency."""
        half = self.config.head_dim // 2
        exponents = (2 * np.arange(half)).astype(np.float32) / np.float32(self.config.head_dim)
        powers = np.power(self.config.theta, exponents.astype(np.float64)).astype(np.float32)
        frequencies = np.float32(1) / powers
        angles = np.arange(x.shape[1], dtype=np.float32)[:, None] * frequencies
        cos, sin = np.cos(angles.astype(np.float64)).astype(x.dtype), np.sin(angles.astype(np.float64)).astype(x.dtype)
        first, second = x[..., :half], x[..., half:]
        return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


def openelm_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    weights, hidden, head_dim = Weights(seed), config["hidden"], config["head_dim"]
    weights.embedding("token_embeddings.weight", VOCABULARY, hidden)
    for i, (heads, kv_heads, width) in enumerate(zip(config["heads"], config["kv_heads"], config["widths"])):
        layer = f"layers.{i}"
        weights.norm(f"{layer}.attn_norm", hidden)
        weights.matrix(f"{layer}.qkv_proj.weight", (heads + 2 * kv_heads) * head_dim, hidden)
        for name in ("q_norm", "k_norm"):
            weights.norm(f"{layer}.{name}", head_dim, gain=QUERY_KEY_GAIN)
        weights.matrix(f"{layer}.out_proj.weight", hidden, heads * head_dim)
        weights.norm(f"{layer}.ffn_norm", hidden)
        weights.matrix(f"{layer}.proj_1.weight", 2 * width, hidden)
        weights.matrix(f"{layer}.proj_2.weight", hidden, width)
    weights.norm("norm", hidden)
    return weights.tensors


def swapped_norms(model):
    for layer in model.layers:
        layer["q_norm"], layer["k_norm"] = layer["k_norm"], layer["q_norm"]


OPENELM_CHANGES = [
    Change("heads of keys in turn", {"shared": np.tile}),
    Change("another base of angles", {"theta": 25000.0}),
    Change("eps 1e-5", {"eps": 1e-5}),
    Change("norms of queries for keys", edit=swapped_norms),
]
