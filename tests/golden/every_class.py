#!/usr/bin/env python3
"""Holds us to every causal class of the library, to every one that answers to a source and to encoders: tiny models of it,
their sizes and switches drawn at random, are saved by the library, built by `monomorph build` and compared with the library's
logits, of encoders hidden states, or refused by name.

    every_class.py [CLASS ...] [--draws 20] [--seed 1] [--device llvmpipe --device reference] [--keep DIR]

Without classes: all that transformers lists as causal or as answering, those of published_code.py, and the encoders that have
goldens. Of a class that no family reads
nothing is drawn: its name alone has to be refused, whatever else config.json says. A draw that the library itself
refuses, or gives in f32 to no better than half the bar, is drawn anew. What ran, what was refused and why is printed for
each class; exit status 1 where anything ran wrong, or broke in another way than by a refusal.
"""

import argparse
import contextlib
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
)

import library_models
import published_code
import sources
from fuzz import Dice

BAR = 1e-5  # what an engine may be off by, in the worst row
LENGTH = 90  # tokens: beyond the windows and the original lengths that are drawn
ROOT = Path(__file__).resolve().parents[2]

# Keys by what they are; a class's own config says which of them it has.
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers", "num_transformer_layers",
          "encoder_layers", "num_decoder_layers")
HEADS = ("num_attention_heads", "n_head", "n_heads", "decoder_attention_heads", "num_heads", "attention_heads",
         "encoder_attention_heads")
KEY_HEADS = ("num_key_value_heads", "num_kv_heads", "n_kv_heads")
WIDTHS = ("hidden_size", "n_embd", "d_model", "n_embed", "model_dim", "dim")
SOURCE_LENGTH = 40
INNER = (
    "intermediate_size", "n_inner", "ffn_dim", "decoder_ffn_dim", "dff", "expansion_ratio", "ffn_hidden_size",
    "mlp_hidden_size", "encoder_ffn_dim", "d_ff", "hidden_dim",
)  # fmt: skip
LENGTHS = (
    "max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "max_context_length", "max_sequence_length",
)  # fmt: skip
WINDOWS = ("sliding_window", "window_size", "local_attention", "attention_window")
EPSILONS = ("rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps", "norm_epsilon")
ACTIVATIONS = ("hidden_act", "activation_function", "hidden_activation", "afn", "activation_fn_name")
FACTORS = (
    "logit_scale", "logits_scaling", "embedding_multiplier", "residual_multiplier", "attention_multiplier",
    "query_pre_attn_scalar", "final_logit_softcapping", "attn_logit_softcapping", "clip_qkv",
)  # fmt: skip
# Switches of training and of what the library returns, which change no logits, and those that make it another model.
LEFT_ALONE = re.compile(
    "use_cache|output_|return_dict|is_encoder_decoder|add_cross_attention|tie_encoder|gradient|torchscript|is_decoder|"
    "use_bfloat16|chunk_size|_attn|scale_embedding_grad|summary_"
)


class Drawn:
    """A config of a class: its defaults, tiny, with switches and factors thrown at random."""

    def __init__(self, dice: Dice, defaults: dict, is_decoder: bool = True):
        self.dice = dice
        self.defaults = defaults
        self.is_decoder = is_decoder
        self.keys: dict = {}

    def has(self, names):
        return [name for name in names if name in self.defaults]

    def say(self, names, value):
        for name in self.has(names):
            self.keys[name] = value

    def draw(self):
        if isinstance(self.defaults.get("decoder"), dict):
            return self.two_configs()
        dice = self.dice
        heads = dice.pick([1, 2, 3, 4, 6])
        groups = dice.pick([g for g in (1, 2, 3, 6) if heads % g == 0])
        head_dim = 2 * dice.pick([4, 6, 8, 12, 16])
        self.say(("is_decoder",), self.is_decoder)  # of classes that are encoders as well
        self.say(("vocab_size",), dice.number(61, 131))
        self.say(LAYERS, dice.number(1, 3))
        if "attention_types" in self.defaults:  # as long as there are layers
            self.keys |= {"num_layers": 2, "attention_types": [[["global", "local"], 1]]}
        self.say(HEADS, heads)
        self.say(KEY_HEADS, heads // groups)
        self.say(WIDTHS, heads * head_dim)
        if dice.coin():
            self.say(("head_dim", "kv_channels"), head_dim)
        else:
            self.say(("head_dim",), dice.pick([None, 2 * dice.number(4, 12)]) if self.defaults.get("head_dim") is None
                     else 2 * dice.number(4, 12))  # fmt: skip
        if self.has(("qk_rope_head_dim",)):  # which head_dim follows
            self.keys["qk_rope_head_dim"] = self.keys.pop("head_dim", None) or head_dim
        self.say(INNER, dice.number(20, 90))
        self.say(("expansion_ratio",), dice.pick([2, 4, 4]))  # MPT has 4 whatever this says
        self.say(LENGTHS, dice.pick([256, 512]))
        self.say(WINDOWS, dice.pick([5, 16, 33]) if dice.coin() else 64)
        self.say(EPSILONS, dice.pick([1e-5, 1e-6, 1e-3]))
        self.say(("rotary_dim",), 2 * dice.number(1, head_dim // 2))
        if dice.number(0, 2) == 0:
            self.say(ACTIVATIONS, dice.pick(["gelu", "relu", "silu", "gelu_new", "gelu_pytorch_tanh", "mish", "relu2",
                                             "quick_gelu"]))  # fmt: skip
        for name in self.has(FACTORS):
            if isinstance(self.defaults[name], int):  # the library takes no other: the width of a head
                self.keys[name] = dice.number(4, 40)
            elif self.defaults[name] is not None or dice.coin():
                # Scores that are many times larger than a model's leave one key in f32, and another beside it in double.
                self.keys[name] = dice.real(0.05, 0.3) if name == "attention_multiplier" else dice.real(0.3, 3)
        for name in self.has(("pad_token_id", "bos_token_id", "eos_token_id", "sep_token_id")):
            if self.defaults[name] is not None and dice.coin():  # XGLM's positions begin after that of padding
                self.keys[name] = dice.number(0, 60)
        for name, value in self.defaults.items():
            if isinstance(value, bool) and not LEFT_ALONE.search(name) and dice.number(0, 3) == 0:
                self.keys[name] = not value
        self.two_stacks(dice, head_dim)
        self.of_published_code(dice)
        self.experts(dice)
        self.positions(head_dim)
        return self.keys

    def two_configs(self):
        """Of T5Gemma, whose stacks have a config each, and one vocabulary."""
        keys = {stack: Drawn(self.dice, self.defaults[stack]).draw() for stack in ("encoder", "decoder")}
        keys["encoder"]["vocab_size"] = keys["decoder"]["vocab_size"]
        for stack in keys.values():
            if stack["hidden_size"] % stack["num_attention_heads"] != 0:
                stack["hidden_size"] *= stack["num_attention_heads"]
            kinds = ["full_attention", "sliding_attention"]
            stack["layer_types"] = [self.dice.pick(kinds) for _ in range(stack["num_hidden_layers"])]
        return keys | {"tie_word_embeddings": self.dice.coin(), "vocab_size": keys["decoder"]["vocab_size"]}

    def two_stacks(self, dice, head_dim):
        """What an encoder has other than its decoder, under BART's names and T5's."""
        if not self.defaults.get("is_encoder_decoder"):
            return
        self.keys.pop("num_hidden_layers", None)  # BART's name of encoder_layers
        self.keys.pop("num_attention_heads", None)
        self.say(("encoder_layers", "num_decoder_layers"), dice.number(1, 3))
        self.say(("encoder_ffn_dim",), dice.number(20, 90))
        self.say(("d_kv",), dice.pick([head_dim, 2 * dice.number(3, 12)]))
        self.say(("feed_forward_proj",), dice.pick(["relu", "gelu", "gated-gelu", "gated-silu", "gated-relu"]))
        self.say(("relative_attention_num_buckets",), 2 * dice.number(4, 20))
        self.say(("relative_attention_max_distance",), dice.number(40, 130))
        for name in self.has(("is_gated_act", "dense_act_fn", "decoder_start_token_id", "forced_eos_token_id")):
            self.keys.pop(name, None)

    def of_published_code(self, dice):
        """What the classes of published_code.py need to run, and lists that they make of numbers."""
        if self.has(("weight_tying",)):  # LLaDA
            self.keys |= {"block_type": "llama", "rope": True, "embedding_size": None,
                          "layer_norm_type": dice.pick(["default", "rms"]),
                          "activation_type": dice.pick(["gelu", "relu", "silu"])}  # fmt: skip
        if self.has(("num_query_heads",)):  # OpenELM
            layers = self.keys["num_transformer_layers"]
            self.keys |= {"num_kv_heads": None, "num_gqa_groups": dice.pick([1, 2, 3]), "tie_word_embeddings": False,
                          "qkv_multipliers": [dice.real(0.3, 1.5), dice.real(0.3, 1.5)],
                          "ffn_multipliers": [dice.real(0.3, 3) for _ in range(layers)],
                          "ffn_dim_divisor": dice.pick([1, 5, 16])}  # fmt: skip

    def experts(self, dice):
        """How many there are, which of them a token has, and which layers have one MLP in their place."""
        layers = self.keys.get("num_hidden_layers", 1)
        groups, of_a_group = dice.pick([1, 2, 3]) if self.has(("n_group",)) else 1, dice.number(2, 4)
        kept = dice.number(1, groups)
        self.say(("n_group",), groups)
        self.say(("topk_group",), kept)
        self.say(("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"), groups * of_a_group)
        self.say(("num_experts_per_tok", "moe_topk", "moe_k"), dice.number(1, min(3, kept * of_a_group)))
        self.say(("n_shared_experts",), dice.number(1, 2))
        self.say(("routed_scaling_factor",), dice.real(0.3, 3))
        for name in self.has(("moe_intermediate_size", "shared_expert_intermediate_size")):
            self.keys[name] = dice.number(8, 40)
        self.say(("first_k_dense_replace", "num_dense_layers"), dice.number(0, layers - 1))
        if self.has(("ffn_config",)):  # DBRX, of which the library runs none without these keys of attn_config
            self.keys["attn_config"] = {"kv_n_heads": dice.pick([1, self.keys["n_heads"]]), "clip_qkv": dice.real(0.3, 3),
                                        "rope_theta": 10000.0}  # fmt: skip
            self.keys["ffn_config"] = {"ffn_hidden_size": dice.number(8, 40), "moe_num_experts": groups * of_a_group,
                                       "moe_top_k": dice.number(1, 2),
                                       "moe_normalize_expert_weights": dice.pick([1.0, None])}  # fmt: skip
        self.say(("mlp_only_layers",), dice.pick([[], [layers]] if layers == 1 else [[], [0], [layers - 1]]))
        self.say(("mlp_layer_types",), [dice.pick(["dense", "sparse"]) for _ in range(layers - 1)] + ["sparse"])

    def positions(self, head_dim):
        if "rope_parameters" not in self.defaults or self.defaults["rope_parameters"] != {} and self.dice.coin():
            return
        given = self.defaults["rope_parameters"]
        if given == {}:  # CohereCompass: a table for each kind of layer that turns, which a kind may do without
            kinds = ["full_attention", "sliding_attention"]
            self.keys["layer_types"] = [self.dice.pick(kinds) for _ in range(self.keys["num_hidden_layers"])]
            turning = self.dice.pick([kinds, kinds, kinds[:1], kinds[1:]])
            self.keys["rope_parameters"] = {kind: self.angles(None, False) if kind in turning else None for kind in kinds}
        elif isinstance(given, dict) and any(isinstance(each, dict) for each in given.values()):  # a table a kind of layer
            scaled = self.dice.pick(sorted(given))
            self.keys["rope_parameters"] = {
                kind: self.angles(table, kind == scaled) for kind, table in given.items() if isinstance(table, dict)
            }
        else:
            self.keys["rope_parameters"] = self.angles(given)

    def angles(self, given, scaled=True):
        dice = self.dice
        rope = {"rope_type": "default", "rope_theta": dice.pick([10000.0, 25000.0])}
        if isinstance(given, dict) and "partial_rotary_factor" in given or dice.number(0, 4) == 0:
            rope["partial_rotary_factor"] = dice.pick([0.25, 0.5, 1.0])
        scaling = dice.pick(["default", "default", "linear", "llama3", "yarn", "dynamic"]) if scaled else "default"
        if scaling != "default":
            rope |= {"rope_type": scaling, "factor": dice.pick([2.0, 4.0])}
        if scaling in ("llama3", "yarn"):
            rope["original_max_position_embeddings"] = 64
        if scaling == "llama3":
            rope |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
        return rope


def draw_weights(model, seed: int):
    """Weights by which every part shows: matrices of about unit gain, vectors around what they begin as."""
    random = np.random.Generator(np.random.PCG64(seed))
    tables = {id(module.weight) for module in model.modules() if isinstance(module, torch.nn.Embedding)}
    stored = {id(module.weight) for module in model.modules() if type(module).__name__ == "Conv1D"}  # [in, out]
    with torch.no_grad():
        for _, parameter in sorted(model.named_parameters()):
            noise = torch.from_numpy(random.standard_normal(tuple(parameter.shape))).float()
            if id(parameter) in tables:
                scales = 10.0 ** torch.from_numpy(random.uniform(-2, 0, (parameter.shape[0], 1))).float()
                parameter.copy_(scales * noise)
            elif parameter.dim() < 2:
                parameter.add_(0.3 * noise)
            else:
                fan_in = parameter.shape[0] if id(parameter) in stored else parameter[0].numel()
                parameter.copy_(noise / fan_in**0.5)


def logits_of(model, tokens: list[int]) -> np.ndarray:
    """Of an encoder, its hidden states."""
    with torch.no_grad():
        if not is_bare(model):
            return model(torch.tensor([tokens]), use_cache=False).logits[0].double().numpy()
        return model(torch.tensor([tokens])).last_hidden_state[0].double().numpy()


def is_bare(model) -> bool:
    return type(model).__name__ in library_models.WITHOUT_HEAD.values()


def make(name: str, config_class, dice: Dice, seed: int, folder: Path):
    """A model of the class, saved: (keys, tokens, its source, logits, logits in double, whether a token sees those before it
    alone). Text, why, where the library refuses what was drawn."""
    defaults = config_class().to_dict()
    keys = Drawn(dice, defaults, name not in library_models.WITHOUT_HEAD.values()).draw()
    try:
        config = config_class(**keys, attn_implementation=library_models.attention_of(keys))
        model = getattr(published_code if hasattr(published_code, name) else transformers, name)(config).eval()
        draw_weights(model, seed)
        vocab_size = (model.get_input_embeddings() if is_bare(model) else model.get_output_embeddings()).weight.shape[0]
        random, source = np.random.Generator(np.random.PCG64(seed)), []
        tokens = [int(t) for t in random.integers(0, vocab_size, LENGTH)]
        if library_models.counts_positions_past_padding(config.to_dict()):  # no text has that token
            tokens = [(t + 1) % vocab_size if t == config.pad_token_id else t for t in tokens]
        saved = model
        if config.is_encoder_decoder:
            source = [int(t) for t in random.integers(0, vocab_size, SOURCE_LENGTH)]
            model = sources.Answering(model, source)
        logits = logits_of(model, tokens)
        if not np.isfinite(logits).all():
            return "logits that are no numbers"
        begin = logits_of(model, tokens[: LENGTH // 2])
        causal = worst_row(begin, logits[: LENGTH // 2]) < 1e-2
        saved.save_pretrained(folder)
    except Exception as error:  # whatever a class does not take
        return str(error)
    try:
        exact = logits_of(model.double(), tokens)
    except RuntimeError:  # a class that cannot compute in double
        exact = logits
    if worst_row(logits, exact) > BAR / 2:
        return "logits that single precision does not give to half the bar"
    return keys, tokens, source, logits, exact, causal


def worst_row(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.max(np.linalg.norm(ours - theirs, axis=1) / np.linalg.norm(theirs, axis=1)))


def compare(folder: Path, tokens, source, logits, exact, causal, devices, monomorph: Path) -> tuple[str, str]:
    """(outcome, what is to be said of it). What is not causal is one pass, and decodes nothing."""
    build = subprocess.run([monomorph, "build", folder / "model", "-o", folder / "engine", "--set", "engine.kv_cache=f32",
                            "--set", "model.name=drawn"], capture_output=True, text=True)  # fmt: skip
    if build.returncode == 1:
        rules = re.findall(r"error: (.*?) \[([\w.]+)\]", build.stderr, re.S)
        return ("refused", f"{rules[0][1]}: {rules[0][0]}") if rules else ("refused", build.stderr.strip()[:300])
    if build.returncode != 0:
        return "broken", build.stderr.strip()[-500:]
    worst = 0.0
    for device in devices:
        for mode in ("prefill", "decode") if causal and device == devices[0] else ("prefill",):
            named = json.loads((folder / "model" / "config.json").read_text())["architectures"][0]
            is_encoder = named in library_models.WITHOUT_HEAD.values()
            command = ["embed", "--pooling", "none"] if is_encoder else ["logits", "--mode", mode]
            command += ["--source-tokens", ",".join(map(str, source))] if source else []
            run = subprocess.run([folder / "engine" / "drawn", *command, "--weights", folder / "model", "--device", device,
                                  "--tokens", ",".join(map(str, tokens)), "-o", folder / "logits.npy"],
                                 capture_output=True, text=True)  # fmt: skip
            if run.returncode != 0:
                return "broken", f"{device}: {run.stderr.strip()[-500:]}"
            ours = np.load(folder / "logits.npy").astype(np.float64)
            worst = max(worst, min(worst_row(ours, logits), worst_row(ours, exact)))
    return ("right" if worst <= BAR else "WRONG"), f"{worst:.1e}"


def refused_by_name(name: str, model_type: str, monomorph: Path) -> str | None:
    """Why a config.json that says this class and nothing else is refused; none where a family reads it."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps({"architectures": [name], "model_type": model_type}))
        done = subprocess.run([monomorph, "import", folder, "-o", Path(folder) / "spec.toml"], capture_output=True,
                              text=True)  # fmt: skip
    said = re.search(r"error: (.*?) \[import.architecture\]", done.stderr, re.S)
    return said[1] if done.returncode == 1 and said else None


def try_class(name: str, config_class, options) -> bool:
    refusal = refused_by_name(name, config_class.model_type, options.monomorph)
    if refusal is not None:
        print(f"{name}: refused by name: {refusal}", flush=True)
        return True
    outcomes = Counter()
    fine = True
    said = Counter()
    attempts = 0
    while sum(outcomes.values()) < options.draws and attempts < 8 * options.draws + 8:
        attempts += 1
        dice = Dice(np.random.Generator(np.random.PCG64([options.seed, attempts])))
        with contextlib.ExitStack() as stack:
            folder = Path(options.keep or stack.enter_context(tempfile.TemporaryDirectory())) / f"{name}-{attempts}"
            made = make(name, config_class, dice, options.seed * 1000 + attempts, folder / "model")
            if isinstance(made, str):
                said[f"the library: {made}"[:160]] += 1
                continue
            keys, *wanted = made
            outcome, why = compare(folder, *wanted, options.device, options.monomorph)
            outcomes[outcome] += 1
            said[f"{outcome}: {why}" if outcome != "right" else f"right, {why}"] += 1
            if outcome in ("WRONG", "broken"):
                fine = False
                print(f"  {name} {outcome}: {why}\n    {json.dumps(keys)}")
    print(f"{name}: {', '.join(f'{count} {what}' for what, count in sorted(outcomes.items())) or 'nothing drawn'}")
    for what, count in said.most_common():
        if options.verbose or not what.startswith(("right", "the library")) or not outcomes:
            print(f"  {count} x {what}")
    sys.stdout.flush()
    return fine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("classes", nargs="*")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", action="append")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--monomorph", type=Path, default=ROOT / "build" / "bin" / "monomorph")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.device = options.device or ["llvmpipe", "reference"]
    logging.disable(logging.WARNING)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    known = {name: model_type for model_type, name in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.items()}
    known |= {name: model_type for model_type, name in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES.items()}
    known |= {each.__name__: each.config_class.model_type for each in published_code.CLASSES}
    known |= {name: model_type for model_type, name in library_models.WITHOUT_HEAD.items()}
    unknown = [name for name in options.classes if name not in known]
    if unknown:
        sys.exit(f"neither the library nor published_code.py has a class {', '.join(unknown)} that is drawn here")
    results = [try_class(name, CONFIG_MAPPING[known[name]], options) for name in options.classes or known]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
