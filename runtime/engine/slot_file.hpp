// A saved slot as bytes, in a file or not: what it belongs to, its tokens, and what an engine's states hold of them.
//
// Little endian, parts one after another without gaps:
//   "MMSLOT\r\n"                 8 bytes
//   u32 version, u32 0           of this format
//   u64 bytes                    of the whole
//   u64 hash                     of the 24 bytes before it and of all bytes after it (runtime/formats/content_hash.hpp)
//   u32 facts, each              what the owner's engine is: u32 length and text, of its name, then of its value
//   i64 furthest, i64 length     positions written, the length that rotary angles were of
//   u64 source tokens, i32 each  none where the model reads no source
//   u64 tokens, i32 each
//   u64 bytes of states          as the kind of engine has them: a device's are the rows that hold something, by state,
//                                layer, head and entry; the reference's the length (i64) that each token was run with
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace monomorph {

inline constexpr std::uint32_t slot_file_version = 2;

struct SlotFile {
  std::vector<std::pair<std::string, std::string>> facts;  ///< name and value
  std::int64_t furthest = 0, length = 0;
  std::vector<std::int32_t> source, tokens;
  std::vector<std::byte> states;
};

std::vector<std::byte> write_slot(const SlotFile& slot);
/// Throws Error(rejected) for bytes that are no saved slot, are of another version, are cut, or are not those that were
/// written. What the numbers mean is the engine's to judge.
SlotFile read_slot(std::span<const std::byte> bytes);

}  // namespace monomorph
