#include "src/measure/progress/plain_line.hpp"

#include <algorithm>
#include <array>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/stamp.hpp"

namespace epochcast::progress {
namespace {

/// "Epoch 3/10", and what stands around it. Nothing after the word "epoch" is tried twice.
struct EpochNumber {
  std::string_view lead;  ///< "2026-11-24 22:01:09,123 INFO train: "; not long.
  Fraction number;
  std::string_view rest;
};

std::optional<EpochNumber> find_epoch(std::string_view text) {
  static const RegularExpression form(
      R"(^(?<lead>(?:(?![eE](?:poch|POCH)).){0,64})(?<![A-Za-z])[eE](?:poch|POCH)(?: number)?)"
      R"((?: no\.)?(?:\(train\))?(?:\(val\))?[ :=#\t'"]*+\(?+(?<open>\[)? *(?<number>\d{1,15})(?!\d))"
      R"((?: ?(?:/|of ) *(?<total>\d{1,15})(?!\d)|(?! ?(?:/|of )))(?(<open>)\])(?!\.\d)(?<rest>.*))");
  const auto match = form.find(text);
  if (!match) {
    return std::nullopt;
  }
  const auto part = [&](const char* name) { return (*match)[name].value_or(""); };
  return EpochNumber{.lead = part("lead"),
                     .number = {.number = parse_integer(part("number")).value_or(0),
                                .total = parse_integer(part("total"))},
                     .rest = part("rest")};
}

void skip_marks(Scanner& scanner) {
  while (scanner.skip(" ") || scanner.skip(":") || scanner.skip("=") || scanner.skip("#") ||
         scanner.skip("\t") || scanner.skip("'") || scanner.skip("\"")) {
  }
}

/// The ",100" of "20,100", whose 20 is in `number`.
bool take_thousand(Scanner& scanner, std::int64_t& number) {
  const auto rest = scanner.rest();
  const auto is_thousand = rest.size() >= 4 && rest[0] == ',' && number < 1'000'000'000 &&
                           std::ranges::all_of(rest.substr(1, 3), is_digit) &&
                           (rest.size() == 4 || !is_digit(rest[4]));
  if (is_thousand) {
    scanner.skip(rest.substr(0, 4));
    number = number * 1000 + parse_integer(rest.substr(1, 3)).value_or(0);
  }
  return is_thousand;
}

/// "step 100/200", "batch: 3/10", "Iteration[100/200]", "iter 100"; "[10/ 100]" right after the
/// epoch.
std::optional<Fraction> step_in(std::string_view text) {
  const auto low = to_lower(text);
  for (const std::string_view word : {"step", "batch", "iter", "it ", "it:", "it["}) {
    for (auto at = low.find(word); at != std::string::npos; at = low.find(word, at + 1)) {
      if (at > 0 && is_letter(low[at - 1])) {
        continue;
      }
      auto end = at;
      while (end < low.size() && is_letter(low[end])) {
        ++end;
      }
      Scanner scanner(text.substr(end));
      skip_marks(scanner);
      auto found = fraction(scanner);
      while (found && !found->total && take_thousand(scanner, found->number)) {
      }
      if (found && !scanner.rest().starts_with(".")) {
        return found;
      }
    }
  }
  const auto begin = text.find_first_not_of(" ]:|,-\t");
  if (begin != std::string_view::npos && (text[begin] == '[' || text[begin] == '(')) {
    Scanner scanner(text.substr(begin + 1));
    scanner.skip_blanks();
    const auto found = fraction(scanner);
    scanner.skip_blanks();
    if (found && found->total && (scanner.skip("]") || scanner.skip(")"))) {
      return found;
    }
  }
  return std::nullopt;
}

/// "[32000/60000 (53%)]" after the epoch: samples, as in PyTorch's examples.
std::optional<double> part_in(std::string_view text) {
  static const RegularExpression form(
      R"(^[^[]{0,3}\[ *(?<done>\d{1,15}) ?/ *(?<total>\d{1,15}) \(.*?%\)\])");
  const auto match = form.find(text);
  const auto done = match ? parse_double((*match)["done"].value_or("")) : std::nullopt;
  const auto total = match ? parse_double((*match)["total"].value_or("")) : std::nullopt;
  return done && total && *total > 0 && *done <= *total ? std::optional(*done / *total)
                                                        : std::nullopt;
}

/// "[12.3s]", "(3m 48s)", "in 12.3 s", "took 3 min": a duration that has a unit but no name.
std::optional<double> unnamed_duration(std::string_view text) {
  static const RegularExpression introduced(
      R"((?i)^(?!(?:.*[^a-z])?(?:eta|remain|left|every))(?:.*(?:in|took|for|after|[][(|,-]))?\s*$)");
  static const RegularExpression of_else(R"((?i)^\s*(?:/|remain|left|<|per |eta))");
  for (std::size_t at = 1; at < text.size(); ++at) {
    const bool begins =
        is_digit(text[at]) && std::string_view(" [(").find(text[at - 1]) != std::string_view::npos;
    if (!begins) {
      continue;
    }
    Scanner scanner(text.substr(at));
    const auto duration = take_duration(scanner);
    if (!duration) {
      continue;
    }
    if (duration->has_unit && introduced.find(text.substr(0, at)) &&
        !of_else.find(scanner.rest())) {
      return duration->seconds;
    }
    at = text.size() - scanner.rest().size();
  }
  return std::nullopt;
}

void take_values(std::string_view text, PlainLine& line) {
  for (auto& [value, unit, duration_s] : measured_values(text, true)) {
    const auto low = to_lower(value.name);
    if (duration_s) {
      const auto kind = time_name(low);
      if (kind == TimeName::step) {
        line.step_duration_s = duration_s;
      } else if (kind == TimeName::epoch) {
        line.duration_s = duration_s;
      }
    } else if (low == "samples" || low == "examples") {
      if (value.value >= 0 && value.value < 1e15) {
        line.samples = std::int64_t(value.value);
      }
    } else if ((unit.empty() || unit == "%") && low != "step" && low != "batch" && low != "iter" &&
               low != "iteration" && low != "steps" && low != "it" &&
               low.find("epoch") == std::string::npos && low != "eta") {
      line.metrics.push_back(std::move(value));
    }
  }
  if (!line.duration_s) {
    line.duration_s = unnamed_duration(text);
  }
}

std::string_view first_word(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(" []:,|=-\t.()*#>"), text.size());
  auto end = begin;
  while (end < text.size() && (is_letter(text[end]) || text[end] == '_')) {
    ++end;
  }
  return text.substr(begin, end - begin);
}

/// Words that name an epoch which need not be the one in which the line is printed.
bool is_mention(std::string_view lead, std::string_view rest) {
  static constexpr auto before = std::to_array<std::string_view>(
      {"best",  "saved",  "saving", "save",   "loaded",  "loading", "load",      "resum",
       "early", "stopp",  "next",   "until",  "checkpo", "restor",  "reduc",     "patience",
       "wrote", "writ",   "since",  "lowest", "highest", "warmup",  "warm-up",   "freez",
       "unfre", "decay",  "every",  "last",   "previou", "continu", "scheduled", "skip",
       "max_e", "num_ep", "total",  "max ep", "number",  "log",     "from",      "improv"});
  static constexpr auto after = std::to_array<std::string_view>(
      {"saved", "saving", "checkpo", "reduc", "did not improve", "best model", "improved",
       "written", "exporting", "early stopping", "adjust", "setting", "assigning", "went from"});
  return has_word(lead, before) || has_word(rest, after);
}

void decide_role(std::string_view lead, std::string_view rest, PlainLine& line) {
  const auto low_lead = to_lower(lead);
  const auto low = to_lower(rest);
  const bool values = !line.metrics.empty() || line.duration_s || line.samples;
  line.evaluates =
      has_word(low_lead, {"val", "test", "eval", "dev ", "dev]", "infer", "predict"}) ||
      (!line.metrics.empty() && std::ranges::all_of(line.metrics, [](const auto& value) {
        return of_evaluation(value.name);
      }));
  const auto word = first_word(low);
  line.evaluates = line.evaluates || word == "val" || word == "valid" || word == "validation" ||
                   word == "test" || word == "eval" || word == "evaluation";
  const bool of_file = has_word(low_lead, {"sav", "load", "resum"});
  if (is_mention(low_lead, low) && (!line.step || of_file)) {
    // "Epoch 3 loss 0.5, best model saved" has values of its own.
    const bool own = line.metrics.size() > 0 && !of_file && !has_word(low_lead, {"best"}) &&
                     trim(lead).size() < 3;
    line.role = own ? LineRole::summary : LineRole::mention;
  } else if (line.step || line.part) {
    line.role = LineRole::step;
  } else if (values || has_word(low_lead, {"end of", "finish", "complet", "done"}) ||
             has_word(low, {"finish", "complet", "done", "ended", "took", "end"})) {
    line.role = LineRole::summary;
  } else {
    const bool nothing =
        rest.find_first_not_of("-=:.]#*|/\\_~+<> \t,)>!") == std::string_view::npos;
    const bool begins =
        has_word(low_lead, {"start", "begin", "train", "run", "enter", "epoch", "now"}) ||
        has_word(low, {"start", "begin", "train", "running", "lr", "learning"});
    line.role = nothing || begins || line.evaluates ? LineRole::heading : LineRole::mention;
  }
}

/// "Epoch time: 148 s", "Time Taken: 88 sec", "epoch complete. Time taken: 0:04:41".
std::optional<PlainLine> parse_duration_line(std::string_view text) {
  const auto low = to_lower(text);
  if (text.size() > 120 || has_word(low, {"eta", "total", "load", "batch", "step", "iter", "data",
                                          "import", "init", "build", "compil", "start", "val",
                                          "test", "eval", "saving", "remain", "prepar", "infer"})) {
    return std::nullopt;
  }
  for (const auto& value : measured_values(text, true)) {
    if (value.duration_s && time_name(value.named.name) == TimeName::epoch) {
      PlainLine line;
      line.role = LineRole::duration;
      line.duration_s = value.duration_s;
      return line;
    }
  }
  return std::nullopt;
}

/// "train Loss: 1.8 Acc: 0.6", "val Loss: 0.7", "LOSS train 1.8 valid 0.6": below a heading.
std::optional<PlainLine> parse_values_line(std::string_view text) {
  const auto low = to_lower(text.substr(0, 24));
  const auto word = first_word(low);
  const bool begins = word == "train" || word == "val" || word == "valid" || word == "validation" ||
                      word == "test" || word == "loss" || word == "training" || word == "eval" ||
                      word == "train_loss" || word == "val_loss" || word == "valid_loss";
  if (!begins || text.size() > 200) {
    return std::nullopt;
  }
  PlainLine line;
  take_values(" " + std::string(text), line);
  const auto rest =
      std::string_view(low).substr(std::min(low.size(), low.find(word) + word.size()));
  if (line.metrics.empty() || has_word(low, {"step", "iter", "batch"}) || rest.starts_with("er") ||
      rest.find('[') != std::string_view::npos) {
    return std::nullopt;
  }
  line.evaluates = word.starts_with("val") || word == "test" || word == "eval";
  line.shape = std::string(word);
  line.role = LineRole::summary;
  return line;
}

}  // namespace

std::optional<Fraction> epoch_in(std::string_view text) {
  const auto found = find_epoch(text);
  return found ? std::optional(found->number) : std::nullopt;
}

std::optional<PlainLine> parse_plain_line(std::string_view text) {
  const auto epoch = find_epoch(text);
  if (!epoch) {
    auto values = parse_values_line(text);
    return values ? values : parse_duration_line(text);
  }
  const auto& [lead, number, rest] = *epoch;
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
    }
  }
  take_values(rest, line);
  if (lead.find_first_of("0123456789") != std::string_view::npos && !looks_stamped(lead)) {
    take_values(lead, line);
  }
  decide_role(lead, rest, line);
  line.shape = (is_rank(lead) ? std::string(trim(lead)) : shape_of(lead)) + "#" +
               (line.epochs ? "/#" : "") + std::string(first_word(rest)) +
               (line.step || line.part ? " step" : "");
  return line;
}

}  // namespace epochcast::progress
