#include "generator/emit/template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <sstream>

#include "generator/diagnostics.hpp"
#include "generator/emit/resources.hpp"
#include "generator/emit/template_nodes.hpp"

namespace monomorph::generator {

std::string_view resource(const std::string& path) {
  const auto found = resources().find(path);
  if (found == resources().end()) throw InternalError("no such text inside the generator: " + path);
  return found->second;
}

std::string float_literal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

namespace {

std::string text_of(const HoleValue& hole) {
  if (const bool* flag = std::get_if<bool>(&hole.value)) return *flag ? "true" : "false";
  if (const std::int64_t* number = std::get_if<std::int64_t>(&hole.value)) return std::to_string(*number);
  if (const double* real = std::get_if<double>(&hole.value)) return float_literal(*real);
  if (const std::string* text = std::get_if<std::string>(&hole.value)) return *text;
  throw InternalError("a list cannot stand in a line");
}

bool truth_of(const HoleValue& hole) {
  if (const bool* flag = std::get_if<bool>(&hole.value)) return *flag;
  if (const std::string* text = std::get_if<std::string>(&hole.value)) return !text->empty();
  if (const auto* list = std::get_if<std::vector<Holes>>(&hole.value)) return !list->empty();
  return true;
}

/// Values in force: the template's holes, and the loop items around the place.
class Scope {
 public:
  explicit Scope(const Holes& holes) : holes_(holes) {}

  const HoleValue* find(const std::string& name) const {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) {
      const auto found = holes_.find(name);
      return found == holes_.end() ? nullptr : &found->second;
    }
    const auto item = items_.find(name.substr(0, dot));
    if (item == items_.end()) return nullptr;
    const auto found = item->second->find(name.substr(dot + 1));
    return found == item->second->end() ? nullptr : &found->second;
  }

  Scope with(const std::string& item, const Holes& record) const {
    Scope inner = *this;
    inner.items_[item] = &record;
    return inner;
  }

  /// or of ands of: [not] name, name == value, name != value. A name that does not exist under these values is false.
  bool holds(const std::string& condition, const TemplatePlace& place) const {
    std::istringstream words(condition);
    std::vector<std::string> tokens;
    for (std::string word; words >> word;) tokens.push_back(word);
    bool any = false, all = true;
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (tokens[at] == "or") {
        any = any || all;
        all = true;
        continue;
      }
      if (tokens[at] == "and") continue;
      const bool negated = tokens[at] == "not";
      if (negated) ++at;
      if (at >= tokens.size()) template_error(place, 1, "a condition ends too early: " + condition);
      const HoleValue* left = find(tokens[at]);
      bool value;
      if (at + 2 < tokens.size() && (tokens[at + 1] == "==" || tokens[at + 1] == "!=")) {
        const HoleValue* right = find(tokens[at + 2]);
        const bool equal = left != nullptr && text_of(*left) == (right != nullptr ? text_of(*right) : tokens[at + 2]);
        value = (tokens[at + 1] == "==") == equal;
        at += 2;
      } else {
        value = left != nullptr && truth_of(*left);
      }
      all = all && value != negated;
    }
    return any || all;
  }

 private:
  const Holes& holes_;
  std::map<std::string, const Holes*> items_;
};

bool has_type(const HoleDeclaration& hole, const HoleValue& value) {
  switch (hole.type) {
    case HoleType::boolean:
      return std::holds_alternative<bool>(value.value);
    case HoleType::uint: {
      const std::int64_t* number = std::get_if<std::int64_t>(&value.value);
      return number != nullptr && *number >= 0 && *number <= 0xffffffffLL;
    }
    case HoleType::real: {
      const double* real = std::get_if<double>(&value.value);
      return real != nullptr && std::isfinite(*real);
    }
    case HoleType::text:
      return std::holds_alternative<std::string>(value.value);
    case HoleType::choice: {
      const std::string* text = std::get_if<std::string>(&value.value);
      return text != nullptr && std::find(hole.choices.begin(), hole.choices.end(), *text) != hole.choices.end();
    }
    case HoleType::list: {
      const auto* list = std::get_if<std::vector<Holes>>(&value.value);
      if (list == nullptr) return false;
      for (const Holes& record : *list) {
        if (record.size() != hole.fields.size()) return false;
        for (const std::string& field : hole.fields) {
          if (!record.contains(field)) return false;
        }
      }
      return true;
    }
  }
  return false;
}

class Renderer {
 public:
  Renderer(const std::vector<HoleDeclaration>& declarations, const Scope& scope)
      : declarations_(declarations), scope_(scope) {}

  void render(const TemplateNode& node, const Scope& scope) {
    switch (node.kind) {
      case TemplateNode::Kind::sequence:
        for (const auto& child : node.children) render(*child, scope);
        return;
      case TemplateNode::Kind::line:
        for (const TemplatePiece& piece : node.pieces) text += piece.hole ? fill(node, piece, scope) : piece.text;
        text += '\n';
        return;
      case TemplateNode::Kind::constants:
        return constants();
      case TemplateNode::Kind::condition:
        for (std::size_t branch = 0; branch < node.children.size(); ++branch) {
          if (!node.conditions[branch].empty() && !scope.holds(node.conditions[branch], node.place)) continue;
          return render(*node.children[branch], scope);
        }
        return;
      case TemplateNode::Kind::loop: {
        const HoleValue* list = scope.find(node.list);
        const auto* records = list == nullptr ? nullptr : std::get_if<std::vector<Holes>>(&list->value);
        if (records == nullptr) template_error(node.place, 1, fmt::format("'{}' is not a list", node.list));
        for (const Holes& record : *records) {
          const Scope inner = scope.with(node.item, record);
          for (const auto& child : node.children) render(*child, inner);
        }
        return;
      }
    }
  }

  std::string text;

 private:
  std::string fill(const TemplateNode& node, const TemplatePiece& piece, const Scope& scope) const {
    const HoleValue* value = scope.find(piece.text);
    if (value == nullptr) template_error(node.place, piece.column, fmt::format("'{}' is not declared", piece.text));
    return text_of(*value);
  }

  void constants() {
    for (const HoleDeclaration& hole : declarations_) {
      if (hole.type != HoleType::uint && hole.type != HoleType::real) continue;
      const HoleValue* value = scope_.find(hole.name);
      if (value == nullptr) continue;
      text += fmt::format("const {} {} = {};  // {}\n", hole.type == HoleType::uint ? "uint" : "float", hole.name,
                          text_of(*value), hole.meaning);
    }
  }

  const std::vector<HoleDeclaration>& declarations_;
  const Scope& scope_;
};

/// Names that ${...}, conditions and loops read, anywhere in the template.
void collect_names(const TemplateNode& node, std::set<std::string>& names) {
  for (const TemplatePiece& piece : node.pieces) {
    if (piece.hole) names.insert(piece.text);
  }
  for (const std::string& condition : node.conditions) {
    for (const std::string& name : condition_names(condition)) names.insert(name);
  }
  if (!node.list.empty()) names.insert(node.list);
  for (const auto& child : node.children) collect_names(*child, names);
}

bool has_constants(const TemplateNode& node) {
  if (node.kind == TemplateNode::Kind::constants) return true;
  for (const auto& child : node.children) {
    if (has_constants(*child)) return true;
  }
  return false;
}

/// A text without its declarations.
std::string body_of(std::string_view text) {
  std::string body;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("//!")) body += line + "\n";
  }
  return body;
}

/// The words of a text: letters, digits and underscores as long as they go on.
struct Words {
  std::set<std::string_view> all;
  std::set<std::string_view> indexed;  ///< with a [ behind them
  bool made_up = false;                ///< a name that a loop makes up is indexed, such as ${chain.name}_norm_weight[
};

Words words_of(std::string_view text) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  Words words;
  words.made_up = text.find("}[") != std::string_view::npos;
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (!in_word(text[begin])) continue;
    std::size_t end = begin;
    while (end < text.size() && in_word(text[end])) ++end;
    const std::string_view word = text.substr(begin, end - begin);
    words.all.insert(word);
    if (end < text.size() && text[end] == '[') {
      words.indexed.insert(word);
      words.made_up = words.made_up || (begin > 0 && text[begin - 1] == '}');
    }
    begin = end;
  }
  return words;
}

/// Declared holes that nothing reads. A constant counts as read where its name stands in the text or in a shader.
void require_used(const std::vector<HoleDeclaration>& declarations, const std::vector<BufferDeclaration>& buffers,
                  const TemplateNode& root, const std::string& text) {
  const Words words = words_of(text);
  std::set<std::string> names;
  collect_names(root, names);
  for (const BufferDeclaration& buffer : buffers) {
    if (!buffer.by.empty()) names.insert(buffer.by);
    for (const std::string& name : condition_names(buffer.when)) names.insert(name);
    for (const std::string& name : condition_names(buffer.words)) names.insert(name);
    if (words.made_up || words.indexed.contains(buffer.name)) continue;
    throw InternalError(fmt::format("templates/{}: nothing uses the buffer '{}'", buffer.place, buffer.name));
  }
  for (const HoleDeclaration& hole : declarations) {
    for (const std::string& name : condition_names(hole.when)) names.insert(name);
  }
  const bool constants = has_constants(root);
  for (const HoleDeclaration& hole : declarations) {
    if (names.contains(hole.name)) continue;
    const bool constant = constants && (hole.type == HoleType::uint || hole.type == HoleType::real);
    if (constant && words.all.contains(hole.name)) continue;
    throw InternalError(fmt::format("templates/{}: nothing uses the hole '{}'", hole.place, hole.name));
  }
}

}  // namespace

Template::Template() = default;
Template::~Template() = default;
Template::Template(Template&&) noexcept = default;

Template Template::parse(const std::string& path, const TextSource& source) {
  Template result;
  result.path_ = path;
  ParsedTemplate parsed = parse_template(path, source);
  result.declarations_ = std::move(parsed.declarations);
  result.buffers_ = std::move(parsed.buffers);
  result.root_ = parsed.root;
  std::string text = body_of(source(path));
  for (const auto& [name, content] : resources()) {
    const bool partial = name.starts_with("templates/kernels/") && name.ends_with(".glsl");
    if (partial || name.starts_with("shaders/")) text += body_of(content);
  }
  require_used(result.declarations_, result.buffers_, *result.root_, text);
  return result;
}

Holes Template::samples() const {
  Holes holes;
  for (const HoleDeclaration& hole : declarations_) {
    if (!hole.sample && hole.name == "buffers") continue;  // made below
    if (!hole.sample) throw InternalError(fmt::format("templates/{}: '{}' has no sample", hole.place, hole.name));
    holes.emplace(hole.name, *hole.sample);
  }
  if (!buffers_.empty()) {
    const Scope scope(holes);
    std::vector<BufferUse> uses;
    for (const BufferDeclaration& buffer : buffers_) {
      if (buffer.when.empty() || scope.holds(buffer.when, {path_, 1})) uses.push_back({buffer.name, ""});
    }
    holes.insert_or_assign("buffers", buffers(holes, uses));
  }
  return applicable(holes);
}

std::vector<Holes> Template::buffers(const Holes& holes, const std::vector<BufferUse>& uses) const {
  const Scope scope(holes);
  std::vector<Holes> records;
  for (const BufferUse& use : uses) {
    const auto found = std::find_if(buffers_.begin(), buffers_.end(),
                                    [&](const BufferDeclaration& buffer) { return buffer.name == use.name; });
    if (found == buffers_.end()) {
      throw InternalError(fmt::format("templates/{}: the buffer '{}' is bound, and not declared", path_, use.name));
    }
    if (!found->when.empty() && !scope.holds(found->when, {path_, 1})) {
      throw InternalError(fmt::format("templates/{}: '{}' is bound where it does not exist", found->place, use.name));
    }
    std::string view = found->view;
    if (!found->by.empty()) {
      const HoleValue* value = scope.find(found->by);
      const auto type = value == nullptr ? found->views.end() : found->views.find(text_of(*value));
      if (type == found->views.end()) {
        throw InternalError(
            fmt::format("templates/{}: '{}' has no view for this {}", found->place, use.name, found->by));
      }
      view = type->second;
    }
    std::string block;
    bool upper = true;
    for (const char c : use.name) {
      if (c != '_') block += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      upper = c == '_';
    }
    records.push_back({{"binding", static_cast<std::int64_t>(records.size() + 1)},
                       {"access", use.access},
                       {"block", block + "Buffer"},
                       {"view", view},
                       {"words", !found->words.empty() && scope.holds(found->words, {path_, 1})},
                       {"name", use.name},
                       {"is", found->meaning}});
  }
  for (const BufferDeclaration& buffer : buffers_) {
    const bool exists = buffer.when.empty() || scope.holds(buffer.when, {path_, 1});
    const bool bound =
        std::any_of(uses.begin(), uses.end(), [&](const BufferUse& use) { return use.name == buffer.name; });
    if (exists && !bound) {
      throw InternalError(fmt::format("templates/{}: the buffer '{}' is not bound", buffer.place, buffer.name));
    }
  }
  return records;
}

Holes Template::applicable(const Holes& holes) const {
  Holes result = holes;
  const Scope scope(holes);
  for (const HoleDeclaration& hole : declarations_) {
    if (!hole.when.empty() && !scope.holds(hole.when, {path_, 1})) result.erase(hole.name);
  }
  return result;
}

std::string Template::render(const Holes& holes) const {
  const Scope scope(holes);
  std::set<std::string> known;
  for (const HoleDeclaration& hole : declarations_) {
    if (!hole.when.empty() && !scope.holds(hole.when, {path_, 1})) continue;
    known.insert(hole.name);
    const HoleValue* value = scope.find(hole.name);
    if (value == nullptr) throw InternalError(fmt::format("templates/{}: '{}' was not given", hole.place, hole.name));
    if (!has_type(hole, *value)) {
      throw InternalError(fmt::format("templates/{}: '{}' was given a value of the wrong type", hole.place, hole.name));
    }
  }
  for (const auto& [name, value] : holes) {
    if (!known.contains(name)) {
      throw InternalError(fmt::format("templates/{}: '{}' was given, and has no hole", path_, name));
    }
  }
  Renderer renderer(declarations_, scope);
  renderer.render(*root_, scope);
  return std::move(renderer.text);
}

}  // namespace monomorph::generator
