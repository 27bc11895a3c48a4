#include "generator/import/write_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "generator/diagnostics.hpp"
#include "generator/spec/checkpoint_names.hpp"

namespace monomorph::generator {
namespace {

/// A TOML basic string.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04X}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// The shortest digits that read back as the same number: 1e-5, 500000.0.
std::string toml(double value) {
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text.find('.') == std::string::npos ? text + ".0" : text;
  std::size_t digits = exponent + 1;
  if (text[digits] == '-' || text[digits] == '+') ++digits;
  while (text[digits] == '0' && digits + 1 < text.size()) text.erase(digits, 1);
  return text;
}
std::string toml(std::int64_t value) { return fmt::format("{}", value); }
std::string toml(bool value) { return value ? "true" : "false"; }
std::string toml(const std::string& value) { return quoted(value); }
std::string toml(const std::vector<std::int64_t>& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

class SpecWriter {
 public:
  SpecWriter(std::string heading, std::shared_ptr<const Source> config)
      : spec_{std::move(heading), {std::move(config), {}}} {}

  void section(const std::string& name) {
    if (std::exchange(opened_, true)) spec_.text += '\n';
    spec_.text += fmt::format("[{}]\n", name);
  }
  template <class T>
  void line(const std::string& key, const Imported<T>& value) {
    const auto lines = std::count(spec_.text.begin(), spec_.text.end(), '\n');
    if (value.place.source != nullptr) spec_.places.lines[static_cast<int>(lines) + 1] = value.place;
    raw(key, toml(value.value), value.comment);
  }
  void raw(const std::string& key, const std::string& value, const std::string& comment = "") {
    spec_.text += fmt::format("{} = {}", key, value);
    if (!comment.empty()) spec_.text += "  # " + comment;
    spec_.text += '\n';
  }
  void remark(const std::string& comment) { spec_.text += "# " + comment + '\n'; }
  ImportedSpec spec() && { return std::move(spec_); }

 private:
  ImportedSpec spec_;
  bool opened_ = false;  ///< the heading stands right above the first section
};

std::string heading(const ModelDescription& model) {
  std::string source = "config.json";
  if (!model.transformers_version.empty()) source += " of transformers " + model.transformers_version;
  std::string text = fmt::format("# {}: a {}, imported from {}.\n", model.name, model.architecture, source);
  // A version is a string of the file's: nothing in it may end the comment.
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) < 0x20) text[i] = ' ';
  }
  return text;
}

std::string quoted_list(const std::vector<std::string>& words) {
  std::vector<std::string> texts;
  for (const std::string& word : words) texts.push_back(quoted(word));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

/// A list of projections; all that there are: true.
std::string biases(const std::vector<std::string>& projections, std::size_t all) {
  return projections.size() == all ? "true" : quoted_list(projections);
}

void write_attention(SpecWriter& out, const ModelDescription& model) {
  out.section("attention");
  out.line("num_attention_heads", model.num_attention_heads);
  if (model.num_key_value_heads.value != 0) out.line("num_key_value_heads", model.num_key_value_heads);
  if (model.head_dim.value != 0) out.line("head_dim", model.head_dim);
  if (!model.attention_scale.value.empty()) out.line("scale", model.attention_scale);
  if (!model.attention_bias.empty()) out.raw("bias", biases(model.attention_bias, 4));
  if (model.qk_norm) out.raw("qk_norm", quoted("head"));
}

std::string tensor_text(const NamedTensor& tensor, const std::string& name) {
  if (!tensor.transposed && tensor.fused.empty()) return quoted(name);
  std::string text = "{ name = " + quoted(name);
  if (!tensor.fused.empty()) text += ", fused = " + quoted_list(tensor.fused);
  if (tensor.transposed) text += ", transposed = true";
  return text + " }";
}

/// The named table with the prefix written into it.
void write_names(SpecWriter& out, const ModelDescription& model) {
  const NameTable* table = find_name_table(model.names);
  if (table == nullptr) throw InternalError(fmt::format("import.names: no table of tensor names '{}'", model.names));
  out.raw("prefix", "[\"\"]", fmt::format("the head stands outside \"{}\"", model.body_prefix));
  std::vector<std::string> ignored;
  for (const auto& [name, why] : table->ignore) {
    ignored.push_back(fmt::format("{{ name = {}, why = {} }}", quoted(model.body_prefix + name), quoted(why)));
  }
  out.raw("ignore", fmt::format("[\n  {},\n]", fmt::join(ignored, ",\n  ")));
  out.section("checkpoint.tensors");
  for (const NamedTensor& tensor : table->tensors) {
    const std::string prefix = tensor.part == "lm_head" ? "" : model.body_prefix;
    out.raw(quoted(tensor.part), tensor_text(tensor, prefix + tensor.name));
  }
}

void write_checkpoint(SpecWriter& out, const ModelDescription& model) {
  out.section("checkpoint");
  out.raw("names", quoted(model.names));
  out.line("dtype", model.dtype);
  if (!model.body_prefix.empty()) write_names(out, model);
  if (!model.dtypes.empty()) {
    out.section("checkpoint.dtypes");
    for (const DtypeException& exception : model.dtypes) out.raw(quoted(exception.parts), quoted(exception.dtype));
  }
}

void write_tokens(SpecWriter& out, const ModelDescription& model) {
  const bool bos = model.bos_token_id.value >= 0 || !model.bos_token_id.comment.empty();
  const bool eos = !model.eos_token_ids.value.empty() || !model.eos_token_ids.comment.empty();
  if (!bos && !eos) return;
  out.section("tokenizer");
  if (model.bos_token_id.value >= 0) {
    out.line("bos_token_id", model.bos_token_id);
  } else if (bos) {
    out.remark(model.bos_token_id.comment);
  }
  if (model.eos_token_ids.value.empty()) {
    if (eos) out.remark(model.eos_token_ids.comment);
  } else if (model.eos_token_ids.value.size() == 1) {
    out.raw("eos_token_id", toml(model.eos_token_ids.value.front()), model.eos_token_ids.comment);
  } else {
    out.raw("eos_token_id", toml(model.eos_token_ids.value), model.eos_token_ids.comment);
  }
}

}  // namespace

ImportedSpec write_spec(const ModelDescription& model, std::shared_ptr<const Source> config) {
  SpecWriter out(heading(model), std::move(config));

  out.section("model");
  out.raw("name", quoted(model.name));
  out.line("vocab_size", model.vocab_size);
  out.line("hidden_size", model.hidden_size);
  out.line("num_hidden_layers", model.num_hidden_layers);
  out.line("max_position_embeddings", model.max_position_embeddings);

  out.section("norm");
  out.raw("type", quoted(model.norm_type));
  out.line("eps", model.norm_eps);

  write_attention(out, model);

  out.section("position");
  out.raw("type", quoted(model.position_type));
  if (model.position_type == "rope") out.line("rope_theta", model.rope_theta);

  out.section("mlp");
  out.raw("type", quoted(model.mlp_type));
  out.line("intermediate_size", model.intermediate_size);
  out.line("activation", model.activation);
  if (model.mlp_bias) out.raw("bias", "true");

  out.section("lm_head");
  out.line("tie_word_embeddings", model.tie_word_embeddings);

  write_checkpoint(out, model);
  write_tokens(out, model);

  if (!model.ignored_keys.empty()) {
    out.section("import.ignored");
    for (const std::string& key : model.ignored_keys) out.raw(quoted(key), quoted("named by --ignore"));
  }
  return std::move(out).spec();
}

}  // namespace monomorph::generator
