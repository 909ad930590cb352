// The registry of pictures (analysis/plots/, one file each).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/records/records.hpp"
#include "src/output/plot/chart.hpp"

namespace epochcast::analysis {

struct PlotOptions {
  std::vector<std::string> by = {};  ///< Attributes of the records that get lines of their own.
  std::string device = {};  ///< Of roofline: a file of measure-device, or a name of the database.
  /// Of run_forecast: epochs that the forecast may see; 0: all of a run that has not ended, the
  /// first two of one that has.
  std::size_t epochs_seen = 0;
};

/// A picture takes its numbers from the tables or from the groups they are made of.
struct PlotSpec {
  std::string summary;
  std::string needs;  ///< What the records must have, for the message where nothing can be drawn.
  /// The charts, below each other in one picture. Records come filtered and sorted by path. A chart
  /// without values (plot::has_values) says in its notes why.
  std::function<std::vector<plot::Chart>(const std::vector<LoadedRecord>&, const PlotOptions&)>
      make = {};
  /// Whether `make` looks at the steps of a record. They are nearly all of a record.
  record::Rows rows = record::Rows::without_steps;
  /// Whether it shows runs that others disturbed beside undisturbed repeats (charts_of).
  bool keeps_disturbed = false;
  /// Whether it looks into single runs, or at the forecasts themselves: a report shows it folded.
  bool detail = false;
  /// Instead of `make`: a picture of other files than records, which it reads itself.
  std::function<std::vector<plot::Chart>(const std::vector<std::string>& files)> of_files = {};
};

namespace plots {
const std::map<std::string, PlotSpec>& all();
}

/// The charts of `spec`. Unless it keeps them, runs that others disturbed are left out where there
/// are undisturbed repeats of the same work, as in the tables; notes say so.
std::vector<plot::Chart> charts_of(const PlotSpec& spec, const std::vector<LoadedRecord>& records,
                                   const PlotOptions& options);

/// The charts that have values; the notes of the others go to `why_not`, each once.
std::vector<plot::Chart> drawable(std::vector<plot::Chart> charts,
                                  std::vector<std::string>& why_not);

}  // namespace epochcast::analysis
