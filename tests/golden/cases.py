"""The golden models, one row each."""

from families import (
    Calls,
    ROWS,
    TEXTS,
    Case,
    apertus,
    biogpt,
    arcee,
    bloom,
    bert_generation,
    bloom_5,
    codegen,
    cohere,
    cohere2,
    cohere2_5,
    cohere_compass,
    cohere_5,
    ctrl,
    cwm,
    ernie4_5,
    exaone4,
    falcon,
    falcon_5,
    gemma,
    gemma_5,
    gemma2,
    gemma2_5,
    gemma3,
    gemma3_5,
    glm,
    glm4,
    glm4_5,
    gpt2,
    gpt_bigcode,
    gpt_bigcode_5,
    gpt_neo,
    gpt_neox,
    gpt_neox_5,
    gpt_neox_japanese,
    gptj,
    granite,
    diffllama,
    granite_swa,
    helium,
    hunyuan,
    hunyuan_5,
    hyperclovax,
    jais2,
    llada,
    llama,
    llama_1,
    ministral,
    ministral3,
    mistral,
    modernbert_decoder,
    mpt,
    nanochat,
    olmo,
    nemotron,
    nemotron_5,
    olmo2,
    olmo3,
    olmo3_5,
    openai_gpt,
    openelm,
    opt,
    persimmon,
    phi,
    phi_5,
    phi3,
    qwen2,
    qwen3,
    respelled,
    seed_oss,
    sizes,
    stablelm,
    stablelm_5,
    xglm,
    vaultgemma,
    smollm3,
    smollm3_5,
    starcoder2,
    starcoder2_5,
)

# Around an original length of 80 positions: prompts that end before it, at it and past it, and tokens one by one over it.
LENGTH_CALLS = ((30, 20, 1), (79, 1, 1, 1, 1), (80, 1, 1), (81, 1), (40, 60, 1), (150, 20, 1, 1), (300,))
LONG = 2080  # tokens of the cases that look past position 2,000


def long_rows(*edges: int) -> tuple[int, ...]:
    """Some of the first 300, then around these edges and past 2,000."""
    around = {row for edge in edges for row in range(edge - 1, edge + 3)}
    return tuple(sorted({*ROWS} | around | {1022, 1023, 1024, 1025, 1999, 2000, 2001, 2046, 2047, 2048, 2049, 2063,
                                            LONG - 2, LONG - 1}))  # fmt: skip


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
             qwen3(**sizes(67, 59, 2, 4, 2, 127, 20)), checkpoint={"tied_copy": "model.embed_tokens.weight"}),
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
        Case("olmo2-gqa3", 2023, "norms of outputs alone, and of all queries and all keys; grouped 6:2, untied",
             olmo2(**sizes(60, 71, 3, 6, 2, 101)), "dtype", dtypes=("f16",)),
        Case("phi3-mha", 1021, "fused qkv_proj and gate_up_proj, multi-head, three heads of 14, untied; window "
             "null",
             phi3(**sizes(42, 67, 2, 3, None, 109))),
        Case("phi3-gqa3-partial", 1022, "fused, grouped 3:1, partial_rotary_factor 0.8: 14 of a head's 18 elements turn; "
             "tied, rope_parameters",
             respelled(phi3(**sizes(54, 61, 2, 3, 1, 103), tie_word_embeddings=True),
                       rope_parameters={"partial_rotary_factor": 0.8, "rope_theta": 250000, "rope_type": "default"}),
             "dtype"),
        Case("glm-partial", 2024, "neighbours turn together, in half of a head's 24 elements, which no key says; fused "
             "gate_up_proj, biases on q, k, v, epsilon 1.5625e-7, grouped 4:2, untied",
             glm(**sizes(46, 61, 2, 4, 2, 101, 24)), dtypes=("bf16",)),
        Case("cohere-plain", 2025, "one norm for attention and MLP side by side, LayerNorm without bias; neighbours turn "
             "together in whole heads of 12, logits divided by 16, grouped 5:1, tied without a word",
             cohere(**sizes(60, 67, 3, 5, 1, 103)), dtypes=("f16",)),
        Case("cohere-qk-norm", 2026, "LayerNorm of each head's queries and keys, with weights of its own; biases on q, k, "
             "v, o, another scale of logits, grouped 4:2, untied; rope_parameters",
             cohere_5(**sizes(80, 61, 2, 4, 2, 107), attention_bias=True, logit_scale=0.8333333333333334,
                      rope_parameters={"rope_theta": 10000.0, "rope_type": "default"}, tie_word_embeddings=False,
                      use_qk_norm=True), "dtype", dtypes=("bf16",)),
        Case("gpt-neox-parallel", 1021, "Pythia: both norms of the layer's input, a quarter of 24 turns, untied; "
             "stores masks as booleans and rotary frequencies in half precision",
             gpt_neox(**sizes(72, 97, 2, 3, None, 101), max_position_embeddings=307), checkpoint={"masks": True},
             dtypes=("f16",)),
        Case("gpt-neox-sequential", 1022, "one sublayer after the other, half of 20 turns by another base, tied, "
             "gelu_new, no biases at attention; rope_parameters",
             gpt_neox_5(**sizes(60, 89, 3, 3, None, 97), attention_bias=False, hidden_act="gelu_new",
                        rope_parameters={"partial_rotary_factor": 0.5, "rope_theta": 25000.0, "rope_type": "default"},
                        tie_word_embeddings=True, use_parallel_residual=False), "dtype", dtypes=("bf16",)),
        Case("gpt-neox-long", 1023, "2,080 tokens; whole heads of 18 turn, gelu_fast, untied",
             gpt_neox(**sizes(54, 61, 2, 3, None, 103), hidden_act="gelu_fast", rotary_pct=1.0,
                      max_position_embeddings=4096),
             dtypes=("f32",), sequence_length=LONG, rows=long_rows()),
        Case("gemma-mqa", 2030, "one key/value head for three, head_dim 24: queries wider than hidden_size; hidden_act gelu, "
             "which means gelu_pytorch_tanh, tied without a word",
             gemma(**sizes(48, 67, 2, 3, 1, 101, 24)), dtypes=("f16",)),
        Case("gemma-biases", 2031, "grouped 4:2, heads of 10, biases on q, k, v, o, untied; rope_parameters, linear scaling "
             "by 2.5",
             gemma_5(**sizes(46, 61, 3, 4, 2, 103, 10), attention_bias=True, tie_word_embeddings=False,
                     rope_parameters={"factor": 2.5, "rope_theta": 25000.0, "rope_type": "linear"}), "dtype",
             dtypes=("bf16",)),
        Case("gemma2-window-17", 2004, "window of 17 in layers 0 and 2, none in 1 and 3; scores and logits capped; "
             "grouped 4:2, head_dim 18 scaled as if it were 11, queries wider than hidden_size",
             gemma2(**sizes(48, 67, 4, 4, 2, 101, 18), attn_logit_softcapping=10.0, final_logit_softcapping=7.5,
                    query_pre_attn_scalar=11, sliding_window=17, sliding_window_size=17),
             dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
        Case("gemma2-uncapped", 1025, "soft caps null; layer_types full, sliding, sliding with a window of 64; three "
             "heads for one of 40; rope_parameters",
             gemma2_5(**sizes(42, 83, 3, 3, 1, 107, 40), attn_logit_softcapping=None, final_logit_softcapping=None,
                      layer_types=["full_attention", "sliding_attention", "sliding_attention"],
                      query_pre_attn_scalar=24, rope_parameters={"rope_theta": 25000.0, "rope_type": "default"},
                      sliding_window=64), "dtype", dtypes=("f16",)),
        Case("gemma2-long", 2003, "2,080 tokens, a window of 1,000 in the first of two layers; grouped 2:1, "
             "head_dim 24",
             gemma2(**sizes(36, 59, 2, 2, 1, 97, 24), query_pre_attn_scalar=17, sliding_window=1000),
             dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
        Case("gemma3-pattern", 1041, "every third of five layers is global, the others have a window of 17 and a rotary base "
             "of their own; grouped 4:2, norms of heads of 18, scaled as if they were 11",
             gemma3(**sizes(48, 67, 5, 4, 2, 101, 18), query_pre_attn_scalar=11, sliding_window=17,
                    sliding_window_pattern=3),
             dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
        Case("gemma3-scaled", 1042, "global layers turn by angles divided by 8; layer_types, capped logits, three heads for "
             "one of 40; rope_parameters by kind of layer",
             gemma3_5(**sizes(42, 83, 3, 3, 1, 107, 40), final_logit_softcapping=7.5,
                      layer_types=["full_attention", "sliding_attention", "sliding_attention"], query_pre_attn_scalar=24,
                      rope_parameters={
                          "full_attention": {"factor": 8.0, "rope_theta": 250000.0, "rope_type": "linear"},
                          "sliding_attention": {"rope_theta": 5000.0, "rope_type": "default"}},
                      sliding_window=64), "dtype", dtypes=("f16",)),
        Case("gemma3-long", 1043, "2,080 tokens, a window of 1,000 in the first of two layers; grouped 2:1, head_dim 24",
             gemma3(**sizes(36, 59, 2, 2, 1, 97, 24), query_pre_attn_scalar=17, sliding_window=1000,
                    sliding_window_pattern=2),
             dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
        Case("mistral-sliding-1", 1027, "a window of 1: every token sees itself alone, and queries and keys do not "
             "matter",
             mistral(**sizes(42, 61, 2, 4, 2, 101, 18), sliding_window=1, rope_theta=10000.0), dtypes=("f16",)),
        Case("mistral-sliding-5", 1028, "a window of 5 over three layers, grouped 5:1, head_dim 18 explicit",
             mistral(**sizes(47, 61, 3, 5, 1, 103, 18), sliding_window=5, rope_theta=10000.0), dtypes=("bf16",),
             rows=tuple(sorted({*ROWS, 4, 5, 6}))),
        Case("mistral-sliding-64", 2001, "a window of 64, grouped 6:2, head_dim derived; rope_parameters",
             respelled(mistral(**sizes(60, 79, 2, 6, 2, 107), sliding_window=64, rope_theta=10000.0)), "dtype",
             dtypes=("f32",)),
        Case("mistral-sliding-long", 1030, "2,080 tokens, a window of 1,500, grouped 2:1, head_dim 40",
             mistral(**sizes(38, 59, 2, 2, 1, 97, 40), sliding_window=1500, rope_theta=10000.0), dtypes=("f16",),
             sequence_length=LONG, rows=long_rows(1500)),
        Case("bloom-alibi-8", 1031, "eight heads of 6, and no others; n_embed and names without a prefix, beside a "
             "copy of the head",
             bloom(n_embed=48, num_attention_heads=8, n_layer=2, vocab_size=101),
             checkpoint={"tied_copy": "word_embeddings.weight"}, dtypes=("bf16",)),
        Case("bloom-alibi-12", 1032, "twelve heads of 5, four with slopes between those of eight; residuals are what "
             "comes out of the norms; names under transformer.",
             bloom_5(hidden_size=60, n_head=12, n_layer=2, vocab_size=103,
                     apply_residual_connection_post_layernorm=True),
             "dtype", {"prefix": "transformer."}, dtypes=("f16",)),
        Case("bloom-long", 1033, "2,080 tokens; sixteen heads of 3",
             bloom_5(hidden_size=48, n_head=16, n_layer=2, vocab_size=97),
             "dtype", {"prefix": "transformer."}, dtypes=("f32",), sequence_length=LONG, rows=long_rows()),
        Case("llama-rope-linear", 1034, "linear scaling by 2.5, spelled type; grouped 4:2, head_dim 18, tied",
             llama(**sizes(44, 61, 2, 4, 2, 101, 18), rope_scaling={"factor": 2.5, "type": "linear"},
                   tie_word_embeddings=True), dtypes=("f16",)),
        Case("llama-rope-llama3", 1035, "llama3 scaling by 8 from 128 positions: angles of all three kinds; grouped "
             "3:1, head_dim 40",
             llama(**sizes(39, 67, 2, 3, 1, 103, 40), max_position_embeddings=1024, rope_scaling={
                 "factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                 "original_max_position_embeddings": 128, "rope_type": "llama3"}), dtypes=("bf16",)),
        Case("qwen3-rope-linear", 1036, "linear scaling by 3 in rope_parameters; QK-norm, grouped 6:2, head_dim 24",
             respelled(qwen3(**sizes(43, 61, 2, 6, 2, 107, 24), layer_types=["full_attention"] * 2),
                       rope_parameters={"factor": 3.0, "rope_theta": 10000.0, "rope_type": "linear"}), "dtype",
             dtypes=("bf16",)),
        Case("qwen2-rope-llama3", 1037, "llama3 scaling by 4 from 64 positions in rope_parameters, factors 1.5 and 6; "
             "three heads of 24",
             respelled(qwen2(**sizes(72, 61, 2, 3, 1, 109), layer_types=["full_attention"] * 2),
                       rope_parameters={"factor": 4.0, "high_freq_factor": 6.0, "low_freq_factor": 1.5,
                                        "original_max_position_embeddings": 64, "rope_theta": 25000.0,
                                        "rope_type": "llama3"}), "dtype", dtypes=("f16",)),
        Case("qwen2-rope-yarn", 1038, "yarn by 4 from 64 positions and nothing else said, as Qwen's model cards "
             "advise: spelled type; five heads for one of 18",
             qwen2(**sizes(90, 53, 2, 5, 1, 97), rope_theta=10000.0, rope_scaling={
                 "factor": 4.0, "original_max_position_embeddings": 64, "type": "yarn"}), dtypes=("f32",)),
        Case("qwen3-rope-yarn", 2000, "yarn by 3 from 128 positions in rope_parameters: attention_factor given (so "
             "mscale does not count), betas, ends of the ramp not rounded",
             respelled(qwen3(**sizes(45, 61, 2, 4, 2, 101, 40), layer_types=["full_attention"] * 2),
                       rope_parameters={"attention_factor": 1.25, "beta_fast": 8.0, "beta_slow": 0.5, "factor": 3.0,
                                        "mscale": 0.7, "mscale_all_dim": 0.9,
                                        "original_max_position_embeddings": 128, "rope_theta": 10000.0,
                                        "rope_type": "yarn", "truncate": False}), "dtype", dtypes=("bf16",)),
        Case("llama-rope-yarn", 1040, "yarn by 5 from 64 positions with both mscales and betas, whole heads of 80; "
             "tied",
             llama(**sizes(36, 61, 2, 2, 1, 113, 80), tie_word_embeddings=True, rope_scaling={
                 "beta_fast": 4, "beta_slow": 1.25, "factor": 5.0, "mscale": 0.9, "mscale_all_dim": 0.4,
                 "original_max_position_embeddings": 64, "rope_type": "yarn"}), dtypes=("f16",)),
        Case("qwen2-rope-yarn-long", 1041, "2,080 tokens, yarn by 4 from 1,024 positions; two heads of 24",
             qwen2(**sizes(48, 53, 2, 2, 1, 97), max_position_embeddings=4096, rope_theta=10000.0, rope_scaling={
                 "factor": 4.0, "original_max_position_embeddings": 1024, "type": "yarn"}),
             dtypes=("f32",), sequence_length=LONG, rows=long_rows(1024)),
        Case("llama-rope-dynamic", 1050, "dynamic NTK by 4 from 80 positions: prompts below, at and past them, in calls "
             "and token by token; grouped 4:2, head_dim 20",
             llama(**sizes(40, 61, 2, 4, 2, 101, 20), max_position_embeddings=80, rope_scaling={
                 "factor": 4.0, "type": "dynamic"}), dtypes=("f32",), calls=Calls(LENGTH_CALLS)),
        Case("phi3-longrope", 1051, "LongRoPE from 80 of 512 positions: prompts below, at and past its switch, in calls "
             "and token by token; three quarters of heads of 32 turn, grouped 3:1",
             phi3(**sizes(96, 61, 2, 3, 1, 103), partial_rotary_factor=0.75, max_position_embeddings=512,
                  original_max_position_embeddings=80, rope_scaling={
                      "long_factor": [1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 4.5, 5.0, 5.5, 6.0, 7.5],
                      "short_factor": [1.0, 1.0, 1.05, 1.1, 1.15, 1.2, 1.2, 1.25, 1.3, 1.35, 1.4, 1.5],
                      "type": "longrope"}), dtypes=("f16",), calls=Calls(LENGTH_CALLS, 80)),
        Case("qwen3-longrope", 1052, "LongRoPE from 80 positions in rope_parameters, factor given; QK-norm, head_dim 24",
             respelled(qwen3(**sizes(45, 61, 2, 4, 2, 101, 24), max_position_embeddings=1024,
                             layer_types=["full_attention"] * 2),
                       rope_parameters={
                           "factor": 16.0, "original_max_position_embeddings": 80, "rope_theta": 10000.0,
                           "rope_type": "longrope",
                           "long_factor": [1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 4.5, 5.0, 5.5, 6.0, 7.5],
                           "short_factor": [1.0, 1.0, 1.05, 1.1, 1.15, 1.2, 1.2, 1.25, 1.3, 1.35, 1.4, 1.5]}),
             "dtype", dtypes=("bf16",), calls=Calls(LENGTH_CALLS, 80)),
        Case("nanochat-relu2", 2060, "heads turn the other way, and are normed after it; norms without weights, one of the "
             "embedding; relu2, logits capped at 15, grouped 4:2, untied",
             nanochat(**sizes(64, 71, 3, 4, 2, 101)), "dtype", dtypes=("f16",)),
        Case("nanochat-mish", 2061, "mish, head_dim 20 explicit, biases on q, k, v, o, no cap; angles scaled by 2.5; tied",
             nanochat(**sizes(60, 67, 2, 2, 1, 103, 20), hidden_act="mish", attention_bias=True,
                      final_logit_softcapping=None, tie_word_embeddings=True, rms_norm_eps=1e-5,
                      rope_parameters={"factor": 2.5, "rope_theta": 10000.0, "rope_type": "linear"}), "dtype",
             dtypes=("f32",)),
        Case("persimmon-normed", 2062, "LayerNorm of each head's queries and keys, with one head's weights and biases; half "
             "of 24 turns, which no key says; relu2, biases everywhere, untied",
             persimmon(**sizes(72, 71, 2, 3, None, 101)), dtypes=("bf16",)),
        Case("persimmon-plain", 2063, "no norms of heads, half of 24 turns by angles scaled by 2.5, relu6; tied",
             persimmon(**sizes(48, 67, 3, 2, None, 103), qk_layernorm=False, hidden_act="relu6",
                       tie_word_embeddings=True, rope_scaling={"factor": 2.5, "type": "linear"}), dtypes=("f32",)),
        Case("stablelm-sequential", 2064, "LayerNorms with bias, a quarter of 16 turns; keys of an older class; grouped "
             "4:2, untied",
             stablelm(**sizes(64, 61, 2, 4, 2, 101)), dtypes=("f16",)),
        Case("stablelm-parallel", 2065, "attention and MLP side by side under one norm, biases on q, k, v, half of 24 "
             "turns; grouped 3:1, tied; rope_parameters",
             stablelm_5(**sizes(72, 67, 2, 3, 1, 103), use_parallel_residual=True, use_qkv_bias=True,
                        tie_word_embeddings=True,
                        rope_parameters={"partial_rotary_factor": 0.5, "rope_theta": 10000.0, "rope_type": "default"}),
             "dtype", dtypes=("bf16",)),
        Case("stablelm-heads", 2095, "a LayerNorm of each head's own, a tensor each, over queries and keys; attention and MLP "
             "side by side, a quarter of 16 turns, grouped 4:2, untied",
             stablelm(**sizes(64, 61, 2, 4, 2, 101), qk_layernorm=True, use_parallel_residual=True), dtypes=("bf16",)),
        Case("stablelm-heads-biases", 2096, "a LayerNorm of each head's own behind biases on q, k, v; one part after the "
             "other, half of 24 turns, one key head of three, three layers; tied; rope_parameters",
             stablelm_5(**sizes(72, 67, 3, 3, 1, 103), qk_layernorm=True, use_qkv_bias=True, tie_word_embeddings=True,
                        rope_parameters={"partial_rotary_factor": 0.5, "rope_theta": 10000.0, "rope_type": "default"}),
             "dtype", dtypes=("f32",)),
        Case("apertus-scaled", 2066, "xIELU, whose four numbers are stored in each layer; norms of heads, angles scaled as "
             "llama3's by 8 from 64 positions; grouped 4:2, untied",
             apertus(**sizes(64, 71, 2, 4, 2, 101)), dtypes=("f32",)),
        Case("apertus-biases", 2072, "xIELU, biases on q, k, v, o, angles that are not scaled; three heads of 24, tied; "
             "rope_parameters",
             respelled(apertus(**sizes(72, 67, 3, 3, 1, 103), attention_bias=True, tie_word_embeddings=True)), "dtype",
             dtypes=("f16",)),
        Case("ministral-pattern", 3001, "a window of 17 in the second and third of three layers, which layer_types says; grouped "
             "5:1, head_dim 18 explicit, untied",
             ministral(**sizes(47, 61, 3, 5, 1, 103, 18), sliding_window=17,
                       layer_types=["full_attention", "sliding_attention", "sliding_attention"]),
             "dtype", dtypes=("f16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
        Case("ministral-long", 3002, "2,080 tokens, a window of 1,000 in all layers, since no layer_types says otherwise; grouped "
             "2:1, head_dim 24, tied; rope_parameters",
             respelled(ministral(**sizes(38, 59, 2, 2, 1, 97, 24), sliding_window=1000, tie_word_embeddings=True)),
             "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
        Case("olmo3-yarn", 3003, "a window of 17 in three layers of four, by no key; yarn by 4 from 64 positions in the fourth "
             "alone; norms of outputs and of all queries and keys, grouped 3:1",
             olmo3(**sizes(60, 59, 4, 3, 1, 101), sliding_window=17, rope_scaling={
                 "attention_factor": 1.2079441541679836, "beta_fast": 2.0, "beta_slow": 0.5, "factor": 4.0,
                 "original_max_position_embeddings": 64, "rope_type": "yarn"}),
             dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
        Case("olmo3-long", 3004, "2,080 tokens, a window of 1,000 in the first of two layers, which turns by a base of its own; "
             "biases on q, k, v, o, and an epsilon that shows beside them; grouped 2:1, tied; rope_parameters by kind of "
             "layer",
             olmo3_5(**sizes(36, 59, 2, 2, 1, 97), attention_bias=True, rms_norm_eps=0.01, sliding_window=1000,
                     tie_word_embeddings=True,
                     layer_types=["sliding_attention", "full_attention"], rope_parameters={
                         "full_attention": {"rope_theta": 25000.0, "rope_type": "default"},
                         "sliding_attention": {"rope_theta": 3000.0, "rope_type": "default"}}),
             "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
        Case("seed-oss-inside", 3005, "biases on q, k, v alone; grouped 6:2, head_dim 18 explicit, untied; a table that asks for "
             "no scaling",
             seed_oss(**sizes(43, 61, 2, 6, 2, 101, 18)), dtypes=("f16",)),
        Case("seed-oss-outside", 3006, "biases on o and in the MLP, none on q, k, v; grouped 5:1, head_dim 14 explicit, tied; "
             "rope_parameters",
             respelled(seed_oss(**sizes(51, 59, 2, 5, 1, 103, 14), attention_bias=False, attention_out_bias=True,
                                mlp_bias=True, rope_theta=10000.0, tie_word_embeddings=True)),
             "dtype", dtypes=("bf16",)),
        Case("exaone4-hybrid", 3007, "a window of 17 and positions in three layers of four, neither in the fourth; llama3 scaling "
             "by 4 from 64 positions; norms of outputs and of heads of 18, grouped 4:2, untied",
             exaone4(**sizes(47, 61, 4, 4, 2, 101, 18), sliding_window=17, rope_theta=10000.0,
                     layer_types=["sliding_attention"] * 3 + ["full_attention"], rope_scaling={
                         "factor": 4.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                         "original_max_position_embeddings": 64, "rope_type": "llama3"}),
             dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
        Case("exaone4-global", 3008, "sliding_window null: positions in all layers; heads of 20, no key of which, multi-head, "
             "tied; rope_parameters",
             respelled(exaone4(**sizes(60, 59, 2, 3, 3, 103), layer_types=["full_attention"] * 2, sliding_window=None,
                               sliding_window_pattern=None, tie_word_embeddings=True)),
             "dtype", dtypes=("f16",)),
        Case("exaone4-long", 3009, "2,080 tokens, a window of 1,000 and positions in the first of two layers, neither in the "
             "second; grouped 2:1, head_dim 24",
             exaone4(**sizes(38, 59, 2, 2, 1, 97, 24), sliding_window=1000, rope_theta=10000.0, sliding_window_pattern="LG",
                     layer_types=["sliding_attention", "full_attention"]),
             dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
        Case("cohere2-pattern", 3010, "every third of four layers has neither window nor positions, the others a window of 17; "
             "one norm for attention and MLP side by side, neighbours turn together, grouped 5:1, tied without a word",
             cohere2(**sizes(60, 67, 4, 5, 1, 103), sliding_window=17, sliding_window_pattern=3, rope_theta=10000.0),
             dtypes=("f16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
        Case("cohere2-long", 3011, "2,080 tokens, a window of 1,000 and positions in the second of two layers, neither in the "
             "first; biases on q, k, v, o, grouped 2:1, untied; rope_parameters",
             cohere2_5(**sizes(40, 59, 2, 2, 1, 97), attention_bias=True, sliding_window=1000, tie_word_embeddings=False,
                       layer_types=["full_attention", "sliding_attention"]),
             "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
        Case("cwm-pattern", 3012, "a window of 17 in all but every fourth of five layers, from the first on, by no key; llama3 "
             "scaling by 8 from 64 positions; grouped 4:2, head_dim 18",
             cwm(**sizes(48, 61, 5, 4, 2, 101, 18), sliding_window=17, rope_theta=10000.0, rope_scaling={
                 "factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                 "original_max_position_embeddings": 64, "rope_type": "llama3"}),
             dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
        Case("cwm-long", 3013, "2,080 tokens, a window of 1,000 in the first of two layers, angles as they are; biases in the "
             "MLP, grouped 2:1, head_dim 24, tied; rope_parameters",
             respelled(cwm(**sizes(38, 59, 2, 2, 1, 97, 24), mlp_bias=True, rope_theta=10000.0, sliding_window=1000,
                           tie_word_embeddings=True, layer_types=["sliding_attention", "full_attention"])),
             "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
        Case("hunyuan-alpha", 3014, "norms of heads of 18 after the rotation, by a base that an alpha of 50 stretches; grouped "
             "6:2, untied",
             hunyuan(**sizes(43, 61, 2, 6, 2, 101, 18), rope_scaling={
                 "alpha": 50.0, "beta_fast": 32, "beta_slow": 1, "factor": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0,
                 "type": "dynamic"}), dtypes=("f32",)),
        Case("hunyuan-biases", 3015, "no scaling; biases on q, k, v, o, grouped 3:1, head_dim 20, tied; rope_parameters",
             hunyuan_5(**sizes(60, 59, 2, 3, 1, 103, 20), attention_bias=True, tie_word_embeddings=True),
             "dtype", dtypes=("f16",)),
        Case("ernie4_5-tied", 3016, "neighbours turn together; grouped 6:2, head_dim 18 explicit, tied, no biases",
             ernie4_5(**sizes(47, 61, 2, 6, 2, 101, 18)), dtypes=("bf16",)),
        Case("ernie4_5-biases", 3017, "one key for biases on all projections; grouped 3:1, head_dim 20, untied; rope_parameters",
             respelled(ernie4_5(**sizes(51, 59, 2, 3, 1, 103, 20), rope_theta=10000.0, tie_word_embeddings=False,
                                use_bias=True)), "dtype", dtypes=("f32",)),
        Case("glm4-plain", 3018, "norms around attention and around the MLP; neighbours turn together, in half of a head's 24 "
             "elements; fused gate_up_proj, no biases, grouped 4:2, untied",
             glm4(**sizes(46, 61, 2, 4, 2, 101, 24)), dtypes=("f16",)),
        Case("glm4-biases", 3119, "three quarters of a head's 16 elements turn, which rope_parameters says; biases on q, k, v, "
             "epsilon 1.5625e-7, grouped 3:1, tied",
             glm4_5(**sizes(45, 59, 2, 3, 1, 103, 16), attention_bias=True, rms_norm_eps=1.5625e-07,
                    tie_word_embeddings=True,
                    rope_parameters={"partial_rotary_factor": 0.75, "rope_theta": 10000.0, "rope_type": "default"}),
             "dtype", dtypes=("f32",)),
        Case("helium-plain", 3020, "neighbours turn together in whole heads of 12, epsilon 1e-8, grouped 5:1, untied",
             helium(**sizes(60, 67, 2, 5, 1, 103, 12)), dtypes=("bf16",)),
        Case("helium-biases", 3021, "biases on q, k, v and in the MLP, multi-head, head_dim 18, tied; rope_parameters",
             respelled(helium(**sizes(54, 59, 2, 3, 3, 101, 18), attention_bias=True, mlp_bias=True, rope_theta=10000.0,
                              tie_word_embeddings=True)), "dtype", dtypes=("f16",)),
        Case("granite-scales", 3026, "scales of the embedding, of scores, of what sub-blocks add and of logits, biases on all "
             "projections; grouped 5:1, heads of 12, tied",
             granite(**sizes(60, 59, 2, 5, 1, 103), attention_bias=True, attention_multiplier=0.5, mlp_bias=True,
                     rope_theta=10000.0), dtypes=("f32",)),
        Case("hyperclovax-normed", 3027, "the same scales, of which that of logits is multiplied, and norms around attention and "
             "MLP; grouped 4:2, head_dim 18 explicit, untied",
             hyperclovax(**sizes(48, 61, 2, 4, 2, 101, 18), attention_multiplier=0.125, rope_theta=10000.0),
             dtypes=("bf16",)),
        Case("hyperclovax-plain", 3028, "no norms of outputs, a scale of scores that is null; multi-head, tied; rope_parameters",
             respelled(hyperclovax(**sizes(54, 59, 2, 3, None, 103), attention_multiplier=None, embedding_multiplier=1.0,
                                   logits_scaling=1.0, tie_word_embeddings=True, use_post_norm=False)),
             "dtype", dtypes=("f16",)),
        Case("jais2-biases", 3024, "LayerNorm with biases, squared ReLU without a gate, biases on all projections; grouped 4:2, "
             "head_dim 18 explicit, untied",
             jais2(**sizes(48, 61, 2, 4, 2, 101, 18)), dtypes=("f16",)),
        Case("jais2-plain", 3025, "no biases but those of norms; multi-head, tied; rope_parameters",
             respelled(jais2(**sizes(54, 59, 2, 3, None, 103), attention_bias=False, mlp_bias=False, rope_theta=10000.0,
                             tie_word_embeddings=True)), "dtype", dtypes=("f32",)),
        Case("vaultgemma-pattern", 3029, "Gemma 2 without norms of outputs: a window of 17 in layers 0 and 2, none in 1; scores "
             "and logits capped; grouped 4:2, head_dim 18 scaled as if it were 11",
             vaultgemma(**sizes(48, 67, 3, 4, 2, 101, 18), attn_logit_softcapping=10.0, final_logit_softcapping=7.5,
                        query_pre_attn_scalar=11, sliding_window=17),
             dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
        Case("vaultgemma-long", 3030, "2,080 tokens, a window of 1,000 in the last of three layers, nothing capped; biases on q, "
             "k, v, o, grouped 2:1, head_dim 24; rope_parameters",
             respelled(vaultgemma(**sizes(36, 59, 3, 2, 1, 97, 24), attention_bias=True, attn_logit_softcapping=None,
                                  final_logit_softcapping=None, layer_types=["full_attention", "full_attention", "sliding_attention"],
                                  query_pre_attn_scalar=17, sliding_window=1000, tie_word_embeddings=True)),
             "dtype", dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
        Case("olmo-plain", 3022, "LayerNorm without weights or biases, its epsilon in no key; queries, keys and values "
             "clipped at 1.25; multi-head, untied",
             olmo(**sizes(54, 61, 3, 3, 3, 101), clip_qkv=1.25), dtypes=("f32",)),
        Case("olmo-biases", 3023, "biases on q, k, v, o, grouped 4:2, heads of 12, tied; rope_parameters",
             respelled(olmo(**sizes(48, 59, 2, 4, 2, 103), attention_bias=True, tie_word_embeddings=True)),
             "dtype", dtypes=("bf16",)),
        Case("phi-partial", 3101, "attention and MLP side by side under one norm, three quarters of 24 turn, biases everywhere, "
             "of the head too; grouped 3:1",
             phi(**sizes(72, 67, 2, 3, 1, 101), partial_rotary_factor=0.75), dtypes=("f16",)),
        Case("phi-normed", 3113, "LayerNorm of each head's queries and keys, with one head's weights; whole heads of 16 turn, "
             "tied, which leaves the head its bias; rope_parameters",
             phi_5(**sizes(64, 61, 2, 4, None, 103), qk_layernorm=True, tie_word_embeddings=True,
                   rope_parameters={"partial_rotary_factor": 1.0, "rope_theta": 25000.0, "rope_type": "default"}),
             "dtype", dtypes=("bf16",)),
        Case("gptj-partial", 3103, "neighbours turn together in 8 of a head's 15 elements; attention and MLP side by side under "
             "one norm, a head with a bias",
             gptj(n_embd=60, n_head=4, n_layer=2, vocab_size=101, rotary_dim=8), dtypes=("f16",)),
        Case("codegen-quarters", 3120, "queries, values and keys of each quarter of four heads in one tensor; neighbours turn "
             "together in 6 of a head's 13 elements",
             codegen(n_embd=52, n_head=4, n_layer=2, vocab_size=101, rotary_dim=6), dtypes=("f16",)),
        Case("codegen-pairs", 3121, "two heads of 6 in each quarter, of which all turn; an MLP of 61, tied, which leaves the head "
             "its bias",
             codegen(n_embd=48, n_head=8, n_layer=2, n_inner=61, vocab_size=103, rotary_dim=6, tie_word_embeddings=True),
             dtypes=("bf16",)),
        Case("gpt-neox-japanese", 3122, "no biases but that of the last of three attentions; an MLP three times as wide as the "
             "model, tied without a word",
             gpt_neox_japanese(hidden_size=48, num_hidden_layers=3, num_attention_heads=4, vocab_size=101,
                               intermediate_multiple_size=3), dtypes=("bf16",)),
        Case("gpt-neox-japanese-partial", 3123, "8 of a head's 18 elements turn, relu; untied; rope_parameters, linear scaling by "
             "2.5",
             {key: value for key, value in gpt_neox_japanese(
                 hidden_size=54, num_hidden_layers=2, num_attention_heads=3, vocab_size=103, hidden_act="relu",
                 rope_parameters={"factor": 2.5, "partial_rotary_factor": 0.45, "rope_theta": 25000.0, "rope_type": "linear"},
                 tie_word_embeddings=False).items() if key not in ("rotary_emb_base", "rotary_pct")},
             "dtype", dtypes=("f32",)),
        Case("bert-generation", 3124, "norms after additions, none before the head, biases everywhere, learned positions under "
             "the embedding's norm; tied without a word",
             bert_generation(hidden_size=60, intermediate_size=67, num_hidden_layers=2, num_attention_heads=3, vocab_size=101),
             dtypes=("f32",)),
        Case("bert-generation-relu", 3125, "an epsilon that shows, heads of 12, relu",
             bert_generation(hidden_size=48, intermediate_size=61, num_hidden_layers=3, num_attention_heads=4, vocab_size=103,
                             layer_norm_eps=1e-3, hidden_act="relu"), "dtype", dtypes=("f16",)),
        Case("modernbert-decoder-window-16", 3126, "the first of four layers without a norm and without a window, two with one "
             "of 16; a dense matrix, an activation and a norm before the head, which is tied and has a bias",
             modernbert_decoder(hidden_size=48, intermediate_size=61, num_hidden_layers=4, num_attention_heads=4,
                                vocab_size=101, local_attention=33, local_rope_theta=10000.0), dtypes=("bf16",),
             rows=tuple(sorted({*ROWS, 15, 16, 17, 18}))),
        Case("modernbert-decoder-long", 3127, "2,080 tokens; the first of two layers has a window of 1,000, as layer_types say; "
             "biases everywhere but at the head's matrix, untied; rope_parameters",
             {key: value for key, value in modernbert_decoder(
                 hidden_size=36, intermediate_size=59, num_hidden_layers=2, num_attention_heads=2, vocab_size=97,
                 local_attention=2000, layer_types=["sliding_attention", "full_attention"], norm_bias=True, attention_bias=True,
                 mlp_bias=True, classifier_bias=True, decoder_bias=False, classifier_activation="silu",
                 hidden_activation="gelu_new", tie_word_embeddings=False,
                 rope_parameters={"full_attention": {"rope_theta": 40000.0, "rope_type": "default"},
                                  "sliding_attention": {"rope_theta": 500.0, "rope_type": "default"}}).items()
              if key not in ("global_rope_theta", "local_rope_theta", "global_attn_every_n_layers")}, "dtype",
             dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
        Case("granite-swa-bases", 3128, "four bases of angles in five layers, of which two do not turn, one under a window of 17; "
             "sinks, grouped 4:2, heads of 12, tied",
             granite_swa(**sizes(48, 61, 5, 4, 2, 101), sliding_window=17,
                         layer_rope_theta=[0, 10000.0, 0.0, 500.0, 25000.0]), "dtype", dtypes=("f16",),
             rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
        Case("granite-swa-long", 3129, "2,080 tokens, a window of 1,000 in the second of two layers, as no layer_types say; biases "
             "on every projection, logits as they are, untied; linear scaling by 2.5",
             granite_swa(**sizes(36, 59, 2, 2, 1, 97), sliding_window=1000, attention_bias=True, mlp_bias=True,
                         logits_scaling=1.0, residual_multiplier=1.0, embedding_multiplier=1.0, tie_word_embeddings=False,
                         rope_parameters={"factor": 2.5, "rope_theta": 25000.0, "rope_type": "linear"}), "dtype",
             dtypes=("bf16",), sequence_length=LONG, rows=long_rows(1000)),
        Case("diffllama-grouped", 3134, "differential attention of three pairs of heads to one of keys, heads of 10 and values of 20; "
             "biases of q, k, v and o, tied; an epsilon that shows",
             diffllama(**sizes(60, 67, 3, 6, 2, 101), attention_bias=True, tie_word_embeddings=True, rms_norm_eps=1e-3), "dtype",
             dtypes=("bf16",)),
        Case("diffllama-long", 3135, "2,080 tokens; two pairs of heads, each with keys of its own, head_dim 18 explicit; linear "
             "scaling by 2.5, untied",
             diffllama(**sizes(36, 59, 2, 4, 4, 97, 18), rope_parameters={
                 "factor": 2.5, "rope_theta": 25000.0, "rope_type": "linear"}), "dtype",
             dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
        Case("ministral3-growing", 3130, "scores that grow at every 64 positions, YaRN by 16 from there; grouped 3:1, head_dim 18 "
             "explicit, untied",
             ministral3(**sizes(50, 61, 2, 3, 1, 101, 18), rope_parameters=ministral3()["rope_parameters"] | {
                 "beta_fast": 4.0, "beta_slow": 0.4, "rope_theta": 50.0}), "dtype", dtypes=("f32",)),
        Case("ministral3-long", 3131, "2,080 tokens, a window of 1,000 in all layers, scores that grow at every 700 positions; no "
             "scaling of angles, tied",
             ministral3(**sizes(36, 59, 2, 2, 1, 97, 18), sliding_window=1000, tie_word_embeddings=True,
                        rope_parameters={"llama_4_scaling_beta": 0.5, "original_max_position_embeddings": 700,
                                         "rope_theta": 25000.0, "rope_type": "default"}), "dtype",
             dtypes=("f16",), sequence_length=LONG, rows=tuple(sorted({*long_rows(1000), 699, 700, 701, 1399, 1400}))),
        Case("cohere-compass-plain", 3132, "attention and MLP side by side, halves turn, no layer has a window; biases, grouped "
             "4:2, heads of 12, logits as they are, tied",
             cohere_compass(**sizes(48, 61, 2, 4, 2, 101), attention_bias=True), "dtype", dtypes=("bf16",)),
        Case("cohere-compass-long", 3133, "2,080 tokens, a window of 1,000 in the first of two layers, and the second does not "
             "turn; logits times 0.3, untied",
             cohere_compass(**sizes(36, 59, 2, 2, 1, 97), logit_scale=0.3, sliding_window=1000,
                            layer_types=["sliding_attention", "full_attention"], tie_word_embeddings=False,
                            rope_parameters={"full_attention": None, "sliding_attention": {
                                "rope_theta": 500.0, "rope_type": "default"}}), "dtype",
             dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
        Case("opt-narrow", 3104, "an embedding of 40 with projections in and out, norms after additions and none before the "
             "head, which is tied",
             opt(hidden_size=64, ffn_dim=71, num_hidden_layers=2, num_attention_heads=4, vocab_size=101,
                 word_embed_proj_dim=40, do_layer_norm_before=False), dtypes=("f16",)),
        Case("opt-plain", 3105, "norms before sub-blocks, an embedding as wide as the model; untied",
             opt(hidden_size=60, ffn_dim=67, num_hidden_layers=3, num_attention_heads=3, vocab_size=103,
                 word_embed_proj_dim=60, tie_word_embeddings=False), dtypes=("bf16",)),
        Case("biogpt-scaled", 3106, "embeddings times sqrt(hidden_size), positions from the third row on, tied without a word",
             biogpt(hidden_size=60, intermediate_size=67, num_hidden_layers=2, num_attention_heads=3, vocab_size=103),
             dtypes=("f32",)),
        Case("xglm-scaled", 3107, "sines before cosines from the third position on, whose frequencies end at 1 / 10000; tied "
             "without a word",
             xglm(d_model=60, ffn_dim=67, num_layers=2, attention_heads=3, vocab_size=103), dtypes=("f16",)),
        Case("ctrl-tied", 3108, "sines before cosines, embeddings times sqrt(n_embd), a head with a bias, tied without a word",
             ctrl(n_embd=60, dff=67, n_layer=2, n_head=3, vocab_size=103), dtypes=("bf16",)),
        Case("openai-gpt", 3109, "norms after additions, none before the head; fused and transposed matrices, tied without a "
             "word",
             openai_gpt(n_embd=60, n_layer=2, n_head=3, vocab_size=103), None, dtypes=("f32",)),
        Case("mpt-clipped", 3110, "ALiBi over twelve heads of 5, queries, keys and values clipped at 1.25, a scale of scores",
             mpt(d_model=60, n_layers=2, n_heads=12, vocab_size=103,
                 attn_config=mpt()["attn_config"] | {"clip_qkv": 1.25, "softmax_scale": 0.6}), dtypes=("f16",)),
        Case("mpt-plain", 3111, "ALiBi over eight heads of 6, nothing clipped",
             mpt(d_model=48, n_layers=3, n_heads=8, vocab_size=101), dtypes=("f32",)),
        Case("openelm-sizes", 3112, "2 to 6 heads of queries, two for each of keys, and MLPs of 28 to 119 from layer to layer, "
             "RMSNorm of heads of 12, one tensor of q, k and v, one of gate and up, tied by a key of its own",
             openelm(model_dim=60, head_dim=12, num_transformer_layers=4, vocab_size=101, num_gqa_groups=2,
                     qkv_multipliers=[0.4, 1.2], num_query_heads=[2, 4, 6, 6], num_kv_heads=[1, 2, 3, 3],
                     ffn_multipliers=[0.5, 0.97, 1.45, 2.0], ffn_dim_divisor=7), dtypes=("bf16",)),
        Case("openelm-untied", 3113, "a head of its own beside a classifier that nothing reads; MLPs rounded to 16, up where "
             "down would lose a tenth; four heads of 10 in every layer, as no num_kv_heads says, gelu, no norms of heads",
             openelm(model_dim=40, head_dim=10, num_transformer_layers=3, vocab_size=103, num_gqa_groups=1,
                     num_query_heads=[4, 4, 4], ffn_multipliers=[0.5, 1.0, 1.5], ffn_dim_divisor=16,
                     activation_fn_name="gelu", normalize_qk_projections=False, rope_freq_constant=25000,
                     share_input_output_layers=False, tie_word_embeddings=False), "dtype", dtypes=("f32",)),
        Case("llada-plain", 3114, "a token sees the whole text, which is one pass; three heads of 20, untied",
             llada(d_model=60, n_heads=3, n_kv_heads=3, n_layers=2, mlp_hidden_size=67, vocab_size=101,
                   embedding_size=101), None, dtypes=("f16",), calls=TEXTS),
        Case("llada-one-key-head", 3115, "one key/value head for four of 16, by multi_query_attention; RMSNorms of all "
             "queries and all keys, biases on q, k, v, gelu, embeddings times sqrt(d_model) and logits divided by it, "
             "more rows than vocab_size, tied by a key of its own",
             llada(d_model=64, n_heads=4, n_kv_heads=None, multi_query_attention=True, n_layers=2, mlp_hidden_size=61,
                   vocab_size=101, embedding_size=104, activation_type="gelu", attention_layer_norm=True,
                   include_qkv_bias=True, input_emb_norm=True, scale_logits=True, weight_tying=True),
             None, dtypes=("bf16",), calls=TEXTS),
        Case("llada-biases", 3119, "LayerNorms, biases everywhere, the head's too, grouped 4:2, relu, an MLP as wide as "
             "mlp_ratio says",
             llada(d_model=48, n_heads=4, n_kv_heads=2, n_layers=2, mlp_ratio=2, mlp_hidden_size=None, vocab_size=103,
                   embedding_size=None, activation_type="relu", bias_for_layer_norm=None, include_bias=True,
                   layer_norm_type="default"), "dtype", dtypes=("f32",), calls=TEXTS),
        Case("starcoder2-window-17", 2040, "LayerNorms, biases on every projection, an MLP without a gate, a window of 17; "
             "grouped 4:2, tied without a word",
             starcoder2(**sizes(48, 61, 2, 4, 2, 101), sliding_window=17), dtypes=("f32",),
             rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
        Case("starcoder2-long", 2041, "2,080 tokens, a window of 1,500; no biases, gelu, one key/value head for two of 20, "
             "untied; rope_parameters",
             starcoder2_5(**sizes(40, 59, 2, 2, 1, 97), hidden_act="gelu", sliding_window=1500,
                          tie_word_embeddings=False, use_bias=False), "dtype", dtypes=("f16",),
             sequence_length=LONG, rows=long_rows(1500)),
        Case("gpt-bigcode-mqa", 2062, "one key/value head for five of 12, whose rows follow all queries; gelu, keys of "
             "kernels that are gone; names under transformer.",
             gpt_bigcode(n_embd=60, n_head=5, n_layer=2, n_inner=122, vocab_size=103),
             checkpoint={"prefix": "transformer."}, dtypes=("bf16",)),
        Case("gpt-bigcode-mha", 2043, "each of four heads has keys of its own, beside its queries; scores that are not "
             "scaled, heads of 7, gelu_pytorch_tanh",
             gpt_bigcode_5(activation_function="gelu_pytorch_tanh", multi_query=False, n_embd=28, n_head=4, n_layer=2,
                           n_inner=None, vocab_size=101, scale_attn_weights=False), "dtype",
             {"prefix": "transformer."}, dtypes=("f32",)),
        Case("smollm3-nope", 2044, "every other of four layers does not turn, as the interval says; grouped 4:2, head_dim "
             "10, tied without a word",
             smollm3(**sizes(40, 61, 4, 4, 2, 103), no_rope_layer_interval=2), dtypes=("f16",)),
        Case("smollm3-window", 2045, "layers one by one: the first and the last do not turn and have a window of 17; biases "
             "on every projection, grouped 3:1, untied; rope_parameters, linear scaling by 2.5",
             smollm3_5(**sizes(54, 61, 4, 3, 1, 101), attention_bias=True, mlp_bias=True,
                       no_rope_layers=[0, 1, 1, 0], layer_types=[
                           "sliding_attention", "full_attention", "full_attention", "sliding_attention"],
                       rope_parameters={"factor": 2.5, "rope_theta": 10000.0, "rope_type": "linear"},
                       sliding_window=17, tie_word_embeddings=False, use_sliding_window=True), "dtype",
             dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
        Case("smollm3-long", 2046, "2,080 tokens; the second of two layers does not turn, and has a window of 1,000 as no "
             "layer_types say; grouped 2:1, head_dim 18",
             smollm3(**sizes(36, 59, 2, 2, 1, 97), bos_token_id=91, no_rope_layer_interval=2, rope_theta=10000.0,
                     sliding_window=1000, use_sliding_window=True),
             dtypes=("f32",), sequence_length=LONG, rows=long_rows(1000)),
        Case("nemotron-half", 2047, "LayerNorms with weights less one, squares in an MLP without a gate; 12 of a head's 24 "
             "elements turn, grouped 4:2, untied",
             nemotron(**sizes(46, 61, 2, 4, 2, 101, 24)), dtypes=("f16",)),
        Case("nemotron-biases", 2071, "biases on every projection, gelu, 14 of a head's 18 elements turn, three heads for "
             "one, tied; rope_parameters",
             nemotron_5(**sizes(54, 67, 2, 3, 1, 103), attention_bias=True, hidden_act="gelu", mlp_bias=True,
                        rope_parameters={"partial_rotary_factor": 0.78, "rope_theta": 25000.0,
                                         "rope_type": "default"},
                        tie_word_embeddings=True), "dtype", dtypes=("bf16",)),
        Case("arcee-squares", 2049, "RMSNorms, squares in an MLP without a gate, yarn by 4 from 64 positions; grouped 5:1, "
             "head_dim 18 explicit, untied",
             arcee(**sizes(45, 61, 2, 5, 1, 101, 18), rope_scaling={
                 "factor": 4.0, "original_max_position_embeddings": 64, "rope_type": "yarn"}), dtypes=("f32",)),
        Case("arcee-biases", 2050, "biases on every projection, silu, grouped 4:2, heads of 12, tied; rope_parameters",
             respelled(arcee(**sizes(48, 61, 2, 4, 2, 103), attention_bias=True, hidden_act="silu", mlp_bias=True,
                             tie_word_embeddings=True)), "dtype", dtypes=("f16",)),
        Case("gpt-neo-window-17", 2051, "a window of 17 in every other of four layers, scores that are not scaled, no "
             "biases at q, k, v; four heads of 7; names under transformer.",
             gpt_neo(hidden_size=28, num_heads=4, num_layers=4, vocab_size=101, window_size=17,
                     attention_types=[[["global", "local"], 2]], attention_layers=["global", "local"] * 2,
                     max_position_embeddings=512),
             None, {"prefix": "transformer."}, dtypes=("bf16",), rows=tuple(sorted({*ROWS, 16, 17, 18, 19}))),
        Case("gpt-neo-long", 2052, "2,080 tokens, a window of 1,000 in the second of three layers; intermediate_size 61, "
             "gelu, three heads of 10",
             gpt_neo(hidden_size=30, num_heads=3, num_layers=3, vocab_size=97, window_size=1000,
                     activation_function="gelu", attention_types=[[["global", "local"], 1], [["global"], 1]],
                     attention_layers=["global", "local", "global"], intermediate_size=61,
                     max_position_embeddings=2100),
             checkpoint={"prefix": "transformer."}, dtypes=("f16",), sequence_length=LONG, rows=long_rows(1000)),
        Case("falcon-7b", 2080, "attention and MLP side by side by one norm, one key/value head for three of 18; names under "
             "transformer., beside a copy of the head",
             falcon(**sizes(54, None, 2, 3, None, 101)),
             checkpoint={"prefix": "transformer.", "tied_copy": "transformer.word_embeddings.weight"},
             dtypes=("f32",)),
        Case("falcon-11b", 2081, "new_decoder_architecture with one norm: keys and values of 2 of 6 heads stand with the "
             "queries that they serve; biases, an MLP of 61, gelu_new, untied; rope_parameters, linear scaling by 2.5",
             falcon_5(**sizes(60, None, 2, 6, None, 103), activation="gelu_new", bias=True, ffn_hidden_size=61,
                      new_decoder_architecture=True, num_kv_heads=2, num_ln_in_parallel_attn=1,
                      rope_parameters={"factor": 2.5, "rope_theta": 25000.0, "rope_type": "linear"},
                      tie_word_embeddings=False), "dtype", {"prefix": "transformer."}, dtypes=("bf16",)),
        Case("falcon-40b", 2083, "new_decoder_architecture with two norms, grouped 6:2, of which no num_ln_in_parallel_attn "
             "speaks; tied without a word, names under transformer.",
             falcon(**sizes(60, None, 2, 6, None, 101), multi_query=True, new_decoder_architecture=True,
                    num_kv_heads=2), checkpoint={"prefix": "transformer."}, dtypes=("f16",)),
        Case("falcon-rw", 2082, "ALiBi by slopes that are scaled as scores are, in f32; one sublayer after the other, five "
             "heads of 12 with keys of their own, biases",
             falcon(**sizes(60, None, 2, 5, None, 97), alibi=True, bias=True, multi_query=False, parallel_attn=False),
             checkpoint={"prefix": "transformer."}, dtypes=("f16",)),
    ]  # fmt: skip
