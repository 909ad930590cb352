#include "jobs/plan/planned.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "jobs/campaign/relocation.hpp"
#include "jobs/ledger/outcomes.hpp"
#include "jobs/plan/pilots.hpp"
#include "jobs/plan/update_limits.hpp"
#include "jobs/plan/waiting_runs.hpp"

namespace epochcast::jobs {
namespace {

bool is_moving(const PointStatus& point) {
  return point.state == PointState::pending || point.state == PointState::running;
}

/// Full runs whose pilot did not end well, and the pilots' fault.
std::map<std::string, std::string> without_pilot(const OutFolder& out) {
  std::map<std::string, std::string> bad;
  for (const auto& pilot : status(out.pilots().string(), {}, LocalJobs::all_gone).points) {
    if (pilot.state != PointState::complete && pilot.state != PointState::stopped) {
      bad[pilot.point] = fmt::format("its pilot {} is {}{}{}", pilot.point, to_text(pilot.state),
                                     pilot.reason.empty() ? "" : ": ", pilot.reason);
    }
  }
  std::map<std::string, std::string> points;
  for (const auto& [point, pilot] : read_plan(out)) {
    if (const auto found = bad.find(pilot); found != bad.end()) {
      points[point] = found->second;
    }
  }
  return points;
}

}  // namespace

bool ended_without_result(const PointStatus& point) {
  return point.state == PointState::failed || point.state == PointState::lost ||
         point.state == PointState::missing;
}

void wait_for_plan(const std::string& out, const Tell& tell) {
  constexpr unsigned pause_s = 5;
  const OutFolder folder(out);
  std::map<std::string, std::string> said;
  const auto tell_once = [&](const std::string& point, const std::string& text) {
    if (std::exchange(said[point], text) != text) {
      tell(fmt::format("{}: {}", point, text));
    }
  };
  const auto is_unfinished = [](const StatusReport& report) {
    return !report.scheduler_problem.empty() ||
           std::any_of(report.points.begin(), report.points.end(), is_moving);
  };
  while (true) {
    const auto pilots = status(folder.pilots().string());
    for (const auto& pilot : pilots.points) {
      if (ended_without_result(pilot)) {
        tell_once(pilot.point, fmt::format("pilot {}: {}", to_text(pilot.state), pilot.reason));
      }
    }
    for (const auto& [point, row] : open_forecasts(folder)) {
      tell_once(point, forecast_text(row));
    }
    const auto full = status(out);
    close_ledger_rows(folder, full.points, tell);
    if (!is_unfinished(pilots) && !is_unfinished(full)) {
      return;
    }
    sleep(pause_s);
  }
}

RunReport run_planned(const RunRequest& request, const Tell& tell) {
  const OutFolder out(request.out);
  require_made_here(out);
  if (read_plan(out).empty()) {
    return run_here(request, tell);
  }
  const auto pilots = run_here({.out = out.pilots(), .filters = {}}, tell);
  if (pilots.interrupted) {
    return pilots;
  }
  for (const auto& pilot : pilots_without_forecast(out)) {
    std::ignore = update_limits(request.out, pilot, tell);  // local: there is no job to cancel
  }
  auto full = request;
  full.leave_out = without_pilot(out);
  for (const auto& [point, row] : open_forecasts(out)) {
    if (!std::isnan(row.asked_s)) {
      full.limits[point] = {row.asked_s};
    }
  }
  const auto report = run_here(full, tell);
  close_ledger_rows(out, status(request.out).points, tell);
  return report;
}

}  // namespace epochcast::jobs
