#include "jobs/advise/use_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace epochcast::jobs {
namespace {

/// A value above `least` of the sorted ones; NaN: there is none.
double draw_above(const std::vector<double>& sorted, double least, Random& random) {
  const auto first = std::ranges::upper_bound(sorted, least) - sorted.begin();
  const auto count = static_cast<double>(std::ssize(sorted) - first);
  if (count == 0) {
    return std::nan("");
  }
  return sorted[static_cast<std::size_t>(first) +
                static_cast<std::size_t>(count * uniform(random))];
}

}  // namespace

double uniform(Random& random) {
  constexpr double scale = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(random() >> 11) * scale;
}

UseShares::UseShares(const std::vector<PastUse>& past) {
  for (const auto& use : past) {
    if (std::isinf(use.limit_s)) {
      unlimited_s_.push_back(use.used_s);
    } else if (use.limit_s > 0) {
      const double share = std::min(1.0, use.used_s / use.limit_s);
      all_.push_back(share);
      alike_[{use.user, 0, ""}].push_back(share);
      alike_[{use.user, use.limit_s, ""}].push_back(share);
      if (!use.request.empty()) {
        alike_[{use.user, use.limit_s, use.request}].push_back(share);
      }
    }
  }
  std::ranges::sort(all_);
  std::ranges::sort(unlimited_s_);
  for (auto& [kind, shares] : alike_) {
    std::ranges::sort(shares);
  }
}

const UseShares::Shares& UseShares::pool(const std::string& user, double limit_s,
                                         const std::string& request) const {
  for (const auto& kind :
       {std::tuple(user, limit_s, request), std::tuple(user, limit_s, std::string()),
        std::tuple(user, 0.0, std::string())}) {
    if (const auto found = alike_.find(kind);
        found != alike_.end() && found->second.size() >= fewest) {
      return found->second;
    }
  }
  return all_;
}

double UseShares::draw_s(const std::string& user, double limit_s, const std::string& request,
                         double elapsed_s, Random& random) const {
  if (std::isinf(limit_s)) {
    const double time_s = draw_above(unlimited_s_, elapsed_s, random);
    return std::isnan(time_s) ? std::numeric_limits<double>::infinity() : time_s;
  }
  if (elapsed_s >= limit_s) {
    return elapsed_s;  // Slurm ends it at once
  }
  if (all_.size() < fewest) {
    return elapsed_s + (limit_s - elapsed_s) * uniform(random);
  }
  const double share = draw_above(pool(user, limit_s, request), elapsed_s / limit_s, random);
  return std::isnan(share) ? limit_s : limit_s * share;
}

}  // namespace epochcast::jobs
