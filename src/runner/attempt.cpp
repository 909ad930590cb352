#include "src/runner/attempt.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/core/command_words.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/signals.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/allowed_cpus.hpp"
#include "src/base/process/command.hpp"
#include "src/base/process/keeper.hpp"
#include "src/base/process/own_memory.hpp"
#include "src/forecast/efficiency/job_report.hpp"
#include "src/measure/attempt/end.hpp"
#include "src/measure/attempt/start.hpp"
#include "src/measure/telemetry/cgroup.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/queries.hpp"
#include "src/record/writer.hpp"
#include "src/runner/control.hpp"
#include "src/runner/eta.hpp"
#include "src/runner/hook.hpp"
#include "src/runner/limit.hpp"
#include "src/runner/notices.hpp"
#include "src/runner/recorder.hpp"
#include "src/runner/relay.hpp"
#include "src/runner/stop_file.hpp"
#include "src/runner/streams.hpp"

namespace epochcast::runner {
namespace {

/// The git commit of the folder that the script or program of `command` lies in, with "-dirty" if
/// its tracked files have changed since; "" if it is in no repository, or git does not answer. A
/// relative path is relative to `folder`.
std::string program_revision(const std::vector<std::string>& command, const std::string& folder) {
  constexpr double timeout_s = 10;
  namespace fs = std::filesystem;
  const auto at = script_word(command);
  const fs::path start = folder.empty() ? "." : folder;
  const bool is_module = at > 0 && command[at - 1] == "-m";
  const auto file = start / command[at];
  std::error_code unreadable;
  if (!is_module && !fs::is_regular_file(file, unreadable)) {
    return "";
  }
  const auto answer =
      process::run_command({"git", "-C", is_module ? start : file.parent_path(), "describe",
                            "--always", "--dirty", "--abbrev=40", "--exclude=*"},
                           timeout_s, {{"GIT_OPTIONAL_LOCKS", "0"}});
  return answer.ok() ? std::string(trim(answer.out)) : "";
}

namespace fs = std::filesystem;

using attempt::End;
using attempt::failed_end;
using attempt::stopped_end;

End plain_end(const CommandEnd& end) {
  const int state = end.state;
  const std::string after = end.passed_on == 0 ? "" : " after " + signal_name(end.passed_on);
  const int status = process::exit_status_of(state);
  if (WIFSIGNALED(state)) {
    const int signal = WTERMSIG(state);
    const auto text = fmt::format("the command was ended by {}", signal_name(signal));
    const bool as_asked = signal == end.passed_on || (end.passed_on != 0 && asks_to_stop(signal));
    return as_asked ? stopped_end(text) : failed_end(text, static_cast<ExitStatus>(status));
  }
  if (status == exit_stopped) {
    return stopped_end("the command stopped early with exit status 75" + after);
  }
  if (end.passed_on != 0 && status > 128 && asks_to_stop(status - 128)) {
    return stopped_end(
        fmt::format("the command stopped early with exit status {}{}", status, after));
  }
  if (status != 0) {
    return failed_end(fmt::format("the command failed with exit status {}{}", status, after),
                      static_cast<ExitStatus>(status));
  }
  return {};
}

/// The kernel kills by SIGKILL, and counts what it has killed for memory; a shell between says 137.
bool was_out_of_memory(const CommandEnd& end, const std::optional<std::int64_t>& kills_before) {
  const auto kills = telemetry::oom_kills();
  return process::exit_status_of(end.state) == 128 + SIGKILL && kills && kills_before &&
         *kills > *kills_before;
}

/// The first of `paths`, relative to the command's folder, that does not exist; "" if all do.
std::string first_missing(const std::vector<std::string>& paths, const CommandAttempt& attempt) {
  for (const auto& path : paths) {
    std::error_code unreadable;
    if (!fs::exists(fs::path(attempt.options.folder) / path, unreadable)) {
      return path;
    }
  }
  return "";
}

/// The end, once pilots and outputs are considered.
End judged(const End& end, const CommandAttempt& attempt, const std::string& pilot_done) {
  if (!pilot_done.empty()) {
    return {run::Outcome::stopped, pilot_done, exit_done};
  }
  if (end.outcome != run::Outcome::complete) {
    return end;
  }
  if (const auto output = first_missing(attempt.options.outputs, attempt); !output.empty()) {
    return failed_end(
        fmt::format("the output '{}' is not there after the command has ended", output));
  }
  return end;
}

fs::path point_folder(const CommandAttempt& attempt) {
  return absolute_path(attempt.output.work) / attempt.output.point;
}

/// "events-7", "events-7-r1": a file of this attempt in the work folder of the point.
fs::path attempt_file(const CommandAttempt& attempt, const std::string& name) {
  const auto& header = attempt.start.header;
  const auto restart = header.restart > 0 ? fmt::format("-r{}", header.restart) : "";
  return point_folder(attempt) / fmt::format("{}-{}{}", name, attempt.rank.key, restart);
}

/// The record of this rank.
fs::path own_record_path(const CommandAttempt& attempt) {
  return attempt.rank.is_first() ? attempt::record_path(attempt.output, attempt.start.header)
                                 : rank_record(point_folder(attempt), attempt.rank);
}

/// A record of a command that was not started.
int refuse_start(const CommandAttempt& attempt, const std::string& input) {
  record::RecordWriter record(own_record_path(attempt), attempt.start);
  return close_attempt(
      record, failed_end(fmt::format("the input '{}' is not there, so the command was not started",
                                     input)));
}

/// What the progress is read from: only rank 0 has any.
progress::RecognizerOptions recognizer_options(const CommandAttempt& attempt) {
  return attempt.rank.is_first()
             ? progress::RecognizerOptions{attempt.options.progress, attempt.options.pattern}
             : progress::RecognizerOptions{"none", ""};
}

/// The file for the program's own events: that of the user, else one of this attempt. Empty: none.
std::string events_path(const CommandAttempt& attempt) {
  if (attempt.options.events == "none" || !attempt.rank.is_first()) {
    return "";
  }
  const char* of_user = getenv("EPOCHCAST_EVENTS");
  return of_user != nullptr && *of_user != '\0'
             ? absolute_path(of_user).string()
             : attempt_file(attempt, "events").string() + ".jsonl";
}

/// The file that the hook writes its events to. Empty: no hook.
std::string hook_path(const CommandAttempt& attempt) {
  return attempt.options.hook && attempt.rank.is_first()
             ? attempt_file(attempt, "hook").string() + ".jsonl"
             : "";
}

std::string metrics_path(const CommandAttempt& attempt) {
  const auto& path = attempt.options.metrics;
  return path.empty() || !attempt.rank.is_first()
             ? ""
             : absolute_path(fs::path(attempt.options.folder) / path).string();
}

process::KeeperSpec keeper_spec(const CommandAttempt& attempt, const Streams& streams,
                                const StopFile& stop, const process::HeldSignals& signals,
                                const process::OuterTerminal& outer, const std::string& events,
                                const std::string& hook) {
  process::KeeperSpec spec{.program = {.words = attempt.command,
                                       .folder = attempt.options.folder,
                                       .die_with_parent = true,
                                       .signal_mask = signals.before()},
                           .close = streams.ours(),
                           .close_when_started = streams.programs()};
  streams.connect(spec.program);
  spec.program.environment["EPOCHCAST_STOP_FILE"] = stop.path();
  // Python keeps up to 8 KB of what it prints into a pipe: its epochs would come at the end at
  // once.
  if (attempt.options.progress != "none" && getenv("PYTHONUNBUFFERED") == nullptr) {
    spec.program.environment["PYTHONUNBUFFERED"] = "1";
  }
  if (!events.empty()) {
    spec.program.environment["EPOCHCAST_EVENTS"] = events;
  }
  if (!hook.empty()) {
    spec.program.environment.merge(hook_environment(hook));
  }
  if (streams.plan().in_is_terminal) {
    spec.terminal_before = outer.before();
  }
  return spec;
}

/// Where the program's output goes once nobody takes it: the program learns it as it would without
/// this process between.
void refuse(const Source& source, process::Keeper& keeper) {
  if (source.stream == progress::Stream::terminal) {
    keeper.signal_group(SIGHUP);
    return;
  }
  const Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  dup3(null.number(), source.from, O_CLOEXEC);
}

void note(const std::string& unread, const std::string& source,
          const std::vector<std::string>& more, bool pilot_done, record::RecordWriter& record) {
  auto header = record.header();
  header.progress_source = source;
  header.pilot_done = pilot_done ? 1 : 0;
  std::vector<std::string> notes = more;
  notes.insert(notes.begin(), unread.empty() ? "progress from " + source : unread);
  std::erase(notes, "");
  header.note = join(notes, "; ");
  record.update(header);
}

/// "" unless epochs ended in the same moment as those before them: what to change in the program.
std::string lines_at_once(const EpochCounts& epochs) {
  return epochs.without_time == 0
             ? ""
             : fmt::format(
                   "{} of {} epochs have no time of their own: the program wrote several lines at "
                   "once, so the times are not those of its epochs; let it write each line when it "
                   "is printed (python3 -u, stdbuf -oL, flush)",
                   epochs.without_time, epochs.rows);
}

/// Of a run that had the same key.
void remove_old_record(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
  fs::remove(record::json_lines_path(path), ignored);
}

/// What is there while the program runs.
class CommandRun {
 public:
  CommandRun(const CommandAttempt& attempt, const Clock& clock, const process::HeldSignals& signals)
      : attempt_(attempt),
        clock_(clock),
        signals_(signals),
        recognizer_(recognizer_options(attempt)),
        stop_(attempt_file(attempt, "stop"), attempt.rank.is_first()),
        streams_(plan_streams(attempt.options.terminal), clock),
        events_(events_path(attempt)),
        hook_path_(hook_path(attempt)),
        files_(events_, metrics_path(attempt), progress::sources::ClockZero::of(clock)),
        hook_(hook_path_.empty() ? nullptr
                                 : std::make_unique<HookedProgress>(
                                       hook_path_, progress::sources::ClockZero::of(clock))),
        keeper_(keeper_spec(attempt, streams_, stop_, signals, outer_, events_, hook_path_)),
        pilot_(attempt.options, keeper_, stop_, attempt.rank.is_first()),
        limit_({attempt.limit,
                attempt::job_end_s(attempt.start, slurm::current_environment(), clock.now_s())},
               attempt.options, keeper_, stop_, attempt.rank.is_first()),
        eta_(attempt.start),
        notices_(streams_.messages(), isatty(STDERR_FILENO) == 1) {
    streams_.close_programs();
  }

  End run(record::RecordWriter& record) {
    const double started_s = clock_.now_s();
    record.append(record::run_span("init", 0, started_s));
    record.flush();
    attempt::TelemetryRecorder telemetry({.cpus = process::allowed_cpus(),
                                          .processes = telemetry::Processes::tree,
                                          .helper = keeper_.pid(),
                                          .gpus = attempt_.gpus},
                                         attempt_.output.telemetry.value, attempt_.start.machines);
    OtherRanks others(attempt_.rank, point_folder(attempt_));
    const bool is_first_of_several = attempt_.rank.is_first() && attempt_.rank.size > 1;
    CommandRecorder recorder({recognizer_, record, telemetry,
                              is_first_of_several ? &others : nullptr, clock_,
                              attempt_.output.flush_interval.value,
                              record::epochs_of(attempt_.start) > 0, epochs_in(attempt_.command)});
    std::optional<CommandEnd> end;
    const auto oom_kills = telemetry::oom_kills();
    try {
      end = watch(recorder, record, started_s);
    } catch (...) {
      recorder.finish(started_s, clock_.now_s());
      throw;
    }
    const double ended_s = clock_.now_s();
    recorder.finish(started_s, ended_s);
    record_revision(record);
    const auto at_once = lines_at_once(recorder.epochs());
    if (wants_forecasts() && ended_s >= first_notice_s) {
      notices_.tell(unread());
      notices_.tell(at_once);
    }
    auto lost_output = streams_.lost_output();
    if (!lost_output.empty()) {
      lost_output.insert(0, "the rest of the output was lost: ");
      notices_.tell(lost_output);
    }
    notices_.flush(true);
    end->passed_on = end->passed_on == 0 ? limit_.sent() : end->passed_on;
    record.append(record::run_span("command", started_s, ended_s));
    End own = judged(own_end(*end, recorder), attempt_, pilot_.done());
    if (own.is_failure() && was_out_of_memory(*end, oom_kills)) {
      own.cause = run::FailureCause::out_of_memory;
      own.text += ": out of memory";
    }
    auto remarks = files_.remarks();
    if (hook_) {
      std::ranges::move(hook_->remarks(), std::back_inserter(remarks));
    }
    if (is_first_of_several) {
      remarks.push_back(others.note());
    }
    remarks.push_back(at_once);
    if (!lost_output.empty()) {
      remarks.push_back(lost_output);
      own.status = own.status == exit_done ? exit_failed : own.status;
    }
    note(unread(), is_hooked() ? "hook" : recognizer_.source(), remarks, !pilot_.done().empty(),
         record);
    recorder.rethrow();
    const bool others_failed =
        is_first_of_several && own.outcome == run::Outcome::complete && !others.failure().empty();
    return others_failed ? failed_end(others.failure()) : own;
  }

 private:
  /// plain_end(), but a program that was asked to save may end with status 0 before its last epoch.
  End own_end(CommandEnd end, const CommandRecorder& recorder) const {
    const End plain = plain_end(end);
    const auto done = recorder.epochs().done;
    const auto stated = recorder.epochs().stated;
    const auto epochs = stated > 0 ? stated : record::epochs_of(attempt_.start);
    if (plain.outcome == run::Outcome::complete && done < epochs && end.passed_on == 0 &&
        pilot_.done().empty()) {
      end.passed_on = late_signal(signals_);
    }
    // Asked before its first epoch was seen, it may have saved nothing new: no completion either.
    const bool is_early = plain.outcome == run::Outcome::complete && done < epochs &&
                          (end.passed_on != 0 || (done > 0 && !limit_.reason().empty()));
    const auto after = end.passed_on == 0 ? "" : " after " + signal_name(end.passed_on);
    End own = is_early ? stopped_end(fmt::format("the command ended{}, with {} of {} epochs done",
                                                 after, done, epochs))
                       : plain;
    const bool by_limit = end.passed_on == limit_.sent() && !limit_.reason().empty();
    return own.outcome == run::Outcome::stopped && by_limit
               ? stopped_end(fmt::format("{}: {}", own.text, limit_.reason()),
                             run::FailureCause::before_limit)
               : own;
  }

  /// Once, while the program runs: git may take a while. By one thread at a time, as the record is.
  void record_revision(record::RecordWriter& record) {
    if (!std::exchange(has_revision_, true)) {
      auto header = record.header();
      header.program_revision = program_revision(attempt_.command, attempt_.options.folder);
      try {
        record.update(header);
      } catch (const Error&) {  // a full disk; the last flush tells it
      }
      process::release_start_up_memory();
    }
  }

  CommandEnd watch(CommandRecorder& recorder, record::RecordWriter& record, double started_s) {
    std::list<Relay> relays;
    for (const auto& source : streams_.sources()) {
      relays.emplace_back(
          source, clock_,
          [&](auto stream, auto bytes, double at_s) { recorder.read(stream, bytes, at_s); },
          [&, source] { refuse(source, keeper_); });
    }
    recorder.set_files(&files_);
    recorder.set_hook(hook_.get());
    // Its thread goes on after this function.
    recorder.start([this, &record, started_s](const Progress& progress) {
      record_revision(record);
      tick(progress, started_s);
    });
    Control control({attempt_.command.at(0), keeper_, signals_, streams_, outer_, stop_, limit_});
    return control.run();
  }

  bool is_hooked() const { return hook_ && hook_->is_recorded(); }

  /// Why the record has no epochs; empty if it has some.
  std::string unread() const {
    if (is_hooked() || recognizer_.note().empty()) {
      return "";
    }
    return is_python(attempt_.command) && !hook_
               ? "to read the epochs of this Python program, add --hook; without it: " +
                     recognizer_.note()
               : recognizer_.note();
  }

  bool wants_forecasts() const {
    return attempt_.options.eta != "none" && attempt_.rank.is_first();
  }

  /// In the recorder's thread.
  void tick(const Progress& progress, double started_s) {
    pilot_.watch(progress, started_s);
    limit_.watch(progress.now_s);
    eta_.watch(progress);
    if (const auto reason = limit_.watch_epochs(eta_, progress); !reason.empty()) {
      notices_.tell("asks the command to stop: " + reason);
    }
    if (const auto forecast = eta_.forecast_at(progress.now_s)) {
      if (const auto warning = limit_.warning(*forecast, eta_.epochs_done(), progress.now_s)) {
        notices_.tell(*warning);
      }
    }
    if (wants_forecasts()) {
      notices_.watch(eta_, progress.now_s);
    }
    notices_.flush();
  }

  const CommandAttempt& attempt_;
  const Clock& clock_;
  const process::HeldSignals& signals_;
  progress::Recognizer recognizer_;
  StopFile stop_;
  process::OuterTerminal outer_;
  Streams streams_;
  std::string events_;
  std::string hook_path_;
  ProgressFiles files_;
  std::unique_ptr<HookedProgress> hook_;
  process::Keeper keeper_;
  Pilot pilot_;
  Limit limit_;
  Eta eta_;
  Notices notices_;
  bool has_revision_ = false;
};

}  // namespace

process::HeldSignals hold_signals() {
  return process::HeldSignals(
      {SIGUSR1, SIGUSR2, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGWINCH, SIGCONT});
}

int run_command_attempt(const CommandAttempt& attempt, const Clock& clock,
                        const process::HeldSignals& signals) {
  make_folder(attempt.output.records);
  if (const auto input = first_missing(attempt.options.inputs, attempt); !input.empty()) {
    return refuse_start(attempt, input);
  }
  make_folder(fs::path(attempt.output.work) / attempt.output.point);
  const efficiency::ReportAtEnd report(attempt.rank.is_first() ? own_record_path(attempt).string()
                                                               : "");
  CommandRun run(attempt, clock,
                 signals);  // before the record's file is open, which no other may hold
  if (!attempt.rank.is_first()) {
    remove_old_record(own_record_path(attempt));
  }
  record::RecordWriter record(own_record_path(attempt), attempt.start);
  if (!attempt.rank.is_first()) {
    record.append(clock_parameter());
  }
  return attempt::record_attempt(record, [&] { return run.run(record); });
}

}  // namespace epochcast::runner
