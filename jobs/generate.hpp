// Experiment and cluster → an output folder with one script a point; submits nothing.
#pragma once

#include <string>
#include <vector>

namespace epochcast::jobs {

struct GenerateRequest {
  std::string experiment;  ///< A file.
  std::string cluster;     ///< A name or a file.
  std::string out;
  std::vector<std::string> sets;     ///< key=value
  std::vector<std::string> filters;  ///< column=value
};

struct GenerateReport {
  std::string experiment;
  std::string cluster;
  std::size_t points = 0;
  std::vector<std::string> changed;  ///< Points whose script was there and is another now.
  std::size_t same = 0;              ///< Scripts that were there already.
  std::size_t kept = 0;          ///< Points of an earlier `generate` that this one does not make.
  bool options_checked = false;  ///< Whether there was a catalogue of models.
};

/// Never takes anything away from an output folder that is there already. Throws Error, RunError.
GenerateReport generate(const GenerateRequest& request);

}  // namespace epochcast::jobs
