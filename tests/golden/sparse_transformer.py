"""Child et al., Generating Long Sequences with Sparse Transformers (2019), from the paper, in numpy."""

from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

from numpy_layers import NumpyLayers, attended, heads
from spec_case import VOCABULARY, Change, zeroed
from weights import QUERY_KEY_GAIN, Weights

SPARSE = {"hidden": 48, "intermediate": 67, "layers": 4, "heads": 4, "positions": 311, "eps": 1e-5, "activation": 1.702,
          "patterns": ("strided", "fixed"), "stride": 8, "block": 16, "summaries": 2}  # fmt: skip


class SparseTransformer(nn.Module):
    """Child et al., Generating Long Sequences with Sparse Transformers (2019), sections 4 and 5: a decoder whose layers
    alternate between two merged patterns. torch keeps the parameters; numpy computes, in their type."""

    def __init__(self, config: dict):
        super().__init__()
        self.config = SimpleNamespace(**config)
        hidden, intermediate = config["hidden"], config["intermediate"]
        self.tokens = nn.Embedding(VOCABULARY, hidden)
        self.positions = nn.Embedding(config["positions"], hidden)
        matrices = {name: (hidden, hidden, False) for name in ("w_q", "w_k", "w_v", "w_p")}
        matrices |= {"w_1": (hidden, intermediate, True), "w_2": (intermediate, hidden, True)}
        self.layers = nn.ModuleList(
            nn.ModuleDict({name: nn.LayerNorm(hidden) for name in ("norm_a", "norm_b")}
                          | {name: nn.Linear(i, o, bias=bias) for name, (i, o, bias) in matrices.items()})
            for _ in range(config["layers"])
        )  # fmt: skip
        self.norm = nn.LayerNorm(hidden)
        self.w_out = nn.Linear(hidden, VOCABULARY, bias=False)

    def forward(self, tokens, use_cache=False):
        config = self.config
        layers = NumpyLayers(self, config.eps)
        linear, norm = layers.linear, layers.layer_norm
        ids = tokens[0].numpy()
        h = layers.parameters["tokens.weight"][ids] + layers.parameters["positions.weight"][: len(ids)]
        for i in range(config.layers):
            layer, pattern = f"layers.{i}", config.patterns[i % len(config.patterns)]
            x = norm(f"{layer}.norm_a", h)
            q, k, v = (heads(linear(f"{layer}.{name}", x), config.heads) for name in ("w_q", "w_k", "w_v"))
            scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2]).astype(q.dtype)
            scores = np.where(self.seen(pattern, len(ids)), scores, -np.inf)
            h = h + linear(f"{layer}.w_p", attended(scores, v))
            x = linear(f"{layer}.w_1", norm(f"{layer}.norm_b", h))
            h = h + linear(f"{layer}.w_2", x / (1 + np.exp(-config.activation * x)))
        return SimpleNamespace(logits=torch.from_numpy(linear("w_out", norm("norm", h)))[None])

    def seen(self, pattern: str, length: int):
        """[query, key]: the union of the two sets of keys of each pattern, for keys up to the query."""
        config, query, key = self.config, np.arange(length)[:, None], np.arange(length)[None]
        sets = {
            "all": True,
            "itself": key == query,
            "previous": query - key < config.stride,
            "every": (query - key) % config.stride == 0,
            "own": query // config.block == key // config.block,
            "summaries": key % config.block >= config.block - config.summaries,
        }
        merged = {"strided": ("previous", "every"), "fixed": ("own", "summaries"), "others": ("itself", "summaries")}
        merged = merged.get(pattern, (pattern,))
        return (key <= query) & np.any([np.broadcast_to(sets[name], (length, length)) for name in merged], axis=0)


def sparse_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    weights, hidden, intermediate = Weights(seed), config["hidden"], config["intermediate"]
    weights.embedding("tokens.weight", VOCABULARY, hidden)
    weights.embedding("positions.weight", config["positions"], hidden)
    for i in range(config["layers"]):
        weights.norm(f"layers.{i}.norm_a", hidden, bias=True)
        for name, gain in {"w_q": QUERY_KEY_GAIN, "w_k": QUERY_KEY_GAIN, "w_v": 1.0, "w_p": 1.0}.items():
            weights.matrix(f"layers.{i}.{name}.weight", hidden, hidden, gain=gain)
        weights.norm(f"layers.{i}.norm_b", hidden, bias=True)
        weights.projection(f"layers.{i}.w_1", intermediate, hidden, True)
        weights.projection(f"layers.{i}.w_2", hidden, intermediate, True)
    weights.norm("norm", hidden, bias=True)
    weights.matrix("w_out.weight", VOCABULARY, hidden)
    return weights.tensors


SPARSE_CHANGES = [
    Change("no masks", {"patterns": ("all",)}),
    Change("no mask of the strided layers", {"patterns": ("all", "fixed")}),
    Change("no mask of the fixed layers", {"patterns": ("strided", "all")}),
    Change("patterns in the other layers", {"patterns": ("fixed", "strided")}),
    Change("strided without every 8th key", {"patterns": ("previous", "fixed")}),
    Change("strided without the previous keys", {"patterns": ("every", "fixed")}),
    Change("fixed without the last of each block", {"patterns": ("strided", "own")}),
    Change("fixed without the own block", {"patterns": ("strided", "others")}),
    Change("a stride of 7", {"stride": 7}),
    Change("a stride of 9", {"stride": 9}),
    Change("blocks of 15", {"block": 15}),
    Change("the last 1 of each block", {"summaries": 1}),
    Change("the last 3 of each block", {"summaries": 3}),
    Change("silu", {"activation": 1.0}),
    Change("eps 1e-6", {"eps": 1e-6}),
    Change("no positions", edit=zeroed("positions.weight")),
]
