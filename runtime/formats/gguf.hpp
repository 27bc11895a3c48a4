// GGUF files, versions 2 and 3: metadata, and tensors in blocks of ggml's types. Nothing is copied; every count, length
// and offset is checked before it is used, so that what is given lies in the file.
//
// Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Errors: Error(rejected), naming file, place,
// remedy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace monomorph {

/// Types of metadata, by the format's numbers.
enum class GgufType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

class GgufArray;
/// Unsigned and signed integers, floats, truth values, UTF-8 texts of any type of that form.
using GgufValue = std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view, GgufArray>;

/// Elements of one type, arrays aside, where they stand in the file.
class GgufArray {
 public:
  GgufArray(GgufType type, std::uint64_t count, std::span<const std::byte> bytes)
      : type_(type), count_(count), bytes_(bytes) {}
  GgufType type() const { return type_; }
  std::uint64_t count() const { return count_; }
  /// All of them, in order.
  std::vector<GgufValue> values() const;

 private:
  GgufType type_;
  std::uint64_t count_;
  std::span<const std::byte> bytes_;
};

struct GgufEntry {
  std::string_view key;
  GgufValue value;
};

struct GgufTensor {
  std::string name;
  std::string type;                 ///< ggml's name of it: "Q4_K"
  std::vector<std::int64_t> shape;  ///< rows before columns: the reverse of the file's order
  std::span<const std::byte> data;
};

struct GgufFile {
  std::uint32_t version = 0;
  std::vector<GgufEntry> metadata;
  std::vector<GgufTensor> tensors;

  /// nullptr: the file has no such key.
  const GgufValue* find(std::string_view key) const;
};

/// Whether a file begins as GGUF files do.
bool is_gguf(std::span<const std::byte> bytes);

/// `bytes` outlive the result. `file` stands in messages.
GgufFile read_gguf(std::span<const std::byte> bytes, const std::string& file);

}  // namespace monomorph
