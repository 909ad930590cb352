#include "analysis/predict/surface_run.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/predict/time_on_device.hpp"
#include "src/forecast/run/series_from_record.hpp"

namespace epochcast::analysis {
namespace {

using forecast::Refusal;

std::vector<SettingRun> by_distance(const SurfaceSettings& recorded,
                                    const forecast::StepSetting& asked) {
  auto runs = recorded.runs;
  std::ranges::stable_sort(runs, {}, [&](const SettingRun& run) {
    return forecast::squared_doublings(run.setting, asked);
  });
  return runs;
}

double samples_per_epoch(const record::Record& record) {
  if (!record.work.empty() && record.work.front().samples_per_epoch > 0) {
    return static_cast<double>(record.work.front().samples_per_epoch);
  }
  return record.epochs.empty() ? 0 : static_cast<double>(record.epochs.front().samples);
}

/// The time of the steps of an epoch, in steps at `asked`: a last one with fewer samples takes what
/// the law gives it.
double steps_of_epoch(double samples, bool drops_last, const forecast::StepSetting& asked,
                      const forecast::FittedStepLaw& law) {
  const double full = std::floor(samples / asked.batch / asked.workers);
  auto last = asked;
  last.batch = samples / asked.workers - full * asked.batch;
  return full + (drops_last || !(last.batch > 0) ? 0 : law.step_s(last) / law.step_s(asked));
}

double time_per_sample(const forecast::StepSetting& at, double step_s) {
  return step_s / at.batch / at.workers;
}

/// The run like `like`, whose own forecast is `found`.
std::variant<SurfaceRun, Refusal> run_like(const SettingRun& like, const forecast::Forecast& found,
                                           const forecast::StepSetting& asked,
                                           const forecast::SurfaceForecast& step,
                                           const forecast::RunLength& length) {
  const auto& record = like.loaded->record;
  const double longer_s =
      std::max(0.0, part_s(found, forecast::PartKind::first_step) - found.steady_step_s);
  SurfaceRun run{.before_s = part_s(found, forecast::PartKind::before) + longer_s,
                 .like = like.loaded};
  if (length.steps > 0) {
    run.steps = static_cast<double>(length.steps);
  } else {
    const double samples = samples_per_epoch(record);
    if (!(samples > 0)) {
      return Refusal{"the record does not state its samples per epoch; give --steps N"};
    }
    const bool drops_last = record::parameter(record, "last_batch") == "drop";
    run.steps = length.epochs_done() * steps_of_epoch(samples, drops_last, asked, step.law);
  }
  const auto steps_s = step.step_s * run.steps;
  run.steps_s = steps_s.value;
  run.after_epochs_s = part_s(found, forecast::PartKind::after_epochs) *
                       time_per_sample(asked, step.step_s.value) /
                       time_per_sample(like.setting, like.step_s);
  run.total_s = forecast::sum_of_independent(
      {steps_s, with_host_uncertainty(run.before_s + run.after_epochs_s)});
  return run;
}

}  // namespace

std::variant<SurfaceRun, Refusal> surface_run(const SurfaceSettings& recorded,
                                              const forecast::StepSetting& asked,
                                              const forecast::SurfaceForecast& step,
                                              const forecast::RunLength& length) {
  std::string why;
  for (const auto& like : by_distance(recorded, asked)) {
    const auto answer = forecast::forecast_of(like.loaded->record, length);
    if (const auto* found = std::get_if<forecast::Forecast>(&answer)) {
      return run_like(like, *found, asked, step, length);
    }
    why = why.empty() ? like.loaded->path + ": " + std::get<Refusal>(answer).reason : why;
  }
  return Refusal{why};
}

}  // namespace epochcast::analysis
