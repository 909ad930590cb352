// Where a service is: its address, whether it answers there GET /health with 200 (its model is
// loaded and warm), and whether that is this machine.
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

/// Whether connections to `address` stay on this machine: they come from the address that they go
/// to. false if the name is not known.
bool is_on_this_machine(const http::Address& address);

}  // namespace epochcast::load
