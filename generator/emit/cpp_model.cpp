#include "generator/emit/cpp_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "generator/plan/names.hpp"

namespace monomorph::generator {

std::string CppWriter::model() const {
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

std::vector<Holes> CppWriter::axes() const {
  std::vector<Holes> records;
  for (const Axis& axis : plan_.axes) records.push_back({{"name", axis.name}, {"size", axis.size}});
  return records;
}

std::vector<Holes> CppWriter::roles() const {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<WeightPlan>& weights) {
    for (const WeightPlan& weight : weights) {
      if (std::find(names.begin(), names.end(), weight.contract.role) == names.end())
        names.push_back(weight.contract.role);
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

std::vector<Holes> CppWriter::weight_records(const std::vector<WeightPlan>& weights, std::int64_t first_tensor) {
  std::vector<Holes> records;
  for (const WeightPlan& weight : weights) {
    records.push_back({{"role", weight.contract.role},
                       {"type", weight.type()},
                       {"tensor", first_tensor + static_cast<std::int64_t>(records.size())},
                       {"first", records.empty()}});
  }
  return records;
}

std::vector<Holes> CppWriter::once_weights() const {
  std::vector<Holes> records = weight_records(plan_.prologue_weights, 0);
  for (Holes& record : weight_records(plan_.epilogue_weights, first_tensors().back())) {
    record.insert_or_assign("first", records.empty());
    records.push_back(record);
  }
  return records;
}

std::vector<Holes> CppWriter::kinds() const {
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

std::string CppWriter::cache_sum() const {
  std::string sum = "0";
  for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
    if (!plan_.caches[kind].present) continue;
    const Holes names = kind_names(kind);
    const std::string prefix = std::get<std::string>(names.at("prefix").value);
    sum =
        (sum == "0" ? "" : sum + " + ") + fmt::format("2 * {0}layer_count * {0}layer_cache(0).keys.view.bytes", prefix);
  }
  return sum;
}

std::vector<Holes> CppWriter::buffers() const {
  std::vector<Holes> records;
  for (const BufferPlan& buffer : plan_.buffers) {
    records.push_back({{"name", buffer.name},
                       {"type", buffer.type()},
                       {"arena", name_of(buffer.arena)},
                       {"offset", buffer.offset},
                       {"bytes", buffer.bytes}});
  }
  return records;
}

}  // namespace monomorph::generator
