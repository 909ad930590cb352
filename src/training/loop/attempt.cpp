#include "src/training/loop/attempt.hpp"

#include <optional>

#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/base/process/allowed_cpus.hpp"
#include "src/forecast/efficiency/job_report.hpp"
#include "src/measure/attempt/end.hpp"
#include "src/measure/attempt/start.hpp"
#include "src/training/loop/rank_rows.hpp"
#include "src/training/loop/telemetry_log.hpp"

namespace epochcast::train {
namespace {

namespace fs = std::filesystem;

/// Resumes from the checkpoint or the answers of the point if the user requests it and there are
/// any. Rank 0 chooses the checkpoint, so that all ranks use the same one.
Position starting_position(const Attempt& attempt, const fs::path& folder, const fs::path& record,
                           Team& team, const WorkloadParts& parts, record::RecordHeader& header) {
  if (parts.answers != nullptr) {
    const auto resumed = parts.answers->open(folder, record.stem(), attempt.output.resume);
    header.resumed_from = resumed.record;
    return resumed.position;
  }
  if (parts.checkpoints == nullptr) {
    return {};
  }
  const auto found =
      attempt.output.resume && team.is_first() ? find_checkpoint(folder) : std::nullopt;
  const auto path = team.broadcast(found ? found->path.string() : "");
  if (path.empty()) {
    return {};
  }
  header.resumed_from = found ? found->record : "";
  return parts.checkpoints->restore(path);
}

/// Records the machines of the other ranks and the network between them. Returns, on rank 0, the
/// machines of all.
std::vector<record::Machine> describe_team(const Attempt& attempt, Team& team,
                                           record::RecordWriter& record) {
  auto all = attempt.start.machines;
  if (team.size() == 1) {
    return all;
  }
  const auto machines = gather_rows<record::Machine>(team, {attempt.start.machines.front()});
  for (std::size_t rank = 1; rank < machines.size(); ++rank) {
    record.append(machines[rank].front());
    all.push_back(machines[rank].front());
  }
  for (const auto& probe : team.probe()) {
    record.append(probe);
  }
  return all;
}

/// Starts the telemetry of this rank unless it is switched off.
std::optional<TelemetryLog> start_telemetry(const Attempt& attempt,
                                            std::vector<record::Machine> machines, Team& team,
                                            record::RecordWriter& record) {
  if (attempt.output.telemetry.value <= 0) {
    return std::nullopt;
  }
  telemetry::Sources sources{.cpus = process::allowed_cpus()};
  if (!attempt.start.machines.empty() && !attempt.start.machines.front().gpu_uuid.view().empty()) {
    sources.gpus = {attempt.start.machines.front().gpu_uuid.str()};
  }
  return std::optional<TelemetryLog>(std::in_place, sources, attempt.output.telemetry.value,
                                     std::move(machines), team, record);
}

void record_notes(record::RecordWriter& record, std::vector<std::string> notes,
                  const std::vector<std::string>& more = {}) {
  notes.insert(notes.end(), more.begin(), more.end());
  auto header = record.header();
  header.note = join(notes, "; ");
  if (!(header.note == record.header().note)) {
    record.update(header);
  }
}

/// Does everything after the creation of the record.
attempt::End run(const Attempt& attempt, const fs::path& path, record::RecordWriter& record,
                 Team& team, const Clock& clock, const attempt::StopFlag& stop) {
  const fs::path folder = fs::path(attempt.output.work) / attempt.output.point;
  make_folder(folder);
  const double opened_at_s = clock.now_s();
  record.append(record::run_span("init", 0, opened_at_s));
  auto telemetry = start_telemetry(attempt, describe_team(attempt, team, record), team, record);
  const auto workload = attempt.make_workload(team);
  auto header = record.header();
  const auto from = starting_position(attempt, folder, path, team, workload->parts(), header);
  record.append(record::run_span("data_open", opened_at_s, clock.now_s()));
  record.append(workload->describe());
  auto observers = attempt.observers;
  if (telemetry) {
    observers.insert(observers.begin(), &*telemetry);
  }
  for (Observer* observer : observers) {
    observer->opened(workload->notes());
  }
  record.update(header);
  record_notes(record, workload->notes());
  const auto result = train({.config = attempt.config,
                             .output = attempt.output,
                             .workload = *workload,
                             .team = team,
                             .record = record,
                             .folder = folder,
                             .checkpoint = checkpoint_of(folder, path),
                             .observers = observers,
                             .clock = clock,
                             .stop = stop,
                             .job = attempt.job},
                            from);
  const double ended_at_s = clock.now_s();
  if (auto* answers = workload->parts().answers; answers != nullptr && !result.stopped) {
    answers->merge();
  }
  // Some notes arise only during the run: a damaged file, a loss that is not finite.
  record_notes(record, workload->notes(), result.notes);
  record.append(record::run_span("record", 0, record.own_time_s()));
  record.append(record::run_span("finish", ended_at_s, clock.now_s()));
  return result.stopped ? attempt::stopped_end(result.text, result.cause)
                        : attempt::End{.text = result.text};
}

/// Closes the record instead of a rank 0 that cannot. Returns false if it is closed already.
bool close_for_first(const fs::path& path, const ranks::Failure& failure) {
  try {
    return record::close_record(path, run::Outcome::failed, failure.text, failure.cause);
  } catch (const Error&) {  // not on a shared file system: `status` closes it
    return true;
  }
}

}  // namespace

ExitStatus run_attempt(const Attempt& attempt, const Clock& clock, const attempt::StopFlag& stop) {
  make_folder(attempt.output.records);
  auto path = attempt::record_path(attempt.output, attempt.start.header);
  auto record = attempt.rank == 0 ? record::RecordWriter(path, attempt.start)
                                  : record::RecordWriter(attempt.start);
  const efficiency::ReportAtEnd report(attempt.rank == 0 ? path.string() : "");
  std::unique_ptr<Team> team;
  try {
    team = attempt.join();
    path = team->broadcast(path.string());
    const auto status =
        attempt::close_attempt(record, run(attempt, path, record, *team, clock, stop));
    team->leave();
    return status;
  } catch (const ranks::ReportedByPeer&) {
    throw;
  } catch (...) {
    attempt::End end = attempt::exception_end();
    if (end.is_failure() && team && team->size() > 1) {
      const auto failure = team->fail({end.text, end.cause});
      Team& left_open = *team.release();
      if (attempt.rank != 0 && !(left_open.must_report() && close_for_first(path, failure))) {
        throw ranks::ReportedByPeer(failure.text);
      }
      end.text = failure.text;
      end.cause = failure.cause;
    }
    return attempt::close_attempt(record, end);
  }
}

}  // namespace epochcast::train
