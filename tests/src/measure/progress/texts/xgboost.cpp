// XGBoost's EvaluationMonitor: a line after each round or each Nth, counted from 0.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace xgboost_text {
void write(Program& p) {
  const auto every = p.chance(0.4) ? p.pick<std::int64_t>({5, 10, 50}) : 1;
  const auto count = every == 1 ? p.whole(3, 60) : every * p.whole(3, 8) + p.whole(1, every);
  const double round_s = p.spread(0.05, 20);
  const bool two = p.chance(0.7);
  if (p.chance(0.4)) {
    p.use_stamps(round_s * 50);
  }
  p.wait(p.real(0.1, 1) * round_s);
  p.line("training on 7341 rows");
  const auto folds = p.chance(0.25) ? p.whole(2, 4) : 1;
  p.kind(fmt::format("{} folds", folds));
  double begin_s = 0;
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < folds * count; ++i) {
    const auto round = i % count;
    if (i > 0 && round == 0) {
      p.wait(p.real(0, 3) * round_s);  // another part of the data
    }
    p.wait(round_s * p.real(0.99, 1.01));
    if (round % every != 0 && round + 1 != count) {
      continue;
    }
    const auto a = p.number(0.01, 2, 5);
    const auto b = p.number(0.01, 2, 5);
    p.line(fmt::format("[{}]\ttrain-rmse:{}{}", round, a, two ? "\tvalid-rmse:" + b : ""));
    const auto rounds = i + 1 - next;
    for (; next <= i; ++next) {
      auto& epoch = p.epoch(next);
      epoch.wall_s = (p.now_s - begin_s) / static_cast<double>(rounds);
      epoch.from_start = next == 0;
      epoch.slack_s = 0.01 * round_s;
    }
    p.text.epochs.back().metrics = {{"train-rmse", std::stod(a)}};
    if (two) {
      p.text.epochs.back().metrics.push_back({"valid-rmse", std::stod(b)});
    }
    begin_s = p.now_s;
  }
  p.text.ambiguous = every > 1 && count < 3 * every;
}

}  // namespace xgboost_text

TextSpec xgboost() {
  return {xgboost_text::write};
}

}  // namespace epochcast::tests::texts
