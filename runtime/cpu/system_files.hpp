// What the system tells in files of lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace monomorph::cpu {

/// What stands behind `key` in the first line that begins with it, without what separates them; empty where there is
/// none.
std::string line_of(const std::filesystem::path& path, const std::string& key);

/// The number that it begins with; none where it begins with something else.
std::optional<std::int64_t> number_of(const std::filesystem::path& path, const std::string& key);

}  // namespace monomorph::cpu
