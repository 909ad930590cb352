#include "src/record/queries.hpp"

#include <algorithm>

#include "src/base/core/clock.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast::record {
namespace {

/// nullptr: there is none.
template <class Row>
const Row* row_named(const std::vector<Row>& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, [](const Row& row) { return row.name.view(); });
  return found == rows.end() ? nullptr : &*found;
}

/// Whether the record is of a log that does not state what it ran on.
bool is_unknown_device(const Record& record) {
  return record.header.source.view().starts_with("imported:") &&
         parameter(record, "device").empty() && asked(record, "gpus").empty();
}

}  // namespace

void use_current_value(ParameterRow& row) {
  row.value = run::current_text(row.name.view(), row.value.view());
}

std::string parameter(const Record& record, std::string_view name) {
  const auto* row = row_named(record.parameters, name);
  return row == nullptr ? "" : row->value.str();
}

std::int64_t epochs_of(const Record& record) {
  const auto stated = parse_integer(parameter(record, "epochs")).value_or(0);
  return record.epochs.empty() || record.epochs.back().epoch < stated ? stated : 0;
}

std::int64_t total_steps_of(const Record& record) {
  return std::max<std::int64_t>(0, parse_integer(parameter(record, "steps")).value_or(0));
}

bool used_gpu(const Record& record) {
  const auto device = parameter(record, "device");
  if (!device.empty()) {
    return device != "cpu";
  }
  return !record.machines.empty() && !record.machines.front().gpu_name.view().empty();
}

std::vector<const Iteration*> first_rank(const Record& record) {
  std::vector<const Iteration*> iterations;
  for (const auto& iteration : record.iterations) {
    if (iteration.rank == 0) {
      iterations.push_back(&iteration);
    }
  }
  return iterations;
}

std::optional<double> time_limit_s(const Record& record) {
  const auto* row = row_named(record.allocation, "time");
  return row == nullptr ? std::nullopt : parse_duration_s(row->got.view());
}

double before_program_s(const Record& record) {
  const auto created_at = record.header.created_at.str();
  const auto created_s = seconds_since_1970(created_at);
  const auto* row = row_named(record.allocation, "started_at");
  if (!created_s || row == nullptr) {
    return 0;
  }
  // scontrol's stamp is in the node's time zone, but does not contain it.
  constexpr std::size_t offset_at = std::string_view("2026-11-21T09:15:02").size();
  const auto started_s = seconds_since_1970(row->got.str() + created_at.substr(offset_at));
  return started_s ? std::max(0.0, *created_s - *started_s) : 0;
}

std::string device_of(const Record& record) {
  if (used_gpu(record)) {
    const auto name = gpu_name_of(record);
    return name.empty() ? "cuda" : name;
  }
  if (is_unknown_device(record)) {
    return "unknown";
  }
  const auto claimed = asked(record, "gpu");
  const bool claims_gpu = parse_integer(asked(record, "gpus")).value_or(0) > 0;
  return claims_gpu ? "cpu (" + (claimed.empty() ? "GPU" : claimed) + " claimed)" : "cpu";
}

std::string gpu_name_of(const Record& record) {
  const auto name = record.machines.empty() ? "" : record.machines.front().gpu_name.str();
  return name.empty() ? asked(record, "gpu") : name;
}

std::string task_text(const Record& record) {
  const auto task = parameter(record, "task");
  return task.empty() ? std::string(to_text(run::Task::train)) : task;
}

bool infers(const Record& record) {
  return run::stated_task(parameter(record, "task")) == run::Task::infer;
}

const AllocationRow* allocation_row(const Record& record, std::string_view name) {
  return row_named(record.allocation, name);
}

std::string asked(const Record& record, std::string_view name) {
  const auto* row = allocation_row(record, name);
  return row == nullptr ? "" : row->asked.str();
}

void keep_first_rank(Record& record) {
  std::erase_if(record.iterations, [](const Iteration& row) { return row.rank != 0; });
}

double last_time_s(const Record& record) {
  double last_s = 0;
  for (const auto& span : record.spans) {
    last_s = std::max(last_s, span.start_s + span.duration_s);
  }
  for (const auto& step : record.iterations) {
    last_s = std::max(last_s, step.start_s + step.wait_s + step.step_s);
  }
  for (const auto& epoch : record.epochs) {
    last_s = std::max(last_s, epoch.start_s + epoch.wall_s + epoch.evaluate_s);
  }
  return last_s;
}

}  // namespace epochcast::record
