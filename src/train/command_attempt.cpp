#include "src/train/command_attempt.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "src/core/signal_name.hpp"
#include "src/process/watch.hpp"
#include "src/record/writer.hpp"
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

}  // namespace

ExitStatus run_command_attempt(const CommandAttempt& attempt, const Clock& clock,
                               const process::HeldSignals& signals) {
  make_folder(attempt.output.records);
  make_folder(std::filesystem::path(attempt.output.work) / attempt.output.point);
  record::RecordWriter record(record_path(attempt.output, attempt.start.header), attempt.start);
  const double started_s = clock.now_s();
  record.append(record::run_span("init", 0, started_s));
  record.flush();
  End end;
  try {
    end = end_of(process::watch(attempt.command, signals));
  } catch (const Error& error) {
    record.finish(run::Outcome::failed, error.what(), run::FailureCause::other);
    throw;
  }
  record.append(record::run_span("command", started_s, clock.now_s()));
  const bool failed = end.outcome == run::Outcome::failed;
  record.finish(end.outcome, end.text, failed ? run::FailureCause::other : run::FailureCause::none);
  if (failed) {
    throw RunError(end.text);
  }
  return end.outcome == run::Outcome::stopped ? exit_stopped : exit_done;
}

}  // namespace epochcast::train
