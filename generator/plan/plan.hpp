// The plan: which kernels run, in what order, on which buffers, and where everything lies. It is made once for all
// devices and stays within what Vulkan guarantees everywhere; the runtime joins or splits as a device allows.
//
//   graph ──► fuse (fuse.cpp): groups of operations become calls of kernels, for each phase
//         ──► place (buffers.cpp): activations by lifetime, caches by layer, weights by tensor
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/contract/contract.hpp"
#include "generator/graph/graph.hpp"
#include "generator/plan/holes.hpp"
#include "runtime/program.hpp"

namespace monomorph::generator {

/// A struct that host and device share; C++ and GLSL are both written from this.
struct StructField {
  std::string type;  ///< uint | float
  std::string name;
  std::int64_t count = 0;   ///< elements of an array; 0: a scalar
  std::int64_t offset = 0;  ///< bytes
  std::string meaning;
};
struct StructRecord {
  std::string name;
  std::vector<StructField> fields;
  std::int64_t bytes = 0;
};

/// A buffer in an arena (caches and weights aside).
struct BufferPlan {
  std::string name;
  std::string element;  ///< f32 | u32
  std::vector<Axis> axes;
  Arena arena = Arena::activations;
  std::int64_t offset = 0, bytes = 0;
  std::string type() const;  ///< "Tensor<f32, tokens, hidden>"
};

/// A weight as the engine stores it.
struct WeightPlan {
  WeightContract contract;
  Dtype stored = Dtype::f32;  ///< vectors are kept as f32, matrices as they are in the checkpoint
  std::int64_t rows = 1, columns = 0;
  std::int64_t bytes = 0;    ///< on the device, rows padded
  std::string type() const;  ///< "Weight<o_proj, f16, hidden, q>"
};

/// Keys and values of one layer of a kind; layer n of the kind lies n * 2 * bytes after offset, keys first.
struct CachePlan {
  std::string element;     ///< f16 | f32
  std::vector<Axis> axes;  ///< kv_heads, positions, head
  std::int64_t offset = 0;
  std::int64_t bytes = 0;  ///< of the keys, or of the values, of one layer; a multiple of 256
  bool present = false;    ///< the kind has attention
  std::string type(const std::string& role) const;
};

struct RotaryTablePlan {
  std::string buffer;
  std::vector<float> frequencies;
};

/// A parameter of a kernel, in C++ and in GLSL.
struct ParameterPlan {
  std::string name;  ///< in the C++ signature
  std::string cpp_type;
  std::string block;   ///< the GLSL block
  std::string member;  ///< its one member: "uvec4 weights[]"
  std::string shape;   ///< "hidden x q"
  Access access = Access::read;
  bool splits = false;
};

/// A shader: a template and what fills it. Binding 0 is the sequence state, then the parameters in order.
struct KernelPlan {
  std::string name;
  std::string about;
  std::string template_path;
  KernelKind kind = KernelKind::norm;
  Holes holes;
  std::vector<ParameterPlan> parameters;
  Access state_access = Access::read;
  KernelCost cost{};
  std::int64_t max_tile_tokens = 1;
};

/// A typed C++ function that dispatches a kernel.
struct FunctionPlan {
  std::string name;
  std::string about;
  std::size_t kernel = 0;
  std::vector<ParameterPlan> parameters;
  std::string rows, tokens;  ///< C++ expressions: "vocab::size", "1"
};

struct CallPlan {
  std::size_t function = 0;
  std::vector<std::string> arguments;  ///< C++ expressions: "layer.o_proj", "buffers::attended", "cache.keys"
};

/// The calls of one phase.
struct PhasePlan {
  std::vector<CallPlan> prologue;
  std::vector<std::vector<CallPlan>> layers;  ///< for each kind
  std::vector<CallPlan> epilogue;
};

struct Plan {
  std::vector<Axis> axes;  ///< every axis of the model, by first use
  StructRecord sequence_state;
  std::vector<WeightPlan> prologue_weights, epilogue_weights;
  std::vector<std::vector<WeightPlan>> layer_weights;  ///< for each kind
  std::vector<CachePlan> caches;                       ///< for each kind
  std::vector<BufferPlan> buffers;
  std::vector<RotaryTablePlan> rotary_tables;
  std::vector<KernelPlan> kernels;
  std::vector<FunctionPlan> functions;
  PhasePlan prefill, decode;  ///< prologue and layers
  PhasePlan head, sample;     ///< epilogue alone
  std::int64_t decode_steps = 0;

  std::int64_t weight_bytes = 0, cache_bytes = 0, activation_bytes = 0, state_bytes = 0, table_bytes = 0;

  const BufferPlan& buffer(const std::string& name) const;
  /// Keys and values of all layers, as rows lie in memory.
  std::int64_t cache_bytes_per_token(const Contract& contract) const;
  /// Dispatches of one decoded token, sampling included, where no tensor has to be split.
  std::int64_t decode_dispatches(const Contract& contract) const;
};

Plan make_plan(const Contract& contract, const Graph& graph);

std::string dump_plan(const Plan& plan, const Contract& contract);

}  // namespace monomorph::generator
