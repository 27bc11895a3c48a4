// From a checkpoint's own files to the lines of [chat]: the template of its conversations, and the special tokens that
// it is rendered with.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "generator/import/steps.hpp"
#include "generator/spec/document.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph::generator {
namespace {

namespace fs = std::filesystem;

/// Those that transformers hands to a template, by GGUF's key for each, where it has one.
constexpr std::array<std::pair<const char*, const char*>, 7> special_tokens = {
    {{"bos_token", "tokenizer.ggml.bos_token_id"},
     {"eos_token", "tokenizer.ggml.eos_token_id"},
     {"unk_token", "tokenizer.ggml.unknown_token_id"},
     {"sep_token", "tokenizer.ggml.seperator_token_id"},  // spelt so in the format
     {"pad_token", "tokenizer.ggml.padding_token_id"},
     {"cls_token", "tokenizer.ggml.cls_token_id"},
     {"mask_token", "tokenizer.ggml.mask_token_id"}}};

/// As TOML that shows its lines, where it can.
std::string write_lines(const std::string& text) {
  const bool literal = text.find("'''") == std::string::npos && !text.ends_with('\'') &&
                       std::none_of(text.begin(), text.end(),
                                    [](unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F; });
  return literal ? "'''\n" + text + "'''" : write_string(text);
}

/// `from` names the place within the file at `path`, or the file itself.
void add_lines(const std::string& text, const fs::path& path, const std::string& from,
               const std::vector<std::pair<std::string, std::string>>& tokens, SpecLines& lines,
               Diagnostics& diagnostics) {
  if (text.empty()) return;
  const auto need_utf8 = [&](const std::string& what, const std::string& given) {
    if (utf8_error(given) == std::string::npos) return;
    const auto source = std::make_shared<const Source>(Source{path.string(), ""});
    diagnostics.error("import.chat_template", {source}, what + " is not UTF-8; save it so");
  };
  need_utf8("the chat template", text);
  for (const auto& [name, token] : tokens) need_utf8("the " + name, token);
  lines.push_back({"chat", "", "", "The template of a conversation, of " + from + "."});
  lines.push_back({"chat", "template", write_lines(text)});
  for (const auto& [name, token] : tokens) lines.push_back({"chat.special_tokens", name, write_string(token)});
}

std::optional<std::string> text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return in ? std::optional(text.str()) : std::nullopt;
}

/// A file of JSON beside the weights; an empty object where there is none.
Json json_of(const fs::path& path, Diagnostics& diagnostics) {
  const std::optional<std::string> text = text_of(path);
  const std::optional<Json> json = text ? Json::try_parse(*text) : Json::object();
  if (json && json->is_object()) return *json;
  const auto source = std::make_shared<const Source>(Source{path.string(), ""});
  diagnostics.error("import.chat_template", {source},
                    path.filename().string() + " is no JSON object; fetch it again, or take it away");
  return Json::object();
}

/// The template of this name of several; a template that is a text is the default one.
std::string template_in(const Json& config, const char* name) {
  const Json* const found = config.find("chat_template");
  if (found == nullptr) return "";
  if (found->is_string()) return std::string_view(name) == "default" ? found->string() : "";
  if (!found->is_array()) return "";
  for (const Json& one : *found) {
    const Json *const own = one.find("name"), *const text = one.find("template");
    if (own != nullptr && *own == name && text != nullptr && text->is_string()) return text->string();
  }
  return "";
}

/// One template for both: transformers takes the one called tool_use where a conversation has tools. Each renders as it
/// does alone: Jinja drops the line break behind a tag, and a plus sign keeps the space before one.
std::string joined(const std::string& plain, const std::string& with_tools) {
  if (plain.empty() || with_tools.empty()) return plain;
  const auto body = [](std::string text) {  // of whose end Jinja leaves out a line break
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    return text;
  };
  return "{% if tools is not none %}\n" + body(with_tools) + "{%+ else %}\n" + body(plain) + "{%+ endif %}";
}

std::string token_in(const Json& config, const char* name) {
  const Json* const found = config.find(name);
  if (found == nullptr) return "";
  const Json& token = found->is_object() && found->contains("content") ? found->at("content") : *found;
  return token.is_string() ? token.string() : "";
}

}  // namespace

void read_chat_template(const std::string& directory, SpecLines& lines, Diagnostics& diagnostics) {
  const fs::path folder(directory);
  const Json config = json_of(folder / "tokenizer_config.json", diagnostics);
  const Json map = json_of(folder / "special_tokens_map.json", diagnostics);
  std::string text = joined(template_in(config, "default"), template_in(config, "tool_use"));
  std::string from = "tokenizer_config.json";
  if (const std::optional<std::string> own = text_of(folder / "chat_template.jinja")) {
    text = joined(*own, text_of(folder / "additional_chat_templates" / "tool_use.jinja").value_or(""));
    from = "chat_template.jinja";
  }
  std::vector<std::pair<std::string, std::string>> tokens;
  for (const auto& [name, key] : special_tokens) {
    std::string token = token_in(config, name);
    if (token.empty()) token = token_in(map, name);
    if (!token.empty()) tokens.emplace_back(name, token);
  }
  add_lines(text, folder / from, from, tokens, lines, diagnostics);
}

void read_gguf_chat_template(const GgufFile& file, const fs::path& path, SpecLines& lines, Diagnostics& diagnostics) {
  const auto text = [&](const char* key) {
    const GgufValue* const value = file.find(key);
    const auto* const found = value == nullptr ? nullptr : std::get_if<std::string_view>(value);
    return found == nullptr ? std::string() : std::string(*found);
  };
  std::vector<std::pair<std::string, std::string>> tokens;
  const GgufValue* const vocabulary = file.find("tokenizer.ggml.tokens");
  const auto* const array = vocabulary == nullptr ? nullptr : std::get_if<GgufArray>(vocabulary);
  const std::vector<GgufValue> all = array == nullptr ? std::vector<GgufValue>() : array->values();
  for (const auto& [name, key] : special_tokens) {
    const GgufValue* const value = file.find(key);
    const auto* const id = value == nullptr ? nullptr : std::get_if<std::uint64_t>(value);
    if (id == nullptr || *id >= all.size() || !std::holds_alternative<std::string_view>(all[*id])) continue;
    tokens.emplace_back(name, std::get<std::string_view>(all[*id]));
  }
  add_lines(joined(text("tokenizer.chat_template"), text("tokenizer.chat_template.tool_use")), path, "its metadata",
            tokens, lines, diagnostics);
}

}  // namespace monomorph::generator
