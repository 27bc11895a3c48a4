// One section of the graph (a phase's prologue, a kind's layer, the epilogue) on its way to calls of kernels. The
// patterns it knows: fuse_linear.cpp (embedding, norms, matrices), fuse_attention.cpp (heads, attention).
#pragma once

#include <string>
#include <vector>

#include "generator/plan/fuse.hpp"

namespace monomorph::generator {

/// The operation at `at`, where it is a T.
template <class T>
const T* as(const std::vector<Op>& ops, std::size_t at) {
  return at < ops.size() ? std::get_if<T>(&ops[at]) : nullptr;
}

/// Floats from one token's row of an activation to the next.
inline std::int64_t row_stride(std::int64_t columns) { return row_bytes(Dtype::f32, columns) / 4; }

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

  std::vector<CallPlan> run();

 private:
  /// A call while it gathers its kernel's holes and its arguments.
  struct Call {
    KernelPlan kernel;
    std::string base;  ///< of the names: what[_fused]
    std::vector<std::string> arguments;
    std::string rows, tokens;
    std::string dtype;      ///< of the weights; empty: none
    bool per_phase = true;  ///< kernels of the phases differ
  };

  const WeightPlan& weight(const std::string& role) const;
  void add_weight(Call& call, const std::string& role, const std::string& block, const std::string& member,
                  bool splits);
  void add_value(Call& call, const Value& value, const std::string& block, const std::string& member, Access access);
  void add_buffer(Call& call, const std::string& name, const std::string& block, const std::string& member,
                  Access access);
  void add_cache(Call& call, const std::string& role, const std::string& block, const std::string& member,
                 Access access);
  void finish(Call call);
  std::string all_tokens() const { return phase_ == Phase::prefill ? "tokens::size" : "1"; }
  std::int64_t token_count() const { return phase_ == Phase::prefill ? contract_.prefill_chunk : 1; }

  // Each takes the operation at at_ with what it can take along, and moves at_ past them.
  void embed(const EmbedOp& op);
  /// In decode a norm is the prologue of the matrix that reads it; in prefill it is a kernel of its own, so that each
  /// row is normed once.
  void norm(const NormOp& op);
  void norm_holes(Call& call, const NormOp* op, std::int64_t columns);
  /// A matrix with what precedes (a norm) and follows it (a second matrix, an activation, the residual).
  void linear(const LinearOp& first, const NormOp* norm_op);
  /// From the projected row to queries and cache: split, norms, rotations, cache writes.
  void heads(const SplitOp& split);
  std::string rotary_buffer_name() const;
  void attention(const AttentionOp& op);

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

}  // namespace monomorph::generator
