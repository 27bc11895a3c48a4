"""The cases of make_gguf_goldens.py: configurations of small models, the types of their tensors, and what their files say."""

from dataclasses import dataclass, field

import gguf
import transformers
from gguf import GGMLQuantizationType as Type

import rwkv_files


@dataclass
class Case:
    name: str
    seed: int
    description: str
    architecture: str  # general.architecture
    config: object
    types: dict[str, str] = field(default_factory=dict)  # of tensors whose names end so; others are F32
    metadata: dict[str, object] = field(default_factory=dict)  # beside what every file has; keys without the architecture
    checked: bool = True  # transformers reads such files, and reads all that this one says
    dense: tuple[int, ...] = ()  # widths of what matrices behind pooling give
    split_projection: bool = False  # gates of delta rules stand apart from queries, keys and values
    file: rwkv_files.RwkvFile | None = None  # of a model in numpy; None: the library has the model
    converted_to: str = ""  # the golden is of matrices that are no wider

    @property
    def directory(self) -> str:
        return f"{self.name}-{f'as-{self.converted_to.lower()}-' if self.converted_to else ''}gguf"


def cases() -> list[Case]:
    sizes = {"hidden_size": 256, "num_attention_heads": 6, "num_key_value_heads": 2, "vocab_size": 131,
             "max_position_embeddings": 512, "rms_norm_eps": 1e-5}  # fmt: skip
    theta = {"rope_type": "default", "rope_theta": 5e5}
    mixed = [
        Case("llama", 3001, "every type that blocks of 256 have, and two of 32, by part and by layer; an untied head", "llama",
             transformers.LlamaConfig(**(sizes | {"num_attention_heads": 8}), head_dim=32, intermediate_size=256, num_hidden_layers=2,
                                      tie_word_embeddings=False, rope_parameters=theta),
             {"token_embd.weight": "Q6_K", "attn_output.weight": "Q5_0", "output.weight": "Q5_K", "0.attn_q.weight": "Q4_K", "1.attn_q.weight": "Q2_K",
              "attn_k.weight": "Q4_K", "0.attn_v.weight": "Q6_K", "1.attn_v.weight": "Q4_K",
              "0.ffn_gate.weight": "Q3_K", "0.ffn_up.weight": "Q3_K", "1.ffn_gate.weight": "IQ4_XS",
              "1.ffn_up.weight": "Q4_K", "0.ffn_down.weight": "Q6_K", "1.ffn_down.weight": "Q2_K"}),
        Case("qwen2", 3002, "types of 32, f16 among them; biases; a tied head", "qwen2",
             transformers.Qwen2Config(**(sizes | {"hidden_size": 192}), intermediate_size=224, num_hidden_layers=2,
                                      tie_word_embeddings=True, rope_parameters=theta),
             {"token_embd.weight": "Q8_0", "attn_q.weight": "Q4_0", "attn_k.weight": "Q4_0", "0.attn_v.weight": "Q4_1",
              "1.attn_v.weight": "Q4_0", "attn_output.weight": "F16", "ffn_gate.weight": "Q5_1", "0.ffn_up.weight": "Q5_1",
              "1.ffn_up.weight": "Q8_0", "0.ffn_down.weight": "IQ4_NL", "1.ffn_down.weight": "MXFP4"}),
        Case("qwen3", 3003, "bf16, f32 and three types of 32; norms of heads", "qwen3",
             transformers.Qwen3Config(**(sizes | {"hidden_size": 96, "num_attention_heads": 3, "num_key_value_heads": 1}), head_dim=128, intermediate_size=192,
                                      num_hidden_layers=2, tie_word_embeddings=True, rope_parameters=theta),
             {"token_embd.weight": "BF16", "attn_q.weight": "Q8_0", "attn_k.weight": "Q8_0", "attn_v.weight": "Q8_0",
              "attn_output.weight": "Q4_1", "ffn_gate.weight": "Q4_0", "ffn_up.weight": "Q4_0",
              "0.ffn_down.weight": "BF16", "1.ffn_down.weight": "F16"}),
        Case("llama3-scaled", 3004, "rotary frequencies divided by rope_freqs.weight, which transformers does not read; biases", "llama",
             transformers.LlamaConfig(**(sizes | {"hidden_size": 128, "num_attention_heads": 4}), head_dim=32, intermediate_size=96,
                                      num_hidden_layers=2, tie_word_embeddings=True, attention_bias=True, mlp_bias=True,
                                      rope_parameters={"rope_type": "llama3", "rope_theta": 1e4, "factor": 32.0, "low_freq_factor": 1.0,
                                                       "high_freq_factor": 4.0, "original_max_position_embeddings": 2048}),
             {"token_embd.weight": "Q5_1", "attn_q.weight": "Q8_0", "attn_k.weight": "IQ4_NL", "attn_v.weight": "IQ4_NL", "ffn_gate.weight": "Q4_0",
              "ffn_up.weight": "Q8_0", "0.ffn_down.weight": "Q5_0"}, checked=False),
        Case("gpt2", 3005, "one matrix of queries, keys and values in rows; learned positions of 8 bits", "gpt2",
             transformers.GPT2Config(n_embd=96, n_head=3, n_layer=2, vocab_size=131, n_positions=1024, bos_token_id=1, eos_token_id=2),
             {"token_embd.weight": "Q5_0", "position_embd.weight": "Q8_0", "attn_qkv.weight": "Q4_1", "0.attn_output.weight": "Q8_0",
              "1.attn_output.weight": "F16", "ffn_up.weight": "Q4_0", "ffn_down.weight": "IQ4_NL"}),
        Case("gptneox", 3006, "half of each head turns; attention and MLP side by side; gelu by erf; an untied head", "gptneox",
             transformers.GPTNeoXConfig(hidden_size=128, num_attention_heads=4, intermediate_size=160, num_hidden_layers=2, vocab_size=131,
                                        max_position_embeddings=512, hidden_act="gelu", tie_word_embeddings=False, layer_norm_eps=1e-5,
                                        rope_parameters={"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5}),
             {"token_embd.weight": "Q4_1", "output.weight": "Q8_0", "attn_qkv.weight": "Q5_0", "attn_output.weight": "Q4_0",
              "0.ffn_up.weight": "MXFP4", "1.ffn_up.weight": "Q5_1", "ffn_down.weight": "Q8_0"},
             {"rope.dimension_count": 16, "use_parallel_residual": True}, checked=False),
        Case("bloom", 3007, "ALiBi over five heads; a norm of the embedding", "bloom",
             transformers.BloomConfig(hidden_size=160, n_head=5, n_layer=2, vocab_size=131, bos_token_id=1, eos_token_id=2),
             {"token_embd.weight": "Q8_0", "attn_qkv.weight": "Q5_1", "attn_output.weight": "IQ4_NL", "0.ffn_up.weight": "Q4_0",
              "1.ffn_up.weight": "Q4_1", "ffn_down.weight": "Q5_0"}),
        Case("gemma2", 3008, "norms stored as 1 + w, soft caps, a window of 100 in the first of two layers", "gemma2",
             transformers.Gemma2Config(**(sizes | {"hidden_size": 96, "num_attention_heads": 2, "num_key_value_heads": 1}), head_dim=256,
                                       intermediate_size=128, num_hidden_layers=2, sliding_window=100, rope_parameters=theta),
             {"token_embd.weight": "Q8_0", "attn_q.weight": "Q5_0", "attn_k.weight": "Q5_0", "0.attn_v.weight": "Q8_0", "1.attn_v.weight": "Q5_0",
              "0.attn_output.weight": "Q4_K", "1.attn_output.weight": "Q6_K", "ffn_gate.weight": "Q4_0", "ffn_up.weight": "Q4_1",
              "ffn_down.weight": "F16"},
             {"attention.sliding_window": 100, "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0}),
        Case("gemma3", 3009, "seven layers of which the sixth is global, two rotary bases, norms of heads; the types of a real file", "gemma3",
             transformers.Gemma3TextConfig(**(sizes | {"hidden_size": 96, "num_attention_heads": 2, "num_key_value_heads": 1}), head_dim=256,
                                           intermediate_size=96, num_hidden_layers=7, sliding_window=100,
                                           rope_parameters={"full_attention": {"rope_type": "default", "rope_theta": 1e6},
                                                            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}),
             {"token_embd.weight": "Q8_0", "attn_q.weight": "Q5_0", "attn_k.weight": "Q5_0", "0.attn_v.weight": "Q8_0", "5.attn_v.weight": "Q8_0",
              "attn_v.weight": "Q5_0", "2.attn_output.weight": "Q6_K", "attn_output.weight": "Q4_K", "ffn_gate.weight": "Q5_0",
              "ffn_up.weight": "Q5_0", "3.ffn_down.weight": "Q8_0", "ffn_down.weight": "IQ4_NL"},
             {"attention.sliding_window": 100}),
        Case("phi3", 3010, "queries, keys and values in one matrix, gate and up in another; an untied head", "phi3",
             transformers.Phi3Config(**(sizes | {"hidden_size": 96, "num_attention_heads": 3, "num_key_value_heads": 1}), intermediate_size=128,
                                     num_hidden_layers=2, tie_word_embeddings=False, rope_parameters=theta, pad_token_id=0),
             {"token_embd.weight": "Q4_0", "output.weight": "Q8_0", "attn_qkv.weight": "Q5_1", "attn_output.weight": "Q8_0",
              "0.ffn_up.weight": "IQ4_NL", "1.ffn_up.weight": "Q4_1", "ffn_down.weight": "MXFP4"}),
        Case("qwen2", 3011, "f32, f16, bf16 and wider types of 32 converted to q4_0, as narrow ones kept; biases; an untied head", "qwen2",
             transformers.Qwen2Config(**(sizes | {"hidden_size": 64, "num_attention_heads": 2, "num_key_value_heads": 1}), intermediate_size=96,
                                      num_hidden_layers=2, tie_word_embeddings=False, rope_parameters=theta),
             {"attn_q.weight": "F16", "0.attn_k.weight": "BF16", "1.attn_k.weight": "Q5_0", "attn_v.weight": "Q8_0", "output.weight": "F16",
              "0.ffn_gate.weight": "Q4_1", "1.ffn_gate.weight": "MXFP4", "0.ffn_up.weight": "Q4_0",
              "0.ffn_down.weight": "IQ4_NL"}, converted_to="Q4_0"),
    ]  # fmt: skip
    return mixed + later() + encoders() + recurrent() + rwkv() + [one_type(seed, name) for seed, name in enumerate(ALL_TYPES, 3101)]


def encoders() -> list[Case]:
    """Models of two stacks, and encoders alone."""
    t5 = {"d_model": 64, "d_kv": 32, "d_ff": 96, "num_layers": 2, "num_heads": 3, "vocab_size": 131,
          "relative_attention_num_buckets": 12, "decoder_start_token_id": 0, "eos_token_id": 1, "pad_token_id": 0}  # fmt: skip
    bert = {"hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 131,
            "max_position_embeddings": 311}  # fmt: skip
    types = {"token_embd.weight": "Q8_0", "token_types.weight": "F16", "attn_q.weight": "Q5_1", "attn_k.weight": "Q8_0",
             "attn_v.weight": "Q5_0", "attn_qkv.weight": "Q5_1", "attn_o.weight": "Q8_0", "attn_output.weight": "Q8_0", "0.ffn_up.weight": "Q4_0",
             "ffn_up.weight": "Q8_0", "ffn_gate.weight": "Q4_1", "ffn_down.weight": "IQ4_NL", "output.weight": "Q5_0"}  # fmt: skip
    of_t5 = {"attention.layer_norm_rms_epsilon": 1e-6, "attention.relative_buckets_count": 12, "decoder_start_token_id": 0}
    of_bert = {"attention.causal": False, "pooling_type": 2}

    def own_head(config: object) -> object:
        """The library's class ties the head whatever it is made with, and scales what it reads then."""
        config.tie_word_embeddings = config.scale_decoder_outputs = False
        return config

    return [
        Case("t5", 3061, "two stacks; relu; the embedding is the head, and scaled", "t5", transformers.T5Config(**t5, num_decoder_layers=3),
             types, of_t5 | {"decoder_block_count": 3}, checked=False),
        Case("flan-t5", 3062, "a gate; a head of its own", "t5",
             own_head(transformers.T5Config(**t5, feed_forward_proj="gated-gelu")), types, of_t5, checked=False),
        Case("umt5", 3063, "biases of distances for each layer", "t5",
             own_head(transformers.UMT5Config(**t5, feed_forward_proj="gated-gelu")), types, of_t5, checked=False),
        Case("bert", 3064, "types of tokens, positions; the first token's vector", "bert", transformers.BertConfig(**bert), types, of_bert, checked=False),
        Case("nomic-bert", 3065, "rotated heads, a gate; the mean's vector", "nomic-bert",
             transformers.NomicBertConfig(**bert, rope_parameters={"rope_type": "default", "rope_theta": 1e3}), types,
             of_bert | {"pooling_type": 1}, checked=False),
        Case("gemma-embedding", 3066, "15 keys on both sides of a token in six of seven layers; the mean, two matrices, normalised", "gemma-embedding",
             transformers.Gemma3TextConfig(hidden_size=64, num_attention_heads=4, num_key_value_heads=2, head_dim=32, intermediate_size=96,
                                           num_hidden_layers=7, vocab_size=131, max_position_embeddings=311, query_pre_attn_scalar=32,
                                           use_bidirectional_attention=True, sliding_window=31,
                                           rope_parameters={"full_attention": {"rope_type": "default", "rope_theta": 1e6},
                                                            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}),
             types, {"attention.sliding_window": 31, "pooling_type": 1, "dense_2_feat_in": 64, "dense_2_feat_out": 96,
                     "dense_3_feat_in": 96, "dense_3_feat_out": 40}, checked=False, dense=(96, 40)),
    ]  # fmt: skip


def recurrent() -> list[Case]:
    """Architectures whose layers remember a state of fixed size, some of them."""
    sizes = {"hidden_size": 64, "vocab_size": 131, "tie_word_embeddings": False, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    heads = sizes | {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 512}
    base = {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}
    rms = {"rms_norm_eps": 1e-5}
    types = {"token_embd.weight": "Q8_0", "output.weight": "Q8_0", "attn_q.weight": "Q5_1", "attn_k.weight": "Q8_0", "attn_v.weight": "Q5_0",
             "attn_output.weight": "Q8_0", "attn_qkv.weight": "Q5_1", "attn_gate.weight": "Q4_1", "0.ssm_in.weight": "Q5_0",
             "1.ssm_in.weight": "Q4_1", "ssm_in.weight": "Q8_0", "ssm_x.weight": "Q8_0", "ssm_dt.weight": "F16", "ssm_out.weight": "Q5_1",
             "ssm_ba.weight": "Q5_0", "shortconv.in_proj.weight": "Q4_0", "shortconv.out_proj.weight": "Q8_0", "ffn_gate.weight": "Q4_1", "0.ffn_up.weight": "Q4_0",
             "1.ffn_up.weight": "Q5_0", "ffn_up.weight": "Q8_0", "ffn_down.weight": "IQ4_NL", "ffn_gate_exps.weight": "Q4_1",
             "1.ffn_up_exps.weight": "Q8_0", "ffn_up_exps.weight": "Q4_0", "ffn_down_exps.weight": "IQ4_NL",
             "ffn_gate_shexp.weight": "Q5_0", "0.ffn_up_shexp.weight": "MXFP4", "ffn_up_shexp.weight": "Q8_0", "ffn_down_shexp.weight": "Q4_1"}  # fmt: skip
    alone = {"attention.head_count": 0, "feed_forward_length": 0}
    unplaced = {"rope.freq_base": 1e4, "rope.dimension_count": 16, "rope.scaling.finetuned": False}

    def ssm(kernel: int, inner: int, state: int, rank: int, groups: int | None = None) -> dict[str, int]:
        found = {"ssm.conv_kernel": kernel, "ssm.inner_size": inner, "ssm.state_size": state, "ssm.time_step_rank": rank}
        return found if groups is None else found | {"ssm.group_count": groups}

    granite = {"intermediate_size": 64, "shared_intermediate_size": 64, "num_hidden_layers": 3, "layer_types": ["mamba", "attention", "mamba"],
               "mamba_n_heads": 8, "mamba_d_head": 16, "mamba_n_groups": 2, "mamba_d_state": 16, "position_embedding_type": "nope",
               "embedding_multiplier": 12.0, "attention_multiplier": 0.125, "residual_multiplier": 0.5, "logits_scaling": 4.0}  # fmt: skip
    of_granite = unplaced | ssm(4, 128, 16, 8, 2) | {
        "attention.head_count_kv": [0, 2, 0], "embedding_scale": 12.0, "attention.scale": 0.125, "residual_scale": 0.5, "logit_scale": 4.0}  # fmt: skip
    qwen = heads | rms | {"intermediate_size": 96, "head_dim": 32, "num_hidden_layers": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16,
                          "linear_num_key_heads": 2, "linear_num_value_heads": 4, "num_experts": 5, "num_experts_per_tok": 2,
                          "moe_intermediate_size": 32, "shared_expert_intermediate_size": 64,
                          "rope_parameters": base["rope_parameters"] | {"partial_rotary_factor": 0.25}}  # fmt: skip
    of_qwen = ssm(4, 64, 16, 4, 2) | {"rope.dimension_count": 8, "expert_count": 5, "expert_used_count": 2, "expert_feed_forward_length": 32,
                                      "expert_shared_feed_forward_length": 64, "full_attention_interval": 4}  # fmt: skip
    rows = [
        ("mamba", "states of 16 numbers for each of 128 elements, and nothing else; rates with a minus; the embedding is the head", "mamba",
         transformers.MambaConfig(**sizes | {"tie_word_embeddings": True}, num_hidden_layers=3, state_size=16, time_step_rank=32),
         alone | ssm(4, 128, 16, 32) | {"ssm.dt_b_c_rms": False}, True),
        ("falcon-mamba", "the same architecture: what time steps are made of, b and c normed without weights", "mamba",
         transformers.FalconMambaConfig(**sizes, num_hidden_layers=2, state_size=8, time_step_rank=32),
         alone | ssm(4, 128, 8, 32) | {"ssm.dt_b_c_rms": True}, False),
        ("mamba2", "8 heads of 16 in two groups, each of which has b and c of its own and is normed by itself", "mamba2",
         transformers.Mamba2Config(**sizes, num_hidden_layers=3, num_heads=8, head_dim=16, n_groups=2, state_size=16),
         alone | ssm(4, 128, 16, 8, 2), False),
        ("jamba", "attention without positions in one layer of four, 2 of 4 experts in two: those with a router", "jamba",
         transformers.JambaConfig(**heads | rms, intermediate_size=96, num_hidden_layers=4, attn_layer_period=4, attn_layer_offset=2,
                                  expert_layer_period=2, expert_layer_offset=1, num_experts=4, num_experts_per_tok=2, mamba_d_state=16,
                                  mamba_dt_rank=4),
         ssm(4, 128, 16, 4) | {"attention.head_count_kv": [0, 0, 2, 0], "expert_count": 4, "expert_used_count": 2}, False),
        ("falcon-h1", "attention and Mamba-2 side by side; matrices that were multiplied by the scales", "falcon-h1",
         transformers.FalconH1Config(**heads | rms | base, head_dim=16, intermediate_size=96, num_hidden_layers=2, mamba_d_ssm=96, mamba_n_heads=6,
                                     mamba_d_head=16, mamba_n_groups=1, mamba_d_state=16, attention_in_multiplier=0.9,
                                     attention_out_multiplier=0.7, embedding_multiplier=3.5, key_multiplier=0.55, lm_head_multiplier=0.4,
                                     mlp_multipliers=[0.8, 0.6], ssm_in_multiplier=1.25, ssm_multipliers=[0.7, 0.5, 0.8, 1.2, 0.6],
                                     ssm_out_multiplier=0.9),
         ssm(4, 96, 16, 6, 1), False),
        ("falcon-h1-normed", "Mamba-2 whose two groups of heads are normed behind the gate", "falcon-h1",
         transformers.FalconH1Config(**heads | rms | base, head_dim=16, intermediate_size=96, num_hidden_layers=2, mamba_d_ssm=128, mamba_n_heads=8,
                                     mamba_d_head=16, mamba_n_groups=2, mamba_d_state=16, mamba_rms_norm=True, mamba_norm_before_gate=False,
                                     mlp_multipliers=[1.0, 1.0], ssm_multipliers=[1.0] * 5),
         ssm(4, 128, 16, 8, 2), False),
        ("lfm2", "gated convolutions over 3 positions in three layers of five, attention with norms of heads in the others", "lfm2",
         transformers.Lfm2Config(**heads | base | {"tie_word_embeddings": True}, norm_eps=1e-5, intermediate_size=96, block_auto_adjust_ff_dim=False,
                                 num_hidden_layers=5, layer_types=["conv", "conv", "full_attention", "conv", "full_attention"]),
         {"shortconv.l_cache": 3, "attention.head_count_kv": [0, 0, 2, 0, 2]}, True),
        ("lfm2moe", "2 of 4 experts, chosen by scores with learned numbers, in all layers but the first", "lfm2moe",
         transformers.Lfm2MoeConfig(**heads | base | {"tie_word_embeddings": True}, norm_eps=1e-5, intermediate_size=96, moe_intermediate_size=32, num_experts=4,
                                    num_experts_per_tok=2, num_dense_layers=1, num_hidden_layers=3, layer_types=["conv", "full_attention", "conv"]),
         {"shortconv.l_cache": 3, "attention.head_count_kv": [0, 2, 0], "leading_dense_block_count": 1, "expert_count": 4, "expert_used_count": 2,
          "expert_feed_forward_length": 32, "expert_gating_func": 2}, False),
        ("qwen3next", "delta rules in three layers of four, gated attention of which a quarter of each head turns; 2 of 5 experts and an MLP with a gate", "qwen3next",
         transformers.Qwen3NextConfig(**qwen), of_qwen, False),
        ("qwen3next-fused", "queries, keys, values and gates of the delta rule in one tensor, head of keys by head of keys", "qwen3next",
         transformers.Qwen3NextConfig(**qwen), of_qwen, False),
        ("granitehybrid", "2 of 4 experts beside an MLP; Mamba-2 but for one layer with attention without positions; scales", "granitehybrid",
         transformers.GraniteMoeHybridConfig(**heads | rms | granite, num_local_experts=4, num_experts_per_tok=2),
         of_granite | {"expert_count": 4, "expert_used_count": 2, "expert_shared_feed_forward_length": 64}, False),
        ("granitehybrid-dense", "the same layers without experts", "granitehybrid",
         transformers.GraniteMoeHybridConfig(**heads | rms | granite, num_local_experts=0, num_experts_per_tok=0),
         of_granite | {"expert_count": 0, "expert_used_count": 0}, False),
        ("nemotron_h", "each layer is Mamba-2, an MLP of a squared relu, or attention without positions", "nemotron_h",
         transformers.NemotronHConfig(**heads, intermediate_size=96, head_dim=16, layers_block_type=["mamba", "mlp", "attention", "mlp", "mamba"],
                                      layer_norm_epsilon=1e-5, mamba_num_heads=8, mamba_head_dim=16, n_groups=2, ssm_state_size=16, time_step_min=1e-9),
         unplaced | ssm(4, 128, 16, 8, 2) | {"attention.layer_norm_epsilon": 1e-5, "attention.head_count_kv": [0, 0, 2, 0, 0],
                                             "feed_forward_length": [0, 96, 0, 96, 0]}, False),
    ]  # fmt: skip
    of_checked = {end: "Q8_0" if kind in ("Q5_0", "Q5_1", "MXFP4") else kind for end, kind in types.items()}  # transformers reads these
    return [
        Case(name, 3301 + index, description, architecture, config, of_checked if name == "lfm2" else types, metadata, checked,
             split_projection=name == "qwen3next")
        for index, (name, description, architecture, config, metadata, checked) in enumerate(rows)
    ]


def rwkv() -> list[Case]:
    """What the library does not have. llama.cpp's conversion keeps matrices of low rank as they are."""
    types = {"token_embd.weight": "Q8_0", "time_mix_receptance.weight": "Q5_1", "time_mix_key.weight": "Q8_0", "time_mix_value.weight": "Q5_0",
             "time_mix_gate.weight": "F16", "time_mix_output.weight": "Q4_1", "channel_mix_receptance.weight": "BF16",
             "0.channel_mix_key.weight": "Q4_0", "channel_mix_key.weight": "Q8_0", "channel_mix_value.weight": "Q5_0"}  # fmt: skip
    rows = [
        ("rwkv6-fused", "numbers that mix tokens in one tensor of five; the stream is halved after two layers of three", "rwkv6", rwkv_files.finch_file(False)),
        ("rwkv6", "the same layers, whose five numbers have a tensor each, as files were written at first", "rwkv6", rwkv_files.finch_file(True)),
        ("rwkv7", "six numbers in one tensor; values of the first layer, where files have copies of other tensors", "rwkv7", rwkv_files.goose_file()),
    ]  # fmt: skip
    return [Case(name, 3401 + index, description, architecture, config, types, metadata, False, file=file)
            for index, (name, description, architecture, (config, metadata, file)) in enumerate(rows)]  # fmt: skip


def later() -> list[Case]:
    """Architectures that came later, of the types that rows of 32 have."""
    sizes = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 96, "num_hidden_layers": 2,
             "vocab_size": 131, "max_position_embeddings": 512, "tie_word_embeddings": False}  # fmt: skip
    base = {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}
    other_base = {"rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}
    quarter, half = ({"rope_parameters": base["rope_parameters"] | {"partial_rotary_factor": part}} for part in (0.25, 0.5))
    rms, tied, jploski = {"rms_norm_eps": 1e-5}, {"tie_word_embeddings": True}, {"tensor_data_layout": "jploski"}
    types = {"token_embd.weight": "Q8_0", "position_embd.weight": "Q8_0", "output.weight": "Q8_0", "attn_q.weight": "Q5_1", "attn_k.weight": "Q8_0", "attn_v.weight": "Q5_0",
             "attn_qkv.weight": "Q5_1", "attn_output.weight": "Q8_0", "ffn_gate.weight": "Q4_1", "0.ffn_up.weight": "Q4_0",
             "1.ffn_up.weight": "Q5_0", "ffn_up.weight": "Q8_0", "ffn_down.weight": "IQ4_NL", "ffn_gate_exps.weight": "Q4_1",
             "0.ffn_up_exps.weight": "Q4_0", "1.ffn_up_exps.weight": "Q8_0", "ffn_down_exps.weight": "IQ4_NL",
             "ffn_gate_shexp.weight": "Q5_0", "0.ffn_up_shexp.weight": "MXFP4", "1.ffn_up_shexp.weight": "Q8_0", "ffn_down_shexp.weight": "Q4_1",
             "attn_q_a.weight": "Q5_0", "attn_q_b.weight": "Q4_1", "attn_kv_a_mqa.weight": "Q8_0", "attn_k_b.weight": "Q5_1", "attn_kv_b.weight": "Q4_0", "attn_v_b.weight": "Q8_0"}  # fmt: skip
    wide = {"intermediate_size": 256}
    latent = sizes | {"num_key_value_heads": 4, "kv_lora_rank": 64, "qk_nope_head_dim": 32, "qk_rope_head_dim": 8, "v_head_dim": 24}
    of_latent = {"attention.kv_lora_rank": 64, "attention.key_length": 72, "attention.value_length": 64, "attention.key_length_mla": 40,
                 "attention.value_length_mla": 24, "rope.dimension_count": 8}  # fmt: skip
    parallel = {"use_parallel_residual": True, "use_qkv_bias": False}
    of_gpt_oss = {end: "MXFP4" if "exps" in end else kind for end, kind in types.items()}
    rows = [
        ("gemma", "norms stored as 1 + w; a scaled embedding, which is the head; heads wider than a part", "gemma",
         transformers.GemmaConfig(**sizes | rms | base | tied, head_dim=32), {}, False),
        ("starcoder2", "layer norms, biases, a plain MLP, heads that share keys", "starcoder2",
         transformers.Starcoder2Config(**sizes | base | tied, norm_epsilon=1e-5, use_bias=True), {}, True),
        ("starcoder", "all heads share keys and values, in one matrix with the queries; learned positions", "starcoder",
         transformers.GPTBigCodeConfig(n_embd=64, n_head=4, n_layer=2, vocab_size=131, n_positions=320, multi_query=True), {}, False),
        ("falcon", "queries, keys and values in one matrix; norms of attention and of the MLP side by side", "falcon",
         transformers.FalconConfig(**sizes | base | wide, new_decoder_architecture=True, num_kv_heads=2), jploski, False),
        ("falcon-one-norm", "one norm of both sides, one head of keys and values; a tied head", "falcon",
         transformers.FalconConfig(**sizes | base | wide | tied, multi_query=True), jploski, True),
        ("mpt", "ALiBi; queries, keys and values that are clamped; norms without biases", "mpt",
         transformers.MptConfig(d_model=64, n_heads=4, n_layers=2, vocab_size=131, max_seq_len=512, attn_config={"clip_qkv": 1.0}),
         {"attention.clamp_kqv": 1.0, "attention.max_alibi_bias": 8.0}, False),
        ("stablelm", "a quarter of each head turns; layer norms, a gated MLP, biases of queries, keys and values", "stablelm",
         transformers.StableLmConfig(**sizes | quarter, use_qkv_bias=True), {"rope.dimension_count": 4}, True),
        ("stablelm-parallel", "attention and MLP side by side on one norm; no biases", "stablelm",
         transformers.StableLmConfig(**sizes | quarter | parallel), {"rope.dimension_count": 4}, True),
        ("phi2", "half of each head turns; attention and MLP side by side on one norm; a head with a bias", "phi2",
         transformers.PhiConfig(**sizes | half), {"rope.dimension_count": 8}, False),
        ("nemotron", "layer norms stored as 1 + w; half of each head turns; a squared relu", "nemotron",
         transformers.NemotronConfig(**sizes | half, norm_eps=1e-5), {"rope.dimension_count": 8, "rope.scaling.type": "none"}, True),
        ("olmo", "norms without weights; queries and keys whose halves alternate, and are clamped", "olmo",
         transformers.OlmoConfig(**sizes | base, clip_qkv=1.0), {"attention.clamp_kqv": 1.0}, False),
        ("olmo2", "norms after attention and MLP, over all queries and over all keys", "olmo2",
         transformers.Olmo2Config(**sizes | rms | other_base), {}, False),
        ("command-r", "one norm without a bias, of both sides; a norm of each head's own; neighbours turn together", "command-r",
         transformers.CohereConfig(**sizes | other_base | tied, use_qk_norm=True, logit_scale=0.25),
         {"logit_scale": 0.25, "rope.scaling.type": "none"}, False),
        ("cohere2", "three layers with a window of 100, and one without positions", "cohere2",
         transformers.Cohere2Config(**sizes | other_base | tied | {"num_hidden_layers": 4}, sliding_window=100, logit_scale=0.25),
         {"logit_scale": 0.25, "rope.scaling.type": "none", "attention.sliding_window": 100}, False),
        ("glm4", "norms before and after; neighbours turn together, half of each head; gate and up in one matrix; biases", "glm4",
         transformers.Glm4Config(**sizes | rms | half, head_dim=16, attention_bias=True, pad_token_id=0),
         {"rope.dimension_count": 8}, False),
        ("granite", "scales of the embedding, of scores, of what sub-blocks add and of the logits", "granite",
         transformers.GraniteConfig(**sizes | rms | base, embedding_multiplier=12.0, attention_multiplier=0.125,
                                    residual_multiplier=0.5, logits_scaling=4.0),
         {"embedding_scale": 12.0, "attention.scale": 0.125, "residual_scale": 0.5, "logit_scale": 4.0}, False),
        ("smollm3", "four layers of which the last has no positions; halves that alternate", "smollm3",
         transformers.SmolLM3Config(**sizes | rms | other_base | tied | {"num_hidden_layers": 4}, pad_token_id=0), {}, False),
        ("arcee", "a squared relu without a gate, RMS norms; halves that alternate", "arcee",
         transformers.ArceeConfig(**sizes | rms | base), {}, False),
        ("seed_oss", "heads wider than a part; biases of queries, keys and values; a name of its own for the second norm", "seed_oss",
         transformers.SeedOssConfig(**sizes | rms | other_base, head_dim=32, attention_bias=True), {}, False),
        ("ernie4_5", "neighbours turn together; a tied head", "ernie4_5",
         transformers.Ernie4_5Config(**sizes | rms | other_base | tied, head_dim=32), {}, False),
        ("hunyuan-dense", "norms of heads after they have turned", "hunyuan-dense",
         transformers.HunYuanDenseV1Config(**sizes | rms | other_base | tied, head_dim=32),
         {"rope.scaling.type": "none", "rope.scaling.factor": 1.0}, False),
        ("exaone4", "norms after; norms of heads; three layers with a window of 100, and one without positions", "exaone4",
         transformers.Exaone4Config(**sizes | rms | base | {"num_hidden_layers": 4}, sliding_window=100,
                                    layer_types=["sliding_attention"] * 3 + ["full_attention"]),
         {"attention.sliding_window": 100, "attention.sliding_window_pattern": [True, True, True, False]}, False),
        ("stablelm-norms", "a norm of each head's own, one tensor a layer; one norm of both sides", "stablelm",
         transformers.StableLmConfig(**sizes | quarter | parallel, qk_layernorm=True), {"rope.dimension_count": 4}, False),
        ("internlm2", "Llama's layers under another name; halves that alternate", "internlm2",
         transformers.LlamaConfig(**sizes | rms | other_base), {}, False),
        ("qwen3moe", "three of seven experts that stand in one tensor, in types mixed by tensor and by layer; norms of heads", "qwen3moe",
         transformers.Qwen3MoeConfig(**sizes | rms | other_base, head_dim=32, num_experts=7, num_experts_per_tok=3, moe_intermediate_size=32,
                                     norm_topk_prob=True),
         {"expert_count": 7, "expert_used_count": 3, "expert_feed_forward_length": 32}, False),
        ("olmoe", "two of five experts, shares of all five; queries and keys normed whole", "olmoe",
         transformers.OlmoeConfig(**sizes | rms | base, num_experts=5, num_experts_per_tok=2),
         {"expert_count": 5, "expert_used_count": 2}, False),
        ("mixtral", "two of six experts in a file of the architecture of Llama; halves that alternate", "llama",
         transformers.MixtralConfig(**sizes | rms | other_base, num_local_experts=6, num_experts_per_tok=2, sliding_window=None),
         {"expert_count": 6, "expert_used_count": 2}, False),
        ("qwen2moe", "three of five experts, shares of all five; beside them an MLP with a gate, whose row is a vector", "qwen2moe",
         transformers.Qwen2MoeConfig(**sizes | rms | other_base, num_experts=5, num_experts_per_tok=3, moe_intermediate_size=32,
                                     shared_expert_intermediate_size=64),
         {"expert_count": 5, "expert_used_count": 3, "expert_feed_forward_length": 32, "expert_shared_feed_forward_length": 64}, False),
        ("deepseek2", "short queries; three of eight experts in two of four groups beside one that all have, biases for choosing, after a dense layer; yarn", "deepseek2",
         transformers.DeepseekV3Config(**latent | {"q_lora_rank": 32, "rms_norm_eps": 1e-5}, n_routed_experts=8, num_experts_per_tok=3, n_group=4,
                                       topk_group=2, n_shared_experts=1, moe_intermediate_size=32, first_k_dense_replace=1, routed_scaling_factor=2.5,
                                       norm_topk_prob=True, rope_parameters=base["rope_parameters"] | {
                                           "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 128,
                                           "beta_fast": 16.0, "beta_slow": 2.0, "mscale": 0.7, "mscale_all_dim": 0.7}),
         of_latent | {"attention.q_lora_rank": 32, "leading_dense_block_count": 1, "expert_count": 8, "expert_used_count": 3,
                      "expert_group_count": 4, "expert_group_used_count": 2, "expert_shared_count": 1, "expert_feed_forward_length": 32,
                      "expert_weights_scale": 2.5, "expert_weights_norm": True, "expert_gating_func": 2, "rope.scaling.type": "yarn",
                      "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 128, "rope.scaling.yarn_beta_fast": 16.0,
                      "rope.scaling.yarn_beta_slow": 2.0, "rope.scaling.yarn_log_multiplier": 0.07}, False),
        ("deepseek2-lite", "queries of what is read; two of five experts, shares of all five, beside two that all have in one", "deepseek2",
         transformers.DeepseekV2Config(**latent | rms | base, q_lora_rank=None, n_routed_experts=5, num_experts_per_tok=2, n_shared_experts=2,
                                       moe_intermediate_size=32, first_k_dense_replace=0, routed_scaling_factor=1.0),
         of_latent | {"leading_dense_block_count": 0, "expert_count": 5, "expert_used_count": 2, "expert_shared_count": 2,
                      "expert_feed_forward_length": 32, "expert_weights_scale": 1.0}, False),
        ("gpt-oss", "three of five experts in blocks of MXFP4, biases on all; learned scores that no key has; a window of 100 in every other layer; yarn", "gpt-oss",
         transformers.GptOssConfig(**sizes | rms, head_dim=32, num_local_experts=5, num_experts_per_tok=3, sliding_window=100,
                                   rope_parameters=base["rope_parameters"] | {
                                       "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 128,
                                       "beta_fast": 32.0, "beta_slow": 1.0, "truncate": False}),
         {"attention.sliding_window": 100, "expert_count": 5, "expert_used_count": 3, "expert_feed_forward_length": 96,
          "rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 128}, False),
        ("deepseek2-fused", "keys and values of a latent in one tensor, whose blocks are decoded where they are turned; a dense layer, one of six experts", "deepseek2",
         transformers.DeepseekV2Config(**latent | rms | base, q_lora_rank=None, n_routed_experts=6, num_experts_per_tok=1, n_shared_experts=1,
                                       moe_intermediate_size=32, first_k_dense_replace=1, routed_scaling_factor=1.5),
         {"attention.kv_lora_rank": 64, "attention.key_length": 40, "attention.value_length": 24, "rope.dimension_count": 8,
          "leading_dense_block_count": 1, "expert_count": 6, "expert_used_count": 1, "expert_shared_count": 1,
          "expert_feed_forward_length": 32, "expert_weights_scale": 1.5}, False),
    ]  # fmt: skip
    return [
        Case(name, 3201 + index, description, architecture, config, of_gpt_oss if name == "gpt-oss" else types, metadata, checked)
        for index, (name, description, architecture, config, metadata, checked) in enumerate(rows)
    ]


ALL_TYPES = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS",
             "MXFP4"]  # fmt: skip


def one_type(seed: int, name: str) -> Case:
    """A file whose matrices are all of this type; its head is the embedding's."""
    width = max(64, gguf.GGML_QUANT_SIZES[Type[name]][0])
    config = transformers.LlamaConfig(
        hidden_size=width, num_attention_heads=4, num_key_value_heads=1, head_dim=width // 4, intermediate_size=width,
        num_hidden_layers=1, vocab_size=131, max_position_embeddings=512, rms_norm_eps=1e-5, tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 1e4},
    )  # fmt: skip
    parts = ["token_embd", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]
    types = {f"{part}.weight": name for part in parts}
    return Case(f"all-{name.lower()}", seed, f"every matrix is {name}", "llama", config, types)
