// timm's train.py.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace timm_text {
void write(Program& p) {
  Plan plan(p);
  if (p.chance(0.4)) {
    p.use_stamps(plan.longest_s());
  }
  const auto ranks = 1;
  (void)ranks;
  p.wait(p.real(0.1, 10));
  p.line("Training with a single process on 1 device (cuda:0).");
  p.wait(p.real(0.1, 10));
  const bool states_total = p.chance(0.8);
  if (states_total) {
    p.line(fmt::format("Scheduled epochs: {}. LR stepped per epoch.", plan.total));
    p.text.totals = {plan.total};
  }
  p.text.numbers_open = false;
  const auto digits = std::to_string(plan.steps).size();
  const auto tests = p.whole(1, 6);
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    for (std::int64_t i = 0; i < steps; ++i) {
      p.wait(step_s);
      if (i % plan.every == 0 || i == plan.steps - 1) {
        p.line(fmt::format(
            "Train: {} [{:>{}d}/{} ({:>3.0f}%)]  Loss: {} ({})  Time: {:.3f}s, {:>7.2f}/s  "
            "({:.3f}s, "
            "{:>7.2f}/s)  LR: 1.000e-02  Data: 0.001 (0.002)",
            number, i, std::max<std::size_t>(4, digits), plan.steps,
            100.0 * static_cast<double>(i) /
                static_cast<double>(std::max<std::int64_t>(plan.steps - 1, 1)),
            p.number(0.1, 6, 3), p.number(0.1, 6, 3), step_s, 64 / step_s, step_s, 64 / step_s));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.slack_s =
        0.05 * step_s * static_cast<double>(plan.every) + 0.5 * p.text.stamp_resolution_s;
    epoch.steps = plan.steps;
    const double trained_s = p.now_s;
    if (plan.evaluate_s > 0) {
      std::string top1;
      for (std::int64_t i = 0; i <= tests; ++i) {
        p.wait(plan.evaluate_s / static_cast<double>(tests + 1));
        top1 = p.number(10, 70, 3);
        p.line(fmt::format(
            "Test: [{:>4d}/{}]  Time: 0.020 (0.020)  Loss: {:>7} ({:>6})  Acc@1: {:>7} ({:>7})  "
            "Acc@5:  90.000 ( 90.000)",
            i, tests, p.number(0.1, 6, 3), p.number(0.1, 6, 3), p.number(10, 70, 3), top1));
      }
      epoch.evaluate_s = p.now_s - trained_s;
      epoch.metrics = {{"", std::stod(top1)}};
    }
    if (p.chance(0.3)) {
      p.line("Current checkpoints:");
      p.line(" ('./output/train/checkpoint-0.pth.tar', 73.41)");
      p.line("");
    }
    p.noise(0.05);
  });
  if (!plan.part && plan.end == plan.total) {
    p.line(fmt::format("*** Best metric: 73.41 (epoch {})", plan.first));
  }
}

}  // namespace timm_text

TextSpec timm() {
  return {timm_text::write};
}

}  // namespace epochcast::tests::texts
