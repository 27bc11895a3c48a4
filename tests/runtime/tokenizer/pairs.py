#!/usr/bin/env python3
"""Makes pairs.json: what the `tokenizers` library gives for pairs of texts and for truncated ones, types included, by the
tokenizers that lie in cases/.

    python3 pairs.py
"""

import json
import pathlib

from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).parent
# One has special tokens in it, marks the front, is longer than the other, is empty.
PAIRS = [
    ("Alice was beginning to get very tired", "of sitting by her sister on the bank."), ("", ""), ("that", ""),
    ("", " 12 café"), ("a<|end|>b<mask> x", "<s>日本 [SEP]</s>🙂"), ("a nation", "conceived in Liberty, and dedicated to the proposition"),
]
KINDS = ["bert", "bert_cased", "roberta", "gpt2", "llama3", "qwen2", "starcoder", "llama2", "gemma", "marked_first",
         "marked_always", "unigram", "unigram_bytes", "unigram_precompiled", "word_level"]


def template(single, pair, **special):
    """"cls:2 A sep": pieces with their types; `special`: the ids of each."""
    def piece(text):
        name, _, type_id = text.partition(":")
        return {"Sequence" if name in "AB" else "SpecialToken": {"id": name, "type_id": int(type_id or 0)}}

    tokens = {name: {"id": name, "ids": ids, "tokens": [name] * len(ids)} for name, ids in special.items()}
    return {"type": "TemplateProcessing", "single": [piece(p) for p in single.split()],
            "pair": [piece(p) for p in pair.split()], "special_tokens": tokens}


def sequence(*processors):
    return {"type": "Sequence", "processors": processors}


BERT = {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}
ROBERTA = {"type": "RobertaProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1], "trim_offsets": True,
           "add_prefix_space": False}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
SWAPPED = template("A:5", "B:7 A:6")
# In the place of bert's own.
POST_PROCESSORS = {
    "none": None,
    "albert": template("cls A sep", "cls A sep B:1 sep:1", cls=[1], sep=[2]),
    "xlnet": template("A sep cls:2", "A sep B:1 sep:1 cls:2", cls=[1], sep=[2]),
    "xlm_roberta": template("cls A sep", "cls A sep sep B sep", cls=[1], sep=[2]),
    "t5": template("A sep", "A sep B sep", sep=[2]),
    "llama": template("cls A", "cls A cls:1 B:1", cls=[1]),
    "several_ids": template("two:3 A:1 sep:4", "two:2 B:3 two:9 sep A:1 sep:4", two=[1, 3], sep=[2]),
    "swapped": SWAPPED,
    "roberta": ROBERTA,
    "empty_sequence": sequence(),
    "nested": sequence(sequence(BYTE_LEVEL, BERT), BYTE_LEVEL),
    "swapped_twice": sequence(SWAPPED, SWAPPED),
    "swapped_bert": sequence(SWAPPED, BERT),
    "swapped_roberta": sequence(SWAPPED, ROBERTA),
    "swapped_template": sequence(SWAPPED, template("cls A", "cls:3 A:2 sep:9 B:4", cls=[1], sep=[2, 2])),
}


def encoded(tokenizer, texts, limit=None):
    tokenizer.no_truncation()
    if limit is not None:
        tokenizer.enable_truncation(limit, strategy="longest_first")
    encoding = tokenizer.encode(*texts)
    return encoding.ids, "".join(map(str, encoding.type_ids))


def cases(tokenizer, pairs):
    """[texts, number of the pair, limit or null, ids, types]: one text or two, whole and at limits; the least is that of
    the special tokens, below which the library does not truncate."""
    for count in (1, 2):
        least = tokenizer.num_special_tokens_to_add(count == 2)
        for i, pair in pairs if count == 2 else pairs[:1]:
            whole = encoded(tokenizer, pair[:count])
            yield [count, i, None, *whole]
            size = len(whole[0])
            limits = {least, least + 1, size - 1, size, (least + size) // 2} if i == 0 else {(2 * least + size) // 3}
            for limit in sorted(limits - {size} if i else limits):
                yield [count, i, limit, *encoded(tokenizer, pair[:count], limit)]


def truncated_lengths():
    """For each limit the lengths of what is left of two texts of 0 to 5 tokens, the first text's in the outer order."""
    tokenizer = Tokenizer.from_file(str(HERE / "cases/word_level/tokenizer.json"))
    for limit in range(12):
        lengths = []
        for first in range(6):
            for second in range(6):
                types = encoded(tokenizer, ["that " * first, "that " * second], limit)[1]
                lengths.append(f"{types.count('0')}{types.count('1')}")
        yield " ".join(lengths)


def line(value):
    return json.dumps(value, separators=(",", ":"))


def lines(values):
    return "[\n" + ",\n".join(map(line, values)) + "\n]"


def named(parts):
    return "{" + ",\n".join(f'"{name}":{part}' for name, part in parts) + "}"


def write_pairs():
    every = list(enumerate(PAIRS))
    kinds = [(kind, lines(cases(Tokenizer.from_file(str(HERE / f"cases/{kind}/tokenizer.json")), every))) for kind in KINDS]
    definition = json.loads((HERE / "cases/bert/tokenizer.json").read_text())
    some = [every[0], every[2], every[5]]
    forms = []
    for name, processor in POST_PROCESSORS.items():
        tokenizer = Tokenizer.from_str(json.dumps({**definition, "post_processor": processor}))
        forms.append((name, named([("post_processor", line(processor)), ("cases", lines(cases(tokenizer, some)))])))
    parts = [("pairs", lines(PAIRS)), ("kinds", named(kinds)), ("post_processors", named(forms)), ("lengths", lines(truncated_lengths()))]
    (HERE / "pairs.json").write_text(named(parts) + "\n")


if __name__ == "__main__":
    write_pairs()
