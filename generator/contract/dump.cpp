#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/blocks/added_positions.hpp"
#include "generator/blocks/embedding.hpp"
#include "generator/blocks/lm_head.hpp"
#include "generator/blocks/norm.hpp"
#include "generator/blocks/pooling.hpp"
#include "generator/contract/contract.hpp"
#include "generator/spec/values.hpp"

namespace monomorph::generator {
namespace {

std::string dump_window(const Window& window) {
  return fmt::format("{} recent and {} first", window.recent, window.first);
}

std::string dump_norm(const NormContract& norm) {
  return fmt::format("{} eps {}{}{}{}", name_of(norm.type), norm.eps, norm.weight ? "" : " without weights",
                     norm.weight_offset != 0 ? fmt::format(" weight_offset {}", norm.weight_offset) : "",
                     norm.bias ? " with bias" : "");
}

std::string dump_axes(const std::vector<AxisId>& axes, const AxisTable& table) {
  std::string text;
  for (const AxisId axis : axes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " x ", table[axis].name, table[axis].size);
  }
  return text;
}

void dump_weights(Scope scope, const Contract& contract, std::string& out) {
  for (const WeightId id : contract.weights_of(scope)) {
    const WeightContract& weight = contract.weights[id];
    out += fmt::format(
        "  {}: [{}] {}{}, part {}\n", weight.role, dump_axes(weight.axes, contract.axes), name_of(weight.dtype),
        weight.converted_from ? fmt::format(" from {}", name_of(*weight.converted_from)) : "", weight.part);
    if (!weight.in_checkpoint()) out += fmt::format("    the spec's own: {}\n", fmt::join(weight.values, " "));
    for (const CheckpointPart& source : weight.sources) {
      const RowView& view = source.view;
      const bool whole = view.rows == view.source_rows, numbered = !source.numbered.empty();
      if (numbered && &source != weight.sources.data()) continue;  // told by the pattern
      const std::string times = numbered ? fmt::format("{} x ", weight.sources.size()) : "";
      out += fmt::format("    {}{} from {}{}{}{}{}{}{}{}\n", times, view.rows, source.pattern(),
                         whole ? "" : fmt::format(" rows {} of {}", view.source_row, view.source_rows),
                         view.run == 0 ? "" : fmt::format(", {} of every {}", view.run, view.run_stride),
                         view.halves == 0 ? "" : fmt::format(", halves of each {} in turn", view.halves),
                         view.apart == 0 ? "" : fmt::format(", halves of each {} apart", view.apart),
                         view.banks == 0 ? "" : fmt::format(", {} matrices", view.banks),
                         view.transposed ? " transposed" : "",
                         view.lines == 0 ? "" : fmt::format(", from line {} of {}", view.first_line, view.lines));
    }
  }
  for (const StateContract& state : contract.states) {
    if (state.scope != scope) continue;
    out += fmt::format("  state {}: [{}] {}{}\n", state.role, dump_axes(state.axes, contract.axes),
                       name_of(state.element), state.ring() ? ", ring of " + dump_window(state.window) : "");
  }
}

std::string dump_cache(const CacheDtypes& cache) {
  const std::string keys = name_of(cache.keys), values = name_of(cache.values);
  return keys == values ? keys : fmt::format("{} keys and {} values", keys, values);
}

/// What differs from the table's default, so that a new row changes the dumps of those alone that say it.
std::string dump_fields(const BoundFields& fields) {
  std::string text;
  for (const auto& [field, slot] : fields) {
    if (!applies(*field, fields) || is_absent(slot)) continue;
    const std::string value = write_value(slot);
    if (field->fallback.kind != Fallback::Kind::literal || value != field->fallback.text)
      text += fmt::format("    {} = {}\n", field->key, value);
  }
  return text;
}

/// What stands around the layers that read a source, and how many there are.
std::string dump_encoder(const Contract& contract) {
  const StackContract& encoder = *contract.encoder();
  std::string out = fmt::format("encoder of sources up to {} tokens: hidden_size {}, num_hidden_layers {}\n",
                                contract.max_source_length, encoder.hidden_size, encoder.num_hidden_layers);
  if (encoder.repeat > 1) out += fmt::format("  layers run {} times\n", encoder.repeat);
  Held<EmbeddingSection> embedding = encoder.embedding;  // binding may write
  out += "  embedding\n" + dump_fields(bind(*embedding));
  if (adds_positions(encoder.position->type.value)) {
    Held<PositionSection> position = encoder.position;
    out += "  position:\n" + dump_fields(bind(*position));
  }
  if (encoder.final_norm.present) {
    out += fmt::format("  final norm {}\n", dump_norm(derive_norm(encoder.final_norm.norm)));
  }
  return out;
}

void dump_kind(std::size_t index, const Contract& contract, std::string& out) {
  const LayerContract& layer = contract.kinds[index];
  LayerKind kind = layer.kind;
  const bool first_class = kind.identifier == identifier_of(kind.name);
  out += fmt::format("\n{}kind {}{}: {} of layers {}\n", kind.stack == encoder_stack ? "encoder's " : "", kind.name,
                     first_class ? "" : " as " + kind.identifier, layer.layers.size(), fmt::join(layer.layers, " "));
  out += "  norm " + dump_norm(derive_norm(kind.norm)) + "\n";
  for (Step& step : kind.steps) {
    if (step.chained) out += "  in a chain:\n";
    if (step.has_several()) {
      out += fmt::format("  side by side{}{}:\n", step.shared_input_norm ? ", with one input norm" : "",
                         step.shared_output_norm ? ", with one output norm" : "");
    }
    for (Block& block : step.blocks) {
      out += fmt::format("  {}: {}\n{}", block.instance, block.type->name, dump_fields(bind_block(block)));
      if (block.type->position != nullptr) out += "  position:\n" + dump_fields(bind(position_of(kind, block)));
    }
  }
  dump_weights({index}, contract, out);
}

}  // namespace

std::string dump_contract(const Contract& contract) {
  std::string out = fmt::format("model {} ({})\n", contract.name, contract.identifier);
  const Field<std::int64_t>& positions = contract.own().model.max_position_embeddings;
  out += fmt::format("vocab_size {}, hidden_size {}, num_hidden_layers {}{}\n", contract.vocab_size,
                     contract.own().hidden_size, contract.own().num_hidden_layers,
                     positions.given ? fmt::format(", max_position_embeddings {}", positions.value) : "");
  if (contract.own().repeat > 1) out += fmt::format("layers run {} times\n", contract.own().repeat);
  out += fmt::format("max_sequence_length {}, prefill_chunk {}, max_batch {}, kv_cache {}, fusion {}\n",
                     contract.max_sequence_length, contract.prefill_chunk, contract.max_batch,
                     dump_cache(contract.kv_cache), contract.fusion);
  if (contract.devices.size() < backend_names.size()) {
    out += fmt::format("devices {}\n", fmt::join(contract.devices, ", "));
  }
  out += fmt::format("tie_word_embeddings {}\n", contract.tie_word_embeddings);
  out += fmt::format("bos_token_id {}, eos_token_ids [{}]{}\n", contract.bos_token_id,
                     fmt::join(contract.eos_token_ids, ", "),
                     contract.mask_token_id < 0 ? "" : fmt::format(", mask_token_id {}", contract.mask_token_id));
  Held<EmbeddingSection> embedding = contract.own().embedding;  // binding may write
  Held<LmHeadSection> lm_head = contract.lm_head;
  out += "embedding\n" + dump_fields(bind(*embedding));
  if (adds_positions(contract.own().position->type.value)) {
    Held<PositionSection> position = contract.own().position;
    out += "  position:\n" + dump_fields(bind(*position));
  }
  Held<PoolingSection> pooling = contract.pooling;
  const bool vectors = pools(*pooling);
  const NormChoice& final_norm = (vectors ? pooling->input_norm : lm_head->input_norm).value;
  if (final_norm.present) out += fmt::format("final norm {}\n", dump_norm(derive_norm(final_norm.norm)));
  out += vectors ? "pooling\n" + dump_fields(bind(*pooling)) : "lm_head\n" + dump_fields(bind(*lm_head));
  if (contract.encoder() != nullptr) out += dump_encoder(contract);
  out += fmt::format("parameters {}:", contract.total_parameters);
  if (contract.active_parameters != contract.total_parameters) {
    out += fmt::format(" of a token {},", contract.active_parameters);
  }
  for (const ComponentContract& component : contract.components) {
    out += fmt::format("{} {} {}", &component == contract.components.data() ? "" : ",", component.name,
                       component.parameters);
  }
  out += '\n';
  out += fmt::format("matrix flops per token {}, kv elements per token {}\n", contract.matrix_flops_per_token,
                     contract.kv_elements_per_token);
  for (const PairWork& work : contract.pair_work) {
    out += fmt::format("flops per pair {}{}\n", work.flops,
                       work.window.recent == 0 ? "" : " within " + dump_window(work.window));
  }
  out += "\nonce\n";
  dump_weights({}, contract, out);
  for (std::size_t kind = 0; kind < contract.kinds.size(); ++kind) dump_kind(kind, contract, out);
  for (const AnglesContract& angles : contract.angles) {
    const RotaryContract& rotary = angles.rotary;
    out += fmt::format("\nangles {}: [{}]\n  frequencies {}\n", angles.role, dump_axes({angles.axis}, contract.axes),
                       fmt::join(rotary.frequencies, " "));
    if (rotary.factor != 1) out += fmt::format("  factor {}\n", rotary.factor);
    if (rotary.first_position != 0) out += fmt::format("  first position {}\n", rotary.first_position);
    if (!rotary.depends_on_length()) continue;
    out += fmt::format("  past {} tokens ", rotary.original_length);
    out += rotary.of_longer.empty() ? fmt::format("theta {}, stretched by {}\n", rotary.theta, rotary.stretch)
                                    : fmt::format("frequencies {}\n", fmt::join(rotary.of_longer, " "));
  }
  out += "\ncheckpoint\n";
  for (const std::string& prefix : contract.checkpoint_prefixes) out += fmt::format("  prefix \"{}\"\n", prefix);
  for (const IgnoredCheckpointTensor& tensor : contract.ignored_tensors) {
    out += fmt::format("  ignores {}: {}\n", tensor.name, tensor.why);
  }
  return out;
}

}  // namespace monomorph::generator
