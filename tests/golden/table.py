"""README.md's table of what is in cases/."""

import json
from pathlib import Path

from cases import cases


def size_of(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def print_table(out: Path) -> None:
    """Of an encoder-decoder the decoder's sizes."""
    heading = ["case", "what it is for", "hidden", "MLP", "layers", "heads", "head_dim", "vocabulary", "parameters",
               "KB"]  # fmt: skip
    print("| " + " | ".join(heading) + " |\n|" + " --- |" * len(heading))
    for case in cases():
        config = case.config | case.config.get("decoder", {})

        def said(*names):
            """What the first of the names says that is there, and is not null; of a list its ends."""
            value = next((config[name] for name in names if config.get(name) is not None), None)
            if isinstance(value, list):
                return f"{value[0]} to {value[-1]}" if value[0] != value[-1] else value[0]
            return value

        hidden = said("hidden_size", "n_embd", "n_embed", "d_model", "model_dim", "dim")
        heads = said("num_attention_heads", "n_head", "num_heads", "n_heads", "attention_heads", "num_query_heads",
                     "decoder_attention_heads")  # fmt: skip
        grouped = not config.get("new_decoder_architecture")
        shared = 1 if grouped and said("multi_query", "multi_query_attention") else None
        kv_heads = shared or said("num_key_value_heads", "num_kv_heads", "n_kv_heads") or heads
        inner = said("intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim", "dff", "mlp_hidden_size",
                     "ffn_multipliers", "hidden_dim", "decoder_ffn_dim", "d_ff")  # fmt: skip
        kilobytes = [round(size_of(out / f"{case.name}-{dtype}") / 1000) for dtype in case.dtypes]
        columns = [
            f"`{case.name}`", case.description, hidden,
            inner or config.get("mlp_ratio", config.get("expand", 4)) * hidden,
            said("decoder_layers", "num_decoder_layers", "num_hidden_layers", "n_layer", "num_layers", "n_layers",
                 "num_transformer_layers"),
            f"{heads}:{kv_heads}" if heads else "",
            said("head_dim", "d_kv") or (hidden // heads if heads else ""), config["vocab_size"],
            json.loads((out / f"{case.name}-{case.dtypes[0]}" / "golden.json").read_text())["parameters"],
            ", ".join(map(str, kilobytes)) + (f" ({case.dtypes[0]})" if len(case.dtypes) == 1 else ""),
        ]  # fmt: skip
        print("| " + " | ".join(map(str, columns)) + " |")
