#include "jobs/campaign/status.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "jobs/campaign/out_folder.hpp"
#include "jobs/campaign/status_page.hpp"
#include "jobs/commands/commands.hpp"
#include "jobs/ledger/ledgers.hpp"
#include "jobs/live/live.hpp"
#include "jobs/scheduler/local.hpp"
#include "jobs/submit/notify.hpp"
#include "jobs/submit/resubmit.hpp"
#include "src/base/cli/report.hpp"
#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/registry.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/efficiency/job_report.hpp"
#include "src/output/table/empty_columns.hpp"
#include "src/output/table/format.hpp"
#include "src/output/table/make_table.hpp"
#include "src/output/table/output.hpp"

namespace epochcast::jobs {
namespace {

std::string summary(const StatusReport& report) {
  std::map<PointState, std::size_t> counts;
  for (const auto& point : report.points) {
    ++counts[point.state];
  }
  return counts_text(counts);
}

bool has_ended_early(PointState state) {
  return has_ended(state) && state != PointState::complete;
}

/// A text of a point; empty where there is none.
template <std::string PointStatus::*text>
table::Cell known_text(const PointStatus& point) {
  return table::text_cell(point.*text);
}

/// The first columns of both tables.
table::Columns<PointStatus> point_columns() {
  return {{"point", "point", &PointStatus::point},
          {"swept", "swept", known_text<&PointStatus::swept>},
          {"state", "state", [](const auto& point) { return to_text(point.state); }}};
}

/// What runs process in a second.
table::Columns<Progress> rate_columns() {
  table::Columns<Progress> columns;
  for (const auto& rate : efficiency::shown_rates) {
    columns.add({rate.key, rate.heading, rate.unit, rate.decimals,
                 [&rate](const Progress& progress) { return rate.of(progress.rates); }});
  }
  return columns;
}

/// The points whose next job should ask for much less, or for more memory, and how much.
std::vector<std::string> size_notes(const StatusReport& report) {
  constexpr std::size_t most = 5;
  std::vector<std::string> notes;
  std::size_t more = 0;
  for (const auto& point : report.points) {
    if (!point.use || !efficiency::asks_for_another_size(*point.use)) {
      continue;
    }
    if (notes.size() == most) {
      ++more;
      continue;
    }
    notes.push_back(fmt::format("{}: {}; ask next for {}", point.point,
                                efficiency::use_text(*point.use),
                                efficiency::next_text(*point.use)));
  }
  if (more > 0) {
    notes.push_back(fmt::format("and {} more: epochcast-analyze table efficiency OUT/records",
                                counted(more, "point")));
  }
  return notes;
}

/// "943/20000"; empty unless both are known.
table::Cell epoch_cell(const Progress& progress) {
  return progress.epoch && progress.epochs
             ? table::Cell(fmt::format("{}/{}", *progress.epoch, *progress.epochs))
             : table::Cell();
}

/// As h:mm:ss.
template <std::optional<double> Progress::*time_s>
table::Cell clock_cell(const Progress& progress) {
  return progress.*time_s ? table::Cell(clock_text(*(progress.*time_s))) : table::Cell();
}

/// For a terminal: times as h:mm:ss, logs relative to OUT and only of points that need a look.
table::Table table_for_people(const StatusReport& report, const OutFolder& out) {
  const table::Columns<Progress> progress{{"epoch", "epoch", epoch_cell},
                                          {"elapsed", "elapsed", clock_cell<&Progress::elapsed_s>},
                                          {"left", "left", clock_cell<&Progress::left_s>}};
  auto columns = point_columns();
  columns.add(progress, &PointStatus::progress)
      .add(rate_columns(), &PointStatus::progress)
      .add({{"job", "job", known_text<&PointStatus::job_name>},
            {"tainted", "tainted", known_text<&PointStatus::tainted>},
            {"reason", "reason", known_text<&PointStatus::reason>},
            {"disturbed", "disturbed", known_text<&PointStatus::disturbed>},
            {"log", "log", [&](const auto& point) {
               return has_ended_early(point.state) && !point.log.empty()
                          ? table::text_cell(
                                std::filesystem::path(point.log).lexically_relative(out.root))
                          : table::Cell();
             }}});
  auto table = table::make_table("status", fmt::format("{}, {}", out.root.string(), iso8601()),
                                 columns, report.points);
  for (const auto& point : report.points) {
    for (const auto& warning :
         {limit_warning(point.progress), efficiency::mfu_warning(point.progress.rates)}) {
      if (!warning.empty()) {
        table.notes.push_back(point.point + ": " + warning);
      }
    }
  }
  for (auto& note : size_notes(report)) {
    table.notes.push_back(std::move(note));
  }
  table::remove_empty_columns(table);
  return table;
}

/// For programs, with what the queue knows of the jobs in it.
StatusForPrograms for_programs(const StatusReport& report, const OutFolder& out) {
  const bool asks = std::ranges::any_of(report.points, [](const PointStatus& point) {
    return is_active(point.state) && !is_local_job(point.job);
  });
  return for_programs(out, report,
                      asks ? scheduler().times() : std::map<std::string, slurm::JobTimes>{},
                      wall_clock_s());
}

std::string status_text(const StatusReport& report, const OutFolder& out,
                        const StatusForPrograms& programs, const std::string& format) {
  const auto& spec = find_entry(table::formats::all(), "format", format);
  return format == "text"   ? spec.write({table_for_people(report, out)})
         : format == "json" ? status_json(programs)
                            : spec.write({status_table(programs, summary(report))});
}

bool any(const StatusReport& report, bool (*is_in)(PointState)) {
  return std::ranges::any_of(report.points,
                             [&](const PointStatus& point) { return is_in(point.state); });
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

/// What `retry:` says of the points that ended without their result.
void report_retries(const StatusReport& report, const OutFolder& out) {
  const RetryPolicy policy(out);
  std::size_t again = 0;
  for (const auto& point : policy.is_declared() ? report.points : std::vector<PointStatus>{}) {
    const auto next = policy.next(point);
    again += next && next->is_allowed() ? 1 : 0;
    if (next && !next->is_allowed()) {
      cli::report(fmt::format("{}: is not submitted again after {}: {}", point.point,
                              to_text(point.cause), next->why_not));
    }
  }
  if (again > 0) {
    cli::report(
        fmt::format("{} will be submitted again by the next job that ends here; now: "
                    "'epochcast-jobs resubmit {} --retry'",
                    counted(again, "point"), out.root.string()));
  }
}

/// Prints the states once.
StatusReport show(const cli::Arguments& arguments) {
  const OutFolder out(only_word(arguments, "OUT"));
  const auto report = status_with_lost_closed(out.root.string(), arguments.all("filter"));
  const auto format = arguments.get("format");
  const bool has_metrics = arguments.has("metrics-out");
  const auto programs =
      format == "text" && !has_metrics ? StatusForPrograms{} : for_programs(report, out);
  const auto text = status_text(report, out, programs, format);
  if (report.made_as.empty()) {  // a copy has the rows of the original
    close_ledger_rows(out, report.points, cli::report);
  }
  if (arguments.has("output")) {
    write_file(arguments.get("output"), text);
  } else {
    fmt::print("{}", isatty(STDOUT_FILENO) == 1 ? printable_lines(text) : text);
    std::fflush(stdout);
  }
  if (has_metrics) {
    write_file(arguments.get("metrics-out"), status_metrics(programs));
  }
  report_problems(report);
  try {
    report_retries(report, out);
  } catch (const Error&) {  // a profile that cannot be read must not hide the states
  }
  cli::report(summary(report));
  notify_if_ended(out.root.string(), cli::report);
  return report;
}

/// The full screen, where standard output is a terminal and the format is the one for people.
/// Returns whether the user has seen it and left.
bool watched_live(const cli::Arguments& arguments) {
  if (arguments.has("output") || arguments.has("metrics-out") ||
      arguments.get("format") != "text" || isatty(STDOUT_FILENO) != 1 ||
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
                   {"metrics-out", "FILE.prom",
                    "Also for the textfile collector of a Prometheus node exporter"},
                   {"watch", "",
                    "On a terminal: a live view with keys, until q; elsewhere: repeat every 10 s "
                    "until no job is pending or running"},
                   filter_option()},
       .positional = "OUT"},
      run_status};
}

}  // namespace epochcast::jobs
