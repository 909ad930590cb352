#include "src/measure/progress/recognizer/whole_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/core/lists.hpp"
#include "src/base/core/statistics.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/counted_lines.hpp"
#include "src/measure/progress/lines/inner_stamps.hpp"
#include "src/measure/progress/lines/plain_text.hpp"
#include "src/measure/progress/lines/stamp.hpp"
#include "src/measure/progress/reading/format.hpp"
#include "src/measure/progress/recognizer/stated_times.hpp"

namespace epochcast::progress {
namespace {

/// What the stamps are that lines begin with.
struct LogStamps {
  TimesFrom times = TimesFrom::nothing;
  bool coarse = false;     ///< They state no seconds.
  bool skip_bare = false;  ///< Interpretation::skip_bare_stamps
  /// All stamps stand on lines of their own, and the last line is none: lines come after theirs.
  bool come_first = false;
};

/// Stamps if at least two lines begin with them, not all the same; else nothing.
LogStamps log_stamps(std::string_view text, const DateReading& dates) {
  StampClock all(dates), of_messages(dates);
  LogStamps found;
  bool ends_with_stamp = false;
  while (!text.empty() && !found.skip_bare) {
    const auto line = take_line(text);
    const auto stamp = take_stamp(line);
    ends_with_stamp = trim(line).empty() ? ends_with_stamp : is_bare(stamp, line);
    found.coarse = found.coarse || stamp.coarse;
    if (all.time_s(stamp).value_or(0) > 0) {
      found.times = TimesFrom::stamps;
    }
    found.skip_bare = !is_bare(stamp, line) && of_messages.time_s(stamp).value_or(0) > 0;
  }
  found.come_first = found.times == TimesFrom::stamps && !found.skip_bare && !ends_with_stamp;
  return found;
}

/// The log as one way to take its times gives it.
struct Trial {
  WholeLog log;
  bool unstamped = false;  ///< Recognizer::has_unstamped().
  std::vector<Silence> silences = {};
  std::vector<NewStart> new_starts = {};
};

Trial read(std::string_view text, RecognizerOptions options, TimesFrom times) {
  options.meaning.times_from = times;
  Recognizer recognizer(options);
  recognizer.read(Stream::out, text, 0);
  recognizer.finish(0);
  return {.log = {.times = times,
                  .rows = recognizer.take(),
                  .source = recognizer.source(),
                  .note = recognizer.note(),
                  .position = recognizer.position(),
                  .lost_s = recognizer.lost_s(),
                  .begin_s = recognizer.begin_s()},
          .unstamped = recognizer.has_unstamped(),
          .silences = recognizer.silences(),
          .new_starts = recognizer.new_starts()};
}

/// Epochs and steps with a known time.
std::size_t timed(const Rows& rows) {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows.epochs, [](const auto& epoch) { return epoch.wall_s > 0; }) +
      std::ranges::count_if(rows.iterations, [](const auto& step) { return step.step_s > 0; }));
}

bool all_timed(const Rows& rows) {
  const auto all = rows.epochs.size() + rows.iterations.size();
  return all > 0 && timed(rows) == all;
}

/// The time from the begin of the first to the end of the last.
double shown_s(const Rows& rows) {
  double shown_s = 0;
  if (!rows.iterations.empty()) {
    const auto& last = rows.iterations.back();
    shown_s = last.start_s + last.step_s - rows.iterations.front().start_s;
  }
  for (const auto& epoch : rows.epochs) {
    shown_s = std::max(shown_s, epoch.start_s + epoch.wall_s - rows.epochs.front().start_s);
  }
  return shown_s;
}

/// Whether the stamps show far more time than the durations that are stated: those are of another
/// unit than they seem, or of something else.
bool contradicts(const Rows& stamped, const Rows& stated) {
  constexpr double far = 10;
  const auto epoch_s = [](const Rows& rows) {
    return shown_s(rows) / static_cast<double>(std::max<std::size_t>(1, rows.epochs.size()));
  };
  return epoch_s(stamped) > far * epoch_s(stated);
}

/// Of stamps that state no seconds: no time that they do not tell well.
void forget_short_times(Rows& rows) {
  constexpr double shortest_s = 600;
  for (auto& epoch : rows.epochs) {
    epoch.wall_s = epoch.wall_s < shortest_s ? 0 : epoch.wall_s;
  }
  std::erase_if(rows.iterations, [](const auto& step) { return step.step_s < shortest_s; });
}

void forget_times(Rows& rows) {
  for (auto& epoch : rows.epochs) {
    epoch.wall_s = epoch.evaluate_s = 0;
  }
  rows.iterations.clear();
  std::erase_if(rows.spans, [](const auto& span) { return span.epoch >= 0; });
}

double total_s(const record::Epoch& epoch) {
  return epoch.wall_s + epoch.evaluate_s;
}

/// How far the epochs are from alike: the mean distance from their median, in medians. 0 of fewer
/// than three, which show no regularity.
double irregularity(const WholeLog& log) {
  if (log.rows.epochs.size() < 3) {
    return 0;
  }
  const auto times_s = mapped(log.rows.epochs, total_s);
  const auto middle_s = summarize(times_s)->median;
  const auto sum_s =
      summed(times_s, [&](const double time_s) { return std::abs(time_s - middle_s); });
  return sum_s / static_cast<double>(times_s.size()) / std::max(middle_s, 1e-9);
}

void add_note(WholeLog& log, const std::string& note) {
  log.note += (log.note.empty() ? "" : "; ") + note;
}

/// Of the log under two interpretations, the one in which it is clearly more regular; else times
/// that differ are not known.
WholeLog settled(WholeLog one, WholeLog other, std::string_view question) {
  constexpr double alike = 0.002;
  constexpr double clearly = 2;
  auto& epochs = one.rows.epochs;
  if (epochs.size() != other.rows.epochs.size()) {
    return one;
  }
  const double one_by = irregularity(one);
  const double other_by = irregularity(other);
  if (other_by * clearly < one_by) {
    return other;
  }
  if (one_by * clearly < other_by) {
    return one;
  }
  std::string first;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const double one_s = total_s(epochs[i]), other_s = total_s(other.rows.epochs[i]);
    if (std::abs(one_s - other_s) > alike * one_s) {
      epochs[i].wall_s = 0;
      first = first.empty() ? fmt::format("epoch {} took {:.5g} or {:.5g} s", epochs[i].epoch + 1,
                                          one_s, other_s)
                            : first;
    }
  }
  if (!first.empty()) {
    add_note(one, fmt::format("{}: nothing in the log decides ({}), so such times are not taken",
                              question, first));
  }
  return one;
}

bool has_clock(const std::string& format) {
  const auto found = formats::all().find(format);
  return found != formats::all().end() && found->second.states_clock;
}

/// When attempts seem to have begun that no line speaks of.
struct UnspokenAttempts {
  std::vector<double> sure_s;
  std::vector<double> likely_s;  ///< If the epochs are then clearly more alike.

  std::vector<double> all_s() const {
    auto all_s = sure_s;
    all_s.insert(all_s.end(), likely_s.begin(), likely_s.end());
    std::ranges::sort(all_s);
    return all_s;
  }
};

/// Nothing was printed for ten times as long as an epoch takes (or likely: four times), and as is
/// usual between lines, and the line after that is none of an epoch or an evaluation. Or what the
/// program printed before its first epoch came again, and seldom.
UnspokenAttempts unspoken_attempts(const Trial& trial) {
  constexpr double times = 10, likely_times = 4;
  UnspokenAttempts found;
  const auto epochs_s = known_values(trial.log.rows.epochs, [](const auto& epoch) {
    return epoch.wall_s > 0 ? std::optional(total_s(epoch)) : std::nullopt;
  });
  const auto most_starts = std::max<std::size_t>(2, trial.log.rows.epochs.size() / 4);
  if (trial.new_starts.size() <= most_starts) {
    for (const auto& start : trial.new_starts) {
      (start.sure ? found.sure_s : found.likely_s).push_back(start.at_s);
    }
  }
  constexpr std::size_t some = 3;
  const auto silences_s =
      mapped(trial.silences, [](const auto& silence) { return silence.until_s - silence.from_s; });
  const double between_s = silences_s.size() < some ? 0 : summarize(silences_s)->median;
  const double usual_s = epochs_s.size() < some ? std::numeric_limits<double>::infinity()
                                                : std::max(summarize(epochs_s)->median, between_s);
  for (const auto& silence : trial.silences) {
    const double silence_s = silence.until_s - silence.from_s;
    if (!silence.ends_with_progress && silence_s > likely_times * usual_s) {
      (silence_s > times * usual_s ? found.sure_s : found.likely_s).push_back(silence.until_s);
    }
  }
  std::ranges::sort(found.sure_s);
  return found;
}

/// The log with the attempts that no line speaks of, if its epochs are then more alike. They take
/// no epochs away: where these are counted anew, they are of another fold.
Trial with_attempts(std::string_view text, RecognizerOptions& options, Trial plain) {
  const auto attempts = unspoken_attempts(plain);
  const auto try_with = [&](const std::vector<double>& at_s, double clearly) {
    auto with = options;
    with.meaning.attempts_at_s = at_s;
    auto trial = read(text, with, plain.log.times);
    const auto before = plain.log.rows.epochs.size(), after = trial.log.rows.epochs.size();
    const bool alike = irregularity(trial.log) * clearly < irregularity(plain.log);
    if (after > before || (after == before && alike)) {
      options = with;
      plain = std::move(trial);
    }
  };
  if (!attempts.sure_s.empty()) {
    try_with(attempts.sure_s, 1.1);
  }
  if (!attempts.likely_s.empty()) {
    try_with(attempts.all_s(), 2);
  }
  return plain;
}

/// With the order of dates and the format of numbers of the options.
WholeLog read_in_order(std::string_view text, const RecognizerOptions& options) {
  const bool told = options.pattern.empty() && has_clock(options.format);
  const auto [times, coarse, skip_bare, come_first] =
      told ? LogStamps{} : log_stamps(text, options.meaning.dates);
  std::optional<WholeLog> stated;
  const auto read_stated = [&]() -> WholeLog& {
    return stated ? *stated : stated.emplace(read(text, options, TimesFrom::nothing).log);
  };
  auto under = options;
  under.meaning.skip_bare_stamps = skip_bare;
  under.meaning.unstamped = come_first ? UnstampedLines::early : UnstampedLines::late;
  auto found = read(text, under, times);
  if (coarse && all_timed(read_stated().rows) && !contradicts(found.log.rows, stated->rows)) {
    return std::move(*stated);
  }
  if (times == TimesFrom::stamps && has_clock(found.log.source)) {
    return read(text, under, TimesFrom::nothing).log;
  }
  found = with_attempts(text, under, std::move(found));
  if (found.unstamped && !come_first) {
    auto early = under;
    early.meaning.unstamped = UnstampedLines::early;
    found.log = settled(std::move(found.log), read(text, early, times).log,
                        "lines without a stamp may have come with the stamp before or after them");
  }
  auto& rows = found.log.rows;
  if (coarse) {
    forget_short_times(rows);
  }
  if (times == TimesFrom::stamps && timed(rows) * 2 < rows.epochs.size() + rows.iterations.size()) {
    // Stamps of an earlier part of the log; or steps that are shorter than the stamps tell.
    constexpr double clearly = 2;
    const auto& other = read_stated().rows;
    if (timed(other) > timed(rows) &&
        (rows.iterations.empty() || shown_s(other) > clearly * shown_s(rows))) {
      return std::move(*stated);
    }
  }
  return found.log;
}

/// Where nothing decides the order of day and month, it must not matter.
WholeLog read_in_orders(std::string_view text, RecognizerOptions options,
                        const std::vector<DateOrder>& orders) {
  std::optional<WholeLog> found;
  for (const auto order : orders) {
    options.meaning.dates.order = order;
    auto next = read_in_order(text, options);
    if (found && mapped(found->rows.epochs, total_s) != mapped(next.rows.epochs, total_s)) {
      auto stated = read(text, options, TimesFrom::nothing).log;
      add_note(stated,
               "the dates of the log may have the day or the month first: nothing in it decides, "
               "and the epochs differ, so its stamps are not used");
      return stated;
    }
    found = found ? std::move(found) : std::move(next);
  }
  return std::move(*found);
}

/// In the year, a leap year or none, in which the epochs are more alike.
WholeLog read_in_years(std::string_view text, RecognizerOptions options) {
  const auto orders = date_orders(text);
  std::optional<WholeLog> found;
  for (const bool leap_year : leap_years(text)) {
    options.meaning.dates.leap_year = leap_year;
    auto next = read_in_orders(text, options, orders);
    found =
        found ? settled(std::move(*found), std::move(next), "the log may be of a leap year or not")
              : std::move(next);
  }
  return std::move(*found);
}

}  // namespace

WholeLog read_whole_log(std::string_view text, const RecognizerOptions& given) {
  const bool automatic = given.pattern.empty() && given.format == "auto";
  const auto plain = given.pattern.empty() ? plain_text(text) : std::nullopt;
  text = plain ? *plain : text;
  auto options = given;
  NumberEvidence numbers;
  options.meaning.numbers = number_format_of(text, numbers);
  const auto moved = options.pattern.empty() ? stamps_first(text) : std::nullopt;
  text = moved ? *moved : text;
  const auto named = automatic ? with_epochs_named(text) : std::nullopt;
  text = named ? *named : text;
  auto found = moved ? read(text, options, TimesFrom::nothing).log : WholeLog{};
  if (!all_timed(found.rows)) {
    found = read_in_years(text, options);
  }
  if (automatic && found.times == TimesFrom::nothing && !found.rows.epochs.empty() &&
      timed(found.rows) == 0 && found.source != "plain") {
    // A copy of a known program states its times in words of its own.
    auto as_plain = options;
    as_plain.format = "plain";
    auto other = read_in_years(text, as_plain);
    const bool known =
        std::ranges::all_of(other.rows.epochs, [](const auto& epoch) { return epoch.wall_s > 0; });
    if (known && !other.rows.epochs.empty() && other.note.empty()) {
      found = std::move(other);
    }
  }
  const auto contradicted_by = [&](const std::string& what) {
    if (!what.empty()) {
      forget_times(found.rows);
      add_note(found, what);
    }
  };
  if (found.times == TimesFrom::nothing) {
    contradicted_by(total_contradicts(text, found.rows, *options.meaning.numbers));
  } else if (found.times == TimesFrom::stamps) {
    contradicted_by(span_contradicts(found.rows));
  }
  if (found.source == "plain" || found.source == "pattern") {
    contradicted_by(rate_contradicts(text, found.rows, found.position.epochs));
  }
  if (options.meaning.numbers == NumberFormat::undecided && !numbers.open_number().empty() &&
      (timed(found.rows) == 0 || numbers.open_in_epoch())) {
    add_note(found, two_readings(numbers.open_number()));
  }
  return found;
}

}  // namespace epochcast::progress
