"""Models that answer to a source: an encoder reads it, and a decoder's tokens see what it gives."""

import numpy as np
import torch
from torch import nn

SOURCE_LENGTH = 150
LENGTHS = (1, 9, 63, 64, 65)  # of other sources, beginnings of the whole one
ANSWERED = 12  # tokens whose last one's logits are kept of each of these


class Answering(nn.Module):
    """A model with a source, whose tokens are the answer's."""

    def __init__(self, model: nn.Module, source: list[int]):
        super().__init__()
        self.model = model
        self.source = source

    def forward(self, tokens: torch.Tensor, **_):
        source = torch.tensor([self.source])
        # T5Gemma else takes tokens for padding.
        masks = {"attention_mask": torch.ones_like(source), "decoder_attention_mask": torch.ones_like(tokens)}
        return self.model(input_ids=source, decoder_input_ids=tokens, use_cache=False, **masks)


def answers(config: dict) -> bool:
    return config.get("is_encoder_decoder", False)


def source_of(seed: int, vocab_size: int) -> list[int]:
    random = np.random.Generator(np.random.PCG64([seed, 2]))
    return random.integers(0, vocab_size, SOURCE_LENGTH).tolist()


@torch.no_grad()
def logits_by_sources(model: Answering, tokens: list[int]) -> np.ndarray:
    """After so many tokens of an answer to each of the shorter sources: [lengths, vocab_size]."""
    rows = []
    whole = model.source
    for length in LENGTHS:
        model.source = whole[:length]
        rows.append(model(torch.tensor([tokens[:ANSWERED]])).logits[0, -1].numpy())
    model.source = whole
    return np.stack(rows)
