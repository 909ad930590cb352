#include "src/training/loop/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

#include "src/base/core/csv.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/pending_file.hpp"
#include "src/base/core/spreadsheet.hpp"
#include "src/base/core/text.hpp"
#include "src/record/run/run_config.hpp"

namespace epochcast::train {
namespace {

namespace fs = std::filesystem;
constexpr double write_interval_s = 0.05;
constexpr std::string_view parameter_mark = "# ";  // before "batch=4", above the header

fs::path parts_folder(const fs::path& folder) {
  return folder / "answers";
}

CsvRow column_names() {
  CsvRow names;
  for_each_field<Answer>([&](const auto& field) { names.emplace_back(field.name); });
  return names;
}

std::string header_line() {
  return csv_line(column_names());
}

/// Appends a row without its line end. The score has six digits, because FP32 does not have more.
void append_cells(std::string& text, const Answer& answer) {
  const auto class_text = [](std::int64_t label) {
    return label < 0 ? std::string() : std::to_string(label);
  };
  fmt::format_to(std::back_inserter(text), "{},{},{},{}", answer.item, class_text(answer.answer),
                 class_text(answer.label),
                 std::isfinite(answer.score) ? fmt::format("{:.6g}", answer.score) : "");
}

std::optional<Answer> answer_row(std::string_view line) {
  const auto cells = split(line, ',');
  if (cells.size() != fields<Answer>.size()) {
    return std::nullopt;
  }
  const auto item = parse_integer(cells[0]);
  const auto class_in = [](std::string_view cell) {
    return cell.empty() ? std::optional<std::int64_t>(-1) : parse_integer(cell);
  };
  const auto answer = class_in(cells[1]);
  const auto label = class_in(cells[2]);
  const auto score = cells[3].empty() ? std::optional(std::numeric_limits<double>::quiet_NaN())
                                      : parse_double(cells[3]);
  const bool whole = item && *item >= 0 && answer && label && score;
  return whole ? std::optional(Answer{*item, *answer, *label, *score}) : std::nullopt;
}

void check_parameter(const fs::path& path, std::string_view line, const run::Parameters& identity) {
  const auto equals = line.find('=');
  const std::string name(line.substr(0, equals));
  const auto before =
      run::current_text(name, equals == std::string_view::npos ? "" : line.substr(equals + 1));
  const auto now = run::value_of_parameter(identity, name, "(unset)");
  if (now != before) {
    throw Error(fmt::format("{}: has answers of a run with {} {}; this run has {}", path.string(),
                            name, before, now));
  }
}

/// Appends the complete rows of one file to `answers`.
void read_part(const fs::path& path, const run::Parameters& identity,
               std::vector<Answer>& answers) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto header = header_line();
  for (std::size_t at = 0;;) {
    const auto end = text.find('\n', at);
    if (end == std::string::npos) {
      return;
    }
    const auto line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (line.starts_with(parameter_mark)) {
      check_parameter(path, line.substr(parameter_mark.size()), identity);
    } else if (const auto answer = answer_row(line)) {
      answers.push_back(*answer);
    } else if (line.size() + 1 != header.size() || !header.starts_with(line)) {
      return;
    }
  }
}

std::vector<fs::path> part_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code no_folder;
  for (const auto& entry : fs::directory_iterator(parts_folder(folder), no_folder)) {
    if (entry.path().extension() == ".csv") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files, {}, [](const fs::path& path) { return fs::last_write_time(path); });
  return files;
}

std::string part_head(const run::Parameters& identity) {
  std::string text;
  for (const auto& [name, value, type, unit] : identity) {
    text += fmt::format("{}{}={}\n", parameter_mark, name, value);
  }
  return text + header_line();
}

std::string part_path(const fs::path& folder, const std::string& attempt, std::int64_t rank) {
  fs::create_directories(parts_folder(folder));
  return parts_folder(folder) / fmt::format("{}.{}.csv", attempt, rank);
}

}  // namespace

Answer answer_of(std::int64_t item, std::span<const float> logits) {
  if (!std::ranges::all_of(logits, [](float logit) { return std::isfinite(logit); })) {
    return {.item = item, .answer = -1, .score = std::numeric_limits<double>::quiet_NaN()};
  }
  const auto largest = std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) {
    sum += std::exp(static_cast<double>(logit) - *largest);
  }
  return {.item = item, .answer = largest - logits.begin(), .label = -1, .score = 1 / sum};
}

Answered read_answers(const fs::path& folder, const run::Parameters& identity) {
  Answered answered;
  const auto files = part_files(folder);
  for (const auto& path : files) {
    read_part(path, identity, answered.answers);
  }
  if (!files.empty()) {
    // "point-job.0.csv"
    answered.record = files.back().stem().stem().string() + ".h5";
  }
  // If two attempts answered an item, because the first had not written it in time, the first
  // counts.
  std::ranges::stable_sort(answered.answers, {}, &Answer::item);
  const auto again = std::ranges::unique(answered.answers, {}, &Answer::item);
  answered.answers.erase(again.begin(), again.end());
  return answered;
}

void remove_answers(const fs::path& folder) {
  fs::remove_all(parts_folder(folder));
  fs::remove(folder / "answers.csv");
}

std::vector<std::int64_t> unanswered(const std::vector<Answer>& answers, std::int64_t count) {
  std::vector<std::int64_t> items;
  auto next = answers.begin();
  for (std::int64_t item = 0; item < count; ++item) {
    if (next != answers.end() && next->item == item) {
      ++next;
    } else {
      items.push_back(item);
    }
  }
  return items;
}

void write_answers(const fs::path& folder, const std::vector<Answer>& answers,
                   const std::function<std::string(std::int64_t item)>& origin) {
  auto names = column_names();
  names.emplace_back("origin");
  auto text = csv_line(names);
  for (const auto& answer : answers) {
    append_cells(text, answer);
    text += ',';
    text += csv_line({spreadsheet_text(origin(answer.item))});
  }
  PendingFile file(folder / "answers.csv");
  file.write(text);
  file.replace();
}

AnswerFile::AnswerFile(const fs::path& folder, const std::string& attempt, std::int64_t rank,
                       const run::Parameters& identity)
    : file_(part_path(folder, attempt, rank), record::LineFile::Mode::create),
      pending_(part_head(identity)) {
  flush();
}

void AnswerFile::add(std::span<const Answer> answers) {
  for (const auto& answer : answers) {
    append_cells(pending_, answer);
    pending_ += '\n';
  }
  count_ += std::ssize(answers);
  if (clock_.now_s() - written_at_s_ >= write_interval_s) {
    flush();
  }
}

void AnswerFile::flush() {
  file_.write(pending_);
  written_at_s_ = clock_.now_s();
}

void AnswerFile::sync() {
  flush();
  file_.sync();
}

}  // namespace epochcast::train
