// The attempts at points, from their records.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "jobs/campaign/out_folder.hpp"
#include "src/record/record.hpp"

namespace epochcast::jobs {

class RecordTails;

struct Attempt {
  std::string record;  ///< The .h5 file; its JSON lines are beside it.
  record::RecordHeader header;
  std::string
      disturbed;  ///< What disturbed it (telemetry::disturbance_text); empty: nothing found.
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
