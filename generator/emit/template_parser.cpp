#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "generator/diagnostics.hpp"
#include "generator/emit/template_nodes.hpp"

namespace monomorph::generator {

void template_error(const TemplatePlace& place, int column, const std::string& message) {
  throw InternalError(fmt::format("templates/{}:{}:{}: {}", place.file, place.line, column, message));
}

namespace {

HoleValue value_of(const toml::node& node) {
  if (const auto* flag = node.as_boolean()) return HoleValue(flag->get());
  if (const auto* number = node.as_integer()) return HoleValue(number->get());
  if (const auto* real = node.as_floating_point()) return HoleValue(real->get());
  if (const auto* text = node.as_string()) return HoleValue(text->get());
  std::vector<Holes> records;
  for (const toml::node& element : *node.as_array()) {
    Holes record;
    for (const auto& [key, field] : *element.as_table()) {
      record.emplace(std::string(key.str()), value_of(field));
    }
    records.push_back(std::move(record));
  }
  return HoleValue(std::move(records));
}

std::vector<std::string> strings_of(const toml::node_view<const toml::node>& node) {
  std::vector<std::string> texts;
  if (const auto* array = node.as_array()) {
    for (const toml::node& element : *array) texts.push_back(element.value_or(std::string()));
  }
  return texts;
}

HoleType type_of(const TemplatePlace& place, const std::string& type) {
  static const std::map<std::string, HoleType> types = {{"bool", HoleType::boolean},  {"uint", HoleType::uint},
                                                        {"float", HoleType::real},    {"text", HoleType::text},
                                                        {"choice", HoleType::choice}, {"list", HoleType::list}};
  const auto found = types.find(type);
  if (found == types.end()) template_error(place, 1, fmt::format("unknown type of hole: '{}'", type));
  return found->second;
}

class Parser {
 public:
  Parser(const TextSource& source, ParsedTemplate& parsed) : source_(source), parsed_(parsed) {}

  /// Parses one file into `parent`; its declarations come before those of the files it includes.
  void file(const std::string& path, TemplateNode& parent) {
    std::vector<std::string> lines;
    std::istringstream stream{std::string(source_(path))};
    for (std::string line; std::getline(stream, line);) lines.push_back(line);

    std::string header;
    std::size_t at = 0;
    for (; at < lines.size() && lines[at].starts_with("//!"); ++at) header += lines[at].substr(3) + "\n";
    declare(path, header);

    const std::size_t end = block(path, lines, at, parent);
    if (end != lines.size()) {
      template_error({path, static_cast<int>(end + 1)}, 1, "this closes nothing: " + lines[end]);
    }
  }

 private:
  void declare(const std::string& path, const std::string& header) {
    toml::table table;
    try {
      table = toml::parse(header, path);
    } catch (const toml::parse_error& error) {
      template_error({path, static_cast<int>(error.source().begin.line)}, static_cast<int>(error.source().begin.column),
                     std::string(error.description()));
    }
    std::vector<std::pair<toml::source_position, std::string>> order;
    for (const auto& [key, node] : table) order.emplace_back(key.source().begin, std::string(key.str()));
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first.line, a.first.column) < std::pair(b.first.line, b.first.column);
    });
    for (const auto& [position, name] : order) {
      if (name == "buffer") {
        declare_buffers(path, *table[name].as_table());
        continue;
      }
      const toml::table& node = *table[name].as_table();
      const toml::node_view<const toml::node> view{node};
      HoleDeclaration& hole = declaration(name);
      const TemplatePlace place{path, static_cast<int>(position.line)};
      if (hole.place.empty()) hole.place = fmt::format("{}:{}:{}", path, position.line, position.column);
      if (const auto type = view["type"].value<std::string>()) hole.type = type_of(place, *type);
      if (const auto meaning = view["is"].value<std::string>()) hole.meaning = *meaning;
      if (const auto when = view["when"].value<std::string>()) hole.when = *when;
      if (view["values"]) hole.choices = strings_of(view["values"]);
      if (view["fields"]) hole.fields = strings_of(view["fields"]);
      // The outermost file's sample counts: it is declared first.
      if (node.contains("sample") && !hole.sample)
        hole.sample = std::make_shared<HoleValue>(value_of(*node.get("sample")));
    }
  }

  /// `buffer.NAME = { view = "float", is = "rows x columns", when = "..." }`; of one name, the outermost file's counts.
  void declare_buffers(const std::string& path, const toml::table& table) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      const toml::node_view<const toml::node> view{node};
      const auto known = std::find_if(parsed_.buffers.begin(), parsed_.buffers.end(),
                                      [&](const BufferDeclaration& buffer) { return buffer.name == name; });
      if (known != parsed_.buffers.end()) continue;
      BufferDeclaration buffer;
      buffer.name = name;
      buffer.view = view["view"].value_or(std::string());
      buffer.by = view["by"].value_or(std::string());
      if (const toml::table* views = view["views"].as_table()) {
        for (const auto& [value, type] : *views) {
          buffer.views.emplace(std::string(value.str()), type.value_or(std::string()));
        }
      }
      buffer.meaning = view["is"].value_or(std::string());
      buffer.words = view["words"].value_or(std::string());
      buffer.when = view["when"].value_or(std::string());
      buffer.place = fmt::format("{}:{}:{}", path, key.source().begin.line, key.source().begin.column);
      parsed_.buffers.push_back(std::move(buffer));
    }
  }

  HoleDeclaration& declaration(const std::string& name) {
    for (HoleDeclaration& hole : parsed_.declarations) {
      if (hole.name == name) return hole;
    }
    parsed_.declarations.push_back({});
    parsed_.declarations.back().name = name;
    return parsed_.declarations.back();
  }

  /// Parses lines from `at` until an end, elif or else that it does not open; gives that line's index.
  std::size_t block(const std::string& path, const std::vector<std::string>& lines, std::size_t at,
                    TemplateNode& parent) {
    for (; at < lines.size(); ++at) {
      const TemplatePlace place{path, static_cast<int>(at + 1)};
      const std::size_t indent = lines[at].find_first_not_of(' ');
      if (indent == std::string::npos || lines[at].compare(indent, 3, "//%") != 0) {
        parent.children.push_back(line(place, lines[at]));
        continue;
      }
      std::istringstream words(lines[at].substr(indent + 3));
      std::string word, rest;
      words >> word;
      std::getline(words >> std::ws, rest);
      if (word == "end" || word == "elif" || word == "else") return at;
      if (word == "constants") {
        parent.children.push_back(node(TemplateNode::Kind::constants, place));
      } else if (word == "include") {
        file(path.substr(0, path.rfind('/') + 1) + rest.substr(1, rest.size() - 2), parent);
      } else if (word == "if") {
        at = condition(path, lines, at, rest, parent);
      } else if (word == "for") {
        at = loop(path, lines, at, rest, parent);
      } else {
        template_error(place, 1, fmt::format("unknown directive '{}'", word));
      }
    }
    return at;
  }

  std::size_t condition(const std::string& path, const std::vector<std::string>& lines, std::size_t at,
                        std::string test, TemplateNode& parent) {
    auto branches = node(TemplateNode::Kind::condition, {path, static_cast<int>(at + 1)});
    while (true) {
      auto body = node(TemplateNode::Kind::sequence, {path, static_cast<int>(at + 2)});
      const std::size_t end = block(path, lines, at + 1, *body);
      if (end == lines.size()) template_error(branches->place, 1, "this 'if' has no 'end'");
      branches->conditions.push_back(test);
      branches->children.push_back(body);
      std::istringstream words(lines[end].substr(lines[end].find("//%") + 3));
      std::string word;
      words >> word;
      test.clear();
      std::getline(words >> std::ws, test);
      at = end;
      if (word == "end") break;
    }
    parent.children.push_back(branches);
    return at;
  }

  std::size_t loop(const std::string& path, const std::vector<std::string>& lines, std::size_t at,
                   const std::string& rest, TemplateNode& parent) {
    auto body = node(TemplateNode::Kind::loop, {path, static_cast<int>(at + 1)});
    std::istringstream words(rest);
    std::string in;
    words >> body->item >> in >> body->list;
    if (in != "in" || body->list.empty()) template_error(body->place, 1, "expected: for ITEM in LIST");
    const std::size_t end = block(path, lines, at + 1, *body);
    if (end == lines.size()) template_error(body->place, 1, "this 'for' has no 'end'");
    parent.children.push_back(body);
    return end;
  }

  std::shared_ptr<TemplateNode> line(const TemplatePlace& place, const std::string& text) {
    auto result = node(TemplateNode::Kind::line, place);
    std::size_t at = 0;
    for (std::size_t open = text.find("${"); open != std::string::npos; open = text.find("${", at)) {
      if (open > 0 && text[open - 1] == '$') {  // "$${" stands for "${" itself, which CMake uses too
        result->pieces.push_back({false, text.substr(at, open - 1 - at) + "${", static_cast<int>(at + 1)});
        at = open + 2;
        continue;
      }
      const std::size_t close = text.find('}', open);
      if (close == std::string::npos) template_error(place, static_cast<int>(open + 1), "this hole has no '}'");
      if (open > at) result->pieces.push_back({false, text.substr(at, open - at), static_cast<int>(at + 1)});
      result->pieces.push_back({true, text.substr(open + 2, close - open - 2), static_cast<int>(open + 1)});
      at = close + 1;
    }
    result->pieces.push_back({false, text.substr(at), static_cast<int>(at + 1)});
    return result;
  }

  static std::shared_ptr<TemplateNode> node(TemplateNode::Kind kind, const TemplatePlace& place) {
    auto result = std::make_shared<TemplateNode>();
    result->kind = kind;
    result->place = place;
    return result;
  }

  const TextSource& source_;
  ParsedTemplate& parsed_;
};

}  // namespace

ParsedTemplate parse_template(const std::string& path, const TextSource& source) {
  ParsedTemplate parsed;
  parsed.root = std::make_shared<TemplateNode>();
  parsed.root->place = {path, 1};
  Parser(source, parsed).file(path, *parsed.root);
  return parsed;
}

std::vector<std::string> condition_names(const std::string& condition) {
  std::vector<std::string> names;
  std::istringstream words(condition);
  bool value_follows = false;
  for (std::string word; words >> word;) {
    if (word == "and" || word == "or" || word == "not") continue;
    if (word == "==" || word == "!=") {
      value_follows = true;
    } else if (value_follows) {
      value_follows = false;
      names.push_back(word);  // a choice's value, or another hole: the renderer knows which
    } else {
      names.push_back(word);
    }
  }
  return names;
}

}  // namespace monomorph::generator
