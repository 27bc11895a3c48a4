#include "generator/blocks/low_rank.hpp"

#include "generator/contract/declarations.hpp"
#include "generator/contract/rules.hpp"
#include "generator/graph/builder.hpp"

namespace monomorph::generator {
namespace {

AxisId narrow_axis(const Field<std::int64_t>& rank, Declarations& declare) {
  return declare.axis("adapter", sane(rank), rank.span);
}

}  // namespace

void check_adapter_rank(const Field<std::int64_t>& rank, const std::string& path, Diagnostics& diagnostics) {
  if (rank.given) check_range(rank, path, 1, max_size, diagnostics);
}

void declare_narrowing(const std::string& name, AxisId columns, const Field<std::int64_t>& rank,
                       Declarations& declare) {
  declare.projections(name, {{name + "_down", narrow_axis(rank, declare), columns}});
}

void declare_widening(const std::string& input, const std::vector<Projection>& adapted, const Field<std::int64_t>& rank,
                      Declarations& declare) {
  const AxisId narrow = narrow_axis(rank, declare);
  std::vector<Projection> widening;
  for (const Projection& one : adapted) {
    widening.push_back({one.word + "_adapter_up", one.rows, narrow, false, one.heads, one.kv_heads});
  }
  declare.projections(input, std::move(widening));
}

ValueId build_narrowed(const std::string& name, Builder& build, ValueId in) {
  return build.projection(name + "_down", in, name + "_narrow");
}

ValueId build_adapted(const std::string& word, Builder& build, ValueId in, ValueId narrow, const std::string& role) {
  const ValueId projected = build.projection(word, in, role + "_projected");
  return build.sum({projected, build.projection(word + "_adapter_up", narrow, role + "_adapter")}, role);
}

}  // namespace monomorph::generator
