#include "generator/import/stop_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace monomorph::generator {
namespace {

using Ids = std::optional<std::vector<std::int64_t>>;

/// nullopt: the key is absent. Null is an empty list: there is none.
Ids read_ids(ConfigReader& reader, const std::string& key) {
  const nlohmann::ordered_json* value = reader.find(key);
  if (value == nullptr) return std::nullopt;
  std::vector<std::int64_t> ids;
  const auto add = [&](const nlohmann::ordered_json& id) {
    // Some exports write -1 for "none".
    if (id == -1) return true;
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() > std::uint64_t{0xffffffff}) return false;
    if (std::find(ids.begin(), ids.end(), id.get<std::int64_t>()) == ids.end()) ids.push_back(id.get<std::int64_t>());
    return true;
  };
  if (value->is_null()) return ids;
  const bool good = value->is_array() ? std::all_of(value->begin(), value->end(), add) : add(*value);
  if (!good) reader.wrong_type(key, "a token id, a list of them, or null");
  return ids;
}

/// Drops what no vocabulary entry is, and says so.
void keep_drawable(std::vector<std::int64_t>& ids, std::int64_t vocab_size, const char* key, std::string& comment) {
  for (const std::int64_t id : ids) {
    if (id < vocab_size) continue;
    if (!comment.empty()) comment += "; ";
    comment += fmt::format("{} {} is outside the vocabulary and left out", key, id);
  }
  std::erase_if(ids, [&](std::int64_t id) { return id >= vocab_size; });
}

}  // namespace

void read_stop_tokens(ConfigReader& config, const std::string& directory, std::int64_t bos, std::int64_t eos,
                      ModelDescription& model, Diagnostics& diagnostics) {
  Ids bos_ids = read_ids(config, "bos_token_id");
  Ids eos_ids = read_ids(config, "eos_token_id");

  const std::string path = (std::filesystem::path(directory) / "generation_config.json").string();
  if (std::filesystem::exists(path)) {
    if (const std::optional<JsonFile> file = read_json_file(path, diagnostics)) {
      ConfigReader generation(*file, file->value, "", diagnostics);
      if (const Ids ids = read_ids(generation, "bos_token_id"); ids && !ids->empty()) bos_ids = ids;
      if (const Ids ids = read_ids(generation, "eos_token_id"); ids && !ids->empty()) {
        if (eos_ids && *eos_ids != *ids) model.eos_token_ids.comment = "from generation_config.json";
        eos_ids = ids;
      }
    }
  }
  if (!bos_ids) bos_ids = bos < 0 ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{bos};
  if (!eos_ids) eos_ids = eos < 0 ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{eos};

  keep_drawable(*bos_ids, model.vocab_size.value, "bos_token_id", model.bos_token_id.comment);
  keep_drawable(*eos_ids, model.vocab_size.value, "eos_token_id", model.eos_token_ids.comment);
  model.bos_token_id.value = bos_ids->empty() ? -1 : bos_ids->front();
  model.eos_token_ids.value = *eos_ids;
}

}  // namespace monomorph::generator
