#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <set>

#include "generator/spec/block_type.hpp"
#include "generator/spec/checkpoint_section.hpp"
#include "generator/spec/distinct.hpp"
#include "generator/spec/duplicate_key.hpp"
#include "generator/spec/engine_section.hpp"
#include "generator/spec/kinds.hpp"
#include "generator/spec/layers.hpp"
#include "generator/spec/name_tables.hpp"
#include "generator/spec/section_reader.hpp"
#include "generator/spec/spec.hpp"
#include "generator/spec/tokenizer_section.hpp"

namespace monomorph::generator {
namespace {

std::string hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a, 64 bits
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

/// A section that is misspelt is then read as what it was meant to be: it is not missing, and mistakes in it are told.
void refuse_unknown_sections(TomlValue& root, Diagnostics& diagnostics) {
  const std::vector<std::string> names = section_names();
  for (TomlEntry& entry : root.entries) {
    if (std::find(names.begin(), names.end(), entry.key) != names.end() || is_own_block(entry)) continue;
    const std::string suggestion = nearest(entry.key, names);
    diagnostics.error(
        "spec.unknown_section", entry.key_span,
        fmt::format("there is no section [{}]{}", entry.key,
                    suggestion.empty() ? "; the sections are " + one_of(names) : did_you_mean(suggestion)));
    if (!suggestion.empty() && root.find(suggestion) == nullptr) entry.key = suggestion;
  }
}

void compute_engine_defaults(Spec& spec) {
  constexpr std::int64_t usual_length = 4096, usual_texts = 32, usual_rows = 2048;
  EngineSection& engine = *spec.engine;
  const Field<std::int64_t>& positions = spec.model.max_position_embeddings;
  if (!engine.max_sequence_length.given) {
    engine.max_sequence_length.value = positions.given ? std::min(positions.value, usual_length) : usual_length;
  }
  const bool whole_texts = reads_ahead(spec);
  const bool vectors = whole_texts && find_word(bind(*spec.pooling), "type")->given;
  if (!engine.max_batch.given) engine.max_batch.value = vectors ? usual_texts : 1;
  if (!engine.prefill_chunk.given) {
    const std::int64_t length = engine.max_sequence_length.value;
    engine.prefill_chunk.value = std::min(length, whole_texts ? max_text_in_one_pass : 128);
    // Several short texts fill a pass, too.
    if (vectors && length < usual_rows && length > 0 && engine.max_batch.value > 0) {
      engine.prefill_chunk.value = std::min(usual_rows, length * std::min(engine.max_batch.value, usual_rows));
    }
  }
  CacheTypes& cache = engine.kv_cache.value;
  for (Field<std::string>* type : {&cache.keys, &cache.values}) {
    if (type->given) continue;
    type->value = spec.checkpoint->dtype.value == "f32" ? "f32" : "f16";
    type->span = engine.kv_cache.span;
  }
}

}  // namespace

bool Biases::has(const std::string& projection) const {
  return all || std::find(projections.begin(), projections.end(), projection) != projections.end();
}

std::string identifier_of(const std::string& name) {
  std::string result = name;
  for (char& c : result) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return result;
}

bool is_reserved_model_name(const std::string& name) {
  static const std::set<std::string> taken = {"build",    "include",  "kernels",     "CMakeLists.txt", "chat.cpp",
                                              "main.cpp", "plan.txt", "program.cpp", "spirv.S"};
  return taken.contains(name);
}

std::shared_ptr<const Source> read_source(const std::string& path) {
  constexpr std::size_t most_bytes = 256 << 10;  // a checkpoint named by mistake is not read into memory
  std::ifstream file(path, std::ios::binary);
  std::string text(most_bytes + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file && !file.eof())) throw EnvironmentError(path + ": this file cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most_bytes) {
    throw EnvironmentError(
        fmt::format("{}: this file has more than {} KiB; a spec or a config.json is meant", path, most_bytes >> 10));
  }
  return std::make_shared<const Source>(Source{path, std::move(text)});
}

std::optional<Spec> read_spec_leniently(const std::shared_ptr<const Source>& source,
                                        const std::vector<Override>& overrides, Diagnostics& diagnostics) {
  std::optional<TomlValue> root = parse_document(source, diagnostics);
  if (!root) {
    show_first_definition(diagnostics.all().back());
    return std::nullopt;
  }
  Diagnostics found;
  std::string hashed = source->text;
  for (const Override& override : overrides) {
    apply_override(*root, override.path, override.value, found);
    hashed += fmt::format("\n--set {}={}", override.path, override.value.value_or(""));
  }
  Spec spec;
  spec.source = source;
  spec.hash = hash_of(hashed);
  refuse_unknown_sections(*root, found);
  const std::vector<LayerList> lists = take_lists(*root, found);
  const Span file{source, 0, 0, 1};
  const auto read = [&](const std::string& name, bool in_effect, auto& section) {
    const TomlEntry* entry = root->find(name);
    read_section(entry != nullptr ? &entry->value : nullptr, name, file, in_effect, bind(section), found);
    read_norms(name, bind(section), root->find("norm"), nullptr, found);
    return entry != nullptr ? entry->value.span : file;
  };
  read("model", true, spec.model);
  read("norm", true, spec.norm);
  read("embedding", true, *spec.embedding);
  Layers layers = read_layers(*root, lists, spec.model, found);
  spec.repeat = layers.repeat;
  spec.has_pattern = layers.has_pattern;
  spec.kinds = std::move(layers.kinds);
  spec.layer_kinds = std::move(layers.layer_kinds);
  read("position", false, *spec.position);  // what is missing, the kinds have said
  Field<std::string>& position = *find_word(bind(*spec.position), "type");
  if (!position.given) position.value = "none";
  read("lm_head", true, *spec.lm_head);
  read("pooling", root->find("pooling") != nullptr, *spec.pooling);
  spec.checkpoint->span = read("checkpoint", true, *spec.checkpoint);
  read("import", true, *spec.import);
  read("tokenizer", true, *spec.tokenizer);
  if (!spec.tokenizer->bos_token_id.given) spec.tokenizer->bos_token_id.value = -1;
  read("chat", true, *spec.chat);
  read("engine", true, *spec.engine);
  add_named_table(*spec.checkpoint);
  compute_engine_defaults(spec);
  append_distinct(found, diagnostics);
  return spec;
}

std::optional<Spec> read_spec(const std::shared_ptr<const Source>& source, const std::vector<Override>& overrides,
                              Diagnostics& diagnostics) {
  Diagnostics found;
  std::optional<Spec> spec = read_spec_leniently(source, overrides, found);
  diagnostics.append(found);
  return found.has_errors() ? std::nullopt : spec;
}

}  // namespace monomorph::generator
