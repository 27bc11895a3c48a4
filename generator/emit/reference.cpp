// The reference: each operation of the graph is one line that calls a loop of runtime/reference/.
#include <fmt/format.h>

#include "generator/emit/emit.hpp"
#include "generator/emit/template.hpp"

namespace monomorph::generator {
namespace {

class ReferenceWriter {
 public:
  ReferenceWriter(const Contract& contract, const LayerContract* kind) : contract_(contract), kind_(kind) {}

  std::string operator()(const EmbedOp& op) {
    std::string line = fmt::format("auto {} = embed<vocab::size, hidden::size>(weights_, {}, token_ids);", op.out.name,
                                   tensor(op.table));
    if (op.positions.empty()) return line;
    return line + fmt::format("\nadd_positions<{}::size>(weights_, {}, first_position, {});", positions_axis(),
                              tensor(op.positions), op.out.name);
  }
  std::string operator()(const NormOp& op) {
    const std::string target = op.out == op.in ? op.out.name : "const auto " + op.out.name;
    if (op.norm.type == NormType::rms_norm) {
      return fmt::format("{} = rms_norm(weights_, {}, {}, {});", target, tensor(op.weights.weight),
                         float_literal(op.norm.eps), op.in.name);
    }
    return fmt::format("{} = layer_norm(weights_, {}, {}, {}, {});", target, tensor(op.weights.weight),
                       tensor(op.weights.bias), float_literal(op.norm.eps), op.in.name);
  }
  std::string operator()(const LinearOp& op) {
    return fmt::format("const auto {} = linear<{}::size>(weights_, {}, {}, {});", op.out.name, op.out.axis.name,
                       tensor(op.weight), tensor(op.bias), op.in.name);
  }
  std::string operator()(const SplitOp& op) {
    const std::string q = axis("q") + "::size", kv = axis("kv") + "::size", in = op.in.name;
    return fmt::format(
        "auto queries = slice<0, {0}>({2});\nauto keys = slice<{0}, {1}>({2});\n"
        "const auto values = slice<{0} + {1}, {1}>({2});",
        q, kv, in);
  }
  // Norms and rotations of heads work in place: queries stay queries.
  std::string operator()(const HeadNormOp& op) {
    return fmt::format("head_norm<{}::size, {}::size>(weights_, {}, {}, {});", head_axis(op.in), axis("head"),
                       tensor(op.weight), float_literal(op.eps), in_place(op.in));
  }
  std::string operator()(const RotaryOp& op) {
    return fmt::format("rope<{}::size, {}::size, {}>({}rotary_frequencies, first_position, {});", head_axis(op.in),
                       axis("head"), op.rotary_dim, prefix(), in_place(op.in));
  }
  std::string operator()(const CacheWriteOp&) { return ""; }  // attention() appends both
  std::string operator()(const AttentionOp& op) {
    return fmt::format(
        "const auto {} = attention<{}::size, {}::size, {}::size>(queries, keys, values, {}, first_position, cache);",
        op.out.name, axis("heads"), axis("kv_heads"), axis("head"), float_literal(op.scale));
  }
  std::string operator()(const ActivationOp& op) {
    if (op.in.size() == 1) {
      return fmt::format("const auto {} = activate({}, [](double x) {{ return {}; }});", op.out.name, op.in[0].name,
                         to_cpp(op.expression));
    }
    return fmt::format(
        "const auto {} = combine({}, {}, []([[maybe_unused]] double gate, [[maybe_unused]] double up) {{ return {}; "
        "}});",
        op.out.name, op.in[0].name, op.in[1].name, to_cpp(op.expression));
  }
  std::string operator()(const AddOp& op) { return fmt::format("add({}, {});", op.residual.name, op.in.name); }

 private:
  std::string tensor(const std::string& role) const {
    if (role.empty()) return "absent";
    return (kind_ != nullptr ? "layer." : "weights.") + role + ".tensor";
  }
  std::string axis(const std::string& name) const { return layer_axis_name(contract_, *kind_, name); }
  std::string head_axis(const Value& value) const {
    return axis(value.name.starts_with("queries") ? "heads" : "kv_heads");
  }
  static std::string in_place(const Value& value) { return value.name.substr(0, value.name.find('_')); }
  std::string prefix() const { return contract_.kinds.size() > 1 ? kind_->identifier + "_" : ""; }
  std::string positions_axis() const {
    for (const WeightContract& weight : contract_.prologue) {
      if (weight.role == "embed_positions") return weight.axes[0].name;
    }
    throw InternalError("emit: the contract has no embed_positions");
  }

  const Contract& contract_;
  const LayerContract* kind_;
};

}  // namespace

std::vector<Holes> reference_lines(const std::vector<Op>& ops, const Contract& contract, const LayerContract* kind) {
  std::vector<Holes> lines;
  ReferenceWriter writer(contract, kind);
  for (const Op& op : ops) {
    const std::string line = std::visit(writer, op);
    if (!line.empty()) lines.push_back({{"text", line}});
  }
  return lines;
}

}  // namespace monomorph::generator
