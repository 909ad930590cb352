#include "jobs/advise/run_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "jobs/campaign/attempts.hpp"
#include "jobs/ledger/pilot_forecast.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/files.hpp"
#include "src/base/core/text.hpp"
#include "src/forecast/efficiency/job_report.hpp"
#include "src/forecast/ledger/ledger.hpp"
#include "src/forecast/ledger/past_forecasts.hpp"
#include "src/forecast/memory/run_memory.hpp"
#include "src/record/energy.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/queries.hpp"

namespace epochcast::jobs {
namespace {

/// Columns that say how long a run is, or which repeat: not what an epoch does.
bool is_of_length(std::string_view column) {
  static const std::set<std::string_view> names{"point",    "allocation", "current",
                                                "epochs",   "steps",      "max_iterations",
                                                "max_time", "seed",       "repeat"};
  return names.contains(column);
}

using Values = std::map<std::string, std::string>;

Values work_of(const std::vector<std::string>& columns, const CsvRow& row) {
  Values values;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!is_of_length(columns[i]) && !row[i].empty()) {
      values[columns[i]] = row[i];
    }
  }
  return values;
}

Values work_of(const Point& point) {
  const auto index = index_of({point});
  return work_of(index.columns, index.rows.front());
}

std::optional<std::int64_t> count_of(const Point& point, std::string_view name) {
  for (const auto& parameter : complete_parameters(point)) {
    if (parameter.name == name) {
      return parse_integer(parameter.value);
    }
  }
  return std::nullopt;
}

/// A record that may describe a point.
struct Candidate {
  std::string path;
  record::Record record;
  bool disturbed = false;
  bool cut_words = false;  ///< A pilot whose program was given arguments that shorten it.

  auto rank() const { return std::pair(!disturbed, record.epochs.size()); }
};

/// Whether both profiles mean the same machines by an allocation: the name of a profile is that of
/// its file, which may be copied and renamed.
bool is_same_allocation(const Cluster& a, const Cluster& b, const std::string& name) {
  const auto asks = [&](const Cluster& cluster) {
    const auto found = std::ranges::find(cluster.allocations, name, &AllocationProfile::name);
    if (found == cluster.allocations.end()) {
      return std::optional<run::Allocation>();
    }
    auto asked = found->asks;
    asked.time = {};  // says nothing about the machines
    return std::optional(asked);
  };
  return a.name == b.name || (asks(a) && asks(a) == asks(b));
}

/// What a folder holds, for the message that no record in it fits.
std::string made_for(const std::string& folder) {
  const auto origin = read_origin(OutFolder(folder));
  return fmt::format("{} (experiment '{}' on cluster '{}')", folder, origin.context.experiment,
                     origin.cluster.name);
}

/// Adds the records of a folder that did the work of the point.
void add_candidates(const OutFolder& out, const Matrix& matrix, const Point& point, bool is_pilots,
                    std::vector<Candidate>& found) {
  const auto index = read_index(out);  // throws if it is no output folder
  const auto origin = read_origin(out);
  if (origin.context.experiment != matrix.experiment.name ||
      !is_same_allocation(origin.cluster, matrix.cluster, point.allocation)) {
    return;
  }
  const auto wanted = work_of(point);
  std::set<std::string> points;
  for (const auto& row : index.rows) {
    if (row[Index::allocation] == point.allocation && work_of(index.columns, row) == wanted) {
      points.insert(row[Index::point]);
    }
  }
  for (const auto& [name, attempts] : read_attempts(out)) {
    for (const auto& attempt : points.contains(name) ? attempts : std::vector<Attempt>{}) {
      found.push_back(
          {attempt.record, record::read_json_lines(record::json_lines_path(attempt.record)).record,
           !attempt.disturbed.empty(), is_pilots && origin.context.pilot_has_arguments});
    }
  }
}

std::optional<Candidate> best_record(const Matrix& matrix, const Point& point,
                                     const std::vector<std::string>& folders) {
  std::vector<Candidate> found;
  for (const auto& folder : folders) {
    const OutFolder out(folder);
    add_candidates(out, matrix, point, false, found);
    if (const OutFolder pilots(out.pilots()); is_there(pilots.index())) {
      add_candidates(pilots, matrix, point, true, found);
    }
  }
  if (found.empty()) {
    return std::nullopt;
  }
  return *std::ranges::max_element(found, {}, &Candidate::rank);
}

RunForecast refused(const std::string& why, std::int64_t epochs) {
  RunForecast run;
  run.detail = why;
  run.epochs = epochs;
  return run;
}

RunForecast of_row(const ledger::LedgerRow& row, double high_95_s, double before_s) {
  RunForecast run;
  run.time_s = ledger::forecast_of_row(row) + before_s;
  run.time_s.interval_95.high = high_95_s + before_s;
  run.before_s = before_s;
  run.epochs = row.epochs;
  return run;
}

void add_energy(const record::Record& record, RunForecast& run) {
  run.j_per_epoch = record::run_energy(record).j_per_epoch;
  run.energy_detail = run.j_per_epoch
                          ? "median of the measured energies of an epoch, times the epochs"
                          : "no counter of energy was readable in that record";
}

RunForecast from_record(const Point& point, const Candidate& candidate, const KnownRuns& known) {
  const auto epochs = count_of(point, "epochs");
  const auto [row, high_95_s] =
      point.program.is_given()
          ? forecast_of_program(candidate.record,
                                {.epochs = epochs, .steps = count_of(point, "steps")},
                                candidate.cut_words, known)
          : forecast_from_pilot(candidate.record, epochs.value_or(0), known);
  if (std::isnan(row.forecast_s)) {
    return refused(fmt::format("{}: {}", candidate.path, row.remark), row.epochs);
  }
  auto run = of_row(row, high_95_s, record::before_program_s(candidate.record));
  run.source = "record";
  run.recorded_epochs = std::ssize(candidate.record.epochs);
  run.detail = fmt::format("{} ({} recorded{}), {}", candidate.path,
                           counted(candidate.record.epochs.size(), "epoch"),
                           candidate.disturbed ? "; disturbed by others" : "", row.classification);
  const auto memory = memory::memory_of_run(candidate.record, row.forecast_s, high_95_s);
  if (const auto* found = std::get_if<memory::RunMemory>(&memory)) {
    run.memory_bytes = ledger::memory_adjusted_by_user_ledger(found->node_bytes);
  }
  run.cpus = efficiency::cpu_text(efficiency::use_of(candidate.record));
  add_energy(candidate.record, run);
  return run;
}

std::optional<RunForecast> from_ledger(const Matrix& matrix, const Point& point) {
  const auto path = ledger::user_ledger();
  const auto epochs = count_of(point, "epochs").value_or(0);
  std::optional<RunForecast> newest;
  for (const auto& row : path ? ledger::read_newest(*path) : std::vector<ledger::LedgerRow>{}) {
    if (row.experiment != matrix.experiment.name || row.cluster != matrix.cluster.name ||
        row.allocation != point.allocation || row.epochs != epochs || row.point != point.id ||
        std::isnan(row.forecast_s) || row.classification == ledger::from_history) {
      continue;
    }
    newest = of_row(row, row.high_95_s, 0);
    newest->source = "ledger";
    newest->detail = fmt::format("{}: forecast of {} from pilot {}", *path, row.made_at, row.pilot);
    if (row.outcome == ledger::Outcome::complete) {
      newest->detail += fmt::format("; that run took {}", format_duration(row.actual_s));
    }
    newest->energy_detail = "the ledger keeps no energy";
  }
  return newest;
}

RunForecast from_history(const Point& point, const AllocationProfile& site, const PastJobs& past) {
  const auto row = limit_from_history(past, point, site, "OUT");
  if (std::isnan(row.forecast_s)) {
    return refused("history: " + row.remark, row.epochs);
  }
  auto run = of_row(row, row.high_95_s, 0);
  run.source = "history";
  run.detail = fmt::format("past jobs of the name '{}' with these resources", past.name);
  run.energy_detail = "the accounting keeps no energy";
  return run;
}

}  // namespace

std::vector<Point> points_to_advise(const Matrix& matrix) {
  std::map<std::string, Point> chosen;
  std::vector<Point> points;
  for (const auto& point : matrix.points) {
    const auto [known, is_new] = chosen.try_emplace(point.allocation, point);
    if (is_new) {
      points.push_back(point);
      continue;
    }
    const auto length = [](const Point& of) {
      return std::pair(count_of(of, "epochs"), count_of(of, "steps"));
    };
    if (work_of(known->second) != work_of(point) || length(known->second) != length(point)) {
      const auto swept = swept_values(index_of({known->second, point}));
      throw Error(fmt::format(
          "allocation '{}' has several runs ('{}' and '{}'{}); advice is for one: choose it with "
          "--epochs, --set or --filter",
          point.allocation, known->second.id, point.id,
          swept.at(point.id).empty() ? "" : ", which differ in " + swept.at(point.id)));
    }
  }
  return points;
}

RunForecast run_forecast(const Matrix& matrix, const Point& point, const RunSources& sources) {
  const auto epochs = count_of(point, "epochs").value_or(0);
  const auto index = index_of({point});
  const auto why = point.program.is_given() ? "" : other_end(index, index.rows.front());
  if (!why.empty()) {
    return refused(why, epochs);
  }
  std::vector<std::string> why_not;
  if (const auto record = best_record(matrix, point, sources.folders)) {
    auto run = from_record(point, *record, sources.known);
    if (run.is_known()) {
      return run;
    }
    why_not.push_back(run.detail);
  } else {
    std::vector<std::string> folders;
    std::ranges::transform(sources.folders, std::back_inserter(folders), made_for);
    why_not.push_back(folders.empty()
                          ? "no folder of records was given (--from)"
                          : "no record of this run on this allocation in " + join(folders, ", "));
  }
  if (const auto run = from_ledger(matrix, point)) {
    return *run;
  }
  why_not.emplace_back("no forecast of it in the ledger");
  if (sources.past) {
    const auto run =
        from_history(point, profile_of(matrix.cluster, point.allocation), *sources.past);
    if (run.is_known()) {
      return run;
    }
    why_not.push_back(run.detail);
  }
  return refused(join(why_not, "; "), epochs);
}

}  // namespace epochcast::jobs
