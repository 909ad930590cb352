// A format of files to which programs write metrics, and the registry of these formats
// (src/measure/progress/sources/metrics/, one file each).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/measure/progress/reading/reading.hpp"
#include "src/measure/progress/sources/remarks.hpp"

namespace epochcast::progress::sources {

/// What a program wrote at one moment. Of the four ways to state an epoch a format has at most one.
struct Sample {
  std::optional<double> since_1970_s;       ///< When; empty: the file does not say.
  std::optional<std::int64_t> step;         ///< Of the run.
  std::optional<std::int64_t> ended_epoch;  ///< This is written once an epoch, at its end; from 0.
  std::optional<std::int64_t> running_epoch;  ///< This is written in this epoch; from 0.
  std::optional<double> epochs_done;          ///< 1.5: in the middle of the second one.
  std::optional<std::int64_t> of_epoch;       ///< This belongs to it, but was written at any time.
  std::vector<NamedValue> values;             ///< None: the file was begun.
  bool is_part = false;  ///< The file holds one metric; others of this step are in other files.
};

/// Adds a value under the name that a framework gives it: "epoch" (Lightning) is the epoch that
/// runs, "train/epoch" (Trainer) a fraction of epochs done, "hp_metric" (Lightning) is left out.
void add_named_value(Sample& sample, const std::string& name, double value);

/// Sorts by time, and joins parts of one step: the first has the values of all.
void join_parts(std::vector<std::pair<double, Sample>>& timed);

/// Reads one file.
class MetricReader {
 public:
  virtual ~MetricReader() = default;
  /// Bytes as they come, cut anywhere. None: nothing came for a while, so what was written together
  /// is complete.
  virtual std::vector<Sample> read(std::string_view bytes) = 0;
  /// The file was truncated or replaced; the next bytes are from its start.
  virtual void restart() = 0;
  virtual const Remarks& remarks() const = 0;
};

struct MetricSpec {
  std::string summary;  ///< "TensorBoard's event files".
  int preference = 0;   ///< Of a folder with files of several formats, those of the smallest count.
  /// Names are whole: each new file repeats what the ones before it hold, or is one metric. Else
  /// files in another folder than the first one are others, and their names begin with the
  /// folder's.
  bool whole_names = false;
  /// Whether a file that begins so is of the format; at most `metric_head` bytes.
  std::function<bool(std::string_view head)> recognises;
  std::function<std::unique_ptr<MetricReader>(const std::filesystem::path& file)> open;
};

inline constexpr std::size_t metric_head = 4096;

namespace metrics {
const std::map<std::string, MetricSpec>& all();
}

}  // namespace epochcast::progress::sources
