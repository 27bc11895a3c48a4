"""What a golden case is, and the configurations of the families: config.json as the hub's models write it.

Nothing here, in cases.py or in family_weights.py asks the library that computes the goldens: keys, names and shapes are
written down from the hub's checkpoints, so that the library's strict loading of them is a check of both. Of the families
of library_models.py names and shapes are the library's.
"""

from dataclasses import dataclass, field
from typing import Any

DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}  # golden's word: config.json's word

# Causal models: row i is the last row of the prompt of i + 1 tokens, so these are prompts of 1, 2, 3, 4, 8 ... 300.
ROWS = (0, 1, 2, 3, 7, 15, 31, 61, 62, 63, 64, 65, 66, 100, 127, 128, 129, 200, 255, 256, 257, 297, 298, 299)
PREFIXES = (1, 2, 63, 64, 65)  # prompts that are run on their own as well, here and by the tests of an engine


@dataclass
class Calls:
    """How sequences are appended whose rows depend on it: each pattern is the tokens of one call after the other, on a
    fresh model. A sequence that comes to be longer than `computed_anew_past` is computed from its first token on, as
    transformers' generation does where LongRoPE switches."""

    patterns: tuple[tuple[int, ...], ...]
    computed_anew_past: int | None = None


TEXTS = Calls(((1,), (2,), (63,), (64,), (65,), (200,)))  # of a model that reads a text whole: each of them is one pass


@dataclass
class Case:
    """One architecture. `config` is config.json but for its dtype key, whose spelling (torch_dtype, dtype, or none
    at all, as in the hub's gpt2) is `dtype_key`. `checkpoint` says how the file departs from one plain file that
    holds exactly the parameters: `shards`, `prefix`, and tensors that an importer has to know how to leave out.
    `dtypes` are those it is made in; `rows` those of the prompt whose logits are kept. `calls`: rows depend on them."""

    name: str
    seed: int
    description: str
    config: dict[str, Any]
    dtype_key: str | None = "torch_dtype"
    checkpoint: dict[str, Any] = field(default_factory=dict)
    dtypes: tuple[str, ...] = tuple(DTYPES)
    sequence_length: int = 300
    rows: tuple[int, ...] = ROWS
    calls: Calls | None = None

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


def olmo2(**keys):
    """OLMo 2: norms after attention and after the MLP alone, RMSNorm over all queries and over all keys."""
    return {
        "architectures": ["Olmo2ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "eos_token_id": 93,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096, "model_type": "olmo2",
        "pad_token_id": 92, "rms_norm_eps": 1e-6, "rope_scaling": None, "rope_theta": 500000,
        "tie_word_embeddings": False, "transformers_version": "4.47.0", "use_cache": True,
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


def glm(**keys):
    """GLM-4 9B: biases on q, k, v, an epsilon of its own, several tokens that end, and no word about what part of a head
    turns: half of it."""
    return {
        "architectures": ["GlmForCausalLM"], "attention_bias": True, "attention_dropout": 0.0,
        "eos_token_id": [91, 92, 93], "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 131072, "model_type": "glm", "pad_token_id": 91, "rms_norm_eps": 1.5625e-07,
        "rope_theta": 10000.0, "tie_word_embeddings": False, "transformers_version": "4.46.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def cohere(**keys):
    """Command R: tied without a word, a scale of the logits, and the longest sequence under another name as well."""
    return {
        "architectures": ["CohereForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 92,
        "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02, "layer_norm_eps": 1e-5,
        "logit_scale": 0.0625, "max_position_embeddings": 8192, "model_max_length": 131072, "model_type": "cohere",
        "pad_token_id": 0, "rope_theta": 8000000.0, "transformers_version": "4.38.2", "use_cache": True,
    } | keys  # fmt: skip


def cohere_5(**keys):
    """The same as transformers 5 saves it: every key, and rotary parameters in a table of their own."""
    config = respelled(cohere(), pad_token_id=0, tie_word_embeddings=True, use_qk_norm=False)
    del config["model_max_length"]
    return config | keys


def nanochat(**keys):
    """NanoChat as transformers saves it: no norm has weights, and no key says that heads turn the other way."""
    return {
        "architectures": ["NanoChatForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 0,
        "eos_token_id": 1, "final_logit_softcapping": 15.0, "hidden_act": "relu2", "initializer_range": 0.02,
        "max_position_embeddings": 2048, "model_type": "nanochat", "pad_token_id": 1, "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, "tie_word_embeddings": False,
        "transformers_version": "5.0.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def persimmon(**keys):
    """Persimmon 8B: half of a head turns, which no key says, by a base that versions of the library disagree on."""
    return {
        "architectures": ["PersimmonForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 93, "eos_token_id": 93,
        "hidden_act": "relu2", "hidden_dropout": 0.0, "initializer_range": 0.02, "layer_norm_eps": 1e-5,
        "max_position_embeddings": 16384, "model_type": "persimmon", "pad_token_id": 0, "qk_layernorm": True,
        "rope_theta": 25000.0, "tie_word_embeddings": False, "transformers_version": "4.34.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def stablelm(**keys):
    """StableLM 3B 4E1T, with keys of the class that it had before it was the library's."""
    return {
        "architectures": ["StableLmForCausalLM"], "bos_token_id": 0, "eos_token_id": 0, "hidden_act": "silu",
        "initializer_range": 0.02, "layer_norm_eps": 1e-5, "max_position_embeddings": 4096, "model_type": "stablelm",
        "num_heads": 32, "partial_rotary_factor": 0.25, "rope_pct": 0.25, "rope_theta": 10000,
        "rotary_scaling_factor": 1.0, "tie_word_embeddings": False, "transformers_version": "4.38.0", "use_cache": True,
        "use_qkv_bias": False,
    } | keys  # fmt: skip


def stablelm_5(**keys):
    """The same as transformers 5 saves it."""
    config = stablelm(attention_dropout=0.0, hidden_dropout=0.0, qk_layernorm=False, use_parallel_residual=False,
                      pad_token_id=None, transformers_version="5.23.0")  # fmt: skip
    for key in ("num_heads", "rope_pct", "rotary_scaling_factor"):
        del config[key]
    theta, share = config.pop("rope_theta"), config.pop("partial_rotary_factor")
    config["rope_parameters"] = {"partial_rotary_factor": share, "rope_theta": theta, "rope_type": "default"}
    return config | keys


def apertus(**keys):
    """Apertus 8B: an activation with learned numbers, and angles scaled as Llama 3's."""
    return {
        "architectures": ["ApertusForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "xielu", "initializer_range": 0.02, "max_position_embeddings": 65536,
        "model_type": "apertus", "pad_token_id": 3, "rms_norm_eps": 1e-5,
        "rope_scaling": {"factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                         "original_max_position_embeddings": 64, "rope_type": "llama3"},
        "rope_theta": 12000000.0, "tie_word_embeddings": False, "transformers_version": "4.56.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def ministral(**keys):
    """Ministral 8B as its own class has it: kinds of layers one by one, some with a window."""
    return {
        "architectures": ["MinistralForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 32768, "model_type": "ministral",
        "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "sliding_window": 32768, "tie_word_embeddings": False,
        "transformers_version": "4.57.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def olmo3(**keys):
    """OLMo 3: OLMo 2 with a window in three layers of four, and scaled angles in the others alone."""
    return {
        "architectures": ["Olmo3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "eos_token_id": 93,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 65536, "model_type": "olmo3",
        "pad_token_id": 92, "rms_norm_eps": 1e-6, "rope_theta": 500000, "sliding_window": 4096,
        "tie_word_embeddings": False, "transformers_version": "4.57.0", "use_cache": True,
    } | keys  # fmt: skip


def olmo3_5(**keys):
    """The same as transformers 5 saves it: rotary parameters for each kind of layer."""
    config = olmo3(pad_token_id=None, transformers_version="5.23.0")
    del config["rope_theta"]
    return config | keys


def seed_oss(**keys):
    """Seed-OSS 36B: biases on q, k, v and none on o, each by a key of its own; dropout that is not 0."""
    return {
        "architectures": ["SeedOssForCausalLM"], "attention_bias": True, "attention_dropout": 0.1,
        "attention_out_bias": False, "bos_token_id": 0, "eos_token_id": 2, "hidden_act": "silu",
        "initializer_range": 0.02, "max_position_embeddings": 524288, "mlp_bias": False, "model_type": "seed_oss",
        "pad_token_id": 1, "residual_dropout": 0.1, "rms_norm_eps": 1e-6, "rope_scaling": {"rope_type": "default"},
        "rope_theta": 10000000.0, "tie_word_embeddings": False, "transformers_version": "4.55.0", "use_cache": True,
    } | keys  # fmt: skip


def exaone4(**keys):
    """EXAONE 4.0: OLMo 2's norms of outputs, norms of heads, and no positions in layers without a window."""
    return {
        "architectures": ["Exaone4ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 93,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 131072, "model_type": "exaone4",
        "pad_token_id": 0, "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 1000000, "sliding_window": 4096,
        "sliding_window_pattern": "LLLG", "tie_word_embeddings": False, "transformers_version": "4.54.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def cohere2(**keys):
    """Command R7B: Cohere's layers, of which three in four have a window and positions, the others neither; keys that
    no version of the library reads."""
    return {
        "architectures": ["Cohere2ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 92,
        "cache_implementation": "hybrid", "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02,
        "layer_norm_eps": 1e-5, "layer_switch": 4, "logit_scale": 0.25, "max_position_embeddings": 8192,
        "model_type": "cohere2", "order_of_interleaved_layers": "local_attn_first", "pad_token_id": 0,
        "position_embedding_type": "rope_gptj", "rope_scaling": None, "rope_theta": 50000, "rotary_pct": 1.0,
        "sliding_window": 4096, "sliding_window_pattern": 4, "transformers_version": "4.48.0.dev0", "use_cache": True,
        "use_embedding_sharing": True, "use_gated_activation": True, "use_parallel_block": True,
        "use_parallel_embedding": False,
    } | keys  # fmt: skip


def cohere2_5(**keys):
    """The same as transformers 5 saves it."""
    return {
        "architectures": ["Cohere2ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 92,
        "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02, "layer_norm_eps": 1e-5,
        "logit_scale": 0.0625, "max_position_embeddings": 8192, "model_type": "cohere2", "pad_token_id": 0,
        "rope_parameters": {"rope_theta": 50000.0, "rope_type": "default"}, "sliding_window": 4096,
        "tie_word_embeddings": True, "transformers_version": "5.23.0", "use_cache": True,
    } | keys  # fmt: skip


def cwm(**keys):
    """Code World Model: Llama with a window in three layers of four, and llama3's angles in all."""
    return {
        "architectures": ["CwmForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 90,
        "eos_token_id": [91, 92, 93], "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 131072, "mlp_bias": False, "model_type": "cwm", "pretraining_tp": 1,
        "rms_norm_eps": 1e-5, "rope_theta": 1000000.0, "sliding_window": 8192, "tie_word_embeddings": False,
        "transformers_version": "4.57.0", "use_cache": True,
    } | keys  # fmt: skip


def hunyuan(**keys):
    """Hunyuan's dense models: norms of heads after the rotation, a base that an alpha stretches, and keys that no
    version of the library reads."""
    return {
        "add_classification_head": False, "architectures": ["HunYuanDenseV1ForCausalLM"], "attention_bias": False,
        "attention_dropout": 0.1, "bos_token_id": 1, "cla_share_factor": 2, "class_num": 0, "eod_token_id": 94,
        "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 32768,
        "mlp_bias": False, "model_type": "hunyuan_v1_dense", "norm_type": "rms", "org_vocab_size": 90, "pad_id": 92,
        "pad_token_id": 92, "pool_type": "last", "position_embedding_xdrope": False, "pretraining_tp": 1,
        "rms_norm_eps": 1e-5,
        "rope_scaling": {"alpha": 1000.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0,
                         "mscale_all_dim": 1.0, "type": "dynamic"},
        "rope_theta": 10000.0, "tie_word_embeddings": False, "transformers_version": "4.41.2", "use_cache": True,
        "use_cla": False, "use_qk_norm": True, "use_rotary_pos_emb": True,
    } | keys  # fmt: skip


def hunyuan_5(**keys):
    """The same as transformers 5 saves it, without scaling."""
    return {
        "architectures": ["HunYuanDenseV1ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 1, "eod_token_id": 3, "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 2048, "model_type": "hunyuan_v1_dense", "pad_token_id": 0, "pretraining_tp": 1,
        "rms_norm_eps": 1e-5, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
        "tie_word_embeddings": False, "transformers_version": "5.23.0", "use_cache": True,
    } | keys  # fmt: skip


def ernie4_5(**keys):
    """ERNIE 4.5: one key for all biases; neighbours turn together; tied."""
    return {
        "architectures": ["Ernie4_5ForCausalLM"], "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu",
        "initializer_range": 0.02, "max_position_embeddings": 131072, "model_type": "ernie4_5", "pad_token_id": 0,
        "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 500000.0, "tie_word_embeddings": True,
        "transformers_version": "4.54.0.dev0", "use_bias": False, "use_cache": True,
    } | keys  # fmt: skip


def glm4(**keys):
    """GLM-4-0414: GLM with norms of outputs as well, and a key for the half of a head that turns."""
    return {
        "architectures": ["Glm4ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "eos_token_id": [91, 92, 93], "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 32768, "model_type": "glm4", "pad_token_id": 91, "partial_rotary_factor": 0.5,
        "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "tie_word_embeddings": False,
        "transformers_version": "4.52.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def glm4_5(**keys):
    """The same as transformers 5 saves it."""
    config = respelled(glm4(), pad_token_id=91)
    del config["partial_rotary_factor"]
    config["rope_parameters"]["partial_rotary_factor"] = 0.5
    return config | keys


def helium(**keys):
    """Helium 1: Llama with neighbours that turn together, and the smallest epsilon."""
    return {
        "architectures": ["HeliumForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 4096,
        "mlp_bias": False, "model_type": "helium", "pad_token_id": 3, "rms_norm_eps": 1e-8, "rope_theta": 100000.0,
        "tie_word_embeddings": False, "transformers_version": "4.48.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def granite(**keys):
    """Granite 3: Llama with scales of the embedding, of scores, of what sub-blocks add and of logits."""
    return {
        "architectures": ["GraniteForCausalLM"], "attention_bias": False, "attention_dropout": 0.1,
        "attention_multiplier": 0.015625, "bos_token_id": 0, "embedding_multiplier": 12.0, "eos_token_id": 0,
        "hidden_act": "silu", "initializer_range": 0.02, "logits_scaling": 16.0, "max_position_embeddings": 131072,
        "mlp_bias": False, "model_type": "granite", "pad_token_id": 0, "residual_multiplier": 0.22,
        "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 10000000.0, "tie_word_embeddings": True,
        "transformers_version": "4.49.0", "use_cache": True,
    } | keys  # fmt: skip


def hyperclovax(**keys):
    """HyperCLOVA X SEED Think: the same scales, of which that of logits is multiplied, and norms around sub-blocks."""
    return {
        "architectures": ["HyperCLOVAXForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "attention_multiplier": 0.0078125, "bos_token_id": 1, "embedding_multiplier": 10.0, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "logits_scaling": 0.125, "max_position_embeddings": 131072,
        "mlp_bias": False, "model_type": "hyperclovax", "pad_token_id": 0, "residual_multiplier": 1.0,
        "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 500000000, "tie_word_embeddings": False,
        "transformers_version": "4.52.4", "use_cache": True, "use_post_norm": True,
    } | keys  # fmt: skip


def jais2(**keys):
    """Jais 2: LayerNorm with biases, biases on all projections, and an MLP without a gate."""
    return {
        "architectures": ["Jais2ForCausalLM"], "attention_bias": True, "attention_dropout": 0.0, "bos_token_id": 0,
        "eos_token_id": 93, "hidden_act": "relu2", "initializer_range": 0.02, "layer_norm_eps": 1e-5,
        "max_position_embeddings": 8192, "mlp_bias": True, "model_type": "jais2", "rope_theta": 500000.0,
        "tie_word_embeddings": False, "transformers_version": "4.57.0", "use_cache": True,
    } | keys  # fmt: skip


def olmo(**keys):
    """OLMo: LayerNorm that has neither weights nor biases, and an epsilon that no key says."""
    return {
        "architectures": ["OlmoForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "clip_qkv": None,
        "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 2048,
        "model_type": "olmo", "pad_token_id": 1, "rope_scaling": None, "rope_theta": 10000.0,
        "tie_word_embeddings": False, "transformers_version": "4.40.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def phi(**keys):
    """Phi-1.5 and Phi-2: attention and MLP side by side, biases everywhere, of the head too."""
    return {
        "architectures": ["PhiForCausalLM"], "attention_dropout": 0.0, "bos_token_id": None, "embd_pdrop": 0.0,
        "eos_token_id": None, "hidden_act": "gelu_new", "initializer_range": 0.02, "layer_norm_eps": 1e-5,
        "max_position_embeddings": 2048, "model_type": "phi", "partial_rotary_factor": 0.5, "qk_layernorm": False,
        "resid_pdrop": 0.0, "rope_scaling": None, "rope_theta": 10000.0, "tie_word_embeddings": False,
        "transformers_version": "4.37.0", "use_cache": True,
    } | keys  # fmt: skip


def phi_5(**keys):
    """The same as transformers 5 saves it."""
    config = respelled(phi())
    del config["partial_rotary_factor"]
    config["rope_parameters"]["partial_rotary_factor"] = 0.5
    return config | keys


def gptj(**keys):
    """GPT-J 6B: neighbours of a part of each head turn, and the head has a bias."""
    return {
        "activation_function": "gelu_new", "architectures": ["GPTJForCausalLM"], "attn_pdrop": 0.0, "bos_token_id": 96,
        "embd_pdrop": 0.0, "eos_token_id": 96, "initializer_range": 0.02, "layer_norm_epsilon": 1e-5,
        "model_type": "gptj", "n_inner": None, "n_positions": 2048, "resid_pdrop": 0.0,
        "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True,
        "summary_type": "cls_index", "summary_use_proj": True, "tie_word_embeddings": False,
        "transformers_version": "4.18.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def codegen(**keys):
    """CodeGen: GPT-J with queries, values and keys of each quarter of the heads in one tensor."""
    return {
        "activation_function": "gelu_new", "architectures": ["CodeGenForCausalLM"], "attn_pdrop": 0.0, "bos_token_id": 1,
        "embd_pdrop": 0.0, "eos_token_id": 96, "gradient_checkpointing": False, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-5, "model_type": "codegen", "n_ctx": 2048, "n_inner": None, "n_positions": 2048,
        "resid_pdrop": 0.0, "scale_attn_weights": True, "summary_activation": None, "summary_first_dropout": 0.1,
        "summary_proj_to_labels": True, "summary_type": "cls_index", "summary_use_proj": True,
        "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50, "temperature": 1.0}},
        "tie_word_embeddings": False, "tokenizer_class": "GPT2Tokenizer", "transformers_version": "4.21.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def gpt_neox_japanese(**keys):
    """GPT-NeoX Japanese: matrices without biases, but for the last attention's; tied without a word."""
    return {
        "architectures": ["GPTNeoXJapaneseForCausalLM"], "attention_dropout": 0.1, "bos_token_id": 95,
        "eos_token_id": 96, "hidden_act": "gelu", "hidden_dropout": 0.0, "initializer_range": 0.02,
        "intermediate_multiple_size": 4, "layer_norm_eps": 1e-5, "max_position_embeddings": 2048,
        "model_type": "gpt_neox_japanese", "rotary_emb_base": 10000, "rotary_pct": 1.0,
        "transformers_version": "4.23.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def bert_generation(**keys):
    """BERT for generation: norms after additions and none before the head, of which a bias is a tensor of its own."""
    return {
        "architectures": ["BertGenerationDecoder"], "attention_probs_dropout_prob": 0.1, "bos_token_id": 2,
        "eos_token_id": 1, "gradient_checkpointing": False, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
        "initializer_range": 0.02, "is_decoder": True, "layer_norm_eps": 1e-12, "max_position_embeddings": 311,
        "model_type": "bert-generation", "pad_token_id": 0,
    } | keys  # fmt: skip


def modernbert_decoder(**keys):
    """Ettin's decoders: a first layer without a norm, windows of half of local_attention, a dense matrix before the head."""
    return {
        "architectures": ["ModernBertDecoderForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 95, "causal_mask": True, "classifier_activation": "gelu", "classifier_bias": False,
        "classifier_dropout": 0.0, "classifier_pooling": "mean", "cls_token_id": 95, "decoder_bias": True,
        "deterministic_flash_attn": False, "embedding_dropout": 0.0, "eos_token_id": 96,
        "global_attn_every_n_layers": 3, "global_rope_theta": 160000.0, "gradient_checkpointing": False,
        "hidden_activation": "gelu", "initializer_cutoff_factor": 2.0, "initializer_range": 0.02, "is_causal": True,
        "layer_norm_eps": 1e-5, "local_attention": 128, "local_rope_theta": 160000.0, "max_position_embeddings": 7999,
        "mlp_bias": False, "mlp_dropout": 0.0, "model_type": "modernbert-decoder", "norm_bias": False, "norm_eps": 1e-5,
        "pad_token_id": 94, "position_embedding_type": "sans_pos", "repad_logits_with_grad": False, "sep_token_id": 96,
        "sparse_pred_ignore_index": -100, "sparse_prediction": False, "transformers_version": "4.48.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def diffllama(**keys):
    """DiffLlama: Llama with differential attention."""
    return {
        "architectures": ["DiffLlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "lambda_std_dev": 0.1,
        "max_position_embeddings": 4096, "model_type": "diffllama", "rms_norm_eps": 1e-5,
        "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, "tie_word_embeddings": False,
        "transformers_version": "5.23.0", "use_cache": True,
    } | keys  # fmt: skip


def granite_swa(**keys):
    """Granite Swash: Granite with sinks, windows, and a base of angles for each layer, 0 where none turns."""
    return {
        "architectures": ["GraniteSWAForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "attention_multiplier": 0.25, "bos_token_id": 95, "embedding_multiplier": 12.0, "eos_token_id": 95,
        "hidden_act": "silu", "initializer_range": 0.02, "layer_rope_theta": None, "logits_scaling": 8.0,
        "max_position_embeddings": 8192, "mlp_bias": False, "model_type": "granite_swa", "residual_multiplier": 0.22,
        "rms_norm_eps": 1e-5, "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, "sliding_window": 128,
        "tie_word_embeddings": True, "transformers_version": "5.23.0", "use_cache": True,
    } | keys  # fmt: skip


def ministral3(**keys):
    """Ministral 3: YaRN, and scores that grow beyond the original context."""
    return {
        "architectures": ["Ministral3ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 262144, "model_type": "ministral3",
        "rms_norm_eps": 1e-5,
        "rope_parameters": {"beta_fast": 32.0, "beta_slow": 1.0, "factor": 16.0, "llama_4_scaling_beta": 0.1,
                            "mscale": 1.0, "mscale_all_dim": 1.0, "original_max_position_embeddings": 64,
                            "rope_theta": 1000000.0, "rope_type": "yarn"},
        "sliding_window": None, "tie_word_embeddings": False, "transformers_version": "5.0.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def cohere_compass(**keys):
    """Command's text model that reads images as well: angles by the type of layer, of which one may have none."""
    return {
        "architectures": ["CohereCompassForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 5, "eos_token_id": 96, "hidden_act": "silu", "initializer_range": 0.02, "layer_norm_eps": 1e-5,
        "logit_scale": None, "max_position_embeddings": 8192, "model_type": "cohere_compass_text", "pad_token_id": 0,
        "pooling": None, "rope_parameters": {"full_attention": {
            "mrope_interleaved": True, "mrope_section": [4, 3, 3], "rope_theta": 10000.0, "rope_type": "default"}},
        "sliding_window": 4096, "tie_word_embeddings": True, "transformers_version": "5.23.0", "use_cache": True,
    } | keys  # fmt: skip


def opt(**keys):
    """OPT: learned positions from the third row on, biases everywhere."""
    return {
        "_remove_final_layer_norm": False, "activation_function": "relu", "architectures": ["OPTForCausalLM"],
        "attention_dropout": 0.0, "bos_token_id": 2, "do_layer_norm_before": True, "dropout": 0.1, "eos_token_id": 2,
        "init_std": 0.02, "layerdrop": 0.0, "max_position_embeddings": 311, "model_type": "opt", "pad_token_id": 1,
        "transformers_version": "4.21.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def biogpt(**keys):
    """BioGPT: embeddings times sqrt(hidden_size), learned positions from the third row on, an epsilon that nobody reads."""
    return {
        "activation_dropout": 0.0, "architectures": ["BioGptForCausalLM"], "attention_probs_dropout_prob": 0.1,
        "bos_token_id": 0, "eos_token_id": 2, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
        "initializer_range": 0.02, "layer_norm_eps": 1e-12, "layerdrop": 0.0, "max_position_embeddings": 311,
        "model_type": "biogpt", "pad_token_id": 1, "scale_embedding": True, "transformers_version": "4.25.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def xglm(**keys):
    """XGLM: sines before cosines, from the third position on, whose last frequency is 1 / 10000."""
    return {
        "activation_dropout": 0, "activation_function": "gelu", "architectures": ["XGLMForCausalLM"],
        "attention_dropout": 0.1, "bos_token_id": 0, "decoder_start_token_id": 2, "dropout": 0.1, "eos_token_id": 2,
        "init_std": 0.02, "layerdrop": 0.0, "max_position_embeddings": 2048, "model_type": "xglm", "pad_token_id": 1,
        "scale_embedding": True, "transformers_version": "4.16.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def ctrl(**keys):
    """CTRL: sines before cosines beside embeddings times sqrt(n_embd), a head with a bias, tied without a word."""
    return {
        "architectures": ["CTRLLMHeadModel"], "attn_pdrop": 0.1, "embd_pdrop": 0.1, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-6, "model_type": "ctrl", "n_ctx": 512, "n_positions": 311, "resid_pdrop": 0.1,
        "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True,
        "summary_type": "cls_index", "summary_use_proj": True,
    } | keys  # fmt: skip


def openai_gpt(**keys):
    """GPT: norms after additions and none before the head; gelu, by which it means the approximation."""
    return {
        "afn": "gelu", "architectures": ["OpenAIGPTLMHeadModel"], "attn_pdrop": 0.1, "embd_pdrop": 0.1,
        "initializer_range": 0.02, "layer_norm_epsilon": 1e-5, "model_type": "openai-gpt", "n_ctx": 512,
        "n_positions": 311, "n_special": 0, "predict_special_tokens": True, "resid_pdrop": 0.1,
        "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True,
        "summary_type": "cls_index", "summary_use_proj": True,
        "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
    } | keys  # fmt: skip


def mpt(**keys):
    """MPT 7B: ALiBi, no biases, keys of attention in an object."""
    return {
        "architectures": ["MptForCausalLM"],
        "attn_config": {"alibi": True, "alibi_bias_max": 8, "attn_impl": "torch", "attn_pdrop": 0, "attn_type": "multihead_attention",
                        "attn_uses_sequence_id": False, "clip_qkv": None, "prefix_lm": False, "qk_ln": False,
                        "softmax_scale": None},
        "emb_pdrop": 0, "embedding_fraction": 1.0, "expansion_ratio": 4, "init_device": "cpu",
        "layer_norm_epsilon": 1e-5, "learned_pos_emb": True, "logit_scale": None, "max_seq_len": 301,
        "model_type": "mpt", "no_bias": True, "norm_type": "low_precision_layernorm", "resid_pdrop": 0,
        "transformers_version": "4.28.1", "use_cache": False,
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


def gpt_neox(**keys):
    """Pythia: rotary_pct and rotary_emb_base, no word about biases."""
    return {
        "architectures": ["GPTNeoXForCausalLM"], "bos_token_id": 0, "eos_token_id": 0, "hidden_act": "gelu",
        "initializer_range": 0.02, "layer_norm_eps": 1e-5, "max_position_embeddings": 2048,
        "model_type": "gpt_neox", "rotary_emb_base": 10000, "rotary_pct": 0.25, "tie_word_embeddings": False,
        "transformers_version": "4.24.0", "use_cache": True, "use_parallel_residual": True,
    } | keys  # fmt: skip


def gpt_neox_5(**keys):
    """The same as transformers 5 saves it."""
    config = gpt_neox(
        attention_bias=True, attention_dropout=0.0, classifier_dropout=0.1, hidden_dropout=0.0, is_decoder=False,
        pad_token_id=None, transformers_version="5.23.0",
    )  # fmt: skip
    theta, share = config.pop("rotary_emb_base"), config.pop("rotary_pct")
    config["rope_parameters"] = {"partial_rotary_factor": share, "rope_theta": theta, "rope_type": "default"}
    return config | keys


def gemma(**keys):
    """Gemma 2B: its activation's old name, beside the newer key; tied without a word."""
    return {
        "architectures": ["GemmaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 2,
        "eos_token_id": 1, "hidden_act": "gelu", "hidden_activation": "gelu_pytorch_tanh",
        "initializer_range": 0.02, "max_position_embeddings": 8192, "model_type": "gemma", "pad_token_id": 0,
        "rms_norm_eps": 1e-6, "rope_scaling": None, "rope_theta": 10000.0, "transformers_version": "4.38.0.dev0",
        "use_cache": True,
    } | keys  # fmt: skip


def gemma_5(**keys):
    """The same as transformers 5 saves it."""
    config = respelled(gemma(), hidden_act="gelu_pytorch_tanh", pad_token_id=0, tie_word_embeddings=True,
                       use_bidirectional_attention=None)  # fmt: skip
    del config["hidden_activation"]
    return config | keys


def gemma2(**keys):
    """Gemma 2: a window in every other layer, two soft caps, a scale of scores that is a key; tied without a word."""
    return {
        "architectures": ["Gemma2ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "attn_logit_softcapping": 50.0, "bos_token_id": 2, "cache_implementation": "hybrid", "eos_token_id": 1,
        "final_logit_softcapping": 30.0, "hidden_act": "gelu_pytorch_tanh",
        "hidden_activation": "gelu_pytorch_tanh", "initializer_range": 0.02, "max_position_embeddings": 8192,
        "model_type": "gemma2", "pad_token_id": 0, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0, "sliding_window": 4096, "transformers_version": "4.42.4", "use_cache": True,
    } | keys  # fmt: skip


def gemma2_5(**keys):
    """The same as transformers 5 saves it: kinds of layers one by one, null where nothing is capped."""
    config = respelled(gemma2(), pad_token_id=0, tie_word_embeddings=True, use_bidirectional_attention=None)
    for key in ("cache_implementation", "hidden_act"):
        del config[key]
    return config | keys


def vaultgemma(**keys):
    """VaultGemma: Gemma 2 without norms of outputs."""
    config = gemma2(architectures=["VaultGemmaForCausalLM"], model_type="vaultgemma", transformers_version="4.57.0")
    for key in ("cache_implementation", "hidden_act"):
        del config[key]
    return config | keys


def gemma3(**keys):
    """Gemma 3's text models: a global layer after every so many local ones, which turn by a base of their own."""
    return {
        "architectures": ["Gemma3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "attn_logit_softcapping": None, "bos_token_id": 2, "cache_implementation": "hybrid", "eos_token_id": 1,
        "final_logit_softcapping": None, "hidden_activation": "gelu_pytorch_tanh", "initializer_range": 0.02,
        "max_position_embeddings": 32768, "model_type": "gemma3_text", "pad_token_id": 0,
        "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-6, "rope_local_base_freq": 10000.0, "rope_scaling": None,
        "rope_theta": 1000000.0, "sliding_window": 512, "sliding_window_pattern": 6,
        "transformers_version": "4.50.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def gemma3_5(**keys):
    """The same as transformers 5 saves it: rotary parameters for each kind of layer."""
    config = gemma3(_sliding_window_pattern=6, tie_word_embeddings=True, transformers_version="5.23.0",
                    use_bidirectional_attention=False)  # fmt: skip
    for key in ("cache_implementation", "rope_local_base_freq", "rope_scaling", "rope_theta", "sliding_window_pattern"):
        del config[key]
    rotary = {"full_attention": {"rope_theta": 1000000.0, "rope_type": "default"},
              "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"}}  # fmt: skip
    return config | {"rope_parameters": rotary} | keys


def starcoder2(**keys):
    """StarCoder2 3B: a window, biases everywhere, and keys of GPTBigCode that mean nothing; tied without a word."""
    return {
        "activation_function": "gelu", "architectures": ["Starcoder2ForCausalLM"], "attention_dropout": 0.1,
        "attention_softmax_in_fp32": True, "bos_token_id": 0, "embedding_dropout": 0.1, "eos_token_id": 0,
        "hidden_act": "gelu_pytorch_tanh", "initializer_range": 0.018042, "layer_norm_epsilon": 1e-5,
        "max_position_embeddings": 16384, "mlp_type": "default", "model_type": "starcoder2", "norm_epsilon": 1e-5,
        "norm_type": "layer_norm", "residual_dropout": 0.1, "rope_theta": 999999.4420358813,
        "scale_attention_softmax_in_fp32": True, "scale_attn_weights": True, "sliding_window": 4096,
        "transformers_version": "4.37.0.dev0", "use_bias": True, "use_cache": True,
    } | keys  # fmt: skip


def starcoder2_5(**keys):
    """The same as transformers 5 saves it."""
    config = respelled(starcoder2(), tie_word_embeddings=True)
    for key in ("activation_function", "attention_softmax_in_fp32", "layer_norm_epsilon", "mlp_type", "norm_type",
                "scale_attention_softmax_in_fp32", "scale_attn_weights"):  # fmt: skip
        del config[key]
    return config | keys


def gpt_bigcode(**keys):
    """StarCoder: GPT-2's keys, one key/value head, and keys of kernels that are gone."""
    return {
        "activation_function": "gelu", "architectures": ["GPTBigCodeForCausalLM"], "attention_softmax_in_fp32": True,
        "attn_pdrop": 0.1, "bos_token_id": 0, "embd_pdrop": 0.1, "eos_token_id": 0, "inference_runner": 0,
        "initializer_range": 0.02, "layer_norm_epsilon": 1e-5, "max_batch_size": None, "max_sequence_length": None,
        "model_type": "gpt_bigcode", "multi_query": True, "n_positions": 512, "pad_key_length": True,
        "pre_allocate_kv_cache": False, "resid_pdrop": 0.1, "scale_attention_softmax_in_fp32": True,
        "scale_attn_weights": True, "summary_activation": None, "summary_first_dropout": 0.1,
        "summary_proj_to_labels": True, "summary_type": "cls_index", "summary_use_proj": True,
        "transformers_version": "4.28.1", "use_cache": True, "validate_runner_input": True,
    } | keys  # fmt: skip


def gpt_bigcode_5(**keys):
    """The same as transformers 5 saves it."""
    config = gpt_bigcode(add_cross_attention=False, pad_token_id=None, tie_word_embeddings=True,
                         transformers_version="5.23.0")  # fmt: skip
    for key in ("inference_runner", "max_batch_size", "max_sequence_length", "pad_key_length", "pre_allocate_kv_cache",
                "validate_runner_input"):  # fmt: skip
        del config[key]
    return config | keys


def smollm3(**keys):
    """SmolLM3 3B: which layers turn stands layer by layer, beside the interval that says the same; tied without a word."""
    return {
        "architectures": ["SmolLM3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": None, "eos_token_id": 93, "hidden_act": "silu", "initializer_range": 0.02,
        "max_position_embeddings": 65536, "max_window_layers": 28, "mlp_bias": False, "model_type": "smollm3",
        "no_rope_layer_interval": 4, "pad_token_id": 92, "pretraining_tp": 2, "rms_norm_eps": 1e-6,
        "rope_scaling": None, "rope_theta": 5000000.0, "sliding_window": None, "transformers_version": "4.54.0.dev0",
        "use_cache": True, "use_sliding_window": False,
    } | keys  # fmt: skip


def smollm3_5(**keys):
    """The same as transformers 5 saves it."""
    config = respelled(smollm3(), pad_token_id=92, tie_word_embeddings=True)
    for key in ("max_window_layers", "pretraining_tp"):
        del config[key]
    return config | keys


def nemotron(**keys):
    """Minitron 4B: half of each head turns, squares in the MLP, head_dim always explicit."""
    return {
        "architectures": ["NemotronForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 2, "eos_token_id": 3, "hidden_act": "relu2", "initializer_range": 0.0134,
        "max_position_embeddings": 4096, "mlp_bias": False, "model_type": "nemotron", "norm_eps": 1e-5,
        "partial_rotary_factor": 0.5, "rope_theta": 10000.0, "tie_word_embeddings": False,
        "transformers_version": "4.32.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def nemotron_5(**keys):
    """The same as transformers 5 saves it."""
    config = respelled(nemotron())
    config["rope_parameters"]["partial_rotary_factor"] = config.pop("partial_rotary_factor")
    return config | keys


def arcee(**keys):
    """AFM 4.5B: a Llama whose MLP has squares in place of a gate."""
    return {
        "architectures": ["ArceeForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 91,
        "eos_token_id": 93, "hidden_act": "relu2", "initializer_range": 0.02, "max_position_embeddings": 65536,
        "mlp_bias": False, "model_type": "arcee", "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 10000.0,
        "tie_word_embeddings": False, "transformers_version": "4.53.2", "use_cache": True,
    } | keys  # fmt: skip


def gpt_neo(**keys):
    """GPT-Neo 125M: kinds of layers twice, as a pattern and one by one; no biases at q, k, v, which no key says."""
    return {
        "activation_function": "gelu_new", "architectures": ["GPTNeoForCausalLM"], "attention_dropout": 0,
        "bos_token_id": 96, "embed_dropout": 0, "eos_token_id": 96, "gradient_checkpointing": False,
        "initializer_range": 0.02, "intermediate_size": None, "layer_norm_epsilon": 1e-5, "model_type": "gpt_neo",
        "resid_dropout": 0, "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True,
        "summary_type": "cls_index", "summary_use_proj": True, "transformers_version": "4.9.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def falcon(**keys):
    """Falcon 7B, and those before it: keys that say which of three kinds of layer there is; tied without a word."""
    return {
        "alibi": False, "apply_residual_connection_post_layernorm": False, "architectures": ["FalconForCausalLM"],
        "attention_dropout": 0.0, "bias": False, "bos_token_id": 11, "eos_token_id": 11, "hidden_dropout": 0.0,
        "initializer_range": 0.02, "layer_norm_epsilon": 1e-5, "model_type": "falcon", "multi_query": True,
        "new_decoder_architecture": False, "parallel_attn": True, "transformers_version": "4.27.4", "use_cache": True,
    } | keys  # fmt: skip


def falcon_5(**keys):
    """As transformers 5 saves it, and Falcon 11B has it: sizes of key/value heads and the MLP, norms by number."""
    config = falcon(
        activation="gelu", max_position_embeddings=8192, num_ln_in_parallel_attn=None, pad_token_id=None,
        rope_parameters={"rope_theta": 10000.0, "rope_type": "default"}, tie_word_embeddings=True,
        transformers_version="5.23.0",
    )  # fmt: skip
    del config["apply_residual_connection_post_layernorm"]
    return config | keys


def openelm(**keys):
    """OpenELM as the hub has it: heads and multipliers of each layer, beside what they follow from."""
    return {
        "activation_fn_name": "swish", "architectures": ["OpenELMForCausalLM"],
        "auto_map": {"AutoConfig": "configuration_openelm.OpenELMConfig",
                     "AutoModelForCausalLM": "modeling_openelm.OpenELMForCausalLM"},
        "bos_token_id": 1, "eos_token_id": 2, "ffn_with_glu": True, "initializer_range": 0.02,
        "max_context_length": 512, "model_type": "openelm", "normalization_layer_name": "rms_norm",
        "normalize_qk_projections": True, "rope_freq_constant": 10000, "rope_max_length": 1024,
        "share_input_output_layers": True, "transformers_version": "4.39.3", "use_cache": True,
    } | keys  # fmt: skip


def llada(**keys):
    """LLaDA 8B: keys of OLMo's first code, of which the published code reads a part."""
    return {
        "activation_type": "silu", "alibi": False, "alibi_bias_max": 8.0, "architectures": ["LLaDAModelLM"],
        "attention_dropout": 0.0, "attention_layer_norm": False, "attention_layer_norm_with_affine": True,
        "auto_map": {"AutoConfig": "configuration_llada.LLaDAConfig",
                     "AutoModelForCausalLM": "modeling_llada.LLaDAModelLM"},
        "bias_for_layer_norm": False, "block_group_size": 1, "block_type": "llama", "embedding_dropout": 0.0,
        "eos_token_id": 91, "flash_attention": False, "include_bias": False, "include_qkv_bias": False,
        "init_cutoff_factor": None, "init_device": "meta", "init_fn": "mitchell", "init_std": 0.02,
        "input_emb_norm": False, "layer_norm_type": "rms", "layer_norm_with_affine": True, "mask_token_id": 92,
        "max_sequence_length": 512, "mlp_ratio": 4, "model_type": "llada", "multi_query_attention": None,
        "pad_token_id": 91, "precision": "amp_bf16", "residual_dropout": 0.0, "rms_norm_eps": 1e-05, "rope": True,
        "rope_full_precision": True, "rope_theta": 10000.0, "scale_logits": False, "transformers_version": "4.46.3",
        "use_cache": False, "weight_tying": False,
    } | keys  # fmt: skip


def bloom(**keys):
    """Bloom's own file: the width is n_embed, and half of the keys are Megatron's."""
    return {
        "apply_residual_connection_post_layernorm": False, "architectures": ["BloomForCausalLM"],
        "attention_dropout": 0.0, "attention_softmax_in_fp32": True, "bias_dropout_fusion": True,
        "bos_token_id": 1, "eos_token_id": 2, "hidden_dropout": 0.0, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-5, "masked_softmax_fusion": True, "model_type": "bloom", "n_inner": None,
        "offset_alibi": 100, "pad_token_id": 3, "pretraining_tp": 2, "seq_length": 2048, "skip_bias_add": True,
        "skip_bias_add_qkv": False, "slow_but_exact": False, "transformers_version": "4.21.0", "unk_token_id": 0,
        "use_cache": True,
    } | keys  # fmt: skip


def bloom_5(**keys):
    """The same as transformers 5 saves it."""
    return {
        "apply_residual_connection_post_layernorm": False, "architectures": ["BloomForCausalLM"],
        "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2, "hidden_dropout": 0.0,
        "initializer_range": 0.02, "layer_norm_epsilon": 1e-5, "model_type": "bloom", "pad_token_id": None,
        "pretraining_tp": 1, "slow_but_exact": False, "tie_word_embeddings": True, "transformers_version": "5.23.0",
        "use_cache": True,
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
