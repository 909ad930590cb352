// Which share of its time limit a job uses, as past jobs did.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "src/base/core/random.hpp"

namespace epochcast::queue {

/// A past job that ended: what it asked for and what it took.
struct PastUse {
  std::string user;
  double limit_s = 0;  ///< Infinite: it had none.
  double used_s = 0;
  std::string request = {};  ///< ModelJob::request.
  std::string kind = {};     ///< ModelJob::kind.
};

/// The shares of their limits that past jobs used.
class UseShares {
 public:
  UseShares() = default;
  explicit UseShares(const std::vector<PastUse>& past);

  std::size_t size() const { return all_.size(); }

 private:
  friend class RunTimes;
  static constexpr std::size_t fewest = 5;
  using Shares = std::vector<double>;  ///< Sorted.

  using Key = std::tuple<std::string, double, std::string, std::string>;

  static std::vector<Key> keys_of(const PastUse& job);
  const Shares& pool(const PastUse& job) const;

  Shares all_;
  std::map<Key, Shares> alike_;  ///< By user, limit (0: any), request and kind (empty: any).
  Shares unlimited_s_;           ///< Times of jobs without a limit.
};

/// The run times of jobs in one draw of a queue.
class RunTimes {
 public:
  RunTimes(const UseShares& shares, Random& random) : shares_(shares), random_(random) {}

  /// A run time for a job that has run `elapsed_s`: the share of a past job that used more of its
  /// limit than that. Past jobs of the same user with the same limit, request and kind come first,
  /// then those of any kind, with any request, with any limit, and all; at least five are needed.
  /// The shares that this draw has taken before count as past ones (Polya's urn, the Bayesian
  /// bootstrap of Rubin 1981): jobs of one kind can all be longer than the few past ones. Without
  /// past jobs every share is equally likely. A job without a limit takes the time of a past job
  /// without one, or never ends.
  double next_s(const PastUse& job, double elapsed_s);

 private:
  double share_above(const UseShares::Shares& pool, double least);

  const UseShares& shares_;
  Random& random_;
  std::map<const UseShares::Shares*, std::vector<double>> taken_;
};

}  // namespace epochcast::queue
