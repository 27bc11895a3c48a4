#!/usr/bin/env python3
"""tied_experts.py MONOMORPH CASE WORK: a golden case's checkpoint in which every other row of each router is the one before
it, so that experts tie two by two, in WORK/weights; and an engine for it, with an f32 cache, in WORK/engine.
"""
import json
import shutil
import struct
import subprocess
import sys
from math import prod
from pathlib import Path

monomorph, case, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
weights = work / "weights"
weights.mkdir(parents=True, exist_ok=True)
shutil.copy(case / "config.json", weights)
data = bytearray((case / "model.safetensors").read_bytes())
begin = 8 + struct.unpack("<Q", data[:8])[0]
tied = 0
for name, tensor in json.loads(data[8:begin]).items():
    if not name.endswith(".gate.weight"):
        continue
    first, last = (begin + offset for offset in tensor["data_offsets"])
    row = (last - first) // tensor["shape"][0]
    assert last - first == 2 * prod(tensor["shape"])
    for at in range(first, last, 2 * row):
        data[at + row:at + 2 * row] = data[at:at + row]
    tied += 1
if tied == 0:
    sys.exit(f"tied_experts.py: {case} has no router called *.gate.weight")
(weights / "model.safetensors").write_bytes(data)
spec = work / "tied.toml"
subprocess.run([monomorph, "import", weights, "-o", spec], check=True)
subprocess.run([monomorph, "build", spec, "-o", work / "engine", "--set", "engine.kv_cache=f32", "--set",
                "model.name=tied"], check=True)
