#include "runtime/formats/safetensors_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

#include "runtime/error.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph {
namespace {

[[noreturn]] void reject(const std::string& file, const std::string& what) {
  throw Error(ErrorKind::rejected, fmt::format("{}: {}; copy or download the file again", file, what));
}

/// Keys seen at each level and the path to here, for the two readers below.
class Events : public JsonEvents {
 public:
  explicit Events(const std::string& file) : file_(file) {}

  void null() override { value("null"); }
  void boolean(bool) override { value("a truth value"); }
  void integer(std::int64_t) override { value("a negative number"); }
  void real(double) override { value("a fraction"); }
  void unsigned_integer(std::uint64_t) override { value("a number"); }
  void string(std::string&&) override { value("a text"); }
  void begin_object() override {}
  void end_object() override {}
  void begin_array() override { value("a list"); }
  void end_array() override {}

 protected:
  /// A value where another was due.
  [[noreturn]] void value(const char* kind) {
    reject(file_, fmt::format("its JSON header has {} at '{}', which the format does not allow", kind, place()));
  }
  virtual std::string place() const = 0;
  const std::string& file_;
};

class HeaderReader : public Events {
 public:
  using Events::Events;
  std::vector<SafetensorsEntry> entries;

  void begin_object() override {
    if (depth_ > 1) value("an object");
    ++depth_;
    if (depth_ == 2 && !metadata_) entries.push_back({name_, "", {}, 0, 0});
  }
  void end_object() override {
    --depth_;
    if (depth_ == 1 && !metadata_ && seen_ != (dtype_bit | shape_bit | offsets_bit)) {
      reject(file_, fmt::format("tensor '{}' lacks dtype, shape or data_offsets", name_));
    }
  }
  void key(std::string&& key) override {
    key_ = key;
    if (depth_ == 1) {
      name_ = std::move(key);
      metadata_ = name_ == "__metadata__";
      seen_ = 0;
      if (!names_.insert(name_).second) reject(file_, fmt::format("tensor '{}' is declared twice", name_));
    } else if (!metadata_) {
      const unsigned bit = key_ == "dtype"          ? dtype_bit
                           : key_ == "shape"        ? shape_bit
                           : key_ == "data_offsets" ? offsets_bit
                                                    : 0;
      if (bit == 0 || (seen_ & bit) != 0)
        reject(file_, fmt::format("tensor '{}' has the key '{}' {}", name_, key_,
                                  bit == 0 ? "which the format does not know" : "twice"));
      seen_ |= bit;
    }
  }
  void string(std::string&& text) override {
    if (depth_ != 2 || in_list_) value("a text");
    if (metadata_) return;
    if (key_ != "dtype") value("a text");
    entries.back().dtype = std::move(text);
  }
  void begin_array() override {
    if (depth_ != 2 || metadata_ || in_list_ || key_ == "dtype") value("a list");
    in_list_ = true;
    offsets_ = 0;
  }
  void end_array() override {
    in_list_ = false;
    if (key_ == "data_offsets" && offsets_ != 2)
      reject(file_, fmt::format("tensor '{}' has {} data_offsets, not 2", name_, offsets_));
  }
  void unsigned_integer(std::uint64_t number) override {
    if (!in_list_) value("a number");
    if (key_ == "shape") {
      if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        reject(file_, fmt::format("tensor '{}' has the impossible extent {}", name_, number));
      entries.back().shape.push_back(static_cast<std::int64_t>(number));
    } else {
      (offsets_ == 0 ? entries.back().begin : entries.back().end) = number;
      ++offsets_;
    }
  }

 private:
  static constexpr unsigned dtype_bit = 1, shape_bit = 2, offsets_bit = 4;
  std::string place() const override { return depth_ < 2 ? name_ : name_ + "." + key_; }

  int depth_ = 0;
  bool metadata_ = false;
  bool in_list_ = false;
  unsigned seen_ = 0;
  int offsets_ = 0;
  std::string name_, key_;
  std::unordered_set<std::string> names_;
};

class IndexReader : public Events {
 public:
  using Events::Events;
  std::vector<std::pair<std::string, std::string>> weight_map;
  bool found = false;

  void begin_object() override {
    ++depth_;
    if (in_map()) {
      if (depth_ > 2) value("an object");
      found = true;
    }
  }
  void end_object() override { --depth_; }
  void key(std::string&& key) override {
    if (depth_ == 1) section_ = key;
    key_ = std::move(key);
    if (in_map() && depth_ == 2 && !names_.insert(key_).second)
      reject(file_, fmt::format("tensor '{}' is listed twice", key_));
  }
  void string(std::string&& text) override {
    if (!in_map()) return;
    if (depth_ != 2) value("a text");
    if (text.empty() || text.find('/') != std::string::npos || text == "." || text == "..") {
      reject(file_, fmt::format("tensor '{}' is said to stand in '{}', which is no plain file name", key_, text));
    }
    weight_map.emplace_back(key_, std::move(text));
  }
  void null() override { other("null"); }
  void boolean(bool) override { other("a truth value"); }
  void integer(std::int64_t) override { other("a number"); }
  void unsigned_integer(std::uint64_t) override { other("a number"); }
  void real(double) override { other("a number"); }
  void begin_array() override { other("a list"); }

 private:
  bool in_map() const { return depth_ > 0 && section_ == "weight_map"; }
  void other(const char* kind) {
    if (in_map() || depth_ == 0) value(kind);
  }
  std::string place() const override { return key_; }

  int depth_ = 0;
  std::string section_, key_;
  std::unordered_set<std::string> names_;
};

/// Bits of an element; 0 for a dtype this table does not know, whose size is then not judged.
unsigned element_bits(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, unsigned>, 22> table = {
      {{"F64", 64},        {"I64", 64},    {"U64", 64},    {"C64", 64},    {"F32", 32},    {"I32", 32},
       {"U32", 32},        {"F16", 16},    {"BF16", 16},   {"I16", 16},    {"U16", 16},    {"I8", 8},
       {"U8", 8},          {"BOOL", 8},    {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
       {"F8_E5M2FNUZ", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4}}};
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.first == dtype; });
  return found == table.end() ? 0 : found->second;
}

void check_size(const SafetensorsEntry& entry, const std::string& file) {
  std::uint64_t elements = 1;
  bool overflow = false;
  for (const std::int64_t extent : entry.shape) {
    overflow |= __builtin_mul_overflow(elements, static_cast<std::uint64_t>(extent), &elements);
  }
  const unsigned bits = element_bits(entry.dtype);
  std::uint64_t total_bits = 0;
  overflow |= __builtin_mul_overflow(elements, std::max(bits, 1u), &total_bits);
  overflow |= elements > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::uint64_t bytes = entry.end - entry.begin;
  if (overflow || (bits != 0 && (total_bits % 8 != 0 || bytes != total_bits / 8))) {
    reject(file, fmt::format("tensor '{}' has {} bytes, which is not what {} [{}] takes", entry.name, bytes,
                             entry.dtype, fmt::join(entry.shape, ", ")));
  }
}

template <class Reader>
Reader read(std::string_view text, const std::string& file) {
  Reader reader(file);
  try {
    read_json_events(text, reader);
  } catch (const JsonError& error) {
    reject(file, fmt::format("its JSON header is damaged at byte {}", error.byte));
  }
  return reader;
}

}  // namespace

std::vector<SafetensorsEntry> read_safetensors_header(std::string_view text, std::uint64_t data_bytes,
                                                      const std::string& file) {
  if (!text.starts_with('{')) reject(file, "its header does not start with '{': not a safetensors file");
  std::vector<SafetensorsEntry> entries = std::move(read<HeaderReader>(text, file).entries);

  std::vector<const SafetensorsEntry*> by_offset;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin > entry.end || entry.end > data_bytes) {
      reject(file, fmt::format("tensor '{}' has the bytes {} to {} of {}: the file is truncated or damaged", entry.name,
                               entry.begin, entry.end, data_bytes));
    }
    check_size(entry, file);
    by_offset.push_back(&entry);
  }
  std::sort(by_offset.begin(), by_offset.end(),
            [](const auto* a, const auto* b) { return std::pair(a->begin, a->end) < std::pair(b->begin, b->end); });
  std::uint64_t expected = 0;
  for (const SafetensorsEntry* entry : by_offset) {
    if (entry->begin != expected) {
      reject(file, fmt::format("tensor '{}' begins at byte {}, {} {}", entry->name, entry->begin,
                               entry->begin < expected ? "inside another tensor that ends at" : "after a gap from",
                               expected));
    }
    expected = entry->end;
  }
  if (expected != data_bytes) {
    reject(file, fmt::format("{} bytes follow the last tensor", data_bytes - expected));
  }
  return entries;
}

std::vector<std::pair<std::string, std::string>> read_safetensors_index(std::string_view text,
                                                                        const std::string& file) {
  IndexReader reader = read<IndexReader>(text, file);
  if (!reader.found || reader.weight_map.empty())
    reject(file, "it has no weight_map: not an index of safetensors shards");
  return std::move(reader.weight_map);
}

}  // namespace monomorph
