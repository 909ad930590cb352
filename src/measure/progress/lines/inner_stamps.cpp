#include "src/measure/progress/lines/inner_stamps.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/line.hpp"
#include "src/measure/progress/lines/stamp.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

constexpr double round_s = 86400;

/// A time in a line, and what stands before it.
struct InnerTime {
  WrittenTime time;
  std::size_t begin = 0;
  std::string name;       ///< The word before it.
  bool forecast = false;  ///< The words before it say that it is another time than the line's.
  char mark = ' ';        ///< The last character before it, if that is none of a name.
  bool at_end = false;    ///< Nothing but brackets follows.
};

bool is_of_progress(std::string_view line) {
  static const RegularExpression form(
      R"((?i)(?<![a-z])(?:epoch|step|iter|iteration|batch)[a-z]*[ :=#\t'"\[(]*\d)"
      R"(|(?<![a-z])(?:epoch|train|valid|eval|test)[a-z]* (?:start|beg[iau]n|end|finish|complet|done|stop)[a-z]*(?: (?:at|on))?:? \d)");
  return form.find(line).has_value();
}

/// Where the next time may stand; npos: nowhere.
std::size_t next_place(std::string_view line, std::size_t from) {
  static const RegularExpression form(
      R"((?<![\w.<-])(?<!\d:)(?<time>\d{4}[-/.年년]\d|\d\d?[-/.]\d\d?[-/.]\d|\d{8}[-T_ :]\d|\d\d?[-/. ]+\p{L}{2})"
      R"(|\p{L}{3,}\.?,?[ ]+\d\d?[ ,]|\d\d:\d\d:\d\d(?![\d:]| ?<)|1\d{9}(?:\d{3})?(?!\d)))");
  const auto match = form.find(line, from);
  return match ? std::size_t(match->text("time").data() - line.data()) : std::string_view::npos;
}

void take_names(std::string_view line, InnerTime& inner) {
  static const RegularExpression forecast(
      R"((?i)(?<![a-z])(?:eta|until|expected|estimated|next|finish|finishes|due|deadline|since|best)(?![a-z]))");
  const auto lead = line.substr(0, inner.begin);
  const auto words = lead.substr(lead.find_last_of("0123456789,;|])}") + 1);
  inner.forecast = forecast.find(words).has_value();
  const auto mark = lead.find_last_not_of(' ');
  inner.mark = mark == std::string_view::npos ||
                       std::string_view("|@[(<;").find(lead[mark]) == std::string_view::npos
                   ? ' '
                   : lead[mark];
  auto end = words.find_last_not_of(" \t\"':=([{@|-") + 1;
  auto begin = end;
  while (begin > 0 && (is_letter(words[begin - 1]) || words[begin - 1] == '_')) {
    --begin;
  }
  inner.name = to_lower(words.substr(begin, end - begin));
}

/// "2026-11-24" without a clock: no value, and no stamp.
std::optional<WrittenTime> take_day(std::string_view text) {
  static const RegularExpression form(R"(^\d{4}-[01]\d-[0-3]\d(?![\w.-]))");
  return form.find(text) ? std::optional(WrittenTime{.size = std::size("2026-11-24") - 1})
                         : std::nullopt;
}

/// "Mon " before "Mar  3 13:39:35".
std::size_t weekday_size(std::string_view before) {
  static const RegularExpression form(
      R"(^.*(?<![A-Za-z])(?<day>(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +)$)");
  const auto match =
      form.find(before.substr(before.size() - std::min<std::size_t>(before.size(), 12)));
  return match ? match->text("day").size() : 0;
}

std::vector<InnerTime> times_in(std::string_view line) {
  std::vector<InnerTime> found;
  for (auto at = next_place(line, 0); at != std::string_view::npos;) {
    const auto rest = line.substr(at);
    auto time = take_date(rest);
    time = time ? time : take_time_of_day(rest);
    time = time ? time : take_unix_time(rest);
    time = time ? time : take_day(rest);
    if (time) {
      const auto weekday = weekday_size(line.substr(0, at));
      InnerTime inner{.time = *time, .begin = at - weekday};
      inner.time.size += weekday;
      take_names(line, inner);
      inner.at_end = line.substr(inner.begin + inner.time.size).find_first_not_of(" ])}>.\"'") ==
                     std::string_view::npos;
      found.push_back(std::move(inner));
    }
    at = next_place(line, at + (time ? time->size : 1));
  }
  return found;
}

bool is_date(const InnerTime& inner) {
  return inner.time.kind != StampKind::time_of_day && inner.time.kind != StampKind::seconds;
}

/// Whether the name says that a clock time is a duration, or that a large number is none of a
/// clock.
bool has_other_name(const InnerTime& inner) {
  static const RegularExpression duration(
      R"(^(?:took|takes|in|for|after|elapsed|duration|left|remain\w*|total|cost|spent|used|run\w*)"
      R"(|\w+time|wall|cpu|gpu|per|avg|mean|average)$)");
  static const RegularExpression clock(
      R"(^(?:|at|t|ts|date|unix|clock|when|now|created|\w*time\w*|\w*stamp|\w*_ts|end|start|begin)$)");
  return inner.time.kind == StampKind::time_of_day ? duration.find(inner.name).has_value()
         : inner.time.kind == StampKind::seconds   ? !clock.find(inner.name)
                                                   : inner.time.kind == StampKind::none;
}

enum class TimeMeaning { other, unclear, stamp };

TimeMeaning meaning_of_dates(const std::vector<InnerTime>& series) {
  const auto seconds = [](const InnerTime& inner) { return inner.time.seconds; };
  const bool ordered = series.front().time.in_order != ByOrder{} ||  // date_orders() decides
                       std::ranges::is_sorted(series, {}, seconds);
  const bool one = series.size() > 1 && seconds(series.front()) == seconds(series.back());
  return ordered && !one ? TimeMeaning::stamp : TimeMeaning::other;
}

/// Durations that are alike may go up by chance, or grow: then the steps between them are no
/// steadier than they are small.
TimeMeaning meaning_of_clocks(const std::vector<InnerTime>& series) {
  constexpr double alike = 4, most_alike = 0.8, clearly = 2, late_s = 6 * 3600.0;
  constexpr std::size_t some = 3, many = 6;
  const auto& name = series.front().name;
  std::vector<double> steps_s;
  bool midnight = false;
  for (std::size_t i = 1; i < series.size(); ++i) {
    double step_s = series[i].time.seconds - series[i - 1].time.seconds;
    midnight = midnight || step_s < -round_s / 2;
    step_s += step_s < -round_s / 2 ? round_s : 0;
    if (step_s < 0) {
      return TimeMeaning::other;
    }
    if (step_s > 0) {
      steps_s.push_back(step_s);
    }
  }
  if (steps_s.empty()) {
    return TimeMeaning::other;
  }
  std::ranges::sort(steps_s);
  const double usual_s = steps_s[steps_s.size() / 2];
  const double first_s = series.front().time.seconds;
  if (!midnight && first_s < clearly * usual_s) {
    return TimeMeaning::other;  // the time since the start
  }
  const auto like_others = std::ranges::count_if(
      steps_s, [&](double s) { return s < alike * usual_s && s > usual_s / alike; });
  const bool steady =
      static_cast<double>(like_others) >= most_alike * static_cast<double>(steps_s.size());
  const bool told = name == "at" || first_s >= late_s || midnight || steps_s.size() >= many;
  if (steady && steps_s.size() >= some && told) {
    return TimeMeaning::stamp;
  }
  return name == "time" ? TimeMeaning::other : TimeMeaning::unclear;
}

using SeriesKey = std::tuple<StampKind, std::string>;

SeriesKey key_of(const InnerTime& inner) {
  return {inner.time.kind, inner.name};
}

struct LineWithTimes {
  std::string_view text;
  std::vector<InnerTime> times;
  bool progress = false;
};

/// What the times in the lines of a log mean, by what stands before them.
class TimeMeanings {
 public:
  explicit TimeMeanings(const std::vector<LineWithTimes>& lines) {
    std::map<SeriesKey, std::vector<InnerTime>> all;
    const InnerTime* before = nullptr;  // the progress
    for (const auto& line : lines) {
      for (const auto& inner : line.times) {
        if (inner.forecast || has_other_name(inner)) {
          continue;
        }
        if (line.progress) {
          all[key_of(inner)].push_back(inner);
        } else if (all.empty() && inner.time.kind == StampKind::time_of_day) {
          before = &inner;
        }
      }
    }
    for (auto& [key, series] : all) {
      const bool clocks = series.front().time.kind == StampKind::time_of_day;
      meanings_[key] = clocks ? meaning_of_clocks(series) : meaning_of_dates(series);
      if (clocks && before != nullptr && meanings_[key] != TimeMeaning::stamp) {
        series.insert(series.begin(), *before);
        meanings_[key] = std::max(meanings_[key], meaning_of_clocks(series));
      }
      at_end_ = at_end_ || std::ranges::all_of(series, &InnerTime::at_end);
      marks_.insert(series.front().mark);
      any_ = any_ || meanings_[key] != TimeMeaning::other;
    }
  }
  bool any() const { return any_; }
  TimeMeaning of(const InnerTime& inner) const {
    const auto found = inner.forecast ? meanings_.end() : meanings_.find(key_of(inner));
    return found == meanings_.end() ? TimeMeaning::other : found->second;
  }
  /// The stamp of a line: the latest of one kind, a date before a clock time. Of a line about
  /// something else, the one that stands where those of the others stand.
  const InnerTime* stamp_of(const LineWithTimes& line) const {
    const InnerTime* best = nullptr;
    for (const auto& inner : line.times) {
      const bool same_place =
          (at_end_ && inner.at_end) || (inner.mark != ' ' && marks_.contains(inner.mark));
      const bool better =
          best == nullptr || inner.time.kind < best->time.kind ||
          (inner.time.kind == best->time.kind && inner.time.seconds > best->time.seconds);
      const bool stamp = line.progress ? of(inner) == TimeMeaning::stamp
                                       : same_place && !inner.forecast && is_kind(inner);
      if (stamp && better) {
        best = &inner;
      }
    }
    return best;
  }

 private:
  bool is_kind(const InnerTime& inner) const {
    return std::ranges::any_of(meanings_, [&](const auto& meaning) {
      return std::get<0>(meaning.first) == inner.time.kind && meaning.second == TimeMeaning::stamp;
    });
  }

  std::map<SeriesKey, TimeMeaning> meanings_;
  std::set<char> marks_;
  bool at_end_ = false;
  bool any_ = false;
};

/// Without the text of the times that `out` names.
template <class Out>
std::string without_times(std::string_view line, const std::vector<InnerTime>& times,
                          const Out& out) {
  std::string text;
  std::size_t last = 0;
  for (const auto& inner : times) {
    if (out(inner)) {
      text += line.substr(last, inner.begin - last);
      last = inner.begin + inner.time.size;
    }
  }
  return text.append(line.substr(last));
}

/// The lines that have times in them; empty where lines of the progress begin with a stamp.
std::vector<LineWithTimes> lines_with_times(std::string_view text) {
  std::vector<LineWithTimes> found;
  while (!text.empty()) {
    const auto line = take_line(text).substr(0, longest_line);
    if (!may_hold_time(line)) {
      continue;
    }
    const bool progress = is_of_progress(line);
    const bool stamped = take_stamp(line).kind != StampKind::none;
    if (progress && stamped) {
      return {};
    }
    auto times = stamped ? std::vector<InnerTime>{} : times_in(line);
    if (!times.empty()) {
      found.push_back({.text = line, .times = std::move(times), .progress = progress});
    }
  }
  return found;
}

/// The stamps of the lines; no stamp of another line may be later than the next of the progress.
std::vector<const InnerTime*> stamps_of(const std::vector<LineWithTimes>& lines,
                                        const TimeMeanings& meanings) {
  std::vector<const InnerTime*> stamps(lines.size());
  const InnerTime* next = nullptr;
  for (auto i = lines.size(); i-- > 0;) {
    const auto* stamp = meanings.stamp_of(lines[i]);
    if (stamp != nullptr && lines[i].progress) {
      next = stamp;
    }
    if (stamp == nullptr || lines[i].progress || next == nullptr) {
      stamps[i] = stamp;
      continue;
    }
    double until_s = next->time.seconds - stamp->time.seconds;
    until_s += stamp->time.kind == StampKind::time_of_day && until_s < -round_s / 2 ? round_s : 0;
    const bool fits =
        next->time.kind == stamp->time.kind && (until_s >= 0 || stamp->time.in_order != ByOrder{});
    stamps[i] = fits ? stamp : nullptr;
  }
  return stamps;
}

}  // namespace

std::optional<std::string> without_dates(std::string_view line) {
  if (!may_hold_time(line) || !is_of_progress(line)) {
    return std::nullopt;
  }
  const auto times = times_in(line);
  return std::ranges::any_of(times, is_date) ? std::optional(without_times(line, times, is_date))
                                             : std::nullopt;
}

std::optional<std::string> stamps_first(std::string_view text) {
  const auto lines = lines_with_times(text);
  const TimeMeanings meanings(lines);
  if (!meanings.any()) {
    return std::nullopt;
  }
  const auto stamps = stamps_of(lines, meanings);
  std::string moved;
  std::size_t last = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& line = lines[i];
    const auto begin = std::size_t(line.text.data() - text.data());
    moved += text.substr(last, begin - last);
    last = begin + line.text.size();
    if (stamps[i] != nullptr) {
      moved.append(line.text.substr(stamps[i]->begin, stamps[i]->time.size)).append(" ");
    }
    moved += without_times(line.text, line.times, [&](const InnerTime& inner) {
      return &inner == stamps[i] || meanings.of(inner) != TimeMeaning::other;
    });
  }
  return moved.append(text.substr(last));
}

}  // namespace epochcast::progress
