#!/usr/bin/env python3
"""Writes the goldens of GGUF files: small models of blocks made at random, of many types mixed by tensor and by layer, and
the logits that the transformers library computes from what PyPI's `gguf` decodes them to.

    make_gguf_goldens.py [CASE ...]       (re)write cases/<case>-gguf/

Where an engine is to convert the matrices that are wider than a type, `gguf` has converted them for the golden.
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
    metadata: dict[str, object] = field(default_factory=dict)  # beside what every file has; keys without the architecture
    checked: bool = True  # transformers reads such files, and reads all that this one says
    converted_to: str = ""  # the golden is of matrices that are no wider

    @property
    def directory(self) -> str:
        return f"{self.name}-{f'as-{self.converted_to.lower()}-' if self.converted_to else ''}gguf"


def bits(kind: str) -> float:
    elements, size = gguf.GGML_QUANT_SIZES[Type[kind]]
    return 8 * size / elements


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


def as_in_model(case: Case, name: str, values: np.ndarray) -> np.ndarray:
    """What the model has, from what the file has under this name of the file's."""
    config, part = case.config, name.split(".")[-2]
    if case.architecture == "llama" and part in ("attn_q", "attn_k"):  # the halves of each head alternate
        heads = config.num_attention_heads if part == "attn_q" else config.num_key_value_heads
        return values.reshape(heads, len(values) // heads // 2, 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)
    if case.architecture in ("bloom", "gptneox") and part == "attn_qkv":  # the model has the three of each head together
        heads = config.num_attention_heads
        return values.reshape(3, heads, len(values) // heads // 3, *values.shape[1:]).swapaxes(0, 1).reshape(values.shape)
    if case.architecture == "gpt2" and values.ndim == 2 and not part.endswith("embd"):
        return values.T
    if case.architecture.startswith("gemma") and name.endswith("norm.weight"):
        return values - 1
    return values


def file_name(names: gguf.TensorNameMap, name: str) -> str:
    stem, suffix = name.rsplit(".", 1)
    return f"{names.get_name(stem) or names.get_name(stem.removeprefix('transformer.'))}.{suffix}"


def write_metadata(case: Case, writer: gguf.GGUFWriter) -> None:
    config = case.config
    writer.add_name(case.name)
    writer.add_quantization_version(2)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(getattr(config, "intermediate_size", 4 * config.hidden_size))
    writer.add_head_count(config.num_attention_heads)
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"t{i}" for i in range(config.vocab_size)])
    writer.add_token_merges([])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(0)
    if case.architecture in ("gpt2", "bloom", "gptneox"):
        writer.add_context_length(getattr(config, "max_position_embeddings", 2048))
        writer.add_layer_norm_eps(getattr(config, "layer_norm_epsilon", None) or config.layer_norm_eps)
    else:
        head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        writer.add_context_length(config.max_position_embeddings)
        writer.add_head_count_kv(config.num_key_value_heads)
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
        writer.add_rope_dimension_count(head_dim)
        if case.architecture != "phi3":
            writer.add_key_length(head_dim)
            writer.add_value_length(head_dim)
        rotary = config.rope_parameters
        writer.add_rope_freq_base(rotary.get("full_attention", rotary)["rope_theta"])
    for key, value in case.metadata.items():
        add = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}[type(value)]
        add(f"{case.architecture}.{key}", value)


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
        next(arch for arch, name in gguf.MODEL_ARCH_NAMES.items() if name == case.architecture), config.num_hidden_layers
    )
    with torch.device("meta"):
        shapes = {n: tuple(p.shape) for n, p in transformers.AutoModelForCausalLM.from_config(config).state_dict().items()}
    if (getattr(config, "rope_parameters", None) or {}).get("rope_type") == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_divisors(config))
    tensors, converted = {}, {}
    for name, shape in shapes.items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        stored_name = file_name(names, name)
        if case.architecture == "gpt2" and len(shape) == 2 and "embd" not in stored_name:
            shape = shape[::-1]
        kind = next((kind for end, kind in case.types.items() if stored_name.endswith(end)), "F32")
        if kind in ("F32", "F16", "BF16"):
            is_norm = len(shape) == 1 and stored_name.endswith("weight")
            center, size = (1, 0.3) if is_norm else (0, 0.3 if len(shape) == 1 else shape[-1] ** -0.5)
            values = (center + size * random.standard_normal(shape)).astype(np.float32)
            stored = gguf.quants.quantize(values, Type[kind])
        else:
            stored = random_blocks(random, kind, *shape)
        writer.add_tensor(stored_name, stored, raw_dtype=Type[kind])
        values = as_in_model(case, stored_name, gguf.quants.dequantize(stored, Type[kind]).reshape(shape))
        values = np.ascontiguousarray(values, dtype=np.float32)
        tensors[name] = torch.from_numpy(values)
        if case.converted_to and len(shape) == 2 and bits(kind) > bits(case.converted_to):
            wanted = Type[case.converted_to]
            converted[name] = torch.from_numpy(gguf.quants.dequantize(gguf.quants.quantize(values, wanted), wanted))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return tensors, converted


def make(case: Case, directory: Path) -> None:
    directory.mkdir(exist_ok=True)
    tensors, converted = write(case, directory / "model.gguf")
    model = transformers.AutoModelForCausalLM.from_config(case.config, attn_implementation="eager").eval()
    missing, unexpected = model.load_state_dict(tensors, strict=False)
    assert not unexpected and set(missing) <= {"lm_head.weight"}, (missing, unexpected)
    model.tie_weights()
    random = np.random.Generator(np.random.PCG64([case.seed, 1]))
    tokens = np.concatenate([np.arange(case.config.vocab_size), random.integers(0, case.config.vocab_size, 300)])[:300]
    tokens = random.permutation(tokens).tolist()
    rows = logits_of(model, tokens)[list(ROWS)]
    agreement = None
    if case.checked:
        loaded = transformers.AutoModelForCausalLM.from_pretrained(
            directory, gguf_file="model.gguf", dtype=torch.float32, attn_implementation="eager"
        ).eval()
        agreement = worst_row(logits_of(loaded, tokens)[list(ROWS)], rows.astype(np.float64))
        assert agreement < 1e-5, f"transformers reads another model from the file: {agreement:.2e}"
    if converted:
        model.load_state_dict(converted, strict=False)
        rows = logits_of(model, tokens)[list(ROWS)]
    with InDouble():
        in_double = logits_of(model.double(), tokens)[list(ROWS)]
    noise = worst_row(rows, in_double)
    record = {
        "case": case.directory, "description": case.description, "seed": case.seed,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "libraries": {"torch": torch.__version__.split("+")[0], "transformers": transformers.__version__,
                      "gguf": "0.19.0", "numpy": np.__version__},
        "tokens": tokens, "rows": list(ROWS), "logits": "logits.npy",
        "f32_against_f64": round_figure(noise),
    }  # fmt: skip
    if agreement is not None:
        record["loaded_by_transformers"] = round_figure(agreement)
    if noise > F32_AGAINST_F64_LIMIT:
        record["computed_in"] = "f64"
        rows = in_double.astype(np.float32)
    np.save(directory / "logits.npy", rows)
    write_json_lines(directory / "golden.json", record)
    print(f"{directory.name}: {(directory / 'model.gguf').stat().st_size} bytes, f32 is {noise:.1e} from f64, "
          f"transformers' own reading {agreement if agreement is None else f'{agreement:.1e}'}")  # fmt: skip


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
    return mixed + [one_type(seed, name) for seed, name in enumerate(ALL_TYPES, 3101)]


ALL_TYPES = ["F32", "F16", "BF16", *HALVES, "MXFP4"]


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


def main() -> None:
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    for case in cases():
        if len(sys.argv) == 1 or case.name in sys.argv[1:]:
            make(case, HERE / "cases" / case.directory)


if __name__ == "__main__":
    main()
