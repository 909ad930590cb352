// Whether a record can be believed: it opens, its rows are in order, and the JSON lines say the
// same.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>

#include "src/core/error.hpp"
#include "src/core/text.hpp"
#include "src/record/json_lines.hpp"
#include "src/record/outcome.hpp"
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

/// Times are lengths or moments since the start: finite, never negative.
void check_times(const Record& record, Problems& problems) {
  for_each_table([&]<class Row>(const RecordTable<Row>& table) {
    for_each_field<Row>([&](const auto& field) {
      if constexpr (std::is_same_v<value_of<decltype(field)>, double>) {
        if (field.unit != "s") {
          return;
        }
        for (const auto& row : record.*table.rows) {
          if (!(row.*field.member >= 0) || std::isinf(row.*field.member)) {
            problems.push_back(
                fmt::format("{}.{} is {}", table.name, field.name, row.*field.member));
            return;
          }
        }
      }
    });
  });
}

void check_order(const Record& record, Problems& problems) {
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> last;  // by rank: epoch, index
  for (const auto& step : record.iterations) {
    const std::pair here{step.epoch, step.index};
    const auto [before, first] = last.try_emplace(step.rank, here);
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

template <class Row>
std::string line_of(std::string_view table, const Row& row) {
  std::string line;
  append_line(line, table, row);
  return line;
}

/// Lines are written first: a run that was cut off may have more of them than rows, never fewer.
void compare(const Record& record, const Record& lines, Problems& problems) {
  for_each_table([&](const auto& table) {
    const auto& rows = record.*table.rows;
    const auto& others = lines.*table.rows;
    const bool count_agrees =
        is_running(record) ? rows.size() <= others.size() : rows.size() == others.size();
    if (!count_agrees) {
      problems.push_back(fmt::format("{} has {} rows, the JSON lines have {}", table.name,
                                     rows.size(), others.size()));
    }
    for (std::size_t i = 0; i < std::min(rows.size(), others.size()); ++i) {
      if (line_of(table.name, rows[i]) != line_of(table.name, others[i])) {
        problems.push_back(fmt::format("{} row {} differs from the JSON lines", table.name, i));
        return;
      }
    }
  });
  if (record.modules != lines.modules) {
    problems.push_back("modules differ from the JSON lines");
  }
  if (line_of("header", record.header) != line_of("header", lines.header)) {
    problems.push_back("the header differs from the JSON lines");
  }
}

void check_lines(const std::string& path, const Record& record, Problems& problems) {
  const auto lines = read_json_lines(path);
  // A kill may tear the last line; close_record then ends it and goes on.
  if (lines.damaged > 1) {
    problems.push_back(fmt::format("{} of {} JSON lines are damaged", lines.damaged, lines.lines));
  }
  compare(record, lines.record, problems);
}

}  // namespace

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
  Problems problems;
  check_outcome(record, problems);
  check_times(record, problems);
  check_order(record, problems);
  const auto lines_path = json_lines_path(path);
  const bool has_lines = std::filesystem::exists(lines_path);
  if (has_lines) {
    check_lines(lines_path, record, problems);
  }
  verdict.consistent = problems.empty();
  verdict.text = verdict.consistent ? fmt::format("ok, {}, {} epochs, {} iterations{}",
                                                  record.header.outcome.view(),
                                                  record.epochs.size(), record.iterations.size(),
                                                  has_lines ? "" : ", no JSON lines beside it")
                                    : join(problems, "; ");
  return verdict;
}

}  // namespace epochcast::record
