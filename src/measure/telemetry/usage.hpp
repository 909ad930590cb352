// From samples to epochs: what the run had of its machines during a span of time, and what
// others took. Pure functions of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::telemetry {

/// The time that a row of usage covers.
struct TimeSpan {
  std::int64_t epoch = -1;
  double start_s = 0;
  double end_s = 0;
};

/// The rows of all ranks; of samples that reach over an end of the span, it gets its share by
/// time. Ranks on the same machine with the same CPUs share one row, since the time of one is not
/// that of others for the other. `other_cpu_s` is the busy time of the CPUs, without interrupts,
/// less the CPU time of these ranks; ticks of 10 ms make it inexact by some 20 ms a CPU.
/// No row for CPUs that no sample covers.
std::vector<record::EpochUsage> usage_of(const TimeSpan& span,
                                         std::span<const record::Machine> machines,
                                         std::span<const record::Telemetry> samples,
                                         std::span<const record::GpuTelemetry> gpus);

/// The usage of a span from that of its two parts, one after the other, by the same ranks.
record::EpochUsage joined(const record::EpochUsage& first, const record::EpochUsage& second);

}  // namespace epochcast::telemetry
