"""Logits that depend on the calls by which a sequence is appended: rotary angles are those of the length that it has then."""

import copy

import numpy as np
import torch
import transformers

from case import Calls


@torch.no_grad()
def logits_by_calls(model, tokens: list[int], calls: Calls) -> np.ndarray:
    """The last row of each call of each pattern: [calls, vocab_size]."""
    rows = []
    for pattern in calls.patterns:
        fresh, cache, position = copy.deepcopy(model), transformers.DynamicCache(), 0
        for count in pattern:
            end = position + count
            if calls.computed_anew_past is not None and 0 < position <= calls.computed_anew_past < end:
                cache, position = transformers.DynamicCache(), 0
            found = fresh(torch.tensor([tokens[position:end]]), past_key_values=cache, use_cache=True)
            rows.append(found.logits[0, -1].numpy())
            position = end
    return np.stack(rows)
