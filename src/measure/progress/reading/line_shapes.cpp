#include "src/measure/progress/reading/line_shapes.hpp"

#include <algorithm>
#include <set>

#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/words.hpp"

namespace epochcast::progress {
namespace {

constexpr std::size_t most_shapes = 256;
constexpr std::size_t most_numbers = 16;
constexpr std::size_t longest_shape = 256;
constexpr std::int64_t least_lines = 3;
constexpr std::int64_t shown_lines = 3;
constexpr const char* any_number = R"([-+.\deE]+)";

struct Number {
  std::size_t begin = 0;
  std::size_t size = 0;
  double value = 0;
  bool whole = false;  ///< Nothing but digits.
};

/// The numbers that begin at a word's begin, not the 5 of "acc5", with their signs.
std::vector<Number> numbers_in(std::string_view text) {
  static const RegularExpression form(
      R"((?<![A-Za-z_])(?<number>(?:(?<![\w.)\]])[-+])?\d(?:\d|\.(?=\d)|[eE](?=[-+\d])|(?<=[eE])[-+])*))");
  std::vector<Number> found;
  for (std::size_t at = 0; at < text.size();) {
    const auto match = form.find(text, at);
    if (!match) {
      break;
    }
    const auto number = match->text("number");
    const auto begin = static_cast<std::size_t>(number.data() - text.data());
    const auto unsigned_number = number.substr(number.starts_with('+') ? 1 : 0);
    if (const auto value = parse_double(unsigned_number)) {
      found.push_back({.begin = begin,
                       .size = number.size(),
                       .value = *value,
                       .whole = std::ranges::all_of(number, is_digit)});
    }
    at = begin + number.size() + 1;
  }
  return found;
}

/// What stands before a number names it, in whatever language: "loss: ", "轮次 ", "Time (ms): "; a
/// word that a comma parts from it is of the number before. Empty: none.
struct Name {
  std::string_view word;
  std::string_view words;  ///< Up to the number or mark before it.
  std::string_view unit;   ///< In brackets after the name.
};
Name name_of(std::string_view before) {
  static const RegularExpression form(
      R"((?<words>(?:[^\d,;|:=%\t()\[\]{}<>"']*)(?<![\w.]|[^\x00-\x7f]))"
      R"((?<word>(?:[A-Za-z_]|[^\x00-\x7f])(?:\w|[^\x00-\x7f])*+)))"
      R"((?: *[(\[](?<unit>ms|s|sec|secs|seconds|min|minutes)[)\]])?["' \t]*[:=#]?["' \t(\[]*$)");
  const auto match = form.find(before);
  return match ? Name{.word = match->text("word"),
                      .words = match->text("words"),
                      .unit = match->text("unit")}
               : Name{};
}

/// The unit of time that follows a number, in many languages: "2.41 seconds", "41ms", "12 秒";
/// empty: none.
std::string_view unit_after(std::string_view after) {
  static const RegularExpression form(
      R"(^ ?(?<unit>ms|msec|milliseconds?|s|secs?|seconds?|sek(?:und[a-z]*)?|segundos?|secondes?)"
      R"(|secondi|сек[а-я]*|с|секунд[а-яіи]*|秒|초|δευτ[^ ]*|ثانية|saniye|giây|detik|mins?|minut[a-z]*)"
      R"(|мин[а-я]*|分|분)(?![A-Za-z_/]))");
  const auto match = form.find(after);
  return match ? match->text("unit") : std::string_view{};
}

/// Words for what is no step and no epoch, before or after a number that counts it.
bool counts_data(std::string_view words) {
  static const RegularExpression form(
      R"((?i)(?<![a-z])(?:images?|samples?|examples?|tokens?|frames?|time_?steps?|bytes|pictures)"
      R"(|records?|rows|words|sequences|seed|pid|rank|port|size|loss|params?)(?![a-z])|time)");
  return form.find(words).has_value();
}

/// "Epoche", "época", "Эпоха", "轮次": an epoch in many languages.
bool is_epoch_word(std::string_view word) {
  static const RegularExpression form(
      R"((?i)epoch|epoca|época|epoque|époque|epok|эпох|轮|輪|世代|エポック|에포크|에폭)");
  return form.find(word).has_value();
}

/// "Dauer", "durée", "время": a word for a duration in many languages.
bool is_duration_word(std::string_view word) {
  static const RegularExpression form(
      "(?i)^(?:" + foreign_time_words + "|" + foreign_time_endings +
      R"(|duur|duree|dura[çc][ãa]o|trvání|čas|idő|времени|длительность|час|тривалість|所要時間|소요)"
      R"(|χρόνος|διάρκεια|زمن|الزمن|المدة|समय|अवधि|waktu|durasi|aika|kesto)$)");
  return form.find(word).has_value();
}

/// "wait_time": the time of something that is none of what a line counts.
bool is_time_of_else(std::string_view words, std::string_view counted) {
  static const RegularExpression form(R"((?i)(?<of>[a-z]+)[ _-]?time$)");
  static const RegularExpression of_line(
      R"((?i)^(?:epoch|round|cycle|pass|train|training|fit|step|it|iter|iteration|batch|update|wall|run)"
      R"(|running|elapsed|total|the|and|in|gen|generation|episode)$)");
  const auto match = form.find(words);
  return match && !of_line.find(match->text("of")) && match->text("of") != counted;
}

/// Whether the number may count something: it is no part of a clock time, a date, a percent, a
/// duration or a number with thousands ("107,200"), and no Unix time.
bool may_count(std::string_view text, const Number& number) {
  static const RegularExpression before_others(R"(\d[:,-]$)");
  static const RegularExpression after_others(R"(^(?:[:,]\d|[sm]| *(?:%|sec|words/|samples/)))");
  const auto before = text.substr(0, number.begin);
  const auto after = text.substr(number.begin + number.size);
  const bool year = number.size == 4 && after.size() > 1 && after[0] == '-' && is_digit(after[1]);
  const auto name = name_of(before);
  const auto low = to_lower(name.word);
  const auto next = after.substr(std::min(after.find_first_not_of(' '), after.size()));
  return number.whole && number.size < 10 && !year && !before_others.find(before) &&
         !after_others.find(after) && time_name(low) == TimeName::none && low != "wall" &&
         low != "eta" && !counts_data(name.word) &&
         !counts_data(next.substr(0, next.find_first_of(" ,;|")));
}

/// "EPOCH 3 training takes 0:12:13", "epoch 3 done": the line stands at the end of what it counts.
bool says_ended(std::string_view text) {
  static const RegularExpression form(
      R"((?i)(?<![a-z])(?:takes?|took|taken|done|finish(?:ed|es)?|complet(?:ed|es?)|end(?:ed|s)?|over)(?![a-z]))");
  return form.find(text).has_value();
}

/// Of a clock: "0:12:13".
bool is_of_clock(std::string_view text, const Number& number) {
  static const RegularExpression before(R"(\d:$)"), after(R"(^:\d)");
  return before.find(text.substr(0, number.begin)) ||
         after.find(text.substr(number.begin + number.size));
}

/// Before a number they may go: "[  9]", "[100]".
std::string_view without_last_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::string numbered_shape(std::string_view text, const std::vector<Number>& numbers) {
  std::string shape;
  std::size_t at = 0;
  for (const auto& number : numbers) {
    shape += without_last_blanks(text.substr(at, number.begin - at));
    shape += '#';
    at = number.begin + number.size;
  }
  shape += text.substr(at);
  shape.erase(
      std::unique(shape.begin(), shape.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
      shape.end());
  return shape;
}

/// Without a blank, at which a message may be broken, and without a tab, at which a shell completes
/// what is pasted.
std::string escaped(std::string_view text) {
  constexpr std::string_view blanks = R"(\s+)";
  std::string pattern;
  for (const char c : text) {
    if (c == ' ' || c == '\t') {
      pattern += pattern.ends_with(blanks) ? "" : blanks;
    } else if (c >= 0 && c < ' ') {
      pattern += '.';
    } else {
      pattern += std::string_view("\\^$.|?*+()[]{}").find(c) == std::string_view::npos ? "" : "\\";
      pattern += c;
    }
  }
  return pattern;
}

/// The name of a group for a value; empty if the word is none.
std::string group_name(std::string_view word) {
  static const RegularExpression form(R"(^(?<name>[A-Za-z_]\w{0,31})$)");
  static const std::set<std::string, std::less<>> taken{
      "epoch",         "epoch_begins", "epochs",     "step",        "steps",
      "iteration",     "samples",      "duration_s", "duration_ms", "duration_min",
      "samples_per_s", "elapsed_s",    "clock_s",    "run",         "seconds"};
  const auto match = form.find(word);
  return match && !taken.contains(word) ? std::string(word) : "";
}

std::string joined_words(std::string_view words) {
  std::string name(trim(words));
  std::ranges::replace(name, ' ', '_');
  return name;
}

/// The group that takes a duration of the line in its unit; empty if the number is none, or of
/// something else.
std::string duration_group(std::string_view text, const Number& number, std::string_view counted,
                           bool of_epochs) {
  const auto name = name_of(text.substr(0, number.begin));
  const auto kind = time_name(name.words);
  const bool by_unit =  // "sec 40.3"
      !name.word.empty() && unit_after(name.word).size() == name.word.size();
  const auto after = by_unit ? name.word : unit_after(text.substr(number.begin + number.size));
  const bool of_line = kind == TimeName::epoch || (kind == TimeName::step && !of_epochs);
  const bool named =
      (of_line && !is_time_of_else(name.words, counted)) || is_duration_word(name.word) || by_unit;
  static const RegularExpression in(
      R"((?i)(?:^|[ \t])(?:in|after|took)[ \t]*$|^[^\w]*$|[,;|(\[][ \t]*$)");
  const bool unnamed = !after.empty() && (name.word.empty() || in.find(name.words)) &&
                       in.find(text.substr(0, number.begin));
  if (!named && !unnamed) {
    return "";
  }
  const auto unit = after.empty() ? name.unit : after;
  return unit.starts_with("ms") || unit.starts_with("mil") ? "duration_ms"
         : unit.starts_with("min") || unit.starts_with("мин") || unit.starts_with("分") ||
                 unit.starts_with("분")
             ? "duration_min"
             : "seconds";
}

}  // namespace

void LineShapes::read(std::string_view line) {
  line = trim(line);
  const auto numbers = numbers_in(line);
  if (numbers.empty() || numbers.size() > most_numbers) {
    return;
  }
  ++lines_;
  const auto key = numbered_shape(line, numbers);
  auto found = shapes_.find(key);
  if (found == shapes_.end()) {
    if (shapes_.size() >= most_shapes || key.size() > longest_shape) {
      return;
    }
    found = shapes_.emplace(key, Shape{.example = std::string(line)}).first;
    found->second.first_at = lines_;
    found->second.tracks.resize(numbers.size());
  }
  auto& shape = found->second;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    auto& track = shape.tracks[i];
    const double value = numbers[i].value;
    const bool first = shape.lines == 0;
    track.first = first ? value : track.first;
    const double step = first ? 0 : value - track.last;
    // By the same each time, but for the first: 1, 10, 20, 30.
    const bool even = first || shape.lines < 3 || step == track.step || step == 1;
    track.grows = track.grows && may_count(line, numbers[i]) && (first || step > 0) && even;
    track.by_one = track.by_one && (first || step == 1);
    track.rises = track.rises && (first || step > 0);
    track.constant = track.constant && (first || step == 0);
    track.step = step;
    track.last = value;
  }
  if (shape.lines < shown_lines) {
    std::ranges::transform(numbers, std::back_inserter(shape.shown), &Number::value);
  }
  ++shape.lines;
  shape.last_at = lines_;
}

bool LineShapes::begins_what_follows(const Shape& shape) const {
  bool follows = false;
  for (const auto& [key, other] : shapes_) {
    if (&other == &shape || other.lines < least_lines) {
      continue;
    }
    if (other.first_at < shape.first_at) {
      return false;
    }
    follows = follows || other.last_at > shape.last_at;
  }
  return follows;
}

/// "10, 20, 30"
std::string LineShapes::first_values(const Shape& shape, std::size_t index) {
  std::vector<std::string> values;
  for (auto at = index; at < shape.shown.size(); at += shape.tracks.size()) {
    values.push_back(format_shortest(shape.shown[at]));
  }
  return join(values, ", ");
}

/// The number that counts: one with a total after it, else one that grows by 1, else the first.
std::size_t LineShapes::counter_of(const Shape& shape) {
  const std::string_view text = shape.example;
  const auto numbers = numbers_in(text);
  std::size_t best = numbers.size();
  int best_points = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& track = shape.tracks[i];
    if (!track.grows) {
      continue;
    }
    const auto end = numbers[i].begin + numbers[i].size;
    const auto between =
        i + 1 < numbers.size() ? trim(text.substr(end, numbers[i + 1].begin - end)) : "";
    const bool total = (between == "/" || between == "of") && shape.tracks[i + 1].constant &&
                       track.last <= shape.tracks[i + 1].last;
    const int points = 1 + (track.by_one ? 1 : 0) + (total ? 2 : 0);
    if (points > best_points) {
      best = i;
      best_points = points;
    }
  }
  return best;
}

std::vector<LineShapes::Proposal> LineShapes::proposals() const {
  std::vector<const Shape*> counting;
  for (const auto& [key, shape] : shapes_) {
    if (shape.lines >= least_lines && counter_of(shape) < shape.tracks.size()) {
      counting.push_back(&shape);
    }
  }
  // Of lines that come as often, the one whose number grows by 1.
  std::ranges::stable_sort(counting, [](const auto* a, const auto* b) {
    const auto key = [](const Shape& shape) {
      return std::pair(shape.lines, shape.tracks[counter_of(shape)].by_one);
    };
    return key(*a) > key(*b);
  });
  counting.resize(std::min<std::size_t>(counting.size(), 3));
  std::vector<Proposal> all;
  for (const auto* shape : counting) {
    for (const bool with_duration : {true, false}) {
      auto found = proposal(*shape, with_duration);
      if (!found.pattern.empty() && (all.empty() || all.back().pattern != found.pattern)) {
        all.push_back(std::move(found));
      }
    }
  }
  return all;
}

LineShapes::Proposal LineShapes::proposal(const Shape& shape, bool with_duration) const {
  const std::string_view text = shape.example;
  const auto numbers = numbers_in(text);
  const auto counter = counter_of(shape);
  const auto name_before = [&](std::size_t index) {
    return name_of(text.substr(0, numbers[index].begin));
  };
  const auto indices = [&](auto holds) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (holds(i)) {
        found.push_back(i);
      }
    }
    return found;
  };
  // "Train accuracy: 0.5, test accuracy: 0.4"
  const auto several = [&](std::string_view word) {
    return indices([&](auto i) { return name_before(i).word == word; }).size() > 1;
  };
  Proposal found;
  // Held-out data are evaluated once an epoch.
  found.of_epochs =
      is_epoch_word(name_before(counter).word) ||
      !indices([&](auto i) { return i != counter && of_evaluation(name_before(i).words); }).empty();
  const bool begins = found.of_epochs && !says_ended(text) && begins_what_follows(shape);
  std::map<std::size_t, std::string> groups{{counter, begins            ? "epoch_begins"
                                                      : found.of_epochs ? "epoch"
                                                                        : "step"}};
  const auto durations = indices([&](auto i) {
    const auto& track = shape.tracks[i];
    const bool sum = track.rises && track.last > 1.5 * track.first;  // since the start
    return i != counter && !sum && !is_of_clock(text, numbers[i]) &&
           !duration_group(text, numbers[i], name_before(counter).word, found.of_epochs).empty();
  });
  if (with_duration && durations.size() == 1) {
    groups[durations[0]] =
        duration_group(text, numbers[durations[0]], name_before(counter).word, found.of_epochs);
  }
  std::set<std::string> used;
  std::size_t at = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& number = numbers[i];
    const auto before = text.substr(at, number.begin - at);
    const auto words = without_last_blanks(before);
    found.pattern += escaped(words) + (words == before ? "" : R"(\s*)");
    at = number.begin + number.size;
    const auto name = name_before(i);
    if (i == counter + 1 && shape.tracks[i].constant &&
        (trim(before) == "/" || trim(before) == "of") &&
        shape.tracks[counter].last <= shape.tracks[i].last) {
      groups[i] = found.of_epochs ? "epochs" : "steps";
    } else if (!found.of_epochs && i != counter && number.whole && to_lower(name.word) == "epoch") {
      groups[i] = "epoch";
    } else if (!groups.contains(i) && !shape.tracks[i].constant &&
               !(number.whole && number.size >= 10) && time_name(name.words) == TimeName::none &&
               unit_after(text.substr(at)).empty()) {
      groups[i] = group_name(
          several(name.word)
              ? joined_words(name.words)
              : std::string(name.word));  // what never changes is no metric: a source line
    }
    const auto group = groups[i];
    if (group.empty() || !used.insert(group).second) {
      found.pattern += any_number;
      continue;
    }
    const bool counts = group.starts_with("epoch") || group == "step" || group == "steps";
    found.pattern += "(?<" + group + ">" + (counts ? R"(\d+)" : any_number) + ")";
    if (group == "epoch" || group == "step" || group == "epoch_begins") {
      found.values += (found.values.empty() ? "" : "; ") + group + " = " + first_values(shape, i);
    }
  }
  if (!RegularExpression(found.pattern).find(text)) {
    found.pattern.clear();
  }
  return found;
}

}  // namespace epochcast::progress
