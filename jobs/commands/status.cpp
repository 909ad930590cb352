#include "jobs/campaign/status.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/commands/commands.hpp"
#include "jobs/ledger/outcomes.hpp"
#include "src/cli/report.hpp"
#include "src/core/csv.hpp"
#include "src/core/error.hpp"
#include "src/core/text.hpp"

namespace epochcast::jobs {
namespace {

const std::vector<std::string> columns{"point", "swept",   "state",  "elapsed_s", "left_s",
                                       "job",   "tainted", "reason", "log"};

std::string seconds_text(const std::optional<double>& seconds) {
  return seconds ? format_fixed(*seconds, 0) : "";
}

CsvRow cells_of(const PointStatus& point) {
  return {point.point,
          point.swept,
          std::string(to_text(point.state)),
          seconds_text(point.elapsed_s),
          seconds_text(point.left_s),
          point.job,
          point.tainted,
          point.reason,
          point.log};
}

/// Columns in which no point has anything are left out: a person reads this.
void print_text(const StatusReport& report) {
  std::vector<CsvRow> rows;
  std::vector<std::size_t> widths(columns.size());
  for (const auto& point : report.points) {
    const auto& row = rows.emplace_back(cells_of(point));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max({widths[i], row[i].size(), row[i].empty() ? 0 : columns[i].size()});
    }
  }
  rows.insert(rows.begin(), columns);
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += widths[i] == 0 ? "" : fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

void print_csv(const StatusReport& report) {
  fmt::print("{}", csv_line(columns));
  for (const auto& point : report.points) {
    fmt::print("{}", csv_line(cells_of(point)));
  }
}

void print_json(const StatusReport& report) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const auto& point : report.points) {
    nlohmann::ordered_json object;
    const auto cells = cells_of(point);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      object[columns[i]] = cells[i];
    }
    object["elapsed_s"] = point.elapsed_s ? nlohmann::ordered_json(*point.elapsed_s) : nullptr;
    object["left_s"] = point.left_s ? nlohmann::ordered_json(*point.left_s) : nullptr;
    points.push_back(std::move(object));
  }
  fmt::print("{}\n", points.dump(1));
}

const std::map<std::string, void (*)(const StatusReport&)> formats{
    {"text", print_text}, {"csv", print_csv}, {"json", print_json}};

/// "8 points: 5 complete, 2 running, 1 failed".
std::string summary(const StatusReport& report) {
  std::map<PointState, std::size_t> counts;
  for (const auto& point : report.points) {
    ++counts[point.state];
  }
  std::vector<std::string> parts;
  using enum PointState;
  for (const auto state :
       {complete, running, pending, not_submitted, stopped, failed, lost, missing}) {
    if (counts.contains(state)) {
      parts.push_back(fmt::format("{} {}", counts[state], to_text(state)));
    }
  }
  const auto points = report.points.size();
  return fmt::format("{} point{}: {}", points, points == 1 ? "" : "s", join(parts, ", "));
}

bool any_in(const StatusReport& report, const std::vector<PointState>& states) {
  return std::any_of(report.points.begin(), report.points.end(), [&](const PointStatus& point) {
    return std::find(states.begin(), states.end(), point.state) != states.end();
  });
}

int show(const cli::Arguments& arguments, const std::string& format, StatusReport& report) {
  report = status(only_word(arguments, "OUT"), arguments.all("filter"));
  if (report.made_as.empty()) {  // else the rows are the original's
    close_ledger_rows(OutFolder(only_word(arguments, "OUT")), report.points, cli::report);
  }
  const auto printer = formats.find(format);
  if (printer == formats.end()) {
    throw Error(fmt::format("--format: found '{}', expected one of text, csv, json", format));
  }
  printer->second(report);
  if (!report.made_as.empty()) {
    cli::report(
        fmt::format("this folder was made as {}, where its jobs write: nothing was settled here",
                    report.made_as));
  }
  if (!report.scheduler_problem.empty()) {
    cli::report(
        fmt::format("the controller does not answer ({}); states are those of the records, and "
                    "none was settled",
                    report.scheduler_problem));
  }
  cli::report(summary(report));
  std::fflush(stdout);
  return any_in(report,
                {PointState::failed, PointState::lost, PointState::missing, PointState::stopped})
             ? exit_failed
             : exit_done;
}

int run(const cli::Arguments& arguments) {
  constexpr unsigned pause_s = 10;
  StatusReport report;
  int outcome = show(arguments, arguments.get("format"), report);
  while (arguments.has("watch") && any_in(report, {PointState::pending, PointState::running})) {
    sleep(pause_s);
    outcome = show(arguments, arguments.get("format"), report);
  }
  return outcome;
}

}  // namespace

cli::Subcommand status_command() {
  return {
      "status",
      {.usage =
           "epochcast-jobs status OUT [--watch] [--format text|csv|json] [--filter COLUMN=VALUE]",
       .summary = "A line a point: state, times, reason, log; settles records whose job is gone",
       .example = "epochcast-jobs status out --format csv",
       .options = {{"format", "FORMAT", "text, csv or json", "text"},
                   {"watch", "", "Again every 10 s until nothing waits or runs"},
                   filter_option()},
       .positional = "OUT"},
      run};
}

}  // namespace epochcast::jobs
