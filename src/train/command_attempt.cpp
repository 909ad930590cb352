#include "src/train/command_attempt.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "src/core/signal_name.hpp"
#include "src/process/machine_cpus.hpp"
#include "src/process/watch.hpp"
#include "src/record/writer.hpp"
#include "src/telemetry/sampler.hpp"
#include "src/telemetry/usage.hpp"
#include "src/train/attempt.hpp"

namespace epochcast::train {
namespace {

struct End {
  run::Outcome outcome = run::Outcome::complete;
  std::string text;
};

End end_of(const process::WatchedEnd& end) {
  const std::string after =
      end.passed_on == 0 ? "" : fmt::format(" after {}", signal_name(end.passed_on));
  if (end.signal != 0) {
    const bool as_asked = end.signal == end.passed_on;
    return {as_asked ? run::Outcome::stopped : run::Outcome::failed,
            fmt::format("the command was ended by {}", signal_name(end.signal))};
  }
  if (end.exit_status == exit_stopped) {
    return {run::Outcome::stopped, "the command stopped early with exit status 75" + after};
  }
  if (end.exit_status != 0) {
    return {run::Outcome::failed,
            fmt::format("the command failed with exit status {}{}", end.exit_status, after)};
  }
  return {};
}

/// Samples while a command runs. The thread of the samples writes the record meanwhile; the thread
/// that waits for the command must not, until it has called finish().
class CommandTelemetry {
 public:
  CommandTelemetry(const CommandAttempt& attempt, record::RecordWriter& record)
      : machines_(attempt.start.machines),
        flush_interval_s_(attempt.output.flush_interval.value),
        record_(record) {
    if (attempt.output.telemetry.value > 0) {
      sampler_ = std::make_unique<telemetry::Sampler>(
          telemetry::Sources{.cpus = process::allowed_cpus(),
                             .processes = telemetry::Processes::tree,
                             .gpus = attempt.gpus},
          attempt.output.telemetry.value,
          [this](telemetry::Sampler& sampler) { write_and_flush(sampler); });
    }
  }

  void finish(double start_s, double end_s) {
    if (!sampler_) {
      return;
    }
    sampler_->sample_now(0);
    sampler_->stop();  // from here on this thread alone writes
    write(*sampler_);
    for (const auto& row : telemetry::usage_of({-1, start_s, end_s}, machines_, samples_, gpus_)) {
      record_.append(row);
    }
  }

 private:
  void write(telemetry::Sampler& sampler) {
    for (const auto& sample : sampler.take()) {
      record_.append(sample.machine);
      samples_.push_back(sample.machine);
      for (const auto& row : sample.cpus) {
        record_.append(row);
      }
      for (const auto& row : sample.gpus) {
        record_.append(row);
        gpus_.push_back(row);
      }
    }
  }

  /// In the thread of the samples, which may run before `sampler_` is set.
  void write_and_flush(telemetry::Sampler& sampler) {
    write(sampler);
    if (const double now_s = clock_.now_s(); now_s - flushed_s_ >= flush_interval_s_) {
      flushed_s_ = now_s;
      try {
        record_.flush();
      } catch (const Error&) {  // a full disk; the rows stay, and the last flush tells it
      }
    }
  }

  SteadyClock clock_;
  double flushed_s_ = 0;
  std::vector<record::Machine> machines_;
  double flush_interval_s_;
  record::RecordWriter& record_;
  std::vector<record::Telemetry> samples_;
  std::vector<record::GpuTelemetry> gpus_;
  std::unique_ptr<telemetry::Sampler> sampler_;  ///< Ends first: its thread uses the rest.
};

}  // namespace

ExitStatus run_command_attempt(const CommandAttempt& attempt, const Clock& clock,
                               const process::HeldSignals& signals) {
  make_folder(attempt.output.records);
  make_folder(std::filesystem::path(attempt.output.work) / attempt.output.point);
  record::RecordWriter record(record_path(attempt.output, attempt.start.header), attempt.start);
  const double started_s = clock.now_s();
  record.append(record::run_span("init", 0, started_s));
  record.flush();
  CommandTelemetry telemetry(attempt, record);
  End end;
  try {
    end = end_of(process::watch(attempt.command, signals));
  } catch (const Error& error) {
    telemetry.finish(started_s, clock.now_s());
    record.finish(run::Outcome::failed, error.what(), run::FailureCause::other);
    throw;
  }
  const double ended_s = clock.now_s();
  telemetry.finish(started_s, ended_s);
  record.append(record::run_span("command", started_s, ended_s));
  const bool failed = end.outcome == run::Outcome::failed;
  record.finish(end.outcome, end.text, failed ? run::FailureCause::other : run::FailureCause::none);
  if (failed) {
    throw RunError(end.text);
  }
  return end.outcome == run::Outcome::stopped ? exit_stopped : exit_done;
}

}  // namespace epochcast::train
