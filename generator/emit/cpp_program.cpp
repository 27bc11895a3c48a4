#include "generator/emit/cpp_writer.hpp"

#include <fmt/format.h>

#include "generator/emit/resources.hpp"
#include "generator/plan/names.hpp"

namespace monomorph::generator {
namespace {

std::string cost_of(const KernelCost& cost) {
  return fmt::format("{}, {}, {}, {}, {}", cost.bytes_per_row, cost.bytes_per_token, cost.bytes_per_key,
                     cost.flops_per_row, cost.flops_per_key);
}

}  // namespace

std::string CppWriter::program() const {
  std::vector<Holes> tables, prefixes, ignored;
  for (const RotaryTablePlan& table : plan_.rotary_tables) {
    tables.push_back(
        {{"buffer", table.buffer}, {"identifier", table.buffer}, {"frequencies", float_list(table.frequencies)}});
  }
  for (const std::string& prefix : contract_.checkpoint_prefixes) prefixes.push_back({{"text", prefix}});
  if (prefixes.empty()) prefixes.push_back({{"text", ""}});
  for (const IgnoredCheckpointTensor& tensor : contract_.ignored_tensors) ignored.push_back({{"name", tensor.name}});
  std::string eos;
  for (const std::int64_t id : contract_.eos_token_ids) eos += (eos.empty() ? "" : ", ") + std::to_string(id);
  Holes holes = common();
  holes.insert(
      {{"kernels", kernel_tables()},
       {"groups", tensor_groups()},
       {"rotary_tables", tables},
       {"prefixes", prefixes},
       {"eos_tokens", eos},
       {"ignored_tensors", ignored},
       {"tied_embedding", contract_.tie_word_embeddings ? contract_.embed_tokens().sources.front().name : ""},
       {"arena_bytes", fmt::format("activation_bytes, cache_bytes, {}, {}", plan_.state_bytes, plan_.table_bytes)},
       {"flops_per_token", std::to_string(contract_.matrix_flops_per_token)},
       {"cache_bytes_per_token", std::to_string(plan_.cache_bytes_per_token(contract_))},
       {"kv_cache", name_of(contract_.kv_cache)},
       {"decode_steps", plan_.decode_steps},
       {"state", plan_.sequence_state.name}});
  return render("cpp/program.cpp", holes);
}

std::string CppWriter::spirv() const {
  return embedded_template("cpp/spirv.S")
      .render({{"generated", generated_}, {"space", contract_.identifier}, {"kernels", kernel_names()}});
}

std::string CppWriter::cmake() const {
  Holes holes = common();
  holes.insert({"kernels", kernel_names()});
  return embedded_template("cpp/CMakeLists.txt").render(holes);
}

std::vector<Holes> CppWriter::kernel_names() const {
  std::vector<Holes> records;
  for (const KernelPlan& kernel : plan_.kernels) records.push_back({{"name", kernel.name}});
  return records;
}

std::vector<Holes> CppWriter::kernel_tables() const {
  std::vector<Holes> records;
  for (const KernelPlan& kernel : plan_.kernels) {
    std::vector<Holes> bindings = {{{"name", "state"}, {"access", name_of(kernel.state_access)}, {"splits", "false"}}};
    for (const ParameterPlan& parameter : kernel.parameters) {
      bindings.push_back({{"name", parameter.name},
                          {"access", name_of(parameter.access)},
                          {"splits", parameter.splits ? "true" : "false"}});
    }
    records.push_back({{"name", kernel.name},
                       {"kind", name_of(kernel.kind)},
                       {"bindings", bindings},
                       {"cost", cost_of(kernel.cost)},
                       {"max_tile_tokens", kernel.max_tile_tokens}});
  }
  return records;
}

std::vector<Holes> CppWriter::patterns(const std::vector<WeightPlan>& weights) {
  std::vector<Holes> records;
  for (const WeightPlan& weight : weights) {
    const std::vector<Axis>& axes = weight.contract.axes;
    std::vector<Holes> parts;
    for (const CheckpointPart& part : weight.contract.sources) {
      parts.push_back({{"name", part.name},
                       {"rows", part.rows},
                       {"source_row", part.source_row},
                       {"source_rows", part.source_rows},
                       {"transposed", part.transposed ? "true" : "false"}});
    }
    records.push_back({{"name", weight.contract.part},
                       {"identifier", weight.contract.role},
                       {"dtype", name_of(weight.contract.dtype)},
                       {"stored", name_of(weight.stored)},
                       {"rows", axes.size() == 1 ? std::string("1") : axes[0].name + "::size"},
                       {"columns", axes.back().name + "::size"},
                       {"parts", parts}});
  }
  return records;
}

std::vector<Holes> CppWriter::tensor_groups() const {
  std::vector<Holes> groups;
  groups.push_back({{"name", "prologue"}, {"patterns", patterns(plan_.prologue_weights)}, {"layers", ""}});
  for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
    std::string layers;
    for (const std::int32_t layer : contract_.kinds[kind].layers)
      layers += (layers.empty() ? "" : ", ") + std::to_string(layer);
    groups.push_back({{"name", "layers_" + contract_.kinds[kind].identifier},
                      {"patterns", patterns(plan_.layer_weights[kind])},
                      {"layers", layers}});
  }
  groups.push_back({{"name", "epilogue"}, {"patterns", patterns(plan_.epilogue_weights)}, {"layers", ""}});
  return groups;
}

}  // namespace monomorph::generator
