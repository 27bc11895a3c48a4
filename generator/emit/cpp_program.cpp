#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "generator/blocks/embedding.hpp"
#include "generator/blocks/lm_head.hpp"
#include "generator/blocks/pooling.hpp"
#include "generator/emit/cpp_writer.hpp"
#include "generator/emit/cpu_kernels.hpp"
#include "generator/emit/resources.hpp"
#include "generator/emit/short_name.hpp"
#include "generator/plan/words.hpp"
#include "generator/spec/block_type.hpp"

namespace monomorph::generator {
namespace {

std::string cost_of(const Kernel& kernel) {
  const KernelCost& cost = kernel.cost;
  const std::string numbers = fmt::format("{}, {}, {}, {}, {}, {}", cost.bytes_per_row, cost.bytes_per_token,
                                          cost.bytes_per_key, cost.flops_per_row, cost.flops_per_key, cost.most_keys);
  if (kernel.sees.empty()) return numbers;
  const std::set<std::string> names = names_in(kernel.sees);
  return fmt::format("{}, [](std::int64_t{}, std::int64_t{}) {{ return {}; }}", numbers,
                     names.contains("query") ? " query" : "", names.contains("key") ? " key" : "", to_cpp(kernel.sees));
}

/// The members of a RowView, as far as they are not the defaults.
std::string spelled(const RowView& view) {
  std::string text = fmt::format("{}, {}, {}", view.rows, view.source_row, view.source_rows);
  const bool lines = view.lines != 0, banks = view.banks != 0 || lines, apart = view.apart != 0 || banks,
             halves = view.halves != 0 || apart;
  const bool run = view.run != 0 || halves;
  if (view.transposed || run) text += view.transposed ? ", true" : ", false";
  if (run) text += fmt::format(", {}, {}", view.run, view.run_stride);
  if (halves) text += fmt::format(", {}", view.halves);
  if (apart) text += fmt::format(", {}", view.apart);
  if (banks) text += fmt::format(", {}", view.banks);
  if (lines) text += fmt::format(", {}, {}", view.lines, view.first_line);
  return text;
}

/// "attention::qkv_proj" -> "attention_qkv_proj".
std::string identifier(const std::string& role) {
  const RolePath path = split_role(role);
  return path.space.empty() ? path.word : path.space + "_" + path.word;
}

/// The keys that have an expression of the spec's own: a named activation is none.
std::vector<std::string> written_expressions(const Contract& contract) {
  std::vector<std::string> keys;
  const auto add = [&](const std::string& section, const BoundFields& fields) {
    for (const auto& [field, slot] : fields) {
      if (!field->is_expression) continue;
      const Field<std::string>& text = *std::get<Field<std::string>*>(slot);
      const std::string key = section + "." + field->key;
      if (!text.given || named_activations().contains(text.value) || std::ranges::count(keys, key) > 0) continue;
      keys.push_back(key);
    }
  };
  Held<LmHeadSection> lm_head = contract.lm_head;
  for (std::size_t stack = 0; stack < contract.stacks.size(); ++stack) {
    Held<EmbeddingSection> embedding = contract.stacks[stack].embedding;
    add(section_prefix(stack) + std::string("embedding"), bind(*embedding));
  }
  for (const LayerContract& layer : contract.kinds) {
    for (const Block* block : layer.kind.blocks()) {
      Block copy = *block;
      add(section_prefix(layer.kind.stack) + copy.instance, bind_block(copy));
    }
  }
  Held<PoolingSection> pooling = contract.pooling;
  pools(*pooling) ? add("pooling", bind(*pooling)) : add("lm_head", bind(*lm_head));
  return keys;
}

}  // namespace

std::string CppWriter::program() const {
  std::vector<Holes> angles, prefixes, ignored, phases;
  for (const AnglesId id : contract_.angles.ids()) {
    angles.push_back(rotary_angles(id));
    angles.back().insert({"buffer", plan_.buffers[plan_.angles[id.index]].name});
  }
  for (const std::string& prefix : contract_.checkpoint_prefixes) prefixes.push_back({{"text", prefix}});
  if (prefixes.empty()) prefixes.push_back({{"text", ""}});
  for (const IgnoredCheckpointTensor& tensor : contract_.ignored_tensors) ignored.push_back({{"name", tensor.name}});
  for (const PhasePlan& phase : plan_.phases) {
    phases.push_back({{"name", phase.row->name},
                      {"stage", name_of(phase.row->stage)},
                      {"lowering", name_of(phase.row->lowering)},
                      {"max_rows", phase.max_rows}});
  }
  std::vector<Holes> groups = {weight_group("once", {})};
  for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
    groups.push_back(weight_group("layers_" + contract_.kinds[kind].kind.identifier, {kind}));
  }
  Holes holes = common();
  holes.insert(
      {{"cpp_name", cpp_name(contract_)},
       {"backends", backends()},
       {"vulkan", contract_.runs_on("vulkan")},
       {"cpu", contract_.runs_on("cpu")},
       {"kernels", kernel_tables()},
       {"groups", groups},
       {"states", state_tables()},
       {"one_pass", contract_.one_pass},
       {"mask_token", contract_.mask_token_id < 0 ? "" : std::to_string(contract_.mask_token_id)},
       {"encoder", contract_.encoder() != nullptr},
       {"output", plan_.buffers[plan_.output].name},
       {"hidden_states", "buffers::" + hidden_states_of(own_stack)},
       {"output_axis", plan_.axes[plan_.buffers[plan_.output].axes[1]].name},
       {"pooling", contract_.pooling->type.value},
       {"token_types", contract_.token_types},
       {"rotary_angles", angles},
       {"prefixes", prefixes},
       {"eos_tokens", fmt::format("{}", fmt::join(contract_.eos_token_ids, ", "))},
       {"ignored_tensors", ignored},
       {"config_facts", origin_.config_facts},
       {"expressions", fmt::format("{}", fmt::join(written_expressions(contract_), ", "))},
       {"chat", !origin_.chat.body.empty()},
       {"chat_refusal", origin_.chat.refusal.empty() ? "" : cpp_literal(origin_.chat.refusal)},
       {"tied_embedding", contract_.tie_word_embeddings ? contract_.token_embedding().sources.front().name : ""},
       {"arena_bytes", fmt::format("activation_bytes, {}, {}", plan_.state_bytes, plan_.host_bytes)},
       {"flops_per_token", std::to_string(contract_.matrix_flops_per_token)},
       {"decode_steps", plan_.decode_steps},
       {"phases", phases}});
  if (contract_.encoder() != nullptr) {
    holes.insert({{"decoder_start", std::to_string(contract_.decoder_start_token_id)},
                  {"encoder_hidden_axis", hidden_axis_of(encoder_stack)}});
  }
  return render("cpp/program.cpp", holes);
}

Holes CppWriter::rotary_angles(AnglesId id) const {
  const AnglesContract& angles = contract_.angles[id];
  const RotaryContract& rotary = angles.rotary;
  // Designators, so that what is not said has its default.
  std::string members = ".frequencies = " + angles.role + "_frequencies";
  const auto say = [&](const char* member, const std::string& value) {
    members += fmt::format(", .{} = {}", member, value);
  };
  if (rotary.factor != 1) say("factor", float_literal(rotary.factor));
  if (rotary.original_length != 0) say("original_length", std::to_string(rotary.original_length));
  if (!rotary.of_longer.empty()) say("of_longer", angles.role + "_frequencies_of_longer");
  if (rotary.stretch != 0) {
    say("theta", float_literal(rotary.theta));
    say("stretch", float_literal(rotary.stretch));
  }
  if (rotary.first_position != 0) say("first_position", std::to_string(rotary.first_position));
  return {{"name", angles.role},
          {"frequencies", float_list(rotary.frequencies)},
          {"of_longer", float_list(rotary.of_longer)},
          {"members", members}};
}

std::string CppWriter::cpu() const {
  Holes holes = common();
  holes.insert({{"kernels", cpu_kernels(plan_)}});
  return render("cpp/cpu.cpp", holes);
}

std::string emit_cpu_kernels(const Plan& plan, const std::string& space, const std::string& generated) {
  return embedded_template("cpp/cpu.cpp")
      .render({{"generated", generated}, {"model", space}, {"space", space}, {"kernels", cpu_kernels(plan)}});
}

std::string CppWriter::chat() const {
  std::vector<Holes> tokens, lines;
  for (const auto& [name, token] : origin_.chat.special_tokens) {
    tokens.push_back({{"name", cpp_text(name)}, {"text", cpp_text(token)}});
  }
  for (const std::string& line : origin_.chat.body) lines.push_back({{"text", line}});
  Holes holes = common();
  holes.insert({{"tokens", tokens}, {"lines", lines}});
  return render("cpp/chat.cpp", holes);
}

std::string CppWriter::spirv() const {
  return embedded_template("cpp/spirv.S")
      .render({{"generated", generated_}, {"space", contract_.identifier}, {"kernels", kernel_names()}});
}

std::string CppWriter::cmake(const std::string& short_space) const {
  Holes holes = common();
  holes.insert({{"kernels", kernel_names()},
                {"short", short_space},
                {"chat", !origin_.chat.body.empty()},
                {"vulkan", contract_.runs_on("vulkan")},
                {"cpu", contract_.runs_on("cpu")}});
  return embedded_template("cpp/CMakeLists.txt").render(holes);
}

std::vector<Holes> CppWriter::backends() const {
  std::vector<Holes> records;
  for (const std::string_view name : backend_names) {
    if (contract_.runs_on(name)) records.push_back({{"name", std::string(name)}});
  }
  return records;
}

std::vector<Holes> CppWriter::kernel_names() const {
  std::vector<Holes> records;
  for (const Kernel& kernel : plan_.kernels) records.push_back({{"name", kernel.name}});
  return records;
}

std::vector<Holes> CppWriter::kernel_tables() const {
  std::vector<Holes> records;
  for (const Kernel& kernel : plan_.kernels) {
    std::vector<Holes> bindings = {{{"name", "step"}, {"access", name_of(kernel.step_access)}, {"splits", "false"}}};
    for (const KernelBinding& binding : kernel.bindings) {
      bindings.push_back(
          {{"name", binding.name}, {"access", name_of(binding.access)}, {"splits", binding.splits ? "true" : "false"}});
    }
    records.push_back({{"name", kernel.name},
                       {"kind", name_of(kernel.kind)},
                       {"bindings", bindings},
                       {"cost", cost_of(kernel)},
                       {"max_tile_tokens", kernel.max_tile_tokens},
                       {"lanes", kernel.lanes}});
  }
  return records;
}

Holes CppWriter::weight_group(const std::string& name, Scope scope) const {
  const std::vector<WeightId> weights = contract_.weights_of(scope);
  std::vector<Holes> patterns, stored;
  for (const WeightId id : weights) {
    const WeightContract& weight = contract_.weights[id];
    std::vector<Holes> parts;
    for (const CheckpointPart& part : weight.sources) {
      parts.push_back({{"name", part.name}, {"view", spelled(part.view)}});
    }
    const bool vector = weight.axes.size() == 1;
    std::string traits;
    if (vector) {
      const auto [inner, of_group] = contract_.axes.inner_of_vector(weight.axes[0]);
      traits = ", true";
      if (inner != 0)
        traits += of_group == 0 ? fmt::format(", {{{}}}", inner) : fmt::format(", {{{}, {}}}", inner, of_group);
    }
    if (weight.converted_from) traits = fmt::format(", false, {{}}, Dtype::{}", name_of(*weight.converted_from));
    patterns.push_back({{"name", weight.part},
                        {"identifier", identifier(weight.role)},
                        {"dtype", name_of(weight.dtype)},
                        {"rows", vector ? std::int64_t{1} : contract_.axes[weight.axes[0]].size},
                        {"columns", contract_.axes[weight.axes.back()].size},
                        {"traits", traits},
                        {"values", float_list(weight.values)},
                        {"parts", parts}});
  }
  for (const StoredId id : plan_.stored_of(scope)) {
    const Stored& matrix = plan_.stored[id];
    std::vector<Holes> pieces;
    for (const StoredRows& piece : matrix.pieces) {
      const auto weight = std::find(weights.begin(), weights.end(), piece.weight);
      pieces.push_back(
          {{"weight", piece.weight ? static_cast<std::int64_t>(weight - weights.begin()) : std::int64_t{-1}},
           {"rows", piece.rows}});
    }
    stored.push_back({{"name", matrix.role},
                      {"identifier", identifier(matrix.role)},
                      {"format", name_of(matrix.format)},
                      {"rows", matrix.rows},
                      {"columns", matrix.columns},
                      {"pieces", pieces}});
  }
  std::string layers, numbers, sets;
  if (scope.kind != Scope::model) {
    const LayerContract& kind = contract_.kinds[scope.kind];
    layers = fmt::format("{}", fmt::join(kind.layers, ", "));
    numbers = fmt::format("{}", fmt::join(kind.numbers, ", "));
    sets = fmt::format("{}", fmt::join(kind.sets, ", "));
  }
  return {{"name", name},     {"weights", patterns}, {"stored", stored},
          {"layers", layers}, {"numbers", numbers},  {"sets", sets}};
}

std::vector<Holes> CppWriter::state_tables() const {
  std::vector<Holes> records;
  for (const StateId id : contract_.states.ids()) {
    const StateContract& state = contract_.states[id];
    const StateTable& table = plan_.states[id.index];
    const RolePath path = split_role(state.role);
    const std::string prefix = std::get<std::string>(kind_names(state.scope.kind).at("prefix").value);
    const std::string member = path.space.empty() ? path.word : path.space + "." + path.word;
    records.push_back({{"name", state.role},
                       {"kind", name_of(state.kind)},
                       {"recent", table.recent},
                       {"first", table.first},
                       {"layers", table.layers},
                       {"heads", table.heads},
                       {"entries", table.entries},
                       {"row_bytes", table.row_bytes},
                       {"stride", table.stride},
                       {"view", fmt::format("{}layer_states(0).{}.view", prefix, member)},
                       {"dtype", name_of(state.element)}});
  }
  return records;
}

}  // namespace monomorph::generator
