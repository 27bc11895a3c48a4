# Lists of goldens: what CMakeLists.txt runs by default, and in which ways beside.

# A case of each family. Kernels of the younger ones are the older ones' with other expressions. Where attention or matrices
# differ too, as in gpu_cases, the ways of a GPU and those without fusion run by default.
set(first_family_cases gpt2-odd-f32 llama-gqa3-hd24-sharded-f16 mistral-prime-bf16 phi3-gqa3-partial-f16
                       qwen2-gqa7-tied-f16 qwen3-gqa5-biases-bf16)
set(family_cases ${first_family_cases} gpt-neox-sequential-bf16 gemma2-window-17-bf16 gemma3-pattern-bf16
                 mistral-sliding-5-bf16 bloom-alibi-12-f16 qwen3-rope-yarn-bf16 glm-partial-bf16
                 cohere-qk-norm-bf16 nanochat-relu2-f16 apertus-scaled-f32 mixtral-8-bf16 t5-f32)
set(gpu_cases ${first_family_cases} gemma2-window-17-bf16 bloom-alibi-12-f16 mixtral-8-bf16)
# GPU-assisted checks make a run four times as long: by default these cases have them, one of each shape of kernel.
set(assisted_cases gpt2-odd-f32 llama-gqa3-hd24-sharded-f16 qwen3-gqa5-biases-bf16 bloom-alibi-12-f16
                   gemma2-window-17-bf16 llama-odd-hd26-f32 mixtral-8-bf16)
# Cases with a kernel that no other case has: sines of positions, differential attention, choices by group, SparseMixer,
# convolutions, recurrences.
set(own_kernel_cases
    xglm-scaled-f16 diffllama-grouped-bf16 deepseek-v3-12-bf16 phimoe-7-bf16 lfm2-f16 mamba-f16 mamba2-f16 qwen3-next-bf16
    recurrent-gemma-bf16 rwkv-bf16 zamba2-bf16)

# Further configurations of a family, whose first one runs by default: all that runs them has the label "all".
set(further_cases
    afmoe-biases apertus-biases arcee-biases aria-text-one axk1-one bamba-biases bert-generation-relu codegen-pairs
    cohere-compass-long cohere2-long cohere2-moe-alone cohere2-moe-sum cwm-long dbrx-one deepseek-v2-groups
    deepseek-v3-direct diffllama-long dots1-groups ernie4_5-biases ernie4_5-moe-alone exaone-moe-one exaone4-global
    exaone4-long falcon-11b falcon-h1-normed flex-olmo-normed flint-one gemma-biases glm4-biases glm4-moe-groups
    glm4-moe-lite-layers gpt-bigcode-mha gpt-neo-long gpt-neox-japanese-partial gpt-oss-plain granite-swa-long
    granitemoe-biases granitemoe-swa-long granitemoehybrid-dense granitemoeshared-none helium-biases hunyuan-biases
    hunyuan-moe-biases hy3-biases hyperclovax-plain jais2-plain jamba-dense kimi-linear-groups kolibri1-normed lfm2-biases
    lfm2-moe-plain llada-biases llada-one-key-head llama4-long mamba-biases mamba2-biases mellum-yarn minicpm3-direct
    minimax-m2-whole minimax-window ministral-long ministral3-long mixtral-long modernbert-decoder-long mpt-plain
    nanochat-mish nemotron-biases nemotron-h-moe olmo-biases olmo-hybrid-turned olmo3-long olmoe-normed openelm-untied
    opt-plain persimmon-plain phi-normed phimoe-window qwen2-moe-dense qwen3-moe-dense qwen3-next-dense
    recurrent-gemma-turns rwkv-wide seed-oss-outside smollm3-long smollm3-window solar-open-groups stablelm-heads-biases
    stablelm-sequential starcoder2-long vaultgemma-long youtu-long zamba2-plain)

# Mixtures whose kernels others have too, with other numbers: all that runs them has the label "all".
set(borrowing_cases
    cohere2-moe-mean dots1-14 ernie4_5-moe-9 exaone-moe-10 flex-olmo-7 flint-11 glm4-moe-10 granitemoeshared-6 hy3-9
    kolibri1-9 mellum-9 minimax-m2-11 olmoe-7 solar-open-10)

# GGUF files of another configuration, or of an architecture whose family has a golden that runs by default.
set(further_gguf_cases
    deepseek2-fused-gguf deepseek2-lite-gguf falcon-h1-gguf falcon-h1-normed-gguf falcon-mamba-gguf falcon-one-norm-gguf
    gemma-embedding-gguf granitehybrid-dense-gguf granitehybrid-gguf jamba-gguf lfm2moe-gguf mamba2-gguf nemotron_h-gguf
    nomic-bert-gguf qwen3next-fused-gguf qwen3next-gguf rwkv6-gguf stablelm-norms-gguf stablelm-parallel-gguf t5-gguf
    umt5-gguf)

# What runs without fusion as well, beside the families: heads and widths by layer, texts read whole, mixtures, latent
# attention, recurrences, encoders and what answers to them.
set(unfused_cases
    afmoe-11-bf16 albert-f32 albert-inner-f16 aria-text-7-bf16 axk1-12-bf16 bamba-bf16 bart-f32 bart-scaled-f16
    bert-classifier-f32 bert-cls-f16 bert-masked-f32 blenderbot-f32 camembert-masked-f32 cohere2-moe-mean-f16 dbrx-7-bf16
    deepseek-v2-groups-bf16 deepseek-v2-lite-f16 deepseek-v3-12-bf16 distilbert-sinusoidal-f32 dots1-14-f16
    electra-whole-bf16 ernie4_5-moe-9-bf16 exaone-moe-10-f16 falcon-h1-bf16 falcon-h1-normed-f32 falcon-mamba-bf16
    flan-t5-bf16 flex-olmo-7-bf16 flint-11-bf16 gemma3-vectors-f32 glm4-moe-10-bf16 glm4-moe-lite-9-bf16 gpt-oss-5-bf16
    gpt-oss-mxfp4-bf16 granitemoe-7-bf16 granitemoe-swa-bases-f32 granitemoehybrid-bf16 granitemoehybrid-dense-f16
    granitemoeshared-6-f16 hunyuan-moe-7-bf16 hy3-9-bf16 jamba-bf16 jamba-dense-f32 kimi-linear-bf16
    kimi-linear-groups-f32 kolibri1-9-bf16 lfm2-biases-f32 lfm2-f16 llada-plain-f16 llama4-chunks-bf16 mamba-biases-f32
    mamba-f16 mamba2-biases-f32 mamba2-f16 marian-f16 mbart-bf16 mellum-9-f16 minicpm3-3-bf16 minimax-bf16
    minimax-m2-11-bf16 minimax-window-f32 modernbert-classifier-f32 modernbert-window-16-f32 mpnet-f32 nemotron-h-bf16
    nemotron-h-moe-f32 nomic-bert-f32 olmo-hybrid-bf16 olmo-hybrid-turned-f32 olmoe-7-f32 olmoe-alone-f16 olmoe-each-bf16
    openelm-sizes-bf16 pegasus-f32 phimoe-7-bf16 qwen2-moe-10-bf16 qwen3-5-f16 qwen3-moe-12-f16 qwen3-next-bf16
    qwen3-next-dense-f32 qwen3-vectors-bf16 recurrent-gemma-bf16 recurrent-gemma-turns-f32 roberta-classifier-f16
    rwkv-bf16 rwkv-wide-f32 solar-open-10-bf16 t5-heads-f16 t5gemma-biases-bf16 t5gemma-f32 umt5-f32
    xlm-roberta-masked-bf16 youtu-5-f16 zamba2-bf16 zamba2-plain-f32)

# What convolutions and recurrences remember, which several slots keep apart.
set(remembering_cases
    bamba falcon-h1 granitemoehybrid jamba kimi-linear lfm2 mamba mamba2 minimax nemotron-h olmo-hybrid qwen3-5 qwen3-next
    recurrent-gemma rwkv zamba2)

# GGUF files that have slots: kernels for a few rows of every kind of type, mixtures, latents, rings and recurrences.
set(gguf_cases_with_slots all-q4_0-gguf all-q6_k-gguf gpt-oss-gguf deepseek2-gguf mamba-gguf)
# Those whose kernels no other GGUF file has: types mixed by layer, banks, latents, recurrences; and the files of one type
# each, "all-...". By default others run as the reference alone, which shows that the family's file is read rightly.
set(gguf_cases_on_drivers deepseek2-gguf gpt-oss-gguf llama-gguf mamba-gguf qwen3moe-gguf)

# Specs that run by default, whichever third of them it is: the kernels are no other case's.
set(specs_of_own_kernels goose-spec-f32)
