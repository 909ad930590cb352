// Time limits from forecasts, and pieces of a run for sites with shorter limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobs/cluster/cluster.hpp"
#include "jobs/ledger/margin.hpp"
#include "jobs/submit/submit.hpp"
#include "src/base/core/quantity.hpp"
#include "src/forecast/ledger/ledger.hpp"

namespace epochcast::jobs {

/// The longest expected duration of a job: the upper bound of its forecast.
struct JobTime {
  double before_s = 0;   ///< From the job's start to the program's.
  double program_s = 0;  ///< From there to its end.

  double total_s() const { return before_s + program_s; }
};

/// The shorter limit that suffices for a run that takes as little as its forecast allows (95 %), by
/// `time_min: forecast`; nothing without that, without a forecast, and if it is no shorter.
std::optional<Seconds> least_limit(const ledger::LedgerRow& row, const Cluster& cluster);

/// Lets the job of the row's point ask for what its forecast says: limit, shorter limit, memory.
void ask_as_forecast(const ledger::LedgerRow& row, const Cluster& cluster, SubmitRequest& request);

/// The memory to ask for, of a node that holds `high_bytes` at most: 10 % more, but at least 32 MiB
/// for what is not the program's (the shell of the script, slurmstepd, the kernel's own), in steps
/// of 16 MiB.
Bytes memory_for(double high_bytes);

/// A run over the limit, divided into pieces that resume from each other's checkpoints. Each piece
/// also needs the time before the program.
struct Pieces {
  std::int64_t count = 0;   ///< 0: the limit is too short for a piece.
  std::int64_t epochs = 0;  ///< Per piece; the last may have fewer.
};
Pieces pieces_for(const JobTime& most, std::int64_t epochs, Seconds limit, Seconds signal_lead);

/// The row asks for the limit of its allocation, as without a forecast.
void ask_for_all(ledger::LedgerRow& row, const AllocationProfile& site);

/// The row asks for the limit of a job that takes `most`. If its allocation has less, it asks for
/// that, and its remark is advice: a longer limit if the partition allows it (queried from sinfo if
/// `slurm`), otherwise pieces that resume from each other's checkpoints.
void ask_for_limit(ledger::LedgerRow& row, const JobTime& most, const AllocationProfile& site,
                   const std::string& out, bool slurm);

void add_remark(ledger::LedgerRow& row, const std::string& text);

}  // namespace epochcast::jobs
