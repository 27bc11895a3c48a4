#include "runtime/cli/near_ties.hpp"

#include <algorithm>
#include <set>
#include <span>

namespace monomorph::cli {
namespace {

using reference::Choices;
using reference::Neighbours;
using Margin = Choices::Margin;

/// Of the first layer in which rows differ, those rows; none: all agree.
struct Differing {
  std::int64_t layer = 0;
  std::set<std::int64_t> rows;
};

Differing find_differing(const DeviceLayers& device, const ReferenceLayers& reference, std::size_t columns,
                         const std::function<double(std::int64_t)>& tolerance) {
  for (std::size_t layer = 0; layer < device.size(); ++layer) {
    Differing found{static_cast<std::int64_t>(layer), {}};
    for (std::size_t row = 0; row < reference[layer].size() / columns; ++row) {
      const double error = row_error(std::span(device[layer]).subspan(row * columns, columns),
                                     std::span(reference[layer]).subspan(row * columns, columns));
      if (error > tolerance(found.layer + 1)) found.rows.insert(static_cast<std::int64_t>(row));
    }
    if (!found.rows.empty()) return found;
  }
  return {};
}

}  // namespace

ReferenceLayers pass_as_device(const DeviceLayers& device, std::int64_t hidden_size, std::int64_t position,
                               const std::function<double(std::int64_t)>& tolerance, Choices& choices,
                               const std::function<ReferenceLayers()>& pass, NearTies& told) {
  ReferenceLayers reference = pass();
  std::set<Neighbours> tried;
  std::vector<Margin> turned;  // and not put back
  while (true) {
    const Differing differing = find_differing(device, reference, static_cast<std::size_t>(hidden_size), tolerance);
    bool changed = false;
    for (const std::int64_t row : differing.rows) {
      const auto is_of_row = [&](const Margin& each) {
        return each.layer == differing.layer && each.of.position == position + row;
      };
      // What did not mend its row is put back, and the nearest that was not tried is turned.
      changed |= std::erase_if(turned, [&](const Margin& each) {
                   return is_of_row(each) && choices.turned.erase(each.of) > 0;
                 }) > 0;
      const Margin* nearest = nullptr;
      for (const Margin& each : choices.margins) {
        const bool near = each.margin <= tolerance(differing.layer + 1) && !tried.contains(each.of);
        if (is_of_row(each) && near && (nearest == nullptr || each.margin < nearest->margin)) nearest = &each;
      }
      if (nearest == nullptr) continue;
      changed = true;
      tried.insert(nearest->of);
      choices.turned.insert(nearest->of);
      turned.push_back(*nearest);
    }
    if (!changed) break;
    reference = pass();
  }
  told.count = static_cast<std::int64_t>(choices.turned.size());
  for (const Margin& each : turned) told.widest = std::max(told.widest, each.margin);
  return reference;
}

}  // namespace monomorph::cli
