// Small logs with their right values, one file each in cases/ (cases/README.md has the form).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "src/base/core/text.hpp"
#include "src/measure/progress/recognizer/whole_log.hpp"
#include "tests/files.hpp"

namespace epochcast::progress {
namespace {

const std::string folder = EPOCHCAST_SOURCE_DIR "/tests/src/measure/progress/cases";

struct TextCase {
  std::string way;  ///< "live", "pattern" or empty.
  std::vector<std::string> log, expected;
};

TextCase text_case(const std::string& name) {
  TextCase found;
  bool head = true, expects = false;
  const auto bytes = bytes_of(folder + "/" + name + ".txt");
  for (auto& line : split(bytes.substr(0, bytes.size() - (bytes.ends_with('\n') ? 1 : 0)), '\n')) {
    head = head && line.starts_with('#');
    if (head) {
      found.way = line.starts_with("#: ") ? line.substr(3) : found.way;
    } else if (line == "----") {
      expects = true;
    } else {
      (expects ? found.expected : found.log).push_back(std::move(line));
    }
  }
  return found;
}

/// Each line comes at the time that it begins with: "@12.5 epoch 1 ...".
WholeLog read_live(const TextCase& of) {
  Recognizer recognizer({});
  double at_s = 0;
  for (const auto& line : of.log) {
    const auto words = line.find(' ');
    at_s = parse_double(std::string_view(line).substr(1, words - 1)).value();
    if (words != std::string::npos) {
      recognizer.read(Stream::out, line.substr(words + 1) + "\n", at_s);
    }
  }
  recognizer.finish(at_s);
  return {.rows = recognizer.take(), .source = recognizer.source(), .note = recognizer.note()};
}

/// As it stands in the note, without the quotes of the shell; empty: none is proposed.
std::string proposed_pattern(const std::string& note) {
  const auto begin = note.find("--pattern '");
  const auto end = note.find("', which reads");
  auto pattern = end == std::string::npos ? "" : note.substr(begin + 11, end - begin - 11);
  const std::string quote = R"('\'')";
  for (auto at = pattern.find(quote); at != std::string::npos; at = pattern.find(quote)) {
    pattern.replace(at, quote.size(), "'");
  }
  return pattern;
}

WholeLog read(const TextCase& of) {
  if (of.way == "live") {
    return read_live(of);
  }
  const auto text = join(of.log, "\n") + "\n";
  auto found = read_whole_log(text);
  const auto pattern = of.way == "pattern" ? proposed_pattern(found.note) : "";
  return pattern.empty() ? found : read_whole_log(text, {.pattern = pattern});
}

/// As exact as it is written: "7.9" is 7.85 to 7.95.
bool agrees(const std::string& right, double found) {
  const auto point = right.find('.');
  const auto digits = point == std::string::npos ? 0 : double(right.size() - point - 1);
  return right == "-" ||
         std::abs(parse_double(right).value() - found) <= 0.5 * std::pow(10, -digits) + 1e-6;
}

/// "loss=0.5, val acc=0.9", the last values of an epoch (-1: of all), and no others; "none".
bool are_metrics(std::string_view right, std::int64_t epoch, const Rows& rows) {
  std::map<std::string, double> last;
  for (const auto& metric : rows.metrics) {
    if (epoch < 0 || metric.epoch == epoch) {
      last[metric.name.str()] = metric.value;
    }
  }
  std::size_t wanted = 0;
  for (const auto& metric : split(right == "none" ? "" : right, ',')) {
    const auto equal = metric.rfind('=');
    const auto found = last.find(std::string(trim(metric.substr(0, equal))));
    if (found == last.end() || !agrees(metric.substr(equal + 1), found->second)) {
      return false;
    }
    ++wanted;
  }
  return wanted == last.size();
}

/// The text after so many words; empty: nothing.
std::string after_words(const std::string& line, std::size_t words) {
  std::size_t at = 0;
  for (; words > 0 && at < line.size(); --words) {
    at = std::min(line.find(' ', at), line.size() - 1) + 1;
  }
  return line.substr(at);
}

/// "epoch wall_s evaluate_s steps", and metrics if they are tested.
bool is_as(const std::string& right, const record::Epoch& row, const Rows& rows) {
  const auto fields = split(right, ' ');
  const auto metrics = after_words(right, 4);
  return agrees(fields.at(0), double(row.epoch) + 1) && agrees(fields.at(1), row.wall_s) &&
         agrees(fields.at(2), row.evaluate_s) && agrees(fields.at(3), double(row.iterations)) &&
         (metrics.empty() || are_metrics(metrics, row.epoch, rows));
}

/// "steps 7 of 25.0 s", and metrics if they are tested: steps of the run, no epochs.
bool are_steps(const std::string& right, const Rows& rows) {
  const auto fields = split(right, ' ');
  const auto metrics = after_words(right, 5);
  return rows.epochs.empty() && !rows.iterations.empty() &&
         agrees(fields.at(1), double(rows.iterations.size())) &&
         agrees(fields.at(3), rows.iterations.back().step_s) &&
         (metrics.empty() || are_metrics(metrics, -1, rows));
}

bool is_refused(const std::string& right, const WholeLog& log) {
  return std::ranges::none_of(log.rows.epochs, [](const auto& row) { return row.wall_s > 0; }) &&
         std::ranges::none_of(log.rows.iterations,
                              [](const auto& row) { return row.step_s > 0; }) &&
         log.note.find(trim(std::string_view(right).substr(8))) != std::string::npos;
}

bool is_right(const std::vector<std::string>& right, const WholeLog& log) {
  if (right.at(0).starts_with("refused:")) {
    return is_refused(right[0], log);
  }
  if (right[0].starts_with("steps ")) {
    return are_steps(right[0], log.rows);
  }
  return std::ranges::equal(right, log.rows.epochs, [&](const auto& line, const auto& row) {
    return is_as(line, row, log.rows);
  });
}

std::string shown(const WholeLog& log) {
  std::string text;
  for (const auto& row : log.rows.epochs) {
    text += fmt::format("{} {:.6g} {:.6g} {}", row.epoch + 1, row.wall_s, row.evaluate_s,
                        row.iterations);
    std::map<std::string, double> last;
    for (const auto& metric : log.rows.metrics) {
      if (metric.epoch == row.epoch) {
        last[metric.name.str()] = metric.value;
      }
    }
    std::string separator = " ";
    for (const auto& [name, value] : last) {
      text += fmt::format("{}{}={}", std::exchange(separator, ", "), name, value);
    }
    text += "\n";
  }
  const auto& steps = log.rows.iterations;
  return text + fmt::format("({}, {} steps, the last of {:.6g} s; note: {})", log.source,
                            steps.size(), steps.empty() ? 0 : steps.back().step_s, log.note);
}

class TextCases : public testing::TestWithParam<std::string> {};

TEST_P(TextCases, GiveTheirRightValues) {
  const auto of = text_case(GetParam());
  const auto log = read(of);
  ASSERT_FALSE(of.expected.empty());
  EXPECT_TRUE(is_right(of.expected, log)) << "right:\n"
                                          << join(of.expected, "\n") << "\nread:\n"
                                          << shown(log);
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") {
      found.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(found);
  return found;
}

INSTANTIATE_TEST_SUITE_P(InTheFolder, TextCases, testing::ValuesIn(names()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace epochcast::progress
