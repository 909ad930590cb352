#include "jobs/campaign/status.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/commands/commands.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/live/live.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/registry.hpp"
#include "src/base/core/text.hpp"
#include "src/output/table/empty_columns.hpp"
#include "src/output/table/format.hpp"
#include "src/output/table/output.hpp"

namespace epochcast::jobs {
namespace {

using table::Cell;

Cell clock_cell(const std::optional<double>& seconds) {
  return seconds ? Cell(clock_text(*seconds)) : Cell();
}

Cell text_cell(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

Cell count_cell(const std::optional<std::int64_t>& count) {
  return count ? Cell(static_cast<double>(*count)) : Cell();
}

/// "8 points: 5 complete, 2 running, 1 failed".
std::string summary(const StatusReport& report) {
  std::map<PointState, std::size_t> counts;
  for (const auto& point : report.points) {
    ++counts[point.state];
  }
  std::vector<std::string> parts;
  using enum PointState;
  for (const auto state : {complete, running, pending, fresh, stopped, failed, lost, missing}) {
    if (counts.contains(state)) {
      parts.push_back(fmt::format("{} {}", counts[state], to_text(state)));
    }
  }
  return fmt::format("{}: {}", counted(report.points.size(), "point"), join(parts, ", "));
}

/// All columns, times in seconds.
table::Table table_for_programs(const StatusReport& report) {
  table::Table table{
      .name = "status",
      .title = summary(report),
      .columns = {table::text_column("point", "point"), table::text_column("swept", "swept"),
                  table::text_column("state", "state"),
                  table::number_column("elapsed_s", "elapsed", "s", 0),
                  table::number_column("left_s", "left", "s", 0), table::text_column("job", "job"),
                  table::text_column("tainted", "tainted"),
                  table::text_column("disturbed", "disturbed"),
                  table::text_column("reason", "reason"), table::text_column("log", "log"),
                  table::number_column("epoch", "epoch", "", 0),
                  table::number_column("epochs", "epochs", "", 0)}};
  for (const auto& point : report.points) {
    const auto& progress = point.progress;
    table.rows.push_back({point.point, text_cell(point.swept), std::string(to_text(point.state)),
                          table::cell_of(progress.elapsed_s), table::cell_of(progress.left_s),
                          text_cell(point.job_name), text_cell(point.tainted),
                          text_cell(point.disturbed), text_cell(point.reason), text_cell(point.log),
                          count_cell(progress.epoch), count_cell(progress.epochs)});
  }
  return table;
}

/// "epoch 943/20000" without the word.
Cell epoch_cell(const Progress& progress) {
  return progress.epoch && progress.epochs
             ? Cell(fmt::format("{}/{}", *progress.epoch, *progress.epochs))
             : Cell();
}

/// For a terminal: times as h:mm:ss, logs relative to OUT and only of points that need a look.
table::Table table_for_people(const StatusReport& report, const OutFolder& out) {
  table::Table table{
      .name = "status",
      .title = fmt::format("{}, {}", out.root.string(), iso8601()),
      .columns = {table::text_column("point", "point"), table::text_column("swept", "swept"),
                  table::text_column("state", "state"), table::text_column("epoch", "epoch"),
                  table::text_column("elapsed", "elapsed"), table::text_column("left", "left"),
                  table::text_column("job", "job"), table::text_column("tainted", "tainted"),
                  table::text_column("reason", "reason"),
                  table::text_column("disturbed", "disturbed"), table::text_column("log", "log")}};
  for (const auto& point : report.points) {
    const auto& progress = point.progress;
    const bool needs_look = has_ended(point.state) && point.state != PointState::complete;
    const auto log = needs_look && !point.log.empty()
                         ? std::filesystem::path(point.log).lexically_relative(out.root).string()
                         : "";
    table.rows.push_back({point.point, text_cell(point.swept), std::string(to_text(point.state)),
                          epoch_cell(progress), clock_cell(progress.elapsed_s),
                          clock_cell(progress.left_s), text_cell(point.job_name),
                          text_cell(point.tainted), text_cell(point.reason),
                          text_cell(point.disturbed), text_cell(log)});
    if (const auto warning = limit_warning(progress); !warning.empty()) {
      table.notes.push_back(point.point + ": " + warning);
    }
  }
  table::remove_empty_columns(table);
  return table;
}

/// An array of one object per point.
std::string json_text(const StatusReport& report) {
  const auto table = table_for_programs(report);
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    auto& object = points.emplace_back(nlohmann::ordered_json::object());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto& column = table.columns[i];
      if (const auto* number = std::get_if<double>(&row[i])) {
        object[column.key] = *number;
      } else if (column.kind == table::Column::Kind::number) {
        object[column.key] = nullptr;
      } else {
        object[column.key] = table::cell_text(row[i], column);
      }
    }
  }
  return points.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string status_text(const StatusReport& report, const OutFolder& out,
                        const std::string& format) {
  const auto& spec = find_entry(table::formats::all(), "format", format);
  return format == "json"   ? json_text(report)
         : format == "text" ? spec.write({table_for_people(report, out)})
                            : spec.write({table_for_programs(report)});
}

bool any(const StatusReport& report, bool (*is_in)(PointState)) {
  return std::ranges::any_of(report.points,
                             [&](const PointStatus& point) { return is_in(point.state); });
}

bool has_ended_early(PointState state) {
  return has_ended(state) && state != PointState::complete;
}

void report_problems(const StatusReport& report) {
  if (!report.made_as.empty()) {
    cli::report(
        fmt::format("this folder is a copy of {}, where its jobs write: no record was changed here",
                    report.made_as));
  }
  if (!report.scheduler_problem.empty()) {
    cli::report(fmt::format(
        "the controller does not answer ({}); the states are those of the records, and no record "
        "was changed",
        report.scheduler_problem));
  }
}

/// Prints the states once.
StatusReport show(const cli::Arguments& arguments) {
  const OutFolder out(only_word(arguments, "OUT"));
  const auto report = status_with_lost_closed(out.root.string(), arguments.all("filter"));
  const auto text = status_text(report, out, arguments.get("format"));
  if (report.made_as.empty()) {  // a copy has the rows of the original
    close_ledger_rows(out, report.points, cli::report);
  }
  if (arguments.has("output")) {
    write_file(arguments.get("output"), text);
  } else {
    fmt::print("{}", isatty(STDOUT_FILENO) == 1 ? printable_lines(text) : text);
    std::fflush(stdout);
  }
  report_problems(report);
  cli::report(summary(report));
  return report;
}

/// The full screen, where standard output is a terminal and the format is the one for people.
/// Returns whether the user has seen it and left.
bool watched_live(const cli::Arguments& arguments) {
  if (arguments.has("output") || arguments.get("format") != "text" || isatty(STDOUT_FILENO) != 1 ||
      isatty(STDIN_FILENO) != 1) {
    return false;
  }
  const auto out = only_word(arguments, "OUT");
  std::ignore = read_index(OutFolder(out));  // a wrong folder is an error, not a view
  std::string reason;
  const bool watched = watch_live(out, arguments.all("filter"), reason);
  if (!watched) {
    cli::report("plain lines in place of the live view: " + reason);
  }
  return watched;
}

int run_status(const cli::Arguments& arguments) {
  constexpr unsigned pause_s = 10;
  const bool watch = arguments.has("watch") && !watched_live(arguments);
  auto report = show(arguments);
  while (watch && any(report, is_active)) {
    sleep(pause_s);
    report = show(arguments);
  }
  return any(report, has_ended_early) ? exit_failed : exit_done;
}

}  // namespace

cli::Subcommand status_command() {
  return {
      "status",
      {.usage = "epochcast-jobs status OUT [--watch] [--format FORMAT] [--filter COLUMN=VALUE]",
       .summary = "One line per point; marks records of vanished jobs as lost",
       .example = "epochcast-jobs status out --format csv",
       .options = {{"format", "FORMAT", join(names_of(table::formats::all()), "|"), "text"},
                   {"output,o", "FILE", "Write to this file"},
                   {"watch", "",
                    "On a terminal: a live view with keys, until q; elsewhere: repeat every 10 s "
                    "until no job is pending or running"},
                   filter_option()},
       .positional = "OUT"},
      run_status};
}

}  // namespace epochcast::jobs
