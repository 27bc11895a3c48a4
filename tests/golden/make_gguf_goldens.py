#!/usr/bin/env python3
"""Writes the goldens of GGUF files: small models of blocks made at random, of many types mixed by tensor and by layer, and
the logits that the transformers library computes from what PyPI's `gguf` decodes them to.

    make_gguf_goldens.py [CASE ...]       (re)write cases/<case>-gguf/

Where an engine is to convert the matrices that are wider than a type, `gguf` has converted them for the golden.
The file is checked to be what it is taken for: transformers loads it too, by `gguf_file`, and gives the same logits.
"""

import sys
from pathlib import Path

import gguf
import numpy as np
import torch
import transformers
from gguf import GGMLQuantizationType as Type

import sources
import texts
from calls import logits_by_calls
from case import TEXTS
from gguf_cases import Case, cases
from make_goldens import F32_AGAINST_F64_LIMIT, InDouble, logits_of, round_figure, worst_row, write_json_lines

HERE = Path(__file__).parent
ROWS = (0, 1, 2, 3, 7, 15, 31, 61, 62, 63, 64, 65, 66, 100, 127, 128, 129, 200, 255, 256, 257, 297, 298, 299)

# Where a block has the f16 that scales it and that of its minima, and whether those are subtracted; the mean of its codes.
HALVES = {
    "Q4_0": (0, None, 0, 0), "Q4_1": (0, 2, -1, 7.5), "Q5_0": (0, None, 0, 0), "Q5_1": (0, 2, -1, 15.5),
    "Q8_0": (0, None, 0, 0), "Q2_K": (80, 82, 1, 1.5), "Q3_K": (108, None, 0, 0), "Q4_K": (0, 2, 1, 7.5),
    "Q5_K": (0, 2, 1, 15.5), "Q6_K": (208, None, 0, 0), "IQ4_NL": (0, None, 0, 0), "IQ4_XS": (0, None, 0, 0),
}  # fmt: skip

# Of which architectures the conversion writes what.
HALVES_IN_TURN = ("llama", "internlm2", "granite", "smollm3", "arcee", "olmo")  # rows of queries and of keys
SAY_TURNED_PART = ("llama", "qwen2", "qwen3", "qwen3moe", "gemma2", "gemma3", "gemma-embedding", "phi3", "granite", "smollm3", "arcee", "cohere2")
SAY_HEAD_SIZE = ("llama", "qwen2", "qwen3", "qwen3moe", "gemma", "gemma2", "gemma3", "gemma-embedding", "glm4", "seed_oss", "ernie4_5", "hunyuan-dense", "gpt-oss", "t5", "falcon-h1", "qwen3next", "nemotron_h")
SAY_NO_BASE = ("gpt2", "bloom", "gptneox", "gemma", "starcoder", "falcon", "mpt", "stablelm", "phi2", "bert", "t5", "mamba", "mamba2", "jamba", "granitehybrid", "nemotron_h", "rwkv6", "rwkv7")
RMS_NORMS = ("mamba", "mamba2", "lfm2", "lfm2moe", "nemotron_h")  # whose epsilon the library's class calls otherwise
NORMS_AND_ONE = ("gemma", "gemma2", "gemma3", "gemma-embedding", "nemotron", "qwen3next")  # norms stand as 1 + w
HEADS_OF_MAMBA = ("mamba2", "falcon-h1", "granitehybrid", "nemotron_h")
DENSE = ("dense_2.weight", "dense_3.weight")
ENCODERS = ("bert", "nomic-bert", "gemma-embedding")  # they give texts' vectors


def bits(kind: str) -> float:
    elements, size = gguf.GGML_QUANT_SIZES[Type[kind]]
    return 8 * size / elements


def random_blocks(random: np.random.Generator, name: str, rows: int, columns: int, gain: float = 1) -> np.ndarray:
    """Rows of blocks as bytes, whose elements are gain / sqrt(columns) large."""
    elements, size = gguf.GGML_QUANT_SIZES[Type[name]]
    blocks = random.integers(0, 256, (rows * columns // elements, size), dtype=np.uint8)
    wanted = gain / np.sqrt(columns)

    def set_scales(scales: np.ndarray) -> None:
        if name == "MXFP4":
            blocks[:, 0] = 128 + np.floor(np.log2(scales)).astype(np.int32)
            return
        scale, minimum, sign, mean = HALVES[name]
        blocks[:, scale : scale + 2] = scales.astype("<f2").reshape(-1, 1).view(np.uint8)
        if minimum is not None:
            blocks[:, minimum : minimum + 2] = (sign * mean * scales).astype("<f2").reshape(-1, 1).view(np.uint8)

    ones = np.ones(len(blocks), dtype=np.float32)
    set_scales(ones)
    decoded = gguf.quants.dequantize(blocks, Type[name]).reshape(len(blocks), elements).astype(np.float64)
    set_scales((wanted / np.sqrt(np.mean(decoded**2, axis=1) + 1e-30)).astype(np.float32))
    return blocks.reshape(rows, -1)


def as_in_model(case: Case, name: str, values: np.ndarray) -> np.ndarray:
    """What the model has, from what the file has under this name of the file's."""
    config, part = case.config, name.split(".")[-2]
    if case.architecture in HALVES_IN_TURN and part in ("attn_q", "attn_k"):  # the halves of each head alternate
        heads = config.num_attention_heads if part == "attn_q" else config.num_key_value_heads
        return values.reshape(heads, len(values) // heads // 2, 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)
    if case.architecture in ("bloom", "gptneox") and part == "attn_qkv":  # the model has the three of each head together
        heads = config.num_attention_heads
        return values.reshape(3, heads, len(values) // heads // 3, *values.shape[1:]).swapaxes(0, 1).reshape(values.shape)
    if case.architecture == "falcon" and part == "attn_qkv":  # the model has the queries of each key head beside it
        group, width = config.num_attention_heads // key_heads(config), config.hidden_size // config.num_attention_heads
        parts = np.split(values, [config.hidden_size, config.hidden_size + key_heads(config) * width])
        heads = [p.reshape(key_heads(config), n, width, -1) for p, n in zip(parts, (group, 1, 1))]
        return np.concatenate(heads, axis=1).reshape(values.shape)
    if case.architecture == "gpt2" and values.ndim == 2 and not part.endswith("embd"):
        return values.T
    if case.architecture in NORMS_AND_ONE and name.endswith("norm.weight") and part != "ssm_norm":
        return values - 1
    if name.endswith(".ssm_a"):  # the rates at which states decay, with a minus; the model has their logarithms
        return np.log(-values)
    if case.architecture == "falcon-h1" and name.endswith(".weight"):
        return values / scale_in_file(config, part)
    return values


def scale_in_file(config: transformers.FalconH1Config, part: str) -> np.ndarray | float:
    """What the conversion has multiplied a matrix of Falcon H1 by, or each of its rows."""
    if part == "ssm_in":
        keys = config.mamba_n_groups * config.mamba_d_state
        rows = (config.mamba_d_ssm, config.mamba_d_ssm, keys, keys, config.mamba_n_heads)
        return config.ssm_in_multiplier * np.repeat(config.ssm_multipliers, rows)[:, None]
    scales = {
        "attn_q": config.attention_in_multiplier, "attn_k": config.attention_in_multiplier * config.key_multiplier,
        "attn_v": config.attention_in_multiplier, "attn_output": config.attention_out_multiplier,
        "ssm_out": config.ssm_out_multiplier, "ffn_gate": config.mlp_multipliers[0], "ffn_down": config.mlp_multipliers[1],
        "token_embd": config.embedding_multiplier, "output": config.lm_head_multiplier,
    }  # fmt: skip
    return scales.get(part, 1)


def as_in_file(case: Case, name: str, stored: np.ndarray) -> np.ndarray:
    """The axes that a tensor of this name has."""
    if case.architecture in HEADS_OF_MAMBA and name.endswith((".ssm_a", ".ssm_d")):
        return stored.reshape(-1, 1)
    if case.architecture in HEADS_OF_MAMBA and name.endswith(".ssm_norm.weight"):
        groups = next(getattr(case.config, key) for key in ("n_groups", "mamba_n_groups") if hasattr(case.config, key))
        return stored.reshape(groups, -1)
    return stored.squeeze()


def model_of(case: Case) -> torch.nn.Module:
    """The library's, with random weights, or numpy's."""
    if case.file:
        return case.file.model(case.file.config)
    if case.architecture in ENCODERS:
        return texts.HiddenStates(transformers.AutoModel.from_config(case.config, attn_implementation="eager"))
    if case.architecture == "t5":
        model = transformers.AutoModelForSeq2SeqLM.from_config(case.config, attn_implementation="eager")
        model.set_input_embeddings(model.shared)  # of both stacks, even where the head has its own
        return sources.Answering(model, sources.source_of(case.seed, case.config.vocab_size))
    return transformers.AutoModelForCausalLM.from_config(
        case.config, attn_implementation="eager", experts_implementation="eager"
    )


def parameters_of(model: torch.nn.Module) -> torch.nn.Module:
    return model.model if isinstance(model, (sources.Answering, texts.Typed)) else model


def stands_elsewhere(case: Case, name: str) -> bool:
    """Of a tensor of the model, whether it is another's, or nobody's here."""
    if case.architecture == "t5":
        return name.endswith("embed_tokens.weight") or (name == "lm_head.weight" and case.config.tie_word_embeddings)
    if case.architecture in ENCODERS:
        return name.startswith("pooler.")
    return name == "lm_head.weight" and case.config.tie_word_embeddings


def key_heads(config: object) -> int | None:
    if isinstance(config, transformers.FalconConfig):
        return config.num_kv_heads if config.new_decoder_architecture else 1
    return getattr(config, "num_key_value_heads", 1 if getattr(config, "multi_query", False) else None)


# What files that are converted call what the library's class has, by architecture.
NAMES_IN_FILES = {
    "nomic-bert": {"embeddings.LayerNorm": "emb_ln", "layers.": "encoder.layers.", "self_attn.qkv": "attn.Wqkv",
                   "self_attn.o_proj": "attn.out_proj", "post_attention_layernorm": "norm1", "post_mlp_layernorm": "norm2",
                   "mlp.gate_proj": "mlp.fc12", "mlp.up_proj": "mlp.fc11", "mlp.down_proj": "mlp.fc2"},
    "jamba": {"feed_forward.experts.": "mlp.experts."},
    "lfm2moe": {"feed_forward.experts.": "mlp.experts.", "expert_bias": "expert_bias.bias"},
    "granitehybrid": {"block_sparse_moe.experts.": "mlp.experts.", "router.": "router.layer."},
    "nemotron_h": {"model.": "backbone."},
}  # fmt: skip


def file_name(case: Case, names: gguf.TensorNameMap, name: str) -> str:
    for own, published in NAMES_IN_FILES.get(case.architecture, {}).items():
        name = name.replace(own, published)
    if case.architecture == "gemma-embedding":  # the library's class has no head, and no name of its own before its tensors
        name = f"model.{name}"
    name = name.replace("e_score_correction_bias", "e_score_correction.bias")
    if name.endswith(".sinks"):
        name += ".weight"
    name = name.replace(".dt_bias", ".dt_proj.bias")
    if names.get_name(name) is not None:  # whole: nothing stands behind it in the file
        return names.get_name(name)
    stem, suffix = name.rsplit(".", 1)
    return f"{names.get_name(stem) or names.get_name(stem.removeprefix('transformer.'))}.{suffix}"


def write_metadata(case: Case, writer: gguf.GGUFWriter) -> None:
    config = case.config
    writer.add_name(case.name)
    writer.add_quantization_version(2)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_embedding_length(config.hidden_size)
    if "feed_forward_length" not in case.metadata:
        writer.add_feed_forward_length(getattr(config, "intermediate_size", getattr(config, "d_ff", 4 * config.hidden_size)))
    if "attention.head_count" not in case.metadata:
        writer.add_head_count(config.num_attention_heads)
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"t{i}" for i in range(config.vocab_size)])
    writer.add_token_merges([])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(0)
    writer.add_context_length(getattr(config, "max_position_embeddings", 2048))
    if key_heads(config) is not None and "attention.head_count_kv" not in case.metadata:
        writer.add_head_count_kv(1 if "attention.key_length_mla" in case.metadata else key_heads(config))
    spellings = ("rms_norm_eps", "layer_norm_epsilon", "layer_norm_eps", "norm_epsilon", "norm_eps")
    eps = next((getattr(config, each) for each in spellings if hasattr(config, each)), 1e-5)
    if hasattr(config, "rms_norm_eps") or case.architecture in RMS_NORMS:
        writer.add_layer_norm_rms_eps(eps)
    else:
        writer.add_layer_norm_eps(eps)
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // getattr(config, "num_attention_heads", 1)
    if case.architecture in SAY_TURNED_PART:
        writer.add_rope_dimension_count(head_dim)
    if case.architecture in SAY_HEAD_SIZE:
        writer.add_key_length(head_dim)
        writer.add_value_length(head_dim)
    if case.architecture not in SAY_NO_BASE:
        rotary = config.rope_parameters
        writer.add_rope_freq_base(rotary.get("full_attention", rotary)["rope_theta"])
    by_type = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string, list: writer.add_array}
    for key, value in case.metadata.items():
        add = by_type[type(value)]
        add(f"{case.architecture}.{key}", value)


def write_numpy(case: Case, path: Path) -> dict[str, torch.Tensor]:
    """The file of a model in numpy; gives that model's tensors."""
    writer = gguf.GGUFWriter(path, case.architecture)
    write_metadata(case, writer)
    tensors, shapes = {}, {own: parameter.shape for own, parameter in model_of(case).named_parameters()}
    for name, (owns, values) in case.file.stored(case.seed).items():
        kind = Type[next((kind for end, kind in case.types.items() if name.endswith(end)), "F32")]
        in_file = gguf.quants.quantize(np.ascontiguousarray(values, dtype=np.float32), kind)
        if copy := case.file.name_of_copy(name):
            writer.add_tensor(copy, in_file, raw_dtype=kind)
        writer.add_tensor(name, in_file, raw_dtype=kind)
        read = gguf.quants.dequantize(in_file, kind).astype(np.float32)
        for own, part in zip(owns, read.reshape(len(owns), -1)):
            tensors[own] = torch.from_numpy(part.reshape(shapes[own]).copy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return tensors


def llama3_divisors(config: object) -> np.ndarray:
    """What a file holds as rope_freqs.weight: by what llama3's scaling divides each frequency."""
    scaled, _ = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS["llama3"](config, torch.device("cpu"))
    plain = 1 / config.rope_parameters["rope_theta"] ** (np.arange(0, config.head_dim, 2) / config.head_dim)
    return (plain / scaled.double().numpy()).astype(np.float32)


def write(case: Case, path: Path) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """The file; gives the model's own tensors, and those of them that are to be converted, converted."""
    config, random = case.config, np.random.Generator(np.random.PCG64(case.seed))
    writer = gguf.GGUFWriter(path, case.architecture)
    write_metadata(case, writer)
    names = gguf.get_tensor_name_map(
        next(arch for arch, name in gguf.MODEL_ARCH_NAMES.items() if name == case.architecture),
        max(config.num_hidden_layers, getattr(config, "num_decoder_layers", 0)),
    )
    with torch.device("meta"):
        shapes = {n: tuple(p.shape) for n, p in parameters_of(model_of(case)).state_dict().items() if not stands_elsewhere(case, n)}
    for name in [n for n in shapes if ".norms." in n]:  # a tensor of each head, which a file has in one
        shape = shapes.pop(name)
        stem, head = name.removesuffix(".weight").split(".norms.")
        shapes[f"{stem}.weight"] = (int(head) + 1, *shape)
    of_gpt_oss = case.architecture == "gpt-oss"  # whose model has experts transposed, and rows of gate and up in turn
    for name in [n for n in shapes if n.endswith(".experts.gate_up_proj_bias")]:
        (experts, rows), stem = shapes.pop(name), name.removesuffix("gate_up_proj_bias")
        shapes |= {f"{stem}{word}_proj.bias": (experts, rows // 2) for word in ("gate", "up")}
        shapes[f"{stem}down_proj.bias"] = shapes.pop(f"{stem}down_proj_bias")
    for name in [n for n in shapes if n.endswith(".experts.gate_up_proj")]:  # gate, up and down of all experts
        stem = name.removesuffix("gate_up_proj")
        if of_gpt_oss:
            shapes |= {n: (shapes[n][0], *shapes[n][:0:-1]) for n in (name, f"{stem}down_proj")}
        experts, rows, columns = shapes.pop(name)
        shapes |= {f"{stem}{word}_proj.weight": (experts, rows // 2, columns) for word in ("gate", "up")}
        shapes[f"{stem}down_proj.weight"] = shapes.pop(f"{stem}down_proj")
    by_head = "attention.key_length_mla" in case.metadata
    for name in [n for n in shapes if by_head and n.endswith(".kv_b_proj.weight")]:  # each head's rows of keys, turned, and of values
        (_, latent), stem, heads = shapes.pop(name), name.removesuffix("kv_b_proj.weight"), config.num_attention_heads
        shapes[f"{stem}k_b_proj.weight"] = (heads, latent, config.qk_nope_head_dim)
        shapes[f"{stem}v_b_proj.weight"] = (heads, config.v_head_dim, latent)
    for name in [n for n in shapes if case.architecture == "nomic-bert" and n.endswith(".q_proj.weight")]:  # three in one
        (rows, columns), stem = shapes.pop(name), name.removesuffix("q_proj.weight")
        shapes[f"{stem}qkv.weight"] = (3 * rows, columns)
        del shapes[f"{stem}k_proj.weight"], shapes[f"{stem}v_proj.weight"]
    for name in [n for n in shapes if case.split_projection and n.endswith(".in_proj_qkvz.weight")]:  # gates apart
        (rows, columns), stem = shapes.pop(name), name.removesuffix("qkvz.weight")
        gates = config.linear_num_value_heads * config.linear_value_head_dim
        shapes |= {f"{stem}qkv.weight": (rows - gates, columns), f"{stem}z.weight": (gates, columns)}
    for name in [n for n in shapes if n.endswith(".shared_mlp.input_linear.weight")]:  # gate and up apart
        (rows, columns), stem = shapes.pop(name), name.removesuffix("shared_mlp.input_linear.weight")
        shapes |= {f"{stem}{shared_mlp(config)}{word}_proj.weight": (rows // 2, columns) for word in ("gate", "up")}
        shapes[f"{stem}{shared_mlp(config)}down_proj.weight"] = shapes.pop(f"{stem}shared_mlp.output_linear.weight")
    if (getattr(config, "rope_parameters", None) or {}).get("rope_type") == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_divisors(config))
    tensors, converted = {}, {}
    for name, shape in shapes.items():
        stored_name = file_name(case, names, name)
        if case.architecture == "gpt2" and len(shape) == 2 and "embd" not in stored_name:
            shape = shape[::-1]
        kind = next((kind for end, kind in case.types.items() if stored_name.endswith(end)), "F32")
        if kind in ("F32", "F16", "BF16"):
            is_norm = stored_name.endswith(".ssm_d") or (stored_name.endswith("weight") and (len(shape) == 1 or "norm" in stored_name))
            center, size = (1, 0.3) if is_norm else (0, 0.3 if len(shape) == 1 else shape[-1] ** -0.5)
            if stored_name.endswith((".ssm_a", ".ssm_dt.bias")):  # rates of all sizes, time steps of some hundredths
                center, size = (1 if stored_name.endswith(".ssm_a") else -3), 1
            values = (center + size * random.standard_normal(shape)).astype(np.float32)
            if stored_name.endswith(".ssm_a"):
                values = -np.exp(values)
            stored = gguf.quants.quantize(values, Type[kind])
        else:
            # T5 does not scale scores: its queries are small.
            gain = config.d_kv**-0.5 if case.architecture == "t5" and "attn_q" in stored_name else 1
            stored = random_blocks(random, kind, int(np.prod(shape[:-1])), shape[-1], gain)
            stored = stored.reshape(*shape[:-1], stored.shape[-1])
        writer.add_tensor(stored_name, as_in_file(case, stored_name, stored), raw_dtype=Type[kind])
        values = as_in_model(case, stored_name, gguf.quants.dequantize(stored, Type[kind]).reshape(shape))
        values = np.ascontiguousarray(values, dtype=np.float32)
        if name.endswith("_layernorm.weight") and values.ndim == 2:
            tensors |= {f"{name.removesuffix('.weight')}.norms.{i}.weight": torch.from_numpy(each) for i, each in enumerate(values)}
            continue
        tensors[name] = torch.from_numpy(values)
        if case.converted_to and len(shape) == 2 and bits(kind) > bits(case.converted_to):
            wanted = Type[case.converted_to]
            converted[name] = torch.from_numpy(gguf.quants.dequantize(gguf.quants.quantize(values, wanted), wanted))
    add_dense(case, writer, random)
    for name in [n for n in tensors if n.endswith(".experts.gate_proj.weight")]:
        stem = name.removesuffix("gate_proj.weight")
        both, down = [tensors.pop(f"{stem}{word}_proj.weight") for word in ("gate", "up")], tensors.pop(f"{stem}down_proj.weight")
        tensors[f"{stem}gate_up_proj"] = torch.stack(both, 2).flatten(1, 2).mT if of_gpt_oss else torch.cat(both, 1)
        tensors[f"{stem}down_proj"] = down.mT if of_gpt_oss else down
    for name in [n for n in tensors if n.endswith(".experts.gate_proj.bias")]:
        stem = name.removesuffix("gate_proj.bias")
        tensors[f"{stem}gate_up_proj_bias"] = torch.stack([tensors.pop(f"{stem}{word}_proj.bias") for word in ("gate", "up")], 2).flatten(1)
        tensors[f"{stem}down_proj_bias"] = tensors.pop(f"{stem}down_proj.bias")
    for name in [n for n in tensors if n.endswith("self_attn.qkv.weight")]:
        stem = name.removesuffix("qkv.weight")
        tensors |= {f"{stem}{word}_proj.weight": part for word, part in zip("qkv", tensors.pop(name).chunk(3))}
    for name in [n for n in tensors if n.endswith(".k_b_proj.weight")]:
        stem = name.removesuffix("k_b_proj.weight")
        both = torch.cat([tensors.pop(name).transpose(1, 2), tensors.pop(f"{stem}v_b_proj.weight")], 1)
        tensors[f"{stem}kv_b_proj.weight"] = both.flatten(0, 1)
    for name in [n for n in tensors if case.split_projection and n.endswith(".in_proj_qkv.weight")]:  # by heads of keys
        stem, heads = name.removesuffix("qkv.weight"), config.linear_num_key_heads
        keys, gates = heads * config.linear_key_head_dim, tensors.pop(f"{stem}z.weight")
        parts = [*tensors.pop(name).split([keys, keys, len(gates)]), gates]
        tensors[f"{stem}qkvz.weight"] = torch.cat([part.unflatten(0, (heads, -1)) for part in parts], 1).flatten(0, 1)
    for name in [n for n in tensors if case.architecture == "granitehybrid" and n.endswith(f".{shared_mlp(config)}gate_proj.weight")]:
        stem = name.removesuffix(f"{shared_mlp(config)}gate_proj.weight")
        gate, up, down = (tensors.pop(f"{stem}{shared_mlp(config)}{word}_proj.weight") for word in ("gate", "up", "down"))
        tensors |= {f"{stem}shared_mlp.input_linear.weight": torch.cat([gate, up]), f"{stem}shared_mlp.output_linear.weight": down}
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return tensors, converted


def shared_mlp(config: transformers.GraniteMoeHybridConfig) -> str:
    """Where an MLP stands that every token has: beside experts, or alone."""
    return "mlp.shared_expert." if config.num_local_experts else "mlp."


def add_dense(case: Case, writer: gguf.GGUFWriter, random: np.random.Generator) -> None:
    """The matrices behind pooling."""
    width = case.config.hidden_size
    for name, size in zip(DENSE, case.dense):
        writer.add_tensor(name, random_blocks(random, "Q8_0", size, width), raw_dtype=Type.Q8_0)
        width = size


def dense_of(case: Case, path: Path) -> list[texts.Dense]:
    """What the file has of them."""
    found = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}
    matrices = [gguf.quants.dequantize(found[name].data, found[name].tensor_type) for name, _ in zip(DENSE, case.dense)]
    return [texts.Dense(each.astype(np.float64), np.zeros(len(each)), "Identity") for each in matrices]


def kept_rows(model: torch.nn.Module, tokens: list[int]) -> np.ndarray:
    """Those of the whole sequence, then those of shorter sources or texts."""
    rows = logits_of(model, tokens)[list(ROWS)]
    if isinstance(model, sources.Answering):
        return np.concatenate([rows, sources.logits_by_sources(model, tokens)])
    return np.concatenate([rows, logits_by_calls(model, tokens, TEXTS)]) if isinstance(model, texts.HiddenStates) else rows


def make(case: Case, directory: Path) -> None:
    directory.mkdir(exist_ok=True)
    path = directory / "model.gguf"
    tensors, converted = (write_numpy(case, path), {}) if case.file else write(case, path)
    model = model_of(case).eval()
    missing, unexpected = parameters_of(model).load_state_dict(tensors, strict=False)
    assert not unexpected and all(stands_elsewhere(case, name) for name in missing), (missing, unexpected)
    if not case.file:
        parameters_of(model).tie_weights()
    random = np.random.Generator(np.random.PCG64([case.seed, 1]))
    tokens = np.concatenate([np.arange(case.config.vocab_size), random.integers(0, case.config.vocab_size, 300)])[:300]
    tokens = random.permutation(tokens).tolist()
    rows = kept_rows(model, tokens)
    agreement = None
    if case.checked:
        automatic = transformers.AutoModelForSeq2SeqLM if case.architecture == "t5" else transformers.AutoModelForCausalLM
        loaded = automatic.from_pretrained(
            directory, gguf_file="model.gguf", dtype=torch.float32, attn_implementation="eager"
        ).eval()
        if isinstance(model, sources.Answering):
            loaded = sources.Answering(loaded, model.source)
        agreement = worst_row(kept_rows(loaded, tokens), rows.astype(np.float64))
        assert agreement < 1e-5, f"transformers reads another model from the file: {agreement:.2e}"
    if converted:
        model.load_state_dict(converted, strict=False)
        rows = kept_rows(model, tokens)
    with InDouble():
        in_double = kept_rows(model.double(), tokens)
        if case.architecture in ENCODERS:
            mode = {1: "mean", 2: "cls", 3: "last"}[case.metadata["pooling_type"]]
            lengths = [*(pattern[0] for pattern in TEXTS.patterns), len(tokens)]
            layers = dense_of(case, directory / "model.gguf")
            vectors = [texts.pooled(logits_of(model, tokens[:n]), mode, layers, True) for n in lengths]
            np.save(directory / "vectors.npy", np.stack(vectors).astype(np.float32))
    noise = worst_row(rows, in_double)
    record = {
        "case": case.directory, "description": case.description, "seed": case.seed,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "libraries": {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__,
                      "gguf": "0.19.0", "numpy": np.__version__},
        "tokens": tokens, "rows": list(ROWS), "logits": "logits.npy",
        "f32_against_f64": round_figure(noise),
    }  # fmt: skip
    if isinstance(model, sources.Answering):
        record |= {"source": model.source, "source_lengths": sources.LENGTHS}
    if isinstance(model, texts.HiddenStates):
        record |= {"calls": TEXTS.patterns, "vectors": "vectors.npy",
                   "types": texts.types_of(len(tokens), getattr(case.config, "type_vocab_size", 0))}  # fmt: skip
    if agreement is not None:
        record["loaded_by_transformers"] = round_figure(agreement)
    if noise > F32_AGAINST_F64_LIMIT:
        record["computed_in"] = "f64"
        rows = in_double.astype(np.float32)
    np.save(directory / "logits.npy", rows)
    write_json_lines(directory / "golden.json", record)
    print(f"{directory.name}: {(directory / 'model.gguf').stat().st_size} bytes, f32 is {noise:.1e} from f64, "
          f"transformers' own reading {agreement if agreement is None else f'{agreement:.1e}'}")  # fmt: skip


def main() -> None:
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    for case in cases():
        if len(sys.argv) == 1 or case.name in sys.argv[1:]:
            make(case, HERE / "cases" / case.directory)


if __name__ == "__main__":
    main()
