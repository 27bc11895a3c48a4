// The JSON texts of safetensors: a file's header and a shard index, read event by event, without a tree in between, so
// that the header of a checkpoint with a hundred thousand tensors costs no more than its length. Duplicate keys, which
// a tree would hide, are errors. Throws Error(rejected) naming `file`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace monomorph {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  ///< offsets from the end of the header
  std::uint64_t end = 0;
};

/// The entries in the header's order, `__metadata__` left out. `data_bytes` is what follows the header: that the
/// entries fill it without gap or overlap, and that each one's size is its shape's times its dtype's, is checked.
std::vector<SafetensorsEntry> read_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                                      const std::string& file);

/// The (tensor, shard) pairs of an index's weight_map. A shard is a plain file name.
std::vector<std::pair<std::string, std::string>> read_safetensors_index(std::string_view json, const std::string& file);

}  // namespace monomorph
