#include "src/measure/progress/lines/line_durations.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/duration.hpp"
#include "src/measure/progress/lines/step_rate.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

/// What a duration is of, by the words before it.
enum class Of {
  epoch,       ///< "epoch time", "time/epoch".
  train,       ///< "train time".
  plain,       ///< "time", "took", "in 12 s": of what the line is about.
  evaluation,  ///< "val time", "test 12 s".
  step,        ///< "batch time".
  total,       ///< "total": of the parts on the line, or of the run so far.
  part,        ///< "bwd_time", "gpu time": of something that may be a part of the epoch.
  loose_part,  ///< "bwd 12 s": the same, where no word says that it is a time.
  other,       ///< "eta", "average time", "data time": of something else.
};

struct Stated {
  Of of = Of::other;
  double seconds = 0;
  std::string name = {};
  bool named = false;      ///< By a word for a time.
  bool bare = false;       ///< No word stands before it but those of a value: "loss 0.5 (12 s)".
  bool added = false;      ///< "52 s (+8 s eval)": not in the one before.
  bool inside = false;     ///< "60 s, of which validation 8 s".
  Of segment = Of::other;  ///< "| val: loss 0.5, time 8 s": of what stands between two bars.
};

/// The words that say what a duration is of, and the seconds of the unit that they end with: "Time
/// (min): ", "duration_ms=".
struct Words {
  std::string text;
  std::string name;  ///< Without a unit at its end.
  double unit_s = 1;
  bool is_time = false;  ///< The unit says so.
};

Words words_of(std::string_view before) {
  const auto end = before.find_last_not_of(" \t:='\"");
  std::string text = to_lower(before.substr(0, end == std::string_view::npos ? 0 : end + 1));
  while (text.size() > 2 && text[text.size() - 3] == '\xef') {  // full-width marks: "耗时："
    text.erase(text.size() - 3);
  }
  text.erase(0, text.find_first_not_of(" \t|,;-\"'{[("));
  const auto [name, unit_s, is_time] = without_unit(text);
  return {.text = is_time ? std::string(name) : text,
          .name = std::string(name),
          .unit_s = unit_s,
          .is_time = is_time};
}

/// Of a duration with its own name.
Of named(const std::string& words) {
  constexpr auto common = std::to_array<std::string_view>({"time", "took", "in", "elapsed"});
  if (std::ranges::find(common, words) != common.end()) {
    return Of::plain;
  }
  static const RegularExpression other(
      R"((?<![a-z])(?:eta|remain|left|avg|average|mean|ema|since|so far|best|start|overall|cumul|data)"
      R"(|load|dataload|read|io|wait|sav|checkpoint|ckpt|comm|sync|sampl|forward|backward|every|smooth)"
      R"(|running(?! time)|median|max|min(?![a-z])|std|moyen|mittel|promedio|longest|shortest|fastest|slowest))");
  static const RegularExpression evaluation("(?<![a-z])scor(?:e|ing)(?![a-z])|" +
                                            std::string(held_out_word));
  static const RegularExpression step(R"((?<![a-z])(?:step|iter\w*|batch\w*|it|dt)(?![a-z]))");
  static const RegularExpression total(R"((?<![a-z])(?:total|sum|all)(?![a-z]))");
  static const RegularExpression epoch(R"(epoch)");
  static const RegularExpression train(R"((?<![a-z])(?:train\w*|trn?(?=[ _]|$)|fit)(?![a-z]))");
  /// Words that say nothing about what it is of.
  static const RegularExpression plain(
      R"(^(?:[^a-z\p{L}]|(?:time|times|took|takes?|taken|elapsed?|duration|dur|secs?|seconds|s|min|mins|minutes)"
      R"(|hours|difference|wall|walltime|timer|clock|run|runtime|cost|used|spent|over|in|for|after|finished|done|completed?)"
      R"(|ended|end|per|this|the|it|was|is|of|and|loss|acc|lr|epoch)(?![a-z]))*$)");
  if (other.find(words)) {
    return Of::other;
  }
  if (evaluation.find(words)) {
    return Of::evaluation;
  }
  if (step.find(words)) {
    return Of::step;
  }
  static const RegularExpression train_total(R"((?<![a-z])train\w* total(?: time)?$)");
  if (train_total.find(words)) {
    return Of::train;
  }
  if (total.find(words)) {
    return epoch.find(words) ? Of::epoch : train.find(words) ? Of::other : Of::total;
  }
  if (epoch.find(words)) {
    return Of::epoch;
  }
  if (train.find(words)) {
    return Of::train;
  }
  return plain.find(words) ? Of::plain : Of::part;
}

/// The last words of a text that may name a duration: those after its last comma or bar.
std::string last_words(const std::string& words) {
  const auto at = words.find_last_of(",|;()[]{}\t");
  const auto last = at == std::string::npos ? words : words.substr(at + 1);
  return has_letter(last) ? last : words;
}

/// Whether its last word is one for a part of the epoch.
bool ends_with_phase(std::string_view name) {
  static const RegularExpression form(
      R"((?:(?<![a-z])(?:train\w*|trn?|fit\w*|scor(?:e|ing)|total|sum|epoch)|)" +
      std::string(held_out_word) + R"(\w*)$)");
  return form.find(name).has_value();
}

/// Whether the number at the front of `text` may have a unit of time, or be a clock time.
bool may_have_unit(std::string_view text) {
  const auto end = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  const auto next = std::min(text.find_first_not_of(' ', end), text.size());
  return next < text.size() && next <= end + 2 &&
         std::string_view(":smhdnu\xc2SMHD\xd0\xd1\xe5\xe7\xeb\xec").find(text[next]) !=
             std::string_view::npos;
}

/// Whether the words before a number may name a time: most numbers of a line have other names. By
/// the last word.
bool may_name_time(std::string_view before) {
  static const std::set<std::string, std::less<>> words{
      "time",  "times", "took",   "takes",    "taken",   "elapse", "elapsed", "duration",  "s",
      "sec",   "secs",  "second", "seconds",  "min",     "mins",   "minutes", "ms",        "hours",
      "used",  "spent", "cost",   "for",      "per",     "epoch",  "step",    "iteration", "iter",
      "batch", "total", "lasted", "walltime", "runtime", "dur"};
  auto end = before.size();
  while (end > 0 && !is_letter(before[end - 1])) {
    --end;
  }
  auto begin = end;
  while (begin > 0 && is_letter(before[begin - 1])) {
    --begin;
  }
  return end - begin < 12 && words.contains(to_lower(before.substr(begin, end - begin)));
}

/// "4.1 min train |", "12 sec (val)", "8.0s eval)": a name after a duration that has none before
/// it. It is taken off.
std::string take_name_after(std::string_view& text) {
  static const RegularExpression form(
      R"((?i)^ ?(?:\((?<inner>[a-z][a-z _-]{1,20})\)|(?<word>[a-z][a-z_-]{1,20}(?: [a-z]{2,12})?)(?= *(?:[])|,;+&/]|$)))(?<rest>.*))");
  const auto match = form.find(text);
  if (!match) {
    return "";
  }
  const auto inner = to_lower(match->text("inner"));
  const auto of = inner.empty() ? Of::other : named(inner);
  if (!inner.empty() && of != Of::train && of != Of::evaluation && of != Of::total) {
    return "";  // "(best so far)"
  }
  text = match->text("rest");
  return inner.empty() ? to_lower(match->text("word")) : inner;
}

/// "incl.", "of which", "plus" say how a duration belongs to the one before, not what it is of.
std::string without_link(const std::string& name) {
  static const RegularExpression form(
      R"(^(?:incl\.?|including|of which|plus|and|with)(?: +(?<name>.*))?$)");
  const auto match = form.find(name);
  return match ? std::string(match->text("name")) : name;
}

/// "<19:19", "/ 20:20" after the time since the start: what is left, or the total of the run.
bool take_left_or_total(std::string_view& text) {
  static const RegularExpression form(R"(^ ?[</] ?(?=\d++:\d)(?<rest>.*))");
  const auto match = form.find(text);
  auto rest = match ? match->text("rest") : text;
  if (!match || !take_duration(rest)) {
    return false;
  }
  text = rest;
  return true;
}

/// Whether the words before a number say that it is a time: not in "tok/sec: 8192".
bool is_time(std::string_view lead, const Words& before, const std::string& name, bool has_unit) {
  static const RegularExpression rate(R"((?:/|[ _]per[ _])(?:s|secs?|seconds?)$)");
  if (has_unit && (name == "dt" || name.ends_with(" cost") || is_foreign_time(name))) {
    return true;
  }
  if (before.is_time && (ends_with_phase(name) || time_name(name) != TimeName::none)) {
    return true;
  }
  const bool named = time_name(name) != TimeName::none || name == "total" ||
                     time_name(last_words(before.text)) != TimeName::none;
  return may_name_time(lead) && named && (has_unit || !rate.find(name));
}

/// Whether a number goes on in a way that is not known, "1 612", "1,61,200", or is one of a list.
bool number_goes_on(std::string_view after) {
  static const RegularExpression form(R"(^(?:[,']\d| \d{3}(?!\d)))");
  return form.find(after).has_value();
}

/// Whether what was taken for a unit is the name of what follows: "1 m=2", "0.4 d 0.5".
bool is_name(std::string_view duration, std::string_view after) {
  const auto value = trim(after);
  const bool number = !value.empty() && (is_digit(value[0]) || value[0] == '-');
  const bool apart =
      duration.ends_with(" d") || duration.ends_with(" h") || duration.ends_with(" m");
  return value.starts_with('=') || (apart && number);
}

/// "train [2m 5s]": the word before the bracket, if it is one for a part of the epoch.
std::string phase_before_bracket(std::string_view lead) {
  static const RegularExpression form(R"((?i)(?<word>[a-z]+) ?[[(] ?$)");
  const auto match = form.find(lead);
  const auto word = match ? to_lower(match->text("word")) : "";
  return ends_with_phase(word) ? word : "";
}

/// What the part of the line since its last bar is of, by its heading: "train: loss 0.5, time ".
Of segment_of(std::string_view before) {
  static const RegularExpression form(R"((?i)^(?:[^|;]*[|;])*\W*(?<word>[a-z]+)\s*:[^|;]*$)");
  const auto match = form.find(before);
  const auto of = match ? named(to_lower(match->text("word"))) : Of::other;
  return of == Of::train || of == Of::evaluation ? of : Of::other;
}

/// Finds the durations of a text, one number after the other.
class DurationFinder {
 public:
  explicit DurationFinder(std::string_view text) : text_(text) {}

  std::vector<Stated> find() {
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const bool begins =
          is_digit(text_[at]) &&
          (at == 0 || (text_[at - 1] & 0x80) != 0 ||
           std::string_view(" \t[({:=|,~+'\"").find(text_[at - 1]) != std::string::npos);
      if (begins) {
        take(at);
        at = last_ - 1;
      }
    }
    return std::move(found_);
  }

 private:
  void take(std::size_t at) {
    const auto lead = text_.substr(last_, at - last_);
    auto rest = text_.substr(at);
    if (!take_date(rest) && !take_step(lead, rest) && !take_time(lead, rest)) {
      auto end = text_.find_first_not_of("0123456789.", at);
      while (end < text_.size() - 1 && (text_[end] == ':' || text_[end] == '-') &&
             is_digit(text_[end + 1])) {  // a clock time or date is not read from its middle
        end = text_.find_first_not_of("0123456789.", end + 1);
      }
      while (end < text_.size() && (is_letter(text_[end]) || text_[end] == '%')) {
        ++end;  // "71C"
      }
      rest = text_.substr(std::min(end, text_.size()));
    }
    context_ = has_letter(lead) ? lead : context_;
    since_ = since_.empty() ? lead : std::string_view(since_.begin(), lead.end());
    last_ = std::max(text_.size() - rest.size(), at + 1);
  }

  /// "24.03.2026 08:01:05": the time of a day.
  static bool take_date(std::string_view& rest) {
    static const RegularExpression form(
        R"(^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[ T,]+\d{1,2}:\d\d(?::\d\d)?(?<rest>.*))");
    const bool may = std::string_view("./-").find(
                         rest[std::min(rest.find_first_not_of("0123456789"), rest.size() - 1)]) !=
                     std::string_view::npos;
    const auto match = may && rest.find(':') < 18 ? form.find(rest) : std::nullopt;
    rest = match ? match->text("rest") : rest;
    return match.has_value();
  }

  bool take_step(std::string_view lead, std::string_view& rest) {
    auto step_s = take_step_rate(rest);
    if (!step_s &&
        (lead.find("per") != std::string_view::npos || lead.find('/') != std::string_view::npos)) {
      auto after = rest;
      const auto number = take_duration(after);
      step_s = number && !number->has_unit
                   ? step_s_by_name(last_words(words_of(lead).text), number->seconds)
                   : std::nullopt;
      rest = step_s ? after : rest;
    }
    if (step_s) {
      found_.push_back({.of = Of::step, .seconds = *step_s});
    }
    return step_s.has_value();
  }

  bool take_time(std::string_view lead, std::string_view& rest) {
    static const RegularExpression of_else(R"((?i)^\s*(?:/(?!epoch)|remain|left|<|per |ago))");
    auto after = rest;
    const bool may_be = may_name_time(lead) || may_have_unit(rest);
    const auto duration = may_be ? take_duration(after) : std::nullopt;
    if (!duration || is_name(rest.substr(0, rest.size() - after.size()), after)) {
      return false;
    }
    const auto before = words_of(lead);
    auto name = without_link(last_words(duration->has_unit ? before.text : before.name));
    const auto phase = duration->has_unit ? phase_before_bracket(lead) : "";
    name = phase.empty() ? name : phase;
    const bool time = is_time(lead, before, name, duration->has_unit);
    const bool of_run = duration->has_unit && take_left_or_total(after);
    const bool is_else = of_else.find(after).has_value();
    bool bare = !has_letter(name);
    const auto name_after = bare && !is_else && !of_run ? take_name_after(after) : "";
    rest = after;
    const bool is_number =
        !duration->has_unit && (duration->seconds > 1e8 || number_goes_on(after));
    if ((time || duration->has_unit) && !is_else && !is_number) {
      bare = bare && name_after.empty();
      found_.push_back(stated(lead, before, name_after.empty() ? name : name_after, time));
      found_.back().of = of(found_.back().name, time, bare, !name_after.empty());
      const bool of_it = found_.back().of == Of::part || found_.back().of == Of::step;
      if (of_it && !time && found_.back().named) {
        found_.back().of = Of::plain;  // "782 batches processed in 24.8 sec"
      }
      found_.back().bare = bare;
      const auto before_it = text_.substr(0, std::size_t(lead.end() - text_.begin()));
      found_.back().segment = found_.back().of == Of::plain ? segment_of(before_it) : Of::other;
      since_ = {};
      if (bare && found_.back().added && found_.size() > 1 && found_[found_.size() - 2].bare) {
        found_.back().of = Of::evaluation;  // "[60.5s + 87.7s]"
      }
      found_.back().seconds = duration->seconds * (duration->has_unit ? 1 : before.unit_s);
    }
    return true;
  }

  static Stated stated(std::string_view lead, const Words& before, std::string name, bool time) {
    static const RegularExpression ended(
        R"(^(?:(?:the )?(?:training|train|epoch|(?:mini-?)?batches|steps|iterations) )?(?:finished|completed?|done|ended|processed),? (?:in|after)$)");
    static const RegularExpression inside(R"((?<![a-z])(?:of which|incl|including)(?![a-z]))");
    return {.name = std::move(name),
            .named = time || ended.find(before.text),
            .added = trim(lead).ends_with('+') || before.text.starts_with("plus"),
            .inside = inside.find(before.text).has_value()};
  }

  Of of(const std::string& name, bool time, bool bare, bool after) const {
    static const RegularExpression introduced(R"((?:^|(?<![a-z]))(?:in|took|for|after)$)");
    if (bare) {
      const bool evaluates = named(last_words(words_of(context_).text)) == Of::evaluation ||
                             (!found_.empty() && of_evaluation(since_));
      return evaluates ? Of::evaluation : Of::train;
    }
    const auto kind = named(name);
    if (time && kind == Of::part && is_foreign_time(name)) {
      return Of::plain;
    }
    const bool follows = time || after || kind == Of::plain || ends_with_phase(name) ||
                         (kind != Of::other && introduced.find(name));
    return follows && !(after && kind == Of::part) ? kind
           : kind == Of::part                      ? Of::loose_part
                                                   : Of::other;
  }

  std::string_view text_;
  std::string_view context_;  ///< The words before the number before.
  std::string_view since_;    ///< The text since the last duration.
  std::size_t last_ = 0;
  std::vector<Stated> found_;
};

/// All durations of the text with what they are of.
std::vector<Stated> stated_in(std::string_view text) {
  auto found = DurationFinder(text).find();
  static const RegularExpression of_averages(
      R"((?i)^[^:|,]*(?<![a-z])(?:avg|averaged?|mean|median|moyenne)(?![a-z])[^:|,]*:\s*[a-z])");
  if (!found.empty() && of_averages.find(text)) {
    return {};
  }
  // "train 0.8 (90 s) val 0.9 (30 s)": each after its value; a single one is of the whole line.
  const auto bare = [](const auto& stated) { return stated.bare; };
  const bool evaluated = std::ranges::any_of(
      found, [](const auto& stated) { return stated.bare && stated.of == Of::evaluation; });
  if (std::ranges::count_if(found, bare) == 1 || !evaluated) {
    for (auto& stated : found) {
      stated.of = stated.bare ? Of::plain : stated.of;
    }
  }
  // "train: loss 0.8, time 90 s | val: loss 0.9, time 30 s": a single one may be of the whole line.
  const auto of_segment = [&](Of of) {
    return std::ranges::count_if(found, [&](const auto& one) { return one.segment == of; }) == 1;
  };
  if (of_segment(Of::train) && of_segment(Of::evaluation)) {
    for (auto& stated : found) {
      stated.of = stated.segment != Of::other ? stated.segment : stated.of;
    }
  }
  return found;
}

/// The durations of a kind: none, one, or several that differ.
struct Kind {
  double sum_s = 0;
  std::optional<double> one_s;
  bool differ = false;
};

Kind kind_of(const std::vector<Stated>& all, Of of) {
  Kind kind;
  for (const auto& stated : all) {
    if (stated.of == of) {
      kind.sum_s += stated.seconds;
      kind.differ = kind.differ || (kind.one_s && *kind.one_s != stated.seconds);
      kind.one_s = kind.one_s.value_or(stated.seconds);
    }
  }
  return kind;
}

/// "distill 20 s" beside "train 60 s": another training.
bool is_another_training(const Stated& stated) {
  static const RegularExpression form(
      R"(^(?:distill?\w*|pre-?train\w*|fine-?tun\w*|adapt\w*|refin\w*)(?: time)?$)");
  return stated.of <= Of::loose_part && form.find(stated.name);
}

/// Parts that are known to lie within the training, where the line states that.
bool is_within_training(const Stated& stated) {
  static const RegularExpression form(
      R"((?<![a-z])(?:fwd|bwd|gpu|cpu|cuda|opt\w*|grad\w*|loss|prep\w*|aug\w*|comput\w*|busy|idle))");
  return stated.of != Of::loose_part || form.find(stated.name) || is_another_training(stated);
}

}  // namespace

bool is_foreign_time(std::string_view name) {
  static const RegularExpression form(
      R"((?:^|[^a-z\p{L}])(?:)" + foreign_time_words + "|Δt)$|(?:" + foreign_time_endings +
      ")$|^(?:" + foreign_time_words +
      R"()(?: +(?:\p{L}{1,4}[ '’])*(?:train|val|test|eval|epoch)\p{L}*)+\s*$)");
  return form.find(name).has_value();
}

LineDurations durations_of(std::string_view text) {
  const auto all = stated_in(text);
  const auto epoch = kind_of(all, Of::epoch);
  const auto train = kind_of(all, Of::train);
  const auto plain = kind_of(all, Of::plain);
  const auto part = kind_of(all, Of::part);
  const auto total = kind_of(all, Of::total);
  const auto loose = kind_of(all, Of::loose_part);
  const auto evaluation = kind_of(all, Of::evaluation);
  LineDurations found{.step_s = kind_of(all, Of::step).one_s,
                      .total_s = total.differ ? std::nullopt : total.one_s};
  found.named = std::ranges::any_of(
      all, [](const auto& stated) { return stated.named && stated.of <= Of::evaluation; });
  if (evaluation.one_s) {
    found.evaluation_s = evaluation.sum_s;
  }
  const double evaluation_s = evaluation.sum_s;
  const auto without_evaluation = [&](double all_s) {
    found.undecided = evaluation_s >= all_s;
    return found.undecided ? std::nullopt : std::optional(all_s - evaluation_s);
  };
  const auto marked = [&](bool Stated::*mark) {
    return std::ranges::any_of(
        all, [&](const auto& stated) { return stated.of == Of::evaluation && stated.*mark; });
  };
  if (epoch.differ || train.differ) {
    found.undecided = true;
  } else if (epoch.one_s) {
    found.epoch_s = without_evaluation(*epoch.one_s);
  } else if (train.one_s) {
    // A part of another name lies within the training or after it.
    found.undecided = !total.one_s && !std::ranges::all_of(all, is_within_training);
    found.epoch_s = found.undecided ? std::nullopt : train.one_s;
    for (const auto& stated : all) {
      if (found.epoch_s && stated.of != Of::train && is_another_training(stated)) {
        *found.epoch_s += stated.seconds;
      }
    }
  } else if (plain.one_s && !plain.differ && marked(&Stated::inside)) {
    found.epoch_s = without_evaluation(*plain.one_s);
  } else if (plain.one_s && !plain.differ && marked(&Stated::added)) {
    found.epoch_s = plain.one_s;
  } else if (plain.one_s) {
    // "time 48 s, val time 12 s": 60 s, or 48 s with the evaluation in it.
    found.undecided = plain.differ || (evaluation.one_s && evaluation_s < *plain.one_s);
    found.epoch_s = found.undecided ? std::nullopt : plain.one_s;
  } else if ((part.one_s || loose.one_s) && total.one_s && !total.differ) {
    found.undecided = part.sum_s + loose.sum_s + evaluation_s > *total.one_s * 1.01;
    found.epoch_s = found.undecided ? std::nullopt : std::optional(*total.one_s - evaluation_s);
  } else if (part.one_s) {
    found.undecided = part.differ;
    found.epoch_s = part.differ ? std::nullopt : part.one_s;
  }
  return found;
}

}  // namespace epochcast::progress
