// The time of a step at a setting that was left out, from the steps at the others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "analysis/validate/scoring.hpp"
#include "analysis/validate/surface_questions.hpp"
#include "analysis/validate/validator.hpp"
#include "src/base/core/error.hpp"
#include "src/forecast/scaling/step_surface.hpp"

namespace epochcast::analysis::validators {
namespace surface_validator {

using forecast::Prediction;
using forecast::SettingTime;
using forecast::StepSetting;

using Question = SurfaceQuestion;
using Questions = std::vector<SurfaceQuestion>;

using Fit = std::variant<forecast::StepSurface, forecast::Refusal>;

/// Questions that leave out the same settings have the same fit.
const Fit& fit_of(const std::vector<SettingTime>& given) {
  static std::deque<std::pair<std::vector<SettingTime>, Fit>> fits;
  const auto known =
      std::ranges::find(fits, given, &std::pair<std::vector<SettingTime>, Fit>::first);
  constexpr std::size_t most = 100;
  if (known != fits.end()) {
    return known->second;
  }
  if (fits.size() == most) {
    fits.pop_front();
  }
  return fits.emplace_back(given, forecast::StepSurface::fit(given)).second;
}

std::optional<Prediction> ours(const Question& question) {
  const auto& surface = fit_of(question.given);
  if (std::holds_alternative<forecast::Refusal>(surface)) {
    return std::nullopt;
  }
  const auto answer = std::get<forecast::StepSurface>(surface).forecast(question.asked.setting);
  const auto* found = std::get_if<forecast::SurfaceForecast>(&answer);
  return found == nullptr ? std::nullopt : std::optional(found->step_s);
}

/// The given settings, the nearest first.
std::vector<SettingTime> nearest_first(const Question& question) {
  auto times = question.given;
  std::ranges::stable_sort(times, {}, [&](const SettingTime& time) {
    return forecast::squared_doublings(time.setting, question.asked.setting);
  });
  return times;
}

double work_of_setting(const StepSetting& at) {
  return at.batch * at.input_length * at.flops / at.threads;
}

Prediction nearest(const Question& question, bool by_work) {
  const auto time = nearest_first(question).front();
  const double work = work_of_setting(question.asked.setting) / work_of_setting(time.setting);
  return {time.step_s * (by_work ? work : 1)};
}

/// A straight line in the work, through the two nearest settings with as many workers and different
/// work. Nothing if there are none, or if the line gives no time above 0.
std::optional<Prediction> line_through_two(const Question& question) {
  const auto times = nearest_first(question);
  for (const auto& first : times) {
    for (const auto& second : times) {
      const double from = work_of_setting(first.setting);
      const double to = work_of_setting(second.setting);
      if (from != to && first.setting.workers == question.asked.setting.workers &&
          second.setting.workers == question.asked.setting.workers) {
        const double share = (work_of_setting(question.asked.setting) - from) / (to - from);
        const double step_s = std::lerp(first.step_s, second.step_s, share);
        return step_s > 0 ? std::optional(Prediction{step_s}) : std::nullopt;
      }
    }
  }
  return std::nullopt;
}

const std::vector<Rule<Question>>& rules() {
  static const std::vector<Rule<Question>> all{
      {"epochcast", ours},
      {"nearest setting", [](const Question& question) { return nearest(question, false); }},
      {"nearest setting, by its work",
       [](const Question& question) { return nearest(question, true); }},
      {"line through the two nearest", line_through_two}};
  return all;
}

std::vector<double> actual_of(const Questions& questions) {
  std::vector<double> actual_s;
  for (const auto& question : questions) {
    actual_s.push_back(question.asked.step_s);
  }
  return actual_s;
}

table::Table scored(const std::string& name, const std::string& what, const Questions& questions) {
  return score_table(name, fmt::format("Time of a step: {}, {} questions", what, questions.size()),
                     actual_of(questions), answers_of(rules(), questions));
}

/// The questions of one_value by the dimension whose value was left out.
table::Table scored_by_dimension(const Questions& questions) {
  std::vector<Slice> slices;
  for (const auto& dimension : forecast::dimensions) {
    auto& slice = slices.emplace_back(Slice{"left out", std::string(dimension.name), {}});
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (questions[i].without == dimension.name) {
        slice.rows.push_back(i);
      }
    }
  }
  return slice_table(
      "surface_value",
      fmt::format("Time of a step: each from those that differ in one dimension (all "
                  "of one value left out), {} questions",
                  questions.size()),
      actual_of(questions), answers_of(rules(), questions), slices);
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions&) {
  ExcludedRows excluded;
  const auto logs = setting_logs(file, excluded);
  const auto settings = one_setting(logs);
  if (settings.empty()) {
    throw Error(file.path() + ": no workload with steps at four settings or more");
  }
  std::vector<table::Table> tables{
      scored("surface_setting", "each setting from all others", settings)};
  if (const auto values = one_value(logs); !values.empty()) {
    tables.push_back(scored_by_dimension(values));
  }
  if (const auto larger = all_larger(logs); !larger.empty()) {
    tables.push_back(
        scored("surface_largest", "the largest from those smaller in all dimensions", larger));
  }
  if (const auto note = excluded.note()) {
    tables.front().notes.push_back(*note);
  }
  return tables;
}

}  // namespace surface_validator

ValidatorSpec surface() {
  return {.summary = "the time of a step at a setting that was not run, from the others",
          .columns =
              "workload,step_s[,device,batch,input_length,flops,layers,threads,workers,nodes,"
              "tensor_parallel,pipeline_parallel,micro_batch]",
          .score = surface_validator::score};
}

}  // namespace epochcast::analysis::validators
