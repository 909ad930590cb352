// The output of the published program of a model, reproduced exactly (`procedure: reference`), and
// the registry of these logs (src/training/loop/logs/). There is one file per program; most
// programs trained one model and have its name.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/record/run/run_config.hpp"
#include "src/training/loop/observer.hpp"

namespace epochcast::train {

/// The objects that a log uses; all of them outlive the log.
struct LogContext {
  std::ostream& out;
  const run::RunConfig& config;
  std::vector<std::int64_t> input;  ///< Shape of one sample: {3, 64, 64}.
  const Clock& clock;
  std::filesystem::path folder;  ///< Folder of the point, for files that the program wrote.
  std::int64_t processes = 1;    ///< Number of processes that train together.
  std::string program = config.model;
};

struct LogSpec {
  std::function<std::unique_ptr<Observer>(const LogContext&)> make;
};

namespace logs {
const std::map<std::string, LogSpec>& all();
}

/// The log of the program of `context`; nullptr if there is none.
inline std::unique_ptr<Observer> published_log(const LogContext& context) {
  const auto log = logs::all().find(context.program);
  return log == logs::all().end() ? nullptr : log->second.make(context);
}

}  // namespace epochcast::train
