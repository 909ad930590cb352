#include "analysis/records/evaluations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/core/statistics.hpp"
#include "src/forecast/run/series_from_record.hpp"
#include "src/record/queries.hpp"

namespace epochcast::analysis {
namespace {

/// A part of the run that has ended, with its work.
struct Part {
  double start_s;
  double end_s;
  double work;
};

std::vector<double> starts_of_evaluations(const record::Record& record) {
  std::vector<double> starts_s;
  for (const auto& span : record.spans) {
    if (span.name.view().starts_with("evaluate")) {
      starts_s.push_back(span.start_s);
    }
  }
  if (starts_s.empty()) {
    for (const auto& epoch : record.epochs) {
      if (epoch.evaluate_s > 0) {
        starts_s.push_back(epoch.start_s + epoch.wall_s);
      }
    }
  }
  std::ranges::sort(starts_s);
  return starts_s;
}

std::vector<Part> parts_of(const record::Record& record, bool counts_samples) {
  std::vector<Part> parts;
  for (const auto& epoch : record.epochs) {
    parts.push_back({epoch.start_s, epoch.start_s + epoch.wall_s,
                     counts_samples ? static_cast<double>(epoch.samples) : 1});
  }
  if (record.epochs.empty()) {
    const auto rows = record::first_rank(record);
    const auto steps = forecast::steps_of_rows(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double end_s = rows[i]->start_s + rows[i]->wait_s + rows[i]->step_s;
      parts.push_back({end_s, end_s, static_cast<double>(steps[i])});
    }
  }
  return parts;
}

/// The work until `at_s`, of a part that had not ended as much as of its time.
double work_until(const std::vector<Part>& parts, double at_s) {
  constexpr double rounding_s = 1e-3;
  double work = 0;
  for (const auto& part : parts) {
    if (part.end_s <= at_s + rounding_s) {
      work += part.work;
    } else if (part.start_s < at_s) {
      work += part.work * (at_s - part.start_s) / (part.end_s - part.start_s);
    }
  }
  return work;
}

}  // namespace

double EvaluationPlaces::between() const {
  std::vector<double> lengths;
  for (std::size_t i = 1; i < at.size(); ++i) {
    lengths.push_back(at[i] - at[i - 1]);
  }
  return lengths.empty() ? at.front() : median_of(std::move(lengths));
}

double EvaluationPlaces::place_of(std::int64_t number) const {
  const auto seen = std::ssize(at);
  return number <= seen ? at[static_cast<std::size_t>(number - 1)]
                        : at.back() + static_cast<double>(number - seen) * between();
}

std::string EvaluationPlaces::text_of(std::int64_t number) const {
  return number <= std::ssize(at)
             ? ""
             : fmt::format(" ({} seen, the others each {:.6g} {})", at.size(), between(), unit);
}

EvaluationPlaces evaluations_of(const record::Record& record) {
  const bool blocks =
      forecast::has_blocks(record) &&
      std::ranges::all_of(record.epochs, [](const auto& row) { return row.samples > 0; });
  EvaluationPlaces places{.unit = record.epochs.empty() ? "steps" : blocks ? "samples" : "epochs"};
  const auto parts = parts_of(record, blocks);
  for (const double start_s : starts_of_evaluations(record)) {
    const double work = work_until(parts, start_s);
    if (work > 0 && (places.at.empty() || work > places.at.back())) {
      places.at.push_back(work);
    }
  }
  return places;
}

}  // namespace epochcast::analysis
