// A whole service, from its first byte to the end of its draining.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/base/cli/command_line.hpp"
#include "src/record/run/serving.hpp"
#include "src/training/loop/predictor.hpp"

namespace epochcast::serve {

struct ServiceOptions {
  run::ServeOptions serve;
  run::ListenOptions listen;
  /// What tells this model from others with the same cache: the file of its weights, say.
  std::string model = {};
};

/// The command-line options of a service, and what was given of them.
std::vector<cli::Option> service_options();
ServiceOptions read_service_options(const cli::Arguments& arguments);

struct ServiceEnd {
  std::uint64_t answered = 0;    ///< POST /predict, with status 200.
  std::uint64_t unanswered = 0;  ///< Received, but not answered before the drain time was over.
};

/// Answers requests until `stop` returns true (asked every 20 ms), then drains. The model is warmed
/// up first: until then GET /health is 503, and the address file does not exist. Reports on stderr
/// the address, the begin of draining and the end.
///
/// Throws Error for options that cannot be, RunError if it cannot listen, the warm-up fails, or
/// Redis does not answer at the start.
[[nodiscard]] ServiceEnd run_service(Predictor& predictor, const ServiceOptions& options,
                                     const std::function<bool()>& stop);

}  // namespace epochcast::serve
