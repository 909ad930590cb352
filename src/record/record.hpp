// The record schema: one HDF5 file per attempt at one point. Every row type and every table is
// declared here, once. The writer, the reader, the JSON lines next to the file, `verify`,
// `salvage`, `schema` and the CSV export use these declarations.
//
// Requirements: h5py and pandas open the file without extra code (rows are flat compounds of 64-bit
// numbers and fixed-length text), and the file survives SIGKILL at any time (every object is
// created at the start; rows are appended and flushed). In 200 kills, such a file lost no data; a
// file that also created groups during the run was lost once; SWMR files did not open without
// special flags.
//
// Fields are matched by name: a reader sets missing fields to their defaults and ignores unknown
// fields. A new field is a member and a line of its table, and needs no new schema version. A
// changed meaning or unit needs a new name. A renamed field keeps its old_name.
//
// All times are seconds of a monotonic clock since the process started, unless a name ends in _at
// (ISO 8601 with offset).
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "src/base/core/fields.hpp"
#include "src/record/fixed_text.hpp"
#include "src/record/operator_rows.hpp"
#include "src/record/run/outcome.hpp"
#include "src/record/serving_rows.hpp"
#include "src/record/stream_rows.hpp"
#include "src/record/telemetry_rows.hpp"

namespace epochcast::record {

inline constexpr std::int64_t record_schema_version = 1;

/// Identity and outcome of the attempt: the root attributes.
struct RecordHeader {
  std::int64_t schema_version = record_schema_version;
  FixedText<32> tool_version;
  FixedText<64> tool_revision;
  FixedText<32> created_at;
  FixedText<32> finished_at;
  FixedText<64> source{"measured"};
  FixedText<16> outcome{to_text(run::Outcome::running)};
  FixedText<1024> outcome_text;
  FixedText<16> cause;
  std::int64_t pilot_done = 0;
  FixedText<128> point;
  FixedText<64> experiment;
  FixedText<64> allocation;
  FixedText<32> job_id;
  std::int64_t restart = 0;
  FixedText<256> resumed_from;
  FixedText<256> tainted;
  FixedText<1024> note;
  FixedText<32> progress_source;
  FixedText<64> program_revision;
};
constexpr auto fields_of(Tag<RecordHeader>) {
  return FieldTable{
      Field{"schema_version", "1", "Version of the schema; a reader rejects newer versions",
            &RecordHeader::schema_version},
      Field{"tool_version", "1", "Version of the program that wrote the record",
            &RecordHeader::tool_version},
      Field{"tool_revision", "1", "Git revision of its sources", &RecordHeader::tool_revision},
      Field{"created_at", "1", "Start of the run", &RecordHeader::created_at},
      Field{"finished_at", "1", "End of the run; empty while it runs or if it was killed",
            &RecordHeader::finished_at},
      Field{"source", "1", "measured, imported:KIND, published or simulated",
            &RecordHeader::source},
      Field{"outcome", "1",
            "running, complete, stopped (early, with a partial result), failed or lost",
            &RecordHeader::outcome},
      Field{"outcome_text", "1", "Reason for the outcome, one line", &RecordHeader::outcome_text},
      Field{"cause", "1",
            "Cause of failure: out_of_memory, time_limit, cancelled, preempted, node_failure or "
            "other; of a stop also before_limit; empty: none",
            &RecordHeader::cause},
      Field{"pilot_done", "1",
            "1: a pilot of a program, stopped when its epochs or its time were done; 0: not so",
            &RecordHeader::pilot_done},
      Field{"point", "1", "Id of the point of the experiment", &RecordHeader::point},
      Field{"experiment", "1", "Name of the experiment", &RecordHeader::experiment},
      Field{"allocation", "1", "Name of the allocation in the cluster profile",
            &RecordHeader::allocation},
      Field{"job_id", "1", "Slurm job id, or local-PID", &RecordHeader::job_id},
      Field{"restart", "1", "Number of requeues of the job before this attempt",
            &RecordHeader::restart},
      Field{"resumed_from", "1", "Record of the attempt from whose checkpoint this attempt resumed",
            &RecordHeader::resumed_from},
      Field{"tainted", "1", "Why the times must not be compared with others (empty: comparable)",
            &RecordHeader::tainted},
      Field{"note", "1", "Remark about the values", &RecordHeader::note},
      Field{"progress_source", "1",
            "Of a program of others: what its epochs were read from (a progress format, pattern, "
            "events, ...), or none",
            &RecordHeader::progress_source},
      Field{"program_revision", "1",
            "Of a program of others: git commit of its folder, with -dirty if files have changed",
            &RecordHeader::program_revision},
  };
}

/// One parameter of the run, as in src/record/run/parameter.hpp.
struct ParameterRow {
  FixedText<64> name;
  FixedText<1024> value;
  FixedText<16> type;
  FixedText<32> unit;
};
constexpr auto fields_of(Tag<ParameterRow>) {
  return FieldTable{
      Field{"name", "1", "Name; options have the prefix model., dataset. or optimizer.",
            &ParameterRow::name},
      Field{"value", "1", "Value as text", &ParameterRow::value},
      Field{"type", "1", "flag, integer, number, text, duration or size", &ParameterRow::type},
      Field{"unit", "1", "Unit; 1 for a count or a label", &ParameterRow::unit},
  };
}

/// Replaces a value that was renamed since the record was written (run::current_value).
void use_current_value(ParameterRow& row);
template <class Row>
void use_current_value(Row& /*other*/) {}

/// What the run computes: counted, not timed.
struct Work {
  std::int64_t parameter_count = 0;
  double flops_per_sample = 0;
  double convolution_flops_per_sample = 0;
  double bytes_per_sample = 0;
  std::int64_t samples_per_epoch = 0;
  std::int64_t iterations_per_epoch = 0;
  FixedText<64> precision;
};
constexpr auto fields_of(Tag<Work>) {
  return FieldTable{
      Field{"parameter_count", "1", "Trainable parameters", &Work::parameter_count},
      Field{"flops_per_sample", "FLOP",
            "Counted: 2 FLOP per multiply-add of convolutions and matrix products, forward and "
            "backward (inference: forward)",
            &Work::flops_per_sample},
      Field{"convolution_flops_per_sample", "FLOP", "Part of flops_per_sample in convolutions",
            &Work::convolution_flops_per_sample},
      Field{"bytes_per_sample", "B",
            "Counted: bytes of the tensors that these operators read and write, without caches",
            &Work::bytes_per_sample},
      Field{"samples_per_epoch", "samples", "Samples per epoch", &Work::samples_per_epoch},
      Field{"iterations_per_epoch", "iterations", "Steps per epoch", &Work::iterations_per_epoch},
      Field{"precision", "1", "Arithmetic used: fp32, fp32+tf32-conv, ...", &Work::precision},
  };
}

/// The machine of one rank.
struct Machine {
  std::int64_t rank = 0;
  FixedText<64> host;
  FixedText<40> boot_id;
  FixedText<96> cpu_model;
  std::int64_t sockets = 0;
  std::int64_t cores = 0;
  std::int64_t hardware_threads = 0;
  std::int64_t threads_per_core = 0;
  FixedText<256> cpus_allowed;
  std::int64_t cpus_allowed_count = 0;
  std::int64_t threads_used = 0;
  FixedText<32> governor;
  std::int64_t memory_bytes = 0;
  double load_1min = 0;
  FixedText<96> gpu_name;
  FixedText<64> gpu_uuid;
  std::int64_t gpu_memory_bytes = 0;
  double gpu_clock_mhz = 0;
  double gpu_memory_clock_mhz = 0;
  double gpu_power_limit_w = 0;
  FixedText<32> gpu_driver;
  FixedText<128> libraries;
  FixedText<64> binary_sha256;
  FixedText<128> system;
};
constexpr auto fields_of(Tag<Machine>) {
  return FieldTable{
      Field{"rank", "1", "Rank of the process", &Machine::rank},
      Field{"host", "1", "Host name", &Machine::host},
      Field{"boot_id", "1", "Boot id of the kernel; hosts with the same id are one machine",
            &Machine::boot_id},
      Field{"cpu_model", "1", "CPU model", &Machine::cpu_model},
      Field{"sockets", "1", "CPU sockets", &Machine::sockets},
      Field{"cores", "1", "Physical cores of the host", &Machine::cores},
      Field{"hardware_threads", "1", "Hardware threads of the host", &Machine::hardware_threads},
      Field{"threads_per_core", "1", "Hardware threads per core (2: SMT is on)",
            &Machine::threads_per_core},
      Field{"cpus_allowed", "1", "CPU affinity of the process, as a list", &Machine::cpus_allowed},
      Field{"cpus_allowed_count", "1", "Number of CPUs in cpus_allowed",
            &Machine::cpus_allowed_count},
      Field{"threads_used", "1", "Threads used for computation", &Machine::threads_used},
      Field{"governor", "1", "Frequency governor of the first allowed CPU", &Machine::governor},
      Field{"memory_bytes", "B", "Memory of the host", &Machine::memory_bytes},
      Field{"load_1min", "1", "Load average of the host at the start", &Machine::load_1min},
      Field{"gpu_name", "1", "GPU of the rank; empty: none", &Machine::gpu_name},
      Field{"gpu_uuid", "1", "UUID of the GPU", &Machine::gpu_uuid},
      Field{"gpu_memory_bytes", "B", "Memory of the GPU", &Machine::gpu_memory_bytes},
      Field{"gpu_clock_mhz", "MHz", "Maximum SM clock", &Machine::gpu_clock_mhz},
      Field{"gpu_memory_clock_mhz", "MHz", "Maximum memory clock", &Machine::gpu_memory_clock_mhz},
      Field{"gpu_power_limit_w", "W", "Power limit", &Machine::gpu_power_limit_w},
      Field{"gpu_driver", "1", "Version of the GPU driver", &Machine::gpu_driver},
      Field{"libraries", "1", "Versions of LibTorch, CUDA and cuDNN", &Machine::libraries},
      Field{"binary_sha256", "1", "SHA-256 of the program", &Machine::binary_sha256},
      Field{"system", "1", "Kernel and distribution", &Machine::system},
  };
}

/// One property of the allocation: requested and received.
struct AllocationRow {
  FixedText<32> name;
  FixedText<256> asked;
  FixedText<256> got;
  FixedText<16> difference;
};
constexpr auto fields_of(Tag<AllocationRow>) {
  return FieldTable{
      Field{"name", "1", "Property: partition, nodes, cpus, gpus, memory, time, ...",
            &AllocationRow::name},
      Field{"asked", "1", "Value that the script requested", &AllocationRow::asked},
      Field{"got", "1", "Value that the scheduler granted or the machine has; empty: unknown",
            &AllocationRow::got},
      Field{"difference", "1",
            "Empty: no relevant difference; scheduler: taints the record; hardware: only recorded",
            &AllocationRow::difference},
  };
}

/// A named phase of the run.
struct Span {
  FixedText<32> name;
  std::int64_t epoch = -1;
  double start_s = 0;
  double duration_s = 0;
};
constexpr auto fields_of(Tag<Span>) {
  return FieldTable{
      Field{"name", "1",
            "init, data_open, first_iteration, train, evaluate, evaluate_within (an epoch), "
            "sample, checkpoint, finish, record; choose_kernels: measured which algorithms are "
            "faster "
            "here, in none of the times of steps and epochs; command: a watched program; warm_up, "
            "load "
            "and drain: of a service; begin_unknown: the first epoch began within it",
            &Span::name},
      Field{"epoch", "epochs", "Epoch of the phase, from 0; -1: none", &Span::epoch},
      Field{"start_s", "s", "Start time", &Span::start_s},
      Field{"duration_s", "s", "Duration", &Span::duration_s},
  };
}
/// The output does not show when the first epoch began: somewhere within this span, which ends with
/// the epoch.
inline constexpr std::string_view begin_unknown_span = "begin_unknown";

/// A phase of the run that belongs to no epoch.
inline Span run_span(std::string_view name, double start_s, double end_s) {
  return {.name = name, .start_s = start_s, .duration_s = end_s - start_s};
}

/// One step.
struct Iteration {
  std::int64_t rank = 0;
  std::int64_t epoch = 0;
  std::int64_t index = 0;
  double start_s = 0;
  double wait_s = 0;
  double step_s = 0;
  double device_s = 0;
  double gradient_sync_wait_s = 0;
  std::int64_t samples = 0;
  double work = 0;
};
constexpr auto fields_of(Tag<Iteration>) {
  return FieldTable{
      Field{"rank", "1", "Rank of the process", &Iteration::rank},
      Field{"epoch", "epochs", "Epoch, from 0", &Iteration::epoch},
      Field{"index", "iterations", "Step within the epoch, from 0", &Iteration::index},
      Field{"start_s", "s", "Start time (before waiting for data), on the clock of rank 0",
            &Iteration::start_s},
      Field{"wait_s", "s", "Time waiting for the batch", &Iteration::wait_s},
      Field{"step_s", "s", "Duration of the step on the host (on a GPU: until the step is queued)",
            &Iteration::step_s},
      Field{"device_s", "s", "Duration of the step on the GPU, from CUDA events; 0: no GPU",
            &Iteration::device_s},
      Field{"gradient_sync_wait_s", "s",
            "Part of the step spent waiting for the gradients of other ranks (not hidden by the "
            "backward pass)",
            &Iteration::gradient_sync_wait_s, "", "exchange_s"},
      Field{"samples", "samples", "Samples in the rank's batch", &Iteration::samples},
      Field{"work", "FLOP", "Counted FLOP of the rank's step", &Iteration::work},
  };
}

/// One epoch.
struct Epoch {
  std::int64_t epoch = 0;
  double start_s = 0;
  double wall_s = 0;
  double wait_s = 0;
  double evaluate_s = 0;
  double checkpoint_s = 0;
  std::int64_t samples = 0;
  std::int64_t iterations = 0;
};
constexpr auto fields_of(Tag<Epoch>) {
  return FieldTable{
      Field{"epoch", "epochs", "Epoch, from 0", &Epoch::epoch},
      Field{"start_s", "s", "Start time", &Epoch::start_s},
      Field{"wall_s", "s",
            "Duration without evaluation, sample images and checkpoint; the device is idle at both "
            "ends",
            &Epoch::wall_s},
      Field{"wait_s", "s", "Part of wall_s spent waiting for data", &Epoch::wait_s},
      Field{"evaluate_s", "s", "Duration of the evaluation and sample images after the epoch",
            &Epoch::evaluate_s},
      Field{"checkpoint_s", "s", "Duration of the checkpoint after the epoch",
            &Epoch::checkpoint_s},
      Field{"samples", "samples", "Samples processed", &Epoch::samples},
      Field{"iterations", "iterations", "Steps", &Epoch::iterations},
  };
}

/// One number that the training reports.
struct Metric {
  std::int64_t epoch = 0;
  FixedText<32> name;
  double value = 0;
  std::int64_t iteration = 0;
};
constexpr auto fields_of(Tag<Metric>) {
  return FieldTable{
      Field{"epoch", "epochs", "Epoch, from 0; -1: whole run", &Metric::epoch},
      Field{
          "name", "1",
          "loss, accuracy (on training batches), val_loss, val_accuracy, "
          "val_balanced_accuracy, val_precision, val_recall, val_f1 (on held-out data), loss_d, "
          "loss_g, examples_per_s, peak_memory_bytes (maximum over the processes so far), "
          "peak_gpu_memory_bytes (reported by LibTorch), peak_gpu_memory_of_trials_bytes (with the "
          "first steps, in which cuDNN tries algorithms), ...",
          &Metric::name},
      Field{"value", "1", "Value", &Metric::value},
      Field{"iteration", "iterations",
            "For an evaluation within the epoch: number of steps before it; 0: after the epoch",
            &Metric::iteration},
  };
}

/// Time of one collective operation at one message size, measured before the first epoch.
struct Probe {
  FixedText<32> name;
  FixedText<16> backend;
  std::int64_t ranks = 0;
  std::int64_t nodes = 0;
  std::int64_t message_bytes = 0;
  double seconds = 0;
  std::int64_t repeats = 0;
};
constexpr auto fields_of(Tag<Probe>) {
  return FieldTable{
      Field{"name", "1", "Collective operation: all_reduce", &Probe::name},
      Field{"backend", "1", "gloo or nccl", &Probe::backend},
      Field{"ranks", "1", "Number of ranks", &Probe::ranks},
      Field{"nodes", "1", "Number of nodes", &Probe::nodes},
      Field{"message_bytes", "B", "Message size; the smallest gives the latency",
            &Probe::message_bytes},
      Field{"seconds", "s", "Median duration, measured on rank 0", &Probe::seconds},
      Field{"repeats", "1", "Number of timed operations", &Probe::repeats},
  };
}

/// Which of two ways to compute the same values was chosen on this machine (rank 0).
struct KernelChoice {
  FixedText<32> kernel;
  FixedText<64> sizes;
  FixedText<32> chosen;
  double chosen_s = 0;
  FixedText<32> rejected;
  double rejected_s = 0;
  FixedText<32> measured_at;
};
constexpr auto fields_of(Tag<KernelChoice>) {
  return FieldTable{
      Field{"kernel", "1",
            "Computation: linear, matrix_product, linear_weight_gradient, "
            "transposed_convolution, convolution_weight_gradient, ...",
            &KernelChoice::kernel},
      Field{"sizes", "1", "Sizes that the choice holds for", &KernelChoice::sizes},
      Field{"chosen", "1", "Library or algorithm that computes it", &KernelChoice::chosen},
      Field{"chosen_s", "s", "Its duration when both were measured", &KernelChoice::chosen_s},
      Field{"rejected", "1", "The other library or algorithm", &KernelChoice::rejected},
      Field{"rejected_s", "s", "Its duration", &KernelChoice::rejected_s},
      Field{"measured_at", "1", "When both were measured; before created_at: in an earlier run",
            &KernelChoice::measured_at},
  };
}

/// The whole record in memory.
struct Record {
  RecordHeader header;
  std::vector<ParameterRow> parameters;
  std::vector<Work> work;
  std::vector<Machine> machines;
  std::vector<AllocationRow> allocation;
  std::vector<Span> spans;
  std::vector<Iteration> iterations;
  std::vector<Epoch> epochs;
  std::vector<Metric> metrics;
  std::vector<Probe> probes;
  std::vector<KernelChoice> kernels;
  std::vector<EpochUsage> usage;
  std::vector<Telemetry> telemetry;
  std::vector<CpuTelemetry> telemetry_cpus;
  std::vector<GpuTelemetry> telemetry_gpus;
  std::vector<Profile> profile;
  std::vector<Operator> operators;
  std::vector<OperatorShape> operator_shapes;
  std::vector<StreamBatch> stream_batches;
  std::vector<ServingStage> serving_stages;
  std::vector<ServingSecond> serving_seconds;
  std::vector<ServingLatency> serving_latencies;
  std::vector<ServingPass> serving_passes;
  std::string modules;  ///< `module list` and the environment, as text.
};

/// A table of the record: a one-dimensional data set of compounds.
template <class Row>
struct RecordTable {
  std::string_view name;  ///< Also its path in the file: "/iterations".
  std::string_view meaning;
  std::vector<Row> Record::*rows;
};

inline constexpr std::tuple record_tables{
    RecordTable<ParameterRow>{"parameters", "Parameters of the run", &Record::parameters},
    RecordTable<Work>{"work", "What the run computes: counted, one row", &Record::work},
    RecordTable<Machine>{"machines", "Machine, one row per rank", &Record::machines},
    RecordTable<AllocationRow>{"allocation", "Requested and granted resources",
                               &Record::allocation},
    RecordTable<Span>{"spans", "Named phases of the run", &Record::spans},
    RecordTable<Iteration>{"iterations", "Steps", &Record::iterations},
    RecordTable<Epoch>{"epochs", "Epochs", &Record::epochs},
    RecordTable<Metric>{"metrics", "Metrics that the training reports, long format",
                        &Record::metrics},
    RecordTable<Probe>{"probes", "Measured network between the ranks; empty for one rank",
                       &Record::probes},
    RecordTable<KernelChoice>{"kernels", "Algorithms chosen by a measurement on this machine",
                              &Record::kernels},
    RecordTable<EpochUsage>{"usage", "What each epoch had of its machine, and what others took",
                            &Record::usage},
    RecordTable<Telemetry>{"telemetry", "Samples of process, CPUs, cgroup and node",
                           &Record::telemetry},
    RecordTable<CpuTelemetry>{"telemetry_cpus", "Samples of each allocated CPU",
                              &Record::telemetry_cpus},
    RecordTable<GpuTelemetry>{"telemetry_gpus", "Samples of the GPUs of the ranks; empty: none",
                              &Record::telemetry_gpus},
    RecordTable<Profile>{"profile", "What was profiled; empty: nothing", &Record::profile},
    RecordTable<Operator>{"operators", "Operators of the profiled steps of rank 0",
                          &Record::operators},
    RecordTable<OperatorShape>{"operator_shapes",
                               "The same by the shapes of the inputs; empty: not recorded",
                               &Record::operator_shapes},
    RecordTable<StreamBatch>{"stream_batches", "Batches of a stream that were answered",
                             &Record::stream_batches},
    RecordTable<ServingStage>{"serving_stages", "Stages of the load on a service; empty: none",
                              &Record::serving_stages},
    RecordTable<ServingSecond>{"serving_seconds", "Seconds of the load on a service",
                               &Record::serving_seconds},
    RecordTable<ServingLatency>{"serving_latencies", "Histograms of latencies, by stage",
                                &Record::serving_latencies},
    RecordTable<ServingPass>{"serving_passes", "Forward passes of the service, by their inputs",
                             &Record::serving_passes},
};

/// Calls `visit(table)` for every table of the record.
template <class Visitor>
constexpr void for_each_table(Visitor&& visit) {
  std::apply([&](const auto&... table) { (visit(table), ...); }, record_tables);
}

}  // namespace epochcast::record
