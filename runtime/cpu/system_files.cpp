#include "runtime/cpu/system_files.hpp"

#include <charconv>
#include <fstream>

namespace monomorph::cpu {

std::string line_of(const std::filesystem::path& path, const std::string& key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t begin = line.find_first_not_of(" \t:", key.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::optional<std::int64_t> number_of(const std::filesystem::path& path, const std::string& key) {
  const std::string text = line_of(path, key);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

}  // namespace monomorph::cpu
