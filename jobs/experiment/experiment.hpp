// An experiment: what to run, read from YAML. It is a product of lists over the parameters of a run
// and independent of where it runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/program.hpp"
#include "jobs/experiment/settings.hpp"
#include "src/base/cli/key_table.hpp"
#include "src/base/config/yaml.hpp"

namespace epochcast::jobs {

/// Parameters that vary together: one name alone, or several that `zip:` pairs. rows[i][j] is the
/// value of names[j].
struct Axis {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};

struct Experiment {
  std::string file;
  std::string name;
  Settings settings;        ///< Settings of every point.
  std::vector<Axis> sweep;  ///< Multiplied; the last varies fastest.
  /// A combination is dropped if it matches a row of one of these.
  std::vector<Axis> exclude;
  std::int64_t repeats = 1;
  std::vector<std::string> allocations;       ///< Empty: all of the cluster.
  std::map<std::string, Settings> overrides;  ///< By allocation; they replace `settings`.
  Program program;                            ///< Not given: epochcast-train.
  JobRules rules = {};                        ///< `retry:`, `pack:` and `notify:`.
};

/// Reads `path` and applies `sets` ("epochs=1,20", "batch=[64,256]", "repeats=3"): each replaces
/// the value of its key in the file; commas separate the values of a swept key. Checks every key
/// and value except the options of models and data sets (jobs/experiment/model_options.hpp). Throws
/// Error with file and line, the found and the expected value.
Experiment read_experiment(const std::string& path, const std::vector<std::string>& sets = {});

/// The same from a document in memory.
Experiment experiment_from(run::yaml::Node document, const std::vector<std::string>& sets = {});

/// Placeholders that have a value without the experiment: "point", "cpus", "work", ...
const std::vector<std::string>& given_placeholders();

/// The keys of an experiment besides the settings of its runs.
std::vector<cli::KeyRow> experiment_keys();

}  // namespace epochcast::jobs
