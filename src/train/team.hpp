// The processes that train one network together, as the loop sees them. Every call but fail() is
// made by all of them, in the same order, and throws RunError with the reason where one of them is
// gone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/record/record.hpp"

namespace epochcast::train {

class Team {
 public:
  virtual ~Team() = default;

  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;
  bool is_first() const { return rank() == 0; }

  /// The largest of the wishes (from 0 on), the same on all ranks. Of several ranks it may be that
  /// of some calls ago, and in between 0, so that nobody waits for the others' newest: a wish is to
  /// be repeated until it is granted.
  virtual std::int64_t agree(std::int64_t wish) = 0;

  /// The sum over the ranks of every value; with at least one nobody returns before all have come.
  virtual std::vector<double> sum(const std::vector<double>& values) = 0;

  /// Returns once all ranks have come here.
  void barrier() { sum({0}); }

  /// On rank 0 what every rank gave, by rank; elsewhere nothing.
  virtual std::vector<std::string> gather(const std::string& bytes) = 0;

  /// Rank 0's text.
  virtual std::string broadcast(const std::string& text) = 0;

  /// What to add to a time of this rank's clock to have it on that of rank 0.
  virtual double to_first_clock_s() const { return 0; }

  /// The network between the ranks, measured now; on rank 0.
  virtual std::vector<record::Probe> probe() { return {}; }

  /// This rank fails with `text`: tells the others. Returns why the run as a whole fails, which may
  /// be the fault of another rank that only showed here.
  virtual std::string fail(const std::string& text) { return text; }

  /// After fail(): whether this rank has to say the last word. Rank 0 has; another only where rank
  /// 0 has ended, which is waited for.
  virtual bool speaks() { return true; }

  /// Waits for all ranks to come here, rank 0 last.
  virtual void leave() {}
};

/// One process on its own.
class TeamOfOne final : public Team {
 public:
  std::int64_t rank() const override { return 0; }
  std::int64_t size() const override { return 1; }
  std::int64_t agree(std::int64_t wish) override { return wish; }
  std::vector<double> sum(const std::vector<double>& values) override { return values; }
  std::vector<std::string> gather(const std::string& bytes) override { return {bytes}; }
  std::string broadcast(const std::string& text) override { return text; }
};

}  // namespace epochcast::train
