#include "src/progress/recognizer.hpp"

#include <algorithm>
#include <array>

#include "src/core/registry.hpp"
#include "src/core/text.hpp"
#include "src/progress/candidate.hpp"
#include "src/progress/hints.hpp"
#include "src/progress/line_shapes.hpp"
#include "src/progress/line_splitter.hpp"
#include "src/progress/stamp.hpp"

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
  return hints;
}

}  // namespace

struct Recognizer::Impl {
  explicit Impl(const RecognizerOptions& options)
      : candidates(candidates_of(options)),
        hints(hints_of(candidates)),
        clock(options.times_from),
        by_pattern(!candidates.empty() && hints.empty()) {
    if (candidates.size() == 1) {  // told: there are several otherwise
      choose(candidates.front());
    }
    events.keep_all();
  }

  /// Where in `bytes`, from `from` on, a line of interest may be.
  std::size_t next_place(std::string_view bytes, std::size_t from) const {
    // The first stamp may stand in any line.
    const bool every_line = by_pattern || wants_every_line || clock == TimesFrom::stamps;
    return every_line ? from : hints.find(bytes, from);
  }

  void read(const Line& line) {
    const auto stamp = take_stamp(line.text);
    Line rest = line;
    rest.text.remove_prefix(by_pattern ? 0 : stamp.size);  // a pattern may ask for the stamp
    if (const auto time_s = stamps.read(stamp)) {
      stamp_s = time_s;
    }
    const auto at_s = clock == TimesFrom::arrival  ? std::optional(line.at_s)
                      : clock == TimesFrom::stamps ? std::optional(stamp_s.value_or(0))
                                                   : std::nullopt;
    if (chosen != nullptr) {
      chosen->read(rest, at_s);
      wants_every_line = chosen->wants_every_line();
      return;
    }
    for (auto& candidate : candidates) {
      candidate.read(rest, at_s);
    }
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
      special = special || (!candidate.general() && candidate.evidence() > 0.3);
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
        shapes.read(line.text.substr(take_stamp(line.text).size));
      });
    }
  }

  RowBuilder& rows() { return by_events ? events : chosen != nullptr ? chosen->rows() : no_rows; }

  std::vector<Candidate> candidates;
  Hints hints;
  TimesFrom clock;
  StampReader stamps;
  std::optional<double> stamp_s;
  bool wants_every_line = false;
  bool by_pattern = false;  ///< It has no hints.
  Candidate* chosen = nullptr;
  LineShapes shapes;
  LineSplitter shape_splitter;
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

std::string Recognizer::source() const {
  return impl_->by_events           ? impl_->source_of_events
         : impl_->chosen != nullptr ? impl_->chosen->name()
                                    : "none";
}

std::string Recognizer::note() const {
  if (source() != "none" || impl_->candidates.empty()) {
    return "";
  }
  const auto pattern = impl_->shapes.pattern();
  return "no known progress format in the output, so only the wall time is known; to read epochs, "
         "add --pattern " +
         (pattern.empty() ? "'REGEX' with a group (?<epoch>...)" : shell_quote(pattern));
}

}  // namespace epochcast::progress
