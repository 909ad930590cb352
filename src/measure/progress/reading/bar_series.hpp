// Bars of one description and length: a series, of which each bar is drawn again and again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/measure/progress/reading/bar.hpp"
#include "src/measure/progress/reading/format.hpp"

namespace epochcast::progress {

struct BarSeries {
  struct Drawn {
    std::int64_t done = 0;
    double elapsed_s = 0;
  };
  std::string key;  ///< The shape of the description, '|', and the length if it is one.
  std::size_t order = 0;
  int rank = 0;  ///< How much it looks like a training; below 0: it is something else.
  std::int64_t bars = 0;
  std::int64_t drawn = 0;
  std::int64_t whole = 0;  ///< Of them, those that were drawn to their end.
  Drawn last;
  std::optional<Drawn> last_of_before;  ///< Of the bar before.
  double began_s = 0, last_s = 0;
  double before_s = 0;                 ///< How long the bar before was drawn.
  std::optional<std::int64_t> number;  ///< Of the epoch, as printed.
  std::int64_t numbers = 0;            ///< Different ones.
  bool prepares = false;               ///< By its description, it loads, converts, collects.
  bool learns = false;                 ///< By its description.
  std::optional<double> held_out;      ///< The last value of an evaluation.
  std::int64_t evaluations = 0;        ///< How often that changed before the end of a bar.

  /// There is an evaluation after each of what it counts: these are epochs.
  bool counts_epochs() const { return bars == 1 && evaluations > 1; }
};

/// Decides which bar of which series a drawing is of, and which series is that of the training: one
/// whose description has the number of an epoch, or one that comes again and looks like a training:
/// with a loss, named so, or without a name.
class BarSeriesSet {
 public:
  struct Place {
    /// nullptr: there are too many, or it is of another rank's bar, which is over here.
    const BarSeries* series = nullptr;
    std::int64_t bar = 0;  ///< Number of the bar in its series, from 0.
  };
  Place add(const Line& line, const Bar& bar);
  bool empty() const { return series_.empty(); }
  /// Whether a bar that may be of a training was drawn to its end.
  bool has_whole() const;
  /// Whether the training's bars come after others with the number of the epoch, which hand out
  /// work and collect it: no evaluations either.
  bool has_helpers(const BarSeries& training) const;
  /// Other bars of each epoch that are parts of its training: one of some length before the
  /// training's (a program plays, and then learns from that), or another that learns.
  std::set<const BarSeries*> parts(const BarSeries& training) const;
  /// Of the whole run, as a line says.
  void set_run_steps(std::optional<std::int64_t> steps) { run_steps_ = steps; }
  /// Whether its bars count the steps of the whole run.
  bool is_of_run(const BarSeries& series) const;
  /// The training, by what has come so far; std::nullopt: it is not known yet. With
  /// `epochs_drawn`, an outer bar counts the epochs, and there may be no inner one.
  std::optional<const BarSeries*> training(bool at_end, bool epochs_drawn) const;

 private:
  const BarSeries* longest(const BarSeries& first) const;

  std::map<std::string, BarSeries, std::less<>> series_;
  std::optional<std::int64_t> run_steps_;
  const BarSeries* drawn_last_ = nullptr;
};

/// The values of a bar: of its description and after its rate.
std::vector<NamedValue> bar_values(const Bar& bar);

}  // namespace epochcast::progress
