// Swin Transformer's main.py and utils.py.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace swin_text {

void write(Program& p) {
  Plan plan(p);
  if (p.chance(0.5)) {
    p.use_stamps(plan.longest_s());
  }
  p.text.numbers_open = plan.first > 0;
  p.wait(p.real(0.1, 10));
  p.line("Creating model:swin/swin_tiny_patch4_window7_224");
  p.line("number of params: 28288354");
  p.wait(p.real(0.1, 10));
  p.line("Start training");
  const auto tests = p.whole(2, 9);
  const double test_s = std::max(plan.evaluate_s, 0.5) / static_cast<double>(tests);
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    for (std::int64_t i = 0; i < steps; ++i) {
      p.wait(step_s);
      if (i % plan.every == 0) {
        const auto loss = p.number(0.1, 6, 4);
        p.line(
            fmt::format("Train: [{}/{}][{}/{}]\teta 0:03:20 lr 0.000001\t wd 0.0500\ttime {:.4f} "
                        "({:.4f})\tloss "
                        "{} ({})\tgrad_norm 1.4300 (1.5100)\tloss_scale 65536.0000\tmem 5012MB",
                        number, plan.total, i, plan.steps, step_s, step_s, loss, loss));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    const double wall_s = p.now_s - begin_s;
    const auto s = static_cast<std::int64_t>(wall_s);
    p.line(fmt::format("EPOCH {} training takes {}:{:02d}:{:02d}", number, s / 3600, s / 60 % 60,
                       s % 60));
    const double trained_s = p.now_s;
    for (std::int64_t i = 0; i < tests; ++i) {
      p.wait(test_s);
      if (i % 3 == 0) {
        p.line(fmt::format(
            "Test: [{}/{}]\tTime {:.3f} ({:.3f})\tLoss 6.9000 (6.9100)\tAcc@1 0.391 (0.391)\tAcc@5 "
            "1.562 (1.562)\tMem 5012MB",
            i, tests, test_s, test_s));
      }
    }
    const auto top1 = p.number(10, 70, 3);
    p.line(fmt::format(" * Acc@1 {} Acc@5 {}", top1, p.number(80, 99, 3)));
    p.line(fmt::format("Accuracy of the network on the 50000 test images: {}%", top1));
    auto& epoch = p.epoch(number);
    epoch.wall_s = wall_s;
    epoch.evaluate_s = p.now_s - trained_s;
    epoch.slack_s =
        0.05 * step_s * static_cast<double>(plan.every) + 0.5 * p.text.stamp_resolution_s;
    epoch.stated_s = wall_s;
    epoch.stated_slack_s = 1.1;
    epoch.steps = plan.steps;
    epoch.metrics = {{"Acc@1", std::stod(top1)}};
    p.noise(0.1);
  });
}

}  // namespace swin_text

TextSpec swin() {
  return {swin_text::write};
}

}  // namespace epochcast::tests::texts
