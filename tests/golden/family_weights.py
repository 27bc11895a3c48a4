"""The tensors that checkpoints of the families hold, under their names and in their shapes."""

from itertools import product

import numpy as np

import library_models
import routes
from case import Case
from weights import QUERY_KEY_GAIN, Weights


def llama_like_weights(config, seed, *, smallest=0.01):
    """Llama, Mistral, Ministral, Qwen2, Qwen3, Seed-OSS, CWM, ERNIE 4.5, SmolLM3."""
    weights = Weights(seed)
    hidden, intermediate = config["hidden_size"], config["intermediate_size"]
    heads = config["num_attention_heads"]
    kv_heads = config.get("num_key_value_heads", heads)
    head_dim = config.get("head_dim", hidden // heads)
    qk_norm = config["model_type"] == "qwen3"
    everywhere = config.get("use_bias", False)
    qkv_bias = config.get("attention_bias", config["model_type"] == "qwen2" or everywhere)
    o_bias = config.get("attention_out_bias", config.get("attention_bias", everywhere))
    mlp_bias = config.get("mlp_bias", everywhere)

    weights.embedding("model.embed_tokens.weight", config["vocab_size"], hidden, smallest=smallest)
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        weights.norm(f"{layer}.input_layernorm", hidden)
        weights.projection(f"{layer}.self_attn.q_proj", heads * head_dim, hidden, qkv_bias, gain=QUERY_KEY_GAIN)
        weights.projection(f"{layer}.self_attn.k_proj", kv_heads * head_dim, hidden, qkv_bias, gain=QUERY_KEY_GAIN)
        weights.projection(f"{layer}.self_attn.v_proj", kv_heads * head_dim, hidden, qkv_bias)
        weights.projection(f"{layer}.self_attn.o_proj", hidden, heads * head_dim, o_bias)
        if qk_norm:  # these undo the gain of the projections, so they carry it themselves
            weights.norm(f"{layer}.self_attn.q_norm", head_dim, gain=QUERY_KEY_GAIN)
            weights.norm(f"{layer}.self_attn.k_norm", head_dim, gain=QUERY_KEY_GAIN)
        weights.norm(f"{layer}.post_attention_layernorm", hidden)
        weights.projection(f"{layer}.mlp.gate_proj", intermediate, hidden, mlp_bias)
        weights.projection(f"{layer}.mlp.up_proj", intermediate, hidden, mlp_bias)
        weights.projection(f"{layer}.mlp.down_proj", hidden, intermediate, mlp_bias)
    weights.norm("model.norm", hidden)
    if not config.get("tie_word_embeddings", config["model_type"] == "smollm3"):
        weights.matrix("lm_head.weight", config["vocab_size"], hidden)
    return weights.tensors


def olmo2_weights(config, seed):
    """Llama's, with norms of outputs in place of inputs, and of whole queries and keys."""
    weights = Weights(seed + 1)
    tensors = llama_like_weights(config, seed)
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    head_dim = hidden // heads
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        del tensors[f"{layer}.input_layernorm.weight"]
        weights.norm(f"{layer}.post_feedforward_layernorm", hidden)
        # These undo the gain of the projections, so they carry it themselves.
        weights.norm(f"{layer}.self_attn.q_norm", heads * head_dim, gain=QUERY_KEY_GAIN)
        weights.norm(f"{layer}.self_attn.k_norm", config["num_key_value_heads"] * head_dim, gain=QUERY_KEY_GAIN)
    return tensors | weights.tensors


def exaone4_weights(config, seed):
    """Llama's, with norms of outputs in place of inputs, and of heads."""
    weights = Weights(seed + 1)
    tensors = llama_like_weights(config, seed)
    head_dim = config.get("head_dim", config["hidden_size"] // config["num_attention_heads"])
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        del tensors[f"{layer}.input_layernorm.weight"]
        weights.norm(f"{layer}.post_feedforward_layernorm", config["hidden_size"])
        weights.norm(f"{layer}.self_attn.q_norm", head_dim, gain=QUERY_KEY_GAIN)
        weights.norm(f"{layer}.self_attn.k_norm", head_dim, gain=QUERY_KEY_GAIN)
    return tensors | weights.tensors


def hunyuan_weights(config, seed):
    """Llama's, with norms of heads under names of their own."""
    weights = Weights(seed + 1)
    for i in range(config["num_hidden_layers"]):
        attention = f"model.layers.{i}.self_attn"
        weights.norm(f"{attention}.query_layernorm", config["head_dim"], gain=QUERY_KEY_GAIN)
        weights.norm(f"{attention}.key_layernorm", config["head_dim"], gain=QUERY_KEY_GAIN)
    return llama_like_weights(config, seed) | weights.tensors


def helium_weights(config, seed):
    """Llama's, with no bias on o. The smallest rows of embeddings are smaller, as the epsilon is."""
    tensors = llama_like_weights(config, seed, smallest=0.0008)
    for i in range(config["num_hidden_layers"]):
        tensors.pop(f"model.layers.{i}.self_attn.o_proj.bias", None)
    return tensors


def olmo_weights(config, seed):
    """Llama's, with norms that have no weights."""
    tensors = llama_like_weights(config, seed)
    return {name: tensor for name, tensor in tensors.items() if "norm" not in name}


def scaled_weights(config, seed):
    """Llama's, with smaller rows of embeddings as they are multiplied, and norms of outputs where a key asks for them."""
    weights = Weights(seed + 1)
    for i in range(config["num_hidden_layers"] if config.get("use_post_norm") else 0):
        for norm in ("post_norm1", "post_norm2"):
            weights.norm(f"model.layers.{i}.{norm}", config["hidden_size"])
    smallest = 0.01 / config["embedding_multiplier"]
    return llama_like_weights(config, seed, smallest=smallest) | weights.tensors


def jais2_weights(config, seed):
    """Llama's, with norms that have biases, and without a gate."""
    weights = Weights(seed + 1)
    tensors = llama_like_weights(config, seed)
    for norm in [name for name in tensors if name.endswith("norm.weight")]:
        weights.bias(norm.removesuffix(".weight"), config["hidden_size"])
    return {name: tensor for name, tensor in tensors.items() if "gate_proj" not in name} | weights.tensors


def phi3_weights(config, seed):
    """Llama's, with queries, keys and values in one tensor, and gate and up in another."""
    tensors = llama_like_weights(config, seed)
    for i in range(config["num_hidden_layers"]):
        fuse(tensors, f"model.layers.{i}.self_attn", "qkv_proj", ("q", "k", "v"))
        fuse(tensors, f"model.layers.{i}.mlp", "gate_up_proj", ("gate", "up"))
    return tensors


def plain_mlp_weights(config, seed):
    """Llama's names with an MLP that has no gate: Arcee. Starcoder 2 and Nemotron have LayerNorms, which Nemotron stores
    less the one that it adds."""
    weights = Weights(seed)
    family, hidden, intermediate = config["model_type"], config["hidden_size"], config["intermediate_size"]
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    head_dim = config.get("head_dim", hidden // heads)
    attention_bias = config.get("use_bias", config.get("attention_bias"))
    mlp_bias = config.get("use_bias", config.get("mlp_bias"))
    up, down = ("c_fc", "c_proj") if family == "starcoder2" else ("up_proj", "down_proj")
    norm = {"bias": family != "arcee", "around": 0 if family == "nemotron" else 1}

    weights.embedding("model.embed_tokens.weight", config["vocab_size"], hidden)
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        weights.norm(f"{layer}.input_layernorm", hidden, **norm)
        for part, count, gain in (("q", heads, QUERY_KEY_GAIN), ("k", kv_heads, QUERY_KEY_GAIN), ("v", kv_heads, 1)):
            weights.projection(f"{layer}.self_attn.{part}_proj", count * head_dim, hidden, attention_bias, gain=gain)
        weights.projection(f"{layer}.self_attn.o_proj", hidden, heads * head_dim, attention_bias)
        weights.norm(f"{layer}.post_attention_layernorm", hidden, **norm)
        weights.projection(f"{layer}.mlp.{up}", intermediate, hidden, mlp_bias)
        weights.projection(f"{layer}.mlp.{down}", hidden, intermediate, mlp_bias)
    weights.norm("model.norm", hidden, **norm)
    if not config.get("tie_word_embeddings", True):
        weights.matrix("lm_head.weight", config["vocab_size"], hidden)
    return weights.tensors


def gpt_bigcode_weights(config, seed, prefix=""):
    """GPT-2's names, with projections stored (out, in). Where each head has keys of its own, those of a head stand with
    its queries; else the one key/value head follows all queries."""
    weights = Weights(seed)
    hidden, heads = config["n_embd"], config["n_head"]
    inner, head_dim = config.get("n_inner") or 4 * hidden, hidden // heads

    weights.embedding(f"{prefix}wte.weight", config["vocab_size"], hidden)
    weights.embedding(f"{prefix}wpe.weight", config["n_positions"], hidden)
    # Scores that are not scaled are larger by sqrt(head_dim).
    gain = QUERY_KEY_GAIN if config["scale_attn_weights"] else QUERY_KEY_GAIN / head_dim**0.25
    for i in range(config["n_layer"]):
        layer = f"{prefix}h.{i}"
        weights.norm(f"{layer}.ln_1", hidden, bias=True)
        rows = hidden + 2 * head_dim if config["multi_query"] else 3 * hidden
        weights.projection(f"{layer}.attn.c_attn", rows, hidden, True)
        fused = weights.tensors[f"{layer}.attn.c_attn.weight"]
        if config["multi_query"]:
            fused[: hidden + head_dim] *= gain
        else:
            fused.reshape(heads, 3, head_dim, hidden)[:, :2] *= gain
        weights.projection(f"{layer}.attn.c_proj", hidden, hidden, True)
        weights.norm(f"{layer}.ln_2", hidden, bias=True)
        weights.projection(f"{layer}.mlp.c_fc", inner, hidden, True)
        weights.projection(f"{layer}.mlp.c_proj", hidden, inner, True)
    weights.norm(f"{prefix}ln_f", hidden, bias=True)
    return weights.tensors


def gpt_neo_weights(config, seed, prefix=""):
    """GPT-2's names but for attention, whose scores are not scaled: queries and keys are smaller for that."""
    weights = Weights(seed)
    hidden = config["hidden_size"]
    inner = config["intermediate_size"] or 4 * hidden
    gain = QUERY_KEY_GAIN / (hidden // config["num_heads"]) ** 0.25

    weights.embedding(f"{prefix}wte.weight", config["vocab_size"], hidden)
    weights.embedding(f"{prefix}wpe.weight", config["max_position_embeddings"], hidden)
    for i in range(config["num_layers"]):
        layer = f"{prefix}h.{i}"
        weights.norm(f"{layer}.ln_1", hidden, bias=True)
        weights.matrix(f"{layer}.attn.attention.q_proj.weight", hidden, hidden, gain=gain)
        weights.matrix(f"{layer}.attn.attention.k_proj.weight", hidden, hidden, gain=gain)
        weights.matrix(f"{layer}.attn.attention.v_proj.weight", hidden, hidden)
        weights.projection(f"{layer}.attn.attention.out_proj", hidden, hidden, True)
        weights.norm(f"{layer}.ln_2", hidden, bias=True)
        weights.projection(f"{layer}.mlp.c_fc", inner, hidden, True)
        weights.projection(f"{layer}.mlp.c_proj", hidden, inner, True)
    weights.norm(f"{prefix}ln_f", hidden, bias=True)
    return weights.tensors


def glm_weights(config, seed):
    """Llama's, with gate and up in one tensor, and no bias on o. The smallest rows of embeddings are smaller, as the
    epsilon is."""
    tensors = llama_like_weights(config, seed, smallest=0.003)
    for i in range(config["num_hidden_layers"]):
        tensors.pop(f"model.layers.{i}.self_attn.o_proj.bias", None)
        fuse(tensors, f"model.layers.{i}.mlp", "gate_up_proj", ("gate", "up"))
    return tensors


def glm4_weights(config, seed):
    """GLM's, with norms of outputs too."""
    weights = Weights(seed + 1)
    for i in range(config["num_hidden_layers"]):
        for place in ("self_attn", "mlp"):
            weights.norm(f"model.layers.{i}.post_{place}_layernorm", config["hidden_size"])
    return glm_weights(config, seed) | weights.tensors


def fuse(tensors, block, fused, parts):
    """The matrices of these projections become one, part after part."""
    rows = [tensors.pop(f"{block}.{part}_proj.weight") for part in parts]
    tensors[f"{block}.{fused}.weight"] = np.concatenate(rows)


def cohere_weights(config, seed):
    """One norm a layer, and norms of queries and of keys with weights of each head's own."""
    weights = Weights(seed)
    hidden, intermediate = config["hidden_size"], config["intermediate_size"]
    heads, kv_heads, bias = config["num_attention_heads"], config["num_key_value_heads"], config["attention_bias"]
    head_dim = hidden // heads

    weights.embedding("model.embed_tokens.weight", config["vocab_size"], hidden)
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        weights.norm(f"{layer}.input_layernorm", hidden)
        weights.projection(f"{layer}.self_attn.q_proj", heads * head_dim, hidden, bias, gain=QUERY_KEY_GAIN)
        weights.projection(f"{layer}.self_attn.k_proj", kv_heads * head_dim, hidden, bias, gain=QUERY_KEY_GAIN)
        weights.projection(f"{layer}.self_attn.v_proj", kv_heads * head_dim, hidden, bias)
        weights.projection(f"{layer}.self_attn.o_proj", hidden, heads * head_dim, bias)
        if config.get("use_qk_norm"):  # these undo the gain of the projections, so they carry it themselves
            weights.norm(f"{layer}.self_attn.q_norm", (heads, head_dim), gain=QUERY_KEY_GAIN)
            weights.norm(f"{layer}.self_attn.k_norm", (kv_heads, head_dim), gain=QUERY_KEY_GAIN)
        weights.matrix(f"{layer}.mlp.gate_proj.weight", intermediate, hidden)
        weights.matrix(f"{layer}.mlp.up_proj.weight", intermediate, hidden)
        weights.matrix(f"{layer}.mlp.down_proj.weight", hidden, intermediate)
    weights.norm("model.norm", hidden)
    if not config.get("tie_word_embeddings", True):
        weights.matrix("lm_head.weight", config["vocab_size"], hidden)
    return weights.tensors


def nanochat_weights(config, seed):
    """No norm has weights: matrices are all there is, and what norms of heads undo has no gain. The smallest rows of
    embeddings are smaller, since a norm follows at once."""
    weights = Weights(seed)
    hidden, intermediate, bias = config["hidden_size"], config["intermediate_size"], config["attention_bias"]
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    head_dim = config.get("head_dim", hidden // heads)

    weights.embedding("model.embed_tokens.weight", config["vocab_size"], hidden, smallest=0.003)
    for i in range(config["num_hidden_layers"]):
        attention, mlp = f"model.layers.{i}.self_attn", f"model.layers.{i}.mlp"
        weights.projection(f"{attention}.q_proj", heads * head_dim, hidden, bias)
        weights.projection(f"{attention}.k_proj", kv_heads * head_dim, hidden, bias)
        weights.projection(f"{attention}.v_proj", kv_heads * head_dim, hidden, bias)
        weights.projection(f"{attention}.o_proj", hidden, heads * head_dim, bias)
        weights.matrix(f"{mlp}.fc1.weight", intermediate, hidden)
        weights.matrix(f"{mlp}.fc2.weight", hidden, intermediate)
    if not config["tie_word_embeddings"]:
        weights.matrix("lm_head.weight", config["vocab_size"], hidden)
    return weights.tensors


def persimmon_weights(config, seed):
    """Queries, keys and values stand as GPT-NeoX's do; norms of heads have one head's weights for all."""
    weights = Weights(seed)
    hidden, intermediate, heads = config["hidden_size"], config["intermediate_size"], config["num_attention_heads"]

    weights.embedding("model.embed_tokens.weight", config["vocab_size"], hidden)
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        weights.norm(f"{layer}.input_layernorm", hidden, bias=True)
        weights.heads_of_qkv(f"{layer}.self_attn.query_key_value", heads, hidden, True)
        if config["qk_layernorm"]:  # these undo the gain of the projections, so they carry it themselves
            for part in ("q", "k"):
                weights.norm(f"{layer}.self_attn.{part}_layernorm", hidden // heads, gain=QUERY_KEY_GAIN)
                weights.vector(f"{layer}.self_attn.{part}_layernorm.bias", hidden // heads, gain=0.8)
        weights.projection(f"{layer}.self_attn.dense", hidden, hidden, True)
        weights.norm(f"{layer}.post_attention_layernorm", hidden, bias=True)
        weights.projection(f"{layer}.mlp.dense_h_to_4h", intermediate, hidden, True)
        weights.projection(f"{layer}.mlp.dense_4h_to_h", hidden, intermediate, True)
    weights.norm("model.final_layernorm", hidden, bias=True)
    if not config["tie_word_embeddings"]:
        weights.matrix("lm_head.weight", config["vocab_size"], hidden)
    return weights.tensors


def stablelm_weights(config, seed):
    """Llama's, with LayerNorms, of which layers whose parts stand side by side have one, and a norm of each head's own."""
    weights = Weights(seed + 1)
    tensors = llama_like_weights(config | {"attention_bias": config["use_qkv_bias"]}, seed)
    heads = {"q": config["num_attention_heads"], "k": config["num_key_value_heads"]}
    for name in [name for name in tensors if name.endswith("norm.weight")]:
        weights.bias(name.removesuffix(".weight"), config["hidden_size"])
    if config.get("qk_layernorm"):  # these undo the gain of the projections, so they carry it themselves
        for i, part in product(range(config["num_hidden_layers"]), heads):
            for head in range(heads[part]):
                norm = f"model.layers.{i}.self_attn.{part}_layernorm.norms.{head}"
                weights.norm(norm, config["hidden_size"] // heads["q"], gain=QUERY_KEY_GAIN)
    tensors |= weights.tensors
    for i in range(config["num_hidden_layers"]):
        tensors.pop(f"model.layers.{i}.self_attn.o_proj.bias", None)
        if config["use_qkv_bias"]:  # which, where it does not turn, is the same for all keys
            tensors[f"model.layers.{i}.self_attn.k_proj.bias"] *= 3
        if config.get("use_parallel_residual"):
            for suffix in ("weight", "bias"):
                del tensors[f"model.layers.{i}.post_attention_layernorm.{suffix}"]
    return tensors


def apertus_weights(config, seed):
    """Llama's with norms of heads, other names of the layers' norms, no gate, and the numbers of xIELU: two that are
    learned, and two that the library stores as it has them, here others."""
    weights = Weights(seed + 1)
    tensors = llama_like_weights(config, seed)
    hidden, head_dim = config["hidden_size"], config["hidden_size"] // config["num_attention_heads"]
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        del tensors[f"{layer}.mlp.gate_proj.weight"]
        if config["attention_bias"]:  # xIELU squares what is above 0, and attention adds little to so much
            for part in "qk":
                tensors[f"{layer}.self_attn.{part}_proj.bias"] *= 4
        for name in ("input_layernorm", "post_attention_layernorm"):
            del tensors[f"{layer}.{name}.weight"]
        weights.norm(f"{layer}.attention_layernorm", hidden)
        weights.norm(f"{layer}.feedforward_layernorm", hidden)
        # These undo the gain of the projections, so they carry it themselves.
        weights.norm(f"{layer}.self_attn.q_norm", head_dim, gain=QUERY_KEY_GAIN)
        weights.norm(f"{layer}.self_attn.k_norm", head_dim, gain=QUERY_KEY_GAIN)
        if config["hidden_act"] == "xielu":
            for name in ("alpha_p", "alpha_n"):
                weights.vector(f"{layer}.mlp.act_fn.{name}", 1)
                weights.tensors[f"{layer}.mlp.act_fn.{name}"] += 3
            weights.tensors[f"{layer}.mlp.act_fn.beta"] = np.array(0.5 + 0.125 * i)
            weights.tensors[f"{layer}.mlp.act_fn.eps"] = np.array(-0.0625)
    return tensors | weights.tensors


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


def gpt_neox_weights(config, seed):
    """GPT-NeoX, whose queries, keys and values of a head stand together, head after head."""
    weights = Weights(seed)
    hidden, intermediate = config["hidden_size"], config["intermediate_size"]
    heads, attention_bias = config["num_attention_heads"], config.get("attention_bias", True)

    weights.embedding("gpt_neox.embed_in.weight", config["vocab_size"], hidden)
    for i in range(config["num_hidden_layers"]):
        layer = f"gpt_neox.layers.{i}"
        weights.norm(f"{layer}.input_layernorm", hidden, bias=True)
        weights.norm(f"{layer}.post_attention_layernorm", hidden, bias=True)
        weights.heads_of_qkv(f"{layer}.attention.query_key_value", heads, hidden, attention_bias)
        weights.projection(f"{layer}.attention.dense", hidden, hidden, attention_bias)
        weights.projection(f"{layer}.mlp.dense_h_to_4h", intermediate, hidden, True)
        weights.projection(f"{layer}.mlp.dense_4h_to_h", hidden, intermediate, True)
    weights.norm("gpt_neox.final_layer_norm", hidden, bias=True)
    if not config["tie_word_embeddings"]:
        weights.matrix("embed_out.weight", config["vocab_size"], hidden)
    return weights.tensors


def gemma_weights(config, seed):
    """Gemma stores its norms less the one that it adds, and multiplies embeddings by sqrt(hidden_size): the smallest rows
    are smaller by that. Gemma 2 and 3 have norms of outputs, Gemma 3 those of heads."""
    weights = Weights(seed)
    hidden, intermediate, head_dim = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    q_size = config["num_attention_heads"] * head_dim
    kv_size = config["num_key_value_heads"] * head_dim
    bias = config["attention_bias"]

    weights.embedding("model.embed_tokens.weight", config["vocab_size"], hidden, smallest=0.01 / np.sqrt(hidden))
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        weights.norm(f"{layer}.input_layernorm", hidden, around=0)
        weights.projection(f"{layer}.self_attn.q_proj", q_size, hidden, bias, gain=QUERY_KEY_GAIN)
        weights.projection(f"{layer}.self_attn.k_proj", kv_size, hidden, bias, gain=QUERY_KEY_GAIN)
        weights.projection(f"{layer}.self_attn.v_proj", kv_size, hidden, bias)
        weights.projection(f"{layer}.self_attn.o_proj", hidden, q_size, bias)
        if config["model_type"] == "gemma3_text":
            weights.norm(f"{layer}.self_attn.q_norm", head_dim, around=0)
            weights.norm(f"{layer}.self_attn.k_norm", head_dim, around=0)
        weights.norm(f"{layer}.post_attention_layernorm", hidden, around=0)
        if config["model_type"] != "gemma":
            weights.norm(f"{layer}.pre_feedforward_layernorm", hidden, around=0)
        weights.matrix(f"{layer}.mlp.gate_proj.weight", intermediate, hidden)
        weights.matrix(f"{layer}.mlp.up_proj.weight", intermediate, hidden)
        weights.matrix(f"{layer}.mlp.down_proj.weight", hidden, intermediate)
        if config["model_type"] != "gemma":
            weights.norm(f"{layer}.post_feedforward_layernorm", hidden, around=0)
    weights.norm("model.norm", hidden, around=0)
    if not config.get("tie_word_embeddings", True):
        weights.matrix("lm_head.weight", config["vocab_size"], hidden)
    return weights.tensors


def vaultgemma_weights(config, seed):
    """Gemma's, without norms of outputs, and with biases where a key asks for them."""
    weights = Weights(seed + 1)
    tensors = gemma_weights(config, seed)
    outputs = ("post_attention_layernorm.weight", "post_feedforward_layernorm.weight")
    if config["attention_bias"]:
        for name in [name for name in tensors if ".self_attn." in name]:
            weights.bias(name.removesuffix(".weight"), len(tensors[name]))
    return {name: tensor for name, tensor in tensors.items() if not name.endswith(outputs)} | weights.tensors


def falcon_weights(config, seed, prefix=""):
    """Keys and values stand with the queries that they serve. Where two norms are read side by side they have names of
    their own."""
    weights = Weights(seed)
    hidden, heads, bias = config["hidden_size"], config["num_attention_heads"], config["bias"]
    new, head_dim = config["new_decoder_architecture"], hidden // heads
    inner = config.get("ffn_hidden_size") or 4 * hidden
    kv_heads = config["num_kv_heads"] if new else 1 if config["multi_query"] else heads
    side_by_side = new or config["parallel_attn"]
    norms = ["input_layernorm"] if side_by_side else ["input_layernorm", "post_attention_layernorm"]
    if new and (config.get("num_ln_in_parallel_attn") or 2) == 2:
        norms = ["ln_attn", "ln_mlp"]

    weights.embedding(f"{prefix}word_embeddings.weight", config["vocab_size"], hidden)
    for i in range(config["num_hidden_layers"]):
        layer = f"{prefix}h.{i}"
        for norm in norms:
            weights.norm(f"{layer}.{norm}", hidden, bias=True)
        name = f"{layer}.self_attention.query_key_value"
        weights.projection(name, (heads + 2 * kv_heads) * head_dim, hidden, bias)
        groups = weights.tensors[f"{name}.weight"].reshape(kv_heads, heads // kv_heads + 2, head_dim, hidden)
        groups[:, :-1] *= QUERY_KEY_GAIN
        weights.projection(f"{layer}.self_attention.dense", hidden, hidden, bias)
        weights.projection(f"{layer}.mlp.dense_h_to_4h", inner, hidden, bias)
        weights.projection(f"{layer}.mlp.dense_4h_to_h", hidden, inner, bias)
    weights.norm(f"{prefix}ln_f", hidden, bias=True)
    if not config.get("tie_word_embeddings", True):
        weights.matrix("lm_head.weight", config["vocab_size"], hidden)
    return weights.tensors


def bloom_weights(config, seed, prefix=""):
    """Bloom's queries, keys and values stand as GPT-NeoX's do. There are no positions to embed."""
    weights = Weights(seed)
    hidden = config.get("n_embed") or config["hidden_size"]
    heads = config.get("num_attention_heads") or config["n_head"]

    weights.embedding(f"{prefix}word_embeddings.weight", config["vocab_size"], hidden)
    weights.norm(f"{prefix}word_embeddings_layernorm", hidden, bias=True)
    for i in range(config["n_layer"]):
        layer = f"{prefix}h.{i}"
        weights.norm(f"{layer}.input_layernorm", hidden, bias=True)
        weights.heads_of_qkv(f"{layer}.self_attention.query_key_value", heads, hidden, True)
        weights.projection(f"{layer}.self_attention.dense", hidden, hidden, True)
        weights.norm(f"{layer}.post_attention_layernorm", hidden, bias=True)
        weights.projection(f"{layer}.mlp.dense_h_to_4h", 4 * hidden, hidden, True)
        weights.projection(f"{layer}.mlp.dense_4h_to_h", hidden, 4 * hidden, True)
    weights.norm(f"{prefix}ln_f", hidden, bias=True)
    return weights.tensors


def parameters(case: Case) -> dict[str, np.ndarray]:
    """The case's parameters in double, under the checkpoint's names."""
    families = {
        "apertus": apertus_weights, "bloom": bloom_weights, "cohere": cohere_weights, "cohere2": cohere_weights, "exaone4": exaone4_weights,
        "falcon": falcon_weights,
        "gemma2": gemma_weights, "gemma3_text": gemma_weights, "glm": glm_weights, "glm4": glm4_weights,
        "arcee": plain_mlp_weights, "nemotron": plain_mlp_weights, "starcoder2": plain_mlp_weights,
        "gemma": gemma_weights, "gpt_bigcode": gpt_bigcode_weights, "gpt_neo": gpt_neo_weights, "gpt2": gpt2_weights, "gpt_neox": gpt_neox_weights, "granite": scaled_weights, "helium": helium_weights,
        "hunyuan_v1_dense": hunyuan_weights, "hyperclovax": scaled_weights, "jais2": jais2_weights, "olmo": olmo_weights, "olmo2": olmo2_weights, "olmo3": olmo2_weights,
        "nanochat": nanochat_weights, "persimmon": persimmon_weights, "phi3": phi3_weights, "stablelm": stablelm_weights,
        "vaultgemma": vaultgemma_weights,
    }  # fmt: skip
    if case.config["model_type"] in library_models.FAMILIES:
        tensors = library_models.library_weights(case.config, case.seed, **{key: case.checkpoint[key] for key in ("own_head",) if key in case.checkpoint})
        if case.routed:
            routes.route(tensors, case.routed)
        return tensors
    if library_models.is_bare_decoder(case.config):
        tensors = families.get(case.config["model_type"], llama_like_weights)(case.config, case.seed)
        return {name.removeprefix("model."): tensor for name, tensor in tensors.items() if name != "lm_head.weight"}
    prefixed = {"prefix": case.checkpoint["prefix"]} if "prefix" in case.checkpoint else {}
    return families.get(case.config["model_type"], llama_like_weights)(case.config, case.seed, **prefixed)


def idle(config) -> tuple[str, ...]:
    """How the names of tensors end that do not matter: where a token sees itself alone, what attention goes by; where
    keys are not rotated, what is added to all of them."""
    if config.get("sliding_window") == 1:
        return ("q_proj.weight", "k_proj.weight")
    if config["model_type"] in library_models.FAMILIES:
        return library_models.idle_names(config)
    if config["model_type"] == "cohere2" and config["attention_bias"]:
        global_layers = (i for i, kind in enumerate(config["layer_types"]) if kind == "full_attention")
        return tuple(f"layers.{i}.self_attn.k_proj.bias" for i in global_layers)
    turned = config.get("no_rope_layers", []) if config.get("attention_bias") else []
    return tuple(f"layers.{i}.self_attn.k_proj.bias" for i, turns in enumerate(turned) if not turns)
