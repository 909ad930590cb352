// MetricLogger of torchvision's reference scripts, and of DETR, DINO, MAE and others that took it
// over.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace torchvision_text {
std::string clock(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds + 0.5);
  return fmt::format("{}:{:02d}:{:02d}", s / 3600, s / 60 % 60, s % 60);
}

double lines_of(Program& p, const std::string& head, std::int64_t from, std::int64_t count,
                std::int64_t total, std::int64_t every, double step_s, const std::string& loss) {
  const double begin_s = p.now_s;
  const auto digits = std::to_string(total).size();
  for (auto i = from; i < count; ++i) {
    p.wait(step_s);
    if (i % every == 0 || i == total - 1) {
      p.line(fmt::format(
          "{}  [{:>{}}/{}]  eta: {}  lr: 0.1  img/s: 64.0  loss: {} ({})  acc1: 25.0000 (25.0000)  "
          "time: {:.4f}  data: 0.0020  max mem: 512",
          head, i, digits, total, clock(step_s * static_cast<double>(total - i)), loss, loss,
          step_s));
    }
  }
  return p.now_s - begin_s;
}

void write(Program& p) {
  Plan plan(p);
  if (p.chance(0.5)) {
    p.use_stamps(plan.longest_s());
  }
  const bool detr = p.chance(0.3);
  p.text.numbers_open = plan.first > 0;
  p.wait(p.real(0.1, 10));
  p.line("Loading data");
  p.line("Took 0.7341");
  p.wait(p.real(0.1, 10));
  p.line("Start training");
  const auto tests = p.whole(2, 8);
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    const auto head = fmt::format("Epoch: [{}]", number);
    const auto loss = p.number(0.1, 6, 4);
    lines_of(p, head, 0, steps, plan.steps, plan.every, step_s, loss);
    if (steps < plan.steps) {
      return;
    }
    const double wall_s = p.now_s - begin_s;
    p.line(fmt::format("{} Total time: {}{}", head, clock(wall_s),
                       detr ? fmt::format(" ({:.4f} s / it)", step_s) : ""));
    auto& epoch = p.epoch(number);
    epoch.wall_s = wall_s;
    epoch.slack_s =
        0.05 * step_s * static_cast<double>(plan.every) + 0.5 * p.text.stamp_resolution_s;
    epoch.stated_s = wall_s;
    epoch.stated_slack_s = 0.6;
    epoch.steps = plan.steps;
    if (plan.evaluate_s > 0) {
      const double test_s =
          lines_of(p, "Test: ", 0, tests, tests, 2, plan.evaluate_s / static_cast<double>(tests),
                   p.number(0.1, 6, 4));
      p.line(fmt::format("Test:  Total time: {}", clock(test_s)));
      const auto top1 = p.number(10, 70, 3);
      p.line(fmt::format("Test:  Acc@1 {} Acc@5 {}", top1, p.number(80, 99, 3)));
      epoch.evaluate_s = test_s;
      epoch.metrics = {{"Acc@1", std::stod(top1)}};
    }
    p.noise(0.1);
  });
  if (!plan.part && plan.end == plan.total) {
    p.line("Training time 0:12:34");
  }
}

}  // namespace torchvision_text

TextSpec torchvision() {
  return {torchvision_text::write};
}

}  // namespace epochcast::tests::texts
