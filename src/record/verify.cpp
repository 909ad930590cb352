// Checks a record: it opens, its rows are in order and agree with each other and with the JSON
// lines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "src/base/core/clock.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/text.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
#include "src/record/queries.hpp"
#include "src/record/reader.hpp"

namespace epochcast::record {
namespace {

using Problems = std::vector<std::string>;

bool is_running(const Record& record) {
  return outcome_of(record.header) == run::Outcome::running;
}

void check_outcome(const Record& record, Problems& problems) {
  if (outcome_of(record.header) == run::Outcome::unknown) {
    problems.push_back(fmt::format("unknown outcome '{}'", record.header.outcome.view()));
  }
}

/// A batch may have been released before this process started.
template <class Row>
bool may_be_negative(std::string_view field) {
  return std::is_same_v<Row, StreamBatch> && field == "triggered_s";
}

/// Times are durations or offsets from the start: finite and, but for one, not negative. A field
/// whose default is NaN may be it: such a time was not measured.
void check_times(const Record& record, Problems& problems) {
  for_each_table([&]<class Row>(const RecordTable<Row>& table) {
    const Row blank;
    for_each_field<Row>([&](const auto& field) {
      if constexpr (std::is_same_v<value_of<decltype(field)>, double>) {
        if (field.unit != "s") {
          return;
        }
        const bool may_be_nan = std::isnan(blank.*field.member);
        const double least =
            may_be_negative<Row>(field.name) ? std::numeric_limits<double>::lowest() : 0;
        for (const auto& row : record.*table.rows) {
          const double value = row.*field.member;
          if (may_be_nan && std::isnan(value)) {
            continue;
          }
          if (!(value >= least) || std::isinf(value)) {
            problems.push_back(fmt::format("{}.{} is {}", table.name, field.name,
                                           std::isnan(value) ? "nan" : fmt::to_string(value)));
            return;
          }
        }
      }
    });
  });
}

void check_counts(const Record& record, Problems& problems) {
  const auto check = [&](const auto& rows, auto member, const char* name) {
    const auto negative =
        std::ranges::find_if(rows, [&](const auto& row) { return row.*member < 0; });
    if (negative != rows.end()) {
      problems.push_back(fmt::format("{} is {}", name, *negative.*member));
    }
  };
  check(record.epochs, &Epoch::samples, "epochs.samples");
  check(record.epochs, &Epoch::iterations, "epochs.iterations");
  check(record.iterations, &Iteration::samples, "iterations.samples");
}

void check_order(const Record& record, Problems& problems) {
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> last;  // by rank: epoch, index
  auto before = last.end();  // there are many steps: those of a rank mostly follow each other
  for (const auto& step : record.iterations) {
    const std::pair here{step.epoch, step.index};
    bool first = false;
    if (before == last.end() || before->first != step.rank) {
      std::tie(before, first) = last.try_emplace(step.rank, here);
    }
    if (!first && !(before->second < here)) {
      problems.push_back(fmt::format("iterations of rank {} are not in order at epoch {}, index {}",
                                     step.rank, step.epoch, step.index));
      break;
    }
    before->second = here;
  }
  for (std::size_t i = 1; i < record.epochs.size(); ++i) {
    if (record.epochs[i].epoch <= record.epochs[i - 1].epoch) {
      problems.push_back(
          fmt::format("epochs are not in order at epoch {}", record.epochs[i].epoch));
      break;
    }
  }
}

/// Compares epochs with their iterations: the steps of a rank follow each other within their epoch,
/// so their sum cannot exceed its duration. The epoch is that of rank 0, without what interrupts it
/// there. The steps of another rank wait meanwhile, so only its own time counts; and it may begin
/// the epoch earlier. Tolerates rounding and clock reads between the two.
void check_epochs_against_iterations(const Record& record, Problems& problems) {
  struct Steps {
    double sum_s = 0;
    double first_start_s = std::numeric_limits<double>::infinity();
    std::int64_t count = 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Steps> steps;  // by epoch and rank
  auto at = steps.end();  // there are many steps: those of an epoch mostly follow each other
  for (const auto& step : record.iterations) {
    const std::pair key{step.epoch, step.rank};
    if (at == steps.end() || at->first != key) {
      at = steps.try_emplace(key).first;
    }
    at->second.sum_s += step.rank == 0 ? step.wait_s + step.step_s : own_time_s(step);
    at->second.first_start_s = std::min(at->second.first_start_s, step.start_s);
    ++at->second.count;
  }
  for (const auto& epoch : record.epochs) {
    for (at = steps.lower_bound({epoch.epoch, INT64_MIN});
         at != steps.end() && at->first.first == epoch.epoch; ++at) {
      const double earlier_s =
          at->first.second == 0 ? 0 : std::max(0.0, epoch.start_s - at->second.first_start_s);
      if (at->second.sum_s > (epoch.wall_s + earlier_s) * 1.01 + 0.01) {
        problems.push_back(fmt::format("epoch {} took {:.3f} s, but its iterations sum to {:.3f} s",
                                       epoch.epoch, epoch.wall_s, at->second.sum_s));
        return;
      }
    }
    const auto counted = steps.find({epoch.epoch, 0});
    if (epoch.iterations > 0 && counted != steps.end() &&
        counted->second.count > epoch.iterations) {
      problems.push_back(fmt::format("epoch {} has {} iterations, but {} are recorded", epoch.epoch,
                                     epoch.iterations, counted->second.count));
      return;
    }
  }
}

/// An epoch begins after the one before it has ended.
void check_overlap(const Record& record, Problems& problems) {
  for (std::size_t i = 1; i < record.epochs.size(); ++i) {
    const auto& before = record.epochs[i - 1];
    const double end_s = before.start_s + before.wall_s;
    constexpr double clock_reads_s = 0.05;
    if (record.epochs[i].start_s < end_s - clock_reads_s - before.wall_s / 100) {
      problems.push_back(
          fmt::format("epoch {} begins at {:.3f} s, before the end of epoch {} at {:.3f} s",
                      record.epochs[i].epoch, record.epochs[i].start_s, before.epoch, end_s));
      return;
    }
  }
}

/// No epoch or step ends after the run. The run's own stamps have whole seconds, and the clock that
/// they come from may have been corrected meanwhile.
void check_within_run(const Record& record, Problems& problems) {
  const auto start = seconds_since_1970(record.header.created_at.str());
  const auto end = seconds_since_1970(record.header.finished_at.str());
  if (!start || !end || *end < *start) {
    return;
  }
  constexpr double corrected_s = 10;
  const double run_s = *end - *start;
  const double latest_s = run_s * 1.01 + corrected_s;
  const auto check = [&](const char* what, std::int64_t number, double ends_s) {
    if (ends_s > latest_s && problems.empty()) {
      problems.push_back(fmt::format("{} {} ends {:.3f} s after the start of a run of {:.0f} s",
                                     what, number, ends_s, run_s));
    }
  };
  for (const auto& epoch : record.epochs) {
    check("epoch", epoch.epoch,
          epoch.start_s + epoch.wall_s + epoch.evaluate_s + epoch.checkpoint_s);
  }
  for (const auto& step : record.iterations) {
    check("a step of epoch", step.epoch, step.start_s + step.wait_s + step.step_s);
  }
}

/// JSON lines are written first: the record of a run that goes on may have more lines than rows,
/// never fewer.
void compare(const Record& record, const Record& lines, bool goes_on, Problems& problems) {
  for_each_table([&](const auto& table) {
    const auto& rows = record.*table.rows;
    const auto& others = lines.*table.rows;
    const bool count_agrees = goes_on ? rows.size() <= others.size() : rows.size() == others.size();
    if (!count_agrees) {
      problems.push_back(fmt::format("{} has {} rows, the JSON lines have {}", table.name,
                                     rows.size(), others.size()));
    }
    for (std::size_t i = 0; i < std::min(rows.size(), others.size()); ++i) {
      if (row_line(table.name, rows[i]) != row_line(table.name, others[i])) {
        problems.push_back(fmt::format("{} row {} differs from the JSON lines", table.name, i));
        return;
      }
    }
  });
  if (record.modules != lines.modules) {
    problems.push_back("modules differ from the JSON lines");
  }
  if (row_line("header", record.header) != row_line("header", lines.header)) {
    problems.push_back("the header differs from the JSON lines");
  }
}

void check_lines(const std::string& path, const Record& record, Problems& problems) {
  const auto lines = read_json_lines(path);
  // A kill may leave the last line incomplete; close_record then ends that line and appends
  // another.
  if (lines.damaged > 1) {
    problems.push_back(fmt::format("{} of {} JSON lines are damaged", lines.damaged, lines.lines));
  }
  const auto before = problems.size();
  compare(record, lines.record, is_running(record) && !are_quiet(path), problems);
  if (problems.size() > before) {
    problems.emplace_back("'epochcast-analyze salvage' rebuilds the record");
  }
}

}  // namespace

std::vector<std::string> inconsistencies(const Record& record) {
  Problems problems;
  check_outcome(record, problems);
  check_times(record, problems);
  check_counts(record, problems);
  check_order(record, problems);
  check_epochs_against_iterations(record, problems);
  return problems;
}

Verdict verify_record(const std::string& path) {
  Verdict verdict;
  verdict.path = path;
  Record record;
  try {
    record = read_record(path);
  } catch (const Error& error) {
    const std::string text = error.what();
    verdict.text = text.starts_with(path + ": ") ? text.substr(path.size() + 2) : text;
    return verdict;
  }
  verdict.readable = true;
  auto problems = inconsistencies(record);
  if (record.header.source.view() == "measured") {  // stamps of a log may be whole seconds
    check_overlap(record, problems);
    check_within_run(record, problems);
  }
  const auto lines_path = json_lines_path(path);
  const bool has_lines = std::filesystem::exists(lines_path);
  if (has_lines) {
    check_lines(lines_path, record, problems);
  }
  verdict.consistent = problems.empty();
  verdict.text = verdict.consistent
                     ? fmt::format("ok, {}, {} epochs, {} iterations{}",
                                   record.header.outcome.view(), record.epochs.size(),
                                   record.iterations.size(), has_lines ? "" : ", no JSON lines")
                     : join(problems, "; ");
  return verdict;
}

}  // namespace epochcast::record
