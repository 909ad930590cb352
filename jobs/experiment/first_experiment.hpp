// A first experiment from a command line: `epochcast-jobs init`.
#pragma once

#include <string>
#include <vector>

namespace epochcast::jobs {

struct FirstExperiment {
  std::string name;
  std::string text;                   ///< The YAML file.
  std::vector<std::string> settings;  ///< What it can sweep, in the order of the command line.
  bool has_length = false;            ///< It has a setting `epochs` or `steps`.
  std::vector<std::string> notes;     ///< command_notes().
};

/// The experiment that runs `words` in `folder`. Options with a number as value become settings;
/// those that hold the number of epochs or steps under one of their usual names become `epochs` and
/// `steps`. Words NAME=VALUE at the beginning become the environment; words that name a file or
/// folder become inputs, unless their option names an output. {work} and the other placeholders
/// that always have a value stay such; all other braces are literal. `name`: "" for that of the
/// script. Throws Error for a command that an experiment cannot hold.
FirstExperiment first_experiment(const std::vector<std::string>& words, const std::string& folder,
                                 const std::string& name);

}  // namespace epochcast::jobs
