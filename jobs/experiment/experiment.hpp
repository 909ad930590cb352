// An experiment: WHAT to run, read from YAML. A product of lists over the named parameters of a
// run, with no word about where it runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/cli/key_table.hpp"
#include "jobs/experiment/settings.hpp"
#include "src/run/yaml.hpp"

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
  Settings settings;        ///< What every point has.
  std::vector<Axis> sweep;  ///< The product of these; the last varies fastest.
  /// A combination that has one of the rows of one of these is dropped.
  std::vector<Axis> exclude;
  std::int64_t repeats = 1;
  std::vector<std::string> allocations;       ///< Empty: all that the cluster has.
  std::map<std::string, Settings> overrides;  ///< By allocation; stronger than `settings`.
  std::vector<std::string> command;  ///< Any program, with {placeholders}; empty: our trainer.
};

/// Reads `path`, with `sets` ("epochs=1,20", "batch=[64,256]", "repeats=3") on top: each replaces
/// what the file says of its key; commas separate values where the key is swept. Every key and
/// value is checked, those of model and data set options apart (jobs/catalogue.hpp). Throws Error
/// with file and line, what was found and what was expected.
Experiment read_experiment(const std::string& path, const std::vector<std::string>& sets = {});

/// The same from a document in memory.
Experiment experiment_from(run::yaml::Node document, const std::vector<std::string>& sets = {});

/// Names of the {placeholders} of a command, each once, in order. "{{" and "}}" stand for braces.
std::vector<std::string> placeholders(const std::vector<std::string>& command);

/// `word` with every {placeholder} replaced; all must be in `values`.
std::string fill_placeholders(const std::string& word, const Settings& values);

/// The keys of an experiment besides the settings of its runs.
std::vector<cli::KeyRow> experiment_keys();

}  // namespace epochcast::jobs
