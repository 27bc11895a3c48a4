#include "runtime/chat/conversation.hpp"

#include <fmt/format.h>

#include "runtime/chat/json_text.hpp"
#include "runtime/error.hpp"
#include "runtime/formats/json.hpp"
#include "runtime/tokenizer/utf8.hpp"

namespace monomorph {
namespace {

[[noreturn]] void reject(const std::string& message) { throw Error(ErrorKind::rejected, message); }

/// The objects of the list that `text` is; `each` is what one of them is called.
Json parse_objects(std::string_view text, const std::string& name, const char* each) {
  Json list = read_json(text, name);
  if (!list.is_array())
    reject(fmt::format("{}: a list of {}s belongs here, not a JSON {}", name, each, list.type_name()));
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].is_object()) continue;
    reject(fmt::format("{}: {} {} is a JSON {}, not an object", name, each, i + 1, list[i].type_name()));
  }
  return list;
}

void judge_message(const Json& message, const std::string& place) {
  const Json* const role = message.find("role");
  if (role == nullptr || !role->is_string()) {
    reject(fmt::format("{}: a \"role\" that is a text belongs here (\"system\", \"user\", \"assistant\")", place));
  }
  // What else there is the template knows.
  if (message.size() == 1) reject(fmt::format("{}: \"content\" is missing", place));
}

}  // namespace

Conversation Conversation::parse(std::string_view json, const std::string& name) {
  const Json list = parse_objects(json, name, "message");
  Conversation conversation;
  for (const Json& message : list) {
    judge_message(message, fmt::format("{}: message {}", name, conversation.messages_.size() + 1));
    conversation.messages_.push_back({message["role"].string(), message.dump()});
  }
  return conversation;
}

Conversation::Message Conversation::make(const std::string& role, const std::string& text) {
  if (const std::size_t error = utf8_error(text); error != std::string_view::npos) {
    reject(fmt::format("the {}message is not UTF-8 at byte {}", role == "system" ? "system " : "", error));
  }
  return {role, Json::object({{"role", role}, {"content", text}}).dump()};
}

void Conversation::add(const std::string& role, const std::string& text) { messages_.push_back(make(role, text)); }

std::optional<std::string> Conversation::system() const {
  if (!has_system()) return std::nullopt;
  const Json message = Json::parse(messages_.front().json);
  const Json* const content = message.find("content");
  if (content == nullptr) return "";
  return content->is_string() ? content->string() : content->dump();
}

void Conversation::set_system(const std::string& text) {
  const Message message = make("system", text);
  if (has_system()) {
    messages_.front() = message;
  } else {
    messages_.insert(messages_.begin(), message);
  }
}

void Conversation::remove_system() {
  if (has_system()) messages_.erase(messages_.begin());
}

void Conversation::reset() { messages_.resize(has_system() ? 1 : 0); }

std::string Conversation::json(bool indented) const {
  Json list = Json::array();
  for (const Message& message : messages_) list.push_back(Json::parse(message.json));
  return list.dump(indented ? 2 : -1);
}

std::string parse_tools(std::string_view json, const std::string& name) {
  return parse_objects(json, name, "tool").dump();
}

std::string parse_variables(const std::vector<std::string>& words) {
  Json variables = Json::object();
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto refuse = [](const std::string& message) {
      throw Error(ErrorKind::environment, message + "; write NAME=JSON: enable_thinking=false, or language='\"de\"'");
    };
    if (utf8_error(name) != std::string::npos) refuse("--variable: the name is not UTF-8");
    if (name.empty() || equals == std::string::npos) refuse("--variable " + name + ": a name and a value belong here");
    if (name == "messages" || name == "tools" || name == "add_generation_prompt") {
      refuse("--variable " + name + ": the chat itself says what this is");
    }
    try {
      variables[name] = read_json(word.substr(equals + 1), "--variable " + name);
    } catch (const Error& error) {
      refuse(error.what());
    }
  }
  return variables.dump();
}

}  // namespace monomorph
