#include "src/serving/load/attempt.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "src/base/cli/report.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/signals.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/allowed_cpus.hpp"
#include "src/measure/attempt/end.hpp"
#include "src/measure/attempt/start.hpp"
#include "src/measure/attempt/telemetry.hpp"
#include "src/output/table/format.hpp"
#include "src/record/writer.hpp"
#include "src/serving/load/generator.hpp"
#include "src/serving/load/ready.hpp"
#include "src/serving/load/recorder.hpp"
#include "src/serving/load/service.hpp"

namespace epochcast::load {
namespace {

using attempt::End;
using attempt::failed_end;
using attempt::stopped_end;

/// An address of an earlier run would be taken for that of this one.
void remove_old_address(const LoadAttempt& attempt) {
  if (!attempt.command.empty() && !attempt.target.address_file.empty()) {
    std::error_code ignored;
    std::filesystem::remove(attempt.target.address_file, ignored);
  }
}

/// The user's own service may run on the CPUs of this machine, too. Its use of them is no
/// disturbance, and what others use besides cannot be told from it.
telemetry::Processes watched_processes(const LoadAttempt& attempt) {
  const bool shares_cpus = attempt.command.empty() && !attempt.target.url.empty() &&
                           is_on_this_machine(http::parse_url(attempt.target.url));
  return shares_cpus ? telemetry::Processes::unknown : telemetry::Processes::tree;
}

/// What is there while the load runs.
class LoadRun {
 public:
  LoadRun(const LoadAttempt& attempt, const Clock& clock, const process::HeldSignals& signals)
      : attempt_(attempt), clock_(clock), signals_(signals) {
    // Before any other thread, and before the record's file is open, which no other may hold.
    if (!attempt.command.empty()) {
      service_.emplace(attempt.command, signals);
    }
  }

  End run(record::RecordWriter& record) {
    const double started_s = clock_.now_s();
    record.append(record::run_span("init", 0, started_s));
    attempt::TelemetryRecorder telemetry({.cpus = process::allowed_cpus(),
                                          .processes = watched_processes(attempt_),
                                          .helper = service_ ? service_->keeper_pid() : 0,
                                          .gpus = attempt_.gpus},
                                         attempt_.output.telemetry.value, attempt_.start.machines);
    LoadRecorder recorder(record, telemetry, attempt_.output.flush_interval.value);
    recorder.start();
    End end;
    try {
      end = run_parts(recorder);
    } catch (...) {
      end = attempt::exception_end();
    }
    recorder.finish(started_s, clock_.now_s());
    for (const auto& row : spans_) {
      record.append(row);
    }
    for (const auto& row : metrics_) {
      record.append(row);
    }
    note_failure(record);
    if (!recorder.stages().empty()) {
      const auto table = summary_table(recorder.stages(), recorder.latencies());
      fmt::print("{}", table::formats::all().at("text").write({table}));
    }
    recorder.rethrow();
    return end;
  }

 private:
  End run_parts(LoadRecorder& recorder) {
    const double start_s = clock_.now_s();
    if (service_) {
      service_->start();
    }
    const auto ready = wait_until_ready(attempt_.target, attempt_.token, service(), signals_);
    spans_.push_back(record::run_span("warm_up", start_s, clock_.now_s()));
    End end = ready.is_ready ? apply_load(ready.address, recorder)
                             : stopped_end("a signal ended it before the load");
    return service_ ? stop_service(end) : end;
  }

  End apply_load(const http::Address& address, LoadRecorder& recorder) {
    http::EventLoop loop(clock_);
    Generator generator({.loop = loop,
                         .address = address,
                         .options = attempt_.options,
                         .token = attempt_.token,
                         .sink = recorder,
                         .done = [&] { loop.stop(); }});
    End end;
    loop.when_readable(signals_.descriptor(), [&] {
      while (const auto signal = signals_.take()) {
        end = stopped_end(fmt::format("{} ended the load early", signal_name(signal->number)));
      }
      generator.stop();
    });
    if (service_) {
      loop.when_readable(service_->descriptor(), [&] {
        service_->receive();
        if (service_->status() && !end.is_failure()) {
          end = failed_end(
              fmt::format("the service {} during the load", end_text(*service_->status())));
          generator.stop();
        }
      });
    }
    const double start_s = clock_.now_s();
    generator.start();
    loop.run();
    spans_.push_back(record::run_span("load", start_s, clock_.now_s()));
    first_failure_ = generator.first_failure();
    if (end.outcome == run::Outcome::complete && generator.answered() == 0) {
      end = failed_end("no request was answered with status 200; " + first_failure_);
    }
    return end;
  }

  End stop_service(const End& end) {
    const double start_s = clock_.now_s();
    if (const double bytes = service_->peak_memory_bytes(); bytes > 0) {
      metrics_.push_back({.epoch = -1, .name = "service_peak_memory_bytes", .value = bytes});
    }
    const bool has_ended = service_->stop(attempt_.target.drain_limit.value);
    spans_.push_back(record::run_span("drain", start_s, clock_.now_s()));
    if (end.is_failure()) {
      return end;
    }
    if (!has_ended) {
      return failed_end(
          fmt::format("the service did not end within {} of SIGTERM (--drain-limit); "
                      "it was killed",
                      format_duration(attempt_.target.drain_limit.value)));
    }
    constexpr int status_of_sigterm = 128 + SIGTERM;  // many services leave it at that
    const int status = service_->status().value_or(0);
    return status == 0 || status == status_of_sigterm
               ? end
               : failed_end(fmt::format("the service {} after SIGTERM", end_text(status)));
  }

  void note_failure(record::RecordWriter& record) const {
    if (first_failure_.empty()) {
      return;
    }
    auto header = record.header();
    header.note = "first request that failed: " + first_failure_;
    record.update(header);
    cli::report(header.note.str());
  }

  ServiceProcess* service() { return service_ ? &*service_ : nullptr; }

  const LoadAttempt& attempt_;
  const Clock& clock_;
  const process::HeldSignals& signals_;
  std::optional<ServiceProcess> service_;
  std::vector<record::Span> spans_;
  std::vector<record::Metric> metrics_;
  std::string first_failure_;
};

}  // namespace

process::HeldSignals hold_signals() {
  return process::HeldSignals({SIGUSR1, SIGTERM, SIGINT, SIGHUP});
}

ExitStatus run_load_attempt(const LoadAttempt& attempt, const Clock& clock,
                            const process::HeldSignals& signals) {
  make_folder(attempt.output.records);
  remove_old_address(attempt);
  LoadRun run(attempt, clock, signals);
  record::RecordWriter record(attempt::record_path(attempt.output, attempt.start.header).string(),
                              attempt.start);
  return attempt::record_attempt(record, [&] { return run.run(record); });
}

}  // namespace epochcast::load
