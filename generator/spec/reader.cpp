#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>

#include "generator/spec/block_type.hpp"
#include "generator/spec/checkpoint_section.hpp"
#include "generator/spec/distinct.hpp"
#include "generator/spec/duplicate_key.hpp"
#include "generator/spec/encoder_section.hpp"
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

/// A section under [encoder], laid over the model's.
TomlValue laid_over(const TomlValue& root, const TomlValue& encoder, const std::string& name,
                    const BoundFields& fields) {
  const TomlEntry *base = root.find(name), *own = encoder.find(name);
  if (own == nullptr) return base != nullptr ? base->value : TomlValue{};
  return lay_over(base != nullptr ? &base->value : nullptr, own->value, fields);
}

/// Keys under [encoder] that are neither its own nor sections.
void refuse_unknown_in_encoder(const TomlValue& root, const TomlValue& encoder, const BoundFields& own,
                               Diagnostics& diagnostics) {
  std::vector<std::string> known = section_names(true);
  known.insert(known.end(), {"embedding", "layers"});
  for (const BoundField& field : own) known.push_back(field.field->key);
  for (const TomlEntry& entry : root.entries) {
    if (is_own_block(entry)) known.push_back(entry.key);
  }
  for (const TomlEntry& entry : encoder.entries) {
    if (std::ranges::find(known, entry.key) != known.end() || is_own_block(entry)) continue;
    diagnostics.error(
        "spec.unknown_key", entry.key_span,
        fmt::format("[encoder] has no key or section {}{}", entry.key, did_you_mean(nearest(entry.key, known))));
  }
}

/// The stack of [encoder]; gives whether its steps are known.
bool read_encoder(const TomlValue& root, const TomlEntry& entry, Spec& spec, Diagnostics& diagnostics) {
  if (entry.value.form != TomlValue::Form::table) {
    diagnostics.error("spec.type", entry.value.span,
                      "encoder is " + describe(entry.value) + "; a section, [encoder], is required here");
    return false;
  }
  EncoderSpec encoder;
  encoder.span = entry.key_span;
  const BoundFields own = bind(*encoder.section);
  refuse_unknown_in_encoder(root, entry.value, own, diagnostics);
  TomlValue keys = entry.value;
  std::erase_if(keys.entries, [&](const TomlEntry& each) {
    return std::ranges::none_of(own, [&](const BoundField& field) { return field.field->key == each.key; });
  });
  const Span& place = entry.value.span;
  const TomlEntry *norm = root.find("norm"), *own_norm = entry.value.find("norm");
  read_section(&keys, "encoder", place, true, own, diagnostics);
  read_norms("encoder", own, norm, own_norm, diagnostics);
  encoder.model = spec.model;
  const auto take = [](Field<std::int64_t>& said, Field<std::int64_t>& otherwise) {
    said.given ? otherwise = said : said = otherwise;
  };
  EncoderSection& section = *encoder.section;
  take(section.num_hidden_layers, encoder.model.num_hidden_layers);
  take(section.hidden_size, encoder.model.hidden_size);
  take(section.max_position_embeddings, encoder.model.max_position_embeddings);
  const BoundFields embedding = bind(*encoder.embedding), position = bind(*encoder.position);
  const TomlValue embedding_keys = laid_over(root, entry.value, "embedding", embedding);
  read_section(&embedding_keys, "encoder.embedding", place, true, embedding, diagnostics);
  read_norms("encoder.embedding", embedding, norm, own_norm, diagnostics);
  const TomlValue position_keys = laid_over(root, entry.value, "position", position);
  read_section(&position_keys, "encoder.position", place, false, position, diagnostics);
  Field<std::string>& type = *find_word(position, "type");
  if (!type.given) type.value = "none";
  Layers layers = read_encoder_layers(root, entry, encoder.model, diagnostics);
  encoder.repeat = layers.repeat;
  encoder.has_pattern = layers.has_pattern;
  for (const std::size_t kind : layers.layer_kinds) encoder.layer_kinds.push_back(spec.kinds.size() + kind);
  for (LayerKind& kind : spec.kinds) {
    kind.identifier = spec.has_pattern ? "decoder_" + kind.identifier : "decoder";
  }
  std::ranges::move(layers.kinds, std::back_inserter(spec.kinds));
  spec.encoder = std::move(encoder);
  return layers.steps_are_known;
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
  if (!engine.head_rows.given) engine.head_rows.value = -1;
  constexpr std::int64_t usual_source = 512;
  if (!engine.max_source_length.given) {
    const std::int64_t most = spec.encoder ? spec.encoder->model.max_position_embeddings.value : -1;
    engine.max_source_length.value = !spec.encoder ? -1 : most > 0 ? std::min(most, usual_source) : usual_source;
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
  bool steps_are_known = layers.steps_are_known;
  if (const TomlEntry* encoder = root->find("encoder"); encoder != nullptr) {
    steps_are_known &= read_encoder(*root, *encoder, spec, found);
  }
  // Which sections are used is not known where steps are wrong.
  if (steps_are_known) refuse_never_used(*root, spec.kinds, found);
  read("position", false, *spec.position);  // what is missing, the kinds have said
  Field<std::string>& position = *find_word(bind(*spec.position), "type");
  if (!position.given) position.value = "none";
  read("lm_head", true, *spec.lm_head);
  read("pooling", root->find("pooling") != nullptr, *spec.pooling);
  spec.checkpoint->span = read("checkpoint", true, *spec.checkpoint);
  read("import", true, *spec.import);
  read("tokenizer", true, *spec.tokenizer);
  if (!spec.tokenizer->bos_token_id.given) spec.tokenizer->bos_token_id.value = -1;
  if (!spec.tokenizer->decoder_start_token_id.given) spec.tokenizer->decoder_start_token_id.value = -1;
  if (!spec.tokenizer->mask_token_id.given) spec.tokenizer->mask_token_id.value = -1;
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
