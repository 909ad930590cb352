#include "src/measure/progress/lines/stamp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/line.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

constexpr double round_day_s = 86400;
constexpr double first_of_march_s = 1709251200;  // of the year of dates that state none
constexpr std::size_t longest_lead = 64;

const std::string levels =
    "(?:INFO|WARNING|WARN|DEBUG|ERROR|CRITICAL|TRACE|NOTICE|SUCCESS|FATAL|info|Info|DLL)";

/// What a stamp may be followed by.
bool ends_well(std::string_view rest) {
  return rest.empty() ||
         std::string_view(" \t:][|)-,;>").find(rest.front()) != std::string_view::npos;
}

std::string_view without_separators(std::string_view text) {
  constexpr std::string_view after_stamp = " \t:]),;>";  // "| epoch" is a message
  auto begin = std::min({text.find_first_not_of(after_stamp), text.find(":::"), text.size()});
  if (text.substr(begin).starts_with("- ")) {
    begin = std::min(text.find_first_not_of(' ', begin + 1), text.size());
  }
  return text.substr(begin);
}

/// "train.py", "train.py:33", "train.py[line:33]", "(train.py, line 33)"
const std::string place_of_code =
    R"([\w./]*\.(?:py|cc|cpp|lua|jl)(?![a-z])(?:\W{1,3}(?:line\W{1,2})?\d+\b|:)?)";

/// icefall's "[train.py:874] (0/2) Epoch 1": the rank of how many.
std::string_view without_rank(std::string_view text) {
  static const RegularExpression form(R"(^\((?<rank>\d{1,4})/(?<ranks>\d{1,4})\) (?<message>.*))");
  const auto match = form.find(text);
  const auto rank = match ? parse_integer(match->text("rank")) : std::nullopt;
  return rank && *rank < parse_integer(match->text("ranks")).value_or(0) ? match->text("message")
                                                                         : text;
}

/// "__main__ -   Epoch 1" and "__main__:main:33 - Epoch 1" have the name of a logger before the
/// message, "train.py:33 Epoch 1" a place, "MainThread" a thread; the first of "train: Validation:"
/// is a name too.
std::string_view without_logger(std::string_view text) {
  static const RegularExpression form(
      R"(^(?:\w*Thread[\w-]* +)?(?:[[({]?)" + place_of_code +
      R"([])}:]*(?: - [\w]+ - \d+)?(?= |$) *(?:- +)?)*)"
      R"((?:[\w.:]+ - +|[\w.]+: (?=(?i:train|val|test|eval|dev)[a-z]*:))?(?<message>.*))");
  const auto match = form.find(text);
  const auto message = match ? (*match)["message"].value_or(text) : text;
  return message.data() != text.data() ? without_rank(message) : text;
}

/// The message after the stamp: without the level, the logger's name before it, and separators.
std::string_view text_after_stamp(std::string_view rest) {
  // A level stands before any number, and before words of a message; "train.py", "train:33" and
  // "train - " are names of loggers.
  static const RegularExpression level(
      R"(^(?<before>(?:)" + place_of_code +
      R"(|(?!(?<=[ \[(:])\d)(?!(?<![A-Za-z_])(?i:epoch|step|iter|train|val)(?![A-Za-z]|:\d|:? ?[-|\])])).){0,63}?))"
      R"((?<![A-Za-z_]))" +
      levels + R"((?=$|[] \t:[|)\-,;])(?<after>.*))");
  if (const auto match = level.find(rest)) {
    auto text = without_separators(match->text("after"));
    const bool by_bars = match->text("before").find('|') != std::string_view::npos;
    if (by_bars && text.starts_with('|')) {  // "| INFO | | epoch": the second is the message's
      text = without_separators(text.substr(1));
    }
    return without_logger(text);
  }
  // glog's thread and place: "12345 train.py:27] "
  static const RegularExpression place(
      R"(^ +(?:\d+ [^][]{0,60}\.[^][]*|[\w./]+\.[a-z]+:\d+)\] (?<message>.*))");
  if (const auto match = place.find(rest)) {
    return match->text("message");
  }
  // syslog's host and process: "node7 train.sh[2911]: "
  static const RegularExpression process(R"(^ +[\w.-]+ [\w./-]+\[\d+\]: ?(?<message>.*))");
  if (const auto match = process.find(rest)) {
    return match->text("message");
  }
  return without_separators(rest);
}

/// MLPerf's events are stamped inside.
std::optional<Stamp> event_stamp(std::string_view line) {
  static const RegularExpression form(R"(:::MLLOG.*?"time_ms": *(?<time_ms>\d{1,15}))");
  const bool may_be = line.find(":::MLLOG") != std::string_view::npos;
  const auto match = may_be ? form.find(line) : std::nullopt;
  const auto time_ms = match ? count_in(*match, "time_ms") : std::nullopt;
  return time_ms ? std::optional(Stamp{.kind = StampKind::event,
                                       .size = 0,
                                       .seconds = static_cast<double>(*time_ms) / 1000})
                 : std::nullopt;
}

/// Whether the label is a rank with its mark: "[rank1]:", "0:".
bool is_rank_label(std::string_view label) {
  return is_rank(label) && label.find_first_of("]:") != std::string_view::npos;
}

/// Whether the label is nothing but a level or a rank.
bool is_level_or_rank(std::string_view text) {
  static const RegularExpression level(R"(^[ [(|]*)" + levels + R"([] )|:-]*$)");
  return is_rank_label(text) || level.find(text);
}

/// Whether the label is one that a time of the day alone may come after: none, a level, a rank.
bool precedes_time_of_day(std::string_view text) {
  return text.empty() || is_level_or_rank(text);
}

/// The time that is written at the front, after a label.
std::optional<WrittenTime> take_time(std::string_view text, std::string_view label, bool bracket) {
  const bool beginning = label.empty() || is_rank_label(label);
  auto time = take_date(text);
  if (!time && beginning) {
    time = take_unix_time(text);
  }
  if (!time && precedes_time_of_day(label)) {
    time = take_time_of_day(text);
  }
  if (!time && label.empty()) {
    time = take_notebook_time(text);
  }
  return !time && bracket && beginning ? take_uptime(text) : time;
}

/// A stamp that begins at `at` of the line, which may be after a label.
std::optional<Stamp> stamp_at(std::string_view line, std::size_t at, std::string_view label) {
  const bool bracket = line.substr(at).starts_with('[') || line.substr(at).starts_with('(');
  const auto text = line.substr(at + (bracket ? 1 : 0));
  const auto time = take_time(text, label, bracket);
  if (!time || !ends_well(text.substr(time->size))) {
    return std::nullopt;
  }
  auto rest = text.substr(time->size);
  if (bracket) {  // "[11/24 22:01:09 lib.events]: "
    const auto close = rest.find_first_of("])");
    if (close == std::string_view::npos || close > longest_lead) {
      return std::nullopt;
    }
    const auto inside = rest.substr(0, close);
    rest =
        inside.find_first_of("0123456789<") == std::string_view::npos ? rest.substr(close) : rest;
    if (inside.starts_with("<") || inside.find("it/s") != std::string_view::npos ||
        inside.find("s/it") != std::string_view::npos) {
      return std::nullopt;  // the times of a bar
    }
  }
  if (time->kind == StampKind::time_of_day && rest.starts_with("-") && !rest.starts_with("- ")) {
    return std::nullopt;
  }
  // "scoring (10:20:30)": the label is the message.
  const bool ends = has_letter(label) && !is_level_or_rank(label) &&
                    rest.find_first_not_of(" \t\r)]>.") == std::string_view::npos;
  return Stamp{.kind = time->kind,
               .size = ends ? 0 : line.size() - text_after_stamp(rest).size(),
               .seconds = time->seconds,
               .in_order = time->in_order,
               .coarse = time->coarse};
}

/// Whether a text before a stamp is a label: a level, a host, a rank.
bool is_label(std::string_view text) {
  static const RegularExpression other(
      R"((?i)^(?!.*<std).*[%="{}<>#*]|epoch|step|iter|eta|time|elapsed|remain|took|durat|left|loss)"
      R"(|batch|since|date|until|at |finish|total)");
  const bool cell = trim(text).find_first_not_of("0123456789") == std::string_view::npos;
  return !cell && !other.find(text);
}

double seconds_of(const Stamp& stamp, const DateReading& dates) {
  const double stated_s =
      stamp.in_order.at(static_cast<std::size_t>(dates.order)).value_or(stamp.seconds);
  const bool late = stamp.kind == StampKind::day_of_year && stated_s >= first_of_march_s;
  return stated_s - (late && !dates.leap_year ? round_day_s : 0);
}

/// The date near the begin of a line, as it is written, "11/12/2026"; empty: none.
std::string_view date_words(std::string_view line) {
  const auto is_part = [&](std::size_t at) {
    const char c = line[at];
    return is_digit(c) || c == '/' || c == '-' || c == '.';
  };
  const auto last = std::min(line.size(), longest_lead);
  for (std::size_t at = 1; at + 1 < last; ++at) {
    if (is_part(at) && !is_digit(line[at]) && is_digit(line[at - 1]) && is_digit(line[at + 1])) {
      auto begin = at, end = at;
      while (begin > 0 && is_part(begin - 1)) {
        --begin;
      }
      while (end < last && is_part(end)) {
        ++end;
      }
      if (line.substr(end, 5).find(':') != std::string_view::npos) {  // a time of day follows
        return line.substr(begin, end - begin);
      }
      at = end;
    }
  }
  return {};
}

/// The days of a log's stamps in their sequence, read in one order.
class OrderedDays {
 public:
  explicit OrderedDays(DateOrder order) : order_(order) {}

  DateOrder order() const { return order_; }
  void add(const Stamp& stamp) {
    const auto is_date = [](const auto& seconds) { return seconds.has_value(); };
    const bool possible = is_date(stamp.in_order.at(static_cast<std::size_t>(order_))) ||
                          std::ranges::none_of(stamp.in_order, is_date);
    const double day = std::floor(seconds_of(stamp, {.order = order_}) / round_day_s);
    const auto [last, first] = last_.try_emplace(stamp.kind, day);
    const bool new_year = stamp.kind == StampKind::day_of_year && day < last->second - 183;
    if (!first && !new_year) {
      steps_.push_back(day - last->second);
    }
    last->second = day;
    impossible_ += possible ? 0 : 1;
  }
  /// How many are no dates; how often time goes back, or weeks pass at once.
  std::pair<std::int64_t, std::int64_t> doubts() const {
    constexpr double longest_days = 14;
    return {impossible_, std::ranges::count_if(
                             steps_, [](double days) { return days < 0 || days > longest_days; })};
  }
  const std::vector<double>& steps() const { return steps_; }

 private:
  DateOrder order_;
  std::map<StampKind, double> last_;
  std::vector<double> steps_;
  std::int64_t impossible_ = 0;
};

}  // namespace

Stamp take_stamp(std::string_view line) {
  if (!may_hold_time(line.substr(0, 2 * longest_lead))) {
    return event_stamp(line).value_or(Stamp{});
  }
  const auto begin = std::min(line.find_first_not_of(" \t|<"), line.size());
  if (const auto stamp = stamp_at(line, begin, {})) {
    return *stamp;
  }
  for (auto at = begin + 1; at < std::min(line.size(), longest_lead); ++at) {
    const bool starts = (is_digit(line[at]) || line[at] == '[' || is_letter(line[at])) &&
                        std::string_view(" \t[:]|-(>").find(line[at - 1]) != std::string_view::npos;
    if (!starts) {
      continue;
    }
    const auto label = line.substr(begin, at - begin);
    if (!is_label(label)) {
      break;
    }
    if (const auto stamp = stamp_at(line, at, label)) {
      return *stamp;
    }
  }
  return event_stamp(line).value_or(Stamp{});
}

bool is_bare(const Stamp& stamp, std::string_view line) {
  const auto text = trim(line);
  const auto date = stamp.kind == StampKind::none || stamp.size + 2 < line.size() ? std::nullopt
                                                                                  : take_date(text);
  return date && date->size == text.size();
}

bool looks_stamped(std::string_view line) {
  const auto lead = line.substr(0, longest_lead);
  for (std::size_t at = 1; at + 2 < lead.size(); ++at) {
    const bool minutes = is_digit(lead[at - 1]) && (lead[at] == ':' || lead[at] == 'h') &&
                         is_digit(lead[at + 1]) && is_digit(lead[at + 2]);
    auto begin = at - 1;
    while (begin > 0 && is_digit(lead[begin - 1])) {
      --begin;
    }
    const auto before = lead.substr(0, begin);
    const bool named =
        before.ends_with(": ") || (begin > 0 && (is_letter(before.back()) || before.back() == ':'));
    if (minutes && !named) {  // not "eta: 4:43:31", "loss1:232"
      return true;
    }
  }
  return false;
}

std::vector<DateOrder> date_orders(std::string_view text) {
  std::array orders{OrderedDays(DateOrder::month_first), OrderedDays(DateOrder::day_first),
                    OrderedDays(DateOrder::year_first)};
  std::string_view last;
  while (!text.empty()) {
    const auto line = take_line(text);
    const auto date = date_words(line);
    if (date.empty() || date == last) {
      continue;  // the same day: nothing new
    }
    last = date;
    const auto stamp = take_stamp(line);
    if (stamp.kind == StampKind::date || stamp.kind == StampKind::day_of_year) {
      std::ranges::for_each(orders, [&](auto& order) { order.add(stamp); });
    }
  }
  const auto least = std::ranges::min(orders, {}, &OrderedDays::doubts);
  std::vector<DateOrder> found{least.order()};
  for (const auto& order : orders) {
    if (order.doubts() == least.doubts() && order.steps() != least.steps()) {
      found.push_back(order.order());
    }
  }
  return found;
}

std::vector<bool> leap_years(std::string_view text) {
  bool before_march = false;
  while (!text.empty()) {
    const auto stamp = take_stamp(take_line(text));
    if (stamp.kind == StampKind::none) {
      continue;
    }
    const double until_march_s = first_of_march_s - stamp.seconds;
    const bool leap_day = until_march_s > 0 && until_march_s <= round_day_s;
    if (before_march && until_march_s <= 0) {
      return {false, true};
    }
    before_march = stamp.kind == StampKind::day_of_year && until_march_s > 0 && !leap_day;
    if (!before_march) {
      break;
    }
  }
  return {true};
}

std::optional<double> StampClock::time_s(const Stamp& stamp) {
  if (stamp.kind == StampKind::none) {
    return std::nullopt;
  }
  const double stated_s = seconds_of(stamp, dates_);
  const auto [found, first] = clocks_.try_emplace(stamp.kind);
  auto& clock = found->second;
  if (first) {
    clock = {.origin_s = stated_s - now_s_, .last_s = stated_s, .rounds_s = 0};
  }
  const double round_s = stamp.kind == StampKind::time_of_day ? round_day_s
                         : stamp.kind == StampKind::day_of_year
                             ? (dates_.leap_year ? 366 : 365) * round_day_s
                             : 0;
  // Of processes that print into one log, none is hours late.
  constexpr double latest_s = 5400;
  const double back_s = stamp.kind == StampKind::time_of_day ? latest_s : round_s / 2;
  double time_s = stated_s + clock.rounds_s;
  if (round_s > 0 && time_s < clock.last_s - back_s) {
    clock.rounds_s += round_s;
    time_s += round_s;
  }
  clock.last_s = time_s;
  now_s_ = std::max(0.0, time_s - clock.origin_s);
  return now_s_;
}

}  // namespace epochcast::progress
