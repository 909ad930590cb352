// Several epochcast-run that run one program together, as with `srun epochcast-run -- COMMAND`.
//
// Rank 0 writes the record of the run. Every other rank writes a record of its own in the work
// folder of the point, and rank 0 reads its JSON lines while they grow: machine, telemetry and the
// end. No connection is needed, none can break, and a rank that is lost is a file without an end.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "src/measure/attempt/place.hpp"
#include "src/measure/attempt/telemetry.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/writer.hpp"
#include "src/slurm/job_environment.hpp"

namespace epochcast::runner {

/// This process among those that run the program together.
struct Rank {
  std::int64_t rank = 0;
  std::int64_t size = 1;
  std::string key;  ///< The same for all of them, another for another run: the job, or what
                    ///< started them.
  bool is_first() const { return rank == 0; }
};

/// From RANK and WORLD_SIZE, or the step of srun. Throws Error for numbers that are none.
Rank rank_in(const slurm::Environment& environment, const std::string& job_id);

/// The record of a rank other than 0: "FOLDER/rank-3-JOB.h5".
std::filesystem::path rank_record(const std::filesystem::path& folder, const Rank& rank);

/// A parameter with which others place the times of this process on their own clock.
record::ParameterRow clock_parameter();

class OtherRanks {
 public:
  OtherRanks(const Rank& own, const std::filesystem::path& folder);

  /// Reads what the other ranks have written since the last call, into the record of the run.
  void collect(record::RecordWriter& record, attempt::TelemetryRecorder& telemetry);
  /// Waits a while for the ends of the others, and removes their files. Call it after the own
  /// program has ended.
  void finish(record::RecordWriter& record, attempt::TelemetryRecorder& telemetry);
  /// "rank 3: the command failed with exit status 1"; empty: none failed.
  std::string failure() const;
  /// "no telemetry of ranks 2, 3: ..."; empty if that of all is there.
  std::string note() const;

 private:
  struct Other {
    std::filesystem::path path;
    record::JsonLinesTail tail;
    bool is_seen = false;
    double to_own_clock_s = 0;
    std::string failure = {};
    bool has_ended = false;
  };
  void collect(std::int64_t rank, Other& other, record::RecordWriter& record,
               attempt::TelemetryRecorder& telemetry);

  std::map<std::int64_t, Other> others_;
};

}  // namespace epochcast::runner
