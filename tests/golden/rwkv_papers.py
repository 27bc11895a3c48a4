"""RWKV-6 and RWKV-7 in numpy: Finch (Peng et al., Eagle and Finch: RWKV with Matrix-Valued States and Dynamic
Recurrence, 2024) and Goose (Peng et al., RWKV-7 "Goose" with Expressive Dynamic State Evolution, 2025). Each head has a
matrix as its state, which goes from one token to the next. Names of parameters follow the published code, but for
matrices of low rank: the published code keeps some of these fused, and here each is a layer of its own."""

import math
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

from numpy_layers import NumpyLayers, heads
from spec_case import VOCABULARY, Change, zeroed
from weights import Weights

FINCH = {"hidden": 48, "heads": 4, "head": 12, "intermediate": 70, "layers": 3, "mix_rank": 5, "decay_rank": 6,
         "eps": 1e-5, "head_eps": 64e-5, "shares": "of the token", "read": "before decay", "group_norm": "layer norm",
         "gate": "silu"}  # fmt: skip
GOOSE = {"hidden": 48, "heads": 4, "head": 12, "intermediate": 90, "layers": 3, "decay_rank": 6, "rate_rank": 5,
         "gate_rank": 8, "value_rank": 4, "eps": 1e-5, "head_eps": 64e-5, "fastest_decay": math.exp(-0.5),
         "first_values": True, "removal_norm": True, "removed_from": "state", "group_norm": "layer norm"}  # fmt: skip
FINCH_WORDS, GOOSE_WORDS = "wkvrg", "rwkvag"  # what a token is mixed for with the one before it


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def to_before(x):
    """What leads from each token to the one before it. Zeros are before the first."""
    return np.concatenate([np.zeros_like(x[:1]), x[:-1]]) - x


def linears(rows_and_columns, bias=False):
    return {name: nn.Linear(columns, rows, bias=bias) for name, (rows, columns) in rows_and_columns.items()}


class NumpyRwkv(nn.Module):
    """torch keeps the parameters; numpy computes, in their type."""

    def __init__(self, config: dict):
        super().__init__()
        self.config, hidden = SimpleNamespace(**config), config["hidden"]
        self.tokens, self.ln0 = nn.Embedding(VOCABULARY, hidden), nn.LayerNorm(hidden)
        self.layers = nn.ModuleList()
        for i in range(config["layers"]):
            modules, parameters = self.own(self.config, i)
            layer = nn.ModuleDict({
                "ln1": nn.LayerNorm(hidden), "ln2": nn.LayerNorm(hidden), "ln_x": nn.GroupNorm(config["heads"], hidden),
                **linears({name: (hidden, hidden) for name in ("receptance", "key", "value", "output")}),
                **linears({"ffn_key": (config["intermediate"], hidden), "ffn_value": (hidden, config["intermediate"])}),
                **modules,
            })  # fmt: skip
            for name, shape in parameters.items():
                layer.register_parameter(name, nn.Parameter(torch.zeros(shape)))
            self.layers.append(layer)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, tokens, use_cache=False):
        layers = NumpyLayers(self, self.config.eps)
        h = layers.layer_norm("ln0", layers.parameters["tokens.weight"][tokens[0].numpy()])
        self.values_of_first, rescale = None, getattr(self.config, "rescale", 0)
        for i in range(self.config.layers):
            name = f"layers.{i}"
            h = h + self.time_mix(layers, name, layers.layer_norm(f"{name}.ln1", h))
            h = h + self.channel_mix(layers, name, layers.layer_norm(f"{name}.ln2", h))
            if rescale and (i + 1) % rescale == 0:  # what is added to it later is divided beforehand
                h = h / 2
        return SimpleNamespace(logits=torch.from_numpy(layers.linear("tokens", layers.layer_norm("norm", h)))[None])

    def head_norm(self, layers, name, read):
        """[heads, tokens, head] as [tokens, hidden], each head normed on its own."""
        if self.config.group_norm == "layer norm":
            read = read - read.mean(-1, keepdims=True)
        read = read / np.sqrt((read * read).mean(-1, keepdims=True) + self.config.head_eps)
        read = read.swapaxes(0, 1).reshape(read.shape[1], -1)
        return read * layers.parameters[f"{name}.ln_x.weight"] + layers.parameters[f"{name}.ln_x.bias"]


class Finch(NumpyRwkv):
    """Low-rank functions of a token give its shares of the token before and what it decays the state by."""

    @staticmethod
    def own(config, i):
        hidden, rank = config.hidden, config.mix_rank
        modules = {
            **linears({"gate": (hidden, hidden), "ffn_receptance": (hidden, hidden)}),
            **linears({f"mix_{word}_down": (rank, hidden) for word in FINCH_WORDS}),
            **linears({f"mix_{word}_up": (hidden, rank) for word in FINCH_WORDS}),
            **linears({"decay_down": (config.decay_rank, hidden)}),
            **linears({"decay_up": (hidden, config.decay_rank)}, bias=True),
        }  # fmt: skip
        vectors = [*(f"maa_{word}" for word in f"x{FINCH_WORDS}"), "time_faaaa", "ffn_maa_k", "ffn_maa_r"]
        return modules, {name: hidden for name in vectors}

    def time_mix(self, layers, name, x):
        config, own = self.config, layers.parameters
        before = to_before(x)
        coarse = x + before * own[f"{name}.maa_x"]

        def mixed(word):
            share = own[f"{name}.maa_{word}"]
            if config.shares == "of the token":
                inner = np.tanh(layers.linear(f"{name}.mix_{word}_down", coarse))
                share = share + layers.linear(f"{name}.mix_{word}_up", inner)
            return x + before * share

        decay = layers.linear(f"{name}.decay_up", np.tanh(layers.linear(f"{name}.decay_down", mixed("w"))))
        r, k, v, w = (heads(each, config.heads) for each in (
            layers.linear(f"{name}.receptance", mixed("r")), layers.linear(f"{name}.key", mixed("k")),
            layers.linear(f"{name}.value", mixed("v")), np.exp(-np.exp(decay))))  # fmt: skip
        read = self.recurrence(r, k, v, w, own[f"{name}.time_faaaa"].reshape(config.heads, config.head))
        gate = layers.linear(f"{name}.gate", mixed("g"))
        gate = gate * sigmoid(gate) if config.gate == "silu" else sigmoid(gate)
        return layers.linear(f"{name}.output", self.head_norm(layers, name, read) * gate)

    def recurrence(self, r, k, v, w, u):
        """A state has a row for each element of a key and a column for each of a value."""
        state, read = np.zeros((*u.shape, v.shape[-1]), v.dtype), np.zeros_like(v)
        for n in range(v.shape[1]):
            written = k[:, n, :, None] * v[:, n, None, :]
            left = w[:, n, :, None] * state
            seen = state if self.config.read == "before decay" else left
            read[:, n] = (r[:, n, None, :] @ (seen + u[:, :, None] * written))[:, 0]
            state = left + written
        return read

    def channel_mix(self, layers, name, x):
        before, own = to_before(x), layers.parameters
        inner = np.maximum(layers.linear(f"{name}.ffn_key", x + before * own[f"{name}.ffn_maa_k"]), 0)
        gate = layers.linear(f"{name}.ffn_receptance", x + before * own[f"{name}.ffn_maa_r"])
        return sigmoid(gate) * layers.linear(f"{name}.ffn_value", inner * inner)


class Goose(NumpyRwkv):
    """A state forgets what it holds for a key, at rates of the token, before it takes a new value."""

    @staticmethod
    def own(config, i):
        hidden = config.hidden
        ranks = {"w": config.decay_rank, "a": config.rate_rank} | ({"v": config.value_rank} if i > 0 else {})
        modules = {
            **linears({f"{word}_down": (rank, hidden) for word, rank in ranks.items()}),
            **linears({f"{word}_up": (hidden, rank) for word, rank in ranks.items()}, bias=True),
            **linears({"g_down": (config.gate_rank, hidden), "g_up": (hidden, config.gate_rank)}),
        }  # fmt: skip
        vectors = [*(f"x_{word}" for word in GOOSE_WORDS), "k_k", "k_a", "ffn_x_k"]
        return modules, {name: hidden for name in vectors} | {"r_k": (config.heads, config.head)}

    def time_mix(self, layers, name, x):
        config, own = self.config, layers.parameters
        before = to_before(x)
        x_r, x_w, x_k, x_v, x_a, x_g = (x + before * own[f"{name}.x_{word}"] for word in GOOSE_WORDS)

        def low_rank(word, x, inner=lambda x: x):
            return layers.linear(f"{name}.{word}_up", inner(layers.linear(f"{name}.{word}_down", x)))

        r, k, v = (layers.linear(f"{name}.{word}", x)
                   for word, x in (("receptance", x_r), ("key", x_k), ("value", x_v)))  # fmt: skip
        w = np.exp(-config.fastest_decay * sigmoid(low_rank("w", x_w, np.tanh)))
        if self.values_of_first is None:
            self.values_of_first = v
        elif config.first_values:
            v = v + (self.values_of_first - v) * sigmoid(low_rank("v", x_v))
        a, g = sigmoid(low_rank("a", x_a)), low_rank("g", x_g, sigmoid)
        kk, k = k * own[f"{name}.k_k"], k * (1 + (a - 1) * own[f"{name}.k_a"])
        r, w, k, v, kk, a = (heads(each, config.heads) for each in (r, w, k, v, kk, a))
        if config.removal_norm:
            kk = kk / np.maximum(np.sqrt((kk * kk).sum(-1, keepdims=True)), 1e-12)
        read = self.head_norm(layers, name, self.recurrence(r, w, k, v, kk, a))
        bonus = (r * k * own[f"{name}.r_k"][:, None]).sum(-1, keepdims=True) * v
        return layers.linear(f"{name}.output", (read + bonus.swapaxes(0, 1).reshape(x.shape)) * g)

    def recurrence(self, r, w, k, v, kk, a):
        """A state has a row for each element of a value and a column for each of a key."""
        state, read = np.zeros((len(v), v.shape[-1], v.shape[-1]), v.dtype), np.zeros_like(v)
        for n in range(v.shape[1]):
            left = state * w[:, n, None, :]
            removed = (state if self.config.removed_from == "state" else left) @ kk[:, n, :, None]
            state = left - removed * (kk[:, n] * a[:, n])[:, None, :] + v[:, n, :, None] * k[:, n, None, :]
            read[:, n] = (state @ r[:, n, :, None])[:, :, 0]
        return read

    def channel_mix(self, layers, name, x):
        mixed = x + to_before(x) * layers.parameters[f"{name}.ffn_x_k"]
        inner = np.maximum(layers.linear(f"{name}.ffn_key", mixed), 0)
        return layers.linear(f"{name}.ffn_value", inner * inner)


def normal(weights, name, size, around, spread):
    weights.tensors[name] = around + spread * weights.random.standard_normal(size)


def uniform(weights, name, size, low, high):
    weights.tensors[name] = weights.random.uniform(low, high, size)


def common_tensors(weights, layer, config):
    """Keys are small, or the epsilon of the heads' norm would not show. So is what the second sub-block gives, or
    attention would hardly count."""
    hidden, intermediate = config["hidden"], config["intermediate"]
    for name in ("ln1", "ln2", "ln_x"):
        weights.norm(f"{layer}.{name}", hidden, bias=True)
    for name, gain in (("receptance", 1.0), ("key", 0.4), ("value", 1.0), ("output", 0.8)):
        weights.projection(f"{layer}.{name}", hidden, hidden, False, gain=gain)
    weights.projection(f"{layer}.ffn_key", intermediate, hidden, False)
    weights.projection(f"{layer}.ffn_value", hidden, intermediate, False, gain=0.5)


def finch_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    """Decays of exp(-exp(bias)): a row forgets within a token or keeps for hundreds."""
    weights, hidden, rank = Weights(seed), config["hidden"], config["mix_rank"]
    weights.embedding("tokens.weight", VOCABULARY, hidden)
    weights.norm("ln0", hidden, bias=True)
    for i in range(config["layers"]):
        layer = f"layers.{i}"
        common_tensors(weights, layer, config)
        for name in (*(f"maa_{word}" for word in f"x{FINCH_WORDS}"), "ffn_maa_k", "ffn_maa_r"):
            normal(weights, f"{layer}.{name}", hidden, 0.5, 0.3)
        for word in FINCH_WORDS:
            weights.projection(f"{layer}.mix_{word}_down", rank, hidden, False)
            weights.projection(f"{layer}.mix_{word}_up", hidden, rank, False, gain=0.5)
        weights.projection(f"{layer}.decay_down", config["decay_rank"], hidden, False)
        weights.projection(f"{layer}.decay_up", hidden, config["decay_rank"], False, gain=2.0)
        uniform(weights, f"{layer}.decay_up.bias", hidden, -6, 1)
        weights.projection(f"{layer}.gate", hidden, hidden, False)
        weights.projection(f"{layer}.ffn_receptance", hidden, hidden, False)
        normal(weights, f"{layer}.time_faaaa", hidden, 0, 1)
    weights.norm("norm", hidden, bias=True)
    return weights.tensors


def goose_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    """Decays of exp(-0.6 sigmoid(bias)): a column forgets within a few tokens or keeps for hundreds."""
    weights, hidden = Weights(seed), config["hidden"]
    weights.embedding("tokens.weight", VOCABULARY, hidden)
    weights.norm("ln0", hidden, bias=True)
    for i in range(config["layers"]):
        layer = f"layers.{i}"
        common_tensors(weights, layer, config)
        for name in (*(f"x_{word}" for word in GOOSE_WORDS), "ffn_x_k"):
            normal(weights, f"{layer}.{name}", hidden, 0.5, 0.3)
        ranks = {"w": config["decay_rank"], "a": config["rate_rank"], "g": config["gate_rank"]}
        for word, rank in (ranks | ({"v": config["value_rank"]} if i > 0 else {})).items():
            weights.projection(f"{layer}.{word}_down", rank, hidden, False)
            weights.projection(f"{layer}.{word}_up", hidden, rank, False, gain=2.0 if word in "wg" else 1.0)
        uniform(weights, f"{layer}.w_up.bias", hidden, -6, 2)
        normal(weights, f"{layer}.a_up.bias", hidden, 0, 1)
        if i > 0:
            normal(weights, f"{layer}.v_up.bias", hidden, 0, 1)
        normal(weights, f"{layer}.k_k", hidden, 0.8, 0.3)
        normal(weights, f"{layer}.k_a", hidden, 0.8, 0.3)
        weights.table(f"{layer}.r_k", config["heads"], config["head"])
    weights.norm("norm", hidden, bias=True)
    return weights.tensors


FINCH_CHANGES = [
    Change("no bonus", edit=zeroed("time_faaaa")),
    Change("the same shares of the token before for all tokens", {"shares": "of none"}),
    Change("a decay without its bias", edit=zeroed("decay_up.bias")),
    Change("states are read after they decay", {"read": "after decay"}),
    Change("heads' RMSNorm", {"group_norm": "root mean square"}),
    Change("a sigmoid gate", {"gate": "sigmoid"}),
    Change("the heads' eps 1e-5", {"head_eps": 1e-5}),
    Change("eps 1e-3", {"eps": 1e-3}),
]
GOOSE_CHANGES = [
    Change("no values of the first layer", {"first_values": False}),
    Change("keys that remove are not normed", {"removal_norm": False}),
    Change("keys that rates do not scale", edit=zeroed("k_a")),
    Change("no bonus", edit=zeroed("r_k")),
    Change("what is removed is read after the decay", {"removed_from": "decayed state"}),
    Change("decays up to exp(-1)", {"fastest_decay": 1.0}),
    Change("heads' RMSNorm", {"group_norm": "root mean square"}),
    Change("the heads' eps 1e-5", {"head_eps": 1e-5}),
]
