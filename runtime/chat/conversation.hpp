// A conversation: messages as a chat template reads them, kept as the JSON that they came as, keys in their order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace monomorph {

class Conversation {
 public:
  /// From a JSON list of objects that have a text "role" and something else, "content" as a rule: what that may be the
  /// template knows. Every key is kept. Throws Error(rejected) that names `name` (a file) and the
  /// place.
  static Conversation parse(std::string_view json, const std::string& name);

  bool empty() const { return messages_.empty(); }
  std::size_t size() const { return messages_.size(); }
  /// Of the last message; "" where there is none.
  std::string_view last_role() const { return empty() ? std::string_view() : messages_.back().role; }
  bool answered() const { return last_role() == "assistant"; }
  /// Whether the last message waits for an answer.
  bool asked() const { return !empty() && !answered() && last_role() != "system"; }
  /// Throws Error(rejected) where the text is not UTF-8.
  void add(const std::string& role, const std::string& text);
  void drop_last() { messages_.pop_back(); }

  /// The text of the first message where its role is "system".
  std::optional<std::string> system() const;
  void set_system(const std::string& text);
  void remove_system();
  /// Forgets all but the system message.
  void reset();

  /// The list, in one line or indented.
  std::string json(bool indented = false) const;

 private:
  struct Message {
    std::string role;
    std::string json;
  };
  static Message make(const std::string& role, const std::string& text);
  bool has_system() const { return !empty() && messages_.front().role == "system"; }

  std::vector<Message> messages_;
};

/// What `json` has, which is to be a list of objects, in one line: the tools of a conversation. Throws like
/// Conversation::parse.
std::string parse_tools(std::string_view json, const std::string& name);

/// "name=JSON" words as one JSON object: further variables of a template, none that render_chat sets. Throws
/// Error(environment), a mistake of usage.
std::string parse_variables(const std::vector<std::string>& words);

}  // namespace monomorph
