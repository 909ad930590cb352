// The lab study's own program.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace lab_log_text {
void write(Program& p) {
  Plan plan(p, true);
  p.wait(p.real(0.5, 10));
  p.plain("Device: cuda:0");
  p.plain("net_G(x).shape: torch.Size([1, 3, 64, 64])");
  p.wait(p.real(0.1, 1));
  const double run_s = p.now_s;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    p.plain(fmt::format("Epoch: {}", number + 1));
    std::string d;
    std::string g;
    for (std::int64_t i = 0; i < steps; ++i) {
      p.wait(step_s);
      const double seconds = p.now_s - begin_s;
      d = p.number(0.1, 2, 3);
      g = p.number(0.1, 2, 3);
      p.plain(fmt::format("Processing batch: {}-{}", number + 1, i));
      p.plain(
          fmt::format("loss_D {}, loss_G {}, {:.1f} examples/sec on cuda:0 ({:.1f} examples in "
                      "{:.1f} seconds during this epoch)",
                      d, g, 256.0 * static_cast<double>(i + 1) / seconds,
                      256.0 * static_cast<double>(i + 1), seconds));
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.slack_s = 0.06;
    epoch.stated_s = epoch.wall_s;
    epoch.stated_slack_s = 0.06;
    epoch.metrics = {{"loss_d", std::stod(d)}, {"loss_g", std::stod(g)}};
    epoch.maybe = number + 1 == plan.end && !plan.part && plan.end < plan.total;
    p.wait(0.01);
    p.plain("<Figure size 500x500 with 2 Axes>");
  });
  if (!plan.part && plan.end == plan.total) {
    const double total_s = p.now_s - run_s;
    p.plain(fmt::format("loss_D 0.123, loss_G 1.200, {:.1f} sec/epoch on cuda:0",
                        total_s / static_cast<double>(plan.total)));
    p.plain(fmt::format("Num epochs: {}", plan.total));
    p.plain(fmt::format("Total training time: {:.1f} seconds", total_s));
    p.text.totals = {plan.total};
    for (auto& epoch : p.text.epochs) {
      epoch.metrics.clear();  // the last line has other values of the last epoch
    }
  }
}

}  // namespace lab_log_text

TextSpec lab_log() {
  return {lab_log_text::write};
}

}  // namespace epochcast::tests::texts
