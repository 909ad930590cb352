#include "src/measure/progress/recognizer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "src/base/core/registry.hpp"
#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/candidate.hpp"
#include "src/measure/progress/hints.hpp"
#include "src/measure/progress/line_shapes.hpp"
#include "src/measure/progress/line_splitter.hpp"
#include "src/measure/progress/pattern_check.hpp"
#include "src/measure/progress/stamp.hpp"
#include "src/measure/progress/statement.hpp"

namespace epochcast::progress {
namespace {

/// The formats that the options allow.
std::vector<Candidate> candidates_of(const RecognizerOptions& options) {
  std::vector<Candidate> found;
  const auto format = options.pattern.empty() ? options.format : "pattern";
  const FormatOptions of_format{.pattern = options.pattern};
  if (format == "auto") {
    for (const auto& [name, spec] : formats::all()) {
      if (!spec.hints.empty()) {
        found.emplace_back(name, spec, of_format);
      }
    }
  } else if (format != "none") {
    found.emplace_back(format, find_entry(formats::all(), "progress format", format), of_format);
  }
  return found;
}

std::vector<std::string> hints_of(const std::vector<Candidate>& candidates) {
  std::vector<std::string> hints;
  for (const auto& candidate : candidates) {
    const auto& of_format = formats::all().at(candidate.name()).hints;
    hints.insert(hints.end(), of_format.begin(), of_format.end());
  }
  if (!hints.empty()) {
    hints.insert(hints.end(), statement_hints().begin(), statement_hints().end());
  }
  return hints;
}

/// Whether the line names an epoch or a step with a number, or an evaluation.
bool names_progress(std::string_view text) {
  static const RegularExpression form(
      R"((?i)(?:epoch|step|iter|batch|round)[a-z]*[ :=#\t'"\[(]*\d|(?<![a-z])(?:val|test|eval|acc))");
  static const RegularExpression again(
      R"((?i)(?<![a-z])(?:continu|resum|restor|restart|load|reading))");
  const auto begin = text.substr(0, 200);
  return form.find(begin) && !again.find(begin);
}

/// Whether the line tells how far an epoch is: "step 15/30".
bool is_within_epoch(std::string_view text) {
  static const RegularExpression form(
      R"((?i)(?:step|iter|iteration|batch)[ :=#'"\[(]+\d{1,15} ?(?:/|of ) ?\d)");
  return form.find(text.substr(0, 200)).has_value();
}

}  // namespace

struct Recognizer::Impl {
  explicit Impl(const RecognizerOptions& given)
      : candidates(candidates_of(given)),
        hints(hints_of(candidates)),
        options(given),
        stamps(given.date_order),
        attempts_at_s(given.attempts_at_s.rbegin(), given.attempts_at_s.rend()),
        by_pattern(!candidates.empty() && hints.empty()) {
    if (candidates.size() == 1) {  // told: there are several otherwise
      choose(candidates.front());
    }
    events.keep_all();
    if (options.times_from != TimesFrom::arrival) {
      std::ranges::for_each(candidates, [](auto& candidate) { candidate.rows().begin_anywhere(); });
    }
  }

  /// Where in `bytes`, from `from` on, a line of interest may be.
  std::size_t next_place(std::string_view bytes, std::size_t from) const {
    // The first stamp, or a duration, may stand in any line.
    const bool every_line =
        by_pattern || wants_every_line || options.times_from != TimesFrom::arrival;
    return every_line ? from : hints.find(bytes, from);
  }

  /// No reader knows of formats of numbers: they see numbers in plain form.
  std::optional<std::string> plain(std::string_view text) const {
    return plain_numbers(text, options.numbers ? *options.numbers : numbers.format());
  }

  void read(const Line& line) {
    if (!options.numbers) {
      numbers.read(line.text);
    }
    const auto text = plain(line.text);
    Line rest = line;
    rest.text = text ? *text : line.text;
    const auto stamp = take_stamp(rest.text);
    rest.text.remove_prefix(by_pattern ? 0 : stamp.size);  // a pattern may ask for the stamp
    rest.since_s = rest.at_s;
    if (options.times_from == TimesFrom::stamps) {
      read_at(rest, stamps.time_s(stamp));
      return;
    }
    rest.timed = options.times_from == TimesFrom::arrival;
    deliver(rest);
  }

  /// A line without a stamp was printed between those of its neighbors.
  void read_at(Line line, std::optional<double> time_s) {
    if (!time_s) {
      unstamped.emplace_back(line.text);
      return;
    }
    if (*time_s == 0 && is_within_epoch(line.text)) {
      std::ranges::for_each(candidates, [](auto& candidate) { candidate.rows().begin_within(); });
    }
    const double since_s = std::exchange(stamp_s, *time_s);
    deliver_unstamped(since_s, *time_s);
    line.at_s = line.since_s = *time_s;
    deliver(line);
  }

  void deliver_unstamped(double since_s, double until_s) {
    for (const auto& text : std::exchange(unstamped, {})) {
      deliver(
          {.text = text, .at_s = options.unstamped_early ? since_s : until_s, .since_s = since_s});
    }
  }

  /// Keeps the longest silences of a log.
  void keep_silence(const Line& line) {
    constexpr std::size_t most = 64;
    constexpr double least_s = 30;
    if (!(line.at_s - last_output_s >= least_s)) {
      return;
    }
    silences.push_back({last_output_s, line.at_s, names_progress(line.text)});
    if (silences.size() > most) {
      silences.erase(std::ranges::min_element(
          silences, {}, [](const auto& silence) { return silence.until_s - silence.from_s; }));
    }
  }

  /// The line was read: whether it is one of the progress.
  void end_silence(const Line& line, bool progress) {
    if (progress && !silences.empty() && silences.back().until_s == line.at_s) {
      silences.back().ends_with_progress = true;
    }
  }

  void note_silence(double at_s) {
    const double silence_s = at_s - last_output_s;
    if (silence_s > longest_silence.silence_s) {
      longest_silence = {.at_s = at_s, .silence_s = silence_s};
    }
    last_output_s = at_s;
  }

  /// What the line says about all that follows, for all readers. A line between two stamps, which
  /// may have come at any time between them, ends no silence.
  void hear(const Line& line) {
    auto statement = statement_of(line.text);
    if (options.times_from != TimesFrom::arrival && line.since_s == line.at_s) {
      keep_silence(line);
      note_silence(line.at_s);
      if (begins_attempt(line.at_s)) {
        statement = Statement::new_attempt;
        longest_silence.silence_s = std::max(longest_silence.silence_s, 1.0);
        longest_silence.at_s = line.at_s;
      }
    }
    if (statement == Statement::ended) {
      ended = options.times_from == TimesFrom::stamps;
      return;
    }
    if (statement != Statement::none) {
      longest_silence.what = statement;
      if (longest_silence.silence_s <= 0 || statement == Statement::new_phase) {
        longest_silence.at_s = line.since_s;
      }
      for (auto& candidate : candidates) {
        candidate.hear(longest_silence);
      }
    }
    // Several lines may say it: "Auto resumed from epoch_2.pth", "Load checkpoint", "resumed epoch:
    // 2".
    const auto epoch = line.text.find("poch");
    const bool numbered = epoch != std::string_view::npos &&
                          line.text.find_first_of("0123456789", epoch) != std::string_view::npos;
    if (numbered && statement == Statement::none) {
      longest_silence = {};
    }
  }

  /// Whether a line with this stamp is the first of an attempt.
  bool begins_attempt(double at_s) {
    bool begins = std::exchange(ended, false);
    for (; !attempts_at_s.empty() && attempts_at_s.back() <= at_s; attempts_at_s.pop_back()) {
      begins = true;
    }
    return begins;
  }

  void deliver(const Line& line) {
    hear(line);
    bool progress = false;
    if (chosen != nullptr) {
      progress = chosen->read(line);
      wants_every_line = chosen->wants_every_line();
      end_silence(line, progress);
      return;
    }
    for (auto& candidate : candidates) {
      progress = candidate.read(line) || progress;
    }
    end_silence(line, progress);
    wants_every_line = std::ranges::any_of(candidates, &Candidate::wants_every_line);
    choose();
  }

  /// The one confirmed format of the special ones; of the general ones, only while no special one
  /// has evidence.
  void choose() {
    Candidate* best = nullptr;
    bool several = false;
    bool special = false;
    for (auto& candidate : candidates) {
      special = special || (!candidate.general() &&
                            candidate.evidence() + candidate.evidence_of_waiting() > 0.3);
    }
    for (auto& candidate : candidates) {
      if (!candidate.confirmed() || (special && candidate.general())) {
        continue;
      }
      several = best != nullptr && candidate.evidence() == best->evidence();
      if (best == nullptr || candidate.evidence() > best->evidence()) {
        best = &candidate;
      }
    }
    if (best != nullptr && !several) {
      choose(*best);
    }
  }

  void finish() {
    if (chosen != nullptr) {
      chosen->finish();
      return;
    }
    std::ranges::for_each(candidates, &Candidate::finish);
    choose();
  }

  void choose(Candidate& candidate) {
    chosen = &candidate;
    chosen->rows().keep_all();
  }

  void keep_metrics(const Reading& reading) {
    const auto epoch = reading.epoch ? reading.epoch : rows().position().epoch;
    for (const auto& [name, value] : reading.metrics) {
      metrics_of_events.push_back({.epoch = epoch.value_or(-1),
                                   .name = name,
                                   .value = value,
                                   .iteration = reading.step.value_or(0)});
    }
  }

  /// Looks for a line to propose a pattern for, in a part of the output that costs nothing.
  void look_for_shapes(std::string_view bytes, double at_s) {
    constexpr double first_bytes = 262'144;
    constexpr double bytes_per_s = 4096;
    if (chosen == nullptr && static_cast<double>(looked_at) < first_bytes + bytes_per_s * at_s) {
      looked_at += bytes.size();
      shape_splitter.read(bytes, at_s, [this](const Line& line) {
        const auto text = plain(line.text);
        const std::string_view words = text ? *text : line.text;
        if (static_cast<double>(looked_at) <= first_bytes) {
          sample.push_back({line.at_s, std::string(line.text)});
        }
        shapes.read(words.substr(take_stamp(words).size));
      });
    }
  }

  /// The first pattern that leads to rows, and what it reads; else what to write.
  std::string proposed() const {
    for (const auto& [pattern, values, of_epochs] : shapes.proposals()) {
      if (leads_to_rows(pattern, sample, options)) {
        const bool total = pattern.find("(?<steps>") != std::string::npos;
        return shell_quote(pattern) + ", which reads " + values +
               (of_epochs || pattern.find("(?<epoch>") != std::string::npos ? ""
                : total ? " (if these are epochs, write (?<epoch> and (?<epochs> there)"
                        : " (if these are epochs, write (?<epoch> there)");
      }
    }
    return "'REGEX' with a group (?<epoch>...) for the number of an epoch, and (?<seconds>...) for "
           "its duration if the line states it";
  }

  RowBuilder& rows() { return by_events ? events : chosen != nullptr ? chosen->rows() : no_rows; }

  std::vector<Candidate> candidates;
  Hints hints;
  RecognizerOptions options;
  StampClock stamps;
  NumberEvidence numbers;  ///< Of the lines so far, if the options do not say.
  double stamp_s = 0;
  std::vector<std::string> unstamped;  ///< Lines since the last stamp.
  std::vector<double> attempts_at_s;   ///< Those to come, the next one last.
  std::vector<Silence> silences;
  bool ended = false;  ///< A line said so, and none with a stamp came since.
  double last_output_s = 0;
  Restart longest_silence;  ///< Since the last line with the number of an epoch.
  bool wants_every_line = false;
  bool by_pattern = false;  ///< It has no hints.
  Candidate* chosen = nullptr;
  LineShapes shapes;
  LineSplitter shape_splitter;
  std::vector<SampleLine> sample;  ///< On which a pattern is tried before it is proposed.
  std::size_t looked_at = 0;
  RowBuilder events;
  RowBuilder no_rows;
  bool by_events = false;
  std::string source_of_events;
  std::vector<record::Metric> metrics_of_events;  ///< Of readings that are not placed in an epoch.
  std::array<LineSplitter, 3> splitters{
      LineSplitter([this](auto bytes, auto from) { return next_place(bytes, from); }),
      LineSplitter([this](auto bytes, auto from) { return next_place(bytes, from); }),
      LineSplitter([this](auto bytes, auto from) { return next_place(bytes, from); })};
};

Recognizer::Recognizer(const RecognizerOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Recognizer::~Recognizer() = default;

void Recognizer::read(Stream stream, std::string_view bytes, double at_s) {
  if (impl_->options.times_from == TimesFrom::arrival) {
    impl_->note_silence(at_s);  // also before lines that no reader sees
  }
  auto& splitter = impl_->splitters.at(static_cast<std::size_t>(stream));
  splitter.read(bytes, at_s, [&](const Line& line) { impl_->read(line); });
  impl_->look_for_shapes(bytes, at_s);
  tick(at_s);
}

void Recognizer::read(const Reading& reading, double at_s, std::string_view source) {
  auto& impl = *impl_;
  const bool places = reading.begins_epoch || reading.ends_epoch || reading.step;
  const bool lines_came_first =
      impl.chosen != nullptr && impl.chosen->rows().position().epochs_done > 0;
  if (reading.of_run || (!impl.by_events && (!places || lines_came_first))) {
    impl.keep_metrics(reading);
    return;
  }
  impl.events.read(reading, at_s);
  if (!impl.by_events) {
    impl.by_events = true;
    impl.source_of_events = source;
  }
}

void Recognizer::tick(double at_s) {
  impl_->rows().tick(at_s);
}

void Recognizer::finish(double at_s) {
  for (auto& splitter : impl_->splitters) {
    splitter.finish([&](const Line& line) { impl_->read(line); });
  }
  impl_->deliver_unstamped(impl_->stamp_s, impl_->stamp_s);
  impl_->finish();
  tick(at_s);
  impl_->rows().finish();
}

Rows Recognizer::take() {
  auto rows = impl_->rows().take();
  auto& more = impl_->metrics_of_events;
  rows.metrics.insert(rows.metrics.end(), more.begin(), more.end());
  more.clear();
  return rows;
}

Position Recognizer::position() const {
  return impl_->rows().position();
}

double Recognizer::lost_s() const {
  return impl_->rows().lost_s();
}

double Recognizer::begin_s() const {
  return impl_->rows().shifted_s();
}

std::vector<Silence> Recognizer::silences() const {
  return impl_->silences;
}

bool Recognizer::has_unstamped() const {
  return impl_->rows().guesses_times();
}

std::string Recognizer::source() const {
  return impl_->by_events           ? impl_->source_of_events
         : impl_->chosen != nullptr ? impl_->chosen->name()
                                    : "none";
}

std::string Recognizer::note() const {
  if (impl_->by_events || impl_->candidates.empty()) {
    return "";
  }
  const auto disagree = [](const Candidate& candidate, const std::string& effect) {
    return "lines of the output disagree, so " + effect + "; " + candidate.conflict() +
           "; to say which lines count, add --pattern 'REGEX' with a group (?<epoch>...)";
  };
  if (impl_->chosen != nullptr) {
    return impl_->chosen->conflict().empty()
               ? ""
               : disagree(*impl_->chosen, "nothing after them is read");
  }
  for (const auto& candidate : impl_->candidates) {
    if (!candidate.conflict().empty()) {
      return disagree(candidate, "only the wall time is known");
    }
  }
  return "no known progress format in the output, so only the wall time is known; to read epochs, "
         "add --pattern " +
         impl_->proposed();
}

}  // namespace epochcast::progress
