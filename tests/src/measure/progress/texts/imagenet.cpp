// PyTorch's examples/imagenet main.py (ProgressMeter, AverageMeter) and its copies.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace imagenet_text {
void write(Program& p) {
  Plan plan(p);
  if (p.chance(0.5)) {
    p.use_stamps(plan.longest_s());
  }
  const bool old = p.chance(0.5);  // counts batches from 0
  const auto digits = std::to_string(plan.steps).size();
  const auto tests = p.whole(1, 10);
  const double test_s = std::max(plan.evaluate_s, 0.5) / static_cast<double>(tests);
  p.text.numbers_open = plan.first > 0;
  p.wait(p.real(0.1, 10));
  p.line("=> creating model 'resnet50'");
  p.wait(p.real(0.1, 10));
  const auto every = std::max<std::int64_t>(1, plan.every);
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    std::string loss;
    for (std::int64_t i = 0; i < steps; ++i) {
      p.wait(step_s);
      if (i % every == 0) {
        loss = p.number(0.1, 6, 4);
        p.line(fmt::format(
            "Epoch: [{}][{:>{}}/{}]\tTime {:6.3f} ({:6.3f})\tData  0.001 ( 0.002)\tLoss {} "
            "({})\tAcc@1 {:6.2f} ({:6.2f})\tAcc@5  50.00 ( 50.00)",
            number, i + (old ? 0 : 1), digits, plan.steps, step_s, step_s, loss, loss, 20.5,
            20.25));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    const double trained_s = p.now_s;
    for (std::int64_t i = 0; i < tests; ++i) {
      p.wait(test_s);
      if (i % 3 == 0) {
        p.line(fmt::format(
            "Test: [{}/{}]\tTime {:6.3f} ({:6.3f})\tLoss 2.1000e+00 (2.2000e+00)\tAcc@1  30.00 ( "
            "31.00)\tAcc@5  60.00 ( 61.00)",
            i + (old ? 0 : 1), tests, test_s, test_s));
      }
    }
    const auto top1 = p.number(10, 70, 3);
    p.line(fmt::format(" *   Acc@1 {} Acc@5 {}", top1, p.number(80, 99, 3)));
    auto& epoch = p.epoch(number);
    epoch.wall_s = trained_s - begin_s;
    epoch.evaluate_s = p.now_s - trained_s;
    epoch.split_known = false;
    epoch.slack_s = 0.05 * step_s * static_cast<double>(every) + 0.5 * p.text.stamp_resolution_s;
    epoch.stated_s = epoch.wall_s;
    epoch.stated_slack_s = 0.02 * epoch.wall_s + 0.001 * static_cast<double>(plan.steps);
    epoch.steps = plan.steps;
    epoch.metrics = {{"", std::stod(top1)}};
    p.noise(0.1);
  });
}

}  // namespace imagenet_text

TextSpec imagenet() {
  return {imagenet_text::write};
}

}  // namespace epochcast::tests::texts
