#include "analysis/validate/iteration_logs.hpp"

#include <algorithm>
#include <map>

namespace epochcast::analysis {
namespace {

struct LoggedIteration {
  double order = 0;
  double seconds = 0;
  double samples = 0;
};

IterationLog log_of(std::vector<LoggedIteration> iterations, bool with_samples) {
  std::stable_sort(iterations.begin(), iterations.end(),
                   [](const auto& a, const auto& b) { return a.order < b.order; });
  IterationLog log;
  for (const auto& iteration : iterations) {
    log.duration_s.push_back(iteration.seconds);
    if (with_samples) {
      log.samples.push_back(iteration.samples);
    }
  }
  return log;
}

}  // namespace

IterationLogs read_iteration_logs(const CsvFile& file) {
  file.require({"run", "duration_s"});
  const bool with_samples = file.has("samples");
  IterationLogs logs;
  std::map<std::string, std::vector<LoggedIteration>> runs;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    const auto seconds = positive(file, row, "duration_s", logs.broken);
    const auto samples =
        seconds && with_samples ? positive(file, row, "samples", logs.broken) : seconds;
    if (samples) {
      auto& iterations = runs[file.text(row, "run")];
      const auto place = static_cast<double>(iterations.size());
      iterations.push_back({file.number(row, "iteration").value_or(place), *seconds, *samples});
    }
  }
  for (auto& [name, iterations] : runs) {
    logs.runs.push_back(log_of(std::move(iterations), with_samples));
  }
  return logs;
}

}  // namespace epochcast::analysis
