#include "generator/audit/vocabulary.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

namespace monomorph::generator {
namespace {

struct LargestId {
  std::int64_t id = -1;
  std::string token;
  void see(const nlohmann::json& id_value, const std::string& name) {
    if (!id_value.is_number_integer() || id_value.get<std::int64_t>() <= id) return;
    id = id_value.get<std::int64_t>();
    token = name;
  }
};

LargestId largest_id(const nlohmann::json& tokenizer) {
  LargestId largest;
  const nlohmann::json none = nlohmann::json::object();
  const nlohmann::json& model = tokenizer.contains("model") ? tokenizer["model"] : none;
  if (model.is_object() && model.contains("vocab")) {
    const nlohmann::json& vocab = model["vocab"];
    if (vocab.is_object()) {
      for (const auto& [token, id] : vocab.items()) largest.see(id, token);
    } else if (vocab.is_array() && !vocab.empty()) {  // unigram: a list of [token, score]
      largest.see(static_cast<std::int64_t>(vocab.size()) - 1, "the last of its list");
    }
  }
  if (tokenizer.contains("added_tokens") && tokenizer["added_tokens"].is_array()) {
    for (const nlohmann::json& token : tokenizer["added_tokens"]) {
      if (token.is_object() && token.contains("id")) largest.see(token["id"], token.value("content", std::string("?")));
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
  const nlohmann::json tokenizer = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (tokenizer.is_discarded() || !tokenizer.is_object()) {
    diagnostics.error("checkpoint.tokenizer_vocabulary", span,
                      "this is not a tokenizer's JSON; fetch it again, or remove it to run with --tokens");
    return;
  }
  const LargestId largest = largest_id(tokenizer);
  if (largest.id < contract.vocab_size) return;
  diagnostics.error("checkpoint.tokenizer_vocabulary", span,
                    fmt::format("the tokenizer gives ids up to {} ('{}'), but vocab_size = {} allows up to {}; is it "
                                "another model's?",
                                largest.id, largest.token, contract.vocab_size, contract.vocab_size - 1));
}

}  // namespace monomorph::generator
