// Bars as tqdm draws them, understood together: which of them are those of the training.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/measure/progress/bar.hpp"
#include "src/measure/progress/format.hpp"
#include "src/measure/progress/plain_line.hpp"

namespace epochcast::progress {

/// Bars of one description and length form a series, of which each bar is drawn again and again. A
/// series is that of the training if its description has the number of an epoch, or if it comes
/// again and looks like a training: with a loss, named so, or without a name. Bars of other things
/// (tokenizing, loading) and of evaluations are none. Until the training is found, lines wait. Bars
/// of several ranks, which differ by a step or two, are one.
class BarReader final : public FormatReader {
 public:
  std::optional<Reading> read(const Line& line) override;
  std::vector<TimedReading> waiting() override;
  void finish() override;

 private:
  struct Drawn {
    std::int64_t done = 0;
    double elapsed_s = 0;
  };
  /// Bars of one description and length.
  struct Series {
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
  };
  /// A drawing or a line between them, while it is not known what it means.
  struct Seen {
    std::string text;
    double at_s = 0, since_s = 0;
    const Series* series = nullptr;  ///< nullptr: a plain line, or a bar of epochs.
    std::int64_t bar = 0;            ///< Number of the bar in its series, from 0.
    bool stray = false;              ///< Of another rank's bar, which is over here.
  };

  Seen look(const Line& line, const Bar& bar);
  bool is_new_bar(const Series& series, const Bar& bar) const;
  static bool is_stray(const Series& series, const Line& line, const Bar& bar);
  bool is_of_run(const std::string& key) const;
  void decide(bool at_end);
  void count_bars_by_lines();
  std::optional<Reading> interpret(const Seen& seen);
  std::optional<Reading> of_training(const Seen& seen, const Bar& bar);
  std::optional<Reading> of_evaluation_bar(const Bar& bar) const;
  std::optional<Reading> of_run(const Bar& bar, const Seen& seen);
  std::optional<Reading> of_other_bar(const Seen& seen);
  std::optional<Reading> of_epochs(const Bar& bar);
  std::optional<Reading> of_plain(std::string_view text);

  std::map<std::string, Series, std::less<>> series_;
  std::vector<Seen> seen_;
  std::vector<TimedReading> ready_;
  const Series* training_ = nullptr;
  std::size_t order_ = 0;
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
  std::optional<std::int64_t> run_steps_;  ///< Of the whole run, as a line says.
  bool of_run_ = false;                    ///< One bar counts all steps of the run.
  std::optional<double> whole_since_s_;    ///< The training's bar was not whole before.
};

}  // namespace epochcast::progress
