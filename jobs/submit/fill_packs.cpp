#include "jobs/submit/fill_packs.hpp"

#include <algorithm>
#include <cmath>

#include "jobs/ledger/margin.hpp"
#include "src/forecast/statistics/regression.hpp"

namespace epochcast::jobs {
namespace {

constexpr double probability = 0.95;

/// What the points that run one after the other take.
struct Lane {
  double sum_s = 0;
  double variance = 0;
};

double deviation_s(const PackPoint& point) {
  return std::max(0.0, point.high_s - *point.forecast_s) / forecast::normal_half_width(probability);
}

double load_s(const FilledPack& pack) {
  double sum_s = 0;
  for (const auto& point : pack.points) {
    sum_s += *point.forecast_s;
  }
  return sum_s;
}

class Filling {
 public:
  Filling(const AllocationProfile& site, std::size_t jobs) : site_(site), packs_(jobs) {}

  /// Into the shortest of the packs that have room; otherwise into a new one.
  void put(const PackPoint& point) {
    FilledPack* shortest = nullptr;
    for (auto& pack : packs_) {
      if (has_room(pack, point) && (shortest == nullptr || load_s(pack) < load_s(*shortest))) {
        shortest = &pack;
      }
    }
    (shortest == nullptr ? packs_.emplace_back() : *shortest).points.push_back(point);
  }

  std::vector<FilledPack> done() && {
    std::erase_if(packs_, [](const FilledPack& pack) { return pack.points.empty(); });
    for (auto& pack : packs_) {
      pack.limit = limit_of(pack.points);
    }
    return std::move(packs_);
  }

 private:
  Seconds limit_of(const std::vector<PackPoint>& points) const {
    const auto found = limit_for(pack_needs_s(points, site_.pack.parallel), site_);
    return found.fits ? found.limit : site_.asks.time;
  }

  bool has_room(const FilledPack& pack, const PackPoint& point) const {
    if (std::cmp_greater_equal(pack.points.size(), site_.pack.points)) {
      return false;
    }
    auto points = pack.points;
    points.push_back(point);
    return points.size() == 1 ||
           pack_needs_s(points, site_.pack.parallel) <=
               without_margin_s(site_.asks.time.value, site_.launch.signal_lead);
  }

  const AllocationProfile& site_;
  std::vector<FilledPack> packs_;
};

}  // namespace

double pack_needs_s(const std::vector<PackPoint>& points, std::int64_t parallel) {
  std::vector<Lane> lanes(static_cast<std::size_t>(parallel));
  for (const auto& point : points) {
    auto& lane = *std::ranges::min_element(lanes, {}, &Lane::sum_s);
    lane.sum_s += *point.forecast_s;
    lane.variance += deviation_s(point) * deviation_s(point);
  }
  // All lanes hold the limit with `probability`; on one side, so twice of what is above.
  const double of_lane = std::pow(probability, 1 / static_cast<double>(parallel));
  const double width = forecast::normal_half_width(2 * of_lane - 1);
  double needs_s = 0;
  for (const auto& lane : lanes) {
    needs_s = std::max(needs_s, lane.sum_s + width * std::sqrt(lane.variance));
  }
  return needs_s;
}

std::vector<FilledPack> fill_packs(std::vector<PackPoint> points, const AllocationProfile& site) {
  const auto most = static_cast<std::size_t>(site.pack.points);
  const auto jobs_for = [&](std::size_t count) { return (count + most - 1) / most; };
  const auto unknown = std::stable_partition(
      points.begin(), points.end(), [](const auto& point) { return point.forecast_s.has_value(); });
  std::stable_sort(points.begin(), unknown,
                   [](const auto& a, const auto& b) { return *a.forecast_s > *b.forecast_s; });
  Filling filling(site, jobs_for(static_cast<std::size_t>(unknown - points.begin())));
  for (auto point = points.begin(); point != unknown; ++point) {
    filling.put(*point);
  }
  auto packs = std::move(filling).done();
  const auto without = static_cast<std::size_t>(points.end() - unknown);
  for (std::size_t job = 0, jobs = jobs_for(without); job < jobs; ++job) {  // every jobs-th of them
    auto& pack = packs.emplace_back();
    for (std::size_t i = job; i < without; i += jobs) {
      pack.points.push_back(*(unknown + static_cast<std::ptrdiff_t>(i)));
    }
  }
  return packs;
}

}  // namespace epochcast::jobs
