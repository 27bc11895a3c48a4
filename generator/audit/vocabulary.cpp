#include "generator/audit/vocabulary.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <system_error>

#include "runtime/formats/json.hpp"

namespace monomorph::generator {
namespace {

struct LargestId {
  std::int64_t id = -1;
  std::string token;
  void see(const Json& id_value, const std::string& name) {
    if (!id_value.is_integer() || id_value.integer() <= id) return;
    id = id_value.integer();
    token = name;
  }
};

LargestId largest_id(const Json& tokenizer) {
  LargestId largest;
  const Json* const model = tokenizer.find("model");
  const Json* const vocab = model == nullptr ? nullptr : model->find("vocab");
  if (vocab != nullptr && vocab->is_object()) {
    for (const auto& [token, id] : vocab->members()) largest.see(id, token);
  } else if (vocab != nullptr && vocab->is_array() && !vocab->empty()) {  // unigram: a list of [token, score]
    largest.see(static_cast<std::int64_t>(vocab->size()) - 1, "the last of its list");
  }
  const Json* const added = tokenizer.find("added_tokens");
  if (added != nullptr && added->is_array()) {
    for (const Json& token : *added) {
      if (!token.is_object() || !token.contains("id")) continue;
      const Json* const content = token.find("content");
      largest.see(token["id"], content != nullptr && content->is_string() ? content->string() : "?");
    }
  }
  return largest;
}

}  // namespace

void audit_vocabulary(const Contract& contract, const std::filesystem::path& directory, Diagnostics& diagnostics) {
  const std::filesystem::path path = directory / "tokenizer.json";
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  Span span;
  span.source = std::make_shared<const Source>(Source{path.string(), ""});
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  const std::optional<Json> tokenizer = Json::try_parse(text.str());
  if (!tokenizer || !tokenizer->is_object()) {
    diagnostics.error("checkpoint.tokenizer_vocabulary", span,
                      "this is not a tokenizer's JSON; fetch it again, or remove it to run with --tokens");
    return;
  }
  const LargestId largest = largest_id(*tokenizer);
  if (largest.id < contract.vocab_size) return;
  diagnostics.error("checkpoint.tokenizer_vocabulary", span,
                    fmt::format("the tokenizer gives ids up to {} ('{}'), but vocab_size = {} allows up to {}; is it "
                                "another model's?",
                                largest.id, largest.token, contract.vocab_size, contract.vocab_size - 1));
}

}  // namespace monomorph::generator
