// Progress lines of any program, read with the user's regular expression. Its groups name the
// values: (?<epoch>..), (?<iteration>..), and a duration. A line with an iteration is
// one, else it is an epoch's.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/import/imported_rows.hpp"
#include "analysis/import/importer.hpp"
#include "src/base/core/error.hpp"
#include "src/base/core/gzip.hpp"
#include "src/base/core/regular_expression.hpp"
#include "src/base/core/text.hpp"

namespace epochcast::analysis::importers {
namespace lines_importer {

const std::vector<std::string> known_groups{"run",        "epoch",         "iteration",
                                            "duration_s", "duration_ms",   "duration_min",
                                            "samples",    "samples_per_s", "elapsed_s"};

using Match = RegularExpression::Match;

void check(const RegularExpression& pattern) {
  for (const auto& name : pattern.names()) {
    if (std::ranges::find(known_groups, name) == known_groups.end()) {
      throw Error(
          fmt::format("--pattern: unknown group '{}'{}", name, did_you_mean(name, known_groups)));
    }
  }
  if (!pattern.has("epoch") && !pattern.has("iteration")) {
    throw Error(
        "--pattern: found neither (?<epoch>...) nor (?<iteration>...), expected one of them");
  }
  const bool by_rate = pattern.has("samples") && pattern.has("samples_per_s");
  const auto has = [&](const char* name) { return pattern.has(name); };
  const auto durations = {"duration_s", "duration_ms", "duration_min", "elapsed_s"};
  if (!by_rate && std::none_of(durations.begin(), durations.end(), has)) {
    throw Error(
        "--pattern: found no duration, expected (?<duration_s>...), duration_ms, duration_min, "
        "elapsed_s, or samples and samples_per_s");
  }
}

/// Reads the lines of one log.
class Log {
 public:
  Log(const RegularExpression& pattern, std::string run)
      : pattern_(pattern), run_(std::move(run)) {}

  /// std::nullopt if the pattern does not occur, or if the line's time cannot be distinguished from
  /// other lines'. Throws Error if a group holds no number.
  std::optional<ImportedRow> row_of(const std::string& line) {
    const auto match = pattern_.find(line);
    if (!match) {
      return std::nullopt;
    }
    ImportedRow row{.run = std::string((*match)["run"].value_or(run_)),
                    .epoch = number(*match, "epoch"),
                    .iteration = number(*match, "iteration"),
                    .duration_s = 0,
                    .samples = number(*match, "samples").value_or(0)};
    if (!row.epoch && !row.iteration) {
      throw Error("found neither epoch nor iteration");
    }
    const auto duration_s = (*match)["elapsed_s"] ? since_last(*match, row) : stated(*match);
    if (!duration_s) {
      return std::nullopt;
    }
    row.duration_s = plausible_duration_s(*duration_s, line);
    return row;
  }

 private:
  static std::optional<double> number(const Match& match, const std::string& name) {
    const auto text = match[name];
    return text ? std::optional(counted_number(std::string(*text), name)) : std::nullopt;
  }

  static std::optional<double> stated(const Match& match) {
    for (const auto& [name, unit_s] :
         {std::pair{"duration_s", 1.0}, {"duration_ms", 0.001}, {"duration_min", 60.0}}) {
      if (const auto text = match[name]) {
        return unit_s * positive_number(std::string(*text), name);
      }
    }
    const auto samples = match["samples"];
    const auto rate = match["samples_per_s"];
    if (samples && rate) {
      return positive_number(std::string(*samples), "samples") /
             positive_number(std::string(*rate), "samples_per_s");
    }
    throw Error("found no duration");
  }

  /// Time since the line before, shared evenly by the steps between the two. The count begins with
  /// the run, and again with a line whose time jumps back: a restart, for which the number of
  /// earlier steps is not known.
  std::optional<double> since_last(const Match& match, const ImportedRow& row) {
    const Moment now{counted_number(std::string(match.text("elapsed_s")), "elapsed_s"), row.epoch,
                     row.iteration};
    auto& last = last_[row.run];
    const double time_s = now.elapsed_s - last.elapsed_s;
    if (time_s == 0) {
      return std::nullopt;  // within the clock's resolution: the next line has this one's steps too
    }
    const auto steps = now.steps_since(last);
    last = now;
    return time_s > 0 && steps ? std::optional(time_s / *steps) : std::nullopt;
  }

  struct Moment {
    double elapsed_s = 0;
    std::optional<double> epoch = {};
    std::optional<double> iteration = {};

    /// std::nullopt if the iterations start again: what lies between two epochs is not known.
    std::optional<double> steps_since(const Moment& before) const {
      if (iteration) {
        const double done = *iteration - before.iteration.value_or(0);
        const bool first = !before.iteration && !before.epoch;
        return done > 0 ? std::optional(done) : first ? std::optional(1.0) : std::nullopt;
      }
      return std::max(1.0, *epoch - before.epoch.value_or(*epoch));
    }
  };
  const RegularExpression& pattern_;
  std::string run_;
  std::map<std::string, Moment> last_;
};

Imported read(const std::string& file, const ImportOptions& options) {
  if (options.pattern.empty()) {
    throw Error(
        "--pattern is missing: a regular expression such as "
        "'epoch (?<epoch>\\d+).* (?<duration_s>[\\d.]+) s'");
  }
  const RegularExpression pattern(options.pattern);
  check(pattern);
  constexpr std::size_t longest = 4096;  // a longer one is no progress line
  Log log(pattern, std::filesystem::path(file).stem());
  Imported imported;
  std::vector<ImportedRow> rows;
  std::vector<std::string> unmatched;  // the first lines that are no progress lines
  std::size_t number = 0;
  for (const auto& line : split(read_text_or_gzip(file), '\n')) {
    ++number;
    for (const auto& part : split(line, '\r')) {  // a progress bar overwrites its line
      try {
        if (part.size() > longest) {
          throw Error(
              fmt::format("found {} characters, expected at most {}", part.size(), longest));
        }
        if (const auto row = log.row_of(part)) {
          rows.push_back(*row);
        } else if (unmatched.size() < 3 && !trim(part).empty()) {
          unmatched.push_back(
              fmt::format("{}:{}: does not match --pattern: '{:.80}'", file, number, part));
        }
      } catch (const Error& error) {
        imported.remarks.push_back(fmt::format("{}:{}: {}", file, number, error.what()));
      }
    }
  }
  if (rows.empty()) {
    imported.remarks.insert(imported.remarks.end(), unmatched.begin(), unmatched.end());
  }
  imported.notes = notes_on_numbers(rows);
  imported.records = records_of(std::move(rows), {"lines", file, options.allocation, options.gpu});
  return imported;
}

}  // namespace lines_importer

ImporterSpec lines() {
  return {.summary = "progress lines of any program, read with --pattern",
          .read = lines_importer::read};
}

}  // namespace epochcast::analysis::importers
