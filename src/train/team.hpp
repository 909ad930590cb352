// The processes that train one network together, as the loop sees them. All of them make every call
// except fail(), in the same order. Every call throws RunError with the reason if one of them is
// gone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/ranks/failure.hpp"
#include "src/record/record.hpp"

namespace epochcast::train {

class Team {
 public:
  virtual ~Team() = default;

  virtual std::int64_t rank() const = 0;
  virtual std::int64_t size() const = 0;
  bool is_first() const { return rank() == 0; }

  /// The largest of the requests (from 0), the same on all ranks. With several ranks it may be that
  /// of an earlier call, or 0, so that no rank waits for the newest request of another: repeat a
  /// request until it is granted.
  virtual std::int64_t agree(std::int64_t request) = 0;

  /// The sum over the ranks of every value; with at least one value it returns after all ranks have
  /// called it.
  virtual std::vector<double> sum(const std::vector<double>& values) = 0;

  /// Returns after all ranks have called it.
  void barrier() { sum({0}); }

  /// On rank 0 the bytes of every rank, by rank; on others nothing.
  virtual std::vector<std::string> gather(const std::string& bytes) = 0;

  /// The text of rank 0.
  virtual std::string broadcast(const std::string& text) = 0;

  /// Added to a time of this rank's clock it gives the time on rank 0's clock.
  virtual double to_first_clock_s() const { return 0; }

  /// The network between the ranks, measured now; on rank 0.
  virtual std::vector<record::Probe> probe() { return {}; }

  /// This rank fails: reports that to the others. Returns why the run as a whole fails, which may
  /// be the failure of another rank.
  [[nodiscard]] virtual ranks::Failure fail(const ranks::Failure& failure) { return failure; }

  /// After fail(): whether this rank must close the record and print the error. Rank 0 must;
  /// another rank only if rank 0 has ended, which it waits for.
  [[nodiscard]] virtual bool must_report() { return true; }

  /// Returns after all ranks have called it, on rank 0 last.
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
