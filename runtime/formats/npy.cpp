#include "runtime/formats/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>

#include "runtime/error.hpp"

namespace monomorph {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t preamble = 10;  // magic, version, length of the header

std::int64_t element_count(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) {
      throw Error(ErrorKind::internal, fmt::format("npy: shape [{}] has no size", fmt::join(shape, ", ")));
    }
  }
  return count;
}

std::string header_of(std::span<const std::int64_t> shape) {
  const char* const comma = shape.size() == 1 ? "," : "";  // a Python tuple of one
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}{}), }}", fmt::join(shape, ", "), comma);
  while ((preamble + header.size() + 1) % 64 != 0) header += ' ';
  return header + '\n';
}

/// The text after `key` in a Python dictionary.
std::string_view value_of(std::string_view header, std::string_view key, const std::filesystem::path& path) {
  const auto at = header.find(key);
  if (at == std::string_view::npos) {
    throw Error(ErrorKind::rejected, fmt::format("{}: the .npy header lacks {}", path.string(), key));
  }
  header.remove_prefix(at + key.size());
  header.remove_prefix(std::min(header.find_first_not_of(": "), header.size()));
  return header;
}

std::vector<std::int64_t> shape_of(std::string_view header, const std::filesystem::path& path) {
  std::string_view text = value_of(header, "'shape'", path);
  const auto end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) {
    throw Error(ErrorKind::rejected, fmt::format("{}: the .npy header has no shape", path.string()));
  }
  text = text.substr(1, end - 1);
  std::vector<std::int64_t> shape;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
    if (text.empty()) return shape;
    std::int64_t extent = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0) {
      throw Error(ErrorKind::rejected, fmt::format("{}: the .npy shape is unreadable at '{}'", path.string(), text));
    }
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  }
}

}  // namespace

NpyWriter::NpyWriter(const std::filesystem::path& path, std::span<const std::int64_t> shape)
    : file_(path), remaining_(element_count(shape)) {
  const std::string header = header_of(shape);
  std::string start(magic);
  start += '\x01';
  start += '\0';
  start += static_cast<char>(header.size() & 0xff);
  start += static_cast<char>(header.size() >> 8);
  file_.write(start + header);
}

void NpyWriter::append(std::span<const float> values) {
  remaining_ -= static_cast<std::int64_t>(values.size());
  file_.write(std::as_bytes(values));
}

void NpyWriter::commit() {
  if (remaining_ != 0) {
    throw Error(ErrorKind::internal, fmt::format("npy: {} values are missing from what the shape says", remaining_));
  }
  file_.commit();
}

void write_npy(const std::filesystem::path& path, std::span<const float> values, std::span<const std::int64_t> shape) {
  NpyWriter writer(path, shape);
  writer.append(values);
  writer.commit();
}

NpyArray read_npy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::environment, fmt::format("{}: cannot be read", path.string()));
  std::string start(preamble, '\0');
  file.read(start.data(), preamble);
  if (!file || !start.starts_with(magic) || start[6] != 1) {
    throw Error(ErrorKind::rejected, fmt::format("{}: not a .npy file of version 1.0", path.string()));
  }
  std::string header(static_cast<unsigned char>(start[8]) + 256u * static_cast<unsigned char>(start[9]), '\0');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  if (!file) throw Error(ErrorKind::rejected, fmt::format("{}: truncated in its header", path.string()));
  if (!value_of(header, "'descr'", path).starts_with("'<f4'") ||
      !value_of(header, "'fortran_order'", path).starts_with("False")) {
    throw Error(ErrorKind::rejected,
                fmt::format("{}: only float32 ('<f4') in C order is read, this is {}", path.string(), header));
  }
  NpyArray array{shape_of(header, path), {}};
  const std::int64_t count = element_count(array.shape);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  const std::int64_t present = (size - static_cast<std::int64_t>(preamble + header.size())) / 4;
  if (present < count) {
    throw Error(ErrorKind::rejected, fmt::format("{}: truncated: {} of {} values", path.string(), present, count));
  }
  array.values.resize(static_cast<std::size_t>(count));
  file.read(reinterpret_cast<char*>(array.values.data()), count * 4);
  return array;
}

}  // namespace monomorph
