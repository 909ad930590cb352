// Texts that are written from a known truth, in every format: what is read from them is right, or
// nothing is read.
//
//   EPOCHCAST_TEXT=plain:123 build/release/bin/test_src_measure_progress --gtest_filter='*Texts*'
//
// prints one text, its truth and what was read; EPOCHCAST_LONG=1 tries 10,000 texts a format,
// EPOCHCAST_TEXTS=N as many as N.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "src/measure/progress/recognizer/whole_log.hpp"
#include "tests/src/measure/progress/text.hpp"

namespace epochcast::progress {
namespace {

using namespace epochcast::tests;

enum class Way { live, log };

struct Result {
  Rows rows;
  Position position;
  std::string source, note;
  bool refused() const { return rows.epochs.empty() && rows.iterations.empty(); }
};

Result result_of(Recognizer& recognizer) {
  return {recognizer.take(), recognizer.position(), recognizer.source(), recognizer.note()};
}

/// As epochcast-run reads it: cut anywhere, a tick about each second.
Result read_live(const Text& text, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Recognizer recognizer({});
  double at_s = 0;
  for (const auto& piece : text.pieces) {
    for (double gap_s = piece.at_s - at_s, tick = 1; tick < gap_s && tick < 20; ++tick) {
      recognizer.tick(at_s + tick);
    }
    at_s = piece.at_s;
    for (std::size_t from = 0; from < piece.bytes.size();) {
      const auto size = 1 + random() % (random() % 4 == 0 ? 7 : 4096);
      recognizer.read(piece.stream, std::string_view(piece.bytes).substr(from, size), at_s);
      from += size;
    }
  }
  recognizer.finish(at_s);
  return result_of(recognizer);
}

std::string bytes_of_log(const Text& text) {
  std::string bytes;
  for (const auto& piece : text.pieces) {
    bytes += piece.bytes;
  }
  return bytes;
}

Result read_log(const Text& text) {
  auto log = read_whole_log(bytes_of_log(text));
  return {std::move(log.rows), log.position, log.source, log.note};
}

using Differences = std::vector<std::string>;

bool near(double found, double right, double slack) {
  return std::abs(found - right) <= slack;
}

void compare_times(const TrueEpoch& right, const record::Epoch& found, const Text& text, Way way,
                   Differences& wrong) {
  const auto differ = [&](std::string_view what, double is, double should, double slack) {
    if (!near(is, should, slack)) {
      wrong.push_back(fmt::format("epoch {}: {} {:.3f}, right: {:.3f} +- {:.3f}", right.epoch, what,
                                  is, should, slack));
    }
  };
  const double both = found.wall_s + found.evaluate_s;
  if (way == Way::log && text.stamp_resolution_s == 0) {
    const double slack = right.stated_slack_s + 1e-3;
    if (!right.stated_s) {
      if (found.wall_s > 0) {  // not stated: none, or what follows from the rate
        const double should = near(both, right.wall_s, 1 + 0.1 * right.wall_s)
                                  ? right.wall_s
                                  : right.wall_s + right.evaluate_s;
        differ("wall_s + evaluate_s (not stated)", both, should, 1 + 0.1 * should);
      }
    } else if (right.stated_sum) {
      differ("stated wall_s + evaluate_s", both, *right.stated_s, slack);
    } else {
      differ("stated wall_s", found.wall_s, *right.stated_s, slack);
    }
    if (right.stated_evaluate_s) {
      differ("stated evaluate_s", found.evaluate_s, *right.stated_evaluate_s, slack);
    }
    return;
  }
  if (way == Way::log && right.starts_unseen) {
    return;
  }
  const bool from_stamp = way == Way::log && right.from_start;
  const bool as_stated =  // from the start
      right.stated_s && near(found.wall_s, *right.stated_s, right.stated_slack_s + 1e-3);
  const double before_s = from_stamp && !as_stated ? text.first_stamp_s : 0;
  const double resolution = way == Way::log ? text.stamp_resolution_s : text.live_resolution_s;
  const double slack = std::max(resolution, text.live_resolution_s) + right.slack_s + 2e-3;
  if (right.split_known) {
    differ("wall_s", found.wall_s, right.wall_s - before_s, slack);
    differ("evaluate_s", found.evaluate_s, right.evaluate_s, slack);
  } else {
    differ("wall_s + evaluate_s", both, right.wall_s + right.evaluate_s - before_s, slack);
  }
}

/// What is wrong with the metrics of an epoch; a metric that is not there goes into `missing`.
void compare_metrics(const TrueEpoch& right, std::int64_t number, const Rows& rows,
                     Differences& wrong, Differences& missing) {
  for (const auto& metric : right.metrics) {
    std::optional<double> last;
    bool anywhere = false;
    for (const auto& row : rows.metrics) {
      if (row.epoch == number) {
        if (row.iteration == 0 && row.name.view() == metric.name) {
          last = row.value;
        }
        anywhere |= near(row.value, metric.value, 1e-9 + 1e-6 * std::abs(metric.value));
      }
    }
    const double slack = 1e-9 + 1e-6 * std::abs(metric.value);
    if (last && !near(*last, metric.value, slack)) {
      wrong.push_back(fmt::format("epoch {}: {} = {}, right: {}", right.epoch, metric.name, *last,
                                  metric.value));
    } else if (!last && !anywhere) {
      missing.push_back(
          fmt::format("epoch {}: no {} = {}", right.epoch, metric.name, metric.value));
    }
  }
}

/// Noise has the digits 7341.
void find_noise(const Rows& rows, Differences& wrong) {
  for (const auto& row : rows.metrics) {
    const double value = std::abs(row.value);
    const double digits = value > 0 ? value / std::pow(10, std::floor(std::log10(value))) : 0;
    if (near(digits, 7.341, 1e-5)) {
      wrong.push_back(
          fmt::format("metric {} = {} of a line that is none", row.name.view(), row.value));
    }
  }
}

void compare_run_steps(const Text& text, const Result& found, Way way, Differences& wrong) {
  const auto& right = *text.run_steps;
  if (!found.rows.epochs.empty()) {
    wrong.push_back(
        fmt::format("{} epochs, right: none, steps of the run", found.rows.epochs.size()));
  }
  std::int64_t last = 0;
  std::vector<double> steps;
  for (const auto& row : found.rows.iterations) {
    last = std::max(last, row.index + 1);
    steps.push_back(row.step_s);
  }
  if (!steps.empty() && last != right.last) {
    wrong.push_back(fmt::format("last step {}, right: {}", last, right.last));
  }
  if (right.total && found.position.steps != right.total) {
    wrong.push_back(
        fmt::format("total steps {}, right: {}", found.position.steps.value_or(-1), *right.total));
  }
  const bool stated = way == Way::log && text.stamp_resolution_s == 0;
  std::erase(steps, 0.0);
  if (!steps.empty()) {
    std::ranges::nth_element(steps, steps.begin() + std::ssize(steps) / 2);
    const double median = steps[steps.size() / 2];
    const double should = stated && right.stated_s ? *right.stated_s : right.step_s;
    const double slack =
        stated ? right.stated_slack_s + 0.1 * should : right.slack_s + 0.1 * should;
    if (!near(median, should, slack)) {
      wrong.push_back(
          fmt::format("step_s {:.4f} (median), right: {:.4f} +- {:.4f}", median, should, slack));
    }
  }
}

/// Matches the epochs found with the true ones; those that may or may not be whole can be absent.
void compare_epochs(const Text& text, const Result& found, Way way, Differences& wrong,
                    Differences& missing) {
  const auto& rows = found.rows;
  const bool timeless = way == Way::log && text.stamp_resolution_s == 0;
  std::size_t next = 0;
  std::int64_t shift = 0;
  for (const auto& right : text.epochs) {
    const bool may_be_absent =
        right.maybe || (way == Way::log && right.starts_unseen) || (timeless && !right.stated_s);
    if (next >= rows.epochs.size() ||
        (rows.epochs[next].epoch != right.epoch + shift &&
         !(next == 0 && text.numbers_open &&
           !(right.maybe && rows.epochs.size() < text.epochs.size())))) {
      if (!may_be_absent) {
        wrong.push_back(
            next < rows.epochs.size()
                ? fmt::format("epoch {} comes where epoch {} is right", rows.epochs[next].epoch,
                              right.epoch)
                : fmt::format("{} epochs, right: {}", rows.epochs.size(), text.epochs.size()));
        return;
      }
      continue;
    }
    const auto& row = rows.epochs[next++];
    shift = row.epoch - right.epoch;
    if (std::abs(shift) > 1) {
      wrong.push_back(fmt::format("first epoch {}, right: {}", row.epoch, right.epoch));
      return;
    }
    if (!right.maybe) {
      const bool findable =
          timeless ? right.stated_s.has_value() : right.wall_s > text.stamp_resolution_s;
      if (way == Way::log && findable && !right.starts_unseen && row.wall_s <= 0) {
        missing.push_back(fmt::format("epoch {}: no time", right.epoch));
      } else {
        compare_times(right, row, text, way, wrong);
      }
      if (right.steps && row.iterations != *right.steps && row.iterations != 0) {
        wrong.push_back(fmt::format("epoch {}: {} steps, right: {}", right.epoch, row.iterations,
                                    *right.steps));
      } else if (right.steps && row.iterations == 0) {
        missing.push_back(
            fmt::format("epoch {}: no number of steps, right: {}", right.epoch, *right.steps));
      }
      compare_metrics(right, row.epoch, rows, wrong, missing);
    }
  }
  if (next < rows.epochs.size()) {
    wrong.push_back(fmt::format("{} epochs, right: {}", rows.epochs.size(), text.epochs.size()));
  }
  if (!text.totals.empty() && found.position.epochs &&
      std::ranges::find(text.totals, *found.position.epochs + shift) == text.totals.end() &&
      std::ranges::find(text.totals, *found.position.epochs) == text.totals.end()) {
    wrong.push_back(
        fmt::format("total {}, right: {}", *found.position.epochs, text.totals.front()));
  } else if (text.totals.size() == 1 && !found.position.epochs) {
    missing.push_back("no total number of epochs");
  }
}

struct Verdict {
  Differences wrong, missing;
  bool refused = false;
};

void compare(const Text& text, const Result& found, Way way, Verdict& verdict) {
  if (found.refused()) {
    const bool nothing_to_find =
        text.run_steps
            ? way == Way::log && text.stamp_resolution_s == 0 && !text.run_steps->stated_s
            : std::ranges::all_of(text.epochs, [&](const auto& epoch) {
                return epoch.maybe ||
                       (way == Way::log &&
                        (epoch.starts_unseen || (text.stamp_resolution_s == 0 && !epoch.stated_s)));
              });
    verdict.refused |= !nothing_to_find;
    return;
  }
  Differences wrong;
  text.run_steps ? compare_run_steps(text, found, way, wrong)
                 : compare_epochs(text, found, way, wrong, verdict.missing);
  find_noise(found.rows, wrong);
  for (auto& difference : wrong) {
    verdict.wrong.push_back((way == Way::live ? "live: " : "log: ") + difference);
  }
}

Text text_of(const std::string& format, std::uint64_t seed) {
  Program program(seed);
  texts::all().at(format).write(program);
  program.text.ambiguous |=
      !program.text.run_steps && program.text.epochs.size() < 2;  // too little to go by
  program.choose_numbers();
  auto& text = program.text;
  const auto stamp = [&](double at_s) { return std::floor(at_s / text.stamp_resolution_s + 1e-3); };
  if (text.stamp_resolution_s > 0 && stamp(text.first_stamp_s) == stamp(text.pieces.back().at_s)) {
    text.stamp_resolution_s = 0;  // stamps that are all the same tell no times
  }
  return std::move(text);
}

struct Both {
  Result live, log;
};

Verdict judge(const Text& text, std::uint64_t seed) {
  Verdict verdict;
  const Both both{read_live(text, seed), read_log(text)};
  compare(text, both.live, Way::live, verdict);
  compare(text, both.log, Way::log, verdict);
  if (text.stamp_resolution_s > 0 && both.live.refused() != both.log.refused()) {
    verdict.wrong.push_back(both.live.refused() ? "live refused, the log not"
                                                : "the log refused, live not");
  }
  return verdict;
}

std::string shown(const std::string& bytes, std::size_t most) {
  std::string shown;
  for (const char c : bytes.substr(0, most)) {
    shown += c == '\r' ? "<CR>" : c == '\x1b' ? "<ESC>" : c == '\b' ? "<BS>" : std::string(1, c);
  }
  return shown;
}

void print_result(std::string_view name, const Result& found) {
  fmt::print("--- {}: source {}, {} epochs of {}, {} iterations, note: {}\n", name, found.source,
             found.rows.epochs.size(), found.position.epochs.value_or(-1),
             found.rows.iterations.size(), found.note);
  for (const auto& row : found.rows.epochs) {
    fmt::print("  epoch {} start {:.3f} wall {:.3f} evaluate {:.3f} steps {}", row.epoch,
               row.start_s, row.wall_s, row.evaluate_s, row.iterations);
    for (const auto& metric : found.rows.metrics) {
      if (metric.epoch == row.epoch && metric.iteration == 0) {
        fmt::print(" {}={}", metric.name.view(), metric.value);
      }
    }
    fmt::print("\n");
  }
  if (found.rows.epochs.empty()) {
    for (const auto& row : found.rows.iterations) {
      fmt::print("  step {} of epoch {}: start {:.3f}, {:.4f} s\n", row.index + 1, row.epoch,
                 row.start_s, row.step_s);
    }
  }
}

void print_text(const std::string& format, std::uint64_t seed) {
  const auto text = text_of(format, seed);
  fmt::print("--- {}:{} {} {}\n", format, seed, fmt::join(text.kinds, ", "),
             text.ambiguous ? "(ambiguous)" : "");
  for (const auto& piece : text.pieces) {
    fmt::print("{:12.3f} {} {}{}", piece.at_s, int(piece.stream), shown(piece.bytes, 4000),
               piece.bytes.ends_with('\n') ? "" : "\n");
  }
  fmt::print("--- right\n");
  for (const auto& epoch : text.epochs) {
    fmt::print("  epoch {} wall {:.3f} evaluate {:.3f} slack {:.3f} stated {:.3f} steps {}{}",
               epoch.epoch, epoch.wall_s, epoch.evaluate_s, epoch.slack_s,
               epoch.stated_s.value_or(-1), epoch.steps.value_or(-1),
               epoch.maybe ? " (maybe)" : "");
    for (const auto& metric : epoch.metrics) {
      fmt::print(" {}={}", metric.name, metric.value);
    }
    fmt::print("\n");
  }
  if (text.run_steps) {
    fmt::print("  steps of the run: last {} of {}, {:.4f} s\n", text.run_steps->last,
               text.run_steps->total.value_or(-1), text.run_steps->step_s);
  }
  print_result("live", read_live(text, seed));
  print_result("log", read_log(text));
  const auto verdict = judge(text, seed);
  fmt::print("--- {}wrong:\n  {}\n--- missing:\n  {}\n", verdict.refused ? "refused; " : "",
             fmt::join(verdict.wrong, "\n  "), fmt::join(verdict.missing, "\n  "));
}

std::uint64_t count() {
  const auto* given = std::getenv("EPOCHCAST_TEXTS");
  return given != nullptr                           ? std::strtoull(given, nullptr, 10)
         : std::getenv("EPOCHCAST_LONG") != nullptr ? 10000
#ifdef __SANITIZE_ADDRESS__
                                                    : 40;
#else
                                                    : 200;
#endif
}

/// EPOCHCAST_SHOW=N: of how many bad texts of a format something is printed.
int most_shown() {
  const auto* given = std::getenv("EPOCHCAST_SHOW");
  return given != nullptr ? std::atoi(given) : 5;
}

class TextsFuzz : public testing::TestWithParam<std::string> {};

TEST_P(TextsFuzz, AreReadRightOrRefused) {
  const auto& format = GetParam();
  std::uint64_t right = 0, refused = 0, less = 0, wrong = 0, clear = 0, clear_right = 0;
  const auto texts = count();
  int printed = 0;
  for (std::uint64_t seed = 0; seed < texts; ++seed) {
    const auto text = text_of(format, seed);
    const auto verdict = judge(text, seed);
    const bool good = verdict.wrong.empty() && !verdict.refused && verdict.missing.empty();
    !verdict.wrong.empty() ? ++wrong : verdict.refused ? ++refused : good ? ++right : ++less;
    clear += text.ambiguous ? 0 : 1;
    clear_right += good && !text.ambiguous ? 1 : 0;
    const bool shows =
        verdict.wrong.empty() ? !text.ambiguous && printed++ < most_shown() : wrong <= 20;
    if (!good && shows) {
      fmt::print("{}:{} [{}]{}\n    {}\n", format, seed, fmt::join(text.kinds, ", "),
                 verdict.refused ? " refused" : "",
                 fmt::join(verdict.wrong.empty() ? verdict.missing : verdict.wrong, "\n    "));
      fmt::print("{}\n", shown(bytes_of_log(text), 600));
    }
  }
  fmt::print(
      "TEXTS {:18} {:6} texts: right {:5.1f} %, less {:5.1f} %, refused {:5.1f} %, wrong {:5.1f} % "
      "({})\n",
      format, texts, 100.0 * double(right) / double(texts), 100.0 * double(less) / double(texts),
      100.0 * double(refused) / double(texts), 100.0 * double(wrong) / double(texts), wrong);
  EXPECT_EQ(wrong, 0U);
  const double few = double(texts) < 200 ? 3 : 0;  // a share of a few texts varies
  EXPECT_GE(double(clear_right), 0.95 * double(clear) - few);
}

/// The program runs twice in one output: the numbers begin again.
TEST_P(TextsFuzz, CountedAgainIsCountedOnOrTold) {
  const auto& format = GetParam();
  std::uint64_t counted = 0, told = 0, silent = 0;
  for (std::uint64_t seed = 0; seed < count() / 5; ++seed) {
    auto text = text_of(format, seed);
    const auto once = read_live(text, seed);
    const auto found = once.rows.epochs.size();
    const bool resumed = std::ranges::find(text.kinds, "resumed") != text.kinds.end();
    if (text.ambiguous || resumed || found < 2) {  // what is resumed is left out
      continue;
    }
    const double again_s = text.pieces.back().at_s + 1;
    for (auto piece : std::vector(text.pieces)) {
      piece.at_s += again_s;
      text.pieces.push_back(std::move(piece));
    }
    const auto twice = read_live(text, seed);
    const auto& rows = twice.rows.epochs;
    const bool all = rows.size() + 2 >= 2 * found;  // what is open when it begins again may end
    ++(all ? counted : twice.refused() || !twice.note.empty() ? told : silent);
    if (!all && !twice.refused() && twice.note.empty() && silent <= std::uint64_t(most_shown())) {
      fmt::print("{}:{} twice [{}]: {} epochs for two times {}\n", format, seed,
                 fmt::join(text.kinds, ", "), rows.size(), found);
    }
  }
  fmt::print("TWICE {:18} counted on {}, told {}, silent {}\n", format, counted, told, silent);
  EXPECT_EQ(silent, 0U);
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& [name, spec] : texts::all()) {
    names.push_back(name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Formats, TextsFuzz, testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

TEST(Texts, OneIsPrinted) {
  const auto* which = std::getenv("EPOCHCAST_TEXT");
  if (which == nullptr) {
    GTEST_SKIP() << "EPOCHCAST_TEXT=FORMAT:SEED prints one text";
  }
  const std::string words(which);
  const auto colon = words.find(':');
  print_text(words.substr(0, colon), std::strtoull(words.substr(colon + 1).c_str(), nullptr, 10));
}

}  // namespace
}  // namespace epochcast::progress
