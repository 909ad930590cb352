// The throughput of the largest number of workers from that of all smaller ones.
#include "src/forecast/scaling/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/validate/scoring.hpp"
#include "analysis/validate/validator.hpp"
#include "src/base/core/error.hpp"
#include "src/forecast/statistics/regression.hpp"

namespace epochcast::analysis::validators {
namespace scaling_validator {

using forecast::Prediction;

/// How a file names what it is asked for.
struct Names {
  std::string workload;
  std::string workers;
  std::string throughput;
};

/// The plain columns, or those of Gavel's simulation_throughputs, where a device is one more
/// workload.
Names names_in(const CsvFile& file) {
  if (!file.has("workload") && file.has("scale_factor")) {
    file.require({"job", "steps_per_s"});
    return {"job", "scale_factor", "steps_per_s"};
  }
  file.require({"workload", "n", "throughput"});
  return {"workload", "n", "throughput"};
}

std::map<std::string, std::vector<forecast::ScalingPoint>> workloads_in(const CsvFile& file,
                                                                        ExcludedRows& excluded) {
  const auto names = names_in(file);
  std::map<std::string, std::vector<forecast::ScalingPoint>> workloads;
  for (std::size_t row = 0; row < file.rows(); ++row) {
    const auto workers = positive(file, row, names.workers, excluded);
    const auto throughput =
        workers ? positive(file, row, names.throughput, excluded) : std::nullopt;
    if (throughput) {
      workloads[file.text(row, "device") + " " + file.text(row, names.workload)].push_back(
          {*workers, *throughput, file.number(row, "nodes").value_or(1)});
    }
  }
  for (auto& [name, points] : workloads) {
    std::stable_sort(points.begin(), points.end(),
                     [](const auto& a, const auto& b) { return a.workers < b.workers; });
  }
  return workloads;
}

struct Question {
  std::vector<forecast::ScalingPoint> given;
  forecast::ScalingPoint asked;
};

Prediction linear_from(const forecast::ScalingPoint& point, const forecast::ScalingPoint& asked) {
  return {point.throughput * asked.workers / point.workers};
}

/// The largest number of workers of each workload, where there are three smaller ones.
std::vector<Question> questions_of(
    const std::map<std::string, std::vector<forecast::ScalingPoint>>& workloads) {
  constexpr std::size_t fewest = 3;
  std::vector<Question> questions;
  for (const auto& [name, points] : workloads) {
    Question question{.given = points, .asked = points.back()};
    std::erase_if(question.given,
                  [&](const auto& point) { return point.workers == question.asked.workers; });
    if (question.given.size() >= fewest) {
      questions.push_back(std::move(question));
    }
  }
  return questions;
}

std::optional<Prediction> ours(const Question& question) {
  const auto answer = forecast::scaling_forecast(
      question.given, {.workers = question.asked.workers, .nodes = question.asked.nodes});
  const auto* found = std::get_if<forecast::ScalingForecast>(&answer);
  return found == nullptr ? std::nullopt : std::optional(found->throughput);
}

/// a + b (n - 1) for a worker's share, by least squares of relative errors over the first `count`.
Prediction amdahl(const Question& question, std::size_t count) {
  std::vector<forecast::Equation> equations;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& point = question.given[i];
    const double share = point.workers / point.throughput;
    equations.push_back({1 / share, (point.workers - 1) / share});
  }
  const auto found = forecast::non_negative_least_squares(equations);
  const double workers = question.asked.workers;
  return {workers / (found[0] + found[1] * (workers - 1))};
}

const std::vector<Rule<Question>>& rules() {
  static const std::vector<Rule<Question>> all{
      {"epochcast", ours},
      {"linear from the smallest",
       [](const auto& question) { return linear_from(question.given[0], question.asked); }},
      {"linear from the second",
       [](const auto& question) { return linear_from(question.given[1], question.asked); }},
      {"linear from the largest",
       [](const auto& question) { return linear_from(question.given.back(), question.asked); }},
      {"Amdahl from the two smallest", [](const auto& question) { return amdahl(question, 2); }},
      {"Amdahl by least squares",
       [](const auto& question) { return amdahl(question, question.given.size()); }}};
  return all;
}

std::vector<table::Table> score(const CsvFile& file, const ValidateOptions&) {
  ExcludedRows excluded;
  const auto questions = questions_of(workloads_in(file, excluded));
  if (questions.empty()) {
    throw Error(file.path() + ": no workload with four numbers of workers");
  }
  std::vector<double> actual;
  for (const auto& question : questions) {
    actual.push_back(question.asked.throughput);
  }
  auto table = score_table("scaling",
                           fmt::format("Throughput of the most workers from that of all fewer: "
                                       "{} workloads",
                                       questions.size()),
                           actual, answers_of(rules(), questions));
  if (const auto note = excluded.note()) {
    table.notes.push_back(*note);
  }
  return {table};
}

}  // namespace scaling_validator

ValidatorSpec scaling() {
  return {.summary = "the throughput of the most workers from that of all fewer",
          .columns = "workload,n,throughput[,nodes]",
          .score = scaling_validator::score};
}

}  // namespace epochcast::analysis::validators
