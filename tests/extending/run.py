#!/usr/bin/env python3
"""Applies the patches of docs/extending.md to a copy of this checkout, builds it, and runs what each example promises.

    tests/extending/run.py                   # all of them, in one copy
    tests/extending/run.py activation        # this one

By hand: the copy is built in build/extending, which takes as long as any build does, and a minute the next time. Engines
are verified on the machine's Vulkan device and on its CPU.
"""
import argparse
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from copied_tree import CHECKOUT, Copy, Mistake  # noqa: E402

TOKENS = ",".join(str(token) for token in range(3, 40))
LLAMA = "tests/cases/pass/llama.toml"


class Bench:
    """The patched copy, what its generator says, and the engines that it makes."""

    def __init__(self, copy, work):
        self.copy, self.work = copy, work
        self.monomorph = copy.build / "bin" / "monomorph"

    def output(self, *command, fails=False):
        """What the command prints. A mistake: that it fails, or does not where it is to."""
        done = subprocess.run([str(word) for word in command], cwd=self.copy.source, capture_output=True, text=True,
                              check=False)
        if (done.returncode != 0) != fails:
            expected = "did not fail" if fails else "failed"
            raise Mistake(f"{' '.join(map(str, command))} {expected}:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def test(self, *names):
        for name in names:
            self.output(self.copy.build / "bin" / f"test_{name}")

    def engine(self, name, spec, *settings):
        """The program of an engine, with a cache of f32, so that nothing but arithmetic in f32 parts it from double."""
        self.output(self.monomorph, "build", spec, "-o", self.work / name, "--set", "engine.kv_cache=f32", *settings)
        return next(path for path in (self.work / name).iterdir() if path.is_file() and os.access(path, os.X_OK))

    def verify(self, engine, *weights):
        for device in ("vulkan", "cpu"):
            words = ["--device", device, *(weights or ["--random-weights"])]
            self.output(engine, "verify", *words, "-p", "25", "-n", "5", "--tolerance", "1e-5")

    def logits(self, engine, weights):
        path = self.work / "logits.npy"
        self.output(engine, "logits", "--weights", weights, "--tokens", TOKENS, "-o", path)
        return path.read_bytes()


def write_safetensors(path, tensors):
    """Tensors of f32: lists of rows, or of numbers, by name."""
    header, data = {}, b""
    for name, values in tensors.items():
        shape = [len(values), len(values[0])] if isinstance(values[0], list) else [len(values)]
        flat = [number for row in values for number in row] if len(shape) == 2 else values
        begin = len(data)
        data += struct.pack(f"<{len(flat)}f", *flat)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def drawn(seed, rows, columns=None):
    source = random.Random(seed)
    if columns is None:
        return [source.gauss(0, 0.3) for _ in range(rows)]
    return [[source.gauss(0, columns**-0.5) for _ in range(columns)] for _ in range(rows)]


def activation(bench):
    bench.test("generator_expression", "shaders_expressions")
    bench.verify(bench.engine("activation", LLAMA, "--set", "mlp.activation=squareplus"))


def position(bench):
    bench.test("generator_blocks", "generator_contract")

    def frequencies(*settings):
        dump = bench.output(bench.monomorph, "generate", LLAMA, "--dump", "contract", *settings)
        return re.search(r"  frequencies (.*)", dump).group(1).split()

    all_turn = frequencies()
    if frequencies("--set", "position.rotary_pairs=4") != all_turn[:4] + ["0"] * (len(all_turn) - 4):
        raise Mistake("position: other pairs turn than the first four")
    bench.verify(bench.engine("position", LLAMA, "--set", "position.rotary_pairs=4"))


def part(bench):
    """An engine's logits, and those of the formula: h + down(inner_scale * silu(gate(x)) * up(x)), x = input_norm(h)."""
    bench.test("generator_blocks", "generator_contract")
    vocab, hidden, inner = 40, 24, 50  # the passing case's
    tensors = {"model.embed_tokens.weight": drawn("embedding", vocab, hidden), "model.norm.weight": drawn("norm", hidden)}
    for i in range(2):
        prefix = f"model.layers.{i}"
        tensors[f"{prefix}.post_attention_layernorm.weight"] = drawn(f"{i} input", hidden)
        for word, rows, columns in (("gate", inner, hidden), ("up", inner, hidden), ("down", hidden, inner)):
            tensors[f"{prefix}.mlp.{word}_proj.weight"] = drawn(f"{i} {word}", rows, columns)
        tensors[f"{prefix}.mlp.ia3_l"] = drawn(f"{i} scale", inner)

    def times(name, x):
        return [sum(a * b for a, b in zip(row, x)) for row in tensors[f"{name}.weight"]]

    def rms_norm(name, x):
        scale = (sum(a * a for a in x) / len(x) + 1e-6) ** -0.5
        return [a * scale * w for a, w in zip(x, tensors[f"{name}.weight"])]

    def logits(token):
        h = tensors["model.embed_tokens.weight"][token]
        for i in range(2):
            mlp = f"model.layers.{i}.mlp"
            x = rms_norm(f"model.layers.{i}.post_attention_layernorm", h)
            gates = times(f"{mlp}.gate_proj", x)
            activated = [g / (1 + math.exp(-g)) * u for g, u in zip(gates, times(f"{mlp}.up_proj", x))]
            scaled = [a * s for a, s in zip(activated, tensors[f"{mlp}.ia3_l"])]
            h = [a + b for a, b in zip(h, times(f"{mlp}.down_proj", scaled))]
        return times("model.embed_tokens", rms_norm("model.norm", h))

    weights = bench.work / "part.safetensors"
    write_safetensors(weights, tensors)
    engine = bench.engine("part", "tests/cases/pass/mlp_inner_scale.toml")
    bench.verify(engine, "--weights", weights)
    expected = [number for token in TOKENS.split(",") for number in logits(int(token))]
    data = bench.logits(engine, weights)
    numbers = struct.unpack(f"<{len(expected)}f", data[-4 * len(expected):])
    error = math.dist(numbers, expected) / math.hypot(*expected)
    if not error < 1e-5:
        raise Mistake(f"part: logits are {error} (relative L2) from those of the formula")


def sub_block(bench):
    bench.test("generator_blocks", "generator_contract")
    bench.verify(bench.engine("sub_block", "tests/cases/pass/adapter.toml"))


def layout(bench):
    """A file that keeps gate and up two rows by two, and one that keeps them apart: the same weights, the same logits."""
    bench.test("generator_contract")
    spec = "tests/cases/pass/interleaved_by_pair.toml"
    text = (bench.copy.source / spec).read_text()
    apart = bench.work / "apart.toml"
    apart.write_text(text[: text.index("[checkpoint.tensors]")])
    common = {"model.embed_tokens.weight": drawn(1, 100, 96), "model.norm.weight": drawn(2, 96)}
    alternating, separate = {}, {}
    for i in range(4):
        prefix = f"model.layers.{i}"
        for j, word in enumerate("qkvo"):
            common[f"{prefix}.self_attn.{word}_proj.weight"] = drawn(f"{i} {j}", 96, 96)
        for word in ("input", "post_attention"):
            common[f"{prefix}.{word}_layernorm.weight"] = drawn(f"{i} {word}", 96)
        common[f"{prefix}.mlp.down_proj.weight"] = drawn(f"{i} down", 96, 256)
        for suffix, columns in (("weight", 96), ("bias", None)):
            gate, up = drawn(f"{i} gate", 256, columns), drawn(f"{i} up", 256, columns)
            alternating[f"layers.{i}.gate_up.{suffix}"] = [
                row for at in range(0, 256, 2) for part in (gate, up) for row in part[at : at + 2]
            ]
            separate[f"{prefix}.mlp.gate_proj.{suffix}"], separate[f"{prefix}.mlp.up_proj.{suffix}"] = gate, up
    results = []
    for name, from_spec, tensors in (("alternating", spec, alternating), ("apart", apart, separate)):
        weights = bench.work / f"{name}.safetensors"
        write_safetensors(weights, common | tensors)
        engine = bench.engine(f"layout_{name}", from_spec, "--set", "checkpoint.dtype=f32")
        results.append(bench.logits(engine, weights))
        bench.verify(engine, "--weights", weights)
    if results[0] != results[1]:
        raise Mistake("layout: rows that alternate give other logits than the same rows apart")


def family(bench):
    """A directory as the library saves it: the keys of Emu3's text part with small sizes, tensors by their names."""
    bench.test("import")
    # The case left out asks for a golden of every family, which the example is said to lack.
    bench.output(bench.copy.build / "bin" / "test_audit", "--test-case-exclude=a change of config.json that moves*")
    config = {
        "architectures": ["Emu3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.1, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 48, "initializer_range": 0.02,
        "intermediate_size": 100, "max_position_embeddings": 64, "mlp_bias": True, "model_type": "emu3_text_model",
        "num_attention_heads": 4, "num_hidden_layers": 2, "num_key_value_heads": 2, "pad_token_id": 3,
        "rms_norm_eps": 1e-05, "rope_parameters": {"rope_theta": 1000000.0, "rope_type": "default"},
        "tie_word_embeddings": False, "dtype": "float32", "transformers_version": "5.23.0", "use_cache": True,
        "vocab_size": 90,
    }  # fmt: skip
    tensors = {"model.embed_tokens.weight": drawn(1, 90, 48), "lm_head.weight": drawn(2, 90, 48),
               "model.norm.weight": drawn(3, 48, None)}  # fmt: skip
    shapes = {"self_attn.q_proj": (48, 48), "self_attn.k_proj": (24, 48), "self_attn.v_proj": (24, 48),
              "self_attn.o_proj": (48, 48), "mlp.gate_proj": (100, 48), "mlp.up_proj": (100, 48),
              "mlp.down_proj": (48, 100), "input_layernorm": (48, None), "post_attention_layernorm": (48, None)}  # fmt: skip
    for name, (rows, columns) in ((f"model.layers.{i}.{name}", each) for i in range(2) for name, each in shapes.items()):
        tensors[f"{name}.weight"] = drawn(name, rows, columns)
        if ".mlp." in name:
            tensors[f"{name}.bias"] = drawn(f"{name}.bias", rows)
    directory = bench.work / "emu3"
    directory.mkdir(exist_ok=True)
    (directory / "config.json").write_text(json.dumps(config))
    write_safetensors(directory / "model.safetensors", tensors)
    bench.output(bench.monomorph, "check", directory, "--weights", directory)
    bench.verify(bench.engine("family", directory), "--weights", directory)
    del tensors["model.layers.1.mlp.down_proj.bias"]
    incomplete = bench.work / "incomplete.safetensors"
    write_safetensors(incomplete, tensors)
    missing = bench.output(bench.monomorph, "check", directory, "--weights", incomplete, fails=True)
    if "model.layers.1.mlp.down_proj.bias" not in missing:
        raise Mistake(f"family: a bias is missing, and the audit says:\n{missing}")


EXAMPLES = {each.__name__: each for each in (activation, position, part, sub_block, layout, family)}
# golden_runner: with it the runtime is built, which engines are linked with.
TARGETS = ["monomorph", "golden_runner"] + [
    f"test_{name}"
    for name in ("generator_spec", "generator_expression", "generator_blocks", "generator_contract", "import", "audit",
                 "shaders_expressions")
]  # fmt: skip


def patched(names):
    """The files that the patches change, with what they become."""
    with tempfile.TemporaryDirectory() as folder:
        touched = set()
        for name in names:
            patch = HERE / f"{name}.patch"
            paths = re.findall(r"^\+\+\+ b/(.*)$", patch.read_text(), re.MULTILINE)
            for path in set(paths) - touched:
                target = Path(folder) / path
                target.parent.mkdir(parents=True, exist_ok=True)
                if (CHECKOUT / path).is_file():
                    target.write_bytes((CHECKOUT / path).read_bytes())
            touched |= set(paths)
            applied = subprocess.run(["git", "apply", patch], cwd=folder, capture_output=True, text=True, check=False)
            if applied.returncode != 0:
                raise Mistake(f"{patch.name} does not apply:\n{applied.stderr}")
        return {path: (Path(folder) / path).read_bytes() for path in touched}


def main():
    parser = argparse.ArgumentParser(description="Runs what the examples of docs/extending.md promise.")
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help=f"of {', '.join(EXAMPLES)}; default: all")
    parser.add_argument("--work", type=Path, default=CHECKOUT / "build" / "extending", help="where to work")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), help="compilers at once")
    options = parser.parse_args()
    for name in options.examples:
        if name not in EXAMPLES:
            raise Mistake(f"no such example: {name}; there are {', '.join(EXAMPLES)}")
    names = [name for name in EXAMPLES if not options.examples or name in options.examples]
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    copy = Copy(work, options.jobs, timeout=300)
    copy.update(patched(names))
    if not copy.compiles(TARGETS):
        raise Mistake(f"the patched copy does not compile: see {copy.log}")
    bench = Bench(copy, work)
    # As the page says: the reference in models/README.md is written by its test, which then finds it.
    os.environ["MONOMORPH_UPDATE_GOLDENS"] = "1"
    bench.test("generator_spec")
    del os.environ["MONOMORPH_UPDATE_GOLDENS"]
    bench.test("generator_spec")
    for name in names:
        EXAMPLES[name](bench)
        print(f"{name}: as docs/extending.md says", flush=True)


if __name__ == "__main__":
    try:
        main()
    except Mistake as mistake:
        sys.exit(f"run.py: {mistake}")
