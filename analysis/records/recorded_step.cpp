#include "analysis/records/recorded_step.hpp"

#include <algorithm>
#include <vector>

#include "analysis/records/record_metrics.hpp"
#include "analysis/records/records.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/statistics/warm_up.hpp"
#include "src/record/comparable.hpp"
#include "src/record/queries.hpp"
#include "src/record/stated.hpp"

namespace epochcast::analysis {
namespace {

/// From the start of a step to the start of the next, where both are of one epoch. Between two rows
/// of a program that prints each tenth step, a tenth of that.
struct StepToNext {
  const record::Iteration* row;
  double wall_s = 0;
  bool first = false;  ///< Of the run.
};

double mean_wall_s(std::span<const StepToNext> steps) {
  double sum_s = 0;
  for (const auto& step : steps) {
    sum_s += step.wall_s;
  }
  return sum_s / static_cast<double>(steps.size());
}

/// The part of a time that belongs to no step: an evaluation, or the choice of kernels.
double paused_s(const record::Record& record, double from_s, double to_s) {
  double paused_s = 0;
  for (const auto& span : record.spans) {
    const bool is_pause =
        span.name.view().starts_with("evaluate") || span.name.view() == "choose_kernels";
    if (is_pause && span.start_s >= from_s && span.start_s < to_s) {
      paused_s += span.duration_s;
    }
  }
  return paused_s;
}

/// The mean time of these steps and of the last ones of their epochs, by the ends of the epochs,
/// where the device is idle. 0 if none of these epochs has ended.
double step_by_ends_s(const record::Record& record, std::span<const StepToNext> steps) {
  double wall_s = 0;
  double count = 0;
  auto first = steps.begin();
  for (const auto& epoch : record.epochs) {
    const auto is_of_it = [&](const StepToNext& step) { return step.row->epoch == epoch.epoch; };
    const auto found = std::find_if(first, steps.end(), is_of_it);
    if (found == steps.end()) {
      continue;  // a single step
    }
    const double from_s = found->row->start_s;
    const auto next = std::find_if_not(found, steps.end(), is_of_it);
    wall_s += epoch.wall_s - (from_s - epoch.start_s - paused_s(record, epoch.start_s, from_s));
    count += static_cast<double>(next - found + 1);
    first = next;
  }
  return count > 0 ? wall_s / count : 0;
}

/// The host may queue many steps before the GPU has computed them: then its starts say nothing.
void bound_by_device(const record::Record& record, std::span<StepToNext> steps) {
  double device_s = 0;
  for (const auto& step : steps) {
    device_s += step.row->device_s / static_cast<double>(steps.size());
  }
  if (device_s == 0) {
    return;
  }
  constexpr double most_in_queue = 0.2;
  const double wall_s = mean_wall_s(steps);
  const double by_ends_s = step_by_ends_s(record, steps);
  const bool ran_ahead = wall_s < (1 - most_in_queue) * by_ends_s;
  const double least_s = ran_ahead ? std::max(device_s, by_ends_s) : device_s;
  for (auto& step : steps) {
    step.wall_s = wall_s < least_s ? step.row->device_s * least_s / device_s : step.wall_s;
  }
}

std::vector<StepToNext> steps_of(const record::Record& record) {
  const auto iterations = record::first_rank(record);
  std::vector<StepToNext> steps;
  for (std::size_t i = 0; i + 1 < iterations.size(); ++i) {
    const auto& here = *iterations[i];
    const auto& next = *iterations[i + 1];
    if (next.epoch == here.epoch && next.start_s > here.start_s) {
      const double wall_s =
          (next.start_s - here.start_s - paused_s(record, here.start_s, next.start_s)) /
          static_cast<double>(forecast::steps_of_row(next, here));
      steps.push_back({&here, wall_s, i == 0});
    }
  }
  const bool has_cold = steps.size() > 1 && steps.front().first;
  bound_by_device(record, std::span(steps).subspan(has_cold ? 1 : 0));
  return steps;
}

/// Those after the warm-up, and never the run's first where there is another: it is cold.
std::vector<StepToNext> steady(const std::vector<StepToNext>& steps) {
  std::vector<double> walls;
  for (const auto& step : steps) {
    walls.push_back(step.wall_s);
  }
  const bool cold = steps.size() > 1 && steps.front().first;
  const auto skipped = std::max<std::size_t>(forecast::warm_up_length(walls), cold ? 1 : 0);
  return {steps.begin() + static_cast<std::ptrdiff_t>(skipped), steps.end()};
}

forecast::StepParts parts_of(const std::vector<StepToNext>& steps, bool host_waits) {
  std::vector<forecast::StepTimes> times;
  for (const auto& [row, wall_s, first] : steps) {
    times.push_back({row->wait_s, row->step_s, row->device_s});
  }
  return forecast::split_steps(times, mean_wall_s(steps), host_waits);
}

/// How many times as many samples a full step takes as a mean one: the last of an epoch may take
/// fewer. 1 if the counts do not show it.
double full_per_mean(const record::Record& record) {
  const auto& work = record.work.front();
  const auto samples = static_cast<double>(work.samples_per_epoch);
  const auto steps = static_cast<double>(work.iterations_per_epoch);
  const double full = samples_per_step(record);
  const bool last_is_short = samples < steps * full && samples > (steps - 1) * full;
  return last_is_short ? steps * full / samples : 1;
}

std::optional<double> mean_step_s(const record::Record& record) {
  const auto total_s = total_training_s(record);
  const auto a_epoch = record.work.empty() ? 0 : record.work.front().iterations_per_epoch;
  const auto steps = static_cast<double>(record::epochs_of(record) * a_epoch);
  if (!total_s || !(*total_s > 0) || !(steps > 0)) {
    return std::nullopt;
  }
  return *total_s / steps * full_per_mean(record);
}

device::MeasuredWork work_of(const record::Record& record) {
  device::MeasuredWork measured;
  measured.workload = workload_of(record);
  measured.batch = parse_double(record::parameter(record, "batch")).value_or(0);
  if (!record.work.empty()) {
    const auto& work = record.work.front();
    measured.precision = work.precision.str();
    measured.work.flops = work.flops_per_sample * measured.batch;
    measured.work.convolution_flops = work.convolution_flops_per_sample * measured.batch;
    measured.work.bytes = work.bytes_per_sample * measured.batch;
  }
  return measured;
}

}  // namespace

std::string workload_of(const record::Record& record) {
  auto name = record::parameter(record, "model");
  for (const auto& row : record.parameters) {
    if (row.name.view().starts_with("model.")) {
      name += " " + row.name.str().substr(6) + "=" + row.value.str();
    }
  }
  return name;
}

std::vector<double> steady_steps_s(const record::Record& record) {
  std::vector<double> walls;
  for (const auto& step : steady(steps_of(record))) {
    if (!step.first) {
      walls.push_back(step.wall_s);
    }
  }
  if (!walls.empty()) {
    return walls;
  }
  const auto iterations = record::first_rank(record);
  const auto full = samples_of_full_step(record);
  for (std::size_t i = 1; i < iterations.size(); ++i) {
    const auto& own = *iterations[i];
    if (own.samples == full) {
      walls.push_back(own.wait_s + std::max(own.step_s, own.device_s));
    }
  }
  return walls;
}

std::optional<RecordedStep> recorded_step(const record::Record& record) {
  RecordedStep step;
  step.measured = work_of(record);
  if (const auto steps = steady(steps_of(record)); !steps.empty()) {
    step.parts = parts_of(steps, record::parameter(record, "procedure") == "reference");
    step.measured.time_s = step.parts->total_s();
    return step;
  }
  if (const auto mean_s = mean_step_s(record)) {
    step.measured.time_s = *mean_s;
    return step;
  }
  return std::nullopt;
}

std::optional<RecordedStep> step_of_epochs(const record::Record& record) {
  double wall_s = 0;
  double steps = 0;
  for (std::size_t i = record.epochs.size() > 1 ? 1 : 0; i < record.epochs.size(); ++i) {
    wall_s += record.epochs[i].wall_s;
    steps += static_cast<double>(record.epochs[i].iterations);
  }
  if (!(wall_s > 0) || !(steps > 0)) {
    return std::nullopt;
  }
  RecordedStep step;
  step.measured = work_of(record);
  step.measured.time_s = wall_s / steps;
  return step;
}

std::string fault_of_step(const record::Record& record) {
  if (!parse_double(record::parameter(record, "batch"))) {
    return "does not state its batch size";
  }
  if (ran_out_of_memory(record)) {
    return "";
  }
  auto own = fault_of(record);
  return own.empty() && !recorded_step(record) ? "no step of it was timed" : own;
}

forecast::StepSetting setting_of(const record::Record& record) {
  const auto stated = [&](std::string_view name) {
    const auto number = parse_double(record::parameter(record, name));
    return number && *number > 0 ? *number : 1;
  };
  forecast::StepSetting setting{.input_length = stated(length_parameter),
                                .nodes = static_cast<double>(nodes_of(record))};
  const auto of_layout = [&](std::string_view name) {
    const auto found = record::stated(record, run::what_is(name).value());
    return found ? found->value : 1;
  };
  for (const auto& dimension : layout_dimensions) {
    setting.*dimension.value = of_layout(dimension.key);
  }
  setting.workers = std::max(static_cast<double>(ranks_of(record)),
                             of_layout(replicas_parameter) * setting.tensor * setting.pipeline);
  setting.batch = samples_per_step(record) / setting.workers;
  setting.threads = used_gpu(record) ? 1 : static_cast<double>(cpus_of(record)) / setting.workers;
  return setting;
}

forecast::StepSetting setting_with_network(const record::Record& record) {
  auto setting = setting_of(record);
  if (!record.work.empty() && record.work.front().flops_per_sample > 0) {
    setting.flops = record.work.front().flops_per_sample;
  }
  for (const auto* name : {"model.depth", "model.layers"}) {
    if (const auto layers = parse_double(record::parameter(record, name)); layers && *layers > 0) {
      setting.layers = *layers;
    }
  }
  return setting;
}

}  // namespace epochcast::analysis
