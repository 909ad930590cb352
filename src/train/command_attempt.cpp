#include "src/train/command_attempt.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "src/core/signal_name.hpp"
#include "src/process/watch.hpp"
#include "src/record/writer.hpp"
#include "src/train/attempt.hpp"

namespace epochcast::train {
namespace {

struct Outcome {
  std::string name;
  std::string text;
};

Outcome outcome_of(const process::WatchedEnd& end) {
  const std::string after =
      end.passed_on == 0 ? "" : fmt::format(" after {}", signal_name(end.passed_on));
  if (end.signal != 0) {
    const bool as_asked = end.signal == end.passed_on;
    return {as_asked ? "stopped" : "failed",
            fmt::format("the command was ended by {}", signal_name(end.signal))};
  }
  if (end.exit_status == exit_stopped) {
    return {"stopped", "the command stopped early with exit status 75" + after};
  }
  if (end.exit_status != 0) {
    return {"failed",
            fmt::format("the command failed with exit status {}{}", end.exit_status, after)};
  }
  return {"complete", ""};
}

void append_span(record::RecordWriter& record, const char* name, double start_s, double end_s) {
  record.append(record::Span{name, -1, start_s, end_s - start_s});
}

}  // namespace

ExitStatus run_command_attempt(const CommandAttempt& attempt, const Clock& clock,
                               const process::HeldSignals& signals) {
  make_folder(attempt.output.records);
  make_folder(std::filesystem::path(attempt.output.work) / attempt.output.point);
  record::RecordWriter record(record_path(attempt.output, attempt.start.header), attempt.start);
  const double started_s = clock.now_s();
  append_span(record, "init", 0, started_s);
  record.flush();
  Outcome outcome;
  try {
    outcome = outcome_of(process::watch(attempt.command, signals));
  } catch (const Error& error) {
    record.finish("failed", error.what());
    throw;
  }
  append_span(record, "command", started_s, clock.now_s());
  record.finish(outcome.name, outcome.text);
  if (outcome.name == "failed") {
    throw RunError(outcome.text);
  }
  return outcome.name == "stopped" ? exit_stopped : exit_done;
}

}  // namespace epochcast::train
