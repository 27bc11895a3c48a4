"""Random configurations of the golden families, for differential fuzzing."""

from collections.abc import Iterator

import numpy as np

import families
from families import DTYPES, Case

GROUP_SIZES = [1, 3, 5, 7, 16]
HEAD_DIMS = list(range(24, 258, 2))
COMMON_HEAD_DIMS = [64, 80, 96, 128, 256]


def random_cases(count: int, seed: int) -> Iterator[tuple[Case, str]]:
    """Case number i of a seed is the same whatever the count."""
    for i in range(count):
        random = np.random.Generator(np.random.PCG64([seed, i]))
        yield random_case(random, f"fuzz-{seed}-{i}", seed * 1_000_003 + i), str(random.choice(list(DTYPES)))


def random_case(random, name: str, seed: int) -> Case:
    def pick(options):
        return options[random.integers(len(options))]

    def coin():
        return bool(random.integers(2))

    family = pick(["llama", "mistral", "qwen2", "qwen3", "gpt2"])
    vocab_size, layers = int(random.integers(97, 262)), int(random.integers(1, 4))
    positions = int(random.integers(512, 1025))
    if family == "gpt2":
        heads, head_dim = int(random.integers(1, 10)), int(random.integers(5, 42))
        hidden = heads * head_dim
        config = families.gpt2(
            n_embd=hidden, n_head=heads, n_layer=layers, vocab_size=vocab_size, n_positions=positions, n_ctx=positions,
            activation_function=pick(["gelu_new", "gelu_new", "gelu", "relu"]),
            layer_norm_epsilon=pick([1e-5, 1e-6, 1e-12]),
        )  # fmt: skip
        if coin():
            config["n_inner"] = int(random.integers(30, 300))
        checkpoint = {"prefix": pick(["", "transformer."])}
        return Case(name, seed, describe(family, config), config, None, checkpoint)

    group_size = pick(GROUP_SIZES)
    kv_heads = int(random.integers(1, 3 if group_size > 5 else 4))
    heads = group_size * kv_heads
    if family == "qwen2":  # its configurations have no head_dim, so hidden_size grows with the heads
        head_dim = pick([size for size in HEAD_DIMS if size * heads <= 480] or [24])
        hidden, explicit = int(heads * head_dim), None
    else:
        head_dim = pick(COMMON_HEAD_DIMS if coin() else HEAD_DIMS)
        hidden, explicit = int(random.integers(20, 100)), int(head_dim)
        if family == "llama":  # whose configuration insists, even where head_dim is explicit
            hidden = max(1, round(hidden / heads)) * heads
    keys = families.sizes(hidden, int(random.integers(30, 200)), layers, heads, kv_heads, vocab_size, explicit)
    keys |= {
        "hidden_act": pick(["silu", "silu", "silu", "gelu", "gelu_pytorch_tanh", "relu"]),
        "max_position_embeddings": positions,
        "rms_norm_eps": pick([1e-5, 1e-6]),
        "rope_theta": pick([10000.0, 500000.0, 1000000.0, 12345.0]),
        "tie_word_embeddings": coin(),
    }
    if family in ("llama", "qwen3"):
        keys["attention_bias"] = coin()
    if family == "llama":
        keys["mlp_bias"] = coin()
    config = getattr(families, family)(**keys)
    dtype_key = "torch_dtype"
    if coin():
        config, dtype_key = families.respelled(config), "dtype"
    checkpoint = {"shards": pick([1, 1, 1, 2, 3])}
    if config["tie_word_embeddings"] and coin():
        checkpoint["tied_copy"] = "model.embed_tokens.weight"
    return Case(name, seed, describe(family, config), config, dtype_key, checkpoint)


def describe(family: str, config: dict) -> str:
    if family == "gpt2":
        return f"gpt2, {config['n_head']} heads of {config['n_embd'] // config['n_head']}"
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    head_dim = config.get("head_dim", config["hidden_size"] // heads)
    return f"{family}, {heads}:{kv_heads} heads of {head_dim}, hidden_size {config['hidden_size']}"
