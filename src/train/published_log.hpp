// What the published program of a model printed, letter for letter (`procedure: lab`), and the
// registry of these logs (src/train/logs/, one file a program; most trained one model, whose name
// it has).
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/core/clock.hpp"
#include "src/run/run_config.hpp"
#include "src/train/observer.hpp"

namespace epochcast::train {

/// What a log is made with; all of it outlives the log.
struct LogContext {
  std::ostream& out;
  const run::RunConfig& config;
  std::vector<std::int64_t> input;  ///< Shape of one sample: {3, 64, 64}.
  const Clock& clock;
  std::filesystem::path folder;  ///< The point's own, for files that the program wrote.
  std::int64_t processes = 1;    ///< That train together.
  std::string program = config.model;
};

struct LogSpec {
  std::function<std::unique_ptr<Observer>(const LogContext&)> make;
};

namespace logs {
const std::map<std::string, LogSpec>& all();
}

/// The log of the program of `context`; nullptr where nobody wrote it down.
std::unique_ptr<Observer> published_log(const LogContext& context);

}  // namespace epochcast::train
