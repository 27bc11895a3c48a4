"""The golden models: config.json as the hub's models write it, and the tensors that such checkpoints hold.

Nothing here imports the library that computes the goldens: names and shapes are written down from the hub's
checkpoints, so that the library's strict loading of them is a check of both.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}  # golden's word: config.json's word


@dataclass
class Case:
    """One architecture. `config` is config.json but for its dtype key, whose spelling (torch_dtype, dtype, or none
    at all, as in the hub's gpt2) is `dtype_key`. `checkpoint` says how the file departs from one plain file that
    holds exactly the parameters: `shards`, `prefix`, and tensors that an importer has to know how to leave out."""

    name: str
    seed: int
    description: str
    config: dict[str, Any]
    dtype_key: str | None = "torch_dtype"
    checkpoint: dict[str, Any] = field(default_factory=dict)

    def config_json(self, dtype: str) -> dict[str, Any]:
        named = {self.dtype_key: DTYPES[dtype]} if self.dtype_key else {}
        return dict(sorted((self.config | named).items()))


# ---------------------------------------------------------------------------------------------- configurations


def llama(**keys):
    """Llama 2 and 3 as converted by transformers 4.3x: `rope_theta` and `rope_scaling` at the top level."""
    return {
        "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 512,
        "model_type": "llama", "pretraining_tp": 1, "rms_norm_eps": 1e-5, "rope_scaling": None,
        "rope_theta": 10000.0, "tie_word_embeddings": False, "transformers_version": "4.37.2", "use_cache": True,
    } | keys  # fmt: skip


def llama_1(**keys):
    """The first Llama conversions: one head count, and no word about rotary embeddings or biases."""
    return {
        "architectures": ["LlamaForCausalLM"], "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu",
        "initializer_range": 0.02, "max_position_embeddings": 2048, "model_type": "llama", "pad_token_id": 0,
        "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "transformers_version": "4.28.1", "use_cache": True,
    } | keys  # fmt: skip


def mistral(**keys):
    """Mistral 7B v0.3 and Nemo: the window's key is there, and null."""
    return {
        "architectures": ["MistralForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 32768, "model_type": "mistral",
        "rms_norm_eps": 1e-5, "rope_theta": 1000000.0, "sliding_window": None, "tie_word_embeddings": False,
        "transformers_version": "4.42.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def qwen2(**keys):
    """Qwen2 and 2.5: q, k, v biases that no key mentions, and window keys that are switched off. The hub's windows
    are as long as the context; these are short, so that an engine which obeys them is caught."""
    return {
        "architectures": ["Qwen2ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 91, "eos_token_id": 93,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 32768, "max_window_layers": 1,
        "model_type": "qwen2", "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "sliding_window": 32,
        "tie_word_embeddings": False, "transformers_version": "4.40.1", "use_cache": True,
        "use_sliding_window": False,
    } | keys  # fmt: skip


def qwen3(**keys):
    """Qwen3: head_dim always explicit, RMSNorm over each head's queries and keys, rope_theta an integer."""
    return {
        "architectures": ["Qwen3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 91,
        "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 40960,
        "max_window_layers": 2, "model_type": "qwen3", "rms_norm_eps": 1e-6, "rope_scaling": None,
        "rope_theta": 1000000, "sliding_window": None, "tie_word_embeddings": True,
        "transformers_version": "4.51.0", "use_cache": True, "use_sliding_window": False,
    } | keys  # fmt: skip


def phi3(**keys):
    """Phi-3 and Phi-4: fused projections that no key mentions, and a window's key that is null."""
    return {
        "architectures": ["Phi3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 91,
        "embd_pdrop": 0.0, "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 16384, "model_type": "phi3", "original_max_position_embeddings": 16384,
        "pad_token_id": 92, "resid_pdrop": 0.0, "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 250000,
        "sliding_window": None, "tie_word_embeddings": False, "transformers_version": "4.47.0", "use_cache": True,
    } | keys  # fmt: skip


def gpt2(**keys):
    """GPT-2's own file: no intermediate size, no word about tying, keys for heads it does not have."""
    return {
        "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
        "bos_token_id": 96, "embd_pdrop": 0.1, "eos_token_id": 96, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-5, "model_type": "gpt2", "n_ctx": 512, "n_positions": 512, "resid_pdrop": 0.1,
        "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True,
        "summary_type": "cls_index", "summary_use_proj": True,
        "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
    } | keys  # fmt: skip


def respelled(config, **keys):
    """The same configuration as transformers 5 saves it: rotary parameters in a table of their own, null token ids."""
    config = dict(config)
    config.pop("rope_scaling", None)
    config["rope_parameters"] = {"rope_theta": config.pop("rope_theta"), "rope_type": "default"}
    return config | {"pad_token_id": None, "transformers_version": "5.23.0"} | keys


def sizes(hidden, intermediate, layers, heads, kv_heads, vocab, head_dim=None):
    """None leaves the key out, as configurations do that leave it to be derived."""
    keys = {
        "hidden_size": hidden, "intermediate_size": intermediate, "num_hidden_layers": layers,
        "num_attention_heads": heads, "num_key_value_heads": kv_heads, "vocab_size": vocab, "head_dim": head_dim,
    }  # fmt: skip
    return {key: value for key, value in keys.items() if value is not None}


def cases() -> list[Case]:
    """Sizes are hidden, intermediate, layers, heads, kv heads, vocabulary, head_dim (where the config states it)."""
    return [
        Case("llama-mha-hd64", 1001, "multi-head, head_dim 64, untied",
             llama(**sizes(40, 61, 2, 2, 2, 101, 64))),
        Case("llama-gqa3-hd24-sharded", 1002, "grouped 6:2, head_dim 24, three layers, tied, weights in two shards",
             llama(**sizes(36, 67, 3, 6, 2, 127, 24), rope_theta=500000.0, tie_word_embeddings=True,
                   max_position_embeddings=8192),
             checkpoint={"shards": 2}),
        Case("llama-gqa5-hd80", 1003, "grouped 10:2, head_dim 80, untied, rope_parameters",
             respelled(llama(**sizes(20, 67, 2, 10, 2, 103, 80))), "dtype"),
        Case("llama-gqa7-hd64", 1004, "grouped 14:2, head_dim 64, untied",
             llama(**sizes(14, 71, 2, 14, 2, 107, 64), rope_theta=100000.0)),
        Case("llama-mqa-hd128", 1005, "one key/value head for three, head_dim 128, odd width 21, tied, rope_parameters",
             respelled(llama(**sizes(21, 83, 2, 3, 1, 109, 128), tie_word_embeddings=True)), "dtype"),
        Case("llama-mha-hd96", 1006, "multi-head, head_dim 96, tied; transformers 4.57: dtype beside rope_theta",
             llama(**sizes(26, 79, 2, 2, 2, 97, 96), tie_word_embeddings=True, transformers_version="4.57.1"),
             "dtype"),
        Case("llama-gqa2-hd256", 1007, "grouped 2:1, head_dim 256: queries 36 times as wide as hidden_size, untied",
             llama(**sizes(14, 73, 2, 2, 1, 113, 256))),
        Case("llama-odd-hd26", 1008, "everything odd or prime but head_dim: hidden 45, three heads of 26, 577 "
             "positions",
             llama(**sizes(45, 101, 2, 3, 3, 131, 26), max_position_embeddings=577)),
        Case("llama-biases", 1009, "attention_bias and mlp_bias: a bias on every projection, grouped 6:3",
             llama(**sizes(60, 89, 2, 6, 3, 99), attention_bias=True, mlp_bias=True)),
        Case("llama-1", 1010, "no num_key_value_heads, no rope_theta; rotary_emb.inv_freq stored as f32 in every layer",
             llama_1(**sizes(54, 83, 2, 3, None, 97)), checkpoint={"inv_freq": True}),
        Case("mistral-no-window", 1011, "grouped 6:2, sliding_window null, head_dim derived",
             mistral(**sizes(60, 79, 2, 6, 2, 113))),
        Case("mistral-prime", 1012, "hidden_size 61, intermediate 67, vocabulary 127; head_dim 18 explicit; "
             "sliding_window null, rope_parameters",
             respelled(mistral(**sizes(61, 67, 2, 4, 2, 127, 18))), "dtype"),
        Case("mistral-window-key-absent", 1013, "no sliding_window key: 4096 by the library's default, past the 512 "
             "positions there are",
             {key: value for key, value in mistral(**sizes(60, 67, 2, 5, 1, 101), max_position_embeddings=512).items()
              if key != "sliding_window"}),
        Case("qwen2-gqa7-tied", 1014, "biases on q, k, v; grouped 14:2; tied; window of 32 present and switched off",
             qwen2(**sizes(84, 47, 2, 14, 2, 103), tie_word_embeddings=True, use_mrope=False)),
        Case("qwen2-mha", 1015, "biases on q, k, v; multi-head, untied; rope_parameters and layer_types",
             respelled(qwen2(**sizes(54, 73, 2, 3, 3, 109), layer_types=["full_attention"] * 2)), "dtype"),
        Case("qwen3-gqa2-tied", 1016, "QK-norm, hidden_size 67, grouped 4:2, tied yet lm_head.weight is in the file",
             qwen3(**sizes(67, 59, 2, 4, 2, 127, 20)), checkpoint={"tied_copy": True}),
        Case("qwen3-gqa5-biases", 1017, "QK-norm, grouped 5:1, biases on q, k, v, o, untied; rope_parameters",
             respelled(qwen3(**sizes(51, 61, 2, 5, 1, 101, 32), attention_bias=True, tie_word_embeddings=False,
                             layer_types=["full_attention"] * 2)), "dtype"),
        Case("gpt2-hub", 1018, "plain names, as in openai-community/gpt2; f32 stores the causal masks as that does, "
             "f16 as bytes beside masked_bias as fine-tunes do, bf16 neither",
             gpt2(n_embd=24, n_head=4, n_layer=2, vocab_size=97), None, {"masks": True}),
        Case("gpt2-prefixed", 1019, "names under transformer., five heads of 12, n_inner 61, the keys that fine-tunes "
             "add",
             gpt2(n_embd=60, n_head=5, n_layer=2, vocab_size=103, n_inner=61, reorder_and_upcast_attn=False,
                  scale_attn_by_inverse_layer_idx=False, scale_attn_weights=True, use_cache=True,
                  transformers_version="4.27.4"),
             checkpoint={"prefix": "transformer."}),
        Case("gpt2-odd", 1020, "five heads of 7: odd width, odd head_dim; n_inner null",
             gpt2(n_embd=35, n_head=5, n_layer=2, vocab_size=101, n_inner=None, n_positions=521, n_ctx=521,
                  tie_word_embeddings=True, transformers_version="5.23.0"), "dtype"),
        Case("phi3-mha", 1021, "fused qkv_proj and gate_up_proj, multi-head, three heads of 14, untied; window "
             "null",
             phi3(**sizes(42, 67, 2, 3, None, 109))),
        Case("phi3-gqa3-partial", 1022, "fused, grouped 3:1, partial_rotary_factor 0.8: 14 of a head's 18 elements turn; "
             "tied, rope_parameters",
             respelled(phi3(**sizes(54, 61, 2, 3, 1, 103), tie_word_embeddings=True),
                       rope_parameters={"partial_rotary_factor": 0.8, "rope_theta": 250000, "rope_type": "default"}),
             "dtype"),
    ]  # fmt: skip


# ---------------------------------------------------------------------------------------------------- weights


class Weights:
    """Draws tensors that make every part matter: matrices near unit gain, queries and keys 1.2 times that so that
    attention is far from uniform, norms 1 + 0.3 normal, biases 0.3 normal. Embedding rows have scales spread over
    0.01 to 1: the small ones let a wrong epsilon show, the large ones a wrong residual stream."""

    def __init__(self, seed: int):
        self.random = np.random.Generator(np.random.PCG64(seed))
        self.tensors: dict[str, np.ndarray] = {}

    def _draw(self, *shape):
        return self.random.standard_normal(shape)

    def matrix(self, name, rows, columns, *, gain=1.0):
        self.tensors[name] = gain * self._draw(rows, columns) / np.sqrt(columns)

    def embedding(self, name, rows, columns):
        scale = 10.0 ** self.random.uniform(-2, 0, (rows, 1))
        self.tensors[name] = scale * self._draw(rows, columns)

    def norm(self, name, size, *, gain=1.0, bias=False):
        self.tensors[f"{name}.weight"] = gain * (1 + 0.3 * self._draw(size))
        if bias:
            self.bias(name, size)

    def bias(self, name, size):
        self.tensors[f"{name}.bias"] = 0.3 * self._draw(size)


# Higher, and the worst row of some case is more than 3e-6 away from a computation in double.
QUERY_KEY_GAIN = 1.2


def llama_like_weights(config, seed):
    """Llama, Mistral, Qwen2, Qwen3. Projections are stored (out, in)."""
    weights = Weights(seed)
    hidden, intermediate = config["hidden_size"], config["intermediate_size"]
    heads = config["num_attention_heads"]
    kv_heads = config.get("num_key_value_heads", heads)
    head_dim = config.get("head_dim", hidden // heads)
    qk_norm = config["model_type"] == "qwen3"
    qkv_bias = config.get("attention_bias", config["model_type"] == "qwen2")
    o_bias = config.get("attention_bias", False)
    mlp_bias = config.get("mlp_bias", False)

    def projection(name, rows, columns, bias, gain=1.0):
        weights.matrix(f"{name}.weight", rows, columns, gain=gain)
        if bias:
            weights.bias(name, rows)

    weights.embedding("model.embed_tokens.weight", config["vocab_size"], hidden)
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        weights.norm(f"{layer}.input_layernorm", hidden)
        projection(f"{layer}.self_attn.q_proj", heads * head_dim, hidden, qkv_bias, QUERY_KEY_GAIN)
        projection(f"{layer}.self_attn.k_proj", kv_heads * head_dim, hidden, qkv_bias, QUERY_KEY_GAIN)
        projection(f"{layer}.self_attn.v_proj", kv_heads * head_dim, hidden, qkv_bias)
        projection(f"{layer}.self_attn.o_proj", hidden, heads * head_dim, o_bias)
        if qk_norm:  # these undo the gain of the projections, so they carry it themselves
            weights.norm(f"{layer}.self_attn.q_norm", head_dim, gain=QUERY_KEY_GAIN)
            weights.norm(f"{layer}.self_attn.k_norm", head_dim, gain=QUERY_KEY_GAIN)
        weights.norm(f"{layer}.post_attention_layernorm", hidden)
        projection(f"{layer}.mlp.gate_proj", intermediate, hidden, mlp_bias)
        projection(f"{layer}.mlp.up_proj", intermediate, hidden, mlp_bias)
        projection(f"{layer}.mlp.down_proj", hidden, intermediate, mlp_bias)
    weights.norm("model.norm", hidden)
    if not config["tie_word_embeddings"]:
        weights.matrix("lm_head.weight", config["vocab_size"], hidden)
    return weights.tensors


def phi3_weights(config, seed):
    """Llama's, with queries, keys and values in one tensor, and gate and up in another."""
    tensors = llama_like_weights(config, seed)
    for i in range(config["num_hidden_layers"]):
        for fused, parts in (("self_attn.qkv_proj", ("q", "k", "v")), ("mlp.gate_up_proj", ("gate", "up"))):
            block = fused.split(".")[0]
            rows = [tensors.pop(f"model.layers.{i}.{block}.{part}_proj.weight") for part in parts]
            tensors[f"model.layers.{i}.{fused}.weight"] = np.concatenate(rows)
    return tensors


def gpt2_weights(config, seed, prefix=""):
    """GPT-2 stores its projections (in, out), queries, keys and values side by side in one."""
    weights = Weights(seed)
    hidden = config["n_embd"]
    inner = config.get("n_inner") or 4 * hidden

    def projection(name, columns_in, columns_out):
        weights.matrix(f"{name}.weight", columns_out, columns_in)
        weights.tensors[f"{name}.weight"] = weights.tensors[f"{name}.weight"].T.copy()
        weights.bias(name, columns_out)

    weights.embedding(f"{prefix}wte.weight", config["vocab_size"], hidden)
    weights.embedding(f"{prefix}wpe.weight", config["n_positions"], hidden)
    for i in range(config["n_layer"]):
        layer = f"{prefix}h.{i}"
        weights.norm(f"{layer}.ln_1", hidden, bias=True)
        projection(f"{layer}.attn.c_attn", hidden, 3 * hidden)
        weights.tensors[f"{layer}.attn.c_attn.weight"][:, : 2 * hidden] *= QUERY_KEY_GAIN
        projection(f"{layer}.attn.c_proj", hidden, hidden)
        weights.norm(f"{layer}.ln_2", hidden, bias=True)
        projection(f"{layer}.mlp.c_fc", hidden, inner)
        projection(f"{layer}.mlp.c_proj", inner, hidden)
    weights.norm(f"{prefix}ln_f", hidden, bias=True)
    return weights.tensors


def parameters(case: Case) -> dict[str, np.ndarray]:
    """The case's parameters in double, under the checkpoint's names."""
    if case.config["model_type"] == "gpt2":
        return gpt2_weights(case.config, case.seed, case.checkpoint.get("prefix", ""))
    if case.config["model_type"] == "phi3":
        return phi3_weights(case.config, case.seed)
    return llama_like_weights(case.config, case.seed)
