"""Writes sampling.json beside it: draws as their definitions have them, in plain Python and double precision.

    python3 make_sampling_goldens.py

Of each case: logits and settings (exact in f32), the tokens of the sequence and those of them that were drawn, and what
follows from them: logits after the penalties, the token drawn at each of the positions 0, 1, 2 ..., and the
log-probability of each. Sources: the repetition penalty is transformers' RepetitionPenaltyLogitsProcessor, presence and
frequency penalties are the OpenAI API's, top-k and top-p as runtime/engine/sampler.hpp says with ties, min-p is Nguyen et al.
2024, random bits are Philox4x32-10 (Salmon et al. 2011).
"""

import json
import math
import random
from pathlib import Path

VOCAB_SIZE = 24
CASES = 48
POSITIONS = 12


def penalized(logits, settings, sequence, drawn):
    result = list(logits)
    for token in set(sequence):
        logit, penalty = result[token], settings["repetition_penalty"]
        result[token] = logit * penalty if logit < 0 else logit / penalty
    for token in set(drawn):
        result[token] -= drawn.count(token) * settings["frequency_penalty"]
        result[token] -= settings["presence_penalty"]
    return result


def probabilities(logits, settings):
    """Of each token; temperature is not 0."""
    kept = set(range(len(logits)))
    if settings["top_k"] != 0:
        least = sorted(logits, reverse=True)[min(settings["top_k"], len(logits)) - 1]
        kept = {token for token in kept if logits[token] >= least}
    weights = [math.exp(logit / settings["temperature"]) for logit in logits]
    wanted, reached, least = settings["top_p"] * sum(weights[token] for token in kept), 0.0, -math.inf
    for value in sorted({logits[token] for token in kept}, reverse=True):
        if reached >= wanted:
            break
        least = value
        reached += sum(weights[token] for token in kept if logits[token] == value)
    kept = {token for token in kept if logits[token] >= least}
    likeliest = max(weights[token] for token in kept)
    kept = {token for token in kept if weights[token] >= settings["min_p"] * likeliest}
    total = sum(weights[token] for token in kept)
    return [weights[token] / total if token in kept else 0.0 for token in range(len(logits))]


def uniform(seed, position):
    """In [0, 1), of 32 random bits."""
    key, counter = [seed & 0xFFFFFFFF, seed >> 32], [position, 0, 0, 0]
    for _ in range(10):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [
            (b >> 32) ^ counter[1] ^ key[0],
            b & 0xFFFFFFFF,
            (a >> 32) ^ counter[3] ^ key[1],
            a & 0xFFFFFFFF,
        ]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter[0] / 2**32


def draw(logits, settings, position):
    if settings["temperature"] == 0:
        return logits.index(max(logits))
    left = uniform(settings["seed"], position)
    for token, probability in enumerate(probabilities(logits, settings)):
        if left < probability:
            return token
        left -= probability
    raise AssertionError("the probabilities do not add up")


def log_probability(logits, token):
    return logits[token] - math.log(sum(math.exp(logit) for logit in logits))


def make_case(chance):
    settings = {
        "temperature": chance.choice([0, 0.5, 1, 1, 1.75]),
        "top_k": chance.choice([0, 0, 3, 10]),
        "top_p": chance.choice([1, 1, 0.875, 0.5]),
        "min_p": chance.choice([0, 0.0625, 0.25, 0.75]),
        "repetition_penalty": chance.choice([1, 1.25, 2, 0.75]),
        "presence_penalty": chance.choice([0, 0.75, -1.5, 2]),
        "frequency_penalty": chance.choice([0, 0.25, -0.5, 1]),
        "seed": chance.getrandbits(53),
    }
    logits = [round(chance.gauss(0, 2) * 8) / 8 for _ in range(VOCAB_SIZE)]
    prompt = [chance.randrange(VOCAB_SIZE) for _ in range(6)]
    drawn = [chance.randrange(VOCAB_SIZE // 2) for _ in range(8)]
    changed = penalized(logits, settings, prompt + drawn, drawn)
    tokens = [draw(changed, settings, position) for position in range(POSITIONS)]
    return settings | {
        "logits": logits,
        "sequence": prompt + drawn,
        "drawn": drawn,
        "penalized": [round(logit, 9) for logit in changed],
        "tokens": tokens,
        "log_probabilities": [round(log_probability(logits, token), 9) for token in tokens],
    }


def main():
    chance = random.Random(24)
    lines = ",\n".join(json.dumps(make_case(chance)) for _ in range(CASES))
    Path(__file__).with_name("sampling.json").write_text(f"[\n{lines}\n]\n")


main()
