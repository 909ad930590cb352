#include "jobs/plan/pilots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "jobs/cluster/cluster.hpp"
#include "jobs/experiment/matrix.hpp"
#include "jobs/plan/time_limit.hpp"
#include "src/base/core/csv.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/run_config.hpp"

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

/// One pilot per allocation and set of parameters; points that differ only in epochs, steps, seed
/// and repeat share that of the longest of them. Those of `sites` get the time that `pilot.time`
/// of the experiment needs, up to `longest` of their allocation.
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

const CsvRow header{"point", "pilot"};

/// The smaller of two limits; 0 means no limit.
std::int64_t fewer(std::int64_t a, std::int64_t b) {
  return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b);
}

/// A pilot of one epoch.
run::RunConfig as_pilot(run::RunConfig config, const AllocationProfile& site,
                        const PilotSize& size) {
  config.epochs = 1;
  config.max_iterations = fewer(config.max_iterations, size.iterations);
  config.max_time = tighter(config.max_time, time_to_train(site));
  config.seed = run::RunConfig{}.seed;
  config.repeat = 0;
  return config;
}

/// Full points that share a pilot.
struct SharedPilot {
  run::RunConfig config;
  std::string allocation;
  std::int64_t longest = 0;  ///< Epochs of the longest of them.
  std::vector<std::string> full;
};

/// The pilots of one epoch, in the order of the points. `sites` have their time limits.
std::vector<SharedPilot> shared_pilots(const std::vector<Point>& points,
                                       const std::vector<AllocationProfile>& sites,
                                       const PilotSize& size) {
  std::vector<SharedPilot> all;
  std::map<std::string, std::size_t> place_of;
  for (const auto& point : points) {
    const auto site = std::ranges::find(sites, point.allocation, &AllocationProfile::name);
    const auto full = run::run_config_from(point.parameters);
    const auto pilot = as_pilot(full, *site, size);
    const auto id = point_of(pilot, point.allocation).id;
    const auto [place, is_new] = place_of.try_emplace(id, all.size());
    if (is_new) {
      all.push_back({.config = pilot, .allocation = point.allocation, .full = {}});
    }
    auto& shared = all[place->second];
    shared.longest = std::max(shared.longest, full.epochs);
    shared.full.push_back(point.id);
  }
  return all;
}

/// How long a load or a stream takes is written in its stages or its batches.
void refuse_services(const std::vector<Point>& points) {
  if (!std::ranges::all_of(
          points, [](const auto& point) { return run::task_row(task_of(point)).has_epochs; })) {
    throw Error(
        "tasks serve and stream: they last as long as the experiment says, so there is nothing to "
        "forecast from a pilot; use 'epochcast-jobs generate' and 'submit'");
  }
}

}  // namespace

std::int64_t pilot_epochs(std::int64_t asked, std::int64_t longest) {
  return asked > 0 ? asked : std::clamp(longest / 10, fewest_pilot_epochs, most_pilot_epochs);
}

Seconds tighter(Seconds a, Seconds b) {
  return {a.value > 0 && b.value > 0 ? std::min(a.value, b.value) : std::max(a.value, b.value)};
}

Seconds time_to_train(const AllocationProfile& site) {
  const double limit_s = site.asks.time.value;
  return {std::floor(std::max(limit_s / 2, limit_s - margin_s(0, site.launch.signal_lead)))};
}

Pilots pilots_for(const std::vector<Point>& points, const Cluster& cluster, const PilotSize& size) {
  if (points.front().program.is_given()) {
    return program_pilots(points, cluster, size);
  }
  refuse_services(points);
  Pilots pilots{{}, cluster.allocations, {}};
  for (auto& site : pilots.sites) {
    site.asks.time = tighter(site.asks.time, size.time);
  }
  for (auto& shared : shared_pilots(points, pilots.sites, size)) {
    shared.config.epochs = pilot_epochs(size.epochs, shared.longest);
    pilots.points.push_back(point_of(shared.config, shared.allocation));
    for (const auto& full : shared.full) {
      pilots.plan[full] = pilots.points.back().id;
    }
  }
  return pilots;
}

std::string plan_text(const Plan& plan) {
  auto text = csv_line(header);
  for (const auto& [point, pilot] : plan) {
    text += csv_line({point, pilot});
  }
  return text;
}

Plan read_plan(const OutFolder& out) {
  Plan plan;
  if (!is_there(out.plan())) {
    return plan;
  }
  const auto rows = parse_csv(read_file(out.plan()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != header.size() || (i == 0 && rows[i] != header)) {
      throw Error(out.plan().string(), static_cast<int>(i) + 1,
                  "is not a line of a plan: point,pilot");
    }
    if (i > 0) {
      plan[rows[i][0]] = rows[i][1];
    }
  }
  return plan;
}

}  // namespace epochcast::jobs
