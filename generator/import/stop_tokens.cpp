#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "generator/import/steps.hpp"

namespace monomorph::generator {
namespace {

using Ids = std::vector<std::int64_t>;

/// nullopt: the key is absent. Null is an empty list: there is none.
std::optional<Ids> read_ids(Config& config, const std::string& key) {
  const std::string path = config.own_path(key);
  const Json* value = config.find(path);
  if (value == nullptr) return std::nullopt;
  Ids ids;
  const auto add = [&](const Json& id) {
    // Some exports write -1 for "none".
    if (id == -1) return true;
    if (!id.is_unsigned() || id.unsigned_integer() > std::uint64_t{0xffffffff}) return false;
    if (std::find(ids.begin(), ids.end(), id.integer()) == ids.end()) ids.push_back(id.integer());
    return true;
  };
  if (value->is_null()) return ids;
  const bool good = value->is_array() ? std::all_of(value->begin(), value->end(), add) : add(*value);
  if (!good) config.wrong_type(path, "a token id, a list of them, or null");
  return ids;
}

/// The line of a key; ids that no vocabulary entry has are left out, and it says so.
void add_line(const std::string& key, Ids ids, bool one, double vocab_size, std::string note, SpecLines& lines) {
  const auto is_outside = [&](std::int64_t id) { return static_cast<double>(id) >= vocab_size; };
  for (const std::int64_t id : ids) {
    if (!is_outside(id)) continue;
    note += fmt::format("{}{} {} is outside the vocabulary and left out", note.empty() ? "" : "; ", key, id);
  }
  std::erase_if(ids, is_outside);
  if (ids.empty()) {
    if (!note.empty()) lines.push_back({"tokenizer", "", "", note});
  } else {
    one |= ids.size() == 1;
    lines.push_back(
        {"tokenizer", key, one ? fmt::format("{}", ids.front()) : fmt::format("[{}]", fmt::join(ids, ", ")), note});
  }
}

}  // namespace

void read_stop_tokens(Config& config, const std::string& path, const Family& family, double vocab_size,
                      SpecLines& lines, Diagnostics& diagnostics) {
  const TokenizerSection& defaults = family.tokenizer;
  std::optional<Ids> bos = read_ids(config, "bos_token_id"), eos = read_ids(config, "eos_token_id");
  std::string eos_note;
  std::optional<Config> of_generation;
  if (std::filesystem::exists(path)) {
    if (const std::optional<JsonFile> file = read_json_file(path, diagnostics)) {
      Config& generation = of_generation.emplace(*file, diagnostics);
      if (const auto ids = read_ids(generation, "bos_token_id"); ids && !ids->empty()) bos = ids;
      if (const auto ids = read_ids(generation, "eos_token_id"); ids && !ids->empty()) {
        if (eos && *eos != *ids) eos_note = "from generation_config.json";
        eos = ids;
      }
    }
  }
  if (!bos) bos = defaults.bos_token_id.given ? Ids{defaults.bos_token_id.value} : Ids{};
  add_line("bos_token_id", *bos, true, vocab_size, "", lines);
  if (family.has_encoder()) {
    std::optional<Ids> start = read_ids(config, "decoder_start_token_id");
    if (of_generation) {
      if (const auto ids = read_ids(*of_generation, "decoder_start_token_id"); ids && !ids->empty()) start = ids;
    }
    const Field<std::int64_t>& usual = defaults.decoder_start_token_id;
    if (!start && usual.given) start = Ids{usual.value};
    if (start) add_line("decoder_start_token_id", *start, true, vocab_size, "", lines);
  }
  if (defaults.mask_token_id.given) {
    const std::optional<Ids> mask = read_ids(config, "mask_token_id");
    add_line("mask_token_id", mask ? *mask : Ids{defaults.mask_token_id.value}, true, vocab_size, "", lines);
  }
  add_line("eos_token_id", eos ? *eos : defaults.eos_token_id.value, false, vocab_size, eos_note, lines);
}

}  // namespace monomorph::generator
