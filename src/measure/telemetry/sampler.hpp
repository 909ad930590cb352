// A thread that takes samples while the run goes on.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "src/measure/telemetry/counter_reader.hpp"

namespace epochcast::telemetry {

class Sampler {
 public:
  /// Starts the thread: a sample every `period_s` (more than 0). Times are those of SteadyClock.
  /// The thread receives no signals.
  ///
  /// It wakes up ten times a second and notices when it could not: if it is more than 0.25 s late
  /// and the process used nearly no CPU time meanwhile, the process was stopped. A stop that is
  /// shorter is not noticed.
  ///
  /// `sampled`, if given, is called by the thread after each sample, perhaps before the constructor
  /// returns. It may call take().
  Sampler(const Sources& sources, double period_s, std::function<void(Sampler&)> sampled = {});
  ~Sampler();  ///< Ends the thread.
  Sampler(Sampler&&) = delete;

  /// Takes a sample in the calling thread, unless the last one is younger than `least_age_s`.
  void sample_now(double least_age_s);

  /// The samples since the last call, in order.
  std::vector<Sample> take();

  /// Ends the thread; the samples stay. Also waits for a call of `sampled`.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace epochcast::telemetry
