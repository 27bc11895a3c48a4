"""What a golden case is, and what configurations and cases of several families are written with."""

from dataclasses import dataclass, field
from typing import Any

DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}  # golden's word: config.json's word

# Causal models: row i is the last row of the prompt of i + 1 tokens, so these are prompts of 1, 2, 3, 4, 8 ... 300.
ROWS = (0, 1, 2, 3, 7, 15, 31, 61, 62, 63, 64, 65, 66, 100, 127, 128, 129, 200, 255, 256, 257, 297, 298, 299)
PREFIXES = (1, 2, 63, 64, 65)  # prompts that are run on their own as well, here and by the tests of an engine


@dataclass
class Calls:
    """How sequences are appended whose rows depend on it: each pattern is the tokens of one call after the other, on a
    fresh model. A sequence that comes to be longer than `computed_anew_past` is computed from its first token on, as
    transformers' generation does where LongRoPE switches."""

    patterns: tuple[tuple[int, ...], ...]
    computed_anew_past: int | None = None


TEXTS = Calls(((1,), (2,), (63,), (64,), (65,), (200,)))  # of a model that reads a text whole: each of them is one pass


EACH, ALONE = "one token to each expert", "all tokens to one expert"


@dataclass
class Case:
    """One architecture. `config` is config.json but for its dtype key, whose spelling (torch_dtype, dtype, or none
    at all, as in the hub's gpt2) is `dtype_key`. `checkpoint` says how the file departs from one plain file that
    holds exactly the parameters: `shards`, `prefix`, tensors that an importer has to know how to leave out, and by the ends
    of their names those that it is `without`.
    `dtypes` are those it is made in; `rows` those of the prompt whose logits are kept. `calls`: rows depend on them.
    `routed`: how its mixtures divide the prompt among their experts, EACH or ALONE; None: as it happens. `pooling`: what
    sentence-transformers' files say of it, a mode and whether vectors are normalised; None: there are no such files.
    `dense`: layers behind pooling, each as wide as what it gives, whether it has a bias, and torch's activation."""

    name: str
    seed: int
    description: str
    config: dict[str, Any]
    dtype_key: str | None = "torch_dtype"
    checkpoint: dict[str, Any] = field(default_factory=dict)
    dtypes: tuple[str, ...] = tuple(DTYPES)
    sequence_length: int = 300
    rows: tuple[int, ...] = ROWS
    calls: Calls | None = None
    routed: str | None = None
    pooling: tuple[str, bool] | None = None
    dense: tuple[tuple[int, bool, str], ...] = ()

    def config_json(self, dtype: str) -> dict[str, Any]:
        named = {self.dtype_key: DTYPES[dtype]} if self.dtype_key else {}
        return dict(sorted((self.config | named).items()))


# Around an original length of 80 positions: prompts that end before it, at it and past it, and tokens one by one over it.
LENGTH_CALLS = ((30, 20, 1), (79, 1, 1, 1, 1), (80, 1, 1), (81, 1), (40, 60, 1), (150, 20, 1, 1), (300,))
LONG = 2080  # tokens of the cases that look past position 2,000


def long_rows(*edges: int) -> tuple[int, ...]:
    """Some of the first 300, then around these edges and past 2,000."""
    around = {row for edge in edges for row in range(edge - 1, edge + 3)}
    return tuple(sorted({*ROWS} | around | {1022, 1023, 1024, 1025, 1999, 2000, 2001, 2046, 2047, 2048, 2049, 2063,
                                            LONG - 2, LONG - 1}))  # fmt: skip


def respelled(config, **keys):
    """The same configuration as transformers 5 saves it: rotary parameters in a table of their own, null token ids."""
    config = dict(config)
    config.pop("rope_scaling", None)
    config["rope_parameters"] = {"rope_theta": config.pop("rope_theta"), "rope_type": "default"}
    return config | {"pad_token_id": None, "transformers_version": "5.23.0"} | keys


def sizes(hidden, intermediate, layers, heads, kv_heads, vocab, head_dim=None):
    """None leaves the key out, as configurations do that leave it to be derived."""
    keys = {
        "hidden_size": hidden, "intermediate_size": intermediate, "num_hidden_layers": layers,
        "num_attention_heads": heads, "num_key_value_heads": kv_heads, "vocab_size": vocab, "head_dim": head_dim,
    }  # fmt: skip
    return {key: value for key, value in keys.items() if value is not None}
