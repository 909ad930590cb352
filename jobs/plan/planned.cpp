#include "jobs/plan/planned.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/plan/pilots.hpp"
#include "jobs/plan/update_limits.hpp"
#include "jobs/plan/waiting_runs.hpp"
#include "jobs/submit/resubmit.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::jobs {
namespace {

constexpr std::int64_t usual_repeats = 3;

/// Says which of the complete points were disturbed, five of them. Returns how many.
std::size_t tell_disturbed(const std::vector<PointStatus>& points, const std::string& what,
                           const Tell& tell) {
  constexpr std::size_t most_named = 5;
  std::size_t count = 0;
  for (const auto& point : points) {
    if (!point.disturbed.empty() && ++count <= most_named) {
      tell(fmt::format("{}{} was disturbed: {}", what, point.point, point.disturbed));
    }
  }
  if (count > most_named) {
    tell(fmt::format("{}so were {} more; 'epochcast-jobs status' names them", what,
                     count - most_named));
  }
  return count;
}

/// Says which of the complete points were disturbed, and with which command they are repeated.
void offer_repeats(const std::vector<PointStatus>& points, std::int64_t repeated,
                   const std::string& command, const Tell& tell) {
  if (const auto count = tell_disturbed(points, "", tell); count > 0) {
    const auto repeats = repeated > 0 ? " in every repeat" : "";
    tell(fmt::format("{} disturbed{}; '{}' repeats {}", counted(count, "point"), repeats, command,
                     count == 1 ? "it" : "them"));
  }
}

void tell_once(const std::string& text, std::set<std::string>& told, const Tell& tell) {
  if (told.insert(text).second) {
    tell(text);
  }
}

/// Says what is forecast, and what a program of the user's showed in its pilots: without epochs
/// there is no forecast.
void tell_forecasts(const OutFolder& out, std::set<std::string>& told, const Tell& tell) {
  const auto swept = swept_values(read_index(out));
  for (const auto& [point, row] : open_forecasts(out)) {
    if (told.insert(row.pilot).second) {
      if (const auto shown = progress_shown_by(out, row.pilot); !shown.empty()) {
        tell(fmt::format("pilot {}: {}", row.pilot, shown));
      }
    }
    tell_once(fmt::format("{}: {}", shown_name(point, swept.at(point)), forecast_text(row)), told,
              tell);
  }
}

/// Submits those of the points again that were disturbed. Returns whether there are any. `what`:
/// "pilot " or "".
bool resubmit_disturbed(const std::string& out, const std::vector<PointStatus>& points,
                        const std::string& what, const std::string& which, const Tell& tell) {
  for (const auto& point : points) {
    if (!point.disturbed.empty()) {
      tell(fmt::format("{}{}: was disturbed ({}): repeats it, {}", what,
                       shown_name(point.point, point.swept), point.disturbed, which));
    }
  }
  const auto report = resubmit({.out = out, .filters = {}, .points = {}}, {.disturbed = true});
  for (const auto& problem : report.submitted.problems) {
    tell(problem);
  }
  return report.submitted.submitted > 0;
}

/// Does what `retry:` says. Returns whether it submitted a point.
bool again_by_rule(const std::string& out, const std::vector<PointStatus>& points,
                   const Tell& tell) {
  if (!std::ranges::any_of(points, [](const auto& point) {
        return has_ended(point.state) && point.state != PointState::complete;
      })) {
    return false;
  }
  const auto again = retry(out);
  for (const auto& line : again.lines) {
    tell(line);
  }
  return again.submitted.submitted > 0;
}

bool has_active(const StatusReport& report) {
  return !report.scheduler_problem.empty() ||
         std::ranges::any_of(report.points,
                             [](const auto& point) { return is_active(point.state); });
}

constexpr unsigned look_pause_s = 5;  ///< Between two looks at the jobs.

}  // namespace

std::map<std::string, std::string> without_pilot(const OutFolder& out) {
  std::map<std::string, std::string> bad;
  for (const auto& pilot : status_with_lost_closed(out.pilots().string()).points) {
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

void wait_for_pilots(const std::string& out, std::int64_t repeat_disturbed, const Tell& tell) {
  const auto folder = OutFolder(out).pilots().string();
  std::int64_t repeats = 0;
  while (true) {
    const auto pilots = status_with_lost_closed(folder);
    if (has_active(pilots)) {
      sleep(look_pause_s);
    } else if (repeats == repeat_disturbed ||
               !resubmit_disturbed(folder, pilots.points, "pilot ",
                                   fmt::format("{} of {}", ++repeats, repeat_disturbed), tell)) {
      return;
    }
  }
}

void wait_for_plan(const std::string& out, std::int64_t repeat_disturbed, const Tell& tell) {
  std::int64_t repeats = 0;
  const OutFolder folder(out);
  std::set<std::string> told;
  while (true) {
    const bool has_pilots = is_there(folder.pilots());  // not with --history
    const auto pilots =
        has_pilots ? status_with_lost_closed(folder.pilots().string()) : StatusReport{};
    for (const auto& pilot : pilots.points) {
      if (ended_without_result(pilot.state)) {
        tell_once(fmt::format("{}: pilot {}: {}", pilot.point, to_text(pilot.state), pilot.reason),
                  told, tell);
      }
    }
    tell_forecasts(folder, told, tell);
    const auto full = status_with_lost_closed(out);
    close_ledger_rows(folder, full.points, tell);
    if (again_by_rule(out, full.points, tell)) {
      continue;
    }
    if (!has_active(pilots) && !has_active(full)) {
      if (repeats < repeat_disturbed &&
          resubmit_disturbed(out, full.points, "",
                             fmt::format("{} of {}", ++repeats, repeat_disturbed), tell)) {
        continue;
      }
      tell_disturbed(pilots.points, "pilot ", tell);
      offer_repeats(full.points, repeats,
                    fmt::format("epochcast-jobs resubmit {} --disturbed", out), tell);
      return;
    }
    sleep(look_pause_s);
  }
}

RunReport run_planned(const RunRequest& request, const Tell& tell) {
  const OutFolder out(request.out);
  require_made_here(out);
  auto full = request;
  const bool has_pilots = !read_plan(out).empty();
  if (has_pilots) {
    const auto pilots = run_here(
        {.out = out.pilots(), .filters = {}, .repeat_disturbed = request.repeat_disturbed}, tell);
    if (pilots.interrupted) {
      return pilots;
    }
    if (tell_disturbed(status(out.pilots().string()).points, "pilot ", tell) > 0) {
      tell("forecasts from disturbed pilots are of disturbed times");
    }
    // The script of a pilot has made its forecasts, unless it was killed.
    for (const auto& pilot : pilots_without_forecast(out)) {
      std::ignore = update_limits(request.out, pilot, [](const std::string&) {});
    }
    full.skip = without_pilot(out);
    std::set<std::string> told;
    tell_forecasts(out, told, tell);
    for (const auto& [point, row] : open_forecasts(out)) {
      if (!std::isnan(row.asked_s)) {
        full.limits[point] = {row.asked_s};
      }
    }
  }
  const auto report = run_here(full, tell);
  if (!report.interrupted) {
    offer_repeats(status_with_lost_closed(request.out, request.filters).points,
                  request.repeat_disturbed,
                  fmt::format("epochcast-jobs run {} --repeat-disturbed {}", request.out,
                              std::max<std::int64_t>(request.repeat_disturbed, usual_repeats)),
                  tell);
  }
  if (has_pilots) {
    close_ledger_rows(out, status_with_lost_closed(request.out).points, tell);
  }
  return report;
}

}  // namespace epochcast::jobs
