"""Models that give no logits: hidden states of each token, and vectors of texts."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn

import library_models
from case import Case
from weights import Weights

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


@dataclass
class Dense:
    """A layer behind pooling, in double; the bias is 0 where it has none."""

    matrix: np.ndarray  # [out_features, in_features]
    bias: np.ndarray
    activation: str  # a class of torch.nn

    def __call__(self, vector: np.ndarray) -> np.ndarray:
        moved = torch.from_numpy(self.matrix @ vector + self.bias)
        return getattr(nn, self.activation)()(moved).numpy()


def dense_of(case: Case, dtype: torch.dtype) -> list[Dense]:
    """Rounded as their files have them."""
    layers, width = [], case.config["hidden_size"]
    for number, (size, has_bias, activation) in enumerate(case.dense):
        weights = Weights(case.seed + 1000 * (number + 1))
        weights.projection("linear", size, width, has_bias)
        rounded = {key: torch.from_numpy(each).to(dtype).double().numpy() for key, each in weights.tensors.items()}
        layers.append(Dense(rounded["linear.weight"], rounded.get("linear.bias", np.zeros(size)), activation))
        width = size
    return layers


def write_dense(directory: Path, layer: Dense, has_bias: bool, dtype: torch.dtype) -> None:
    """As sentence-transformers does: a config.json, and a file of weights of its own."""
    directory.mkdir()
    rows, columns = layer.matrix.shape
    place = "linear" if layer.activation == "Identity" else "activation"
    config = {"in_features": columns, "out_features": rows, "bias": has_bias,
              "activation_function": f"torch.nn.modules.{place}.{layer.activation}"}  # fmt: skip
    (directory / "config.json").write_text(json.dumps(config) + "\n")
    tensors = {"linear.weight": layer.matrix} | ({"linear.bias": layer.bias} if has_bias else {})
    path = directory / "model.safetensors"
    save_file({name: torch.from_numpy(each).to(dtype) for name, each in tensors.items()}, path, {"format": "pt"})
    path.chmod(0o644)  # the library keeps others from reading it


def is_causal(config: dict) -> bool:
    """Of a model that gives vectors: whether no token sees a later one."""
    return library_models.is_bare_decoder(config) and not config.get("use_bidirectional_attention")


def write_modules(directory: Path, case: Case, dtype: torch.dtype) -> None:
    """What sentence-transformers writes beside a config.json."""
    mode, normalize = case.pooling
    kinds = ["Transformer", "Pooling", *["Dense"] * len(case.dense), *(["Normalize"] if normalize else [])]
    modules = [{"idx": i, "name": str(i), "path": f"{i}_{kind}" if i else "",
                "type": f"sentence_transformers.models.{kind}"} for i, kind in enumerate(kinds)]  # fmt: skip
    (directory / "modules.json").write_text(json.dumps(modules, indent=2) + "\n")
    (directory / "1_Pooling").mkdir()
    (directory / "1_Pooling" / "config.json").write_text(json.dumps({key: each == mode for each, key in MODES.items()}) + "\n")
    for number, (layer, (_, has_bias, _)) in enumerate(zip(dense_of(case, dtype), case.dense, strict=True)):
        write_dense(directory / f"{number + 2}_Dense", layer, has_bias, dtype)
    (directory / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 300, "do_lower_case": False}) + "\n")


def vector_of(hidden: np.ndarray, case: Case, dtype: torch.dtype) -> np.ndarray:
    """Of a text's hidden states, [tokens, hidden]."""
    mode, normalize = case.pooling or ("mean", False)
    return pooled(hidden, mode, dense_of(case, dtype), normalize)


def pooled(hidden: np.ndarray, mode: str, layers: list[Dense], normalize: bool) -> np.ndarray:
    vector = {"mean": hidden.mean(axis=0), "cls": hidden[0], "last": hidden[-1]}[mode]
    for layer in layers:
        vector = layer(vector)
    return vector / np.linalg.norm(vector) if normalize else vector
