"""The mistakes to try on a configuration: for each key of each family, values that must move the logits, that the
library must refuse, or that must change nothing.
"""

import library_models
from changes import ABSENT, INERT, MEASURED, Change, every_key, scaling_of
from mistakes_of_gemmas import gemma1_changes, gemma2_changes, gemma3_changes
from mistakes_of_gpts import (
    bloom_changes,
    falcon_changes,
    gpt2_changes,
    gpt_bigcode_changes,
    gpt_neo_changes,
    gpt_neox_changes,
)
from mistakes_of_llamas import (
    apertus_changes,
    cohere2_changes,
    cohere_changes,
    llama_like_changes,
    nanochat_changes,
    persimmon_changes,
    plain_mlp_changes,
    smollm3_changes,
    stablelm_changes,
)

# Keys that inference does not read (dropout is for training; the rest describes the file or other heads).
INERT_VALUES = {
    "_sliding_window_pattern": 2, "add_classification_head": True, "architectures": ["Other"], "attention_dropout": 0.5,
    "attention_softmax_in_fp32": False, "attn_pdrop": 0.9, "bias_dropout_fusion": False, "bos_token_id": 5,
    "cache_implementation": "static", "cla_share_factor": 3, "class_num": 4, "classifier_dropout": 0.9,
    "dtype": "float64", "embd_pdrop": 0.9, "eod_token_id": 8, "eos_token_id": 6, "hidden_dropout": 0.9,
    "initializer_range": 0.7, "is_decoder": True, "layer_switch": 2, "masked_softmax_fusion": False,
    "model_max_length": 16, "n_ctx": 16, "norm_type": "layer", "offset_alibi": 7,
    "order_of_interleaved_layers": "global_attn_first", "org_vocab_size": 16, "original_max_position_embeddings": 64,
    "pad_id": 9, "pad_token_id": 7, "pool_type": "first", "position_embedding_type": "alibi",
    "position_embedding_xdrope": True, "pretraining_tp": 2, "reorder_and_upcast_attn": True, "resid_pdrop": 0.9,
    "residual_dropout": 0.9, "rotary_pct": 0.5, "seq_length": 16, "skip_bias_add": False, "skip_bias_add_qkv": True,
    "sliding_window_size": 5, "summary_activation": "tanh", "summary_first_dropout": 0.9,
    "summary_proj_to_labels": False, "summary_type": "mean", "summary_use_proj": False, "task_specific_params": None,
    "torch_dtype": "float64", "transformers_version": "4.0.0", "unk_token_id": 4, "use_cache": False, "use_cla": True,
    "use_embedding_sharing": False, "use_gated_activation": False, "use_mrope": True, "use_parallel_block": False,
    "use_parallel_embedding": True, "use_rotary_pos_emb": False, "num_heads": 5, "rope_pct": 0.5,
    "rotary_scaling_factor": 2.0,
    "apply_residual_connection_post_layernorm": True,
    "embed_dropout": 0.9, "embedding_dropout": 0.9, "gradient_checkpointing": True, "inference_runner": 1,
    "max_batch_size": 3, "max_sequence_length": 16, "mlp_type": "gated",
    "pad_key_length": False, "pre_allocate_kv_cache": True, "resid_dropout": 0.9,
    "scale_attention_softmax_in_fp32": False, "validate_runner_input": False,
}  # fmt: skip
# What these families read of them.
READ_HERE = {"mt5": ("num_heads",), "t5": ("num_heads",), "umt5": ("num_heads",), "bert": ("is_decoder",), "bert-generation": ("is_decoder",), "bloom": ("apply_residual_connection_post_layernorm",),
             "camembert": ("is_decoder", "pad_token_id"), "diffllama": ("attention_dropout",),
             "electra": ("is_decoder",), "granitemoehybrid": ("position_embedding_type",), "mamba2": ("num_heads",), "mpnet": ("pad_token_id",), "roberta": ("is_decoder", "pad_token_id"),
             "xlm-roberta": ("is_decoder", "pad_token_id"),
             "gpt_neox": ("rotary_pct",), "gpt_neox_japanese": ("rotary_pct",), "xglm": ("pad_token_id",)}  # fmt: skip


def changes(config: dict, *, tied_copy: bool) -> list[Change]:
    """tied_copy: the file holds lm_head.weight though it is tied."""
    families = {"gpt2": gpt2_changes, "gpt_bigcode": gpt_bigcode_changes, "gpt_neo": gpt_neo_changes,
                "gemma": gemma1_changes, "starcoder2": plain_mlp_changes, "nemotron": plain_mlp_changes,
                "arcee": plain_mlp_changes, "smollm3": smollm3_changes, "falcon": falcon_changes,
                "gpt_neox": gpt_neox_changes, "gemma2": gemma2_changes,
                "gemma3_text": gemma3_changes, "bloom": bloom_changes, "cohere": cohere_changes, "cohere2": cohere2_changes,
                "nanochat": nanochat_changes,
                "persimmon": persimmon_changes, "stablelm": stablelm_changes,
                "apertus": apertus_changes, "vaultgemma": gemma2_changes}  # fmt: skip
    changes_of = measured_changes if config["model_type"] in library_models.FAMILIES else llama_like_changes
    if library_models.is_bare_decoder(config):
        listed = measured_changes(config, tied_copy)
    else:
        listed = families.get(config["model_type"], changes_of)(config, tied_copy)
    inert = {key: value for key, value in INERT_VALUES.items() if key in config}
    for key in READ_HERE.get(config["model_type"], ()):
        inert.pop(key, None)
    if library_models.is_bare_decoder(config):
        inert["architectures"] = [*config["architectures"], "Other"]  # the first chooses the class here
    elif library_models.is_bare(config) and library_models.task_of(config):
        inert.pop("architectures")  # by which the head's class is chosen here
        listed.append(Change({"architectures": ["Other"]}, MEASURED))
    if scaling_of(config) == "longrope":
        inert.pop("original_max_position_embeddings", None)
    if config["model_type"] == "starcoder2":  # keys of GPTBigCode
        bigcode = {"activation_function": "relu", "layer_norm_epsilon": 0.1, "scale_attn_weights": False}
        inert |= {key: value for key, value in bigcode.items() if key in config}
    return listed + [Change({key: value}, INERT) for key, value in inert.items()]


def measured_changes(config, tied_copy) -> list[Change]:
    """Other values of every key that may be read."""
    return [
        Change({path: value}, MEASURED)
        for path, old in every_key(config)
        if path != "model_type" and (path not in INERT_VALUES or path in READ_HERE.get(config["model_type"], ()))
        for value in library_models.other_values(path.split(".")[-1], old)
    ] + [Change({path: ABSENT}, MEASURED) for path, old in every_key(config) if old is None]
