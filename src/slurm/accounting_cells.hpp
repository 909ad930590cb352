// The cells of `sacct -P`, as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace epochcast::slurm {

/// The seconds of Elapsed: "00:01:30", "2-03:04:05", "01:30.250" (minutes, seconds and
/// thousandths). std::nullopt for any other text.
std::optional<double> parse_elapsed_s(std::string_view text);

/// The seconds of Timelimit; infinity for UNLIMITED; std::nullopt for "" and "Partition_Limit" (the
/// limit is not known) and for any other text.
std::optional<double> parse_limit_s(std::string_view text);

/// Seconds since 1970 of Submit, Start and End: "2026-11-21T02:08:52" (local time, taken as UTC),
/// also "2026-11-21 02:08" and with a zone, which is not counted; or the seconds of
/// SLURM_TIME_FORMAT=%s. std::nullopt for "Unknown", "None" and any other text.
std::optional<double> parse_stamp_s(std::string_view text);

/// Whether it is such a time, or says that there is none ("", "Unknown", "None").
bool is_stamp(std::string_view text);

/// What a job got (AllocTRES) or asked for (ReqTRES).
struct Tres {
  std::int64_t nodes = 0;
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  std::string gpu;  ///< Types, such as "t4" or "t4+v100"; empty: not known.
  std::int64_t memory_mib = 0;
};
/// Reads "billing=4,cpu=4,gres/gpu:t4=1,gres/gpu=1,mem=8G,node=1". Ignores what it does not know.
Tres parse_tres(std::string_view text);

/// The MiB of MaxRSS or of a part of TRESUsageInTot: "412K", "1.5G", bytes without a unit.
/// std::nullopt for any other text, and for 0: Slurm samples every 30 s, and has not.
std::optional<double> parse_used_mib(std::string_view text);

/// The value of `name` in "cpu=00:00:09,gres/gpuutil=87,mem=412K"; "" if it is not there.
std::string_view tres_value(std::string_view text, std::string_view name);

/// The script and its arguments of "sbatch -t 60 --mem=4G train.sh --epochs 10", or the command of
/// --wrap: what is the same for all jobs of one script, whatever their limit or dependency. Slurm
/// joins the words without quotes, so a job name with blanks is found by `job_name`; other values
/// with blanks end up in the script. Empty if there is none, as for salloc.
std::string script_of(std::string_view submit_line, std::string_view job_name = "");

/// The parts of JobID or JobIDRaw.
struct JobId {
  std::string job;            ///< "123" or "123_4"; "123_[5-9]": elements that are pending.
  bool is_step = false;       ///< "123.batch", "123.extern", "123.0".
  bool is_component = false;  ///< Of a heterogeneous job, but not the first: "123+1".
  bool operator==(const JobId&) const = default;
};
/// std::nullopt for any other text.
std::optional<JobId> parse_job_id(std::string_view text);

}  // namespace epochcast::slurm
