// A way in which programs print their progress, and the registry of these formats
// (src/measure/progress/formats/, one file each).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/measure/progress/lines/line.hpp"
#include "src/measure/progress/reading/reading.hpp"

namespace epochcast::progress {

using Readings = std::vector<TimedReading>;

/// Reads the lines of one run in their order; may remember what it has seen.
class LineParser {
 public:
  virtual ~LineParser() = default;
  /// Adds to `found`, in the order of the lines, what is understood by now: of lines that waited,
  /// and of this one.
  virtual void read(const Line& line, Readings& found) = 0;
  /// The output has ended: what still waits is decided.
  virtual void finish(Readings& /*found*/) {}
  /// The evidence of lines that still wait, which no general format may take meanwhile.
  virtual double evidence_of_waiting() const { return 0; }
  /// The lines after this call come after such a statement. Whether the reader puts it into its
  /// readings itself (Reading::restart); else its candidate does.
  virtual bool hear(const Restart& /*restart*/) { return false; }
  /// Whether lines wait, so that what others tell about later lines must wait as well.
  virtual bool waits() const { return false; }
  /// Whether lines without a hint may be of this format from here on.
  virtual bool wants_every_line() const { return false; }
};

/// Of a format in which each line tells by itself what it means.
class SingleLineParser : public LineParser {
 public:
  void read(const Line& line, Readings& found) final {
    if (auto reading = parse_line(line)) {
      found.push_back({std::move(*reading), line.at_s, line.since_s});
    }
  }

 private:
  /// std::nullopt if the line is not of this format, or is broken.
  virtual std::optional<Reading> parse_line(const Line& line) = 0;
};

/// A line that waits as it is.
struct KeptLine {
  std::string text;
  double at_s = 0;
  double since_s = 0;

  explicit KeptLine(const Line& line) : text(line.text), at_s(line.at_s), since_s(line.since_s) {}
  Line line() const { return {.text = text, .at_s = at_s, .since_s = since_s}; }
};

/// Of a format in which several lines together tell what each of them means. They wait until that
/// is decided; then they, and all that follow, are interpreted in their order. `Seen` is what is
/// kept of a line, with its `at_s` and `since_s`.
template <class Seen>
class DecidingParser : public LineParser {
 public:
  void read(const Line& line, Readings& found) final {
    auto seen = see(line);
    if (waits() && line.timed && between_.size() < 2 * most_waiting()) {
      add_between({waiting_.size(), seen.has_value(), reading_of_other(line)});
    }
    if (!seen) {
      return;
    }
    if (decided_ || (waiting_.empty() && tells_alone(*seen))) {
      add(*seen, found);
      return;
    }
    keep(std::move(*seen));
    if (decide(waiting_, false)) {
      replay(found);
    }
  }

  void finish(Readings& found) final {
    if (!decided_ && decide(waiting_, true)) {
      replay(found);
    }
    end(found);
  }

 protected:
  bool waits() const final { return !decided_ && !waiting_.empty(); }
  bool decided() const { return decided_; }
  const std::vector<Seen>& waiting() const { return waiting_; }

 private:
  /// What to keep of the line; std::nullopt: it means nothing.
  virtual std::optional<Seen> see(const Line& line) = 0;
  /// Whether it means the same whatever comes, if no line before it waits.
  virtual bool tells_alone(const Seen& /*seen*/) const { return false; }
  /// Whether it is known by now what the lines mean.
  virtual bool decide(const std::vector<Seen>& waiting, bool at_end) = 0;
  /// What it means under what was decided. Readings of lines before it go to `before`.
  virtual std::optional<Reading> interpret(const Seen& seen, Readings& before) = 0;
  /// Nothing comes any more.
  virtual void end(Readings& /*found*/) {}
  /// So many lines wait; from there on one that says the same as the last stands in its place, and
  /// others are still added, until there are twice as many.
  virtual std::size_t most_waiting() const = 0;
  virtual bool says_the_same(const Seen& /*last*/, const Seen& /*next*/) const { return false; }

  void keep(Seen seen) {
    const auto most = most_waiting();
    if (waiting_.size() >= most && says_the_same(waiting_.back(), seen)) {
      waiting_.back() = std::move(seen);
    } else if (waiting_.size() < 2 * most) {
      waiting_.push_back(std::move(seen));
    }
  }

  void add(const Seen& seen, Readings& found) {
    if (auto reading = interpret(seen, found)) {
      found.push_back({std::move(*reading), seen.at_s, seen.since_s});
    }
  }

  void replay(Readings& found) {
    decided_ = true;
    const auto waiting = std::exchange(waiting_, {});
    const auto between = std::exchange(between_, {});
    auto next = between.begin();
    for (std::size_t i = 0; i <= waiting.size(); ++i) {
      for (; next != between.end() && next->place == i && !next->instead; ++next) {
        found.push_back(next->reading);
      }
      const auto before = found.size();
      if (i < waiting.size()) {
        add(waiting[i], found);
      }
      for (; next != between.end() && next->place == i && next->instead; ++next) {
        if (found.size() == before) {
          found.push_back(next->reading);
        }
      }
    }
  }

  /// What a line says that is of no format, before the waiting line of that place, or if that means
  /// nothing.
  struct Between {
    std::size_t place = 0;
    bool instead = false;
    TimedReading reading;

    bool is_other() const { return reading.reading.phase != Phase::evaluate; }
  };
  void add_between(Between next) {
    if (!between_.empty() && between_.back().place == next.place && next.is_other() &&
        between_.back().instead == next.instead &&
        between_.back().reading.reading.phase == next.reading.reading.phase) {
      between_.back() = std::move(next);  // the last of several counts
    } else {
      between_.push_back(std::move(next));
    }
  }

  std::vector<Seen> waiting_;
  std::vector<Between> between_;
  bool decided_ = false;
};

/// What a format may ask for.
struct FormatOptions {
  std::string pattern = {};  ///< The user's regular expression.
};

struct FormatSpec {
  std::string summary;  ///< What prints it: "tqdm's bars".
  /// A line of this format contains one of these; two bytes or more each. Empty: any line may be
  /// one, and the format is used only if it is asked for.
  std::vector<std::string> hints = {};
  /// Others print such lines too, inside formats of their own: it is confirmed by whole epochs
  /// only, and only while no format without this mark has any evidence.
  bool general = false;
  /// Its lines state the time of a clock, which is better than the stamps in front of them.
  bool states_clock = false;
  /// Throws Error if the options do not fit.
  std::function<std::unique_ptr<LineParser>(const FormatOptions&)> open;
};

namespace formats {
const std::map<std::string, FormatSpec>& all();
}

}  // namespace epochcast::progress
