// Token ids as the command line writes them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace monomorph::cli {

/// "1,2,3", spaces allowed around the numbers. Throws Error(environment): a mistake of usage. Whether the ids are in
/// the vocabulary is the engine's to say.
std::vector<std::int32_t> parse_tokens(std::string_view text);

/// `count` ids spread over the vocabulary, the same each time: what bench and verify run.
std::vector<std::int32_t> test_tokens(std::int64_t count, std::int64_t vocab_size);

}  // namespace monomorph::cli
