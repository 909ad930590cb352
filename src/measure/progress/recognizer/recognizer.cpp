#include "src/measure/progress/recognizer/recognizer.hpp"

#include <array>
#include <utility>

#include "src/base/core/lists.hpp"
#include "src/base/core/regular_expression.hpp"
#include "src/measure/progress/lines/hints.hpp"
#include "src/measure/progress/lines/inner_stamps.hpp"
#include "src/measure/progress/lines/line_splitter.hpp"
#include "src/measure/progress/lines/plain_text.hpp"
#include "src/measure/progress/lines/stamp.hpp"
#include "src/measure/progress/reading/statement.hpp"
#include "src/measure/progress/recognizer/candidates.hpp"
#include "src/measure/progress/recognizer/evaluation_lines.hpp"
#include "src/measure/progress/recognizer/pattern_proposal.hpp"
#include "src/measure/progress/rows/row_builder.hpp"

namespace epochcast::progress {

/// Lines of a log in which only some begin with a stamp: one without was printed between those of
/// its neighbors.
class StampedLines {
 public:
  explicit StampedLines(const Interpretation& meaning)
      : clock_(meaning.dates), unstamped_(meaning.unstamped) {}

  std::optional<double> time_s(const Stamp& stamp) { return clock_.time_s(stamp); }
  void add_unstamped(const Line& line) { waiting_.emplace_back(line); }
  /// Those since the last stamp: the next is at `until_s`; without it, none comes.
  std::vector<KeptLine> take_unstamped(std::optional<double> until_s) {
    const double since_s = std::exchange(last_s_, until_s.value_or(last_s_));
    for (auto& line : waiting_) {
      line.at_s = unstamped_ == UnstampedLines::early ? since_s : last_s_;
      line.since_s = since_s;
    }
    return std::exchange(waiting_, {});
  }

 private:
  StampClock clock_;
  UnstampedLines unstamped_;
  double last_s_ = 0;
  std::vector<KeptLine> waiting_;
};

/// What other sources than printed lines tell, events and files of metrics: they make the epochs
/// from the first step or epoch on, unless lines have made one before.
class EventRows {
 public:
  EventRows() { rows_.keep_all(); }

  void read(const Reading& reading, double at_s, std::string_view source,
            const RowBuilder& of_lines) {
    const bool places = reading.begins_epoch || reading.ends_epoch || reading.step;
    const bool lines_came_first = of_lines.position().epochs_done > 0;
    if (reading.of_run || (source_.empty() && (!places || lines_came_first))) {
      const auto& now = source_.empty() ? of_lines.position() : rows_.position();
      for (const auto& [name, value] : reading.metrics) {
        unplaced_.push_back({.epoch = reading.epoch ? *reading.epoch : now.epoch.value_or(-1),
                             .name = name,
                             .value = value,
                             .iteration = reading.step.value_or(0)});
      }
      return;
    }
    rows_.read(reading, at_s);
    source_ = source_.empty() ? source : source_;
  }
  /// Empty: none makes epochs.
  const std::string& source() const { return source_; }
  RowBuilder& rows() { return rows_; }
  /// Values that are of no epoch.
  std::vector<record::Metric> take_unplaced() { return std::exchange(unplaced_, {}); }

 private:
  RowBuilder rows_;
  std::string source_;
  std::vector<record::Metric> unplaced_;
};

namespace {

/// Whether the line tells how far an epoch is: "step 15/30".
bool is_within_epoch(std::string_view text) {
  static const RegularExpression form(
      R"((?i)(?:step|iter|iteration|batch)[ :=#'"\[(]+\d{1,15} ?(?:/|of ) ?\d)");
  return form.find(text.substr(0, 200)).has_value();
}

}  // namespace

struct Recognizer::Impl {
  explicit Impl(const RecognizerOptions& given)
      : candidates(given.format, given.pattern),
        hints(candidates.hints()),
        options(given),
        stamped(given.meaning) {
    if (options.meaning.times_from != TimesFrom::arrival) {
      interruptions = Interruptions(options.meaning.times_from == TimesFrom::stamps,
                                    options.meaning.attempts_at_s);
      candidates.begin_anywhere();
    }
  }

  /// A pattern has no hints, and may ask for the stamp.
  bool by_pattern() const { return !candidates.empty() && hints.empty(); }

  /// Where in `bytes`, from `from` on, a line of interest may be.
  std::size_t next_place(std::string_view bytes, std::size_t from) const {
    // The first stamp, or a duration, may stand in any line.
    const bool every_line = by_pattern() || candidates.wants_every_line() ||
                            options.meaning.times_from != TimesFrom::arrival;
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
      read_at(rest, skip ? std::nullopt : stamped.time_s(stamp));
      return;
    }
    rest.timed = options.meaning.times_from == TimesFrom::arrival;
    deliver(rest);
  }

  void read_at(Line line, std::optional<double> time_s) {
    if (!time_s) {
      stamped.add_unstamped(line);
      return;
    }
    if (*time_s == 0 && is_within_epoch(line.text)) {
      candidates.begin_within();
    }
    deliver_unstamped(time_s);
    line.at_s = line.since_s = *time_s;
    deliver(line);
  }

  void deliver_unstamped(std::optional<double> until_s) {
    for (const auto& kept : stamped.take_unstamped(until_s)) {
      deliver(kept.line());
    }
  }

  void deliver(Line line) {
    if (line.timed && !by_pattern()) {
      line.evaluation = evaluations.read(line.text);
      line.begins_training = begins_training(line.text);
    }
    if (const auto restart = interruptions.read(line)) {
      candidates.hear(*restart);
    }
    if (candidates.read(line)) {
      interruptions.note_progress(line);
    }
  }

  RowBuilder& rows() { return events.source().empty() ? candidates.rows() : events.rows(); }

  Candidates candidates;
  Hints hints;
  RecognizerOptions options;
  NumberEvidence numbers;  ///< Of the lines so far, if the options do not say.
  StampedLines stamped;
  Interruptions interruptions;
  EvaluationLines evaluations;
  PatternProposal proposal;
  EventRows events;
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
  if (impl_->candidates.chosen() == nullptr) {
    impl_->proposal.read(bytes, at_s, [&](auto line) { return impl_->plain(line); });
  }
  tick(at_s);
}

void Recognizer::read(const Reading& reading, double at_s, std::string_view source) {
  impl_->events.read(reading, at_s, source, impl_->candidates.rows());
}

void Recognizer::tick(double at_s) {
  impl_->rows().tick(at_s);
}

void Recognizer::finish(double at_s) {
  for (auto& splitter : impl_->splitters) {
    splitter.finish([&](const Line& line) { impl_->read(line); });
  }
  impl_->deliver_unstamped(std::nullopt);
  impl_->candidates.finish();
  tick(at_s);
  impl_->rows().finish();
}

Rows Recognizer::take() {
  auto rows = impl_->rows().take();
  append(rows.metrics, impl_->events.take_unplaced());
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
  const auto& source = impl_->events.source();
  const auto* chosen = impl_->candidates.chosen();
  return !source.empty() ? source : chosen != nullptr ? chosen->name() : "none";
}

std::string Recognizer::note() const {
  const auto& candidates = impl_->candidates;
  if (!impl_->events.source().empty() || candidates.empty()) {
    return "";
  }
  const bool known = candidates.chosen() != nullptr;
  if (const auto conflict = candidates.conflict(); !conflict.empty()) {
    return std::string("lines of the output disagree, so ") +
           (known ? "nothing after them is read; " : "only the wall time is known; ") + conflict +
           "; to say which lines count, add --pattern 'REGEX' with a group (?<epoch>...)";
  }
  if (known) {
    return "";
  }
  return "no known progress format in the output, so only the wall time is known; to read epochs, "
         "add --pattern " +
         impl_->proposal.text(impl_->options);
}

}  // namespace epochcast::progress
