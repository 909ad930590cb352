#include "jobs/plan/program_pilots.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "jobs/plan/time_limit.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

/// What a point does at a time, without how often: points that agree in it share a pilot.
std::string kind_of(const Point& point) {
  constexpr std::array lengths{"epochs", "steps", "seed", "repeat"};
  const auto& shared = point.program.pilot.share;
  std::string kind = point.allocation;
  for (const auto& parameter : point.parameters) {
    if (std::ranges::find(lengths, parameter.name) == lengths.end() &&
        std::ranges::find(shared, parameter.name) == shared.end()) {
      kind += "\n" + parameter.name + "=" + parameter.value;
    }
  }
  return kind;
}

/// 0: not given.
std::int64_t number_of(const Point& point, const std::string& name) {
  const auto* value = find_setting(point.placeholders, name);
  return value == nullptr ? 0 : parse_integer(*value).value_or(0);
}

std::int64_t length_of(const Point& point) {
  return std::max(number_of(point, "epochs"), number_of(point, "steps"));
}

PilotCut cut_of(const Point& longest, const AllocationProfile& site, const PilotSize& size) {
  const auto& asked = longest.program.pilot;
  const auto most = time_to_train(site);
  return {.epochs = asked.is_given() ? asked.epochs
                                     : pilot_epochs(size.epochs, number_of(longest, "epochs")),
          .time = {asked.time.value > 0 ? std::min(asked.time.value, most.value) : most.value}};
}

/// The time limit of a pilot's job: `size.time`, more if the experiment asks for more.
Seconds limit_of(const PilotOfProgram& asked, const AllocationProfile& site,
                 const PilotSize& size) {
  Seconds limit = size.time;
  if (asked.time.value > 0) {
    const double needed_s = asked.time.value + margin_s(0, site.launch.signal_lead);
    limit = {std::max(limit.value, in_minutes(needed_s).value)};
  }
  return tighter(site.asks.time, limit);
}

}  // namespace

Pilots program_pilots(const std::vector<Point>& points, const Cluster& cluster,
                      const PilotSize& size) {
  Pilots pilots{{}, cluster.allocations, {}};
  const auto& asked = points.front().program.pilot;
  for (auto& site : pilots.sites) {
    site.asks.time = limit_of(asked, site, size);
  }
  std::map<std::string, const Point*> longest;
  for (const auto& point : points) {
    auto& known = longest[kind_of(point)];
    known = known == nullptr || length_of(point) > length_of(*known) ? &point : known;
  }
  std::map<std::string, std::string> pilot_of_kind;
  for (const auto& point : points) {
    const auto kind = kind_of(point);
    if (auto& id = pilot_of_kind[kind]; id.empty()) {
      const auto site = std::ranges::find(pilots.sites, point.allocation, &AllocationProfile::name);
      pilots.points.push_back(pilot_of(*longest[kind], cut_of(*longest[kind], *site, size)));
      id = pilots.points.back().id;
    }
    pilots.plan[point.id] = pilot_of_kind[kind];
  }
  return pilots;
}

}  // namespace epochcast::jobs
