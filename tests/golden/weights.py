"""The tensors that checkpoints of the families hold, under their names and in their shapes."""

import numpy as np

from families import Case

# Higher, and the worst row of some case is more than 3e-6 away from a computation in double.
QUERY_KEY_GAIN = 1.2


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

    def embedding(self, name, rows, columns, *, smallest=0.01):
        scale = 10.0 ** self.random.uniform(np.log10(smallest), 0, (rows, 1))
        self.tensors[name] = scale * self._draw(rows, columns)

    def norm(self, name, size, *, gain=1.0, bias=False, around=1):
        """size: of a vector; or of a table, a row a head."""
        shape = size if isinstance(size, tuple) else (size,)
        self.tensors[f"{name}.weight"] = gain * (around + 0.3 * self._draw(*shape))
        if bias:
            self.bias(name, size)

    def bias(self, name, size):
        self.vector(f"{name}.bias", size)

    def vector(self, name, size, *, gain=0.3):
        self.tensors[name] = gain * self._draw(size)

    def table(self, name, rows, columns):
        self.tensors[name] = self._draw(rows, columns)

    def projection(self, name, rows, columns, bias, *, gain=1.0):
        """Stored (out, in)."""
        self.matrix(f"{name}.weight", rows, columns, gain=gain)
        if bias:
            self.bias(name, rows)

    def heads_of_qkv(self, name, heads, hidden, bias):
        """One tensor with each head's queries, keys and values, head after head."""
        self.projection(name, 3 * hidden, hidden, bias)
        by_head = self.tensors[f"{name}.weight"].reshape(heads, 3, hidden // heads, hidden)
        by_head[:, :2] *= QUERY_KEY_GAIN


def llama_like_weights(config, seed, *, smallest=0.01):
    """Llama, Mistral, Qwen2, Qwen3, SmolLM3."""
    weights = Weights(seed)
    hidden, intermediate = config["hidden_size"], config["intermediate_size"]
    heads = config["num_attention_heads"]
    kv_heads = config.get("num_key_value_heads", heads)
    head_dim = config.get("head_dim", hidden // heads)
    qk_norm = config["model_type"] == "qwen3"
    qkv_bias = config.get("attention_bias", config["model_type"] == "qwen2")
    o_bias = config.get("attention_bias", False)
    mlp_bias = config.get("mlp_bias", False)

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


def gpt_bigcode_weights(config, seed, prefix):
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


def gpt_neo_weights(config, seed, prefix):
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


def falcon_weights(config, seed, prefix):
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
    family, prefix = case.config["model_type"], case.checkpoint.get("prefix", "")
    if family == "gpt2":
        return gpt2_weights(case.config, case.seed, prefix)
    if family == "gpt_bigcode":
        return gpt_bigcode_weights(case.config, case.seed, prefix)
    if family == "gpt_neo":
        return gpt_neo_weights(case.config, case.seed, prefix)
    if family in ("starcoder2", "nemotron", "arcee"):
        return plain_mlp_weights(case.config, case.seed)
    if family == "gpt_neox":
        return gpt_neox_weights(case.config, case.seed)
    if family == "bloom":
        return bloom_weights(case.config, case.seed, prefix)
    if family == "falcon":
        return falcon_weights(case.config, case.seed, prefix)
    if family == "olmo2":
        return olmo2_weights(case.config, case.seed)
    if family == "phi3":
        return phi3_weights(case.config, case.seed)
    if family == "glm":
        return glm_weights(case.config, case.seed)
    if family == "cohere":
        return cohere_weights(case.config, case.seed)
    if family in ("gemma", "gemma2", "gemma3_text"):
        return gemma_weights(case.config, case.seed)
    return llama_like_weights(case.config, case.seed)


def idle(config) -> tuple[str, ...]:
    """How the names of tensors end that do not matter: where a token sees itself alone, what attention goes by; where keys
    are not turned, their bias, which adds the same to all scores of a query."""
    if config.get("sliding_window") == 1:
        return ("q_proj.weight", "k_proj.weight")
    turned = config.get("no_rope_layers", []) if config.get("attention_bias") else []
    return tuple(f"layers.{i}.self_attn.k_proj.bias" for i, turns in enumerate(turned) if not turns)
