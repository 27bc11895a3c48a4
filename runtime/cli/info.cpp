#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "runtime/cli/commands.hpp"
#include "runtime/cli/describe.hpp"
#include "runtime/cli/output.hpp"
#include "runtime/formats/json.hpp"
#include "runtime/load/load.hpp"
#include "runtime/weights/weights.hpp"

namespace monomorph::cli {
namespace {

/// What the program asks of a device's limits, at its largest.
struct Demands {
  std::int64_t bindings = 0;
  std::int64_t tensor_bytes = 0;
  std::string tensor;
};

Demands demands_of(const Program& program) {
  Demands demands;
  for (const Kernel& kernel : program.kernels) {
    demands.bindings = std::max(demands.bindings, static_cast<std::int64_t>(kernel.bindings.size()));
  }
  for (const StoredEntry& stored : list_stored(program)) {
    if (stored.bytes() <= demands.tensor_bytes) continue;
    demands.tensor_bytes = stored.bytes();
    demands.tensor = stored.name;
  }
  return demands;
}

/// The device asked for; where none was, the one an engine would take, if there is one.
std::optional<DeviceInfo> device_of(const Program& program, const std::string& choice) {
  if (choice == "reference") return std::nullopt;
  if (!choice.empty()) return find_device(program, choice);
  for (DeviceInfo& device : list_devices(program)) {
    if (device.chosen) return std::move(device);
  }
  return std::nullopt;
}

/// "f16", or "q8_0 and f16": the types of states, in their order; "none" without any.
std::string cache_types(const Program& program) {
  std::vector<std::string> types;
  for (const StateTable& state : program.states) {
    if (std::ranges::find(types, name_of(state.dtype)) == types.end()) types.emplace_back(name_of(state.dtype));
  }
  return types.empty() ? "none" : fmt::format("{}", fmt::join(types, " and "));
}

/// What all layers of a state take of one slot.
std::int64_t bytes_of_slot(const StateTable& state) { return slot_bytes({&state, 1}); }

std::string info_text(const Program& program, const std::optional<DeviceInfo>& device) {
  const DispatchCount dispatches = count_dispatches(program);
  const Demands demands = demands_of(program);
  std::string text;
  const auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("{:<22} {}\n", what, value);
  };
  line("model", std::string(program.name));
  line("in C++", fmt::format("{0}: namespace, CMake target, #include \"{0}/engine.hpp\"", program.cpp_name));
  line("generator", std::string(program.version));
  line("spec hash", std::string(program.spec_hash));
  line("parameters", fmt::format("{}", program.total_parameters));
  line("hidden_size", fmt::format("{}", program.hidden_size));
  line("num_hidden_layers", fmt::format("{}", program.num_hidden_layers));
  line("vocab_size", fmt::format("{}", program.vocab_size));
  line("max_sequence_length", fmt::format("{}", program.max_sequence_length));
  line("prefill_chunk", fmt::format("{}", program.prefill_chunk));
  if (program.max_source_length > 0) line("max_source_length", fmt::format("{}", program.max_source_length));
  line("max_batch", fmt::format("{} slot{}, {} bytes of states each", program.max_batch,
                                program.max_batch == 1 ? "" : "s", slot_bytes(program.states)));
  line("kv_cache", fmt::format("{}, {} bytes a token", cache_types(program), state_bytes_per_token(program.states)));
  for (const StateTable& state : program.states) {
    line(fmt::format("  {}", state.name).c_str(),
         fmt::format("{}, {} bytes a {}, {} a slot ({} layer{}, {} head{}, {} entries)", name_of(state.dtype),
                     state.row_bytes, state.kind == StateKind::recurrent ? "copy" : "head and position",
                     bytes_of_slot(state), state.layers, state.layers == 1 ? "" : "s", state.heads,
                     state.heads == 1 ? "" : "s", state.entries));
  }
  const Conversions conversions = list_conversions(program);
  if (!conversions.empty()) line("converted weights", describe_conversions(conversions));
  line("FLOPs a token", fmt::format("{} (attention aside)", program.flops_per_token));
  line("kernels", dispatches.spirv_bytes == 0
                      ? fmt::format("{}", dispatches.kernels)
                      : fmt::format("{}, {} bytes of SPIR-V", dispatches.kernels, dispatches.spirv_bytes));
  line("dispatches a token",
       fmt::format("{} ({} a layer; embedding and layers {}, head {}, sampling {})", dispatches.per_token(),
                   dispatches.per_layer, dispatches.decode, dispatches.head, dispatches.sample));
  line("dispatches a chunk", fmt::format("{} of prefill", dispatches.prefill));
  line("bindings", fmt::format("{} at most", demands.bindings));
  line("largest tensor", fmt::format("{} bytes, {}", demands.tensor_bytes, demands.tensor));
  text += "\nmemory\n" + describe_memory(program, device);
  if (!device || device->type == DeviceType::processor) return text;  // which has no limits and compiles nothing
  const Limits& limits = device->limits;
  text += fmt::format("\nlimits of {}\n", device->name);
  line("storage buffer range", fmt::format("{} bytes", limits.max_storage_buffer_range));
  line("allocation", fmt::format("{} bytes", limits.max_allocation_size));
  line("offset alignment", fmt::format("{} bytes", limits.storage_offset_alignment));
  line("workgroups", fmt::format("{} x {}", limits.max_workgroup_count_x, limits.max_workgroup_count_y));
  line("invocations",
       fmt::format("{} a workgroup, subgroups of {}", limits.max_workgroup_invocations, device->subgroup_size));
  line("shared memory", fmt::format("{} bytes", limits.max_shared_memory));
  text += "\n";
  const std::optional<PipelineCacheFile> cache = find_pipeline_cache(program, *device);
  line("pipeline cache", !cache             ? "off"
                         : cache->bytes > 0 ? fmt::format("{} bytes, {}", cache->bytes, cache->path)
                                            : fmt::format("not written yet, {}", cache->path));
  return text;
}

Json info_json(const Program& program, const std::optional<DeviceInfo>& device) {
  const DispatchCount dispatches = count_dispatches(program);
  const Demands demands = demands_of(program);
  const MemoryPlan plan = plan_memory(program, device);
  Json kernels = Json::array();
  for (const Kernel& kernel : program.kernels) {
    kernels.push_back(Json::object({{"name", kernel.name}, {"spirv_bytes", kernel.spirv.size()}}));
  }
  Json states = Json::array();
  for (const StateTable& state : program.states) {
    states.push_back(Json::object({{"name", state.name},
                                   {"dtype", name_of(state.dtype)},
                                   {"layers", state.layers},
                                   {"heads", state.heads},
                                   {"entries", state.entries},
                                   {"row_bytes", state.row_bytes},
                                   {"slot_bytes", bytes_of_slot(state)}}));
  }
  Json json = Json::object(
      {{"model", program.name},
       {"cpp_name", program.cpp_name},
       {"generator", program.version},
       {"spec_hash", program.spec_hash},
       {"parameters", program.total_parameters},
       {"hidden_size", program.hidden_size},
       {"num_hidden_layers", program.num_hidden_layers},
       {"vocab_size", program.vocab_size},
       {"max_sequence_length", program.max_sequence_length},
       {"prefill_chunk", program.prefill_chunk},
       {"kv_cache", cache_types(program)},
       {"states", std::move(states)},
       {"converted_weights", describe_conversions(list_conversions(program))},
       {"max_batch", program.max_batch},
       {"slot_bytes", slot_bytes(program.states)},
       {"slot_bytes_saved_by_windows", slot_bytes_saved(program.states, program.max_sequence_length)},
       {"state_bytes_per_token", state_bytes_per_token(program.states)},
       {"flops_per_token", program.flops_per_token},
       {"spirv_bytes", dispatches.spirv_bytes},
       {"dispatches", Json::object({{"per_token", dispatches.per_token()},
                                    {"per_layer", dispatches.per_layer},
                                    {"decode", dispatches.decode},
                                    {"head", dispatches.head},
                                    {"sample", dispatches.sample},
                                    {"prefill_chunk", dispatches.prefill}})},
       {"memory", Json::object({{"weights", plan.weights},
                                {"mapped", plan.mapped},
                                {"states", plan.states},
                                {"activations", plan.activations},
                                {"host", plan.host},
                                {"total", plan.total()},
                                {"tensors", plan.tensors},
                                {"slices", plan.slices},
                                {"allocations", plan.allocations}})},
       {"demands", Json::object({{"bindings", demands.bindings}, {"largest_tensor_bytes", demands.tensor_bytes}})},
       {"kernels", std::move(kernels)}});
  if (program.max_source_length > 0) json["max_source_length"] = program.max_source_length;
  if (!device) return json;
  json["device"] = Json::object({{"name", device->name}, {"memory", device->memory()}});
  json["pipeline_cache"] = nullptr;
  if (const std::optional<PipelineCacheFile> cache = find_pipeline_cache(program, *device)) {
    json["pipeline_cache"] = Json::object({{"path", cache->path}, {"bytes", cache->bytes}});
  }
  return json;
}

}  // namespace

void info(const Program& program, const InfoOptions& options) {
  const std::optional<DeviceInfo> device = device_of(program, options.device);
  print(options.json ? info_json(program, device).dump(2) + "\n" : info_text(program, device));
}

}  // namespace monomorph::cli
