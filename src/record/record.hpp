// THE schema: one HDF5 file for one attempt at one point. Every row type and every table is
// declared here, once; the writer, the reader, the JSON lines beside the file, `verify`, `salvage`,
// `schema` and the CSV export walk these declarations.
//
// Constraints that decided it: the file must open in h5py and pandas with no help (rows are flat
// compounds of 64-bit numbers and fixed-length text), and must survive a kill at any instant (every
// object is made at the start, rows are appended and flushed; a file that is written so lost
// nothing in 200 of 200 kills, one that also made groups on the way lost 1 in 200, SWMR files did
// not open plainly at all).
//
// Evolution goes by name: a reader leaves fields it does not find at their defaults and ignores
// fields it does not know. A new field is a line here and no new version; a changed meaning or unit
// is a new name.
//
// All times are seconds of a monotonic clock since the process started, unless a name ends in _at
// (ISO 8601 with offset).
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "src/core/fields.hpp"
#include "src/record/fixed_text.hpp"
#include "src/run/outcome.hpp"

namespace epochcast::record {

inline constexpr std::int64_t record_schema_version = 1;

/// Who and what the record is of: the root attributes.
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
  FixedText<128> point;
  FixedText<64> experiment;
  FixedText<64> allocation;
  FixedText<32> job_id;
  std::int64_t restart = 0;
  FixedText<256> resumed_from;
  FixedText<256> tainted;
  FixedText<1024> note;
};
constexpr auto fields_of(Tag<RecordHeader>) {
  return std::tuple{
      Field{"schema_version", "1", "Version of this schema; a reader refuses a newer one",
            &RecordHeader::schema_version},
      Field{"tool_version", "1", "Version of the program that wrote the record",
            &RecordHeader::tool_version},
      Field{"tool_revision", "1", "Git revision of its sources", &RecordHeader::tool_revision},
      Field{"created_at", "1", "Start of the run", &RecordHeader::created_at},
      Field{"finished_at", "1", "End of the run; empty while it runs or when it was killed",
            &RecordHeader::finished_at},
      Field{"source", "1", "measured, imported:KIND, published or simulated",
            &RecordHeader::source},
      Field{"outcome", "1",
            "running, complete, stopped (early, partial result kept), failed or lost",
            &RecordHeader::outcome},
      Field{"outcome_text", "1", "Why, in one line", &RecordHeader::outcome_text},
      Field{"cause", "1",
            "Why it did not complete: out_of_memory, time_limit, cancelled, node_failure or other",
            &RecordHeader::cause},
      Field{"point", "1", "Id of the point of the experiment", &RecordHeader::point},
      Field{"experiment", "1", "Name of the experiment", &RecordHeader::experiment},
      Field{"allocation", "1", "Name of the allocation in the cluster's profile",
            &RecordHeader::allocation},
      Field{"job_id", "1", "Job of the scheduler, or local-PID", &RecordHeader::job_id},
      Field{"restart", "1", "How often the job was requeued before this attempt",
            &RecordHeader::restart},
      Field{"resumed_from", "1", "Record of the attempt whose checkpoint this one went on from",
            &RecordHeader::resumed_from},
      Field{"tainted", "1", "Why the times should not be compared (empty: they can be)",
            &RecordHeader::tainted},
      Field{"note", "1", "A remark that belongs beside the figures", &RecordHeader::note},
  };
}

/// One parameter of the run, as src/run/parameter.hpp.
struct ParameterRow {
  FixedText<64> name;
  FixedText<1024> value;
  FixedText<16> type;
  FixedText<32> unit;
};
constexpr auto fields_of(Tag<ParameterRow>) {
  return std::tuple{
      Field{"name", "1", "Name, with model. or dataset. before the options of those",
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

/// What the run computes, counted and not timed.
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
  return std::tuple{
      Field{"parameter_count", "1", "Trainable parameters", &Work::parameter_count},
      Field{"flops_per_sample", "FLOP",
            "Counted: 2 a multiply-add of convolutions and matrix products, forward and backward "
            "(inference: forward)",
            &Work::flops_per_sample},
      Field{"convolution_flops_per_sample", "FLOP",
            "Of which convolutions, which run at a rate of their own",
            &Work::convolution_flops_per_sample},
      Field{"bytes_per_sample", "B",
            "Counted: tensors read and written by the same operators, without caches",
            &Work::bytes_per_sample},
      Field{"samples_per_epoch", "samples", "Samples in one pass", &Work::samples_per_epoch},
      Field{"iterations_per_epoch", "iterations", "Steps in one pass", &Work::iterations_per_epoch},
      Field{"precision", "1", "Arithmetic really used: fp32, fp32+tf32-conv, ...",
            &Work::precision},
  };
}

/// The machine under one rank.
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
  return std::tuple{
      Field{"rank", "1", "Rank of the process", &Machine::rank},
      Field{"host", "1", "Host name", &Machine::host},
      Field{"boot_id", "1", "Boot of its kernel: hosts that share it are one machine",
            &Machine::boot_id},
      Field{"cpu_model", "1", "CPU model", &Machine::cpu_model},
      Field{"sockets", "1", "CPU sockets", &Machine::sockets},
      Field{"cores", "1", "Physical cores of the host", &Machine::cores},
      Field{"hardware_threads", "1", "Hardware threads of the host", &Machine::hardware_threads},
      Field{"threads_per_core", "1", "Hardware threads a core (2: SMT is on)",
            &Machine::threads_per_core},
      Field{"cpus_allowed", "1", "Affinity mask of the process, as a list", &Machine::cpus_allowed},
      Field{"cpus_allowed_count", "1", "CPUs in that mask", &Machine::cpus_allowed_count},
      Field{"threads_used", "1", "Threads the computation used", &Machine::threads_used},
      Field{"governor", "1", "Frequency governor of the first allowed CPU", &Machine::governor},
      Field{"memory_bytes", "B", "Memory of the host", &Machine::memory_bytes},
      Field{"load_1min", "1", "Load average of the host at the start", &Machine::load_1min},
      Field{"gpu_name", "1", "GPU the rank computes on; empty: none", &Machine::gpu_name},
      Field{"gpu_uuid", "1", "Its UUID", &Machine::gpu_uuid},
      Field{"gpu_memory_bytes", "B", "Its memory", &Machine::gpu_memory_bytes},
      Field{"gpu_clock_mhz", "MHz", "Its highest SM clock", &Machine::gpu_clock_mhz},
      Field{"gpu_memory_clock_mhz", "MHz", "Its highest memory clock",
            &Machine::gpu_memory_clock_mhz},
      Field{"gpu_power_limit_w", "W", "Its power limit", &Machine::gpu_power_limit_w},
      Field{"gpu_driver", "1", "Its driver", &Machine::gpu_driver},
      Field{"libraries", "1", "Versions of LibTorch, CUDA, cuDNN", &Machine::libraries},
      Field{"binary_sha256", "1", "SHA-256 of the program", &Machine::binary_sha256},
      Field{"system", "1", "Kernel and distribution", &Machine::system},
  };
}

/// One property of the allocation, asked and got.
struct AllocationRow {
  FixedText<32> name;
  FixedText<256> asked;
  FixedText<256> got;
  FixedText<16> difference;
};
constexpr auto fields_of(Tag<AllocationRow>) {
  return std::tuple{
      Field{"name", "1", "Property: partition, nodes, cpus, gpus, memory, time, ...",
            &AllocationRow::name},
      Field{"asked", "1", "What the script asked for", &AllocationRow::asked},
      Field{"got", "1", "What the scheduler gave, or the machine has; empty: not known",
            &AllocationRow::got},
      Field{"difference", "1",
            "Empty: none that matters; scheduler: taints the record; hardware: recorded only",
            &AllocationRow::difference},
  };
}

/// A named stretch of the run.
struct Span {
  FixedText<32> name;
  std::int64_t epoch = -1;
  double start_s = 0;
  double duration_s = 0;
};
constexpr auto fields_of(Tag<Span>) {
  return std::tuple{
      Field{"name", "1",
            "init, data_open, first_iteration, train, evaluate, evaluate_within (an epoch), "
            "sample, checkpoint, finish, record; command: a watched program",
            &Span::name},
      Field{"epoch", "epochs", "Epoch it belongs to, from 0; -1: none", &Span::epoch},
      Field{"start_s", "s", "Start", &Span::start_s},
      Field{"duration_s", "s", "Length", &Span::duration_s},
  };
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
  return std::tuple{
      Field{"rank", "1", "Rank of the process", &Iteration::rank},
      Field{"epoch", "epochs", "Epoch, from 0", &Iteration::epoch},
      Field{"index", "iterations", "Step within the epoch, from 0", &Iteration::index},
      Field{"start_s", "s", "Start of the wait for data, on the clock of rank 0",
            &Iteration::start_s},
      Field{"wait_s", "s", "Waiting for the batch", &Iteration::wait_s},
      Field{"step_s", "s", "The step as the host sees it (on a GPU: until it is queued)",
            &Iteration::step_s},
      Field{"device_s", "s", "The step as the device sees it, by its own events; 0: not a GPU",
            &Iteration::device_s},
      Field{"gradient_sync_wait_s",
            "s",
            "Part of step_s spent waiting for the other ranks' gradients after the backward pass",
            &Iteration::gradient_sync_wait_s,
            {},
            "exchange_s"},
      Field{"samples", "samples", "Samples in the rank's batch", &Iteration::samples},
      Field{"work", "FLOP", "Counted work of the rank's step", &Iteration::work},
  };
}

/// One pass over the data.
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
  return std::tuple{
      Field{"epoch", "epochs", "Epoch, from 0", &Epoch::epoch},
      Field{"start_s", "s", "Start", &Epoch::start_s},
      Field{"wall_s", "s",
            "Length, device idle at both ends; without evaluation, samples and checkpoint",
            &Epoch::wall_s},
      Field{"wait_s", "s", "Of which waiting for data", &Epoch::wait_s},
      Field{"evaluate_s", "s", "Evaluation and sample pictures behind the epoch",
            &Epoch::evaluate_s},
      Field{"checkpoint_s", "s", "Checkpoint behind the epoch", &Epoch::checkpoint_s},
      Field{"samples", "samples", "Samples trained on", &Epoch::samples},
      Field{"iterations", "iterations", "Steps", &Epoch::iterations},
  };
}

/// One number that the training itself reports.
struct Metric {
  std::int64_t epoch = 0;
  FixedText<32> name;
  double value = 0;
  std::int64_t iteration = 0;
};
constexpr auto fields_of(Tag<Metric>) {
  return std::tuple{
      Field{"epoch", "epochs", "Epoch, from 0; -1: of the whole run", &Metric::epoch},
      Field{"name", "1",
            "loss, accuracy (of the training as it goes), val_loss, val_accuracy, "
            "val_balanced_accuracy, val_precision, val_recall, val_f1 (on held-out data), loss_d, "
            "loss_g, examples_per_s, peak_memory_bytes (of the process that held most so far), "
            "peak_gpu_memory_bytes (of its GPU, by LibTorch), ...",
            &Metric::name},
      Field{"value", "1", "Value", &Metric::value},
      Field{"iteration", "iterations",
            "Steps of the epoch before it, where it is of an evaluation within the epoch; 0: "
            "behind the epoch",
            &Metric::iteration},
  };
}

/// What the network between the ranks does with a message of one size, measured before the first
/// epoch.
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
  return std::tuple{
      Field{"name", "1", "all_reduce: a sum over all ranks that every rank gets", &Probe::name},
      Field{"backend", "1", "gloo or nccl", &Probe::backend},
      Field{"ranks", "1", "Ranks that took part", &Probe::ranks},
      Field{"nodes", "1", "Nodes they were on", &Probe::nodes},
      Field{"message_bytes", "B", "Size of the message; the smallest one gives the latency",
            &Probe::message_bytes},
      Field{"seconds", "s", "Median time of one, as rank 0 saw it", &Probe::seconds},
      Field{"repeats", "1", "How many were timed", &Probe::repeats},
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
  std::string modules;  ///< `module list` and the environment, as text.
};

/// A table of the record: a one-dimensional data set of compounds.
template <class Row>
struct RecordTable {
  std::string_view name;  ///< Also its place in the file: "/iterations".
  std::string_view meaning;
  std::vector<Row> Record::*rows;
};

inline constexpr std::tuple record_tables{
    RecordTable<ParameterRow>{"parameters", "Every parameter of the run", &Record::parameters},
    RecordTable<Work>{"work", "What the run computes, counted (one row)", &Record::work},
    RecordTable<Machine>{"machines", "The machine, one row a rank", &Record::machines},
    RecordTable<AllocationRow>{"allocation", "What was asked of the scheduler and what was got",
                               &Record::allocation},
    RecordTable<Span>{"spans", "Named stretches of the run", &Record::spans},
    RecordTable<Iteration>{"iterations", "Every step", &Record::iterations},
    RecordTable<Epoch>{"epochs", "Every pass over the data", &Record::epochs},
    RecordTable<Metric>{"metrics", "What the training reports, long form", &Record::metrics},
    RecordTable<Probe>{"probes", "The network between the ranks, measured; empty for one rank",
                       &Record::probes},
};

/// Calls `visit(table)` for every table of the record.
template <class Visitor>
constexpr void for_each_table(Visitor&& visit) {
  std::apply([&](const auto&... table) { (visit(table), ...); }, record_tables);
}

}  // namespace epochcast::record
