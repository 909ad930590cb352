#include "src/forecast/queue/use_shares.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace epochcast::queue {

UseShares::UseShares(const std::vector<PastUse>& past) {
  for (const auto& use : past) {
    if (std::isinf(use.limit_s)) {
      unlimited_s_.push_back(use.used_s);
    } else if (use.limit_s > 0) {
      const double share = std::min(1.0, use.used_s / use.limit_s);
      all_.push_back(share);
      for (const auto& key : keys_of(use)) {
        alike_[key].push_back(share);
      }
    }
  }
  std::ranges::sort(all_);
  std::ranges::sort(unlimited_s_);
  for (auto& [kind, shares] : alike_) {
    std::ranges::sort(shares);
  }
}

/// From the most to the least alike.
std::vector<UseShares::Key> UseShares::keys_of(const PastUse& job) {
  std::vector<Key> keys{{job.user, job.limit_s, "", ""}, {job.user, 0, "", ""}};
  if (!job.request.empty()) {
    keys.insert(keys.begin(), {job.user, job.limit_s, job.request, ""});
  }
  if (!job.kind.empty()) {
    keys.insert(keys.begin(), {job.user, job.limit_s, job.request, job.kind});
  }
  return keys;
}

const UseShares::Shares& UseShares::pool(const PastUse& job) const {
  for (const auto& key : keys_of(job)) {
    if (const auto found = alike_.find(key);
        found != alike_.end() && found->second.size() >= fewest) {
      return found->second;
    }
  }
  return all_;
}

/// NaN: no past job used more.
double RunTimes::share_above(const UseShares::Shares& pool, double least) {
  const auto first = std::ranges::upper_bound(pool, least);
  const auto past = static_cast<std::size_t>(pool.end() - first);
  if (past == 0) {
    return std::nan("");
  }
  auto& taken = taken_[&pool];
  std::vector<double> some;
  if (least > 0) {
    std::ranges::copy_if(taken, std::back_inserter(some),
                         [&](double share) { return share > least; });
  }
  const auto& above = least > 0 ? some : taken;
  const auto place =
      static_cast<std::size_t>(static_cast<double>(past + above.size()) * random_.uniform());
  const double share =
      place < past ? first[static_cast<std::ptrdiff_t>(place)] : above[place - past];
  taken.push_back(share);
  return share;
}

double RunTimes::next_s(const PastUse& job, double elapsed_s) {
  if (std::isinf(job.limit_s)) {
    const double time_s = share_above(shares_.unlimited_s_, elapsed_s);
    return std::isnan(time_s) ? std::numeric_limits<double>::infinity() : time_s;
  }
  if (elapsed_s >= job.limit_s) {
    return elapsed_s;  // Slurm ends it at once
  }
  if (shares_.all_.size() < UseShares::fewest) {
    return elapsed_s + (job.limit_s - elapsed_s) * random_.uniform();
  }
  const double share = share_above(shares_.pool(job), elapsed_s / job.limit_s);
  return std::isnan(share) ? job.limit_s : job.limit_s * share;
}

}  // namespace epochcast::queue
