#include "runtime/formats/gguf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <unordered_set>

#include "runtime/error.hpp"

namespace monomorph {
namespace {

constexpr std::uint32_t most_dimensions = 4;  // ggml's
constexpr std::uint64_t longest_key = 65535;  // the format's
constexpr std::uint64_t longest_name = 64;    // of a tensor, the format's
constexpr std::uint64_t default_alignment = 32;

/// Types of tensors by the format's numbers; blocks of so many elements in so many bytes. Those without a name are
/// gone.
struct TensorType {
  const char* name;
  std::uint64_t block_elements, block_bytes;
};
constexpr TensorType tensor_types[] = {
    {"F32", 1, 4},      {"F16", 1, 2},        {"Q4_0", 32, 18},    {"Q4_1", 32, 20},     {nullptr, 0, 0},
    {nullptr, 0, 0},    {"Q5_0", 32, 22},     {"Q5_1", 32, 24},    {"Q8_0", 32, 34},     {"Q8_1", 32, 36},
    {"Q2_K", 256, 84},  {"Q3_K", 256, 110},   {"Q4_K", 256, 144},  {"Q5_K", 256, 176},   {"Q6_K", 256, 210},
    {"Q8_K", 256, 292}, {"IQ2_XXS", 256, 66}, {"IQ2_XS", 256, 74}, {"IQ3_XXS", 256, 98}, {"IQ1_S", 256, 50},
    {"IQ4_NL", 32, 18}, {"IQ3_S", 256, 110},  {"IQ2_S", 256, 82},  {"IQ4_XS", 256, 136}, {"I8", 1, 1},
    {"I16", 1, 2},      {"I32", 1, 4},        {"I64", 1, 8},       {"F64", 1, 8},        {"IQ1_M", 256, 56},
    {"BF16", 1, 2},     {nullptr, 0, 0},      {nullptr, 0, 0},     {nullptr, 0, 0},      {"TQ1_0", 256, 54},
    {"TQ2_0", 256, 66}, {nullptr, 0, 0},      {nullptr, 0, 0},     {nullptr, 0, 0},      {"MXFP4", 32, 17},
    {"NVFP4", 64, 36},
};

[[noreturn]] void reject(const std::string& file, const std::string& what) {
  throw Error(ErrorKind::rejected, fmt::format("{}: {}; copy or download the file again", file, what));
}

/// Bytes of a number or truth value; 0: of none.
std::uint64_t size_of(GgufType type) {
  switch (type) {
    case GgufType::u8:
    case GgufType::i8:
    case GgufType::boolean:
      return 1;
    case GgufType::u16:
    case GgufType::i16:
      return 2;
    case GgufType::u32:
    case GgufType::i32:
    case GgufType::f32:
      return 4;
    case GgufType::u64:
    case GgufType::i64:
    case GgufType::f64:
      return 8;
    default:
      return 0;
  }
}

/// Reads on from a place in the file, which it never leaves.
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return bytes_.size() - at_; }

  std::span<const std::byte> take(std::uint64_t count, std::string_view of) {
    if (count > left()) {
      reject(file_, fmt::format("it ends in {}, at byte {}: truncated or damaged", of, bytes_.size()));
    }
    const auto taken = bytes_.subspan(at_, count);
    at_ += count;
    return taken;
  }
  template <class T>
  T number(std::string_view of) {
    T value;
    std::memcpy(&value, take(sizeof value, of).data(), sizeof value);
    return value;
  }
  std::string_view string(std::string_view of) {
    const auto length = number<std::uint64_t>(of);
    const auto text = take(length, of);
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

  GgufValue value(GgufType type, std::string_view of) {
    switch (type) {
      case GgufType::u8:
        return std::uint64_t{number<std::uint8_t>(of)};
      case GgufType::i8:
        return std::int64_t{number<std::int8_t>(of)};
      case GgufType::u16:
        return std::uint64_t{number<std::uint16_t>(of)};
      case GgufType::i16:
        return std::int64_t{number<std::int16_t>(of)};
      case GgufType::u32:
        return std::uint64_t{number<std::uint32_t>(of)};
      case GgufType::i32:
        return std::int64_t{number<std::int32_t>(of)};
      case GgufType::f32:
        return double{number<float>(of)};
      case GgufType::boolean: {
        const auto truth = number<std::uint8_t>(of);
        if (truth > 1) reject(file_, fmt::format("{} is {}, which is no truth value", of, truth));
        return truth == 1;
      }
      case GgufType::string:
        return string(of);
      case GgufType::array:
        return array(of);
      case GgufType::u64:
        return number<std::uint64_t>(of);
      case GgufType::i64:
        return number<std::int64_t>(of);
      case GgufType::f64:
        return number<double>(of);
    }
    reject(file_,
           fmt::format("{} is of the type {}, which the format does not know", of, static_cast<std::uint32_t>(type)));
  }

 private:
  GgufArray array(std::string_view of) {
    const auto type = static_cast<GgufType>(number<std::uint32_t>(of));
    const auto count = number<std::uint64_t>(of);
    const std::uint64_t begin = at_;
    if (type == GgufType::string) {
      for (std::uint64_t i = 0; i < count; ++i) string(of);
    } else if (const std::uint64_t size = size_of(type); size > 0) {
      if (count > left() / size) reject(file_, fmt::format("{} has {} elements, more than the file holds", of, count));
      const auto elements = take(count * size, of);
      const bool truths = type != GgufType::boolean ||
                          std::ranges::all_of(elements, [](std::byte each) { return each <= std::byte{1}; });
      if (!truths) reject(file_, fmt::format("{} has an element that is no truth value", of));
    } else {
      reject(file_,
             fmt::format("{} is an array of the type {}, which is not read", of, static_cast<std::uint32_t>(type)));
    }
    return {type, count, bytes_.subspan(begin, at_ - begin)};
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  std::uint64_t at_ = 0;
};

/// A key or a name in a message: what is printable of it, not too long.
std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 80)) result += c >= ' ' && c <= '~' ? c : '?';
  return result;
}

/// A tensor as the header declares it.
struct Declared {
  GgufTensor tensor;
  std::uint64_t offset = 0, bytes = 0;
};

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& file)
      : bytes_(bytes), file_(file), cursor_(bytes, file) {}

  GgufFile read() {
    if (!is_gguf(bytes_)) reject(file_, "it does not begin as a GGUF file does");
    cursor_.take(4, "its header");
    result_.version = cursor_.number<std::uint32_t>("its header");
    if (result_.version != 2 && result_.version != 3) {
      const bool swapped = (result_.version & 0xffffu) == 0;
      throw Error(ErrorKind::rejected,
                  swapped ? fmt::format("{}: is a big-endian GGUF file; convert it to little endian", file_)
                          : fmt::format("{}: is a GGUF file of version {}; versions 2 and 3 are read: convert it anew",
                                        file_, result_.version));
    }
    const auto tensors = cursor_.number<std::uint64_t>("its header");
    const auto entries = cursor_.number<std::uint64_t>("its header");
    read_metadata(entries);
    read_tensors(tensors);
    return std::move(result_);
  }

 private:
  void read_metadata(std::uint64_t count) {
    constexpr std::uint64_t least = 8 + 4 + 1;
    if (count > cursor_.left() / least) reject(file_, fmt::format("{} keys of metadata are more than it holds", count));
    std::unordered_set<std::string_view> keys;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string_view key = cursor_.string("a key of metadata");
      if (key.empty() || key.size() > longest_key) reject(file_, fmt::format("a key has {} bytes", key.size()));
      if (!keys.insert(key).second) reject(file_, fmt::format("the key {} stands in it twice", shown(key)));
      const auto type = static_cast<GgufType>(cursor_.number<std::uint32_t>(shown(key)));
      result_.metadata.push_back({key, cursor_.value(type, shown(key))});
    }
  }

  std::uint64_t alignment() const {
    const GgufValue* value = result_.find("general.alignment");
    if (value == nullptr) return default_alignment;
    const auto* bytes = std::get_if<std::uint64_t>(value);
    if (bytes == nullptr || *bytes == 0 || *bytes % 8 != 0 || *bytes > (1u << 30)) {
      reject(file_, "general.alignment is no multiple of 8");
    }
    return *bytes;
  }

  Declared declaration() {
    Declared declared;
    GgufTensor& tensor = declared.tensor;
    const std::string_view name = cursor_.string("the name of a tensor");
    tensor.name = name;
    if (name.empty() || name.size() > longest_name) {
      reject(file_, fmt::format("the tensor '{}' has a name of {} bytes; 1 to {} are allowed", shown(name), name.size(),
                                longest_name));
    }
    const auto dimensions = cursor_.number<std::uint32_t>(shown(name));
    if (dimensions > most_dimensions) {
      reject(file_, fmt::format("tensor '{}' has {} dimensions; at most {} are allowed", shown(name), dimensions,
                                most_dimensions));
    }
    std::uint64_t elements = 1;
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      const auto extent = cursor_.number<std::uint64_t>(shown(name));
      const bool sane = extent >= 1 && extent <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      if (!sane || __builtin_mul_overflow(elements, extent, &elements)) {
        reject(file_, fmt::format("tensor '{}' has the impossible extent {}", shown(name), extent));
      }
      tensor.shape.insert(tensor.shape.begin(), static_cast<std::int64_t>(extent));
    }
    const auto number = cursor_.number<std::uint32_t>(shown(name));
    if (number >= std::size(tensor_types) || tensor_types[number].name == nullptr) {
      throw Error(ErrorKind::rejected, fmt::format("{}: tensor '{}' is of ggml's type {}, which is not known here; "
                                                   "convert the model to another type",
                                                   file_, shown(name), number));
    }
    const TensorType& type = tensor_types[number];
    tensor.type = type.name;
    const std::uint64_t columns = tensor.shape.empty() ? 1 : static_cast<std::uint64_t>(tensor.shape.back());
    if (columns % type.block_elements != 0) {
      reject(file_, fmt::format("tensor '{}' has rows of {} elements, and blocks of {} have {}", shown(name), columns,
                                type.name, type.block_elements));
    }
    if (__builtin_mul_overflow(elements / type.block_elements, type.block_bytes, &declared.bytes)) {
      reject(file_, fmt::format("tensor '{}' is larger than any file", shown(name)));
    }
    declared.offset = cursor_.number<std::uint64_t>(shown(name));
    return declared;
  }

  void read_tensors(std::uint64_t count) {
    constexpr std::uint64_t least = 8 + 1 + 4 + 4 + 8;
    if (count > cursor_.left() / least) reject(file_, fmt::format("{} tensors are more than it holds", count));
    std::unordered_set<std::string> names;
    std::vector<Declared> declared;
    for (std::uint64_t i = 0; i < count; ++i) {
      declared.push_back(declaration());
      const std::string& name = declared.back().tensor.name;
      if (!names.insert(name).second) reject(file_, fmt::format("tensor '{}' is declared twice", shown(name)));
    }
    const std::uint64_t aligned = alignment();
    const std::uint64_t padding = (aligned - cursor_.at() % aligned) % aligned;
    const std::uint64_t data = count == 0 ? cursor_.at() : cursor_.at() + padding;
    std::vector<std::pair<std::uint64_t, const Declared*>> order;
    for (Declared& each : declared) {
      const std::string name = shown(each.tensor.name);
      if (each.offset % aligned != 0)
        reject(file_, fmt::format("tensor '{}' begins at no multiple of {}", name, aligned));
      const std::uint64_t room = data <= bytes_.size() ? bytes_.size() - data : 0;
      if (data > bytes_.size() || each.offset > room || each.bytes > room - each.offset) {
        reject(file_, fmt::format("tensor '{}' leaves the file: {} bytes from byte {} of {}: truncated or damaged",
                                  name, each.bytes, each.offset, room));
      }
      each.tensor.data = bytes_.subspan(data + each.offset, each.bytes);
      order.emplace_back(each.offset, &each);
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::uint64_t end = order[i - 1].first + order[i - 1].second->bytes;
      if (end <= order[i].first && order[i].first - end < aligned) continue;
      reject(file_, fmt::format("the tensors '{}' and '{}' {}", shown(order[i - 1].second->tensor.name),
                                shown(order[i].second->tensor.name),
                                end <= order[i].first ? "have bytes between them that are no tensor's: damaged"
                                                      : "share bytes"));
    }
    for (Declared& each : declared) result_.tensors.push_back(std::move(each.tensor));
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  Cursor cursor_;
  GgufFile result_;
};

}  // namespace

std::vector<GgufValue> GgufArray::values() const {
  const std::string file;  // was checked: nothing is said of it
  Cursor cursor(bytes_, file);
  std::vector<GgufValue> values;
  values.reserve(count_);
  for (std::uint64_t i = 0; i < count_; ++i) values.push_back(cursor.value(type_, ""));
  return values;
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = std::ranges::find(metadata, key, &GgufEntry::key);
  return found == metadata.end() ? nullptr : &found->value;
}

bool is_gguf(std::span<const std::byte> bytes) {
  static_assert(std::endian::native == std::endian::little, "the format is little endian");
  return bytes.size() >= 4 && std::memcmp(bytes.data(), "GGUF", 4) == 0;
}

GgufFile read_gguf(std::span<const std::byte> bytes, const std::string& file) { return Reader(bytes, file).read(); }

}  // namespace monomorph
