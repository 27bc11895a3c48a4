#include <fmt/format.h>

#include <set>

#include "generator/emit/cpp_writer.hpp"
#include "generator/plan/words.hpp"
#include "runtime/program/step.hpp"

namespace monomorph::generator {
namespace {

using Grouped = std::vector<std::pair<RolePath, Holes>>;

std::string member_path(const RolePath& path) {
  return path.space.empty() ? path.word : camel_case(path.space) + "::" + path.word;
}

/// Groups as records { "space", "type", `what` }.
std::vector<Holes> spaces(const Grouped& records, const char* what) {
  std::vector<Holes> result;
  for (const auto& [space, members] : by_space(records)) {
    if (!members.empty()) result.push_back({{"space", space}, {"type", camel_case(space)}, {what, members}});
  }
  return result;
}

}  // namespace

std::string CppWriter::model() const {
  std::vector<Holes> axes;
  for (const Axis& axis : plan_.axes) axes.push_back({{"name", axis.name}, {"size", axis.size}});
  std::set<std::string> quantized;
  for (const Stored& stored : plan_.stored) {
    if (is_quantized(stored.format)) quantized.insert(name_of(stored.format));
  }
  for (const StateContract& state : contract_.states) {
    if (is_quantized(state.element)) quantized.insert(name_of(state.element));
  }
  std::vector<Holes> quantized_types;
  for (const std::string& name : quantized) quantized_types.push_back({{"name", name}});
  Holes holes = common();
  holes.insert({{"version", origin_.version},
                {"spec_hash", contract_.spec_hash},
                {"num_hidden_layers", contract_.own().num_hidden_layers},
                {"layer_repeats", contract_.own().repeat},
                {"repeated", contract_.own().repeat > 1},
                {"axes", axes},
                {"quantized_types", quantized_types},
                {"role_spaces", role_spaces()},
                {"weight_spaces", weight_spaces({})},
                {"kinds", kinds()},
                {"buffer_spaces", buffer_spaces()},
                {"step_type", fmt::format("monomorph::StepBlock<{}, {}, {}, {}>", contract_.max_batch,
                                          plan_.decode_steps, contract_.head_rows, contract_.pass_rows())},
                {"step_bytes", plan_.buffers[plan_.step].bytes},
                {"activation_bytes", std::to_string(plan_.activation_bytes)},
                {"shared_parameters", contract_.shared_parameters},
                {"shared_bytes", plan_.shared_bytes},
                {"shares", contract_.shared_parameters > 0},
                {"encoder", contract_.encoder() != nullptr}});
  if (const StackContract* encoder = contract_.encoder()) {
    holes.insert({{"encoder_layers", encoder->num_hidden_layers},
                  {"encoder_repeated", encoder->repeat > 1},
                  {"encoder_repeats", encoder->repeat}});
  }
  return render("cpp/model.hpp", holes);
}

std::vector<Holes> CppWriter::role_spaces() const {
  Grouped records;
  for (const std::string& role : spelling_.roles()) {
    const RolePath path = split_role(role);
    records.push_back({path, {{"name", path.word}}});
  }
  std::vector<Holes> result;
  for (const auto& [space, members] : by_space(records)) result.push_back({{"space", space}, {"roles", members}});
  return result;
}

std::vector<Holes> CppWriter::weight_spaces(Scope scope) const {
  Grouped records;
  std::int64_t index = 0;
  for (const StoredId id : plan_.stored_of(scope)) {
    const Stored& stored = plan_.stored[id];
    const RolePath path = split_role(stored.role);
    const bool in_checkpoint = std::ranges::all_of(stored.pieces, [&](const StoredRows& piece) {
      return !piece.weight || contract_.weights[piece.weight].in_checkpoint();
    });
    records.push_back({path,
                       {{"name", path.word},
                        {"path", member_path(path)},
                        {"type", spelling_.type(id)},
                        {"index", index++},
                        {"shared", stored.shared},
                        {"counts", in_checkpoint && !stored.shared}}});
  }
  return spaces(records, "weights");
}

std::vector<Holes> CppWriter::state_spaces(std::size_t kind) const {
  Grouped records;
  for (const StateId id : contract_.states.ids()) {
    if (contract_.states[id].scope.kind != kind) continue;
    const RolePath path = split_role(contract_.states[id].role);
    const StateTable& table = plan_.states[id.index];
    records.push_back({path,
                       {{"name", path.word},
                        {"path", member_path(path)},
                        {"type", spelling_.type(id)},
                        {"offset", table.view.offset},
                        {"stride", table.stride}}});
  }
  return spaces(records, "states");
}

std::vector<Holes> CppWriter::kinds() const {
  std::vector<Holes> records;
  for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
    const Holes names = kind_names(kind);
    records.push_back({{"name", names.at("about")},
                       {"prefix", names.at("prefix")},
                       {"type", names.at("type")},
                       {"first_stored", first_stored(kind)},
                       {"weight_spaces", weight_spaces({kind})},
                       {"stored_count", static_cast<std::int64_t>(plan_.stored_of({kind}).size())},
                       {"layer_count", static_cast<std::int64_t>(contract_.kinds[kind].layers.size())},
                       {"has_states", has_states(kind)},
                       {"state_spaces", state_spaces(kind)}});
  }
  return records;
}

std::vector<Holes> CppWriter::buffer_spaces() const {
  Grouped records;
  for (const BufferId id : plan_.buffers.ids()) {
    const Buffer& buffer = plan_.buffers[id];
    const RolePath path = spelling_.constant(id);
    records.push_back({path,
                       {{"name", path.word},
                        {"path", buffer.name},
                        {"type", spelling_.type(id)},
                        {"arena", name_of(buffer.arena)},
                        {"offset", buffer.offset},
                        {"bytes", buffer.bytes}}});
  }
  std::vector<Holes> result;
  for (const auto& [space, members] : by_space(records)) result.push_back({{"space", space}, {"buffers", members}});
  return result;
}

}  // namespace monomorph::generator
