#include "generator/plan/draft.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "generator/ops/op_type.hpp"

namespace monomorph::generator {
namespace {

bool contains(const std::vector<ValueId>& values, ValueId value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool contains(const std::vector<OpId>& ops, OpId op) {
  return op && std::find(ops.begin(), ops.end(), op) != ops.end();
}

/// A value that the group computes as a formula of what it is given.
std::string formula_of(ValueId id, const Group& group, const Planning& planning) {
  const Value& value = planning.value(id);
  if (!contains(group.ops, value.writer)) return value.role;
  const Op& op = planning.op(value.writer);
  std::vector<std::string> operands;
  for (const ValueId in : op.in) operands.push_back(in ? formula_of(in, group, planning) : "");
  if (as<Gather>(op) != nullptr) return fmt::format("{}[{}]", operands[0], operands[1]);
  if (as<Pool>(op) != nullptr) return fmt::format("mean of {}", operands[0]);
  if (as<Convolve>(op) != nullptr && !op.in[1]) return fmt::format("the token before in {}", operands[0]);
  if (as<Convolve>(op) != nullptr) return fmt::format("{} over the last positions of {}", operands[1], operands[0]);
  if (as<Recurrence>(op) != nullptr) return fmt::format("what is read of {}", operands[0]);
  if (as<WeightedMean>(op) != nullptr) return fmt::format("the mean of {} and {}", operands[0], operands[2]);
  if (as<Norm>(op) != nullptr) return fmt::format("norm({})", operands[0]);
  if (as<Linear>(op) != nullptr) {
    return fmt::format("{}{} x {}", op.word, op.in[3] ? "[" + operands[3] + "]" : "", operands[0]);
  }
  if (as<TopK>(op) != nullptr) return fmt::format("largest of {}", operands[0] + (op.in[1] ? " + " + operands[1] : ""));
  if (as<Pick>(op) != nullptr) return fmt::format("{}[{}]", operands[0], operands[1]);
  if (as<Shares>(op) != nullptr) return fmt::format("shares({})", operands[0]);
  if (as<Combine>(op) != nullptr) return fmt::format("sum of {}{}", op.in[1] ? operands[1] + " * " : "", operands[0]);
  if (as<Differential>(op) != nullptr) return fmt::format("{} - lambda * {}", operands[0], operands[1]);
  if (as<Concat>(op) != nullptr) return fmt::format("{} beside {}", operands[0], operands[1]);
  if (as<Map>(op) == nullptr) return value.role;
  if (as<Map>(op)->expression.text == "x") return operands[0];
  if (op.word == "add") return fmt::format("{}", fmt::join(operands, " + "));
  return fmt::format("activation({})", fmt::join(operands, ", "));
}

void set_operand_flags(Parameters& parameters, std::size_t given, std::int64_t most) {
  for (std::int64_t i = 0; i < most; ++i) {
    parameters.insert_or_assign(fmt::format("operand{}", i), i < static_cast<std::int64_t>(given));
  }
}

/// Whether a place is that of another value: they share bytes.
bool same(const Place& a, const Place& b) { return a.buffer == b.buffer && a.first_column == b.first_column; }

}  // namespace

std::string last_word(const std::string& role) {
  const std::size_t colon = role.rfind(':');
  return colon == std::string::npos ? role : role.substr(colon + 1);
}

std::string join_words(const std::vector<std::string>& words) {
  const std::size_t tail_begin = words.front().rfind('_');
  const std::string tail = tail_begin == std::string::npos ? "" : words.front().substr(tail_begin);
  const auto ends = [&](const std::string& word) { return word.size() > tail.size() && word.ends_with(tail); };
  if (words.size() == 1 || tail.empty() || !std::all_of(words.begin(), words.end(), ends)) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : "_") + word;
    return text;
  }
  std::vector<std::string> heads;
  for (const std::string& word : words) heads.push_back(word.substr(0, word.size() - tail.size()));
  const bool letters =
      std::all_of(heads.begin(), heads.end(), [](const std::string& head) { return head.size() == 1; });
  std::string text;
  for (const std::string& head : heads) text += (text.empty() || letters ? "" : "_") + head;
  return text + tail;
}

std::string words_of(const Group& group, const Planning& planning) {
  std::vector<std::string> what;
  std::string fused;
  for (const OpId id : group.ops) {
    const Op& op = planning.op(id);
    const bool like_anchor = op.what.index() == planning.op(group.anchor).what.index();
    if (like_anchor && as<Map>(op) == nullptr) {
      what.push_back(op.word);
    } else if (as<Norm>(op) != nullptr) {
      fused += "_norm";
    } else if (as<Map>(op) != nullptr && !op.word.empty()) {
      (what.empty() ? what.emplace_back() : fused) += (what.empty() ? "" : "_") + op.word;
    }
  }
  std::erase(what, "");
  // Maps without a word of their own are called after what they give.
  if (what.empty()) what.push_back(last_word(planning.value(planning.op(group.ops.back()).out).role));
  return join_words(what) + fused;
}

std::string about_of(const Group& group, const Planning& planning) {
  const std::vector<OpId> stacked = ops_of<Linear>(group, planning);
  if (stacked.size() > 1 && ops_of<Map>(group, planning).empty()) {
    std::vector<std::string> results, words;
    for (const OpId id : stacked) {
      results.push_back(planning.value(planning.op(id).out).role);
      words.push_back(planning.op(id).word);
    }
    return fmt::format("{} = {} x {}", fmt::join(results, ", "), join_words(words),
                       formula_of(planning.op(stacked[0]).in[0], group, planning));
  }
  const ValueId result = planning.op(group.ops.back()).out;
  return planning.value(result).role + " = " + formula_of(result, group, planning);
}

bool is_column(ValueId id, const Planning& planning) {
  const Value& value = planning.value(id);
  if (!value.writer || planning.graph.is_result(id) || as<Linear>(planning.op(value.writer)) == nullptr) return false;
  const std::vector<OpId> readers = planning.graph.readers(id);
  return std::all_of(readers.begin(), readers.end(), [&](OpId reader) {
    const Op& op = planning.op(reader);
    for (std::size_t i = 0; i < op.in.size(); ++i) {
      if (op.in[i] == id && type_of(op).reads_quads(op, i, planning.graph)) return false;
    }
    return true;
  });
}

std::vector<ValueId> step_operands(const Group& group, const Planning& planning) {
  const auto inside = [&](ValueId value) {
    const OpId writer = planning.value(value).writer;
    return writer && std::find(group.ops.begin(), group.ops.end(), writer) != group.ops.end();
  };
  std::vector<ValueId> result;
  for (const OpId id : ops_of<Map>(group, planning)) {
    for (const ValueId in : planning.op(id).in) {
      if (!inside(in) && !contains(result, in)) result.push_back(in);
    }
  }
  return result;
}

bool accepts_epilogue(const Group& group, const Planning& planning, const std::vector<ValueId>& first,
                      std::int64_t operands, bool quads) {
  const std::vector<OpId> maps = ops_of<Map>(group, planning);
  if (maps.empty()) return first.size() == 1;
  const ValueId output = planning.op(maps.back()).out;
  // All else that is computed here is read here: nothing but the last result is written.
  std::vector<ValueId> computed = first;
  for (const OpId id : maps) computed.push_back(planning.op(id).out);
  for (const ValueId value : computed) {
    const bool read =
        std::any_of(maps.begin(), maps.end(), [&](OpId id) { return contains(planning.op(id).in, value); });
    if (read == (value == output) || !planning.elementwise(value, output)) return false;
  }
  const std::vector<ValueId> given = step_operands(group, planning);
  if (static_cast<std::int64_t>(given.size()) > operands) return false;
  std::vector<ValueId> known = first;
  known.insert(known.end(), given.begin(), given.end());
  for (const OpId id : maps) {
    for (const ValueId in : planning.op(id).in) {
      if (!contains(known, in)) return false;
    }
    known.push_back(planning.op(id).out);
  }
  return std::all_of(given.begin(), given.end(), [&](ValueId operand) {
    const std::int64_t run = planning.graph.run_of(output, operand);
    const bool as_rows = run == 1 && planning.value(operand).storage == Storage::activation;
    return quads ? as_rows && !is_column(operand, planning) : run > 0;
  });
}

std::int64_t epilogue_bindings(const Group& group, const Planning& planning) {
  return static_cast<std::int64_t>(step_operands(group, planning).size()) + 1;
}

bool accepts_maps_alone(const Group& group, const Planning& planning, std::int64_t own) {
  return group.ops.size() == 1 + ops_of<Map>(group, planning).size() &&
         own + epilogue_bindings(group, planning) <= max_bindings &&
         accepts_epilogue(group, planning, {planning.op(group.anchor).out}, max_step_operands, false);
}

void set_epilogue(Parameters& parameters, const std::vector<EpilogueOperand>& operands, std::int64_t sums) {
  std::vector<Parameters> records;
  for (const EpilogueOperand& operand : operands) {
    const std::size_t i = records.size();
    records.push_back({{"name", fmt::format("operand_{}", i)},
                       {"buffer", fmt::format("operand{}", i)},
                       {"stride", operand.stride},
                       {"column", operand.column},
                       {"spread", operand.run > 1},
                       {"run", operand.run}});
  }
  set_operand_flags(parameters, operands.size(), max_map_operands);
  parameters.insert_or_assign("operands", std::move(records));
  parameters.insert_or_assign("sum_count", sums);
}

void Draft::bind(const std::string& name, Access access, bool splits, Argument argument) {
  kernel.bindings.push_back({name, access, splits});
  call.arguments.push_back(argument);
}

const Stored& Draft::weight(const std::string& name, const std::vector<ValueId>& weights,
                            const std::vector<AxisId>& rows, bool splits) {
  const StoredId id = placement_.store(weights, rows);
  bind(name, Access::read, splits, id);
  return placement_.stored(id);
}

const Stored& Draft::weight(const std::string& name, ValueId weight_value, bool splits) {
  return weight(name, {weight_value}, {planning_.value(weight_value).axes[0]}, splits);
}

void Draft::row_layout(Dtype format, std::int64_t columns) {
  const std::int64_t unit = row_of(format).unit_elements;
  set("dtype", name_of(format));
  set("quantized", is_quantized(format));
  set("row_quads", row_bytes(format, columns) / 16);
  set("row_units", (columns + unit - 1) / unit);
  if (!is_quantized(format)) return;
  const auto words = [&](Plane plane) { return plane_offset(format, columns, plane) / 4; };
  set("high_plane", words(Plane::high));
  set("scale_plane", words(Plane::scale));
  set("block_plane", words(Plane::block));
}

void Draft::activation(const std::string& name, ValueId value, Access access) {
  const Place place = placement_.place(value);
  const Buffer& buffer = placement_.buffer(place.buffer);
  bind(name, access, false, place.buffer);
  set(name + "_stride", row_stride(planning_.axis(buffer.axes.back()).size));
  set(name + "_column", place.first_column);
}

void Draft::rows(const std::string& name, ValueId value, Access access) {
  const Place place = placement_.place(value);
  if (place.first_column != 0) throw InternalError("plan: " + planning_.value(value).role + " begins inside a row");
  bind(name, access, false, place.buffer);
}

EpilogueOperand Draft::operand(const std::string& name, ValueId value) {
  if (planning_.value(value).storage == Storage::weight) {
    weight(name, value);
    return {};
  }
  const Place place = placement_.place(value);
  bind(name, Access::read, false, place.buffer);
  const std::int64_t columns = planning_.axis(placement_.buffer(place.buffer).axes.back()).size;
  return {row_stride(columns), place.first_column};
}

std::int64_t Draft::state(const std::string& name, ValueId value, Access access, std::int64_t together) {
  const StateId id{planning_.value(value).declared};
  const StateContract& state = planning_.contract.states[id];
  const std::int64_t bytes = state_row_bytes(state.element, planning_.axis(state.axes[3]).size);
  set("has_state", true);
  set("entries", planning_.axis(state.axes[2]).size);
  set("state_heads", planning_.axis(state.axes[1]).size);
  set("has_ring", state.ring());
  if (state.ring()) set("ring_first", state.window.first);
  set(name + "_dtype", name_of(state.element));
  set(name + "_stride", bytes / (is_quantized(state.element) ? 4 : together * element_bytes(state.element)));
  bind(name, access, false, id);
  return bytes;
}

void Draft::angles(const std::string& name, ValueId value) {
  bind(name, Access::read, false, placement_.angles({planning_.value(value).declared}));
}

bool Draft::shares_output(ValueId value) const {
  const Value& read = planning_.value(value);
  if (read.storage != Storage::activation) return false;
  if (read.writer && std::find(group_.ops.begin(), group_.ops.end(), read.writer) != group_.ops.end()) return false;
  return same(placement_.place(value), placement_.place(planning_.op(group_.ops.back()).out));
}

void Draft::epilogue(const std::vector<ValueId>& first, bool quads, bool in_place) {
  const std::vector<OpId> maps = ops_of<Map>(group_, planning_);
  const ValueId output = maps.empty() ? first.at(0) : planning_.op(maps.back()).out;
  const Place place = placement_.place(output);
  std::vector<ValueId> buffers;
  std::vector<EpilogueOperand> read;
  for (const ValueId operand : step_operands(group_, planning_)) {
    const bool given = planning_.value(operand).storage == Storage::activation;
    if (given && same(placement_.place(operand), place)) {
      in_place = true;
    } else {
      const std::string name = "operand" + std::to_string(buffers.size());
      if (quads) {
        rows(name, operand, Access::read);
      } else {
        read.push_back(this->operand(name, operand));
        read.back().run = planning_.graph.run_of(output, operand);
      }
      buffers.push_back(operand);
    }
  }
  std::vector<MapStep> steps;
  std::vector<ValueId> computed;
  const auto place_in = [](const std::vector<ValueId>& values, ValueId value) {
    const auto found = std::find(values.begin(), values.end(), value);
    return found == values.end() ? std::int64_t{-1} : static_cast<std::int64_t>(found - values.begin());
  };
  for (const OpId id : maps) {
    const Op& op = planning_.op(id);
    const Map& map = *as<Map>(op);
    MapStep step{planning_.value(op.out).role, map.expression, map.names, {}};
    for (const ValueId in : op.in) {
      using From = StepOperand::From;
      if (const std::int64_t sum = place_in(first, in); sum >= 0) {
        step.operands.push_back({From::sum, sum});
      } else if (const std::int64_t earlier = place_in(computed, in); earlier >= 0) {
        step.operands.push_back({From::step, earlier});
      } else if (const std::int64_t buffer = place_in(buffers, in); buffer >= 0) {
        step.operands.push_back({From::buffer, buffer});
      } else {
        step.operands.push_back({From::output, 0});
      }
    }
    steps.push_back(std::move(step));
    computed.push_back(op.out);
  }
  set("steps", std::move(steps));
  if (quads) {
    set_operand_flags(kernel.parameters, buffers.size(), max_step_operands);
  } else {
    // Matrices that no Map joins are stacked into one.
    set_epilogue(kernel.parameters, read, maps.empty() ? 1 : static_cast<std::int64_t>(first.size()));
  }
  const Access access = in_place ? Access::read_write : Access::write;
  quads ? rows("outputs", output, access) : activation("outputs", output, access);
}

}  // namespace monomorph::generator
