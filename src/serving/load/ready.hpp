// Waits until a service answers GET /health with 200: its model is loaded and warm.
#pragma once

#include <string>

#include "src/base/process/held_signals.hpp"
#include "src/serving/http/address.hpp"
#include "src/serving/load/options.hpp"
#include "src/serving/load/service.hpp"

namespace epochcast::load {

struct Readiness {
  bool is_ready = false;
  bool is_interrupted = false;  ///< By a signal.
  http::Address address;
};

/// Asks ten times a second. `service`: nullptr, or the program that serves. Throws RunError if it
/// ends, or if the time limit is over; Error for an address that is none.
Readiness wait_until_ready(const TargetOptions& target, const std::string& token,
                           ServiceProcess* service, const process::HeldSignals& signals);

}  // namespace epochcast::load
