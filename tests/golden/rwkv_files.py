"""RWKV-6 and RWKV-7 as GGUF files have them, from the models of rwkv_papers.py: what llama.cpp's conversion calls their
tensors, which of them it joins, and what it divides."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from torch import nn

from rwkv_papers import FINCH, GOOSE, Finch, Goose, finch_tensors, goose_tensors
from spec_case import VOCABULARY

COMMON = {
    "receptance.weight": "time_mix_receptance.weight", "key.weight": "time_mix_key.weight", "value.weight": "time_mix_value.weight",
    "output.weight": "time_mix_output.weight", "ffn_key.weight": "channel_mix_key.weight", "ffn_value.weight": "channel_mix_value.weight",
    **{f"{own}.{end}": f"{name}.{end}" for own, name in (("ln1", "attn_norm"), ("ln2", "attn_norm_2"), ("ln_x", "time_mix_ln"))
       for end in ("weight", "bias")},
}  # fmt: skip
OF_FINCH = COMMON | {
    "maa_x": "time_mix_lerp_x.weight", "gate.weight": "time_mix_gate.weight", "decay_down.weight": "time_mix_decay_w1.weight",
    "decay_up.weight": "time_mix_decay_w2.weight", "decay_up.bias": "time_mix_decay.weight", "time_faaaa": "time_mix_first.weight",
    "ffn_maa_k": "channel_mix_lerp_k.weight", "ffn_maa_r": "channel_mix_lerp_r.weight", "ffn_receptance.weight": "channel_mix_receptance.weight",
}  # fmt: skip
OF_GOOSE = COMMON | {
    "g_down.weight": "time_mix_g1.weight", "g_up.weight": "time_mix_g2.weight", "k_k": "time_mix_k_k.weight", "k_a": "time_mix_k_a.weight",
    "r_k": "time_mix_r_k.weight", "ffn_x_k": "channel_mix_lerp_k.weight",
    **{f"{word}_{own}": f"time_mix_{word}{i}.weight" for word in "wav"
       for i, own in enumerate(("up.bias", "down.weight", "up.weight"))},
}  # fmt: skip
OF_MODEL = {"tokens.weight": "token_embd.weight", "ln0.weight": "token_embd_norm.weight", "ln0.bias": "token_embd_norm.bias",
            "norm.weight": "output_norm.weight", "norm.bias": "output_norm.bias"}  # fmt: skip


@dataclass
class RwkvFile:
    """Some tensors of the model in one of the file, one after another, as `joined` says by the file's name; others one
    by one, as `names` calls them."""

    config: dict
    model: type[nn.Module]
    tensors: object
    names: dict[str, str]
    joined: dict[str, list[str]]

    def library_config(self) -> SimpleNamespace:
        """The sizes by the names that configurations of the library have."""
        return SimpleNamespace(num_hidden_layers=self.config["layers"], hidden_size=self.config["hidden"], vocab_size=VOCABULARY,
                               intermediate_size=self.config["intermediate"], layer_norm_eps=self.config["eps"])  # fmt: skip

    def stored(self, seed: int) -> dict[str, tuple[list[str], np.ndarray]]:
        """Of each tensor of the file: those of the model that it holds, and their values."""
        drawn = self.tensors(self.config, seed)
        result = {self.file_name(own): ([own], drawn[own]) for own in drawn if self.file_name(own)}
        for i in range(self.config["layers"]):
            for name, parts in self.joined.items():
                owns = [f"layers.{i}.{part}" for part in parts]
                values = np.stack([drawn[own] for own in owns])
                # Vectors are apart by two axes of one; the rows of the matrices of w1 stand in one axis, those of w2 in two.
                shape = {"time_mix_lerp_fused.weight": (len(owns), 1, 1, -1), "time_mix_w1.weight": (-1, values.shape[-1])}
                result[f"blk.{i}.{name}"] = (owns, values.reshape(shape.get(name, values.shape)))
        for name, (owns, values) in result.items():
            if name.endswith(("time_mix_output.weight", "channel_mix_value.weight")) and self.config.get("rescale"):
                result[name] = (owns, values / 2 ** (int(name.split(".")[1]) // self.config["rescale"]))
            if name.endswith("time_mix_first.weight"):
                result[name] = (owns, values.reshape(self.config["heads"], -1))
            if name.endswith("time_mix_r_k.weight"):
                result[name] = (owns, values.reshape(-1))
        return result

    def file_name(self, own: str) -> str | None:
        """None: it is one of those that are joined."""
        if own in OF_MODEL:
            return OF_MODEL[own]
        _, layer, part = own.split(".", 2)
        return f"blk.{layer}.{self.names[part]}" if part in self.names else None

    def name_of_copy(self, name: str) -> str | None:
        """Files of RWKV-7 have the tensors of the first layer's rates twice: that layer mixes in no earlier values, and the
        copies stand where others have the tensors for that."""
        return name.replace("_mix_a", "_mix_v") if self.model is Goose and name.startswith("blk.0.time_mix_a") else None


def finch_file(one_by_one: bool) -> tuple[SimpleNamespace, dict, RwkvFile]:
    """Its stream is halved after every second layer."""
    config = FINCH | {"hidden": 64, "head": 16, "intermediate": 96, "layers": 3, "mix_rank": 8, "decay_rank": 16, "rescale": 2}
    words = "wkvrg"
    joined = {"time_mix_w1.weight": [f"mix_{word}_down.weight" for word in words],
              "time_mix_w2.weight": [f"mix_{word}_up.weight" for word in words]}  # fmt: skip
    names = dict(OF_FINCH)
    if one_by_one:
        names |= {f"maa_{word}": f"time_mix_lerp_{word}.weight" for word in words}
    else:
        joined["time_mix_lerp_fused.weight"] = [f"maa_{word}" for word in words]
    file = RwkvFile(config, Finch, finch_tensors, names, joined)
    said = {"wkv.head_size": 16, "time_mix_extra_dim": 8, "time_decay_extra_dim": 16, "rescale_every_n_layers": 2}
    return file.library_config(), said | {"attention.head_count": 0}, file


def goose_file() -> tuple[SimpleNamespace, dict, RwkvFile]:
    config = GOOSE | {"hidden": 64, "head": 16, "intermediate": 96, "layers": 3, "decay_rank": 16, "rate_rank": 8,
                      "gate_rank": 24, "value_rank": 12}  # fmt: skip
    joined = {"time_mix_lerp_fused.weight": [f"x_{word}" for word in "rwkvag"]}
    file = RwkvFile(config, Goose, goose_tensors, OF_GOOSE, joined)
    said = {"wkv.head_size": 16, "attention.decay_lora_rank": 16, "attention.iclr_lora_rank": 8, "attention.gate_lora_rank": 24,
            "attention.value_residual_mix_lora_rank": 12}  # fmt: skip
    return file.library_config(), said | {"attention.head_count": 0}, file
