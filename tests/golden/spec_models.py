"""The models of make_spec_goldens.py: what computes each, its tensors, and other models that its golden has to tell
from it. These are transformers' own; sparse_transformer.py and relative_positions.py have more.
"""

from typing import Callable

import numpy as np
import torch
import transformers
from torch import nn
from transformers.models.gpt_oss import modeling_gpt_oss
from transformers.models.gptj import modeling_gptj
from transformers.models.stablelm import modeling_stablelm

from case import TEXTS, sizes
from family_weights import gpt2_weights, llama_like_weights
from grok import GROK, GROK_CHANGES, Grok, grok_tensors
from normformer import NORMFORMER, NORMFORMER_CHANGES, NormFormer, normformer_tensors
from retention import GLA, GLA_CHANGES, RETNET, RETNET_CHANGES, GatedLinearAttention, RetNet, gla_tensors, retnet_tensors
from relative_positions import (
    SHAW,
    SHAW_CHANGES,
    T5,
    T5_CHANGES,
    T5_WHOLE,
    T5_WHOLE_CHANGES,
    Shaw,
    shaw_tensors,
    t5,
    t5_tensors,
)
from rwkv_papers import FINCH, FINCH_CHANGES, GOOSE, GOOSE_CHANGES, Finch, Goose, finch_tensors, goose_tensors
from scale_norm import SCALE_NORM, SCALE_NORM_CHANGES, ScaleNormDecoder, scale_norm_tensors
from sparse_transformer import SPARSE, SPARSE_CHANGES, SparseTransformer, sparse_tensors
from spec_case import VOCABULARY, Change, SpecCase, zeroed
from weights import QUERY_KEY_GAIN, Weights


def of_transformers(configuration: type, config: dict) -> nn.Module:
    made = transformers.AutoModelForCausalLM.from_config(configuration(**config), attn_implementation="eager")
    return made.eval()


def turn(first, second, cos, sin):
    return first * cos - second * sin, second * cos + first * sin


# ------------------------------------------------------------------------------------------- attention of GPT-OSS


class DenseMlp(nn.Module):
    """In place of the experts. The layer expects the router's scores beside the output."""

    def __init__(self, hidden: int, intermediate: int):
        super().__init__()
        self.gate_proj = nn.Linear(hidden, intermediate, bias=False)
        self.up_proj = nn.Linear(hidden, intermediate, bias=False)
        self.down_proj = nn.Linear(intermediate, hidden, bias=False)

    def forward(self, x):
        return self.down_proj(nn.functional.silu(self.gate_proj(x)) * self.up_proj(x)), None


YARN = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 64,
        "beta_fast": 8.0, "beta_slow": 1.0, "truncate": False}  # fmt: skip
SLIDING, FULL = "sliding_attention", "full_attention"
GPT_OSS = sizes(46, 61, 4, 4, 2, VOCABULARY, 18) | {
    "attention_bias": True, "attention_dropout": 0.0, "layer_types": [SLIDING, FULL] * 2,
    "max_position_embeddings": 512, "num_experts_per_tok": 1, "num_local_experts": 2, "rms_norm_eps": 1e-5,
    "rope_parameters": YARN, "sliding_window": 17, "tie_word_embeddings": False,
}  # fmt: skip


def gpt_oss(config: dict) -> nn.Module:
    model = of_transformers(transformers.GptOssConfig, config)
    for layer in model.model.layers:
        layer.mlp = DenseMlp(config["hidden_size"], config["intermediate_size"])
    return model


def gpt_oss_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    """Llama's, and sinks. These are larger than biases are: each is one score among many."""
    sinks = Weights(seed + 1)
    for i in range(config["num_hidden_layers"]):
        sinks.vector(f"model.layers.{i}.self_attn.sinks", config["num_attention_heads"], gain=2.0)
    return llama_like_weights(config | {"model_type": "gpt_oss"}, seed) | sinks.tensors


def each_sinks(change: Callable) -> Callable[[nn.Module], None]:
    def edit(model):
        for layer in model.model.layers:
            layer.self_attn.sinks.copy_(change(layer.self_attn.sinks))

    return edit


def neighbours_of_gpt_oss(x, cos, sin):
    return torch.stack(turn(x[..., ::2], x[..., 1::2], cos, sin), dim=-1).flatten(-2)


GPT_OSS_CHANGES = [
    Change("no sinks", edit=each_sinks(lambda sinks: torch.full_like(sinks, -1e30))),
    Change("sinks of 0", edit=each_sinks(torch.zeros_like)),
    Change("each head has the sink of the one before it", edit=each_sinks(lambda sinks: sinks.roll(1))),
    Change("a window of 16", {"sliding_window": 16}),
    Change("a window of 18", {"sliding_window": 18}),
    Change("no window", {"layer_types": [FULL] * 4}),
    Change("a window in every layer", {"layer_types": [SLIDING] * 4}),
    Change("windows in the other layers", {"layer_types": [FULL, SLIDING] * 2}),
    Change("no scaling", {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}}),
    Change("ends of the ramp are rounded", {"rope_parameters": YARN | {"truncate": True}}),
    Change("beta_fast 32", {"rope_parameters": YARN | {"beta_fast": 32.0}}),
    Change("factor 5", {"rope_parameters": YARN | {"factor": 5.0}}),
    Change("attention_factor 1", {"rope_parameters": YARN | {"attention_factor": 1.0}}),
    Change("original length 128", {"rope_parameters": YARN | {"original_max_position_embeddings": 128}}),
    Change("neighbours turn together", patch=(modeling_gpt_oss, "_apply_rotary_emb", neighbours_of_gpt_oss)),
    Change("eps 1e-6", {"rms_norm_eps": 1e-6}),
    *(Change(f"no bias of {part}", edit=zeroed(f"{part}_proj.bias")) for part in "qkvo"),
]


# ---------------------------------------------------------------------------------------------- rotation of GPT-J

GPT_J = {"n_embd": 60, "n_head": 4, "n_inner": 61, "n_layer": 3, "n_positions": 512, "rotary_dim": 10,
         "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "vocab_size": VOCABULARY, "bos_token_id": 1,
         "eos_token_id": 2, "tie_word_embeddings": False}  # fmt: skip


def gpt_j(config: dict) -> nn.Module:
    """Without the head's bias, which a spec has no word for."""
    model = of_transformers(transformers.GPTJConfig, config)
    model.lm_head.bias = None
    return model


def gpt_j_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    weights, hidden, intermediate = Weights(seed), config["n_embd"], config["n_inner"]
    weights.embedding("transformer.wte.weight", config["vocab_size"], hidden)
    for i in range(config["n_layer"]):
        layer = f"transformer.h.{i}"
        weights.norm(f"{layer}.ln_1", hidden, bias=True)
        for part, gain in {"q": QUERY_KEY_GAIN, "k": QUERY_KEY_GAIN, "v": 1.0, "out": 1.0}.items():
            weights.matrix(f"{layer}.attn.{part}_proj.weight", hidden, hidden, gain=gain)
        weights.projection(f"{layer}.mlp.fc_in", intermediate, hidden, True)
        weights.projection(f"{layer}.mlp.fc_out", hidden, intermediate, True)
    weights.norm("transformer.ln_f", hidden, bias=True)
    weights.matrix("lm_head.weight", config["vocab_size"], hidden)
    return weights.tensors


def halves_of_gpt_j(x, sin, cos):
    return torch.cat(turn(*x.chunk(2, dim=-1), cos[:, :, None], sin[:, :, None]), dim=-1)


def positions_by_another_base(count, size):
    angles = torch.arange(count).float()[:, None] / 20000.0 ** (torch.arange(0, size, 2) / size)
    return torch.cat((angles.sin(), angles.cos()), dim=1)


def one_after_the_other(block, hidden_states, **others):
    attended, weights = block.attn(hidden_states=block.ln_1(hidden_states), **others)
    hidden_states = hidden_states + attended
    return hidden_states + block.mlp(block.ln_1(hidden_states)), weights


GPT_J_CHANGES = [
    Change("halves turn together", patch=(modeling_gptj, "apply_rotary_pos_emb", halves_of_gpt_j)),
    Change("8 elements turn", {"rotary_dim": 8}),
    Change("14 elements turn", {"rotary_dim": 14}),
    Change("another base", patch=(modeling_gptj, "create_sinusoidal_positions", positions_by_another_base)),
    Change("one after the other", patch=(modeling_gptj.GPTJBlock, "forward", one_after_the_other)),
    Change("gelu by erf", {"activation_function": "gelu"}, near=True),
    Change("silu", {"activation_function": "silu"}),
    Change("eps 1e-6", {"layer_norm_epsilon": 1e-6}),
]


# ---------------------------------------------------------------------------------------------- norms of StableLM

STABLELM = sizes(64, 61, 2, 4, 2, VOCABULARY) | {
    "hidden_act": "silu", "layer_norm_eps": 1e-5, "max_position_embeddings": 512, "qk_layernorm": True,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25},
    "tie_word_embeddings": False, "use_parallel_residual": False, "use_qkv_bias": False,
}  # fmt: skip


def stablelm(config: dict) -> nn.Module:
    return of_transformers(transformers.StableLmConfig, config)


def stablelm_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    weights, hidden, intermediate = Weights(seed), config["hidden_size"], config["intermediate_size"]
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    head_dim = hidden // heads
    weights.embedding("model.embed_tokens.weight", config["vocab_size"], hidden)
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        weights.norm(f"{layer}.input_layernorm", hidden, bias=True)
        for part, rows in {"q": hidden, "k": kv_heads * head_dim, "v": kv_heads * head_dim, "o": hidden}.items():
            weights.matrix(f"{layer}.self_attn.{part}_proj.weight", rows, hidden)
        for part, count in {"q": heads, "k": kv_heads}.items():
            for head in range(count):
                weights.norm(f"{layer}.self_attn.{part}_layernorm.norms.{head}", head_dim, gain=QUERY_KEY_GAIN)
        weights.norm(f"{layer}.post_attention_layernorm", hidden, bias=True)
        weights.matrix(f"{layer}.mlp.gate_proj.weight", intermediate, hidden)
        weights.matrix(f"{layer}.mlp.up_proj.weight", intermediate, hidden)
        weights.matrix(f"{layer}.mlp.down_proj.weight", hidden, intermediate)
    weights.norm("model.norm", hidden, bias=True)
    weights.matrix("lm_head.weight", config["vocab_size"], hidden)
    return weights.tensors


def norms_of_heads_stacked(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The library has a tensor for each head's norm; the file has one for all heads of a layer, a row a head."""
    stored, rows = {}, {}
    for name, tensor in tensors.items():
        norm, separator, _ = name.partition(".norms.")
        if separator:
            rows.setdefault(f"{norm}.weight", []).append(tensor)
        else:
            stored[name] = tensor
    return stored | {name: torch.stack(heads) for name, heads in rows.items()}


def neighbours_of_stablelm(q, k, cos, sin):
    cos, sin = (x[:, None, :, : x.shape[-1] // 2] for x in (cos, sin))
    return tuple(torch.stack(turn(x[..., ::2], x[..., 1::2], cos, sin), dim=-1).flatten(-2) for x in (q, k))


def each_norm(change: Callable) -> Callable[[nn.Module], None]:
    """change: gives other norms for those of the heads of a layer, queries' and keys' in turn."""

    def edit(model):
        for layer in model.model.layers:
            for norms in (layer.self_attn.q_layernorm, layer.self_attn.k_layernorm):
                norms.norms = nn.ModuleList(change(list(norms.norms)))

    return edit


def rms_norm(norm: nn.LayerNorm) -> nn.RMSNorm:
    made = nn.RMSNorm(norm.normalized_shape, eps=norm.eps)
    made.weight = norm.weight
    return made


def rms_norms_of_layers(model: nn.Module) -> None:
    for layer in model.model.layers:
        layer.input_layernorm = rms_norm(layer.input_layernorm)
        layer.post_attention_layernorm = rms_norm(layer.post_attention_layernorm)


def without_norms_of(part: str) -> Callable[[nn.Module], None]:
    def edit(model):
        for layer in model.model.layers:
            setattr(layer.self_attn, f"{part}_layernorm", nn.Identity())

    return edit


def rotary(share: float) -> dict:
    return {"rope_parameters": STABLELM["rope_parameters"] | {"partial_rotary_factor": share}}


STABLELM_CHANGES = [
    Change("no norms of heads", {"qk_layernorm": False}),
    Change("no norms of queries", edit=without_norms_of("q")),
    Change("no norms of keys", edit=without_norms_of("k")),
    Change("one norm for all heads", edit=each_norm(lambda norms: norms[:1] * len(norms))),
    Change("norms of heads in reverse", edit=each_norm(lambda norms: norms[::-1])),
    Change("rms norms of heads", edit=each_norm(lambda norms: [rms_norm(norm) for norm in norms])),
    Change("rms norms in the layers", edit=rms_norms_of_layers),
    Change("no bias of the norms of the layers", edit=zeroed("layernorm.bias")),
    Change("neighbours turn together", patch=(modeling_stablelm, "apply_rotary_pos_emb", neighbours_of_stablelm)),
    Change("half of a head turns", rotary(0.5)),
    Change("attention and MLP side by side", {"use_parallel_residual": True}),
    Change("eps 1e-6", {"layer_norm_eps": 1e-6}),
]


# ------------------------------------------------------------------------------------- GPT-2 that is scaled by layer

GPT2_BY_LAYER = {"n_embd": 36, "n_head": 3, "n_inner": 61, "n_layer": 4, "n_positions": 300, "vocab_size": VOCABULARY,
                 "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "scale_attn_weights": True,
                 "scale_attn_by_inverse_layer_idx": True, "bos_token_id": 1, "eos_token_id": 2,
                 "tie_word_embeddings": False}  # fmt: skip


def gpt2_by_layer(config: dict) -> nn.Module:
    return of_transformers(transformers.GPT2Config, config)


def gpt2_by_layer_tensors(config: dict, seed: int) -> dict[str, np.ndarray]:
    head = Weights(seed + 1)
    head.matrix("lm_head.weight", config["vocab_size"], config["n_embd"])
    return gpt2_weights(config, seed, "transformer.") | head.tensors


def each_divisor(change: Callable[[int], float]) -> Callable[[nn.Module], None]:
    """change: gives what the layer of this number divides by."""

    def edit(model):
        for layer, block in enumerate(model.transformer.h):
            block.attn.scaling = block.attn.head_dim**-0.5 / change(layer)

    return edit


GPT2_BY_LAYER_CHANGES = [
    Change("no division by layer", {"scale_attn_by_inverse_layer_idx": False}),
    Change("layers are numbered from 1 more", edit=each_divisor(lambda layer: layer + 2)),
    Change("layers are numbered from the last", edit=each_divisor(lambda layer: 4 - layer)),
    Change("all layers divide as the second does", edit=each_divisor(lambda layer: 2)),
    Change("the last layer divides as the one before it", edit=each_divisor(lambda layer: min(layer + 1, 3))),
    Change("division by the root of the number", edit=each_divisor(lambda layer: (layer + 1) ** 0.5)),
    Change("no division by the width", {"scale_attn_weights": False}),
]


def spec_cases() -> list[SpecCase]:
    return [
        SpecCase("gpt-oss-attention", 4001,
                 "a sink for each head; windows of 17 in every other layer; yarn by 4 from 64 positions, ends of its "
                 "ramp not rounded; biases on q, k, v, o; the MLP is a dense one",
                 "GptOssForCausalLM with dense MLPs", GPT_OSS, gpt_oss, gpt_oss_tensors, GPT_OSS_CHANGES),
        SpecCase("sparse-transformer", 4002,
                 "masks of its own: layers alternate between the strided pattern, l = 8, and the fixed one, l = 16 and "
                 "c = 2; learned positions, x * sigmoid(1.702 * x)",
                 "numpy, from Child et al. 2019", SPARSE, SparseTransformer, sparse_tensors, SPARSE_CHANGES,
                 in_double=True),
        SpecCase("gpt-j-rotation", 4003,
                 "neighbours turn together, in 10 of a head's 15 elements; attention and MLP side by side share one "
                 "LayerNorm",
                 "GPTJForCausalLM without its head's bias", GPT_J, gpt_j, gpt_j_tensors, GPT_J_CHANGES),
        SpecCase("stablelm-norms", 4004,
                 "LayerNorm of each head's queries and keys, with weights of its own and no bias; LayerNorms with "
                 "bias; a quarter of 16 turns",
                 "StableLmForCausalLM", STABLELM, stablelm, stablelm_tensors, STABLELM_CHANGES,
                 stored=norms_of_heads_stacked),
        SpecCase("t5-decoder", 4007,
                 "T5's decoder without a source: a bias of each of 32 buckets of distances and head, one table for all "
                 "layers, products that are not scaled, a tied head that is",
                 "T5Stack, a decoder without cross-attention", T5, t5, t5_tensors, T5_CHANGES),
        SpecCase("t5-encoder", 4008,
                 "T5's encoder under its head: a token sees the whole text, which is one pass; 9 buckets of keys before "
                 "a query and 9 of those after it; a gated GELU",
                 "T5Stack, an encoder", T5_WHOLE, t5, t5_tensors, T5_WHOLE_CHANGES, calls=TEXTS),
        SpecCase("shaw-keys", 4009,
                 "keys to which a vector of their distance is added, of distances up to 9",
                 "numpy, from Shaw et al. 2018", SHAW, Shaw, shaw_tensors, SHAW_CHANGES, in_double=True),
        SpecCase("gpt2-by-layer", 4010,
                 "a GPT-2 whose scores each layer divides by its number, from 1",
                 "GPT2LMHeadModel with scale_attn_by_inverse_layer_idx", GPT2_BY_LAYER, gpt2_by_layer,
                 gpt2_by_layer_tensors, GPT2_BY_LAYER_CHANGES),
        SpecCase("normformer", 4011,
                 "a learned number for each head, a norm of attention's output, a norm inside the MLP; learned positions, "
                 "tied",
                 "numpy, from Shleifer et al. 2021", NORMFORMER, NormFormer, normformer_tensors, NORMFORMER_CHANGES,
                 in_double=True),
        SpecCase("scale-norm", 4012,
                 "norms by one learned number, Vaswani's sines and cosines in turn beside embeddings times sqrt(d), tied",
                 "numpy, from Nguyen and Salazar 2019", SCALE_NORM, ScaleNormDecoder, scale_norm_tensors,
                 SCALE_NORM_CHANGES, in_double=True),
        SpecCase("retnet", 4014,
                 "heads that forget by constants, queries and keys that turn, a norm of heads without weights, a gate; tied",
                 "numpy, from Sun et al. 2023", RETNET, RetNet, retnet_tensors, RETNET_CHANGES, in_double=True),
        SpecCase("gla", 4015,
                 "heads whose rows forget by gates of a short vector, a norm of heads, a gate with a bias; tied",
                 "numpy, from Yang et al. 2023", GLA, GatedLinearAttention, gla_tensors, GLA_CHANGES, in_double=True),
        SpecCase("finch", 4016,
                 "RWKV-6: tokens mixed with the ones before by shares of their own making, rows that forget by them, a bonus, "
                 "norms of each head; tied",
                 "numpy, from Peng et al. 2024", FINCH, Finch, finch_tensors, FINCH_CHANGES, in_double=True),
        SpecCase("goose", 4017,
                 "RWKV-7: heads that erase a part of what their removal keys read, before they write; values mixed with "
                 "those of the first layer; norms of each head; tied",
                 "numpy, from Peng et al. 2025", GOOSE, Goose, goose_tensors, GOOSE_CHANGES, in_double=True),
        SpecCase("grok", 4013,
                 "two of five experts by their shares of all, scores that tanh limits, norms before and after each "
                 "sub-block; embeddings times sqrt(d), logits over sqrt(3), tied",
                 "numpy, from xai-org/grok-1", GROK, Grok, grok_tensors, GROK_CHANGES, in_double=True),
    ]  # fmt: skip
