#!/usr/bin/env python3
"""Writes converted.txt: what the quantizer of PyPI's `gguf` gives for numbers that conversion_test.cpp makes alike.

    python3 -m venv venv && venv/bin/pip install gguf==0.19.0
    venv/bin/python tests/runtime/formats/make_converted.py

A line is a type, what the numbers are, and the FNV-1a hash of the bytes of 512 blocks of 32.
"""

import pathlib

import gguf
import numpy

from make_quantized import MASK, hash_of

COUNT = 512 * 32


def numbers() -> numpy.ndarray:
    state = 1
    result = []
    for _ in range(COUNT):  # splitmix64
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        result.append(z ^ (z >> 31))
    return numpy.array(result, dtype=numpy.uint64)


def values_of(name: str) -> numpy.ndarray:
    bits = numbers()
    block = numpy.arange(COUNT) // 32
    mantissas = (bits >> numpy.uint64(40)).astype(numpy.float64) - 2**23
    if name == "uniform":
        values = mantissas * 2.0**-24
    elif name == "wide":  # every block of its own size, from scales that vanish in f16 to ones near the largest
        values = mantissas * 2.0 ** (block % 76 - 84)
    else:  # halves up to `most`, which the first of a block is: codes lie halfway between two
        most = int(name.removeprefix("halves_to_"))
        values = (bits % numpy.uint64(4 * most + 1)).astype(numpy.float64) / 2 - most
        values[::32] = numpy.where(block[::32] % 2 == 0, most, -most)
    return values.astype(numpy.float32)


def main() -> None:
    lines = []
    for name in ["F16", "BF16", "Q8_0", "Q4_0"]:
        for values in ["uniform", "wide", "halves_to_127", "halves_to_8"]:
            encoded = gguf.quants.quantize(values_of(values).reshape(512, 32), gguf.GGMLQuantizationType[name])
            lines.append(f"{name} {values} {hash_of(encoded.tobytes()):016x}\n")
    pathlib.Path(__file__).with_name("converted.txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
