"""Mixtures that divide a prompt among their experts as a case wants it, each choosing one expert a token."""

import numpy as np
import torch

from case import ALONE, EACH

EMBEDDING_SIZE = 8.0  # of the part of an embedding that sets its token's expert: what layers add does not turn it away
FAVOURITE = 3  # the expert that all tokens have
ROUTER_SIZE = 0.6  # of a router's row. A larger one gives the first choice all of the shares, and the router does not matter


def route(tensors: dict[str, np.ndarray], routed: str) -> None:
    """Gives all routers the same rows, and has token t's embedding lie along row t of them, or each along one expert's."""
    routers = [name for name in tensors if name.endswith("mlp.gate.weight")]
    table = next(name for name in tensors if name.endswith("embed_tokens.weight"))
    directions = tensors[routers[0]] / np.linalg.norm(tensors[routers[0]], axis=1, keepdims=True)
    for name in routers:
        tensors[name] = ROUTER_SIZE * directions
    tensors[table] += EMBEDDING_SIZE * (directions[: len(tensors[table])] if routed == EACH else directions[FAVOURITE])


@torch.no_grad()
def faults(model, tokens: list[int], routed: str) -> list[str]:
    """What is wrong with the experts that the library's routers choose for a prompt."""
    chosen: dict[str, list[int]] = {}

    def keep(name):
        return lambda module, inputs, results: chosen.update({name: results[-1].flatten().tolist()})

    hooks = [module.register_forward_hook(keep(name)) for name, module in model.named_modules()
             if type(module).__name__.endswith("Router")]  # fmt: skip
    model(torch.tensor([tokens]), use_cache=False)
    for hook in hooks:
        hook.remove()
    right = {EACH: lambda of: len(set(of)) == len(tokens) == len(of), ALONE: lambda of: len(set(of)) == 1}[routed]
    return [f"{name} chooses {of}" for name, of in chosen.items() if not right(of)] or ([] if chosen else ["no router"])
