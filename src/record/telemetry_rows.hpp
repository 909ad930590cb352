// Rows of telemetry: what the machine did during the run. They are sampled by a thread of the
// process (src/measure/telemetry); each row tells the time since the sample before it, so that rows
// that survive a kill need no others.
//
// A number that was not measured is NaN, the default of these fields: the kernel, the cgroup or the
// driver does not report it. In the JSON lines it is "nan", in tables an empty cell.
#pragma once

#include <cstdint>
#include <limits>

#include "src/base/core/fields.hpp"
#include "src/record/fixed_text.hpp"

namespace epochcast::record {

inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// One sample of a rank: its process, the CPUs that it may use, its cgroup and its node.
struct Telemetry {
  std::int64_t rank = 0;
  double end_s = 0;
  double duration_s = 0;
  std::int64_t cpus = 0;
  double own_cpu_s = not_measured;
  double cpu_wait_s = not_measured;
  double cpus_busy_s = not_measured;
  double cpus_interrupt_s = not_measured;
  double cpus_steal_s = not_measured;
  std::int64_t node_cpus = 0;
  double node_busy_s = not_measured;
  double stopped_s = 0;
  double throttled_s = not_measured;
  double cpu_stall_s = not_measured;
  double memory_stall_s = not_measured;
  double io_stall_s = not_measured;
  FixedText<8> stalls_of;
  double resident_bytes = not_measured;
  double swapped_bytes = not_measured;
  double major_faults = not_measured;
  double cgroup_memory_bytes = not_measured;
  double memory_limit_hits = not_measured;
  double read_bytes = not_measured;
  double written_bytes = not_measured;
  double node_available_bytes = not_measured;
  double package_energy_j = not_measured;
  double dram_energy_j = not_measured;
  double sampler_cpu_s = 0;
  FixedText<64> other_program;
  double other_program_share = not_measured;
};
constexpr auto fields_of(Tag<Telemetry>) {  // NOLINT(readability-function-size): a list
  return FieldTable{
      Field{"rank", "1", "Rank of the process", &Telemetry::rank},
      Field{"end_s", "s", "Time of the sample, on the clock of rank 0", &Telemetry::end_s},
      Field{"duration_s", "s", "Time since the sample before; the other fields are of this time",
            &Telemetry::duration_s},
      Field{"cpus", "1", "CPUs that the process may use", &Telemetry::cpus},
      Field{"own_cpu_s", "s",
            "CPU time of the process and of children that it has waited for; epochcast-run: of all "
            "processes below it",
            &Telemetry::own_cpu_s},
      Field{"cpu_wait_s", "s",
            "Time in which a thread of the process was ready and waited for a CPU: of the thread "
            "that waited longest; epochcast-run: of the program's threads",
            &Telemetry::cpu_wait_s},
      Field{"cpus_busy_s", "s", "CPU time of all programs on these CPUs, sum over the CPUs",
            &Telemetry::cpus_busy_s},
      Field{"cpus_interrupt_s", "s", "Time of interrupts on these CPUs",
            &Telemetry::cpus_interrupt_s},
      Field{"cpus_steal_s", "s",
            "Time that the hypervisor gave to others while these CPUs had work",
            &Telemetry::cpus_steal_s},
      Field{"node_cpus", "1", "CPUs of the node", &Telemetry::node_cpus},
      Field{"node_busy_s", "s", "CPU time of all programs and interrupts on all CPUs of the node",
            &Telemetry::node_busy_s},
      Field{"stopped_s", "s",
            "Time in which the process did not run at all although its timer had ended: SIGSTOP, "
            "or the machine was paused",
            &Telemetry::stopped_s},
      Field{"throttled_s", "s", "CPU time that the CPU limit of the cgroup kept back",
            &Telemetry::throttled_s},
      Field{"cpu_stall_s", "s", "Pressure (PSI, some): time in which a task waited for a CPU",
            &Telemetry::cpu_stall_s},
      Field{"memory_stall_s", "s", "Pressure (PSI, some): time in which a task waited for memory",
            &Telemetry::memory_stall_s},
      Field{"io_stall_s", "s", "Pressure (PSI, some): time in which a task waited for a disk",
            &Telemetry::io_stall_s},
      Field{"stalls_of", "1", "Whose pressure this is: cgroup or node; empty: not measured",
            &Telemetry::stalls_of},
      Field{"resident_bytes", "B",
            "Most resident memory of the process since the sample before: at the sample, or a new "
            "peak that the kernel keeps",
            &Telemetry::resident_bytes},
      Field{"swapped_bytes", "B", "Memory of the process that is swapped out",
            &Telemetry::swapped_bytes},
      Field{"major_faults", "1", "Page faults of the process that read from a disk",
            &Telemetry::major_faults},
      Field{"cgroup_memory_bytes", "B", "Memory of the cgroup at the sample",
            &Telemetry::cgroup_memory_bytes},
      Field{"memory_limit_hits", "1", "Allocations that met a memory limit of the cgroup",
            &Telemetry::memory_limit_hits},
      Field{"read_bytes", "B", "Bytes read from disks for the process", &Telemetry::read_bytes},
      Field{"written_bytes", "B", "Bytes written to disks for the process",
            &Telemetry::written_bytes},
      Field{"node_available_bytes", "B", "Memory of the node that programs could still get",
            &Telemetry::node_available_bytes},
      Field{"package_energy_j", "J", "Energy of all CPU packages of the node (RAPL)",
            &Telemetry::package_energy_j},
      Field{"dram_energy_j", "J",
            "Energy of the memory of the node (RAPL), if it is counted apart from the packages",
            &Telemetry::dram_energy_j},
      Field{"sampler_cpu_s", "s", "CPU time of the sampling itself", &Telemetry::sampler_cpu_s},
      Field{"other_program", "1",
            "Program that used most of the CPU time of others since it was last looked for; empty: "
            "not looked for now, or not visible",
            &Telemetry::other_program},
      Field{"other_program_share", "1", "Its share of the CPU time of others",
            &Telemetry::other_program_share},
  };
}

/// One allocated CPU during one sample, or during several of a long run.
struct CpuTelemetry {
  std::int64_t rank = 0;
  double end_s = 0;
  double duration_s = 0;
  std::int64_t cpu = 0;
  double busy_s = 0;
  double interrupt_s = 0;
  double steal_s = 0;
  double frequency_mhz = not_measured;
};
constexpr auto fields_of(Tag<CpuTelemetry>) {
  return FieldTable{
      Field{"rank", "1", "Rank of the process that may use the CPU", &CpuTelemetry::rank},
      Field{"end_s", "s", "Time of the sample, on the clock of rank 0", &CpuTelemetry::end_s},
      Field{"duration_s", "s", "Time that the row tells of", &CpuTelemetry::duration_s},
      Field{"cpu", "1", "Number of the CPU", &CpuTelemetry::cpu},
      Field{"busy_s", "s", "CPU time of all programs on it", &CpuTelemetry::busy_s},
      Field{"interrupt_s", "s", "Time of interrupts on it", &CpuTelemetry::interrupt_s},
      Field{"steal_s", "s", "Time that the hypervisor gave to others while it had work",
            &CpuTelemetry::steal_s},
      Field{"frequency_mhz", "MHz", "Frequency at the sample", &CpuTelemetry::frequency_mhz},
  };
}

/// One GPU during one sample.
struct GpuTelemetry {
  std::int64_t rank = 0;
  double end_s = 0;
  double duration_s = 0;
  std::int64_t gpu = 0;
  FixedText<64> uuid;
  double use = not_measured;
  double memory_use = not_measured;
  double memory_bytes = not_measured;
  double power_w = not_measured;
  double energy_j = not_measured;
  double clock_mhz = not_measured;
  double memory_clock_mhz = not_measured;
  double temperature_c = not_measured;
  std::int64_t throttle_reasons = 0;
  double other_processes = not_measured;
  double other_use = not_measured;
};
constexpr auto fields_of(Tag<GpuTelemetry>) {
  return FieldTable{
      Field{"rank", "1", "Rank of the process that computes on the GPU", &GpuTelemetry::rank},
      Field{"end_s", "s", "Time of the sample, on the clock of rank 0", &GpuTelemetry::end_s},
      Field{"duration_s", "s", "Time since the sample before", &GpuTelemetry::duration_s},
      Field{"gpu", "1", "Index of the GPU in PCI order", &GpuTelemetry::gpu},
      Field{"uuid", "1", "UUID of the GPU", &GpuTelemetry::uuid},
      Field{"use", "1", "Share of the driver's last period in which a kernel ran",
            &GpuTelemetry::use},
      Field{"memory_use", "1", "Share of that period in which its memory was read or written",
            &GpuTelemetry::memory_use},
      Field{"memory_bytes", "B", "Memory in use on the GPU, by all processes",
            &GpuTelemetry::memory_bytes},
      Field{"power_w", "W", "Power at the sample", &GpuTelemetry::power_w},
      Field{"energy_j", "J",
            "Energy since the sample before: the driver's counter; without one, power times time",
            &GpuTelemetry::energy_j},
      Field{"clock_mhz", "MHz", "SM clock", &GpuTelemetry::clock_mhz},
      Field{"memory_clock_mhz", "MHz", "Memory clock", &GpuTelemetry::memory_clock_mhz},
      Field{"temperature_c", "degC", "Temperature", &GpuTelemetry::temperature_c},
      Field{"throttle_reasons", "1", "Why the clock is not higher: NVML's bits, added up",
            &GpuTelemetry::throttle_reasons},
      Field{"other_processes", "1", "Other processes that compute on the GPU",
            &GpuTelemetry::other_processes},
      Field{"other_use", "1", "Share of time in which kernels of other processes ran",
            &GpuTelemetry::other_use},
  };
}

/// What an epoch had of its machine and what others took; one row per epoch and set of CPUs. Sums
/// of the telemetry during the epoch with its evaluation and checkpoint.
struct EpochUsage {
  std::int64_t epoch = -1;
  std::int64_t rank = 0;
  double start_s = 0;
  double duration_s = 0;
  double covered_s = 0;
  std::int64_t cpus = 0;
  std::int64_t threads = 0;
  double own_cpu_s = not_measured;
  double cpu_wait_s = not_measured;
  double other_cpu_s = not_measured;
  double steal_s = not_measured;
  double throttled_s = not_measured;
  double stopped_s = 0;
  double memory_stall_s = not_measured;
  FixedText<8> stalls_of;
  double io_stall_s = not_measured;
  double major_faults = not_measured;
  double memory_limit_hits = not_measured;
  double resident_bytes = not_measured;
  double node_use = not_measured;
  double cpu_energy_j = not_measured;
  double gpu_energy_j = not_measured;
  double gpu_use = not_measured;
  double gpu_other_use = not_measured;
  double gpu_hot_s = not_measured;
  FixedText<64> other_program;
  double other_program_share = not_measured;
};
constexpr auto fields_of(Tag<EpochUsage>) {
  return FieldTable{
      Field{"epoch", "epochs", "Epoch, from 0; -1: the whole run of a watched command",
            &EpochUsage::epoch},
      Field{"rank", "1", "Lowest rank on these CPUs", &EpochUsage::rank},
      Field{"start_s", "s", "Start time", &EpochUsage::start_s},
      Field{"duration_s", "s", "Duration, with evaluation and checkpoint", &EpochUsage::duration_s},
      Field{"covered_s", "s", "Part of it that samples tell of", &EpochUsage::covered_s},
      Field{"cpus", "1", "CPUs that the ranks may use", &EpochUsage::cpus},
      Field{"threads", "1", "Threads that compute on them", &EpochUsage::threads},
      Field{"own_cpu_s", "s", "CPU time of the ranks", &EpochUsage::own_cpu_s},
      Field{"cpu_wait_s", "s",
            "Time in which a thread of the ranks was ready and waited for a CPU: of the one that "
            "waited longest in each sample",
            &EpochUsage::cpu_wait_s},
      Field{"other_cpu_s", "s", "CPU time of other processes on these CPUs",
            &EpochUsage::other_cpu_s},
      Field{"steal_s", "s", "Time that the hypervisor gave to others", &EpochUsage::steal_s},
      Field{"throttled_s", "s", "CPU time that the CPU limit of the cgroup kept back",
            &EpochUsage::throttled_s},
      Field{"stopped_s", "s", "Time in which a process did not run at all", &EpochUsage::stopped_s},
      Field{"memory_stall_s", "s", "Time in which a task waited for memory (PSI)",
            &EpochUsage::memory_stall_s},
      Field{"stalls_of", "1", "Whose pressure this is: cgroup or node", &EpochUsage::stalls_of},
      Field{"io_stall_s", "s", "Time in which a task waited for a disk (PSI)",
            &EpochUsage::io_stall_s},
      Field{"major_faults", "1", "Page faults of the ranks that read from a disk",
            &EpochUsage::major_faults},
      Field{"memory_limit_hits", "1", "Allocations that met a memory limit",
            &EpochUsage::memory_limit_hits},
      Field{"resident_bytes", "B", "Most resident memory, sum over the ranks",
            &EpochUsage::resident_bytes},
      Field{"node_use", "1", "Share of all CPUs of the node that was busy", &EpochUsage::node_use},
      Field{"cpu_energy_j", "J",
            "Energy of the packages and the memory of the node; in one row of each node",
            &EpochUsage::cpu_energy_j},
      Field{"gpu_energy_j", "J", "Energy of the GPUs of the ranks", &EpochUsage::gpu_energy_j},
      Field{"gpu_use", "1", "Mean use of these GPUs", &EpochUsage::gpu_use},
      Field{"gpu_other_use", "1", "Mean use of these GPUs by other processes",
            &EpochUsage::gpu_other_use},
      Field{"gpu_hot_s", "s", "Time with a clock lowered because of heat or power supply",
            &EpochUsage::gpu_hot_s},
      Field{"other_program", "1",
            "Program that used most of the CPU time of others; empty: not known",
            &EpochUsage::other_program},
      Field{"other_program_share", "1", "Its share of the CPU time of others",
            &EpochUsage::other_program_share},
  };
}

}  // namespace epochcast::record
