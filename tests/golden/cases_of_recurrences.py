"""Families with layers that remember a state of fixed size."""

from case import LONG, Case, long_rows, respelled, sizes


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


def lfm2_moe(**keys):
    """LFM2 with experts in most layers."""
    return {
        "architectures": ["Lfm2MoeForCausalLM"], "bos_token_id": 1, "conv_L_cache": 3, "conv_bias": False, "eos_token_id": 7,
        "initializer_range": 0.02, "max_position_embeddings": 128000, "model_type": "lfm2_moe", "norm_eps": 1e-5,
        "norm_topk_prob": True, "num_dense_layers": 2, "pad_token_id": 0, "rope_theta": 1000000.0,
        "routed_scaling_factor": 1.0, "transformers_version": "4.57.0.dev0", "use_cache": True, "use_expert_bias": True,
    } | keys  # fmt: skip


def mamba(**keys):
    """Mamba as state-spaces' files for transformers have it: a selective state space in each layer, and nothing else."""
    return {
        "architectures": ["MambaForCausalLM"], "bos_token_id": 0, "conv_kernel": 4, "eos_token_id": 0, "expand": 2, "hidden_act": "silu", "initializer_range": 0.1,
        "layer_norm_epsilon": 1e-5, "model_type": "mamba", "pad_token_id": 0, "rescale_prenorm_residual": False, "residual_in_fp32": True,
        "state_size": 16, "time_step_floor": 1e-4, "time_step_init_scheme": "random", "time_step_max": 0.1,
        "time_step_min": 0.001, "time_step_rank": 3, "time_step_scale": 1.0, "transformers_version": "4.39.0.dev0",
        "use_bias": False, "use_cache": True, "use_conv_bias": True,
    } | keys  # fmt: skip


def falcon_mamba(**keys):
    """Falcon Mamba: what time steps are made of, b and c are normed without weights."""
    return mamba() | {
        "architectures": ["FalconMambaForCausalLM"], "bos_token_id": 0, "eos_token_id": 11, "mixer_rms_eps": 1e-6,
        "model_type": "falcon_mamba", "tie_word_embeddings": False, "use_mambapy": False,
        "transformers_version": "4.43.0.dev0",
    } | keys  # fmt: skip


def jamba(**keys):
    """Jamba: attention without positions in some layers, Mamba with norms of its parameters in the others, experts in
    some of either."""
    return {
        "architectures": ["JambaForCausalLM"], "attention_dropout": 0.0, "attn_layer_offset": 1, "attn_layer_period": 3,
        "bos_token_id": 1, "eos_token_id": 2, "expert_layer_offset": 1, "expert_layer_period": 2, "hidden_act": "silu",
        "initializer_range": 0.02, "mamba_conv_bias": True, "mamba_d_conv": 4, "mamba_d_state": 16, "mamba_dt_rank": 4,
        "mamba_expand": 2, "mamba_proj_bias": False, "max_position_embeddings": 262144, "model_type": "jamba",
        "num_experts": 4, "num_experts_per_tok": 2, "num_logits_to_keep": 1, "output_router_logits": False,
        "pad_token_id": 0, "rms_norm_eps": 1e-6, "router_aux_loss_coef": 0.001, "sliding_window": None,
        "tie_word_embeddings": False, "transformers_version": "4.40.0.dev0", "use_cache": True,
        "use_mamba_kernels": True,
    } | keys  # fmt: skip


def mamba2(**keys):
    """Mamba-2 as transformers' files have it: heads of a matrix each, and nothing else."""
    return {
        "architectures": ["Mamba2ForCausalLM"], "bos_token_id": 1, "chunk_size": 256, "conv_kernel": 4, "eos_token_id": 2, "expand": 2,
        "hidden_act": "silu", "initializer_range": 0.1, "layer_norm_epsilon": 1e-5, "model_type": "mamba2", "norm_before_gate": True,
        "pad_token_id": 0, "rescale_prenorm_residual": False, "residual_in_fp32": True, "rms_norm": True, "tie_word_embeddings": False,
        "time_step_floor": 1e-4, "time_step_limit": [0.0, float("inf")], "time_step_max": 0.1, "time_step_min": 0.001,
        "time_step_rank": 256, "transformers_version": "4.44.0", "use_bias": False, "use_cache": True, "use_conv_bias": True,
    } | keys  # fmt: skip


def bamba(**keys):
    """Bamba: Mamba-2 in most layers, attention of which half of each head turns in the others."""
    return {
        "architectures": ["BambaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "attn_rotary_emb": 64,
        "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "mamba_chunk_size": 256,
        "mamba_conv_bias": True, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_proj_bias": False, "max_position_embeddings": 262144,
        "mlp_bias": False, "model_type": "bamba", "num_logits_to_keep": 1, "pad_token_id": 0, "rms_norm_eps": 1e-5,
        "rope_scaling": None, "rope_theta": 10000.0, "tie_word_embeddings": False, "transformers_version": "4.48.0.dev0",
        "use_cache": True, "use_mamba_kernels": True,
    } | keys  # fmt: skip


def granitemoehybrid(**keys):
    """Granite 4: Mamba-2 in most layers and attention without positions in the others, each before experts and an MLP that
    every token has."""
    return {
        "architectures": ["GraniteMoeHybridForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 7, "eos_token_id": 7, "hidden_act": "silu", "init_method": "mup", "initializer_range": 0.1,
        "mamba_chunk_size": 256, "mamba_conv_bias": True, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_n_groups": 1,
        "mamba_proj_bias": False, "max_position_embeddings": 131072, "model_type": "granitemoehybrid",
        "normalization_function": "rmsnorm", "output_router_logits": False, "pad_token_id": 5,
        "position_embedding_type": "nope", "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 10000,
        "router_aux_loss_coef": 0.0, "tie_word_embeddings": True, "transformers_version": "4.56.0", "use_cache": True,
    } | keys  # fmt: skip


def rwkv(**keys):
    """RWKV-4 as its files for transformers have it."""
    return {
        "architectures": ["RwkvForCausalLM"], "attention_hidden_size": 48, "bos_token_id": 0, "context_length": 1024,
        "eos_token_id": 0, "intermediate_size": 90, "layer_norm_epsilon": 1e-5, "model_type": "rwkv", "rescale_every": 6,
        "tie_word_embeddings": False, "transformers_version": "4.29.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def nemotron_h(**keys):
    """Nemotron-H: each layer is Mamba-2, attention without positions, an MLP without a gate, or a mixture of such."""
    return {
        "architectures": ["NemotronHForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "chunk_size": 128, "conv_kernel": 4, "eos_token_id": 2, "expand": 2, "hidden_dropout": 0.0, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-5, "mamba_hidden_act": "silu", "mamba_proj_bias": False, "max_position_embeddings": 8192,
        "mlp_bias": False, "mlp_hidden_act": "relu2", "model_type": "nemotron_h", "num_logits_to_keep": 1, "pad_token_id": 0,
        "rescale_prenorm_residual": True, "residual_in_fp32": False, "rms_norm_eps": 1e-5, "sliding_window": None,
        "tie_word_embeddings": False, "time_step_floor": 1e-4, "time_step_limit": [0.0, float("inf")], "time_step_max": 0.1,
        "time_step_min": 0.001, "transformers_version": "4.48.0.dev0", "use_bias": False, "use_cache": True,
        "use_conv_bias": True, "use_mamba_kernels": True,
    } | keys  # fmt: skip


def zamba2(**keys):
    """Zamba 2: Mamba-2, and in some layers before it attention and an MLP, whose weights several such layers share."""
    return {
        "add_bias_linear": False, "architectures": ["Zamba2ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1,
        "chunk_size": 256, "eos_token_id": 2, "hidden_act": "gelu", "initializer_range": 0.02, "mamba_d_conv": 4,
        "mamba_expand": 2, "max_position_embeddings": 4096, "model_type": "zamba2", "num_logits_to_keep": 1, "pad_token_id": 0,
        "rms_norm_eps": 1e-5, "tie_word_embeddings": True, "time_step_floor": 1e-4, "time_step_max": 0.1,
        "time_step_min": 0.001, "transformers_version": "4.49.0.dev0", "use_cache": True, "use_conv_bias": True,
        "use_long_context": False, "use_mamba_kernels": True, "use_mem_eff_path": False,
    } | keys  # fmt: skip


def qwen3_next(**keys):
    """Qwen3-Next: gated delta rules in three layers of four and gated attention, a part of whose heads turns, in the fourth;
    experts and an MLP that every token has, behind a gate."""
    return {
        "architectures": ["Qwen3NextForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "decoder_sparse_step": 1,
        "eos_token_id": 2, "full_attention_interval": 4, "hidden_act": "silu", "initializer_range": 0.02,
        "linear_conv_kernel_dim": 4, "max_position_embeddings": 262144, "mlp_only_layers": [], "model_type": "qwen3_next",
        "norm_topk_prob": True, "output_router_logits": False, "partial_rotary_factor": 0.25, "rms_norm_eps": 1e-6,
        "rope_scaling": None, "rope_theta": 1000000, "router_aux_loss_coef": 0.001, "tie_word_embeddings": False,
        "transformers_version": "4.57.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def qwen3_5(**keys):
    """Qwen 3.5's text model: Qwen3-Next's layers with MLPs, and projections that stand apart."""
    return {
        "architectures": ["Qwen3_5ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": None,
        "eos_token_id": 2, "full_attention_interval": 4, "hidden_act": "silu", "initializer_range": 0.02,
        "linear_conv_kernel_dim": 4, "max_position_embeddings": 262144, "model_type": "qwen3_5_text", "pad_token_id": None,
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"mrope_interleaved": True, "mrope_section": [11, 11, 10], "partial_rotary_factor": 0.25,
                            "rope_theta": 1000000, "rope_type": "default"},
        "transformers_version": "5.23.0", "use_cache": True,
    } | keys  # fmt: skip


def olmo_hybrid(**keys):
    """OLMo Hybrid: gated delta rules in three layers of four, attention without positions in the fourth."""
    return {
        "architectures": ["OlmoHybridForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": None,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "linear_a_log_max": 16.0, "linear_a_log_min": 0.0,
        "linear_allow_neg_eigval": True, "linear_conv_kernel_dim": 4, "linear_dt_init_floor": 1e-4, "linear_dt_max": 0.1,
        "linear_dt_min": 0.001, "max_position_embeddings": 65536, "model_type": "olmo_hybrid", "pad_token_id": 5,
        "rms_norm_eps": 1e-6, "rope_parameters": {"rope_theta": None, "rope_type": "default"}, "tie_word_embeddings": False,
        "transformers_version": "5.23.0", "use_cache": True,
    } | keys  # fmt: skip


def kimi_linear(**keys):
    """The keys of moonshotai/Kimi-Linear-48B-A3B-Instruct: delta rules in which each element of a key decays by itself, and
    latent attention without positions; a mixture in all layers but the first."""
    return {
        "architectures": ["KimiLinearForCausalLM"], "bos_token_id": 1, "eos_token_id": 2, "first_k_dense_replace": 1, "head_dim": 72,
        "hidden_act": "silu", "initializer_range": 0.02, "mla_use_nope": True, "model_max_length": 1048576,
        "model_type": "kimi_linear", "moe_layer_freq": 1, "moe_renormalize": True, "moe_router_activation_func": "sigmoid",
        "num_expert_group": 1, "num_nextn_predict_layers": 0, "num_shared_experts": 1, "pad_token_id": 0, "q_lora_rank": None,
        "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 10000.0, "routed_scaling_factor": 2.446,
        "tie_word_embeddings": False, "topk_group": 1, "transformers_version": "4.56.2", "use_cache": True,
        "use_grouped_topk": True,
    } | keys  # fmt: skip


def minimax(**keys):
    """The keys of MiniMaxAI/MiniMax-Text-01-hf: lightning attention, which decays by head and layer, in most layers, and
    sub-blocks that add to what their norms give."""
    return {
        "architectures": ["MiniMaxForCausalLM"], "attention_dropout": 0.0, "block_size": 64, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "initializer_range": 0.02, "max_position_embeddings": 10240000,
        "model_type": "minimax", "output_router_logits": False, "rms_norm_eps": 1e-5, "rope_theta": 10000000,
        "router_aux_loss_coef": 0.001, "router_jitter_noise": 0.0, "sliding_window": None, "tie_word_embeddings": False,
        "transformers_version": "4.53.0.dev0", "use_cache": True,
    } | keys  # fmt: skip


def recurrent_gemma(**keys):
    """The keys of google/recurrentgemma-2b: gated linear recurrences in two layers of three, attention to the last keys in
    the third."""
    return {
        "_block_types": ["recurrent", "recurrent", "attention"], "architectures": ["RecurrentGemmaForCausalLM"],
        "attention_bias": False, "attention_dropout": 0.0, "block_types": ["recurrent", "recurrent", "attention"],
        "bos_token_id": 2, "conv1d_width": 4, "embeddings_scale_by_sqrt_dim": True, "eos_token_id": 1,
        "final_w_init_variance_scale": 0.07692307692307693, "hidden_activation": "gelu_pytorch_tanh",
        "logits_soft_cap": 30.0, "model_type": "recurrent_gemma", "pad_token_id": 0, "partial_rotary_factor": 0.5,
        "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "transformers_version": "4.40.0.dev0", "use_cache": True,
        "w_init_variance_scale": 0.01,
    } | keys  # fmt: skip


def falcon_h1(**keys):
    """Falcon H1: attention and Mamba-2 side by side in each layer, and scales of nearly everything."""
    return {
        "architectures": ["FalconH1ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "attn_layer_indices": None,
        "bos_token_id": 1, "eos_token_id": 11, "hidden_act": "silu", "initializer_range": 0.02, "mamba_chunk_size": 128,
        "mamba_conv_bias": True, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_norm_before_gate": False, "mamba_proj_bias": False,
        "mamba_rms_norm": False, "mamba_use_mlp": True, "max_position_embeddings": 16384, "mlp_bias": False,
        "mlp_expansion_factor": 8, "model_type": "falcon_h1", "num_logits_to_keep": 1, "pad_token_id": 0, "projectors_bias": False,
        "rms_norm_eps": 1e-5, "rope_scaling": None, "rope_theta": 100000000000.0, "tie_word_embeddings": False,
        "transformers_version": "4.52.1", "use_cache": True,
    } | keys  # fmt: skip


CASES = [
    Case("falcon-h1", 6041, "attention and Mamba-2 side by side, of 6 heads of 10 without a norm; scales of all; grouped 4:2",
         falcon_h1(**sizes(48, 70, 3, 4, 2, 101, 14), mamba_d_ssm=60, mamba_n_heads=6, mamba_d_head=10, mamba_n_groups=1,
                   mamba_d_state=16, attention_in_multiplier=0.9, attention_out_multiplier=0.7, embedding_multiplier=3.5,
                   key_multiplier=0.55, lm_head_multiplier=0.4, mlp_multipliers=[0.8, 0.6], ssm_in_multiplier=1.25,
                   ssm_multipliers=[0.7, 0.5, 0.8, 1.2, 0.6], ssm_out_multiplier=0.9), "torch_dtype", dtypes=("bf16",)),
    Case("falcon-h1-normed", 6042, "Mamba-2 twice as wide as hidden states, in two groups, normed before its gate; biases of all "
         "projections; tied",
         falcon_h1(**sizes(42, 54, 2, 3, 3, 99), mamba_d_ssm=None, mamba_n_heads=14, mamba_d_head=6, mamba_n_groups=2,
                   mamba_d_state=7, mamba_d_conv=2, mamba_rms_norm=True, mamba_norm_before_gate=True, mamba_conv_bias=False,
                   mamba_proj_bias=True, projectors_bias=True, attention_bias=True, mlp_bias=True, rms_norm_eps=1e-3,
                   rope_theta=5000.0, tie_word_embeddings=True), "torch_dtype", dtypes=("f32",)),
    Case("qwen3-next", 6405, "delta rules of 2 heads of keys and 4 of values in three layers, attention whose heads of 24 turn by "
         "a quarter in the fourth, both behind gates; 2 of 4 experts and an MLP for every token",
         qwen3_next(**sizes(48, 70, 4, 4, 2, 101, 24), linear_key_head_dim=12, linear_value_head_dim=10,
                    linear_num_key_heads=2, linear_num_value_heads=4, moe_intermediate_size=26,
                    shared_expert_intermediate_size=34, num_experts=4, num_experts_per_tok=2, rms_norm_eps=1e-3), "torch_dtype",
         dtypes=("bf16",)),
    Case("olmo-hybrid", 6234, "delta rules, normed before, in three layers, attention "
         "without positions, normed after, in the fourth; values wider than keys",
         olmo_hybrid(**sizes(48, 70, 4, 4, 2, 101), linear_key_head_dim=9, linear_value_head_dim=18,
                     linear_num_key_heads=3, linear_num_value_heads=3, linear_allow_neg_eigval=False), "dtype",
         dtypes=("bf16",)),
    Case("olmo-hybrid-turned", 6235, "delta rules that may turn what they remember about; heads that share keys, rotary positions; biases of attention; tied",
         olmo_hybrid(**sizes(42, 54, 3, 3, 3, 99), linear_key_head_dim=8, linear_value_head_dim=6,
                     linear_num_key_heads=2, linear_num_value_heads=4,
                     linear_conv_kernel_dim=3, attention_bias=True, rms_norm_eps=1e-3, tie_word_embeddings=True,
                     rope_parameters={"rope_theta": 5000.0, "rope_type": "default"},
                     layer_types=["linear_attention", "full_attention", "linear_attention"]), "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows()),
    Case("qwen3-5", 6427, "delta rules of 2 heads of keys and 6 of values, attention whose heads turn by a quarter; rotary "
         "positions of three axes, which a text has none of; tied",
         qwen3_5(**sizes(48, 70, 4, 4, 2, 101, 24), linear_key_head_dim=12, linear_value_head_dim=8,
                 linear_num_key_heads=2, linear_num_value_heads=6, tie_word_embeddings=True,
                 layer_types=["linear_attention", "linear_attention", "full_attention", "linear_attention"]), "dtype",
         dtypes=("f16",)),
    Case("qwen3-5-moe", 6467, "delta rules of 2 heads of keys and 4 of values; 2 of 4 experts and an MLP for every token, behind "
         "a gate, in each layer",
         qwen3_5(architectures=["Qwen3_5MoeForCausalLM"], model_type="qwen3_5_moe_text", hidden_size=48, head_dim=24,
                 num_hidden_layers=4, num_attention_heads=4, num_key_value_heads=2, vocab_size=101,
                 linear_key_head_dim=12, linear_value_head_dim=8, linear_num_key_heads=2, linear_num_value_heads=4,
                 moe_intermediate_size=26, shared_expert_intermediate_size=34, num_experts=4, num_experts_per_tok=2,
                 output_router_logits=False, router_aux_loss_coef=0.001), "dtype", dtypes=("bf16",)),
    Case("kimi-linear", 6243, "delta rules of 3 heads of 10, whose keys' elements decay each by itself, in three layers, and "
         "latent attention without positions in two; 3 of 6 experts and an MLP for every token in all but the first",
         kimi_linear(vocab_size=101, hidden_size=48, intermediate_size=70, num_hidden_layers=5, num_attention_heads=4,
                     num_key_value_heads=4, kv_lora_rank=24, qk_nope_head_dim=12, qk_rope_head_dim=8, v_head_dim=10,
                     moe_intermediate_size=26, num_experts=6, num_experts_per_token=3,
                     linear_attn_config={"full_attn_layers": [2, 5], "head_dim": 10, "kda_layers": [1, 3, 4], "num_heads": 3,
                                         "short_conv_kernel_size": 4}), "dtype", dtypes=("bf16",)),
    Case("kimi-linear-groups", 6242, "2 of the experts of 1 of 2 groups, whose shares are no whole, in one layer of three; short "
         "queries, biases of latent attention; GELU; the library's own keys",
         kimi_linear(vocab_size=99, hidden_size=42, intermediate_size=54, num_hidden_layers=3, num_attention_heads=3,
                     num_key_value_heads=3, q_lora_rank=20, kv_lora_rank=16, qk_nope_head_dim=14, qk_rope_head_dim=6,
                     v_head_dim=18, moe_intermediate_size=20, num_experts=6, num_experts_per_token=2, num_shared_experts=2,
                     num_expert_group=2, moe_renormalize=False, routed_scaling_factor=1.5, attention_bias=True,
                     layer_types=["full_attention", "linear_attention", "linear_attention"],
                     mlp_layer_types=["dense", "sparse", "dense"], linear_head_dim=12, linear_num_heads=2,
                     linear_conv_kernel_dim=3, rms_norm_eps=1e-3, hidden_act="gelu"), "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows()),
    Case("minimax", 6251, "lightning attention of 4 heads in two layers of four, attention in the others; what sub-blocks add to, "
         "and what they add, scaled; 2 of 4 experts; grouped 4:2",
         minimax(**sizes(48, 26, 4, 4, 2, 101), num_local_experts=4, num_experts_per_tok=2, rope_theta=10000,
                 layer_types=["linear_attention", "full_attention", "linear_attention", "full_attention"],
                 full_attn_alpha_factor=1.5, full_attn_beta_factor=0.75, linear_attn_alpha_factor=1.25,
                 linear_attn_beta_factor=0.8, mlp_alpha_factor=0.9, mlp_beta_factor=1.2), "torch_dtype", dtypes=("bf16",)),
    Case("minimax-window", 6252, "layers in turn, the first of attention, to the last 70 keys; heads of 18, three of them; GELU; one expert "
         "a token; nothing scaled; tied",
         minimax(**sizes(42, 30, 3, 3, 3, 99, 18), num_local_experts=3, num_experts_per_tok=1, sliding_window=70,
                 rms_norm_eps=1e-3, rope_theta=5000, hidden_act="gelu", tie_word_embeddings=True), "torch_dtype",
         dtypes=("f32",), sequence_length=LONG, rows=long_rows()),
    Case("recurrent-gemma", 6502, "gated linear recurrences of 4 heads of 12 in three layers, attention to the last 40 keys, of heads "
         "half of which turn, in one; tied",
         recurrent_gemma(vocab_size=101, hidden_size=48, intermediate_size=140, num_hidden_layers=4, num_attention_heads=4,
                         num_key_value_heads=1, lru_width=48, attention_window_size=40), "torch_dtype", dtypes=("bf16",)),
    Case("recurrent-gemma-turns", 6262, "attention before the recurrence, of as many heads of keys; heads of 14 turn whole; biases of "
         "queries, keys and values; convolutions over 2 positions; a window that the prompt never leaves; GELU",
         recurrent_gemma(vocab_size=99, hidden_size=42, intermediate_size=110, num_hidden_layers=3, num_attention_heads=3,
                         lru_width=None, block_types=["attention", "recurrent"], attention_bias=True, conv1d_width=2,
                         partial_rotary_factor=1.0, logits_soft_cap=5.0, rms_norm_eps=1e-3, rope_theta=5000.0,
                         hidden_activation="gelu"), "torch_dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows()),
    Case("qwen3-next-dense", 6032, "experts in one layer of three; as many heads of keys as of values; biases of attention; "
         "heads turn whole; tied",
         qwen3_next(**sizes(42, 54, 3, 3, 3, 99, 14), linear_key_head_dim=7, linear_value_head_dim=9,
                    linear_num_key_heads=3, linear_num_value_heads=3, linear_conv_kernel_dim=2, moe_intermediate_size=20,
                    shared_expert_intermediate_size=18, num_experts=3, num_experts_per_tok=1, norm_topk_prob=False,
                    decoder_sparse_step=2, mlp_only_layers=[0], attention_bias=True, rms_norm_eps=1e-3,
                    partial_rotary_factor=1.0, rope_theta=5000, hidden_act="gelu", tie_word_embeddings=True,
                    layer_types=["linear_attention", "full_attention", "linear_attention"]), "torch_dtype",
         dtypes=("f32",)),
    Case("mamba2", 6021, "6 heads of 16 in two groups, each of which has b and c of its own and is normed by itself; states of "
         "16 numbers; untied", mamba2(vocab_size=101, hidden_size=48, num_hidden_layers=3, num_heads=6, head_dim=16,
                                      n_groups=2, state_size=16), "torch_dtype", dtypes=("f16",)),
    Case("mamba2-biases", 6022, "3 heads of 38 that are normed whole; states of 5 numbers; convolutions over 3 positions "
         "without a bias, biases of the projections; GELU; tied",
         mamba2(vocab_size=103, hidden_size=38, num_hidden_layers=2, num_heads=3, head_dim=38, n_groups=1, state_size=5,
                conv_kernel=3, expand=3, use_bias=True, use_conv_bias=False, hidden_act="gelu", layer_norm_epsilon=1e-3,
                tie_word_embeddings=True), "torch_dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows()),
    Case("bamba", 6023, "attention in two layers of five, of heads of 24 whose half turns, Mamba-2 in the others; grouped 4:2",
         bamba(**sizes(48, 70, 5, 4, 2, 101, 24), attn_layer_indices=[1, 4], mamba_n_heads=8, mamba_d_head=12,
               mamba_n_groups=1, mamba_d_state=24), "torch_dtype", dtypes=("bf16",)),
    Case("bamba-biases", 6024, "biases of all projections; no convolution has one; 2 groups of heads of 6; heads turn whole",
         respelled(bamba(**sizes(42, 54, 3, 3, 3, 99)), attn_layer_indices=[0], attention_bias=True, mlp_bias=True,
               mamba_proj_bias=True, mamba_conv_bias=False, mamba_n_heads=14, mamba_d_head=6, mamba_n_groups=2,
               mamba_d_state=7, mamba_d_conv=2, rms_norm_eps=1e-3, tie_word_embeddings=True,
               rope_parameters={"rope_type": "default", "rope_theta": 5000.0, "partial_rotary_factor": 1.0}), "dtype",
         dtypes=("f32",)),
    Case("granitemoehybrid", 6025, "2 of 4 experts and an MLP for every token in each layer; attention without positions in one "
         "of four, Mamba-2 in the others; grouped 4:2, scales, tied",
         granitemoehybrid(**sizes(48, 40, 4, 4, 2, 101), shared_intermediate_size=56, num_local_experts=4,
                          num_experts_per_tok=2, layer_types=["mamba", "mamba", "attention", "mamba"], mamba_n_heads=8,
                          mamba_d_head=12, mamba_d_state=16, attention_multiplier=0.05, embedding_multiplier=12,
                          logits_scaling=3, residual_multiplier=0.6), "torch_dtype", dtypes=("bf16",)),
    Case("granitemoehybrid-dense", 6026, "no experts; rotary positions; two groups of heads; projections with biases, "
         "convolutions without; untied",
         granitemoehybrid(**sizes(42, 40, 3, 3, 3, 99), shared_intermediate_size=58, num_local_experts=0,
                          num_experts_per_tok=1, layer_types=["attention", "mamba", "attention"], mamba_n_heads=6,
                          mamba_d_head=14, mamba_n_groups=2, mamba_d_state=5, mamba_conv_bias=False, mamba_proj_bias=True,
                          attention_bias=True, attention_multiplier=0.25, embedding_multiplier=1.0, logits_scaling=1.0,
                          residual_multiplier=1.0, position_embedding_type="rope", tie_word_embeddings=False), "torch_dtype",
         dtypes=("f16",)),
    Case("nemotron-h", 6027, "Mamba-2 in three layers, two groups of heads each, attention in one, MLPs without a gate in two; "
         "a pattern of letters; grouped 4:2",
         nemotron_h(vocab_size=101, hidden_size=48, intermediate_size=90, num_hidden_layers=6, head_dim=20,
                    attention_head_dim=20, num_attention_heads=4, num_key_value_heads=2,
                    hybrid_override_pattern="M-M*-M", mamba_num_heads=6, mamba_head_dim=14, n_groups=2,
                    ssm_state_size=16), "torch_dtype", dtypes=("bf16",)),
    Case("nemotron-h-moe", 6028, "a mixture of experts without gates beside one that every token has, in two layers of five; 2 of "
         "the experts of 1 of 2 groups; biases; untied",
         nemotron_h(vocab_size=99, hidden_size=42, intermediate_size=50, head_dim=14, num_attention_heads=3,
                    num_key_value_heads=3, layers_block_type=["mamba", "moe", "attention", "moe", "mlp"], mamba_num_heads=4,
                    mamba_head_dim=9, n_groups=1, ssm_state_size=6, use_bias=True, use_conv_bias=False, mlp_bias=True,
                    conv_kernel=2, n_routed_experts=6, num_experts_per_tok=2, moe_intermediate_size=26,
                    moe_shared_expert_intermediate_size=34, n_group=2, topk_group=1, routed_scaling_factor=2.5,
                    norm_topk_prob=True, time_step_min=0.2, layer_norm_epsilon=1e-3), "torch_dtype", dtypes=("f32",)),
    Case("zamba2", 6051, "Mamba-2 in five layers; before it, in three of them, attention to the stream beside the embedding and an "
         "MLP, of two sets of weights in turn, with adapters of each layer's own; heads of 24 turn; tied",
         zamba2(vocab_size=101, hidden_size=48, intermediate_size=54, num_hidden_layers=5, num_attention_heads=4,
                layers_block_type=["mamba", "hybrid", "hybrid", "mamba", "hybrid"], num_mem_blocks=2,
                use_shared_attention_adapter=True, adapter_rank=4, use_mem_rope=True, rope_theta=5000.0, n_mamba_heads=8,
                mamba_d_state=16), "torch_dtype", dtypes=("bf16",)),
    Case("zamba2-plain", 6052, "one set of weights in two layers of three, before two groups of heads; no positions, no adapters of "
         "attention, grouped 3:1; biases, SiLU; time steps of 0.2 at least",
         zamba2(vocab_size=99, hidden_size=42, num_hidden_layers=3, num_attention_heads=3, num_key_value_heads=1, head_dim=20,
                layers_block_type=["hybrid", "linear_attention", "hybrid"], use_shared_attention_adapter=False,
                adapter_rank=5, use_mem_rope=False, n_mamba_heads=6, mamba_ngroups=2, mamba_d_state=5, mamba_d_conv=2,
                add_bias_linear=True, hidden_act="silu", time_step_min=0.2, rms_norm_eps=1e-3),
         "dtype", dtypes=("f32",)),
    Case("rwkv", 6041, "time mixing and channel mixing, and nothing else; the stream is halved after every second layer of five",
         rwkv(vocab_size=101, hidden_size=48, num_hidden_layers=5, layer_norm_epsilon=1e-3, rescale_every=2), "torch_dtype", dtypes=("bf16",)),
    Case("rwkv-wide", 6042, "means of more elements than the stream has, an MLP 4 times as wide; never halved; tied",
         rwkv(vocab_size=99, hidden_size=42, num_hidden_layers=3, attention_hidden_size=58, intermediate_size=None,
              rescale_every=0, tie_word_embeddings=True), "dtype", dtypes=("f32",),
         sequence_length=LONG, rows=long_rows()),
    Case("mamba", 6011, "selective state spaces of 16 numbers for each of 96 elements, and nothing else; convolutions over "
         "4 positions; tied", mamba(vocab_size=101, hidden_size=48, num_hidden_layers=3, intermediate_size=96, d_inner=96, d_model=48,
               fused_add_norm=True, n_layer=24, pad_vocab_size_multiple=8, rms_norm=True, ssm_cfg={}), "torch_dtype",
         dtypes=("f16",)),
    Case("mamba-biases", 6012, "states of 5 numbers for each of 76 elements, convolutions over 3 positions without a bias, "
         "biases of the projections; GELU; untied",
         mamba(vocab_size=103, hidden_size=38, num_hidden_layers=2, state_size=5, conv_kernel=3,
               use_bias=True, use_conv_bias=False, time_step_rank=7, hidden_act="gelu", layer_norm_epsilon=1e-3,
               tie_word_embeddings=False), "torch_dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows()),
    Case("falcon-mamba", 6013, "what time steps are made of, b and c normed without weights, by an epsilon of their own",
         falcon_mamba(vocab_size=97, hidden_size=40, num_hidden_layers=3, intermediate_size=72, expand=3, state_size=8, time_step_rank=6,
                      mixer_rms_eps=1e-2), "torch_dtype", dtypes=("bf16",)),
    Case("jamba", 6014, "attention without positions in two layers of six, Mamba with norms of its parameters in four, 2 of "
         "4 experts in three; grouped 4:2, untied", jamba(**sizes(40, 54, 6, 4, 2, 101)), "torch_dtype",
         dtypes=("bf16",)),
    Case("jamba-dense", 6015, "no experts; every second layer attention; projections with biases, convolutions without; "
         "states of 3 numbers; tied",
         jamba(**sizes(42, 70, 4, 3, 3, 99), attn_layer_period=2, attn_layer_offset=0, num_experts=1,
               mamba_conv_bias=False, mamba_proj_bias=True, mamba_d_state=3, mamba_d_conv=2, mamba_dt_rank=5,
               mamba_expand=1, rms_norm_eps=1e-3, tie_word_embeddings=True), "torch_dtype", dtypes=("f32",)),
    Case("lfm2", 6001, "convolutions over 3 positions, gated, in four layers of six, attention with norms of heads in the "
         "others; an MLP two thirds as wide, in eights; grouped 4:2, tied",
         lfm2(**sizes(48, 90, 6, 4, 2, 101), block_multiple_of=8, tie_embedding=True,
              layer_types=["conv", "conv", "full_attention", "conv", "full_attention", "conv"]), "torch_dtype",
         dtypes=("f16",)),
    Case("lfm2-moe", 6003, "gated convolutions in three layers of five, attention in the others; 2 of 4 experts, chosen by "
         "scores with learned numbers, in all but the first",
         lfm2_moe(**sizes(48, 54, 5, 4, 2, 101), moe_intermediate_size=26, num_experts=4, num_experts_per_tok=2,
                  num_dense_layers=1, layer_types=["conv", "full_attention", "conv", "full_attention", "conv"]), "dtype",
         dtypes=("bf16",)),
    Case("lfm2-moe-plain", 6004, "experts in all layers, by their scores alone, whose sum is no 1; convolutions with biases",
         lfm2_moe(**sizes(42, 30, 3, 3, 3, 99), moe_intermediate_size=26, num_experts=3, num_experts_per_tok=1,
                  num_dense_layers=0, use_expert_bias=False, norm_topk_prob=False, routed_scaling_factor=1.5, conv_bias=True,
                  conv_L_cache=2, norm_eps=1e-3, rope_theta=10000.0, tie_word_embeddings=False,
                  layer_types=["conv", "full_attention", "conv"]), "dtype", dtypes=("f32",)),
    Case("lfm2-biases", 6002, "convolutions over 5 positions with biases, as its projections have; the MLP as wide as it is "
         "said; full_attn_idxs, heads of 18, untied",
         lfm2(**sizes(54, 61, 3, 3, 3, 103), conv_L_cache=5, conv_bias=True, full_attn_idxs=[1], norm_eps=1e-3,
              block_auto_adjust_ff_dim=False, tie_word_embeddings=False, rope_theta=10000.0), "torch_dtype",
         dtypes=("f32",)),
]  # fmt: skip
