// LightGBM's log_evaluation(): a line after each Nth round, counted from 1.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace lightgbm_text {
void write(Program& p) {
  const auto every = p.chance(0.5) ? p.pick<std::int64_t>({5, 10, 50}) : 1;
  const auto lines = p.whole(4, 30);
  const double round_s = p.spread(0.05, 20);
  const bool stops = p.chance(0.3);
  if (p.chance(0.4)) {
    p.use_stamps(round_s * 50);
  }
  p.wait(p.real(0.1, 1) * round_s);
  p.line("[LightGBM] [Info] Total Bins 7341");
  p.line(
      "[LightGBM] [Info] Number of data points in the train set: 7341, number of used features: 7");
  double begin_s = 0;
  const bool says_start = p.chance(0.7);  // where the score to begin from is not 0
  const auto folds = p.chance(0.25) ? p.whole(2, 4) : 1;
  p.kind(fmt::format("{} folds", folds));
  for (std::int64_t fold = 0; fold < folds; ++fold) {
    p.wait(fold > 0 ? p.real(0, 3) * round_s : 0);
    if (says_start) {
      begin_s = p.now_s;
      p.line("[LightGBM] [Info] Start training from score 0.7341");
      if (p.chance(0.3)) {  // one for each class
        p.line("[LightGBM] [Info] Start training from score -0.7341");
      }
    }
    if (stops) {
      p.line("Training until validation scores don't improve for 7 rounds");
    }
    std::string a;
    std::string b;
    for (std::int64_t i = 1; i <= lines; ++i) {
      p.wait(round_s * static_cast<double>(every) * p.real(0.99, 1.01));
      a = p.number(0.01, 2, 6);
      b = p.number(0.01, 2, 6);
      p.line(fmt::format("[{}]\ttraining's l2: {}\tvalid_0's l2: {}", i * every, a, b));
      for (auto n = (i - 1) * every; n < i * every; ++n) {
        auto& epoch = p.epoch(fold * lines * every + n);
        epoch.wall_s = (p.now_s - begin_s) / static_cast<double>(every);
        epoch.slack_s = 0.01 * round_s + (begin_s == 0 ? p.text.first_stamp_s : 0);
      }
      p.text.epochs.back().metrics = {{"training's l2", std::stod(a)},
                                      {"valid_0's l2", std::stod(b)}};
      begin_s = p.now_s;
    }
    if (stops) {
      p.line("Early stopping, best iteration is:");
      p.line(fmt::format("[{}]\ttraining's l2: 0.7341\tvalid_0's l2: 0.7341",
                         std::max<std::int64_t>(1, lines * every - 7)));
    }
  }
}

}  // namespace lightgbm_text

TextSpec lightgbm() {
  return {lightgbm_text::write};
}

}  // namespace epochcast::tests::texts
