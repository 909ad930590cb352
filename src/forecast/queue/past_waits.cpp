#include "src/forecast/queue/past_waits.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "src/forecast/queue/queue_part.hpp"

namespace epochcast::queue {
namespace {

// How much less a batch weighs for each difference, as learned on the cluster Cedar in May 2021.
constexpr double of_account = 1.5;  ///< Of another user of the account.
constexpr double of_others = 3;     ///< Of another account.
constexpr double of_partition = 1;
constexpr double of_limit = 0.7;  ///< For each factor of 2, as of_size.
constexpr double of_size = 0.2;
constexpr double of_day = 0.1;  ///< For each day of age.
constexpr double of_hour = 1;   ///< For each hour of the day.
/// Jobs of one batch became eligible within it.
constexpr double batch_s = 3600;

constexpr double hour_s = 3600;
constexpr double day_s = 86400;
/// With fewer past batches there is no forecast.
constexpr std::size_t fewest_batches = 5;

/// By how many factors of 2 they differ.
double octaves(double a, double b) {
  constexpr double least = 0.5;
  return std::isinf(a) && std::isinf(b)
             ? 0
             : std::min(10.0,
                        std::abs(std::log2(std::max(a, least)) - std::log2(std::max(b, least))));
}

double total(std::int64_t each, const ModelJob& job) {
  return static_cast<double>(each) * static_cast<double>(job.count);
}

double hours_apart(double a_s, double b_s) {
  const double apart_s = std::fmod(std::abs(a_s - b_s), day_s);
  return std::min(apart_s, day_s - apart_s) / hour_s;
}

auto batch_key(const PastJob& past) {
  const auto& job = past.job;
  return std::tuple(job.user, past.account, past.partitions, job.count, job.each.cpus,
                    job.each.gpus, job.limit_s, std::floor(past.eligible_s / batch_s));
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

namespace {

/// How much less the waits of `past` say of those of `job`.
double distance(const PastJob& job, const PastJob& past) {
  const bool same_account = !job.account.empty() && job.account == past.account;
  const double user = job.job.user == past.job.user ? 0 : same_account ? of_account : of_others;
  const double size =
      octaves(static_cast<double>(job.job.count), static_cast<double>(past.job.count)) +
      octaves(total(job.job.each.cpus, job.job), total(past.job.each.cpus, past.job)) +
      octaves(total(job.job.each.gpus, job.job), total(past.job.each.gpus, past.job));
  return user + (shares_any(job.partitions, past.partitions) ? 0 : of_partition) +
         of_limit * octaves(job.job.limit_s, past.job.limit_s) + of_size * size +
         of_day * (job.eligible_s - past.eligible_s) / day_s +
         of_hour * hours_apart(job.eligible_s, past.eligible_s);
}

}  // namespace

PastWaits::PastWaits(const std::vector<PastJob>& jobs, const std::optional<PastJob>& asked) {
  std::map<decltype(batch_key(jobs.front())), std::size_t> places;
  std::vector<forecast::TimeBatch> batches;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& past = jobs[i];
    const auto [place, is_new] = places.try_emplace(batch_key(past), first_.size());
    if (is_new) {
      first_.push_back(past);
      members_.emplace_back();
      batches.push_back({.asked_at_s = past.eligible_s, .times = {}});
    }
    members_[place->second].push_back(i);
    batches[place->second].times.push_back({past.eligible_s, std::max(0.0, past.wait_s())});
  }
  for (const auto& batch : batches) {
    std::vector<double> waits_s;
    std::ranges::transform(batch.times, std::back_inserter(waits_s),
                           &forecast::CountedTime::took_s);
    std::ranges::nth_element(waits_s, waits_s.begin() + std::ssize(waits_s) / 2);
    median_s_.push_back(waits_s[waits_s.size() / 2]);
  }
  if (asked) {
    first_.push_back(*asked);
    members_.emplace_back();
    median_s_.push_back(never_s);
    batches.push_back({.asked_at_s = asked->eligible_s, .times = {}});
  }
  times_ = std::make_unique<forecast::LikeTimes>(
      std::move(batches),
      [this](std::size_t batch, std::size_t earlier) {
        return forecast::Likeness{distance(first_[batch], first_[earlier])};
      },
      forecast::LikeParts{});
}

std::optional<forecast::Prediction> PastWaits::forecast_s(std::size_t batch) const {
  return batch < fewest_batches ? std::nullopt : times_->calibrated(batch);
}

std::vector<PastWait> PastWaits::forecasts_before(std::size_t batch) const {
  const auto until = times_->had_time(batch);
  std::vector<PastWait> past;
  for (auto i = until - std::min(until, ModelEffort{}.scored); i < until; ++i) {
    const auto made = std::isfinite(median_s_[i]) ? forecast_s(i) : std::nullopt;
    if (made) {
      past.push_back(
          {*made, median_s_[i], first_[i].eligible_s, first_[i].eligible_s + median_s_[i]});
    }
  }
  return past;
}

std::vector<PastWait> model_on_past_waits(const QueueNow& queue, const std::vector<PastJob>& jobs,
                                          const std::vector<std::string>& partitions) {
  constexpr std::uint64_t seed = 2;
  std::vector<const PastJob*> scored;
  std::vector<bool> waits_still;
  for (const auto& past : jobs) {
    if (shares_any(past.partitions, partitions)) {
      scored.push_back(&past);
      waits_still.push_back(!past.has_started);
    }
  }
  scored.resize(forecast::had_time(waits_still));
  std::erase_if(scored, [](const PastJob* past) { return !past->has_started; });
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

}  // namespace epochcast::queue
