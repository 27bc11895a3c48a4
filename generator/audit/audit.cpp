#include "generator/audit/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "generator/audit/other_sizes.hpp"
#include "generator/audit/other_types.hpp"
#include "generator/audit/rows.hpp"
#include "generator/audit/scan_values.hpp"
#include "generator/audit/vocabulary.hpp"
#include "generator/contract/expected_tensors.hpp"
#include "generator/contract/parts.hpp"
#include "runtime/error.hpp"
#include "runtime/formats/checkpoint.hpp"
#include "runtime/formats/checkpoint_names.hpp"

namespace monomorph::generator {
namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

/// "0-31", "0, 2, 5".
std::string numbers_text(const std::set<std::int64_t>& numbers) {
  if (*numbers.rbegin() - *numbers.begin() + 1 == static_cast<std::int64_t>(numbers.size())) {
    return fmt::format("{}-{}", *numbers.begin(), *numbers.rbegin());
  }
  return fmt::format("{}", fmt::join(numbers, ", "));
}

/// A file as a whole.
Span span_of(const std::string& file) {
  Span span;
  span.source = std::make_shared<const Source>(Source{file, ""});
  return span;
}

/// Complaints that differ in nothing but the layer and the number among a part's tensors, told once: of one layer, or
/// number, with the tensor's own name, of several with the pattern.
class Complaints {
 public:
  Complaints(Diagnostics& diagnostics, const Checkpoint& checkpoint)
      : diagnostics_(diagnostics), checkpoint_(checkpoint) {}

  /// `text` goes on after the tensor's name. `tensor`: whose file is named; nullptr: the checkpoint as a whole.
  void add(const std::string& rule, const std::string& pattern, std::int64_t layer, const std::string& text,
           const CheckpointTensor* tensor, std::int64_t number = -1) {
    const std::size_t file = tensor == nullptr ? 0 : tensor->file;
    const Key key{rule, pattern, text};
    if (places_.find(key) == places_.end()) order_.push_back(key);
    Places& places = places_.emplace(key, Places{file, {}, {}}).first->second;
    places.first_file = std::min(places.first_file, file);
    if (layer >= 0) places.layers.insert(layer);
    if (number >= 0) places.numbers.insert(number);
  }

  void report() {
    for (const Key& key : order_) {
      const auto& [rule, pattern, text] = key;
      const auto& [file, layers, numbers] = places_.at(key);
      std::string name = layers.size() == 1 ? with_layer(pattern, {*layers.begin()}) : pattern;
      std::vector<std::string> several;
      if (layers.size() > 1) several.push_back("layers " + numbers_text(layers));
      if (numbers.size() == 1) name = with_number(name, fmt::format("{}", *numbers.begin()));
      if (numbers.size() > 1) several.push_back("{j} " + numbers_text(numbers));
      if (!several.empty()) name += fmt::format(" ({})", fmt::join(several, ", "));
      diagnostics_.error(rule, span_of(checkpoint_.files().at(file).string()), fmt::format("{} {}", name, text));
    }
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  struct Places {
    std::size_t first_file;
    std::set<std::int64_t> layers, numbers;
  };
  Diagnostics& diagnostics_;
  const Checkpoint& checkpoint_;
  std::vector<Key> order_;
  std::map<Key, Places> places_;
};

bool is_ignored(const Contract& contract, std::string_view name) {
  return std::any_of(contract.ignored_tensors.begin(), contract.ignored_tensors.end(),
                     [&](const IgnoredCheckpointTensor& ignored) { return is_named(name, ignored.name); });
}

/// A head in the checkpoint of a model whose head is the embedding: a copy says nothing new, anything else does.
bool is_copy_of_embedding(const Contract& contract, const std::string& prefix, const Checkpoint& checkpoint,
                          const CheckpointTensor& head) {
  const CheckpointTensor* tokens = checkpoint.find(prefix + contract.token_embedding().sources.front().name);
  return tokens != nullptr && same_tensor(*tokens, head);
}

/// "; experts is 5 here and 6 in the spec", where one extent differs and has a name.
std::string other_extent(const Contract& contract, const CheckpointTensor& tensor, const ExpectedTensor& expected) {
  std::string text;
  if (tensor.shape.size() != expected.shape.size()) return text;
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] == expected.shape[d]) continue;
    if (!text.empty() || !expected.axes[d]) return "";
    text = fmt::format("; {} is {} here and {} in the spec", contract.axes[expected.axes[d]].name, tensor.shape[d],
                       expected.shape[d]);
  }
  return text;
}

/// "one for each of 6 experts"
std::string count_text(const Contract& contract, const ExpectedTensor& expected) {
  const Axis& axis = contract.axes[expected.counted];
  return fmt::format("one for each of {} {}", axis.size, axis.name);
}

void audit_present(const Contract& contract, const CheckpointTensor& tensor, const ExpectedTensor& expected,
                   const std::string& prefix, bool type_told, const OtherSizes& sizes, Complaints& complaints) {
  if (!expected.fits(tensor.shape) && !sizes.explain(tensor, expected)) {
    complaints.add("checkpoint.shape", prefixed(prefix, expected.pattern), expected.layer,
                   fmt::format("is {}; {} needs {}{}", shape_text(tensor.shape), expected.part,
                               shape_text(expected.shape), other_extent(contract, tensor, expected)),
                   &tensor, expected.number);
  }
  if (!type_told && has_other_type(tensor, expected)) {
    complaints.add("checkpoint.dtype", prefixed(prefix, expected.pattern), expected.layer,
                   fmt::format("is {}; the spec says {} (checkpoint.dtype, or a line of checkpoint.dtypes)",
                               tensor.dtype, row_of(expected.dtype).header),
                   &tensor, expected.number);
  }
}

void audit_missing(const Contract& contract, const ExpectedTensor& expected, const std::string& prefix,
                   Complaints& complaints) {
  const bool head = expected.part == "lm_head";
  complaints.add(
      head ? "checkpoint.tied_head" : "checkpoint.missing", prefixed(prefix, expected.pattern), expected.layer,
      head ? fmt::format("is missing, and lm_head.tie_word_embeddings is false; if the head of {} is the "
                         "embedding's matrix, set it to true",
                         contract.name)
           : fmt::format("is missing; {} needs it, {} of shape {}{}", expected.part, row_of(expected.dtype).header,
                         shape_text(expected.shape), expected.counted ? ", " + count_text(contract, expected) : ""),
      nullptr, expected.number);
}

void audit_unexpected(const Contract& contract, const std::string& prefix, const Checkpoint& checkpoint,
                      const CheckpointTensor& tensor, const std::map<std::string, ExpectedTensor>& expected,
                      Diagnostics& diagnostics, Complaints& complaints) {
  if (is_ignored(contract, without_prefix(prefix, tensor.name).value_or(tensor.name))) return;
  if (contract.tie_word_embeddings) {
    const Span span = span_of(checkpoint.files().at(tensor.file).string());
    if (is_copy_of_embedding(contract, prefix, checkpoint, tensor)) {
      diagnostics.advice("checkpoint.tied_head", span,
                         fmt::format("{} is a copy of the embedding and is not read", tensor.name));
      return;
    }
    if (tensor.name == "lm_head.weight" || tensor.name == prefix + "lm_head.weight") {
      diagnostics.error("checkpoint.tied_head", span,
                        fmt::format("{} differs from the embedding, but lm_head.tie_word_embeddings is true; set it to "
                                    "false",
                                    tensor.name));
      return;
    }
  }
  const LayerName name = split_layer(tensor.name);
  std::string why = "is not used by this model; if it may be left out, say why in checkpoint.ignore";
  const auto like = std::ranges::find_if(
      expected, [&](const auto& each) { return prefixed(prefix, each.second.pattern) == name.pattern; });
  const std::size_t stack = like != expected.end() ? like->second.stack : own_stack;
  if (name.layer >= contract.stacks[stack].num_hidden_layers) {
    why = fmt::format("is not used: {}num_hidden_layers = {}", section_prefix(stack),
                      contract.stacks[stack].num_hidden_layers);
  }
  for (const auto& [each, of] : expected) {  // its number is beyond those that there are
    if (of.number != 0 || !of.counted) continue;
    if (!is_named(tensor.name, prefix + with_number(with_layer(of.pattern, {of.layer}), "{i}"))) continue;
    why = fmt::format("is not used: {} has {}", of.part, count_text(contract, of));
  }
  complaints.add("checkpoint.unexpected", name.pattern, name.layer, why, &tensor);
}

void scan(const Checkpoint& checkpoint, Diagnostics& diagnostics) {
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    checkpoint.prefetch(tensor);
    if (const std::optional<NotFinite> found = find_not_finite(tensor)) {
      diagnostics.error(
          "checkpoint.not_finite", span_of(checkpoint.files().at(tensor.file).string()),
          fmt::format("{} has {} value{} that {} no number, the first {} at index {}", tensor.name, found->count,
                      found->count == 1 ? "" : "s", found->count == 1 ? "is" : "are",
                      std::isnan(found->value) ? "NaN" : (found->value > 0 ? "inf" : "-inf"), found->first));
    }
    checkpoint.release(tensor);
  }
}

void audit_tensors(const Contract& contract, const Checkpoint& checkpoint, Diagnostics& diagnostics) {
  audit_rows(contract, diagnostics);
  const std::map<std::string, ExpectedTensor> expected = expected_tensors(contract);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : expected) names.push_back(name);
  const std::string prefix = choose_prefix(contract.checkpoint_prefixes, names, checkpoint);
  Complaints complaints(diagnostics, checkpoint);
  Present present;
  for (const auto& [name, tensor] : expected) {
    if (const CheckpointTensor* found = checkpoint.find(prefixed(prefix, name))) present.emplace_back(found, &tensor);
  }
  const std::string file = checkpoint.files().front().string();
  const OtherSizes sizes(contract, present, checkpoint);
  if (sizes.found()) {
    diagnostics.error(
        "checkpoint.shape", span_of(file),
        fmt::format("these are the weights of another model than {}: {}", contract.name, sizes.described()));
  }
  const std::string types = describe_other_types(present);
  if (!types.empty()) diagnostics.error("checkpoint.dtype", span_of(file), types);
  for (const auto& [name, tensor] : expected) {
    if (checkpoint.find(prefixed(prefix, name)) != nullptr || sizes.explain(tensor.layer)) continue;
    audit_missing(contract, tensor, prefix, complaints);
  }
  for (const auto& [found, tensor] : present) {
    audit_present(contract, *found, *tensor, prefix, !types.empty(), sizes, complaints);
  }
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    const std::optional<std::string> own = without_prefix(prefix, tensor.name);
    if (own && expected.contains(*own)) continue;
    if (sizes.explain(split_layer(tensor.name).layer)) continue;
    audit_unexpected(contract, prefix, checkpoint, tensor, expected, diagnostics, complaints);
  }
  complaints.report();
}

}  // namespace

Diagnostics audit_checkpoint(const Contract& contract, const std::string& path, bool scan_nan) {
  Diagnostics diagnostics;
  try {
    const Checkpoint checkpoint = Checkpoint::open(path);
    audit_tensors(contract, checkpoint, diagnostics);
    if (scan_nan) scan(checkpoint, diagnostics);
    audit_vocabulary(contract, checkpoint.directory(), diagnostics);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::rejected) throw EnvironmentError(error.what());
    diagnostics.error("checkpoint.format", span_of(path), error.what());
  }
  return diagnostics;
}

}  // namespace monomorph::generator
