#include "src/serving/load/service.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/signals.hpp"
#include "src/measure/telemetry/files.hpp"

namespace epochcast::load {
namespace {

using Kind = process::KeeperReport::Kind;

constexpr int status_of_signals = 128;

process::KeeperSpec spec_of(const std::vector<std::string>& command,
                            const process::HeldSignals& signals) {
  return {.program = {.words = command,
                      .out = STDERR_FILENO,  // standard output is for our results
                      .die_with_parent = true,
                      .signal_mask = signals.before()}};
}

}  // namespace

ServiceProcess::ServiceProcess(const std::vector<std::string>& command,
                               const process::HeldSignals& signals)
    : program_(command.at(0)), keeper_(spec_of(command, signals)) {}

void ServiceProcess::start() {
  keeper_.start();
  const auto report = keeper_.report();
  if (report.kind == Kind::not_started) {
    throw Error(process::Spawned{.error = report.value}.error_text(program_));
  }
  if (report.kind != Kind::started) {
    throw RunError(program_ + ": the process that watches it was killed");
  }
  pid_ = report.value;
}

void ServiceProcess::receive() {
  const auto report = keeper_.report();
  if (report.kind == Kind::ended) {
    status_ = process::exit_status_of(report.value);
  }
}

bool ServiceProcess::wait(double limit_s) {
  constexpr double ms_per_s = 1000;
  const SteadyClock clock;
  const double end_s = clock.now_s() + limit_s;
  while (!status_ && clock.now_s() < end_s) {
    pollfd event{keeper_.descriptor(), POLLIN, 0};
    const double left_ms = std::clamp((end_s - clock.now_s()) * ms_per_s, 1.0, ms_per_s);
    if (poll(&event, 1, static_cast<int>(left_ms)) > 0) {
      receive();
    }
  }
  return status_.has_value();
}

bool ServiceProcess::stop(double limit_s) {
  if (!status_) {
    keeper_.signal(SIGTERM);
  }
  return wait(limit_s);  // what still runs then ends with the keeper
}

double ServiceProcess::peak_memory_bytes() const {
  constexpr double kib = 1024;
  const auto text = telemetry::read_small_file(fmt::format("/proc/{}/status", pid_));
  return kib * telemetry::number_after(text, "VmHWM:").value_or(0);
}

std::string end_text(int status) {
  return status > status_of_signals
             ? fmt::format("was ended by {}", signal_name(status - status_of_signals))
             : fmt::format("ended with exit status {}", status);
}

}  // namespace epochcast::load
