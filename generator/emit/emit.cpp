#include "generator/emit/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generator/clang/clang.hpp"
#include "generator/emit/resources.hpp"

namespace monomorph::generator {
namespace {

std::string_view template_text(const std::string& path) { return resource("templates/" + path); }

/// "local_layer" becomes "LocalLayer".
std::string camel_case(const std::string& identifier) {
  std::string text;
  bool upper = true;
  for (const char c : identifier) {
    if (c == '_') {
      upper = true;
      continue;
    }
    text += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return text;
}

std::string without_prefix(const std::string& text, const std::string& prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

std::string float_list(const std::vector<float>& values) {
  std::string text;
  for (const float value : values) text += fmt::format("{}{}f", text.empty() ? "" : ", ", float_literal(value));
  return text;
}

const char* kernel_kind_name(KernelKind kind) {
  switch (kind) {
    case KernelKind::embed: return "embed";
    case KernelKind::norm: return "norm";
    case KernelKind::matvec: return "matvec";
    case KernelKind::matmul: return "matmul";
    case KernelKind::heads: return "heads";
    case KernelKind::attention: return "attention";
    case KernelKind::sample: return "sample";
  }
  return "";
}

const char* access_name(Access access) {
  switch (access) {
    case Access::read: return "read";
    case Access::write: return "write";
    case Access::read_write: return "read_write";
  }
  return "";
}

const char* arena_name(Arena arena) {
  switch (arena) {
    case Arena::activations: return "activations";
    case Arena::cache: return "cache";
    case Arena::state: return "state";
    case Arena::tables: return "tables";
  }
  return "";
}

/// Fills the holes of the C++ templates from the plan.
class CppWriter {
 public:
  CppWriter(const Contract& contract, const Graph& graph, const Plan& plan, const Origin& origin, std::string generated)
      : contract_(contract), graph_(graph), plan_(plan), origin_(origin), generated_(std::move(generated)) {}

  std::string model() const {
    std::vector<Holes> fields;
    for (const StructField& field : plan_.sequence_state.fields) {
      fields.push_back({{"type", field.type == "float" ? "float" : "std::uint32_t"},
                        {"name", field.name},
                        {"array", field.count > 0 ? fmt::format("[{}]", field.count) : std::string()},
                        {"offset", field.offset},
                        {"meaning", field.meaning}});
    }
    Holes holes = common();
    holes.insert({{"version", origin_.version},
                  {"spec_hash", contract_.spec_hash},
                  {"num_hidden_layers", contract_.num_hidden_layers},
                  {"axes", axes()},
                  {"roles", roles()},
                  {"weights", once_weights()},
                  {"kinds", kinds()},
                  {"buffers", buffers()},
                  {"state", plan_.sequence_state.name},
                  {"state_fields", fields},
                  {"state_bytes", plan_.sequence_state.bytes},
                  {"cache_bytes", cache_sum()},
                  {"activation_bytes", std::to_string(plan_.activation_bytes)}});
    return render("cpp/model.hpp", holes);
  }

  std::string kernels() const {
    std::vector<Holes> functions;
    for (const FunctionPlan& function : plan_.functions) {
      std::vector<Holes> parameters;
      std::string arguments;
      for (const ParameterPlan& parameter : function.parameters) {
        parameters.push_back({{"type", parameter.cpp_type}, {"name", parameter.name}});
        arguments += ", " + parameter.name;
      }
      functions.push_back({{"name", function.name},
                           {"about", function.about},
                           {"kernel", static_cast<std::int64_t>(function.kernel)},
                           {"parameters", parameters},
                           {"arguments", arguments},
                           {"rows", function.rows},
                           {"tokens", function.tokens}});
    }
    Holes holes = common();
    holes.insert({"functions", functions});
    return render("cpp/kernels.hpp", holes);
  }

  std::string forward() const {
    std::vector<Holes> phases;
    phases.push_back(phase("prefill", "Up to tokens::size tokens: token_ids to hidden_states, keys and values cached.", plan_.prefill));
    phases.push_back(phase("decode", "One token: token_ids[0] to hidden_states, its key and value cached.", plan_.decode));
    Holes holes = common();
    holes.insert({{"several_kinds", several_kinds()},
                  {"phases", phases},
                  {"head", call_lines(plan_.head.epilogue, false)},
                  {"sample", call_lines(plan_.sample.epilogue, false)}});
    if (several_kinds()) {
      std::vector<Holes> enumerators, order;
      for (const LayerContract& kind : contract_.kinds) enumerators.push_back({{"enumerator", kind.identifier}});
      for (const std::size_t kind : contract_.layer_kinds) order.push_back({{"enumerator", contract_.kinds[kind].identifier}});
      holes.insert({{"kind_count", static_cast<std::int64_t>(contract_.kinds.size())},
                    {"kinds", enumerators},
                    {"layer_order", order}});
    }
    return render("cpp/forward.hpp", holes);
  }

  std::string reference() const {
    std::vector<Holes> kinds;
    for (std::size_t index = 0; index < contract_.kinds.size(); ++index) {
      const LayerContract& kind = contract_.kinds[index];
      Holes names = kind_names(index);
      names.insert({{"rotary", !kind.attention.rotary_frequencies.empty() && plan_.caches[index].present},
                    {"frequencies", float_list(kind.attention.rotary_frequencies)},
                    {"ops", reference_lines(graph_.layers[index], contract_, &kind)}});
      kinds.push_back(names);
    }
    Holes holes = common();
    holes.insert({{"kinds", kinds},
                  {"several_kinds", several_kinds()},
                  {"prologue", reference_lines(graph_.prologue, contract_, nullptr)},
                  {"epilogue", reference_lines(graph_.epilogue, contract_, nullptr)}});
    if (several_kinds()) holes.insert({"kind_count", static_cast<std::int64_t>(contract_.kinds.size())});
    return render("cpp/reference.hpp", holes);
  }

  std::string engine() const { return render("cpp/engine.hpp", common()); }
  std::string main() const { return render("cpp/main.cpp", common()); }

  std::string program() const {
    std::vector<Holes> tables, prefixes;
    for (const RotaryTablePlan& table : plan_.rotary_tables) {
      tables.push_back({{"buffer", table.buffer}, {"identifier", table.buffer}, {"frequencies", float_list(table.frequencies)}});
    }
    for (const std::string& prefix : contract_.checkpoint_prefixes) prefixes.push_back({{"text", prefix}});
    if (prefixes.empty()) prefixes.push_back({{"text", ""}});
    std::string eos;
    for (const std::int64_t id : contract_.eos_token_ids) eos += (eos.empty() ? "" : ", ") + std::to_string(id);
    Holes holes = common();
    holes.insert({{"kernels", kernel_tables()},
                  {"groups", tensor_groups()},
                  {"rotary_tables", tables},
                  {"prefixes", prefixes},
                  {"eos_tokens", eos},
                  {"bos_token", std::to_string(contract_.bos_token_id)},
                  {"arena_bytes", fmt::format("activation_bytes, cache_bytes, {}, {}", plan_.state_bytes, plan_.table_bytes)},
                  {"flops_per_token", std::to_string(contract_.matrix_flops_per_token)},
                  {"cache_bytes_per_token", std::to_string(contract_.kv_elements_per_token * dtype_bytes(contract_.kv_cache))},
                  {"kv_cache", dtype_name(contract_.kv_cache)},
                  {"decode_steps", plan_.decode_steps},
                  {"state", plan_.sequence_state.name}});
    return render("cpp/program.cpp", holes);
  }

  std::string spirv() const {
    return Template::parse("cpp/spirv.S", template_text)
        .render({{"generated", generated_}, {"space", contract_.identifier}, {"kernels", kernel_names()}});
  }

  std::string cmake() const {
    Holes holes = common();
    holes.insert({"kernels", kernel_names()});
    return Template::parse("cpp/CMakeLists.txt", template_text).render(holes);
  }

 private:
  Holes common() const {
    return {{"generated", generated_}, {"model", contract_.name}, {"space", contract_.identifier}};
  }

  std::string render(const std::string& path, const Holes& holes) const {
    return format_cpp(Template::parse(path, template_text).render(holes));
  }

  bool several_kinds() const { return contract_.kinds.size() > 1; }

  /// What the names of a kind's functions and types begin with: nothing where there is one kind.
  Holes kind_names(std::size_t index) const {
    const LayerContract& kind = contract_.kinds[index];
    const bool several = several_kinds();
    return {{"about", several ? " of kind " + kind.name : std::string()},
            {"prefix", several ? kind.identifier + "_" : std::string()},
            {"type", several ? camel_case(kind.identifier) : std::string()},
            {"enumerator", kind.identifier},
            {"index", static_cast<std::int64_t>(index)},
            {"cached", plan_.caches[index].present}};
  }

  std::vector<Holes> axes() const {
    std::vector<Holes> records;
    for (const Axis& axis : plan_.axes) records.push_back({{"name", axis.name}, {"size", axis.size}});
    return records;
  }

  std::vector<Holes> roles() const {
    std::vector<std::string> names;
    const auto add = [&](const std::vector<WeightPlan>& weights) {
      for (const WeightPlan& weight : weights) {
        if (std::find(names.begin(), names.end(), weight.contract.role) == names.end()) names.push_back(weight.contract.role);
      }
    };
    add(plan_.prologue_weights);
    for (const auto& weights : plan_.layer_weights) add(weights);
    add(plan_.epilogue_weights);
    names.insert(names.end(), {"keys", "values"});
    std::vector<Holes> records;
    for (const std::string& name : names) records.push_back({{"name", name}});
    return records;
  }

  static std::vector<Holes> weight_records(const std::vector<WeightPlan>& weights, std::int64_t first_tensor) {
    std::vector<Holes> records;
    for (const WeightPlan& weight : weights) {
      records.push_back({{"role", weight.contract.role},
                         {"type", weight.type()},
                         {"tensor", first_tensor + static_cast<std::int64_t>(records.size())},
                         {"first", records.empty()}});
    }
    return records;
  }

  /// Tensors count through the prologue, then kind by kind and layer by layer, then the epilogue.
  std::vector<std::int64_t> first_tensors() const {
    std::vector<std::int64_t> first = {static_cast<std::int64_t>(plan_.prologue_weights.size())};
    for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
      first.push_back(first.back() + static_cast<std::int64_t>(plan_.layer_weights[kind].size() * contract_.kinds[kind].layers.size()));
    }
    return first;
  }

  std::vector<Holes> once_weights() const {
    std::vector<Holes> records = weight_records(plan_.prologue_weights, 0);
    for (Holes& record : weight_records(plan_.epilogue_weights, first_tensors().back())) {
      record.insert_or_assign("first", records.empty());
      records.push_back(record);
    }
    return records;
  }

  std::vector<Holes> kinds() const {
    const std::vector<std::int64_t> first = first_tensors();
    std::vector<Holes> records;
    for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
      Holes names = kind_names(kind);
      const CachePlan& cache = plan_.caches[kind];
      records.push_back({{"name", names.at("about")},
                         {"prefix", names.at("prefix")},
                         {"type", names.at("type")},
                         {"first_tensor", first[kind]},
                         {"weights", weight_records(plan_.layer_weights[kind], 0)},
                         {"weight_count", static_cast<std::int64_t>(plan_.layer_weights[kind].size())},
                         {"layer_count", static_cast<std::int64_t>(contract_.kinds[kind].layers.size())},
                         {"cached", cache.present},
                         {"cache_key_type", cache.present ? cache.type("keys") : std::string()},
                         {"cache_value_type", cache.present ? cache.type("values") : std::string()},
                         {"cache_offset", cache.offset},
                         {"cache_bytes", cache.bytes}});
    }
    return records;
  }

  std::string cache_sum() const {
    std::string sum = "0";
    for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
      if (!plan_.caches[kind].present) continue;
      const Holes names = kind_names(kind);
      const std::string prefix = std::get<std::string>(names.at("prefix").value);
      sum = (sum == "0" ? "" : sum + " + ") + fmt::format("2 * {0}layer_count * {0}layer_cache(0).keys.view.bytes", prefix);
    }
    return sum;
  }

  std::vector<Holes> buffers() const {
    std::vector<Holes> records;
    for (const BufferPlan& buffer : plan_.buffers) {
      records.push_back({{"name", buffer.name},
                         {"type", buffer.type()},
                         {"arena", arena_name(buffer.arena)},
                         {"offset", buffer.offset},
                         {"bytes", buffer.bytes}});
    }
    return records;
  }

  /// Calls as lines; inside a layer the buffers' namespace is open.
  std::vector<Holes> call_lines(const std::vector<CallPlan>& calls, bool in_layer) const {
    std::vector<Holes> lines;
    for (const CallPlan& call : calls) {
      std::string text = plan_.functions[call.function].name + "(record";
      for (const std::string& argument : call.arguments) {
        text += ", " + (in_layer ? without_prefix(argument, "buffers::") : argument);
      }
      lines.push_back({{"text", text + ");"}});
    }
    return lines;
  }

  Holes phase(const std::string& name, const std::string& about, const PhasePlan& phase) const {
    std::vector<Holes> kinds;
    for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
      Holes names = kind_names(kind);
      names.insert({"calls", call_lines(phase.layers[kind], true)});
      kinds.push_back(names);
    }
    return {{"name", name}, {"about", about}, {"prologue", call_lines(phase.prologue, false)}, {"kinds", kinds}};
  }

  std::vector<Holes> kernel_names() const {
    std::vector<Holes> records;
    for (const KernelPlan& kernel : plan_.kernels) records.push_back({{"name", kernel.name}});
    return records;
  }

  std::vector<Holes> kernel_tables() const {
    std::vector<Holes> records;
    for (const KernelPlan& kernel : plan_.kernels) {
      std::vector<Holes> bindings = {{{"name", "state"}, {"access", access_name(kernel.state_access)}, {"splits", "false"}}};
      for (const ParameterPlan& parameter : kernel.parameters) {
        bindings.push_back({{"name", parameter.name},
                            {"access", access_name(parameter.access)},
                            {"splits", parameter.splits ? "true" : "false"}});
      }
      records.push_back({{"name", kernel.name},
                         {"kind", kernel_kind_name(kernel.kind)},
                         {"bindings", bindings},
                         {"bytes_per_row", kernel.bytes_per_row},
                         {"flops_per_row", kernel.flops_per_row},
                         {"max_tile_tokens", kernel.max_tile_tokens}});
    }
    return records;
  }

  static std::vector<Holes> patterns(const std::vector<WeightPlan>& weights) {
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
                         {"dtype", dtype_name(weight.contract.dtype)},
                         {"stored", dtype_name(weight.stored)},
                         {"rows", axes.size() == 1 ? std::string("1") : axes[0].name + "::size"},
                         {"columns", axes.back().name + "::size"},
                         {"parts", parts}});
    }
    return records;
  }

  std::vector<Holes> tensor_groups() const {
    std::vector<Holes> groups;
    groups.push_back({{"name", "prologue"}, {"patterns", patterns(plan_.prologue_weights)}, {"layers", ""}});
    for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
      std::string layers;
      for (const std::int32_t layer : contract_.kinds[kind].layers) layers += (layers.empty() ? "" : ", ") + std::to_string(layer);
      groups.push_back({{"name", contract_.kinds[kind].identifier},
                        {"patterns", patterns(plan_.layer_weights[kind])},
                        {"layers", layers}});
    }
    groups.push_back({{"name", "epilogue"}, {"patterns", patterns(plan_.epilogue_weights)}, {"layers", ""}});
    return groups;
  }

  const Contract& contract_;
  const Graph& graph_;
  const Plan& plan_;
  const Origin& origin_;
  std::string generated_;
};

}  // namespace

EmittedFiles emit_model(const Contract& contract, const Graph& graph, const Plan& plan, const Origin& origin) {
  const std::string generated = fmt::format("Generated by monomorph {} from {} (spec {}). To generate it again: {}",
                                            origin.version, origin.spec_name, contract.spec_hash, origin.command);
  const CppWriter writer(contract, graph, plan, origin, generated);
  const std::string include = "include/" + contract.identifier + "/";
  EmittedFiles files = emit_kernels(plan, generated);
  files[include + "model.hpp"] = writer.model();
  files[include + "kernels.hpp"] = writer.kernels();
  files[include + "forward.hpp"] = writer.forward();
  files[include + "reference.hpp"] = writer.reference();
  files[include + "engine.hpp"] = writer.engine();
  files["program.cpp"] = writer.program();
  files["main.cpp"] = writer.main();
  files["spirv.S"] = writer.spirv();
  files["CMakeLists.txt"] = writer.cmake();
  files["plan.txt"] = dump_plan(plan, contract);
  return files;
}

}  // namespace monomorph::generator
