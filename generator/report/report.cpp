#include "generator/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "generator/contract/checked.hpp"
#include "runtime/formats/json.hpp"

namespace monomorph::generator {
namespace {

/// Weights that a decoded token reads: one row of a table, of a matrix all, or the banks that are chosen.
std::int64_t weight_bytes_of_a_token(const Contract& contract, const Plan& plan) {
  std::int64_t bytes = 0;
  for (const char* name : {"decode", "head"}) {
    const PhasePlan& phase = plan.phase(name);
    for (const Section& section : phase.sections) {
      for (const Call& call : section.calls) {
        const bool gather = plan.kernels[call.kernel].kind == KernelKind::gather;
        const std::int64_t banks = call.banks ? plan.axes[call.banks].size : 1;
        const std::int64_t chosen = call.banks ? plan.axes[call.per_row].size : 1;
        for (const Argument& argument : call.arguments) {
          const auto* id = std::get_if<StoredId>(&argument);
          if (id == nullptr) continue;
          const Stored& stored = plan.stored[*id];
          const std::int64_t read = gather ? stored.bytes / stored.rows : stored.bytes / banks * chosen;
          bytes += contract.runs(stored.scope) * read;
        }
      }
    }
  }
  return bytes;
}

/// Keys that the last of so many positions sees.
std::int64_t keys_of_a_token(const Kernel& kernel, std::int64_t positions) {
  if (kernel.sees.empty()) return kernel.cost.keys_of_any(positions - 1, 1);
  std::map<std::string, double> names = {{"query", static_cast<double>(positions - 1)}};
  std::int64_t keys = 0;
  for (std::int64_t key = 0; key < positions; ++key) {
    names["key"] = static_cast<double>(key);
    keys += evaluate(kernel.sees, names) != 0 ? 1 : 0;
  }
  return keys;
}

/// Keys and values that the token decoded at the last of so many positions reads, each as often as a layer reads them.
std::int64_t cache_bytes_of_a_token(const Contract& contract, const Plan& plan, std::int64_t positions) {
  std::int64_t bytes = 0;
  for (const Section& section : plan.phase("decode").sections) {
    if (section.kind == Scope::model) continue;
    for (const Call& call : section.calls) {
      const Kernel& kernel = plan.kernels[call.kernel];
      if (kernel.cost.bytes_per_key == 0) continue;
      const std::int64_t rows = plan.rows_of(call);
      bytes += contract.runs({section.kind}) * kernel.cost.bytes_per_key * rows * keys_of_a_token(kernel, positions);
    }
  }
  return bytes;
}

LengthReport report_length(const Contract& contract, const Plan& plan, std::int64_t length) {
  LengthReport report;
  report.length = length;
  const std::int64_t body = contract.matrix_flops_per_token - contract.head_flops;
  Checked prefill = Checked(body) * length + contract.head_flops;
  report.decode_flops = contract.matrix_flops_per_token;
  for (const PairWork& work : contract.pair_work) {
    // The first tokens of a prompt see all before them, the others as many as the window has.
    const std::int64_t seen = work.window.recent + work.window.first;
    const std::int64_t most = seen > 0 ? std::min(seen, length) : length;
    const Checked pairs(most * (most + 1) / 2 + (length - most) * most);
    prefill = prefill + Checked(work.flops) * pairs;
    report.decode_flops += work.flops * most;
  }
  report.prefill_flops = prefill.overflowed() ? std::numeric_limits<std::int64_t>::max() : prefill.value();
  report.prefill_flops_per_token = report.prefill_flops / length;
  report.cache_bytes = cache_bytes_of_a_token(contract, plan, length);
  report.decode_bytes_read = weight_bytes_of_a_token(contract, plan) + report.cache_bytes;
  return report;
}

/// 1500000 -> "1.50 M"
std::string in_thousands(std::int64_t count) {
  static const char* const units[] = {"", " k", " M", " G", " T", " P", " E"};
  double value = static_cast<double>(count);
  int unit = 0;
  while (value >= 1000 && unit < 6) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{}", count) : fmt::format("{:.2f}{}", value, units[unit]);
}

}  // namespace

std::string in_bytes(std::int64_t bytes) {
  static const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 6) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

Report make_report(const Contract& contract, const Plan& plan) {
  Report report;
  report.name = contract.name;
  report.total_parameters = contract.total_parameters;
  report.active_parameters = contract.active_parameters;
  report.components = contract.components;
  report.kv_bytes_per_token = state_bytes_per_token(plan.states);
  report.max_position_embeddings = contract.own().model.max_position_embeddings.value;
  const std::int64_t positions = std::max<std::int64_t>(report.max_position_embeddings, 0);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  report.full_context_bytes = positions > most / std::max<std::int64_t>(report.kv_bytes_per_token, 1)
                                  ? most
                                  : positions * report.kv_bytes_per_token;
  report.max_sequence_length = contract.max_sequence_length;
  report.prefill_chunk = contract.prefill_chunk;
  const std::set<std::int64_t> lengths = {std::min<std::int64_t>(512, contract.max_sequence_length),
                                          contract.max_sequence_length};
  for (const std::int64_t length : lengths) {
    report.lengths.push_back(report_length(contract, plan, length));
  }
  report.weight_bytes = plan.weight_bytes;
  report.conversions = list_conversions(contract);
  report.state_bytes = plan.state_bytes;
  report.slot_bytes = slot_bytes(plan.states);
  report.slot_bytes_saved = slot_bytes_saved(plan.states, contract.max_sequence_length);
  report.max_batch = contract.max_batch;
  report.activation_bytes = plan.activation_bytes;
  report.host_bytes = plan.host_bytes;
  report.total_bytes = plan.weight_bytes + plan.state_bytes + plan.activation_bytes + plan.host_bytes;
  report.kernels = static_cast<std::int64_t>(plan.kernels.size());
  report.decode_dispatches = plan.decode_dispatches(contract);
  return report;
}

std::string report_text(const Report& report) {
  std::string text = report.name + "\n\nParameters\n";
  const auto count = [&](const std::string& what, std::int64_t value) {
    if (value > 0) text += fmt::format("  {:<12}{:>20}  {}\n", what, value, in_thousands(value));
  };
  for (const ComponentContract& component : report.components) count(component.name, component.parameters);
  count("total", report.total_parameters);
  if (report.active_parameters != report.total_parameters) count("of a token", report.active_parameters);

  text += "\nWork and traffic\n";
  for (const LengthReport& length : report.lengths) {
    text += fmt::format("  at {} tokens\n", length.length);
    text += fmt::format("    prefill   {} FLOPs a token, {} for the prompt\n",
                        in_thousands(length.prefill_flops_per_token), in_thousands(length.prefill_flops));
    text += fmt::format("    decode    {} FLOPs a token, {} read\n", in_thousands(length.decode_flops),
                        in_bytes(length.decode_bytes_read));
  }
  text += fmt::format("  keys and values  {} a token", in_bytes(report.kv_bytes_per_token));
  if (report.max_position_embeddings > report.max_sequence_length) {
    text += fmt::format(", {} for the model's {} positions", in_bytes(report.full_context_bytes),
                        report.max_position_embeddings);
  }
  text += "\n";
  text += fmt::format("  dispatches       {} a decoded token, {} kernels\n", report.decode_dispatches, report.kernels);

  text += fmt::format("\nMemory on the device, {} slot{} of {} positions, {} tokens a chunk\n", report.max_batch,
                      report.max_batch == 1 ? "" : "s", report.max_sequence_length, report.prefill_chunk);
  const auto bytes = [&](const char* what, std::int64_t value) {
    text += fmt::format("  {:<12}{:>20}  {}\n", what, value, in_bytes(value));
  };
  bytes("weights", report.weight_bytes);
  if (!report.conversions.empty())
    text += fmt::format("  {:<12}{}\n", "  converted", describe_conversions(report.conversions));
  bytes("states", report.state_bytes);
  if (report.slot_bytes_saved > 0) {
    text += fmt::format("  {:<12}{:>20}  {} a slot, whose rings keep only what is still seen\n", "  saved",
                        report.slot_bytes_saved, in_bytes(report.slot_bytes_saved));
  }
  bytes("activations", report.activation_bytes);
  bytes("host", report.host_bytes);
  bytes("total", report.total_bytes);
  return text;
}

std::string report_json(const Report& report) {
  Json json;
  json["name"] = report.name;
  json["parameters"]["total"] = report.total_parameters;
  json["parameters"]["active"] = report.active_parameters;
  for (const ComponentContract& component : report.components) {
    json["parameters"][component.name] = component.parameters;
  }
  json["kv_bytes_per_token"] = report.kv_bytes_per_token;
  json["kv_bytes_of_full_context"] = report.full_context_bytes;
  json["lengths"] = Json::array();
  for (const LengthReport& length : report.lengths) {
    json["lengths"].push_back(Json::object({{"length", length.length},
                                            {"prefill_flops", length.prefill_flops},
                                            {"prefill_flops_per_token", length.prefill_flops_per_token},
                                            {"decode_flops", length.decode_flops},
                                            {"decode_bytes_read", length.decode_bytes_read},
                                            {"cache_bytes", length.cache_bytes}}));
  }
  json["memory"] = Json::object({{"max_sequence_length", report.max_sequence_length},
                                 {"prefill_chunk", report.prefill_chunk},
                                 {"weight_bytes", report.weight_bytes},
                                 {"converted_weights", describe_conversions(report.conversions)},
                                 {"max_batch", report.max_batch},
                                 {"slot_bytes", report.slot_bytes},
                                 {"slot_bytes_saved_by_windows", report.slot_bytes_saved},
                                 {"state_bytes", report.state_bytes},
                                 {"activation_bytes", report.activation_bytes},
                                 {"host_bytes", report.host_bytes},
                                 {"total_bytes", report.total_bytes}});
  json["kernels"] = report.kernels;
  json["decode_dispatches"] = report.decode_dispatches;
  return json.dump(2) + "\n";
}

}  // namespace monomorph::generator
