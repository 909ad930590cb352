#include "src/forecast/queue/past_waits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "src/forecast/queue/queue_part.hpp"
#include "src/forecast/run/conformal.hpp"
#include "src/forecast/run/history.hpp"

namespace epochcast::jobs {
namespace {

constexpr double hour_s = 3600;
constexpr double day_s = 86400;

/// Half to twice.
bool is_near(double a, double b) {
  return (a == 0 && b == 0) || (a > 0 && b > 0 && a <= 2 * b && b <= 2 * a) ||
         (std::isinf(a) && std::isinf(b));
}

double total(std::int64_t each, const ModelJob& job) {
  return static_cast<double>(each) * static_cast<double>(job.count);
}

bool is_of_size(const ModelJob& a, const ModelJob& b) {
  return is_near(static_cast<double>(a.count), static_cast<double>(b.count)) &&
         is_near(total(a.each.cpus, a), total(b.each.cpus, b)) &&
         is_near(total(a.each.gpus, a), total(b.each.gpus, b));
}

bool is_at_hour(double a_s, double b_s) {
  const double apart_s = std::fmod(std::abs(a_s - b_s), day_s);
  return std::min(apart_s, day_s - apart_s) <= 3 * hour_s;
}

/// The newest `count`, in order.
template <class Item>
std::vector<Item> newest(std::vector<Item> items, std::size_t count) {
  const auto more = items.size() - std::min(items.size(), count);
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(more));
  return items;
}

}  // namespace

bool shares_any(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(
      a, [&](const auto& name) { return std::ranges::find(b, name) != b.end(); });
}

SimilarWaits similar_waits(const std::vector<PastJob>& jobs, const ModelJob& job,
                           const std::vector<std::string>& partitions, double now_s) {
  using Test = std::function<bool(const PastJob&)>;
  const Test size = [&](const PastJob& past) { return is_of_size(past.job, job); };
  const Test limit = [&](const PastJob& past) { return is_near(past.job.limit_s, job.limit_s); };
  const Test hour = [&](const PastJob& past) { return is_at_hour(past.eligible_s, now_s); };
  const std::array<std::pair<std::string, std::vector<Test>>, 4> classes{
      {{"these partitions, a similar size and limit, within 3 hours of this time of day",
        {size, limit, hour}},
       {"these partitions, a similar size and limit, at any hour", {size, limit}},
       {"these partitions and a similar size, with any limit", {size}},
       {"these partitions, of any size and limit", {}}}};
  SimilarWaits found;
  for (const auto& [what, tests] : classes) {
    found = {.waits = {}, .what = what};
    for (const auto& past : jobs) {
      if (past.has_started && shares_any(past.partitions, partitions) &&
          std::ranges::all_of(tests, [&](const Test& test) { return test(past); })) {
        found.waits.push_back({past.eligible_s, std::max(0.0, past.wait_s())});
      }
    }
    if (found.waits.size() >= forecast::fewest_past_forecasts) {
      break;
    }
  }
  return found;
}

std::optional<forecast::Prediction> wait_from(const std::vector<KnownWait>& waits) {
  forecast::PastTimes times;
  for (const auto& wait : waits) {
    times.add({.elapsed_s = wait.wait_s});
  }
  const auto answer = times.forecast();
  const auto* found = std::get_if<forecast::HistoryForecast>(&answer);
  return found == nullptr ? std::nullopt : std::optional(found->time_s);
}

std::vector<PastWait> forecasts_of_past_waits(const std::vector<KnownWait>& waits) {
  std::vector<PastWait> past;
  for (const auto& wait : newest(waits, ModelEffort{}.scored)) {
    std::vector<KnownWait> known;
    std::ranges::copy_if(waits, std::back_inserter(known), [&](const KnownWait& other) {
      return other.eligible_s + other.wait_s <= wait.eligible_s;
    });
    if (const auto forecast = wait_from(known)) {
      past.push_back({*forecast, wait.wait_s, wait.eligible_s, wait.eligible_s + wait.wait_s});
    }
  }
  return past;
}

std::vector<PastWait> model_on_past_waits(const QueueNow& queue, const std::vector<PastJob>& jobs,
                                          const std::vector<std::string>& partitions) {
  constexpr std::uint64_t seed = 2;
  std::vector<const PastJob*> scored;
  for (const auto& past : jobs) {
    if (past.has_started && shares_any(past.partitions, partitions)) {
      scored.push_back(&past);
    }
  }
  const auto count =
      scored.empty() ? 0 : effort_for(part_of_queue(queue.model, scored.back()->job).model).scored;
  std::vector<PastWait> waits;
  for (const auto* past : newest(scored, count)) {
    const auto [model, job] =
        part_of_queue(queue_at(queue, jobs, past->eligible_s, past), past->job);
    auto effort = effort_for(model);
    if (!effort.is_possible()) {
      continue;
    }
    effort.draws = std::max<std::size_t>(20, effort.draws / 4);
    const UseShares shares(uses_until(jobs, past->eligible_s));
    const auto forecast = wait_of_draws(wait_draws(model, job, shares, effort, seed));
    waits.push_back({forecast, std::max(0.0, past->wait_s()), past->eligible_s, past->started_s});
  }
  return waits;
}

}  // namespace epochcast::jobs
