#!/usr/bin/env python3
"""Makes real/: what the `tokenizers` library gives for real tokenizers, which scripts/fetch-tokenizers fetches, and for the
GGUF files of scripts/fetch-model.

    scripts/fetch-tokenizers && scripts/fetch-model smollm2 && scripts/fetch-model gemma3
    python3 make_real_goldens.py        (also needs transformers, which reads a GGUF file's tokens)
"""

import json
import pathlib
import random

from make_tokenizer_goldens import write
from texts import TEXTS, random_texts
from tokenizers import Tokenizer, pre_tokenizers
from transformers import AutoTokenizer

REAL = pathlib.Path(__file__).parent / "real"
BUILD = pathlib.Path(__file__).parents[3] / "build"
MORE = [
    "Bonjour le monde, ça va bien ? Où est l'été ?", "Привет, мир! Как дела?", "Γειά σου Κόσμε ΣΊΣΥΦΟΣ", "안녕하세요 세계, 반갑습니다",
    "ភាសាខ្មែរ", "မြန်မာဘာသာ", "ქართული ენა", "Հայերեն լեզու", "ትግርኛ", "தமிழ் மொழி", "Tiếng Việt rất đẹp", "Zażółć gęślą jaźń",
    "İstanbul ıI ẞß ŉ ǰ", "ﬁﬂ ㍿ ㌔ Ⅳ ⑩ ½ ㎏", "\u202eRTL\u202c override", "zero\u200dwidth\u200cjoiner\u2060x", "𐍈𐌰𐌹 𝕳𝖊𝖑𝖑𝖔",
    "<s> hello</s> <unk> <pad>", "<0x41><0x0A>", "[INST] x [/INST]", "<start_of_turn>user\nhi<end_of_turn>\n", "[CLS] hello [SEP] [MASK]",
    "<|im_start|>user\nWhat?<|im_end|>\n", "def f(x):\n\treturn x ** 2  # squared\n\n\nclass A:\n    pass\n",
    "SELECT * FROM t WHERE a >= 1.5e-3 AND b LIKE '%x_'; -- ok", "{\"a\": [1, 2.5e-3, null], \"b\": \"\\u00e9\\n\"}",
    "#include <vector>\nint main() { return std::vector<int>{1, 2}.size() - 2; }\n", "$\\sum_{i=1}^n \\frac{1}{i^2} \\approx \\pi^2/6$",
    "won't do not can't . , ! ?  ' it ' s", "2024-11-23T05:18:06Z +1 (555) 010-9999 192.168.0.1", "🏳️‍🌈🏴‍☠️👨🏿‍🚀 ☎️ ©®™ 1️⃣",
]


def as_json(name):
    if name == "gemma3-gguf":  # the file is of the same vocabulary as the published tokenizer.json
        return Tokenizer.from_file(str(BUILD / "tokenizers/gemma3/tokenizer.json"))
    if name == "smollm2-gguf":
        fast = AutoTokenizer.from_pretrained(str(BUILD / "models"), gguf_file="SmolLM2-135M-Instruct.Q4_1.gguf")
        tokenizer = fast.backend_tokenizer
        # The library gives every GGUF file GPT-2's pre-tokenizer; SmolLM2's own has each digit by itself.
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                                           pre_tokenizers.ByteLevel(add_prefix_space=False)])
        return tokenizer
    return Tokenizer.from_file(str(BUILD / "tokenizers" / name / "tokenizer.json"))


if __name__ == "__main__":
    texts = TEXTS + MORE + random_texts(random.Random(7), 60)
    write(REAL / "texts.json", texts)
    for name in [*json.loads((REAL / "known.json").read_text()), "smollm2-gguf", "gemma3-gguf"]:
        tokenizer = as_json(name)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        ids = [tokenizer.encode(text).ids for text in texts]
        decoded = [tokenizer.decode(row, skip_special_tokens=not name.endswith("-gguf")) for row in ids]
        write(REAL / f"{name}.expected.json", {"ids": ids, "decoded": [d if d != t else None for d, t in zip(decoded, texts)]})
