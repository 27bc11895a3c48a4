#include "generator/blocks/norm.hpp"

#include <fmt/format.h>

#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {

NormContract derive_norm(const NormSection& norm) {
  NormContract result;
  for (const NormType type : {NormType::rms_norm, NormType::layer_norm, NormType::scale_norm}) {
    if (norm.type.value == name_of(type)) result.type = type;
  }
  result.eps = norm.eps.value;
  result.bias = norm.bias.value;
  result.weight = result.type == NormType::scale_norm || norm.weight.value;
  result.weight_offset = norm.weight_offset.value;
  return result;
}

void check_norms(const std::string& section, const BoundFields& fields, Diagnostics& diagnostics) {
  for (const auto& [field, slot] : fields) {
    const std::string path = section + "." + field->key;
    visit_norm(slot, [&](const auto& choice) {
      if (choice.value.own != nullptr) check_norm(choice.value.norm, path, diagnostics);
    });
  }
}

void check_norm_of_heads(const std::string& path, const NormSection& norm, const Span& span, Diagnostics& diagnostics) {
  if (norm.type.value != "scale_norm") return;
  diagnostics.error(path.substr(0, path.find('.')) + ".head_norm_type", norm.type.given ? norm.type.span : span,
                    fmt::format("{}.type is \"scale_norm\"; of heads, \"rms_norm\" and \"layer_norm\" run", path));
}

void declare_norm(const std::string& word, const NormSection& section, AxisId over, Declarations& declare) {
  const NormContract norm = derive_norm(section);
  const AxisId one = norm.type == NormType::scale_norm ? declare.model_axis("one", 1, section.type.span) : AxisId{};
  if (norm.weight) declare.norm_weight(word, one ? one : over);
  if (norm.bias) declare.norm_bias(word, over);
}

ValueId build_norm(const std::string& place, const Field<NormChoice>& choice, const Block& block, Builder& build,
                   ValueId in, const std::string& role, AxisId over) {
  return build.norm(block.instance + "_" + place, derive_norm(choice.value.norm), place, in, role, over);
}

}  // namespace monomorph::generator
