#include "generator/plan/fuse.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace monomorph::generator {
namespace {

template <class T>
const T* as(const std::vector<Op>& ops, std::size_t at) {
  return at < ops.size() ? std::get_if<T>(&ops[at]) : nullptr;
}

std::int64_t stride(std::int64_t columns) { return padded_row_bytes(columns, 4) / 4; }

/// Query rows whose tile of attention fits the shared memory that every device has, 16 KiB, with workgroups of 128: a row
/// takes its query, its scores and three statistics, and the tile 2 KiB of partial results (shaders/attention.glsl).
std::int64_t attention_tile_rows(std::int64_t head_dim) {
  constexpr std::int64_t shared_bytes = 16384, workgroup_size = 128;
  const std::int64_t row_bytes = (head_dim + 3) / 4 * 16 + workgroup_size * 4 + 12;
  return (shared_bytes - workgroup_size * 16) / row_bytes;
}

std::string about_norm(const NormOp& op) { return op.norm.type == NormType::rms_norm ? "rms_norm" : "layer_norm"; }

}  // namespace

/// One section on its way to calls.
class SectionPlanner {
 public:
  SectionPlanner(Planner& planner, const std::vector<Op>& ops, Phase phase, const LayerContract* kind)
      : planner_(planner),
        contract_(planner.contract_),
        plan_(planner.plan_),
        ops_(ops),
        phase_(phase),
        kind_(kind),
        section_(planner.sections_++) {}

  std::vector<CallPlan> run() {
    while (at_ < ops_.size()) {
      if (const auto* embed_op = as<EmbedOp>(ops_, at_)) {
        embed(*embed_op);
      } else if (const auto* norm_op = as<NormOp>(ops_, at_)) {
        norm(*norm_op);
      } else if (const auto* linear_op = as<LinearOp>(ops_, at_)) {
        linear(*linear_op, nullptr);
      } else if (const auto* split_op = as<SplitOp>(ops_, at_)) {
        heads(*split_op);
      } else if (const auto* attention_op = as<AttentionOp>(ops_, at_)) {
        attention(*attention_op);
      } else {
        throw InternalError(fmt::format("plan: no kernel begins with operation {} of this section", at_));
      }
    }
    return std::move(calls_);
  }

 private:
  // ------------------------------------------------------------------------------------------------- parameters

  struct Call {
    KernelPlan kernel;
    std::string base;  ///< of the names: what[_fused]
    std::vector<std::string> arguments;
    std::string rows, tokens;
    std::string dtype;  ///< of the weights; empty: none
    bool per_phase = true;  ///< kernels of the phases differ
  };

  const WeightPlan& weight(const std::string& role) const {
    const auto find = [&](const std::vector<WeightPlan>& weights) -> const WeightPlan* {
      for (const WeightPlan& candidate : weights) {
        if (candidate.contract.role == role) return &candidate;
      }
      return nullptr;
    };
    const WeightPlan* found = nullptr;
    if (kind_ != nullptr) {
      found = find(plan_.layer_weights[static_cast<std::size_t>(kind_ - contract_.kinds.data())]);
    } else {
      found = find(plan_.prologue_weights);
      if (found == nullptr) found = find(plan_.epilogue_weights);
    }
    if (found == nullptr) throw InternalError("plan: the contract has no weight " + role);
    return *found;
  }

  static std::string shape_of(const std::vector<Axis>& axes) {
    std::string text;
    for (const Axis& axis : axes) text += (text.empty() ? "" : " x ") + axis.name;
    return text;
  }

  void add_weight(Call& call, const std::string& role, const std::string& block, const std::string& member, bool splits) {
    const WeightPlan& found = weight(role);
    call.kernel.parameters.push_back({role, "const " + found.type() + "&", block, member, role + ": " + shape_of(found.contract.axes),
                                      Access::read, splits});
    call.arguments.push_back((kind_ != nullptr ? "layer." : "weights.") + role);
  }

  void add_value(Call& call, const Value& value, const std::string& block, const std::string& member, Access access) {
    const bool residual = value.name == "hidden_states";
    const bool logits = value.name == "logits";
    BufferPlan buffer;
    // A value whose axis belongs to one kind of layer is a buffer of that kind.
    const bool of_kind = kind_ != nullptr && contract_.kinds.size() > 1 && value.axis.name != "hidden";
    buffer.name = of_kind ? kind_->identifier + "_" + value.name : value.name;
    buffer.element = "f32";
    if (!logits) buffer.axes.push_back({"tokens", contract_.prefill_chunk});
    buffer.axes.push_back(value.axis);
    buffer.bytes = stride(value.axis.size) * 4 * (logits ? 1 : contract_.prefill_chunk);
    if (!logits) planner_.activations_.use(buffer, section_, calls_.size(), residual);
    call.kernel.parameters.push_back({value.name, "const " + buffer.type() + "&", block, member,
                                      value.name + ": " + shape_of(buffer.axes), access, false});
    call.arguments.push_back("buffers::" + buffer.name);
  }

  void add_buffer(Call& call, const std::string& name, const std::string& block, const std::string& member, Access access) {
    const BufferPlan& buffer = plan_.buffer(name);
    call.kernel.parameters.push_back({name, "const " + buffer.type() + "&", block, member,
                                      name + ": " + shape_of(buffer.axes), access, false});
    call.arguments.push_back("buffers::" + name);
  }

  void add_cache(Call& call, const std::string& role, const std::string& block, const std::string& member, Access access) {
    const CachePlan& cache = plan_.caches[static_cast<std::size_t>(kind_ - contract_.kinds.data())];
    call.kernel.parameters.push_back({role, "const " + cache.type(role) + "&", block, member,
                                      role + ": " + shape_of(cache.axes), access, false});
    call.arguments.push_back("cache." + role);
  }

  void finish(Call call) {
    const std::string kind = kind_ != nullptr && contract_.kinds.size() > 1 ? "_" + kind_->identifier : "";
    const std::string phase = phase_ == Phase::prefill ? "_prefill" : "_decode";
    call.kernel.name = call.base + kind + (call.per_phase ? phase : "") + (call.dtype.empty() ? "" : "_" + call.dtype);
    const std::size_t function = planner_.add_function(call.base + kind + phase, call.kernel, call.rows, call.tokens);
    calls_.push_back({function, call.arguments});
  }

  std::string all_tokens() const { return phase_ == Phase::prefill ? "tokens::size" : "1"; }
  std::int64_t token_count() const { return phase_ == Phase::prefill ? contract_.prefill_chunk : 1; }

  // ------------------------------------------------------------------------------------------------- kernels

  void embed(const EmbedOp& op) {
    const WeightPlan& table = weight(op.table);
    Call call;
    call.base = "embed";
    call.dtype = dtype_name(table.stored);
    call.per_phase = false;
    call.kernel.about = fmt::format("hidden_states = {}[token_ids]{}", op.table,
                                    op.positions.empty() ? "" : " + " + op.positions + "[position]");
    call.kernel.template_path = "kernels/embed.comp";
    call.kernel.kind = KernelKind::embed;
    call.kernel.max_tile_tokens = contract_.prefill_chunk;
    call.kernel.holes = {{"columns", op.out.axis.size},
                         {"table_words", padded_row_bytes(table.columns, dtype_bytes(table.stored)) / 4},
                         {"output_stride", stride(op.out.axis.size)},
                         {"dtype", dtype_name(table.stored)},
                         {"learned_positions", !op.positions.empty()}};
    add_weight(call, op.table, "Table", "uint table[]", true);
    add_buffer(call, "token_ids", "TokenIds", "uint token_ids[]", Access::read);
    if (!op.positions.empty()) {
      const WeightPlan& positions = weight(op.positions);
      call.kernel.holes.insert_or_assign("position_words",
                                         padded_row_bytes(positions.columns, dtype_bytes(positions.stored)) / 4);
      call.kernel.holes.insert_or_assign("position_dtype", dtype_name(positions.stored));
      add_weight(call, op.positions, "Positions", "uint positions[]", false);
    }
    add_value(call, op.out, "Outputs", "float outputs[]", Access::write);
    call.rows = table.contract.axes[0].name + "::size";
    call.tokens = all_tokens();
    finish(call);
    ++at_;
  }

  /// In decode a norm is the prologue of the matrix that reads it; in prefill it is a kernel of its own, so that each row
  /// is normed once.
  void norm(const NormOp& op) {
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
    // A norm after the addition works in place: the same buffer is bound twice, and written by the token's workgroup alone.
    add_value(call, out, "Outputs", "vec4 outputs[]", residual ? Access::read_write : Access::write);
    if (out == op.in) call.kernel.parameters.back().name += "_normed";
    call.kernel.about = fmt::format("{} {} {}({})", out.name, residual ? "+=" : "=", about_norm(op), op.in.name);
    call.rows = "1";
    call.tokens = all_tokens();
    finish(call);
    at_ += residual ? 2 : 1;
  }

  void norm_holes(Call& call, const NormOp* op, std::int64_t columns) {
    call.kernel.holes.insert_or_assign("columns", columns);
    call.kernel.holes.insert_or_assign("column_quads", stride(columns) / 4);
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

  /// A matrix with what precedes (a norm) and follows it (a second matrix, an activation, the residual).
  void linear(const LinearOp& first, const NormOp* norm_op) {
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

    const bool prefill = phase_ == Phase::prefill;
    const WeightPlan& matrix = weight(first.weight);
    const std::int64_t block_elements = 16 / dtype_bytes(matrix.stored);
    const std::int64_t row_blocks = padded_row_bytes(matrix.columns, dtype_bytes(matrix.stored)) / 16;
    const bool head = phase_ == Phase::head;

    Call call;
    call.base = head ? "lm_head" : second != nullptr ? "gate_up_proj" : first.weight;
    if (norm_op != nullptr) call.base += "_norm";
    if (addition != nullptr) call.base += "_add";
    call.dtype = dtype_name(matrix.stored);
    KernelPlan& kernel = call.kernel;
    kernel.template_path = prefill ? "kernels/matmul.comp" : "kernels/matvec.comp";
    kernel.kind = prefill ? KernelKind::matmul : KernelKind::matvec;
    kernel.max_tile_tokens = token_count();
    norm_holes(call, norm_op, matrix.columns);
    kernel.holes.insert({{"row_blocks", row_blocks},
                         {"padded_quads", row_blocks * block_elements / 4},
                         {"matrices", second != nullptr ? 2 : 1},
                         {"dtype", dtype_name(matrix.stored)},
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
    kernel.holes.insert({"output_stride", stride(out.axis.size)});
    add_value(call, out, "Outputs", "float outputs[]", addition != nullptr ? Access::read_write : Access::write);

    const std::string source = norm_op != nullptr ? about_norm(*norm_op) + "(" + input.name + ")" : input.name;
    std::string computed = fmt::format("{} x {}", first.weight, source);
    if (second != nullptr) computed = fmt::format("activation({}, {} x {})", computed, second->weight, source);
    if (second == nullptr && activation != nullptr) computed = fmt::format("activation({})", computed);
    kernel.about = fmt::format("{} {} {}", out.name, addition != nullptr ? "+=" : "=", computed);
    const std::int64_t matrices = second != nullptr ? 2 : 1;
    kernel.bytes_per_row = matrices * row_blocks * 16;
    kernel.flops_per_row = matrices * 2 * matrix.columns;
    call.rows = matrix.contract.axes[0].name + "::size";
    call.tokens = all_tokens();
    finish(call);
    at_ = next;
  }

  /// From the projected row to queries and cache: split, norms, rotations, cache writes.
  void heads(const SplitOp& split) {
    const AttentionContract& attention = kind_->attention;
    Value queries = split.queries;
    std::string q_norm, k_norm;
    double eps = 0;
    bool rotary = false;
    std::size_t writes = 0;
    std::size_t next = at_ + 1;
    for (; next < ops_.size() && writes < 2; ++next) {
      if (const auto* norm_op = as<HeadNormOp>(ops_, next)) {
        const bool of_queries = norm_op->in == queries;
        (of_queries ? q_norm : k_norm) = norm_op->weight;
        if (of_queries) queries = norm_op->out;
        eps = norm_op->eps;
      } else if (const auto* rotary_op = as<RotaryOp>(ops_, next)) {
        if (rotary_op->in == queries) queries = rotary_op->out;
        rotary = true;
      } else if (as<CacheWriteOp>(ops_, next) != nullptr) {
        ++writes;
      } else {
        break;
      }
    }
    if (writes != 2) throw InternalError("plan: keys and values are not both written to the cache");

    const bool f32_cache = contract_.kv_cache == Dtype::f32;
    const std::int64_t cache_row = padded_row_bytes(attention.head_dim, dtype_bytes(contract_.kv_cache));
    Call call;
    call.base = "heads";
    call.per_phase = false;
    KernelPlan& kernel = call.kernel;
    kernel.about = fmt::format("queries, cache.keys, cache.values = {}{}split(qkv)", rotary ? "rotary of " : "",
                               q_norm.empty() ? "" : "head_norm of ");
    kernel.template_path = "kernels/heads.comp";
    kernel.kind = KernelKind::heads;
    kernel.max_tile_tokens = contract_.prefill_chunk;
    kernel.holes = {{"num_attention_heads", attention.num_attention_heads},
                    {"num_key_value_heads", attention.num_key_value_heads},
                    {"head_dim", attention.head_dim},
                    {"rotary", rotary},
                    {"head_norm", !q_norm.empty()},
                    {"max_sequence_length", contract_.max_sequence_length},
                    {"cache_dtype", dtype_name(contract_.kv_cache)},
                    {"cache_pairs", cache_row / (f32_cache ? 8 : 4)},
                    {"qkv_stride", stride(split.in.axis.size)},
                    {"query_stride", stride(queries.axis.size)}};
    if (!q_norm.empty()) {
      kernel.holes.insert({"eps", eps});
      add_weight(call, q_norm, "QNorm", "float q_norm[]", false);
      add_weight(call, k_norm, "KNorm", "float k_norm[]", false);
    }
    if (rotary) {
      kernel.holes.insert({"rotary_dim", attention.rotary_dim});
      kernel.holes.insert({"angle_stride", padded_row_bytes(attention.rotary_dim, 4) / 8});
      add_buffer(call, rotary_buffer_name(), "Angles", "vec2 angles[]", Access::read);
    }
    add_value(call, split.in, "Qkv", "float qkv[]", Access::read);
    Value stored{"queries", queries.axis};
    add_value(call, stored, "Queries", "float queries[]", Access::write);
    const std::string pair = f32_cache ? "uvec2 " : "uint ";
    add_cache(call, "keys", "Keys", pair + "keys[]", Access::write);
    add_cache(call, "values", "Values", pair + "values[]", Access::write);
    call.rows = fmt::format("{0}::size + 2 * {1}::size", layer_axis_name(contract_, *kind_, "heads"),
                            layer_axis_name(contract_, *kind_, "kv_heads"));
    call.tokens = all_tokens();
    finish(call);
    at_ = next;
  }

  std::string rotary_buffer_name() const {
    return contract_.kinds.size() > 1 ? kind_->identifier + "_rotary_angles" : "rotary_angles";
  }

  void attention(const AttentionOp& op) {
    const AttentionContract& attention = kind_->attention;
    const bool f32_cache = contract_.kv_cache == Dtype::f32;
    const std::int64_t cache_row = padded_row_bytes(attention.head_dim, dtype_bytes(contract_.kv_cache));
    Call call;
    call.base = "attention";
    KernelPlan& kernel = call.kernel;
    kernel.about = "attended = softmax(attention_scale * queries x keys, causal) x values";
    kernel.template_path = "kernels/attention.comp";
    kernel.kind = KernelKind::attention;
    kernel.max_tile_tokens = std::min(token_count() * attention.kv_group_size, attention_tile_rows(attention.head_dim));
    kernel.holes = {{"head_dim", attention.head_dim},
                    {"head_quads", (attention.head_dim + 3) / 4},
                    {"kv_group_size", attention.kv_group_size},
                    {"attention_scale", op.scale},
                    {"max_sequence_length", contract_.max_sequence_length},
                    {"cache_dtype", dtype_name(contract_.kv_cache)},
                    {"cache_quads", cache_row / (f32_cache ? 16 : 8)},
                    {"query_stride", stride(op.out.axis.size)}};
    add_value(call, Value{"queries", op.queries.axis}, "Queries", "float queries[]", Access::read);
    const std::string quad = f32_cache ? "uvec4 " : "uvec2 ";
    add_cache(call, "keys", "Keys", quad + "keys[]", Access::read);
    add_cache(call, "values", "Values", quad + "values[]", Access::read);
    add_value(call, op.out, "Attended", "float attended[]", Access::write);
    const std::string kv_heads = layer_axis_name(contract_, *kind_, "kv_heads");
    call.rows = kv_heads + "::size";
    call.tokens = fmt::format("{} * {}::size / {}::size", all_tokens(), layer_axis_name(contract_, *kind_, "heads"), kv_heads);
    finish(call);
    ++at_;
  }

  Planner& planner_;
  const Contract& contract_;
  Plan& plan_;
  const std::vector<Op>& ops_;
  Phase phase_;
  const LayerContract* kind_;
  std::size_t section_;
  std::size_t at_ = 0;
  std::vector<CallPlan> calls_;
};

std::vector<CallPlan> Planner::section(const std::vector<Op>& ops, Phase phase, const LayerContract* kind) {
  return SectionPlanner(*this, ops, phase, kind).run();
}

std::vector<CallPlan> Planner::sample() {
  KernelPlan kernel;
  kernel.name = "sample";
  kernel.about = "draws the next token and advances the sequence";
  kernel.template_path = "kernels/sample.comp";
  kernel.kind = KernelKind::sample;
  kernel.state_access = Access::read_write;
  kernel.holes = {{"vocab_size", contract_.vocab_size}};
  const auto add = [&](const char* name, const char* block, const char* member, Access access) {
    const BufferPlan& buffer = plan_.buffer(name);
    kernel.parameters.push_back({name, "const " + buffer.type() + "&", block, member,
                                 fmt::format("{}: {}", name, buffer.axes.back().name), access, false});
  };
  add("logits", "Logits", "float logits[]", Access::read);
  add("token_ids", "TokenIds", "uint token_ids[]", Access::read_write);
  add("generated", "Generated", "uint generated[]", Access::write);
  const std::size_t function = add_function("sample", kernel, "1", "1");
  return {{function, {"buffers::logits", "buffers::token_ids", "buffers::generated"}}};
}

std::size_t Planner::add_function(const std::string& name, const KernelPlan& kernel, const std::string& rows,
                                  const std::string& tokens) {
  // Functions of different types may share a shader: the same template filled alike, with alike buffers.
  const auto same = [&](const KernelPlan& other) {
    if (other.template_path != kernel.template_path || other.max_tile_tokens != kernel.max_tile_tokens) return false;
    if (other.parameters.size() != kernel.parameters.size() || !(other.holes == kernel.holes)) return false;
    return std::equal(kernel.parameters.begin(), kernel.parameters.end(), other.parameters.begin(),
                      [](const ParameterPlan& a, const ParameterPlan& b) {
                        return a.member == b.member && a.access == b.access && a.splits == b.splits;
                      });
  };
  const auto found = std::find_if(plan_.kernels.begin(), plan_.kernels.end(), same);
  const std::size_t index = static_cast<std::size_t>(found - plan_.kernels.begin());
  if (found == plan_.kernels.end()) plan_.kernels.push_back(kernel);

  for (std::size_t at = 0; at < plan_.functions.size(); ++at) {
    if (plan_.functions[at].name == name) return at;
  }
  plan_.functions.push_back({name, kernel.about, index, kernel.parameters, rows, tokens});
  return plan_.functions.size() - 1;
}

}  // namespace monomorph::generator
