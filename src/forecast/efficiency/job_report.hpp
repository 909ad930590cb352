// What a job used of what it had asked for, as text for people.
#pragma once

#include <string>
#include <vector>

#include "src/forecast/efficiency/job_use.hpp"

namespace epochcast::efficiency {

/// "used 31s of 1h (1 %), 1.0 of 16 CPUs (6 %), 0.21 of 4.00 GiB (5 %)"; what is not known is left
/// out.
std::string use_text(const JobUse& use);

/// "CPUs: 1.0 of 16 busy, at most 1.3 at once; data loading took 61 % of the time of the epochs;
/// ask for 2"; "" where nothing is known of them.
std::string cpu_text(const JobUse& use);

/// "time 2m, cpus 2, memory 256M, gpus 1": in the keys of an allocation; "" where nothing is
/// advised. cpus and gpus are those of a task.
std::string next_text(const JobUse& use);

/// At most six lines for the end of the job's log; none if it asked for nothing that is known.
std::vector<std::string> report_lines(const JobUse& use);

/// Reads the JSON lines of a record and prints report_lines() to standard error at its end, which
/// comes after the record was closed; each begins with "epochcast: ", which importers of logs know.
/// Never throws.
class ReportAtEnd {
 public:
  /// `record`: the path of the record; empty: nothing is printed, as on ranks that write none.
  explicit ReportAtEnd(std::string record) : record_(std::move(record)) {}
  ~ReportAtEnd();
  ReportAtEnd(ReportAtEnd&&) = delete;

 private:
  std::string record_;
};

}  // namespace epochcast::efficiency
