"""Positions that are told by the distance of a key: T5's buckets, as transformers computes them, and the keys of Shaw et
al., Self-Attention with Relative Position Representations (2018), from the paper, in numpy."""

from types import SimpleNamespace
from typing import Callable

import numpy as np
import torch
import transformers
from torch import nn
from transformers.models.t5.modeling_t5 import T5Attention, T5Stack

from numpy_layers import NumpyLayers, attended, heads
from spec_case import VOCABULARY, Change, zeroed
from weights import QUERY_KEY_GAIN, Weights

# ------------------------------------------------------------------------------------------------------ T5's stacks

T5 = {"d_model": 50, "d_kv": 14, "d_ff": 61, "num_layers": 3, "num_heads": 4, "vocab_size": VOCABULARY,
      "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128, "layer_norm_epsilon": 1e-6,
      "feed_forward_proj": "relu", "is_decoder": True, "dropout_rate": 0.0, "use_cache": False,
      "attn_implementation": "eager"}  # fmt: skip
T5_WHOLE = T5 | {"is_decoder": False, "feed_forward_proj": "gated-gelu", "relative_attention_num_buckets": 18,
                 "relative_attention_max_distance": 100}  # fmt: skip


class T5Alone(nn.Module):
    """A stack of T5 without the other one, under T5's tied head: a decoder that reads no source (its layers have no
    cross-attention), or an encoder."""

    def __init__(self, config: dict):
        super().__init__()
        settings = transformers.T5Config(**config, is_encoder_decoder=False)
        self.stack = T5Stack(settings)
        self.scale = settings.d_model**-0.5
        if settings.is_decoder:
            for block in self.stack.block:
                block.layer[1] = nn.Identity()

    def forward(self, tokens, **_):
        hidden = self.stack(input_ids=tokens, use_cache=False).last_hidden_state
        return SimpleNamespace(logits=(hidden * self.scale) @ self.stack.embed_tokens.weight.T)


def t5(config: dict) -> nn.Module:
    return T5Alone(config).eval()


def t5_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    weights, hidden, inner = Weights(seed), config["d_model"], config["num_heads"] * config["d_kv"]
    weights.embedding("stack.embed_tokens.weight", VOCABULARY, hidden)
    # The products are not divided by the root of a head's width.
    gain = QUERY_KEY_GAIN * config["d_kv"] ** -0.25
    for i in range(config["num_layers"]):
        attention, mlp = f"stack.block.{i}.layer.0", f"stack.block.{i}.layer.{2 if config['is_decoder'] else 1}"
        weights.norm(f"{attention}.layer_norm", hidden)
        for part, gain_of_part in {"q": gain, "k": gain, "v": 1.0}.items():
            weights.matrix(f"{attention}.SelfAttention.{part}.weight", inner, hidden, gain=gain_of_part)
        weights.matrix(f"{attention}.SelfAttention.o.weight", hidden, inner)
        weights.norm(f"{mlp}.layer_norm", hidden)
        for part in ("wi",) if config["feed_forward_proj"] == "relu" else ("wi_0", "wi_1"):
            weights.matrix(f"{mlp}.DenseReluDense.{part}.weight", config["d_ff"], hidden)
        weights.matrix(f"{mlp}.DenseReluDense.wo.weight", hidden, config["d_ff"])
    table = "stack.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    weights.table(table, config["relative_attention_num_buckets"], config["num_heads"])
    weights.norm("stack.final_layer_norm", hidden)
    return weights.tensors


def each_table(change: Callable) -> Callable[[nn.Module], None]:
    def edit(model):
        table = model.stack.block[0].layer[0].SelfAttention.relative_attention_bias.weight
        table.copy_(change(table))

    return edit


def in_the_first_layer_alone(model: nn.Module) -> None:
    """Layers after the first take its bias."""
    for block in model.stack.block[1:]:
        attention, forward = block.layer[0].SelfAttention, block.layer[0].SelfAttention.forward
        attention.forward = lambda *args, forward=forward, position_bias=None, **kwargs: forward(
            *args, position_bias=torch.zeros_like(position_bias), **kwargs
        )


bucket_of = T5Attention._relative_position_bucket


def buckets_by(change: Callable) -> tuple:
    """`change` gives other buckets of distances for those of T5's function."""
    return T5Attention, "_relative_position_bucket", staticmethod(change)


def of_the_other_side(distance, bidirectional=True, num_buckets=32, max_distance=128):
    return bucket_of(-distance, bidirectional, num_buckets, max_distance)


def in_a_line(distance, bidirectional=True, num_buckets=32, max_distance=128):
    """One distance a bucket as far as they go."""
    return (-distance).clamp(0, num_buckets - 1)


T5_CHANGES = [
    Change("no bias", edit=zeroed("relative_attention_bias.weight")),
    Change("a bias in the first layer alone", edit=in_the_first_layer_alone),
    Change("each head has the bias of the one before it", edit=each_table(lambda table: table.roll(1, dims=1))),
    Change("each bucket has the bias of the one before it", edit=each_table(lambda table: table.roll(1, dims=0))),
    Change("distances up to 64", {"relative_attention_max_distance": 64}),
    Change("distances up to 120", {"relative_attention_max_distance": 120}),
    Change("one distance a bucket", patch=buckets_by(in_a_line)),
    Change("eps 1e-5", {"layer_norm_epsilon": 1e-5}),
    Change("silu", {"feed_forward_proj": "silu"}),
]
T5_WHOLE_CHANGES = [
    Change("no bias", edit=zeroed("relative_attention_bias.weight")),
    Change("a bias in the first layer alone", edit=in_the_first_layer_alone),
    Change("keys after the query have the buckets of those before it", patch=buckets_by(of_the_other_side)),
    Change("distances up to 128", {"relative_attention_max_distance": 128}),
    Change("distances up to 96", {"relative_attention_max_distance": 96}),
    Change("eps 1e-5", {"layer_norm_epsilon": 1e-5}),
]

# ------------------------------------------------------------------------------------------------------ Shaw's keys

SHAW = {"hidden": 42, "intermediate": 61, "layers": 3, "heads": 3, "distance": 9, "eps": 1e-5}


class Shaw(nn.Module):
    """A decoder without a source, its norms before its parts as in the paper's own code, whose keys have a vector of
    their distance added (section 3.2, with the vectors of keys alone, the same for all heads of a layer) in place of
    positions. torch keeps the parameters; numpy computes, in their type."""

    def __init__(self, config: dict):
        super().__init__()
        self.config = SimpleNamespace(**config)
        hidden, head = config["hidden"], config["hidden"] // config["heads"]
        self.tokens = nn.Embedding(VOCABULARY, hidden)
        matrices = {name: (hidden, hidden) for name in ("w_q", "w_k", "w_v", "w_o")}
        matrices |= {"w_1": (hidden, config["intermediate"]), "w_2": (config["intermediate"], hidden)}
        self.layers = nn.ModuleList(
            nn.ModuleDict({name: nn.LayerNorm(hidden) for name in ("norm_a", "norm_b")}
                          | {"distances": nn.Embedding(2 * config["distance"] + 1, head)}
                          | {name: nn.Linear(i, o, bias=name in ("w_1", "w_2")) for name, (i, o) in matrices.items()})
            for _ in range(config["layers"])
        )  # fmt: skip
        self.norm = nn.LayerNorm(hidden)

    def forward(self, tokens, use_cache=False):
        config = self.config
        layers = NumpyLayers(self, config.eps)
        parameters, linear, norm = layers.parameters, layers.linear, layers.layer_norm
        ids = tokens[0].numpy()
        place, k = np.arange(len(ids)), config.distance
        clipped = np.clip(place[None] - place[:, None], -k, k)  # of row i and column j: j - i
        h = parameters["tokens.weight"][ids]
        for i in range(config.layers):
            layer = f"layers.{i}"
            x = norm(f"{layer}.norm_a", h)
            q, keys, v = (heads(linear(f"{layer}.{name}", x), config.heads) for name in ("w_q", "w_k", "w_v"))
            relative = parameters[f"{layer}.distances.weight"][clipped + k]  # [query, key, head]
            scores = q @ keys.swapaxes(1, 2) + np.einsum("hid,ijd->hij", q, relative)
            scores = scores / np.sqrt(q.shape[2]).astype(q.dtype)
            scores = np.where(place[None] <= place[:, None], scores, -np.inf)
            h = h + linear(f"{layer}.w_o", attended(scores, v))
            x = linear(f"{layer}.w_1", norm(f"{layer}.norm_b", h))
            h = h + linear(f"{layer}.w_2", np.maximum(x, 0))
        return SimpleNamespace(logits=torch.from_numpy(linear("tokens", norm("norm", h)))[None])


def shaw_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    weights, hidden, intermediate = Weights(seed), config["hidden"], config["intermediate"]
    weights.embedding("tokens.weight", VOCABULARY, hidden)
    for i in range(config["layers"]):
        for name, gain in {"w_q": QUERY_KEY_GAIN, "w_k": QUERY_KEY_GAIN, "w_v": 1.0, "w_o": 1.0}.items():
            weights.matrix(f"layers.{i}.{name}.weight", hidden, hidden, gain=gain)
        weights.table(f"layers.{i}.distances.weight", 2 * config["distance"] + 1, hidden // config["heads"])
        weights.norm(f"layers.{i}.norm_a", hidden, bias=True)
        weights.projection(f"layers.{i}.w_1", intermediate, hidden, True)
        weights.projection(f"layers.{i}.w_2", hidden, intermediate, True)
        weights.norm(f"layers.{i}.norm_b", hidden, bias=True)
    weights.norm("norm", hidden, bias=True)
    return weights.tensors


def each_distances(change: Callable) -> Callable[[nn.Module], None]:
    def edit(model):
        for layer in model.layers:
            layer["distances"].weight.copy_(change(layer["distances"].weight))

    return edit


def nearer(rows):
    """Those of distances up to 8, the furthest of which is that of all beyond."""
    return torch.cat((rows[1:2], rows[1:-1], rows[-2:-1]))


SHAW_CHANGES = [
    Change("no distances", edit=zeroed("distances.weight")),
    Change("distances of queries from keys", edit=each_distances(lambda rows: rows.flip(0))),
    Change("a distance less", edit=each_distances(nearer)),
    Change("each distance has the vector of the one before it", edit=each_distances(lambda rows: rows.roll(1, dims=0))),
    Change("eps 1e-6", {"eps": 1e-6}, near=True),
]
