#include "src/measure/progress/rows/whole_run.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace epochcast::progress {
namespace {

bool are_running_sums(const std::vector<record::Epoch>& epochs) {
  const double first_s = epochs.empty() ? 0 : epochs.front().wall_s;
  const auto jump = std::ranges::adjacent_find(epochs, [&](const auto& before, const auto& next) {
    const double added_s = next.wall_s - before.wall_s;
    return !(added_s > 0.5 * first_s && added_s < 2 * first_s);
  });
  return epochs.size() >= 3 && jump == epochs.end();
}

/// "clock 63.3 s" after the training, "clock 68.0 s" after the evaluation: each ends later than the
/// one before.
bool are_on_one_clock(const std::vector<record::Epoch>& epochs) {
  double before_s = 0;
  for (const auto& epoch : epochs) {
    if (!(epoch.wall_s > before_s && epoch.evaluate_s > epoch.wall_s)) {
      return false;
    }
    before_s = epoch.evaluate_s;
  }
  return epochs.size() >= 3;
}

}  // namespace

void take_total(Rows& rows, const RunSoFar& run) {
  auto& epochs = rows.epochs;
  const bool alone =
      std::ranges::count_if(epochs, [](const auto& row) { return row.wall_s > 0; }) == 1;
  if (!run.clock.timed && run.before.durations_stated == 1 && epochs.size() >= 2 && alone &&
      epochs.back().wall_s > 0) {
    rows.total_s = std::exchange(epochs.back().wall_s, 0);
  }
}

void doubt_first(Rows& rows, const RunSoFar& run) {
  auto& epochs = rows.epochs;
  const auto far_apart = run.lost.far_apart;
  if (run.first.by_stated && far_apart > 1 && far_apart + 2 > std::ssize(epochs)) {
    epochs.front().wall_s = 0;
  }
  const auto& steps = run.steps;
  if (!run.options.begin_anywhere || !steps.counts_on || epochs.size() < 2 ||
      steps.first_printed.value_or(0) <= steps.stride) {
    return;
  }
  const auto enough = epochs.front().iterations + std::max<std::int64_t>(1, steps.stride);
  if (std::all_of(epochs.begin() + 1, epochs.end(),
                  [&](const auto& row) { return row.iterations >= enough; })) {
    epochs.front().wall_s = 0;
  }
}

void leave_out_test(Rows& rows, const RunSoFar& run) {
  if (!run.options.begin_anywhere || !run.clock.timed || rows.epochs.size() < 3) {
    return;
  }
  auto& last = rows.epochs.back();
  std::map<std::int64_t, std::int64_t> counts;
  for (const auto& span : rows.spans) {
    counts[span.epoch] += span.name == "evaluate" ? 1 : 0;
  }
  std::int64_t most = 0;
  for (const auto& epoch : rows.epochs) {
    most = epoch.epoch == last.epoch ? most : std::max(most, counts[epoch.epoch]);
  }
  for (auto test = counts[last.epoch] - most; most > 0 && test > 0; --test) {
    const auto span = std::ranges::find_if(rows.spans.rbegin(), rows.spans.rend(), [&](auto& of) {
      return of.epoch == last.epoch && of.name == "evaluate";
    });
    last.evaluate_s = std::max(0.0, last.evaluate_s - span->duration_s);
    rows.spans.erase(std::next(span).base());
  }
}

void undo_running_sums(Rows& rows, const RunSoFar& run) {
  const bool all_stated = run.before.durations_taken >= std::ssize(rows.epochs);
  const bool steps_have_times =
      std::ranges::any_of(rows.iterations, [](const auto& step) { return step.step_s > 0; });
  const bool on_one_clock = are_on_one_clock(rows.epochs);
  if (run.clock.timed || run.clock.stated.is_of_run() || !(all_stated || !steps_have_times) ||
      !(on_one_clock || are_running_sums(rows.epochs))) {
    return;
  }
  double before_s = 0;
  for (auto& epoch : rows.epochs) {
    const double sum_s = epoch.wall_s;
    epoch.start_s = before_s;
    epoch.wall_s = sum_s - before_s;
    before_s = on_one_clock ? epoch.evaluate_s : sum_s;
    epoch.evaluate_s -= on_one_clock ? sum_s : 0;
  }
  if (steps_have_times) {
    rows.iterations.clear();  // they stand where the sums put them
  }
}

double count_from_first(Rows& rows, const RunSoFar& run) {
  const double first_s = rows.epochs.empty() ? 0 : rows.epochs.front().start_s;
  if (!run.options.begin_anywhere || (first_s >= 0 && run.clock.timed)) {
    return 0;
  }
  const auto shift = [&](auto& of) {
    std::ranges::for_each(of, [&](auto& row) { row.start_s -= first_s; });
  };
  shift(rows.epochs);
  shift(rows.iterations);
  shift(rows.spans);
  return first_s;
}

}  // namespace epochcast::progress
