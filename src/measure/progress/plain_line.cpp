#include "src/measure/progress/plain_line.hpp"

#include <algorithm>
#include <array>

#include "src/base/core/text.hpp"
#include "src/measure/progress/stamp.hpp"

namespace epochcast::progress {
namespace {

constexpr std::size_t longest_lead = 64;  ///< "2026-11-24 22:01:09,123 INFO train: "

std::size_t find_epoch(std::string_view text) {
  for (const std::string_view word : {"poch", "POCH"}) {
    const auto at = text.substr(0, longest_lead + 5).find(word);
    if (at != std::string_view::npos && at > 0 && (text[at - 1] == 'e' || text[at - 1] == 'E')) {
      return at - 1;
    }
  }
  return std::string_view::npos;
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
  const auto bracket = text.find('[');
  const auto percent = text.find("%)]");
  if (bracket == std::string_view::npos || percent == std::string_view::npos || bracket > 3) {
    return std::nullopt;
  }
  Scanner scanner(text.substr(bracket + 1));
  scanner.skip_blanks();
  const auto samples = fraction(scanner);
  const bool is_part = samples && samples->total && *samples->total > 0 &&
                       samples->number <= *samples->total && scanner.skip(" (");
  return is_part ? std::optional(static_cast<double>(samples->number) /
                                 static_cast<double>(*samples->total))
                 : std::nullopt;
}

/// "[12.3s]", "(3m 48s)", "in 12.3 s", "took 3 min": a duration that has a unit but no name.
std::optional<double> unnamed_duration(std::string_view text) {
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
    const auto low = to_lower(text.substr(0, at));
    const auto trimmed = trim(low);
    const bool introduced = trimmed.ends_with("in") || trimmed.ends_with("took") ||
                            trimmed.ends_with("for") || trimmed.ends_with("after") ||
                            trimmed.ends_with("(") || trimmed.ends_with("[") ||
                            trimmed.ends_with("|") || trimmed.ends_with("-") || trimmed.empty() ||
                            trimmed.ends_with(",");
    if (duration->has_unit && introduced && !has_word(low, {"eta", "remain", "left", "every"})) {
      const auto rest = to_lower(trim(scanner.rest()));
      if (!rest.starts_with("/") && !rest.starts_with("remain") && !rest.starts_with("left") &&
          !rest.starts_with("<") && !rest.starts_with("per ") && !rest.starts_with("eta")) {
        return duration->seconds;
      }
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

/// The words of a text, with each number as '#'.
std::string shape_of(std::string_view text) {
  std::string shape;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_digit(text[at]) || (text[at] == '.' && shape.ends_with('#'))) {
      shape += shape.ends_with('#') ? "" : "#";
    } else if (text[at] != ' ' || !shape.ends_with(' ')) {
      shape += text[at];
    }
  }
  return shape;
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

std::optional<Fraction> take_epoch(std::string_view& text) {
  const auto at = find_epoch(text);
  if (at == std::string_view::npos || (at > 0 && is_letter(text[at - 1]))) {
    return std::nullopt;
  }
  Scanner scanner(text.substr(at + 5));
  for (const std::string_view word : {" number", " no.", "(train)", "(val)"}) {
    scanner.skip(word);
  }
  skip_marks(scanner);
  if (scanner.rest().starts_with("(")) {
    scanner.skip("(");
  }
  auto found = fraction(scanner);
  if (!found ||
      (scanner.rest().size() > 1 && scanner.rest()[0] == '.' && is_digit(scanner.rest()[1]))) {
    return std::nullopt;
  }
  text = scanner.rest();
  return found;
}

std::optional<PlainLine> parse_plain_line(std::string_view text) {
  auto rest = text;
  const auto epoch = take_epoch(rest);
  if (auto values = epoch ? std::nullopt : parse_values_line(text)) {
    return values;
  }
  if (!epoch) {
    return parse_duration_line(text);
  }
  if (!rest.empty() && (is_letter(rest.front()) || rest.front() == '_' || rest.front() == '%')) {
    return std::nullopt;  // "epoch_3.pt", "epoch 3rd"
  }
  PlainLine line;
  line.epoch = epoch->number;
  line.epochs = epoch->total;
  const auto lead = text.substr(0, find_epoch(text));
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

Statement statement_of(std::string_view text) {
  const auto has = [&](auto hint) { return text.find(hint) != std::string_view::npos; };
  if (text.size() > 200 || std::ranges::none_of(statement_hints, has)) {
    return Statement::none;
  }
  const auto low = to_lower(text);
  if (has_word(low, {"resum", "restart", "requeue", "auto-resume", "continuing from",
                     "continue from", "loaded checkpoint", "loads checkpoint", "loading checkpoint",
                     "restored from", "restoring from", "job starts", "load checkpoint"}) &&
      low.find("no checkpoint") == std::string::npos &&
      low.find("not resum") == std::string::npos && low.find("resume=") == std::string::npos &&
      low.find("resume:") == std::string::npos && low.find("shards") == std::string::npos) {
    return Statement::new_attempt;
  }
  static constexpr std::array phases{
      std::string_view("fold"),   std::string_view("stage"), std::string_view("phase"),
      std::string_view("trial"),  std::string_view("split"), std::string_view("experiment"),
      std::string_view("repeat"), std::string_view("seed"),  std::string_view("run"),
      std::string_view("task"),   std::string_view("round"), std::string_view("model")};
  for (const auto word : phases) {
    const auto at = low.find(word);
    if (at == std::string::npos || at > 24 || (at > 0 && is_letter(low[at - 1]))) {
      continue;
    }
    Scanner scanner(std::string_view(low).substr(at + word.size()));
    skip_marks(scanner);
    scanner.skip("[");
    const bool numbered = whole(scanner) && !scanner.rest().starts_with('%');  // no bar
    if (numbered && find_epoch(text) == std::string_view::npos) {
      return Statement::new_phase;
    }
  }
  return Statement::none;
}

}  // namespace epochcast::progress
