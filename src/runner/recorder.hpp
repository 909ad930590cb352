// Writes the record while the program runs: what its output says about its progress, and telemetry.
#pragma once

#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

#include "src/base/core/clock.hpp"
#include "src/measure/attempt/repeating_thread.hpp"
#include "src/measure/attempt/telemetry.hpp"
#include "src/measure/progress/lines/stated_values.hpp"
#include "src/measure/progress/recognizer/recognizer.hpp"
#include "src/record/writer.hpp"
#include "src/runner/hook.hpp"
#include "src/runner/progress_files.hpp"
#include "src/runner/ranks.hpp"

namespace epochcast::runner {

/// What is known after new rows were written.
struct Progress {
  double now_s = 0;
  progress::Position position;
  const progress::Rows& rows;                     ///< Since the call before,
  std::vector<record::ParameterRow> stated = {};  ///< and what the output states of the settings.
};

struct EpochCounts {
  std::int64_t done = 0;          ///< Those of earlier attempts included.
  std::int64_t stated = 0;        ///< By the program or its command line, of the run; 0: nothing.
  std::int64_t rows = 0;          ///< Of this attempt.
  std::int64_t without_time = 0;  ///< Of those, ended in one moment with the epoch before.
};

/// One thread writes the record from start() to finish(); nobody else may meanwhile. Relays call
/// read() from their threads.
class CommandRecorder {
 public:
  struct Parts {
    progress::Recognizer& recognizer;
    record::RecordWriter& record;
    attempt::TelemetryRecorder& telemetry;
    OtherRanks* others = nullptr;  ///< On rank 0 of several.
    const Clock& clock;
    double flush_interval_s = 2;
    bool states_epochs = false;  ///< The record has the number of epochs already.
    /// What the command line says of it (epochs_in), for a program that does not print it.
    std::optional<std::int64_t> epochs_of_command = {};
  };
  explicit CommandRecorder(const Parts& parts) : parts_(parts) {}

  /// `watch` is called by the thread, some ten times a second.
  void start(std::function<void(const Progress&)> watch);
  /// Files that are read besides the output, by the thread. Set it before start().
  void set_files(ProgressFiles* files) { files_ = files; }
  /// The same for what a hook tells.
  void set_hook(HookedProgress* hook) { hook_ = hook; }
  void read(progress::Stream stream, std::string_view bytes, double at_s);
  /// Ends the thread, decides what is still open, and writes the rest. All relays have ended.
  void finish(double start_s, double end_s);
  /// After finish(): throws what ended the thread early, if anything did.
  void rethrow() const { thread_.rethrow(); }
  const EpochCounts& epochs() const { return epochs_; }  ///< After finish().

 private:
  void write(bool ended = false);
  void read_files(double now_s, bool ended);
  void append(const progress::Rows& rows);
  void state_length(const progress::Position& position);

  Parts parts_;
  std::function<void(const Progress&)> watch_;
  ProgressFiles* files_ = nullptr;
  HookedProgress* hook_ = nullptr;
  std::mutex recognizer_mutex_;
  progress::StatedValues stated_;
  double flushed_s_ = 0;
  std::size_t unflushed_ = 0;  ///< Rows since then.
  bool states_steps_ = false;
  EpochCounts epochs_;
  attempt::RepeatingThread thread_;  ///< The last member: it ends before the others do.
};

}  // namespace epochcast::runner
