// A way in which programs print their progress, and the registry of these formats
// (src/measure/progress/formats/, one file each).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/measure/progress/reading.hpp"

namespace epochcast::progress {

/// One line of output, without escape sequences of terminals.
struct Line {
  std::string_view text;     ///< Valid UTF-8; at most longest_line bytes, cut off after them.
  double at_s = 0;           ///< When its last byte came, on the record's clock.
  double since_s = 0;        ///< It is not older than this: where stamps stand in other lines only.
  bool timed = true;         ///< Both are known.
  bool redrawn = false;      ///< It ended in a carriage return (or cursor movement): a bar.
  bool from_stderr = false;  ///< Known only where the two streams are apart.
};

inline constexpr std::size_t longest_line = 4096;

/// Reads the lines of one run in their order; may remember what it has seen.
class LineParser {
 public:
  virtual ~LineParser() = default;
  /// std::nullopt if the line is not of this format, or is broken, or if only later lines can tell
  /// what it means.
  virtual std::optional<Reading> parse_line(const Line& line) = 0;
  /// Readings of lines before the one that was read last, understood by now; taken away.
  virtual std::vector<TimedReading> waiting() { return {}; }
  /// The output has ended: what still waits is decided.
  virtual void finish() {}
  /// The evidence of lines that still wait, which no general format may take meanwhile.
  virtual double evidence_of_waiting() const { return 0; }
  /// The lines after this call come after such a statement. Whether the reader puts it into its
  /// readings itself (Reading::restart); else its candidate does.
  virtual bool hear(const Restart& /*restart*/) { return false; }
  /// Whether lines without a hint may be of this format from here on.
  virtual bool wants_every_line() const { return false; }
};

/// Lines that wait until it is known what they mean: adds `line`. From `most` lines on, one that is
/// the `same` as the last, but later, stands in its place; others are still added, until there are
/// twice as many.
template <class Seen, class Same>
void keep_waiting(std::vector<Seen>& lines, Seen line, std::size_t most, Same same) {
  if (lines.size() >= most && same(lines.back(), line)) {
    lines.back() = std::move(line);
  } else if (lines.size() < 2 * most) {
    lines.push_back(std::move(line));
  }
}

/// A line that waits as it is.
struct KeptLine {
  std::string text;
  double at_s = 0;
  double since_s = 0;

  explicit KeptLine(const Line& line) : text(line.text), at_s(line.at_s), since_s(line.since_s) {}
  Line line() const { return {.text = text, .at_s = at_s, .since_s = since_s}; }
};

/// What lines that waited mean is known: adds what interpret(line) makes of each, in their order.
template <class Seen, class Interpret>
void replay_lines(std::vector<Seen>& lines, std::vector<TimedReading>& ready, Interpret interpret) {
  for (const auto& seen : std::exchange(lines, {})) {
    if (auto reading = interpret(seen)) {
      ready.push_back({std::move(*reading), seen.at_s, seen.since_s});
    }
  }
}

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
