"""Grok-1, from the formulas of the published code (github.com/xai-org/grok-1, model.py), in numpy. Tensors are called as in
its port to PyTorch."""

from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

from numpy_layers import NumpyLayers, attended, heads
from spec_case import VOCABULARY, Change
from weights import QUERY_KEY_GAIN, Weights

# The published model has 30 in the place of 3, beside scores that are larger.
GROK = {"hidden": 48, "intermediate": 29, "layers": 3, "heads": 4, "kv_heads": 2, "experts": 5, "chosen": 2, "cap": 3.0,
        "eps": 1e-5, "base": 10000.0, "embedding": 48**0.5, "output": 3**-0.5, "turns": "halves", "gelu": "by tanh",
        "weights": "shares of all", "norms_after": ("attn", "moe")}  # fmt: skip

SMALL = 0.01  # of what experts give: the norm after them would hide any factor of it, were it not as small as the epsilon


def gelu(x, how):
    if how == "by erf":
        return 0.5 * x * (1 + torch.erf(torch.from_numpy(x / np.sqrt(2).astype(x.dtype))).numpy())
    if how == "by sigmoid":
        return x / (1 + np.exp(-1.702 * x))
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi).astype(x.dtype) * (x + 0.044715 * x**3)))


class Norm(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size))


class Grok(nn.Module):
    """Sub-blocks between two RMSNorms each; scores that tanh limits; of each token, the experts with the largest shares of
    all, which weigh those shares. torch keeps the parameters; numpy computes, in their type."""

    def __init__(self, config: dict):
        super().__init__()
        self.config = SimpleNamespace(**config)
        hidden, intermediate, keys = config["hidden"], config["intermediate"], config["hidden"] // config["heads"] * config["kv_heads"]

        def matrix(rows, columns):
            return nn.Linear(columns, rows, bias=False)

        def expert():
            return nn.ModuleDict({"linear": matrix(intermediate, hidden), "linear_v": matrix(intermediate, hidden),
                                  "linear_1": matrix(hidden, intermediate)})  # fmt: skip

        layers = [
            nn.ModuleDict({
                **{f"{when}_{what}_norm": Norm(hidden) for when in ("pre", "post") for what in ("attn", "moe")},
                "attn": nn.ModuleDict({"q_proj": matrix(hidden, hidden), "k_proj": matrix(keys, hidden),
                                       "v_proj": matrix(keys, hidden), "o_proj": matrix(hidden, hidden)}),
                "moe_block": nn.ModuleDict({"gate": matrix(config["experts"], hidden),
                                            "experts": nn.ModuleList(expert() for _ in range(config["experts"]))}),
            })
            for _ in range(config["layers"])
        ]  # fmt: skip
        self.model = nn.ModuleDict({"embed_tokens": nn.Embedding(VOCABULARY, hidden), "layers": nn.ModuleList(layers),
                                    "norm": Norm(hidden)})  # fmt: skip

    def forward(self, tokens, use_cache=False):
        config = self.config
        layers = NumpyLayers(self, config.eps)
        ids = tokens[0].numpy()
        table = layers.parameters["model.embed_tokens.weight"]
        h = table[ids] * np.asarray(config.embedding, table.dtype)
        for i in range(config.layers):
            layer = f"model.layers.{i}"
            for what, given in (("attn", self.attention), ("moe", self.experts)):
                x = given(layers, f"{layer}.", self.normed(layers, f"{layer}.pre_{what}_norm", h))
                h = h + (self.normed(layers, f"{layer}.post_{what}_norm", x) if what in config.norms_after else x)
        logits = self.normed(layers, "model.norm", h) @ table.T
        return SimpleNamespace(logits=torch.from_numpy(logits * np.asarray(config.output, table.dtype))[None])

    def normed(self, layers, name, x):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.config.eps) * layers.parameters[f"{name}.scale"]

    def attention(self, layers, layer, x):
        config = self.config
        counts = {"q": config.heads, "k": config.kv_heads, "v": config.kv_heads}
        q, k, v = (heads(layers.linear(f"{layer}attn.{word}_proj", x), count) for word, count in counts.items())
        q, k = self.turned(q), self.turned(k)
        k, v = (np.repeat(each, config.heads // config.kv_heads, 0) for each in (k, v))
        scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2]).astype(q.dtype)
        scores = config.cap * np.tanh(scores / config.cap) if config.cap else scores
        scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
        return layers.linear(f"{layer}attn.o_proj", attended(scores, v))

    def turned(self, x):
        """Angles in f32, as they are published."""
        size = x.shape[2]
        exponents = np.arange(0, size, 2, dtype=np.float32) / np.float32(size)
        frequencies = np.float32(1) / np.float32(self.config.base) ** exponents
        angles = np.arange(x.shape[1], dtype=np.float32)[:, None] * frequencies
        cosines, sines = np.cos(angles.astype(x.dtype)), np.sin(angles.astype(x.dtype))
        if self.config.turns == "neighbours":
            first, second = x[..., ::2], x[..., 1::2]
            return np.stack((first * cosines - second * sines, second * cosines + first * sines), -1).reshape(x.shape)
        first, second = np.split(x, 2, -1)
        return np.concatenate((first * cosines - second * sines, second * cosines + first * sines), -1)

    def experts(self, layers, layer, x):
        """Each expert is computed for all tokens, and weighs 0 for those that did not choose it."""
        config = self.config
        scores = layers.linear(f"{layer}moe_block.gate", x)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares = shares / shares.sum(-1, keepdims=True)
        least = np.sort(shares, -1)[:, -config.chosen, None]
        weights = np.where(shares >= least, shares, 0)
        if config.weights == "shares of the chosen":
            weights = weights / weights.sum(-1, keepdims=True)
        total = np.zeros_like(x)
        for j in range(config.experts):
            expert = f"{layer}moe_block.experts.{j}."
            inner = gelu(layers.linear(f"{expert}linear", x), config.gelu) * layers.linear(f"{expert}linear_v", x)
            total = total + weights[:, j, None] * layers.linear(f"{expert}linear_1", inner)
        return total


def grok_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    weights, hidden, intermediate = Weights(seed), config["hidden"], config["intermediate"]
    keys = hidden // config["heads"] * config["kv_heads"]

    def norm(name):
        weights.norm(name, hidden)
        weights.tensors[f"{name}.scale"] = weights.tensors.pop(f"{name}.weight")

    weights.embedding("model.embed_tokens.weight", VOCABULARY, hidden)
    for i in range(config["layers"]):
        layer = f"model.layers.{i}."
        for word, rows, gain in (("q", hidden, QUERY_KEY_GAIN), ("k", keys, QUERY_KEY_GAIN), ("v", keys, 1.0), ("o", hidden, 1.0)):
            weights.matrix(f"{layer}attn.{word}_proj.weight", rows, hidden, gain=gain)
        for name in ("pre_attn_norm", "post_attn_norm", "pre_moe_norm", "post_moe_norm"):
            norm(layer + name)
        weights.matrix(f"{layer}moe_block.gate.weight", config["experts"], hidden, gain=2.0)
        for j in range(config["experts"]):
            for word in ("", "_v"):
                weights.matrix(f"{layer}moe_block.experts.{j}.linear{word}.weight", intermediate, hidden)
            weights.matrix(f"{layer}moe_block.experts.{j}.linear_1.weight", hidden, intermediate, gain=SMALL)
    norm("model.norm")
    return weights.tensors


GROK_CHANGES = [
    Change("scores as they are", {"cap": None}),
    Change("scores that end at 2.5", {"cap": 2.5}),
    Change("weights that are shares of the chosen experts", {"weights": "shares of the chosen"}),
    Change("one expert", {"chosen": 1}),
    Change("three experts", {"chosen": 3}),
    Change("gelu by erf", {"gelu": "by erf"}, near=True),
    Change("gelu by sigmoid", {"gelu": "by sigmoid"}, near=True),
    Change("neighbours turn", {"turns": "neighbours"}),
    Change("another base", {"base": 5000.0}),
    Change("embeddings as they are", {"embedding": 1.0}),
    Change("logits as they are", {"output": 1.0}),
    Change("no norm after attention", {"norms_after": ("moe",)}),
    Change("no norm after experts", {"norms_after": ("attn",)}),
    Change("eps 1e-6", {"eps": 1e-6}),
]
