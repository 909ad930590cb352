// Which share of its time limit a job uses, as past jobs did.
#pragma once

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace epochcast::jobs {

/// A past job that ended: what it asked for and what it took.
struct PastUse {
  std::string user;
  double limit_s = 0;  ///< Infinite: it had none.
  double used_s = 0;
  std::string request = {};  ///< ModelJob::request.
};

using Random = std::mt19937_64;

/// A number from 0 to below 1.
double uniform(Random& random);

class UseShares {
 public:
  UseShares() = default;
  explicit UseShares(const std::vector<PastUse>& past);

  /// A run time for a job that has run `elapsed_s`: the share of a past job that used more of its
  /// limit than that. Past jobs of the same user with the same limit and request come first, then
  /// those of the user with the same limit, those of the user, and all; at least five are needed.
  /// Without past jobs every share is equally likely. A job without a limit takes the time of a
  /// past job without one, or never ends.
  double draw_s(const std::string& user, double limit_s, const std::string& request,
                double elapsed_s, Random& random) const;

  std::size_t size() const { return all_.size(); }

 private:
  static constexpr std::size_t fewest = 5;
  using Shares = std::vector<double>;  ///< Sorted.

  const Shares& pool(const std::string& user, double limit_s, const std::string& request) const;

  Shares all_;
  /// By user, limit (0: any) and request (empty: any).
  std::map<std::tuple<std::string, double, std::string>, Shares> alike_;
  Shares unlimited_s_;  ///< Times of jobs without a limit.
};

}  // namespace epochcast::jobs
