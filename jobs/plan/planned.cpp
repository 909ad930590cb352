#include "jobs/plan/planned.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "jobs/campaign/relocation.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/plan/pilots.hpp"
#include "jobs/plan/update_limits.hpp"
#include "jobs/plan/waiting_runs.hpp"
#include "src/core/files.hpp"
#include "src/core/text.hpp"

namespace epochcast::jobs {
namespace {

/// Full runs that cannot run because their pilot failed -> the reason.
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

/// Says which of the complete points were disturbed. Returns how many.
std::size_t tell_disturbed(const std::vector<PointStatus>& points, const std::string& what,
                           const Tell& tell) {
  std::size_t count = 0;
  for (const auto& point : points) {
    if (!point.disturbed.empty()) {
      ++count;
      tell(fmt::format("{}{} was disturbed: {}", what, point.point, point.disturbed));
    }
  }
  return count;
}

/// Pilots that epochcast-run has stopped at their end.
std::set<std::string> done_pilots(const OutFolder& out) {
  std::set<std::string> done;
  for (const auto& pilot : status(out.pilots().string(), {}, LocalJobs::all_gone).points) {
    if (pilot.state == PointState::stopped && pilot.reason.starts_with("pilot of ")) {
      done.insert(pilot.point);
    }
  }
  return done;
}

/// What a program of the user's showed in its pilots: without epochs there is no forecast.
void tell_progress(const OutFolder& out, const std::string& pilot, const Tell& tell) {
  if (const auto shown = progress_shown_by(out, pilot); !shown.empty()) {
    tell(fmt::format("pilot {}: {}", pilot, shown));
  }
}

void tell_disturbed_pilots(const OutFolder& out, const Tell& tell) {
  const auto count =
      tell_disturbed(status(out.pilots().string(), {}, LocalJobs::all_gone).points, "pilot ", tell);
  if (count > 0) {
    tell("forecasts from disturbed pilots are of disturbed times");
  }
}

/// Runs the points; those that were disturbed again if that is requested, else says how.
RunReport run_undisturbed(const RunRequest& request, const Tell& tell) {
  constexpr int most_repeats = 2;
  auto report = run_here(request, tell);
  for (int repeats = 0; !report.interrupted; ++repeats) {
    const auto points = status(request.out, request.filters, LocalJobs::all_gone).points;
    const auto count = tell_disturbed(points, "", tell);
    if (count == 0) {
      return report;
    }
    if (!request.repeat_disturbed || repeats == most_repeats) {
      tell(fmt::format("{} disturbed; 'epochcast-jobs run {} --repeat-disturbed' repeats {}",
                       counted(count, "point"), request.out, count == 1 ? "it" : "them"));
      return report;
    }
    report = run_here(request, tell);
  }
  return report;
}

}  // namespace

void wait_for_plan(const std::string& out, const Tell& tell) {
  constexpr unsigned pause_s = 5;
  const OutFolder folder(out);
  std::map<std::string, std::string> reported;
  std::map<std::string, bool> shown;
  const auto swept = swept_values(read_index(folder));
  const auto tell_once = [&](const std::string& point, const std::string& text) {
    if (std::exchange(reported[point], text) != text) {
      tell(fmt::format("{}: {}", point, text));
    }
  };
  const auto is_active_in = [](const StatusReport& report) {
    return !report.scheduler_problem.empty() ||
           std::ranges::any_of(report.points,
                               [](const auto& point) { return is_active(point.state); });
  };
  while (true) {
    const bool has_pilots = is_there(folder.pilots());  // not with --history
    const auto pilots = has_pilots ? status(folder.pilots().string()) : StatusReport{};
    for (const auto& pilot : pilots.points) {
      if (ended_without_result(pilot.state)) {
        tell_once(pilot.point, fmt::format("pilot {}: {}", to_text(pilot.state), pilot.reason));
      }
    }
    for (const auto& [point, row] : open_forecasts(folder)) {
      if (!std::exchange(shown[row.pilot], true)) {
        tell_progress(folder, row.pilot, tell);
      }
      tell_once(shown_name(point, swept.at(point)), forecast_text(row));
    }
    const auto full = status(out);
    close_ledger_rows(folder, full.points, tell);
    if (!is_active_in(pilots) && !is_active_in(full)) {
      tell_disturbed(pilots.points, "pilot ", tell);
      if (const auto count = tell_disturbed(full.points, "", tell); count > 0) {
        tell(fmt::format("{} disturbed; 'epochcast-jobs resubmit {} --disturbed' repeats {}",
                         counted(count, "point"), out, count == 1 ? "it" : "them"));
      }
      return;
    }
    sleep(pause_s);
  }
}

RunReport run_planned(const RunRequest& request, const Tell& tell) {
  const OutFolder out(request.out);
  require_made_here(out);
  if (read_plan(out).empty()) {
    return run_undisturbed(request, tell);
  }
  const auto pilots =
      run_here({.out = out.pilots(), .filters = {}, .done = done_pilots(out)}, tell);
  if (pilots.interrupted) {
    return pilots;
  }
  tell_disturbed_pilots(out, tell);
  // The script of a pilot has made its forecasts, unless it was killed.
  for (const auto& pilot : pilots_without_forecast(out)) {
    std::ignore = update_limits(request.out, pilot, [](const std::string&) {});
  }
  auto full = request;
  full.skip = without_pilot(out);
  std::map<std::string, bool> shown;
  const auto swept = swept_values(read_index(out));
  for (const auto& [point, row] : open_forecasts(out)) {
    if (!std::exchange(shown[row.pilot], true)) {
      tell_progress(out, row.pilot, tell);
    }
    tell(fmt::format("{}: {}", shown_name(point, swept.at(point)), forecast_text(row)));
    if (!std::isnan(row.asked_s)) {
      full.limits[point] = {row.asked_s};
    }
  }
  const auto report = run_undisturbed(full, tell);
  close_ledger_rows(out, status(request.out).points, tell);
  return report;
}

}  // namespace epochcast::jobs
