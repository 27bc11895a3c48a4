#!/usr/bin/env python3
"""Makes cases/: small byte-level BPE tokenizers of the kinds the hub has, and what the `tokenizers` library gives for
texts that are easily got wrong. The same bytes each time (pinned in requirements.txt, seeded).

    python3 make_tokenizer_goldens.py        (rewrites cases/ beside this file)
"""

import json
import pathlib
import random
import shutil

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CASES = pathlib.Path(__file__).parent / "cases"
SEED = 20

# Lincoln at Gettysburg, 1863, and Carroll's Alice, 1865: in the public domain.
CORPUS = """Four score and seven years ago our fathers brought forth on this continent, a new nation, conceived in Liberty,
and dedicated to the proposition that all men are created equal. Now we are engaged in a great civil war, testing whether
that nation, or any nation so conceived and so dedicated, can long endure. We are met on a great battle-field of that war.
We have come to dedicate a portion of that field, as a final resting place for those who here gave their lives that that
nation might live. It is altogether fitting and proper that we should do this.

Alice was beginning to get very tired of sitting by her sister on the bank, and of having nothing to do: once or twice she
had peeped into the book her sister was reading, but it had no pictures or conversations in it, 'and what is the use of a
book,' thought Alice 'without pictures or conversations?' So she was considering in her own mind (as well as she could, for
the hot day made her feel very sleepy and stupid), whether the pleasure of making a daisy-chain would be worth the trouble
of getting up and picking the daisies, when suddenly a White Rabbit with pink eyes ran close by her. I don't know, we'll
see; it's said that they've gone and I'm sure you'd agree they're right. 1863, 1865, 12 and 144.
"""

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
          r"\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
# Marks and letters together, punctuation by Unicode's classes, scripts apart: as DeepSeek's and others' patterns do.
MARKS = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"
         r"\s*[\r\n]+|\s+(?!\S)|\s+")

TEXTS = [
    "", " ", "  ", "a", " a", "a ", "Alice was beginning to get very tired of sitting by her sister on the bank.",
    "Four score and seven years ago\nour fathers\n\nbrought forth\r\n\r\n on this continent",
    "it's IT'S It’s we'll WE'LL they've I'M you'd 're 'x ''s 'ſ 'S's", "don't won't can't o'clock rock'n'roll",
    "1", "12", "123", "1234", "12345678901", "a1b22c333d4444", "1,234,567.89 -0.5e-10 0x1F", "٣٤٥ ½ ² Ⅷ 五 ①②③",
    "     leading", "trailing     ", "in      between", "\t\ttabs\tand spaces \t \n \n\n  x", "\n", "\n\n\n", " \n \n ", "\r", "a\rb",
    "no-break\u00a0space\u3000ideographic\u2003em\u180emongolian\u0085next\u2028line\u200bzero",
    "café naïve Ångström straße ĳ ǅ", "cafe\u0301 nai\u0308ve A\u030angstro\u0308m", "\u1100\u1161\u11a8 \uac01 e\u0323\u0301 \u0301alone",
    "\u212b \u2126 \u00c5 \ufb01 \u0344 \u0958", "नमस्ते दुनिया क्षत्रिय", "สวัสดีชาวโลก", "مرحبا بالعالم ١٢٣", "שָׁלוֹם עוֹלָם",
    "日本語のテキスト、そして中文和한국어。", "こんにちは世界！ 你好，世界？", "𠮷野家 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟘𝟙𝟚", "🙂", "🙂🙃 👩‍👩‍👧‍👦 🇺🇳 👍🏽 ❤️", "a🙂b 1🙂2 🙂\n",
    "\ufffd \ufeffbom \u0000null \u0001\u007f\u0080\u009f\u00ad", "Ã© â‚¬ ï»¿ \u00c3\u0083", "\u0120Ġ Ċ ĉ Ġa Äł",
    "!!! ??? ... --- *** ### @@@ $$$ ^^^ &&& (((", "for(int i=0;i<n;++i){a[i]+=b[i]*2;} // comment", "https://example.org/a?b=c&d=%20#e",
    "snake_case camelCase SHOUTING_CASE kebab-case", "x" * 40, "ab" * 25, "that " * 9, " " * 40, "\n" * 25, "é" * 20, "🙂" * 12,
    "<|endoftext|>", "a<|endoftext|>b", " <|endoftext|> ", "<|endoftext|><|endoftext|>", "<|endoftext", "<|endoftext|", "|endoftext|>",
    "<|begin|>Alice<|end|>\n", "<<|begin|>>", "<think>\nwell\n</think>", "<tool>x</tool>", "word<mask>word", "word <mask> word",
    "word  \n<mask>\t word", "<mask><mask>", " <mask> <mask> ", "a sister's sisters sister, sister_ sister1 ésister sister", "sistersister",
    "\u0301sister sister\u0301 sister\u00a0sister", "caf\u00e9tok cafe\u0301tok xcaf\u00e9tok", "  rsp   after", "lspa   lspa", "Zwei  Zwei", "<a><ab><abc>",
    "<abcd><ab", "<|end|> <|end|>  <|end|>", "\u00a0\u2003<mask>\u3000x", "a Rabbitx zebra zebras", "end.\n\n\tNew 'paragraph' begins: \"quoted\" — dashed – and… done",
]
POOL = list("aeist AIT'  \n\r\t.,!-_0123") + ["é", "e\u0301", "\u0323", "ß", "ſ", "日", "ক", "्", "🙂", "\u200d", "\u00a0", "\u3000", "\u0085", "½", "'s",
                                             "'ll", "'RE", "<mask>", "<|end|>", "sister", "that", "and", "\ufffd", "٣", "_", "/", "§"]


def trained(pre_tokenizer, vocab_size=360, normalizer=None, alphabet=True, **model):
    tokenizer = Tokenizer(models.BPE(**model))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    special = [model["unk_token"]] if "unk_token" in model else []
    tokenizer.train_from_iterator(
        CORPUS.splitlines(keepends=True),
        trainers.BpeTrainer(vocab_size=vocab_size, show_progress=False, special_tokens=special,
                            initial_alphabet=pre_tokenizers.ByteLevel.alphabet() if alphabet else []))
    return tokenizer


def byte_level(prefix=False, regex=True):
    return pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=regex)


def split_then_bytes(*splits):
    return pre_tokenizers.Sequence([*splits, byte_level(regex=False)])


def gpt2():
    tokenizer = trained(byte_level(), vocab_size=420)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.add_special_tokens([AddedToken("<|endoftext|>", normalized=False)])
    return tokenizer


def llama3():
    tokenizer = trained(split_then_bytes(pre_tokenizers.Split(Regex(LLAMA3), "isolated")), vocab_size=400, ignore_merges=True)
    definition = json.loads(tokenizer.to_str())
    for word in ("ĠRabbitx", "zebra"):  # the merges cannot reach these, only ignore_merges finds them
        definition["model"]["vocab"][word] = len(definition["model"]["vocab"])
    tokenizer = Tokenizer.from_str(json.dumps(definition))
    tokenizer.add_special_tokens(["<|begin|>", "<|end|>", "<|endoftext|>"])
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<|begin|> $A", pair="<|begin|> $A <|begin|> $B",
                                      special_tokens=[("<|begin|>", tokenizer.token_to_id("<|begin|>"))])])
    return tokenizer


def qwen2():
    tokenizer = trained(split_then_bytes(pre_tokenizers.Split(Regex(QWEN2), "isolated")), normalizer=normalizers.NFC())
    tokenizer.add_special_tokens(["<|endoftext|>", "<|end|>"])
    tokenizer.add_tokens([AddedToken("<tool>", normalized=False), AddedToken("</tool>", normalized=False), AddedToken("caf\u00e9tok"),
                          AddedToken("<think>", normalized=False)])
    return tokenizer


def starcoder():
    tokenizer = trained(pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte_level(prefix=True)]))
    tokenizer.add_special_tokens(["<|endoftext|>", AddedToken("<|end|>", rstrip=True, lstrip=True)])
    tokenizer.add_tokens([AddedToken("<mask>", lstrip=True, normalized=False), AddedToken("sister", single_word=True),
                          AddedToken("Zwei", rstrip=True, single_word=True), AddedToken("<a>"), AddedToken("<ab>"), AddedToken("<ab"),
                          AddedToken("rsp", rstrip=True), AddedToken("lspa", lstrip=True, normalized=False), AddedToken("日本")])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|end|> $A <|endoftext|>", special_tokens=[(t, tokenizer.token_to_id(t)) for t in ("<|end|>", "<|endoftext|>")])
    return tokenizer


def small(*splits, **more):
    return trained(split_then_bytes(*splits), vocab_size=280, **more)


KINDS = {
    "gpt2": gpt2,
    "llama3": llama3,
    "qwen2": qwen2,
    "starcoder": starcoder,
    "prefix_space": lambda: trained(byte_level(prefix=True), vocab_size=300),
    "whole_text": lambda: trained(byte_level(regex=False), vocab_size=300),
    "marks": lambda: small(pre_tokenizers.Split(Regex(r"\p{N}{1,3}"), "isolated"), pre_tokenizers.Split(Regex("[一-龥぀-ゟ゠-ヿ]+"), "isolated"),
                           pre_tokenizers.Split(Regex(MARKS), "isolated")),
    "removed": lambda: small(pre_tokenizers.Split(" ", "removed")),
    "merged_with_previous": lambda: small(pre_tokenizers.Split(Regex(r"\s"), "merged_with_previous")),
    "merged_with_next": lambda: small(pre_tokenizers.Split(Regex(r"[\s.,]"), "merged_with_next")),
    "contiguous": lambda: small(pre_tokenizers.Split(Regex(r"\W"), "contiguous"), pre_tokenizers.Digits(individual_digits=False)),
    "inverted": lambda: small(pre_tokenizers.Split(Regex(r"\w+"), "merged_with_previous", invert=True)),
    "inverted_removed": lambda: small(pre_tokenizers.Split(Regex(r"[\w\s]+"), "removed", invert=True)),
    "anchors": lambda: small(pre_tokenizers.Split(Regex(r"^\S+|\s++$|\b\w\b|(?<=t)h|\u00e9"), "isolated")),
    "empty_matches": lambda: small(pre_tokenizers.Split(Regex(r"e*|\B(?=s)"), "isolated")),
    "possessive": lambda: small(pre_tokenizers.Split(Regex(r"[^\r\n\p{L}\p{N}]?+\p{L}++| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++|(?>\d+)"), "isolated")),
    "unknown": lambda: small(alphabet=False, unk_token="<unk>"),
    "unknown_fused": lambda: small(alphabet=False, unk_token="<unk>", fuse_unk=True),
}


def random_texts(generator, count):
    return ["".join(generator.choices(POOL, k=generator.randint(1, 24))) for _ in range(count)]


def write(path, value):
    path.write_text(json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n")


def make(kind):
    directory = CASES / kind
    directory.mkdir(parents=True)
    definition = json.loads(KINDS[kind]().to_str())
    if kind == "gpt2":  # as the file on the hub is written: merges as lines, no type, older defaults left out
        definition["model"]["merges"] = [" ".join(merge) for merge in definition["model"]["merges"]]
        for key in ("type", "byte_fallback", "ignore_merges"):
            del definition["model"][key]
        for part in ("pre_tokenizer", "decoder"):
            del definition[part]["use_regex"]
    write(directory / "tokenizer.json", definition)

    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    generator = random.Random(f"{SEED} {kind}")
    large = kind in ("gpt2", "llama3", "qwen2", "starcoder")
    texts = (TEXTS if large else TEXTS[len(kind) % 3 :: 3]) + random_texts(generator, 40 if large else 12)
    cases = []
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=True).ids
        case = {"text": text, "ids": ids, "plain": tokenizer.encode(text, add_special_tokens=False).ids,
                "decoded": tokenizer.decode(ids, skip_special_tokens=False),
                "skipped": tokenizer.decode(ids, skip_special_tokens=True)}
        for key, default in (("skipped", "decoded"), ("decoded", "text"), ("plain", "ids")):
            if case[key] == case[default]:
                del case[key]
        cases.append(case)
    decodings = []
    size = tokenizer.get_vocab_size()
    for _ in range(25 if large else 6):  # mostly bytes that form no character
        ids = [generator.randrange(size) if generator.random() < 0.3 else generator.randrange(min(size, 256)) for _ in range(12)]
        decodings.append({"ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=False)})
    # One case a line, so that a change can be reviewed.
    (directory / "expected.json").write_text(
        '{"size":%d,"texts":[\n' % size + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + '\n],"decodings":[\n' +
        ",\n".join(json.dumps(case, separators=(",", ":")) for case in decodings) + "\n]}\n")


if __name__ == "__main__":
    shutil.rmtree(CASES, ignore_errors=True)
    for kind in KINDS:
        make(kind)
