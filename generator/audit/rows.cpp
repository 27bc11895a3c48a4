#include "generator/audit/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace monomorph::generator {
namespace {

struct Reader {
  const WeightContract* weight;
  const RowView* view;
};

/// Complaints about one tensor, the first of each kind.
void audit_tensor(const std::string& name, const std::vector<Reader>& readers, Diagnostics& diagnostics) {
  const std::int64_t rows = readers.front().view->source_rows;
  const auto error = [&](const std::string& message) {
    diagnostics.error("checkpoint.rows", {}, name + ": " + message);
  };
  std::vector<const WeightContract*> read(static_cast<std::size_t>(rows), nullptr);
  for (const auto& [weight, view] : readers) {
    if (view->source_rows != rows) {
      return error(fmt::format("{} is read as one of {} rows, {} as one of {}", readers.front().weight->part, rows,
                               weight->part, view->source_rows));
    }
    for (std::int64_t row = 0; row < view->rows; ++row) {
      const std::int64_t source = view->source_of(row);
      if (source < 0 || source >= rows) {
        return error(fmt::format("row {} is read for {}, and it has {} rows", source, weight->part, rows));
      }
      const WeightContract*& reader = read[static_cast<std::size_t>(source)];
      if (reader != nullptr) {
        return error(fmt::format("row {} is read for {} and for {}", source, reader->part, weight->part));
      }
      reader = weight;
    }
  }
  const auto unread = std::find(read.begin(), read.end(), nullptr);
  if (unread == read.end()) return;
  const auto last = std::find_if(unread, read.end(), [](const WeightContract* reader) { return reader != nullptr; });
  error(fmt::format("rows {} to {} are read for nothing", unread - read.begin(), last - read.begin() - 1));
}

}  // namespace

void audit_rows(const Contract& contract, Diagnostics& diagnostics) {
  std::map<std::pair<std::size_t, std::string>, std::vector<Reader>> tensors;  // by kind of layer and name
  for (const WeightContract& weight : contract.weights) {
    for (const CheckpointPart& source : weight.sources) {
      tensors[{weight.scope.kind, source.name}].push_back({&weight, &source.view});
    }
  }
  for (const auto& [tensor, readers] : tensors) audit_tensor(tensor.second, readers, diagnostics);
}

}  // namespace monomorph::generator
