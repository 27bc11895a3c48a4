// What the metadata of a GGUF file say of its model, as a configuration: a JSON object that is read as a config.json
// is.
//
// The keys of the file's architecture stand without its name before them, "rope.freq_base" in an object "rope";
// `architectures` has that name. A list of one number for all layers is that number; one of flags has 1 and 0. Keys
// that tell where the file comes from, and those of the tokenizer, are left out. Beside them stand
//
//   type, quantization_version, bos_token_id, eos_token_id   where the file says them; of several stop tokens a list
//   tensors      the rows of every tensor outside the layers and in the first one of a stack: "token_embd.weight",
//                "blk.attn_q.weight", "enc.blk.attn_q.weight"
//   layers_of    the layers that have it, of every tensor that some layers have and others not:
//   "blk.ffn_gate_inp.weight" rope_freqs   the scaling of rotary angles whose divisors the tensor of that name holds:
//   type "llama3" and its
//                numbers; type "unknown" where none gives them
#pragma once

#include <string>

#include "runtime/formats/checkpoint.hpp"

namespace monomorph {

/// A key a line. `checkpoint` is a GGUF file. Throws Error(rejected) where a key is a value and an object at once.
std::string gguf_config(const Checkpoint& checkpoint);

}  // namespace monomorph
