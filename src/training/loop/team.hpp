// The processes that train one network together, as seen by the loop. All of them make every call
// except fail(), in the same order. Every call throws RunError with the reason if one of the
// processes is gone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/record/record.hpp"
#include "src/training/ranks/failure.hpp"

namespace epochcast::train {

class Team {
 public:
  virtual ~Team() = default;

  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;
  bool is_first() const { return rank() == 0; }

  /// The largest of the requests (0 or more), the same on all ranks. With several ranks, the result
  /// may be the one of an earlier call, or 0, so that no rank waits for the newest request of
  /// another: repeat a request until it is granted.
  virtual std::int64_t agree(std::int64_t request) = 0;

  /// The sum of every value over the ranks. With at least one value, it returns after all ranks
  /// have called it.
  virtual std::vector<double> sum(const std::vector<double>& values) = 0;

  /// Returns after all ranks have called it.
  void barrier() { sum({0}); }

  /// The bytes of every rank, by rank, on rank 0; empty on other ranks.
  virtual std::vector<std::string> gather(const std::string& bytes) = 0;

  /// The text of rank 0.
  virtual std::string broadcast(const std::string& text) = 0;

  /// The seconds to add to a time of the clock of this rank to get the time on the clock of rank 0.
  virtual double to_first_clock_s() const { return 0; }

  /// Measures the network between the ranks now. Returns the result on rank 0.
  virtual std::vector<record::Probe> probe() { return {}; }

  /// Reports to the other ranks that this rank fails. Returns why the run as a whole fails, which
  /// may be the failure of another rank.
  [[nodiscard]] virtual ranks::Failure fail(const ranks::Failure& failure) { return failure; }

  /// Called after fail(): whether this rank must close the record and print the error. Rank 0
  /// always must. Another rank waits for the end of rank 0 and must do it only if rank 0 has ended.
  [[nodiscard]] virtual bool must_report() { return true; }

  /// Returns after all ranks have called it; rank 0 returns last.
  virtual void leave() {}
};

/// A single process.
class TeamOfOne final : public Team {
 public:
  std::int64_t rank() const override { return 0; }
  std::int64_t size() const override { return 1; }
  std::int64_t agree(std::int64_t request) override { return request; }
  std::vector<double> sum(const std::vector<double>& values) override { return values; }
  std::vector<std::string> gather(const std::string& bytes) override { return {bytes}; }
  std::string broadcast(const std::string& text) override { return text; }
};

}  // namespace epochcast::train
