// OpenPCDet's train_utils: the log of its file, and its bars.
#include <fmt/format.h>

#include "tests/src/measure/progress/text.hpp"

namespace epochcast::tests::texts {
namespace openpcdet_text {
void lines(Program& p, const Plan& plan) {
  p.kind("log lines");
  const double start_s = p.now_s;
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    std::string loss;
    for (std::int64_t i = 0; i < steps; ++i) {
      p.wait(step_s);
      if (i % plan.every == 0 || i == plan.steps - 1) {
        loss = p.number(0.1, 9, 3);
        const double spent_s = p.now_s - begin_s;
        p.line(fmt::format(
            "Train: {:>4d}/{} ({:>3.0f}%) [{:>4d}/{} ({:>3.0f}%)]  Loss: {} ({})  LR: 1.000e-03  "
            "Time cost: {}/{} [{}/{}]  Acc_iter {:<10d}  "
            "Data time: 0.01(0.02)  Forward time: 0.11(0.12)  Batch time: {:.2f}({:.2f})",
            number + 1, plan.total,
            100.0 * static_cast<double>(number + 1) / static_cast<double>(plan.total), i,
            plan.steps, 100.0 * static_cast<double>(i) / static_cast<double>(plan.steps), loss,
            loss, tqdm_time(spent_s), tqdm_time(step_s * static_cast<double>(plan.steps - i)),
            tqdm_time(p.now_s - start_s), tqdm_time(7341), number * plan.steps + i + 1, step_s,
            step_s));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.slack_s =
        0.06 * step_s * static_cast<double>(plan.every) + 0.5 * p.text.stamp_resolution_s;
    epoch.stated_s = epoch.wall_s;
    epoch.stated_slack_s = 1.1;
    epoch.steps = plan.steps;
    epoch.metrics = {{"", std::stod(loss)}};
  });
  p.text.totals = {plan.total};
}

void bars(Program& p, const Plan& plan) {
  p.kind("bars");
  p.text.live_resolution_s = 0.12;
  const double start_s = p.now_s;
  p.bar("epochs", plan.first, plan.total, 0);
  run(p, plan, [&](std::int64_t number, std::int64_t steps) {
    const double begin_s = p.now_s;
    const double step_s = plan.step_s * p.real(0.98, 1.02);
    for (std::int64_t step = 0; step <= steps; ++step) {
      p.wait(step > 0 ? step_s : 0);
      p.bytes("\n");
      p.bar("train", step, plan.steps, p.now_s - begin_s,
            step > 0 ? fmt::format("total_it={}", number * plan.steps + step) : "");
      p.bytes("\x1b[A");
      if (step > 0) {
        p.bar("epochs", number, plan.total, p.now_s - start_s,
              fmt::format("loss={}, lr=0.001", p.number(0.1, 9, 3)));
      }
    }
    if (steps < plan.steps) {
      return;
    }
    p.bytes("\n\r" + std::string(60, ' ') + "\x1b[A");
    p.bar("epochs", number + 1, plan.total, p.now_s - start_s, "loss=1.25, lr=0.001");
    auto& epoch = p.epoch(number);
    epoch.wall_s = p.now_s - begin_s;
    epoch.stated_s = epoch.wall_s;
    epoch.stated_slack_s = 1;
    epoch.steps = plan.steps;
  });
  p.text.totals = {plan.total};
}

void write(Program& p) {
  Plan plan(p);
  plan.interrupted = -1;
  const bool as_lines = p.chance(0.6);
  if (as_lines) {
    p.use_stamp_style(31);
  }
  p.wait(p.real(0.5, 10));
  p.line(
      "**********************Start training "
      "kitti_models/pointpillar(default)**********************");
  as_lines ? lines(p, plan) : bars(p, plan);
}

}  // namespace openpcdet_text

TextSpec openpcdet() {
  return {openpcdet_text::write};
}

}  // namespace epochcast::tests::texts
