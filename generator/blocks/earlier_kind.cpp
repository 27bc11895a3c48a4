#include "generator/blocks/earlier_kind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/graph/builder.hpp"
#include "generator/spec/section_reader.hpp"

namespace monomorph::generator {
namespace {

/// The sub-block of this kind of layer that is called as the context's is, of its type; nullptr: there is none.
const Block* find_alike(const LayerKind& kind, const BlockContext& context) {
  const Block* block = kind.find(context.block.instance);
  return block != nullptr && block->type == context.block.type ? block : nullptr;
}

std::string kept_role(const std::string& kind, const std::string& role) { return identifier_of(kind) + "_" + role; }

}  // namespace

EarlierBlock earlier_block(const BlockContext& context, const std::string& name) {
  const Spec& spec = *context.spec;
  const auto find_kind = [&](const std::string& of) { return std::ranges::find(spec.kinds, of, &LayerKind::name); };
  const auto source = find_kind(name);
  if (source == spec.kinds.end()) {
    std::vector<std::string> names;
    for (const LayerKind& kind : spec.kinds) names.push_back(kind.name);
    return {nullptr, fmt::format("no layer is of a kind \"{}\"{}", name, did_you_mean(nearest(name, names)))};
  }
  const auto first_layer = [&](std::vector<LayerKind>::const_iterator kind) {
    const auto index = static_cast<std::size_t>(kind - spec.kinds.begin());
    return std::ranges::find(spec.layer_kinds, index) - spec.layer_kinds.begin();
  };
  const auto first = first_layer(find_kind(context.kind.name));
  if (first_layer(source) >= first) {
    return {nullptr,
            fmt::format("layer {}, of the kind {}, has no layer of the kind {} before it; give the first layer "
                        "a kind of its own in layers.pattern",
                        first, context.kind.name, name)};
  }
  if (const Block* found = find_alike(*source, context)) return {found, ""};
  return {nullptr, fmt::format("layers of the kind {} have no {} that is called {}", name, context.block.type->name,
                               context.block.instance)};
}

ValueId build_for_later(const BlockContext& context, Builder& build, const NamedKind& named, const std::string& role,
                        const std::function<ValueId(const std::string& role)>& project) {
  const bool wanted = std::ranges::any_of(build.contract().kinds, [&](const LayerContract& each) {
    const Block* other = find_alike(each.kind, context);
    return other != nullptr && named(*other) == context.kind.name;
  });
  const ValueId kept = project(wanted ? kept_role(context.kind.name, role) : role);
  if (wanted) build.result(kept);
  return kept;
}

ValueId build_of_earlier(Builder& build, const std::string& name, const std::string& role, ValueId like) {
  return build.taken(kept_role(name, role), like);
}

}  // namespace monomorph::generator
