#include "jobs/campaign/remaining.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "src/base/core/clock.hpp"
#include "src/forecast/device/gpu_of_run.hpp"
#include "src/forecast/run/left.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"

namespace epochcast::jobs {
namespace {

/// From the start of the program to its end, or to now while it runs.
double elapsed_s(const record::RecordHeader& header) {
  const auto start = seconds_since_1970(header.created_at.str());
  const auto end = seconds_since_1970(header.finished_at.str())
                       .value_or(static_cast<double>(std::time(nullptr)));
  return start ? std::max(0.0, end - *start) : 0;
}

/// The loss on training batches if there is one, else the last other metric with such a name.
void take_loss(const record::Record& record, Progress& progress) {
  for (auto metric = record.metrics.rbegin(); metric != record.metrics.rend(); ++metric) {
    const auto name = metric->name.view();
    if (name == "loss" || (progress.loss_name.empty() && name.find("loss") != std::string::npos)) {
      progress.loss_name = name;
      progress.loss = metric->value;
    }
    if (name == "loss") {
      return;
    }
  }
}

efficiency::WorkRates rates_of(const record::Record& record) {
  const auto samples_per_s = efficiency::newest_samples_per_s(record);
  const auto steps_per_s = efficiency::newest_steps_per_s(record);
  auto rates = efficiency::work_rates(record, samples_per_s, steps_per_s, 0);
  if (rates.model_flops_per_s) {
    static const auto database = device::read_device_database(device::device_database_folder());
    const double peak =
        device::peak_flops_per_s(record, efficiency::precision_of(record), database);
    rates = efficiency::work_rates(record, samples_per_s, steps_per_s,
                                   efficiency::gpus_of_run(record) * peak);
  }
  return rates;
}

}  // namespace

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

Progress progress_from(const record::Record& record) {
  Progress progress{.elapsed_s = elapsed_s(record.header)};
  progress.rates = rates_of(record);
  if (const auto epochs = record::epochs_of(record); epochs > 0) {
    // An attempt that goes on from a checkpoint begins with a later epoch.
    progress.epoch = record.epochs.empty() ? 0 : record.epochs.back().epoch + 1;
    progress.epochs = epochs;
  }
  const auto run = forecast::observed(record);
  const auto length = forecast::length_of_running(record);
  if (const auto seen = run.last_seen(length); seen.epochs > 0) {
    progress.share = std::clamp(seen.done / seen.epochs, 0.0, 1.0);
  }
  take_loss(record, progress);
  if (record::outcome_of(record.header) != run::Outcome::running) {
    return progress;
  }
  if (const auto left = forecast::left_s(run, length, *progress.elapsed_s)) {
    progress.left_s = left->value;
    progress.left_low_s = left->interval_95.low;
    progress.left_high_s = left->interval_95.high;
  }
  if (const auto limit = record::time_limit_s(record)) {
    progress.job_left_s =
        std::max(0.0, *limit - record::before_program_s(record) - *progress.elapsed_s);
  }
  return progress;
}

Progress progress_of(const std::string& path) {
  auto record = record::read_json_lines(record::json_lines_path(path)).record;
  record::keep_first_rank(record);
  return progress_from(record);
}

std::string limit_warning(const Progress& progress) {
  return progress.left_s && progress.job_left_s && *progress.left_s > *progress.job_left_s
             ? fmt::format("time limit in {}, needs about {}", clock_text(*progress.job_left_s),
                           clock_text(*progress.left_s))
             : "";
}

bool ended_at_limit(const record::Record& record, double signal_lead_s) {
  constexpr double early_s = 60;  // sbatch(1), --signal
  constexpr double stamps_s = 2;  // two stamps in whole seconds
  const auto limit = record::time_limit_s(record);
  return limit && record::before_program_s(record) + elapsed_s(record.header) >=
                      *limit - signal_lead_s - early_s - stamps_s;
}

}  // namespace epochcast::jobs
