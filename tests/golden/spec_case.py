"""What a golden of a spec is, and what it has to tell from it."""

from dataclasses import dataclass, field
from types import ModuleType
from typing import Callable

import numpy as np
import torch
from torch import nn

from case import ROWS, Calls

VOCABULARY = 101


@dataclass
class Change:
    """Another model: other `keys` of its configuration, a function replaced in `patch`, or parts edited."""

    what: str
    keys: dict = field(default_factory=dict)
    patch: tuple[ModuleType | type, str, Callable] | None = None
    edit: Callable[[nn.Module], None] | None = None
    near: bool = False  # the two models approximate each other


@dataclass
class SpecCase:
    """`build` gives the model of a configuration, `tensors` its parameters. `stored` are those of the file: the
    model's, unless a spec cannot name them one by one."""

    name: str
    seed: int
    description: str
    architecture: str
    config: dict
    build: Callable[[dict], nn.Module]
    tensors: Callable[[dict, int], dict[str, np.ndarray]]
    changes: list[Change]
    stored: Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor]] = dict
    in_double: bool = False  # logits are those of the run in double, whatever the run in f32 gives
    sequence_length: int = 300
    rows: tuple[int, ...] = ROWS
    calls: Calls | None = None  # rows depend on them

    @property
    def directory(self) -> str:
        return f"{self.name}-spec-f32"


def zeroed(suffix: str) -> Callable[[nn.Module], None]:
    """Parameters whose names end so become zero."""

    def edit(model):
        for name, parameter in model.named_parameters():
            if name.endswith(suffix):
                parameter.zero_()

    return edit
