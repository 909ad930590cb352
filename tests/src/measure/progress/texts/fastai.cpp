// fastai's Learner: a table of epochs, with fastprogress' bar or without.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace fastai_text {
void write(Program& p) {
  const auto tables = p.chance(0.25) ? 2 : 1;  // fine_tune(): frozen first
  const bool bars = p.chance(0.5);
  const bool validates = p.chance(0.85);
  std::int64_t before = 0;
  p.wait(p.real(0.1, 10));
  for (int table = 0; table < tables; ++table) {
    Plan plan(p);
    plan.total = plan.end = table + 1 < tables ? 1 : p.whole(2, 8);
    plan.first = 0;
    plan.part = false;
    plan.interrupted = -1;
    p.plain(validates ? "epoch     train_loss  valid_loss  accuracy  time    "
                      : "epoch     train_loss  time    ");
    run(p, plan, [&](std::int64_t number, std::int64_t) {
      const double begin_s = p.now_s;
      const auto draw = [&](std::int64_t step, std::int64_t steps, double elapsed_s) {
        std::string blocks;
        for (std::int64_t i = 0; i < 20; ++i) {
          blocks += i < 20 * step / steps ? "█" : "-";
        }
        p.bytes(fmt::format("\rEpoch {}/{} : |{}| {:.2f}% [{}/{} {}<{}]", number + 1, plan.total,
                            blocks, 100.0 * static_cast<double>(step) / static_cast<double>(steps),
                            step, steps, tqdm_time(elapsed_s),
                            step == 0 ? "?"
                                      : tqdm_time(elapsed_s * static_cast<double>(steps - step) /
                                                  static_cast<double>(step))));
      };
      const double step_s = plan.step_s * p.real(0.98, 1.02);
      for (std::int64_t step = 0; step <= plan.steps; ++step) {
        p.wait(step > 0 ? step_s : 0);
        if (bars) {
          draw(step, plan.steps, p.now_s - begin_s);
        }
      }
      auto& epoch = p.epoch(before + number);
      epoch.wall_s = p.now_s - begin_s;
      if (validates) {
        const double trained_s = p.now_s;
        const double test_s = std::max(plan.evaluate_s, 0.3) / 4;
        for (std::int64_t step = 0; step <= 4; ++step) {
          p.wait(step > 0 ? test_s : 0);
          if (bars) {
            draw(step, 4, p.now_s - trained_s);
          }
        }
        epoch.evaluate_s = p.now_s - trained_s;
      }
      if (bars) {
        p.bytes("\r" + std::string(60, ' ') + "\r");
        epoch.steps = plan.steps;
      }
      const double both_s = p.now_s - begin_s;
      const auto s = static_cast<std::int64_t>(both_s);
      const auto time = s >= 3600 ? fmt::format("{}:{:02d}:{:02d}", s / 3600, s / 60 % 60, s % 60)
                                  : fmt::format("{:02d}:{:02d}", s / 60, s % 60);
      const auto a = p.number(0.1, 6, 6);
      const auto b = p.number(0.1, 6, 6);
      p.plain(validates ? fmt::format("{:<8}  {:<10}  {:<10}  {:<8}  {:<8}", number, a, b,
                                      p.number(0.1, 1, 6), time)
                        : fmt::format("{:<8}  {:<10}  {:<8}", number, a, time));
      epoch.split_known = bars || !validates;
      epoch.stated_s = both_s;
      epoch.stated_sum = true;
      epoch.stated_slack_s = 1;
      epoch.metrics = {{"train_loss", std::stod(a)}};
      if (validates) {
        epoch.metrics.push_back({"valid_loss", std::stod(b)});
      }
    });
    before += plan.total;
  }
}

}  // namespace fastai_text

TextSpec fastai() {
  return {fastai_text::write};
}

}  // namespace epochcast::tests::texts
