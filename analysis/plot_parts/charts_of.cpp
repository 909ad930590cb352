#include <fmt/format.h>

#include <set>

#include "analysis/groups/excluded_runs.hpp"
#include "analysis/plot_parts/chart_parts.hpp"
#include "analysis/plot_parts/plot_spec.hpp"
#include "analysis/records/disturbed.hpp"
#include "src/core/text.hpp"

namespace epochcast::analysis {

std::vector<plot::Chart> charts_of(const PlotSpec& spec, const std::vector<LoadedRecord>& records,
                                   const PlotOptions& options) {
  if (spec.keeps_disturbed) {
    return spec.make(records, options);
  }
  std::set<std::size_t> left_out;
  std::vector<ExcludedRun> excluded;
  std::size_t alone = 0;
  for (const auto& run : disturbed_runs(records)) {
    if (run.clean_repeats > 0) {
      left_out.insert(run.index);
      excluded.push_back({records[run.index].path, "disturbed: " + run.text});
    } else {
      ++alone;
    }
  }
  auto charts = left_out.empty() ? spec.make(records, options)
                                 : spec.make(records_without(records, left_out), options);
  if (!charts.empty()) {
    auto& notes = charts.back().notes;
    for (const auto& note : excluded_notes(excluded)) {
      notes.push_back(note);
    }
    if (alone > 0) {
      notes.push_back(fmt::format(
          "{} shown, for want of undisturbed repeats ('table telemetry' says by what)",
          alone == 1 ? "1 disturbed run is" : fmt::format("{} disturbed runs are", alone)));
    }
  }
  return charts;
}

}  // namespace epochcast::analysis
