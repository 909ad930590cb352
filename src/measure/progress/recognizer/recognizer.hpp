// From the output of any program to the rows of its record: finds the format, reads the progress,
// builds epochs, iterations, metrics and spans.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/measure/progress/lines/number_format.hpp"
#include "src/measure/progress/lines/stamp.hpp"
#include "src/measure/progress/reading/format.hpp"
#include "src/measure/progress/recognizer/interruptions.hpp"
#include "src/measure/progress/rows/rows.hpp"

namespace epochcast::progress {

/// What the times of lines are: when they came; the stamps that they begin with ("2026-11-24
/// 22:01:09", "[22:01:09]"), from the first one on; or none, and durations are those that the
/// program states.
enum class TimesFrom { arrival, stamps, nothing };

/// Lines without a stamp have the time of the line with one after them, or before them.
enum class UnstampedLines { late, early };

/// What the lines of an output mean where they do not say it themselves. Of a program that runs,
/// what is known at its begin; of a whole log, what read_whole_log() found to contradict it least.
/// The same text and interpretation give the same rows.
struct Interpretation {
  TimesFrom times_from = TimesFrom::arrival;
  UnstampedLines unstamped = UnstampedLines::late;
  /// Stamps of lines that hold nothing else are not of the program.
  bool skip_bare_stamps = false;
  /// When new attempts began, besides those that lines speak of; in order.
  std::vector<double> attempts_at_s = {};
  /// Which order of day and month, which year.
  DateReading dates = {};
  /// Which signs numbers have; empty: what the lines so far say.
  std::optional<NumberFormat> numbers = {};
};

struct RecognizerOptions {
  /// "auto", "none", or the name of a format, which is then used without doubt.
  std::string format = "auto";
  /// The user's regular expression with named groups; it replaces `format` where it is not empty.
  std::string pattern = {};
  Interpretation meaning = {};
};

enum class Stream { out, err, terminal };

/// Bounded memory, whatever the program prints. Not thread-safe.
class Recognizer {
 public:
  /// Throws Error: an unknown format ("did you mean"), a pattern that is none.
  explicit Recognizer(const RecognizerOptions& options);
  ~Recognizer();
  Recognizer(Recognizer&&) = delete;

  /// Bytes as they come, cut anywhere; `at_s` on the record's clock.
  void read(Stream stream, std::string_view bytes, double at_s);
  /// A reading from another source than the printed lines: `source` is "events" (EPOCHCAST_EVENTS)
  /// or "metrics" (files of metrics). From the first such reading of a step or an epoch on, printed
  /// lines no longer make epochs, unless they have made one before: then, and where `step` is of
  /// the run, only its metrics are taken.
  void read(const Reading& reading, double at_s, std::string_view source);
  /// The clock has come to `at_s`, and nothing was printed: delivers epochs that wait for an
  /// evaluation after them. Call it about once a second; it costs nothing.
  void tick(double at_s);
  /// The program has ended. Decides what is still open.
  void finish(double at_s);

  Rows take();
  Position position() const;
  /// Of a log: the time between attempts, and of epochs that were repeated, which no row contains.
  double lost_s() const;
  /// Of a log: where on its own clock the first epoch begins; all rows count from there.
  double begin_s() const;
  /// Of a log: whether lines that state no time stood between two stamps, so that
  /// Interpretation::unstamped may matter.
  bool has_unstamped() const;
  /// Of a log: the longest times without a line, 64 at most, in order.
  std::vector<Silence> silences() const;
  /// Of a log with stamps: when what stood before the first epoch came again; 64 at most, in order.
  std::vector<NewStart> new_starts() const;
  /// What is confirmed, for the record: "tqdm", "pattern", "events", "metrics", "none".
  std::string source() const;
  /// Why there are no epochs, and the --pattern line to add; empty if there are, and with format
  /// "none".
  std::string note() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace epochcast::progress
