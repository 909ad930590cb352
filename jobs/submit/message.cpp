#include "jobs/submit/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "jobs/campaign/attempts.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/host.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/ledger/ledger.hpp"

namespace epochcast::jobs {
namespace {

using Json = nlohmann::ordered_json;

/// What the attempts of a campaign took. The points of a job that runs several share its nodes.
struct Cost {
  std::size_t attempts = 0;
  double first_s = HUGE_VAL;  ///< Seconds since 1970.
  double last_s = -HUGE_VAL;
  double node_hours = 0;
};

Cost cost_of(const OutFolder& out, const std::set<std::string>& points) {
  struct Span {
    double first_s = HUGE_VAL;
    double last_s = -HUGE_VAL;
    double nodes = 1;
  };
  std::map<std::pair<std::string, std::int64_t>, Span> jobs;  // by job and its restart
  Cost cost;
  for (const auto& [point, attempts] : read_attempts(out)) {
    for (const auto& attempt : points.contains(point) ? attempts : std::vector<Attempt>{}) {
      ++cost.attempts;
      const auto begin_s = seconds_since_1970(attempt.header.created_at.str());
      if (!begin_s) {
        continue;
      }
      auto& job = jobs[{attempt.header.job_id.str(), attempt.header.restart}];
      job.first_s = std::min(job.first_s, *begin_s);
      job.last_s = std::max(job.last_s, *begin_s + attempt.use.time_s.used.value_or(0));
      job.nodes = static_cast<double>(attempt.use.nodes);
    }
  }
  constexpr double hour_s = 3600;
  for (const auto& [name, job] : jobs) {
    cost.first_s = std::min(cost.first_s, job.first_s);
    cost.last_s = std::max(cost.last_s, job.last_s);
    cost.node_hours += job.nodes * (job.last_s - job.first_s) / hour_s;
  }
  return cost;
}

/// How wrong the forecasts of complete points were.
struct Errors {
  std::vector<double> percent;  ///< Without the sign.
  std::size_t within = 0;       ///< Of the interval of 95 %.
};

Errors errors_of(const OutFolder& out, const std::set<std::string>& points) {
  Errors errors;
  for (const auto& row : ledger::read_ledger(ledger::ledger_of(out.root))) {
    const double percent = 100 * std::abs(row.forecast_s - row.actual_s) / row.actual_s;
    if (points.contains(row.point) && row.outcome == ledger::Outcome::complete &&
        std::isfinite(percent)) {
      errors.percent.push_back(percent);
      errors.within += row.actual_s >= row.low_95_s && row.actual_s <= row.high_95_s ? 1 : 0;
    }
  }
  return errors;
}

/// "failed: other: exit 3; 3 attempts of 3".
std::string end_text(const EndedPoint& point) {
  const auto& status = point.status;
  std::string text(to_text(status.state));
  for (const auto& part : {std::string(to_text(status.cause)), status.reason}) {
    text += part.empty() ? "" : ": " + part;
  }
  return text + (point.why_not_again.empty() ? "" : "; " + point.why_not_again);
}

Json json_of(const EndedPoint& point) {
  const auto& status = point.status;
  return {{"point", status.point},          {"swept", status.swept},
          {"state", to_text(status.state)}, {"cause", to_text(status.cause)},
          {"reason", status.reason},        {"not_again", point.why_not_again},
          {"attempts", status.attempts},    {"log", status.log}};
}

/// A line that is longer says nothing more in a mail.
constexpr std::size_t most_named = 20;

}  // namespace

Message message_of_end(const OutFolder& out, const std::vector<EndedPoint>& points) {
  const auto origin = read_origin(out);
  std::set<std::string> names;
  std::map<PointState, std::size_t> counts;
  std::vector<EndedPoint> incomplete;
  for (const auto& point : points) {
    names.insert(point.status.point);
    ++counts[point.status.state];
    if (point.status.state != PointState::complete) {
      incomplete.push_back(point);
    }
  }
  const auto cost = cost_of(out, names);
  const auto errors = errors_of(out, names);
  const auto complete = points.size() - incomplete.size();

  Message message;
  message.subject =
      printable(fmt::format("{} has ended: {} of {} complete", origin.context.experiment, complete,
                            counted(points.size(), "point")));
  auto& text = message.text;
  text = fmt::format("{}\n{}\nfolder: {}\n",
                     printable(fmt::format("Experiment '{}' on '{}' has ended.",
                                           origin.context.experiment, origin.cluster.name)),
                     counts_text(counts), printable(host_name() + ":" + out.root.string()));
  Json fields{{"schema", "epochcast-message/1"},
              {"text", ""},
              {"experiment", origin.context.experiment},
              {"cluster", origin.cluster.name},
              {"host", host_name()},
              {"folder", out.root.string()},
              {"at", iso8601()},
              {"points", points.size()}};
  for (const auto& [state, name] : texts_of(Tag<PointState>{})) {
    if (has_ended(state)) {
      fields[std::string(name)] = counts[state];
    }
  }
  fields["attempts"] = cost.attempts;
  fields["time_s"] = nullptr;
  fields["node_hours"] = nullptr;
  fields["forecasts"] = errors.percent.size();
  fields["forecast_error_median_percent"] = nullptr;
  fields["forecasts_within_95"] = errors.within;
  if (cost.last_s >= cost.first_s) {
    fields["time_s"] = cost.last_s - cost.first_s;
    fields["node_hours"] = cost.node_hours;
    text += fmt::format("time: {}, {:.2f} node-hours, {}\n",
                        format_duration(std::round(cost.last_s - cost.first_s)), cost.node_hours,
                        counted(cost.attempts, "attempt"));
  }
  if (!errors.percent.empty()) {
    const double median = median_of(errors.percent);
    fields["forecast_error_median_percent"] = median;
    text +=
        fmt::format("{}: wrong by {:.1f} % in the median, {:.1f} % at most; {} within their 95 %\n",
                    counted(errors.percent.size(), "forecast"), median,
                    std::ranges::max(errors.percent), errors.within);
  }
  fields["not_complete"] = Json::array();
  for (const auto& point : incomplete) {
    fields["not_complete"].push_back(json_of(point));
    if (fields["not_complete"].size() <= most_named) {
      text +=
          printable(shown_name(point.status.point, point.status.swept) + ": " + end_text(point)) +
          "\n";
    }
  }
  if (incomplete.size() > most_named) {
    text += fmt::format("and {} more: 'epochcast-jobs status {}'\n", incomplete.size() - most_named,
                        printable(out.root.string()));
  }
  fields["text"] = text;
  message.json = fields.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  return message;
}

}  // namespace epochcast::jobs
