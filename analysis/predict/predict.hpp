// What `predict` can be asked of records, a file each (predict_*.cpp).
#pragma once

#include <vector>

#include "analysis/records/records.hpp"
#include "src/base/cli/command_line.hpp"
#include "src/output/table/table.hpp"

namespace epochcast::analysis {

struct Answers {
  std::vector<table::Table> tables;
  std::size_t forecasts = 0;  ///< Those not refused; refusals are in the tables too.
};

/// How long a run of the length asked for (length_asked.hpp) takes, as each record shows. Throws
/// Error for an N that is no number above 0.
Answers predict_epochs(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments);

/// How long their steps take on --on DEVICE, and with --epochs N or --steps N whole runs. Throws
/// Error for a device that is not known, and for a --from that is not what a record says it was
/// made on.
Answers predict_on_device(const std::vector<LoadedRecord>& records,
                          const cli::Arguments& arguments);

/// How long they take on --gpus N or --cpus N on --nodes M, from records of one workload on several
/// numbers of them; with --on DEVICE on so many of these. Throws Error for an N or M that is no
/// number above 0, for an N that M does not divide, for records of different workloads and where
/// none ran on such; RunError where no record has a time to forecast from.
Answers predict_scaling(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments);

/// How long a step, and the run, take with --batch-size, --input-length, --cpus or --gpus, and
/// --nodes, several of them at once, from runs at some settings (step_surface.hpp). Throws Error
/// for a number that is not above 0, for records of different workloads or hardware, and for
/// an option that is missing although the records differ in it; RunError where no record has a step
/// to forecast from.
Answers predict_surface(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments);

/// The most memory that they hold with --batch-size, --input-length, --cpus or --gpus, and --nodes,
/// and whether --on DEVICE has it (memory_law.hpp). Throws as predict_surface does, and Error for a
/// device that is not known.
Answers predict_memory(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments);

/// From which size of network on one allocation overtakes another, from short runs of three
/// networks or more on each. With --from, a file of measure-device, waking the threads of a CPU is
/// part of a step. Throws Error for a device that is not known, and if it has no time of waking.
Answers predict_crossover(const std::vector<LoadedRecord>& records,
                          const cli::Arguments& arguments);

/// Up to which load each recorded service keeps the threshold (--threshold, else that of its load),
/// and its latency at --load, else around that load. Throws Error for a load or a threshold that is
/// no number above 0.
Answers predict_serving(const std::vector<LoadedRecord>& records, const cli::Arguments& arguments);

/// How long each run of a table (CSV: path,dur_s,... with a row for each epoch, block or step)
/// takes, from each number --each of its units; with --apart COLUMN also from other runs of the
/// table. Throws Error for a column that is missing, and for a number below 1.
Answers predict_each(const std::vector<std::string>& paths, const cli::Arguments& arguments);

/// The cells of a column step_s, throughput or peak_bytes of a table that are empty, from the other
/// rows of the same workload. Throws Error where there is no such column.
Answers predict_fill(const std::vector<std::string>& paths);

/// The time of each workload of a table (device_times.hpp) on each of its devices from that on each
/// other one, by every method. Throws Error where no workload was measured on two.
Answers predict_pairs(const std::vector<std::string>& paths);

/// Of each job of histories (import sacct) `what`: "waits" in the queue (past_waits.hpp), or
/// "times" to run, with limits (past_runs.hpp), from what was known when the first job of its batch
/// became eligible or was submitted. Throws Error for another `what`.
Answers predict_jobs(const std::vector<std::string>& paths, const std::string& what);

}  // namespace epochcast::analysis
