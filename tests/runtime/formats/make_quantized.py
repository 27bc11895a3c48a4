#!/usr/bin/env python3
"""Writes quantized.txt: what the decoder of PyPI's `gguf` gives for blocks that quantized_test.cpp makes alike.

    python3 -m venv venv && venv/bin/pip install gguf==0.19.0
    venv/bin/python tests/runtime/formats/make_quantized.py

A line is a type, what its scales are, and the FNV-1a hash of the decoded f32 numbers of 512 blocks.
"""

import pathlib

import gguf
import numpy

COUNT = 512
MASK = (1 << 64) - 1
# Where a block has its f16 numbers; MXFP4 has an exponent.
HALVES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108],
    "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0], "MXFP4": [],
}
# f16 and, for MXFP4, exponents. None: any that is finite.
SCALES = {"any": None, "zero": (0x0000, 0), "minus_zero": (0x8000, 0), "subnormal": (0x0003, 1), "largest": (0x7BFF, 254)}


def blocks_of(name: str, scales: str) -> numpy.ndarray:
    kind = gguf.GGMLQuantizationType[name]
    size = gguf.GGML_QUANT_SIZES[kind][1]
    state = 1
    values = bytearray()
    while len(values) < COUNT * size:  # splitmix64, a byte of each number
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        values.append((z ^ (z >> 31)) >> 56)
    blocks = numpy.frombuffer(bytes(values), dtype=numpy.uint8).reshape(COUNT, size).copy()
    for block in blocks:
        for at in HALVES[name]:
            if SCALES[scales] is None:
                if block[at + 1] & 0x7C == 0x7C:
                    block[at + 1] &= 0xBF
            else:
                block[at], block[at + 1] = SCALES[scales][0] & 0xFF, SCALES[scales][0] >> 8
        if name == "MXFP4":
            block[0] = min(block[0], 254) if SCALES[scales] is None else SCALES[scales][1]
    return blocks


def hash_of(values: bytes) -> int:
    result = 0xCBF29CE484222325
    for byte in values:
        result = ((result ^ byte) * 0x100000001B3) & MASK
    return result


def main() -> None:
    lines = []
    for name in HALVES:
        kind = gguf.GGMLQuantizationType[name]
        for scales in SCALES:
            decoded = gguf.quants.dequantize(blocks_of(name, scales), kind).astype(numpy.float32)
            lines.append(f"{name} {scales} {hash_of(decoded.tobytes()):016x}\n")
    pathlib.Path(__file__).with_name("quantized.txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
