"""Decoders without their head, which give vectors of texts."""

from case import TEXTS, Case, sizes
from cases_of_gemmas import gemma3
from cases_of_llamas import qwen3


def qwen3_vectors(**keys):
    """Qwen3-Embedding's layers, under the class that sentence-transformers loads."""
    return qwen3(**{"architectures": ["Qwen3Model"]} | keys)


def gemma3_vectors(**keys):
    """EmbeddingGemma: Gemma 3's layers, whose queries see later keys too."""
    config = gemma3(**{"architectures": ["Gemma3TextModel"], "_sliding_window_pattern": 6,
                       "transformers_version": "4.57.0.dev0", "use_bidirectional_attention": True} | keys)  # fmt: skip
    return {key: value for key, value in config.items() if key not in ("cache_implementation", "sliding_window_pattern")}


CASES = [
    Case("qwen3-vectors", 4081, "the last token's hidden states, normalised; norms of heads, grouped 4:2",
         qwen3_vectors(**sizes(48, 61, 2, 4, 2, 101, 18)), dtypes=("bf16",), calls=TEXTS, pooling=("last", True)),
    Case("gemma3-vectors", 4082, "15 keys on both sides of a token in two of three layers; the mean, two dense layers without "
         "biases, normalised, as EmbeddingGemma's files say",
         gemma3_vectors(**sizes(48, 61, 3, 3, 1, 101, 16), sliding_window=31, query_pre_attn_scalar=20,
                        layer_types=["sliding_attention", "full_attention", "sliding_attention"]), "dtype",
         dtypes=("f32",), calls=TEXTS, pooling=("mean", True), dense=((72, False, "Identity"), (40, False, "Identity"))),
    Case("gemma3-vectors-causal", 4083, "queries that see no later key; the last token's hidden states, a dense layer with a "
         "bias and tanh",
         gemma3_vectors(**sizes(48, 59, 2, 4, 2, 97, 12), sliding_window=16, query_pre_attn_scalar=16,
                        layer_types=["sliding_attention", "full_attention"], use_bidirectional_attention=False), "dtype",
         dtypes=("f16",), calls=TEXTS, pooling=("last", False), dense=((33, True, "Tanh"),)),
]  # fmt: skip
