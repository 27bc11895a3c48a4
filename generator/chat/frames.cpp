#include "generator/chat/frames.hpp"

#include <algorithm>
#include <array>

#include "generator/chat/chat.hpp"

namespace monomorph::generator::chat {

bool is(const Node& node, const char* name) { return node.is_object() && node.at("kind") == name; }

bool reads(const Node& node, const std::string& name) {
  if (!node.is_structured()) return false;
  if (is(node, "Name")) return node.at("name") == name && node.at("ctx") == "load";
  return std::any_of(node.begin(), node.end(), [&](const Node& part) { return reads(part, name); });
}

void refuse(const Node& node, const std::string& why) {
  throw ChatRefusal{static_cast<int>(node.at("line").integer()), why};
}

int Frame::owner(const std::string& name) const {
  if (bindings_.contains(name)) return number_;
  return parent_ == nullptr ? -1 : parent_->owner(name);
}

bool Frame::is_parameter(const std::string& name) const {
  const auto found = bindings_.find(name);
  if (found != bindings_.end()) return found->second.kind == Binding::Kind::parameter;
  return parent_ != nullptr && parent_->is_parameter(name);
}

void Frame::declare_parameter(const std::string& name) {
  written_.insert(name);
  bindings_[name] = {Binding::Kind::parameter};
}

void Frame::read(const std::string& name) {
  if (owner(name) < 0) bindings_[name] = {Binding::Kind::resolved};
}

void Frame::write(const std::string& name) {
  written_.insert(name);
  if (bindings_.contains(name)) return;
  const int outer = parent_ == nullptr ? -1 : parent_->owner(name);
  bindings_[name] = outer < 0 ? Binding{Binding::Kind::undefined} : Binding{Binding::Kind::outer, outer};
}

void Frame::analyze(const Node& node, const std::string& branch) {
  if (is(node, "For")) {
    visit(node.at("target"));
    // A target is a parameter, whatever the tree calls it.
    for (auto& [name, binding] : bindings_) {
      if (written_.contains(name)) binding = {Binding::Kind::parameter};
    }
    return visit(node.at(branch));
  }
  if (is(node, "AssignBlock")) return visit(node.at("body"));
  if (is(node, "With")) {
    visit(node.at("targets"));
    return visit(node.at("body"));
  }
  for (const auto& [field, part] : node.members()) {
    if (!is(node, "CallBlock") || field != "call") visit(part);
  }
}

void Frame::visit_children(const Node& node) {
  for (const Node& part : node) visit(part);
}

void Frame::visit(const Node& node) {
  if (!node.is_structured()) return;
  if (node.is_array()) return visit_children(node);
  const std::string& kind = node.at("kind").string();
  if (kind == "Name") {
    const auto& name = node.at("name").string();
    const auto& context = node.at("ctx").string();
    return context == "param" ? declare_parameter(name) : context == "store" ? write(name) : read(name);
  }
  // Of what has a frame of its own, the parts that are computed in this one.
  if (kind == "NSRef") return read(node.at("name").string());
  if (kind == "Macro") return write(node.at("name").string());
  if (kind == "For") return visit(node.at("iter"));
  if (kind == "CallBlock") return visit(node.at("call"));
  if (kind == "FilterBlock") return visit(node.at("filter"));
  if (kind == "With") return visit(node.at("values"));
  if (kind == "AssignBlock") return visit(node.at("target"));
  if (kind == "If") return visit_if(node);
  if (kind == "Assign") {
    visit(node.at("node"));
    return visit(node.at("target"));
  }
  visit_children(node);
}

/// A name that a branch writes has its outer value until then, and in the other branches.
void Frame::visit_if(const Node& node) {
  visit(node.at("test"));
  const std::array<const char*, 3> branches = {"body", "elif_", "else_"};
  std::set<std::string> stored;
  const Frame before = *this;
  for (const char* const branch : branches) {
    Frame inner = before;
    inner.visit(node.at(branch));
    for (const std::string& name : inner.written_) {
      if (!before.written_.contains(name)) stored.insert(name);
    }
    for (const auto& [name, binding] : inner.bindings_) bindings_[name] = binding;
    written_.insert(inner.written_.begin(), inner.written_.end());
  }
  for (const std::string& name : stored) {
    const int outer = parent_ == nullptr ? -1 : parent_->owner(name);
    bindings_[name] = outer < 0 ? Binding{Binding::Kind::resolved} : Binding{Binding::Kind::outer, outer};
  }
}

}  // namespace monomorph::generator::chat
