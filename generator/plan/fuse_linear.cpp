#include "generator/plan/section.hpp"

#include <fmt/format.h>

namespace monomorph::generator {
namespace {

std::string about_norm(const NormOp& op) { return op.norm.type == NormType::rms_norm ? "rms_norm" : "layer_norm"; }

}  // namespace

void SectionPlanner::embed(const EmbedOp& op) {
  const WeightPlan& table = weight(op.table);
  Call call;
  call.base = "embed";
  call.dtype = name_of(table.stored);
  call.per_phase = false;
  call.kernel.about = fmt::format("hidden_states = {}[token_ids]{}", op.table,
                                  op.positions.empty() ? "" : " + " + op.positions + "[position]");
  call.kernel.template_path = "kernels/embed.comp";
  call.kernel.kind = KernelKind::embed;
  call.kernel.max_tile_tokens = contract_.prefill_chunk;
  const std::int64_t table_row = row_bytes(table.stored, table.columns);
  call.kernel.cost.bytes_per_token = table_row;
  call.kernel.holes = {{"columns", op.out.axis.size},
                       {"table_words", table_row / 4},
                       {"output_stride", row_stride(op.out.axis.size)},
                       {"dtype", name_of(table.stored)},
                       {"learned_positions", !op.positions.empty()}};
  add_weight(call, op.table, "Table", "uint table[]", true);
  add_buffer(call, "token_ids", "TokenIds", "uint token_ids[]", Access::read);
  if (!op.positions.empty()) {
    const WeightPlan& positions = weight(op.positions);
    const std::int64_t position_bytes = row_bytes(positions.stored, positions.columns);
    call.kernel.cost.bytes_per_token += position_bytes;
    call.kernel.holes.insert_or_assign("position_words", position_bytes / 4);
    call.kernel.holes.insert_or_assign("position_dtype", name_of(positions.stored));
    add_weight(call, op.positions, "Positions", "uint positions[]", false);
  }
  add_value(call, op.out, "Outputs", "float outputs[]", Access::write);
  call.rows = table.contract.axes[0].name + "::size";
  call.tokens = all_tokens();
  finish(call);
  ++at_;
}

void SectionPlanner::norm(const NormOp& op) {
  const auto* next = as<LinearOp>(ops_, at_ + 1);
  if (phase_ != Phase::prefill && next != nullptr && next->in == op.out && !(op.out == op.in)) {
    ++at_;
    linear(*next, &op);
    return;
  }
  const auto* addition = as<AddOp>(ops_, at_ + 1);
  const bool residual = addition != nullptr && addition->in == op.out;
  Call call;
  call.base = op.weights.weight + (residual ? "_add" : "");
  call.per_phase = false;
  call.kernel.template_path = "kernels/norm.comp";
  call.kernel.kind = KernelKind::norm;
  call.kernel.max_tile_tokens = contract_.prefill_chunk;
  call.kernel.holes = {{"residual", residual}};
  norm_holes(call, &op, op.in.axis.size);
  const Value& out = residual ? addition->residual : op.out;
  add_value(call, op.in, "Inputs", "vec4 inputs[]", Access::read);
  // A norm after the addition works in place: the same buffer is bound twice, and written by the token's workgroup
  // alone.
  add_value(call, out, "Outputs", "vec4 outputs[]", residual ? Access::read_write : Access::write);
  if (out == op.in) call.kernel.parameters.back().name += "_normed";
  call.kernel.about = fmt::format("{} {} {}({})", out.name, residual ? "+=" : "=", about_norm(op), op.in.name);
  call.rows = "1";
  call.tokens = all_tokens();
  finish(call);
  at_ += residual ? 2 : 1;
}

void SectionPlanner::norm_holes(Call& call, const NormOp* op, std::int64_t columns) {
  call.kernel.holes.insert_or_assign("columns", columns);
  call.kernel.holes.insert_or_assign("column_quads", row_stride(columns) / 4);
  if (op == nullptr) {
    call.kernel.holes.insert_or_assign("norm", "none");
    return;
  }
  call.kernel.holes.insert_or_assign("norm", about_norm(*op));
  call.kernel.holes.insert_or_assign("eps", op->norm.eps);
  call.kernel.holes.insert_or_assign("norm_bias", !op->weights.bias.empty());
  add_weight(call, op->weights.weight, "NormWeight", "vec4 norm_weight[]", false);
  if (!op->weights.bias.empty()) add_weight(call, op->weights.bias, "NormBias", "vec4 norm_bias[]", false);
}

void SectionPlanner::linear(const LinearOp& first, const NormOp* norm_op) {
  const LinearOp* second = as<LinearOp>(ops_, at_ + 1);
  if (second != nullptr && !(second->in == first.in)) second = nullptr;
  std::size_t next = at_ + (second != nullptr ? 2 : 1);
  const auto* activation = as<ActivationOp>(ops_, next);
  if (activation != nullptr) ++next;
  const Value& result = activation != nullptr ? activation->out : first.out;
  const auto* addition = as<AddOp>(ops_, next);
  if (addition != nullptr && !(addition->in == result)) addition = nullptr;
  if (addition != nullptr) ++next;
  if (second != nullptr && activation == nullptr) throw InternalError("plan: two matrices and nothing that joins them");
  if (second != nullptr && weight(second->weight).stored != weight(first.weight).stored) {
    throw InternalError("checkpoint.gate_up_dtypes: two matrices of different types are read by one kernel");
  }

  const bool prefill = phase_ == Phase::prefill;
  const WeightPlan& matrix = weight(first.weight);
  const std::int64_t block_elements = 16 / element_bytes(matrix.stored);
  const std::int64_t row_blocks = row_bytes(matrix.stored, matrix.columns) / 16;
  const bool head = phase_ == Phase::head;

  Call call;
  call.base = head ? "lm_head" : second != nullptr ? "gate_up_proj" : first.weight;
  if (norm_op != nullptr) call.base += "_norm";
  if (addition != nullptr) call.base += "_add";
  call.dtype = name_of(matrix.stored);
  KernelPlan& kernel = call.kernel;
  kernel.template_path = prefill ? "kernels/matmul.comp" : "kernels/matvec.comp";
  kernel.kind = prefill ? KernelKind::matmul : KernelKind::matvec;
  kernel.max_tile_tokens = token_count();
  norm_holes(call, norm_op, matrix.columns);
  kernel.holes.insert({{"row_blocks", row_blocks},
                       {"padded_quads", row_blocks * block_elements / 4},
                       {"matrices", second != nullptr ? 2 : 1},
                       {"dtype", name_of(matrix.stored)},
                       {"first_bias", !first.bias.empty()},
                       {"second_bias", second != nullptr && !second->bias.empty()},
                       {"activation", activation != nullptr ? to_glsl(activation->expression) : std::string()},
                       {"residual", addition != nullptr}});
  if (!prefill) kernel.holes.insert({"input_row", head ? "state.logits_row" : "0"});

  add_weight(call, first.weight, "Weights", "uvec4 weights[]", true);
  if (second != nullptr) add_weight(call, second->weight, "SecondWeights", "uvec4 second_weights[]", true);
  if (!first.bias.empty()) add_weight(call, first.bias, "Bias", "float bias[]", false);
  if (second != nullptr && !second->bias.empty()) {
    add_weight(call, second->bias, "SecondBias", "float second_bias[]", false);
  }
  const Value& input = norm_op != nullptr ? norm_op->in : first.in;
  add_value(call, input, "Inputs", "vec4 inputs[]", Access::read);
  const Value& out = addition != nullptr ? addition->residual : result;
  kernel.holes.insert({"output_stride", row_stride(out.axis.size)});
  add_value(call, out, "Outputs", "float outputs[]", addition != nullptr ? Access::read_write : Access::write);

  const std::string source = norm_op != nullptr ? about_norm(*norm_op) + "(" + input.name + ")" : input.name;
  std::string computed = fmt::format("{} x {}", first.weight, source);
  if (second != nullptr) computed = fmt::format("activation({}, {} x {})", computed, second->weight, source);
  if (second == nullptr && activation != nullptr) computed = fmt::format("activation({})", computed);
  kernel.about = fmt::format("{} {} {}", out.name, addition != nullptr ? "+=" : "=", computed);
  const std::int64_t matrices = second != nullptr ? 2 : 1;
  kernel.cost.bytes_per_row = matrices * row_blocks * 16;
  kernel.cost.flops_per_row = matrices * 2 * matrix.columns;
  call.rows = matrix.contract.axes[0].name + "::size";
  call.tokens = all_tokens();
  finish(call);
  at_ = next;
}

}  // namespace monomorph::generator
