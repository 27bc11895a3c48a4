"""What tokenizers are trained on, and texts that are easily got wrong."""

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


def random_texts(generator, count):
    return ["".join(generator.choices(POOL, k=generator.randint(1, 24))) for _ in range(count)]
