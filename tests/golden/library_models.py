"""Families whose goldens are data alone: their tensors are those of the library's class, and each key of their config.json
is changed to other values of its form. What a change does is measured and recorded, not foretold."""

import numpy as np
import torch
import transformers

from weights import QUERY_KEY_GAIN, Weights

FAMILIES = ("biogpt", "ctrl", "gptj", "mpt", "openai-gpt", "opt", "phi", "xglm")
QUERIES_AND_KEYS = ("q_proj", "k_proj", "Wq", "Wk")


def library_weights(config: dict, seed: int, **_) -> dict[str, np.ndarray]:
    """Drawn as other families' are, module by module, under the names of the class's parameters."""
    settings = {key: value for key, value in config.items() if key not in ("architectures", "model_type", "transformers_version")}
    library_class = getattr(transformers, config["architectures"][0])
    model = library_class(library_class.config_class(**settings))
    weights = Weights(seed)
    for name, module in model.named_modules():
        own = dict(module.named_parameters(recurse=False))
        if isinstance(module, torch.nn.Embedding):
            rows, columns = module.weight.shape
            draw = weights.embedding if rows == model.config.vocab_size else weights.table
            draw(f"{name}.weight", rows, columns)
        elif isinstance(module, torch.nn.LayerNorm):
            if "weight" in own:
                weights.norm(name, module.weight.shape[0], bias="bias" in own)
        elif isinstance(module, torch.nn.Linear):
            if module is model.get_output_embeddings() and model.config.tie_word_embeddings:
                if module.bias is not None:
                    weights.bias(name, module.bias.shape[0])
                continue
            gain = QUERY_KEY_GAIN if name.endswith(QUERIES_AND_KEYS) else 1.0
            weights.projection(name, *module.weight.shape, "bias" in own, gain=gain)
        elif type(module).__name__ == "Conv1D":  # stored (in, out)
            weights.projection(name, *module.weight.shape[::-1], True)
            weights.tensors[f"{name}.weight"] = weights.tensors[f"{name}.weight"].T.copy()
        elif own:
            raise NotImplementedError(f"{name} is a {type(module).__name__}, whose parameters nobody draws")
    return weights.tensors


def other_values(key: str, value) -> list:
    """Values of the same form that mean something else."""
    if isinstance(value, bool):
        return [not value]
    if key == "pad_token_id":
        return [0, 7]
    if isinstance(value, int):
        return [2 * value] if value > 0 else [1]
    if "eps" in key:  # a little more or less of it would not show
        return [0.01]
    if isinstance(value, float):
        return [1.5 * value, 0.3 * value] if value > 0 else [0.5]
    if key in ("activation_function", "hidden_act", "afn"):
        return [each for each in ("gelu", "relu", "silu") if each != value]
    return [] if value is None else ["other"]


def idle_names(config: dict) -> tuple[str, ...]:
    """What is added to all keys, where they are not rotated, matters to no score."""
    return () if config["model_type"] in ("phi", "gptj") else ("k_proj.bias", "Wk.bias")
