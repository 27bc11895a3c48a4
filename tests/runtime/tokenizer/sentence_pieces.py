"""SentencePiece models trained on the corpus, and tokenizers as GGUF files carry them."""

import json
import pathlib
import tempfile

import gguf
import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto
from texts import CORPUS

# What replaces what, longest first, in SentencePiece's table of code points.
RULES = {"ſ": "s", "é": "e", "e\u0301": "e", "½": "1/2", "\u00a0": " ", "\u3000": " ", "\t": " ", "\n": " ", "日本": "nihon",
         "日": "hi", "\u200b": "", "🙂": ":)", "I": "i", "'S": "'s"}


def sentence_pieces(model_type, **options):
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        (folder / "corpus").write_text(CORPUS)
        (folder / "rules.tsv").write_text("".join(
            "\t".join(" ".join(f"{ord(c):X}" for c in side) for side in rule) + "\n" for rule in RULES.items()))
        if options.pop("rules", False):
            options["normalization_rule_tsv"] = folder / "rules.tsv"
        else:
            options["normalization_rule_name"] = "identity"
        sentencepiece.SentencePieceTrainer.train(
            input=str(folder / "corpus"), model_prefix=str(folder / "m"), model_type=model_type, hard_vocab_limit=False,
            minloglevel=2, num_threads=1, **{key: str(value) if isinstance(value, pathlib.Path) else value
                                             for key, value in options.items()})
        model = ModelProto.FromString((folder / "m.model").read_bytes())
    model.trainer_spec.ClearField("input")  # where it was trained is no part of it
    model.trainer_spec.ClearField("model_prefix")
    model.normalizer_spec.ClearField("normalization_rule_tsv")
    return model.SerializeToString(deterministic=True)


def written(model_type, pieces, **normalizer):
    """A model that no trainer made: (piece, score, type by the numbers of sentencepiece_model.proto)."""
    model = ModelProto()
    for piece, score, kind in [("<unk>", 0, 2), ("<s>", 0, 3), *pieces]:
        added = model.pieces.add()
        added.piece, added.score, added.type = piece, score, kind
    model.trainer_spec.model_type = {"unigram": 1, "bpe": 2}[model_type]
    model.trainer_spec.byte_fallback = any(kind == 6 for _, _, kind in pieces)
    model.normalizer_spec.name = "identity"
    for key, value in normalizer.items():
        setattr(model.normalizer_spec, key, value)
    return model.SerializeToString(deterministic=True)


LETTERS = [(letter, -4 - i / 8, 1) for i, letter in enumerate("▁aeinrst")]
BYTES = [(f"<0x{byte:02X}>", 0, 6) for byte in range(256)]

SENTENCE_PIECES = {
    # User-defined pieces beside better ones of the same text, and unused ones.
    "sp_defined": lambda: written("unigram", [*LETTERS, ("st", -0.5, 1), ("sis", -1, 4), ("is", -0.1, 1), ("▁sist", -2, 1), ("tha", -9, 4),
                                              ("that", -0.2, 1), ("ter", -1, 5), ("er", -2, 1)]),
    "sp_unused": lambda: written("bpe", [*LETTERS, ("st", -1, 5), ("is", -2, 1), ("ist", -3, 5), ("er", -2.5, 5), ("ter", -3, 1), ("ster", -4, 5),
                                         ("▁s", -5, 5), ("▁si", -6, 1), ("in", -7, 5)], add_dummy_prefix=False),
    "sp_front": lambda: written("unigram", [*LETTERS, ("▁▁", -9, 1), ("▁a", -1, 1), *BYTES], add_dummy_prefix=False),
    "sp_unigram": lambda: sentence_pieces("unigram", vocab_size=220, rules=True, user_defined_symbols=["<tool>", "sister"]),
    "sp_bpe": lambda: sentence_pieces("bpe", vocab_size=260, rules=True, remove_extra_whitespaces=False),
    "sp_llama": lambda: sentence_pieces("bpe", vocab_size=560, byte_fallback=True, remove_extra_whitespaces=False,
                                        user_defined_symbols=["▁▁", "<tool>"]),
    "sp_bytes": lambda: sentence_pieces("unigram", vocab_size=520, byte_fallback=True, add_dummy_prefix=False),
}


def charsmap():
    """The table of RULES, as files converted from SentencePiece carry it."""
    return ModelProto.FromString(sentence_pieces("unigram", vocab_size=220, rules=True)).normalizer_spec.precompiled_charsmap


def write_gguf(path, model, tokenizer=None):
    """The same tokenizer as a GGUF file carries it: from a tokenizer.model's bytes, or a byte-level BPE's definition."""
    writer = gguf.GGUFWriter(path, "llama")
    if tokenizer is None:
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        ids = range(processor.vocab_size())
        defined = {"▁▁", "<tool>"}  # written as in a text
        kinds = [2 if processor.is_unknown(i) else 3 if processor.is_control(i) else 6 if processor.is_byte(i)
                 else 4 if processor.id_to_piece(i) in defined else 1 for i in ids]
        writer.add_tokenizer_model("llama")
        writer.add_token_list([processor.id_to_piece(i).replace("▁", " " if kinds[i] == 4 else "▁") for i in ids])
        writer.add_token_scores([processor.get_score(i) for i in ids])
        writer.add_token_types(kinds)
        writer.add_bos_token_id(processor.bos_id())
        writer.add_add_bos_token(True)
    else:
        definition = json.loads(tokenizer.to_str())
        vocabulary = {**definition["model"]["vocab"], **{t["content"]: t["id"] for t in definition["added_tokens"]}}
        special = {t["content"] for t in definition["added_tokens"] if t["special"]}
        added = {t["content"] for t in definition["added_tokens"]}
        tokens = sorted(vocabulary, key=vocabulary.get)
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("llama-bpe")
        writer.add_token_list(tokens)
        writer.add_token_types([3 if t in special else 4 if t in added else 1 for t in tokens])
        writer.add_token_merges([" ".join(merge) for merge in definition["model"]["merges"]])
        writer.add_bos_token_id(vocabulary["<|begin|>"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def write_world(path, tokens):
    """RWKV's World as a GGUF file carries it: bytes as Python writes them; the first token is the end of a text."""
    writer = gguf.GGUFWriter(path, "rwkv7")
    writer.add_tokenizer_model("rwkv")
    writer.add_token_list([tokens[0].decode(), *(repr(token)[2:-1] for token in tokens[1:])])
    writer.add_token_types([3, *(1 for _ in tokens[1:])])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
