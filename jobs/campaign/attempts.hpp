// The attempts at points, from their records.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/remaining.hpp"
#include "src/forecast/efficiency/job_use.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/record.hpp"

namespace epochcast::jobs {

/// The records of a folder while their jobs write them: read again and again, each time only what
/// is new in their JSON lines, so that a view that stays open costs little and disturbs no job.
class RecordTails {
 public:
  /// What the JSON lines at `path` hold now, without samples of single CPUs and steps that no
  /// forecast needs: those of ended runs, of ranks above 0, and of long runs with ten epochs or
  /// more. Throws Error if the file cannot be read.
  const record::JsonLines& read(const std::string& path);

  /// progress_of, of the lines as they were at the last `read`. The forecast is made again when
  /// there are 5 % more steps: with many steps it takes milliseconds.
  Progress progress(const std::string& path);

  /// The record as it was at the last `read`; nullptr: it was never read.
  const record::Record* find(const std::string& path) const;

 private:
  struct Entry {
    explicit Entry(const std::string& path) : tail(path) {}
    record::JsonLinesTail tail;
    bool only_epochs = false;
  };
  static void keep_what_is_needed(Entry& entry);

  std::map<std::string, Entry> entries_;
};

struct Attempt {
  std::string record;  ///< The .h5 file; its JSON lines are beside it.
  record::RecordHeader header;
  std::string
      disturbed;  ///< What disturbed it (telemetry::disturbance_text); empty: nothing found.
  efficiency::JobUse use = {};
};

/// Whether an attempt did all that it was for: a complete run, or a pilot of a program, which
/// epochcast-run stops.
bool is_done(const record::RecordHeader& header);

/// Point -> its attempts, oldest first. Reads the JSON lines, so it may be called while jobs write.
/// Lines without a whole header (a job killed at its start) do not count as an attempt.
/// With `tails`, reads only what is new since the last call with the same ones.
std::map<std::string, std::vector<Attempt>> read_attempts(const OutFolder& out,
                                                          RecordTails* tails = nullptr);

/// Reads the same attempt once more.
Attempt read_again(const Attempt& attempt, RecordTails* tails = nullptr);

}  // namespace epochcast::jobs
