"""Families of the hub whose code transformers does not have: what their published code computes, written from its formulas,
as classes that transformers finds by `model_type` once this file is imported.

    OpenELM   configuration_openelm.py and modeling_openelm.py of apple/OpenELM-270M (Mehta et al. 2024)
    LLaDA     configuration_llada.py and modeling_llada.py of GSAI-ML/LLaDA-8B-Base (Nie et al. 2025)

Keys, defaults and the names of parameters are those of the published code. What it computes otherwise by keys that no
published checkpoint sets (ALiBi, other blocks) is refused here, as it is by the families.
"""

import math
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedConfig, PreTrainedModel
from transformers.activations import ACT2FN


def turned(x: torch.Tensor, theta: float) -> torch.Tensor:
    """x: [..., tokens, head_dim], of positions from 0 on. Halves turn by f32 position times f32 frequency."""
    half = x.shape[-1] // 2
    exponents = np.arange(half, dtype=np.float32) / np.float32(half)
    frequencies = np.float32(1) / np.power(float(theta), exponents.astype(np.float64)).astype(np.float32)
    angles = torch.from_numpy(np.arange(x.shape[-2], dtype=np.float32)[:, None] * frequencies)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def attended(q, k, v, *, causal: bool) -> torch.Tensor:
    """q: [1, heads, tokens, head_dim], k and v of fewer heads, each of which neighbours share: [1, tokens, q_size]."""
    shared = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(shared, dim=1) for x in (k, v))
    return functional.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(1, 2).flatten(2)


# --------------------------------------------------------------------------------------------------------- OpenELM


def divisible(value: float, divisor: int) -> int:
    """The multiple of `divisor` that is nearest, not 0, and the next one where that is below nine tenths of `value`."""
    nearest = max(divisor, math.floor(value + divisor / 2) // divisor * divisor)
    return nearest + divisor if nearest < 0.9 * value else nearest


def by_layer(multipliers, layers: int) -> list[float]:
    """One number for all layers, the first and the last one's, or those of each."""
    if isinstance(multipliers, (int, float)):
        return [multipliers] * layers
    if len(multipliers) == 2:
        return [float(each.round(2)) for each in np.linspace(*multipliers, num=layers)]
    return list(multipliers)


class OpenELMConfig(PreTrainedConfig):
    """Heads of queries follow from qkv_multipliers, whatever num_query_heads says; those of keys may be said."""

    model_type = "openelm"

    vocab_size: int = 32000
    max_context_length: int = 2048
    num_transformer_layers: int = 12
    model_dim: int = 2048
    head_dim: int = 128
    qkv_multipliers: float | list[float] = 1.0
    num_query_heads: list[int] | None = None
    num_kv_heads: list[int] | None = None
    num_gqa_groups: int = 1
    ffn_multipliers: float | list[float] = 4.0
    ffn_with_glu: bool = True
    ffn_dim_divisor: int = 256
    activation_fn_name: str = "swish"
    normalization_layer_name: str = "rms_norm"
    normalize_qk_projections: bool = False
    share_input_output_layers: bool = False
    rope_freq_constant: int = 10000
    rope_max_length: int = 4096
    initializer_range: float = 0.02
    use_cache: bool = True
    bos_token_id: int = 1
    eos_token_id: int = 2
    tie_word_embeddings: bool = True  # of every class, when the code was published

    def __post_init__(self, **kwargs):
        layers, divisor = self.num_transformer_layers, self.head_dim * self.num_gqa_groups
        widths = [divisible(self.model_dim * each, divisor) for each in by_layer(self.qkv_multipliers, layers)]
        self.num_query_heads = [width // self.head_dim for width in widths]
        if self.num_kv_heads is None:
            self.num_kv_heads = [heads // self.num_gqa_groups for heads in self.num_query_heads]
        self.ffn_multipliers = by_layer(self.ffn_multipliers, layers)
        if len(self.ffn_multipliers) != layers:
            raise ValueError(f"ffn_multipliers has {len(self.ffn_multipliers)} entries for {layers} layers")
        super().__post_init__(**kwargs)


class OpenELMAttention(nn.Module):
    def __init__(self, config, layer):
        super().__init__()
        self.heads, self.kv_heads = config.num_query_heads[layer], config.num_kv_heads[layer]
        self.config, head_dim = config, config.head_dim
        self.qkv_proj = nn.Linear(config.model_dim, (self.heads + 2 * self.kv_heads) * head_dim, bias=False)
        if config.normalize_qk_projections:
            self.q_norm, self.k_norm = nn.RMSNorm(head_dim, eps=1e-6), nn.RMSNorm(head_dim, eps=1e-6)
        else:
            self.q_norm = self.k_norm = nn.Identity()
        self.out_proj = nn.Linear(self.heads * head_dim, config.model_dim, bias=False)

    def forward(self, x):
        qkv = self.qkv_proj(x).unflatten(-1, (-1, self.config.head_dim)).transpose(1, 2)
        q, k, v = qkv.split([self.heads, self.kv_heads, self.kv_heads], dim=1)
        q, k = (turned(norm(each), self.config.rope_freq_constant) for norm, each in ((self.q_norm, q), (self.k_norm, k)))
        return self.out_proj(attended(q, k, v, causal=True))


class OpenELMFeedForward(nn.Module):
    def __init__(self, config, layer):
        super().__init__()
        inner = divisible(config.ffn_multipliers[layer] * config.model_dim, config.ffn_dim_divisor)
        self.gated, self.activation = config.ffn_with_glu, ACT2FN[config.activation_fn_name]
        self.proj_1 = nn.Linear(config.model_dim, 2 * inner if self.gated else inner, bias=False)
        self.proj_2 = nn.Linear(inner, config.model_dim, bias=False)

    def forward(self, x):
        inner = self.proj_1(x)
        if not self.gated:
            return self.proj_2(self.activation(inner))
        gate, up = inner.chunk(2, dim=-1)
        return self.proj_2(self.activation(gate) * up)


class OpenELMLayer(nn.Module):
    def __init__(self, config, layer):
        super().__init__()
        self.attn, self.ffn = OpenELMAttention(config, layer), OpenELMFeedForward(config, layer)
        self.attn_norm, self.ffn_norm = (nn.RMSNorm(config.model_dim, eps=1e-6) for _ in range(2))

    def forward(self, x):
        x = x + self.attn(self.attn_norm(x))
        return x + self.ffn(self.ffn_norm(x))


class OpenELMForCausalLM(PreTrainedModel):
    """Beside a head of its own a model has a `classifier`, which nothing reads."""

    config_class = OpenELMConfig
    base_model_prefix = "transformer"
    _supports_sdpa = True

    def __init__(self, config):
        super().__init__(config)
        self.transformer = nn.Module()
        self.transformer.token_embeddings = nn.Embedding(config.vocab_size, config.model_dim)
        layers = range(config.num_transformer_layers)
        self.transformer.layers = nn.ModuleList(OpenELMLayer(config, layer) for layer in layers)
        self.transformer.norm = nn.RMSNorm(config.model_dim, eps=1e-6)
        self.lm_head = None
        if not config.share_input_output_layers:
            self._tied_weights_keys = {"lm_head.weight": "transformer.token_embeddings.weight"}
            self.transformer.classifier, self.lm_head = (
                nn.Linear(config.model_dim, config.vocab_size, bias=False) for _ in range(2)
            )
        self.post_init()

    def get_input_embeddings(self):
        return self.transformer.token_embeddings

    def get_output_embeddings(self):
        return self.lm_head

    def forward(self, input_ids, **_):
        x = self.transformer.token_embeddings(input_ids)
        for layer in self.transformer.layers:
            x = layer(x)
        head = (self.lm_head or self.transformer.token_embeddings).weight
        return SimpleNamespace(logits=functional.linear(self.transformer.norm(x), head))


# ----------------------------------------------------------------------------------------------------------- LLaDA


class LLaDAConfig(PreTrainedConfig):
    model_type = "llada"

    d_model: int = 768
    n_heads: int = 12
    n_kv_heads: int | None = None
    n_layers: int = 12
    mlp_ratio: int = 4
    mlp_hidden_size: int | None = None
    activation_type: str = "swiglu"
    block_type: str = "sequential"
    block_group_size: int = 1
    alibi: bool = False
    alibi_bias_max: float = 8.0
    rope: bool = False
    rope_full_precision: bool = True
    flash_attention: bool = False
    attention_dropout: float = 0.1
    multi_query_attention: bool | None = None
    attention_layer_norm: bool = False
    residual_dropout: float = 0.1
    embedding_dropout: float = 0.1
    input_emb_norm: bool = False
    layer_norm_type: str = "default"
    layer_norm_with_affine: bool = True
    rms_norm_eps: float = 1e-5
    attention_layer_norm_with_affine: bool = True
    max_sequence_length: int = 1024
    rope_theta: float = 10000.0
    include_qkv_bias: bool = False
    include_bias: bool = False
    bias_for_layer_norm: bool | None = None
    scale_logits: bool = False
    vocab_size: int = 50257
    embedding_size: int | None = 50304
    weight_tying: bool = True
    eos_token_id: int = 50256
    pad_token_id: int = 50256
    mask_token_id: int | None = 50256
    init_device: str | None = None
    init_fn: str = "normal"
    init_std: float = 0.02
    init_cutoff_factor: float | None = None
    precision: str | None = None
    use_cache: bool = False
    tie_word_embeddings: bool = False  # weight_tying is read in its place

    @property
    def num_key_value_heads(self) -> int:
        wanted = {None: self.n_kv_heads or self.n_heads, True: 1, False: self.n_heads}[self.multi_query_attention]
        if self.n_kv_heads not in (None, wanted):
            raise ValueError("n_kv_heads and multi_query_attention disagree")
        return wanted


class LLaDARMSNorm(nn.Module):
    """Before its bias, if it has one, comes its weight."""

    def __init__(self, size, eps, affine, bias):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size)) if affine else None
        self.bias = nn.Parameter(torch.zeros(size)) if affine and bias else None

    def forward(self, x):
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
        x = x if self.weight is None else self.weight * x
        return x if self.bias is None else x + self.bias


def llada_norm(config, size=None, affine=None):
    """Of `layer_norm_type`, over `size` elements."""
    size = size or config.d_model
    affine = config.layer_norm_with_affine if affine is None else affine
    bias = config.include_bias if config.bias_for_layer_norm is None else config.bias_for_layer_norm
    if config.layer_norm_type == "rms":
        return LLaDARMSNorm(size, config.rms_norm_eps, affine, bias)
    if config.layer_norm_type == "default":
        return nn.LayerNorm(size, eps=1e-5, elementwise_affine=affine, bias=bias)
    raise NotImplementedError(f"layer_norm_type {config.layer_norm_type}")


class LLaDABlock(nn.Module):
    def __init__(self, config):
        super().__init__()
        hidden, bias = config.d_model, config.include_bias
        inner = config.mlp_ratio * hidden if config.mlp_hidden_size is None else config.mlp_hidden_size
        self.config, self.head_dim = config, hidden // config.n_heads
        kv_size, qkv_bias = config.num_key_value_heads * self.head_dim, bias or config.include_qkv_bias
        self.q_norm = self.k_norm = nn.Identity()
        if config.attention_layer_norm:
            affine = config.attention_layer_norm_with_affine
            self.k_norm, self.q_norm = llada_norm(config, kv_size, affine), llada_norm(config, affine=affine)
        self.activation = {"gelu": nn.GELU(), "relu": nn.ReLU(), "silu": nn.SiLU()}[config.activation_type]
        self.attn_out, self.ff_out = nn.Linear(hidden, hidden, bias=bias), nn.Linear(inner, hidden, bias=bias)
        self.attn_norm, self.ff_norm = llada_norm(config), llada_norm(config)
        self.q_proj = nn.Linear(hidden, hidden, bias=qkv_bias)
        self.k_proj, self.v_proj = (nn.Linear(hidden, kv_size, bias=qkv_bias) for _ in range(2))
        self.ff_proj, self.up_proj = (nn.Linear(hidden, inner, bias=bias) for _ in range(2))

    def forward(self, x):
        normed = self.attn_norm(x)
        projected = self.q_norm(self.q_proj(normed)), self.k_norm(self.k_proj(normed)), self.v_proj(normed)
        q, k, v = (each.unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for each in projected)
        q, k = turned(q, self.config.rope_theta), turned(k, self.config.rope_theta)
        x = x + self.attn_out(attended(q, k, v, causal=False))
        normed = self.ff_norm(x)
        return x + self.ff_out(self.activation(self.ff_proj(normed)) * self.up_proj(normed))


class LLaDAModelLM(PreTrainedModel):
    """A text is read whole: nothing is kept of it, whatever the caller asks."""

    config_class = LLaDAConfig
    base_model_prefix = "model"
    _supports_sdpa = True

    def __init__(self, config):
        super().__init__(config)
        if config.block_type != "llama" or config.block_group_size != 1 or config.alibi or not config.rope:
            raise NotImplementedError("other blocks than Llama's, blocks in groups, or positions that do not turn")
        rows = config.embedding_size or config.vocab_size
        if rows < config.vocab_size or config.d_model % config.n_heads != 0:
            raise ValueError("embedding_size is below vocab_size, or n_heads does not divide d_model")
        parts = {"wte": nn.Embedding(rows, config.d_model), "ln_f": llada_norm(config)}
        parts["blocks"] = nn.ModuleList(LLaDABlock(config) for _ in range(config.n_layers))
        if not config.weight_tying:
            parts["ff_out"] = nn.Linear(config.d_model, rows, bias=config.include_bias)
        self.model = nn.Module()
        self.model.transformer = nn.ModuleDict(parts)
        self.post_init()

    def get_input_embeddings(self):
        return self.model.transformer["wte"]

    def get_output_embeddings(self):
        return self.model.transformer["wte" if self.config.weight_tying else "ff_out"]

    def forward(self, input_ids, **_):
        parts, config = self.model.transformer, self.config
        x = parts["wte"](input_ids)
        if config.input_emb_norm:
            x = x * config.d_model**0.5
        for block in parts["blocks"]:
            x = block(x)
        x = parts["ln_f"](x)
        logits = functional.linear(x, parts["wte"].weight) if config.weight_tying else parts["ff_out"](x)
        return SimpleNamespace(logits=logits / math.sqrt(config.d_model) if config.scale_logits else logits)


CLASSES = (OpenELMForCausalLM, LLaDAModelLM)
for published in CLASSES:
    AutoConfig.register(published.config_class.model_type, published.config_class)
    AutoModelForCausalLM.register(published.config_class, published)
