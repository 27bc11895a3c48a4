"""Families with layers that remember a state of fixed size."""

from case import Case, sizes


def lfm2(**keys):
    """LFM2: gated convolutions over a few positions in most layers, attention with norms of heads in the others."""
    return {
        "architectures": ["Lfm2ForCausalLM"], "block_auto_adjust_ff_dim": True, "block_dim": 48,
        "block_ffn_dim_multiplier": 1.0, "block_mlp_init_scale": 1.0, "block_multiple_of": 256, "block_norm_eps": 1e-5,
        "block_out_init_scale": 1.0, "block_use_swiglu": True, "block_use_xavier_init": True, "bos_token_id": 1,
        "conv_L_cache": 3, "conv_bias": False, "conv_dim": 48, "conv_dim_out": 48, "conv_use_xavier_init": True,
        "eos_token_id": 7, "initializer_range": 0.02, "max_position_embeddings": 128000, "model_type": "lfm2",
        "norm_eps": 1e-5, "num_heads": 4, "pad_token_id": 0, "rope_theta": 1000000.0,
        "transformers_version": "4.55.0.dev0", "use_cache": True, "use_pos_enc": True,
    } | keys  # fmt: skip


CASES = [
    Case("lfm2", 6001, "convolutions over 3 positions, gated, in four layers of six, attention with norms of heads in the "
         "others; an MLP two thirds as wide, in eights; grouped 4:2, tied",
         lfm2(**sizes(48, 90, 6, 4, 2, 101), block_multiple_of=8, tie_embedding=True,
              layer_types=["conv", "conv", "full_attention", "conv", "full_attention", "conv"]), "torch_dtype",
         dtypes=("f16",)),
    Case("lfm2-biases", 6002, "convolutions over 5 positions with biases, as its projections have; the MLP as wide as it is "
         "said; full_attn_idxs, heads of 18, untied",
         lfm2(**sizes(54, 61, 3, 3, 3, 103), conv_L_cache=5, conv_bias=True, full_attn_idxs=[1], norm_eps=1e-3,
              block_auto_adjust_ff_dim=False, tie_word_embeddings=False, rope_theta=10000.0), "torch_dtype",
         dtypes=("f32",)),
]  # fmt: skip
