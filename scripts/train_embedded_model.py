#!/usr/bin/env python3
"""Trains the small Llama-family model that this repository carries, and writes it as the hub would have it.

    apt install bible-kjv bible-kjv-text
    pip install -r scripts/requirements-train.txt
    python scripts/train_embedded_model.py

Takes:  the King James text, as printed by Debian's `bible` program; nothing is downloaded.
Gives:  models/kjv/ with model.safetensors, config.json, generation_config.json, tokenizer.json, tokenizer_config.json
        and README.md. Weights are float16, below MAX_FILE_BYTES; all losses and samples in the README are of these.
Steps:  read_chapters -> split -> train_tokenizer -> train (float32, CPU) -> write_model -> measure -> write_readme.

The seed fixes initial weights, order of the data and dropout. Training saves its whole state every EVALUATE_EVERY steps
under --work; started again with the same --work it continues from there and arrives at the same weights.
"""

import argparse
import json
import math
import re
import subprocess
import textwrap
import time
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM

REPOSITORY = Path(__file__).resolve().parent.parent
MAX_FILE_BYTES = 8_000_000
BOS, EOS = "<|begin_of_text|>", "<|end_of_text|>"
BOS_ID, EOS_ID = 0, 1

# Written to config.json as it stands: the keys, and their order, of a Llama 3 config.json on the hub.
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "bos_token_id": BOS_ID,
    "eos_token_id": EOS_ID,
    "head_dim": 32,
    "hidden_act": "silu",
    "hidden_size": 256,
    "initializer_range": 0.02,
    "intermediate_size": 688,
    "max_position_embeddings": 512,
    "mlp_bias": False,
    "model_type": "llama",
    "num_attention_heads": 8,
    "num_hidden_layers": 4,
    "num_key_value_heads": 4,
    "pretraining_tp": 1,
    "rms_norm_eps": 1e-05,
    "rope_scaling": None,
    "rope_theta": 10000.0,
    "tie_word_embeddings": True,
    "torch_dtype": "float16",
    "transformers_version": transformers.__version__,
    "use_cache": True,
    "vocab_size": 2048,
}

GENERATION_CONFIG = {
    "bos_token_id": BOS_ID,
    "do_sample": True,
    "eos_token_id": EOS_ID,
    "temperature": 0.8,
    "top_p": 0.95,
    "transformers_version": transformers.__version__,
}

TOKENIZER_CONFIG = {
    "bos_token": BOS,
    "clean_up_tokenization_spaces": False,
    "eos_token": EOS,
    "model_input_names": ["input_ids", "attention_mask"],
    "model_max_length": CONFIG["max_position_embeddings"],
    "tokenizer_class": "PreTrainedTokenizerFast",
}

HELD_OUT_EVERY = 20       # chapters; the tenth of each twenty, so that Genesis 1 stays in the training text
PARAGRAPH_BYTES = 400     # a paragraph ends with the first full stop at the end of a verse after this many
# How the committed model was trained: the defaults of the options of the same names.
TRAINING = {"steps": 1700, "decay_steps": 500, "learning_rate": 2e-3, "dropout": 0.1, "seed": 1611}
BATCH_SIZE = 8            # windows of max_position_embeddings tokens
WARM_UP_STEPS = 100
ADAM_BETAS = (0.9, 0.95)
WEIGHT_DECAY = 0.1        # matrices only
GRADIENT_CLIP = 1.0
EVALUATE_EVERY = 200


# ---- text ------------------------------------------------------------------------------------------------------------

def read_chapters():
    """All 1189 chapters in order, each a list of paragraphs. Verse numbers and headings are left out.

    The source marks no paragraphs, so they are made: verses joined by a space, up to PARAGRAPH_BYTES and a full stop.
    """
    everything = ["bible", "-l100000", "Gen1:1-Rev22:21"]  # a verse a line: number, text; a heading before each chapter
    chapters = []
    for line in subprocess.run(everything, check=True, capture_output=True, text=True).stdout.splitlines():
        verse = re.fullmatch(r" {1,3}(\d+) (\S.*)", line)
        if verse is None:
            if line.strip() and not re.fullmatch(r"[A-Za-z0-9 ]+ \d+", line.strip()):
                raise ValueError(f"neither a verse nor a chapter heading: {line!r}")
            continue
        number, text = int(verse[1]), verse[2].strip()
        if number == 1:
            chapters.append([""])
        elif len(chapters[-1][-1]) >= PARAGRAPH_BYTES and chapters[-1][-1].endswith("."):
            chapters[-1].append("")
        chapters[-1][-1] = f"{chapters[-1][-1]} {text}".strip()
    if len(chapters) != 1189:
        raise ValueError(f"1189 chapters expected, {len(chapters)} read")
    return chapters


def split(chapters):
    held_out = chapters[HELD_OUT_EVERY // 2 - 1 :: HELD_OUT_EVERY]
    training = [c for i, c in enumerate(chapters) if i % HELD_OUT_EVERY != HELD_OUT_EVERY // 2 - 1]
    return training, held_out


# ---- tokenizer -------------------------------------------------------------------------------------------------------

def train_tokenizer(chapters):
    """Byte-level BPE with Llama 3's pre-tokenizer; any bytes can be encoded, and come back unchanged."""
    llama3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
              r"|\s*[\r\n]+|\s+(?!\S)|\s+")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(llama3), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=CONFIG["vocab_size"], special_tokens=[BOS, EOS], show_progress=False,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.train_from_iterator(("\n\n".join(c) for c in chapters), trainer)
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single=f"{BOS} $A", pair=f"{BOS} $A {BOS} $B", special_tokens=[(BOS, BOS_ID)]),
    ])
    assert tokenizer.get_vocab_size() == CONFIG["vocab_size"]
    assert (tokenizer.token_to_id(BOS), tokenizer.token_to_id(EOS)) == (BOS_ID, EOS_ID)
    return tokenizer


def encode(tokenizer, chapters):
    """A chapter: ids of bos, text, eos; and the places where a paragraph starts (the bos, for the first)."""
    ids, starts = [], []
    for paragraphs in chapters:
        chapter = [BOS_ID]
        for i, paragraph in enumerate(paragraphs):
            starts.append((len(ids), len(chapter) - 1))
            last = i + 1 == len(paragraphs)
            chapter += tokenizer.encode(paragraph + ("" if last else "\n\n"), add_special_tokens=False).ids
        ids.append(torch.tensor(chapter + [EOS_ID]))
    return ids, starts


# ---- training --------------------------------------------------------------------------------------------------------

def windows(ids, starts, generator):
    """Endless (inputs, targets), each int64 [BATCH_SIZE, max_position_embeddings].

    A window is bos and the text from the start of a paragraph on, over the ends of chapters: the model begins where
    prompts begin. One pass visits every paragraph once as the first, so each token is seen about four times in a pass.
    """
    length = CONFIG["max_position_embeddings"]
    stream = torch.cat(ids)
    chapter_offset = torch.tensor([0] + [len(c) for c in ids]).cumsum(0)
    first = torch.tensor([chapter_offset[chapter] + place for chapter, place in starts])
    first = first[first + length < len(stream)]
    while True:
        for batch in first[torch.randperm(len(first), generator=generator)].split(BATCH_SIZE):
            if len(batch) == BATCH_SIZE:
                window = torch.stack([stream[at : at + length + 1] for at in batch])
                window[:, 0] = BOS_ID
                yield window[:, :-1], window[:, 1:]


def learning_rate(step, arguments):
    """Linear warm-up, constant, then down to zero along a half cosine over the last decay_steps."""
    if step < WARM_UP_STEPS:
        return arguments.learning_rate * (step + 1) / WARM_UP_STEPS
    left = min(1.0, (arguments.steps - step) / arguments.decay_steps)
    return arguments.learning_rate * 0.5 * (1 - math.cos(math.pi * left))


def new_model(dropout):
    """Llama itself has no dropout on the residual stream: hooks on the two sub-blocks add it, while training only."""
    model = LlamaForCausalLM(LlamaConfig(**{key: CONFIG[key] for key in CONFIG if key != "torch_dtype"}))
    for layer in model.model.layers:
        layer.self_attn.register_forward_hook(
            lambda block, _, out: (torch.nn.functional.dropout(out[0], dropout, block.training), *out[1:]))
        layer.mlp.register_forward_hook(lambda block, _, out: torch.nn.functional.dropout(out, dropout, block.training))
    return model.float()


@torch.no_grad()
def loss_of(model, ids):
    """(summed nats, predicted tokens) over chapters, cut into windows that predict every token but the bos once."""
    length = CONFIG["max_position_embeddings"]
    pieces = [c[at : at + length + 1] for c in ids for at in range(0, len(c) - 1, length)]
    pieces.sort(key=len)
    model.eval()
    nats = 0.0
    for at in range(0, len(pieces), BATCH_SIZE):
        batch = torch.nn.utils.rnn.pad_sequence(pieces[at : at + BATCH_SIZE], batch_first=True, padding_value=-100)
        logits = model(input_ids=batch[:, :-1].clamp(min=0)).logits  # padding is on the right, where nothing sees it
        nats += torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten(), reduction="sum").item()
    model.train()
    return nats, sum(len(c) - 1 for c in ids)


def train(ids, starts, held_out_ids, arguments):
    """The weights with the lowest held-out loss seen, and the log: rows of step, training loss, held-out loss."""
    torch.manual_seed(arguments.seed)
    model = new_model(arguments.dropout)
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": WEIGHT_DECAY},
                                   {"params": vectors, "weight_decay": 0.0}], betas=ADAM_BETAS)
    batches = windows(ids, starts, torch.Generator().manual_seed(arguments.seed))
    step, log, best = 0, [], {"loss": math.inf}

    state_path = arguments.work / "state.pt"
    if state_path.exists():
        state = torch.load(state_path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step, log, best = state["step"], state["log"], state["best"]
        for _ in range(step):
            next(batches)
        torch.set_rng_state(state["rng"])

    begun, begun_step, recent = time.monotonic(), step, []
    while step < arguments.steps:
        inputs, targets = next(batches)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, arguments)
        loss = torch.nn.functional.cross_entropy(model(input_ids=inputs).logits.flatten(0, 1), targets.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), GRADIENT_CLIP)
        optimizer.step()
        recent.append(loss.item())
        step += 1
        if step % 20 == 0:
            seconds = (time.monotonic() - begun) / (step - begun_step)
            print(f"step {step}/{arguments.steps}  loss {sum(recent[-20:]) / 20:.4f}  {seconds:.2f} s/step", flush=True)
        if step % EVALUATE_EVERY == 0 or step == arguments.steps:
            nats, tokens = loss_of(model, held_out_ids)
            log.append((step, sum(recent) / len(recent), nats / tokens))
            recent = []
            print(f"step {step}  training loss {log[-1][1]:.4f}  held-out loss {log[-1][2]:.4f}", flush=True)
            if log[-1][2] < best["loss"]:
                weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
                best = {"loss": log[-1][2], "step": step, "model": weights}
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state(),
                     "step": step, "log": log, "best": best}
            torch.save(state, state_path.with_suffix(".new"))
            state_path.with_suffix(".new").replace(state_path)  # a run ended here leaves a whole state
    return best, log


# ---- what is written -------------------------------------------------------------------------------------------------

def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n")


def write_model(directory, weights, tokenizer):
    directory.mkdir(parents=True, exist_ok=True)
    # The head is tied: its name is an alias of the embedding, and hub files leave it out.
    half = {name: tensor.to(torch.float16).contiguous() for name, tensor in weights.items() if name != "lm_head.weight"}
    assert all(torch.isfinite(tensor).all() for tensor in half.values())
    save_file(half, directory / "model.safetensors", metadata={"format": "pt"})
    assert (directory / "model.safetensors").stat().st_size < MAX_FILE_BYTES
    write_json(directory / "config.json", CONFIG)
    write_json(directory / "generation_config.json", GENERATION_CONFIG)
    tokenizer.save(str(directory / "tokenizer.json"))
    write_json(directory / "tokenizer_config.json", TOKENIZER_CONFIG)


def measure(directory, training, held_out):
    """Figures and samples of the written files, read back as a user would: float16 weights, computed in float32."""
    model = LlamaForCausalLM.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager").eval()
    weights = load_file(directory / "model.safetensors")
    assert all(torch.equal(model.state_dict()[name], tensor.float()) for name, tensor in weights.items())
    assert model.config.rope_parameters["rope_theta"] == CONFIG["rope_theta"]
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    figures = {"parameters": sum(t.numel() for t in weights.values()),
               "file_bytes": (directory / "model.safetensors").stat().st_size}
    for name, chapters in (("training", training[::HELD_OUT_EVERY]), ("held_out", held_out)):
        nats, tokens = loss_of(model, encode(tokenizer, chapters)[0])
        byte_count = sum(len("\n\n".join(c).encode()) for c in chapters)
        figures[name] = {"chapters": len(chapters), "bytes": byte_count, "tokens": tokens,
                         "nats_per_token": nats / tokens, "bits_per_byte": nats / math.log(2) / byte_count}

    def sample(prompt, **how):
        torch.manual_seed(0)
        prompt_ids = torch.tensor([tokenizer.encode(prompt).ids])
        generated = model.eval().generate(prompt_ids, attention_mask=torch.ones_like(prompt_ids), max_new_tokens=120,
                                          pad_token_id=EOS_ID, **how)
        return tokenizer.decode(generated[0].tolist())

    figures["greedy"] = sample("In the beginning", do_sample=False, temperature=None, top_p=None)
    figures["sampled"] = sample("In the beginning", do_sample=True, temperature=0.8, top_p=0.95, top_k=0)
    return figures


def quote(text):
    return "\n".join(f"> {line}".rstrip() for part in text.split("\n") for line in textwrap.wrap(part, 116) or [""])


def write_readme(directory, figures, training, best_step, log, arguments):
    c, held, seen = CONFIG, figures["held_out"], figures["training"]
    heads = f"{c['num_attention_heads']} heads over {c['num_key_value_heads']} key-value heads of {c['head_dim']}"
    bos, eos = (token.replace("|", r"\|") for token in (BOS, EOS))  # inside a table
    training_bytes = sum(len("\n\n".join(chapter).encode()) for chapter in training)
    how = textwrap.fill(
        f"{arguments.steps} steps of {BATCH_SIZE} windows of {c['max_position_embeddings']} tokens, float32 on a CPU: "
        f"AdamW, learning rate {arguments.learning_rate:g}, brought to zero over the last {arguments.decay_steps} steps; "
        f"weight decay {WEIGHT_DECAY:g}, dropout {arguments.dropout:g}, seed {arguments.seed}. The weights are those of step "
        f"{best_step}, which has the lowest held-out loss of the rows below. Training loss is the mean since the row before, "
        "with dropout. Another machine or version rounds sums differently and will reach a model as good, not the same "
        "bits.", 118)
    options = "".join(f" --{name.replace('_', '-')} {getattr(arguments, name):g}" for name, default in TRAINING.items()
                      if getattr(arguments, name) != default)
    rows = "\n".join(f"| {step} | {loss:.4f} | {held_loss:.4f} |" for step, loss, held_loss in log)
    (directory / "README.md").write_text(f"""\
# models/kjv: a small Llama that writes King James prose

Trained for this repository and small enough to be carried by it, so that examples and tests have weights and a
tokenizer whose output can be read. It is of the Llama 3 kind, with the files and names that models on the Hugging Face
hub have.

| | |
| --- | --- |
| architecture | `{c["architectures"][0]}`, {c["num_hidden_layers"]} layers, tied head |
| sizes | hidden_size {c["hidden_size"]}, {heads}, intermediate_size {c["intermediate_size"]} |
| context | {c["max_position_embeddings"]} tokens, RoPE with rope_theta {c["rope_theta"]:g} |
| parameters | {figures["parameters"]:,}, all float16; `model.safetensors` is {figures["file_bytes"]:,} bytes |
| tokenizer | byte-level BPE, {c["vocab_size"]} tokens, Llama 3's pre-tokenizer |
| special tokens | `{bos}` ({BOS_ID}) is put before a text, `{eos}` ({EOS_ID}) ends it |

## Data

The King James Version, as Debian's packages `bible-kjv` and `bible-kjv-text` print it. Verse numbers and headings are
left out; verses are joined into paragraphs, each ending with the first verse that ends with a full stop after {PARAGRAPH_BYTES}
bytes, a blank line apart; a chapter is one text. Every {HELD_OUT_EVERY}th chapter, counted from the tenth, is held out: neither the
tokenizer nor the model has learned from it.

| | chapters | bytes |
| --- | --- | --- |
| training | {len(training):,} | {training_bytes:,} |
| held out | {held["chapters"]} | {held["bytes"]:,} |

## Loss

Of the float16 weights in this folder, computed in float32, in windows of at most {c["max_position_embeddings"]} tokens:

| text | tokens | nats per token | bits per byte |
| --- | --- | --- | --- |
| held out | {held["tokens"]:,} | {held["nats_per_token"]:.4f} | {held["bits_per_byte"]:.4f} |
| training, every {HELD_OUT_EVERY}th chapter | {seen["tokens"]:,} | {seen["nats_per_token"]:.4f} | {seen["bits_per_byte"]:.4f} |

## Samples

"In the beginning", temperature 0:

{quote(figures["greedy"])}

The same at temperature 0.8, top_p 0.95:

{quote(figures["sampled"])}

## Made by

    apt install bible-kjv bible-kjv-text
    pip install -r scripts/requirements-train.txt
    python scripts/train_embedded_model.py{options}

{how}

| step | training loss | held-out loss |
| --- | --- | --- |
{rows}

## Licence

The translation was made in 1611 and its text is in the public domain (printing it in the United Kingdom is subject to
letters patent). Chip Chapin, who prepared the electronic file in 1989, lets anyone use, copy, modify and distribute it.
Only this text went into the weights and the tokenizer, and no rights in them are claimed.
""")


def main():
    parser = argparse.ArgumentParser(description="Trains models/kjv; its weights were made with the defaults.")
    parser.add_argument("--output", type=Path, default=REPOSITORY / "models" / "kjv")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "train_embedded_model",
                        help="folder of the training state")
    parser.add_argument("--threads", type=int, default=2)
    for name, default in TRAINING.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(default), default=default)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    arguments.work.mkdir(parents=True, exist_ok=True)

    training, held_out = split(read_chapters())
    tokenizer = train_tokenizer(training)
    ids, starts = encode(tokenizer, training)
    held_out_ids, _ = encode(tokenizer, held_out)
    print(f"{len(training)} + {len(held_out)} chapters, {sum(map(len, ids)):,} + {sum(map(len, held_out_ids)):,} tokens, "
          f"{len(starts):,} paragraphs", flush=True)
    best, log = train(ids, starts, held_out_ids, arguments)
    write_model(arguments.output, best["model"], tokenizer)
    figures = measure(arguments.output, training, held_out)
    write_readme(arguments.output, figures, training, best["step"], log, arguments)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
