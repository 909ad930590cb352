// The program that serves, if epochcast-load starts it: from its start to its end.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "src/base/process/held_signals.hpp"
#include "src/base/process/keeper.hpp"

namespace epochcast::load {

class ServiceProcess {
 public:
  /// Prepares the start; call it while this process has one thread.
  ServiceProcess(const std::vector<std::string>& command, const process::HeldSignals& signals);

  /// Starts it. Its standard output is our standard error. Throws Error if it cannot be started.
  void start();
  /// Asks it to end with SIGTERM and waits for that. False if it took longer than `limit_s`: it
  /// and all its processes were then killed.
  [[nodiscard]] bool stop(double limit_s);

  /// Readable when the service may have ended.
  int descriptor() const { return keeper_.descriptor(); }
  /// Takes what waits at the descriptor.
  void receive();
  /// The exit status as a shell gives it; std::nullopt while the program runs.
  std::optional<int> status() const { return status_; }
  pid_t keeper_pid() const { return keeper_.pid(); }
  /// The most memory that the program's first process has held; 0: not known.
  double peak_memory_bytes() const;

 private:
  bool wait(double limit_s);

  std::string program_;
  process::Keeper keeper_;
  pid_t pid_ = 0;
  std::optional<int> status_;
};

/// "ended with exit status 1", "was ended by SIGKILL".
std::string end_text(int status);

}  // namespace epochcast::load
