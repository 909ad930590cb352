#include "src/measure/progress/recognizer/recognizer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "src/base/core/registry.hpp"
#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"
#include "src/measure/progress/lines/hints.hpp"
#include "src/measure/progress/lines/inner_stamps.hpp"
#include "src/measure/progress/lines/line_splitter.hpp"
#include "src/measure/progress/lines/plain_text.hpp"
#include "src/measure/progress/lines/stamp.hpp"
#include "src/measure/progress/reading/statement.hpp"
#include "src/measure/progress/recognizer/candidate.hpp"
#include "src/measure/progress/recognizer/evaluation_lines.hpp"
#include "src/measure/progress/recognizer/pattern_proposal.hpp"

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
    for (const auto* more : {&statement_hints(), &foreign_hints(), &evaluation_hints()}) {
      hints.insert(hints.end(), more->begin(), more->end());
    }
  }
  return hints;
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
        stamped{.clock = StampClock(given.meaning.dates)} {
    if (candidates.size() == 1) {  // told: there are several otherwise
      choose(candidates.front());
    }
    if (options.meaning.times_from != TimesFrom::arrival) {
      interruptions = Interruptions(options.meaning.times_from == TimesFrom::stamps,
                                    options.meaning.attempts_at_s);
      std::ranges::for_each(candidates, [](auto& candidate) { candidate.rows().begin_anywhere(); });
    }
  }

  /// A pattern has no hints, and may ask for the stamp.
  bool by_pattern() const { return !candidates.empty() && hints.empty(); }

  bool wants_every_line() const {
    return chosen != nullptr ? chosen->wants_every_line()
                             : std::ranges::any_of(candidates, &Candidate::wants_every_line);
  }

  /// Where in `bytes`, from `from` on, a line of interest may be.
  std::size_t next_place(std::string_view bytes, std::size_t from) const {
    // The first stamp, or a duration, may stand in any line.
    const bool every_line =
        by_pattern() || wants_every_line() || options.meaning.times_from != TimesFrom::arrival;
    return every_line ? from : hints.find(bytes, from);
  }

  /// No reader knows of formats of numbers: they see numbers in plain form.
  std::optional<std::string> plain(std::string_view text) const {
    return plain_numbers(text,
                         options.meaning.numbers ? *options.meaning.numbers : numbers.format());
  }

  void read(const Line& printed) {
    // A whole log is plain already.
    const bool plain_already = by_pattern() || options.meaning.times_from != TimesFrom::arrival;
    const auto other = plain_already ? std::nullopt : plain_line(printed.text);
    Line line = printed;
    line.text = other ? *other : line.text;
    if (!options.meaning.numbers) {
      numbers.read(line.text);
    }
    const auto text = plain(line.text);
    Line rest = line;
    rest.text = text ? *text : line.text;
    const auto stamp = take_stamp(rest.text);
    rest.text.remove_prefix(by_pattern() ? 0 : stamp.size);
    const auto undated = by_pattern() ? std::nullopt : without_dates(rest.text);
    rest.text = undated ? *undated : rest.text;
    rest.since_s = rest.at_s;
    if (options.meaning.times_from == TimesFrom::stamps) {
      const bool skip = options.meaning.skip_bare_stamps && is_bare(stamp, line.text);
      read_at(rest, skip ? std::nullopt : stamped.clock.time_s(stamp));
      return;
    }
    rest.timed = options.meaning.times_from == TimesFrom::arrival;
    deliver(rest);
  }

  /// A line without a stamp was printed between those of its neighbors.
  void read_at(Line line, std::optional<double> time_s) {
    if (!time_s) {
      stamped.waiting.emplace_back(line.text);
      return;
    }
    if (*time_s == 0 && is_within_epoch(line.text)) {
      std::ranges::for_each(candidates, [](auto& candidate) { candidate.rows().begin_within(); });
    }
    const double since_s = std::exchange(stamped.last_s, *time_s);
    deliver_unstamped(since_s, *time_s);
    line.at_s = line.since_s = *time_s;
    deliver(line);
  }

  void deliver_unstamped(double since_s, double until_s) {
    for (const auto& text : std::exchange(stamped.waiting, {})) {
      deliver({.text = text,
               .at_s = options.meaning.unstamped == UnstampedLines::early ? since_s : until_s,
               .since_s = since_s});
    }
  }

  void deliver(Line line) {
    if (line.timed && !by_pattern()) {
      line.evaluation = evaluations.read(line.text);
      line.begins_training = begins_training(line.text);
    }
    if (const auto restart = interruptions.read(line)) {
      std::ranges::for_each(candidates, [&](auto& candidate) { candidate.hear(*restart); });
    }
    if (chosen != nullptr ? chosen->read(line) : read_by_all(line)) {
      interruptions.note_progress(line);
    }
  }

  bool read_by_all(const Line& line) {
    bool progress = false;
    for (auto& candidate : candidates) {
      progress = candidate.read(line) || progress;
    }
    choose(false);
    return progress;
  }

  /// The one confirmed format of the special ones; of the general ones, only while no special one
  /// has evidence, and none waits. Several may be: that which knows times, and has more evidence;
  /// what is understood at the end only may be of anything, and evidence comes first.
  void choose(bool at_end) {
    Candidate* best = nullptr;
    bool several = false;
    bool special = false;
    for (auto& candidate : candidates) {
      const double of_lines = candidate.general() ? 0 : candidate.evidence();
      special = special || of_lines + candidate.evidence_of_waiting() > 0.3;
    }
    for (auto& candidate : candidates) {
      if (!candidate.confirmed() || (special && candidate.general())) {
        continue;
      }
      const auto rank = [&](Candidate& of) {
        const double times = of.rows().knows_times() ? 1 : 0;
        return at_end ? std::pair(of.evidence(), times) : std::pair(times, of.evidence());
      };
      several = best != nullptr && rank(candidate) == rank(*best);
      if (best == nullptr || rank(candidate) > rank(*best)) {
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
    choose(true);
  }

  void choose(Candidate& candidate) {
    chosen = &candidate;
    chosen->rows().keep_all();
  }

  RowBuilder& rows() {
    return !events.source.empty() ? events.rows : chosen != nullptr ? chosen->rows() : no_rows;
  }

  /// The lines of a log with stamps.
  struct StampedLines {
    StampClock clock;
    double last_s = 0;
    std::vector<std::string> waiting = {};  ///< Since the last stamp.
  };
  /// What other sources than lines tell.
  struct EventRows {
    RowBuilder rows;
    std::string source;                         ///< Empty: none makes epochs.
    std::vector<record::Metric> unplaced = {};  ///< Of readings that are not of an epoch.

    EventRows() { rows.keep_all(); }
  };

  std::vector<Candidate> candidates;
  Hints hints;
  RecognizerOptions options;
  NumberEvidence numbers;  ///< Of the lines so far, if the options do not say.
  StampedLines stamped;
  Interruptions interruptions;
  EvaluationLines evaluations;
  Candidate* chosen = nullptr;
  PatternProposal proposal;
  EventRows events;
  RowBuilder no_rows;
  std::array<LineSplitter, 3> splitters{
      LineSplitter([this](auto bytes, auto from) { return next_place(bytes, from); }),
      LineSplitter([this](auto bytes, auto from) { return next_place(bytes, from); }),
      LineSplitter([this](auto bytes, auto from) { return next_place(bytes, from); })};
};

Recognizer::Recognizer(const RecognizerOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Recognizer::~Recognizer() = default;

void Recognizer::read(Stream stream, std::string_view bytes, double at_s) {
  if (impl_->options.meaning.times_from == TimesFrom::arrival) {
    impl_->interruptions.note_output(at_s);
  }
  auto& splitter = impl_->splitters.at(static_cast<std::size_t>(stream));
  splitter.read(bytes, at_s, [&](const Line& line) { impl_->read(line); });
  if (impl_->chosen == nullptr) {
    impl_->proposal.read(bytes, at_s, [&](auto line) { return impl_->plain(line); });
  }
  tick(at_s);
}

void Recognizer::read(const Reading& reading, double at_s, std::string_view source) {
  auto& impl = *impl_;
  const bool places = reading.begins_epoch || reading.ends_epoch || reading.step;
  const bool lines_came_first =
      impl.chosen != nullptr && impl.chosen->rows().position().epochs_done > 0;
  auto& events = impl.events;
  if (reading.of_run || (events.source.empty() && (!places || lines_came_first))) {
    const auto epoch = reading.epoch ? reading.epoch : position().epoch;
    for (const auto& [name, value] : reading.metrics) {
      events.unplaced.push_back({.epoch = epoch.value_or(-1),
                                 .name = name,
                                 .value = value,
                                 .iteration = reading.step.value_or(0)});
    }
    return;
  }
  events.rows.read(reading, at_s);
  if (events.source.empty()) {
    events.source = source;
  }
}

void Recognizer::tick(double at_s) {
  impl_->rows().tick(at_s);
}

void Recognizer::finish(double at_s) {
  for (auto& splitter : impl_->splitters) {
    splitter.finish([&](const Line& line) { impl_->read(line); });
  }
  impl_->deliver_unstamped(impl_->stamped.last_s, impl_->stamped.last_s);
  impl_->finish();
  tick(at_s);
  impl_->rows().finish();
}

Rows Recognizer::take() {
  auto rows = impl_->rows().take();
  auto& more = impl_->events.unplaced;
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
  return impl_->interruptions.silences();
}

std::vector<NewStart> Recognizer::new_starts() const {
  return impl_->interruptions.new_starts();
}

bool Recognizer::has_unstamped() const {
  return impl_->rows().guesses_times();
}

std::string Recognizer::source() const {
  const auto& source = impl_->events.source;
  return !source.empty() ? source : impl_->chosen != nullptr ? impl_->chosen->name() : "none";
}

std::string Recognizer::note() const {
  if (!impl_->events.source.empty() || impl_->candidates.empty()) {
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
         impl_->proposal.text(impl_->options);
}

}  // namespace epochcast::progress
