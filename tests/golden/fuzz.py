"""Random configurations of the golden families, for differential fuzzing."""

from collections.abc import Iterator

import numpy as np

import cases_of_blooms
import cases_of_gemmas
import cases_of_gpts
import cases_of_llamas
from case import DTYPES, Case, respelled, sizes

GROUP_SIZES = [1, 3, 5, 7, 16]
HEAD_DIMS = list(range(24, 258, 2))
COMMON_HEAD_DIMS = [64, 80, 96, 128, 256]
ACTIVATIONS = [
    "gelu", "gelu_10", "gelu_accurate", "gelu_fast", "gelu_new", "gelu_python", "gelu_python_tanh", "gelu_pytorch_tanh",
    "hardswish", "laplace", "leaky_relu", "linear", "mish", "quick_gelu", "relu", "relu2", "relu6", "sigmoid", "silu",
    "sqrtsoftplus", "swish", "tanh",
]  # fmt: skip
WINDOWS = [1, 2, 5, 31, 32, 33, 64, 100, 255, 256, 299, 300, 301]


def random_cases(count: int, seed: int) -> Iterator[tuple[Case, str]]:
    """Case number i of a seed is the same whatever the count."""
    for i in range(count):
        random = np.random.Generator(np.random.PCG64([seed, i]))
        yield random_case(Dice(random), f"fuzz-{seed}-{i}", seed * 1_000_003 + i), str(random.choice(list(DTYPES)))


class Dice:
    def __init__(self, random):
        self.random = random

    def pick(self, options):
        return options[self.random.integers(len(options))]

    def coin(self):
        return bool(self.random.integers(2))

    def number(self, least, most):
        return int(self.random.integers(least, most + 1))

    def real(self, least, most):
        """Of few digits, so that it reads well in a config.json."""
        return round(float(self.random.uniform(least, most)), 2)


def random_case(dice: Dice, name: str, seed: int) -> Case:
    family = dice.pick(["llama", "mistral", "qwen2", "qwen3", "gpt2", "gpt_neox", "gemma2", "gemma3", "bloom"])
    vocab_size, layers = dice.number(97, 261), dice.number(1, 3)
    random_family = {"gpt2": random_gpt2, "gpt_neox": random_gpt_neox, "gemma2": random_gemma2, "gemma3": random_gemma3,
                     "bloom": random_bloom}  # fmt: skip
    if family in random_family:
        config, dtype_key, checkpoint = random_family[family](dice, vocab_size, layers)
    else:
        config, dtype_key, checkpoint = random_llama_like(dice, family, vocab_size, layers)
    return Case(name, seed, describe(config), config, dtype_key, checkpoint)


def random_gpt2(dice, vocab_size, layers):
    positions, heads = dice.number(512, 1024), dice.number(1, 9)
    config = cases_of_gpts.gpt2(
        n_embd=heads * dice.number(5, 41), n_head=heads, n_layer=layers, vocab_size=vocab_size, n_positions=positions,
        n_ctx=positions, activation_function=dice.pick(["gelu_new", "gelu_new", "gelu", "relu"]),
        layer_norm_epsilon=dice.pick([1e-5, 1e-6, 1e-12]),
    )  # fmt: skip
    if dice.coin():
        config["n_inner"] = dice.number(30, 299)
    return config, None, {"prefix": dice.pick(["", "transformer."])}


def random_gpt_neox(dice, vocab_size, layers):
    heads, head_dim = dice.number(1, 7), 2 * dice.number(4, 48)
    share = dice.pick([share for share in (0.25, 0.5, 0.75, 1.0) if int(share * head_dim) % 2 == 0])
    keys = sizes(heads * head_dim, dice.number(30, 299), layers, heads, None, vocab_size)
    keys |= {
        "hidden_act": dice.pick(ACTIVATIONS), "layer_norm_eps": dice.pick([1e-5, 1e-6]),
        "max_position_embeddings": dice.number(300, 400), "tie_word_embeddings": dice.coin(),
        "use_parallel_residual": dice.coin(),
    }  # fmt: skip
    theta = dice.pick([10000, 25000.0])
    if dice.coin():
        config = cases_of_gpts.gpt_neox(rotary_pct=share, rotary_emb_base=theta, **keys)
        return config, "torch_dtype", {"masks": dice.coin()}
    rotary = {"partial_rotary_factor": share, "rope_theta": theta, "rope_type": "default"}
    return cases_of_gpts.gpt_neox_5(attention_bias=dice.coin(), rope_parameters=rotary, **keys), "dtype", {}


def random_gemma(dice, vocab_size, layers):
    """What Gemma 2 and 3 have, and kinds of layers."""
    group_size, kv_heads = dice.pick([1, 2, 3, 5]), dice.number(1, 3)
    heads = group_size * kv_heads
    head_dim = dice.pick(COMMON_HEAD_DIMS if dice.coin() else HEAD_DIMS)
    hidden = heads * max(1, round(dice.number(20, 99) / heads))  # the configuration insists
    keys = sizes(hidden, dice.number(30, 199), layers, heads, kv_heads, vocab_size, head_dim)
    keys |= {
        "final_logit_softcapping": dice.pick([30.0, 10.0, None]),
        "query_pre_attn_scalar": dice.pick([head_dim, 16, 144]),
        "sliding_window": dice.pick(WINDOWS),
    }
    return keys, [dice.pick(["full_attention", "sliding_attention"]) for _ in range(layers)]


def random_gemma2(dice, vocab_size, layers):
    keys, kinds = random_gemma(dice, vocab_size, layers)
    keys |= {"attn_logit_softcapping": dice.pick([50.0, 20.0, None])}
    if dice.coin():
        return cases_of_gemmas.gemma2(**keys), "torch_dtype", {}
    return cases_of_gemmas.gemma2_5(layer_types=kinds, **keys), "dtype", {}


def random_gemma3(dice, vocab_size, layers):
    keys, kinds = random_gemma(dice, vocab_size, layers)
    if dice.coin():
        return cases_of_gemmas.gemma3(sliding_window_pattern=dice.number(1, 3), **keys), "torch_dtype", {}
    return cases_of_gemmas.gemma3_5(layer_types=kinds, **keys), "dtype", {}


def random_bloom(dice, vocab_size, layers):
    heads = dice.number(1, 20)
    hidden = heads * dice.number(3, max(4, 120 // heads))
    keys = {
        "apply_residual_connection_post_layernorm": dice.coin(), "layer_norm_epsilon": dice.pick([1e-5, 1e-6]),
        "n_layer": layers, "vocab_size": vocab_size,
    }  # fmt: skip
    checkpoint = {"prefix": dice.pick(["", "transformer."])}
    if dice.coin():
        return cases_of_blooms.bloom(n_embed=hidden, num_attention_heads=heads, **keys), "torch_dtype", checkpoint
    return cases_of_blooms.bloom_5(hidden_size=hidden, n_head=heads, **keys), "dtype", checkpoint


def random_llama_like(dice, family, vocab_size, layers):
    group_size = dice.pick(GROUP_SIZES)
    kv_heads = dice.number(1, 2 if group_size > 5 else 3)
    heads = group_size * kv_heads
    if family == "qwen2":  # its configurations have no head_dim, so hidden_size grows with the heads
        head_dim = dice.pick([size for size in HEAD_DIMS if size * heads <= 480] or [24])
        hidden, explicit = heads * head_dim, None
    else:
        head_dim = dice.pick(COMMON_HEAD_DIMS if dice.coin() else HEAD_DIMS)
        hidden, explicit = dice.number(20, 99), head_dim
        if family == "llama":  # whose configuration insists, even where head_dim is explicit
            hidden = max(1, round(hidden / heads)) * heads
    theta = dice.pick([10000.0, 500000.0, 1000000.0, 12345.0])
    keys = sizes(hidden, dice.number(30, 199), layers, heads, kv_heads, vocab_size, explicit)
    keys |= {
        "hidden_act": dice.pick(["silu"] * 10 + ACTIVATIONS),
        "max_position_embeddings": dice.number(512, 1024),
        "rms_norm_eps": dice.pick([1e-5, 1e-6]),
        "rope_theta": theta,
        "tie_word_embeddings": dice.coin(),
    }
    if family in ("llama", "qwen3"):
        keys["attention_bias"] = dice.coin()
    if family == "llama":
        keys["mlp_bias"] = dice.coin()
    if family == "mistral" and dice.coin():
        keys["sliding_window"] = dice.pick(WINDOWS)
    config, dtype_key = getattr(cases_of_llamas, family)(**keys), "torch_dtype"
    scaling = random_scaling(dice) if dice.coin() else None
    if dice.coin():
        config, dtype_key = respelled(config), "dtype"
        config["rope_parameters"] |= scaling or {}
    elif scaling:
        if dice.coin():
            scaling["type"] = scaling.pop("rope_type")
        config["rope_scaling"] = scaling
    checkpoint = {"shards": dice.pick([1, 1, 1, 2, 3])}
    if config["tie_word_embeddings"] and dice.coin():
        checkpoint["tied_copy"] = "model.embed_tokens.weight"
    return config, dtype_key, checkpoint


def random_scaling(dice):
    """Of rotary angles."""
    kind = dice.pick(["linear", "llama3", "yarn", "yarn"])
    scaling = {"rope_type": kind, "factor": dice.real(1, 8)}
    if kind == "linear":
        return scaling
    scaling["original_max_position_embeddings"] = dice.pick([32, 64, 128, 200])
    if kind == "llama3":
        return scaling | {"low_freq_factor": dice.real(0.5, 2), "high_freq_factor": dice.real(2.5, 8)}
    optional = {
        "attention_factor": dice.real(0.8, 1.4), "beta_fast": dice.real(3, 40), "beta_slow": dice.real(0.4, 2),
        "truncate": dice.coin(),
    }  # fmt: skip
    scaling |= {key: value for key, value in optional.items() if dice.coin()}
    if dice.coin():
        scaling |= {"mscale": dice.real(0.3, 1.5), "mscale_all_dim": dice.real(0.3, 1.5)}
    return scaling


def describe(config: dict) -> str:
    hidden = next(config[key] for key in ("hidden_size", "n_embd", "n_embed") if key in config)
    heads = next(config[key] for key in ("num_attention_heads", "n_head") if key in config)
    kv_heads, head_dim = config.get("num_key_value_heads", heads), config.get("head_dim", hidden // heads)
    words = [f"{config['model_type']}, {heads}:{kv_heads} heads of {head_dim}, width {hidden}"]
    if config.get("sliding_window") and not config["model_type"].startswith("qwen"):
        words.append(f"window of {config['sliding_window']}")
    scaling = config.get("rope_parameters") or config.get("rope_scaling") or {}
    if "factor" in scaling:
        words.append(f"rotary scaling {scaling.get('rope_type', scaling.get('type'))}")
    return ", ".join(words)
