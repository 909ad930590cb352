#include "src/forecast/history/past_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/run/conformal.hpp"
#include "src/slurm/accounting_cells.hpp"

namespace epochcast::history {
namespace {

using slurm::AccountedJob;

// How much less a batch weighs for each difference, as chosen on the cluster Cedar in May 2021,
// which has no names.
constexpr double of_account = 2;  ///< Of another user of the account.
constexpr double of_others = 4;   ///< Of another account.
constexpr double of_name = 2;
constexpr double of_partition = 1;
constexpr double of_limit = 2;  ///< For each factor of 2, at most 3, as of_size.
constexpr double of_size = 1;
constexpr double of_day = 0.3;  ///< For each day of age, at most most_of_days.
constexpr double most_of_days = 5;
/// Jobs of one batch are submitted within it.
constexpr double batch_s = 3600;

constexpr double day_s = 86400;
constexpr double no_limit_s = std::numeric_limits<double>::infinity();

/// What a lost job may cost in hours of limits that others ask for less: 1, 1.4, 2, ... 1448.
constexpr std::size_t prices = 22;
double price_s(std::size_t place) {
  return 3600 * std::pow(2, static_cast<double>(place) / 2);
}

double limit_of(const AccountedJob& job) {
  return job.limit_s > 0 ? job.limit_s : no_limit_s;
}

/// The runs of a campaign are often numbered.
std::string kind_of(std::string name) {
  std::erase_if(name, is_digit);
  return name;
}

bool counts(const AccountedJob& job) {
  return job.restarts == 0 &&
         (job.state == slurm::JobState::completed || job.state == slurm::JobState::timeout) &&
         slurm::parse_stamp_s(job.submitted_at) && slurm::parse_stamp_s(job.started_at);
}

forecast::CountedTime counted_time(const AccountedJob& job) {
  return {.from_s = *slurm::parse_stamp_s(job.started_at),
          .took_s = std::min(job.elapsed_s, limit_of(job)),  // Slurm ends it some time after that
          .cut_off = job.state == slurm::JobState::timeout};
}

double octaves(double a, double b) {
  constexpr double most = 3;
  constexpr double least = 0.5;
  if (std::isinf(a) || std::isinf(b)) {
    return std::isinf(a) && std::isinf(b) ? 0 : most;
  }
  return std::min(most, std::abs(std::log2(std::max(a, least) / std::max(b, least))));
}

bool is_same_work(const AccountedJob& a, const AccountedJob& b) {
  return a.user == b.user && a.script == b.script && a.job_name == b.job_name &&
         !(a.script.empty() && a.job_name.empty());
}

/// How much less the times of `past` say of those of `job`.
double unlikeness(const AccountedJob& job, const AccountedJob& past) {
  const auto size = [](std::int64_t a, std::int64_t b) {
    return octaves(static_cast<double>(a), static_cast<double>(b));
  };
  const double user = job.user == past.user         ? 0
                      : job.account == past.account ? of_account
                                                    : of_others;
  const double sizes =
      size(job.nodes, past.nodes) + size(job.cpus, past.cpus) + size(job.gpus, past.gpus);
  return user + (job.job_name == past.job_name ? 0 : of_name) +
         (job.partition == past.partition ? 0 : of_partition) + of_size * sizes +
         (is_same_work(job, past) ? 0 : of_limit * octaves(limit_of(job), limit_of(past)));
}

}  // namespace

PastRuns::PastRuns(const std::vector<AccountedJob>& jobs, const std::optional<AccountedJob>& asked,
                   const forecast::LikeParts& like) {
  const auto key = [](const AccountedJob& job, double submitted_s) {
    return std::tuple(job.user, job.account, kind_of(job.job_name), job.script, job.partition,
                      job.nodes, job.cpus, job.gpus, limit_of(job),
                      std::floor(submitted_s / batch_s));
  };
  std::map<decltype(key(jobs.front(), 0)), std::size_t> places;
  std::vector<forecast::TimeBatch> batches;
  const auto add_batch = [&](const AccountedJob& job, double submitted_s) {
    first_.push_back(job);
    first_.back().job_name = kind_of(job.job_name);
    asked_at_s_.push_back(submitted_s);
    members_.emplace_back();
    batches.push_back({.asked_at_s = submitted_s, .times = {}, .most_s = limit_of(job)});
  };
  std::vector<std::pair<double, std::size_t>> by_time;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (counts(jobs[i])) {
      by_time.emplace_back(*slurm::parse_stamp_s(jobs[i].submitted_at), i);
    }
  }
  std::ranges::stable_sort(by_time);
  for (const auto& [submitted_s, i] : by_time) {
    const auto [place, is_new] = places.try_emplace(key(jobs[i], submitted_s), first_.size());
    if (is_new) {
      add_batch(jobs[i], submitted_s);
    }
    members_[place->second].push_back(i);
    batches[place->second].times.push_back(counted_time(jobs[i]));
  }
  if (asked) {
    add_batch(*asked, slurm::parse_stamp_s(asked->submitted_at).value_or(0));
  }
  needs_by_price_.resize(first_.size());
  for (const auto& batch : batches) {
    member_times_.push_back(batch.times);
  }
  times_ = std::make_unique<forecast::LikeTimes>(
      std::move(batches),
      [this](std::size_t batch, std::size_t earlier) { return likeness(batch, earlier); }, like);
}

forecast::Likeness PastRuns::likeness(std::size_t batch, std::size_t earlier) const {
  const auto& job = first_[batch];
  const auto& past = first_[earlier];
  const double limit_s = limit_of(job);
  const double past_limit_s = limit_of(past);
  const bool has_ratio =
      std::isfinite(limit_s) && std::isfinite(past_limit_s) && !is_same_work(job, past);
  const double days = (asked_at_s_[batch] - asked_at_s_[earlier]) / day_s;
  return {.distance = unlikeness(job, past) + std::min(most_of_days, of_day * days),
          .time_ratio = has_ratio ? limit_s / past_limit_s : 1};
}

const std::vector<double>& PastRuns::needs_by_price(std::size_t batch) const {
  auto& needs_s = needs_by_price_[batch];
  if (!needs_s.empty()) {
    return needs_s;
  }
  const double own_s = limit_of(first_[batch]);
  const auto steps = times_->distribution(batch);
  for (std::size_t price = 0; price < prices; ++price) {
    double best_s = own_s;
    double least = own_s;
    for (const auto& [time_s, until] : steps) {
      const double limit_s = forecast::limit_from(time_s);
      const double cost = limit_s + price_s(price) * (1 - until);
      if (limit_s < own_s && cost < least) {
        least = cost;
        best_s = time_s;
      }
    }
    needs_s.push_back(best_s);
  }
  return needs_s;
}

double PastRuns::needs_s(std::size_t batch, double high_95_s) const {
  constexpr double lost = 0.02;
  std::vector<double> lost_at(prices);
  double all = 0;
  const auto until = times_->had_time(batch);
  times_->each_outcome(batch, until, [&](std::size_t past, const forecast::WeightedTime& time) {
    if (past < forecast::fewest_past_forecasts) {
      return;  // made from too little
    }
    const double weight = time.weight * static_cast<double>(members_[past].size());
    all += weight;
    const double own_s = limit_of(first_[past]);
    for (std::size_t price = 0; price < prices; ++price) {
      const double limit_s = std::min(own_s, forecast::limit_from(needs_by_price(past)[price]));
      lost_at[price] += time.time_s > limit_s ? weight : 0;
    }
  });
  const auto enough = std::ranges::find_if(
      lost_at, [&](double lost_there) { return all > 0 && lost_there <= lost * all; });
  return enough == lost_at.end()
             ? high_95_s
             : needs_by_price(batch)[static_cast<std::size_t>(enough - lost_at.begin())];
}

std::string PastRuns::warning(std::size_t batch) const {
  constexpr std::size_t newest = 3;
  constexpr std::size_t fewest_before = 10;
  constexpr double nearest = 1.5;
  std::map<std::size_t, std::vector<double>> like;
  const auto until = times_->had_time(batch);
  times_->each_outcome(batch, until, [&](std::size_t past, const forecast::WeightedTime& time) {
    if (unlikeness(first_[batch], first_[past]) < nearest) {
      like[past].push_back(time.time_s);
    }
  });
  if (like.empty()) {
    return "no earlier job is like it: others, and its own limit, count instead";
  }
  std::vector<double> medians_s;
  for (const auto& [past, times_s] : like) {
    medians_s.push_back(median_of(times_s));
  }
  if (medians_s.size() < newest + fewest_before) {
    return "";
  }
  const auto last = medians_s.end() - newest;
  const std::vector<double> before_s(medians_s.begin(), last);
  const auto all = [&](auto is) { return std::all_of(last, medians_s.end(), is); };
  const bool longer =
      all([&, end = quantile(before_s, 0.9)](double time_s) { return time_s > end; });
  const bool shorter =
      all([&, end = quantile(before_s, 0.1)](double time_s) { return time_s < end; });
  return longer || shorter
             ? fmt::format(
                   "the newest {} batches were {} than 9 of 10 before them: it may not be "
                   "like its past",
                   newest, longer ? "longer" : "shorter")
             : "";
}

std::optional<RunForecast> PastRuns::forecast(std::size_t batch) const {
  const auto time_s = times_->calibrated(batch);
  if (!time_s || !times_->can_calibrate(batch)) {
    return std::nullopt;
  }
  return RunForecast{*time_s, needs_s(batch, time_s->interval_95.high), warning(batch)};
}

forecast::Backtest PastRuns::backtest(std::size_t count) const {
  forecast::Backtest result;
  const auto add = [](bool held, forecast::Share& share) {
    ++share.of;
    share.held += held ? 1 : 0;
  };
  for (auto batch = first_.size() - std::min(first_.size(), count); batch < first_.size();
       ++batch) {
    const auto made = member_times_[batch].empty() ? std::nullopt : forecast(batch);
    if (!made) {
      continue;
    }
    const double limit_s = std::min(limit_of(first_[batch]), forecast::limit_from(made->needs_s));
    for (const auto& time : member_times_[batch]) {
      add(made->time_s.interval_80.holds(time.took_s), result.inside_80);
      add(made->time_s.interval_95.holds(time.took_s), result.inside_95);
      if (!time.cut_off) {
        add(time.took_s <= limit_s, result.within_limit);
        result.asked_s += limit_s;
        result.used_s += time.took_s;
      }
    }
  }
  return result;
}

}  // namespace epochcast::history
