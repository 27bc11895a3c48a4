// The plan as stable text: plan.txt of an emitted engine.
#include <fmt/format.h>

#include "generator/plan/draft.hpp"
#include "generator/plan/words.hpp"

namespace monomorph::generator {
namespace {

class Dump {
 public:
  Dump(const Plan& plan, const Graph& graph, const Contract& contract)
      : plan_(plan), graph_(graph), contract_(contract) {}

  std::string run() {
    text_ = fmt::format("plan of {}\n\naxes\n", contract_.name);
    for (const Axis& axis : plan_.axes) text_ += fmt::format("  {:<24} {}\n", axis.name, axis.size);
    text_ += "\nmemory, bytes\n";
    const std::pair<const char*, std::int64_t> arenas[] = {{"weights", plan_.weight_bytes},
                                                           {"states", plan_.state_bytes},
                                                           {"activations", plan_.activation_bytes},
                                                           {"host", plan_.host_bytes}};
    for (const auto& [name, bytes] : arenas) text_ += fmt::format("  {:<14}{:>16}\n", name, bytes);
    quantized();
    const Conversions conversions = list_conversions(contract_);
    if (!conversions.empty()) text_ += fmt::format("  converted at load: {}\n", describe_conversions(conversions));
    text_ += fmt::format("\nslots: {}, {} bytes of states each\n\n", contract_.max_batch, slot_bytes(plan_.states));

    stored("weights, once", {});
    for (std::size_t kind = 0; kind < contract_.kinds.size(); ++kind) {
      stored(fmt::format("weights, layers of kind {}", contract_.kinds[kind].kind.name), {kind});
    }
    places();
    text_ += "\nkernels\n";
    for (const Kernel& kernel : plan_.kernels) {
      text_ += fmt::format("  {:<40} {:<26} {}\n", kernel.name, kernel.path, kernel.about);
    }
    text_ += fmt::format("\n{} dispatches a decoded token\n", plan_.decode_dispatches(contract_));
    for (const PhasePlan& phase : plan_.phases) {
      for (const Section& section : phase.sections) calls(phase, section);
    }
    return std::move(text_);
  }

 private:
  /// What planes and padding add to the blocks of a file.
  void quantized() {
    std::int64_t on_device = 0, in_file = 0;
    for (const Stored& stored : plan_.stored) {
      if (!is_quantized(stored.format)) continue;
      on_device += contract_.copies(stored.scope) * stored.bytes;
      in_file += contract_.copies(stored.scope) * stored.rows * file_row_bytes(stored.format, stored.columns);
    }
    if (in_file == 0) return;
    text_ += fmt::format("  of the weights, quantized ones {}: {:.1f} % above the {} of their blocks\n", on_device,
                         100 * (static_cast<double>(on_device) / static_cast<double>(in_file) - 1), in_file);
  }

  void stored(const std::string& title, Scope scope) {
    text_ += title + "\n";
    for (const StoredId id : plan_.stored_of(scope)) {
      const Stored& stored = plan_.stored[id];
      text_ += fmt::format("  {:<32} {:<6} {:<36} {:>14} bytes\n", stored.role, name_of(stored.format),
                           plan_.axes.shape(stored.axes), stored.bytes);
      for (const StoredRows& piece : stored.pieces) {
        if (!piece.weight) {
          text_ += fmt::format("    {} zeros\n", piece.rows);
          continue;
        }
        const WeightContract& weight = contract_.weights[piece.weight];
        if (!weight.in_checkpoint()) text_ += fmt::format("    the spec's own: {}\n", fmt::join(weight.values, " "));
        for (const CheckpointPart& part : weight.sources) {
          const RowView& view = part.view;
          text_ += fmt::format("    {} rows of {}{}{}{}{}{}\n", view.rows, part.name,
                               view.source_row != 0 ? fmt::format(" from row {}", view.source_row) : "",
                               view.run != 0 ? fmt::format(", {} of every {}", view.run, view.run_stride) : "",
                               view.banks != 0 ? fmt::format(", {} matrices", view.banks) : "",
                               view.transposed ? ", transposed" : "",
                               view.lines != 0 ? fmt::format(" from line {} of {}", view.first_line, view.lines) : "");
        }
      }
    }
  }

  void places() {
    text_ += "\nbuffers\n";
    for (const Buffer& buffer : plan_.buffers) {
      text_ += fmt::format("  {:<44} {:<32} {} at {}, {} bytes\n", buffer.name, plan_.axes.shape(buffer.axes),
                           name_of(buffer.arena), buffer.offset, buffer.bytes);
    }
    text_ += "\nstates\n";
    for (const StateId id : contract_.states.ids()) {
      const StateContract& state = contract_.states[id];
      const StateTable& table = plan_.states[id.index];
      text_ += fmt::format("  {:<28} {:<44} {} at {}, {} bytes a layer of kind {}\n", state.role,
                           plan_.axes.shape(state.axes), name_of(state.element), table.view.offset, table.view.bytes,
                           contract_.kinds[state.scope.kind].kind.name);
    }
  }

  std::string name_of_argument(const Argument& argument) const {
    if (const auto* buffer = std::get_if<BufferId>(&argument)) return plan_.buffers[*buffer].name;
    if (const auto* state = std::get_if<StateId>(&argument)) return "state " + contract_.states[*state].role;
    return plan_.stored[std::get<StoredId>(argument)].role;
  }

  void calls(const PhasePlan& phase, const Section& section) {
    const std::string function = section.function ? ", " + graph_.functions[section.function].name : "";
    text_ += fmt::format("\n{}{}\n", phase.row->name, function);
    for (const Call& call : section.calls) {
      const Kernel& kernel = plan_.kernels[call.kernel];
      std::string arguments, rows;
      for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        arguments += fmt::format("{}{}{}", arguments.empty() ? "" : ", ", name_of_argument(call.arguments[i]),
                                 kernel.bindings[i].access == Access::read ? "" : "*");
      }
      for (const AxisId axis : call.rows) rows += (rows.empty() ? "" : " + ") + plan_.axes[axis].name;
      const std::string count = call.count == Count::queries ? " x " + plan_.axes[call.per_row].name : "";
      const std::string by = call.count == Count::banks  ? plan_.axes[call.banks].name
                             : call.count == Count::runs ? "run x " + plan_.axes[call.per_row].name
                                                         : "row of the pass" + count;
      text_ += fmt::format("  {} ({})\n    {}; rows {}, by {}\n", call.word, arguments, kernel.name,
                           rows.empty() ? "1" : rows, by);
    }
  }

  const Plan& plan_;
  const Graph& graph_;
  const Contract& contract_;
  std::string text_;
};

}  // namespace

std::string dump_plan(const Plan& plan, const Graph& graph, const Contract& contract) {
  return Dump(plan, graph, contract).run();
}

}  // namespace monomorph::generator
