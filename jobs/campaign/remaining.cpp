#include "jobs/campaign/remaining.hpp"

#include <algorithm>
#include <ctime>
#include <string_view>

#include "src/core/clock.hpp"
#include "src/core/text.hpp"
#include "src/forecast/run_length.hpp"
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

/// The epochs that are done, with the part of the open one that the last row of a step is behind.
double epochs_done(const record::Record& record, std::int64_t per_epoch) {
  auto done = record.epochs.empty() ? 0.0 : static_cast<double>(record.epochs.back().epoch + 1);
  if (!record.iterations.empty() && per_epoch > 0) {
    const auto& last = record.iterations.back();
    done = std::max(done, static_cast<double>(last.epoch) +
                              static_cast<double>(last.index + 1) / static_cast<double>(per_epoch));
  }
  return done;
}

/// The part of the run that is done; nothing if its length is not known.
std::optional<double> share_of(const record::Record& record, const forecast::RunLength& length) {
  const auto per_epoch = record.work.empty() ? 0 : record.work.front().iterations_per_epoch;
  const auto share = [](double done, std::int64_t of) {
    return std::clamp(done / static_cast<double>(of), 0.0, 1.0);
  };
  if (length.steps > 0 && (per_epoch > 0 || !record.iterations.empty())) {
    const auto in_epoch = per_epoch > 0 ? per_epoch : length.steps;
    return share(epochs_done(record, in_epoch) * static_cast<double>(in_epoch), length.steps);
  }
  return length.epochs > 0 ? std::optional(share(epochs_done(record, per_epoch), length.epochs))
                           : std::nullopt;
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

}  // namespace

std::optional<forecast::Forecast> forecast_of_running(const record::Record& record) {
  if (record::outcome_of(record.header) != run::Outcome::running) {
    return std::nullopt;
  }
  auto answer = forecast::forecast_of(record, forecast::length_of(record));
  auto* found = std::get_if<forecast::Forecast>(&answer);
  return found == nullptr ? std::nullopt : std::optional(std::move(*found));
}

Progress progress_from(const record::Record& record,
                       const std::optional<forecast::Forecast>& forecast) {
  Progress progress{.elapsed_s = elapsed_s(record.header)};
  if (const auto epochs = record::epochs_of(record); epochs > 0) {
    progress.epoch = std::ssize(record.epochs);
    progress.epochs = epochs;
  }
  progress.share = share_of(record, forecast::length_of(record));
  take_loss(record, progress);
  if (record::outcome_of(record.header) != run::Outcome::running) {
    return progress;
  }
  const auto left_s = [&](double total_s) { return std::max(0.0, total_s - *progress.elapsed_s); };
  if (forecast) {
    progress.left_s = left_s(forecast->total_s);
    progress.left_low_s = left_s(forecast->interval_95.low_s);
    progress.left_high_s = left_s(forecast->interval_95.high_s);
  }
  if (const auto limit = record::time_limit_s(record)) {
    progress.job_left_s =
        std::max(0.0, *limit - record::before_program_s(record) - *progress.elapsed_s);
  }
  return progress;
}

Progress progress_of(const std::string& path) {
  const auto record = record::read_json_lines(record::json_lines_path(path)).record;
  return progress_from(record, forecast_of_running(record));
}

bool ended_at_limit(const record::Record& record, double signal_lead_s) {
  constexpr double early_s = 60;  // sbatch(1), --signal
  constexpr double stamps_s = 2;  // two stamps in whole seconds
  const auto limit = record::time_limit_s(record);
  return limit && record::before_program_s(record) + elapsed_s(record.header) >=
                      *limit - signal_lead_s - early_s - stamps_s;
}

}  // namespace epochcast::jobs
