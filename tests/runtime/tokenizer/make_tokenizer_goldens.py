#!/usr/bin/env python3
"""Makes cases/: small tokenizers of the kinds the hub has, and what the `tokenizers` library (for a tokenizer.model,
`sentencepiece`, for RWKV's World `rwkv`) gives for texts that are easily got wrong. Pinned in requirements.txt and seeded; but the library's trainers of
unigram, WordPiece and marked words break ties anew in each run, so name the kinds that are to be made.

    python3 make_tokenizer_goldens.py [KIND...]       (rewrites all cases beside this file, or those named, and pairs.json)
"""

import ast
import base64
import json
import pathlib
import random
import shutil
import sys
import tempfile

import sentencepiece
from pairs import write_pairs
from rwkv import rwkv_tokenizer
from sentence_pieces import SENTENCE_PIECES, charsmap, write_gguf, write_world
from texts import CORPUS, TEXTS, random_texts
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CASES = pathlib.Path(__file__).parent / "cases"
SEED = 20

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
          r"\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
# Marks and letters together, punctuation by Unicode's classes, scripts apart: as DeepSeek's and others' patterns do.
MARKS = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"
         r"\s*[\r\n]+|\s+(?!\S)|\s+")

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


def of_characters(vocab_size=420, **model):
    """BPE over characters, as files converted from SentencePiece are: spaces are marks, what is unknown is spelt in bytes."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True, **model))
    names = [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer.train_from_iterator([line.replace(" ", "▁") for line in CORPUS.splitlines(keepends=True)],
                                  trainers.BpeTrainer(vocab_size=vocab_size + 256, show_progress=False, limit_alphabet=60,
                                                      special_tokens=["<unk>", "<s>", "</s>", *names]))
    definition = json.loads(tokenizer.to_str())
    definition["added_tokens"] = definition["added_tokens"][:3]  # bytes are of the vocabulary alone
    return Tokenizer.from_str(json.dumps(definition))


def llama2():
    tokenizer = of_characters()
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                                           decoders.Strip(" ", 1, 0)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


def gemma():
    tokenizer = of_characters()
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_special_tokens(["<|end|>"])
    tokenizer.add_tokens([AddedToken("▁▁", normalized=False), AddedToken("sister")])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


def marked(scheme, split=True, **model):
    tokenizer = of_characters(vocab_size=360, **model)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme=scheme, split=split)
    tokenizer.add_special_tokens(["<mask>"])
    return tokenizer


def pieces(byte_fallback=False, normalizer=None):
    """A unigram model, as T5's and XLM-RoBERTa's."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(CORPUS.splitlines(keepends=True), trainers.UnigramTrainer(
        vocab_size=220, show_progress=False, special_tokens=["<unk>", "</s>"], unk_token="<unk>"))
    definition = json.loads(tokenizer.to_str())
    if byte_fallback:
        definition["model"]["vocab"] += [[f"<0x{byte:02X}>", -30.0] for byte in range(256)]
        definition["model"]["byte_fallback"] = True
    tokenizer = Tokenizer.from_str(json.dumps(definition))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()]) if byte_fallback else decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return tokenizer


def bert(**normalizer):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=20))
    tokenizer.normalizer = normalizers.BertNormalizer(**normalizer)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(CORPUS.splitlines(), trainers.WordPieceTrainer(
        vocab_size=300, show_progress=False, special_tokens=["[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    tokenizer.decoder = decoders.WordPiece(prefix="##", cleanup=normalizer.get("lowercase", True))
    return tokenizer


def roberta():
    tokenizer = trained(byte_level(prefix=True), vocab_size=300)
    tokenizer.add_special_tokens(["<s>", "</s>", AddedToken("<mask>", lstrip=True)])
    ends = [(token, tokenizer.token_to_id(token)) for token in ("</s>", "<s>")]
    tokenizer.post_processor = processors.RobertaProcessing(*ends, trim_offsets=True, add_prefix_space=True)
    return tokenizer


def words(pre_tokenizer, normalizer):
    """Characters, with marks of words' ends and of what goes on: the words are seen in the tokens."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="@", end_of_word_suffix="</w>"))
    tokenizer.pre_tokenizer = pre_tokenizer
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.train_from_iterator(CORPUS.splitlines(), trainers.BpeTrainer(
        vocab_size=300, show_progress=False, special_tokens=["<unk>"], continuing_subword_prefix="@", end_of_word_suffix="</w>"))
    return tokenizer


def word_level():
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(CORPUS.splitlines(), trainers.WordLevelTrainer(vocab_size=80, show_progress=False, special_tokens=["<unk>"]))
    return tokenizer


def precompiled():
    definition = json.loads(pieces().to_str())
    definition["normalizer"] = {"type": "Sequence", "normalizers": [
        {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap()).decode()},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}, {"type": "Strip", "strip_left": False, "strip_right": True}]}
    return Tokenizer.from_str(json.dumps(definition))


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
    "llama2": llama2,
    "gemma": gemma,
    "marked_first": lambda: marked("first"),
    "marked_always": lambda: marked("always", ignore_merges=True),
    "marked_never": lambda: marked("never", split=False),
    "unigram": pieces,
    "unigram_bytes": lambda: pieces(True, normalizers.Sequence([normalizers.NFKC(), normalizers.StripAccents(), normalizers.Lowercase()])),
    "unigram_precompiled": precompiled,
    "bert": bert,
    "bert_cased": lambda: bert(lowercase=False, clean_text=False, handle_chinese_chars=False),
    "roberta": roberta,
    "words": lambda: words(pre_tokenizers.Whitespace(), normalizers.NFD()),
    "punctuation": lambda: words(pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation("contiguous")]),
                                 normalizers.NFKD()),
    "falcon": lambda: trained(pre_tokenizers.Sequence([
        pre_tokenizers.Punctuation("contiguous"), byte_level(), pre_tokenizers.Digits(individual_digits=False),
        pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated"), pre_tokenizers.Split("Ã", "removed")]), vocab_size=300),
    "bloom": lambda: small(pre_tokenizers.Split(Regex(" ?[^(\\s|[.,!?…。，、।۔،])]+"), "isolated")),
    "kimi": lambda: small(pre_tokenizers.Split(Regex(
        r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+|\p{N}{1,3}|"
        r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"), "isolated")),
    "word_level": word_level,
    "delimiter": lambda: words(pre_tokenizers.CharDelimiterSplit("a"), None),
}


def write(path, value):
    path.write_text(json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n")


def make_sentence_pieces(kind):
    """Expected by SentencePiece, which reads no special token in a text: texts that hold one are left out."""
    directory = CASES / kind
    directory.mkdir(parents=True)
    model = SENTENCE_PIECES[kind]()
    (directory / "tokenizer.model").write_bytes(model)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    generator = random.Random(f"{SEED} {kind}")
    cases = []
    for text in TEXTS + random_texts(generator, 60):
        if not any(special in text for special in ("<s>", "</s>", "<unk>", "\0")):
            plain = processor.encode(text)
            # What it decodes the unknown to, and special tokens, is not what the `tokenizers` library does.
            skipped = None if processor.unk_id() in plain else processor.decode(plain)
            cases.append({"text": text, "ids": [processor.bos_id(), *plain], "plain": plain, "decoded": None, "skipped": skipped})
    decodings = []
    if kind == "sp_front":
        marks = [processor.piece_to_id(piece) for piece in ("▁", "▁▁", "▁a", "a", "<0x20>", "<0xC3>", "<0xA9>", "<0xE6>", "<0x41>")]
        for _ in range(40):
            ids = generator.choices(marks, k=generator.randint(1, 8))
            decodings.append({"ids": ids, "decoded": processor.decode(ids)})
    write_expected(directory, processor.vocab_size(), cases, decodings)
    if kind == "sp_llama":
        gguf_directory = CASES / "gguf_llama"
        gguf_directory.mkdir(parents=True)
        write_gguf(gguf_directory / "tokenizer.gguf", model)
        write_expected(gguf_directory, processor.vocab_size(), cases, [])


def write_expected(directory, size, cases, decodings):
    # One case a line, so that a change can be reviewed.
    (directory / "expected.json").write_text(
        '{"size":%d,"texts":[\n' % size + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + '\n],"decodings":[\n' +
        ",\n".join(json.dumps(case, separators=(",", ":")) for case in decodings) + "\n]}\n")


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
    if kind == "starcoder":  # as Command R's file has it: keys of another kind, which the library does not read
        definition["post_processor"].update(add_prefix_space=True, trim_offsets=False, use_regex=True)
    write(directory / "tokenizer.json", definition)

    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    generator = random.Random(f"{SEED} {kind}")
    large = kind in ("gpt2", "llama3", "qwen2", "starcoder", "llama2", "gemma", "unigram_precompiled", "bert")
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
    write_expected(directory, size, cases, decodings)
    if kind == "llama3":
        gguf_directory = CASES / "gguf_llama3"
        gguf_directory.mkdir(parents=True)
        write_gguf(gguf_directory / "tokenizer.gguf", None, tokenizer)
        write_expected(gguf_directory, size, cases, decodings)


def make_world(kind):
    """RWKV's World, of which the tokens are kept that some text has: its own code gives the same ones by these."""
    directory = CASES / kind
    directory.mkdir(parents=True)
    texts = [text for text in TEXTS + random_texts(random.Random(f"{SEED} rwkv"), 40) if "<s>" not in text]
    every = [text.encode() for text in texts]
    published = pathlib.Path(rwkv_tokenizer.__file__).with_name("rwkv_vocab_v20230424.txt")
    tokens = [b"<s>"]  # as llama.cpp's conversion calls the end of a text
    for line in published.read_text().splitlines():
        token = ast.literal_eval(line[line.index(" ") : line.rindex(" ")].strip())
        token = token.encode() if isinstance(token, str) else token
        if len(token) == 1 or any(token in text for text in every):
            tokens.append(token)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as kept:
        kept.write("".join(f"{i} {token!r} {len(token)}\n" for i, token in enumerate(tokens) if i > 0))
        kept.flush()
        tokenizer = rwkv_tokenizer.TRIE_TOKENIZER(kept.name)
    write_world(directory / "tokenizer.gguf", tokens)
    cases = [{"text": text, "ids": tokenizer.encode(text)} for text in texts]
    generator, decodings = random.Random(f"{SEED} rwkv ids"), []
    for _ in range(25):
        ids = [generator.randrange(1, len(tokens) if generator.random() < 0.3 else 257) for _ in range(12)]
        decodings.append({"ids": ids, "decoded": tokenizer.decodeBytes(ids).decode(errors="replace")})
    write_expected(directory, len(tokens), cases, decodings)


if __name__ == "__main__":
    chosen = sys.argv[1:] or [*KINDS, *SENTENCE_PIECES, "gguf_rwkv"]
    for kind in chosen:
        for name in [kind, *{"sp_llama": ["gguf_llama"], "llama3": ["gguf_llama3"]}.get(kind, [])]:
            shutil.rmtree(CASES / name, ignore_errors=True)
        (make if kind in KINDS else make_sentence_pieces if kind in SENTENCE_PIECES else make_world)(kind)
    write_pairs()
