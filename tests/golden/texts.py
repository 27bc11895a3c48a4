"""Models that give no logits: hidden states of each token, and vectors of texts."""

import json
from pathlib import Path

import numpy as np
import torch
from torch import nn

MODES = {"mean": "pooling_mode_mean_tokens", "cls": "pooling_mode_cls_token", "last": "pooling_mode_lasttoken"}


class Typed(nn.Module):
    """A model whose tokens have types."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def typed(self, model: nn.Module, tokens: torch.Tensor):
        count = getattr(self.model.config, "type_vocab_size", 0)
        types = {"token_type_ids": torch.tensor([types_of(tokens.shape[1], count)])} if count > 1 else {}
        return model(tokens, **types)

    def forward(self, tokens: torch.Tensor, **_):
        return self.typed(self.model, tokens)


class HiddenStates(Typed):
    """Hidden states stand where others have logits."""

    def forward(self, tokens: torch.Tensor, **_):
        found = self.typed(self.model.base_model, tokens)
        found.logits = found.last_hidden_state
        return found

    def scores(self, tokens: torch.Tensor) -> np.ndarray:
        """Of each label, of a model that has some."""
        return self.typed(self.model, tokens).logits[0].numpy()


def types_of(tokens: int, count: int) -> list[int]:
    """Of each token: a text's first tokens have the types that they have in a longer one."""
    return [(i // 3) % count for i in range(tokens)] if count > 1 else []


def write_modules(directory: Path, mode: str, normalize: bool) -> None:
    """What sentence-transformers writes beside a config.json."""
    kinds = ["Transformer", "Pooling", *(["Normalize"] if normalize else [])]
    modules = [{"idx": i, "name": str(i), "path": f"{i}_{kind}" if i else "",
                "type": f"sentence_transformers.models.{kind}"} for i, kind in enumerate(kinds)]  # fmt: skip
    (directory / "modules.json").write_text(json.dumps(modules, indent=2) + "\n")
    (directory / "1_Pooling").mkdir()
    (directory / "1_Pooling" / "config.json").write_text(json.dumps({key: each == mode for each, key in MODES.items()}) + "\n")
    (directory / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 300, "do_lower_case": False}) + "\n")


def vector_of(hidden: np.ndarray, mode: str, normalize: bool) -> np.ndarray:
    """Of a text's hidden states, [tokens, hidden]."""
    vector = {"mean": hidden.mean(axis=0), "cls": hidden[0], "last": hidden[-1]}[mode]
    return vector / np.linalg.norm(vector) if normalize else vector
