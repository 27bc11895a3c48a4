"""Writes beams.json beside it: what transformers' generate answers of a model whose logits are a hash of the sequence.

    python3 make_beam_goldens.py

Of each case: settings under the names of generation_config.json, the prompt, and the sequences drawn after it with their
scores, the best first; of one beam the likeliest tokens, without a score. The test's engine has the same logits, exact
in f32 (table_engine.hpp).
"""

import json
import random
from pathlib import Path

import torch
from transformers import GenerationConfig, GenerationMixin, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutput

VOCAB_SIZE = 24
STOP_TOKENS = [3, 17]
CASES = 240


def logit(token, sequence):
    last, before = sequence[-1], sequence[-2] if len(sequence) > 1 else 0
    x = (token * 2654435761 + last * 40503 * 65537 + before * 97003 + len(sequence) * 31337) & 0xFFFFFFFF
    x ^= x >> 15
    x = (x * 0x2C1B3C6D) & 0xFFFFFFFF
    x ^= x >> 12
    x = (x * 0x297A2D39) & 0xFFFFFFFF
    x ^= x >> 15
    return (x & 0xFFFFF) / 2**17 + (0.5 if token in STOP_TOKENS else 0)


class TableModel(PreTrainedModel, GenerationMixin):
    config_class = PretrainedConfig

    def __init__(self, config):
        super().__init__(config)
        self.unused = torch.nn.Parameter(torch.zeros(1))
        self.post_init()

    def prepare_inputs_for_generation(self, input_ids, attention_mask=None, **_):
        return {"input_ids": input_ids}

    def forward(self, input_ids, attention_mask=None, **_):
        rows = [[logit(token, row) for token in range(VOCAB_SIZE)] for row in input_ids.tolist()]
        return CausalLMOutput(logits=torch.tensor(rows, dtype=torch.float32)[:, None, :])


def some_tokens(chance, count):
    return [token for token in chance.sample(range(VOCAB_SIZE), count) if token not in STOP_TOKENS]


def make_settings(chance):
    settings = {"num_beams": chance.choice([1, 2, 3, 4, 4, 5]), "max_new_tokens": chance.randint(1, 14)}
    if settings["num_beams"] > 1:
        settings["length_penalty"] = chance.choice([-1.0, 0.0, 0.5, 1.0, 1.0, 2.0])
        settings["early_stopping"] = chance.choice([False, True, "never"])
    optional = {
        "repetition_penalty": lambda: chance.choice([0.75, 1.25, 2.0]),
        "no_repeat_ngram_size": lambda: chance.choice([1, 2, 2, 3]),
        "encoder_no_repeat_ngram_size": lambda: chance.choice([1, 2]),
        "min_length": lambda: chance.randint(2, 10),
        "min_new_tokens": lambda: chance.randint(1, 8),
        "bad_words_ids": lambda: [[chance.randrange(VOCAB_SIZE) for _ in range(chance.choice([1, 1, 2, 3]))] for _ in range(6)],
        "suppress_tokens": lambda: some_tokens(chance, 6),
        "begin_suppress_tokens": lambda: chance.sample(range(VOCAB_SIZE), 12),
        "forced_bos_token_id": lambda: chance.choice([0, 5, 23]),
        "forced_eos_token_id": lambda: chance.choice([3, 9] if settings["num_beams"] > 1 else [3, 9, [3, 17]]),
    }
    for key in chance.sample(sorted(optional), chance.choice([0, 1, 2, 3])):
        settings[key] = optional[key]()
    # What is forced and suppressed contradicts itself, which is an error here.
    last = settings.get("forced_eos_token_id", [])
    forced = (last if isinstance(last, list) else [last]) + [settings.get("forced_bos_token_id")]
    for key in {"suppress_tokens", "begin_suppress_tokens"} & settings.keys():
        settings[key] = [token for token in settings[key] if token not in forced]
    return settings


def make_case(model, chance):
    settings = make_settings(chance)
    few = "forced_bos_token_id" in settings and chance.random() < 0.8
    prompt = [chance.randrange(VOCAB_SIZE) for _ in range(1 if few else chance.randint(1, 5))]
    beams = settings["num_beams"]
    config = GenerationConfig(
        **settings, do_sample=False, use_cache=False, eos_token_id=STOP_TOKENS, pad_token_id=0,
        num_return_sequences=beams, return_dict_in_generate=True, output_scores=beams > 1,
    )
    ids = torch.tensor([prompt])
    given = model.generate(ids, attention_mask=torch.ones_like(ids), generation_config=config)
    answers = []
    for i, row in enumerate(given.sequences.tolist()):
        drawn = row[len(prompt):]
        ends = [place for place, token in enumerate(drawn) if token in STOP_TOKENS]
        drawn = drawn[: ends[0] + 1] if ends else drawn
        score = float(given.sequences_scores[i]) if beams > 1 else 0.0
        if score > -1e7:  # those that fill the list up have none
            answers.append({"tokens": drawn, "score": round(score, 6)})
    return {"settings": settings, "prompt": prompt, "answers": answers}


def main():
    torch.set_num_threads(1)
    model = TableModel(PretrainedConfig(vocab_size=VOCAB_SIZE)).eval()
    chance = random.Random(28)
    lines = ",\n".join(json.dumps(make_case(model, chance)) for _ in range(CASES))
    Path(__file__).with_name("beams.json").write_text(f"[\n{lines}\n]\n")


main()
