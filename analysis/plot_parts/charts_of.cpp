#include <fmt/format.h>

#include "analysis/groups/undisturbed.hpp"
#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/plot_parts/plot_spec.hpp"
#include "analysis/records/disturbed.hpp"
#include "src/base/core/lists.hpp"

namespace epochcast::analysis {

std::vector<plot::Chart> charts_of(const PlotSpec& spec, const std::vector<LoadedRecord>& records,
                                   const PlotOptions& options) {
  if (spec.keeps_disturbed) {
    return spec.make(records, options);
  }
  const auto found = undisturbed(records);
  auto charts = found.left_out.empty()
                    ? spec.make(records, options)
                    : spec.make(records_without(records, found.left_out), options);
  if (!charts.empty()) {
    auto& notes = charts.back().notes;
    append(notes, excluded_notes(found.excluded));
    if (const auto alone = found.disturbed.size(); alone > 0) {
      notes.push_back(fmt::format(
          "{} shown: they have no undisturbed repeats ('table telemetry' says by what)",
          alone == 1 ? "1 disturbed run is" : fmt::format("{} disturbed runs are", alone)));
    }
  }
  return charts;
}

}  // namespace epochcast::analysis
