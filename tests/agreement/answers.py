#!/usr/bin/env python3
"""Compares what an engine answers to sources, greedily or by beams, with what transformers answers.

    answers.py MONOMORPH (flan-t5-small | bart-base) [--sources 20] [--count 64] [--beams 1]
        [--settings JSON] [--device NAME]

The model has the sizes of the hub's and random weights, and MONOMORPH, the generator, builds its engine. Sources are random
tokens, 3 to 150 of them; the engine reads each of them once and goes on token by token. Settings are keys of
generation_config.json, which both read. Fails where a token differs, but for answers in which the library's own f32 and double
differ, which are to be the double's. Needs the packages of tests/golden/requirements.txt.
"""

import argparse
import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import torch
import transformers

FLAN_T5_SMALL = transformers.T5Config(
    vocab_size=32128, d_model=512, d_kv=64, d_ff=1024, num_layers=8, num_decoder_layers=8, num_heads=6,
    feed_forward_proj="gated-gelu", tie_word_embeddings=False, decoder_start_token_id=0,
    architectures=["T5ForConditionalGeneration"],
)  # fmt: skip
# With a head of its own: behind the embedding's matrix, random weights repeat a token.
BART_BASE = transformers.BartConfig(
    vocab_size=50265, d_model=768, encoder_layers=6, decoder_layers=6, encoder_ffn_dim=3072, decoder_ffn_dim=3072,
    encoder_attention_heads=12, decoder_attention_heads=12, max_position_embeddings=1024, forced_bos_token_id=None,
    forced_eos_token_id=None, tie_word_embeddings=False, architectures=["BartForConditionalGeneration"],
)  # fmt: skip
MODELS = {
    "flan-t5-small": (transformers.T5ForConditionalGeneration, FLAN_T5_SMALL),
    "bart-base": (transformers.BartForConditionalGeneration, BART_BASE),
}


def draw_weights(model: torch.nn.Module, random: torch.Generator) -> None:
    """Matrices near unit gain, so that every part matters. T5 does not scale scores: its queries are drawn small. BART norms
    sums: what layers add is drawn small, and what they see of the source large, else all states become one."""
    for name, weight in model.named_parameters():
        drawn = torch.randn(weight.shape, generator=random)
        if weight.dim() == 1:
            drawn = (0.0 if name.endswith("bias") else 1.0) + 0.3 * drawn
        elif "relative_attention_bias" not in name:
            drawn /= weight.shape[1] ** 0.5
        if name.endswith("Attention.q.weight"):
            drawn /= model.config.d_kv**0.5
        if name.endswith("encoder_attn.q_proj.weight"):
            drawn *= 6
        if name.endswith(("attn.out_proj.weight", "fc2.weight")):
            drawn *= 0.3
        if name.endswith(("out_proj.bias", "fc2.bias", "norm.bias", "embedding.bias")):
            drawn *= 0.1
        weight.data = drawn


@torch.no_grad()
def generated(model: torch.nn.Module, source: torch.Tensor, count: int) -> list[int]:
    """Without the token that every answer begins after."""
    return model.generate(source[None], max_new_tokens=count)[0, 1:].tolist()


def generated_in_double(model: torch.nn.Module, source: torch.Tensor, count: int) -> list[int]:
    """The search of `generate` asks for f32 by name, for logits and for the sums of beams: here it gets double."""
    with mock.patch.multiple(torch, float32=torch.float64, float=torch.float64):
        return generated(copy.deepcopy(model).double(), source, count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("monomorph", type=Path)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--sources", type=int, default=20)
    parser.add_argument("--count", type=int, default=64)
    parser.add_argument("--beams", type=int, default=1)
    parser.add_argument("--settings", type=json.loads, default={})
    parser.add_argument("--device")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    random = torch.Generator().manual_seed(5)
    make, config = MODELS[arguments.model]
    model = make(config).eval()
    draw_weights(model, random)
    model.generation_config.update(**arguments.settings, num_beams=arguments.beams, do_sample=False)
    lengths = torch.randint(3, 151, (arguments.sources,), generator=random).tolist()
    sources = [torch.randint(3, config.vocab_size, (length,), generator=random) for length in lengths]
    with tempfile.TemporaryDirectory() as scratch:
        weights, engine = Path(scratch) / arguments.model, Path(scratch) / "engine"
        model.save_pretrained(weights)
        slots = f"engine.max_batch={max(arguments.beams, 4)}"
        subprocess.run([arguments.monomorph, "build", weights, "-o", engine, "--set", slots], check=True)
        lines = "".join(json.dumps({"source_tokens": source.tolist()}) + "\n" for source in sources)
        device = ["--device", arguments.device] if arguments.device else []
        command = [engine / arguments.model, "run", "--weights", weights, "-n", str(arguments.count), "--prompts", "-"]
        run = subprocess.run([*command, *device], input=lines, stdout=subprocess.PIPE, text=True, check=True)
        answers = [json.loads(line)["tokens"] for line in run.stdout.splitlines()]
    same = 0
    for source, answer in zip(sources, answers, strict=True):
        expected = generated(model, source, arguments.count)
        if answer != expected:
            first = next((i for i, pair in enumerate(zip(answer, expected)) if pair[0] != pair[1]), len(answer))
            rounded = answer == generated_in_double(model, source, arguments.count)
            of_rounding = ", and is what the library gives in double" if rounded else ""
            print(f"a source of {len(source)} tokens: token {first + 1} differs{of_rounding}")
            same += rounded
        same += answer == expected
    tokens = sum(map(len, answers))
    print(f"{arguments.model}: {same} of {len(sources)} answers are the same, {tokens} tokens in all, "
          f"{len({token for answer in answers for token in answer})} different ones")  # fmt: skip
    if same != len(sources):
        sys.exit("answers: tokens differ")


if __name__ == "__main__":
    main()
