#include "src/measure/progress/reading/plain_line.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/line_durations.hpp"
#include "src/measure/progress/lines/stamp.hpp"
#include "src/measure/progress/lines/values.hpp"

namespace epochcast::progress {
namespace {

/// "Epoch 3/10", and what stands around it. Nothing after the word "epoch" is tried twice.
struct EpochNumber {
  std::string_view lead;  ///< "2026-11-24 22:01:09,123 INFO train: "; not long.
  Fraction number;
  std::string_view rest;
  bool held_out = false;  ///< "Epoch(val) [3]"
};

std::optional<EpochNumber> find_epoch(std::string_view text) {
  static const RegularExpression form(
      R"(^(?<lead>(?:(?![eE](?:poch|POCH)(?![_ .](?!no|num)[a-z])).){0,120})(?<![A-Za-z])[eE](?:poch|POCH)(?: number)?)"
      R"((?: no\.)?(?:\((?:train|(?<held_out>val|test))\))?[ :=#\t'"]*+\(?+(?<open>\[)? *(?<number>\d{1,15})(?!\d))"
      R"((?: ?(?:/|of ) *(?<total>\d{1,15})(?!\d)|(?! ?(?:/|of )))(?(<open>)\])(?!\.\d|:[0-5]\d(?![\d/]))(?<rest>.*))");
  const bool may = text.find("poch") != text.npos || text.find("POCH") != text.npos;
  const auto match = may ? form.find(text) : std::nullopt;
  if (!match) {
    return std::nullopt;
  }
  return EpochNumber{.lead = match->text("lead"),
                     .number = {.number = parse_integer(match->text("number")).value_or(0),
                                .total = parse_integer(match->text("total"))},
                     .rest = match->text("rest"),
                     .held_out = !match->text("held_out").empty()};
}

/// "step 100/200", "batch: 3/10", "Iteration[100/200]", "iter 20,100"; "[10/ 100]" right after the
/// epoch.
std::optional<Fraction> step_in(std::string_view text) {
  const auto named = [](const std::string& word) {
    return RegularExpression(
        "(?i)(?<![a-z]|n_|um_|otal_)" + word +
        R"((?!s:? \d+(?! ?(?:/|of ))\b)[a-z]*[ :=#\t'"]*+(?<open>\[)? *(?:\d{1,15}-(?=\d{1,15}\]))?(?<step>\d{1,3}(?:,\d{3})++(?!\d)|\d{1,15}(?!\d)))"
        R"((?: ?(?:/|of ) *(?<steps>\d{1,15})(?!\d)|(?! ?(?:/|of )))(?(<open>)\])(?!\.))");
  };
  static const std::array forms{
      named("step"),
      named("(?:(?:mini|micro)-?)?batch"),
      named("iter"),
      named("it(?=[ :=[])"),
      RegularExpression(
          R"((?J)^[] :|,\t-]*(?:[[(] *(?<step>\d{1,15}) ?(?:/|of ) *(?<steps>\d{1,15}) *[])])"
          R"(|[|] *(?<step>\d{1,15}) ?(?:/|of ) *(?<steps>\d{1,15}) *(?=[|:,]|$)))"),
      RegularExpression(
          R"((?J)^[ :,-]{1,6}(?:(?<step>\d{1,15}) ?/ *(?<steps>\d{1,15})(?=[ :,;|]|$)|(?<step>\d{1,15}) of (?<steps>\d{1,15}) (?:batches|steps|iterations)))"),
      RegularExpression(R"(^\W*(?:iters?|steps?|batch(?:es)?)[ :=]{1,3}(?<step>\d{1,15})\W*$)")};
  std::optional<Fraction> found;  // one with a total is of the epoch; others may be of the run
  for (const auto& form : forms) {
    const auto match = form.find(text);
    const auto step = match ? count_in(*match, "step") : std::nullopt;
    const auto total = step ? count_in(*match, "steps") : std::nullopt;
    if (step && total) {
      return Fraction{.number = *step, .total = total};
    }
    if (step && !found) {
      found = Fraction{.number = *step, .total = {}};
    }
  }
  return found;
}

/// "[32000/60000 (53%)]" after the epoch: samples, as in PyTorch's examples; "[50%]".
std::optional<double> part_in(std::string_view text) {
  static const RegularExpression percent(
      R"(^[ :,|-]{0,3}[[(] *(?<percent>\d{1,3}(?:\.\d+)?) ?%[])])");
  if (const auto match = percent.find(text)) {
    const auto value = parse_double(match->text("percent"));
    return value && *value <= 100 ? std::optional(*value / 100) : std::nullopt;
  }
  static const RegularExpression form(
      R"(^[^[]{0,3}\[ *(?<done>\d{1,15}) ?/ *(?<total>\d{1,15}) \(.*?%\)\])");
  const auto match = form.find(text);
  const auto done = match ? parse_double(match->text("done")) : std::nullopt;
  const auto total = match ? parse_double(match->text("total")) : std::nullopt;
  return done && total && *total > 0 && *done <= *total ? std::optional(*done / *total)
                                                        : std::nullopt;
}

/// "elapsed 14.2s", "Elapsed 1m 11s (remain 4m 12s)": the time since the start of the epoch or run.
std::optional<double> elapsed_in(std::string_view text) {
  static const RegularExpression form(R"((?i)(?<![a-z])elapsed(?: time)?[ :=]{1,8}+(?<time>\d.*))");
  const auto match = form.find(text);
  return match ? seconds_in(*match, "time") : std::nullopt;
}

/// The durations that are stated, where the line has none yet.
void take_durations(const LineDurations& stated, PlainLine& line) {
  if (line.duration_s || line.evaluation_s || line.undecided) {
    return;
  }
  line.duration_s = stated.epoch_s;
  line.evaluation_s = stated.evaluation_s;
  line.undecided = stated.undecided;
  line.step_duration_s = line.step_duration_s ? line.step_duration_s : stated.step_s;
}

/// "tempo de train": of several words.
bool names_foreign_time(std::string_view name) {
  return name.find(' ') != std::string_view::npos && is_foreign_time(name);
}

void take_values(std::string_view text, PlainLine& line) {
  /// "[stage 1] epoch 2", "fold 0 epoch 3": numbers of what the epochs are part of.
  static const RegularExpression part_of_run(
      "(?:^|[ _])(?:fold|stage|phase|trial|seed|split|task|member|run|rep|repeat|cv|round)$");
  static const RegularExpression counts(
      "(?:^|[ _])(?:steps?|batch|iter|iteration|it|eta)$|(?<!over |over the |per )epoch");
  for (auto& measured : measured_values(text, true)) {
    auto& value = measured.named;
    const auto low = to_lower(value.name);
    if (low == "samples" || low == "examples") {
      if (value.value >= 0 && value.value < 1e15) {
        line.samples = std::int64_t(value.value);
      }
    } else if (!measured.duration_s && !names_foreign_time(value.name) &&
               (measured.unit.empty() || measured.unit == "%") && !counts.find(low) &&
               !(measured.whole && part_of_run.find(low))) {
      if (measured.whole && measured.unit.empty()) {
        line.whole.push_back(value.name);
      }
      line.metrics.push_back(std::move(value));
    }
  }
  take_durations(durations_of(text), line);
}

std::string_view first_word(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(" []:,|=-\t.()*#>"), text.size());
  auto end = begin;
  const auto of_word = [](char c) { return is_letter(c) || c == '_' || (c & 0x80) != 0; };
  while (end < text.size() && of_word(text[end])) {
    ++end;
  }
  return text.substr(begin, end - begin);
}

/// The words that tell lines of one loop apart: the first, or "phase=train status=begin".
std::string_view words_of_tail(std::string_view rest) {
  static const std::string pair =
      "(?:phase|stage|status|state|split|mode|event|part|set|type)=[a-z]+";
  static const RegularExpression pairs(R"(^\W*(?<words>)" + pair + "(?:[ ,;]+" + pair +
                                       R"()*)(?![=\w]))");
  const auto match = pairs.find(rest);
  return match ? match->text("words") : first_word(rest);
}

/// "[2/4] epoch 2"
bool is_bracket_fraction(std::string_view lead) {
  static const RegularExpression form(
      R"(^[^a-zA-Z]*[[(] *\d{1,15} ?/ *\d{1,15} *[])][^a-zA-Z0-9]*$)");
  return form.find(lead).has_value();
}

/// What stands after the fraction in "epoch 2 (2/4): ..."; all of it, if there is none.
std::string_view after_fraction(std::string_view rest) {
  static const RegularExpression form(R"(^ ?[[(] *\d{1,15} ?/ *\d{1,15} *[])](?<after>.*))");
  const auto match = form.find(rest);
  return match ? match->text("after") : rest;
}

/// Words that name an epoch which need not be the one in which the line is printed.
bool is_mention(std::string_view lead, std::string_view rest) {
  /// "org.example.JobNumber - "
  static const RegularExpression logger(R"(^.*(?:\w\.\w+\.\w+|:\d+|\]) - (?<message>.*)$)");
  const auto found = lead.find(" - ") == lead.npos ? std::nullopt : logger.find(lead);
  lead = found ? found->text("message") : lead;
  static const RegularExpression before(
      R"((?i)(?<![a-z])(?:best|sav(?:ed|ing|e)|load(?:ed|ing)?|resum|early|stopp|next|until|checkpo)"
      R"(|restor|reduc|patience|wrote|writ|since|lowest|highest|warm-?up|freez|unfre|decay|every|last)"
      R"(|previou|continu|scheduled|skip|max_e|num_ep|total|max ep|number|log|from|improv))");
  static const RegularExpression after(
      R"((?i)(?<![a-z])(?:sav(?:ed|ing)|checkpo|reduc|did not improve|best (?:model|metric|score)|improved|written)"
      R"(|exporting|early stopping|adjust|setting|assigning|went from))");
  return before.find(lead) || after.find(rest);
}

bool is_about_held_out(std::string_view lead, std::string_view rest, const PlainLine& line) {
  static const RegularExpression word("^" + std::string(held_out_word) + "(?![a-z]*_)");
  static const RegularExpression phase(R"((?i)^\W*(?:phase|stage|split|mode|part)\W{1,3})" +
                                       std::string(held_out_word));
  if (of_evaluation(lead) || word.find(first_word(rest)) || phase.find(rest)) {
    return true;
  }
  // "Epoch 3 done, val_loss 0.5, took 49.5 s": all of it took so long.
  static const RegularExpression over_lead(
      R"((?i)(?<![a-z])(?:end of|finish\w*|complet\w*|done with|after)\W*$)");
  static const RegularExpression over(
      R"((?i)^\W*(?:is |was )?(?:done|finish(?:ed)?|completed?|ended|over)(?![a-z]))");
  const bool is_over = over_lead.find(lead) || over.find(rest);
  const bool all = !is_over && std::ranges::all_of(line.metrics, [](const auto& value) {
    return of_evaluation(value.name);
  });
  // "took 25 s, val loss 0.5": that long took the epoch.
  return !line.metrics.empty() && all &&
         !durations_of(rest.substr(0, rest.find(to_lower(line.metrics[0].name)))).epoch_s;
}

/// "epoch: 3, lr: 0.01": what is set for the epoch, and nothing that came of it.
bool is_setting(const PlainLine& line) {
  static const RegularExpression setting(
      R"((?i)(?<![a-z])(?:lr|learning[ _]rate|momentum|weight[ _]decay|wd|tau|temperature|beta|epsilon|学习率|学習率|lernrate)$)");
  return !line.metrics.empty() && !line.duration_s && !line.evaluation_s && !line.undecided &&
         std::ranges::all_of(
             line.metrics, [](const auto& value) { return setting.find(value.name).has_value(); });
}

void decide_role(std::string_view lead, std::string_view rest, PlainLine& line) {
  static const RegularExpression file(R"((?i)(?<![a-z])(?:sav|load|resum))");
  static const RegularExpression best(R"((?i)(?<![a-z])best)");
  static const RegularExpression ended(
      R"((?i)(?<![a-z])(?:end of|ends?\W*$|epoch[_ ]?end|end[_ ]epoch|finish|complet|done|summary|results?|report))");
  static const RegularExpression ends(
      R"((?i)(?<![a-z])(?:finish|complet|done|ended|took|end|summary|results?(?! of)|report|over\W*$))");
  static const RegularExpression no_number(
      R"((?i)[:= ]-?(?:nan|inf)(?!\w))");  // a value all the same
  static const RegularExpression begun(
      R"((?i)(?<![a-z])(?:start|begin|train|run|enter|epoch|now))");
  /// "starting epoch 2 (global step 1430)"
  static const RegularExpression begun_lead(R"((?i)(?<![a-z])(?:start|begin)[a-z]*\W*$)");
  /// "epoch 2: 480 batches"
  static const RegularExpression size(
      R"((?i)^\W*\d[\d,]* (?:batches|steps|iterations|iters|samples|examples|updates)(?: \([^()]*\))?\W*$)");
  static const RegularExpression begins(
      R"((?i)(?<![a-z])(?:start|begin|train|running|lr|learning))");
  const auto low = to_lower(rest);
  line.evaluates = is_about_held_out(lead, low, line);
  const bool of_file = file.find(lead).has_value();
  if (is_mention(lead, rest) && (!line.step || of_file)) {
    // "Epoch 3 loss 0.5, best model saved" has values of its own.
    static const RegularExpression over(R"((?i)^\W*(?:done|finished|completed?|took)(?![a-z]))");
    const bool values =
        !line.metrics.empty() || line.evaluation_s || (line.duration_s && over.find(rest));
    const bool own = values && !of_file && !best.find(lead) && trim(lead).size() < 3;
    line.role = own ? LineRole::summary : LineRole::mention;
  } else if (line.step && !line.steps && begun_lead.find(lead)) {
    line.role = LineRole::heading;
  } else if ((line.step && (line.steps || !ended.find(lead))) || line.part) {
    line.role = LineRole::step;
  } else if ((is_setting(line) || size.find(rest)) && !ended.find(lead)) {
    line.role = LineRole::heading;
  } else if (!line.metrics.empty() || line.duration_s || line.evaluation_s || line.samples ||
             ended.find(lead) || ends.find(rest) || no_number.find(rest)) {
    line.role = LineRole::summary;
  } else {
    static const RegularExpression value(
        R"((?<![\w.:-])(?:-?\d+\.\d{2,}(?![\w.:])|\d+(?:\.\d+)? ?%))");
    const bool nothing =
        rest.find_first_not_of("-=:.]#*|/\\_~+<> \t,()>!\"") == std::string_view::npos;
    const bool heading =
        nothing || size.find(rest) || begun.find(lead) || begins.find(rest) || line.evaluates;
    line.role = value.find(rest) ? LineRole::summary  // "epoch 3 | train | 0.5123"
                : heading        ? LineRole::heading
                                 : LineRole::mention;
  }
}

/// Words of what is no phase of an epoch, and no epoch; "394 iterations done" are all of one.
bool is_of_else(std::string_view text) {
  static const RegularExpression all(
      R"((?i)^\W*\d[\d,]* (?:(?:mini-?)?batches|steps|iterations|updates) (?:done|finished|completed?|processed)(?![a-z]))");
  if (all.find(text)) {
    return false;
  }
  static const RegularExpression form(
      R"((?i)(?<![a-z])(?:eta|total|load|batch|step|iter|data|import|init|build|compil|start)"
      R"(|saving|remain|prepar|infer)|(?<![a-z])(?:average|avg|mean)(?: [a-z]+)? (?:time|duration|seconds))");
  return form.find(text).has_value();
}

/// "training finished (60 s)", "valid: loss 0.9 [15.0 s]", " (dev): 0:00:15": the one time of a
/// line that begins with a phase of the epoch is the phase's.
void take_phase_time(std::string_view text, PlainLine& line) {
  static const RegularExpression phase(R"((?i)^[\W_]{0,23}(?:t_)?(?:train|(?<held_out>)" +
                                       std::string(held_out_word) + R"())[a-z]{0,9}(?![a-z]))");
  static const RegularExpression time(
      R"((?i)(?<![\w.:])(?<time>\d{1,9}(?:\.\d+)? ?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)(?![\w/])|\d+:\d\d(?::\d\d)?(?![\d:]))(?<rest>.*))");
  static const RegularExpression date(R"(\d{4}[-/.]\d\d?[-/.]\d|\d\d?[-/.]\d\d?[-/.]\d{2})");
  const auto found =
      line.duration_s || line.evaluation_s || line.undecided || is_of_else(text) || date.find(text)
          ? std::nullopt
          : phase.find(text);
  const auto first = found ? time.find(text) : std::nullopt;
  if (!first || time.find(first->text("rest"))) {
    return;
  }
  const bool held_out = !found->text("held_out").empty();
  (held_out ? line.evaluation_s : line.duration_s) = seconds_in(*first, "time");
  line.evaluates = line.evaluates || held_out;
}

/// "Epoch time: 148 s", "Time Taken: 88 sec", "epoch complete. Time taken: 0:04:41", "Validation
/// time: 12 s".
std::optional<PlainLine> parse_duration_line(std::string_view text) {
  if (text.size() > 120 || is_of_else(text.substr(0, text.find(',')))) {
    return std::nullopt;
  }
  PlainLine line;
  if (const auto stated = durations_of(text); stated.named) {
    take_durations(stated, line);
  }
  /// "Validation loss 0.45, elapsed 00:00:39": all of the line is about it.
  static const RegularExpression of_held_out(R"((?i)^(?!.*(?:epoch|train))\W*)" +
                                             std::string(held_out_word));
  if (line.duration_s && !line.evaluation_s && of_held_out.find(text)) {
    line.evaluation_s = std::exchange(line.duration_s, {});
  }
  if (!line.duration_s && !line.evaluation_s) {
    take_phase_time(text, line);
  }
  if (!line.duration_s && !line.evaluation_s) {
    return std::nullopt;
  }
  line.role = LineRole::duration;
  line.shape = shape_of(text);
  line.evaluates = line.evaluates || !line.duration_s;
  line.duration_s = line.duration_s ? line.duration_s : std::exchange(line.evaluation_s, {});
  return line;
}

/// "train Loss: 1.8 Acc: 0.6", "val Loss: 0.7", "Mean valid. accuracy: 0.6": below a heading.
std::optional<PlainLine> parse_values_line(std::string_view text) {
  static const RegularExpression form(
      R"((?iJ)^[][:,|=\t.()*#>$ -]{0,23}(?:[a-z]{1,12} ?\d{1,4}[])]:? ?)?(?:(?:(?!best|new|sav|load|cur|so far|early|improv|no |not )\p{L}[\p{L}.']*[ ,_:-]{1,3}){0,3}?)"
      R"((?<word>train|training|trained|fit|fitting|val|valid|validation|validated|test|tested|eval|evaluation|evaluated|dev|hold-?out|held-?out)|(?<word>loss|train_loss|val_loss|valid_loss))(?![a-z_]))"
      R"((?:(?<=ained|dated|uated|ested)|(?!.{0,20}(?:\[ *\d+ ?/|(?<![a-z]|\d )(?:step|iter|batch)))))");
  const auto match = text.size() > 200 ? std::nullopt : form.find(text);
  if (!match) {
    return std::nullopt;
  }
  PlainLine line;
  take_values(" " + std::string(text), line);
  static const RegularExpression both(R"((?i)(?<![a-z])train.*(?<![a-z])(?:val|test|dev))");
  if ((line.metrics.empty() && !match->text("word").ends_with("ed")) ||
      (line.whole.size() == line.metrics.size() && both.find(text))) {
    return std::nullopt;  // "train 7600 valid 3800": sizes
  }
  line.shape = to_lower(match->text("word"));
  const auto word = std::size_t(match->text("word").data() - text.data());
  line.tail =
      shape_of(text.substr(0, std::min(text.find_first_of("0123456789", word), text.size())));
  line.evaluates =
      !line.shape.starts_with("train") && !line.shape.starts_with("fit") && line.shape != "loss";
  line.role = LineRole::summary;
  take_phase_time(text, line);
  line.evaluates = line.evaluates || (line.evaluation_s && !line.duration_s);
  line.elapsed_s = elapsed_in(text);
  if (line.elapsed_s) {  // not the time of this
    line.duration_s.reset();
    line.evaluation_s.reset();
  }
  return line;
}

/// "54.0 seconds (21 M allocations)", "Loss after epoch: 2.3 [26.2 s]": one time without a name, at
/// the begin or after a loss.
std::optional<PlainLine> parse_unnamed_duration(std::string_view text) {
  static const RegularExpression form(
      R"((?i)^(?:\W*(?:Time difference of )?|.{0,60}?(?<![a-z])(?:loss|err|error|acc|accuracy|ppl)(?![a-z])\D{0,30}[\d.]+%?[^a-z\d]{1,10}))"
      R"((?<time>\d{1,6}(?:\.\d+)? ?(?:s|secs?|seconds?|m|mins?|minutes?))(?![\w/])(?<rest>.*))");
  static const RegularExpression other(
      R"((?i)(?<![a-z])(?:val|test|eval|dev|sav|writ|stor|checkpoint|load|step|iter|batch|best|eta|left)|\d ?(?:s|secs?|mins?)(?![\w/]).*\d ?(?:s|secs?|mins?)(?![\w/]))");
  /// "12.5 s (training)"
  static const RegularExpression phase(R"((?i)^(?<time>.*\d[^()]*)\((?:(?<train>train|fit)|)" +
                                       std::string(held_out_word) + R"()[a-z]*\)\W*$)");
  const bool may = text.size() <= 160 && text.find(')') != text.npos;
  const auto of_phase = may ? phase.find(text) : std::nullopt;
  text = of_phase ? of_phase->text("time") : text;
  const auto match = text.size() > 160 || other.find(text) ? std::nullopt : form.find(text);
  if (!match) {
    return std::nullopt;
  }
  PlainLine line;
  line.role = LineRole::duration;
  line.unnamed_time = !of_phase;
  line.evaluates = of_phase && of_phase->text("train").empty();
  line.duration_s = seconds_in(*match, "time");
  line.shape = line.tail =
      shape_of(text.substr(0, std::min(text.find_first_of("0123456789"), text.size()))) + "time";
  return line;
}

/// "step 100 loss 1.98", "batch 50/200", "[50/200] loss: 0.5": it names no epoch; "Done!", "Saved
/// the final model".
std::optional<PlainLine> parse_loose_line(std::string_view text) {
  static const RegularExpression step(
      R"((?iJ)^\W{0,8}(?:(?:[a-z]+[]) :|_-]{1,3}){0,2}(?<word>step|batch|minibatch|it|iter|iteration|update)s?\W{1,8}+(?:(?<from>\d{1,15})-)?(?<step>\d{1,15}))"
      R"((?![\d.])(?: *(?:/|of ) *(?<steps>\d{1,15})(?!\d|\.\d))?|(?:[a-z]+[])]:? ?|\d{1,6}[])] ?[[(] ?|(?:eval|valid|val|test|dev)[a-z]*[]): ]{1,3}[[(]? *)?(?<step>\d{1,15}) ?(?:/|of ) *(?<steps>[1-9]\d{0,14})(?![\d./:-]))(?<rest>.*))");
  static const RegularExpression ending(
      R"((?i)(?<![a-z])(?:done|finished|completed?|saved|bye|over|total|exiting)(?![a-z]))");
  constexpr std::size_t longest = 160;
  PlainLine line;
  if (text.size() > longest) {
    return std::nullopt;
  }
  if (const auto match = step.find(text)) {
    line.role = LineRole::step;
    line.step = count_in(*match, "step");
    line.steps = count_in(*match, "steps");
    const auto from = count_in(*match, "from");
    if (from && *line.step > *from) {  // "steps 300-399": 400 are done
      *line.step += *from % (*line.step - *from + 1) == 0 ? 1 : 0;
    }
    const auto lead = text.substr(0, std::size_t(match->text("step").data() - text.data()));
    line.evaluates = is_about_held_out(lead, to_lower(match->text("rest")), line);
    line.elapsed_s = elapsed_in(match->text("rest"));
    line.unnamed_step = match->text("word").empty();
  } else if (ending.find(text)) {
    line.role = LineRole::ending;
  } else {
    return std::nullopt;
  }
  line.shape = shape_of(
      text.substr(0, line.unnamed_step ? text.size()
                                       : std::min(text.find_first_of("0123456789"), text.size())));
  return line;
}

}  // namespace

std::optional<Fraction> epoch_in(std::string_view text) {
  const auto found = find_epoch(text);
  return found ? std::optional(found->number) : std::nullopt;
}

std::optional<Phase> announced_phase(std::string_view text) {
  static const RegularExpression form(
      R"((?i)^[^a-z\d]*(?:info\W+)?(?:epoch \d+(?: ?/ ?\d+)?\W+)?(?:(?<train>train|fit)|)" +
      std::string(held_out_word) + R"()[a-z]{0,9}(?: pass| phase| set| loop)?[^a-z\d]*$)");
  const auto match = text.size() > 40 ? std::nullopt : form.find(text);
  return match ? std::optional(match->text("train").empty() ? Phase::evaluate : Phase::train)
               : std::nullopt;
}

std::optional<PlainLine> parse_plain_line(std::string_view text) {
  const auto epoch = find_epoch(text);
  if (!epoch) {
    for (const auto parse :
         {parse_values_line, parse_duration_line, parse_loose_line, parse_unnamed_duration}) {
      if (auto line = parse(text)) {
        return line;
      }
    }
    return std::nullopt;
  }
  const auto& [lead, number, rest, held_out] = *epoch;
  if (!rest.empty() && (is_letter(rest.front()) || rest.front() == '_' || rest.front() == '%')) {
    return std::nullopt;  // "epoch_3.pt", "epoch 3rd"
  }
  PlainLine line;
  line.epoch = number.number;
  line.epochs = number.total;
  if (lead.find('/') != std::string_view::npos && lead.find(' ') == std::string_view::npos) {
    return std::nullopt;  // a path
  }
  if (const auto part = part_in(rest)) {
    line.part = part;
  } else {
    auto step = step_in(rest);
    step = step ? step : step_in(lead);
    if (step) {
      line.step = step->number;
      line.steps = step->total;
      line.step_in_lead = is_bracket_fraction(lead) || after_fraction(rest) != rest;
    }
  }
  take_values(rest, line);
  if (lead.find_first_of("0123456789") != std::string_view::npos && !looks_stamped(lead)) {
    take_values(lead, line);
  }
  if (line.metrics.empty()) {  // "Time for epoch 3: 12.5"
    static const RegularExpression clock(R"(^\W*\d?\d:\d\d\W*$)");
    const auto words = clock.find(lead) ? std::string_view() : lead;  // minutes, or hours
    take_durations(durations_of(std::string(words) + "epoch" + std::string(rest)), line);
  }
  if (line.step || line.part) {
    line.elapsed_s = elapsed_in(rest);
  } else if (line.metrics.empty() && !line.duration_s && !line.undecided) {
    line.duration_s = durations_of(rest).total_s;  // "epoch 3, total time 88.2"
  }
  if (line.elapsed_s ||
      (line.step && line.step_duration_s)) {  // what else the line states is of no epoch
    line.duration_s.reset();
    line.undecided = false;
  }
  if (!line.step && !line.part) {
    take_phase_time(rest, line);
  }
  if (line.step_in_lead) {
    auto without = line;
    without.step.reset();
    decide_role(lead, after_fraction(rest), without);
    line.role_of_counter = without.role;
  }
  decide_role(lead, rest, line);
  line.evaluates = line.evaluates || held_out;
  static const RegularExpression over(
      R"((?i)^\W*[a-z]+ (?:is |was )?(?:done|finish|complet|ended|over)(?![a-z]{4}))");
  line.tail = (line.epochs ? "#/#" : "#") + std::string(held_out ? "held out" : "") +
              std::string(words_of_tail(rest)) +
              (line.step || line.part           ? " step"
               : over.find(rest)                ? " over"
               : line.role == LineRole::heading ? " begins"
                                                : "");
  line.shape = (is_rank(lead) ? std::string(trim(lead)) : shape_of(lead)) + line.tail;
  return line;
}

}  // namespace epochcast::progress
