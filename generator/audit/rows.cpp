#include "generator/audit/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace monomorph::generator {
namespace {

struct Reader {
  const WeightContract* weight;
  const RowView* view;
  std::int64_t columns;  ///< of a matrix; else 1
};

/// Rows that a tensor has; lines, of one whose heads' matrices stand in it the other way round.
std::int64_t rows_of(const RowView& view) { return view.lines == 0 ? view.source_rows : view.banks * view.lines; }

/// Those of them that are read.
std::vector<std::int64_t> read_rows(const RowView& view, std::int64_t columns) {
  std::vector<std::int64_t> rows;
  if (view.lines == 0) {
    for (std::int64_t row = 0; row < view.rows; ++row) rows.push_back(view.source_of(row));
    return rows;
  }
  for (std::int64_t bank = 0; bank < view.banks; ++bank) {
    for (std::int64_t column = 0; column < columns; ++column) {
      rows.push_back(bank * view.lines + view.first_line + column);
    }
  }
  return rows;
}

/// Complaints about one tensor, the first of each kind.
void audit_tensor(const std::string& name, const std::vector<Reader>& readers, Diagnostics& diagnostics) {
  const std::int64_t rows = rows_of(*readers.front().view);
  const auto error = [&](const std::string& message) {
    diagnostics.error("checkpoint.rows", {}, name + ": " + message);
  };
  std::vector<const WeightContract*> read(static_cast<std::size_t>(rows), nullptr);
  for (const auto& [weight, view, columns] : readers) {
    if (rows_of(*view) != rows) {
      return error(fmt::format("{} is read as one of {} rows, {} as one of {}", readers.front().weight->part, rows,
                               weight->part, rows_of(*view)));
    }
    for (const std::int64_t source : read_rows(*view, columns)) {
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
      const std::int64_t columns = weight.axes.size() == 1 ? 1 : contract.axes[weight.axes[1]].size;
      tensors[{weight.scope.kind, source.name}].push_back({&weight, &source.view, columns});
    }
  }
  for (const auto& [tensor, readers] : tensors) audit_tensor(tensor.second, readers, diagnostics);
}

}  // namespace monomorph::generator
