// What a sub-block reads of an earlier layer: of the last one of the kind that its section names.
#pragma once

#include <functional>
#include <string>

#include "generator/spec/block_type.hpp"

namespace monomorph::generator {

/// A sub-block of another kind of layer, or what is wrong with that kind.
struct EarlierBlock {
  const Block* block = nullptr;
  std::string fault;
};

/// The sub-block that layers of the kind `name` have where this one stands, of its type. Some layer of that kind has to
/// be before the first of this one's.
EarlierBlock earlier_block(const BlockContext& context, const std::string& name);

/// The kind that a sub-block of the context's type names; "": none.
using NamedKind = std::function<std::string(const Block&)>;

/// What `project` gives, called `role`; where sub-blocks of later layers name this one's kind, it is kept for them, and
/// called after the kind.
Id<Value> build_for_later(const BlockContext& context, Builder& build, const NamedKind& named, const std::string& role,
                          const std::function<Id<Value>(const std::string& role)>& project);
/// What the last layer of the kind `name` has kept under this role, of the axes that `like` has.
Id<Value> build_of_earlier(Builder& build, const std::string& name, const std::string& role, Id<Value> like);

}  // namespace monomorph::generator
