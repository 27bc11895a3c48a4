#!/usr/bin/env python3
"""Writes the goldens of GGUF files: small models of blocks made at random, of many types mixed by tensor and by layer, and
the logits that the transformers library computes from what PyPI's `gguf` decodes them to.

    make_gguf_goldens.py [CASE ...]       (re)write cases/<case>-gguf/

The file is checked to be what it is taken for: transformers loads it too, by `gguf_file`, and gives the same logits.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path

import gguf
import numpy as np
import torch
import transformers
from gguf import GGMLQuantizationType as Type

from make_goldens import F32_AGAINST_F64_LIMIT, InDouble, logits_of, round_figure, worst_row, write_json_lines

HERE = Path(__file__).parent
ROWS = (0, 1, 2, 3, 7, 15, 31, 61, 62, 63, 64, 65, 66, 100, 127, 128, 129, 200, 255, 256, 257, 297, 298, 299)

# Where a block has the f16 that scales it and that of its minima, and whether those are subtracted; the mean of its codes.
HALVES = {
    "Q4_0": (0, None, 0, 0), "Q4_1": (0, 2, -1, 7.5), "Q5_0": (0, None, 0, 0), "Q5_1": (0, 2, -1, 15.5),
    "Q8_0": (0, None, 0, 0), "Q2_K": (80, 82, 1, 1.5), "Q3_K": (108, None, 0, 0), "Q4_K": (0, 2, 1, 7.5),
    "Q5_K": (0, 2, 1, 15.5), "Q6_K": (208, None, 0, 0), "IQ4_NL": (0, None, 0, 0), "IQ4_XS": (0, None, 0, 0),
}  # fmt: skip


@dataclass
class Case:
    name: str
    seed: int
    description: str
    architecture: str  # general.architecture
    config: object
    types: dict[str, str] = field(default_factory=dict)  # of tensors whose names end so; others are F32
    permuted: bool = False  # q and k have the rows of the halves of heads in turn


def random_blocks(random: np.random.Generator, name: str, rows: int, columns: int) -> np.ndarray:
    """Rows of blocks as bytes, whose elements are 1 / sqrt(columns) large."""
    elements, size = gguf.GGML_QUANT_SIZES[Type[name]]
    blocks = random.integers(0, 256, (rows * columns // elements, size), dtype=np.uint8)
    wanted = 1 / np.sqrt(columns)

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


def in_turn(rows: np.ndarray, heads: int) -> np.ndarray:
    """Rows as a model has them, from those of a file in which the halves of each head alternate."""
    return rows.reshape(heads, len(rows) // heads // 2, 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def write(case: Case, path: Path) -> dict[str, torch.Tensor]:
    """The file; gives the model's own tensors."""
    config, random = case.config, np.random.Generator(np.random.PCG64(case.seed))
    writer = gguf.GGUFWriter(path, case.architecture)
    writer.add_name(case.name)
    writer.add_quantization_version(2)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    writer.add_rope_dimension_count(head_dim)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"t{i}" for i in range(config.vocab_size)])
    writer.add_token_merges([])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    names = gguf.get_tensor_name_map(
        next(arch for arch, name in gguf.MODEL_ARCH_NAMES.items() if name == case.architecture), config.num_hidden_layers
    )
    with torch.device("meta"):
        shapes = {n: tuple(p.shape) for n, p in transformers.AutoModelForCausalLM.from_config(config).state_dict().items()}
    tensors = {}
    for name, shape in shapes.items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        stem, suffix = name.rsplit(".", 1)
        file_name = f"{names.get_name(stem)}.{suffix}"
        kind = next((kind for end, kind in case.types.items() if file_name.endswith(end)), "F32")
        if kind in ("F32", "F16", "BF16"):
            center, size = (1, 0.3) if len(shape) == 1 and suffix == "weight" else (0, 0.3 if len(shape) == 1 else shape[-1] ** -0.5)
            values = (center + size * random.standard_normal(shape)).astype(np.float32)
            stored = gguf.quants.quantize(values, Type[kind])
            values = gguf.quants.dequantize(stored, Type[kind]).reshape(shape)
            writer.add_tensor(file_name, stored, raw_dtype=Type[kind])
        else:
            stored = random_blocks(random, kind, *shape)
            values = gguf.quants.dequantize(stored, Type[kind]).reshape(shape)
            writer.add_tensor(file_name, stored, raw_dtype=Type[kind])
        heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
        turned = file_name.split(".")[-2]
        if case.permuted and turned in heads:
            values = in_turn(values, heads[turned])
        tensors[name] = torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return tensors


def make(case: Case, directory: Path) -> None:
    directory.mkdir(exist_ok=True)
    tensors = write(case, directory / "model.gguf")
    model = transformers.AutoModelForCausalLM.from_config(case.config, attn_implementation="eager").eval()
    missing, unexpected = model.load_state_dict(tensors, strict=False)
    assert not unexpected and set(missing) <= {"lm_head.weight"}, (missing, unexpected)
    model.tie_weights()
    random = np.random.Generator(np.random.PCG64([case.seed, 1]))
    tokens = np.concatenate([np.arange(case.config.vocab_size), random.integers(0, case.config.vocab_size, 300)])[:300]
    tokens = random.permutation(tokens).tolist()
    rows = logits_of(model, tokens)[list(ROWS)]
    loaded = transformers.AutoModelForCausalLM.from_pretrained(
        directory, gguf_file="model.gguf", dtype=torch.float32, attn_implementation="eager"
    ).eval()
    agreement = worst_row(logits_of(loaded, tokens)[list(ROWS)], rows.astype(np.float64))
    assert agreement < 1e-5, f"transformers reads another model from the file: {agreement:.2e}"
    with InDouble():
        in_double = logits_of(model.double(), tokens)[list(ROWS)]
    noise = worst_row(rows, in_double)
    record = {
        "case": f"{case.name}-gguf", "description": case.description, "seed": case.seed,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "libraries": {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__,
                      "gguf": "0.19.0", "numpy": np.__version__},
        "tokens": tokens, "rows": list(ROWS), "logits": "logits.npy",
        "f32_against_f64": round_figure(noise), "loaded_by_transformers": round_figure(agreement),
    }  # fmt: skip
    if noise > F32_AGAINST_F64_LIMIT:
        record["computed_in"] = "f64"
        rows = in_double.astype(np.float32)
    np.save(directory / "logits.npy", rows)
    write_json_lines(directory / "golden.json", record)
    print(f"{directory.name}: {(directory / 'model.gguf').stat().st_size} bytes, f32 is {noise:.1e} from f64, "
          f"transformers' own reading {agreement:.1e}")  # fmt: skip


def cases() -> list[Case]:
    sizes = {"hidden_size": 256, "num_attention_heads": 6, "num_key_value_heads": 2, "vocab_size": 131,
             "max_position_embeddings": 512, "rms_norm_eps": 1e-5}  # fmt: skip
    theta = {"rope_type": "default", "rope_theta": 5e5}
    return [
        Case("llama", 3001, "every type that blocks of 256 have, and two of 32, by part and by layer; an untied head", "llama",
             transformers.LlamaConfig(**(sizes | {"num_attention_heads": 8}), head_dim=32, intermediate_size=256, num_hidden_layers=2,
                                      tie_word_embeddings=False, rope_parameters=theta),
             {"token_embd.weight": "Q6_K", "attn_output.weight": "Q5_0", "output.weight": "Q5_K", "0.attn_q.weight": "Q4_K", "1.attn_q.weight": "Q2_K",
              "attn_k.weight": "Q4_K", "0.attn_v.weight": "Q6_K", "1.attn_v.weight": "Q4_K",
              "0.ffn_gate.weight": "Q3_K", "0.ffn_up.weight": "Q3_K", "1.ffn_gate.weight": "IQ4_XS",
              "1.ffn_up.weight": "Q4_K", "0.ffn_down.weight": "Q6_K", "1.ffn_down.weight": "Q2_K"}, permuted=True),
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
    ]  # fmt: skip


def main() -> None:
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    for case in cases():
        if len(sys.argv) == 1 or case.name in sys.argv[1:]:
            make(case, HERE / "cases" / f"{case.name}-gguf")


if __name__ == "__main__":
    main()
