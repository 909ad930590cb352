// Bars as tqdm draws them, understood together: which of them are those of the training.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/measure/progress/bar.hpp"
#include "src/measure/progress/bar_series.hpp"
#include "src/measure/progress/format.hpp"
#include "src/measure/progress/plain_line.hpp"

namespace epochcast::progress {

/// Bars of other things (tokenizing, loading) and of evaluations are no training. Until the
/// training is found, lines wait. Bars of several ranks, which differ by a step or two, are one.
class BarParser final : public LineParser {
 public:
  std::optional<Reading> parse_line(const Line& line) override;
  std::vector<TimedReading> waiting() override;
  void finish() override;

 private:
  /// A drawing or a line between them, while it is not known what it means.
  struct Seen {
    std::string text;
    double at_s = 0, since_s = 0;
    const BarSeries* series = nullptr;  ///< nullptr: a plain line, or a bar of epochs.
    std::int64_t bar = 0;               ///< Number of the bar in its series, from 0.
  };

  void decide(bool at_end);
  void count_bars_by_lines();
  std::optional<Reading> interpret(const Seen& seen);
  std::optional<Reading> of_training(const Seen& seen, const Bar& bar);
  std::optional<Reading> of_evaluation_bar(const Bar& bar) const;
  std::optional<Reading> of_run(const Bar& bar, const Seen& seen);
  std::optional<Reading> of_other_bar(const Seen& seen);
  std::optional<Reading> of_epochs(const Bar& bar);
  std::optional<Reading> of_plain(std::string_view text);

  BarSeriesSet series_;
  std::vector<Seen> seen_;
  std::vector<TimedReading> ready_;
  const BarSeries* training_ = nullptr;
  EpochCount count_;
  std::optional<std::int64_t> epoch_;
  std::int64_t bars_per_epoch_ = 1;
  std::optional<std::int64_t> plain_base_;  ///< The plain lines' number of epoch 0.
  std::optional<std::int64_t> plain_total_;
  std::optional<std::int64_t> outer_;
  std::int64_t outer_done_ = -1;
  bool epochs_drawn_ = false;        ///< A bar of epochs has come to one.
  std::optional<std::int64_t> bar_;  ///< The training's bar that was drawn last.
  bool at_end_ = false;
  bool of_run_ = false;                  ///< One bar counts all steps of the run.
  std::optional<double> whole_since_s_;  ///< The training's bar was not whole before.
};

}  // namespace epochcast::progress
