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
  bool named = false;  ///< By a word for a time.
  bool bare = false;   ///< No word stands before it but those of a value: "loss 0.5 (12 s)".
};

/// The words that say what a duration is of, and the seconds of the unit in brackets after them:
/// "Time (min): ".
struct Words {
  std::string text;
  double unit_s = 1;
};

Words words_of(std::string_view before) {
  static const RegularExpression unit(
      R"((?i)^(?<name>.*?) *(?:\((?<round>s|sec|seconds|min|ms)\)|\[(?<square>s|sec|seconds|min|ms)\])$)");
  const auto end = before.find_last_not_of(" \t:='\"");
  std::string text = to_lower(before.substr(0, end == std::string_view::npos ? 0 : end + 1));
  double unit_s = 1;
  const bool brackets = text.ends_with(')') || text.ends_with(']');
  if (const auto match = brackets ? unit.find(text) : std::nullopt) {
    const auto name = match->text("round").empty() ? match->text("square") : match->text("round");
    unit_s = name == "min" ? 60 : name == "ms" ? 0.001 : 1;
    text = std::string(match->text("name"));
  }
  const auto begin = text.find_first_not_of(" \t|,;-\"'{[(");
  return {.text = begin == std::string::npos ? "" : text.substr(begin), .unit_s = unit_s};
}

bool has_letter(std::string_view text) {
  return std::ranges::any_of(text, is_letter);
}

/// Of a duration with its own name.
Of named(const std::string& words) {
  constexpr auto common = std::to_array<std::string_view>({"time", "took", "in", "elapsed"});
  if (std::ranges::find(common, words) != common.end()) {
    return Of::plain;
  }
  static const RegularExpression other(
      R"((?<![a-z])(?:eta|remain|left|avg|average|mean|ema|since|so far|best|start|overall|cumul|data)"
      R"(|load|dataload|read|io|wait|sav|checkpoint|ckpt|comm|sync|sampl|forward|backward|every))");
  static const RegularExpression evaluation(
      R"((?<![a-z])(?:val|valid|validat\w*|test|testing|eval\w*|dev|infer\w*|predict\w*)(?![a-z]))");
  static const RegularExpression step(R"((?<![a-z])(?:step|iter\w*|batch\w*|it)(?![a-z]))");
  static const RegularExpression total(R"((?<![a-z])(?:total|sum|all)(?![a-z]))");
  static const RegularExpression epoch(R"(epoch)");
  static const RegularExpression train(R"((?<![a-z])(?:train\w*|fit)(?![a-z]))");
  /// Words that say nothing about what it is of.
  static const RegularExpression plain(
      R"(^(?:[^a-z]|(?:time|times|took|takes?|taken|elapsed?|duration|secs?|seconds|s|min|mins|minutes)"
      R"(|hours|wall|walltime|clock|run|runtime|cost|used|spent|in|for|after|finished|done|completed?)"
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
  const auto at = words.find_last_of(",|;()[]{}");
  const auto last = at == std::string::npos ? words : words.substr(at + 1);
  return has_letter(last) ? last : words;
}

/// Whether the number at the front of `text` may have a unit of time, or be a clock time.
bool may_have_unit(std::string_view text) {
  const auto end = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  const auto next = std::min(text.find_first_not_of(' ', end), text.size());
  return next < text.size() && next <= end + 2 &&
         std::string_view(":smhdnu\xc2SMHD").find(text[next]) != std::string_view::npos;
}

/// Whether the words before a number may name a time: most numbers of a line have other names. By
/// the last word.
bool may_name_time(std::string_view before) {
  static const std::set<std::string, std::less<>> words{
      "time", "times",     "took", "takes",  "taken",   "elapse", "elapsed",  "duration",
      "s",    "sec",       "secs", "second", "seconds", "min",    "mins",     "minutes",
      "ms",   "hours",     "used", "spent",  "cost",    "for",    "per",      "epoch",
      "step", "iteration", "iter", "batch",  "total",   "lasted", "walltime", "runtime"};
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

/// All durations of the text with what they are of.
std::vector<Stated> stated_in(std::string_view text) {
  static const RegularExpression introduced(R"((?:^|(?<![a-z]))(?:in|took|for|after)$)");
  static const RegularExpression of_else(R"((?i)^\s*(?:/|remain|left|<|per |ago))");
  static const RegularExpression ended(
      R"(^(?:(?:the )?(?:training|train|epoch) )?(?:finished|completed?|done|ended),? (?:in|after)$)");
  static const RegularExpression phase(R"((?:^|(?<![a-z]))(?:train|training|val|valid|validation)"
                                       R"(|test|eval|evaluation|total|epoch)$)");
  std::vector<Stated> found;
  std::string_view context;  // the words before the number before
  std::size_t last = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins =
        is_digit(text[at]) &&
        (at == 0 || std::string_view(" \t[({:=|,~'\"").find(text[at - 1]) != std::string::npos);
    if (!begins) {
      continue;
    }
    const auto lead = text.substr(last, at - last);
    auto rest = text.substr(at);
    const bool may_name = may_name_time(lead);
    const auto duration = may_name || may_have_unit(rest) ? take_duration(rest) : std::nullopt;
    const auto before = duration ? words_of(lead) : Words{};
    const auto name = last_words(before.text);
    const bool time =
        duration && may_name && (time_name(name) != TimeName::none || name == "total");
    const bool bare = !has_letter(name);
    if (duration && (time || duration->has_unit) && !of_else.find(rest)) {
      const auto of = named(bare ? last_words(words_of(context).text) : name);
      const bool follows =
          time || bare || (of != Of::other && (introduced.find(name) || phase.find(name)));
      const bool is_else = bare && of != Of::evaluation;
      found.push_back({.of = is_else          ? Of::train
                             : follows        ? of
                             : of == Of::part ? Of::loose_part
                                              : Of::other,
                       .seconds = duration->seconds * (duration->has_unit ? 1 : before.unit_s),
                       .named = time || ended.find(before.text),
                       .bare = bare});
    }
    context = has_letter(lead) ? lead : context;
    const auto end =
        duration ? text.size() - rest.size() : text.find_first_not_of("0123456789.", at);
    last = std::min(std::max(end, at + 1), text.size());
    at = last - 1;
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

}  // namespace

LineDurations durations_of(std::string_view text) {
  const auto all = stated_in(text);
  const auto epoch = kind_of(all, Of::epoch);
  const auto train = kind_of(all, Of::train);
  const auto plain = kind_of(all, Of::plain);
  const auto part = kind_of(all, Of::part);
  const auto total = kind_of(all, Of::total);
  const auto loose = kind_of(all, Of::loose_part);
  const auto evaluation = kind_of(all, Of::evaluation);
  LineDurations found{.step_s = kind_of(all, Of::step).one_s};
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
  if (epoch.differ || train.differ) {
    found.undecided = true;
  } else if (epoch.one_s) {
    found.epoch_s = without_evaluation(*epoch.one_s);
  } else if (train.one_s) {
    // What the line states of other things is a part of the training, or of what lies between.
    found.epoch_s = train.one_s;
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
