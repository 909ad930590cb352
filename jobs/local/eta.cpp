#include "jobs/local/eta.hpp"

#include <fmt/format.h>

#include <cmath>

#include "src/base/core/text.hpp"

namespace epochcast::jobs {

void Eta::expect(const std::string& allocation, double weight) {
  tallies_[allocation].expected += weight;
}

void Eta::took(const std::string& allocation, double weight, double seconds) {
  auto& tally = tallies_[allocation];
  tally.done += weight;
  tally.seconds += seconds;
}

void Eta::failed(const std::string& allocation, double weight) {
  tallies_[allocation].expected -= weight;
}

std::string Eta::text(double more_s) const {
  Tally all;
  for (const auto& [name, tally] : tallies_) {
    all.done += tally.done;
    all.seconds += tally.seconds;
  }
  if (all.done == 0) {
    return "no forecast yet";
  }
  double left_s = more_s;
  for (const auto& [name, tally] : tallies_) {
    const double rate = tally.done > 0 ? tally.seconds / tally.done : all.seconds / all.done;
    left_s += (tally.expected - tally.done) * rate;
  }
  return fmt::format("about {} left", format_duration(std::ceil(left_s)));
}

}  // namespace epochcast::jobs
