#include "generator/blocks/norm.hpp"

#include "generator/graph/builder.hpp"

namespace monomorph::generator {

NormContract derive_norm(const NormSection& norm) {
  return {norm.type.value == "layer_norm" ? NormType::layer_norm : NormType::rms_norm, norm.eps.value, norm.bias.value};
}

ValueId build_norm(const std::string& place, const BlockContext& context, Builder& build, ValueId in,
                   const std::string& role) {
  return build.norm(context.block.instance + "_" + place, derive_norm(context.kind.norm), place, in, role);
}

}  // namespace monomorph::generator
